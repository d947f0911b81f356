/* The fake driver's shared memory: OpenCL's own and Intel's. */
#include "bench.h"

enum { N = 8, BYTES = N * sizeof(cl_uint) };

/* Through a kernel, a copy and a fill; `coarse`: the host sees it only while it is mapped. */
static void use_svm(bool coarse)
{
    const cl_uint seven = 7;
    const void *range;
    const size_t size = BYTES;
    cl_uint out[N] = {0}, *s;
    cl_kernel k;
    open_bench();
    CHECK_EQUAL(device->svm, coarse ? CL_DEVICE_SVM_COARSE_GRAIN_BUFFER
                                    : CL_DEVICE_SVM_COARSE_GRAIN_BUFFER | CL_DEVICE_SVM_FINE_GRAIN_BUFFER);
    CHECK(cl->SVMAlloc(context, 0, 0, 0) == NULL);
    CHECK(cl->SVMAlloc(context, 0, 16, 3) == NULL);
    range = s = cl->SVMAlloc(context, coarse ? 0 : CL_MEM_SVM_FINE_GRAIN_BUFFER, BYTES, 0);
    CHECK(s != NULL && fake_live("svm") == 1);
    k = make_kernel("bump");
    CHECK_EQUAL(cl->EnqueueSVMMap(queue, CL_TRUE, CL_MAP_WRITE, s, BYTES, 0, NULL, NULL), 0);
    for (cl_uint i = 0; i < N; i++)
        s[i] = i;
    CHECK_EQUAL(cl->EnqueueSVMUnmap(queue, s, 0, NULL, NULL), 0);
    CHECK_EQUAL(cl->SetKernelArgSVMPointer(k, 0, s + 1), 0);
    CHECK_EQUAL(cl->SetKernelArgSVMPointer(k, 0, out), CL_INVALID_ARG_VALUE);
    CHECK_EQUAL(launch(k, 1, 2), 0);
    CHECK_EQUAL(cl->EnqueueSVMMemFill(queue, s + 4, &seven, 4, 8, 0, NULL, NULL), 0);
    CHECK_EQUAL(cl->EnqueueSVMMigrateMem(queue, 1, &range, &size, 0, 0, NULL, NULL), 0);
    CHECK_EQUAL(cl->EnqueueSVMMemcpy(queue, CL_TRUE, out, s, BYTES, 0, NULL, NULL), 0);
    CHECK(out[0] == 0 && out[1] == 2 && out[2] == 3 && out[3] == 3 && out[4] == 7 && out[5] == 7 && out[6] == 6);
    CHECK((s[1] == 2) == !coarse); /* not mapped */
    CHECK_EQUAL(cl->EnqueueSVMMap(queue, CL_TRUE, CL_MAP_READ, s, BYTES, 0, NULL, NULL), 0);
    CHECK(memcmp(s, out, BYTES) == 0);
    CHECK_EQUAL(cl->EnqueueSVMMemcpy(queue, CL_TRUE, s, s + 1, BYTES - 4, 0, NULL, NULL), CL_MEM_COPY_OVERLAP);
    CHECK_EQUAL(cl->EnqueueSVMUnmap(queue, s, 0, NULL, NULL), 0);
    CHECK_EQUAL(cl->Finish(queue), 0);
    cl->ReleaseKernel(k);
    cl->SVMFree(context, s);
    close_bench();
}

static void coarse_svm(void)
{
    use_svm(true);
}

static void fine_svm(void)
{
    use_svm(false);
}

static void no_svm(void)
{
    open_bench();
    CHECK_EQUAL(device->svm, 0);
    CHECK(!device->intel_usm);
    CHECK(cl->HostMemAllocINTEL == NULL);
    CHECK(cl->SVMAlloc(context, 0, 16, 0) == NULL);
    CHECK_EQUAL(cl->EnqueueSVMUnmap(queue, NULL, 0, NULL, NULL), CL_INVALID_OPERATION);
    close_bench();
}

/* Rows newer than OpenCL 1.2 are not there in an old driver. */
static void old_driver(void)
{
    open_bench();
    CHECK(cl->SVMAlloc == NULL && cl->EnqueueSVMMigrateMem == NULL && cl->CreateImage != NULL);
    CHECK_EQUAL(device->svm, 0);
    close_bench();
}

