/* Where the work-items of a body combine each of its arrays of variables. A table as in lower.c: the first row that
 * fits. */
#include "algo/lower/span_rows.h"

#include "algo/counts.h"
#include "algo/table.h"
#include "body/name.h"
#include "body/traits.h"
#include "cl/device.h"

#include <stdatomic.h>

static const char few[] =
    "few work-items, each with a copy of the array in its cache; what they leave is combined by all "
    "of them where that is much";
static const char fourfold[] =
    "few work-items, each with four copies of the array in its cache that it takes in turn, so "
    "that values for one variable do not wait for each other";
static const char alone[] =
    "one work-item, which combines with the variables themselves: copies would not fit, or take "
    "longer to combine than the values";
static const char shared[] = "atomic operations on the variables: copies would not fit, or take longer to combine than "
                             "the values";
static const char local[] =
    "atomic operations on copies in each group's local memory, and on the variables when a group "
    "has ended";
static const char items_copies[] = "a copy of the array for each work-item, because no atomic operation is fit for it";

static const char table_of_zeros[] = "atomic operations on a table of zeros, of which the last group makes the "
                                     "variables and zeros again: so nothing has "
                                     "to be set up before a launch; copies would not fit into a group's local memory";
static const char local_table[] =
    "atomic operations on copies in each group's local memory, and when a group has ended on a table of zeros, of "
    "which "
    "the last group makes the variables and zeros again: so nothing has to be set up before a launch";

/* Bytes that copies in local memory take, so that there is room for other groups; of a table that one group is done
 * with sooner than another launch would be. */
enum { LITTLE_ROOM = 8192, MOST_TABLE = 1 << 19 };

/* Spare ones of NVIDIA's. */
#define IN_LOCAL_TABLES(words, groups_, items_, copies_, ahead_, whole_)                                               \
    {                                                                                                                  \
        .base.items = SYC_ON_THREADED, .base.flags = SYC_ROW_SPARE, .base.name = "NVIDIA, tables, " words,             \
        .base.why = local_table, .base.measured = "see 'NVIDIA, tables in local memory'", .way = SYC_SPAN_LOCAL_TABLE, \
        .copies = copies_, .little = 40960, .groups = groups_, .items = items_, .ahead = ahead_, .whole = whole_       \
    }

