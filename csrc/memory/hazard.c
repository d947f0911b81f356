/* The interval map: a sorted array of disjoint segments, each with its last writer and the readers since. Segments are
 * cut where uses begin and end, and go when their last user is removed, so its size follows what is in flight. */
#include "memory/hazard.h"

#include "base/alloc.h"

#include <string.h>

struct segment {
    uintptr_t low, high;
    syc_command *writer;
    syc_command **readers;
    size_t reader_count, reader_room;
};

/* A list of readers that a segment has had; the next one takes it over. */
struct spare {
    syc_command **readers;
    size_t room;
};

enum { SPARES = 8 };

struct syc_hazards {
    struct segment *items;
    size_t count, room;
    struct spare spares[SPARES];
    size_t spare_count;
};

syc_status syc_hazards_create(syc_hazards **out)
{
    return syc_alloc(sizeof **out, out);
}

void syc_hazards_free(syc_hazards *map)
{
    if (map == NULL)
        return;
    for (size_t i = 0; i < map->count; i++)
        syc_free(map->items[i].readers);
    while (map->spare_count > 0)
        syc_free(map->spares[--map->spare_count].readers);
    syc_free(map->items);
    syc_free(map);
}

size_t syc_hazards_count(const syc_hazards *map)
{
    return map->count;
}

/* Index of the first segment that ends above `address`. */
static size_t lower_bound(const syc_hazards *map, uintptr_t address)
{
    size_t low = 0, high = map->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (map->items[middle].high <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

void syc_hazards_visit(syc_hazards *map, uintptr_t low, uintptr_t high, bool write, void (*each)(syc_command *, void *),
                       void *user)
{
    for (size_t i = lower_bound(map, low); low < high && i < map->count && map->items[i].low < high; i++) {
        struct segment *s = &map->items[i];
        if (s->writer != NULL)
            each(s->writer, user);
        for (size_t r = 0; write && r < s->reader_count; r++)
            each(s->readers[r], user);
    }
}

static syc_status insert(syc_hazards *map, size_t at, struct segment segment)
{
    syc_status status = syc_grow(&map->items, &map->room, map->count + 1, sizeof *map->items);
    if (status != SYC_OK)
        return status;
    memmove(map->items + at + 1, map->items + at, (map->count - at) * sizeof *map->items);
    map->items[at] = segment;
    map->count++;
    return SYC_OK;
}

/* Makes `address` a border: the segment around it, if any, becomes two with the same users, and with room for one more
 * reader where there was room. */
static syc_status cut(syc_hazards *map, uintptr_t address)
{
    size_t i = lower_bound(map, address);
    struct segment right;
    syc_status status;
    if (i == map->count || map->items[i].low >= address)
        return SYC_OK;
    right = map->items[i];
    right.low = address;
    right.readers = NULL;
    right.reader_room = 0;
    if (map->items[i].reader_room > 0) {
        status = syc_grow(&right.readers, &right.reader_room, right.reader_count + 1, sizeof *right.readers);
        if (status != SYC_OK)
            return status;
        memcpy(right.readers, map->items[i].readers, right.reader_count * sizeof *right.readers);
    }
    status = insert(map, i + 1, right);
    if (status != SYC_OK)
        syc_free(right.readers);
    else
        map->items[i].high = address;
    return status;
}

static bool is_unused(const struct segment *s)
{
    return s->writer == NULL && s->reader_count == 0;
}

static void put_by(syc_hazards *map, const struct segment *s)
{
    if (s->reader_room > 0 && map->spare_count < SPARES)
        map->spares[map->spare_count++] = (struct spare){s->readers, s->reader_room};
    else
        syc_free(s->readers);
}

static syc_status make_room(syc_hazards *map, struct segment *s)
{
    if (s->reader_room == 0 && map->spare_count > 0) {
        const struct spare *spare = &map->spares[--map->spare_count];
        s->readers = spare->readers;
        s->reader_room = spare->room;
    }
    return syc_grow(&s->readers, &s->reader_room, s->reader_count + 1, sizeof *s->readers);
}

/* Drops the segments in [low, high) that nobody uses. */
static void sweep(syc_hazards *map, uintptr_t low, uintptr_t high)
{
    size_t to = lower_bound(map, low), i = to;
    for (; low < high && i < map->count && map->items[i].low < high; i++) {
        if (is_unused(&map->items[i]))
            put_by(map, &map->items[i]);
        else
            map->items[to++] = map->items[i];
    }
    if (i > to)
        memmove(map->items + to, map->items + i, (map->count - i) * sizeof *map->items);
    map->count -= i - to;
}

syc_status syc_hazards_reserve(syc_hazards *map, uintptr_t low, uintptr_t high, bool write)
{
    uintptr_t at = low;
    syc_status status = SYC_OK;
    if (low >= high)
        return SYC_OK;
    SYC_TRY(cut(map, low));
    SYC_TRY(cut(map, high));
    for (size_t i = lower_bound(map, low); at < high; i++) {
        if (i == map->count || map->items[i].low > at) { /* a gap up to the next segment or the end */
            uintptr_t end = i < map->count && map->items[i].low < high ? map->items[i].low : high;
            SYC_TRY(insert(map, i, (struct segment){.low = at, .high = end}));
        }
        if (!write)
            SYC_TRY(make_room(map, &map->items[i]));
        at = map->items[i].high;
    }
done:
    if (status != SYC_OK)
        sweep(map, low, high);
    return status;
}

/* A command's second reading of the same bytes needs no second entry. */
static bool reads_already(const struct segment *s, const syc_command *command)
{
    return s->reader_count > 0 && s->readers[s->reader_count - 1] == command;
}

static void use(struct segment *s, bool write, syc_command *command)
{
    if (write) {
        s->writer = command;
        s->reader_count = 0;
    } else if (!reads_already(s, command)) {
        s->readers[s->reader_count++] = command;
    }
}

void syc_hazards_use(syc_hazards *map, uintptr_t low, uintptr_t high, bool write, syc_command *command)
{
    for (size_t i = lower_bound(map, low); low < high && i < map->count && map->items[i].low < high; i++)
        use(&map->items[i], write, command);
}

static void forget(struct segment *s, const syc_command *command)
{
    size_t kept = 0;
    if (s->writer == command)
        s->writer = NULL;
    for (size_t r = 0; r < s->reader_count; r++) {
        if (s->readers[r] != command)
            s->readers[kept++] = s->readers[r];
    }
    s->reader_count = kept;
}

void syc_hazards_remove(syc_hazards *map, uintptr_t low, uintptr_t high, syc_command *command)
{
    for (size_t i = lower_bound(map, low); low < high && i < map->count && map->items[i].low < high; i++)
        forget(&map->items[i], command);
    sweep(map, low, high);
}
