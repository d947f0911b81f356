/* The functions' forms as a table. */
#include "library/call_forms.h"

#include <stddef.h>

/* OpenCL C's own collective functions of a group, where the library has them. */
#define OF_VALUE(name)                    \
    {                                     \
        name, "(x)", 1, 1, SYC__NO_GROUP, \
        {                                 \
            0                             \
        }                                 \
    }
#define OF_OPENCL(group)                                                                                              \
    OF_VALUE(#group "_all"), OF_VALUE(#group "_any"), OF_VALUE(#group "_reduce_add"), OF_VALUE(#group "_reduce_min"), \
        OF_VALUE(#group "_reduce_max"), OF_VALUE(#group "_scan_inclusive_add"),                                       \
        OF_VALUE(#group "_scan_inclusive_min"), OF_VALUE(#group "_scan_inclusive_max"),                               \
        OF_VALUE(#group "_scan_exclusive_add"), OF_VALUE(#group "_scan_exclusive_min"),                               \
        OF_VALUE(#group "_scan_exclusive_max")
#define OF_COUNTER(name, counter)                        \
    {                                                    \
        name, "(key, " counter ")", 2, 2, SYC__NO_GROUP, \
        {                                                \
            0                                            \
        }                                                \
    }
#define ORDERED(order, orders, scope)                                      \
    {                                                                      \
        [SYC__ORDER] = order, [SYC__ORDERS] = orders, [SYC__SCOPE] = scope \
    }
#define ATOMIC(name)                                                                                       \
    {                                                                                                      \
        name, "(ref, x), (ref, x, order) or (ref, x, order, scope)", 2, 4, SYC__NO_GROUP, ORDERED(3, 1, 4) \
    }
#define EXCHANGE(name)                                                                                               \
    {                                                                                                                \
        name, "(ref, expected, x), and behind that an order, or an order of success, one of failure and a scope", 3, \
            6, SYC__NO_GROUP, ORDERED(4, 2, 6)                                                                       \
    }

const struct syc__call_form syc__call_forms[] = {
    {"group_barrier", "(group) or (group, scope)", 1, 2, SYC__ANY_GROUP, {0}},
    {"group_leader", "(group)", 1, 1, SYC__ANY_GROUP, {0}},
    {"group_broadcast", "(group, x) or (group, x, id), with an id of one to three numbers", 2, 5, SYC__ANY_GROUP, {0}},
    {"group_any_of", "(group, condition) or (group, x, predicate)", 2, 3, SYC__ANY_GROUP, {0}},
    {"group_all_of", "(group, condition) or (group, x, predicate)", 2, 3, SYC__ANY_GROUP, {0}},
    {"group_none_of", "(group, condition) or (group, x, predicate)", 2, 3, SYC__ANY_GROUP, {0}},
    {"group_reduce", "(group, x, op) or (group, x, init, op)", 3, 4, SYC__ANY_GROUP, {[3] = 2, [4] = 3}},
    {"group_exclusive_scan", "(group, x, op) or (group, x, init, op)", 3, 4, SYC__ANY_GROUP, {[3] = 2, [4] = 3}},
    {"group_inclusive_scan", "(group, x, op) or (group, x, op, init)", 3, 4, SYC__ANY_GROUP, {[3] = 2, [4] = 2}},
    {"joint_reduce",
     "(group, first, last, op) or (group, first, last, init, op)",
     4,
     5,
     SYC__ANY_GROUP,
     {[4] = 3, [5] = 4}},
    {"joint_exclusive_scan",
     "(group, first, last, out, op) or (group, first, last, out, init, op)",
     5,
     6,
     SYC__ANY_GROUP,
     {[5] = 4, [6] = 5}},
    {"joint_inclusive_scan",
     "(group, first, last, out, op) or (group, first, last, out, op, init)",
     5,
     6,
     SYC__ANY_GROUP,
     {[5] = 4, [6] = 4}},
    {"joint_any_of", "(group, first, last, predicate)", 4, 4, SYC__ANY_GROUP, {0}},
    {"joint_all_of", "(group, first, last, predicate)", 4, 4, SYC__ANY_GROUP, {0}},
    {"joint_none_of", "(group, first, last, predicate)", 4, 4, SYC__ANY_GROUP, {0}},
    {"joint_copy", "(group, first, last, out)", 4, 4, SYC__ANY_GROUP, {0}},
    {"joint_fill", "(group, first, last, value)", 4, 4, SYC__ANY_GROUP, {0}},
    {"joint_sort",
     "(group, first, last) or (group, first, last, compare)",
     3,
     4,
     SYC__ANY_GROUP,
     {[4] = SYC__TELLS_ORDER | 3}},
    {"joint_sort_by_key",
     "(group, first, last, values) or (group, first, last, values, compare)",
     4,
     5,
     SYC__ANY_GROUP,
     {[5] = SYC__TELLS_ORDER | 4}},
    {"sort_over_group", "(group, x) or (group, x, compare)", 2, 3, SYC__ANY_GROUP, {[3] = SYC__TELLS_ORDER | 2}},
    {"execution_group", "(group)", 1, 1, SYC__ANY_GROUP, {0}},
    {"shift_group_left", "(sub_group, x) or (sub_group, x, delta)", 2, 3, SYC__SUB_GROUPS, {0}},
    {"shift_group_right", "(sub_group, x) or (sub_group, x, delta)", 2, 3, SYC__SUB_GROUPS, {0}},
    {"permute_group_by_xor", "(sub_group, x, mask)", 3, 3, SYC__SUB_GROUPS, {0}},
    {"select_from_group", "(sub_group, x, id)", 3, 3, SYC__SUB_GROUPS, {0}},
    {"sub_group_reduce", "(x, op) or (x, init, op)", 2, 3, SYC__NO_GROUP, {[2] = 1, [3] = 2}},
    {"sub_group_exclusive_scan", "(x, op) or (x, init, op)", 2, 3, SYC__NO_GROUP, {[2] = 1, [3] = 2}},
    {"sub_group_inclusive_scan", "(x, op) or (x, op, init)", 2, 3, SYC__NO_GROUP, {[2] = 1, [3] = 1}},
    OF_OPENCL(work_group),
    OF_OPENCL(sub_group),
    {"work_group_broadcast", "(x, id), with an id of one to three numbers", 2, 4, SYC__NO_GROUP, {0}},
    {"sub_group_broadcast", "(x, id)", 2, 2, SYC__NO_GROUP, {0}},
    {"sub_group_shuffle", "(x, id)", 2, 2, SYC__NO_GROUP, {0}},
    {"sub_group_shuffle_xor", "(x, mask)", 2, 2, SYC__NO_GROUP, {0}},
    {"sub_group_shuffle_up", "(x, delta)", 2, 2, SYC__NO_GROUP, {0}},
    {"sub_group_shuffle_down", "(x, delta)", 2, 2, SYC__NO_GROUP, {0}},
    OF_COUNTER("random_bits", "i"),
    OF_COUNTER("random_uniform", "i"),
    OF_COUNTER("random_normal", "i"),
    OF_COUNTER("random_uniform_double", "i"),
    OF_COUNTER("random_normal_double", "i"),
    OF_COUNTER("random_bits4", "block"),
    OF_COUNTER("random_uniform4", "block"),
    OF_COUNTER("random_normal4", "block"),
    OF_COUNTER("random_uniform_double2", "block"),
    OF_COUNTER("random_normal_double2", "block"),
    {"random_integer", "(key, i, n)", 3, 3, SYC__NO_GROUP, {0}},
    {"random_philox", "(counter, key), a uint4 and a uint2", 2, 2, SYC__NO_GROUP, {0}},
    {"atomic_load", "(ref), (ref, order) or (ref, order, scope)", 1, 3, SYC__NO_GROUP, ORDERED(2, 1, 3)},
    ATOMIC("atomic_store"),
    ATOMIC("atomic_exchange"),
    ATOMIC("atomic_fetch_add"),
    ATOMIC("atomic_fetch_sub"),
    ATOMIC("atomic_fetch_min"),
    ATOMIC("atomic_fetch_max"),
    ATOMIC("atomic_fetch_and"),
    ATOMIC("atomic_fetch_or"),
    ATOMIC("atomic_fetch_xor"),
    ATOMIC("atomic_add_fetch"),
    ATOMIC("atomic_sub_fetch"),
    ATOMIC("atomic_and_fetch"),
    ATOMIC("atomic_or_fetch"),
    ATOMIC("atomic_xor_fetch"),
    EXCHANGE("atomic_compare_exchange_strong"),
    EXCHANGE("atomic_compare_exchange_weak"),
    {"atomic_fence", "(order, scope)", 2, 2, SYC__NO_GROUP, ORDERED(1, 1, 2)},
    {"atomic_is_lock_free", "(ref)", 1, 1, SYC__NO_GROUP, {0}},
    {"atomic_required_alignment", "(ref)", 1, 1, SYC__NO_GROUP, {0}},
    {0},
};
