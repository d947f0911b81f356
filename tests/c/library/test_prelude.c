/* Which texts of the device library stand before a program: only those that it uses, none that it has itself. */
#include "library/prelude.h"

#include "check.h"
#include "library/embedded.h"
#include "program/program.h"
#include "source/declarations/signature.h"
#include "source/lexer.h"
#include "source/origin.h"

/* What is put before the text; free with syc_text_clear. */
static syc_text prelude_of(const char *source)
{
    syc_arena arena = {0};
    syc_tokens tokens = {0};
    syc_text out = {0};
    CHECK_OK(syc__lex(&arena, source, strlen(source), &tokens));
    CHECK_OK(syc__prelude_add(&arena, &tokens, &out, NULL));
    syc__arena_clear(&arena);
    return out;
}

static bool has(const syc_text *text, const char *file)
{
    char line[64];
    snprintf(line, sizeof line, "#line 1 \"%s\"\n", file);
    return text->length > 0 && strstr(text->data, line) != NULL;
}

static bool uses(const char *source, const char *file)
{
    syc_text text = prelude_of(source);
    bool found = has(&text, file);
    syc_text_clear(&text);
    return found;
}

static void a_text_that_uses_nothing_gets_nothing(void)
{
    static const char *const plain[] = {
        "",
        "kernel void f(global int *x) { x[get_global_id(0)] = 1; }",
        "kernel void f(global int *x) { /* global_id(0) */ printf(\"global_id(0)\"); }",
        "kernel void f(global int *x) { int local_id = 1; x[local_id] = global_id; }",
        "kernel void f(global struct s *x) { x->group_id(0); x[0].local_linear_id = 1; }",
    };
    for (size_t i = 0; i < sizeof plain / sizeof *plain; i++) {
        syc_text text = prelude_of(plain[i]);
        CHECK_EQUAL(text.length, 0);
    }
}

static void a_name_brings_its_text_and_what_that_needs(void)
{
    syc_text text = prelude_of("kernel void f(global int *x) { x[global_id(0)] = 1; }");
    CHECK(has(&text, "items.clh") && has(&text, "library.clh"));
    CHECK(!has(&text, "barrier.clh") && !has(&text, "async_copy.clh"));
    CHECK(strstr(text.data, "library.clh") < strstr(text.data, "items.clh"));
    syc_text_clear(&text);

    CHECK(uses("kernel void f() { group_barrier(work_group); }", "groups.clh"));
    CHECK(uses("kernel void f() { group_barrier(work_group); }", "barrier.clh"));
    CHECK(!uses("kernel void f() { group_barrier(work_group); }", "operators.clh"));
    CHECK(uses("kernel void f(global int *x) { *x = local_linear_id; }", "items.clh"));
    CHECK(uses("kernel void f(global int *x) { *x = 3 * local_linear_id; }", "items.clh"));
    CHECK(uses("int f(void) { return global_linear_id; }", "items.clh"));
    CHECK(uses("kernel void f() { device_event e; }", "async_copy.clh"));
    CHECK(uses("#define HERE global_id\nkernel void f(global int *x) { x[HERE(0)] = 1; }", "items.clh"));
    CHECK(uses("#define HERE local_linear_id\nkernel void f(global int *x) { x[HERE] = 1; }", "items.clh"));
    CHECK(uses("#ifdef X\nglobal_id(0)\n#endif", "items.clh"));
    /* the text of one work-item, as bodies have it */
    CHECK(uses("y[global_id(0)] = 1;", "items.clh"));
    CHECK(uses("if (a) return; group_barrier(work_group);", "barrier.clh"));
    /* a variable of some function shadows a function of the library, and does it no harm elsewhere */
    CHECK(uses("void g(int local_id) { } kernel void f(global int *x) { x[local_id(0)] = 1; }", "items.clh"));
}

static void a_rivals_word_makes_all_names_the_rivals(void)
{
    CHECK(uses("kernel void f(global int *x) { atomic_fetch_add(x, 1); }", "atomic.clh"));
    CHECK(uses("kernel void f(global int *x) { atomic_fetch_add(x, 1); }", "atomic_integer.clh"));
    CHECK(!uses("kernel void f(global atomic_int *x) { atomic_fetch_add(x, 1); }", "atomic.clh"));
    CHECK(!uses("kernel void f(global int *x) { atomic_fetch_add((global atomic_int *)x, 1); }", "atomic.clh"));
    CHECK(!uses("kernel void f(global atomic_int *x) { }", "atomic.clh"));
    CHECK(uses("kernel void f(global atomic_int *x) { atomic_fence(1, 2); }", "atomic_fence.clh"));
    CHECK(uses("struct s { int atomic_int; }; int f(struct s *s) { return s->atomic_int; }"
               "kernel void g(global int *x) { atomic_load(x); }",
               "atomic.clh") == false); /* the member's declaration counts: the safe answer */
    CHECK(uses("int f(struct s *s) { return s->atomic_int; } kernel void g(global int *x) { atomic_load(x); }",
               "atomic.clh"));
}

