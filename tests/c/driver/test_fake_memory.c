/* The fake driver's buffers and images: the tests of memory lean on what is shown here. */
#include "bench.h"

/* Sub-buffers are windows on the same bytes, at aligned places only. */
static void sub_buffers(void)
{
    cl_uint out[96] = {0};
    cl_buffer_region region = {128, 128}, misaligned = {64, 64}, outside = {256, 256}, empty = {128, 0};
    const cl_uint type = CL_BUFFER_CREATE_TYPE_REGION, seven = 7;
    cl_int code = 1;
    cl_mem whole, part;
    size_t offset = 0;
    open_bench();
    CHECK_EQUAL(device->sub_buffer_alignment, 128);
    whole = make_buffer(sizeof out, CL_MEM_READ_WRITE, NULL);
    part = cl->CreateSubBuffer(whole, 0, type, &region, &code);
    CHECK_EQUAL(code, 0);
    CHECK(cl->CreateSubBuffer(whole, 0, type, &misaligned, &code) == NULL);
    CHECK_EQUAL(code, CL_MISALIGNED_SUB_BUFFER_OFFSET);
    CHECK(cl->CreateSubBuffer(whole, 0, type, &outside, &code) == NULL);
    CHECK_EQUAL(code, CL_INVALID_VALUE);
    CHECK(cl->CreateSubBuffer(whole, 0, type, &empty, &code) == NULL);
    CHECK_EQUAL(code, CL_INVALID_BUFFER_SIZE);
    CHECK(cl->CreateSubBuffer(part, 0, type, &region, &code) == NULL);
    CHECK_EQUAL(code, CL_INVALID_MEM_OBJECT);
    CHECK_EQUAL(cl->GetMemObjectInfo(part, CL_MEM_OFFSET, sizeof offset, &offset, NULL), 0);
    CHECK_EQUAL(offset, 128);
    CHECK_EQUAL(cl->EnqueueFillBuffer(queue, part, &seven, 4, 0, 128, 0, NULL, NULL), 0);
    CHECK_EQUAL(cl->EnqueueReadBuffer(queue, whole, CL_TRUE, 0, sizeof out, out, 0, NULL, NULL), 0);
    CHECK(out[31] != 7 && out[32] == 7 && out[63] == 7 && out[64] != 7);
    cl->ReleaseMemObject(whole); /* the part holds it */
    CHECK_EQUAL(fake_live("mem"), 2);
    CHECK_EQUAL(cl->EnqueueReadBuffer(queue, part, CL_TRUE, 0, 128, out, 0, NULL, NULL), 0);
    CHECK(out[0] == 7 && out[31] == 7);
    cl->ReleaseMemObject(part);
    close_bench();
}

static void copies_and_fills(void)
{
    cl_uint data[8] = {1, 2, 3, 4, 5, 6, 7, 8}, out[8] = {0};
    const cl_uint pattern[2] = {0xAB, 0xCD};
    cl_mem a, b;
    open_bench();
    a = make_buffer(sizeof data, CL_MEM_COPY_HOST_PTR, data);
    b = make_buffer(sizeof data, CL_MEM_READ_WRITE, NULL);
    CHECK_EQUAL(cl->EnqueueFillBuffer(queue, b, pattern, 8, 0, 32, 0, NULL, NULL), 0);
    CHECK_EQUAL(cl->EnqueueFillBuffer(queue, b, pattern, 3, 0, 30, 0, NULL, NULL), CL_INVALID_VALUE);
    CHECK_EQUAL(cl->EnqueueFillBuffer(queue, b, pattern, 8, 4, 8, 0, NULL, NULL), CL_INVALID_VALUE);
    CHECK_EQUAL(cl->EnqueueCopyBuffer(queue, a, b, 4, 8, 8, 0, NULL, NULL), 0);
    CHECK_EQUAL(cl->EnqueueCopyBuffer(queue, a, a, 0, 4, 8, 0, NULL, NULL), CL_MEM_COPY_OVERLAP);
    CHECK_EQUAL(cl->EnqueueCopyBuffer(queue, a, b, 28, 0, 8, 0, NULL, NULL), CL_INVALID_VALUE);
    CHECK_EQUAL(cl->EnqueueReadBuffer(queue, b, CL_TRUE, 0, 32, out, 0, NULL, NULL), 0);
    CHECK(out[0] == 0xAB && out[1] == 0xCD && out[2] == 2 && out[3] == 3 && out[4] == 0xAB && out[7] == 0xCD);
    cl->ReleaseMemObject(a), cl->ReleaseMemObject(b);
    close_bench();
}

