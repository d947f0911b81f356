/* Fault injection: every entry can be counted and made to fail on its n-th call, without reaching the driver.
 * Needs SYC_FAKE_DRIVER, the fake driver's path. */
#include "base/alloc.h"
#include "cl/constants.h"
#include "cl/fault.h"

#include "check.h"

static syc_driver driver;
static cl_device_id device;
enum { FAULT = -5 };

static void test_entries_are_named(void)
{
    CHECK(syc_fault_entry_count() > 30);
    CHECK_STRING(syc_fault_entry_name(0), "GetPlatformInfo");
    CHECK(syc_fault_entry_name(syc_fault_entry_count()) == NULL);
    CHECK_EQUAL(syc_fault_calls("NoSuchEntry"), -1);
    CHECK_EQUAL(syc_fault_calls("clFinish"), -1);
}

static cl_uint units(cl_int *code)
{
    cl_uint value = 0;
    *code = driver.cl.GetDeviceInfo(device, CL_DEVICE_MAX_COMPUTE_UNITS, sizeof value, &value, NULL);
    return value;
}

static void test_calls_are_counted_and_passed_on(void)
{
    cl_int code;
    CHECK_OK(syc_fault_install(&driver));
    CHECK_EQUAL(syc_fault_calls("GetDeviceInfo"), 0);
    CHECK_EQUAL(units(&code), 4);
    CHECK_EQUAL(units(&code), 4);
    CHECK_EQUAL(code, 0);
    CHECK_EQUAL(syc_fault_calls("GetDeviceInfo"), 2);
    CHECK_EQUAL(syc_fault_calls("GetDeviceIDs"), 0);
    CHECK_OK(syc_fault_install(NULL));
}

static void test_the_nth_call_fails_once(void)
{
    cl_int code;
    CHECK_OK(syc_fault_install(&driver));
    (void)units(&code);
    CHECK_OK(syc_fault_arm("GetDeviceInfo", 2, CL_OUT_OF_HOST_MEMORY)); /* counted from now on */
    CHECK_EQUAL(units(&code), 4);
    CHECK_EQUAL(code, 0);
    CHECK_EQUAL(units(&code), 0);
    CHECK_EQUAL(code, CL_OUT_OF_HOST_MEMORY);
    CHECK_EQUAL(units(&code), 4);
    CHECK_EQUAL(code, 0);
    CHECK_EQUAL(syc_fault_calls("GetDeviceInfo"), 4);
    CHECK_OK(syc_fault_install(NULL));
}

static void test_off_is_not_in_the_table(void)
{
    syc_cl_table before = driver.cl;
    CHECK_OK(syc_fault_install(&driver));
    CHECK(driver.cl.Finish != before.Finish);
    CHECK_OK(syc_fault_install(&driver)); /* twice is not one upon the other */
    CHECK_OK(syc_fault_install(NULL));
    CHECK(memcmp(&driver.cl, &before, sizeof before) == 0);
    CHECK_OK(syc_fault_install(NULL));
    CHECK(memcmp(&driver.cl, &before, sizeof before) == 0);
}

static void test_absent_entries_stay_absent(void)
{
    syc_driver old = driver;
    old.cl.EnqueueMarkerWithWaitList = NULL;
    old.cl.HostMemAllocINTEL = NULL;
    CHECK_OK(syc_fault_install(&old));
    CHECK(old.cl.EnqueueMarkerWithWaitList == NULL && old.cl.HostMemAllocINTEL == NULL);
    CHECK(old.cl.Finish != driver.cl.Finish);
    CHECK_OK(syc_fault_install(NULL));
}

static void test_another_driver_frees_the_first(void)
{
    syc_driver other = driver;
    syc_cl_table before = driver.cl;
    CHECK_OK(syc_fault_install(&driver));
    CHECK_OK(syc_fault_install(&other));
    CHECK(memcmp(&driver.cl, &before, sizeof before) == 0);
    CHECK_OK(syc_fault_install(NULL));
}

