/* How arrays of variables are combined: what the rows say of each, fitted to the launch. What a row costs in memory is
 * bounded: copies of all arrays take SYC__SPAN_MOST_COPIES at most, over an nd-range what python/body/reductions.c
 * allows. */
#include "algo/lower/span_rows.h"

#include "algo/counts.h"
#include "body/name.h"
#include "body/traits.h"
#include "cl/device.h"

/* Elements of all copies from which on there are work-items that fold. Local memory for what else a kernel may have
 * there. */
enum { FOLD_ELEMENTS = 1 << 16, SHARED_ROOM = 1024 };

static bool is_private(const syc_name *name)
{
    return name->kind == SYC_NAME_REDUCER && name->reducer.variables != NULL;
}

static bool is_span(const syc_name *name)
{
    return is_private(name) || (name->kind == SYC_NAME_REDUCER && name->reducer.array);
}

/* Copies in local memory: a power of two, as long as all of them take little room. */
static uint32_t choose_copies(const struct syc__span_row *row, const struct syc__span_question *a)
{
    uint32_t copies = 1;
    const uint64_t room = row->way == SYC_SPAN_LOCAL_TABLE ? a->all : a->room;
    const uint64_t most = room < row->little ? room : row->little;
    bool threaded = a->device->facts->items == SYC_ITEMS_THREADED || row->base.flags & SYC_ROW_TEST;
    while (threaded && copies < row->copies && syc__multiply(syc__span_room(a), 2 * copies) <= most)
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
        const bool copies = name->op.accuracy != SYC_ACCURACY_FAST || name->reducer.result != NULL;
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

static void take(const struct syc__span_row *row, const struct syc__span_question *a, bool first, syc_lowering *out)
{
    unsigned i = out->span_count++;
    out->form.spans |= (uint64_t)row->way << 4 * i;
    out->span_lengths[i] = a->length;
    out->span_copies[i] = 0;
    if (syc_span_is_local(row->way))
        out->span_copies[i] = (uint8_t)choose_copies(row, a);
    out->form.ahead = row->ahead;
    out->form.whole = row->whole;
    if (syc__span_has_copies(row->way))
        out->copy_bytes += syc__multiply(a->bytes, row->way == SYC_SPAN_FOURFOLD ? 4 : 1);
    if (!first) /* of which it is said */
        return;
    out->row = &row->base;
}

static unsigned count_reducers(const syc_body_source *source)
{
    unsigned count = 0;
    for (size_t i = 0; i < source->count; i++)
        count += source->names[i].kind == SYC_NAME_REDUCER;
    return count;
}

uint64_t syc__lower_spans(const syc_device *device, const syc_body *body, const syc_geometry *range,
                          const syc_span_sizes *sizes, uint64_t groups, syc_lowering *out)
{
    const syc_body_source *source = syc_body_source_of(body);
    struct syc__span_question a = {.device = device, .lowering = out, .elements = syc__lower_elements(range, 0)};
    bool is_alone = false, first = true;

    a.sole = count_reducers(source) == 1;
    a.room = sizes->local_bytes < device->local_bytes ? (device->local_bytes - sizes->local_bytes) / 2 : 0;
    a.all = 2 * a.room > SHARED_ROOM ? 2 * a.room - SHARED_ROOM : 0;
    for (size_t i = 0; i < source->count; i++) {
        const struct syc__span_row *row;
        syc_families families;
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
        row = syc__span_row_of(&a, &families);
        take(row, &a, first, out);
        first = false;
        out->families |= families;
        if (row->items > 0 && !out->form.grouped)
            out->local_size = row->items;
        if (syc_span_is_local(row->way))
            a.room -= syc__multiply(syc__span_room(&a), out->span_copies[out->span_count - 1]);
        is_alone = is_alone || row->way == SYC_SPAN_ALONE;
        most = row->groups > 0 ? (uint64_t)row->groups * device->compute_units : groups;
        groups = most < groups ? most : groups;
    }
    if (is_alone)
        be_alone(source, out);
    if (is_alone)
        return 1;
    while (!out->form.grouped && out->local_size > 1 &&
           syc__multiply(out->copy_bytes, out->local_size) > SYC__SPAN_MOST_COPIES)
        out->local_size /= 2;
    if (out->copy_bytes > 0 &&
        syc__multiply(out->copy_bytes, syc__multiply(groups, out->local_size)) > SYC__SPAN_MOST_COPIES)
        groups = SYC__SPAN_MOST_COPIES / syc__multiply(out->copy_bytes, out->local_size);
    return groups > 0 ? groups : 1;
}

void syc__lower_folds(const syc_device *device, syc_lowering *out)
{
    uint64_t elements = 0;
    for (unsigned i = 0; i < out->span_count; i++)
        if (syc__span_has_copies(syc_form_span(&out->form, i)))
            elements += out->span_lengths[i];
    if (out->form.shape != SYC_SHAPE_LANES || out->groups < 2 || elements == 0 ||
        syc_device_way(device, SYC_FAMILY_SPAN_FOLDED) == SYC_WAY_NONE)
        return;
    out->form.folds = syc__span_folds(syc__multiply(elements, out->groups) >= FOLD_ELEMENTS);
    if (out->form.folds && out->families != 0)
        out->families |= syc_family_bit(SYC_FAMILY_SPAN_FOLDED);
    if (out->form.folds)
        out->groups *= 2;
}
