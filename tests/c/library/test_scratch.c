/* Local memory for group functions: which kernels and helpers of a text get it, and that nothing else is touched. */
#include "library/scratch.h"

#include "base/alloc.h"
#include "check.h"
#include "numbers.h"
#include "source/lexer.h"

#include <stdint.h>

/* Stands for the library. */
static const char library[] = "#define group_sum(g, x) syc_sum(syc_scratch, x)\n#define work_group 0\n"
                              "#line 1 \"kernel.cl\"\n";
static const char *const scratch_names[] = {"group_sum"};

/* Short for what is put in. */
#define KERNEL \
    " __local ulong syc_scratch[SYC_SCRATCH_SIZE(SYC_SCRATCH_WORDS)] __attribute__((aligned(128))); SYC_TURNS "
#define HAND "__local ulong *syc_scratch"
#define LINE "#line 1 \"kernel.cl\"\n"

static syc__scratch arrange(const char *source, const char *options, syc_status expected)
{
    const syc__library_use use = {.scratch = scratch_names, .scratch_count = 1};
    syc_signatures kernels = {0};
    syc__scratch out = {0};
    syc__scratch_source from = {.source = source,
                                .length = strlen(source),
                                .options = options,
                                .prelude = library,
                                .prelude_length = sizeof library - 1,
                                .use = &use,
                                .kernels = &kernels};
    CHECK_OK(syc__signatures_parse_behind(&(syc__signed_text){.front = library,
                                                              .front_length = sizeof library - 1,
                                                              .source = source,
                                                              .length = from.length,
                                                              .options = options},
                                          &kernels));
    CHECK_EQUAL(syc__scratch_arrange(&from, &out), expected);
    syc_signatures_clear(&kernels);
    return out;
}

static void becomes(const char *source, const char *text, const char *front)
{
    syc__scratch out = arrange(source, NULL, SYC_OK);
    CHECK_STRING(syc_text_get(&out.text), text);
    CHECK(out.front.length >= sizeof LINE - 1);
    CHECK_STRING(syc_text_get(&out.front) + out.front.length - (sizeof LINE - 1), LINE);
    if (out.front.length >= sizeof LINE - 1)
        out.front.data[out.front.length - (sizeof LINE - 1)] = '\0';
    CHECK_STRING(syc_text_get(&out.front), front);
    syc__scratch_clear(&out);
}

static void a_kernel_gets_memory_on_the_line_of_its_brace(void)
{
    becomes("kernel void k(global int *x)\n{\n    *x = group_sum(work_group, 1);\n}\n",
            "kernel void k(global int *x)\n{" KERNEL "\n    *x = group_sum(work_group, 1);\n}\n", "");
    becomes("kernel void other(global int *x) { *x = 1; } __kernel void k(void) { group_sum(work_group, 1); }",
            "kernel void other(global int *x) { *x = 1; } __kernel void k(void) {" KERNEL
            " group_sum(work_group, 1); }",
            "");
    becomes("#define K kernel\nK void k(int a) { group_sum(work_group, a); }",
            "#define K kernel\nK void k(int a) {" KERNEL " group_sum(work_group, a); }", "");
    /* nobody wants the word */
    becomes("kernel void k(global struct s *x) { x->group_sum(1); /* group_sum() */ }",
            "kernel void k(global struct s *x) { x->group_sum(1); /* group_sum() */ }", "");
}

static void a_kernel_of_known_groups_gets_what_those_need(void)
{
    becomes("kernel __attribute__((reqd_work_group_size(8, 4, 1))) void k() { group_sum(work_group, 1); }",
            "kernel __attribute__((reqd_work_group_size(8, 4, 1))) void k() {"
            " __local ulong syc_scratch[SYC_SCRATCH_SIZE(SYC_SCRATCH_HEAD + SYC_SCRATCH_ITEM * 32)] "
            "__attribute__((aligned(128)));"
            " enum { syc_items = 32 }; SYC_TURNS  "
            "group_sum(work_group, 1); }",
            "");
}

