/* Texts under PYSYCL_DEBUG=collectives: which are checked, and that none is too odd to be read. */
#include "library/checks/converge.h"
#include "program/program.h"

#include "check.h"

#include <string.h>

static void is_made(const char *source, bool checked)
{
    syc_program *program = NULL;
    CHECK_OK(syc_program_create(source, strlen(source), NULL, &program));
    if (syc_program_signatures(program)->count > 0)
        CHECK_EQUAL(syc_program_checks(program, 0), checked);
    syc_program_release(program);
}

static void texts(void)
{
    is_made("__kernel void k(__global int *x) { if (x[0]) barrier(1); }", true);
    is_made("__kernel void k() { for (;;) { if (get_local_id(0)) break; barrier(1); } }", true);
    is_made("__kernel void k(void) { do { if (1) { return; } else continue; } while (group_any_of(work_group, 1)); }",
            true);
    is_made("int f(int a) { if (a) return 1; return group_broadcast(work_group, a, 1, 2); }\n"
            "__kernel void k(__global int *x) { switch (f(1)) { case 1 ? 2 : 3: x[0] = f(2) && f(3); default:; } }",
            true);
    is_made("__kernel void k(__global int *x) { x[0] = 1; }", false);
    is_made("__kernel void k(__global int *x) { goto end; end: barrier(1); }", false);
    is_made("#define STOP return\n__kernel void k(__global int *x) { if (x[0]) STOP; barrier(1); }", false);
}

static void odd_texts(void)
{
    static const char *const odd[] = {
        "__kernel void k() { if",
        "__kernel void k() { if (barrier(1)",
        "__kernel void k() { for (;) barrier(1); }",
        "__kernel void k() { do barrier(1); }",
        "__kernel void k() { else barrier(1); case }",
        "__kernel void k() { barrier( }",
        "__kernel void k() { ) barrier(1); ( }",
        "__kernel void k() { x ? barrier(1",
        "__kernel void k() {\n#if A\n if (1) {\n#else\n if (2) {\n#endif\n barrier(1); } }",
        "__kernel void k() { while barrier(1); switch; if (1) return barrier(1); && || ? : group_reduce() }",
        "barrier",
        "#define barrier(x) if (x) barrier(x)\n__kernel void k() { barrier(1); }",
    };
    for (size_t i = 0; i < sizeof odd / sizeof *odd; i++) {
        syc_program *program = NULL;
        if (syc_program_create(odd[i], strlen(odd[i]), NULL, &program) == SYC_OK)
            syc_program_release(program);
    }
}

int main(void)
{
    syc_collectives_check(true);
    RUN(texts);
    RUN(odd_texts);
    return CHECK_EXIT_CODE;
}
