/* Scans on a device with warps: which row they take, and groups that fit it. */
#include "algo/lower/lower.h"
#include "algo/table.h"
#include "body/body.h"
#include "body/name.h"
#include "cl/sub_group.h"

#include "child.h"
#include "threaded.h"

static syc_device *device;

/* Of lines of `length` elements, `lines` of them one behind the other, by an accumulator of so many bytes. */
static syc_lowering lower(size_t length, size_t lines, size_t bytes, bool segments)
{
    const syc_name names[] = {
        {.name = "x", .kind = SYC_NAME_GLOBAL, .type = "uint", .size = 4, .readable = true, .rank = 1},
        {.name = "t",
         .kind = SYC_NAME_REDUCER,
         .type = bytes == 4 ? "uint" : "struct large",
         .size = bytes,
         .op = {.operation = "plus a + b", .known = true},
         .reducer = {.fresh = true, .scanner = true}}};
    const syc_body_source source = {.text = segments ? "t.restart(x[i] > 3); t.combine(x[i]);\n}{\n"
                                                     : "t.combine(x[i]);\n}{\n",
                                    .names = names,
                                    .count = 2,
                                    .seam = 2,
                                    .along = lines > 1 ? 1 : SYC_ALONG_ALL};
    const syc_geometry range = {
        .dims = lines > 1 ? 2 : 1, .global = {length, lines > 1 ? lines : 1, 1}, .local = {1, 1, 1}};
    const syc_span_sizes sizes = {.local_bytes = 0};
    syc_lowering l;
    syc_body *body = NULL;
    CHECK_OK(syc_body_create(&source, &body));
    syc_lower_choose(device, body, &range, &sizes, false, false, &l);
    syc_body_release(body);
    return l;
}

/* A group for each unit, all under way together; elements that a unit has a tile of. */
static void long_lines(void)
{
    const syc_lowering most = lower((size_t)1 << 28, 1, 4, false), few = lower((size_t)1 << 18, 1, 4, false);
    CHECK_EQUAL(most.form.shape, SYC_SHAPE_ROUNDS);
    CHECK(most.form.warps);
    CHECK_EQUAL(most.groups, UNITS);
    CHECK_EQUAL(most.form.items, most.local_size);
    CHECK_EQUAL(most.run, (uint64_t)most.form.elements * most.local_size);
    CHECK_EQUAL(most.families, syc_family_bit(SYC_FAMILY_SCAN_ROUNDS));
    CHECK(few.form.elements < most.form.elements);
    CHECK_EQUAL(few.groups, few.pieces);
    CHECK(few.groups <= UNITS);
    CHECK_EQUAL(lower((size_t)1 << 28, 1, 4, true).form.elements, most.form.elements); /* segments are bits */
}

/* Groups no larger than a line, and more of them: they wait for nobody. */
static void short_lines(void)
{
    const syc_lowering l = lower(100, 1 << 16, 4, false);
    CHECK_EQUAL(l.form.shape, SYC_SHAPE_ROUNDS);
    CHECK_EQUAL(l.pieces, 1);
    CHECK(l.local_size < 512 && l.run >= 100);
    CHECK(l.groups > UNITS);
    CHECK_EQUAL(l.form.registers, 0);
}

/* More groups are under way together where a unit has the local memory for them, and the registers of its 65536. */
static void new_devices(void)
{
    device->ptx_arch = 90;
    CHECK_EQUAL(lower((size_t)1 << 28, 1, 4, false).groups, 3 * UNITS);
    CHECK_EQUAL(lower((size_t)1 << 28, 1, 4, false).form.registers, 80);
    CHECK_EQUAL(lower((size_t)1 << 28, 1, 512, false).form.registers, 0); /* smaller groups: all that there are */
    device->ptx_arch = 89;
    CHECK_EQUAL(lower((size_t)1 << 28, 1, 4, false).groups, 2 * UNITS);
    CHECK_EQUAL(lower((size_t)1 << 28, 1, 4, false).form.registers, 128);
    device->ptx_arch = 75;
    CHECK_EQUAL(lower((size_t)1 << 28, 1, 4, false).groups, UNITS);
    CHECK_EQUAL(lower((size_t)1 << 28, 1, 4, false).form.registers, 0);
    device->ptx_arch = 0;
}

/* Two tiles fit local memory, or others have the scan. */
static void large_sums(void)
{
    for (size_t bytes = 8; bytes <= 512; bytes *= 2) {
        const syc_lowering l = lower((size_t)1 << 20, 1, bytes, false);
        CHECK_EQUAL(l.form.shape, SYC_SHAPE_ROUNDS);
        CHECK(2 * bytes * l.form.elements * l.local_size <= MOST_LOCAL);
    }
    CHECK_EQUAL(lower((size_t)1 << 20, 1, 1024, false).form.shape, SYC_SHAPE_TILES);
}

static void where_they_are_wrong_or_not_there(void)
{
    atomic_store(&device->ways[SYC_FAMILY_SCAN_ROUNDS], SYC_WAY_NONE);
    CHECK_EQUAL(lower((size_t)1 << 20, 1, 4, false).form.shape, SYC_SHAPE_TILES);
    atomic_store(&device->ways[SYC_FAMILY_SCAN_ROUNDS], SYC_WAY_UNKNOWN);
    atomic_store(&device->ways[SYC_FAMILY_SUB_GROUPS], SYC_SUB_GROUP_EMULATED);
    CHECK_EQUAL(lower((size_t)1 << 20, 1, 4, false).form.shape, SYC_SHAPE_TILES);
    atomic_store(&device->ways[SYC_FAMILY_SUB_GROUPS], SYC_WAY_UNKNOWN);
    CHECK_EQUAL(lower((size_t)1 << 20, 1, 4, false).form.shape, SYC_SHAPE_ROUNDS);
}

int main(void)
{
    FIND_FAKE_DRIVER;
    device = threaded_device();
    RUN(long_lines);
    RUN(short_lines);
    RUN(new_devices);
    RUN(large_sums);
    RUN(where_they_are_wrong_or_not_there);
    return CHECK_EXIT_CODE;
}
