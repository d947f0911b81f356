/* Calls of group functions that are wrong as far as words go, and all that must pass. */
#include "library/checks/group_calls.h"

#include "base/alloc.h"
#include "check.h"
#include "source/lexer.h"

static const char *const functions[] = {
    "group_reduce", "group_inclusive_scan", "group_broadcast",          "shift_group_left", "group_leader",
    "joint_sort",   "sub_group_reduce",     "sub_group_inclusive_scan", "sub_group_shuffle"};
static const char *const overrides[] = {"atomic_load", "atomic_fetch_add", "atomic_compare_exchange_weak",
                                        "atomic_fence"};

static void says(const char *source, const char *message, size_t line, size_t column)
{
    const syc__library_use use = {.functions = functions,
                                  .function_count = sizeof functions / sizeof *functions,
                                  .overrides = overrides,
                                  .override_count = sizeof overrides / sizeof *overrides};
    syc_arena arena = {0};
    syc_tokens tokens = {0};
    syc_refusal refusal = {0};
    CHECK_OK(syc__lex(&arena, source, strlen(source), &tokens));
    CHECK_OK(syc__group_calls_check(
        &arena,
        &(syc__calls_source){.tokens = &tokens,
                             .use = &use,
                             .options = "-DTHEIRS=plus",
                             .prelude = "#define SYC_OP_closest(a, b) ((a))\n#define SYC_OP_maximum(a, "
                                        "b) ((a))\n#define SYC_OP_less(a, b) ((a))\n"},
        &refusal));
    CHECK_STRING(refusal.message != NULL ? refusal.message : "", message);
    CHECK_EQUAL(refusal.line, line);
    CHECK_EQUAL(refusal.column, column);
    syc_free(refusal.message);
    syc__arena_clear(&arena);
}

static void what_is_right_passes(void)
{
    static const char *const right[] = {
        "",
        "group_reduce(work_group, x[i], plus)",
        "group_reduce(sub_group, f(x, (y, z)[1]), (int2){1, 2}, bit_xor)",
        "group_inclusive_scan(work_group, x, plus, 3)",
        "group_reduce(work_group, x, closest)",
        "shift_group_left(sub_group, x)",
        "group_leader(work_group)",
        "group_broadcast(sub_group, x, 1) + group_broadcast(work_group, x, 1, 2, 3)",
        "sub_group_reduce(x, 1, plus) + sub_group_reduce(own, closest) + sub_group_inclusive_scan(x, plus, 1)",
        "joint_sort(work_group, p, p + n) + joint_sort(sub_group, p, p + n, less) + joint_sort(work_group, p, q, "
        "closest)",
        /* not the library's, or not a call */
        "s.group_reduce(1) + group_all_of(1, 2, 3) + (group_reduce)",
        /* macros may be anything */
        "#define G work_group\n#define OP plus\n#define MINE(a, b) a\nf(group_reduce(G, x, OP), group_reduce(G, x, "
        "THEIRS), group_reduce(work_group, x, MINE(plus, 1)))",
        "#define SYC_OP_other(a, b) ((a))\ngroup_reduce(work_group, x, other)",
        "#define SUM(g, x) group_reduce(g, x, what)\nSUM(work_group, 1)",
        /* the compiler sees another branch */
        "#if 0\ngroup_reduce(1)\n#endif\n",
        "#ifdef A\n#if B\n#endif\ngroup_reduce(1)\n#endif\n",
        /* a variable by that word, and orders that are no words */
        "void f(int sub_group) { sub_group_shuffle(sub_group, 1); }",
        "int n = 1, *work_group; sub_group_reduce(work_group, plus);",
        "atomic_load(p) + atomic_load(p, 1) + atomic_load(p, o, memory_scope_device) + atomic_store(1)",
        "atomic_compare_exchange_weak(p, &e, 1, memory_order_acquire, memory_order_relaxed, memory_scope_device)",
        "#define memory_scope_mine memory_order_relaxed\natomic_load(p, memory_scope_mine)",
        /* nor whole ones */
        "group_reduce(",
        "group_reduce(work_group, (x, plus)",
        "group_reduce(work_group, x]",
    };
    for (size_t i = 0; i < sizeof right / sizeof *right; i++)
        says(right[i], "", 0, 0);
}

