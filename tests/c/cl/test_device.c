/* Platforms and devices against the fake driver: pairing, refusals, failing calls, queries, native handles.
 * spec: D511 D513 */
#include "child.h"

/* -- pairing -- */

static void pair_is_one_device(void)
{
    syc_platform *platform = first_platform();
    syc_device *device, *by_lane;

    CHECK_EQUAL(platform->device_count, 3);
    device = platform->devices[0];
    CHECK_STRING(syc_device_name(device), "X");
    CHECK(device->lanes[SYC_LANE_CALLER] != NULL && device->lanes[SYC_LANE_CALLER] != device->lanes[SYC_LANE_POOL]);
    for (int lane = 0; lane < SYC_LANE_COUNT; lane++) {
        CHECK_OK(syc_device_from_native(device->lanes[lane], &by_lane));
        CHECK(by_lane == device);
        syc_device_release(by_lane);
    }
    CHECK_STRING(syc_device_name(platform->devices[1]), "pthread-Y");
    CHECK_STRING(syc_device_name(platform->devices[2]), "basic-Z");
    CHECK(platform->devices[1]->lanes[SYC_LANE_CALLER] == NULL && platform->devices[2]->lanes[SYC_LANE_CALLER] == NULL);
}

static void pair_of_newer_names(void)
{
    syc_platform *platform = first_platform();
    CHECK_EQUAL(platform->device_count, 1);
    CHECK_STRING(syc_device_name(platform->devices[0]), "EPYC");
    CHECK(platform->devices[0]->lanes[SYC_LANE_CALLER] != NULL);
}

static void names_of_others_do_not_pair(void)
{
    syc_platform *platform = first_platform();
    CHECK_EQUAL(platform->device_count, 2);
    CHECK_STRING(syc_device_name(platform->devices[0]), "basic-X");
}

/* -- refusals and failures while listing -- */

static void is_refused(const char *words)
{
    list_platforms();
    CHECK_EQUAL(platform_count, 0);
    CHECK(syc_driver_count() == 1 && syc_driver_at(0)->refusal != NULL);
    if (syc_driver_count() == 1 && syc_driver_at(0)->refusal != NULL &&
        strstr(syc_driver_at(0)->refusal, words) == NULL) {
        fprintf(stderr, "the refusal is \"%s\"\n", syc_driver_at(0)->refusal);
        check__failures++;
    }
    CHECK_EQUAL(syc_live_count(SYC_LIVE_DEVICE), 0);
}

static void short_answer_refuses(void)
{
    is_refused("not a multiple of 8");
}

static void no_devices_refuses(void)
{
    is_refused("no device");
}

static void no_units_refuses(void)
{
    is_refused("no compute units");
}

/* The nth call of one entry fails while platforms are listed: the driver is refused, nothing is left behind. */
static const char *failing_entry;
static long failing_call;

static void failing_call_refuses(void)
{
    CHECK_OK(syc_drivers_load());
    CHECK_OK(syc_fault_install(syc_driver_at(0)));
    CHECK_OK(syc_fault_arm(failing_entry, failing_call, CL_OUT_OF_HOST_MEMORY));
    is_refused("CL_OUT_OF_HOST_MEMORY");
}

/* Drivers older than custom devices call the type invalid. */
static void no_custom_type_is_no_failure(void)
{
    CHECK_OK(syc_drivers_load());
    CHECK_OK(syc_fault_install(syc_driver_at(0)));
    CHECK_OK(syc_fault_arm("GetDeviceIDs", 3, CL_INVALID_DEVICE_TYPE));
    CHECK_EQUAL(first_platform()->device_count, 1);
    CHECK_EQUAL(syc_fault_calls("GetDeviceIDs"), 3);
}

static void lack_of_memory_is_our_own(void)
{
    bool failed = true;
    CHECK_OK(syc_drivers_load());
    for (long n = 1; failed; n++) {
        syc_alloc_fail_at(n);
        syc_status status = syc_platforms(&platforms, &platform_count);
        syc_alloc_fail_at(0);
        failed = status != SYC_OK;
        CHECK(!failed || status == SYC_E_MEMORY_ALLOCATION);
        CHECK(!failed || n < 100);
    }
    CHECK_EQUAL(platform_count, 1);
    CHECK(syc_driver_at(0)->refusal == NULL);
    CHECK_EQUAL(syc_live_count(SYC_LIVE_DEVICE), platforms[0]->device_count);
}

/* -- queries -- */