static void a_helper_is_handed_it(void)
{
    becomes("int f(int a) { return group_sum(work_group, a); }\nkernel void k() { f(1); }",
            "int (f)(" HAND ", int a) { return group_sum(work_group, a); }\nkernel void k() {" KERNEL " f(1); }",
            "#define f(...) f(syc_scratch, __VA_ARGS__)\n");
    becomes("int f() { return group_sum(work_group, 1); } kernel void k() { f(); }",
            "int (f)(" HAND ") { return group_sum(work_group, 1); } kernel void k() {" KERNEL " f(); }",
            "#define f() f(syc_scratch)\n");
    becomes("int f(void);\nint *g(int), h;\nkernel void k() { f(); }\nint f(void) { return *g(1); }\n"
            "int *g(int a) { group_sum(work_group, a); }",
            "int (f)(" HAND ");\nint *(g)(" HAND ", int), h;\nkernel void k() {" KERNEL " f(); }\nint (f)(" HAND
            ") { return *g(1); }\nint *(g)(" HAND ", int a) { group_sum(work_group, a); }",
            "#define g(...) g(syc_scratch, __VA_ARGS__)\n#define f() f(syc_scratch)\n");
    /* one that is not called by a kernel, and one that needs nothing */
    becomes("int f(int a) { return group_sum(work_group, a); } int g(int a) { return a; } kernel void k() { g(1); }",
            "int (f)(" HAND ", int a) { return group_sum(work_group, a); } int g(int a) { return a; } kernel void k() "
            "{ g(1); }",
            "#define f(...) f(syc_scratch, __VA_ARGS__)\n");
    becomes("int (f)(int a) { return group_sum(work_group, a); }",
            "int (f)(" HAND ", int a) { return group_sum(work_group, a); }",
            "#define f(...) f(syc_scratch, __VA_ARGS__)\n");
}

static void attributes_structs_and_tables_are_no_heads(void)
{
    becomes(
        "static inline float __attribute__((overloadable, always_inline)) f(float a) "
        "{ return group_sum(work_group, a); }\nstruct s { int f; } const t = { 1 };\n"
        "constant int u[] = { sizeof(int), 2 };\nstruct s g(struct s a) __attribute__((noinline)) { f(1); return a; }",
        "static inline float __attribute__((overloadable, always_inline)) (f)(" HAND ", float a) "
        "{ return group_sum(work_group, a); }\nstruct s { int f; } const t = { 1 };\n"
        "constant int u[] = { sizeof(int), 2 };\nstruct s (g)(" HAND
        ", struct s a) __attribute__((noinline)) { f(1); return a; }",
        "#define g(...) g(syc_scratch, __VA_ARGS__)\n#define f(...) f(syc_scratch, __VA_ARGS__)\n");
}

static void overloads_of_a_name_are_one(void)
{
    becomes("int f(int a) { return group_sum(work_group, a); }\nint f(float a) { return 1; }\n"
            "int f() { return 2; }\nkernel void k() { f(f()) + f ( ); }",
            "int (f)(" HAND ", int a) { return group_sum(work_group, a); }\nint (f)(" HAND ", float a) { return 1; }\n"
            "int (f)(" HAND ") { return 2; }\nkernel void k() {" KERNEL " f((f)(syc_scratch)) + (f) (syc_scratch ); }",
            "#define f(...) f(syc_scratch, __VA_ARGS__)\n");
}

static void all_branches_count(void)
{
    becomes("#ifdef A\nint f(int a) {\n#else\nint f(float a) {\n#endif\n  return group_sum(work_group, 1); }\n"
            "#if __OPENCL_VERSION__ > 200\nkernel void k() { f(1); }\n#else\nkernel void k() { f(2); }\n#endif\n",
            "#ifdef A\nint (f)(" HAND ", int a) {\n#else\nint (f)(" HAND
            ", float a) {\n#endif\n  return group_sum(work_group, 1); }\n"
            "#if __OPENCL_VERSION__ > 200\nkernel void k() {" KERNEL " f(1); }\n#else\nkernel void k() {" KERNEL
            " f(2); }\n#endif\n",
            "#define f(...) f(syc_scratch, __VA_ARGS__)\n");
    becomes("int f(int a)\n#ifdef A\n{ return group_sum(work_group, a);\n#else\n{ return a;\n#endif\n}\n",
            "int (f)(" HAND ", int a)\n#ifdef A\n{ return group_sum(work_group, a);\n#else\n{ return a;\n#endif\n}\n",
            "#define f(...) f(syc_scratch, __VA_ARGS__)\n");
}

