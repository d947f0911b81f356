/* Kernel queries: a kernel is borrowed for each. */
#include "program/kernel_info.h"

#include "base/alloc.h"
#include "cl/constants.h"
#include "program/build.h"

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
