/* Which declarations of a header a text is given. */
#include "library/cures/pocl_built_ins.h"

#include "base/alloc.h"
#include "check.h"

static const char header[] = "/* all\n of them; */\n"
                             "#ifndef GUARD\n"
                             "#include \"base.h\"\n"
                             "#define ovld __attribute__((overloadable))\n"
                             "#if defined(A) && \\\n    defined(B) // one; two\n"
                             "float ovld cos(float);\n"
                             "float2 ovld cos(float2);\n"
                             "float ovld cospi (float);\n"
                             "\n"
                             "void ovld copy(float *to,\n"
                             "               const float *from);\n"
                             "#endif\n"
                             "typedef int thing;\n"
                             "double ovld cos(double);\n"
                             "#undef ovld\n"
                             "#endif";
#define ALWAYS_1 \
    "#ifndef GUARD\n#define ovld __attribute__((overloadable))\n#if defined(A) && \\\n    defined(B) // one; two\n"
#define ALWAYS_2 "#endif\ntypedef int thing;\n"
#define ALWAYS_3 "#undef ovld\n#endif"

static void gives(const char *first, const char *second, const char *expected)
{
    const syc_slice texts[] = {{first, strlen(first)}, {second, strlen(second)}};
    syc__built_ins *built_ins = NULL;
    syc_text out = {0};
    CHECK_OK(syc__built_ins_read(header, strlen(header), &built_ins));
    CHECK_OK(syc__built_ins_add(built_ins, texts, 2, &out));
    CHECK_STRING(syc_text_get(&out), expected);
    syc_text_clear(&out);
    syc__built_ins_free(built_ins);
}

static void a_text_is_given_what_it_names(void)
{
    gives("", "", ALWAYS_1 ALWAYS_2 ALWAYS_3);
    gives("x = acos(1) + cos2 + 1cos;", "co s", ALWAYS_1 ALWAYS_2 ALWAYS_3);
    gives("y", "x=cos(1)",
          ALWAYS_1 "float ovld cos(float);\nfloat2 ovld cos(float2);\n" ALWAYS_2 "double ovld cos(double);\n" ALWAYS_3);
    gives("-D F=cospi", "", ALWAYS_1 "float ovld cospi (float);\n" ALWAYS_2 ALWAYS_3);
    gives("_cl_cospi", "", ALWAYS_1 "float ovld cospi (float);\n" ALWAYS_2 ALWAYS_3);
    gives("a ## b cos##n", "co##",
          ALWAYS_1 "float ovld cos(float);\nfloat2 ovld cos(float2);\nfloat ovld cospi (float);\n" ALWAYS_2
                   "double ovld cos(double);\n" ALWAYS_3);
    gives("a##opy", "", ALWAYS_1 "void ovld copy(float *to,\n               const float *from);\n" ALWAYS_2 ALWAYS_3);
    gives("", "copy", ALWAYS_1 "void ovld copy(float *to,\n               const float *from);\n" ALWAYS_2 ALWAYS_3);
}

static void some_texts_hide_their_names(void)
{
    CHECK(syc__built_ins_plain((syc_slice){"#define A # b", 13}));
    CHECK(syc__built_ins_plain((syc_slice){"", 0}));
    CHECK(!syc__built_ins_plain((syc_slice){"a##b", 4}));
    CHECK(!syc__built_ins_plain((syc_slice){"#  include <a>", 14}));
}

static void broken_headers_are_read(void)
{
    for (size_t cut = 0; cut <= strlen(header); cut++) {
        char *copy = NULL;
        syc__built_ins *built_ins = NULL;
        syc_text out = {0};
        const syc_slice text = {"cos copy thing", 14};
        CHECK_OK(syc_alloc(cut, &copy)); /* of just this size, for the sanitizer */
        memcpy(copy, header, cut);
        CHECK_OK(syc__built_ins_read(copy, cut, &built_ins));
        CHECK_OK(syc__built_ins_add(built_ins, &text, 1, &out));
        CHECK(out.length <= cut);
        syc_text_clear(&out);
        syc__built_ins_free(built_ins);
        syc_free(copy);
    }
}

int main(void)
{
    a_text_is_given_what_it_names();
    some_texts_hide_their_names();
    broken_headers_are_read();
    return 0;
}
