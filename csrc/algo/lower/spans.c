/* Where the work-items of a body combine each of its arrays of variables. A table as in lower.c: the first row that
 * fits. What a row costs in memory is bounded: copies of all arrays take MOST_COPIES at most, over an nd-range what
 * python/body/reductions.c allows. */
#include "algo/lower/lower.h"

#include "algo/counts.h"
#include "algo/table.h"
#include "body/name.h"
#include "body/traits.h"
#include "cl/device.h"

#include <stdatomic.h>

struct row {
    syc_row base;
    bool grouped; /* for nd-ranges, else for ranges */
    syc_span_way way;
    bool steady;     /* the result does not depend on who comes first, whatever the operator */
    uint64_t most;   /* bytes of the array; 0: no limit */
    uint32_t units;  /* compute units at least */
    uint32_t least;  /* groups for which copies have to fit at least; 0: for as many as there are compute units */
    uint32_t groups; /* for each compute unit at most; 0: as many as without arrays */
    uint32_t copies; /* LOCAL: at most, as long as they take little room */
    bool last;       /* copies that need not fit */
};

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

static const struct row rows[] = {
    {.base.name = "nd-range, copies in local memory",
     .base.why = local,
     .base.measured = "not measured",
     .grouped = true,
     .way = SYC_SPAN_LOCAL,
     .copies = 32},
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
    {.base.name = "any device, copies in local memory",
     .base.why = local,
     .base.measured = "not measured",
     .way = SYC_SPAN_LOCAL,
     .copies = 32},
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
    {.base = SYC_TEST_ROW("local memory"), .way = SYC_SPAN_LOCAL, .copies = 4},
};

enum { MOST_COPIES = 64 << 20, LITTLE_ROOM = 8192, FEW_VARIABLES = 4096, FOLD_ELEMENTS = 1 << 16 };

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

/* -- which row -- */

/* The question to the table, for one array. */
struct asked {
    const syc_device *device;
    const syc_name *name;
    const syc_lowering *lowering;
    uint64_t length, bytes, elements; /* of the array; of the range */
    uint64_t room;                    /* bytes of local memory that are left for it */
};

/* The bytes of a copy in local memory: copies begin in different banks. */
static uint64_t room_of(const struct asked *a)
{
    return syc__multiply(a->length | 1, a->name->size);
}

static bool has_copies(syc_span_way way)
{
    return way == SYC_SPAN_COPIES || way == SYC_SPAN_FOURFOLD;
}

static bool can(const void *row, const void *question)
{
    const struct asked *a = question;
    const syc_span_way way = ((const struct row *)row)->way;
    bool lanes = a->lowering->form.shape == SYC_SHAPE_LANES;
    if (a->name->op.accuracy != SYC_ACCURACY_FAST && !has_copies(way))
        return false;
    switch (way) {
    case SYC_SPAN_FOURFOLD:
        return lanes;
    case SYC_SPAN_ALONE:
        return !a->lowering->form.grouped;
    case SYC_SPAN_SHARED:
        return syc_span_is_atomic(a->name, a->device->atomic64);
    case SYC_SPAN_LOCAL:
        return !lanes && a->name->op.known && syc_span_is_atomic(a->name, a->device->atomic64) && room_of(a) <= a->room;
    case SYC_SPAN_PRIVATE:
        return false;
    default:
        return true;
    }
}

/* Copies have to fit, and to be worth the trouble. */
static bool copies_fit(const struct row *row, const struct asked *a)
{
    uint64_t groups = row->least != 0 ? row->least : a->device->compute_units;
    uint64_t items = syc__multiply(groups, a->lowering->local_size);
    if (a->lowering->form.grouped || row->last)
        return true;
    return syc__multiply(a->bytes, items) <= MOST_COPIES && (a->length <= FEW_VARIABLES || a->length <= a->elements);
}

static bool prefers(const void *given, const void *question)
{
    const struct row *row = given;
    const struct asked *a = question;
    return row->grouped == a->lowering->form.grouped && (row->most == 0 || a->bytes <= row->most) &&
           a->device->compute_units >= row->units &&
           (row->steady || !a->name->reducer.ordered || syc_span_is_exact(a->name)) &&
           (!has_copies(row->way) || copies_fit(row, a));
}

static bool asked(const void *row, const void *question)
{
    (void)question;
    return ((const struct row *)row)->way == syc__lower_forced_span();
}

/* What the self-test knows the way by, of such an array. */
static syc_families families_of(const void *given, const void *question)
{
    static const syc_family families[SYC_SPAN_COUNT] = {[SYC_SPAN_COPIES] = SYC_FAMILY_SPAN_COPIES,
                                                        [SYC_SPAN_FOURFOLD] = SYC_FAMILY_SPAN_FOURFOLD,
                                                        [SYC_SPAN_ALONE] = SYC_FAMILY_SPAN_ALONE,
                                                        [SYC_SPAN_SHARED] = SYC_FAMILY_SPAN_SHARED,
                                                        [SYC_SPAN_LOCAL] = SYC_FAMILY_SPAN_LOCAL};
    const struct row *row = given;
    bool wide =
        (row->way == SYC_SPAN_SHARED || row->way == SYC_SPAN_LOCAL) && ((const struct asked *)question)->name->size > 4;
    return syc_family_bit(families[row->way]) | (wide ? syc_family_bit(SYC_FAMILY_ATOMICS_64) : 0);
}

/* The last row of either kind is preferred by all. */
static const syc_table table = {SYC_TABLE_OF(rows), .can = can, .prefers = prefers, .asked = asked,
                                .families = families_of};

/* -- the launch -- */