/* A 2 x 2 x 2 box of bytes out of a 4 x 4 x 4 one, through all three boxes' commands. */
static void boxes(void)
{
    unsigned char cube[64], out[64] = {0}, small[8] = {0};
    const size_t at[3] = {1, 1, 1}, zero[3] = {0, 0, 0}, two[3] = {2, 2, 2}, three[3] = {2, 2, 2},
                 too_big[3] = {4, 4, 4};
    cl_mem a, b;
    open_bench();
    for (unsigned i = 0; i < sizeof cube; i++)
        cube[i] = (unsigned char)i;
    a = make_buffer(64, CL_MEM_COPY_HOST_PTR, cube);
    b = make_buffer(64, CL_MEM_COPY_HOST_PTR, out);
    CHECK_EQUAL(cl->EnqueueReadBufferRect(queue, a, CL_TRUE, at, zero, two, 4, 16, 0, 0, small, 0, NULL, NULL), 0);
    CHECK(small[0] == 21 && small[1] == 22 && small[2] == 25 && small[4] == 37 && small[7] == 42);
    CHECK_EQUAL(cl->EnqueueCopyBufferRect(queue, a, b, at, zero, two, 4, 16, 4, 16, 0, NULL, NULL), 0);
    CHECK_EQUAL(cl->EnqueueWriteBufferRect(queue, b, CL_FALSE, three, zero, two, 4, 16, 2, 4, small, 0, NULL, NULL), 0);
    CHECK_EQUAL(cl->EnqueueReadBufferRect(queue, a, CL_TRUE, at, zero, too_big, 4, 16, 0, 0, out, 0, NULL, NULL),
                CL_INVALID_VALUE);
    CHECK_EQUAL(cl->EnqueueCopyBufferRect(queue, a, a, zero, at, two, 4, 16, 4, 16, 0, NULL, NULL),
                CL_MEM_COPY_OVERLAP);
    CHECK_EQUAL(cl->EnqueueReadBuffer(queue, b, CL_TRUE, 0, 64, out, 0, NULL, NULL), 0);
    CHECK(out[0] == 21 && out[1] == 22 && out[2] == 0 && out[4] == 25 && out[16] == 37);
    CHECK(out[42] == 21 && out[43] == 22 && out[46] == 25 && out[58] == 37 && out[63] == 42);
    cl->ReleaseMemObject(a), cl->ReleaseMemObject(b);
    close_bench();
}

/* What is mapped and written reaches commands when it is unmapped; `apart`: not before, for it is a copy. */
static void map_and_write(bool apart)
{
    cl_uint data[4] = {1, 2, 3, 4}, out[4] = {0}, *mapped;
    cl_int code = 1;
    cl_mem m;
    open_bench();
    m = make_buffer(sizeof data, CL_MEM_COPY_HOST_PTR | CL_MEM_ALLOC_HOST_PTR, data);
    mapped = cl->EnqueueMapBuffer(queue, m, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, 4, 8, 0, NULL, NULL, &code);
    CHECK_EQUAL(code, 0);
    CHECK(mapped[0] == 2 && mapped[1] == 3);
    mapped[0] = 20;
    CHECK_EQUAL(cl->EnqueueReadBuffer(queue, m, CL_TRUE, 0, 16, out, 0, NULL, NULL), 0);
    CHECK_EQUAL(out[1], apart ? 2 : 20);
    CHECK_EQUAL(cl->EnqueueUnmapMemObject(queue, m, mapped, 0, NULL, NULL), 0);
    CHECK_EQUAL(cl->EnqueueReadBuffer(queue, m, CL_TRUE, 0, 16, out, 0, NULL, NULL), 0);
    CHECK(out[0] == 1 && out[1] == 20 && out[2] == 3);
    mapped = cl->EnqueueMapBuffer(queue, m, CL_TRUE, CL_MAP_READ, 0, 16, 0, NULL, NULL, &code);
    cl->ReleaseMemObject(m); /* with the mapping in place */
    close_bench();
}