/* What stands in for a driver's functions of vectors is no use to a program without any. */
static void some_names_need_another_word_beside_them(void)
{
    CHECK(!uses("kernel void f(global float *x) { x[0] = sin(x[1]); }", "math_lanes.clh"));
    CHECK(uses("kernel void f(global float4 *x) { x[0] = sin(x[1]); }", "math_lanes.clh"));
    CHECK(uses("kernel void f(global float *x) { vstore2(cos(vload2(0, x)), 0, x); }", "math_lanes.clh"));
    CHECK(!uses("kernel void f(global float4 *x) { x[0] = exp(x[1]); }", "math_lanes.clh"));
    CHECK(
        !uses("float4 sin(int n) { return n; } kernel void f(global float4 *x) { x[0] = sin(1); }", "math_lanes.clh"));
    CHECK(uses("kernel void f(global int *x) { x[0] = ctz(x[1]) + mad_sat(x[2], x[3], x[4]); }", "ctz.clh"));
}

/* PoCL's built-ins are macros. */
static void some_names_stand_over_macros(void)
{
    syc_text text = prelude_of("kernel void f(global int *x) { atomic_store(x, 1); }");
    CHECK(strstr(text.data, "#undef atomic_load\n") != NULL);
    syc_text_clear(&text);
    text = prelude_of("int atomic_load(int x) { return x; } kernel void f(global int *x) { atomic_store(x, 1); }");
    CHECK(strstr(text.data, "#define atomic_load syc_hidden_atomic_load\n") != NULL);
    CHECK(strstr(text.data, "#undef atomic_load\n") > strstr(text.data, "#line 1 \"atomic.clh\""));
    syc_text_clear(&text);
}

static void what_the_text_has_itself_stays_its_own(void)
{
    CHECK(!uses("size_t global_id(uint d) { return get_global_id(d); } int f() { return global_id(0); }", "items.clh"));
    CHECK(!uses("size_t *global_id(uint d)\n{ return 0; }\nint f() { return *global_id(0); }", "items.clh"));
    CHECK(!uses("size_t global_id(uint d); int f() { return global_id(0); }", "items.clh"));
    CHECK(!uses("#define global_id(d) get_global_id(d)\nint f() { return global_id(0); }", "items.clh"));
    CHECK(!uses("__constant int global_id = 3; int f() { return global_id(0); }", "items.clh"));
    CHECK(!uses("int f() { int local_linear_id = 3; return local_linear_id; }", "items.clh"));
    CHECK(!uses("int f(int local_linear_id) { return local_linear_id; }", "items.clh"));
    CHECK(!uses("int f() { int a, local_linear_id; return local_linear_id; }", "items.clh"));
    CHECK(!uses("int f() { int a, local_linear_id = 1; return local_linear_id; }", "items.clh"));
    CHECK(!uses("struct s { int group_linear_id; }; int f(struct s s) { return s.group_linear_id; }", "items.clh"));
    CHECK(!uses("#ifndef work_group\n#define work_group 1\n#endif\nint f() { return work_group; }", "groups.clh"));
}

static void a_type_is_used_where_it_declares(void)
{
    CHECK(uses("kernel void f(stream out) { }", "stream.clh"));
    CHECK(uses("void g(const stream out, int x) { }", "stream.clh"));
    CHECK(uses("void g(void) { x = (device_event)0; }", "async_copy.clh"));
    CHECK(!uses("kernel void f(global float *stream) { stream[0] = *stream + stream; }", "stream.clh"));
    CHECK(!uses("typedef global int *stream; kernel void f(stream out) { }", "stream.clh"));
    CHECK(!uses("typedef struct { int x; } stream; kernel void f(stream out) { }", "stream.clh"));
    CHECK(!uses("#define stream global int *\nkernel void f(stream out) { }", "stream.clh"));
}

