/* Sub-devices: every request is checked against what the device says it can do, before the driver sees it. */
#include "base/alloc.h"
#include "base/process.h"
#include "cl/constants.h"
#include "cl/device.h"
#include "cl/device_make.h"
#include "cl/driver.h"
#include "cl/entries.h"

static const char *scheme_name(intptr_t scheme)
{
    switch (scheme) {
    case CL_DEVICE_PARTITION_EQUALLY:
        return "partition_equally";
    case CL_DEVICE_PARTITION_BY_COUNTS:
        return "partition_by_counts";
    case CL_DEVICE_PARTITION_BY_AFFINITY_DOMAIN:
        return "partition_by_affinity_domain";
    default:
        return NULL;
    }
}

static const char *domain_name(intptr_t domain)
{
    switch (domain) {
    case CL_DEVICE_AFFINITY_DOMAIN_NUMA:
        return "numa";
    case CL_DEVICE_AFFINITY_DOMAIN_L4_CACHE:
        return "L4_cache";
    case CL_DEVICE_AFFINITY_DOMAIN_L3_CACHE:
        return "L3_cache";
    case CL_DEVICE_AFFINITY_DOMAIN_L2_CACHE:
        return "L2_cache";
    case CL_DEVICE_AFFINITY_DOMAIN_L1_CACHE:
        return "L1_cache";
    case CL_DEVICE_AFFINITY_DOMAIN_NEXT_PARTITIONABLE:
        return "next_partitionable";
    default:
        return NULL;
    }
}

static syc_status check_scheme(const syc_device *device, intptr_t scheme)
{
    syc_status status = SYC_OK;
    syc_info schemes = {0};
    bool has = false;

    SYC_CHECK(scheme_name(scheme) != NULL, SYC_E_INVALID_PARAMETER, "0x%llx is not a way to partition a device",
              (unsigned long long)scheme);
    SYC_TRY(syc_device_info(device, CL_DEVICE_PARTITION_PROPERTIES, SYC_INFO_WORDS, &schemes));
    for (size_t i = 0; i < schemes.count; i++)
        has = has || schemes.numbers[i] == scheme;
    SYC_CHECK(has && device->platform->driver->cl.CreateSubDevices != NULL, SYC_E_FEATURE_NOT_SUPPORTED,
              "the device '%s' cannot be divided by %s", syc_device_name(device), scheme_name(scheme));
done:
    syc_info_clear(&schemes);
    return status;
}

static syc_status check_counts(const syc_device *device, intptr_t scheme, const intptr_t *values, size_t count)
{
    syc_status status = SYC_OK;
    syc_info units = {0}, most = {0};
    uint64_t sum = 0;

    SYC_TRY(syc_device_info(device, CL_DEVICE_MAX_COMPUTE_UNITS, SYC_INFO_UINT, &units));
    SYC_TRY(syc_device_info(device, CL_DEVICE_PARTITION_MAX_SUB_DEVICES, SYC_INFO_UINT, &most));
    for (size_t i = 0; i < count; i++) {
        SYC_CHECK(values[i] >= 1 && (uint64_t)values[i] <= units.number, SYC_E_INVALID_PARAMETER,
                  "a sub-device of %lld compute units cannot be had from '%s', which has %llu", (long long)values[i],
                  syc_device_name(device), (unsigned long long)units.number);
        sum += (uint64_t)values[i];
    }
    SYC_CHECK(sum <= units.number, SYC_E_INVALID_PARAMETER,
              "the counts sum to %llu; the device '%s' has %llu compute units", (unsigned long long)sum,
              syc_device_name(device), (unsigned long long)units.number);
    SYC_CHECK(scheme == CL_DEVICE_PARTITION_EQUALLY || count <= most.number, SYC_E_INVALID_PARAMETER,
              "%zu sub-devices are asked of '%s', which gives at most %llu", count, syc_device_name(device),
              (unsigned long long)most.number);
done:
    return status;
}

static syc_status check_domain(const syc_device *device, intptr_t domain)
{
    syc_status status = SYC_OK;
    syc_info domains = {0};

    SYC_CHECK(domain_name(domain) != NULL, SYC_E_INVALID_PARAMETER, "0x%llx is not an affinity domain",
              (unsigned long long)domain);
    SYC_TRY(syc_device_info(device, CL_DEVICE_PARTITION_AFFINITY_DOMAIN, SYC_INFO_ULONG, &domains));
    SYC_CHECK(domains.number & (uint64_t)domain, SYC_E_FEATURE_NOT_SUPPORTED,
              "the device '%s' cannot be divided by partition_by_affinity_domain with %s", syc_device_name(device),
              domain_name(domain));
done:
    return status;
}