static void maps_in_place(void)
{
    map_and_write(false);
}

static void maps_are_copies(void)
{
    map_and_write(true);
}

/* The user's array is the buffer on a CPU; on a GPU it is a copy that mapping brings back. */
static void host_pointers(void)
{
    cl_uint data[4] __attribute__((aligned(64))) = {1, 2, 3, 4};
    bool apart = getenv("FAKE_TYPE") != NULL;
    cl_int code;
    cl_mem m;
    cl_kernel k;
    void *mapped;
    open_bench();
    m = make_buffer(sizeof data, CL_MEM_USE_HOST_PTR, data);
    k = make_kernel("bump");
    cl->SetKernelArg(k, 0, sizeof m, &m);
    CHECK_EQUAL(launch(k, 1, 4), 0);
    CHECK_EQUAL(cl->Finish(queue), 0);
    CHECK_EQUAL(data[0], apart ? 1 : 2);
    mapped = cl->EnqueueMapBuffer(queue, m, CL_TRUE, CL_MAP_READ, 0, sizeof data, 0, NULL, NULL, &code);
    CHECK(mapped == data && data[0] == 2 && data[3] == 5);
    CHECK_EQUAL(cl->EnqueueUnmapMemObject(queue, m, mapped, 0, NULL, NULL), 0);
    cl->ReleaseKernel(k);
    cl->ReleaseMemObject(m);
    close_bench();
}

/* A GPU's write takes the bytes when it is enqueued. */
static void writes_read_at_once(void)
{
    cl_uint data = 1, out = 0;
    cl_int code = 1;
    cl_event written;
    void (*hold)(int);
    cl_mem m;
    open_bench();
    *(void **)&hold = dlsym(dlopen(fake, RTLD_NOW | RTLD_NOLOAD), "fake_hold");
    m = make_buffer(4, CL_MEM_READ_WRITE, NULL);
    hold(1);
    code = cl->EnqueueWriteBuffer(queue, m, CL_FALSE, 0, 4, &data, 0, NULL, &written);
    CHECK_EQUAL(code, 0);
    data = 2;
    hold(0);
    CHECK_EQUAL(cl->EnqueueReadBuffer(queue, m, CL_TRUE, 0, 4, &out, 1, &written, NULL), 0);
    CHECK_EQUAL(out, 1);
    cl->ReleaseEvent(written);
    cl->ReleaseMemObject(m);
    close_bench();
}

static void doomed_commands(void)
{
    cl_uint a = 5, b = 6, out = 0;
    cl_mem m;
    open_bench();
    m = make_buffer(4, CL_MEM_COPY_HOST_PTR, &a);
    set_fake_doom(CL_COMMAND_WRITE_BUFFER, 2, CL_OUT_OF_RESOURCES);
    CHECK_EQUAL(cl->EnqueueWriteBuffer(queue, m, CL_TRUE, 0, 4, &b, 0, NULL, NULL), 0);
    CHECK_EQUAL(cl->EnqueueWriteBuffer(queue, m, CL_TRUE, 0, 4, &a, 0, NULL, NULL), CL_OUT_OF_RESOURCES);
    CHECK_EQUAL(cl->EnqueueReadBuffer(queue, m, CL_TRUE, 0, 4, &out, 0, NULL, NULL), 0);
    CHECK_EQUAL(out, 6);
    CHECK_EQUAL(cl->EnqueueWriteBuffer(queue, m, CL_TRUE, 0, 4, &a, 0, NULL, NULL), 0);
    cl->ReleaseMemObject(m);
    close_bench();
}

