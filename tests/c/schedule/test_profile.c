/* Profiles of more commands than are kept: the rest is counted, with its time. */
#include "schedule/profile.h"

#include "check.h"

enum { BEYOND = 1000 };

static void add(uint64_t from, uint64_t to)
{
    for (uint64_t i = from; i < to; i++)
        syc_profile_add("wait", NULL, (syc_site){0}, i, i + i % 7 + 1);
}

static size_t close_profile(syc_profile_mark *mark, uint64_t *last)
{
    syc_profile_record *records = NULL;
    size_t count = 0;
    CHECK_OK(syc_profile_close(NULL, mark, &records, &count));
    *last = count > 0 ? records[count - 1].start : 0;
    syc_profile_free(records, count);
    return count;
}

static void test_beyond_a_million_commands_are_counted(void)
{
    syc_profile_mark outer, inner, next;
    uint64_t last, beyond_ns = 0;

    for (uint64_t i = SYC_PROFILE_RECORDS; i < SYC_PROFILE_RECORDS + BEYOND; i++)
        beyond_ns += i % 7 + 1;
    syc_profile_open(NULL, &outer);
    add(0, SYC_PROFILE_RECORDS);
    syc_profile_open(NULL, &inner); /* begins when there is no room any more */
    add(SYC_PROFILE_RECORDS, SYC_PROFILE_RECORDS + BEYOND);
    CHECK_EQUAL(close_profile(&inner, &last), 0);
    CHECK_EQUAL(inner.lost, BEYOND);
    CHECK_EQUAL(close_profile(&outer, &last), SYC_PROFILE_RECORDS);
    CHECK_EQUAL(last, SYC_PROFILE_RECORDS - 1);
    CHECK_EQUAL(outer.lost, BEYOND);
    CHECK_EQUAL(outer.lost_ns, beyond_ns);

    syc_profile_open(NULL, &next); /* has all the room again */
    add(5, 8);
    CHECK_EQUAL(close_profile(&next, &last), 3);
    CHECK_EQUAL(last, 7);
    CHECK_EQUAL(next.lost, 0);
}

int main(void)
{
    RUN(test_beyond_a_million_commands_are_counted);
    return CHECK_EXIT_CODE;
}
