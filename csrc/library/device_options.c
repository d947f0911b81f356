/* From facts about devices to -D options. */
#include "library/device_options.h"

#include <string.h>

#include "cl/sub_group.h"

enum {
    WORD = 8,      /* bytes of a word of scratch */
    HEAD = 16,     /* words for what a group has once: SYC_HEAD_WORDS of kernels/group_memory.clh */
    PARTIALS = 64, /* words for one value of 16 bytes from each of 32 sub-groups */
    ITEM = 2       /* words for a value of 16 bytes from each work-item; larger ones travel in pieces */
};

/* The one size that kernels require, 0 if none does. */
static size_t required_size(const syc_signatures *kernels)
{
    for (size_t i = 0; i < kernels->count; i++)
        if (kernels->items[i].required_sub_group > 0)
            return kernels->items[i].required_sub_group;
    return 0;
}

/* Devices that differ get what needs nothing of them. */
static void choose_kinds(const syc_context *context, syc__device_choice *out)
{
    const syc_facts *facts = context->devices[0]->facts;
    out->group = facts->groups;
    out->sub_group = facts->sub_groups;
    for (size_t i = 1; i < context->device_count; i++) {
        if (context->devices[i]->facts == facts)
            continue;
        out->group = SYC_GROUP_LEADER;
        out->sub_group = SYC_SUB_GROUP_EMULATED;
    }
}

static void choose_scratch(const syc_context *context, syc__device_choice *out)
{
    bool partials = out->group != SYC_GROUP_LEADER && out->sub_group != SYC_SUB_GROUP_EMULATED;
    bool each = out->group != SYC_GROUP_PARTIALS || out->sub_group != SYC_SUB_GROUP_PTX;
    uint64_t local = context->devices[0]->local_bytes;
    size_t most;

    out->head = HEAD + (partials ? PARTIALS : 0);
    out->item = each ? ITEM : 0;
    out->largest = 0;
    for (size_t i = 0; i < context->device_count; i++) {
        const syc_device *device = context->devices[i];
        out->largest = device->max_group > out->largest ? device->max_group : out->largest;
        local = device->local_bytes < local ? device->local_bytes : local;
    }
    most = local / 4 * 3 / WORD; /* the rest is for the kernel's own */
    if (each && most > out->head + out->item && (most - out->head) / out->item < out->largest)
        out->largest = (most - out->head) / out->item;
}

void syc__device_choose(const syc_context *context, const syc_signatures *kernels, syc__device_choice *out)
{
    size_t required = required_size(kernels);

    *out = (syc__device_choice){.sub_group_size = 0};
    choose_kinds(context, out);
    if (out->sub_group == SYC_SUB_GROUP_EMULATED && required > 0)
        out->sub_group_size = required;
    else if (out->sub_group == context->devices[0]->facts->sub_groups)
        out->sub_group_size = syc_sub_group_default(context->devices[0]);
    else
        out->sub_group_size = SYC_WARP; /* devices that differ: emulated on all of them */
    choose_scratch(context, out);
}

void syc__device_options_add(const syc__device_choice *choice, syc_text *out)
{
    syc_text_add(out, " -D SYC_GROUP_SHAPE=%d -D SYC_SUB_GROUP_KIND=%d", (int)choice->group, (int)choice->sub_group);
    if (choice->sub_group_size > 0)
        syc_text_add(out, " -D SYC_SUB_GROUP_SIZE=%zu", choice->sub_group_size);
    syc_text_add(out, " -D SYC_SCRATCH_HEAD=%zu -D SYC_SCRATCH_ITEM=%zu -D SYC_SCRATCH_WORDS=%zu", choice->head,
                 choice->item, choice->head + choice->item * choice->largest);
}

void syc__options_add_without_cl12(const char *options, syc_text *out)
{
    static const char word[] = "-cl-std=CL1.2", blanks[] = " \t\n\r\v\f";
    while (*options != '\0') {
        size_t blank = strspn(options, blanks), length = strcspn(options + blank, blanks);
        if (length != sizeof word - 1 || memcmp(options + blank, word, length) != 0)
            syc_text_add_n(out, options, blank + length);
        options += blank + length;
    }
}

syc_status syc__device_check(const syc_context *context, const syc_signatures *kernels)
{
    syc_status status = SYC_OK;
    const syc_signature *first = NULL;
    syc__device_choice choice;

    syc__device_choose(context, kernels, &choice);
    for (size_t i = 0; i < kernels->count && choice.sub_group == SYC_SUB_GROUP_EMULATED; i++) {
        const syc_signature *kernel = &kernels->items[i];
        if (kernel->required_sub_group == 0)
            continue;
        first = first == NULL ? kernel : first;
        SYC_CHECK(kernel->required_sub_group == first->required_sub_group, SYC_E_KERNEL_NOT_SUPPORTED,
                  "kernel '%s' requires sub-groups of %zu work-items and kernel '%s' of %zu: device '%s' has none of "
                  "its own, and those that stand in for them are of one size in a program; make it two programs",
                  first->name, first->required_sub_group, kernel->name, kernel->required_sub_group,
                  syc_device_name(context->devices[0]));
    }
done:
    return status;
}
