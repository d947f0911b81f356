/* OpenCL memory made elsewhere, buffers and images, as buffers of ours. */
#include "base/process.h"
#include "cl/constants.h"
#include "cl/context.h"
#include "cl/driver.h"
#include "memory/buffer.h"
#include "memory/image.h"

/* The kind of a memory object, which must be of the context. */
static syc_status read_type(cl_mem memory, const syc_context *context, cl_uint *type)
{
    const syc_driver *driver = syc_driver_of_handle(memory);
    const syc_cl_table *cl = driver != NULL ? &driver->cl : NULL;
    cl_context of_memory = NULL;
    syc_status status = SYC_OK;
    SYC_TRY(syc_process_check());
    SYC_CHECK(driver != NULL, SYC_E_INVALID_OBJECT, "%p is not a cl_mem of a loaded driver", (void *)memory);
    SYC_CL(cl, GetMemObjectInfo, (memory, CL_MEM_CONTEXT, sizeof of_memory, &of_memory, NULL));
    SYC_CHECK(of_memory == context->native, SYC_E_INVALID_OBJECT, "the cl_mem belongs to another context");
    SYC_CL(cl, GetMemObjectInfo, (memory, CL_MEM_TYPE, sizeof *type, type, NULL));
done:
    return status;
}

/* A buffer whose only place is the memory object. */
static syc_status adopt(const syc_buffer_source *source, cl_mem memory, syc_context *context, syc_buffer **out)
{
    syc_buffer *buffer = NULL;
    syc_status status = SYC_OK;
    SYC_TRY(syc_buffer_create(source, &buffer));
    SYC_CL(syc_context_cl(context), RetainMemObject, (memory));
    syc_live_add(SYC_LIVE_CL_MEM, 1);
    syc_context_retain(context);
    buffer->places[SYC_PLACE_DEVICE] = (syc_place){.context = context, .memory = memory};
    buffer->place_count = SYC_PLACE_DEVICE + 1;
    syc_copies_clear(&buffer->copies);
    SYC_TRY(syc_copies_init(&buffer->copies, buffer->bytes, 1U << SYC_PLACE_DEVICE));
    *out = buffer;
    buffer = NULL;
done:
    syc_buffer_release(buffer);
    return status;
}

syc_status syc_buffer_from_native(cl_mem memory, syc_context *context, syc_buffer **out)
{
    syc_buffer_source source = {0};
    cl_uint type = 0;
    syc_status status = SYC_OK;

    SYC_TRY(read_type(memory, context, &type));
    SYC_CHECK(type == CL_MEM_OBJECT_BUFFER, SYC_E_INVALID_OBJECT, "the cl_mem is an image, not a buffer");
    SYC_CL(syc_context_cl(context), GetMemObjectInfo, (memory, CL_MEM_SIZE, sizeof source.bytes, &source.bytes, NULL));
    SYC_TRY(adopt(&source, memory, context, out));
done:
    return status;
}

static syc_status rank_of(cl_uint type, unsigned *rank)
{
    syc_status status = SYC_OK;
    SYC_CHECK(type != CL_MEM_OBJECT_BUFFER, SYC_E_INVALID_OBJECT, "the cl_mem is a buffer, not an image");
    *rank = type == CL_MEM_OBJECT_IMAGE1D ? 1 : type == CL_MEM_OBJECT_IMAGE2D ? 2 : 3;
    SYC_CHECK(*rank != 3 || type == CL_MEM_OBJECT_IMAGE3D, SYC_E_INVALID_OBJECT,
              "the cl_mem is an array of images or an image over a buffer (type 0x%x), which SYCL does not have", type);
done:
    return status;
}

static syc_status read_shape(const syc_cl_table *cl, cl_mem memory, syc_image_shape *shape)
{
    static const cl_uint extents[] = {CL_IMAGE_WIDTH, CL_IMAGE_HEIGHT, CL_IMAGE_DEPTH};
    cl_image_format format = {0};
    syc_status status = SYC_OK;

    for (unsigned d = 0; d < shape->rank; d++)
        SYC_CL(cl, GetImageInfo, (memory, extents[d], sizeof(size_t), &shape->extent[d], NULL));
    SYC_CL(cl, GetImageInfo, (memory, CL_IMAGE_FORMAT, sizeof format, &format, NULL));
    SYC_CL(cl, GetImageInfo, (memory, CL_IMAGE_ELEMENT_SIZE, sizeof(size_t), &shape->pixel, NULL));
    shape->order = format.image_channel_order;
    shape->type = format.image_channel_data_type;
    SYC_CHECK(syc_image_format_name(shape->order, shape->type) != NULL, SYC_E_INVALID_OBJECT,
              "the image's format (channel order 0x%x, type 0x%x) is none of SYCL's", shape->order, shape->type);
done:
    return status;
}

syc_status syc_image_from_native(cl_mem memory, syc_context *context, syc_buffer **out)
{
    syc_image_shape shape = {0};
    syc_buffer_source source = {.image = &shape};
    cl_uint type = 0;
    syc_status status = SYC_OK;

    SYC_TRY(read_type(memory, context, &type));
    SYC_TRY(rank_of(type, &shape.rank));
    SYC_TRY(read_shape(syc_context_cl(context), memory, &shape));
    SYC_TRY(syc_image_layout(&shape, &source.bytes));
    SYC_TRY(adopt(&source, memory, context, out));
done:
    return status;
}
