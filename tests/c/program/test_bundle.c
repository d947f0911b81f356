/* Programs of other origins than one text: variants by constants, compiled parts and what is linked of them, binaries,
 * SPIR-V, built-in kernels. */
#include "scene.h"

#include "program/binary.h"
#include "program/link.h"
#include "program/specialise.h"

#include <pthread.h>

static const char caller[] = "kernel void bump(global uint *y, uint n) { for (;;) helper(); }\n",
                  called[] = "uint helper(void) { return 1; }\nkernel void fill_ids(global uint *out) { for (;;); }\n";

static syc_program *program_of(const char *source)
{
    syc_program *made = NULL;
    CHECK_OK(syc_program_create(source, strlen(source), NULL, &made));
    return made;
}

static syc_program *object_of(const char *source)
{
    syc_program *made = program_of(source), *object = NULL;
    CHECK_OK(syc_program_object(made, &object));
    syc_program_release(made);
    return object;
}

/* -- constants -- */

static const syc_constant step_1 = {"step", 7, "#define SPEC_step 1\n"}, step_2 = {"step", 7, "#define SPEC_step 2\n"},
                          other = {"other", 8, "#define SPEC_other 5\n"};
static const char special[] = "kernel void bump(global uint *y, uint n) { y[0] += SPEC(step) + SPEC(other); }\n";

static syc_program *special_program(void)
{
    const syc_constant constants[] = {step_1, other};
    syc_program *made = NULL;
    CHECK_OK(syc_program_create_with(special, sizeof special - 1, NULL, constants, 2, &made));
    return made;
}

static void a_set_of_values_is_one_program(void)
{
    syc_program *base, *same = NULL, *two = NULL, *again = NULL, *back = NULL;
    const syc_constant *constants;
    size_t count, length;

    open_scene();
    base = special_program();
    constants = syc_program_constants(base, &count);
    CHECK(count == 2 && constants[1].id == 8);
    CHECK_STRING(constants[0].name, "step");
    CHECK_OK(syc_program_specialise(base, &step_1, 1, &same));
    CHECK(same == base);
    CHECK_OK(syc_program_specialise(base, &step_2, 1, &two));
    CHECK(two != base);
    CHECK_OK(syc_program_specialise(base, &step_2, 1, &again));
    CHECK(again == two);
    CHECK(strstr(syc_program_prelude(two, &length), "#define SPEC_step 2\n") != NULL);
    CHECK(strstr(syc_program_prelude(two, &length), "#define SPEC_other 5\n") != NULL);
    CHECK_OK(syc_program_specialise(two, &step_1, 1, &back));
    CHECK(back != two && strcmp(syc_program_prelude(back, NULL), syc_program_prelude(base, NULL)) == 0);
    CHECK_EQUAL(syc_program_signatures(two)->items[0].line, 1);
    CHECK_STATUS(syc_program_specialise(program, &step_2, 1, &again), SYC_E_INVALID_OBJECT);
    CHECK_STRING(syc_detail_of(SYC_E_INVALID_OBJECT).message, "the program has no specialization constant 'step'");
    syc_program_release(same);
    syc_program_release(again);
    syc_program_release(back);
    syc_program_release(base);
    CHECK_STRING(syc_program_constants(two, &count)[0].text, "#define SPEC_step 2\n"); /* it lives by itself */
    syc_program_release(two);
    close_scene();
}

static syc_program *variant(syc_program *base, int value)
{
    char text[40];
    syc_program *made = NULL;
    snprintf(text, sizeof text, "#define SPEC_step %d\n", value);
    CHECK_OK(syc_program_specialise(base, &(syc_constant){"step", 7, text}, 1, &made));
    return made;
}

static void variants_are_bounded_and_the_latest_stay(void)
{
    syc_program *base, *first, *again;
    open_scene();
    base = special_program();
    first = variant(base, 100);
    for (int value = 2; value < 90; value++) {
        syc_program_release(variant(base, value));
        again = variant(base, 100); /* used all the time */
        CHECK(again == first);
        syc_program_release(again);
    }
    CHECK_EQUAL(syc_live_count(SYC_LIVE_PROGRAM), 2 + 32);
    syc_program_release(first);
    syc_program_release(base);
    CHECK_EQUAL(syc_live_count(SYC_LIVE_PROGRAM), 1);
    close_scene();
}