/* Of a text that was made for a range. */
static void known_dimensions_are_a_constant(void)
{
    static const char source[] = "kernel void f(global int *x) { x[global_id(0)] = 1; }",
                      plain[] = "kernel void f(global int *x) { x[0] = 1; }";
    static const syc_origins of_two = {.dims = 2}, of_task = {.dims = 0};
    syc_program *program = NULL;

    CHECK_OK(syc_program_create_from(&of_two, source, sizeof source - 1, NULL, &program));
    CHECK(strncmp(syc_program_prelude(program, NULL), "#define SYC_DIMS 2\n#line 1 ", 27) == 0);
    syc_program_release(program);
    CHECK_OK(syc_program_create_from(&of_task, source, sizeof source - 1, NULL, &program));
    CHECK(strncmp(syc_program_prelude(program, NULL), "#define SYC_DIMS 1\n#line 1 ", 27) == 0);
    syc_program_release(program);
    CHECK_OK(syc_program_create_from(&of_two, plain, sizeof plain - 1, NULL, &program));
    CHECK_STRING(syc_program_prelude(program, NULL), "");
    syc_program_release(program);
}

static void macros_are_used_anywhere_but_where_they_are_defined(void)
{
    CHECK(uses("#if 1 && SPEC_HAS(a)\n#endif", "constants.clh"));
    CHECK(uses("kernel sycl_vec_type_hint(float4) void f(void) { }", "attributes.clh"));
    CHECK(!uses("#define SPEC(a) a\nint x = SPEC(1);", "constants.clh"));
    CHECK(!uses("int SPEC = 1;", "constants.clh"));
}

static void another_name_of_the_same_text_still_comes(void)
{
    syc_text text = prelude_of("size_t local_id(uint d) { return 7; } int f() { return local_id(0) + group_id(0); }");
    const char *hidden = strstr(syc_text_get(&text), "#define local_id syc_hidden_local_id\n");
    CHECK(has(&text, "items.clh") && hidden != NULL);
    CHECK(hidden != NULL && strstr(hidden, "#undef local_id\n") > strstr(hidden, "#line 1 \"items.clh\"\n"));
    syc_text_clear(&text);
}

/* Is the text not there, or there with names of its own hidden, which a text in front has already? Another may need it.
 */
static bool has_no_more_of(const syc_text *text, const char *file)
{
    char line[64];
    const char *at;
    snprintf(line, sizeof line, "#line 1 \"%s\"\n", file);
    at = text->length > 0 ? strstr(text->data, line) : NULL;
    if (at == NULL)
        return true;
    for (at--; at > text->data && at[-1] != '\n';)
        at--;
    return strncmp(at, "#define ", 8) == 0 && strstr(at, " syc_hidden_") < strchr(at, '\n');
}

/* The rows of the table and the texts: reading a text behind itself adds nothing of it, so it has all its names. */
static void every_text_has_the_names_of_its_row(void)
{
    static const char *const files[] = {"items.clh",        "groups.clh",          "barrier.clh",      "async_copy.clh",
                                        "stream.clh",       "stream_places.clh",   "constants.clh",    "attributes.clh",
                                        "group_leader.clh", "group_broadcast.clh", "group_reduce.clh", "group_scan.clh",
                                        "group_vote.clh"};
    static const char *const users[] = {
        "void f(void) { global_id(0); local_id(0); group_id(0); global_range(0); local_range(0); group_range(0);"
        " global_offset(0); max_local_range(0); uniform_group_range(0); size_t x[] = {(global_linear_id),"
        " (local_linear_id), (group_linear_id), (global_linear_range), (local_linear_range), (group_linear_range)}; }",
        "void f(void) { (work_group); (sub_group); }",
        "void f(void) { group_barrier(work_group); }",
        "void f(void) { async_copy_global_to_local(0); async_copy_local_to_global(0); wait_for(0); device_event x; }",
        "void f(stream s) { stream_put(s); stream_endl(s); stream_flush(s); stream_setw(1); stream_setprecision(1);"
        " int x[] = {(stream_hex), (stream_oct), (stream_showbase), (stream_showpos), (stream_fixed),"
        " (stream_scientific), (stream_hexfloat)}; }",
        "void f(stream s) { stream_put(s); x((stream_global_id), (stream_local_id), (stream_group_id),"
        " (stream_global_range), (stream_local_range), (stream_group_range), (stream_global_offset), (stream_item),"
        " (stream_nd_item), (stream_group), (stream_nd_range)); }",
        "#if SPEC_HAS(a)\nSPEC_TYPE(a) x = SPEC(a);\n#endif",
        "kernel sycl_reqd_work_group_size(1) sycl_work_group_size_hint(1) sycl_vec_type_hint(int)"
        " sycl_reqd_sub_group_size(8) void f(void) { }",
        "bool f(void) { return group_leader(work_group); }",
        "int f(int x) { return group_broadcast(work_group, x); }",
        "int f(int x) { return group_reduce(work_group, x, plus); }",
        "int f(int x) { return group_inclusive_scan(work_group, x, plus) + group_exclusive_scan(work_group, x, plus); "
        "}",
        "bool f(int x) { return group_any_of(work_group, x) || group_all_of(work_group, x) || "
        "group_none_of(work_group, "
        "x); }",
        "uint f(void) { return sub_group_size() + sub_group_group_id() + sub_group_local_id() + "
        "sub_group_local_range() +"
        " sub_group_group_range() + sub_group_max_local_range() + sub_group_group_linear_id() +"
        " sub_group_local_linear_id() + sub_group_local_linear_range() + sub_group_group_linear_range(); }",
        "int f(int x) { return shift_group_left(sub_group, x) + shift_group_right(sub_group, x) +"
        " permute_group_by_xor(sub_group, x, 1) + select_from_group(sub_group, x, 1); }",
    };
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        syc_text once = prelude_of(users[i]), twice;
        CHECK(has(&once, files[i]));
        syc_text_add(&once, "%s", users[i]);
        twice = prelude_of(once.data);
        CHECK(has_no_more_of(&twice, files[i]));
        syc_text_clear(&twice);
        syc_text_clear(&once);
    }
}

