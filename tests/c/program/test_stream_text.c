/* Records of kernels made into text: formats, items kept apart, and memory that holds anything at all. */
#include "program/stream_text.h"

#include "base/alloc.h"
#include "check.h"

#include <math.h>
#include <stdlib.h>

enum { CHAR = 1, SHORT, INT, UINT, LONG, ULONG, FLOAT, DOUBLE, POINTER, STRING, END_LINE, END_TEXT };
enum { HEX = 0x10, OCT = 0x20, SHOWBASE = 0x40, SHOWPOS = 0x80, FIXED = 0x100, SCIENTIFIC = 0x200, HEXFLOAT = 0x300 };
enum { COMMA = 0x800 };
#define WIDTH(n)     ((uint32_t)(n) << 21)
#define PRECISION(n) (0x400u | (uint32_t)(n) << 12)

static syc_stream_memory *made;

static void begin(size_t characters)
{
    CHECK_OK(syc_alloc(syc_stream_bytes(characters), &made));
    syc_stream_clear(made, characters);
}

/* What a kernel does: takes words, or says where there was no room. */
static void put(uint32_t item, uint32_t header, const void *payload, size_t bytes)
{
    uint32_t words = 2 + (uint32_t)(bytes + 3) / 4, at = made->used;
    if (at < made->room)
        made->used += words;
    if (at >= made->room || made->room - at < words) {
        made->end = at < made->end ? at : made->end;
        return;
    }
    made->words[at] = item;
    made->words[at + 1] = header;
    if (bytes > 0)
        memcpy(&made->words[at + 2], payload, bytes);
}

static void put_int(uint32_t item, uint32_t format, int32_t value)
{
    put(item, INT | format, &value, sizeof value);
}

static void put_double(uint32_t format, double value)
{
    put(0, DOUBLE | format, &value, sizeof value);
}

static void put_text(uint32_t item, uint32_t width, const char *text)
{
    put(item, STRING | WIDTH(width) | (uint32_t)strlen(text) << 4, text, strlen(text));
}

static void end_line(uint32_t item)
{
    put(item, END_LINE, NULL, 0);
}

static void check_text(int where, const char *expected, bool more)
{
    syc_text text = {0};
    bool overflowed = syc_stream_read(made, &text);
    if (strcmp(syc_text_get(&text), expected) != 0 || overflowed != more) {
        fprintf(stderr, "%s:%d: got \"%s\", overflowed %d\n", __FILE__, where, syc_text_get(&text), overflowed);
        check__failures++;
    }
    syc_text_clear(&text);
    syc_free(made);
    made = NULL;
}
#define CHECK_TEXT(expected, more) check_text(__LINE__, expected, more)

static void integers(void)
{
    const int64_t wide = INT64_MIN;
    const uint64_t most = UINT64_MAX;
    const uint32_t positive = 4000000000u;
    const int32_t narrow = -2;

    begin(200);
    put_int(0, 0, 0);
    put_int(0, SHOWPOS | WIDTH(5), 7);
    put_int(0, WIDTH(5), -7);
    put_int(0, HEX, -1);
    put_int(0, HEX | SHOWBASE, 255);
    put_int(0, OCT | SHOWBASE | SHOWPOS | WIDTH(6), 8);
    put_int(0, HEX | SHOWBASE, 0);
    put(0, SHORT | HEX | WIDTH(6), &narrow, 4);
    put(0, SHORT | WIDTH(6), &narrow, 4);
    put(0, UINT | SHOWPOS | WIDTH(11), &positive, 4);
    CHECK_TEXT("0   +7   -7ffffffff0xff   0100  fffe    -2 4000000000", false);

    begin(200);
    put(0, LONG, &wide, 8);
    put(0, LONG | HEX | WIDTH(17), &wide, 8);
    put(0, ULONG | WIDTH(21), &most, 8);
    put(0, ULONG | OCT | WIDTH(23), &most, 8);
    put(0, POINTER | WIDTH(19), &most, 8);
    CHECK_TEXT("-9223372036854775808 8000000000000000 18446744073709551615 1777777777777777777777 0xffffffffffffffff",
               false);
}