static void macros_are_seen_through(void)
{
    /* a name for it, in an argument, and a chain of them */
    becomes("#define SUM(x) group_sum(work_group, x)\n#define TWICE(x) SUM(SUM(x))\nkernel void k() { TWICE(1); }",
            "#define SUM(x) group_sum(work_group, x)\n#define TWICE(x) SUM(SUM(x))\nkernel void k() {" KERNEL
            " TWICE(1); }",
            "");
    becomes("int f(int a) { return group_sum(work_group, a); }\n#define APPLY(op, x) op(x)\n"
            "kernel void k() { APPLY(f, 1); }",
            "int (f)(" HAND ", int a) { return group_sum(work_group, a); }\n#define APPLY(op, x) op(x)\n"
            "kernel void k() {" KERNEL " APPLY(f, 1); }",
            "#define f(...) f(syc_scratch, __VA_ARGS__)\n");
    /* functions and kernels that a macro makes, with pasted names and with its parameter for one */
    becomes("#define MAKE(T) T sum_##T(T a) { return \\\n  group_sum(work_group, a); }\nMAKE(int) MAKE(float)\n"
            "kernel void k() { sum_int(1) + sum_float(2); }",
            "#define MAKE(T) T (sum_##T)(" HAND ", T a) { return \\\n  group_sum(work_group, a); }\nMAKE(int) "
            "MAKE(float)\nkernel void k() {" KERNEL " sum_int(1) + sum_float(2); }",
            "#define sum_float(...) sum_float(syc_scratch, __VA_ARGS__)\n"
            "#define sum_int(...) sum_int(syc_scratch, __VA_ARGS__)\n");
    becomes("#define MAKE(name, e) void name(int x) { e; }\nMAKE(f, group_sum(work_group, x))\n"
            "kernel void k() { f(1); }",
            "#define MAKE(name, e) void (name)(" HAND ", int x) { e; }\nMAKE(f, group_sum(work_group, x))\n"
            "kernel void k() {" KERNEL " f(1); }",
            "#define f(...) f(syc_scratch, __VA_ARGS__)\n");
    becomes(
        "#define MAKE(T) kernel void k_##T(global T *x) { *x = group_sum(work_group, *x); }\nMAKE(int) MAKE(long)\n",
        "#define MAKE(T) kernel void k_##T(global T *x) {" KERNEL
        " *x = group_sum(work_group, *x); }\nMAKE(int) MAKE(long)\n",
        "");
}

static void names_of_the_options_count(void)
{
    syc__scratch out = arrange("kernel void k() { SUM(1); }", "-DSUM(x)=group_sum(work_group,x)", SYC_OK);
    CHECK_STRING(syc_text_get(&out.text), "kernel void k() {" KERNEL " SUM(1); }");
    syc__scratch_clear(&out);
}

static void a_head_that_a_macro_makes_is_refused(void)
{
    syc__scratch out = arrange("#define HEAD(f) int f(int a)\n#define BEGIN {\n#define END }\n"
                               "HEAD(sum) BEGIN return group_sum(work_group, a); END",
                               NULL, SYC_E_BUILD);
    CHECK_STRING(syc_detail_of(SYC_E_BUILD).message,
                 "line 4: 'sum' uses group functions, whose local memory its kernel hands down; so its head must be "
                 "written out, and not be put together by a macro");
    syc__scratch_clear(&out);
}

static void the_kernels_are_known(void)
{
    syc__scratch out = arrange("kernel void sum() { group_sum(work_group, 1); } kernel void su() { }"
                               "kernel void a() { sum(); } kernel void b() { group_sum(work_group, 1); }",
                               NULL, SYC_OK);
    CHECK(syc__scratch_has(&out, "sum") && syc__scratch_has(&out, "b"));
    CHECK(!syc__scratch_has(&out, "su") && !syc__scratch_has(&out, "a") && !syc__scratch_has(&out, "um"));
    syc__scratch_clear(&out);
}

static size_t column_of(const syc__shifts *shifts, const char *file, size_t line, size_t column)
{
    return syc__shifts_undo(shifts, (syc_slice){file, strlen(file)}, line, column);
}

