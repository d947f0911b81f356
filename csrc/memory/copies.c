/* The interval map of current copies: adjoining segments over the whole buffer, cut where uses begin and end, joined
 * again where nothing tells two neighbours apart. */
#include "memory/copies.h"

#include "base/alloc.h"

#include <string.h>

syc_status syc_copies_init(syc_copies *copies, size_t bytes, syc_place_set places)
{
    syc_status status;
    *copies = (syc_copies){0};
    if (bytes == 0)
        return SYC_OK;
    status = syc_grow(&copies->items, &copies->room, 1, sizeof *copies->items);
    if (status != SYC_OK)
        return status;
    copies->items[0] = (syc_copy_segment){.low = 0, .high = bytes, .valid = places, .settled = places};
    copies->count = 1;
    return SYC_OK;
}

void syc_copies_clear(syc_copies *copies)
{
    syc_free(copies->items);
    *copies = (syc_copies){0};
}

size_t syc_copies_find(const syc_copies *copies, size_t low)
{
    size_t first = 0, last = copies->count;
    while (first < last) {
        size_t middle = first + (last - first) / 2;
        if (copies->items[middle].high <= low)
            first = middle + 1;
        else
            last = middle;
    }
    return first;
}

/* Room for it has been made. */
static void cut(syc_copies *copies, size_t at)
{
    size_t i = syc_copies_find(copies, at);
    if (i == copies->count || copies->items[i].low >= at)
        return;
    memmove(copies->items + i + 1, copies->items + i, (copies->count - i) * sizeof *copies->items);
    copies->items[i].high = at;
    copies->items[i + 1].low = at;
    copies->count++;
}

syc_status syc_copies_reserve(syc_copies *copies, size_t low, size_t high)
{
    syc_status status = syc_grow(&copies->items, &copies->room, copies->count + 2, sizeof *copies->items);
    if (status != SYC_OK || low >= high)
        return status;
    cut(copies, low);
    cut(copies, high);
    return SYC_OK;
}

/* All segments that have bytes in [low, high). */
#define EACH_SEGMENT(s, copies, low, high)                                         \
    for (syc_copy_segment *s = (copies)->items + syc_copies_find((copies), (low)), \
                          *end_ = (copies)->items + (copies)->count;               \
         s < end_ && s->low < (high); s++)

syc_place_set syc_copies_common(const syc_copies *copies, size_t low, size_t high)
{
    syc_place_set common = ~(syc_place_set)0;
    EACH_SEGMENT(s, copies, low, high)
    common &= s->valid;
    return common;
}

bool syc_copies_any_lost(const syc_copies *copies, size_t low, size_t high)
{
    EACH_SEGMENT(s, copies, low, high)
    {
        if (s->lost)
            return true;
    }
    return false;
}

static syc_place_set bit(unsigned place)
{
    return (syc_place_set)1 << place;
}

void syc_copies_arrive(syc_copies *copies, size_t low, size_t high, unsigned place)
{
    EACH_SEGMENT(s, copies, low, high)
    s->valid |= bit(place);
}

void syc_copies_write(syc_copies *copies, size_t low, size_t high, unsigned place, unsigned long long serial)
{
    EACH_SEGMENT(s, copies, low, high)
    {
        s->valid = bit(place);
        s->writer = serial;
        s->lost = false;
    }
}

void syc_copies_arrived(syc_copies *copies, size_t low, size_t high, unsigned place)
{
    EACH_SEGMENT(s, copies, low, high)
    s->settled |= bit(place);
}

/* Where a writer has been planned since, the plan does not count on this place's old contents. */
void syc_copies_missed(syc_copies *copies, size_t low, size_t high, unsigned place, bool ran)
{
    EACH_SEGMENT(s, copies, low, high)
    {
        if (ran)
            s->settled &= ~bit(place);
        if (s->writer == 0)
            s->valid = (s->valid & ~bit(place)) | s->settled;
    }
}

void syc_copies_wrote(syc_copies *copies, size_t low, size_t high, unsigned place, unsigned long long serial)
{
    EACH_SEGMENT(s, copies, low, high)
    {
        s->settled = bit(place);
        if (s->writer == serial)
            s->writer = 0;
    }
}

bool syc_copies_failed(syc_copies *copies, size_t low, size_t high, unsigned place, unsigned long long serial, bool ran)
{
    bool lost = false;
    EACH_SEGMENT(s, copies, low, high)
    {
        if (ran)
            s->settled &= ~bit(place);
        if (s->writer != serial) /* a later writer is planned: it is poisoned, and undoes its own plan */
            continue;
        s->writer = 0;
        s->valid = s->settled;
        s->lost = s->settled == 0;
        lost |= s->lost;
    }
    return lost;
}

/* Bytes that no command in flight changes: their borders are of no more use. */
static bool is_quiet(const syc_copy_segment *s)
{
    return s->valid == s->settled && s->writer == 0;
}

static bool same(const syc_copy_segment *a, const syc_copy_segment *b)
{
    return is_quiet(a) && is_quiet(b) && a->valid == b->valid && a->lost == b->lost;
}

void syc_copies_tidy(syc_copies *copies, size_t low, size_t high)
{
    size_t at = syc_copies_find(copies, low), kept;
    at -= at > 0;
    for (kept = at; at < copies->count; at++) {
        if (at > kept && copies->items[kept].low < high && same(&copies->items[kept], &copies->items[at])) {
            copies->items[kept].high = copies->items[at].high;
            continue;
        }
        if (at > kept)
            copies->items[++kept] = copies->items[at];
    }
    if (copies->count > 0)
        copies->count = kept + 1;
}
