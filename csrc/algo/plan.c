/* Geometry from data: the device's facts, the kernel's limits and the range decide; nothing here calls OpenCL. */
#include "algo/plan.h"

#include "algo/plan_check.h"
#include "base/text.h"
#include "cl/device.h"
#include "program/program.h"
#include "source/declarations/signature.h"

#include <stdio.h>
#include <string.h>

/* A token of a loop-free kernel costs no more than this per work-item on a CPU (tests/bench/README.md). The caller
 * lane's budget is in these units. */
enum { NS_PER_TOKEN = 1, LAUNCH_NS = 700 };

/* The calling thread has a stack of somebody else's, with others' frames on it. */
bool syc__plan_fits_caller(const syc_kernel_limits *limits, const syc_geometry *g)
{
    enum { ROOM = 256 << 10 };
    uint64_t bytes = limits->private_bytes;
    for (unsigned d = 0; d < g->dims; d++)
        if (__builtin_mul_overflow(bytes, (uint64_t)g->local[d], &bytes))
            bytes = UINT64_MAX;
    return limits->private_room == 0 || bytes <= ROOM;
}

static uint64_t estimate(const syc_signature *kernel, const syc_kernel_limits *limits, const syc_geometry *g)
{
    uint64_t items = 1, cost;
    if (!kernel->bounded || !syc__plan_fits_caller(limits, g))
        return UINT64_MAX;
    for (unsigned d = 0; d < g->dims; d++) {
        if (__builtin_mul_overflow(items, (uint64_t)g->global[d], &items))
            return UINT64_MAX;
    }
    if (__builtin_mul_overflow(items, (uint64_t)kernel->weight * NS_PER_TOKEN, &cost) || cost > UINT64_MAX - LAUNCH_NS)
        return UINT64_MAX;
    return cost + LAUNCH_NS;
}

