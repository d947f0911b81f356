/* Programs whose kernels have reducers: what their signatures become, what is put into their texts, and texts of any
 * kind. */
#include "body/whole/program.h"

#include "base/refcount.h"
#include "body/name.h"
#include "check.h"
#include "numbers.h"
#include "program/specialise.h"
#include "source/declarations/signature.h"

static syc_program *made(const char *source)
{
    syc_program *program = NULL;
    CHECK_OK(syc_program_create(source, strlen(source), NULL, &program));
    return program;
}

/* The first line of the message. */
static void check_refused(int where, const char *source, const char *expected)
{
    syc_program *program = NULL;
    syc_status status = syc_program_create(source, strlen(source), NULL, &program);
    char message[400] = "";
    snprintf(message, sizeof message, "%s", status != SYC_OK ? syc_detail_of(status).message : "it was taken");
    message[strcspn(message, "\n")] = '\0';
    if (status != SYC_E_BUILD || strcmp(message, expected) != 0) {
        fprintf(stderr, "%s:%d: got %d\n%s\nnot\n%s\n", __FILE__, where, (int)status, message, expected);
        check__failures++;
    }
    syc_program_release(program);
}
#define CHECK_REFUSED(source, expected) check_refused(__LINE__, source, expected)

static const char two[] = "void none(void);\n"
                          "__attribute__((reqd_work_group_size(4, 1, 1))) kernel void one(\n"
                          "    global const float *x, reducer( float,plus ) total,\n"
                          "    reducer(uint, bit_or) bits[])\n"
                          "{ size_t i = get_global_id(0); if (x[i] < 0) return; total += x[i]; bits[i % 4] |= 1; }\n"
                          "kernel void other(reducer(bool, logical_and) total, int k) { total.combine(k); }\n"
                          "kernel void plain(global int *x) { x[0] = 1; }\n";

static void signatures(void)
{
    syc_program *program = made(two);
    const syc_signatures *s = syc_program_signatures(program);
    const syc_reducing_kernel *one = syc_reducing_kernel_of(program, 0), *other = syc_reducing_kernel_of(program, 1);

    CHECK_EQUAL(s->count, 3);
    CHECK_EQUAL(s->items[0].count, 3);
    CHECK_STRING(s->items[0].params[0].text, "global const float *x");
    CHECK_STRING(s->items[0].params[1].text, "reducer( float,plus ) total");
    CHECK_STRING(s->items[0].params[1].name, "total");
    CHECK(s->items[0].params[1].pointer && s->items[0].params[1].type == SYC_FLOAT);
    CHECK_STRING(s->items[0].params[2].name, "bits");
    CHECK_EQUAL(s->items[0].required_group[0], 4);
    CHECK_EQUAL(s->items[0].line, 2);
    CHECK(!s->items[0].shaped && !s->items[0].bounded); /* arrays cost more than anybody knows */
    CHECK(s->items[1].bounded);
    CHECK(one != NULL && one->count == 3 && one->names[0].kind == SYC_NAME_VALUE && one->names[2].reducer.array);
    CHECK(other != NULL && other->names[0].op.boolean && other->names[0].op.known);
    CHECK(syc_reducing_kernel_of(program, 2) == NULL);
    CHECK_STRING(syc_program_source(program, NULL), two);
    syc_program_release(program);
}

/* Where the pieces of ours end, the user's own lines and columns go on. */
static void text(void)
{
    syc_program *program = made("/* a */ kernel void f(reducer(int, plus) r) { r += 1; }\nkernel void g(void) { }\n");
    size_t length;
    const char *text = syc_program_text(program, &length), *at = text;

    CHECK(strstr(text, "#line 1 \"kernel.cl\"\n        kernel void f(__global int *syc_out_k0_r ,") != NULL);
    CHECK(strstr(text, "#line 1 \"kernel.cl\"\n                                             "
                       " syc_combine_k0_r(syc_r_k0_r, 1); \n") != NULL);
    CHECK(strstr(text, "#line 1 \"kernel.cl\"\n                                                      "
                       "}\nkernel void g(void) { }\n") != NULL);
    CHECK(strstr(text, "#define return goto syc_returned\n    if (get_global_id(0)") != NULL);
    for (size_t count = 0; (at = strstr(at, "return goto")) != NULL; at++)
        CHECK(++count == 1);
    syc_program_release(program);
    program = made("kernel void f(reducer(int, plus) r) { barrier(1); r += 1; }"); /* its range is not padded */
    CHECK(strstr(syc_program_text(program, &length), "get_global_id(0) - ") == NULL);
    syc_program_release(program);
}

/* Texts that are compiled as they are. */
static void nothing_to_do(void)
{
    static const char *const texts[] = {
        "kernel void f(global int *reducer) { reducer[0] = 1; }",
        "int reducer(int a, int b); kernel void f(global int *x) { x[0] = reducer(1, 2); }",
        "#define reducer(T, op) global T *\nkernel void f(reducer(int, plus) x) { x[0] = 1; }",
        "/* reducer(int, plus) r */ kernel void f(void) { }",
        "kernel void f(global int *x) { x[0] = 1; } // kernel void g(reducer(int, plus) r)",
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        size_t length;
        syc_program *program = made(texts[i]);
        CHECK_STRING(syc_program_text(program, &length), texts[i]);
        CHECK(syc_program_rewritten(program) == NULL);
        syc_program_release(program);
    }
}

