/* Boxes: whatever rectangles two of them are copied by, they move the bytes that a plain loop moves; and when they say
 * that it cannot be done in so many, or that nothing overlaps, that is so. */
#include "check.h"
#include "memory/box.h"

#include <stdint.h>

enum { ROOM = 4096, ROUNDS = 60000, MOST_CALLS = 8 };

static uint64_t seed = 20261121;

static size_t random_below(size_t limit)
{
    seed = seed * 6364136223846793005ull + 1442695040888963407ull;
    return (size_t)(seed >> 33) % limit;
}

/* Where byte `n` of a box lies. */
static size_t place(const syc_box *box, size_t n)
{
    size_t row = n / box->extent[0];
    return box->origin + n % box->extent[0] + row % box->extent[1] * box->pitch[0] +
           row / box->extent[1] * box->pitch[1];
}

/* A box of exactly these extents somewhere in the room, with rows and planes apart as OpenCL wants them, or not. */
static syc_box random_box(const size_t extent[3])
{
    syc_box box = {.extent = {extent[0], extent[1], extent[2]}};
    bool tight = random_below(3) == 0;
    box.pitch[0] = extent[0] + (tight ? 0 : random_below(6));
    box.pitch[1] = box.pitch[0] * (extent[1] + (tight ? 0 : random_below(3)));
    if (random_below(6) == 0)
        box.pitch[1] += random_below(5);
    box.origin = random_below(40);
    return box;
}

/* Extents whose product is `bytes`, chosen at random. */
static void split(size_t bytes, size_t extent[3])
{
    for (int d = 0; d < 2; d++) {
        do
            extent[d] = 1 + random_below(bytes);
        while (bytes % extent[d] != 0);
        bytes /= extent[d];
    }
    extent[2] = bytes;
}

static syc_box random_box_of(size_t bytes)
{
    size_t extent[3];
    split(bytes, extent);
    return random_box(extent);
}

static void fill(unsigned char *memory)
{
    for (size_t i = 0; i < ROOM; i++)
        memory[i] = (unsigned char)random_below(256);
}

static bool is_legal(const size_t extent[3], const size_t pitch[2])
{
    return pitch[0] >= extent[0] && pitch[1] >= extent[1] * pitch[0] && pitch[1] % pitch[0] == 0;
}

static void run(const syc_rects *r, unsigned char *to, const unsigned char *from)
{
    for (size_t n = 0; n < r->count; n++)
        for (size_t z = 0; z < r->extent[2]; z++)
            for (size_t y = 0; y < r->extent[1]; y++)
                memcpy(to + r->to_origin + n * r->to_step + z * r->to_pitch[1] + y * r->to_pitch[0],
                       from + r->from_origin + n * r->from_step + z * r->from_pitch[1] + y * r->from_pitch[0],
                       r->extent[0]);
}

static bool check_pair(const syc_box *to, const syc_box *from, bool same)
{
    static unsigned char source[ROOM], wanted[ROOM], got[ROOM];
    syc_rects rects = {.count = 0};

    fill(source);
    fill(wanted);
    memcpy(got, wanted, ROOM);
    for (size_t n = 0; n < syc_box_bytes(to); n++)
        wanted[place(to, n)] = source[place(from, n)];
    if (!syc_boxes_match(to, from, same, MOST_CALLS, &rects))
        return false;
    CHECK(rects.count >= 1 && rects.count <= MOST_CALLS);
    CHECK(is_legal(rects.extent, rects.to_pitch) && is_legal(rects.extent, rects.from_pitch));
    if (same && !syc_rects_are_runs(&rects))
        CHECK(memcmp(rects.to_pitch, rects.from_pitch, sizeof rects.to_pitch) == 0);
    run(&rects, got, source);
    CHECK(memcmp(got, wanted, ROOM) == 0);
    return true;
}

static void test_random_pairs(void)
{
    int matched = 0;
    for (int i = 0; i < ROUNDS; i++) {
        size_t bytes = 1 + random_below(96);
        syc_box to = random_box_of(bytes), from = random_box_of(bytes);
        matched += check_pair(&to, &from, random_below(4) == 0);
    }
    CHECK(matched > ROUNDS / 4);
}

/* Through a run it can always be done, if in as many calls as there are planes. */
static void test_runs_always_match(void)
{
    for (int i = 0; i < ROUNDS / 4; i++) {
        size_t bytes = 1 + random_below(96);
        syc_box box = random_box_of(bytes), packed = syc_box_run(random_below(50), bytes);
        syc_rects rects;
        CHECK(syc_boxes_match(&box, &packed, false, bytes, &rects));
        CHECK(syc_boxes_match(&packed, &box, false, bytes, &rects));
    }
}

