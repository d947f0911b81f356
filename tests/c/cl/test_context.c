/* Contexts against the fake driver: lanes, foreign ones, the shared default, failing calls, the end of the process.
 * spec: H173 D511 D512 D513 */
#include "child.h"

static void context_holds_both_lanes(void)
{
    syc_device *device = first_platform()->devices[0];
    syc_device *twice[] = {device, device};
    syc_context *context, *wrapped;
    cl_device_id ids[4];
    size_t size = 0;

    CHECK_OK(syc_context_create(twice, 2, &context));
    CHECK_EQUAL(context->device_count, 1);
    CHECK_EQUAL(syc_context_cl(context)->GetContextInfo(context->native, CL_CONTEXT_DEVICES, sizeof ids, ids, &size),
                0);
    CHECK_EQUAL(size, 2 * sizeof *ids);
    CHECK(ids[0] == device->lanes[SYC_LANE_POOL] && ids[1] == device->lanes[SYC_LANE_CALLER]);
    CHECK_OK(syc_context_from_native(context->native, &wrapped));
    CHECK(wrapped == context);
    syc_context_release(wrapped);
    syc_context_release(context);
    CHECK_EQUAL(fake_live("context"), 0);
    CHECK_EQUAL(syc_live_count(SYC_LIVE_CL_CONTEXT), 0);
}

/* A context that somebody else has made over one lane only must not lead to a device that uses the other. */
static void foreign_context_of_one_lane(void)
{
    syc_device *root = first_platform()->devices[0];
    const syc_cl_table *cl = &root->platform->driver->cl;

    for (int lane = 0; lane < SYC_LANE_COUNT; lane++) {
        cl_int code;
        cl_context native = cl->CreateContext(NULL, 1, &root->lanes[lane], NULL, NULL, &code);
        syc_context *a, *b;
        CHECK_OK(syc_context_from_native(native, &a));
        CHECK_OK(syc_context_from_native(native, &b));
        CHECK(a == b);
        CHECK_EQUAL(a->device_count, 1);
        CHECK(a->devices[0] != root && a->devices[0]->lanes[SYC_LANE_POOL] == root->lanes[lane]);
        CHECK(a->devices[0]->lanes[SYC_LANE_CALLER] == NULL && !syc_context_has(a, root));
        CHECK_STRING(syc_device_name(a->devices[0]), "X");
        CHECK_EQUAL(cl->ReleaseContext(native), 0);
        CHECK_EQUAL(fake_live("context"), 1);
        syc_context_release(a);
        syc_context_release(b);
        CHECK_EQUAL(fake_live("context"), 0);
    }
    CHECK_EQUAL(syc_live_count(SYC_LIVE_DEVICE), 3);
    CHECK_EQUAL(fake_errors(), 0);
}

static void devices_of_two_platforms_share_no_context(void)
{
    syc_device *devices[2];
    syc_context *context;

    list_platforms();
    CHECK_EQUAL(platform_count, 2);
    devices[0] = platforms[0]->devices[0];
    devices[1] = platforms[1]->devices[0];
    CHECK_STATUS(syc_context_create(devices, 2, &context), SYC_E_INVALID_PARAMETER);
    CHECK_STATUS(syc_context_create(devices, 0, &context), SYC_E_INVALID_PARAMETER);
    CHECK_EQUAL(syc_live_count(SYC_LIVE_CONTEXT), 0);
}

static void default_context_is_shared(void)
{
    syc_device *device = first_platform()->devices[0], **parts;
    syc_context *a, *b, *c;
    intptr_t two = 2;
    size_t count;

    CHECK_OK(syc_context_default(device, &a));
    CHECK_OK(syc_context_default(device, &b));
    CHECK(a == b);
    syc_context_release(a);
    syc_context_release(b);
    CHECK_EQUAL(fake_live("context"), 1);

    CHECK_OK(syc_device_partition(device, CL_DEVICE_PARTITION_EQUALLY, &two, 1, &parts, &count));
    CHECK_OK(syc_context_default(parts[0], &c));
    release_all(parts, count);
    syc_context_release(c);
    CHECK_EQUAL(fake_live("device"), 0);
    CHECK_EQUAL(fake_live("context"), 1);
    syc_contexts_close();
    CHECK_EQUAL(fake_live("context"), 0);
}

