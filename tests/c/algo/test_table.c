/* The table engine: which row is found, by whatever asks for one, and what stands in for a row that is wrong. */
#include "algo/table.h"

#include "child.h"

static syc_device *device;

static void be(syc_items items)
{
    static syc_facts facts;
    facts = (syc_facts){.row = "test", .local_size = 64, .offset_bits = 64, .items = items, .measured = "by nobody"};
    device->facts = &facts;
}

static void make_device(void)
{
    setenv("PYSYCL_DRIVERS", fake, 1);
    device = first_platform()->devices[0];
}

struct row {
    syc_row base;
    int least;  /* at all only for so much, */
    int wanted; /* by itself for so much */
    syc_family family;
};

enum { SMALL = 1, LARGE = 100 };
static const struct row rows[] = {
    {.base = {.items = SYC_ON_CPUS, .name = "large"}, .wanted = LARGE, .family = SYC_FAMILY_WIDE},
    {.base = {.items = SYC_ON_CPUS, .name = "small"}, .family = SYC_FAMILY_LOOP},
    {.base = {.items = SYC_ON_CPUS, .flags = SYC_ROW_SPARE, .name = "spare"}, .least = 2, .family = SYC_FAMILY_LOOP},
    {.base = {.items = SYC_ON_THREADED, .name = "threads"}, .family = SYC_FAMILY_ITEM},
    {.base = {.items = SYC_ON_LOOPED, .flags = SYC_ROW_STAND_IN, .name = "other"}, .family = SYC_FAMILY_ITEM},
    {.base = SYC_TEST_ROW("it"), .least = 2, .family = SYC_FAMILY_LOOP},
};
enum { LARGE_ROW, SMALL_ROW, SPARE_ROW, THREADS_ROW, OTHER_ROW, TEST_ROW };

static bool is_tested;
static const struct row *best;

static bool can(const void *row, const void *size)
{
    return *(const int *)size >= ((const struct row *)row)->least;
}

static bool prefers(const void *row, const void *size)
{
    return *(const int *)size >= ((const struct row *)row)->wanted;
}

static bool asked(const void *row, const void *size)
{
    CHECK(((const struct row *)row)->base.flags == SYC_ROW_TEST && *(const int *)size > 0);
    return is_tested;
}

static syc_families families_of(const void *row, const void *size)
{
    CHECK(*(const int *)size > 0);
    return syc_family_bit(((const struct row *)row)->family);
}

static const void *tuned(const syc_device *on, const void *size)
{
    CHECK(on == device && *(const int *)size > 0);
    return best;
}

static syc_table table = {SYC_TABLE_OF(rows),      .can = can,    .prefers = prefers, .asked = asked,
                          .families = families_of, .tuned = tuned};

static int found(int size)
{
    return (int)((const struct row *)syc_table_find(&table, device, &size) - rows);
}

static void mark(syc_family family, unsigned char way)
{
    atomic_store(&device->ways[family], way);
}

static void the_first_that_is_preferred(void)
{
    be(SYC_ITEMS_PACKED);
    CHECK_EQUAL(found(LARGE), LARGE_ROW);
    CHECK_EQUAL(found(SMALL), SMALL_ROW);
    be(SYC_ITEMS_THREADED);
    CHECK_EQUAL(found(LARGE), THREADS_ROW);
}

/* A test before a name, that before what was measured; what cannot be is the table's to decide. */
static void what_is_asked_for(void)
{
    be(SYC_ITEMS_LOOPED);
    best = &rows[SPARE_ROW];
    CHECK_EQUAL(found(LARGE), SPARE_ROW);
    CHECK_EQUAL(found(SMALL), SMALL_ROW);
    syc_table_force(&table, "large");
    CHECK_EQUAL(found(SMALL), LARGE_ROW);
    syc_table_force(&table, "threads"); /* of another device */
    CHECK_EQUAL(found(SMALL), THREADS_ROW);
    is_tested = true;
    CHECK_EQUAL(found(LARGE), TEST_ROW);
    CHECK_EQUAL(found(SMALL), SMALL_ROW);
    is_tested = false;
    syc_table_force(&table, "no such row");
    CHECK_EQUAL(found(LARGE), SPARE_ROW);
    best = NULL;
    CHECK_EQUAL(found(LARGE), LARGE_ROW);
}

static void what_is_wrong(void)
{
    int size = LARGE;
    be(SYC_ITEMS_LOOPED);
    mark(SYC_FAMILY_WIDE, SYC_WAY_NONE);
    CHECK_EQUAL(found(LARGE), SMALL_ROW);
    mark(SYC_FAMILY_LOOP, SYC_WAY_NONE);
    CHECK_EQUAL(found(LARGE), OTHER_ROW);
    mark(SYC_FAMILY_ITEM, SYC_WAY_NONE);
    CHECK_EQUAL(found(LARGE), OTHER_ROW);
    be(SYC_ITEMS_PACKED); /* which has no stand-in: the caller refuses the first */
    CHECK_EQUAL(found(LARGE), LARGE_ROW);
    be(SYC_ITEMS_LOOPED);
    syc_table_force(&table, "small"); /* no name makes it right, */
    CHECK_EQUAL(found(LARGE), OTHER_ROW);
    is_tested = true; /* but tests want to see it wrong */
    CHECK_EQUAL(found(LARGE), TEST_ROW);
    CHECK_EQUAL(syc_table_families(&table, &rows[TEST_ROW], &size), 0);
    CHECK_EQUAL(syc_table_families(&table, &rows[SMALL_ROW], &size), syc_family_bit(SYC_FAMILY_LOOP));
    is_tested = false;
    syc_table_force(&table, NULL);
    mark(SYC_FAMILY_WIDE, SYC_WAY_UNKNOWN);
    mark(SYC_FAMILY_LOOP, SYC_WAY_UNKNOWN);
    mark(SYC_FAMILY_ITEM, SYC_WAY_UNKNOWN);
}

static void names(void)
{
    be(SYC_ITEMS_LOOPED);
    CHECK_STRING(syc_table_name(&table, device, 0), "large");
    CHECK_STRING(syc_table_name(&table, device, 2), "spare");
    CHECK(syc_table_name(&table, device, 3) == NULL); /* no stand-in, and no test's */
    CHECK(syc_table_named(&table, device, "spare") == &rows[SPARE_ROW]);
    CHECK(syc_table_named(&table, device, "threads") == NULL);
    CHECK(syc_table_named(&table, NULL, "threads") == &rows[THREADS_ROW]);
    CHECK(syc_table_named(&table, NULL, "other") == NULL && syc_table_named(&table, NULL, "forced") == NULL);
    CHECK(syc_table_named(&table, NULL, NULL) == NULL);
}

/* All that a table need not have. */
static void a_table_of_rows_alone(void)
{
    static const syc_row plain[] = {{.items = SYC_ON_THREADED, .name = "threads"}, {.name = "any"}};
    static const syc_table bare = {SYC_TABLE_OF(plain)};
    be(SYC_ITEMS_THREADED);
    CHECK(syc_table_find(&bare, device, NULL) == &plain[0]);
    be(SYC_ITEMS_SINGLY);
    CHECK(syc_table_find(&bare, device, NULL) == &plain[1]);
    CHECK_EQUAL(syc_table_families(&bare, &plain[1], NULL), 0);
}

int main(void)
{
    FIND_FAKE_DRIVER;
    make_device();
    RUN(the_first_that_is_preferred);
    RUN(what_is_asked_for);
    RUN(what_is_wrong);
    RUN(names);
    RUN(a_table_of_rows_alone);
    return CHECK_EXIT_CODE;
}
