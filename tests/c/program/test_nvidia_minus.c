/* Negations in PTX that are hidden from NVIDIA's assembler, and all that stays as it is. */
#include "program/cures/nvidia_minus.h"

#include "base/alloc.h"
#include "check.h"

#include <string.h>

#define HEAD      ".version 8.4\n.target sm_90\n.entry f()\n{\n"
#define HIDDEN(r) " prmt.b32 " r ", " r ", " r ", 0x3210;"

/* What becomes of the lines. */
static void is_mended_to(const char *ptx, const char *expected)
{
    char *out = NULL;
    size_t size = 0;

    CHECK_OK(syc__minus_mend(ptx, strlen(ptx) + 1, &out, &size)); /* drivers count the last byte, or do not */
    if (expected == NULL) {
        CHECK(out == NULL);
        return;
    }
    CHECK(out != NULL && size == strlen(expected) + 1 && memcmp(out, expected, size) == 0);
    syc_free(out);
}

static void negations_are_hidden_where_there_are_extremes(void)
{
    is_mended_to(HEAD "\tneg.s32 \t%r5, %r4;\n\tmin.s32 %r6, %r3, %r5;\n\tmin.s32 %r7, %r6, %r2;\n}\n", HEAD
                 "\tneg.s32 \t%r5, %r4;" HIDDEN("%r5") "\n\tmin.s32 %r6, %r3, %r5;\n\tmin.s32 %r7, %r6, %r2;\n}\n");
    is_mended_to(HEAD "\tmax.s32 %r1, %r1, %r2;\n@%p1 neg.s32 %r10 ,%r4;\n neg.s32 %r1,%r2; neg.s32 %r3,%r4;}",
                 HEAD "\tmax.s32 %r1, %r1, %r2;\n@%p1 neg.s32 %r10 ,%r4;" HIDDEN("%r10") "\n neg.s32 %r1,%r2;" HIDDEN(
                     "%r1") " neg.s32 %r3,%r4;" HIDDEN("%r3") "}");
    is_mended_to(HEAD "min.s16 %rs1, %rs1, %rs2;\n\tneg.s16 \t%rs5, %rs4;\n}\n",
                 HEAD "min.s16 %rs1, %rs1, %rs2;\n\tneg.s16 \t%rs5, %rs4;"
                      " { .reg .b32 syc_both; .reg .b16 syc_other; mov.b32 syc_both, {%rs5, %rs5};"
                      " prmt.b32 syc_both, syc_both, syc_both, 0x3210; mov.b32 {%rs5, syc_other}, syc_both; }\n}\n");
}

static void all_else_stays(void)
{
    is_mended_to("", NULL);
    is_mended_to(HEAD "\tneg.s32 %r5, %r4;\n}\n", NULL);                                /* no extremes */
    is_mended_to(HEAD "\tmin.s32 %r5, %r4, %r3;\n}\n", NULL);                           /* no negation */
    is_mended_to(HEAD "\tneg.s64 %rd5, %rd4;\n\tmin.s64 %rd5, %rd4, %rd3;\n}\n", NULL); /* of 64 bits */
    is_mended_to(HEAD "\tneg.f32 %f5, %f4;\n\tmin.f32 %f5, %f4, %f3;\n}\n", NULL);      /* of floats */
    is_mended_to("\x7f"
                 "ELF neg.s32 %r5, %r4; min.s32 %r5, %r4, %r3;",
                 NULL);                                                                       /* no PTX */
    is_mended_to(HEAD "\tmin.s32 %r5, %r4, %r3;\n// my_neg.s32 %r5, %r4;\n// neg.s32", NULL); /* no instructions */
}

int main(void)
{
    negations_are_hidden_where_there_are_extremes();
    all_else_stays();
    return CHECK_EXIT_CODE;
}
