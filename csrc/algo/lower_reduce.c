/* The form and the launch of a body with reducers over a plain range. As lower.c: a table, the first row that fits. */
#include "algo/lower.h"

struct row {
    syc_items items;
    syc_shape shape;
    uint32_t groups; /* for each compute unit, at most */
    uint32_t local_size;
    const char *row, *why, *measured;
};

static const struct row rows[] = {
    {.items = SYC_ITEMS_LOOPED,
     .shape = SYC_SHAPE_LANES,
     .groups = 16,
     .local_size = 1,
     .row = "PoCL, lanes",
     .why =
         "each work-item loops over a run of elements with 64 accumulators, which the driver's compiler makes vectors "
         "of; groups of many items with barriers are several times slower",
     .measured =
         "PoCL 3.0, 2 cores shared with other work, 2^18 floats, best GB/s of lanes and of groups of 256: sum 29 "
         "and 4, conditional sum 14 and 4, sum of exp 7 and 0.4; with vectors of 16 and four at a time against "
         "what the compiler chooses: sum 36 and 27, sum of exp 6.1 and 3.4"},
    {.items = SYC_ITEMS_PACKED,
     .shape = SYC_SHAPE_LANES,
     .groups = 16,
     .local_size = 1,
     .row = "Intel's compiler, lanes",
     .why =
         "each work-item loops over a run of elements with 64 accumulators, which the driver's compiler makes vectors "
         "of; groups of many items with barriers are several times slower",
     .measured = "Intel 2026.2, 2 cores shared with other work, 2^18 floats, best GB/s of lanes and of groups of 256: "
                 "sum 15 and 2.6, conditional sum 17 and 3.5, sum of exp 0.6 and 0.4; with the loop over the lanes "
                 "unrolled, as the compiler does unless told not to, sum 7 against 22"},
    {.items = SYC_ITEMS_THREADED,
     .shape = SYC_SHAPE_STRIDE,
     .groups = 8,
     .local_size = 256,
     .row = "NVIDIA, strides",
     .why = "groups of 256 take neighbouring elements, as many as all compute units can have at a time",
     .measured = "not measured"},
    {.items = SYC_ITEMS_SINGLY,
     .shape = SYC_SHAPE_STRIDE,
     .groups = 8,
     .local_size = 64,
     .row = "any device, strides",
     .why = "groups of 64 take neighbouring elements, the form that asks little of the device",
     .measured = "not measured"},
};

static const struct row forced_rows[] = {
    {.shape = SYC_SHAPE_LANES,
     .groups = 4,
     .local_size = 1,
     .row = "forced",
     .why = "a test asked for this shape",
     .measured = "no"},
    {.shape = SYC_SHAPE_STRIDE,
     .groups = 4,
     .local_size = 16,
     .row = "forced",
     .why = "a test asked for this shape",
     .measured = "no"},
};

static const struct row nd_range = {
    .row = "nd-range",
    .why = "the nd-range says how many work-items there are and how they are grouped; each group combines its items in "
           "local memory, and the last one the groups",
    .measured = "nothing to measure",
};

/* A run is worth a work-item of its own from about this much estimated work on, or where nobody knows what an element
 * costs, from this many elements on. */
enum { RUN_NS = 20000, RUN_STEP = 64, RUN_UNBOUNDED = 256 };
/* Elements that a work-item of STRIDE takes before there are more of them. */
enum { STRIDE_ITEMS = 4 };

static const struct row *find(const syc_device *device)
{
    syc_shape wanted = syc__lower_forced();
    const struct row *row = rows;
    if (wanted == SYC_SHAPE_LANES || wanted == SYC_SHAPE_STRIDE)
        return &forced_rows[wanted == SYC_SHAPE_STRIDE];
    while (row->items != device->facts->items)
        row++;
    return row;
}

static uint64_t divide_up(uint64_t a, uint64_t b)
{
    return a / b + (a % b != 0);
}

/* All that is beyond 64 bits is refused later. */
static uint64_t multiply(uint64_t a, uint64_t b)
{
    uint64_t product;
    return __builtin_mul_overflow(a, b, &product) ? UINT64_MAX : product;
}

static uint64_t rows_of(const syc_geometry *range)
{
    uint64_t count = 1;
    for (unsigned d = 1; d < range->dims; d++)
        count = multiply(count, range->global[d]);
    return count;
}

/* Elements of dimension 0 in a run: rows are cut only where there are too few of them. */
static uint64_t choose_run(const syc_geometry *range, uint64_t groups, uint64_t least)
{
    uint64_t n = range->global[0], lines = rows_of(range), run;
    if (n == 0 || lines == 0)
        return 1;
    run = divide_up(n, divide_up(groups, lines));
    run = run < least ? least : run;
    return run >= n || run > UINT64_MAX - RUN_STEP ? n : divide_up(run, RUN_STEP) * RUN_STEP;
}

static void shape_lanes(const syc_geometry *range, uint64_t groups, syc_lowering *out)
{
    uint64_t least = out->item_ps == UINT64_MAX ? RUN_UNBOUNDED : (uint64_t)RUN_NS * 1000 / (out->item_ps + 1) + 1;
    uint64_t elements = multiply(range->global[0], rows_of(range)), worth = divide_up(elements, least), runs;

    out->run = choose_run(range, groups, least);
    runs = multiply(divide_up(range->global[0], out->run), rows_of(range));
    groups = groups < worth ? groups : worth;
    out->groups = (uint32_t)(groups < runs ? groups : runs);
}

static void shape_stride(const syc_geometry *range, uint64_t groups, syc_lowering *out)
{
    uint64_t elements = multiply(range->global[0], rows_of(range));
    uint64_t worth = divide_up(elements, (uint64_t)out->local_size * STRIDE_ITEMS);
    out->run = 1;
    out->groups = (uint32_t)(groups < worth ? groups : worth);
}

/* What the scalar reducers take of local memory for each item must leave room for other groups. */
static uint32_t limit_group(const syc_device *device, const syc_body *body, uint32_t size)
{
    const syc_body_source *source = syc_body_source_of(body);
    uint64_t bytes = 0;
    for (size_t i = 0; i < source->count; i++)
        if (source->names[i].kind == SYC_NAME_REDUCER && !source->names[i].reducer.array)
            bytes += syc_partial_bytes(&source->names[i]);
    while (size > 1 &&
           (bytes * size > device->local_bytes / 4 || size > device->max_group || size > device->max_items[0]))
        size /= 2;
    return size;
}

void syc__lower_reduce(const syc_device *device, const syc_body *body, const syc_geometry *range,
                       const syc_span_sizes *sizes, syc_lowering *out)
{
    const syc_body_traits *traits = syc_body_traits_of(body);
    const struct row *row = out->form.grouped ? &nd_range : find(device);
    uint64_t groups;

    out->family = SYC_FAMILY_COUNT;
    out->row = row->row;
    out->why = row->why;
    out->measured = row->measured;
    if (!out->form.grouped) {
        out->form.shape = row->shape;
        out->local_size = limit_group(device, body, row->local_size);
    }
    groups = (uint64_t)row->groups * device->compute_units;
    if (traits->scatters)
        groups = syc__lower_spans(device, body, range, sizes, groups, out);
    if (out->form.grouped)
        return;
    if (row->shape == SYC_SHAPE_LANES)
        shape_lanes(range, groups, out);
    else
        shape_stride(range, groups, out);
    if (out->groups == 0) /* an empty range has a result, too */
        out->groups = 1;
    syc__lower_folds(out);
}
