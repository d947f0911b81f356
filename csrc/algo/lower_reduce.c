/* The form and the launch of a body with reducers over a plain range: what the row of the table says, fitted to the
 * range. */
#include "algo/counts.h"
#include "algo/reduce_rows.h"
#include "cl/sub_group.h"

/* A run is worth a work-item of its own from about this much estimated work on, or where nobody knows what an element
 * costs, from this many elements on. */
enum { RUN_NS = 20000, RUN_STEP = 64, RUN_UNBOUNDED = 256 };
/* Accesses of a work-item of STRIDE that are under way at a time. */
enum { STRIDE_ACCESSES = 4 };
/* A value that warps hand on in registers. */
enum { WARP_BYTES = 16 };

static uint64_t rows_of(const syc_geometry *range)
{
    uint64_t count = 1;
    for (unsigned d = 1; d < range->dims; d++)
        count = syc__multiply(count, range->global[d]);
    return count;
}

/* Elements of dimension 0 in a run: rows are cut only where there are too few of them. */
static uint64_t choose_run(const syc_geometry *range, uint64_t groups, uint64_t least)
{
    uint64_t n = range->global[0], lines = rows_of(range), run;
    if (n == 0 || lines == 0)
        return 1;
    run = syc__divide_up(n, syc__divide_up(groups, lines));
    run = run < least ? least : run;
    return run >= n || run > UINT64_MAX - RUN_STEP ? n : syc__divide_up(run, RUN_STEP) * RUN_STEP;
}

static uint64_t least_run(const syc_lowering *out)
{
    return out->item_ps == UINT64_MAX ? RUN_UNBOUNDED : (uint64_t)RUN_NS * 1000 / (out->item_ps + 1) + 1;
}

static void shape_lanes(const syc_geometry *range, uint64_t groups, syc_lowering *out)
{
    uint64_t least = least_run(out);
    uint64_t elements = syc__multiply(range->global[0], rows_of(range)), worth = syc__divide_up(elements, least), runs;

    out->run = choose_run(range, groups, least);
    runs = syc__multiply(syc__divide_up(range->global[0], out->run), rows_of(range));
    groups = groups < worth ? groups : worth;
    out->groups = (uint32_t)(groups < runs ? groups : runs);
}

/* The elements of a block: all that a group has, where a device's caches want them next to each other, and not fewer
 * than are worth a group; elsewhere as few as keep all groups busy, and no more than a work-item has under way at a
 * time. */
static uint64_t choose_block(const syc_device *device, uint64_t elements, uint64_t groups, const syc_lowering *out)
{
    uint64_t chunk = (uint64_t)out->local_size * out->form.elements, most = chunk * STRIDE_ACCESSES;
    uint64_t block = syc__divide_up(elements, groups), worth = least_run(out);

    if (device->facts->items == SYC_ITEMS_PACKED)
        block = block > worth ? block : worth;
    else
        block = block < most ? block : most;
    return syc__multiply(syc__divide_up(block, chunk) + (block == 0), chunk);
}

static void shape_stride(const syc_device *device, const syc_geometry *range, uint64_t groups, syc_lowering *out)
{
    uint64_t elements = syc__multiply(range->global[0], rows_of(range)), worth;

    out->run = choose_block(device, elements, groups, out);
    worth = syc__divide_up(elements, out->run);
    out->groups = (uint32_t)(groups < worth ? groups : worth);
}

/* Groups of whole warps, and values that are handed on in registers. */
static bool has_warps(const syc_device *device, const syc_body *body, const struct syc__reduce_row *row, uint32_t size)
{
    const syc_body_source *source = syc_body_source_of(body);
    for (size_t i = 0; i < source->count; i++)
        if (source->names[i].kind == SYC_NAME_REDUCER && syc_partial_bytes(&source->names[i]) > WARP_BYTES)
            return false;
    return row->warps && size % SYC_WARP == 0 && syc_sub_group_kind_of(device) == SYC_SUB_GROUP_PTX;
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

/* Partial results are small memory, of which pieces are kept for the launches to come. */
static uint64_t limit_partials(const syc_device *device, const syc_body *body, syc_shape shape, uint64_t groups)
{
    enum { MOST = 64 << 10, APART = 128 }; /* work-items that are groups by themselves leave theirs apart */
    const syc_body_source *source = syc_body_source_of(body);
    uint64_t bytes = 0, most;

    for (size_t i = 0; i < source->count; i++)
        if (source->names[i].kind == SYC_NAME_REDUCER && !source->names[i].reducer.array) {
            uint64_t one = syc_partial_bytes(&source->names[i]);
            bytes += shape == SYC_SHAPE_LANES ? syc__divide_up(one, APART) * APART : one;
        }
    if (bytes == 0)
        return groups;
    most = (MOST - SYC_PARTIALS_HEAD) / bytes;
    most = most < device->compute_units ? device->compute_units : most;
    return groups < most ? groups : most;
}

/* The rates were measured of plain sums. */
static bool is_fast(const syc_body *body)
{
    const syc_body_source *source = syc_body_source_of(body);
    for (size_t i = 0; i < source->count; i++)
        if (source->names[i].kind == SYC_NAME_REDUCER && source->names[i].reducer.accuracy != SYC_ACCURACY_FAST)
            return false;
    return true;
}

void syc__lower_reduce(const syc_device *device, const syc_body *body, const syc_geometry *range,
                       const syc_span_sizes *sizes, syc_lowering *out)
{
    const syc_body_traits *traits = syc_body_traits_of(body);
    const struct syc__reduce_row *row =
        out->form.grouped ? &syc__reduce_nd_range : syc__reduce_row_of(device, traits, range, out->form.checked);
    uint64_t groups = (uint64_t)row->groups * device->compute_units;

    out->family = SYC_FAMILY_COUNT;
    out->row = row->row;
    out->why = row->why;
    out->measured = row->measured;
    out->rate = traits->built_ins == 0 && is_fast(body) ? row->rate : 0;
    out->costly = traits->built_ins > 0;
    out->read_bytes = traits->read_bytes;
    if (!out->form.grouped) {
        out->form.shape = row->shape;
        out->local_size = limit_group(device, body, row->local_size);
    }
    groups = limit_partials(device, body, row->shape, groups);
    if (traits->scatters)
        groups = syc__lower_spans(device, body, range, sizes, groups, out);
    if (out->form.grouped)
        return;
    if (row->takes)
        out->form.elements = syc__lower_neighbours(body);
    out->form.warps = !traits->scatters && has_warps(device, body, row, out->local_size);
    if (row->shape == SYC_SHAPE_LANES)
        shape_lanes(range, groups, out);
    else
        shape_stride(device, range, groups, out);
    if (out->groups == 0) /* an empty range has a result, too */
        out->groups = 1;
    syc__lower_folds(out);
}
