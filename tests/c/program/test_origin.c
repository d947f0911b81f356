/* Errors in a text that was made from others are told in the words of those: name, line, column, and which names there
 * are. */
#include "program/log/build_log.h"

#include "base/alloc.h"
#include "check.h"
#include "source/align.h"

static const syc_origin items[] = {{"body", "y[i] = b;\ny[j] = 2;", NULL},
                                   {"preamble", "float f(float v)\n{ return w; }", NULL}};
static const char *const given[] = {"x", "y", "scale"};
static const syc_origins origins = {.items = items, .count = 2, .given = given, .given_count = 3, .dims = 1};
static const char source[] = "/* made */\nfirst\nsecond\n";

static void check_message(int line, const syc_origins *from, const char *log, const char *expected)
{
    char *text = syc_log_format_from(&(syc_log_texts){.source = source, .length = strlen(source), .origins = from}, log,
                                     strlen(log), "kernel.cl", "Box");
    const char *end = text != NULL ? strstr(text, "The compiler") : NULL;
    syc_text whole = {0}; /* with the last line break, which messages go without */
    size_t length;
    syc_text_add(&whole, "%s\n", text != NULL ? text : "");
    length = end != NULL ? (size_t)(end - text) : whole.length;
    if (length != strlen(expected) || memcmp(whole.data, expected, length) != 0) {
        fprintf(stderr, "%s:%d: got\n%s\nnot\n%s\n", __FILE__, line, text ? text : "nothing", expected);
        check__failures++;
    }
    syc_text_clear(&whole);
    syc_free(text);
}
#define CHECK_MESSAGE(log, expected) check_message(__LINE__, &origins, log, expected)

static void test_the_users_own_line(void)
{
    static const char expected[] = "body:2:3: expected expression (built for Box)\n"
                                   "    2 | y[j] = 2;\n"
                                   "      |   ^\n";
    CHECK_MESSAGE("error: body:2:3: expected expression\nDevice x failed\n", expected); /* PoCL */
    CHECK_MESSAGE("Compilation started\nbody:2:3: error: expected expression\n    2 | y[j] = 2;\n      |   ^\n",
                  expected);                                                                               /* Intel */
    CHECK_MESSAGE("body:2:3: error: expected expression\ny[j] = 2;\n  ^\n1 error generated.\n", expected); /* NVIDIA */
    CHECK_MESSAGE("preamble:2:10: error: no w\n", "preamble:2:10: no w (built for Box)\n"
                                                  "    2 | { return w; }\n"
                                                  "      |          ^\n");
    CHECK_MESSAGE("kernel.cl:3:1: error: ours\n", "kernel.cl:3:1: ours (built for Box)\n"
                                                  "    3 | second\n"
                                                  "      | ^\n");
    CHECK_MESSAGE("error: body:2:3 <Spelling=preamble:1:1>: odd\n", "body:2:3: odd (built for Box)\n"
                                                                    "    2 | y[j] = 2;\n"
                                                                    "      |   ^\n");
    CHECK_MESSAGE("body:7:1: error: beyond\n", "body: beyond (built for Box)\n");
    check_message(__LINE__, NULL, "body:2:3: error: use of undeclared identifier 'b'\n",
                  "kernel.cl:2:3: use of undeclared identifier 'b' (built for Box)\n"
                  "    2 | first\n"
                  "      |   ^\n");
}

/* Of a line that was rewritten, columns are found by the words that both lines have. */
static void test_a_line_that_was_rewritten(void)
{
    static const syc_origin rewritten[] = {{"body", "a;\nout << b;", "a;\n{ stream_put(out, b); }"}};
    static const syc_origins of_streams = {.items = rewritten, .count = 1};
    check_message(__LINE__, &of_streams, "body:2:19: error: no b\n{ stream_put(out, b); }\n                  ^\n",
                  "body:2:8: no b (built for Box)\n    2 | out << b;\n      |        ^\n");
    check_message(__LINE__, &of_streams, "body:1:1: error: no a\na;\n^\n",
                  "body:1:1: no a (built for Box)\n    1 | a;\n      | ^\n");
}

