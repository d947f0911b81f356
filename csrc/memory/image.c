/* Images: support by devices, creation, and layout in host memory. */
#include "memory/image.h"

#include "base/alloc.h"
#include "base/refcount.h"
#include "cl/constants.h"
#include "cl/context.h"
#include "cl/entries.h"

#include <string.h>

/* -- what a device can do -- */

static syc_status number_of(const syc_device *device, cl_uint what, syc_info_kind kind, uint64_t *out)
{
    syc_status status = SYC_OK;
    syc_info info = {0};
    SYC_TRY(syc_device_info(device, what, kind, &info));
    *out = info.number;
done:
    return status;
}

/* A 1-D image is limited as a 2-D one is wide (OpenCL, clCreateImage). */
static syc_status check_extents(const syc_device *device, const syc_image_shape *shape)
{
    static const cl_uint flat[] = {CL_DEVICE_IMAGE2D_MAX_WIDTH, CL_DEVICE_IMAGE2D_MAX_HEIGHT};
    static const cl_uint deep[] = {CL_DEVICE_IMAGE3D_MAX_WIDTH, CL_DEVICE_IMAGE3D_MAX_HEIGHT,
                                   CL_DEVICE_IMAGE3D_MAX_DEPTH};
    syc_status status = SYC_OK;
    uint64_t most = 0;

    for (unsigned d = 0; d < shape->rank; d++) {
        SYC_TRY(number_of(device, shape->rank == 3 ? deep[d] : flat[d], SYC_INFO_SIZE, &most));
        SYC_CHECK(shape->extent[d] <= most, SYC_E_FEATURE_NOT_SUPPORTED,
                  "extent %u of the %u-D image is %zu pixels; device '%s' has %u-D images of at most %llu there", d,
                  shape->rank, shape->extent[d], syc_device_name(device), shape->rank, (unsigned long long)most);
    }
done:
    return status;
}

static cl_uint object_type(unsigned rank)
{
    static const cl_uint types[] = {0, CL_MEM_OBJECT_IMAGE1D, CL_MEM_OBJECT_IMAGE2D, CL_MEM_OBJECT_IMAGE3D};
    return types[rank];
}

static bool among(const cl_image_format *formats, cl_uint count, const syc_image_shape *shape)
{
    for (cl_uint i = 0; i < count; i++) {
        if (formats[i].image_channel_order == shape->order && formats[i].image_channel_data_type == shape->type)
            return true;
    }
    return false;
}

static syc_status check_format(const syc_context *context, const syc_device *device, const syc_image_shape *shape)
{
    const syc_cl_table *cl = syc_context_cl(context);
    cl_uint type = object_type(shape->rank), count = 0, got = 0;
    cl_image_format *formats = NULL;
    syc_status status = SYC_OK;

    SYC_CL(cl, GetSupportedImageFormats, (context->native, CL_MEM_READ_WRITE, type, 0, NULL, &count));
    SYC_TRY(syc_alloc_array(count, sizeof *formats, &formats));
    if (count > 0)
        SYC_CL(cl, GetSupportedImageFormats, (context->native, CL_MEM_READ_WRITE, type, count, formats, &got));
    SYC_CHECK(among(formats, got < count ? got : count, shape), SYC_E_FEATURE_NOT_SUPPORTED,
              "device '%s' has no %u-D images of the format %s that kernels may read and write",
              syc_device_name(device), shape->rank, syc_image_format_name(shape->order, shape->type));
done:
    syc_free(formats);
    return status;
}

syc_status syc_image_check(const syc_context *context, const syc_device *device, const syc_image_shape *shape)
{
    syc_status status = SYC_OK;
    uint64_t has = 0;

    SYC_TRY(number_of(device, CL_DEVICE_IMAGE_SUPPORT, SYC_INFO_BOOL, &has));
    SYC_CHECK(has != 0, SYC_E_FEATURE_NOT_SUPPORTED,
              "device '%s' has no images (CL_DEVICE_IMAGE_SUPPORT is false; aspect image)", syc_device_name(device));
    SYC_TRY(check_extents(device, shape));
    SYC_TRY(check_format(context, device, shape));
done:
    return status;
}

/* -- making one -- */

