/* Arrays of which a text names a few variables by constants: are accumulators of each work-item's own for these
 * possible in a call, and worth it? If so the rows for reducers of one variable decide all else.
 *
 * Any subscripts of a short array could be taken so, r[k] += x as a choice for each variable. That is
 * better than copies for two to four counts only (tests/bench/README.md), so there is none. */
#include "algo/lower/lower.h"

#include "algo/counts.h"
#include "algo/table.h"
#include "base/text.h"
#include "body/name.h"
#include "body/traits.h"
#include "cl/device.h"

/* Variables that one work-item fills, because the text does not name them and their old values do not count. */
enum { MOST_FILLED = 4096 };

struct row {
    syc_row base;
    uint64_t most; /* bytes of a work-item's accumulators, one for each variable */
};

static const struct row rows[] = {
    {.base.items = SYC_ON_THREADED, .base.name = "registers of a thread", .base.measured = "not measured", .most = 128},
    {.base.name = "memory of a work-item",
     .base.measured =
         "2^20 floats, a loaded machine of 2 cores, times of copies and of four copies over ours (tests/bench/"
         "histogram.py 20 7 named): PoCL 3.0, sums of four powers 3.2 and 4.7, of a root and of exp 24 and 23, "
         "sixteen sums 7.3 and 7.3, one or two conditional sums 36 to 45, three counts by if and else 0.9 and "
         "0.9; Intel 2026.2, 2.2 and 2.6, 5.4 and 2.6, 2.0 and 1.6, 12 to 14, 7.3 and 7.0; what is chosen by a "
         "switch the same either way. One reducer for each variable 1.0 to 1.6",
     .most = 1024},
};

static const syc_table table = {SYC_TABLE_OF(rows)};

/* Are all that the text names there? */
static bool are_inside(const syc_name *name, const uint64_t *range)
{
    const syc_variables *v = name->reducer.variables;
    for (unsigned i = 0; i < v->count; i++)
        for (unsigned d = 0; d < name->rank; d++)
            if (v->at[i][d] >= range[d])
                return false;
    return true;
}

/* The first variable that all come to and that is not there; its count if there is none. */
static unsigned find_outside(const syc_name *name, const uint64_t *range)
{
    const syc_variables *v = name->reducer.variables;
    unsigned i = 0;
    for (; i < v->count; i++)
        for (unsigned d = 0; d < name->rank; d++)
            if (v->sure[i] && v->at[i][d] >= range[d])
                return i;
    return i;
}

static void add_extents(syc_text *text, const syc_name *name, const uint64_t *range)
{
    for (unsigned d = 0; d < name->rank; d++)
        syc_text_add(text, "%s%llu", d > 0 ? " x " : "", (unsigned long long)range[d]);
}

static syc_status refuse(const char *kernel, const syc_name *name, const uint64_t *range, const uint32_t *at)
{
    syc_status status = SYC_OK;
    syc_text extents = {0}, subscripts = {0};

    add_extents(&extents, name, range);
    for (unsigned d = 0; d < name->rank; d++)
        syc_text_add(&subscripts, "[%u]", (unsigned)at[d]);
    status = syc_fail(SYC_E_KERNEL_ARGUMENT, SYC_HERE,
                      "%s(): the reducer '%s' is of an array of %s variables, and the text combines into %s%s", kernel,
                      name->name, syc_text_get(&extents), name->name, syc_text_get(&subscripts));
    syc_text_clear(&extents);
    syc_text_clear(&subscripts);
    return status;
}

syc_status syc_lower_check_variables(const char *kernel, const syc_body *body, const syc_geometry *range,
                                     const syc_span_sizes *sizes)
{
    const syc_body *own = syc_body_private(body);
    const syc_body_source *source = own != NULL ? syc_body_source_of(own) : NULL;
    const bool empty = range->dims == 0 || syc__lower_elements(range, 0) == 0;
    unsigned number = 0;

    for (size_t i = 0; source != NULL && i < source->count && !empty; i++) {
        const syc_name *name = &source->names[i];
        unsigned outside;
        if (name->kind != SYC_NAME_REDUCER)
            continue;
        if (name->reducer.variables != NULL) {
            outside = find_outside(name, sizes->ranges[number]);
            if (outside < name->reducer.variables->count)
                return refuse(kernel, name, sizes->ranges[number], name->reducer.variables->at[outside]);
        }
        number += name->reducer.array || name->reducer.variables != NULL;
    }
    return SYC_OK;
}

/* Local memory has room for them, over an nd-range whose groups the user has chosen. */
static bool have_room(const syc_device *device, const syc_geometry *range, const syc_span_sizes *sizes, uint64_t bytes)
{
    uint64_t room = sizes->local_bytes < device->local_bytes ? (device->local_bytes - sizes->local_bytes) / 2 : 0;
    return syc__multiply(bytes, syc__lower_items_of_group(range)) <= room;
}

const syc_body *syc__lower_private(const syc_device *device, const syc_body *body, const syc_geometry *range,
                                   const syc_span_sizes *sizes, bool grouped)
{
    const syc_body *own = syc_body_private(body);
    const syc_body_source *source;
    const syc_span_way forced = syc__lower_forced_span();
    const struct row *row;
    uint64_t bytes = 0;
    unsigned number = 0;

    if (own == NULL || range->dims == 0 || (forced != SYC_SPAN_COUNT && forced != SYC_SPAN_PRIVATE))
        return body;
    row = syc_table_find(&table, device, NULL);
    source = syc_body_source_of(own);
    for (size_t i = 0; i < source->count; i++) {
        const syc_name *name = &source->names[i];
        if (name->kind != SYC_NAME_REDUCER)
            continue;
        if (name->reducer.variables != NULL) {
            bytes += name->reducer.variables->count * syc_partial_bytes(name);
            if (!are_inside(name, sizes->ranges[number]) ||
                (name->reducer.fresh && sizes->lengths[number] > MOST_FILLED))
                return body;
        }
        number += name->reducer.array || name->reducer.variables != NULL;
    }
    return bytes <= row->most && (!grouped || have_room(device, range, sizes, bytes)) ? own : body;
}