/* {scheme, values..., [end of the list of counts,] end} */
static syc_status make_properties(intptr_t scheme, const intptr_t *values, size_t count, intptr_t **out)
{
    syc_status status = SYC_OK;
    intptr_t *properties;

    SYC_TRY(syc_alloc_array(count + 3, sizeof *properties, &properties));
    properties[0] = scheme;
    for (size_t i = 0; i < count; i++)
        properties[1 + i] = values[i];
    *out = properties;
done:
    return status;
}

static syc_status create_natives(syc_device *device, const intptr_t *properties, cl_device_id **out, size_t *out_count)
{
    syc_status status = SYC_OK;
    const syc_cl_table *cl = &device->platform->driver->cl;
    cl_device_id *natives = NULL;
    cl_uint count = 0, got = 0;
    syc_info units = {0};

    SYC_TRY(syc_device_info(device, CL_DEVICE_MAX_COMPUTE_UNITS, SYC_INFO_UINT, &units));
    SYC_CL(cl, CreateSubDevices, (device->lanes[SYC_LANE_POOL], properties, 0, NULL, &count));
    SYC_CHECK(count >= 1 && count <= units.number, SYC_E_PLATFORM,
              "clCreateSubDevices of '%s' announces %u sub-devices of %llu compute units", syc_device_name(device),
              count, (unsigned long long)units.number);
    SYC_TRY(syc_alloc_array(count, sizeof *natives, &natives));
    SYC_CL(cl, CreateSubDevices, (device->lanes[SYC_LANE_POOL], properties, count, natives, &got));
    for (cl_uint i = 0; i < count; i++)
        SYC_CHECK(natives[i] != NULL, SYC_E_PLATFORM, "clCreateSubDevices of '%s' announced %u sub-devices and gave %u",
                  syc_device_name(device), count, i);
    *out = natives;
    *out_count = count;
    natives = NULL;
done:
    syc_free(natives);
    return status;
}

/* Wraps each native sub-device. What one of them cannot be wrapped for ends all: the ones before it are released, and
 * so are the native ones after it. */
static syc_status adopt_all(syc_device *device, const cl_device_id *natives, size_t count, syc_device ***out)
{
    syc_status status = SYC_OK;
    syc_device **devices = NULL;
    size_t made = 0, taken = 0;

    SYC_TRY(syc_alloc_array(count, sizeof *devices, &devices));
    for (; made < count; made++) {
        taken = made + 1;
        SYC_TRY(syc__device_adopt(device, natives[made], &devices[made]));
    }
    *out = devices;
    devices = NULL;
done:
    if (status != SYC_OK) {
        for (size_t i = 0; i < made; i++)
            syc_device_release(devices[i]);
        for (size_t i = taken; i < count; i++) {
            cl_int code = device->platform->driver->cl.ReleaseDevice(natives[i]);
            if (code != CL_SUCCESS)
                syc_report(syc_fail_cl(SYC_HERE, "clReleaseDevice", code));
        }
    }
    syc_free(devices);
    return status;
}

syc_status syc_device_partition(syc_device *device, intptr_t scheme, const intptr_t *values, size_t count,
                                syc_device ***out, size_t *out_count)
{
    syc_status status = SYC_OK;
    intptr_t *properties = NULL;
    cl_device_id *natives = NULL;
    size_t made = 0;

    SYC_TRY(syc_process_check());
    SYC_TRY(check_scheme(device, scheme));
    SYC_CHECK(count >= 1 && (count == 1 || scheme == CL_DEVICE_PARTITION_BY_COUNTS), SYC_E_INVALID_PARAMETER,
              "%s takes %s, not %zu values", scheme_name(scheme),
              scheme == CL_DEVICE_PARTITION_BY_COUNTS ? "at least one count" : "one value", count);
    if (scheme == CL_DEVICE_PARTITION_BY_AFFINITY_DOMAIN)
        SYC_TRY(check_domain(device, values[0]));
    else
        SYC_TRY(check_counts(device, scheme, values, count));
    SYC_TRY(make_properties(scheme, values, count, &properties));
    SYC_TRY(create_natives(device, properties, &natives, &made));
    SYC_TRY(adopt_all(device, natives, made, out));
    *out_count = made;
done:
    syc_free(properties);
    syc_free(natives);
    return status;
}