static void *specialise_many(void *base)
{
    for (int i = 0; i < 300; i++)
        syc_program_release(variant(base, i % 40));
    return NULL;
}

static void threads_specialise(void)
{
    pthread_t threads[4];
    syc_program *base;
    open_scene();
    base = special_program();
    for (int t = 0; t < 4; t++)
        CHECK_EQUAL(pthread_create(&threads[t], NULL, specialise_many, base), 0);
    for (int t = 0; t < 4; t++)
        pthread_join(threads[t], NULL);
    CHECK_EQUAL(syc_live_count(SYC_LIVE_PROGRAM), 2 + 32);
    syc_program_release(base);
    close_scene();
}

static void constants_without_memory(void)
{
    syc_program *made = NULL, *two = NULL;
    const syc_constant constants[] = {step_1, other};
    syc_status status;

    open_scene();
    for (long n = 1;; n++) {
        syc_alloc_fail_at(n);
        status = syc_program_create_with(special, sizeof special - 1, NULL, constants, 2, &made);
        if (status == SYC_OK)
            status = syc_program_specialise(made, &step_2, 1, &two);
        syc_alloc_fail_at(0);
        if (status == SYC_OK)
            break;
        CHECK_EQUAL(status, SYC_E_MEMORY_ALLOCATION);
        syc_program_release(made);
        made = NULL;
        CHECK_EQUAL(syc_live_count(SYC_LIVE_PROGRAM), 1);
    }
    syc_program_release(two);
    syc_program_release(made);
    close_scene();
}

/* -- linking -- */

static void parts_are_linked(void)
{
    syc_program *parts[2], *linked = NULL;
    const syc_signature *kernel;
    syc_build *build = NULL;

    open_scene();
    parts[0] = object_of(caller);
    parts[1] = object_of(called);
    CHECK(syc_program_is_object(parts[0]));
    CHECK_OK(syc_program_link(parts, 2, NULL, &linked));
    CHECK_STRING(syc_program_made_of(linked), "objects");
    CHECK_EQUAL(syc_program_signatures(linked)->count, 2);
    kernel = syc_signatures_find(syc_program_signatures(linked), "bump");
    CHECK(kernel != NULL && kernel->count == 2 && !kernel->bounded && kernel->shaped);
    syc_program_release(parts[0]);
    syc_program_release(parts[1]); /* the linked one holds them */
    CHECK_OK(syc_program_build(linked, context, &build));
    CHECK_EQUAL(fake_live("program"), 3);
    CHECK_OK(syc_program_build(linked, context, &build));
    CHECK_EQUAL(fake_live("program"), 3);
    syc_program_release(linked);
    CHECK_EQUAL(fake_live("program"), 0);
    close_scene();
}

static void what_does_not_link(void)
{
    syc_program *parts[2], *linked = NULL, *twin;
    syc_build *build = NULL;

    open_scene();
    parts[0] = object_of("kernel void bump(global uint *y, uint n) { unresolved(); }");
    CHECK_OK(syc_program_link(parts, 1, NULL, &linked));
    for (int i = 0; i < 2; i++) { /* remembered */
        CHECK_STATUS(syc_program_build(linked, context, &build), SYC_E_LINK_PROGRAM);
        CHECK(strstr(syc_detail_of(SYC_E_LINK_PROGRAM).message, "undefined symbol: unresolved") != NULL);
    }
    syc_program_release(linked);
    parts[1] = object_of(caller);
    CHECK_STATUS(syc_program_link(parts, 2, NULL, &linked), SYC_E_INVALID_PARAMETER);
    CHECK_STRING(syc_detail_of(SYC_E_INVALID_PARAMETER).message,
                 "programs 1 and 2 of those to link both define a kernel 'bump'");
    twin = program_of(caller);
    CHECK_STATUS(syc_program_link(&twin, 1, NULL, &linked), SYC_E_LINK_PROGRAM);
    CHECK_STRING(syc_detail_of(SYC_E_LINK_PROGRAM).message, "program 1 of those to link is not compiled");
    syc_program_release(twin);
    syc_program_release(parts[0]);
    syc_program_release(parts[1]);
    close_scene();
}

