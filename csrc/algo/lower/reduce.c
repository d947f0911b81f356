/* The form and the launch of a body with reducers over a plain range: what the row of the table says, fitted to the
 * range. */
#include "algo/counts.h"
#include "algo/lower/reduce_rows.h"
#include "body/name.h"
#include "body/traits.h"
#include "cl/sub_group.h"
/* A run is worth a work-item of its own from about this much estimated work on, or where nobody knows what an element
 * costs, from this many elements on. */
enum { RUN_NS = 20000, RUN_STEP = 64, RUN_UNBOUNDED = 256 };
/* Accesses of a work-item of STRIDE that are under way at a time. */
enum { STRIDE_ACCESSES = 8 };
/* A value that warps hand on in registers. */
enum { WARP_BYTES = 16 };

/* Elements of dimension 0 in a run: rows are cut only where there are too few of them. */
static uint64_t choose_run(const syc_geometry *range, uint64_t groups, uint64_t least)
{
    uint64_t n = range->global[0], lines = syc__lower_elements(range, 1), run;
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
    uint64_t elements = syc__lower_elements(range, 0), worth = syc__divide_up(elements, least), runs;

    out->run = choose_run(range, groups, least);
    runs = syc__multiply(syc__divide_up(range->global[0], out->run), syc__lower_elements(range, 1));
    groups = groups < worth ? groups : worth;
    out->groups = (uint32_t)(groups < runs ? groups : runs);
}

/* The elements of a block: all that a group has. Where work-items are packed into vectors not fewer than are worth a
 * group; elsewhere so many as a work-item has under way at a time, as long as every compute unit has a group, and all
 * where one group is done with them while several would meet. */
static uint64_t choose_block(const syc_device *device, const syc_body *body, uint64_t elements, uint64_t groups,
                             const syc_lowering *out)
{
    uint64_t chunk = (uint64_t)out->local_size * out->form.elements, few = device->compute_units;
    uint64_t block = syc__divide_up(elements, groups), worth = least_run(out);

    if (out->form.warps && syc__reduce_is_light(body) && elements <= STRIDE_ACCESSES * chunk)
        return syc__multiply(syc__divide_up(elements, chunk) + (elements == 0), chunk);

    if (device->facts->items != SYC_ITEMS_PACKED) {
        worth = syc__divide_up(elements, few > 0 ? few : 1);
        worth = worth < chunk * STRIDE_ACCESSES ? worth : chunk * STRIDE_ACCESSES;
    }
    block = block > worth ? block : worth;
    return syc__multiply(syc__divide_up(block, chunk) + (block == 0), chunk);
}

static void shape_stride(const syc_device *device, const syc_body *body, const syc_geometry *range, uint64_t groups,
                         syc_lowering *out)
{
    uint64_t elements = syc__lower_elements(range, 0), worth;

    out->run = choose_block(device, body, elements, groups, out);
    worth = syc__divide_up(elements, out->run);
    out->groups = (uint32_t)(groups < worth ? groups : worth);
}

static bool has_warps(const syc_device *device, const syc_body *body, uint32_t size)
{
    const syc_body_source *source = syc_body_source_of(body);
    for (size_t i = 0; i < source->count; i++)
        if (source->names[i].kind == SYC_NAME_REDUCER && syc_partial_bytes(&source->names[i]) > WARP_BYTES)
            return false;
    return size > 0 && size % SYC_WARP == 0 && syc_sub_group_kind_of(device) == SYC_SUB_GROUP_PTX;
}

void syc__lower_warps(const syc_device *device, const syc_body *body, uint32_t size, syc_family plain, syc_family warps,
                      syc_lowering *out)
{
    out->form.warps = has_warps(device, body, size) && !syc_device_is_wrong(device, syc_family_bit(warps));
    if (out->form.warps)
        out->families = (out->families & ~syc_family_bit(plain)) | syc_family_bit(warps);
}