static void freeing_too_early_is_counted(void)
{
    void (*hold)(int);
    const cl_uint one = 1;
    cl_uint *s;
    open_bench();
    *(void **)&hold = dlsym(dlopen(fake, RTLD_NOW | RTLD_NOLOAD), "fake_hold");
    s = cl->SVMAlloc(context, 0, BYTES, 0);
    hold(1);
    CHECK_EQUAL(cl->EnqueueSVMMemFill(queue, s, &one, 4, BYTES, 0, NULL, NULL), 0);
    CHECK_EQUAL(fake_errors(), 0);
    cl->SVMFree(context, s);
    CHECK_EQUAL(fake_errors(), 1);
    hold(0);
    CHECK_EQUAL(cl->Finish(queue), 0);
    cl->SVMFree(context, s);
    CHECK_EQUAL(fake_errors(), 2);
    CHECK_EQUAL(cl->EnqueueSVMUnmap(queue, s, 0, NULL, NULL), CL_INVALID_VALUE);
    CHECK_EQUAL(fake_errors(), 3);
    CHECK_EQUAL(fake_live("svm"), 0);
}

static void sticky_arguments(void)
{
    cl_kernel k;
    cl_mem m;
    cl_uint *s;
    open_bench();
    k = make_kernel("bump");
    m = make_buffer(BYTES, CL_MEM_READ_WRITE, NULL);
    s = cl->SVMAlloc(context, 0, BYTES, 0);
    cl->SetKernelArg(k, 0, sizeof m, &m);
    CHECK_EQUAL(launch(k, 1, 1), 0);
    cl->SetKernelArgSVMPointer(k, 0, s);
    CHECK_EQUAL(launch(k, 1, 1), 0);
    CHECK_EQUAL(cl->SetKernelArg(k, 0, sizeof m, &m), 0);
    CHECK_EQUAL(launch(k, 1, 1), CL_INVALID_KERNEL_ARGS);
    cl->SetKernelArgSVMPointer(k, 0, s);
    CHECK_EQUAL(launch(k, 1, 1), 0);
    CHECK_EQUAL(cl->Finish(queue), 0);
    cl->ReleaseKernel(k);
    cl->ReleaseMemObject(m);
    cl->SVMFree(context, s);
    close_bench();
}

/* Host and shared memory are seen by all, device memory by commands only. */
static void intel_usm(void)
{
    const cl_device_id id = first_platform()->devices[0]->lanes[SYC_LANE_POOL];
    const cl_uint nine = 9;
    cl_uint *host, *own, *shared;
    cl_int code = 1;
    cl_kernel k;
    open_bench();
    CHECK(device->intel_usm);
    host = cl->HostMemAllocINTEL(context, NULL, BYTES, 0, &code);
    CHECK_EQUAL(code, 0);
    own = cl->DeviceMemAllocINTEL(context, id, NULL, BYTES, 64, &code);
    shared = cl->SharedMemAllocINTEL(context, id, NULL, BYTES, 0, &code);
    CHECK(cl->HostMemAllocINTEL(context, NULL, 0, 0, &code) == NULL && code == CL_INVALID_BUFFER_SIZE);
    k = make_kernel("mirror");
    CHECK_EQUAL(cl->EnqueueMemFillINTEL(queue, own, &nine, 4, BYTES, 0, NULL, NULL), 0);
    CHECK_EQUAL(cl->SetKernelArgMemPointerINTEL(k, 0, shared), 0);
    CHECK_EQUAL(cl->SetKernelArgMemPointerINTEL(k, 1, own), 0);
    CHECK_EQUAL(launch(k, 2, N), 0);
    CHECK_EQUAL(cl->EnqueueMemcpyINTEL(queue, CL_TRUE, host, own, BYTES, 0, NULL, NULL), 0);
    CHECK(shared[0] == 9 && shared[7] == 9 && host[3] == 9 && own[0] != 9);
    CHECK_EQUAL(cl->EnqueueMigrateMemINTEL(queue, shared, BYTES, 0, 0, NULL, NULL), 0);
    CHECK_EQUAL(cl->EnqueueMemAdviseINTEL(queue, shared, BYTES, 0, 0, NULL, NULL), 0);
    CHECK_EQUAL(cl->Finish(queue), 0);
    CHECK_EQUAL(cl->MemFreeINTEL(context, shared), 0);
    CHECK_EQUAL(cl->MemFreeINTEL(context, own), 0);
    CHECK_EQUAL(cl->MemFreeINTEL(context, host), 0);
    cl->ReleaseKernel(k);
    close_bench();
}

int main(void)
{
    FIND_FAKE_DRIVER;
    CHILD("FAKE_SVM=coarse", coarse_svm);
    CHILD("FAKE_SVM=coarse;FAKE_TYPE=gpu", coarse_svm);
    CHILD("FAKE_SVM=fine", fine_svm);
    CHILD("", no_svm);
    CHILD("FAKE_SVM=fine;FAKE_VERSION=OpenCL 1.2 Fake", old_driver);
    CHILD("FAKE_SVM=coarse", freeing_too_early_is_counted);
    CHILD("FAKE_SVM=coarse;FAKE_STICKY=1", sticky_arguments);
    CHILD("FAKE_INTEL_USM=1", intel_usm);
    return CHECK_EXIT_CODE;
}