/* A helper that hands down local memory has a parameter that another text's prototype does not know of. */
static void helpers_with_hidden_memory_are_called_in_their_own_text(void)
{
    static const char helper[] =
        "\nuint total(uint x) { return group_reduce(work_group, x, plus); }\nuint twice(uint x) "
        "{ return 2 * x; }\nkernel void fill_ids(global uint *out) { out[0] = total(1); }\n";
    static const char *const fine[] = {
        "uint twice(uint x);\nkernel void bump(global uint *y, uint n) { y[0] = twice(n); }\n",
        "static uint total(uint x);\nkernel void bump(global uint *y, uint n) { y[0] = total(n); }\n"
        "static uint total(uint x) { return x; }\n",
        "kernel void bump(global uint *y, uint n) { uint total = n; y[0] = (total); }\n",
    };
    syc_program *parts[2], *linked = NULL;

    open_scene();
    parts[1] = object_of(helper);
    parts[0] = object_of("int a;\nuint twice(uint x), total(uint x);\nkernel void bump(global uint *y, uint n)"
                         "{ y[0] = total(n); }\n");
    CHECK_STATUS(syc_program_link(parts, 2, NULL, &linked), SYC_E_LINK_PROGRAM);
    CHECK_STRING(
        syc_detail_of(SYC_E_LINK_PROGRAM).message,
        "function 'total' in line 2 of program 2 uses group functions, whose local memory its kernel hands down, "
        "so program 1, which declares it in line 2, cannot call it: define it there as well, and make it static "
        "in both");
    syc_program_release(parts[0]);
    for (size_t i = 0; i < sizeof fine / sizeof *fine; i++) {
        parts[0] = object_of(fine[i]);
        CHECK_OK(syc_program_link(parts, 2, NULL, &linked));
        syc_program_release(linked);
        syc_program_release(parts[0]);
    }
    syc_program_release(parts[1]);
    close_scene();
}

static void a_part_that_does_not_compile_fails_the_link(void)
{
    syc_program *part, *linked = NULL;
    syc_build *build = NULL;
    open_scene();
    part = object_of("kernel void bump(global uint *y, uint n) { }\n#error broken\n");
    CHECK_OK(syc_program_link(&part, 1, NULL, &linked));
    CHECK_STATUS(syc_program_build(linked, context, &build), SYC_E_COMPILE_PROGRAM);
    CHECK_STRING(syc_detail_of(SYC_E_COMPILE_PROGRAM).api, "clCompileProgram");
    syc_program_release(part);
    syc_program_release(linked);
    close_scene();
}

/* -- binaries -- */

static char *binary_of(syc_program *made, size_t *size)
{
    syc_build *build = NULL;
    char *data = NULL;
    CHECK_OK(syc_program_build(made, context, &build));
    CHECK_OK(syc_build_binary(build, device, &data, size));
    return data;
}

