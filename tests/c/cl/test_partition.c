/* Sub-devices against the fake driver: what they are, what is refused, and every call that can fail.
 * spec: H187 H188 H189 H190 */
#include "child.h"

static void sub_devices(void)
{
    syc_device *device = first_platform()->devices[0], **parts, **again;
    intptr_t two = 2, counts[] = {1, 3};
    size_t count, deeper;
    syc_info units = {0};

    CHECK_OK(syc_device_partition(device, CL_DEVICE_PARTITION_EQUALLY, &two, 1, &parts, &count));
    CHECK_EQUAL(count, 2);
    CHECK_EQUAL(syc_live_count(SYC_LIVE_CL_DEVICE), 2);
    CHECK(parts[0]->parent == device && parts[0]->lanes[SYC_LANE_CALLER] == NULL);
    intptr_t one = 1;
    CHECK_OK(syc_device_partition(parts[0], CL_DEVICE_PARTITION_EQUALLY, &one, 1, &again, &deeper));
    CHECK_EQUAL(deeper, 2);
    CHECK(again[0]->parent == parts[0]);
    release_all(parts, count);
    CHECK_EQUAL(fake_live("device"), 3); /* the parts of the first part keep it, the second is gone */
    release_all(again, deeper);
    CHECK_EQUAL(fake_live("device"), 0);

    CHECK_OK(syc_device_partition(device, CL_DEVICE_PARTITION_BY_COUNTS, counts, 2, &parts, &count));
    CHECK_EQUAL(count, 2);
    CHECK_OK(syc_device_info(parts[1], CL_DEVICE_MAX_COMPUTE_UNITS, SYC_INFO_UINT, &units));
    CHECK_EQUAL(units.number, 3);
    release_all(parts, count);
    CHECK_EQUAL(fake_live("device"), 0);
    CHECK_EQUAL(syc_live_count(SYC_LIVE_CL_DEVICE), 0);
    CHECK_EQUAL(fake_errors(), 0);
}

static void refuse_partition(syc_device *device, intptr_t scheme, const intptr_t *values, size_t count,
                             syc_status expected, const char *words)
{
    syc_device **parts;
    size_t made;
    CHECK_STATUS(syc_device_partition(device, scheme, values, count, &parts, &made), expected);
    if (strstr(syc_detail_of(expected).message, words) == NULL) {
        fprintf(stderr, "the message is \"%s\", without \"%s\"\n", syc_detail_of(expected).message, words);
        check__failures++;
    }
}

static void impossible_partitions(void)
{
    syc_device *device = first_platform()->devices[0];
    intptr_t zero = 0, five = 5, many[] = {1, 1, 1, 1, 1}, heavy[] = {3, 2}, numa = CL_DEVICE_AFFINITY_DOMAIN_NUMA;

    refuse_partition(device, CL_DEVICE_PARTITION_EQUALLY, &zero, 1, SYC_E_INVALID_PARAMETER, "0 compute units");
    refuse_partition(device, CL_DEVICE_PARTITION_EQUALLY, &five, 1, SYC_E_INVALID_PARAMETER, "5 compute units");
    refuse_partition(device, CL_DEVICE_PARTITION_EQUALLY, heavy, 2, SYC_E_INVALID_PARAMETER, "one value");
    refuse_partition(device, CL_DEVICE_PARTITION_BY_COUNTS, heavy, 2, SYC_E_INVALID_PARAMETER, "sum to 5");
    refuse_partition(device, CL_DEVICE_PARTITION_BY_COUNTS, many, 5, SYC_E_INVALID_PARAMETER, "sum to 5");
    refuse_partition(device, CL_DEVICE_PARTITION_BY_COUNTS, many, 0, SYC_E_INVALID_PARAMETER, "at least one count");
    refuse_partition(device, CL_DEVICE_PARTITION_BY_AFFINITY_DOMAIN, &numa, 1, SYC_E_FEATURE_NOT_SUPPORTED,
                     "'Fake device 1' cannot be divided by partition_by_affinity_domain");
    refuse_partition(device, 0x4711, &five, 1, SYC_E_INVALID_PARAMETER, "0x4711");
}

static void indivisible_device(void)
{
    intptr_t one = 1;
    refuse_partition(first_platform()->devices[0], CL_DEVICE_PARTITION_EQUALLY, &one, 1, SYC_E_FEATURE_NOT_SUPPORTED,
                     "partition_equally");
}

/* Every call of every entry that partitioning makes fails once. */
static void failing_partitions(void)
{
    static const char *const entries[] = {"CreateSubDevices", "GetDeviceInfo"};
    syc_device *device = first_platform()->devices[0], **parts;
    intptr_t two = 2;
    size_t count;

    CHECK_OK(syc_fault_install(platforms[0]->driver));
    for (size_t e = 0; e < 2; e++)
        for (long nth = 1; nth < 100; nth++) {
            CHECK_OK(syc_fault_arm(entries[e], nth, CL_OUT_OF_RESOURCES));
            syc_status status = syc_device_partition(device, CL_DEVICE_PARTITION_EQUALLY, &two, 1, &parts, &count);
            if (status == SYC_OK) {
                release_all(parts, count);
                CHECK(nth > 2);
                break;
            }
            CHECK_EQUAL(status, SYC_E_RUNTIME);
            CHECK_EQUAL(fake_live("device"), 0);
            CHECK_EQUAL(syc_live_count(SYC_LIVE_CL_DEVICE), 0);
        }
    CHECK_OK(syc_fault_install(NULL)); /* the last fault has not come up */
    for (long nth = 1; nth < 100; nth++) {
        syc_alloc_fail_at(nth);
        syc_status status = syc_device_partition(device, CL_DEVICE_PARTITION_EQUALLY, &two, 1, &parts, &count);
        syc_alloc_fail_at(0);
        if (status == SYC_OK) {
            release_all(parts, count);
            break;
        }
        CHECK_EQUAL(status, SYC_E_MEMORY_ALLOCATION);
        CHECK_EQUAL(fake_live("device"), 0);
    }
    CHECK_EQUAL(fake_live("device"), 0);
    CHECK_EQUAL(syc_live_count(SYC_LIVE_DEVICE), 1);
}

int main(void)
{
    FIND_FAKE_DRIVER;
    CHILD("", sub_devices);
    CHILD("", impossible_partitions);
    CHILD("FAKE_UNITS=1", indivisible_device);
    CHILD("", failing_partitions);
    return CHECK_EXIT_CODE;
}