static void columns_stay_the_users(void)
{
    static const char source[] = "\nint f(void) { return bad + group_sum(work_group, 1); }\n"
                                 "#line 7 \"body\"\nkernel void k() { worse; f(); }\n";
    syc__scratch out = arrange(source, NULL, SYC_OK);
    const char *edited = syc_text_get(&out.text);
    const char *second = strchr(edited, '\n') + 1, *body = strstr(edited, "kernel void");

    CHECK_EQUAL(column_of(&out.shifts, "kernel.cl", 2, (size_t)(strstr(second, "bad") - second) + 1), 22);
    CHECK_EQUAL(column_of(&out.shifts, "kernel.cl", 2, 1), 1);
    CHECK_EQUAL(column_of(&out.shifts, "kernel.cl", 2, (size_t)(strstr(second, "ulong") - second) + 1), 7);
    CHECK_EQUAL(column_of(&out.shifts, "kernel.cl", 3, 40), 40);
    CHECK_EQUAL(column_of(&out.shifts, "body", 7, (size_t)(strstr(body, "worse") - body) + 1), 19);
    CHECK_EQUAL(column_of(&out.shifts, "body", 4, 40), 40);
    CHECK(syc__shifts_touch(&out.shifts, (syc_slice){"body", 4}, 7));
    CHECK(!syc__shifts_touch(&out.shifts, (syc_slice){"body", 4}, 8));
    syc__scratch_clear(&out);
}

static void a_text_without_such_names_is_left_alone(void)
{
    static const char source[] = "int f(int a) { return a; } kernel void k() { f(syc_scratch); }";
    const syc__library_use use = {.device = true};
    syc_signatures kernels = {0};
    syc__scratch out = {0};
    syc__scratch_source from = {.source = source, .length = sizeof source - 1, .use = &use, .kernels = &kernels};
    CHECK_OK(syc__scratch_arrange(&from, &out));
    CHECK_EQUAL(out.text.length + out.front.length + out.shifts.count, 0);
    syc__scratch_clear(&out);
}

static void no_memory_is_an_error(void)
{
    static const char source[] = "int f(int a) { return group_sum(work_group, a); } kernel void k() { f(1); }";
    const syc__library_use use = {.scratch = scratch_names, .scratch_count = 1};
    syc_signatures kernels = {0};
    syc_status status = SYC_E_MEMORY_ALLOCATION;
    for (long n = 1; status != SYC_OK && n < 1000; n++) {
        syc__scratch out = {0};
        syc__scratch_source from = {
            .source = source, .length = sizeof source - 1, .prelude = "", .use = &use, .kernels = &kernels};
        syc_alloc_fail_at(n);
        status = syc__scratch_arrange(&from, &out);
        syc_alloc_fail_at(0);
        CHECK(status == SYC_OK || status == SYC_E_MEMORY_ALLOCATION);
        syc__scratch_clear(&out);
    }
    CHECK_OK(status);
}

/* -- soup -- */

/* What was put in taken out again is the source. */
static bool is_source(const syc__scratch *out, const char *source)
{
    static const char *const ours[] = {KERNEL, HAND ", ", HAND};
    const char *edited = syc_text_get(&out->text);
    while (*edited != '\0') {
        size_t skip = 0;
        if (*edited == *source && strncmp(edited, KERNEL, sizeof KERNEL - 1) != 0) {
            edited++;
            source++;
            continue;
        }
        for (size_t i = 0; i < sizeof ours / sizeof *ours && skip == 0; i++)
            if (strncmp(edited, ours[i], strlen(ours[i])) == 0)
                skip = strlen(ours[i]);
        if (skip == 0 && strncmp(edited, "syc_scratch", 11) == 0)
            skip = 11;
        if (skip == 0 && (*edited == '(' || *edited == ')'))
            skip = 1;
        if (skip == 0)
            return false;
        edited += skip;
        if (strncmp(source, "void", 4) == 0 && edited[-1] == 'h' && edited[0] != 'v')
            source += 4;
    }
    return *source == '\0';
}

static long balance(const char *text, char open, char close)
{
    long depth = 0;
    for (; *text != '\0'; text++)
        depth += (*text == open) - (*text == close);
    return depth;
}