static void operators(void)
{
    const char *source = "kernel void f(reducer(pair, best) r, reducer(int, add) s) { r.combine(x); s += 1; }";
    const syc_constant given[] = {
        {.name = "best",
         .text = "#define SYC_OP_best(syc_a, syc_b) (syc_a)\n#define SYC_SAYS_best ~, \"best, 'a < b ? a : b',\"\n"
                 "#define SYC_HAS_IDENTITY_best ~, 1\n"},
        {.name = "add", .text = "#define SYC_OP_add(syc_a, syc_b) SYC_OP_plus(syc_a, syc_b)\n"},
    };
    syc_program *program = NULL;
    const syc_reducing_kernel *kernel;

    CHECK_OK(syc_program_create_with(source, strlen(source), NULL, given, 2, &program));
    kernel = program != NULL ? syc_reducing_kernel_of(program, 0) : NULL;
    CHECK(kernel != NULL && kernel->names[0].op.known);
    if (kernel != NULL) {
        CHECK_STRING(kernel->parameters[0].expression, "a < b ? a : b");
        CHECK(kernel->parameters[1].expression == NULL);
        CHECK(strncmp(kernel->names[1].op.operation, "plus ", 5) == 0);
    }
    syc_program_release(program);
}

/* The body of the last kernel of the text, whose reducers are of this accuracy; NULL: it can be none. */
static syc_body *body_of(syc_program *program, syc_accuracy accuracy)
{
    size_t last = syc_program_signatures(program)->count - 1;
    const syc_reducing_kernel *kernel = syc_reducing_kernel_of(program, last);
    syc_name given[8];
    syc_body *body = NULL;

    CHECK(kernel != NULL && kernel->count <= 8);
    for (size_t i = 0; i < kernel->count; i++) {
        given[i] = kernel->names[i];
        given[i].op.operation = "plus a + b";
        given[i].op.accuracy = accuracy;
    }
    CHECK_OK(syc_reducing_body(program, last, syc_reducing_kernel_of(program, last), given, &body));
    return body;
}

static void check_body(int where, const char *source, bool expected)
{
    syc_program *program = made(source);
    syc_body *body = body_of(program, SYC_ACCURACY_FAST);
    if ((body != NULL) != expected) {
        fprintf(stderr, "%s:%d: %s\n", __FILE__, where, expected ? "it should be a body" : "it cannot be a body");
        check__failures++;
    }
    syc_body_release(body);
    syc_program_release(program);
}
#define CHECK_BODY(source, expected) check_body(__LINE__, source, expected)

static void bodies(void)
{
    syc_program *program =
        made("#define TWO 2\nkernel void g(global int *x) { x[0] = TWO; }\nint two(void) { return TWO; }\n"
             "kernel void f(int i, int unused, reducer(int, plus) r) { r += i * two(); }\n");
    syc_body *body = body_of(program, SYC_ACCURACY_FAST), *again = body_of(program, SYC_ACCURACY_FAST);
    const syc_body_source *source = body != NULL ? syc_body_source_of(body) : NULL;

    CHECK(source != NULL && source->whole && source->count == 3);
    CHECK(strstr(source->preamble, "#define TWO 2") != NULL && strstr(source->preamble, "kernel") == NULL);
    CHECK(strstr(source->preamble, "int two(void) { return TWO; }") != NULL);
    CHECK(strstr(source->text, "(void)unused;") != NULL);
    CHECK_STRING(source->names[2].name, "r");
    CHECK(body == again);
    CHECK(body_of(program, SYC_ACCURACY_EXACT) == NULL); /* of whole numbers */
    syc_reducing_body_refuse(syc_reducing_kernel_of(program, 1), body);
    CHECK(body_of(program, SYC_ACCURACY_FAST) == NULL);
    syc_body_release(body);
    syc_body_release(again);
    syc_program_release(program);
    CHECK_BODY("kernel void f(global const float4 *x, local int *l, reducer(float, plus) r) { r += x[0].x; }", true);
    CHECK_BODY("kernel void f(constant int *x, reducer(int, plus) r) { r += x[0]; }", false);
    CHECK_BODY("kernel void f(volatile global int *x, reducer(int, plus) r) { r += x[0]; }", false);
    CHECK_BODY("kernel void f(read_only image2d_t x, reducer(int, plus) r) { r += 1; }", false);
    CHECK_BODY("kernel void f(reducer(int, plus) r) { r += get_work_dim(); }", false);
    CHECK_BODY("__attribute__((reqd_work_group_size(4, 1, 1))) kernel void f(reducer(int, plus) r) { r += 1; }", false);
    CHECK_BODY("#ifdef A\n#endif\nkernel void f(reducer(int, plus) r) { r += 1; }", true);
    CHECK_BODY("#ifndef A\nkernel void f(reducer(int, plus) r) { r += 1; }\n#endif\n", false);
    CHECK_BODY("kernel void g(void) {\n#define A 1\n}\nkernel void f(reducer(int, plus) r) { r += A; }", false);
}

