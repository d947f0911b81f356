/* The fake driver's images, which are plain pixels, and its samplers, which sample nothing. */
#include "fake_driver.h"

#include <string.h>

#define ANSWER(object) return fake_answer(&(object), sizeof(object), size, value, got)

/* -- formats -- */

static const cl_uint types[] = {CL_SNORM_INT8,     CL_SNORM_INT16,    CL_UNORM_INT8,   CL_UNORM_INT16,
                                CL_SIGNED_INT8,    CL_SIGNED_INT16,   CL_SIGNED_INT32, CL_UNSIGNED_INT8,
                                CL_UNSIGNED_INT16, CL_UNSIGNED_INT32, CL_HALF_FLOAT,   CL_FLOAT};
static const size_t sizes[] = {1, 2, 1, 2, 1, 2, 4, 1, 2, 4, 2, 4};
enum { TYPES = sizeof types / sizeof types[0] };

static const struct {
    cl_uint order;
    size_t channels;
} orders[] = {{CL_RGBA, 4}, {CL_R, 1}, {CL_RG, 2}, {CL_BGRA, 4}};
enum { ORDERS = sizeof orders / sizeof orders[0] };

/* Bytes of a pixel; 0 for a format that is not supported. */
static size_t pixel_size(cl_image_format format)
{
    size_t channels = 0, bytes = 0;
    for (size_t i = 0; i < ORDERS; i++)
        if (orders[i].order == format.image_channel_order)
            channels = orders[i].channels;
    for (size_t i = 0; i < TYPES; i++)
        if (types[i] == format.image_channel_data_type)
            bytes = sizes[i];
    if (format.image_channel_order == CL_BGRA && format.image_channel_data_type != CL_UNORM_INT8)
        return 0;
    return channels * bytes;
}

cl_int fake_GetSupportedImageFormats(cl_context c, cl_bitfield flags, cl_uint type, cl_uint n, cl_image_format *out,
                                     cl_uint *got)
{
    cl_uint count = 0;
    bool known;
    (void)flags;
    fake_lock();
    known = fake_get(c, FAKE_CONTEXT) != NULL;
    fake_unlock();
    if (!known)
        return CL_INVALID_CONTEXT;
    if (type < CL_MEM_OBJECT_IMAGE2D || type > CL_MEM_OBJECT_IMAGE1D_BUFFER || (n == 0) != (out == NULL))
        return CL_INVALID_VALUE;
    for (size_t o = 0; fake_settings.images && o < ORDERS; o++) {
        for (size_t t = 0; t < TYPES; t++) {
            cl_image_format format = {orders[o].order, types[t]};
            if (pixel_size(format) == 0)
                continue;
            if (count < n)
                out[count] = format;
            count++;
        }
    }
    if (got != NULL)
        *got = count;
    return CL_SUCCESS;
}

/* -- images -- */

static cl_int read_desc(const cl_image_desc *desc, size_t *extent)
{
    extent[0] = desc->image_width;
    extent[1] = extent[2] = 1;
    switch (desc->image_type) {
    case CL_MEM_OBJECT_IMAGE3D:
        extent[2] = desc->image_depth; /* fall through */
    case CL_MEM_OBJECT_IMAGE2D:
        extent[1] = desc->image_height; /* fall through */
    case CL_MEM_OBJECT_IMAGE1D:
        break;
    default:
        return CL_INVALID_IMAGE_DESCRIPTOR;
    }
    if (desc->mem_object != NULL || desc->num_mip_levels != 0 || desc->num_samples != 0)
        return CL_INVALID_IMAGE_DESCRIPTOR;
    for (size_t i = 0; i < 3; i++)
        if (extent[i] == 0 || extent[i] > 4096)
            return CL_INVALID_IMAGE_SIZE;
    return CL_SUCCESS;
}

static cl_int check_pitches(const cl_image_desc *desc, const size_t *extent, size_t pixel, const void *host)
{
    size_t row = desc->image_row_pitch != 0 ? desc->image_row_pitch : extent[0] * pixel;
    if (host == NULL)
        return desc->image_row_pitch == 0 && desc->image_slice_pitch == 0 ? CL_SUCCESS : CL_INVALID_IMAGE_DESCRIPTOR;
    if (row < extent[0] * pixel || row % pixel != 0)
        return CL_INVALID_IMAGE_DESCRIPTOR;
    return desc->image_slice_pitch == 0 || desc->image_slice_pitch >= row * extent[1] ? CL_SUCCESS
                                                                                      : CL_INVALID_IMAGE_DESCRIPTOR;
}

