/* Macros of kernels/forms/ written out into a text. */
#include "check.h"
#include "library/template.h"

#include <string.h>

static const char *written(const char *text)
{
    static syc_text out;
    syc_text_clear(&out);
    syc_template_add(&out, text);
    return syc_text_get(&out);
}

static void stays(const char *text)
{
    CHECK_STRING(written(text), text);
}

static void test_other_words_stay(void)
{
    stays("");
    stays("    int SYC_x = SYC_REDUCTION_NONE(a, b) + 3u; /* a ## b \\ */\n");
    stays("a = SYC_REDUCTION_CLEAR(p);\n"); /* of the device library */
    stays("xSYC_AXES_GIVE(r)");
}

static void test_arguments_are_put_in(void)
{
    CHECK_STRING(
        written("    SYC_REDUCTION_LEAVE(total, syc_group, f(a, b)[0])\n"),
        "    *(__global syc_acc_total *)(syc_partials + syc_place_total + syc_group * syc_step_total) = f(a, b)[0];\n");
    CHECK(strstr(written("SYC_ARRAY_FOLD_FUNCTION(r, int, 4)"), "copy < items * 4ul;") != NULL);
}

static void test_constants_are_too(void)
{
    const char *text = written("SYC_REDUCTION_FOLD_SOME(r, syc_own, syc_items, syc_from)");
    CHECK(strstr(text, "uint syc_from = syc_own + 16; syc_own < 16 &&") != NULL);
    CHECK(strstr(text, "SYC_") == NULL && strchr(text, '\\') == NULL && strstr(text, "##") == NULL);
}

/* The wrong number of arguments, or a call without an end, is no call: a compiler says so. */
static void test_wrong_calls_stay(void)
{
    stays("SYC_REDUCTION_LEAVE");
    stays("SYC_REDUCTION_LEAVE(a, b)");
    stays("SYC_REDUCTION_LEAVE(a, b, c, d)");
    stays("SYC_REDUCTION_LEAVE(a, (b");
}

int main(void)
{
    RUN(test_other_words_stay);
    RUN(test_arguments_are_put_in);
    RUN(test_constants_are_too);
    RUN(test_wrong_calls_stay);
    return CHECK_EXIT_CODE;
}