/* Variables of a reducer that have accumulators of their own. */
static uint64_t values_of(const syc_name *name)
{
    if (name->kind != SYC_NAME_REDUCER || name->reducer.array)
        return 0;
    return name->reducer.variables != NULL ? name->reducer.variables->count : 1;
}

static bool has_arrays(const syc_body *body)
{
    const syc_body_source *source = syc_body_source_of(body);
    for (size_t i = 0; i < source->count; i++)
        if (source->names[i].kind == SYC_NAME_REDUCER &&
            (source->names[i].reducer.array || source->names[i].reducer.variables != NULL))
            return true;
    return false;
}

uint32_t syc__lower_limit_group(const syc_device *device, const syc_body *body, uint32_t size)
{
    const syc_body_source *source = syc_body_source_of(body);
    uint64_t bytes = 0;
    for (size_t i = 0; i < source->count; i++)
        bytes += values_of(&source->names[i]) * syc_partial_bytes(&source->names[i]);
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

    for (size_t i = 0; i < source->count; i++) {
        uint64_t one = syc_partial_bytes(&source->names[i]);
        one = shape == SYC_SHAPE_LANES ? syc__divide_up(one, APART) * APART : one;
        bytes += values_of(&source->names[i]) * one;
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
        if (source->names[i].kind == SYC_NAME_REDUCER && source->names[i].op.accuracy != SYC_ACCURACY_FAST)
            return false;
    return true;
}

/* What runs are worth is told by the careful estimate, which makes many. Which thread takes them all is told by a
 * nearer one, since what the driver's threads need to begin is lost for certain. */
static void estimate_lanes(const syc_body *body, const struct syc__reduce_row *row, syc_lowering *out)
{
    out->near_ps = is_fast(body) ? syc__lower_near(body, out, row->packs) : 0;
    if (out->near_ps > 0)
        out->item_ps = out->near_ps;
}

void syc__lower_reduce(const syc_device *device, const syc_body *body, const syc_geometry *range,
                       const syc_span_sizes *sizes, syc_lowering *out)
{
    const syc_body_traits *traits = syc_body_traits_of(body);
    const struct syc__reduce_row *row = syc__reduce_row_of(device, body, range, &out->form, &out->families);
    uint64_t groups = (uint64_t)row->groups * device->compute_units;

    out->row = &row->base;
    out->rate = traits->built_ins == 0 && is_fast(body) ? row->rate : 0;
    out->tuned = traits->built_ins > 0 ? SYC_TUNED_BUILT_INS : SYC_TUNED_SUMS;
    out->read_bytes = traits->read_bytes;
    if (!out->form.grouped) {
        out->form.shape = row->shape;
        out->form.packs = row->packs;
        out->local_size = syc__lower_limit_group(device, body, row->local_size);
    }
    groups = limit_partials(device, body, row->shape, groups);
    if (has_arrays(body))
        groups = syc__lower_spans(device, body, range, sizes, groups, out);
    if (out->form.grouped) {
        out->form.leads = row->leads;
        if (row->warps && !traits->scatters)
            syc__lower_warps(device, body, syc__lower_items_of_group(range), SYC_FAMILY_REDUCE_STRIDE,
                             SYC_FAMILY_STRIDE_WARPS, out);
        return;
    }
    out->local_size = syc__lower_limit_group(device, body, out->local_size); /* arrays may want other groups */
    out->form.elements = row->takes ? syc__lower_neighbours(body) : 1; /* and not what it would be without reducers */
    if (row->warps && !traits->scatters)
        syc__lower_warps(device, body, out->local_size, SYC_FAMILY_REDUCE_STRIDE, SYC_FAMILY_STRIDE_WARPS, out);
    if (row->shape == SYC_SHAPE_LANES) {
        shape_lanes(range, groups, out);
        estimate_lanes(body, row, out);
    } else {
        shape_stride(device, body, range, groups, out);
    }
    if (out->groups == 0) /* an empty range has a result, too */
        out->groups = 1;
    syc__lower_folds(device, out);
}
