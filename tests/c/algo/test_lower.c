/* Lowering: which form a body takes on which device, the launch that belongs to it, and what is said about it. */
#include "algo/lower/lower.h"
#include "algo/table.h"
#include "body/body.h"
#include "body/name.h"

#include "child.h"
#include "program/program.h"
#include "source/declarations/signature.h"

#include <stdint.h>

static syc_device *device;

/* The fake driver's device with limits of the test's own, as one that takes work-groups in the given way. */
static void be(syc_items items)
{
    static syc_facts facts;
    facts = (syc_facts){.row = "test",
                        .local_size = 64,
                        .offset_bits = 64,
                        .items = items,
                        .caller_budget_ns = 20000,
                        .awaited_budget_ns = 45000,
                        .measured = "by nobody"};
    device->facts = &facts;
}

static void make_device(void)
{
    setenv("PYSYCL_DRIVERS", fake, 1);
    device = first_platform()->devices[0];
    device->compute_units = 2;
    device->max_group = 4096;
    device->max_items[0] = device->max_items[1] = device->max_items[2] = 4096;
    device->local_bytes = 32768;
}

static const syc_kernel_limits limits = {.max_group = 4096, .multiple = 8};
static const syc_signature kernel = {.name = "body", .bounded = true, .weight = 1};

static syc_body *body(const char *type, size_t size, const char *text)
{
    const syc_name names[] = {
        {.name = "x", .kind = SYC_NAME_GLOBAL, .type = type, .size = size, .readable = true, .rank = 1},
        {.name = "y",
         .kind = SYC_NAME_GLOBAL,
         .type = type,
         .size = size,
         .readable = true,
         .writable = true,
         .rank = 1},
    };
    const syc_body_source source = {.text = text, .names = names, .count = 2};
    syc_body *made = NULL;
    CHECK_OK(syc_body_create(&source, &made));
    return made;
}

static const char copy[] = "y[i] = x[i];";

static syc_geometry range_of(unsigned dims, size_t n0, size_t n1, size_t n2)
{
    return (syc_geometry){.dims = dims, .global = {n0, n1, n2}};
}

static syc_lowering lower(const char *type, size_t size, const char *text, const syc_geometry *range)
{
    syc_lowering lowering;
    syc_body *b = body(type, size, text);
    syc_lower_choose(device, b, range, NULL, false, false, &lowering);
    syc_body_release(b);
    return lowering;
}

/* -- the table -- */

static void check_shape(int line, const char *type, size_t size, const char *text, syc_geometry range, syc_shape shape,
                        unsigned elements)
{
    syc_lowering l = lower(type, size, text, &range);
    if (l.form.shape != shape || l.form.elements != elements || l.form.dims != range.dims) {
        fprintf(stderr, "%s:%d: '%s' of %s: shape %d of %u\n", __FILE__, line, text, type, (int)l.form.shape,
                l.form.elements);
        check__failures++;
    }
    CHECK(l.row->name != NULL && l.row->why != NULL && l.row->measured != NULL && l.local_size >= 1);
}
#define CHECK_SHAPE(type, size, text, range, shape, elements) \
    check_shape(__LINE__, type, size, text, range, shape, elements)