/* What is said behind an error about one word. */
static void check_hint(int line, const syc_origins *from, const char *message, const char *expected)
{
    syc_text text = {0};
    syc__origins_explain(from, NULL, (syc_slice){message, strlen(message)}, &text);
    if (strcmp(syc_text_get(&text), expected) != 0) {
        fprintf(stderr, "%s:%d: got '%s'\n", __FILE__, line, syc_text_get(&text));
        check__failures++;
    }
    syc_text_clear(&text);
}
#define CHECK_HINT(message, expected) check_hint(__LINE__, &origins, message, expected)

static void test_names_that_are_not_given(void)
{
    syc_origins one = origins, none = origins, task = origins;
    one.given_count = 1;
    none.given_count = task.dims = 0;
    CHECK_HINT("use of undeclared identifier 'b'", "No argument 'b' is given: 'x', 'y' and 'scale' are.\n");
    CHECK_HINT("use of undeclared identifier 'Y'; did you mean 'y'?",
               "No argument 'Y' is given: 'x', 'y' and 'scale' are. Did you mean 'y'?\n");
    CHECK_HINT("use of undeclared identifier 'sacle'",
               "No argument 'sacle' is given: 'x', 'y' and 'scale' are. Did you mean 'scale'?\n");
    CHECK_HINT("implicit declaration of function 'scales' is invalid in OpenCL",
               "No argument 'scales' is given: 'x', 'y' and 'scale' are. Did you mean 'scale'?\n");
    check_hint(__LINE__, &one, "use of undeclared identifier 'b'", "No argument 'b' is given: 'x' is.\n");
    check_hint(__LINE__, &none, "use of undeclared identifier 'b'", "No argument 'b' is given, nor is any other.\n");
    CHECK_HINT("use of undeclared identifier 'i1'",
               "There is no 'i1' here: a range of 1 dimension has i, i0 and n0.\n");
    check_hint(__LINE__, &task, "use of undeclared identifier 'i'",
               "There is no 'i' here: a single task has no ids.\n");
    CHECK_HINT("call to undeclared function 'sqr'", "No function 'sqr' is in OpenCL C, nor in the preamble.\n");
    CHECK_HINT(
        "cannot assign to variable 'scale' with const-qualified type 'float'",
        "'scale' is a number, which a body does not change: declare a variable for it. What all work-items add to "
        "is a reduction, scale=sycl.reduction(array, sycl.plus).\n");
    CHECK_HINT("cannot assign to variable 'k' with const-qualified type 'int'", ""); /* the text's own */
    CHECK_HINT("invalid operands to binary expression ('__global float *__private' and 'float')",
               "An array's name alone is a pointer: an element is name[i]. What all work-items add to is a reduction, "
               "name=sycl.reduction(array, sycl.plus).\n");
    CHECK_HINT("invalid operands to binary expression ('float' and '__global float *')", "");
    CHECK_HINT("use of undeclared identifier 'syc_r'", "");
    CHECK_HINT("expected ';'", "");
    CHECK_HINT("use of undeclared identifier '", "");
    check_hint(__LINE__, NULL, "use of undeclared identifier 'b'", "");
}

