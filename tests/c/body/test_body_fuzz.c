/* Bodies of any bytes: reading and writing them ends, leaks nothing, and gives either a refusal or one kernel. */
#include "body/body.h"

#include "base/refcount.h"
#include "base/text.h"
#include "body/name.h"
#include "body/shape.h"
#include "check.h"
#include "numbers.h"
#include "program/program.h"
#include "source/declarations/signature.h"

#include <stdint.h>

static const char *const pieces[] = {
    "x[i]",
    "y[i]",
    "y [ i ] = ",
    "m(i0, i1)",
    "x",
    "y",
    "m",
    "a",
    "i",
    "i0",
    "n1",
    "[",
    "]",
    "(",
    ")",
    "{",
    "}",
    ";",
    ",",
    " = ",
    " += ",
    "++",
    "--",
    "&",
    "*",
    ".",
    "->",
    "\n",
    "\\\n",
    "\\",
    "/*",
    "*/",
    "//",
    "\"",
    "'",
    "return",
    "if",
    "for",
    "else",
    "while",
    "\n#define x y\n",
    "\n#define F(x) x[i] = x\n",
    "\n#if A\n",
    "\n#else\n",
    "\n#endif\n",
    "\n#pragma z\n",
    "barrier(1)",
    "get_global_id(0)",
    "local_id(0)",
    "float",
    "(int)",
    "sizeof",
    "3",
    "1.0f",
    "\xff",
    "\xc3\xa9",
    "F(y)",
    "x.y[i]",
    "__local",
    "goto q",
    "q:",
    "?",
    ":",
    "#",
    "##",
    "__kernel void k() {}",
    "&x[i]",
    "x[y[i]]",
    "\t",
};
enum { PIECES = sizeof pieces / sizeof *pieces, ROUNDS = 1500 };

static void add_random(syc_text *text, uint64_t *state)
{
    size_t count = random_next(state) % 40;
    for (size_t i = 0; i < count; i++) {
        uint64_t r = random_next(state);
        char byte = (char)(1 + (r >> 8) % 255);
        if (r % 8 == 0)
            syc_text_add_n(text, &byte, 1);
        else
            syc_text_add(text, "%s%s", pieces[(r >> 16) % PIECES], r % 3 ? " " : "");
    }
}

static bool may_refuse(syc_status status)
{
    return status == SYC_E_BUILD || status == SYC_E_KERNEL_ARGUMENT || status == SYC_E_INVALID_PARAMETER;
}

/* A compiler may refuse the text, but it is one kernel with the parameters that were announced. */
static void check_form(syc_body *body, const syc_form *form, size_t names)
{
    const syc_lowered *lowered = NULL;
    syc_status status = syc_body_lower(body, form, &lowered);
    if (status != SYC_OK) {
        CHECK(status == SYC_E_ND_RANGE || status == SYC_E_KERNEL_NOT_SUPPORTED || status == SYC_E_KERNEL);
        return;
    }
    CHECK_EQUAL(syc_program_signatures(lowered->program)->items[0].count, names + lowered->hidden_count);
}

static void check_forms(syc_body *body, size_t names)
{
    for (unsigned n = 0; n < 16; n++) {
        syc_form form = {.shape = n % 3, .dims = n % 4, .offset = n & 4, .grouped = n & 8, .elements = 4};
        form.checked = n & 1;
        check_form(body, &form, names);
    }
}

static const syc_name names[] = {
    {.name = "x", .kind = SYC_NAME_GLOBAL, .type = "int", .size = 4, .readable = true, .rank = 1},
    {.name = "y", .kind = SYC_NAME_GLOBAL, .type = "double", .size = 8, .readable = true, .writable = true, .rank = 1},
    {.name = "m", .kind = SYC_NAME_GLOBAL, .type = "float", .size = 4, .readable = true, .writable = true, .rank = 2},
    {.name = "a", .kind = SYC_NAME_VALUE, .type = "float", .size = 4},
};

static void test_random_bodies(void)
{
    uint64_t state = 88172645463325252u;
    size_t made = 0;
    for (size_t round = 0; round < ROUNDS; round++) {
        syc_text text = {0}, preamble = {0};
        syc_body_source source = {.names = names, .count = random_next(&state) % 5};
        syc_body *body = NULL;
        syc_status status;

        add_random(&text, &state);
        if (random_next(&state) % 4 == 0)
            add_random(&preamble, &state);
        source.text = syc_text_get(&text);
        source.preamble = preamble.data;
        status = syc_body_create(&source, &body);
        if (status == SYC_OK) {
            made++;
            check_forms(body, source.count);
        } else if (!may_refuse(status)) {
            fprintf(stderr, "%s: %s\n", syc_detail_of(status).message, source.text);
            check__failures++;
        }
        syc_body_release(body);
        syc_text_clear(&text);
        syc_text_clear(&preamble);
    }
    CHECK(made > ROUNDS / 50);
    CHECK_EQUAL(syc_live_count(SYC_LIVE_BODY), 0);
    CHECK_EQUAL(syc_live_count(SYC_LIVE_PROGRAM), 0);
}

/* Long texts take time by their length, not by its square; deep ones are refused. */
static void test_long_bodies(void)
{
    syc_text text = {0};
    syc_body_source source = {.names = names, .count = 2};
    syc_body *body = NULL;
    for (int i = 0; i < 20000; i++)
        syc_text_add(&text, "y[i] += x[i] & (x[i]);\n");
    source.text = text.data;
    CHECK_OK(syc_body_create(&source, &body));
    CHECK(body != NULL && syc_body_traits_of(body)->elementwise);
    check_form(body, &(syc_form){.dims = 1, .checked = true}, 2);
    check_form(body, &(syc_form){.dims = 1, .shape = SYC_SHAPE_WIDE, .elements = 2}, 2);
    syc_body_release(body);
    syc_text_clear(&text);
}

static void test_deep_bodies(void)
{
    syc_text text = {0};
    syc_body_source source = {.names = names, .count = 2};
    syc_body *body = NULL;
    syc_text_add(&text, "x[0] + y[0];\n");
    for (int i = 0; i < 1000; i++)
        syc_text_add(&text, "(");
    source.text = text.data;
    CHECK_STATUS(syc_body_create(&source, &body), SYC_E_INVALID_PARAMETER);
    CHECK_STRING(syc_detail_of(SYC_E_INVALID_PARAMETER).message,
                 "source opens '(' in line 2 inside 256 others that are still open; compilers take no more");
    syc_text_clear(&text);
}

int main(void)
{
    RUN(test_random_bodies);
    RUN(test_long_bodies);
    RUN(test_deep_bodies);
    return CHECK_EXIT_CODE;
}
