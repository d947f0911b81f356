/* Errors in a text that was made from others are told in the words of those: name, line, column, and which names there
 * are. */
#include "program/build_log.h"

#include "base/alloc.h"
#include "check.h"

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
    size_t length = end != NULL ? (size_t)(end - text) : 0;
    if (length != strlen(expected) || memcmp(text, expected, length) != 0) {
        fprintf(stderr, "%s:%d: got\n%s\nnot\n%s\n", __FILE__, line, text ? text : "nothing", expected);
        check__failures++;
    }
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

/* Of a line that was rewritten, columns mean nothing to the user. */
static void test_a_line_that_was_rewritten(void)
{
    static const syc_origin rewritten[] = {{"body", "a;\nout << b;", "a;\n{ stream_put(out, b); }"}};
    static const syc_origins of_streams = {.items = rewritten, .count = 1};
    check_message(__LINE__, &of_streams, "body:2:19: error: no b\n{ stream_put(out, b); }\n                  ^\n",
                  "body:2: no b (built for Box)\n    2 | out << b;\n");
    check_message(__LINE__, &of_streams, "body:1:1: error: no a\na;\n^\n",
                  "body:1:1: no a (built for Box)\n    1 | a;\n      | ^\n");
}

/* What is said behind an error about one word. */
static void check_hint(int line, const syc_origins *from, const char *message, const char *expected)
{
    syc_text text = {0};
    syc__origins_explain(from, (syc_slice){message, strlen(message)}, &text);
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
    CHECK_HINT("expected ';'", "");
    CHECK_HINT("use of undeclared identifier '", "");
    check_hint(__LINE__, NULL, "use of undeclared identifier 'b'", "");
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

int main(void)
{
    RUN(test_the_users_own_line);
    RUN(test_a_line_that_was_rewritten);
    RUN(test_names_that_are_not_given);
    RUN(test_copies);
    return CHECK_EXIT_CODE;
}
