/* Reducers whose warps combine by shuffles: where that is the form, which family of the self-test it belongs to, and
 * what takes its place where the device gets that wrong. */
#include "algo/lower/lower.h"
#include "algo/table.h"
#include "body/body.h"
#include "body/name.h"
#include "cl/sub_group.h"

#include "child.h"
#include "threaded.h"

static syc_device *device;

enum { INNER = 1, OUTER = 2 };

struct asked {
    unsigned reduced; /* of a range of two dimensions */
    size_t grouped;   /* an nd-range with so many items in a group */
    size_t wide;      /* bytes of the accumulator, 0: 4 */
};

static syc_lowering lower(struct asked a)
{
    const syc_name name = {.name = "r",
                           .kind = SYC_NAME_REDUCER,
                           .type = a.wide > 4 ? "struct large" : "uint",
                           .size = a.wide > 4 ? a.wide : 4,
                           .rank = 0,
                           .op = {.operation = "plus a + b", .known = true},
                           .reducer = {.reduced = a.reduced, .fresh = true}};
    const syc_body_source source = {.text = "r.combine(1);", .names = &name, .count = 1};
    const unsigned dims = a.reduced != 0 ? 2 : 1;
    const syc_geometry range = {
        .dims = dims, .global = {1 << 12, dims > 1 ? 1 << 12 : 1, 1}, .local = {a.grouped > 0 ? a.grouped : 1, 1, 1}};
    const syc_span_sizes sizes = {.local_bytes = 0};
    syc_lowering l;
    syc_body *body = NULL;
    CHECK_OK(syc_body_create(&source, &body));
    syc_lower_choose(device, body, &range, &sizes, a.grouped > 0, false, &l);
    syc_body_release(body);
    return l;
}

static bool has_warps(struct asked a, syc_family family)
{
    syc_lowering l = lower(a);
    return l.form.warps && l.families == syc_family_bit(family);
}

static bool has_none(struct asked a, syc_families families)
{
    syc_lowering l = lower(a);
    return !l.form.warps && l.families == families;
}

static void where_groups_are_whole_warps(void)
{
    CHECK(has_warps((struct asked){.reduced = 0}, SYC_FAMILY_STRIDE_WARPS));
    CHECK(has_warps((struct asked){.grouped = 64}, SYC_FAMILY_STRIDE_WARPS));
    CHECK(has_none((struct asked){.grouped = 48}, 0));
    CHECK(has_none((struct asked){.wide = 24}, syc_family_bit(SYC_FAMILY_REDUCE_STRIDE)));
    CHECK(has_warps((struct asked){.reduced = INNER}, SYC_FAMILY_TEAMS_WARPS) ||
          has_warps((struct asked){.reduced = INNER}, SYC_FAMILY_TEAMS_DOWN_WARPS));
    CHECK(lower((struct asked){.reduced = INNER}).families != lower((struct asked){.reduced = OUTER}).families);
}

/* One of them says nothing of the others. */
static void where_they_are_wrong(void)
{
    static const syc_family warps[] = {SYC_FAMILY_STRIDE_WARPS, SYC_FAMILY_TEAMS_WARPS, SYC_FAMILY_TEAMS_DOWN_WARPS};
    for (size_t i = 0; i < sizeof warps / sizeof *warps; i++) {
        size_t left = 0;
        atomic_store(&device->ways[warps[i]], SYC_WAY_NONE);
        for (unsigned reduced = 0; reduced <= OUTER; reduced++)
            left += lower((struct asked){.reduced = reduced}).form.warps;
        CHECK_EQUAL(left, 2);
        if (warps[i] == SYC_FAMILY_STRIDE_WARPS) {
            CHECK(has_none((struct asked){.reduced = 0}, syc_family_bit(SYC_FAMILY_REDUCE_STRIDE)));
            CHECK(has_none((struct asked){.grouped = 64}, 0));
        }
        atomic_store(&device->ways[warps[i]], SYC_WAY_UNKNOWN);
    }
}

static void where_sub_groups_are(void)
{
    atomic_store(&device->ways[SYC_FAMILY_SUB_GROUPS], SYC_SUB_GROUP_EMULATED);
    CHECK(has_none((struct asked){.reduced = 0}, syc_family_bit(SYC_FAMILY_REDUCE_STRIDE)));
    CHECK(!lower((struct asked){.reduced = INNER}).form.warps && !lower((struct asked){.reduced = OUTER}).form.warps);
    atomic_store(&device->ways[SYC_FAMILY_SUB_GROUPS], SYC_WAY_UNKNOWN);
}

static syc_lowering lower_sum(size_t n, const char *text)
{
    const syc_name names[] = {
        {.name = "x", .kind = SYC_NAME_GLOBAL, .type = "float", .size = 4, .readable = true, .rank = 1},
        {.name = "r",
         .kind = SYC_NAME_REDUCER,
         .type = "float",
         .size = 4,
         .rank = 0,
         .op = {.operation = "plus a + b", .known = true},
         .reducer = {.fresh = true}}};
    const syc_body_source source = {.text = text, .names = names, .count = 2};
    const syc_geometry range = {.dims = 1, .global = {n, 1, 1}, .local = {1, 1, 1}};
    const syc_span_sizes sizes = {.local_bytes = 0};
    syc_lowering l;
    syc_body *body = NULL;
    CHECK_OK(syc_body_create(&source, &body));
    syc_lower_choose(device, body, &range, &sizes, false, false, &l);
    syc_body_release(body);
    return l;
}

/* What is little is done by one group, and what is much by the largest, where the text costs next to nothing. */
static void how_many_groups_there_are(void)
{
    static const char light[] = "r += x[i];", heavy[] = "r += sin(x[i]);";
    static const char most[] = "NVIDIA, 16 bytes at a time, many groups of 1024";
    const size_t much = (size_t)1 << 27;
    CHECK_EQUAL(lower_sum(0, light).groups, 1);
    CHECK_EQUAL(lower_sum(8192, light).groups, 1);
    CHECK(lower_sum(8193, light).groups > 1);
    CHECK(lower_sum(8192, heavy).groups > 1);
    CHECK_STRING(lower_sum(much, light).row->name, most);
    CHECK_EQUAL(lower_sum(much, light).local_size, 1024);
    CHECK_EQUAL(lower_sum(much - 1, light).local_size, 256);
    CHECK_EQUAL(lower_sum(2 * much, heavy).local_size, 256);
}

int main(void)
{
    FIND_FAKE_DRIVER;
    device = threaded_device();
    RUN(where_groups_are_whole_warps);
    RUN(where_they_are_wrong);
    RUN(where_sub_groups_are);
    RUN(how_many_groups_there_are);
    return CHECK_EXIT_CODE;
}
