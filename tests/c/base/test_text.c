/* The growing string: what it holds, and that it says so when memory ran out. */
#include "base/text.h"

#include "base/alloc.h"
#include "check.h"

static void what_is_added(void)
{
    syc_text text = {0};
    char *taken;
    CHECK_STRING(syc_text_get(&text), "");
    syc_text_add(&text, "%d and %s", 1, "two");
    syc_text_add_n(&text, "; three", 3);
    CHECK_STRING(syc_text_get(&text), "1 and two; t");
    for (int i = 0; i < 1000; i++)
        syc_text_add(&text, "%04d", i);
    CHECK_EQUAL(text.length, 4012);
    CHECK(strcmp(text.data + text.length - 8, "09980999") == 0 && !text.cut);
    taken = syc_text_take(&text);
    CHECK_EQUAL(strlen(taken), 4012);
    CHECK(text.data == NULL && text.length == 0);
    CHECK(syc_text_take(&text) == NULL);
    syc_free(taken);
}

/* Each growth fails once. What is left is how the text begins: nothing stands behind the gap. */
static void without_memory(void)
{
    static const size_t lengths[] = {0, 124, 252, 400}; /* of what fits 128, 256 and 512 bytes */
    for (long n = 0; n < 4; n++) {
        syc_text text = {0};
        syc_alloc_fail_at(n + 1);
        for (int i = 0; i < 100; i++)
            syc_text_add(&text, "%04d", i);
        syc_alloc_fail_at(0);
        CHECK(text.cut == (n < 3));
        CHECK_EQUAL(text.length, lengths[n]);
        syc_text_add_n(&text, "more", 3);
        CHECK_EQUAL(text.length, lengths[n] + (n < 3 ? 0 : 3));
        CHECK_EQUAL(strlen(syc_text_get(&text)), text.length);
        syc_text_clear(&text);
        CHECK(!text.cut);
    }
}

int main(void)
{
    RUN(what_is_added);
    RUN(without_memory);
    return CHECK_EXIT_CODE;
}