static void test_shapes_of_devices(void)
{
    const syc_geometry line = range_of(1, 1 << 20, 1, 1), plane = range_of(2, 1 << 10, 1 << 10, 1);
    static const char conditional[] = "if (x[i] > 0) y[i] = x[i];";
    be(SYC_ITEMS_LOOPED);
    CHECK_SHAPE("float", 4, copy, line, SYC_SHAPE_LOOP, 1);
    CHECK_SHAPE("float", 4, conditional, plane, SYC_SHAPE_LOOP, 1);
    CHECK_SHAPE("float", 4, "y[i] = exp(x[i]);", line, SYC_SHAPE_PACK, 1); /* its built-ins are faster */
    CHECK_SHAPE("float", 4, "y[i] = exp(x[i]);", plane, SYC_SHAPE_LOOP, 1);
    CHECK_SHAPE("float", 4, "y[i] = x[i] > 0 ? sin(x[i]) : 0;", line, SYC_SHAPE_PACK, 1);
    CHECK_SHAPE("float", 4, "if (x[i] > 0) y[i] = sin(x[i]);", line, SYC_SHAPE_LOOP, 1);
    be(SYC_ITEMS_PACKED);
    CHECK_SHAPE("float", 4, copy, line, SYC_SHAPE_ITEM, 1);
    be(SYC_ITEMS_SINGLY);
    CHECK_SHAPE("float", 4, copy, line, SYC_SHAPE_ITEM, 1);
    be(SYC_ITEMS_THREADED);
    CHECK_SHAPE("float", 4, conditional, line, SYC_SHAPE_ITEM, 1);
    CHECK_SHAPE("float", 4, copy, plane, SYC_SHAPE_ITEM, 1);
    CHECK_SHAPE("float", 4, "y[i] = x[i ^ 1];", line, SYC_SHAPE_ITEM, 1);
}

/* As many neighbours as fill 16 bytes of the widest element. */
static void test_neighbours(void)
{
    const syc_geometry line = range_of(1, 1 << 20, 1, 1);
    be(SYC_ITEMS_THREADED);
    CHECK_SHAPE("char", 1, copy, line, SYC_SHAPE_WIDE, 16);
    CHECK_SHAPE("short", 2, copy, line, SYC_SHAPE_WIDE, 8);
    CHECK_SHAPE("float", 4, copy, line, SYC_SHAPE_WIDE, 4);
    CHECK_SHAPE("double", 8, copy, line, SYC_SHAPE_WIDE, 2);
    CHECK_SHAPE("float4", 16, copy, line, SYC_SHAPE_ITEM, 1);
}

static void test_an_nd_range_and_a_task(void)
{
    syc_geometry range = {.dims = 1, .global = {128, 1, 1}, .local = {32, 1, 1}, .offset = {5, 0, 0}}, launch;
    syc_geometry task = {.dims = 0};
    syc_body *b = body("float", 4, copy);
    syc_lowering l;

    be(SYC_ITEMS_LOOPED);
    syc_lower_choose(device, b, &range, NULL, true, false, &l);
    CHECK(l.form.shape == SYC_SHAPE_ITEM && l.form.grouped && l.form.offset);
    CHECK_OK(syc_lower_plan(device, &l, &kernel, &limits, 0, &range, &launch));
    CHECK(launch.global[0] == 128 && launch.local[0] == 32 && launch.offset[0] == 5); /* the driver adds it */
    range.local[0] = 33;
    CHECK_STATUS(syc_lower_plan(device, &l, &kernel, &limits, 0, &range, &launch), SYC_E_ND_RANGE);

    syc_lower_choose(device, b, &task, NULL, false, false, &l);
    CHECK(l.form.shape == SYC_SHAPE_ITEM && l.form.dims == 0);
    CHECK_OK(syc_lower_plan(device, &l, &kernel, &limits, 0, &task, &launch));
    CHECK(launch.dims == 1 && launch.global[0] == 1 && launch.local[0] == 1);
    syc_body_release(b);
}

static void test_force(void)
{
    const syc_geometry line = range_of(1, 1000, 1, 1);
    be(SYC_ITEMS_SINGLY);
    syc_lower_force(SYC_SHAPE_LOOP);
    CHECK_SHAPE("float", 4, copy, line, SYC_SHAPE_LOOP, 1);
    syc_lower_force(SYC_SHAPE_WIDE);
    CHECK_SHAPE("float", 4, copy, line, SYC_SHAPE_WIDE, 4);
    CHECK_SHAPE("float", 4, "y[i] = x[i ^ 1];", line, SYC_SHAPE_ITEM, 1); /* it cannot: the table decides */
    syc_lower_force(SYC_SHAPE_PACK);
    CHECK_SHAPE("double", 8, copy, line, SYC_SHAPE_PACK, 1);
    CHECK_SHAPE("int", 4, copy, line, SYC_SHAPE_ITEM, 1);
    be(SYC_ITEMS_LOOPED);
    syc_lower_force(SYC_SHAPE_ITEM);
    CHECK_SHAPE("float", 4, copy, line, SYC_SHAPE_ITEM, 1);
    syc_lower_force(SYC_SHAPE_COUNT);
    CHECK_SHAPE("float", 4, copy, line, SYC_SHAPE_LOOP, 1);
}