static void test_few_calls(void)
{
    syc_box run8 = syc_box_run(4, 24), rows = {3, {4, 3, 2}, {8, 32}}, wide = {0, {8, 3, 1}, {16, 48}};
    syc_box odd = {0, {6, 4, 1}, {7, 28}};
    syc_rects r;
    CHECK(syc_boxes_match(&run8, &run8, true, 1, &r) && syc_rects_are_runs(&r) && r.extent[0] == 24);
    CHECK(syc_boxes_match(&rows, &run8, false, 1, &r) && r.extent[1] == 3 && r.extent[2] == 2 && r.from_pitch[0] == 4 &&
          r.from_pitch[1] == 12);
    CHECK(syc_boxes_match(&rows, &rows, true, 1, &r));
    CHECK(!syc_boxes_match(&rows, &run8, true, 99, &r)); /* one memory object wants equal pitches */
    CHECK(!syc_boxes_match(&odd, &wide, false, 99, &r)); /* 6 and 8 have no rows in common */
    wide.extent[1] = 6;
    rows = (syc_box){0, {4, 12, 1}, {6, 72}};
    CHECK(syc_boxes_match(&wide, &rows, false, 1, &r) && r.to_pitch[1] == 16 && r.from_pitch[1] == 12);
    rows.pitch[0] = 7; /* two short rows against a long one: planes of 16 bytes here, of 14 there */
    CHECK(syc_boxes_match(&wide, &rows, false, 1, &r) && r.to_pitch[0] == 4 && r.from_pitch[0] == 7);
    wide.pitch[0] = 15; /* no whole number of rows of 4 */
    CHECK(!syc_boxes_match(&wide, &rows, false, 1, &r) && syc_boxes_match(&wide, &rows, false, 6, &r) && r.count == 6);
}

/* Rows of 8 bytes against rows of 4: each long row is two short ones. */
static void test_rows_are_cut(void)
{
    syc_box wide = {0, {8, 3, 1}, {16, 48}}, narrow = {0, {4, 6, 1}, {4, 24}}, apart = {0, {4, 2, 3}, {8, 16}};
    syc_rects r;
    CHECK(syc_boxes_match(&wide, &narrow, false, 1, &r));
    CHECK(syc_boxes_match(&wide, &apart, false, 1, &r) && r.extent[0] == 4 && r.extent[1] == 2 && r.extent[2] == 3);
}

static void test_tidy(void)
{
    for (int i = 0; i < ROUNDS / 4; i++) {
        size_t bytes = 1 + random_below(96);
        syc_box box = random_box_of(bytes), tidy = syc_box_tidy(&box);
        CHECK_EQUAL(syc_box_bytes(&tidy), bytes);
        CHECK_EQUAL(syc_box_end(&tidy), place(&box, bytes - 1) + 1);
        for (size_t n = 0; n < bytes; n++)
            CHECK_EQUAL(place(&tidy, n), place(&box, n));
        if (box.pitch[0] == box.extent[0] && box.pitch[1] == box.extent[0] * box.extent[1])
            CHECK(syc_box_is_run(&tidy));
    }
}

static bool share_a_byte(const syc_box *a, const syc_box *b)
{
    static bool used[ROOM];
    memset(used, 0, sizeof used);
    for (size_t n = 0; n < syc_box_bytes(a); n++)
        used[place(a, n)] = true;
    for (size_t n = 0; n < syc_box_bytes(b); n++) {
        if (used[place(b, n)])
            return true;
    }
    return false;
}

static void test_overlap(void)
{
    syc_box left = {0, {4, 8, 1}, {16, 128}}, right = {8, {4, 8, 1}, {16, 128}}, middle = {2, {4, 8, 1}, {16, 128}};
    CHECK(!syc_boxes_overlap(&left, &right) && syc_boxes_overlap(&left, &middle));
    for (int i = 0; i < ROUNDS / 4; i++) {
        syc_box a = random_box_of(1 + random_below(60)), b = random_box_of(1 + random_below(60));
        a = syc_box_tidy(&a);
        b = syc_box_tidy(&b);
        if (share_a_byte(&a, &b))
            CHECK(syc_boxes_overlap(&a, &b));
        CHECK(syc_boxes_overlap(&a, &b) == syc_boxes_overlap(&b, &a) || a.pitch[0] != b.pitch[0]);
    }
}

static void test_cut(void)
{
    for (int i = 0; i < ROUNDS / 4; i++) {
        size_t bytes = 1 + random_below(96), wanted = 1 + random_below(bytes);
        syc_box box = random_box_of(bytes), cut;
        bool exact;
        box = syc_box_tidy(&box);
        exact = syc_box_cut(&box, wanted, &cut);
        CHECK(exact ? syc_box_bytes(&cut) == wanted : syc_box_bytes(&cut) > wanted);
        CHECK(syc_box_bytes(&cut) <= bytes);
        for (size_t n = 0; n < wanted; n++)
            CHECK_EQUAL(place(&cut, n), place(&box, n));
    }
}

static void test_spans(void)
{
    const ptrdiff_t shape[] = {3, 4, 5}, steps[] = {200, 40, 8}, transposed[] = {8, 40, 200}, back[] = {200, -40, 8};
    char memory[1000];
    syc_host_array span = {.data = memory, .bytes = 480, .rank = 3, .item_size = 8, .shape = shape, .strides = steps};
    syc_box box;
    CHECK(syc_host_array_box(&span, &box) && box.extent[0] == 160 && box.extent[1] == 3 && box.pitch[0] == 200);
    span.strides = transposed;
    CHECK(!syc_host_array_box(&span, &box));
    span.strides = back;
    CHECK(!syc_host_array_box(&span, &box));
    span.packed = true;
    CHECK(syc_host_array_box(&span, &box) && syc_box_is_run(&box) && box.extent[0] == 480);
}

int main(void)
{
    RUN(test_random_pairs);
    RUN(test_runs_always_match);
    RUN(test_few_calls);
    RUN(test_rows_are_cut);
    RUN(test_tidy);
    RUN(test_overlap);
    RUN(test_cut);
    RUN(test_spans);
    return CHECK_EXIT_CODE;
}
