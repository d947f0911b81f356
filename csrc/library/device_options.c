/* From facts about devices to -D options. */
#include "library/device_options.h"

#include "cl/context.h"
#include "cl/device.h"
#include "cl/sub_group.h"
#include "library/cures/pocl_per_item.h"

#include <string.h>

enum {
    WORD = 8,           /* bytes of a word of scratch */
    HEAD = 16,          /* words for what a group has once: SYC_HEAD_WORDS of kernels/group/group_memory.clh */
    PARTIALS = 64,      /* words for one value of 16 bytes from each of 32 sub-groups */
    ITEM = 2,           /* words for a value of 16 bytes from each work-item; larger ones travel in pieces */
    WARP_HEAD = 4 * 64, /* of warps: the head has as much as a place, and there are three (group_memory.clh) */
    WARP_ITEM = 1,
    ROWS_FROM = 64 /* items of a work-group */
};

/* The one size that kernels require, 0 if none does. */
static size_t required_size(const syc_signatures *kernels)
{
    for (size_t i = 0; i < kernels->count; i++)
        if (kernels->items[i].required_sub_group > 0)
            return kernels->items[i].required_sub_group;
    return 0;
}

/* The way that the self-test found right; where it found none, that of the facts. */
static syc_group_shape shape_of(const syc_device *device, syc_families families)
{
    static const syc_family all[] = {SYC_FAMILY_WORK_GROUPS, SYC_FAMILY_JOINT};
    unsigned shape = device->facts->groups;

    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        unsigned way = families >> all[i] & 1 ? syc_device_way(device, all[i]) : SYC_WAY_UNKNOWN;
        if (way != SYC_WAY_NONE && (way & SYC_WAY_VALUE) > shape)
            shape = way & SYC_WAY_VALUE; /* the larger, the less it takes */
    }
    return (syc_group_shape)shape;
}

static bool is_plain(const syc_device *device, syc_families families)
{
    bool plain = false;
    for (unsigned f = 0; f < SYC_FAMILY_COUNT; f++)
        if (families >> f & 1) {
            unsigned way = syc_device_way(device, (syc_family)f);
            plain = plain || (way != SYC_WAY_NONE && (way & SYC_WAY_PLAIN) != 0);
        }
    return plain;
}

/* The items that go over a range of memory in a group's algorithms. */
static int range_shape(syc_items items)
{
    enum { ALONE = 1, SPREAD, BY_WORDS, LED };
    static const int shapes[] = {[SYC_ITEMS_SINGLY] = SPREAD,
                                 [SYC_ITEMS_LOOPED] = ALONE,
                                 [SYC_ITEMS_PACKED] = LED,
                                 [SYC_ITEMS_THREADED] = BY_WORDS};
    return shapes[items];
}

/* On CPUs whose compilers make vectors; Oclgrind's checks end the process over some. */
static bool has_rows(syc_items items)
{
    return items == SYC_ITEMS_LOOPED || items == SYC_ITEMS_PACKED;
}

/* Devices that differ get what needs nothing of them. */
static void choose_kinds(const syc_context *context, syc_families families, syc__device_choice *out)
{
    const syc_device *const first = context->devices[0];

    out->group = shape_of(first, families);
    out->sub_group = syc_sub_group_kind_of(first);
    for (size_t i = 0; i < context->device_count; i++) {
        const syc_device *device = context->devices[i];
        out->plain = out->plain || is_plain(device, families);
        if (device->facts == first->facts && shape_of(device, families) == out->group &&
            syc_sub_group_kind_of(device) == out->sub_group)
            continue;
        out->group = SYC_GROUP_LEADER;
        out->sub_group = SYC_SUB_GROUP_EMULATED;
    }
}

/* How the items of all of them run; devices that differ: nobody knows. */
static syc_items items_of(const syc_context *context)
{
    syc_items items = context->devices[0]->facts->items;
    for (size_t i = 1; i < context->device_count; i++)
        if (context->devices[i]->facts != context->devices[0]->facts)
            items = SYC_ITEMS_SINGLY;
    return items;
}