static void a_program_counts_the_lines_of_its_own_text(void)
{
    static const char source[] = "\n\nkernel void f(global int *x) { x[group_id(0)] = 1; }\n"
                                 "kernel void g(global int *x) { x[global_id(0)] = 1; }\n"
                                 "kernel void h(global int *x) { x[get_global_id(0)] = 1; }\n";
    syc_program *program = NULL;
    const syc_signatures *all;
    size_t length = 0;

    CHECK_OK(syc_program_create(source, sizeof source - 1, NULL, &program));
    all = syc_program_signatures(program);
    CHECK_EQUAL(all->count, 3);
    CHECK_EQUAL(all->items[0].line, 3);
    CHECK(all->items[0].shaped && !all->items[1].shaped && !all->items[2].shaped);
    CHECK(all->items[0].bounded && all->items[0].weight > all->items[2].weight);
    CHECK_STRING(syc_program_source(program, NULL), source);
    CHECK(strcmp(strstr(syc_program_prelude(program, &length), "#line 1 \"kernel.cl\""), "#line 1 \"kernel.cl\"\n") ==
          0);
    CHECK_EQUAL(length, strlen(syc_program_prelude(program, NULL)));
    syc_program_release(program);
}

/* The library's overloads for double do not make a kernel need it. */
static void only_the_users_own_text_needs_double(void)
{
    static const char front[] = "static double half_of(double x) { return x / 2; }\n"
                                "static float half_of(float x) { return x / 2; }\n";
    static const char plain[] = "kernel void f(global float *x) { x[0] = half_of(x[1]); }",
                      needy[] = "kernel void f(global float *x) { x[0] = half_of((double)x[1]); }";
    syc_signatures read = {0};

    CHECK_OK(syc__signatures_parse_behind(
        &(syc__signed_text){
            .front = front, .front_length = sizeof front - 1, .source = plain, .length = sizeof plain - 1},
        &read));
    CHECK(read.count == 1 && !read.items[0].needs_fp64);
    syc_signatures_clear(&read);
    CHECK_OK(syc__signatures_parse_behind(
        &(syc__signed_text){
            .front = front, .front_length = sizeof front - 1, .source = needy, .length = sizeof needy - 1},
        &read));
    CHECK(read.count == 1 && read.items[0].needs_fp64);
    syc_signatures_clear(&read);
}

int main(void)
{
    RUN(a_text_that_uses_nothing_gets_nothing);
    RUN(a_name_brings_its_text_and_what_that_needs);
    RUN(a_rivals_word_makes_all_names_the_rivals);
    RUN(some_names_need_another_word_beside_them);
    RUN(some_names_stand_over_macros);
    RUN(what_the_text_has_itself_stays_its_own);
    RUN(a_type_is_used_where_it_declares);
    RUN(known_dimensions_are_a_constant);
    RUN(macros_are_used_anywhere_but_where_they_are_defined);
    RUN(another_name_of_the_same_text_still_comes);
    RUN(every_text_has_the_names_of_its_row);
    RUN(a_program_counts_the_lines_of_its_own_text);
    RUN(only_the_users_own_text_needs_double);
    return CHECK_EXIT_CODE;
}