static void failing_contexts(void)
{
    static const char *const entries[] = {"CreateContext", "GetContextInfo", "RetainContext", "GetDeviceInfo"};
    syc_device *root = first_platform()->devices[0];
    syc_context *context;
    cl_int code;
    cl_context native =
        root->platform->driver->cl.CreateContext(NULL, 1, &root->lanes[SYC_LANE_POOL], NULL, NULL, &code);
    long live = syc_live_count(SYC_LIVE_DEVICE);

    CHECK_OK(syc_fault_install(platforms[0]->driver));
    for (size_t e = 0; e < 4; e++)
        for (long nth = 1; nth < 100; nth++) {
            CHECK_OK(syc_fault_arm(entries[e], nth, CL_OUT_OF_HOST_MEMORY));
            syc_status status =
                e == 0 ? syc_context_create(&root, 1, &context) : syc_context_from_native(native, &context);
            if (status == SYC_OK) {
                syc_context_release(context);
                CHECK(nth > 1);
                break;
            }
            CHECK_EQUAL(status, SYC_E_MEMORY_ALLOCATION);
            CHECK_EQUAL(fake_live("context"), 1);
            CHECK_EQUAL(syc_live_count(SYC_LIVE_CONTEXT), 0);
            CHECK_EQUAL(syc_live_count(SYC_LIVE_DEVICE), live);
        }
    CHECK_OK(syc_fault_install(NULL));
}

static int reports;

static void count_report(const syc_detail *detail)
{
    reports += detail->cl_code == CL_INVALID_CONTEXT || detail->cl_code == CL_INVALID_DEVICE;
}

/* A failing release has no caller to tell, so it is reported; the object is gone all the same. */
static void failing_releases_are_reported(void)
{
    syc_device *device = first_platform()->devices[0], **parts;
    syc_context *context;
    intptr_t four = 4;
    size_t count;

    syc_set_report_hook(count_report);
    CHECK_OK(syc_context_create(&device, 1, &context));
    CHECK_OK(syc_device_partition(device, CL_DEVICE_PARTITION_EQUALLY, &four, 1, &parts, &count));
    CHECK_OK(syc_fault_install(platforms[0]->driver));
    CHECK_OK(syc_fault_arm("ReleaseContext", 1, CL_INVALID_CONTEXT));
    CHECK_OK(syc_fault_arm("ReleaseDevice", 1, CL_INVALID_DEVICE));
    syc_context_release(context);
    CHECK_EQUAL(reports, 1);
    release_all(parts, count);
    CHECK_EQUAL(reports, 2);
    CHECK_EQUAL(syc_live_count(SYC_LIVE_CONTEXT), 0);
    CHECK_EQUAL(syc_live_count(SYC_LIVE_CL_DEVICE), 0);
}

static void nothing_is_called_after_the_end(void)
{
    syc_device *device = first_platform()->devices[0], **parts;
    syc_context *context;
    intptr_t four = 4;
    size_t count;

    CHECK_OK(syc_context_create(&device, 1, &context));
    CHECK_OK(syc_device_partition(device, CL_DEVICE_PARTITION_EQUALLY, &four, 1, &parts, &count));
    CHECK_OK(syc_fault_install(platforms[0]->driver));
    syc_process_close();
    syc_context_release(context);
    syc_device_release(parts[0]);
    CHECK_EQUAL(syc_fault_calls("ReleaseContext"), 0);
    CHECK_EQUAL(syc_fault_calls("ReleaseDevice"), 0);
    CHECK_STATUS(syc_platforms(&platforms, &platform_count), SYC_E_CLOSED);
    CHECK_STATUS(syc_context_default(device, &context), SYC_E_CLOSED);
    CHECK_STATUS(syc_device_partition(device, CL_DEVICE_PARTITION_EQUALLY, &four, 1, &parts, &count), SYC_E_CLOSED);
    syc_free(parts);
}

/* Two drivers: the fake one, and a copy of the file. */
static void run_with_two_drivers(void (*test)(void))
{
    char copy[] = "/tmp/pysycl-fake-XXXXXX", command[600], settings[600];
    int file = mkstemp(copy);
    close(file);
    snprintf(command, sizeof command, "cp '%s' '%s'", fake, copy);
    CHECK_EQUAL(system(command), 0);
    snprintf(settings, sizeof settings, "%s:%s", fake, copy);
    setenv("FAKE_PAIR", settings, 1);
    in_child("devices_of_two_platforms_share_no_context", "", test);
    unlink(copy);
}

static void two_platforms(void)
{
    setenv("PYSYCL_DRIVERS", getenv("FAKE_PAIR"), 1);
    devices_of_two_platforms_share_no_context();
}

int main(void)
{
    FIND_FAKE_DRIVER;
    CHILD(POCL "FAKE_DEVICES=2;FAKE_DEVICE_NAMES=pthread-X:basic-X", context_holds_both_lanes);
    CHILD(POCL "FAKE_DEVICES=4;FAKE_DEVICE_NAMES=basic-X:pthread-X:pthread-Y:basic-Z", foreign_context_of_one_lane);
    run_with_two_drivers(two_platforms);
    CHILD("", default_context_is_shared);
    CHILD(POCL "FAKE_DEVICES=2;FAKE_DEVICE_NAMES=pthread-X:basic-X", failing_contexts);
    CHILD("", failing_releases_are_reported);
    CHILD("", nothing_is_called_after_the_end);
    return CHECK_EXIT_CODE;
}
