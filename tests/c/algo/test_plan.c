/* Geometry: what is chosen for plain ranges, what is refused, and in which words. */
#include "algo/plan.h"
#include "child.h"
#include "program/program.h"
#include "source/declarations/signature.h"

#include <stdint.h>

static const syc_facts facts = {.row = "test", .local_size = 256, .offset_bits = 64};

static syc_device *device;

/* The fake driver's device with limits of the test's own. */
static void make_device(void)
{
    setenv("PYSYCL_DRIVERS", fake, 1);
    device = first_platform()->devices[0];
    device->facts = &facts;
    device->max_group = 1024;
    device->max_items[0] = 1024;
    device->max_items[1] = 512;
    device->max_items[2] = 64;
    device->local_bytes = 32768;
}

static const syc_kernel_limits limits = {.max_group = 512, .multiple = 8};

static syc_signature kernel(bool shaped)
{
    return (syc_signature){.name = "k", .bounded = true, .weight = 10, .shaped = shaped};
}

static syc_status plan(const syc_kernel_limits *l, bool shaped, syc_geometry *g)
{
    syc_signature k = kernel(shaped);
    return syc_plan_range(device, &k, l, 0, g);
}

static bool is_power(size_t n)
{
    return n != 0 && (n & (n - 1)) == 0;
}

/* Whatever the range: the groups fit, they divide what they are to divide, and a kernel that looks at the shape of its
 * range is launched once. */
static void check_range(unsigned dims, const size_t *global, bool shaped)
{
    syc_geometry g = {.dims = dims, .local = {1, 1, 1}};
    size_t group = 1;
    memcpy(g.global, global, sizeof g.global);
    CHECK_OK(plan(&limits, shaped, &g));
    for (unsigned d = 0; d < dims; d++) {
        size_t whole = d == 0 ? g.global[0] - g.rest : g.global[d];
        CHECK_EQUAL(g.global[d], global[d]);
        CHECK(g.local[d] >= 1 && g.local[d] <= device->max_items[d]);
        CHECK(whole % g.local[d] == 0);
        group *= g.local[d];
    }
    CHECK(group <= facts.local_size);
    CHECK(g.rest == 0 || (!shaped && is_power(g.local[0]) && g.rest < g.local[0]));
    CHECK(g.cost_ns >= 700);
}

static void test_ranges(void)
{
    static const size_t sizes[] = {1,    2,    3,     7,     8,     31,      63,      64,      65,   100,
                                   127,  255,  256,   257,   511,   512,     513,     997,     1000, 1023,
                                   1024, 4097, 65536, 65537, 99991, 1048576, 1048577, 16777216};
    enum { COUNT = sizeof sizes / sizeof *sizes };
    for (int shaped = 0; shaped < 2; shaped++) {
        for (size_t i = 0; i < COUNT; i++) {
            check_range(1, (size_t[]){sizes[i], 1, 1}, shaped);
            for (size_t j = 0; j < COUNT; j++) {
                check_range(2, (size_t[]){sizes[i], sizes[j], 1}, shaped);
                check_range(3, (size_t[]){sizes[j], sizes[i], sizes[COUNT - 1 - j]}, shaped);
            }
        }
    }
}

static void test_named_choices(void)
{
    syc_geometry g = {.dims = 1, .global = {1 << 20, 1, 1}};
    syc_kernel_limits few = {.max_group = 16};

    CHECK_OK(plan(&limits, false, &g));
    CHECK_EQUAL(g.local[0], 256); /* the device's favourite */
    CHECK_EQUAL(g.rest, 0);
    CHECK_OK(plan(&few, false, &g));
    CHECK_EQUAL(g.local[0], 16); /* no more than the kernel can have */

    g = (syc_geometry){.dims = 1, .global = {99991, 1, 1}}; /* a prime */
    CHECK_OK(plan(&limits, false, &g));
    CHECK_EQUAL(g.local[0], 256);
    CHECK_EQUAL(g.rest, 99991 % 256);
    g = (syc_geometry){.dims = 1, .global = {99991, 1, 1}};
    CHECK_OK(plan(&limits, true, &g));
    CHECK_EQUAL(g.local[0], 1);
    CHECK_EQUAL(g.rest, 0);
}