static void choose_scratch(const syc_context *context, syc__device_choice *out)
{
    bool partials = out->group == SYC_GROUP_PARTIALS && out->sub_group != SYC_SUB_GROUP_EMULATED;
    bool warps = out->sub_group == SYC_SUB_GROUP_PTX; /* their texts count on it in every shape */
    uint64_t local = context->devices[0]->local_bytes;
    size_t most;

    out->head = warps ? WARP_HEAD : HEAD + (partials ? PARTIALS : 0);
    out->item = warps ? WARP_ITEM : ITEM;
    out->largest = 0;
    for (size_t i = 0; i < context->device_count; i++) {
        const syc_device *device = context->devices[i];
        out->largest = device->max_group > out->largest ? device->max_group : out->largest;
        local = device->local_bytes < local ? device->local_bytes : local;
    }
    most = local / 4 * 3 / WORD; /* the rest is for the kernel's own */
    if (most > out->head + out->item && (most - out->head) / out->item < out->largest)
        out->largest = (most - out->head) / out->item;
}

void syc__device_choose(const syc_context *context, const syc_signatures *kernels, syc_families families,
                        syc__device_choice *out)
{
    *out = (syc__device_choice){.sub_group_size = 0};
    choose_kinds(context, families, out);
    syc__device_complete(context, kernels, out);
}

void syc__device_complete(const syc_context *context, const syc_signatures *kernels, syc__device_choice *out)
{
    size_t required = required_size(kernels);
    syc_items items = items_of(context);

    out->range = range_shape(items);
    out->rows = has_rows(items);
    out->ptx_arch = context->devices[0]->ptx_arch;
    for (size_t i = 0; i < context->device_count; i++)
        out->structs = out->structs || context->devices[i]->facts->shared_structs;
    for (size_t i = 1; i < context->device_count; i++)
        if (context->devices[i]->ptx_arch < out->ptx_arch)
            out->ptx_arch = context->devices[i]->ptx_arch;
    if (out->sub_group == SYC_SUB_GROUP_EMULATED && required > 0)
        out->sub_group_size = required;
    else if (out->sub_group == syc_sub_group_kind_of(context->devices[0]))
        out->sub_group_size = syc_sub_group_default(context->devices[0]);
    else
        out->sub_group_size =
            SYC_WARP; /* devices that differ, or do not get their own right: emulated on all of them */
    choose_scratch(context, out);
}

void syc__device_options_add(const syc__device_choice *choice, syc_text *out)
{
    syc_text_add(out, " -D SYC_GROUP_SHAPE=%d -D SYC_SUB_GROUP_KIND=%d", (int)choice->group, (int)choice->sub_group);
    if (choice->sub_group == SYC_SUB_GROUP_PTX && choice->ptx_arch > 0)
        syc_text_add(out, " -D SYC_PTX_ARCH=%u", choice->ptx_arch);
    if (choice->sub_group_size > 0)
        syc_text_add(out, " -D SYC_SUB_GROUP_SIZE=%zu", choice->sub_group_size);
    syc_text_add(out, " -D SYC_RANGE_SHAPE=%d", choice->range);
    if (choice->rows)
        syc_text_add(out, " -D SYC_ROWS_FROM=%d", ROWS_FROM);
    syc_text_add(out, " -D SYC_SCRATCH_HEAD=%zu -D SYC_SCRATCH_ITEM=%zu -D SYC_SCRATCH_WORDS=%zu", choice->head,
                 choice->item, choice->head + choice->item * choice->largest);
    if (choice->structs)
        syc_text_add(out, SYC__PER_ITEM_OPTION);
    if (choice->plain)
        syc_text_add(out, " -cl-opt-disable");
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

syc_status syc__device_check(const syc_context *context, const syc_signatures *kernels,
                             const syc__device_choice *choice)
{
    syc_status status = SYC_OK;
    const syc_signature *first = NULL;

    for (size_t i = 0; i < kernels->count && choice->sub_group == SYC_SUB_GROUP_EMULATED; i++) {
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
