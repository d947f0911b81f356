/* Allocation: what is refused, what is zeroed, and the switch by which tests make it fail. */
#include "base/alloc.h"
#include "check.h"

#include <stdint.h>

static void test_zeroed(void)
{
    unsigned char *bytes = NULL, sum = 0;
    CHECK_OK(syc_alloc(1000, &bytes));
    for (int i = 0; i < 1000; i++)
        sum |= bytes[i];
    CHECK_EQUAL(sum, 0);
    syc_free(bytes);
    syc_free(NULL);
}

static void test_nothing_is_something(void)
{
    char *a = NULL, *b = NULL;
    CHECK_OK(syc_alloc(0, &a));
    CHECK_OK(syc_alloc_array(0, 8, &b));
    CHECK(a != NULL && b != NULL && a != b);
    a[0] = b[0] = 1; /* each has a byte */
    syc_free(a);
    syc_free(b);
}

static void test_products_that_overflow(void)
{
    void *pointer = &pointer;
    CHECK_STATUS(syc_alloc_array(SIZE_MAX / 2 + 1, 2, &pointer), SYC_E_MEMORY_ALLOCATION);
    CHECK(strstr(syc_detail_of(SYC_E_MEMORY_ALLOCATION).message, "9223372036854775808 elements of 2 bytes") != NULL);
    CHECK_STATUS(syc_alloc_array(SIZE_MAX, SIZE_MAX, &pointer), SYC_E_MEMORY_ALLOCATION);
    CHECK(pointer == &pointer); /* results are untouched on failure */
}

static void test_aligned(void)
{
    for (size_t alignment = 1; alignment <= 4096; alignment *= 2) {
        char *pointer = NULL;
        CHECK_OK(syc_alloc_aligned(alignment, 3, &pointer));
        CHECK_EQUAL((uintptr_t)pointer % alignment, 0);
        memset(pointer, 1, 3);
        syc_free(pointer);
    }
}

static void test_grow(void)
{
    int *array = NULL;
    size_t room = 0;
    for (int i = 0; i < 1000; i++) {
        size_t before = room;
        CHECK_OK(syc_grow(&array, &room, (size_t)i + 1, sizeof *array));
        CHECK(room > (size_t)i && (room == before || room >= 2 * before));
        array[i] = i;
    }
    for (int i = 0; i < 1000; i++)
        CHECK_EQUAL(array[i], i);
    size_t before = room;
    CHECK_STATUS(syc_grow(&array, &room, SIZE_MAX, sizeof *array), SYC_E_MEMORY_ALLOCATION);
    CHECK_STATUS(syc_grow(&array, &room, SIZE_MAX / 8, 16), SYC_E_MEMORY_ALLOCATION);
    syc_alloc_fail_at(1);
    CHECK_STATUS(syc_grow(&array, &room, room + 1, sizeof *array), SYC_E_MEMORY_ALLOCATION);
    CHECK_EQUAL(room, before); /* what there was is as it was */
    CHECK_EQUAL(array[999], 999);
    syc_free(array);
}

static void test_copy_string(void)
{
    char *copy = NULL;
    CHECK_OK(syc_copy_string("", &copy));
    CHECK_STRING(copy, "");
    syc_free(copy);
    CHECK_OK(syc_copy_string("work-group", &copy));
    CHECK_STRING(copy, "work-group");
    syc_free(copy);
}

/* The n-th fails, whichever function makes it, and only that one; the message names the size. */
static void test_the_switch(void)
{
    void *a = NULL, *b = NULL, *c = NULL;
    char *d = NULL;
    size_t room = 0;
    int *grown = NULL;

    syc_alloc_fail_at(3);
    CHECK_OK(syc_alloc(1, &a));
    CHECK_OK(syc_alloc_aligned(64, 1, &b));
    CHECK_STATUS(syc_alloc(12345, &c), SYC_E_MEMORY_ALLOCATION);
    CHECK_STRING(syc_detail_of(SYC_E_MEMORY_ALLOCATION).message, "no memory for 12345 bytes");
    CHECK(c == NULL);
    CHECK_OK(syc_alloc(1, &c));
    syc_free(a);
    syc_free(b);
    syc_free(c);

    syc_alloc_fail_at(1);
    CHECK_STATUS(syc_alloc_aligned(64, 1, &b), SYC_E_MEMORY_ALLOCATION);
    syc_alloc_fail_at(1);
    CHECK_STATUS(syc_copy_string("x", &d), SYC_E_MEMORY_ALLOCATION);
    syc_alloc_fail_at(1);
    CHECK_STATUS(syc_grow(&grown, &room, 1, sizeof *grown), SYC_E_MEMORY_ALLOCATION);
    syc_alloc_fail_at(1);
    CHECK_STATUS(syc_alloc_array(2, 2, &a), SYC_E_MEMORY_ALLOCATION);
    CHECK(d == NULL && grown == NULL && room == 0);

    syc_alloc_fail_at(1);
    syc_alloc_fail_at(0); /* off */
    CHECK_OK(syc_alloc(1, &a));
    syc_free(a);
}

int main(void)
{
    RUN(test_zeroed);
    RUN(test_nothing_is_something);
    RUN(test_products_that_overflow);
    RUN(test_aligned);
    RUN(test_grow);
    RUN(test_copy_string);
    RUN(test_the_switch);
    return CHECK_EXIT_CODE;
}
