/* Part of program/cures/intel_ones.c, and of nvidia_minus.c: from a built program to one with mended machine code. */
#include "program/cures/machine_code.h"

#include "base/alloc.h"
#include "cl/constants.h"
#include "cl/entries.h"
#include "program/compiler.h"
#include "program/cures/intel_ones.h"
#include "program/cures/nvidia_minus.h"

/* The machine code of a program, for each of its devices. A device that it is not built for has no bytes. */
struct images {
    cl_uint count;
    cl_device_id *devices;
    size_t *sizes;
    unsigned char **bytes;
};

static void clear(struct images *images)
{
    for (cl_uint i = 0; images->bytes != NULL && i < images->count; i++)
        syc_free(images->bytes[i]);
    syc_free(images->bytes);
    syc_free(images->sizes);
    syc_free(images->devices);
}

static syc_status fetch(const syc_cl_table *cl, cl_program native, struct images *out)
{
    bool any = false;
    syc_status status = SYC_OK;

    SYC_CL(cl, GetProgramInfo, (native, CL_PROGRAM_NUM_DEVICES, sizeof out->count, &out->count, NULL));
    SYC_TRY(syc_alloc_array(out->count, sizeof *out->devices, &out->devices));
    SYC_TRY(syc_alloc_array(out->count, sizeof *out->sizes, &out->sizes));
    SYC_TRY(syc_alloc_array(out->count, sizeof *out->bytes, &out->bytes));
    SYC_CL(cl, GetProgramInfo, (native, CL_PROGRAM_DEVICES, out->count * sizeof *out->devices, out->devices, NULL));
    SYC_CL(cl, GetProgramInfo, (native, CL_PROGRAM_BINARY_SIZES, out->count * sizeof *out->sizes, out->sizes, NULL));
    for (cl_uint i = 0; i < out->count; i++)
        if (out->sizes[i] > 0) {
            any = true;
            SYC_TRY(syc_alloc(out->sizes[i], &out->bytes[i]));
        }
    if (!any)
        goto done;
    SYC_CL(cl, GetProgramInfo, (native, CL_PROGRAM_BINARIES, out->count * sizeof *out->bytes, out->bytes, NULL));
done:
    return status;
}

/* Only the devices that there are bytes for. */
static void drop_empty(struct images *images)
{
    cl_uint kept = 0;
    for (cl_uint i = 0; i < images->count; i++) {
        if (images->bytes[i] == NULL)
            continue;
        images->devices[kept] = images->devices[i];
        images->sizes[kept] = images->sizes[i];
        images->bytes[kept++] = images->bytes[i];
    }
    images->count = kept;
}

static syc_status make(const syc_context *context, const struct images *images, const char *options, cl_program *out)
{
    const syc_cl_table *cl = syc_context_cl(context);
    cl_program program = NULL;
    cl_int code = 0;
    syc_status status = SYC_OK;

    SYC_CL_OBJECT(cl, program, CreateProgramWithBinary,
                  (context->native, images->count, images->devices, images->sizes,
                   (const unsigned char **)images->bytes, NULL, &code));
    code = syc__native_assemble(cl, program, options);
    if (code == 0)
        *out = program;
    else
        status = syc_fail_cl(SYC_HERE, "clBuildProgram", code);
done:
    if (status != SYC_OK && program != NULL)
        (void)cl->ReleaseProgram(program); /* the failure to build it is told */
    return status;
}

/* Which defects the devices' compilers have; a context's devices are one driver's. */
static void find_defects(const syc_context *context, bool *ones, bool *minus)
{
    *ones = *minus = false;
    for (size_t i = 0; i < context->device_count; i++) {
        *ones |= context->devices[i]->facts->loses_ones;
        *minus |= context->devices[i]->facts->drops_minus;
    }
}

static syc_status mend(struct images *images, cl_uint i, bool ones, bool minus, size_t *mended)
{
    char *better = NULL;
    syc_status status = SYC_OK;

    if (ones)
        *mended += syc__ones_mend(images->bytes[i], images->sizes[i]);
    if (minus)
        SYC_TRY(syc__minus_mend((const char *)images->bytes[i], images->sizes[i], &better, &images->sizes[i]));
    if (better == NULL)
        return SYC_OK;
    syc_free(images->bytes[i]);
    images->bytes[i] = (unsigned char *)better;
    ++*mended;
done:
    return status;
}

syc_status syc__machine_code_cure(const syc_context *context, cl_program native, const char *options, cl_program *out)
{
    struct images images = {0};
    bool ones, minus;
    size_t mended = 0;
    syc_status status = SYC_OK;

    *out = NULL;
    find_defects(context, &ones, &minus);
    if (!ones && !minus)
        return SYC_OK;
    SYC_TRY(fetch(syc_context_cl(context), native, &images));
    drop_empty(&images);
    for (cl_uint i = 0; i < images.count; i++)
        SYC_TRY(mend(&images, i, ones, minus, &mended));
    if (mended > 0)
        SYC_TRY(make(context, &images, options, out));
done:
    clear(&images);
    return status;
}