static void a_binary_comes_back(void)
{
    syc_program *made, *again = NULL, *declared = NULL, *object = NULL;
    syc_context *elsewhere = NULL;
    syc_build *build = NULL;
    char *data, *declarations = NULL;
    size_t size = 0;

    open_scene();
    made = program_of(caller);
    data = binary_of(made, &size);
    CHECK_OK(syc_program_declarations(made, &declarations));
    CHECK_STRING(declarations, "__kernel void bump(__global uint *y, uint n) { }\n");
    CHECK_OK(syc_program_from_binary(context, data, size, declarations, &declared));
    CHECK_OK(syc_program_from_binary(context, data, size, NULL, &again));
    CHECK_STRING(syc_program_made_of(again), "binary");
    CHECK(syc_program_home(again) == context && syc_program_home(made) == NULL);
    CHECK_EQUAL(syc_program_signatures(again)->count, 1);
    CHECK_STRING(syc_program_signatures(again)->items[0].params[0].text, "__global uint* a0");
    CHECK(!syc_program_signatures(declared)->items[0].bounded); /* whatever the declaration says */
    CHECK(syc_program_is_built(again, context));
    CHECK_OK(syc_context_create(&device, 1, &elsewhere));
    CHECK_STATUS(syc_program_build(again, elsewhere, &build), SYC_E_INVALID_OBJECT);
    syc_context_release(elsewhere);
    CHECK_STATUS(syc_program_object(again, &object), SYC_E_COMPILE_PROGRAM);
    CHECK_STATUS(syc_program_from_binary(context, "nonsense", 8, NULL, &object), SYC_E_INVALID_OBJECT);
    CHECK(strstr(syc_detail_of(SYC_E_INVALID_OBJECT).message, "takes no such binary: clCreateProgramWithBinary") !=
          NULL);
    syc_free(data);
    syc_free(declarations);
    syc_program_release(made);
    syc_program_release(again);
    syc_program_release(declared);
    CHECK_EQUAL(fake_live("program"), 0);
    close_scene();
}

static void a_compiled_binary_is_a_part(void)
{
    syc_program *object, *parts[2], *linked = NULL;
    syc_build *build = NULL;
    size_t size = 0;
    char *data;

    open_scene();
    object = object_of(called);
    data = binary_of(object, &size);
    CHECK_OK(syc_program_from_binary(context, data, size, NULL, &parts[0]));
    CHECK(syc_program_is_object(parts[0]));
    CHECK_EQUAL(syc_program_signatures(parts[0])->count, 0);
    parts[1] = object_of(caller);
    CHECK_OK(syc_program_link(parts, 2, NULL, &linked));
    CHECK(syc_program_home(linked) == context);
    CHECK_OK(syc_program_build(linked, context, &build));
    syc_free(data);
    syc_program_release(object);
    syc_program_release(parts[0]);
    syc_program_release(parts[1]);
    syc_program_release(linked);
    close_scene();
}

static void spirv_and_built_in_kernels(void)
{
    static const char il[] = "\x03\x02\x23\x07kernel void bump(global uint *y, uint n) { }";
    syc_program *made = NULL, *object = NULL;
    syc_build *build = NULL;

    open_scene();
    CHECK_OK(syc_program_from_il(context, il, sizeof il - 1, NULL, &made));
    CHECK_STRING(syc_program_made_of(made), "il");
    CHECK_OK(syc_program_object(made, &object)); /* compiled only, from the same SPIR-V */
    CHECK_OK(syc_program_build(object, context, &build));
    syc_program_release(object);
    syc_program_release(made);
    CHECK_OK(syc_program_from_built_in(context, "bump", NULL, &made));
    CHECK_STRING(syc_program_made_of(made), "built_in");
    CHECK_EQUAL(syc_program_signatures(made)->items[0].count, 2);
    syc_program_release(made);
    CHECK_STATUS(syc_program_from_built_in(context, "churn", NULL, &made), SYC_E_INVALID_OBJECT);
    CHECK_EQUAL(fake_live("program"), 0);
    close_scene();
}

int main(void)
{
    FIND_FAKE_DRIVER;
    CHILD(SHARING, a_set_of_values_is_one_program);
    CHILD(SHARING, variants_are_bounded_and_the_latest_stay);
    CHILD(SHARING, threads_specialise);
    CHILD(SHARING, constants_without_memory);
    CHILD(SHARING, parts_are_linked);
    CHILD(SHARING, what_does_not_link);
    CHILD(SHARING, helpers_with_hidden_memory_are_called_in_their_own_text);
    CHILD(SHARING, a_part_that_does_not_compile_fails_the_link);
    CHILD(SHARING, a_binary_comes_back);
    CHILD(SHARING, a_compiled_binary_is_a_part);
    CHILD(SHARING "FAKE_BUILT_IN=bump;", spirv_and_built_in_kernels);
    return CHECK_EXIT_CODE;
}