static void wrong_calls_are_named(void)
{
    says("kernel void k()\n{\n  x = group_reduce(work_group, x);\n}",
         "group_reduce takes (group, x, op) or (group, x, init, op), and 2 arguments are given", 3, 7);
    says("group_reduce(work_group, 1, 2, plus, 3)",
         "group_reduce takes (group, x, op) or (group, x, init, op), and 5 arguments are given", 1, 1);
    says("group_leader()", "group_leader takes (group), and 0 arguments are given", 1, 1);
    says("group_leader(1, 2, 3, 4, 5, 6, 7, 8)", "group_leader takes (group), and 8 arguments are given", 1, 1);
    says("shift_group_left(sub_group)",
         "shift_group_left takes (sub_group, x) or (sub_group, x, delta), and 1 argument is given", 1, 1);
    says("group_broadcast(item.group, 1)", "group_broadcast: 'item.group' is no group: work_group and sub_group are", 1,
         1);
    says("shift_group_left(work_group, 1)", "shift_group_left is for sub_group only, and not for 'work_group'", 1, 1);
    says("group_reduce(work_group, x, sum)",
         "group_reduce: 'sum' is no operator: plus, multiplies, minimum, maximum, bit_and, bit_or, bit_xor, "
         "logical_and, logical_or are, and a sycl.BinaryOp by the name that it is given by",
         1, 1);
    says("group_broadcast(sub_group, x, 1, 2)",
         "group_broadcast: an item of a sub_group has an id of one number, and 2 are given", 1, 1);
    says("sub_group_reduce(x)", "sub_group_reduce takes (x, op) or (x, init, op), and 1 argument is given", 1, 1);
    says("sub_group_inclusive_scan(x, 1, plus)",
         "sub_group_inclusive_scan: '1' is no operator: plus, multiplies, minimum, maximum, bit_and, bit_or, bit_xor, "
         "logical_and, logical_or are, and a sycl.BinaryOp by the name that it is given by",
         1, 1);
    says("joint_sort(work_group, p, q, maximum)",
         "joint_sort: 'maximum' tells no order: less, greater, cless, cgreater do, and a sycl.BinaryOp by the name "
         "that it is given by",
         1, 1);
    says("group_reduce(work_group, x, less)",
         "group_reduce: 'less' is no operator: plus, multiplies, minimum, maximum, bit_and, bit_or, bit_xor, "
         "logical_and, logical_or are, and a sycl.BinaryOp by the name that it is given by",
         1, 1);
    says("group_inclusive_scan(work_group, x, 0, plus)",
         "group_inclusive_scan: '0' is no operator: plus, multiplies, minimum, maximum, bit_and, bit_or, bit_xor, "
         "logical_and, logical_or are, and a sycl.BinaryOp by the name that it is given by",
         1, 1);
    says("sub_group_reduce(sub_group, x, plus)",
         "sub_group_reduce takes (x, op) or (x, init, op), and no group: 'sub_group' is given", 1, 1);
    says("sub_group_shuffle(x)", "sub_group_shuffle takes (x, id), and 1 argument is given", 1, 1);
    says("return atomic_fence(work_group, 1);",
         "atomic_fence takes (order, scope), and no group: 'work_group' is given", 1, 8);
    says("atomic_load(p, o, s, 1)",
         "atomic_load takes (ref), (ref, order) or (ref, order, scope), and 4 arguments are given", 1, 1);
    says("atomic_fetch_add(p, 1, memory_scope_device)",
         "atomic_fetch_add: 'memory_scope_device' is a scope, and argument 3 is the order: the scope is argument 4", 1,
         1);
    says("atomic_fetch_add(p, 1, memory_order_relaxed, memory_order_relaxed)",
         "atomic_fetch_add: 'memory_order_relaxed' is an order, and argument 4 is the scope", 1, 1);
    says("atomic_compare_exchange_weak(p, &e, 1, memory_order_acquire, memory_scope_device)",
         "atomic_compare_exchange_weak: 'memory_scope_device' is a scope, and argument 5 is the order of failure: the "
         "scope is argument 6",
         1, 1);
    /* the first one only, behind what is not looked at */
    says("#if A\n#endif\ngroup_leader(); group_leader(1, 2);", "group_leader takes (group), and 0 arguments are given",
         3, 1);
}

int main(void)
{
    RUN(what_is_right_passes);
    RUN(wrong_calls_are_named);
    return CHECK_EXIT_CODE;
}
