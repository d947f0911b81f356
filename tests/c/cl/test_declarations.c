/* Holds our own OpenCL declarations against the official headers, where those are installed: every constant, type,
 * entry signature, and slot of the ICD dispatch table. */
#include "cl/constants.h"
/* Our structures under names of our own: C lets a structure be defined only once. */
#define cl_buffer_region our_buffer_region
#define cl_image_format  our_image_format
#define cl_image_desc    our_image_desc
#include "cl/entries.h"
#undef cl_buffer_region
#undef cl_image_format
#undef cl_image_desc

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
static const unsigned long long our_local_thread = CL_QUEUE_THREAD_LOCAL_EXEC_ENABLE_INTEL;
#undef CL_DEVICE_TYPE_ALL
#undef CL_QUEUE_THREAD_LOCAL_EXEC_ENABLE_INTEL
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
    CHECK_EQUAL(our_local_thread, CL_QUEUE_THREAD_LOCAL_EXEC_ENABLE_INTEL);
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

#define SAME_MEMBER(ours, official, member)                                  \
    do {                                                                     \
        CHECK_EQUAL(offsetof(ours, member), offsetof(official, member));     \
        CHECK_EQUAL(sizeof((ours){0}.member), sizeof((official){0}.member)); \
    } while (0)

static void test_structures(void)
{
    CHECK_EQUAL(sizeof(our_buffer_region), sizeof(cl_buffer_region));
    SAME_MEMBER(our_buffer_region, cl_buffer_region, origin);
    SAME_MEMBER(our_buffer_region, cl_buffer_region, size);
    CHECK_EQUAL(sizeof(our_image_format), sizeof(cl_image_format));
    SAME_MEMBER(our_image_format, cl_image_format, image_channel_order);
    SAME_MEMBER(our_image_format, cl_image_format, image_channel_data_type);
    CHECK_EQUAL(sizeof(our_image_desc), sizeof(cl_image_desc));
    SAME_MEMBER(our_image_desc, cl_image_desc, image_type);
    SAME_MEMBER(our_image_desc, cl_image_desc, image_width);
    SAME_MEMBER(our_image_desc, cl_image_desc, image_height);
    SAME_MEMBER(our_image_desc, cl_image_desc, image_depth);
    SAME_MEMBER(our_image_desc, cl_image_desc, image_array_size);
    SAME_MEMBER(our_image_desc, cl_image_desc, image_row_pitch);
    SAME_MEMBER(our_image_desc, cl_image_desc, image_slice_pitch);
    SAME_MEMBER(our_image_desc, cl_image_desc, num_mip_levels);
    SAME_MEMBER(our_image_desc, cl_image_desc, num_samples);
    SAME_MEMBER(our_image_desc, cl_image_desc, mem_object);
}

/* The rows once more, with the official types in them. */
typedef struct rows {
#define X(name, slot, since, result, fails, params, args) result(*name) params;
    SYC_CL_ALL(X)
#undef X
} rows;

static void test_signatures(void)
{
    CHECK_EQUAL(sizeof(rows), sizeof(syc_cl_table));
#define X(name, slot, since, result, fails, params, args) \
    CHECK((__builtin_types_compatible_p(__typeof__(&cl##name), __typeof__(((rows *)NULL)->name))));
    SYC_CL_ENTRIES(X)
#undef X
#define X(name, slot, since, result, fails, params, args) \
    CHECK((__builtin_types_compatible_p(cl##name##_fn, __typeof__(((rows *)NULL)->name))));
    SYC_CL_EXTENSIONS(X)
#undef X
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
    const size_t first_of_21 = offsetof(cl_icd_dispatch, clCloneKernel) / sizeof(void *);
#define X(name, slot, since, result, fails, params, args) \
    CHECK_EQUAL(slot < first_of_11   ? 10                 \
                : slot < first_of_12 ? 11                 \
                : slot < first_of_20 ? 12                 \
                : slot < first_of_21 ? 20                 \
                                     : 21,                \
                since);
    SYC_CL_ENTRIES(X)
#undef X
}

int main(void)
{
    RUN(test_constants);
    RUN(test_types);
    RUN(test_structures);
    RUN(test_signatures);
    RUN(test_slots);
    RUN(test_versions);
    return CHECK_EXIT_CODE;
}

#else

int main(void)
{
    puts("skip: no official OpenCL headers here");
    return check__failures == 0 ? CHECK_SKIP : CHECK_EXIT_CODE;
}

#endif