/* -- launches -- */

static bool is_power(size_t n)
{
    return n != 0 && (n & (n - 1)) == 0;
}

/* Every element has a work-item, the groups fit, and not much is padded. */
static void check_launch(const syc_lowering *l, const syc_geometry *range)
{
    syc_geometry g;
    size_t group = 1, each = syc__lower_has_runs(l->form.shape) ? l->run : l->form.elements;
    CHECK(each >= 1);
    CHECK_OK(syc_lower_plan(device, l, &kernel, &limits, 0, range, &g));
    CHECK(g.dims == range->dims && g.rest == 0 && (g.offset[0] | g.offset[1] | g.offset[2]) == 0);
    for (unsigned d = 0; d < g.dims; d++) {
        size_t items = d > 0 ? range->global[d] : range->global[0] / each + (range->global[0] % each != 0);
        CHECK(g.global[d] >= items && g.global[d] % g.local[d] == 0);
        CHECK((items == 0) == (g.global[d] == 0));
        CHECK(g.global[d] - items < g.local[d]);
        CHECK(is_power(g.local[d]) && g.local[d] <= device->max_items[d]);
        group *= g.local[d];
    }
    CHECK(group <= l->local_size && group <= limits.max_group);
}

static void test_every_size(void)
{
    static const size_t sizes[] = {0,  1,   2,   3,    15,   16,   17,   63,    64,
                                   65, 100, 255, 1000, 4095, 4096, 4097, 10007, 1000003};
    enum { COUNT = sizeof sizes / sizeof *sizes };
    for (int items = SYC_ITEMS_SINGLY; items <= SYC_ITEMS_THREADED; items++) {
        be((syc_items)items);
        for (size_t a = 0; a < COUNT; a++)
            for (size_t b = 0; b < COUNT; b++)
                for (unsigned dims = 1; dims <= 3; dims++) {
                    syc_geometry range = range_of(dims, sizes[a], sizes[b], sizes[(a + b) % COUNT]);
                    syc_lowering l = lower("float", 4, (a + b) % 2 ? copy : "for (;;) y[i] = x[i];", &range);
                    check_launch(&l, &range);
                }
    }
}

static syc_geometry planned(const char *text, syc_geometry range, uint64_t *run)
{
    syc_lowering l = lower("float", 4, text, &range);
    syc_geometry g = {0};
    CHECK_OK(syc_lower_plan(device, &l, &kernel, &limits, 0, &range, &g));
    *run = l.run;
    return g;
}

/* A small range is one run, a large one enough of them for all compute units, whatever they cost. */
static void test_runs(void)
{
    uint64_t run = 0;
    be(SYC_ITEMS_LOOPED);
    CHECK_EQUAL(planned(copy, range_of(1, 4096, 1, 1), &run).global[0], 1);
    CHECK_EQUAL(run, 4096);
    CHECK_EQUAL(planned(copy, range_of(1, 1 << 24, 1, 1), &run).global[0], 32);
    CHECK_EQUAL(run, 1 << 19);
    CHECK_EQUAL(planned("while (x[i] > 0) y[i] = 0;", range_of(1, 1 << 20, 1, 1), &run).global[0], 128);
    CHECK_EQUAL(planned("while (x[i] > 0) y[i] = 0;", range_of(1, 4, 1, 1), &run).global[0], 1);
    CHECK_EQUAL(planned("y[i] = pow(x[i], 2.5f);", range_of(1, 4096, 1, 1), &run).global[0], 32);
    CHECK_EQUAL(run, 128);
    CHECK_EQUAL(planned(copy, range_of(2, 1 << 20, 4, 1), &run).global[0], 8);
    CHECK_EQUAL(planned(copy, range_of(2, 1000, 1000, 1), &run).global[0], 1);
    /* many short rows: several a group */
    CHECK_EQUAL(planned(copy, range_of(2, 3, 100000, 1), &run).local[1], 16);
    CHECK_EQUAL(planned(copy, range_of(3, 3, 3, 100000), &run).local[2], 4);
    CHECK_EQUAL(planned(copy, range_of(2, 3, 100, 1), &run).local[1], 1);
    CHECK_EQUAL(planned(copy, range_of(2, 300, 100000, 1), &run).local[1], 1);
}