/* Pixels go in and out by boxes, and a kernel sees them. */
static void images(void)
{
    unsigned char in[3][16], out[2][8] = {{0}};
    const cl_image_format rgba = {CL_RGBA, CL_UNSIGNED_INT8}, odd = {CL_RGB, CL_FLOAT};
    const cl_image_desc desc = {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 4, .image_height = 3};
    const size_t zero[3] = {0, 0, 0}, all[3] = {4, 3, 1}, at[3] = {1, 1, 0}, two[3] = {2, 2, 1};
    cl_int code = 1;
    size_t number = 0;
    cl_uint formats = 0;
    cl_mem x, y;
    cl_sampler sampler;
    cl_kernel k;
    open_bench();
    for (unsigned i = 0; i < sizeof in; i++)
        ((unsigned char *)in)[i] = (unsigned char)i;
    CHECK_EQUAL(cl->GetSupportedImageFormats(context, CL_MEM_READ_WRITE, CL_MEM_OBJECT_IMAGE2D, 0, NULL, &formats), 0);
    CHECK(formats > 10);
    x = cl->CreateImage(context, CL_MEM_READ_ONLY, &rgba, &desc, NULL, &code);
    CHECK_EQUAL(code, 0);
    y = cl->CreateImage(context, CL_MEM_WRITE_ONLY, &rgba, &desc, NULL, &code);
    CHECK(cl->CreateImage(context, CL_MEM_READ_ONLY, &odd, &desc, NULL, &code) == NULL);
    CHECK_EQUAL(code, CL_IMAGE_FORMAT_NOT_SUPPORTED);
    CHECK_EQUAL(cl->GetImageInfo(x, CL_IMAGE_HEIGHT, sizeof number, &number, NULL), 0);
    CHECK_EQUAL(number, 3);
    sampler = cl->CreateSampler(context, CL_FALSE, CL_ADDRESS_REPEAT, CL_FILTER_NEAREST, &code);
    CHECK(sampler == NULL && code == CL_INVALID_VALUE); /* repeating needs normalized coordinates */
    sampler = cl->CreateSampler(context, CL_FALSE, CL_ADDRESS_CLAMP, CL_FILTER_NEAREST, &code);
    k = make_kernel("paint");
    cl->SetKernelArg(k, 0, sizeof y, &y), cl->SetKernelArg(k, 1, sizeof x, &x);
    CHECK_EQUAL(cl->SetKernelArg(k, 2, sizeof sampler, &sampler), 0);
    CHECK_EQUAL(cl->EnqueueWriteImage(queue, x, CL_FALSE, zero, all, 0, 0, in, 0, NULL, NULL), 0);
    CHECK_EQUAL(cl->EnqueueNDRangeKernel(queue, k, 1, NULL, all, NULL, 0, NULL, NULL), 0);
    CHECK_EQUAL(cl->EnqueueReadImage(queue, y, CL_TRUE, at, two, 8, 0, out, 0, NULL, NULL), 0);
    CHECK(out[0][0] == 20 && out[0][7] == 27 && out[1][0] == 36 && out[1][7] == 43);
    CHECK_EQUAL(cl->EnqueueReadImage(queue, y, CL_TRUE, at, all, 0, 0, out, 0, NULL, NULL), CL_INVALID_VALUE);
    cl->ReleaseKernel(k);
    cl->ReleaseSampler(sampler);
    cl->ReleaseMemObject(x), cl->ReleaseMemObject(y);
    close_bench();
}

static void no_images(void)
{
    const cl_image_format rgba = {CL_RGBA, CL_FLOAT};
    const cl_image_desc desc = {.image_type = CL_MEM_OBJECT_IMAGE1D, .image_width = 4};
    cl_int code = 0;
    cl_uint support = 9;
    open_bench();
    CHECK(cl->CreateImage(context, CL_MEM_READ_ONLY, &rgba, &desc, NULL, &code) == NULL);
    CHECK_EQUAL(code, CL_INVALID_OPERATION);
    cl->GetDeviceInfo(device->lanes[SYC_LANE_POOL], CL_DEVICE_IMAGE_SUPPORT, sizeof support, &support, NULL);
    CHECK_EQUAL(support, 0);
    close_bench();
}

int main(void)
{
    FIND_FAKE_DRIVER;
    CHILD("", sub_buffers);
    CHILD("", copies_and_fills);
    CHILD("", boxes);
    CHILD("FAKE_TYPE=gpu", boxes);
    CHILD("", maps_in_place);
    CHILD("FAKE_TYPE=gpu", maps_are_copies);
    CHILD("", host_pointers);
    CHILD("FAKE_TYPE=gpu", host_pointers);
    CHILD("FAKE_TYPE=gpu", writes_read_at_once);
    CHILD("", doomed_commands);
    CHILD("", images);
    CHILD("FAKE_TYPE=gpu", images);
    CHILD("FAKE_IMAGES=0", no_images);
    return CHECK_EXIT_CODE;
}
