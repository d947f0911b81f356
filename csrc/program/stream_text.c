/* From records to text. A record: the work-item's linear id, a header, a value of no, one, two words or the words of a
 * string. The header, from its lowest bit: kind 4, base 2, showbase, showpos, notation 2, has a precision, a comma
 * follows, precision 9, width 11; in a string the length stands where base to precision are. */
#include "program/stream_text.h"

#include "base/alloc.h"

#include <inttypes.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum kind { CHAR = 1, SHORT, INT, UINT, LONG, ULONG, FLOAT, DOUBLE, POINTER, STRING, END_LINE, END_TEXT };
enum notation { DEFAULT_FLOAT, FIXED, SCIENTIFIC, HEX_FLOAT };
enum { HEAD = 2, WORST_WORDS = 6, SLACK_WORDS = 16 }; /* of a record; for a character; for a little more */

typedef struct look {
    unsigned base; /* 10, 16, 8 */
    bool show_base, show_sign, comma;
    enum notation notation;
    int precision;
    size_t width;
} look;

size_t syc_stream_bytes(size_t characters)
{
    return sizeof(syc_stream_memory) + (characters * WORST_WORDS + SLACK_WORDS) * sizeof(uint32_t);
}

void syc_stream_clear(syc_stream_memory *memory, size_t characters)
{
    memory->used = 0;
    memory->room = (uint32_t)(characters * WORST_WORDS + SLACK_WORDS);
    memory->end = UINT32_MAX;
}

/* -- one record -- */

static enum kind kind_of(uint32_t header)
{
    return (enum kind)(header & 15);
}

static look look_of(uint32_t header)
{
    static const unsigned bases[] = {10, 16, 8, 10};
    return (look){.base = bases[header >> 4 & 3],
                  .show_base = header >> 6 & 1,
                  .show_sign = header >> 7 & 1,
                  .notation = (enum notation)(header >> 8 & 3),
                  .precision = header >> 10 & 1 ? (int)(header >> 12 & 511) : 6,
                  .comma = header >> 11 & 1,
                  .width = header >> 21};
}

static size_t string_length(uint32_t header)
{
    return header >> 4 & 4095;
}

/* Words behind the header; SIZE_MAX for what is no record. */
static size_t payload_of(uint32_t header)
{
    switch (kind_of(header)) {
    case END_LINE:
    case END_TEXT:
        return 0;
    case CHAR:
    case SHORT:
    case INT:
    case UINT:
    case FLOAT:
        return 1;
    case LONG:
    case ULONG:
    case DOUBLE:
    case POINTER:
        return 2;
    case STRING:
        return (string_length(header) + 3) / 4;
    }
    return SIZE_MAX;
}

static void add_padded(syc_text *out, const char *text, size_t length, const look *look)
{
    for (size_t i = length; i < look->width; i++)
        syc_text_add_n(out, " ", 1);
    syc_text_add_n(out, text, length);
}

static void add_integer(syc_text *out, uint64_t bits, unsigned size, bool is_signed, const look *look)
{
    char text[32];
    int64_t value = (int64_t)bits;
    const char *sign = value < 0 ? "-" : look->show_sign ? "+" : "";

    if (look->base != 10 && size < 8)
        bits &= ((uint64_t)1 << 8 * size) - 1; /* of a negative number the bits that its type has */
    if (look->base == 16)
        snprintf(text, sizeof text, look->show_base ? "%#" PRIx64 : "%" PRIx64, bits);
    else if (look->base == 8)
        snprintf(text, sizeof text, look->show_base ? "%#" PRIo64 : "%" PRIo64, bits);
    else if (is_signed)
        snprintf(text, sizeof text, "%s%" PRIu64, sign, value < 0 ? 0 - bits : bits);
    else
        snprintf(text, sizeof text, "%" PRIu64, bits);
    add_padded(out, text, strlen(text), look);
}

static void add_real(syc_text *out, double value, const look *look)
{
    static const char *const formats[2][4] = {{"%.*g", "%.*f", "%.*e", "%a"}, {"%+.*g", "%+.*f", "%+.*e", "%+a"}};
    char text[1024]; /* 309 digits, a sign, a point and 511 digits at most */

    if (look->notation == HEX_FLOAT)
        snprintf(text, sizeof text, look->show_sign ? "%+a" : "%a", value);
    else
        snprintf(text, sizeof text, formats[look->show_sign][look->notation], look->precision, value);
    add_padded(out, text, strlen(text), look);
}

static double real_of(enum kind kind, const uint32_t *payload)
{
    double wide;
    float narrow;
    if (kind == DOUBLE) {
        memcpy(&wide, payload, sizeof wide);
        return wide;
    }
    memcpy(&narrow, payload, sizeof narrow);
    return narrow;
}