static const struct syc__span_row rows[] = {
    {.base.name = "nd-range, copies in local memory",
     .base.why = local,
     .base.measured = "not measured",
     .grouped = true,
     .way = SYC_SPAN_LOCAL,
     .copies = 32,
     .little = LITTLE_ROOM},
    {.base.name = "nd-range, atomic operations",
     .base.why = shared,
     .base.measured = "not measured",
     .grouped = true,
     .way = SYC_SPAN_SHARED},
    {.base.name = "nd-range, a copy for each work-item",
     .base.why = items_copies,
     .base.measured = "not measured",
     .grouped = true,
     .way = SYC_SPAN_COPIES,
     .steady = true,
     .least = 1},
    {.base.items = SYC_ON_CPUS,
     .base.name = "CPUs, four copies for each of few work-items",
     .base.why = fourfold,
     .base.measured = "times of np.bincount and of the better of two kernels by hand over ours, 2^24 values, a loaded "
                      "machine of 2 cores: PoCL 3.0, 16 bins 5.8 to 8.3 and 0.8 to 3.1, 256 bins 6.3 and 1.7, all in "
                      "one of them 7.9 and 4.3; Intel 2026.2, 5 to 13 and 1.0 to 2.4; with one copy each PoCL takes "
                      "1.3 times as long (256 bins), 2.3 to 3.3 times with all in one bin",
     .way = SYC_SPAN_FOURFOLD,
     .steady = true,
     .most = 8192,
     .least = 1,
     .groups = 2},
    {.base.items = SYC_ON_CPUS,
     .base.name = "CPUs, a copy for each of few work-items",
     .base.why = few,
     .base.measured = "the same: PoCL 3.0, 4096 bins 9.0 and 1.1, all in one 2.1 and 0.8, 2^20 bins 2.0 and 0.9; Intel "
                      "2026.2, 5.2 and 1.0, 8.7 and 1.5, 1.7 and 1.1; with four copies each 4096 bins take 1.4 times "
                      "as long, and half of that with all in one bin",
     .way = SYC_SPAN_COPIES,
     .steady = true,
     .groups = 1},
    {.base.items = SYC_ON_CPUS,
     .base.name = "CPUs, atomic operations",
     .base.why = shared,
     .base.measured = "not measured",
     .way = SYC_SPAN_SHARED,
     .units = 8,
     .groups = 4},
    {.base.items = SYC_ON_CPUS,
     .base.name = "CPUs, a copy for each of fewer work-items",
     .base.why = few,
     .base.measured = "not measured",
     .way = SYC_SPAN_COPIES,
     .steady = true,
     .least = 4,
     .groups = 1},
    {.base.items = SYC_ON_CPUS,
     .base.name = "CPUs, one work-item",
     .base.why = alone,
     .base.measured = "the same, 2^24 bins: PoCL 3.0, 1.3 and 1.4, all in one bin 2.6 and 2.3; Intel 2026.2, 1.1 and "
                      "1.1, 7.2 and 4.0; atomic operations by all work-items of 2 cores took 2.2 to 3.2 times as long",
     .way = SYC_SPAN_ALONE,
     .steady = true,
     .groups = 1},
    {.base.items = SYC_ON_THREADED,
     .base.name = "NVIDIA, tables in local memory",
     .base.why = local_table,
     .base.measured = "H100, driver 580.159, us by the device's clock, the least of 12, 256 even bins of 2^24, 2^20 "
                      "and 2^16 elements: f4 "
                      "34, 12 and 9 to 13, u4 36 to 41 in ten repeats, 12 to 16 and 10 to 12; copies in local memory "
                      "whose variables another "
                      "pass makes of another type, u4 54, 24 and 24. No other row of tables was better beyond these "
                      "repeats: f4 2^24, one "
                      "copy 37, a copy for each lane 35, eight accesses 37, whole ones 35, more groups 40, of 1024 41; "
                      "all in one bin 35, "
                      "by one copy 42. 10 bins 35, 1000 37, 4096 38, 12000 49",
     .way = SYC_SPAN_LOCAL_TABLE,
     .copies = 32,
     .little = 9216,
     .groups = 2,
     .items = 512,
     .ahead = 4},
    IN_LOCAL_TABLES("one copy", 2, 512, 1, 4, false),
    IN_LOCAL_TABLES("a copy for each lane", 2, 512, 32, 4, false),
    IN_LOCAL_TABLES("eight accesses", 2, 512, 8, 8, false),
    IN_LOCAL_TABLES("whole accesses", 2, 512, 8, 4, true),
    IN_LOCAL_TABLES("more groups", 4, 512, 8, 4, false),
    IN_LOCAL_TABLES("groups of 1024", 2, 1024, 8, 4, false),
    {.base.items = SYC_ON_THREADED,
     .base.name = "NVIDIA, a table",
     .base.why = table_of_zeros,
     .base.measured = "H100, driver 580.159, us by the device's clock, 2^24 floats in 65536 even bins: 354",
     .way = SYC_SPAN_TABLE,
     .most = MOST_TABLE,
     .groups = 4,
     .items = 512,
     .ahead = 4},
    {.base.name = "any device, copies in local memory",
     .base.why = local,
     .base.measured = "not measured",
     .way = SYC_SPAN_LOCAL,
     .copies = 32,
     .little = LITTLE_ROOM},
    {.base.name = "any device, atomic operations",
     .base.why = shared,
     .base.measured = "not measured",
     .way = SYC_SPAN_SHARED},
    {.base.name = "any device, a copy for each work-item",
     .base.why = items_copies,
     .base.measured = "not measured",
     .way = SYC_SPAN_COPIES,
     .steady = true,
     .least = 1},
    {.base.name = "any device, one work-item",
     .base.why = alone,
     .base.measured = "not measured",
     .way = SYC_SPAN_ALONE,
     .steady = true},
    {.base.name = "any device, copies for as few work-items as can be",
     .base.why = "copies of the array, which take much memory, because its accuracy needs more than the variables hold",
     .base.measured = "not measured",
     .way = SYC_SPAN_COPIES,
     .steady = true,
     .last = true},
    {.base = SYC_TEST_ROW("copies"), .way = SYC_SPAN_COPIES},
    {.base = SYC_TEST_ROW("four copies"), .way = SYC_SPAN_FOURFOLD},
    {.base = SYC_TEST_ROW("one work-item"), .way = SYC_SPAN_ALONE},
    {.base = SYC_TEST_ROW("atomic operations"), .way = SYC_SPAN_SHARED},
    {.base = SYC_TEST_ROW("local memory"), .way = SYC_SPAN_LOCAL, .copies = 4, .little = LITTLE_ROOM},
    {.base = SYC_TEST_ROW("a table"), .way = SYC_SPAN_TABLE},
    {.base = SYC_TEST_ROW("tables in local memory"),
     .way = SYC_SPAN_LOCAL_TABLE,
     .copies = 4,
     .little = LITTLE_ROOM,
     .items = 32,
     .ahead = 2,
     .whole = true},
};

enum { FEW_VARIABLES = 4096 };

/* -- what tests ask for -- */

static _Atomic(syc_span_way) forced = SYC_SPAN_COUNT;
static atomic_bool forced_folds;

void syc_lower_force_span(syc_span_way way, bool folds)
{
    atomic_store(&forced, way);
    atomic_store(&forced_folds, folds);
}

syc_span_way syc__lower_forced_span(void)
{
    return atomic_load_explicit(&forced, memory_order_relaxed);
}

bool syc__span_folds(bool otherwise)
{
    return syc__lower_forced_span() != SYC_SPAN_COUNT ? atomic_load_explicit(&forced_folds, memory_order_relaxed)
                                                      : otherwise;
}

/* -- which row -- */

