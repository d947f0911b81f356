/* Images: formats, layouts in host memory, what devices refuse, native images in and out. */
#include "memory/image.h"

#include "cl/constants.h"
#include "cl/fault.h"
#include "memory/buffer.h"
#include "scene.h"

static syc_image_shape shape_of(const char *format, unsigned rank, size_t a, size_t b, size_t c)
{
    syc_image_shape shape = {.rank = rank, .extent = {a, b, c}};
    CHECK(syc_image_format_find(format, &shape));
    return shape;
}

static void check_layout(syc_image_shape shape, size_t row, size_t slice, size_t bytes)
{
    size_t got = 0;
    CHECK_OK(syc_image_layout(&shape, &got));
    CHECK_EQUAL(shape.row_pitch, row);
    CHECK_EQUAL(shape.slice_pitch, slice);
    CHECK_EQUAL(got, bytes);
}

static void test_formats(void)
{
    static const char *const names[] = {"r8g8b8a8_unorm",      "r16g16b16a16_unorm", "r8g8b8a8_sint",
                                        "r16g16b16a16_sint",   "r32g32b32a32_sint",  "r8g8b8a8_uint",
                                        "r16g16b16a16_uint",   "r32g32b32a32_uint",  "r16g16b16a16_sfloat",
                                        "r32g32b32a32_sfloat", "b8g8r8a8_unorm"};
    static const size_t pixels[] = {4, 8, 4, 8, 16, 4, 8, 16, 8, 16, 4};
    syc_image_shape shape = {0};

    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        CHECK(syc_image_format_find(names[i], &shape));
        CHECK_EQUAL(shape.pixel, pixels[i]);
        CHECK_STRING(syc_image_format_name(shape.order, shape.type), names[i]);
    }
    CHECK(!syc_image_format_find("r8_unorm", &shape));
    CHECK(syc_image_format_name(CL_R, CL_UNORM_INT8) == NULL);
}

static void test_layouts(void)
{
    syc_image_shape shape;
    check_layout(shape_of("r8g8b8a8_unorm", 1, 5, 0, 0), 20, 20, 20);
    check_layout(shape_of("r32g32b32a32_sfloat", 2, 5, 3, 0), 80, 240, 240);
    check_layout(shape_of("r16g16b16a16_sint", 3, 5, 3, 2), 40, 120, 240);
    shape = shape_of("r8g8b8a8_unorm", 3, 5, 3, 2);
    shape.row_pitch = 24;
    check_layout(shape, 24, 72, 72 + 48 + 20); /* to the last pixel, not to the end of its row */
    shape.slice_pitch = 100;
    check_layout(shape, 24, 100, 100 + 48 + 20);
}

static void refuses_layout(syc_image_shape shape, const char *words)
{
    size_t bytes;
    CHECK_STATUS(syc_image_layout(&shape, &bytes), SYC_E_INVALID_PARAMETER);
    CHECK(text_has(syc_detail_of(SYC_E_INVALID_PARAMETER).message, words));
}

static void test_bad_layouts(void)
{
    syc_image_shape shape = shape_of("r8g8b8a8_unorm", 2, 5, 3, 0);
    shape.row_pitch = 16;
    refuses_layout(shape, "the row pitch is 16 bytes; the image needs at least 20");
    shape.row_pitch = 22;
    refuses_layout(shape, "not a multiple");
    refuses_layout(shape_of("r8g8b8a8_unorm", 2, 5, 0, 0), "extent 1");
    refuses_layout(shape_of("r8g8b8a8_unorm", 1, SIZE_MAX / 2, 0, 0), "beyond all memory");
    refuses_layout(shape_of("r8g8b8a8_unorm", 2, SIZE_MAX / 16, 16, 0), "beyond all memory");
    refuses_layout(shape_of("r8g8b8a8_unorm", 3, 2, SIZE_MAX / 16, 16), "beyond all memory");
    shape = shape_of("r8g8b8a8_unorm", 3, 2, 2, 2);
    shape.row_pitch = 8;
    shape.slice_pitch = 12;
    refuses_layout(shape, "the slice pitch is 12 bytes; the image needs at least 16");
}