/* A text inside of another: its name, its lines, its words; what was made around it is its beginning or its end. */
static void test_parts(void)
{
    static const syc_origin made[] = {
        {"body", "r.add((float)(\ny[i] * w +\n2));\nmore", "sum(&r, (float)(\ny_i * w +\n2));"},
        {"preamble", "float f(float v) { return\nv * u\n; }", NULL}};
    static const syc_part parts[] = {{"preamble", 2, "map", "v * u", "v", "k_t key_t w_t W"},
                                     {"body", 2, "term", "x * w +", "x", ""},
                                     {"operator of r", 1, "op", "a + c * b", "a, b and T", "r_t T"}};
    static const syc_origins of_parts = {.items = made, .count = 2, .parts = parts, .part_count = 3, .dims = 1};
    const char *counted = "one\n#line 1 \"preamble\"\nfloat f(float v) { return\nv * u\n; }\n";
    char *text;

    check_message(__LINE__, &of_parts, "preamble:2:5: error: use of undeclared identifier 'u'\n",
                  "map:1:5: use of undeclared identifier 'u' (built for Box)\n    1 | v * u\n      |     ^\n"
                  "In map there is no 'u', but v, and what OpenCL C has.\n");
    check_message(__LINE__, &of_parts, "preamble:3:1: error: behind\n",
                  "map:1:6: behind (built for Box)\n    1 | v * u\n      |      ^\n");
    check_message(__LINE__, &of_parts, "preamble:1:9: error: before\n",
                  "map:1:1: before (built for Box)\n    1 | v * u\n      | ^\n");
    check_message(__LINE__, &of_parts, "body:2:7: error: no w\n",
                  "term:1:5: no w (built for Box)\n    1 | x * w +\n      |     ^\n");
    check_message(__LINE__, &of_parts, "operator of r:1:5: error: use of undeclared identifier 'c'\n",
                  "op:1:5: use of undeclared identifier 'c' (built for Box)\n    1 | a + c * b\n      |     ^\n"
                  "In op there is no 'c', but a, b and T, and what OpenCL C has.\n");
    check_message(__LINE__, &of_parts, "preamble:2:5: error: one\nbody:2:7: error: two\nkernel.cl:1:1: error: ours\n",
                  "map:1:5: one (built for Box)\n    1 | v * u\n      |     ^\nterm:1:5: two\n");
    check_message(__LINE__, &of_parts, "operator of r:1:3: error: no ('r_t' (aka 'struct r') and 'r_t2', 'rr_t')\n",
                  "op:1:3: no ('T' and 'r_t2', 'rr_t') (built for Box)\n    1 | a + c * b\n      |   ^\n");
    check_message(__LINE__, &of_parts, "preamble:2:1: error: k_t to 'w_t', 'r_t' or w_t\n",
                  "map:1:1: key_t to 'W', 'r_t' or W (built for Box)\n    1 | v * u\n      | ^\n");
    text = syc_log_format_from(&(syc_log_texts){.source = counted, .length = strlen(counted), .origins = &of_parts},
                               "x.cl:4:5: error: u\n", 19, "kernel.cl", "Box");
    CHECK_STRING(text, "map:1:5: u (built for Box)\n    1 | v * u\n      |     ^");
    syc_free(text);
}

/* An argument's name where the kernel declares it. */
static void test_taken_names(void)
{
    static const char kernel[] = "__kernel void k(float x, float scale)\n{\n#line 1 \"body\"\nx\n}\n";
    char *text = syc_log_format_from(&(syc_log_texts){.source = kernel, .length = strlen(kernel), .origins = &origins},
                                     "kernel.cl:1:32: error: expected ')'\n", 36, "kernel.cl", "Box");
    CHECK_STRING(text,
                 "body: an argument cannot be named 'scale': the compiler has something else of that name; choose "
                 "another name (built for Box)");
    syc_free(text);
}

static size_t aligned(const char *user, const char *made, size_t column)
{
    return syc__align_column((syc_slice){user, strlen(user)}, (syc_slice){made, strlen(made)}, column);
}

static void test_columns(void)
{
    char many[1400];
    CHECK_EQUAL(aligned("r += x * yy;", "add(&r, x * yy);", 13), 10);
    CHECK_EQUAL(aligned("r += x * yy;", "add(&r, x * yy);", 14), 11); /* within the word */
    CHECK_EQUAL(aligned("r += x * yy;", "add(&r, x * yy);", 15), 12); /* just behind it */
    CHECK_EQUAL(aligned("r += x * yy;", "add(&r, x * yy);", 1), 1);   /* ours: the next of the user's */
    CHECK_EQUAL(aligned("x = y", "x = y; done()", 8), 6);             /* ours, and nothing behind: the end */
    CHECK_EQUAL(aligned("f(x) + f(x)", "f(x[i]) + f(x[i])", 13), 10); /* the second of two */
    CHECK_EQUAL(aligned("same", "same", 3), 3);
    CHECK_EQUAL(aligned("a", "b", 1), 0);
    CHECK_EQUAL(aligned("", "b", 1), 0);
    CHECK_EQUAL(aligned("a", "", 7), 0);
    CHECK_EQUAL(aligned("a", "b a", 0), 0);
    memset(many, '+', sizeof many - 1);
    many[sizeof many - 1] = '\0';
    CHECK_EQUAL(aligned("a+", many, 1), 0);
}

