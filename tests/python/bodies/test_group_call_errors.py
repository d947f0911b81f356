"""What compilers find wrong in calls of the device library's functions is told at the user's own line, by the call's name,
without macros. What the core finds by itself is in tests/c/library/test_group_calls.c, and the words for each of the compilers'
messages are in tests/c/program/test_build_log.c: here a few of each kind go through the driver's own compiler."""

import re

import numpy as np
import pytest

import pysycl as sycl

TEXT = """typedef struct { int key; float value; } pair;
int odd(int x) { return x & 1; }
void nothing(int x) {}
#define MINE(x) group_any_of(work_group, x)
int helper(int k, pair st, __global int *v, const __global int *c) {
    int e = 0;
    %s; return e; }
__kernel void run(__global int *v, const __global int *c) {
    pair st = {1, 2};
    v[0] = helper(v[0], st, v, c);
}
"""
WRONG = [
    ("e = group_any_of(work_group, st)", "e = ", "group_any_of: a number belongs where a value of type 'pair' stands"),
    ("e = MINE(st)", "e = ", "group_any_of: a number belongs where a value of type 'pair' stands"),
    ("e = group_none_of(work_group, k, nope)", "e = group_none_of(work_group, k, ", "group_none_of: 'nope' is not "
     "declared"),
    ("e = joint_any_of(work_group, v, v + 3, plus)", "e = joint_any_of(work_group, v, v + 3, ", "joint_any_of: 'plus' is an "
     "operator, which is no value and no function"),
    ("e = group_reduce(work_group, plus, plus)", "e = group_reduce(work_group, ", "group_reduce: 'plus' is an operator, "
     "which is no value and no function"),
    ("e = group_reduce(work_group, nothing(k), plus)", "e = ", "group_reduce: an argument is of type 'void', and a value "
     "belongs there"),
    ("e = group_broadcast(work_group, k, v)", "e = ", "group_broadcast: a number belongs where a value of type "
     "'__global int *' stands"),
    ("joint_fill(work_group, st, v, 1)", "", "joint_fill: a pointer belongs where a value of type 'pair' stands"),
    ("joint_copy(work_group, v, v + 3, c)", "", "joint_copy: what is written there is const"),
    ("e = work_group_reduce_add(st)", "e = ", "work_group_reduce_add: plus takes numbers and vectors of numbers, for other "
     "types there is sycl.BinaryOp"),
    ("e = reduce(work_group, k, plus)", "e = ", "no function or macro 'reduce' is known: did you mean group_reduce, "
     "joint_reduce or sub_group_reduce?"),
    ("atomic_store(v, v)", "", "atomic_store: a number belongs where a value of type '__global int *' stands"),
    ("atomic_load(nope)", "atomic_load(", "atomic_load: 'nope' is not declared"),
    ("atomic_fetch_add(v, 1, memory_scope_device)", "", "atomic_fetch_add: 'memory_scope_device' is a scope, and argument 3 "
     "is the order: the scope is argument 4"),
]  # fmt: skip


@pytest.mark.parametrize(("call", "before", "message"), WRONG)
def test_the_call_is_named_at_the_users_line(queue: sycl.Queue, call: str, before: str, message: str) -> None:
    with pytest.raises(sycl.BuildError) as error:
        sycl.Program(TEXT % call).build(queue.context)
    said = re.sub(r" \(built for .*\)$", "", str(error.value), flags=re.MULTILINE).splitlines()
    assert said[0] == f"kernel.cl:7:{5 + len(before)}: {message}"
    assert said[1:] == [f"    7 |     {call}; return e; }}", "      |     " + " " * len(before) + "^"]


def test_of_two_calls_in_a_line_the_wrong_one_is_named(queue: sycl.Queue) -> None:
    text = "int k = 0;\nx[i] = group_reduce(work_group, x[i], plus) + group_any_of(work_group, s[k]);"
    with pytest.raises(sycl.BuildError) as error:
        queue.parallel_for(sycl.NdRange(4, 4), text, x=np.zeros(4, "i4"), s=np.zeros(1, [("k", "i4"), ("v", "f4")]))
    assert str(error.value).startswith("body:2:47: group_any_of: a number belongs where a value of type '")
    assert "log" not in str(error.value)