static void refused(void)
{
    CHECK_REFUSED("\nkernel void f(reducer(float, nope) r) { r.combine(1); }",
                  "kernel.cl:2:30: the reducer 'r' combines by 'nope', which is none of SYCL's operators and none that "
                  "the program is given: Program(source, operators={'nope': sycl.BinaryOp(...)})");
    CHECK_REFUSED("kernel void f(reducer(float, bit_or) r) { r |= 1; }",
                  "kernel.cl:1:15: the reducer 'r' is of float, and bit_or is for integers");
    CHECK_REFUSED("kernel void f(reducer(float4, logical_or) r) { r.combine(1); }",
                  "kernel.cl:1:15: the reducer 'r' is of float4, and logical_or takes no vectors");
    CHECK_REFUSED("kernel void f(int a,\n  reducer(int, plus) r, reducer(int, plus) s) { s += 1; }",
                  "kernel.cl:2:3: the reducer 'r' is declared, and kernel 'f' combines nothing with it");
    CHECK_REFUSED("kernel void f(reducer(int, maximum) r) {\n  r += 1; }",
                  "kernel.cl:2:3: the reducer 'r' combines by maximum, and not by '+=': use r.combine(value)");
    CHECK_REFUSED("kernel void f(reducer(int, plus) r, int b) { b = r; }",
                  "kernel.cl:1:50: the reducer 'r' can be neither read nor set, only combined with values: use "
                  "r.combine(value)");
    for (int i = 0; i < 6; i++) {
        static const char *const declarations[] = {"reducer(int) r",           "reducer(int, plus) r[3]",
                                                   "reducer(int, plus + 1) r", "reducer(int, plus) r x",
                                                   "reducer(, plus) r",        "reducer(int, plus) *r"};
        char source[200];
        snprintf(source, sizeof source, "kernel void f(reducer(int, plus) ok, %s) { ok += 1; }", declarations[i]);
        CHECK_REFUSED(source, "kernel.cl:1:38: a reducer is declared as reducer(T, op) name, or reducer(T, op) name[] "
                              "for an array");
    }
    CHECK_REFUSED("void g(reducer(int, plus) r) { r += 1; }",
                  "kernel.cl:1:8: only a kernel has reducers for parameters: let the function give the value, and "
                  "combine it in the kernel");
    CHECK_REFUSED("#define P reducer(int, plus) r\nkernel void f(P) { r += 1; }",
                  "kernel.cl:1:11: a reducer is declared where the kernel is, and not in a macro or directive");
    CHECK_REFUSED("kernel void f(reducer(int, plus) r);",
                  "kernel.cl:1:1: a kernel with reducers is declared where it is defined");
}

/* -- texts of any kind -- */

static void any_text(void)
{
    static const char *const pieces[] = {"kernel void f(",
                                         "__kernel void g(",
                                         "reducer(int, plus) r",
                                         "reducer(float4, minimum) s[]",
                                         "reducer(",
                                         "reducer",
                                         "int",
                                         "plus",
                                         ",",
                                         ")",
                                         "(",
                                         "{",
                                         "}",
                                         ") {",
                                         "r += 1;",
                                         "s[0].combine(1);",
                                         ";",
                                         "return",
                                         "[",
                                         "]",
                                         " ",
                                         "\n",
                                         "\\\n",
                                         "\n#define A reducer(int, plus) r\n",
                                         "\n#if X\n",
                                         "\n#endif\n",
                                         "/*",
                                         "*/",
                                         "\"",
                                         "'",
                                         "__attribute__((",
                                         "))",
                                         "struct p { int r; };",
                                         "global int *x"};
    uint64_t state = 88172645463325252ull;
    size_t taken = 0;

    for (int round = 0; round < 1500; round++) {
        syc_text text = {0};
        syc_program *program = NULL;
        if (random_next(&state) % 2 == 0)
            syc_text_add(&text, "kernel void k(reducer(int, plus) r) { r += 1;");
        for (size_t k = random_next(&state) % 14; k > 0; k--)
            syc_text_add(&text, "%s", pieces[random_next(&state) % (sizeof pieces / sizeof *pieces)]);
        syc_status status = syc_program_create(syc_text_get(&text), text.length, NULL, &program);
        CHECK(status == SYC_OK || status == SYC_E_BUILD || status == SYC_E_INVALID_PARAMETER);
        taken += status == SYC_OK && syc_program_rewritten(program) != NULL;
        syc_program_release(program);
        syc_text_clear(&text);
    }
    CHECK(taken > 50);
    CHECK_EQUAL(syc_live_count(SYC_LIVE_PROGRAM), 0);
}

int main(void)
{
    syc_reducing_enable(true);
    RUN(signatures);
    RUN(text);
    RUN(nothing_to_do);
    RUN(operators);
    RUN(bodies);
    RUN(refused);
    RUN(any_text);
    return CHECK_EXIT_CODE;
}