static void add_value(syc_text *out, enum kind kind, const uint32_t *payload, const look *look)
{
    uint64_t wide = 0;
    if (payload_of(kind) == 2)
        memcpy(&wide, payload, sizeof wide);
    switch (kind) {
    case CHAR:
        add_padded(out, (const char[]){(char)payload[0]}, 1, look);
        break;
    case SHORT:
        add_integer(out, (uint64_t)(int64_t)(int32_t)payload[0], 2, true, look);
        break;
    case INT:
        add_integer(out, (uint64_t)(int64_t)(int32_t)payload[0], 4, true, look);
        break;
    case UINT:
        add_integer(out, payload[0], 4, false, look);
        break;
    case LONG:
    case ULONG:
        add_integer(out, wide, 8, kind == LONG, look);
        break;
    case POINTER:
        add_integer(out, wide, 8, false, &(struct look){.base = 16, .show_base = true, .width = look->width});
        break;
    default:
        add_real(out, real_of(kind, payload), look);
    }
}

static void add_record(syc_text *out, const uint32_t *record)
{
    enum kind kind = kind_of(record[1]);
    look look = look_of(record[1]);

    if (kind == END_LINE)
        syc_text_add_n(out, "\n", 1);
    else if (kind == STRING)
        add_padded(out, (const char *)(record + HEAD), string_length(record[1]), &look);
    else if (kind != END_TEXT)
        add_value(out, kind, record + HEAD, &look);
    if (look.comma && kind < STRING)
        syc_text_add_n(out, ", ", 2);
}

/* -- the items -- */

/* An item's output since its last flush: a chain of records, each of which holds, where its item was, the place
 * of the next one, from 1. */
struct unit {
    uint32_t item, first, last; /* places from 1; 0: none */
    bool taken;
};

struct units {
    struct unit *items; /* open addressing, at most half full */
    size_t count;
};

static struct unit *unit_of(struct units *units, uint32_t item)
{
    size_t i = (item * 2654435761u) & (units->count - 1);
    while (units->items[i].taken && units->items[i].item != item)
        i = (i + 1) & (units->count - 1);
    units->items[i].item = item;
    units->items[i].taken = true;
    return &units->items[i];
}

static void add_unit(syc_text *out, const uint32_t *words, struct unit *unit)
{
    for (uint32_t at = unit->first; at != 0; at = words[at - 1])
        add_record(out, words + at - 1);
    unit->first = unit->last = 0;
}

/* The record at `at` joins its item's chain. */
static struct unit *join(struct units *units, uint32_t *words, size_t at)
{
    struct unit *unit = unit_of(units, words[at]);
    if (unit->last != 0)
        words[unit->last - 1] = (uint32_t)at + 1;
    else
        unit->first = (uint32_t)at + 1;
    unit->last = (uint32_t)at + 1;
    words[at] = 0;
    return unit;
}

static int by_first(const void *a, const void *b)
{
    uint32_t x = ((const struct unit *)a)->first, y = ((const struct unit *)b)->first;
    return (x > y) - (x < y);
}

/* The record behind the one at `at`; SIZE_MAX if there is none. */
static size_t behind(const uint32_t *words, size_t at, size_t end)
{
    size_t left = end - at, payload = left >= HEAD ? payload_of(words[at + 1]) : SIZE_MAX;
    return left >= HEAD && payload <= left - HEAD ? at + HEAD + payload : SIZE_MAX;
}

static void add_all(struct units *units, uint32_t *words, size_t end, syc_text *out)
{
    for (size_t at = 0, next; at < end && (next = behind(words, at, end)) != SIZE_MAX; at = next) {
        enum kind kind = kind_of(words[at + 1]);
        struct unit *unit = join(units, words, at);
        if (kind == END_LINE || kind == END_TEXT)
            add_unit(out, words, unit);
    }
    qsort(units->items, units->count, sizeof *units->items, by_first);
    for (size_t i = 0; i < units->count; i++)
        add_unit(out, words, &units->items[i]);
}

/* A decimal point is a point, whatever the process's locale says. */
static void add_all_in_c(struct units *units, uint32_t *words, size_t end, syc_text *out)
{
    locale_t plain = newlocale(LC_ALL_MASK, "C", (locale_t)0), before = (locale_t)0;
    if (plain != (locale_t)0)
        before = uselocale(plain);
    add_all(units, words, end, out);
    if (plain == (locale_t)0)
        return;
    (void)uselocale(before);
    freelocale(plain);
}

bool syc_stream_read(syc_stream_memory *memory, syc_text *out)
{
    size_t end = memory->used < memory->end ? memory->used : memory->end;
    bool more = memory->end != UINT32_MAX;
    struct units units = {.count = 16};

    if (end > memory->room)
        end = memory->room;
    while (units.count < end) /* a record has two words at least */
        units.count *= 2;
    if (end > 0 && syc_alloc_array(units.count, sizeof *units.items, &units.items) != SYC_OK) {
        out->cut = true;
        return true;
    }
    if (end > 0)
        add_all_in_c(&units, memory->words, end, out);
    syc_free(units.items);
    return more;
}
