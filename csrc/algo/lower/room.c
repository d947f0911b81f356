/* Where partial results stand. */
#include "algo/lower/room.h"

#include "algo/counts.h"
#include "body/name.h"
#include "body/traits.h"
#include "cl/sub_group.h"

/* No cache line has partial results of two groups, where groups are few. */
enum { APART = 128 };

static uint64_t round_up(uint64_t value)
{
    return (value + APART - 1) / APART * APART;
}

static bool is_reducer(const syc_room *room, size_t index)
{
    return room->names[index].kind == SYC_NAME_REDUCER;
}

static bool is_array(const syc_room *room, size_t index)
{
    return is_reducer(room, index) && room->names[index].reducer.array;
}

/* The number of an array among all of them. */
static unsigned number_of(const syc_room *room, size_t index)
{
    unsigned number = 0;
    for (size_t i = 0; i < index; i++)
        number += is_array(room, i);
    return number;
}

static syc_span_way way_of(const syc_room *room, size_t index)
{
    return syc_form_span(&room->lowering->form, number_of(room, index));
}

static uint64_t length_of(const syc_room *room, size_t index)
{
    return room->lowering->span_lengths[number_of(room, index)];
}

bool syc_room_has_copies(const syc_room *room, size_t index)
{
    return is_array(room, index) &&
           (way_of(room, index) == SYC_SPAN_COPIES || way_of(room, index) == SYC_SPAN_FOURFOLD);
}

static bool has_table(const syc_room *room, size_t index)
{
    return is_array(room, index) && syc_span_has_table(way_of(room, index));
}

/* Its variables that have accumulators of their own; 0: it is combined as an array. */
static uint64_t values_of(const syc_room *room, size_t index)
{
    if (!is_array(room, index))
        return is_reducer(room, index);
    return way_of(room, index) == SYC_SPAN_PRIVATE ? room->lowering->span_copies[number_of(room, index)] : 0;
}

static bool has_partials(const syc_room *room, size_t index)
{
    return values_of(room, index) > 0 || syc_room_has_copies(room, index);
}

static void count_groups(const syc_geometry *range, syc_room *out)
{
    out->groups = out->items = out->group_items = 1;
    for (unsigned d = 0; d < range->dims; d++) { /* what does not divide is refused later */
        out->items *= range->global[d];
        out->group_items *= range->local[d];
        out->groups *= range->local[d] > 0 ? range->global[d] / range->local[d] : 1;
    }
}

void syc_room_of(const syc_name *names, size_t count, const syc_lowering *lowering, const syc_geometry *range,
                 syc_room *out)
{
    *out = (syc_room){.names = names, .count = count, .lowering = lowering};
    if (lowering->form.grouped) {
        count_groups(range, out);
        return;
    }
    out->groups = lowering->form.folds ? lowering->groups / 2 : lowering->groups;
    out->group_items = lowering->local_size;
    out->items = out->groups * lowering->local_size;
}

uint64_t syc_room_step(const syc_room *room, size_t index)
{
    const syc_name *name = &room->names[index];
    const uint64_t one = syc_partial_bytes(name);
    if (syc_room_has_copies(room, index))
        return round_up(one * length_of(room, index) * (way_of(room, index) == SYC_SPAN_FOURFOLD ? 4 : 1));
    if (syc_shape_scans(room->lowering->form.shape))
        return (syc_scan_bytes(name) + 3) / 4 * sizeof(uint64_t); /* a slot (kernels/device/scan_slots.clh) */
    if (values_of(room, index) == 0)
        return room->lowering->span_copies[number_of(room, index)];
    return name->reducer.reduced == 0 && room->lowering->form.shape == SYC_SHAPE_LANES ? round_up(one) : one;
}

/* Tiles of a scan that say what they come to: where lines have several. */
static uint64_t tiles_of(const syc_room *room)
{
    const syc_lowering *lowering = room->lowering;
    if (!syc_shape_scans(lowering->form.shape) || lowering->pieces <= 1)
        return 0;
    return syc__multiply(lowering->pieces, lowering->results);
}

/* Of those partial results that are the reducer's. */
static uint64_t count_of(const syc_room *room, size_t index)
{
    if (syc_shape_scans(room->lowering->form.shape))
        return tiles_of(room);
    if (room->names[index].reducer.reduced == 0)
        return values_of(room, index) == 0 ? room->items : values_of(room, index) * room->groups;
    return room->lowering->pieces <= 1 ? 0 : syc__multiply(room->lowering->pieces, room->lowering->results);
}

uint64_t syc_room_place(const syc_room *room, size_t index)
{
    uint64_t bytes = SYC_PARTIALS_HEAD;
    if (room->lowering->form.shape == SYC_SHAPE_TEAMS)
        bytes += SYC_PARTIALS_BLOCKS * sizeof(uint32_t);
    for (size_t i = 0; i < index; i++) {
        uint64_t more = has_partials(room, i) ? syc__multiply(syc_room_step(room, i), count_of(room, i))
                        : has_table(room, i)  ? syc__multiply(length_of(room, i), room->names[i].size)
                                              : 0;
        if (__builtin_add_overflow(bytes, more > UINT64_MAX / 2 ? more : round_up(more), &bytes))
            bytes = UINT64_MAX / 2;
    }
    return bytes;
}

uint64_t syc_room_bytes(const syc_room *room)
{
    return syc_room_place(room, room->count);
}

/* ROUNDS: of each warp, or of the one work-item. */
static uint64_t round_bytes(const syc_room *room, size_t index)
{
    const syc_form *form = &room->lowering->form;
    const unsigned lanes = form->warps ? SYC_WARP : 1;
    const uint64_t bytes = syc_scan_warp_bytes(syc_partial_bytes(&room->names[index]), form->elements, lanes);
    return values_of(room, index) * round_up(room->group_items / lanes * bytes);
}

uint64_t syc_room_shared(const syc_room *room)
{
    uint64_t bytes = APART; /* the first is for a flag */
    for (size_t i = 0; i < room->count && room->lowering->form.shape == SYC_SHAPE_ROUNDS; i++)
        bytes += round_bytes(room, i);
    if (room->lowering->form.shape == SYC_SHAPE_ROUNDS)
        return bytes;
    for (size_t i = 0; i < room->count; i++)
        bytes += values_of(room, i) * round_up(syc_partial_bytes(&room->names[i]) * room->group_items);
    return bytes;
}

uint64_t syc_room_local(const syc_room *room, size_t index)
{
    const uint64_t copies = room->lowering->span_copies[number_of(room, index)];
    return copies * (length_of(room, index) | 1) * room->names[index].size; /* each of an odd length */
}