static void test_bad_requests(void)
{
    CHECK_STATUS(syc_fault_arm("clFinish", 1, FAULT), SYC_E_INVALID_PARAMETER);
    CHECK_STATUS(syc_fault_arm("Finish", 0, FAULT), SYC_E_INVALID_PARAMETER);
    CHECK_STATUS(syc_fault_arm("Finish", 1, 0), SYC_E_INVALID_PARAMETER);
    CHECK_STATUS(syc_fault_arm("SVMFree", 1, FAULT), SYC_E_INVALID_PARAMETER); /* returns nothing */
}

/* With NULL for every argument: an armed call never looks at them. */
#define FAILS(entry, args)                         \
    do {                                           \
        CHECK_OK(syc_fault_arm(#entry, 1, FAULT)); \
        CHECK_EQUAL(cl->entry args, FAULT);        \
        tried++;                                   \
    } while (0)
#define GIVES_NOTHING(entry, args)                 \
    do {                                           \
        cl_int code = 0;                           \
        CHECK_OK(syc_fault_arm(#entry, 1, FAULT)); \
        CHECK(cl->entry args == NULL);             \
        CHECK_EQUAL(code, FAULT);                  \
        tried++;                                   \
    } while (0)

#define GIVES_NULL(entry, args)                    \
    do {                                           \
        CHECK_OK(syc_fault_arm(#entry, 1, FAULT)); \
        CHECK(cl->entry args == NULL);             \
        tried++;                                   \
    } while (0)

static size_t fail_the_base(const syc_cl_table *cl)
{
    size_t tried = 0;
    FAILS(GetPlatformInfo, (NULL, 0, 0, NULL, NULL));
    FAILS(GetDeviceIDs, (NULL, 0, 0, NULL, NULL));
    FAILS(GetDeviceInfo, (NULL, 0, 0, NULL, NULL));
    GIVES_NOTHING(CreateContext, (NULL, 0, NULL, NULL, NULL, &code));
    FAILS(RetainContext, (NULL));
    FAILS(ReleaseContext, (NULL));
    FAILS(GetContextInfo, (NULL, 0, 0, NULL, NULL));
    GIVES_NOTHING(CreateCommandQueue, (NULL, NULL, 0, &code));
    FAILS(RetainCommandQueue, (NULL));
    FAILS(ReleaseCommandQueue, (NULL));
    FAILS(GetCommandQueueInfo, (NULL, 0, 0, NULL, NULL));
    GIVES_NOTHING(CreateBuffer, (NULL, 0, 0, NULL, &code));
    FAILS(ReleaseMemObject, (NULL));
    GIVES_NOTHING(CreateProgramWithSource, (NULL, 0, NULL, NULL, &code));
    FAILS(RetainProgram, (NULL));
    FAILS(ReleaseProgram, (NULL));
    FAILS(BuildProgram, (NULL, 0, NULL, NULL, NULL, NULL));
    FAILS(GetProgramInfo, (NULL, 0, 0, NULL, NULL));
    FAILS(GetProgramBuildInfo, (NULL, NULL, 0, 0, NULL, NULL));
    GIVES_NOTHING(CreateKernel, (NULL, NULL, &code));
    FAILS(RetainKernel, (NULL));
    FAILS(ReleaseKernel, (NULL));
    FAILS(SetKernelArg, (NULL, 0, 0, NULL));
    FAILS(GetKernelInfo, (NULL, 0, 0, NULL, NULL));
    FAILS(GetKernelWorkGroupInfo, (NULL, NULL, 0, 0, NULL, NULL));
    FAILS(WaitForEvents, (0, NULL));
    FAILS(GetEventInfo, (NULL, 0, 0, NULL, NULL));
    FAILS(RetainEvent, (NULL));
    FAILS(ReleaseEvent, (NULL));
    FAILS(GetEventProfilingInfo, (NULL, 0, 0, NULL, NULL));
    FAILS(Flush, (NULL));
    FAILS(Finish, (NULL));
    FAILS(CreateSubDevices, (NULL, NULL, 0, NULL, NULL));
    FAILS(RetainDevice, (NULL));
    FAILS(ReleaseDevice, (NULL));
    return tried;
}

static size_t fail_the_programs(const syc_cl_table *cl)
{
    size_t tried = 0;
    GIVES_NOTHING(CreateProgramWithBinary, (NULL, 0, NULL, NULL, NULL, NULL, &code));
    GIVES_NOTHING(CreateProgramWithBuiltInKernels, (NULL, 0, NULL, NULL, &code));
    GIVES_NOTHING(CreateProgramWithIL, (NULL, NULL, 0, &code));
    FAILS(CompileProgram, (NULL, 0, NULL, NULL, 0, NULL, NULL, NULL, NULL));
    GIVES_NOTHING(LinkProgram, (NULL, 0, NULL, NULL, 0, NULL, NULL, NULL, &code));
    FAILS(GetKernelArgInfo, (NULL, 0, 0, 0, NULL, NULL));
    FAILS(GetKernelSubGroupInfo, (NULL, NULL, 0, 0, NULL, 0, NULL, NULL));
    return tried;
}

static size_t fail_the_memory(const syc_cl_table *cl)
{
    size_t tried = 0;
    FAILS(RetainMemObject, (NULL));
    FAILS(GetSupportedImageFormats, (NULL, 0, 0, 0, NULL, NULL));
    FAILS(GetMemObjectInfo, (NULL, 0, 0, NULL, NULL));
    FAILS(GetImageInfo, (NULL, 0, 0, NULL, NULL));
    GIVES_NOTHING(CreateSampler, (NULL, 0, 0, 0, &code));
    FAILS(RetainSampler, (NULL));
    FAILS(ReleaseSampler, (NULL));
    FAILS(GetSamplerInfo, (NULL, 0, 0, NULL, NULL));
    GIVES_NOTHING(CreateSubBuffer, (NULL, 0, 0, NULL, &code));
    GIVES_NOTHING(CreateImage, (NULL, 0, NULL, NULL, NULL, &code));
    GIVES_NULL(SVMAlloc, (NULL, 0, 0, 0));
    FAILS(SetKernelArgSVMPointer, (NULL, 0, NULL));
    GIVES_NOTHING(HostMemAllocINTEL, (NULL, NULL, 0, 0, &code));
    GIVES_NOTHING(DeviceMemAllocINTEL, (NULL, NULL, NULL, 0, 0, &code));
    GIVES_NOTHING(SharedMemAllocINTEL, (NULL, NULL, NULL, 0, 0, &code));
    FAILS(MemFreeINTEL, (NULL, NULL));
    FAILS(SetKernelArgMemPointerINTEL, (NULL, 0, NULL));
    return tried;
}

static size_t fail_the_commands(const syc_cl_table *cl)
{
    size_t tried = 0;
    FAILS(EnqueueReadBuffer, (NULL, NULL, 0, 0, 0, NULL, 0, NULL, NULL));
    FAILS(EnqueueWriteBuffer, (NULL, NULL, 0, 0, 0, NULL, 0, NULL, NULL));
    FAILS(EnqueueCopyBuffer, (NULL, NULL, NULL, 0, 0, 0, 0, NULL, NULL));
    FAILS(EnqueueReadImage, (NULL, NULL, 0, NULL, NULL, 0, 0, NULL, 0, NULL, NULL));
    FAILS(EnqueueWriteImage, (NULL, NULL, 0, NULL, NULL, 0, 0, NULL, 0, NULL, NULL));
    GIVES_NOTHING(EnqueueMapBuffer, (NULL, NULL, 0, 0, 0, 0, 0, NULL, NULL, &code));
    FAILS(EnqueueUnmapMemObject, (NULL, NULL, NULL, 0, NULL, NULL));
    FAILS(EnqueueReadBufferRect, (NULL, NULL, 0, NULL, NULL, NULL, 0, 0, 0, 0, NULL, 0, NULL, NULL));
    FAILS(EnqueueWriteBufferRect, (NULL, NULL, 0, NULL, NULL, NULL, 0, 0, 0, 0, NULL, 0, NULL, NULL));
    FAILS(EnqueueCopyBufferRect, (NULL, NULL, NULL, NULL, NULL, NULL, 0, 0, 0, 0, 0, NULL, NULL));
    FAILS(EnqueueFillBuffer, (NULL, NULL, NULL, 0, 0, 0, 0, NULL, NULL));
    FAILS(EnqueueNDRangeKernel, (NULL, NULL, 0, NULL, NULL, NULL, 0, NULL, NULL));
    FAILS(EnqueueMarkerWithWaitList, (NULL, 0, NULL, NULL));
    FAILS(EnqueueSVMMemcpy, (NULL, 0, NULL, NULL, 0, 0, NULL, NULL));
    FAILS(EnqueueSVMMemFill, (NULL, NULL, NULL, 0, 0, 0, NULL, NULL));
    FAILS(EnqueueSVMMap, (NULL, 0, 0, NULL, 0, 0, NULL, NULL));
    FAILS(EnqueueSVMUnmap, (NULL, NULL, 0, NULL, NULL));
    FAILS(EnqueueSVMMigrateMem, (NULL, 0, NULL, NULL, 0, 0, NULL, NULL));
    FAILS(EnqueueMemFillINTEL, (NULL, NULL, NULL, 0, 0, 0, NULL, NULL));
    FAILS(EnqueueMemcpyINTEL, (NULL, 0, NULL, NULL, 0, 0, NULL, NULL));
    FAILS(EnqueueMigrateMemINTEL, (NULL, NULL, 0, 0, 0, NULL, NULL));
    FAILS(EnqueueMemAdviseINTEL, (NULL, NULL, 0, 0, 0, NULL, NULL));
    return tried;
}

static void test_every_entry_can_fail(void)
{
    const syc_cl_table *cl = &driver.cl;
    size_t tried;
    CHECK_OK(syc_fault_install(&driver));
    tried = fail_the_base(cl) + fail_the_programs(cl) + fail_the_memory(cl) + fail_the_commands(cl);
    cl->SVMFree(NULL, NULL); /* has no way to fail */
    CHECK_EQUAL(syc_fault_calls("SVMFree"), 1);
    CHECK_EQUAL(tried + 1, syc_fault_entry_count());
    CHECK_OK(syc_fault_install(NULL));
}

/* A caller that asks for no code gets its NULL all the same. */
static void test_no_code_is_asked_for(void)
{
    CHECK_OK(syc_fault_install(&driver));
    CHECK_OK(syc_fault_arm("CreateContext", 1, FAULT));
    CHECK(driver.cl.CreateContext(NULL, 0, NULL, NULL, NULL, NULL) == NULL);
    CHECK_OK(syc_fault_install(NULL));
}

int main(void)
{
    setenv("FAKE_INTEL_USM", "1", 1);
    driver.path = getenv("SYC_FAKE_DRIVER");
    if (driver.path == NULL || syc__driver_open(&driver) != SYC_OK || driver.refusal != NULL ||
        driver.cl.GetDeviceIDs(driver.platforms[0], CL_DEVICE_TYPE_ALL, 1, &device, NULL) != 0) {
        fputs("SYC_FAKE_DRIVER must name the fake driver\n", stderr);
        return 2;
    }
    RUN(test_entries_are_named);
    RUN(test_calls_are_counted_and_passed_on);
    RUN(test_the_nth_call_fails_once);
    RUN(test_off_is_not_in_the_table);
    RUN(test_absent_entries_stay_absent);
    RUN(test_another_driver_frees_the_first);
    RUN(test_bad_requests);
    RUN(test_every_entry_can_fail);
    RUN(test_no_code_is_asked_for);
    syc_free(driver.platforms);
    return CHECK_EXIT_CODE;
}