static void reals(void)
{
    const float third = 1.0f / 3;

    begin(1000);
    put(0, FLOAT, &third, 4);
    put(0, FLOAT | FIXED | PRECISION(2) | WIDTH(6), &third, 4);
    put(0, FLOAT | SCIENTIFIC | WIDTH(13), &third, 4);
    put(0, FLOAT | HEXFLOAT | WIDTH(14), &third, 4);
    put_double(WIDTH(7), 1e6);
    put_double(WIDTH(8), 123456.7);
    put_double(WIDTH(2), -0.0 * 0 + 3);
    put_double(SHOWPOS | PRECISION(3) | WIDTH(6), 2.5);
    put_double(PRECISION(0) | WIDTH(2), 2.6);
    put_double(WIDTH(4), INFINITY);
    put_double(SHOWPOS | WIDTH(5), INFINITY);
    put_double(FIXED | WIDTH(4), NAN);
    put_double(WIDTH(3), -0.0);
    put_double(PRECISION(17) | WIDTH(20), 0.1);
    CHECK_TEXT("0.333333  0.33 3.333333e-01 0x1.555556p-2  1e+06  123457 3  +2.5 3 inf +inf nan -0 0.10000000000000001",
               false);

    begin(2000);
    put_double(FIXED | PRECISION(511), 1.7976931348623157e308);
    {
        syc_text text = {0};
        CHECK(!syc_stream_read(made, &text));
        CHECK_EQUAL(text.length, 309 + 1 + 511);
        syc_text_clear(&text);
        syc_free(made);
    }
}

static void characters_strings_and_vectors(void)
{
    const uint32_t letter = 'q';
    begin(100);
    put(0, CHAR | WIDTH(3), &letter, 4);
    put_text(0, 0, "abcde");
    put_text(0, 4, "xy");
    put_text(0, 2, "");
    put_int(0, COMMA, 1);
    put_int(0, COMMA | HEX, 16);
    put_int(0, 0, 3);
    CHECK_TEXT("  qabcde  xy  1, 10, 3", false);
}

/* What an item writes between two flushes is one piece, and pieces come in the order of their flushes. */
static void items_are_kept_apart(void)
{
    begin(100);
    put_text(7, 0, "a");
    put_text(9, 0, "b");
    put_int(7, 0, 1);
    put_int(9, 0, 2);
    end_line(9);
    put_text(7, 0, "c");
    put_text(9, 0, "d");
    put(7, END_TEXT, NULL, 0);
    put_text(7, 0, "e");
    put(7, END_TEXT, NULL, 0);
    put_text(1000007, 0, "f");
    put(7, END_TEXT, NULL, 0);
    CHECK_TEXT("b2\na1cedf", false);
}

static void an_empty_stream_has_no_text(void)
{
    begin(10);
    CHECK_TEXT("", false);
}

static void what_has_no_room_is_dropped(void)
{
    begin(1); /* 6 words, and 16 more */
    for (int i = 0; i < 20; i++)
        put_int(0, 0, i % 10);
    CHECK_TEXT("0123456", true);

    begin(1);
    for (int i = 0; i < 7; i++)
        put_int(0, 0, i);
    made->used = UINT32_MAX;
    made->end = 21;
    CHECK_TEXT("0123456", true);

    begin(1); /* full to the last word, and one more wanted */
    for (int i = 0; i < 7; i++)
        put_int(0, 0, i);
    made->room = made->used;
    put_int(0, 0, 7);
    CHECK_TEXT("0123456", true);
}

/* As many characters as were asked for always have room, whatever they come from. */
static void the_shortest_texts_have_room(void)
{
    const int64_t one = 1;
    begin(3);
    for (int i = 0; i < 3; i++) {
        put(0, LONG | WIDTH(1) | PRECISION(1), &one, 8);
        put(0, END_TEXT, NULL, 0);
    }
    CHECK_TEXT("111", false);
}

/* A kernel may write beyond its arrays: the reader must take any bytes. */
static void any_memory_is_read(void)
{
    unsigned seed = 1;
    for (int round = 0; round < 2000; round++) {
        syc_text text = {0};
        begin(20);
        for (uint32_t i = 0; i < made->room; i++) {
            made->words[i] = (uint32_t)rand_r(&seed) * 2654435761u;
            if (rand_r(&seed) % 2)
                made->words[i] &= 0xff0f;
        }
        made->used = rand_r(&seed) % 4 ? (uint32_t)rand_r(&seed) % 200 : UINT32_MAX;
        made->end = rand_r(&seed) % 2 ? made->room : (uint32_t)rand_r(&seed) % 300;
        (void)syc_stream_read(made, &text);
        CHECK(!text.cut);
        syc_text_clear(&text);
        syc_free(made);
    }
}

static void without_memory_the_text_is_cut(void)
{
    syc_text text = {0};
    begin(10);
    put_int(0, 0, 1);
    syc_alloc_fail_at(1);
    CHECK(syc_stream_read(made, &text));
    syc_alloc_fail_at(0);
    CHECK(text.cut && text.length == 0);
    syc_free(made);
}

int main(void)
{
    RUN(integers);
    RUN(reals);
    RUN(characters_strings_and_vectors);
    RUN(items_are_kept_apart);
    RUN(an_empty_stream_has_no_text);
    RUN(what_has_no_room_is_dropped);
    RUN(the_shortest_texts_have_room);
    RUN(any_memory_is_read);
    RUN(without_memory_the_text_is_cut);
    return CHECK_EXIT_CODE;
}