/* [locked] In place it keeps the pitches of the host's memory, else it is packed. */
static fake_mem *make_image(fake_context *context, cl_bitfield flags, cl_image_format format, const cl_image_desc *desc,
                            const size_t *extent, void *host)
{
    size_t pixel = pixel_size(format), packed = extent[0] * pixel;
    size_t row = desc->image_row_pitch != 0 ? desc->image_row_pitch : packed;
    size_t slice = desc->image_slice_pitch != 0 ? desc->image_slice_pitch : row * extent[1];
    bool in_place = (flags & CL_MEM_USE_HOST_PTR) != 0 && fake_settings.type != CL_DEVICE_TYPE_GPU;
    fake_mem *mem = fake_make_mem(context, desc->image_type, flags,
                                  in_place ? slice * extent[2] : packed * extent[1] * extent[2], host);
    mem->format = format;
    mem->pixel = pixel;
    memcpy(mem->extent, extent, sizeof mem->extent);
    mem->row = in_place ? row : packed;
    mem->slice = in_place ? slice : packed * extent[1];
    for (size_t z = 0; host != NULL && !in_place && z < extent[2]; z++)
        for (size_t y = 0; y < extent[1]; y++)
            memcpy(mem->data + z * mem->slice + y * mem->row, (char *)host + z * slice + y * row, packed);
    return mem;
}

cl_mem fake_CreateImage(cl_context c, cl_bitfield flags, const cl_image_format *format, const cl_image_desc *desc,
                        void *host, cl_int *code)
{
    const cl_bitfield from_host = CL_MEM_USE_HOST_PTR | CL_MEM_COPY_HOST_PTR;
    size_t extent[3];
    fake_context *context;
    fake_mem *mem = NULL;
    cl_int result = format == NULL ? CL_INVALID_IMAGE_FORMAT_DESCRIPTOR
                    : desc == NULL ? CL_INVALID_IMAGE_DESCRIPTOR
                                   : read_desc(desc, extent);
    if (result == CL_SUCCESS && pixel_size(*format) == 0)
        result = CL_IMAGE_FORMAT_NOT_SUPPORTED;
    if (result == CL_SUCCESS && (host != NULL) != ((flags & from_host) != 0))
        result = CL_INVALID_HOST_PTR;
    if (result == CL_SUCCESS)
        result = check_pitches(desc, extent, pixel_size(*format), host);
    if (!fake_settings.images)
        result = CL_INVALID_OPERATION;
    fake_lock();
    context = fake_get(c, FAKE_CONTEXT);
    if (context == NULL)
        result = CL_INVALID_CONTEXT;
    if (result == CL_SUCCESS)
        mem = make_image(context, flags, *format, desc, extent, host);
    fake_unlock();
    return fake_give(code, result, mem);
}

static cl_int image_answer(const fake_mem *m, cl_uint what, size_t size, void *value, size_t *got)
{
    const size_t none = 0;
    const cl_uint no_levels = 0;
    if (m->pixel == 0)
        return CL_INVALID_MEM_OBJECT;
    switch (what) {
    case CL_IMAGE_FORMAT:
        ANSWER(m->format);
    case CL_IMAGE_ELEMENT_SIZE:
        ANSWER(m->pixel);
    case CL_IMAGE_ROW_PITCH:
        ANSWER(m->row);
    case CL_IMAGE_SLICE_PITCH:
        return fake_answer(m->type == CL_MEM_OBJECT_IMAGE3D ? &m->slice : &none, sizeof none, size, value, got);
    case CL_IMAGE_WIDTH:
        ANSWER(m->extent[0]);
    case CL_IMAGE_HEIGHT:
        return fake_answer(m->type == CL_MEM_OBJECT_IMAGE1D ? &none : &m->extent[1], sizeof none, size, value, got);
    case CL_IMAGE_DEPTH:
        return fake_answer(m->type == CL_MEM_OBJECT_IMAGE3D ? &m->extent[2] : &none, sizeof none, size, value, got);
    case CL_IMAGE_ARRAY_SIZE:
        ANSWER(none);
    case CL_IMAGE_NUM_MIP_LEVELS:
    case CL_IMAGE_NUM_SAMPLES:
        ANSWER(no_levels);
    default:
        return CL_INVALID_VALUE;
    }
}

cl_int fake_GetImageInfo(cl_mem handle, cl_uint what, size_t size, void *value, size_t *got)
{
    const fake_mem *mem;
    cl_int result = CL_INVALID_MEM_OBJECT;
    fake_lock();
    mem = fake_get(handle, FAKE_MEM);
    if (mem != NULL)
        result = image_answer(mem, what, size, value, got);
    fake_unlock();
    return result;
}