static void test_copies(void)
{
    syc_origins *copy = NULL;
    for (long n = 1; copy == NULL; n++) {
        syc_status status;
        syc_alloc_fail_at(n);
        status = syc__origins_copy(&origins, &copy);
        syc_alloc_fail_at(0);
        CHECK(status == SYC_OK || (status == SYC_E_MEMORY_ALLOCATION && copy == NULL));
        CHECK(n < 100);
    }
    CHECK(copy->items[1].text != items[1].text);
    CHECK_STRING(syc__origin_find(copy, (syc_slice){"preamble:", 8})->text, items[1].text);
    CHECK(syc__origin_find(copy, (syc_slice){"preambl", 7}) == NULL);
    CHECK_STRING(copy->given[2], "scale");
    syc__origins_free(copy);
}

/* A compiler that takes unknown functions for ones that are defined elsewhere leaves them to its linker, which knows
 * no place: it is the first call in the user's texts. */
static void test_functions_that_only_the_linker_misses(void)
{
    static const syc_origin made[] = {
        {"body",
         "/* f(1) */ int f = 2;\ny[i] = other(f) + \"f(\"[0] +\n    f (f);\n    f(3); reduce(work_group, 1, plus);",
         NULL},
        {"preamble", "int f(int v);\nint g(int v) {\nreturn\nh(v) + sqr(v); }", NULL}};
    static const syc_part parts[] = {{"preamble", 2, "map", "x *\n 2 + sqr(x)", "x", ""}};
    static const syc_origins from = {.items = made, .count = 2, .parts = parts, .part_count = 1, .dims = 1};
    static const char ours[] = "void made(void) { ours(); }";
    char *text;

    check_message(__LINE__, &from, "ptxas fatal   : Unresolved extern function 'sqr'",
                  "map:2:6: call to undefined function 'sqr' (built for Box)\n    2 |  2 + sqr(x)\n      |      ^\n"
                  "In map there is no 'sqr', but x, and what OpenCL C has.\n");
    check_message(__LINE__, &from,
                  "Error(s) while linking: \nCannot find symbol f in kernel library\nDevice x failed\n",
                  "body:3:5: call to undefined function 'f' (built for Box)\n    3 |     f (f);\n      |     ^\n"
                  "No function 'f' is in OpenCL C, nor in the preamble.\n");
    check_message(__LINE__, &from, "Linking done\nJIT session error: Symbols not found: [ h, f ]\n",
                  "preamble:4:1: call to undefined function 'h' (built for Box)\n    4 | h(v) + sqr(v); }\n      | ^\n"
                  "No function 'h' is in OpenCL C, nor in the preamble.\n");
    text = syc_log_format_from(&(syc_log_texts){.source = ours, .length = strlen(ours), .origins = &from},
                               "ptxas fatal   : Unresolved extern function 'reduce'", 51, "kernel.cl", "Box");
    CHECK(text != NULL &&
          strstr(text, "body:4:11: no function or macro 'reduce' is known: did you mean group_reduce") == text);
    syc_free(text);
    /* of the text that was made no place is told, of a program's own the place is */
    for (int whole = 0; whole < 2; whole++) {
        text = syc_log_format_from(
            &(syc_log_texts){.source = ours, .length = strlen(ours), .origins = whole ? NULL : &from},
            "ptxas fatal   : Unresolved extern function 'ours'", 49, "kernel.cl", "Box");
        CHECK(text != NULL &&
              strstr(text, whole ? "kernel.cl:1:19: call to undefined function 'ours' (built for Box)\n    1 | void"
                                 : "kernel.cl: Unresolved extern function 'ours' (built for Box)\nThe ") == text);
        syc_free(text);
    }
}

int main(void)
{
    RUN(test_the_users_own_line);
    RUN(test_parts);
    RUN(test_taken_names);
    RUN(test_columns);
    RUN(test_a_line_that_was_rewritten);
    RUN(test_names_that_are_not_given);
    RUN(test_copies);
    RUN(test_functions_that_only_the_linker_misses);
    return CHECK_EXIT_CODE;
}
