/* From a body's range and form to a launch. Local sizes are powers of two: drivers compile a kernel anew for each that
 * they meet. Launches are padded to whole groups, and the form's guard lets the surplus go. */
#include "algo/lower/lower.h"
#include "algo/plan.h"
#include "algo/plan_check.h"
#include "algo/table.h"
#include "cl/device.h"
#include "program/program.h"
#include "source/declarations/signature.h"

enum { LAUNCH_NS = 700, LEAST_WIDTH = 16 };

static size_t smaller(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* The largest power of two that is at most `limit`. */
static size_t power_below(size_t limit)
{
    return (size_t)1 << (63 - __builtin_clzll(limit));
}

static size_t groups_of(size_t n, size_t local)
{
    return n / local + (n % local != 0);
}

/* Does padding n to whole groups of `local` add no more than a third? */
static bool wastes_little(size_t n, size_t local)
{
    return groups_of(n, local) * local - n <= n / 3;
}

/* The group's size in one dimension, a power of two of at most `most`: large, but not at the price of much padding.
 * Dimension 0 is what vectors and memory accesses run along, so it does not become narrower than a vector for that;
 * where there is no other dimension, one padded group is better than several. */
static size_t choose(size_t n, size_t most, unsigned d, bool alone)
{
    size_t least = d == 0 ? LEAST_WIDTH : 1, local = 1;
    while (local < n && local <= most / 2)
        local *= 2;
    if (alone && local >= n)
        return local;
    while (local > least && !wastes_little(n, local))
        local /= 2;
    return local;
}

/* Pads one dimension. False where that leaves 64 bits. */
static bool pad(syc_geometry *launch, unsigned d, size_t items)
{
    return !__builtin_mul_overflow(groups_of(items, launch->local[d]), launch->local[d], &launch->global[d]);
}

/* Elements of dimension 0 for each work-item. */
static uint64_t elements_of(const syc_lowering *lowering)
{
    return syc__lower_has_runs(lowering->form.shape) ? lowering->run : lowering->form.elements;
}

static uint64_t estimate(uint64_t ps, const syc_geometry *range)
{
    if (ps == UINT64_MAX)
        return UINT64_MAX;
    for (unsigned d = 0; d < range->dims; d++)
        if (__builtin_mul_overflow(ps, (uint64_t)range->global[d], &ps))
            return UINT64_MAX;
    return ps / 1000 + LAUNCH_NS;
}

/* Of reducers only, and not where the last group to come combines what all have left. */
static bool groups_wait(const syc_lowering *lowering)
{
    return lowering->groups > 0 && (lowering->form.shape != SYC_SHAPE_LANES || lowering->span_count > 0);
}

syc_status syc_lower_plan(syc_device *device, const syc_lowering *lowering, const syc_signature *kernel,
                          const syc_kernel_limits *limits, uint64_t local_bytes, const syc_geometry *range,
                          syc_geometry *launch)
{
    syc_status status = SYC_OK;
    syc_geometry g = {.dims = range->dims == 0 ? 1 : range->dims, .global = {1, 1, 1}, .local = {1, 1, 1}};
    size_t room = smaller(smaller(limits->max_group, device->max_group), lowering->local_size);
    bool loop = syc__lower_has_runs(lowering->form.shape), fits = true;

    if (lowering->form.grouped) {
        g = *range;
        SYC_TRY(syc_plan_nd_range(device, kernel, limits, local_bytes, &g));
        *launch = g;
        goto done;
    }
    SYC_TRY(syc__plan_check_extent(kernel, range));
    SYC_TRY(syc__plan_check_local_memory(device, kernel, limits, local_bytes, range));
    SYC_CHECK((lowering->form.shape != SYC_SHAPE_TEAMS && lowering->form.shape != SYC_SHAPE_ROUNDS) ||
                  room == lowering->local_size,
              SYC_E_ND_RANGE, "kernel '%s' can have %zu work-items in a group, and its parts need %u", kernel->name,
              room, lowering->local_size);
    if (lowering->groups > 0) { /* reducers: even an empty range has its one group */
        g.dims = 1;
        g.local[0] = power_below(room);
        fits = !__builtin_mul_overflow(g.local[0], lowering->groups, &g.global[0]);
    }
    for (unsigned d = 0; d < range->dims && lowering->groups == 0; d++) {
        size_t items = d == 0 ? groups_of(range->global[0], elements_of(lowering)) : range->global[d];
        size_t most = smaller(room, device->max_items[d]);
        g.local[d] = d == 0 && loop ? 1 : choose(items, most, d, range->dims == 1);
        room /= g.local[d];
        fits = fits && pad(&g, d, items);
    }
    SYC_CHECK(fits, SYC_E_ND_RANGE, "range of kernel '%s': padded to whole work-groups it does not fit in 64 bits",
              kernel->name);
    g.cost_ns = syc__plan_fits_caller(limits, &g) ? estimate(lowering->item_ps, range) : UINT64_MAX;
    g.near_ns = lowering->near_ps > 0 && g.cost_ns != UINT64_MAX ? estimate(lowering->near_ps, range) : 0;
    g.apart = !groups_wait(lowering) && !limits->group_functions && limits->local_bytes == 0 && local_bytes == 0;
    SYC_TRY(syc__plan_check_extent(kernel, &g));
    *launch = g;
done:
    return status;
}

syc_status syc_lower_plan_whole(syc_device *device, const syc_signature *kernel, const syc_kernel_limits *limits,
                                uint64_t item_bytes, syc_geometry *geometry)
{
    syc_status status = SYC_OK;
    syc_geometry g = *geometry;
    size_t room = smaller(smaller(limits->max_group, device->max_group), device->facts->local_size);
    bool fits = true;

    if (kernel->shaped || limits->group_functions || limits->required_group[0] != 0)
        return syc_plan_range(device, kernel, limits, 0, geometry);
    SYC_TRY(syc__plan_check_extent(kernel, geometry));
    while (room > 1 && item_bytes * room > device->local_bytes / 4)
        room /= 2;
    for (unsigned d = 0; d < g.dims; d++) {
        g.local[d] = choose(g.global[d], smaller(room, device->max_items[d]), d, g.dims == 1);
        room /= g.local[d];
        fits = fits && pad(&g, d, geometry->global[d]);
    }
    SYC_CHECK(fits, SYC_E_ND_RANGE, "range of kernel '%s': padded to whole work-groups it does not fit in 64 bits",
              kernel->name);
    SYC_TRY(syc_plan_nd_range(device, kernel, limits, 0, &g));
    *geometry = g;
done:
    return status;
}

const syc_lowering *syc_lower_of_whole(void)
{
    static const syc_row row = {
        .name = "kernels as written, with reducers",
        .why = "each work-group combines its items in local memory, and the last one the groups; a plain range is "
               "padded to whole groups, unless the kernel asks for its group",
        .measured = "nothing to measure",
    };
    static const syc_lowering whole = {.form = {.shape = SYC_SHAPE_ITEM, .dims = 1}, .row = &row};
    return &whole;
}

uint64_t syc_lower_value(const syc_lowering *lowering, const syc_geometry *range, const syc_hidden *hidden)
{
    switch (hidden->kind) {
    case SYC_HIDDEN_RANGE:
        return range->global[hidden->index];
    case SYC_HIDDEN_OFFSET:
        return range->offset[hidden->index];
    case SYC_HIDDEN_RUN:
        return lowering->run;
    case SYC_HIDDEN_PIECES:
        return lowering->pieces;
    case SYC_HIDDEN_TEAM:
        return lowering->team;
    default:
        return 0;
    }
}