/* Few and large groups, as long as there is one for everybody. */
static void test_groups_of_packed_items(void)
{
    uint64_t run = 0;
    be(SYC_ITEMS_PACKED);
    CHECK_EQUAL(planned(copy, range_of(1, 4096, 1, 1), &run).local[0], 4096);
    CHECK_EQUAL(planned(copy, range_of(1, 100, 1, 1), &run).local[0], 128);
    CHECK_EQUAL(planned(copy, range_of(1, 5000, 1, 1), &run).local[0], 2048);
    CHECK_EQUAL(planned(copy, range_of(1, 1 << 24, 1, 1), &run).local[0], 4096);
    CHECK_EQUAL(planned("y[i] = pow(x[i], 2.5f);", range_of(1, 4096, 1, 1), &run).local[0], 512);
    CHECK_EQUAL(planned("while (x[i] > 0) y[i] = 0;", range_of(1, 4096, 1, 1), &run).local[0], 128);
    CHECK_EQUAL(planned(copy, range_of(2, 3, 100000, 1), &run).local[0], 4);
    CHECK_EQUAL(planned(copy, range_of(2, 3, 100000, 1), &run).local[1], 1024);
    CHECK_EQUAL(planned(copy, range_of(2, 17, 100000, 1), &run).local[0], 16);
}

static void test_beyond_32_bits(void)
{
    const syc_geometry huge = range_of(1, ((size_t)1 << 33) + 1, 1, 1), most = range_of(1, SIZE_MAX, 1, 1);
    syc_geometry offset = huge, product = range_of(3, (size_t)1 << 30, (size_t)1 << 30, 16), g;
    for (int items = SYC_ITEMS_SINGLY; items <= SYC_ITEMS_THREADED; items++) {
        be((syc_items)items);
        syc_lowering l = lower("float", 4, copy, &huge);
        check_launch(&l, &huge);
        offset.offset[0] = (size_t)1 << 40; /* a parameter of the kernel: no driver has to know it */
        l = lower("float", 4, copy, &offset);
        CHECK(l.form.offset);
        check_launch(&l, &offset);
        offset.offset[0] = SIZE_MAX;
        CHECK_STATUS(syc_lower_plan(device, &l, &kernel, &limits, 0, &offset, &g), SYC_E_ND_RANGE);
        l = lower("float", 4, copy, &product);
        CHECK_STATUS(syc_lower_plan(device, &l, &kernel, &limits, 0, &product, &g), SYC_E_ND_RANGE);
    }
    be(SYC_ITEMS_SINGLY);
    syc_lowering l = lower("float", 4, copy, &most);
    CHECK_STATUS(syc_lower_plan(device, &l, &kernel, &limits, 0, &most, &g), SYC_E_ND_RANGE);
    CHECK(strstr(syc_detail_of(SYC_E_ND_RANGE).message, "padded to whole work-groups") != NULL);
}

static void test_limits(void)
{
    const syc_kernel_limits small = {.max_group = 100}, greedy = {.max_group = 100, .local_bytes = 40000};
    const syc_geometry range = range_of(2, 1000, 1000, 1);
    syc_geometry g;
    be(SYC_ITEMS_PACKED);
    syc_lowering l = lower("float", 4, copy, &range);
    CHECK_OK(syc_lower_plan(device, &l, &kernel, &small, 0, &range, &g));
    CHECK_EQUAL(g.local[0] * g.local[1], 64); /* the largest power of two */
    CHECK_STATUS(syc_lower_plan(device, &l, &kernel, &greedy, 0, &range, &g), SYC_E_ND_RANGE);
}