/* -- on the driver -- */

static void made(void)
{
    open_scene();
    for (unsigned rank = 1; rank <= 3; rank++) {
        syc_image_shape shape = shape_of("r16g16b16a16_uint", rank, 5, rank > 1 ? 4 : 1, rank > 2 ? 3 : 1);
        size_t width = 0;
        cl_mem memory = NULL;
        CHECK_OK(syc_image_check(context, device, &shape));
        CHECK_OK(syc_image_create(context, &shape, &memory));
        CHECK_EQUAL(syc_live_count(SYC_LIVE_CL_MEM), 1);
        CHECK_EQUAL(syc_context_cl(context)->GetImageInfo(memory, CL_IMAGE_WIDTH, sizeof width, &width, NULL), 0);
        CHECK_EQUAL(width, 5);
        CHECK_EQUAL(syc_context_cl(context)->ReleaseMemObject(memory), 0);
        syc_live_add(SYC_LIVE_CL_MEM, -1);
    }
    close_scene();
}

static void refuses(syc_image_shape shape, const char *words)
{
    cl_mem memory = NULL;
    CHECK_STATUS(syc_image_check(context, device, &shape), SYC_E_FEATURE_NOT_SUPPORTED);
    CHECK(text_has(syc_detail_of(SYC_E_FEATURE_NOT_SUPPORTED).message, words));
    CHECK(text_has(syc_detail_of(SYC_E_FEATURE_NOT_SUPPORTED).message, syc_device_name(device)));
    CHECK_STATUS(syc_image_create(context, &shape, &memory), SYC_E_FEATURE_NOT_SUPPORTED);
    CHECK(memory == NULL);
}

static void too_large(void)
{
    open_scene();
    refuses(shape_of("r8g8b8a8_unorm", 1, 4097, 1, 1), "extent 0 of the 1-D image is 4097 pixels");
    refuses(shape_of("r8g8b8a8_unorm", 2, 1, 4097, 1), "at most 4096");
    refuses(shape_of("r8g8b8a8_unorm", 3, 1, 1, 5000), "extent 2 of the 3-D image");
    close_scene();
}

static void strange_format(void)
{
    syc_image_shape shape = shape_of("r8g8b8a8_unorm", 2, 4, 4, 1);
    open_scene();
    shape.order = CL_BGRA;
    shape.type = CL_FLOAT;
    refuses(shape, "no 2-D images of the format");
    close_scene();
}

static void no_images(void)
{
    open_scene();
    refuses(shape_of("r8g8b8a8_unorm", 2, 4, 4, 1), "has no images (CL_DEVICE_IMAGE_SUPPORT is false");
    close_scene();
}

static void no_memory(void)
{
    static const int codes[] = {CL_OUT_OF_RESOURCES, CL_MEM_OBJECT_ALLOCATION_FAILURE, CL_OUT_OF_HOST_MEMORY};
    syc_image_shape shape = shape_of("r8g8b8a8_unorm", 2, 40, 30, 1);
    cl_mem memory = NULL;

    open_scene();
    CHECK_OK(syc_fault_install(context->platform->driver));
    for (size_t i = 0; i < sizeof codes / sizeof *codes; i++) {
        CHECK_OK(syc_fault_arm("CreateImage", 1, codes[i]));
        CHECK_STATUS(syc_image_create(context, &shape, &memory), SYC_E_MEMORY_ALLOCATION);
        CHECK(text_has(syc_detail_of(SYC_E_MEMORY_ALLOCATION).message, "40 x 30 x 1 pixels of 4 bytes"));
        CHECK_EQUAL(syc_detail_of(SYC_E_MEMORY_ALLOCATION).cl_code, codes[i]);
    }
    syc_alloc_fail_at(1);
    CHECK_STATUS(syc_image_create(context, &shape, &memory), SYC_E_MEMORY_ALLOCATION);
    syc_alloc_fail_at(0);
    CHECK(memory == NULL);
    CHECK_OK(syc_fault_install(NULL));
    close_scene();
}

