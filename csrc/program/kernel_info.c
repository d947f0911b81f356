/* Kernel queries: a kernel is borrowed for each. */
#include "program/kernel_info.h"

#include "base/alloc.h"
#include "cl/constants.h"
#include "cl/device.h"
#include "cl/entries.h"
#include "cl/sub_group.h"
#include "library/device_options.h"
#include "program/recipe.h"

#include <stdio.h>
#include <string.h>

static syc_status ask_text(const syc_cl_table *cl, cl_kernel native, cl_uint what, syc_info *out)
{
    syc_status status = SYC_OK;
    char *text = NULL;
    size_t size = 0;

    SYC_CL(cl, GetKernelInfo, (native, what, 0, NULL, &size));
    SYC_TRY(syc_alloc(size + 1, &text));
    if (size > 0)
        SYC_CL(cl, GetKernelInfo, (native, what, size, text, NULL));
    out->string = text;
    text = NULL;
done:
    syc_free(text);
    return status;
}

syc_status syc_kernel_info(syc_build *build, size_t kernel, cl_uint what, syc_info_kind kind, syc_info *out)
{
    const syc_cl_table *cl = syc_context_cl(build->context);
    syc_status status = SYC_OK;
    cl_kernel native = NULL;
    cl_uint number = 0;

    *out = (syc_info){.kind = kind};
    SYC_TRY(syc_build_take_kernel(build, kernel, 0, &native));
    if (kind == SYC_INFO_STRING) {
        SYC_TRY(ask_text(cl, native, what, out));
    } else {
        SYC_CL(cl, GetKernelInfo, (native, what, sizeof number, &number, NULL));
        out->number = number;
    }
done:
    if (native != NULL)
        syc_build_give_kernel(build, kernel, 0, native);
    return status;
}

syc_status syc_kernel_group_sizes(syc_build *build, size_t kernel, const syc_device *device, cl_uint what,
                                  size_t out[3])
{
    const syc_cl_table *cl = syc_context_cl(build->context);
    syc_status status = SYC_OK;
    cl_kernel native = NULL;

    SYC_TRY(syc_build_take_kernel(build, kernel, 0, &native));
    SYC_CL(cl, GetKernelWorkGroupInfo, (native, device->lanes[SYC_LANE_POOL], what, 3 * sizeof *out, out, NULL));
done:
    if (native != NULL)
        syc_build_give_kernel(build, kernel, 0, native);
    return status;
}

syc_status syc_kernel_sub_groups(syc_build *build, size_t kernel, const syc_device *device, cl_uint what,
                                 const size_t local[3], size_t *out)
{
    const syc_cl_table *cl = syc_context_cl(build->context);
    cl_device_id id = device->lanes[SYC_LANE_POOL];
    bool sized = what == CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE || what == CL_KERNEL_SUB_GROUP_COUNT_FOR_NDRANGE;
    syc_status status = SYC_OK;
    cl_kernel native = NULL;

    SYC_CHECK(cl->GetKernelSubGroupInfo != NULL, SYC_E_FEATURE_NOT_SUPPORTED, "device '%s' tells nothing of sub-groups",
              syc_device_name(device));
    SYC_TRY(syc_build_take_kernel(build, kernel, 0, &native));
    SYC_CL(cl, GetKernelSubGroupInfo,
           (native, id, what, sized ? 3 * sizeof *local : 0, sized ? local : NULL, sizeof *out, out, NULL));
done:
    if (native != NULL)
        syc_build_give_kernel(build, kernel, 0, native);
    return status;
}

size_t syc_kernel_sub_group_size(const syc_program *program, const syc_context *context)
{
    syc__device_choice choice;
    syc__device_choose(context, syc_program_signatures(program), program->families, &choice);
    return choice.sub_group_size;
}

/* "4, 8, 16" or "none". */
static void list_sizes(const syc_info *sizes, char *out, size_t room)
{
    size_t length = 0;
    snprintf(out, room, "none");
    for (size_t i = 0; i < sizes->count && length + 1 < room; i++)
        length +=
            (size_t)snprintf(out + length, room - length, "%s%lld", i > 0 ? ", " : "", (long long)sizes->numbers[i]);
}

/* Drivers build a kernel for sub-groups that they do not have, and run it with others. */
static syc_status check_sub_group(const syc_device *device, const syc_signature *kernel)
{
    syc_info sizes = {0};
    char words[120];
    bool found = false;
    syc_status status = SYC_OK;

    SYC_TRY(syc_sub_group_sizes(device, &sizes));
    for (size_t i = 0; i < sizes.count; i++)
        found |= (size_t)sizes.numbers[i] == kernel->required_sub_group;
    list_sizes(&sizes, words, sizeof words);
    SYC_CHECK(found, SYC_E_KERNEL_NOT_SUPPORTED,
              "kernel '%s' requires sub-groups of %zu work-items; those that can be required of device '%s': %s",
              kernel->name, kernel->required_sub_group, syc_device_name(device), words);
done:
    syc_info_clear(&sizes);
    return status;
}

syc_status syc_kernel_check(const syc_device *device, const syc_signature *kernel)
{
    syc_status status = SYC_OK;
    SYC_CHECK(device->fp64 || !kernel->needs_fp64, SYC_E_KERNEL_NOT_SUPPORTED,
              "kernel '%s' uses double, and device '%s' has no fp64", kernel->name, syc_device_name(device));
    SYC_CHECK(device->fp16 || !kernel->needs_fp16, SYC_E_KERNEL_NOT_SUPPORTED,
              "kernel '%s' uses half, and device '%s' has no fp16", kernel->name, syc_device_name(device));
    for (size_t i = 0; !device->writes_3d && i < kernel->count; i++) {
        const syc_param *p = &kernel->params[i];
        bool writes = p->type == SYC_OPAQUE && p->access != SYC_IMAGE_READ && p->struct_name != NULL &&
                      strcmp(p->struct_name, "image3d_t") == 0;
        SYC_CHECK(
            !writes, SYC_E_KERNEL_NOT_SUPPORTED,
            "kernel '%s' writes to the three-dimensional image '%s', and device '%s' has no cl_khr_3d_image_writes",
            kernel->name, p->name, syc_device_name(device));
    }
    if (kernel->required_sub_group > 0)
        SYC_TRY(check_sub_group(device, kernel));
done:
    return status;
}