static size_t smaller(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* The largest power of two that is at most `limit`. */
static size_t power_below(size_t limit)
{
    return (size_t)1 << (63 - __builtin_clzll(limit));
}

/* The largest divisor of n that is at most `limit`: a power of two if that is not much smaller than any other. */
static size_t divisor(size_t n, size_t limit)
{
    size_t best = smaller(n, limit), power = smaller((size_t)(n & -n), power_below(limit));
    while (power < best / 4 && n % best != 0)
        best--;
    return power >= best / 4 ? power : best;
}

static bool requires_group(const syc_kernel_limits *limits)
{
    return limits->required_group[0] != 0;
}

/* SYCL's numbers for messages: dimension 0 is the slowest, as the user wrote it. */
static void say(syc_text *text, const size_t *values, unsigned dims)
{
    syc_text_add(text, "(");
    for (unsigned d = dims; d-- > 0;)
        syc_text_add(text, "%zu%s", values[d], d > 0 ? ", " : dims == 1 ? ",)" : ")");
}

static syc_status refuse(const syc_geometry *g, const char *kernel, const char *why)
{
    syc_text text = {0};
    syc_status status;
    syc_text_add(&text, "nd-range of kernel '%s': global ", kernel);
    say(&text, g->global, g->dims);
    syc_text_add(&text, ", local ");
    say(&text, g->local, g->dims);
    syc_text_add(&text, ": %s", why);
    status = syc_fail(SYC_E_ND_RANGE, SYC_HERE, "%s", syc_text_get(&text));
    syc_text_clear(&text);
    return status;
}

static bool is_empty(const syc_geometry *g)
{
    for (unsigned d = 0; d < g->dims; d++) {
        if (g->global[d] == 0)
            return true;
    }
    return false;
}

/* Drivers multiply the sizes, and some take a product that wraps round for the number of work-items. Offsets and sizes
 * must add up within what an id can say. */
syc_status syc__plan_check_extent(const syc_signature *kernel, const syc_geometry *g)
{
    size_t items = 1;
    for (unsigned d = 0; d < g->dims; d++) {
        size_t end;
        if (__builtin_add_overflow(g->offset[d], g->global[d], &end))
            return refuse(g, kernel->name, "offset plus range does not fit in 64 bits");
        if (!is_empty(g) && __builtin_mul_overflow(items, g->global[d], &items))
            return refuse(g, kernel->name, "the number of work-items does not fit in 64 bits");
    }
    return SYC_OK;
}

/* Offsets that the driver is given. */
static syc_status check_offsets(const syc_device *device, const syc_signature *kernel, const syc_geometry *g)
{
    for (unsigned d = 0; d < g->dims; d++) {
        if (device->facts->offset_bits < 64 && g->offset[d] >> device->facts->offset_bits != 0)
            return syc_fail(
                SYC_E_FEATURE_NOT_SUPPORTED, SYC_HERE,
                "offset %zu of kernel '%s': device '%s' gives kernels offsets of %u bits only; add it to the id "
                "in the kernel instead",
                g->offset[d], kernel->name, syc_device_name(device), device->facts->offset_bits);
    }
    return SYC_OK;
}

/* The group's size in one dimension. Only dimension 0, the one that varies fastest, is worth a second launch. */
static size_t choose(const syc_signature *kernel, syc_geometry *g, unsigned d, size_t most)
{
    enum { WORTH = 4, MANY = 16 }; /* groups this many times larger, or this many groups, pay for a second launch */
    size_t n = g->global[d], exact, power = power_below(most);
    bool large, even;

    if (n == 0)
        return 1;
    exact = divisor(n, most);
    large = exact * WORTH > power;
    even = (exact & (exact - 1)) == 0; /* others leave vector loops with a remainder in every group */
    if (d != 0 || kernel->shaped || n < power || (large && (even || n / power < MANY)))
        return exact;
    g->rest = n % power;
    return power;
}

syc_status syc__plan_check_local_memory(const syc_device *device, const syc_signature *kernel,
                                        const syc_kernel_limits *limits, uint64_t local_bytes, const syc_geometry *g)
{
    char why[200];
    if (local_bytes <= device->local_bytes && limits->local_bytes <= device->local_bytes - local_bytes)
        return SYC_OK;
    snprintf(why, sizeof why, "%llu bytes of local memory are more than the device's %llu",
             (unsigned long long)(local_bytes + limits->local_bytes), (unsigned long long)device->local_bytes);
    return refuse(g, kernel->name, why);
}

syc_status syc_plan_range(syc_device *device, const syc_signature *kernel, const syc_kernel_limits *limits,
                          uint64_t local_bytes, syc_geometry *geometry)
{
    size_t room = smaller(limits->max_group, device->max_group);
    syc_status status = SYC_OK;

    if (limits->group_functions)
        return syc_fail(SYC_E_ND_RANGE, SYC_HERE,
                        "kernel '%s' calls group functions, and a plain range has no work-groups of its own: use an "
                        "NdRange",
                        kernel->name);
    SYC_TRY(syc__plan_check_extent(kernel, geometry));
    SYC_TRY(check_offsets(device, kernel, geometry));
    if (requires_group(limits)) {
        memcpy(geometry->local, limits->required_group, sizeof geometry->local);
        return syc_plan_nd_range(device, kernel, limits, local_bytes, geometry);
    }
    SYC_TRY(syc__plan_check_local_memory(device, kernel, limits, local_bytes, geometry));
    room = smaller(room, device->facts->local_size);
    for (unsigned d = 0; d < geometry->dims; d++) {
        geometry->local[d] = choose(kernel, geometry, d, smaller(room, device->max_items[d]));
        room /= geometry->local[d];
    }
    geometry->cost_ns = estimate(kernel, limits, geometry);
done:
    return status;
}

static syc_status check_dimension(const syc_device *device, const syc_signature *kernel,
                                  const syc_kernel_limits *limits, const syc_geometry *g, unsigned d)
{
    char why[200];
    unsigned shown = g->dims - 1 - d;
    if (g->local[d] == 0)
        snprintf(why, sizeof why, "the local size in dimension %u is 0; it must be at least 1", shown);
    else if (g->global[d] % g->local[d] != 0)
        snprintf(why, sizeof why, "the global size %zu in dimension %u is not a multiple of the local size %zu",
                 g->global[d], shown, g->local[d]);
    else if (g->local[d] > device->max_items[d])
        snprintf(why, sizeof why, "the local size %zu in dimension %u is more than the device's %zu", g->local[d],
                 shown, device->max_items[d]);
    else if (requires_group(limits) && g->local[d] != limits->required_group[d])
        snprintf(why, sizeof why, "the kernel requires a local size of %zu in dimension %u", limits->required_group[d],
                 shown);
    else
        return SYC_OK;
    return refuse(g, kernel->name, why);
}

/* Drivers build kernels whose groups the device can never have. */
static syc_status check_required(const syc_device *device, const syc_signature *kernel, const syc_kernel_limits *limits)
{
    const size_t *group = limits->required_group;
    bool fits = !requires_group(limits) || group[0] <= device->max_group / group[1] / group[2];
    for (unsigned d = 0; d < 3; d++)
        fits = fits && group[d] <= device->max_items[d];
    return fits ? SYC_OK
                : syc_fail(SYC_E_KERNEL_NOT_SUPPORTED, SYC_HERE,
                           "kernel '%s' requires work-groups of %zu x %zu x %zu items, and device '%s' has at most %zu "
                           "(%zu x %zu x %zu)",
                           kernel->name, group[2], group[1], group[0], syc_device_name(device), device->max_group,
                           device->max_items[2], device->max_items[1], device->max_items[0]);
}

/* A kernel may require groups of more dimensions than the range has. */
static syc_status check_missing_dimensions(const syc_signature *kernel, const syc_kernel_limits *limits,
                                           const syc_geometry *g)
{
    char why[200];
    for (unsigned d = g->dims; requires_group(limits) && d < 3; d++) {
        if (limits->required_group[d] <= 1)
            continue;
        snprintf(why, sizeof why, "the kernel requires work-groups of %zu x %zu x %zu, which a %u-D range cannot have",
                 limits->required_group[2], limits->required_group[1], limits->required_group[0], g->dims);
        return refuse(g, kernel->name, why);
    }
    return SYC_OK;
}

static syc_status refuse_group(const syc_device *device, const syc_signature *kernel, const syc_kernel_limits *limits,
                               const syc_geometry *g, size_t group)
{
    char why[400];
    int length =
        snprintf(why, sizeof why, "a work-group of %zu items is more than the %zu that the kernel can have on %s",
                 group, smaller(limits->max_group, device->max_group), syc_device_name(device));
    if (limits->private_room > 0 && group > limits->private_room / (limits->private_bytes | 1) && length > 0 &&
        (size_t)length < sizeof why)
        snprintf(
            why + length, sizeof why - (size_t)length,
            ": each has %llu bytes in arrays and structs of its own, and the stack of the device's threads has room "
            "for %llu",
            (unsigned long long)limits->private_bytes, (unsigned long long)limits->private_room);
    return refuse(g, kernel->name, why);
}

syc_status syc_plan_nd_range(syc_device *device, const syc_signature *kernel, const syc_kernel_limits *limits,
                             uint64_t local_bytes, syc_geometry *geometry)
{
    size_t group = 1;
    bool overflow = false;
    syc_status status = SYC_OK;

    SYC_TRY(check_required(device, kernel, limits));
    SYC_TRY(syc__plan_check_extent(kernel, geometry));
    SYC_TRY(check_offsets(device, kernel, geometry));
    SYC_TRY(check_missing_dimensions(kernel, limits, geometry));
    for (unsigned d = 0; d < geometry->dims; d++) {
        SYC_TRY(check_dimension(device, kernel, limits, geometry, d));
        overflow |= __builtin_mul_overflow(group, geometry->local[d], &group);
    }
    if (overflow || group > smaller(limits->max_group, device->max_group))
        SYC_TRY(refuse_group(device, kernel, limits, geometry, group));
    SYC_TRY(syc__plan_check_local_memory(device, kernel, limits, local_bytes, geometry));
    geometry->cost_ns = is_empty(geometry) ? 0 : estimate(kernel, limits, geometry);
done:
    return status;
}