static cl_int pixels(cl_command_queue q, cl_mem m, cl_uint type, bool block, const size_t *origin, const size_t *region,
                     size_t row, size_t slice, void *to, const void *from, cl_uint n, const cl_event *after,
                     cl_event *event)
{
    cl_int result = (to == NULL && from == NULL) || origin == NULL || region == NULL ? CL_INVALID_VALUE : CL_SUCCESS;
    fake_mem *mem;
    fake_lock();
    mem = fake_get(m, FAKE_MEM);
    if (result == CL_SUCCESS && (mem == NULL || mem->pixel == 0))
        result = CL_INVALID_MEM_OBJECT;
    for (size_t i = 0; result == CL_SUCCESS && i < 3; i++)
        if (region[i] == 0 || origin[i] > mem->extent[i] || region[i] > mem->extent[i] - origin[i])
            result = CL_INVALID_VALUE;
    if (result == CL_SUCCESS) {
        char *inside = mem->data + origin[2] * mem->slice + origin[1] * mem->row + origin[0] * mem->pixel;
        fake_move move = {.bytes = region[0] * mem->pixel, .rows = region[1], .slices = region[2]};
        row = row != 0 ? row : move.bytes;
        slice = slice != 0 ? slice : row * region[1];
        move.to = to != NULL ? to : inside;
        move.from = to != NULL ? inside : from;
        move.to_row = to != NULL ? row : mem->row;
        move.to_slice = to != NULL ? slice : mem->slice;
        move.from_row = to != NULL ? mem->row : row;
        move.from_slice = to != NULL ? mem->slice : slice;
        result = row < move.bytes || slice < row * region[1]
                     ? CL_INVALID_VALUE
                     : fake_enqueue_move(q, type, block, &move, mem, NULL, n, after, event);
    }
    fake_unlock();
    return result;
}

cl_int fake_EnqueueReadImage(cl_command_queue q, cl_mem m, cl_bool block, const size_t *origin, const size_t *region,
                             size_t row, size_t slice, void *to, cl_uint n, const cl_event *after, cl_event *event)
{
    return pixels(q, m, CL_COMMAND_READ_IMAGE, block, origin, region, row, slice, to, NULL, n, after, event);
}

cl_int fake_EnqueueWriteImage(cl_command_queue q, cl_mem m, cl_bool block, const size_t *origin, const size_t *region,
                              size_t row, size_t slice, const void *from, cl_uint n, const cl_event *after,
                              cl_event *event)
{
    return pixels(q, m, CL_COMMAND_WRITE_IMAGE, block, origin, region, row, slice, NULL, from, n, after, event);
}

/* -- samplers -- */

cl_sampler fake_CreateSampler(cl_context c, cl_bool normalized, cl_uint addressing, cl_uint filtering, cl_int *code)
{
    fake_context *context;
    fake_sampler *sampler = NULL;
    bool repeats = addressing == CL_ADDRESS_REPEAT || addressing == CL_ADDRESS_MIRRORED_REPEAT;
    cl_int result = CL_SUCCESS;
    if (addressing < CL_ADDRESS_NONE || addressing > CL_ADDRESS_MIRRORED_REPEAT || (repeats && !normalized) ||
        filtering < CL_FILTER_NEAREST || filtering > CL_FILTER_LINEAR)
        result = CL_INVALID_VALUE;
    if (!fake_settings.images)
        result = CL_INVALID_OPERATION;
    fake_lock();
    context = fake_get(c, FAKE_CONTEXT);
    if (context == NULL)
        result = CL_INVALID_CONTEXT;
    if (result == CL_SUCCESS) {
        sampler = fake_new(FAKE_SAMPLER, sizeof *sampler);
        fake_use(sampler->context = context);
        sampler->normalized = normalized;
        sampler->addressing = addressing;
        sampler->filtering = filtering;
    }
    fake_unlock();
    return fake_give(code, result, sampler);
}

cl_int fake_RetainSampler(cl_sampler s)
{
    return fake_retain(s, FAKE_SAMPLER, CL_INVALID_SAMPLER);
}

cl_int fake_ReleaseSampler(cl_sampler s)
{
    return fake_release(s, FAKE_SAMPLER, CL_INVALID_SAMPLER);
}

static cl_int sampler_answer(const fake_sampler *s, cl_uint what, size_t size, void *value, size_t *got)
{
    switch (what) {
    case CL_SAMPLER_REFERENCE_COUNT:
        ANSWER((cl_uint){(cl_uint)s->object.handles});
    case CL_SAMPLER_CONTEXT:
        ANSWER(s->context);
    case CL_SAMPLER_NORMALIZED_COORDS:
        ANSWER(s->normalized);
    case CL_SAMPLER_ADDRESSING_MODE:
        ANSWER(s->addressing);
    case CL_SAMPLER_FILTER_MODE:
        ANSWER(s->filtering);
    default:
        return CL_INVALID_VALUE;
    }
}

cl_int fake_GetSamplerInfo(cl_sampler handle, cl_uint what, size_t size, void *value, size_t *got)
{
    const fake_sampler *sampler;
    cl_int result = CL_INVALID_SAMPLER;
    fake_lock();
    sampler = fake_get(handle, FAKE_SAMPLER);
    if (sampler != NULL)
        result = sampler_answer(sampler, what, size, value, got);
    fake_unlock();
    return result;
}
