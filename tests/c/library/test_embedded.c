/* The kernel texts that are compiled into the core. */
#include "check.h"
#include "library/embedded.h"
#include "source/declarations/signature.h"

static void test_text_is_found_by_name(void)
{
    const char *text = syc_kernel_source("self_check.cl");
    CHECK(text != NULL && strstr(text, "__kernel void saxpy(") != NULL);
    CHECK(text != NULL && text[strlen(text) - 1] == '\n');
}

static void test_unknown_name_is_null(void)
{
    CHECK(syc_kernel_source("absent.cl") == NULL);
    CHECK(syc_kernel_source("") == NULL);
}

/* Escapes survive the way into C strings and back: what the parser reads is OpenCL C. */
static void test_programs_have_kernels_and_the_library_has_none(void)
{
    for (const syc_kernel_text *row = syc__kernel_texts; row->name != NULL; row++) {
        syc_signatures signatures = {0};
        CHECK_OK(syc_signatures_parse(row->text, strlen(row->text), NULL, &signatures));
        CHECK_EQUAL(signatures.count > 0, strstr(row->name, ".clh") == NULL);
        syc_signatures_clear(&signatures);
    }
}

int main(void)
{
    RUN(test_text_is_found_by_name);
    RUN(test_unknown_name_is_null);
    RUN(test_programs_have_kernels_and_the_library_has_none);
    return CHECK_EXIT_CODE;
}
