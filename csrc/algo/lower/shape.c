/* Rules for shapes beside the table: the one that a test asks for, runs, and neighbours. */
#include "algo/lower/lower.h"

#include "algo/counts.h"
#include "body/name.h"
#include "body/traits.h"

#include <stdatomic.h>

static _Atomic(syc_shape) forced = SYC_SHAPE_COUNT;

bool syc__lower_has_runs(syc_shape shape)
{
    return shape == SYC_SHAPE_LOOP || shape == SYC_SHAPE_PACK;
}

void syc_lower_force(syc_shape shape)
{
    atomic_store(&forced, shape);
}

syc_shape syc__lower_forced(void)
{
    return atomic_load_explicit(&forced, memory_order_relaxed);
}

uint64_t syc__lower_elements(const syc_geometry *range, unsigned first)
{
    uint64_t count = 1;
    for (unsigned d = first; d < range->dims; d++)
        count = syc__multiply(count, range->global[d]);
    return count;
}

uint32_t syc__lower_items_of_group(const syc_geometry *range)
{
    uint64_t items = 1;
    for (unsigned d = 0; d < range->dims; d++)
        items = syc__multiply(items, range->local[d]);
    return items <= UINT32_MAX ? (uint32_t)items : 0;
}

unsigned syc__lower_neighbours(const syc_body *body)
{
    const syc_body_source *source = syc_body_source_of(body);
    const bool takes = syc_body_traits_of(body)->takes;
    size_t widest = 1;
    for (size_t i = 0; i < source->count; i++) {
        if (takes && !syc_body_takes(body, i))
            continue;
        if (source->names[i].kind == SYC_NAME_GLOBAL && (source->names[i].size == 0 || source->names[i].size > widest))
            widest = source->names[i].size == 0 ? SIZE_MAX : source->names[i].size;
    }
    return widest <= 1 ? 16 : widest <= 2 ? 8 : widest <= 4 ? 4 : widest <= 8 ? 2 : 1;
}

syc_family syc__lower_pack_family(const syc_body_traits *traits)
{
    return traits->doubles ? SYC_FAMILY_PACK_DOUBLE : SYC_FAMILY_PACK_FLOAT;
}

syc_families syc__lower_pack_families(const syc_body_traits *traits)
{
    return syc_family_bit(SYC_FAMILY_REDUCE_PACK) | syc_family_bit(syc__lower_pack_family(traits));
}