/* -- costs -- */

static uint64_t cost(const char *text, size_t n, bool checked)
{
    syc_geometry range = range_of(1, n, 1, 1), g = {0};
    syc_body *b = body("float", 4, text);
    syc_lowering l;
    syc_lower_choose(device, b, &range, NULL, false, checked, &l);
    CHECK_OK(syc_lower_plan(device, &l, &kernel, &limits, 0, &range, &g));
    syc_body_release(b);
    return g.cost_ns;
}

static void test_costs(void)
{
    be(SYC_ITEMS_LOOPED);
    CHECK_EQUAL(cost(copy, 0, false), 700);
    CHECK_EQUAL(cost(copy, 1000, false), 700 + 4 * (8 * 12 + 10 * 2));  /* four times what its bytes and tokens take */
    CHECK_EQUAL(cost("y[i] = x[i] % 3;", 1000, false), 700 + 12 * 150); /* a token of a vector: 0.15 ns */
    CHECK_EQUAL(cost(copy, 1000, true), 700 + 10 * 4000);               /* held against their bounds */
    CHECK_EQUAL(cost("y[i] = x[i ^ 1];", 1000, false), 700 + 12 * 1000);
    CHECK_EQUAL(cost("y[i] = pow(x[i], 3.0f);", 1000, false), 700 + 4 * (8 * 12 + 15 * 2 + 200 * 20));
    CHECK(cost("while (x[i] > 0) y[i] = 0;", 1, false) == UINT64_MAX);
    CHECK(cost(copy, (size_t)1 << 60, false) == UINT64_MAX);
    be(SYC_ITEMS_SINGLY);
    CHECK_EQUAL(cost(copy, 1000, false), 700 + 10 * 1000);
}

static uint64_t near(const char *text, size_t n, bool checked)
{
    syc_geometry range = range_of(1, n, 1, 1), g = {0};
    syc_body *b = body("float", 4, text);
    syc_lowering l;
    syc_lower_choose(device, b, &range, NULL, false, checked, &l);
    CHECK_OK(syc_lower_plan(device, &l, &kernel, &limits, 0, &range, &g));
    syc_body_release(b);
    return g.near_ns;
}

static void test_near_costs(void)
{
    be(SYC_ITEMS_LOOPED);
    CHECK_EQUAL(near(copy, 1000, false), 700 + 8 * 12 + 10 * 2);
    CHECK_EQUAL(near("y[i] = exp(x[i]);", 1000, false), 700 + 8 * 12 + 13 * 2 + 25 * 20);
    CHECK_EQUAL(near("if (x[i] > 0) y[i] = exp(x[i]);", 1000, false), 0); /* no vectors of 16 */
    CHECK_EQUAL(near("if (x[i] > 0) return; y[i] = 1;", 1000, false), 0);
    CHECK_EQUAL(near("y[i] = x[i] % 3;", 1000, false), 0);
    CHECK_EQUAL(near("y[i] = x[i ^ 1];", 1000, false), 0);
    CHECK_EQUAL(near(copy, 1000, true), 0);
    be(SYC_ITEMS_SINGLY);
    CHECK_EQUAL(near(copy, 1000, false), 0);
}

/* -- explain -- */

static void check_said(const syc_lowering *l, const syc_geometry *range, const syc_geometry *launch, const char *words)
{
    syc_text text = {0};
    syc_lower_explain(device, l, range, launch, &text);
    if (strstr(syc_text_get(&text), words) == NULL) {
        fprintf(stderr, "\"%s\" is not in:\n%s", words, syc_text_get(&text));
        check__failures++;
    }
    syc_text_clear(&text);
}