static void queries_are_checked(void)
{
    syc_device *device = first_platform()->devices[0];
    syc_info info = {0};
    bool has;

    CHECK_OK(syc_device_info(device, CL_DEVICE_MAX_WORK_ITEM_SIZES, SYC_INFO_SIZES, &info));
    CHECK_EQUAL(info.count, 3);
    CHECK_EQUAL(info.numbers[2], 64);
    syc_info_clear(&info);
    CHECK_STATUS(syc_device_info(device, CL_DEVICE_MAX_WORK_ITEM_SIZES, SYC_INFO_UINT, &info), SYC_E_PLATFORM);
    CHECK_STATUS(syc_device_info(device, CL_DEVICE_VENDOR_ID, SYC_INFO_SIZES, &info), SYC_E_PLATFORM);
    CHECK_STATUS(syc_device_info(device, CL_DEVICE_VENDOR_ID, SYC_INFO_ULONG, &info), SYC_E_PLATFORM);
    CHECK_STATUS(syc_device_info(device, 0x7777, SYC_INFO_UINT, &info), SYC_E_INVALID_PARAMETER);
    CHECK_EQUAL(syc_detail_of(SYC_E_INVALID_PARAMETER).cl_code, CL_INVALID_VALUE);
    CHECK_OK(syc_platform_info(platforms[0], CL_PLATFORM_NAME, &info));
    CHECK_STRING(info.string, "Fake");
    syc_info_clear(&info);

    CHECK_OK(syc_device_has_extension(device, "cl_khr_fp64", &has));
    CHECK(has);
    CHECK_OK(syc_device_has_extension(device, "cl_khr_fp6", &has));
    CHECK(!has);
    CHECK_OK(syc_device_has_extension(device, "khr_fp64", &has));
    CHECK(!has);
    CHECK_OK(syc_device_has_extension(device, "", &has));
    CHECK(!has);
}

static void handles_of_others_are_refused(void)
{
    long garbage[4] = {0};
    syc_device *device;
    syc_context *context;
    syc_platform *platform = first_platform(), *found;

    CHECK_STATUS(syc_device_from_native(NULL, &device), SYC_E_INVALID_OBJECT);
    CHECK_STATUS(syc_device_from_native((cl_device_id)garbage, &device), SYC_E_INVALID_OBJECT);
    CHECK_STATUS(syc_device_from_native((cl_device_id)16, &device), SYC_E_INVALID_OBJECT);
    CHECK_STATUS(syc_context_from_native((cl_context)garbage, &context), SYC_E_INVALID_OBJECT);
    CHECK_STATUS(syc_platform_of((cl_platform_id)garbage, &found), SYC_E_INVALID_OBJECT);
    CHECK_OK(syc_platform_of(platform->id, &found));
    CHECK(found == platform);
}

static void foreign_sub_device(void)
{
    syc_device *root = first_platform()->devices[0], *a, *b;
    const syc_cl_table *cl = &root->platform->driver->cl;
    cl_device_partition_property properties[] = {CL_DEVICE_PARTITION_EQUALLY, 2, 0};
    cl_device_id natives[2];

    CHECK_EQUAL(cl->CreateSubDevices(root->lanes[SYC_LANE_POOL], properties, 2, natives, NULL), 0);
    CHECK_OK(syc_fault_install(root->platform->driver));
    CHECK_OK(syc_fault_arm("RetainDevice", 1, CL_OUT_OF_RESOURCES));
    CHECK_STATUS(syc_device_from_native(natives[0], &a), SYC_E_RUNTIME);
    CHECK_EQUAL(syc_live_count(SYC_LIVE_DEVICE), 1);
    CHECK_OK(syc_device_from_native(natives[0], &a));
    CHECK_OK(syc_device_from_native(natives[0], &b));
    CHECK(a == b && a->parent == root);
    CHECK_EQUAL(cl->ReleaseDevice(natives[0]), 0);
    CHECK_EQUAL(cl->ReleaseDevice(natives[1]), 0);
    CHECK_EQUAL(fake_live("device"), 1);
    syc_device_release(a);
    syc_device_release(b);
    CHECK_EQUAL(fake_live("device"), 0);
    CHECK_EQUAL(fake_errors(), 0);
}

static void run_discovery(void)
{
    static const char *const entries[] = {"GetPlatformInfo", "GetDeviceIDs", "GetDeviceInfo"};
    CHILD(POCL "FAKE_DEVICES=4;FAKE_DEVICE_NAMES=basic-X:pthread-X:pthread-Y:basic-Z", pair_is_one_device);
    CHILD(POCL "FAKE_DEVICES=2;FAKE_DEVICE_NAMES=cpu-EPYC:cpu-minimal-EPYC", pair_of_newer_names);
    CHILD("FAKE_DEVICES=2;FAKE_DEVICE_NAMES=basic-X:pthread-X", names_of_others_do_not_pair);
    CHILD("FAKE_NONSENSE=short-info", short_answer_refuses);
    CHILD("FAKE_NONSENSE=no-devices", no_devices_refuses);
    CHILD("FAKE_NONSENSE=zero-units", no_units_refuses);
    for (size_t e = 0; e < sizeof entries / sizeof *entries; e++)
        for (failing_call = 1; failing_call <= 2; failing_call++) {
            failing_entry = entries[e];
            CHILD("", failing_call_refuses);
        }
    CHILD(POCL "FAKE_DEVICES=2;FAKE_DEVICE_NAMES=pthread-X:basic-X", lack_of_memory_is_our_own);
}

int main(void)
{
    FIND_FAKE_DRIVER;
    run_discovery();
    CHILD("", no_custom_type_is_no_failure);
    CHILD("", queries_are_checked);
    CHILD("", handles_of_others_are_refused);
    CHILD("", foreign_sub_device);
    return CHECK_EXIT_CODE;
}