static bool is_private(const syc_name *name)
{
    return name->kind == SYC_NAME_REDUCER && name->reducer.variables != NULL;
}

static bool is_span(const syc_name *name)
{
    return is_private(name) || (name->kind == SYC_NAME_REDUCER && name->reducer.array);
}

/* Copies in local memory: a power of two, as long as all of them take little room. */
static uint32_t choose_copies(const struct row *row, const struct asked *a)
{
    uint32_t copies = 1;
    uint64_t most = a->room < LITTLE_ROOM ? a->room : LITTLE_ROOM;
    bool threaded = a->device->facts->items == SYC_ITEMS_THREADED || row->base.flags & SYC_ROW_TEST;
    while (threaded && copies < row->copies && syc__multiply(room_of(a), 2 * copies) <= most)
        copies *= 2;
    return copies;
}

/* One array has one work-item: so have all of them. What an accuracy asks for are copies also then, since its
 * accumulators are no variables. */
static void be_alone(const syc_body_source *source, syc_lowering *out)
{
    unsigned i = 0;
    out->local_size = 1;
    out->copy_bytes = 0;
    for (size_t k = 0; k < source->count; k++) {
        const syc_name *name = &source->names[k];
        const bool copies = name->op.accuracy != SYC_ACCURACY_FAST;
        if (is_span(name) && !is_private(name)) {
            out->form.spans &= ~((uint64_t)15 << 4 * i);
            out->form.spans |= (uint64_t)(copies ? SYC_SPAN_COPIES : SYC_SPAN_ALONE) << 4 * i;
            out->span_copies[i] = 0;
            out->copy_bytes += copies ? syc__multiply(out->span_lengths[i], syc_partial_bytes(name)) : 0;
        }
        i += is_span(name);
    }
}

/* It is as scalars are. */
static void take_private(const syc_name *name, uint64_t length, syc_lowering *out)
{
    unsigned i = out->span_count++;
    out->form.spans |= (uint64_t)SYC_SPAN_PRIVATE << 4 * i;
    out->span_lengths[i] = length;
    out->span_copies[i] = (uint8_t)name->reducer.variables->count;
}

static void take(const struct row *row, const struct asked *a, bool first, syc_lowering *out)
{
    unsigned i = out->span_count++;
    out->form.spans |= (uint64_t)row->way << 4 * i;
    out->span_lengths[i] = a->length;
    out->span_copies[i] = 0;
    if (row->way == SYC_SPAN_LOCAL)
        out->span_copies[i] = (uint8_t)choose_copies(row, a);
    if (has_copies(row->way))
        out->copy_bytes += syc__multiply(a->bytes, row->way == SYC_SPAN_FOURFOLD ? 4 : 1);
    if (!first) /* of which it is said */
        return;
    out->row = &row->base;
}

uint64_t syc__lower_spans(const syc_device *device, const syc_body *body, const syc_geometry *range,
                          const syc_span_sizes *sizes, uint64_t groups, syc_lowering *out)
{
    const syc_body_source *source = syc_body_source_of(body);
    struct asked a = {.device = device, .lowering = out, .elements = syc__lower_elements(range, 0)};
    bool is_alone = false, first = true;

    a.room = sizes->local_bytes < device->local_bytes ? (device->local_bytes - sizes->local_bytes) / 2 : 0;
    for (size_t i = 0; i < source->count; i++) {
        const struct row *row;
        uint64_t most;
        if (!is_span(&source->names[i]))
            continue;
        a.name = &source->names[i];
        a.length = sizes->lengths[out->span_count];
        if (is_private(a.name)) {
            take_private(a.name, a.length, out);
            continue;
        }
        a.bytes = syc__multiply(a.length, syc_partial_bytes(a.name));
        row = syc_table_find(&table, device, &a);
        take(row, &a, first, out);
        first = false;
        out->families |= syc_table_families(&table, row, &a);
        if (row->way == SYC_SPAN_LOCAL)
            a.room -= syc__multiply(room_of(&a), out->span_copies[out->span_count - 1]);
        is_alone = is_alone || row->way == SYC_SPAN_ALONE;
        most = row->groups > 0 ? (uint64_t)row->groups * device->compute_units : groups;
        groups = most < groups ? most : groups;
    }
    if (is_alone)
        be_alone(source, out);
    if (is_alone)
        return 1;
    while (!out->form.grouped && out->local_size > 1 && syc__multiply(out->copy_bytes, out->local_size) > MOST_COPIES)
        out->local_size /= 2;
    if (out->copy_bytes > 0 && syc__multiply(out->copy_bytes, syc__multiply(groups, out->local_size)) > MOST_COPIES)
        groups = MOST_COPIES / syc__multiply(out->copy_bytes, out->local_size);
    return groups > 0 ? groups : 1;
}

void syc__lower_folds(const syc_device *device, syc_lowering *out)
{
    uint64_t elements = 0;
    for (unsigned i = 0; i < out->span_count; i++)
        if (has_copies(syc_form_span(&out->form, i)))
            elements += out->span_lengths[i];
    if (out->form.shape != SYC_SHAPE_LANES || out->groups < 2 || elements == 0 ||
        syc_device_way(device, SYC_FAMILY_SPAN_FOLDED) == SYC_WAY_NONE)
        return;
    out->form.folds = atomic_load_explicit(&forced, memory_order_relaxed) != SYC_SPAN_COUNT
                          ? atomic_load_explicit(&forced_folds, memory_order_relaxed)
                          : syc__multiply(elements, out->groups) >= FOLD_ELEMENTS;
    if (out->form.folds && out->families != 0)
        out->families |= syc_family_bit(SYC_FAMILY_SPAN_FOLDED);
    if (out->form.folds)
        out->groups *= 2;
}