static void test_explain(void)
{
    syc_geometry range = range_of(2, 100, 3, 1),
                 g = {.dims = 1, .global = {1000, 1, 1}, .local = {64, 1, 1}, .rest = 40};
    syc_lowering l;
    be(SYC_ITEMS_SINGLY);
    l = lower("float", 4, copy, &range);
    CHECK_OK(syc_lower_plan(device, &l, &kernel, &limits, 0, &range, &g));
    check_said(&l, &range, &g, "shape     item: a work-item for each element\n");
    check_said(&l, &range, &g, "launch    (3, 100) as 6 groups: global (3, 128), local (1, 64)\n");
    range.global[0] = 0;
    CHECK_OK(syc_lower_plan(device, &l, &kernel, &limits, 0, &range, &g));
    check_said(&l, &range, &g, "launch    none: the range is empty\n");
    be(SYC_ITEMS_LOOPED);
    range = range_of(1, 1000, 1, 1);
    l = lower("float", 4, copy, &range);
    CHECK_OK(syc_lower_plan(device, &l, &kernel, &limits, 0, &range, &g));
    check_said(&l, &range, &g, "shape     loop: a work-item for a run of 1000 elements\n");
    check_said(&l, &range, &g, "launch    (1000,) as 1 group: global (1,), local (1,)\n");
    check_said(&l, &range, &g, "row       PoCL, a loop\n");
    check_said(&l, &range, &g, "measured  PoCL 3.0, one core");
    be(SYC_ITEMS_THREADED);
    l = lower("float", 4, copy, &range);
    check_said(&l, &range, &g, "shape     wide: a work-item for 4 neighbours\n");
    g = (syc_geometry){.dims = 1, .global = {1000, 1, 1}, .local = {64, 1, 1}, .rest = 40};
    check_said(NULL, &range, &g, "shape     the kernel as it is written\n");
    check_said(NULL, &range, &g,
               "15 groups: global (960,), local (64,); then a second launch of the last 40 in groups");
}

static void test_lanes_explained(void)
{
    cl_device_id caller = device->lanes[SYC_LANE_CALLER];
    const syc_geometry range = range_of(1, 1000, 1, 1);
    syc_geometry g = {.dims = 1, .global = {1, 1, 1}, .local = {1, 1, 1}, .cost_ns = 1500};
    be(SYC_ITEMS_LOOPED);
    syc_lowering l = lower("float", 4, copy, &range);
    device->lanes[SYC_LANE_CALLER] = NULL;
    check_said(&l, &range, &g, "lane      the driver's queue\n");
    device->lanes[SYC_LANE_CALLER] = device->lanes[SYC_LANE_POOL];
    check_said(&l, &range, &g,
               "the calling thread, once all that it waits for has ended: estimated 1.5 us of at most 20.0 us");
    g.cost_ns = 20001000;
    check_said(&l, &range, &g, "the driver's threads: estimated 20.0 ms; the calling thread does up to 20.0 us");
    g.near_ns = 45000;
    check_said(
        &l, &range, &g,
        "the driver's threads, and the calling thread where the call waits and all before it has ended: estimated "
        "45.0 us of at most 45.0 us");
    g.near_ns = 45001;
    check_said(&l, &range, &g, "the driver's threads: estimated 20.0 ms; the calling thread does up to 20.0 us");
    g.cost_ns = UINT64_MAX;
    check_said(&l, &range, &g,
               "the driver's threads: nothing bounds what an element costs, or its arrays are large for a stack\n");
    device->lanes[SYC_LANE_CALLER] = caller;
}

int main(void)
{
    FIND_FAKE_DRIVER;
    make_device();
    RUN(test_shapes_of_devices);
    RUN(test_neighbours);
    RUN(test_an_nd_range_and_a_task);
    RUN(test_force);
    RUN(test_every_size);
    RUN(test_runs);
    RUN(test_groups_of_packed_items);
    RUN(test_beyond_32_bits);
    RUN(test_limits);
    RUN(test_costs);
    RUN(test_near_costs);
    RUN(test_explain);
    RUN(test_lanes_explained);
    return CHECK_EXIT_CODE;
}
