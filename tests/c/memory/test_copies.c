/* The map of current copies, against one entry per byte. */
#include "check.h"
#include "memory/copies.h"

enum { BYTES = 40, PLACES = 4, STEPS = 4000 };

struct byte {
    syc_place_set valid, settled;
    unsigned long long writer;
    bool lost;
};

static struct byte model[BYTES];
static syc_copies copies;

static bool agrees(void)
{
    size_t at = 0;
    for (size_t i = 0; i < copies.count; i++) {
        const syc_copy_segment *s = &copies.items[i];
        if (s->low != at || s->high <= s->low)
            return false;
        for (; at < s->high; at++) {
            const struct byte *b = &model[at];
            if (b->valid != s->valid || b->settled != s->settled || b->writer != s->writer || b->lost != s->lost)
                return false;
        }
    }
    return at == BYTES;
}

static void step(unsigned long long serial)
{
    size_t low = (size_t)rand() % BYTES, high = low + 1 + (size_t)rand() % (BYTES - low);
    unsigned place = (unsigned)rand() % PLACES, what = (unsigned)rand() % 7;
    unsigned long long writer = serial - (unsigned)rand() % 3;
    bool ran = rand() % 2;

    CHECK_OK(syc_copies_reserve(&copies, low, high));
    for (size_t i = low; i < high; i++) {
        struct byte *b = &model[i];
        if (what == 0)
            b->valid |= 1U << place;
        if (what == 1)
            *b = (struct byte){1U << place, b->settled, serial, false};
        if (what == 2)
            b->settled |= 1U << place;
        if (what == 3 || what == 5)
            b->settled &= what == 3 && !ran ? ~0U : what == 5 && !ran ? ~0U : ~(1U << place);
        if (what == 3 && b->writer == 0)
            b->valid = (b->valid & ~(1U << place)) | b->settled;
        if (what == 4)
            *b = (struct byte){b->valid, 1U << place, b->writer == writer ? 0 : b->writer, b->lost};
        if (what == 5 && b->writer == writer)
            *b = (struct byte){b->settled, b->settled, 0, b->settled == 0};
    }
    if (what == 0)
        syc_copies_arrive(&copies, low, high, place);
    if (what == 1)
        syc_copies_write(&copies, low, high, place, serial);
    if (what == 2)
        syc_copies_arrived(&copies, low, high, place);
    if (what == 3)
        syc_copies_missed(&copies, low, high, place, ran);
    if (what == 4)
        syc_copies_wrote(&copies, low, high, place, writer);
    if (what == 5)
        (void)syc_copies_failed(&copies, low, high, place, writer, ran);
    if (what == 6)
        syc_copies_tidy(&copies, low, high);
}

static void test_agrees_with_bytes(void)
{
    srand(7);
    CHECK_OK(syc_copies_init(&copies, BYTES, 1));
    for (size_t i = 0; i < BYTES; i++)
        model[i] = (struct byte){1, 1, 0, false};
    for (unsigned n = 1; n <= STEPS; n++) {
        step(n + 3);
        CHECK(agrees());
    }
    syc_copies_clear(&copies);
}

static void test_quiet_neighbours_join(void)
{
    CHECK_OK(syc_copies_init(&copies, 100, 1));
    CHECK_OK(syc_copies_reserve(&copies, 10, 20));
    CHECK_EQUAL(copies.count, 3);
    syc_copies_write(&copies, 10, 20, 0, 5);
    syc_copies_tidy(&copies, 0, 100);
    CHECK_EQUAL(copies.count, 3); /* a writer is on its way: its borders are needed */
    syc_copies_wrote(&copies, 10, 20, 0, 5);
    syc_copies_tidy(&copies, 10, 20);
    CHECK_EQUAL(copies.count, 1);
    syc_copies_clear(&copies);
}

/* A writer that never ran costs nothing; one that ran in the only place loses the bytes; a copy elsewhere saves them.
 */
static void test_failures(void)
{
    CHECK_OK(syc_copies_init(&copies, 8, 1));
    CHECK_OK(syc_copies_reserve(&copies, 0, 8));
    syc_copies_write(&copies, 0, 8, 2, 5);
    syc_copies_write(&copies, 0, 8, 3, 6);
    CHECK(!syc_copies_failed(&copies, 0, 8, 2, 5, true));
    CHECK_EQUAL(syc_copies_common(&copies, 0, 8), 1U << 3); /* the later one is still planned */
    CHECK(!syc_copies_failed(&copies, 0, 8, 3, 6, false));
    CHECK_EQUAL(syc_copies_common(&copies, 0, 8), 1);
    syc_copies_write(&copies, 0, 8, 0, 7);
    CHECK(syc_copies_failed(&copies, 0, 8, 0, 7, true));
    CHECK(syc_copies_any_lost(&copies, 3, 4));
    syc_copies_write(&copies, 0, 8, 0, 8);
    CHECK(!syc_copies_any_lost(&copies, 0, 8));
    syc_copies_clear(&copies);
}

static void test_empty(void)
{
    CHECK_OK(syc_copies_init(&copies, 0, 1));
    CHECK_OK(syc_copies_reserve(&copies, 0, 0));
    syc_copies_tidy(&copies, 0, 0);
    CHECK_EQUAL(copies.count, 0);
    syc_copies_clear(&copies);
}

int main(void)
{
    RUN(test_agrees_with_bytes);
    RUN(test_quiet_neighbours_join);
    RUN(test_failures);
    RUN(test_empty);
    return CHECK_EXIT_CODE;
}