static void test_empty_ranges(void)
{
    for (unsigned zero = 0; zero < 3; zero++) {
        syc_geometry g = {.dims = 3, .global = {12, 6, 4}};
        g.global[zero] = 0;
        CHECK_OK(plan(&limits, false, &g));
        CHECK_EQUAL(g.global[zero], 0);
        g.local[0] = 4, g.local[1] = 2, g.local[2] = 1;
        syc_signature k = kernel(false);
        CHECK_OK(syc_plan_nd_range(device, &k, &limits, 0, &g));
        CHECK_EQUAL(g.cost_ns, 0);
    }
}

static void test_required_groups(void)
{
    syc_kernel_limits required = {.max_group = 512, .required_group = {8, 4, 1}};
    syc_geometry g = {.dims = 2, .global = {64, 64, 1}};
    CHECK_OK(plan(&required, false, &g));
    CHECK(g.local[0] == 8 && g.local[1] == 4 && g.rest == 0);
    g = (syc_geometry){.dims = 2, .global = {65, 64, 1}};
    CHECK_STATUS(plan(&required, false, &g), SYC_E_ND_RANGE); /* it cannot be cut */
    g = (syc_geometry){.dims = 1, .global = {64, 1, 1}};
    CHECK_STATUS(plan(&required, false, &g), SYC_E_ND_RANGE);
    CHECK(strstr(syc_detail_of(SYC_E_ND_RANGE).message,
                 "requires work-groups of 1 x 4 x 8, which a 1-D range cannot have") != NULL);
}

static void test_costs(void)
{
    syc_signature k = kernel(false);
    syc_geometry g = {.dims = 2, .global = {100, 10, 1}};
    CHECK_OK(syc_plan_range(device, &k, &limits, 0, &g));
    CHECK_EQUAL(g.cost_ns, 700 + 100 * 10 * 10);
    g = (syc_geometry){.dims = 3, .global = {(size_t)1 << 30, (size_t)1 << 30, 8}};
    CHECK_OK(syc_plan_range(device, &k, &limits, 0, &g));
    CHECK(g.cost_ns == UINT64_MAX); /* too much to count */
    k.weight = SIZE_MAX;
    g = (syc_geometry){.dims = 1, .global = {2, 1, 1}};
    CHECK_OK(syc_plan_range(device, &k, &limits, 0, &g));
    CHECK(g.cost_ns == UINT64_MAX);
    k = kernel(false);
    k.bounded = false;
    g = (syc_geometry){.dims = 1, .global = {1, 1, 1}};
    CHECK_OK(syc_plan_range(device, &k, &limits, 0, &g));
    CHECK(g.cost_ns == UINT64_MAX);
}

static void test_a_device_with_short_offsets(void)
{
    static const syc_facts narrow = {.row = "narrow", .local_size = 256, .offset_bits = 32};
    syc_signature k = kernel(false);
    syc_geometry g = {.dims = 1, .global = {8, 1, 1}, .offset = {UINT32_MAX, 0, 0}};

    device->facts = &narrow;
    CHECK_OK(syc_plan_range(device, &k, &limits, 0, &g));
    g.offset[0]++;
    CHECK_STATUS(syc_plan_range(device, &k, &limits, 0, &g), SYC_E_FEATURE_NOT_SUPPORTED);
    CHECK(strstr(syc_detail_of(SYC_E_FEATURE_NOT_SUPPORTED).message, "offsets of 32 bits only") != NULL);
    device->facts = &facts;
}

/* -- refusals: each names the numbers in the user's order of dimensions -- */

static void refused(const syc_kernel_limits *l, uint64_t local_bytes, syc_geometry g, const char *words)
{
    syc_signature k = kernel(false);
    const char *message;
    CHECK_STATUS(syc_plan_nd_range(device, &k, l, local_bytes, &g), SYC_E_ND_RANGE);
    message = syc_detail_of(SYC_E_ND_RANGE).message;
    if (strstr(message, words) == NULL || strstr(message, "nd-range of kernel 'k': global (") == NULL) {
        fprintf(stderr, "\"%s\" is not in \"%s\"\n", words, message);
        check__failures++;
    }
}