static void soup_comes_out_as_it_went_in(void)
{
    static const char *const pieces[] = {"{",
                                         "}",
                                         "(",
                                         ")",
                                         ";",
                                         ",",
                                         "=",
                                         " f",
                                         " g",
                                         "(f)(",
                                         " f()",
                                         " f(void)",
                                         "group_sum(",
                                         " kernel void k(",
                                         " int ",
                                         "void ",
                                         "\n#define f(a) ",
                                         "\n#define M(T) T g_##T(T a) { group_sum(",
                                         "\n",
                                         "\\\n",
                                         "\n#if A\n",
                                         "\n#else\n",
                                         "\n#endif\n",
                                         " __attribute__((",
                                         "struct s ",
                                         "##",
                                         "/*",
                                         "*/",
                                         "//",
                                         "\"",
                                         "M(int)",
                                         "\n#line 3 \"body\"\n",
                                         "int f(int a) { return group_sum(work_group, a); }",
                                         "kernel void k(int a) { f(a); M(a) }"};
    uint64_t state = 88172645463325252u;
    for (int run = 0; run < 3000; run++) {
        char source[1200] = "";
        size_t length = 0, count = random_next(&state) % 40;
        const syc__library_use use = {.scratch = scratch_names, .scratch_count = 1};
        syc_signatures kernels = {0};
        syc__scratch out = {0};
        for (size_t i = 0; i < count; i++) {
            const char *piece = pieces[random_next(&state) % (sizeof pieces / sizeof *pieces)];
            if (length + strlen(piece) < sizeof source) {
                strcpy(source + length, piece);
                length += strlen(piece);
            }
        }
        if (syc__signatures_parse_behind(
                &(syc__signed_text){
                    .front = library, .front_length = sizeof library - 1, .source = source, .length = length},
                &kernels) == SYC_OK) {
            syc_status status = syc__scratch_arrange(&(syc__scratch_source){.source = source,
                                                                            .length = length,
                                                                            .prelude = library,
                                                                            .prelude_length = sizeof library - 1,
                                                                            .use = &use,
                                                                            .kernels = &kernels},
                                                     &out);
            CHECK(status == SYC_OK || status == SYC_E_BUILD);
            if (status == SYC_OK) {
                const char *edited = syc_text_get(&out.text);
                CHECK_EQUAL(balance(edited, '(', ')'), balance(source, '(', ')'));
                CHECK_EQUAL(balance(edited, '\n', '\0'), balance(source, '\n', '\0'));
                CHECK_EQUAL(balance(edited, '{', '}'), balance(source, '{', '}'));
                if (!is_source(&out, source)) {
                    printf("SOURCE:\n%s\nEDITED:\n%s\n", source, edited);
                    CHECK(false);
                }
            }
        }
        syc__scratch_clear(&out);
        syc_signatures_clear(&kernels);
    }
}

/* Linear in the text: a chain of helpers in the order that suits least, and many functions. */
static void long_texts_end(void)
{
    enum { COUNT = 4000 };
    syc_text source = {0};
    for (int i = 0; i < COUNT; i++)
        syc_text_add(&source, "int f%d(int);", i);
    for (int i = COUNT - 1; i > 0; i--)
        syc_text_add(&source, "int f%d(int a) { return f%d(a); }\n", i, i - 1);
    syc_text_add(&source, "int f0(int a) { return group_sum(work_group, a); } kernel void k() { f%d(1); }", COUNT - 1);
    {
        syc__scratch out = arrange(syc_text_get(&source), NULL, SYC_OK);
        CHECK(syc__scratch_has(&out, "k"));
        CHECK_EQUAL(out.shifts.count, 3 * (2 * COUNT) + 1);
        syc__scratch_clear(&out);
    }
    syc_text_clear(&source);
}

int main(void)
{
    RUN(a_kernel_gets_memory_on_the_line_of_its_brace);
    RUN(a_kernel_of_known_groups_gets_what_those_need);
    RUN(a_helper_is_handed_it);
    RUN(attributes_structs_and_tables_are_no_heads);
    RUN(overloads_of_a_name_are_one);
    RUN(all_branches_count);
    RUN(macros_are_seen_through);
    RUN(names_of_the_options_count);
    RUN(a_head_that_a_macro_makes_is_refused);
    RUN(the_kernels_are_known);
    RUN(columns_stay_the_users);
    RUN(a_text_without_such_names_is_left_alone);
    RUN(no_memory_is_an_error);
    RUN(soup_comes_out_as_it_went_in);
    RUN(long_texts_end);
    return CHECK_EXIT_CODE;
}