/* -- interop -- */

static cl_mem native_image(cl_uint type, cl_image_format format)
{
    cl_image_desc desc = {.image_type = type, .image_width = 6, .image_height = 5};
    cl_int code = 0;
    cl_mem memory =
        syc_context_cl(context)->CreateImage(context->native, CL_MEM_READ_WRITE, &format, &desc, NULL, &code);
    CHECK_EQUAL(code, 0);
    return memory;
}

static void wrapped(void)
{
    syc_buffer *buffer = NULL;
    cl_mem memory;

    open_scene();
    memory = native_image(CL_MEM_OBJECT_IMAGE2D, (cl_image_format){CL_BGRA, CL_UNORM_INT8});
    CHECK_OK(syc_image_from_native(memory, context, &buffer));
    CHECK_EQUAL(buffer->image.rank, 2);
    CHECK_EQUAL(buffer->image.extent[0], 6);
    CHECK_EQUAL(buffer->image.extent[1], 5);
    CHECK_EQUAL(buffer->image.row_pitch, 24);
    CHECK_EQUAL(buffer->bytes, 120);
    CHECK_STRING(syc_image_format_name(buffer->image.order, buffer->image.type), "b8g8r8a8_unorm");
    CHECK_EQUAL(syc_context_cl(context)->ReleaseMemObject(memory), 0);
    CHECK_EQUAL(fake_live("mem"), 1); /* the buffer holds it */
    syc_buffer_release(buffer);
    close_scene();
}

static void not_wrapped(void)
{
    syc_buffer *buffer = NULL;
    cl_int code = 0;
    syc_context *other = NULL;
    cl_mem memory;

    open_scene();
    memory = native_image(CL_MEM_OBJECT_IMAGE2D, (cl_image_format){CL_R, CL_UNORM_INT8});
    CHECK_STATUS(syc_image_from_native(memory, context, &buffer), SYC_E_INVALID_OBJECT);
    CHECK(text_has(syc_detail_of(SYC_E_INVALID_OBJECT).message, "none of SYCL's"));
    CHECK_OK(syc_context_create(&device, 1, &other));
    CHECK_STATUS(syc_image_from_native(memory, other, &buffer), SYC_E_INVALID_OBJECT);
    CHECK(text_has(syc_detail_of(SYC_E_INVALID_OBJECT).message, "another context"));
    syc_context_release(other);
    CHECK_EQUAL(syc_context_cl(context)->ReleaseMemObject(memory), 0);
    memory = syc_context_cl(context)->CreateBuffer(context->native, CL_MEM_READ_WRITE, 64, NULL, &code);
    CHECK_STATUS(syc_image_from_native(memory, context, &buffer), SYC_E_INVALID_OBJECT);
    CHECK(text_has(syc_detail_of(SYC_E_INVALID_OBJECT).message, "is a buffer, not an image"));
    CHECK_EQUAL(syc_context_cl(context)->ReleaseMemObject(memory), 0);
    CHECK_STATUS(syc_image_from_native((cl_mem)&code, context, &buffer), SYC_E_INVALID_OBJECT);
    CHECK(buffer == NULL);
    close_scene();
}

static void test_on_drivers(void)
{
    ON_EVERY_DEVICE(made);
    CHILD(COPYING, too_large);
    CHILD(COPYING, strange_format);
    CHILD(COPYING "FAKE_IMAGES=0", no_images);
    CHILD(SHARING "FAKE_IMAGES=0", no_images);
    CHILD(COPYING, no_memory);
    ON_EVERY_DEVICE(wrapped);
    CHILD(COPYING, not_wrapped);
}

int main(void)
{
    FIND_FAKE_DRIVER;
    RUN(test_formats);
    RUN(test_layouts);
    RUN(test_bad_layouts);
    RUN(test_on_drivers);
    return CHECK_EXIT_CODE;
}