uint64_t syc__span_room(const struct syc__span_question *a)
{
    return syc__multiply(a->length | 1, a->name->size);
}

bool syc__span_has_copies(syc_span_way way)
{
    return way == SYC_SPAN_COPIES || way == SYC_SPAN_FOURFOLD;
}

/* The table stands before all partial results, whose bytes are anything after a launch. */
static bool can_have_table(const struct syc__span_question *a)
{
    return a->sole && !a->name->reducer.late && a->lowering->form.shape == SYC_SHAPE_STRIDE &&
           !a->lowering->form.grouped && syc_span_begins_with_zeros(a->name) &&
           syc_span_is_atomic(a->name, a->device->atomic64);
}

static bool can(const void *row, const void *question)
{
    const struct syc__span_question *a = question;
    const syc_span_way way = ((const struct syc__span_row *)row)->way;
    bool lanes = a->lowering->form.shape == SYC_SHAPE_LANES;
    if (a->name->op.accuracy != SYC_ACCURACY_FAST && !syc__span_has_copies(way))
        return false;
    if (a->name->reducer.result != NULL && !syc__span_has_copies(way) && !syc_span_has_table(way))
        return false;
    switch (way) {
    case SYC_SPAN_FOURFOLD:
        return lanes;
    case SYC_SPAN_ALONE:
        return !a->lowering->form.grouped;
    case SYC_SPAN_SHARED:
        return syc_span_is_atomic(a->name, a->device->atomic64);
    case SYC_SPAN_LOCAL:
        return !lanes && a->name->op.known && syc_span_is_atomic(a->name, a->device->atomic64) &&
               syc__span_room(a) <= a->room;
    case SYC_SPAN_TABLE:
        return can_have_table(a);
    case SYC_SPAN_LOCAL_TABLE:
        return can_have_table(a) && syc__span_room(a) <= a->all;
    case SYC_SPAN_PRIVATE:
        return false;
    default:
        return true;
    }
}

/* Copies have to fit, and to be worth the trouble. */
static bool copies_fit(const struct syc__span_row *row, const struct syc__span_question *a)
{
    uint64_t groups = row->least != 0 ? row->least : a->device->compute_units;
    uint64_t items = syc__multiply(groups, a->lowering->local_size);
    if (a->lowering->form.grouped || row->last)
        return true;
    return syc__multiply(a->bytes, items) <= SYC__SPAN_MOST_COPIES &&
           (a->length <= FEW_VARIABLES || a->length <= a->elements);
}

static bool prefers(const void *given, const void *question)
{
    const struct syc__span_row *row = given;
    const struct syc__span_question *a = question;
    return row->grouped == a->lowering->form.grouped && (row->most == 0 || a->bytes <= row->most) &&
           a->device->compute_units >= row->units &&
           (row->steady || !a->name->reducer.ordered || syc_span_is_exact(a->name)) &&
           (a->name->reducer.fresh || !syc_span_has_table(row->way)) &&
           (!syc__span_has_copies(row->way) || copies_fit(row, a));
}

static bool asked(const void *row, const void *question)
{
    (void)question;
    return ((const struct syc__span_row *)row)->way == syc__lower_forced_span();
}

/* What the self-test knows the way by, of such an array. */
static syc_families families_of(const void *given, const void *question)
{
    static const syc_family families[SYC_SPAN_COUNT] = {[SYC_SPAN_COPIES] = SYC_FAMILY_SPAN_COPIES,
                                                        [SYC_SPAN_FOURFOLD] = SYC_FAMILY_SPAN_FOURFOLD,
                                                        [SYC_SPAN_ALONE] = SYC_FAMILY_SPAN_ALONE,
                                                        [SYC_SPAN_SHARED] = SYC_FAMILY_SPAN_SHARED,
                                                        [SYC_SPAN_LOCAL] = SYC_FAMILY_SPAN_LOCAL,
                                                        [SYC_SPAN_TABLE] = SYC_FAMILY_SPAN_TABLE,
                                                        [SYC_SPAN_LOCAL_TABLE] = SYC_FAMILY_SPAN_LOCAL_TABLE};
    const struct syc__span_row *row = given;
    bool wide = (row->way == SYC_SPAN_SHARED || row->way == SYC_SPAN_LOCAL || syc_span_has_table(row->way)) &&
                ((const struct syc__span_question *)question)->name->size > 4;
    return syc_family_bit(families[row->way]) | (wide ? syc_family_bit(SYC_FAMILY_ATOMICS_64) : 0);
}

/* The last row of either kind is preferred by all. */
static syc_table table = {SYC_TABLE_OF(rows), .can = can, .prefers = prefers, .asked = asked, .families = families_of};

bool syc__span_row_force(const char *name)
{
    syc_table_force(&table, name);
    return name != NULL && syc_table_named(&table, NULL, name) != NULL;
}

const struct syc__span_row *syc__span_row_of(const struct syc__span_question *question, syc_families *families)
{
    const struct syc__span_row *row = syc_table_find(&table, question->device, question);
    *families = syc_table_families(&table, row, question);
    return row;
}
