/* Holds our own OpenCL declarations against the official headers, where those are installed: every constant, type,
 * entry signature, and slot of the ICD dispatch table. */
#include "cl/constants.h"
#include "cl/entries.h"

#include "check.h"

/* After ours, because the official constants are macros and would replace the names of our enumerators. */
#if __has_include(<CL/cl_icd.h>)
#define CL_TARGET_OPENCL_VERSION 300
#define CL_USE_DEPRECATED_OPENCL_1_0_APIS
#define CL_USE_DEPRECATED_OPENCL_1_1_APIS
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#define CL_USE_DEPRECATED_OPENCL_2_0_APIS
#define CL_USE_DEPRECATED_OPENCL_2_1_APIS
#define CL_USE_DEPRECATED_OPENCL_2_2_APIS
#define OFFICIAL_DEVICE_TYPE_ALL CL_DEVICE_TYPE_ALL
static const unsigned long long our_device_type_all = CL_DEVICE_TYPE_ALL;
#undef CL_DEVICE_TYPE_ALL
#include <CL/cl.h>
#include <CL/cl_ext.h>
#include <CL/cl_icd.h>

/* The official value of a name, spelled out; the name itself where the headers have no such macro. */
#define SPELL(name)  #name
#define EXPAND(name) SPELL(name)

static void check_constant(const char *name, const char *spelled, long long official, long long ours)
{
    if (strcmp(name, spelled) == 0) {
        fprintf(stderr, "%s is not in the official headers\n", name);
        check__failures++;
    } else if (official != ours) {
        fprintf(stderr, "%s is %lld, and officially %lld\n", name, ours, official);
        check__failures++;
    }
}

static void test_constants(void)
{
#define X(name, value) check_constant(#name, EXPAND(name), (long long)(name), (long long)(value));
    SYC_CL_CONSTANTS(X)
#undef X
    CHECK_EQUAL(our_device_type_all, OFFICIAL_DEVICE_TYPE_ALL);
}

/* A typedef that differed would already have failed to compile: C11 lets a name be defined twice only as the same type.
 */
static void test_types(void)
{
    CHECK_EQUAL(sizeof(cl_int), 4);
    CHECK_EQUAL(sizeof(cl_uint), 4);
    CHECK_EQUAL(sizeof(cl_bool), 4);
    CHECK_EQUAL(sizeof(cl_ulong), 8);
    CHECK_EQUAL(sizeof(cl_bitfield), sizeof(cl_device_type));
    CHECK_EQUAL(sizeof(cl_bitfield), sizeof(cl_mem_flags));
    CHECK_EQUAL(sizeof(cl_bitfield), sizeof(cl_command_queue_properties));
    CHECK_EQUAL(sizeof(cl_context_properties), sizeof(void *));
    CHECK_EQUAL(sizeof(cl_device_partition_property), sizeof(void *));
}

static void test_signatures(void)
{
    syc_cl_table table;
#define X(name, slot, since, result, fails, params, args) \
    CHECK((__builtin_types_compatible_p(__typeof__(&cl##name), __typeof__(table.name))));
    SYC_CL_ENTRIES(X)
#undef X
    (void)table;
}

static void test_slots(void)
{
#define X(name, slot, since, result, fails, params, args) \
    CHECK_EQUAL(offsetof(cl_icd_dispatch, cl##name) / sizeof(void *), slot);
    SYC_CL_ENTRIES(X)
#undef X
}

/* The table grew by versions: what a version brought lies behind all that was there before. */
static void test_versions(void)
{
    const size_t first_of_11 = offsetof(cl_icd_dispatch, clSetEventCallback) / sizeof(void *);
    const size_t first_of_12 = offsetof(cl_icd_dispatch, clCreateSubDevices) / sizeof(void *);
    const size_t first_of_20 = offsetof(cl_icd_dispatch, clCreateCommandQueueWithProperties) / sizeof(void *);
#define X(name, slot, since, result, fails, params, args) \
    CHECK_EQUAL(slot < first_of_11 ? 10 : slot < first_of_12 ? 11 : slot < first_of_20 ? 12 : 20, since);
    SYC_CL_ENTRIES(X)
#undef X
}

int main(void)
{
    RUN(test_constants);
    RUN(test_types);
    RUN(test_signatures);
    RUN(test_slots);
    RUN(test_versions);
    return CHECK_EXIT_CODE;
}

#else

int main(void)
{
    puts("skip: no official OpenCL headers here");
    return CHECK_SKIP;
}

#endif