/* Of several devices one is enough for the image to be made; whether the others can use it their commands will see. */
static syc_status check_any(const syc_context *context, const syc_image_shape *shape)
{
    syc_status status = SYC_OK;
    for (size_t i = 0; i < context->device_count; i++) {
        status = syc_image_check(context, context->devices[i], shape);
        if (status != SYC_E_FEATURE_NOT_SUPPORTED)
            break;
    }
    return status;
}

static cl_image_desc description(const syc_image_shape *shape)
{
    cl_image_desc d = {.image_type = object_type(shape->rank), .image_width = shape->extent[0]};
    if (shape->rank > 1)
        d.image_height = shape->extent[1];
    if (shape->rank > 2)
        d.image_depth = shape->extent[2];
    return d;
}

static bool no_memory(int code)
{
    return code == CL_OUT_OF_RESOURCES || code == CL_MEM_OBJECT_ALLOCATION_FAILURE || code == CL_OUT_OF_HOST_MEMORY;
}

syc_status syc_image_create(syc_context *context, const syc_image_shape *shape, cl_mem *out)
{
    const cl_image_format format = {shape->order, shape->type};
    const cl_image_desc desc = description(shape);
    syc_status status = SYC_OK;
    cl_mem memory = NULL;
    cl_int code = 0;

    SYC_TRY(check_any(context, shape));
    memory = syc_context_cl(context)->CreateImage(context->native, CL_MEM_READ_WRITE, &format, &desc, NULL, &code);
    if (code != 0 || memory == NULL) {
        code = code != 0 ? code : CL_OUT_OF_RESOURCES;
        status = no_memory(code)
                     ? syc_fail_cl_as(SYC_E_MEMORY_ALLOCATION, SYC_HERE, "clCreateImage", code,
                                      "no memory for an image of %zu x %zu x %zu pixels of %zu bytes on device '%s'",
                                      shape->extent[0], shape->extent[1], shape->extent[2], shape->pixel,
                                      syc_device_name(context->devices[0]))
                     : syc_fail_cl(SYC_HERE, "clCreateImage", code);
        goto done;
    }
    syc_live_add(SYC_LIVE_CL_MEM, 1);
    *out = memory;
done:
    return status;
}

/* -- host memory -- */

static bool times(size_t *value, size_t factor)
{
    return !__builtin_mul_overflow(*value, factor, value);
}

static syc_status set_pitch(const char *name, size_t *pitch, size_t least, size_t pixel)
{
    syc_status status = SYC_OK;
    if (*pitch == 0)
        *pitch = least;
    SYC_CHECK(*pitch >= least, SYC_E_INVALID_PARAMETER, "the %s pitch is %zu bytes; the image needs at least %zu", name,
              *pitch, least);
    SYC_CHECK(*pitch % pixel == 0, SYC_E_INVALID_PARAMETER,
              "the %s pitch is %zu bytes, not a multiple of the %zu of one pixel", name, *pitch, pixel);
done:
    return status;
}

syc_status syc_image_layout(syc_image_shape *shape, size_t *bytes)
{
    syc_status status = SYC_OK;
    size_t row = shape->pixel, plane, rows, planes;
    bool fits;

    for (unsigned d = 0; d < 3; d++) {
        shape->extent[d] = d < shape->rank ? shape->extent[d] : 1;
        SYC_CHECK(shape->extent[d] > 0, SYC_E_INVALID_PARAMETER, "extent %u of the image is 0; an image has pixels", d);
    }
    fits = times(&row, shape->extent[0]);
    if (fits)
        SYC_TRY(set_pitch("row", &shape->row_pitch, row, shape->pixel));
    plane = rows = shape->row_pitch;
    fits = fits && times(&plane, shape->extent[1]) && times(&rows, shape->extent[1] - 1);
    if (fits)
        SYC_TRY(set_pitch("slice", &shape->slice_pitch, plane, shape->pixel));
    planes = shape->slice_pitch;
    fits = fits && times(&planes, shape->extent[2] - 1);
    fits = fits && !__builtin_add_overflow(row, rows, &row) && !__builtin_add_overflow(row, planes, &row) &&
           row <= PTRDIFF_MAX;
    SYC_CHECK(fits, SYC_E_INVALID_PARAMETER, "an image of %zu x %zu x %zu pixels is beyond all memory",
              shape->extent[0], shape->extent[1], shape->extent[2]);
    *bytes = row;
done:
    return status;
}