static void test_refusals(void)
{
    syc_kernel_limits required = {.max_group = 512, .required_group = {16, 1, 1}};
    syc_kernel_limits greedy = {.max_group = 512, .local_bytes = 30000};

    refused(&limits, 0, (syc_geometry){.dims = 1, .global = {64}, .local = {0}}, "local size in dimension 0 is 0");
    refused(&limits, 0, (syc_geometry){.dims = 2, .global = {64, 30}, .local = {8, 4}},
            "global size 30 in dimension 0 is not a multiple of the local size 4");
    refused(&limits, 0, (syc_geometry){.dims = 2, .global = {60, 32}, .local = {8, 4}},
            "global size 60 in dimension 1 is not a multiple of the local size 8");
    refused(&limits, 0, (syc_geometry){.dims = 3, .global = {1, 1, 128}, .local = {1, 1, 128}},
            "local size 128 in dimension 0 is more than the device's 64");
    refused(&required, 0, (syc_geometry){.dims = 1, .global = {64}, .local = {8}},
            "requires a local size of 16 in dimension 0");
    refused(&limits, 0, (syc_geometry){.dims = 2, .global = {64, 64}, .local = {64, 64}},
            "a work-group of 4096 items is more than the 512 that the kernel can have on Fake device 1");
    refused(&limits, 32769, (syc_geometry){.dims = 1, .global = {64}, .local = {8}},
            "32769 bytes of local memory are more than the device's 32768");
    refused(&greedy, 2769, (syc_geometry){.dims = 1, .global = {64}, .local = {8}},
            "32769 bytes of local memory are more than");
    refused(&limits, UINT64_MAX, (syc_geometry){.dims = 1, .global = {64}, .local = {8}}, "of local memory are more");
    refused(&limits, 0, (syc_geometry){.dims = 1, .global = {64}, .local = {8}, .offset = {SIZE_MAX - 10}},
            "offset plus range does not fit in 64 bits");
}

static void test_limits_are_reached(void)
{
    syc_signature k = kernel(false);
    syc_kernel_limits greedy = {.max_group = 512, .local_bytes = 30000};
    syc_geometry g = {.dims = 2, .global = {512, 2}, .local = {256, 2}, .offset = {SIZE_MAX - 512, 0}};
    CHECK_OK(syc_plan_nd_range(device, &k, &limits, 32768, &g));
    CHECK_OK(syc_plan_nd_range(device, &k, &greedy, 2768, &g));
    g = (syc_geometry){.dims = 3, .global = {1, 1, 64}, .local = {1, 1, 64}};
    CHECK_OK(syc_plan_nd_range(device, &k, &limits, 0, &g));
}

/* Plain ranges are refused for the same reasons, as far as they can have them. */
static void test_refused_ranges(void)
{
    syc_signature k = kernel(false);
    syc_geometry g = {.dims = 1, .global = {64}, .offset = {SIZE_MAX}};
    CHECK_STATUS(syc_plan_range(device, &k, &limits, 0, &g), SYC_E_ND_RANGE);
    g = (syc_geometry){.dims = 1, .global = {64}};
    CHECK_STATUS(syc_plan_range(device, &k, &limits, 32769, &g), SYC_E_ND_RANGE);
    CHECK_OK(syc_plan_range(device, &k, &limits, 32768, &g));
}

int main(void)
{
    FIND_FAKE_DRIVER;
    make_device();
    RUN(test_ranges);
    RUN(test_named_choices);
    RUN(test_empty_ranges);
    RUN(test_required_groups);
    RUN(test_costs);
    RUN(test_a_device_with_short_offsets);
    RUN(test_refusals);
    RUN(test_limits_are_reached);
    RUN(test_refused_ranges);
    return CHECK_EXIT_CODE;
}
