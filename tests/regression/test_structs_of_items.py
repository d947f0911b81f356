"""Variables of structs that are there before a barrier and behind it: PoCL's compilers take those that are only copied
whole for one of all work-items (3.0: variables, 3.0 and 3.1: parameters of kernels), which the core keeps them from."""

import re

import numpy as np
import pytest

import pysycl as sycl

GROUP, N = 16, 64
PAIR = np.dtype([("a", "i4"), ("b", "f4"), ("c", "i8")])
# Each is the text of a kernel that copies v[i] to out[i], by way of a variable that lives across a barrier.
CASES = {
    "variable": "pair x = v[i]; group_barrier(work_group); out[i] = x;",
    "two": "pair w[1] = {v[0]}, x; pair y; y = x = v[i]; group_barrier(work_group); w[0] = y; out[i] = w[0];",
    "array": "pair x[2]; x[1] = v[i]; x[0] = v[0]; barrier(CLK_LOCAL_MEM_FENCE); out[i] = x[1];",
    "nested": "struct big { pair p; int k[4]; } x; x.p = v[i]; group_barrier(work_group); out[i] = x.p;",
    "union": "union { pair p; int k[9]; } x; x.p = v[i]; group_barrier(work_group); out[i] = x.p;",
    "loop": "for (pair x = v[i]; group_all_of(work_group, true);) { out[i] = x; break; }",
    "endless": "int n = 0; for (pair x = v[i];;) { group_barrier(work_group); if (n++ == 2) { out[i] = x; break; } }",
    "macro": "HOLD out[i] = held;",
    "helper": "out[i] = through(given, v, i);",
    "result": "out[i] = result(v, i);",
    "large": "four r = raised(kept(v, i)); barrier(1); four s = r; out[i] = v[i]; out[i].a = s.a - s.c;",
    "broadcast": "pair w = v[0]; w = group_broadcast(work_group, v[i], 5); pair u = select_from_group(sub_group, w, 3); "
    "out[i] = u.a == v[i / 16 * 16 + 5].a && u.c == 10 * u.a ? v[i] : v[0];",
    "parameter": "given = v[i]; group_barrier(work_group); out[i] = given;",
}
SOURCE = """
typedef struct { int a; float b; long c; } pair;
#define HOLD pair held = v[i]; group_barrier(work_group);
pair through(pair p, __global const pair *v, size_t i) { p = v[i]; group_barrier(work_group); pair q = p; return q; }
typedef struct { long a, b, c, d; } four;
four raised(four x) { x.a += 1; return x; }
four kept(__global const pair *v, size_t i) { four p; p.c = 1; p.a = v[i].a; barrier(1); four q; q = p; return q; }
pair result(__global const pair *v, size_t i) { barrier(CLK_LOCAL_MEM_FENCE); pair r = v[i]; return r; }
""" + "\n".join(
    f"__kernel void {name}_(__global const pair *v, __global pair *out, pair given)\n"
    f"{{ const size_t i = get_global_id(0); {text} }}"
    for name, text in CASES.items()
)


@pytest.fixture(scope="module")
def program():
    return sycl.Program(SOURCE)


def values() -> np.ndarray:
    v = np.zeros(N, PAIR)
    v["a"], v["b"], v["c"] = np.arange(N), np.arange(N) / 2, np.arange(N) * 10
    return v


@pytest.mark.parametrize("case", CASES)
def test_each_item_keeps_its_own(queue, program, case):
    v, out = values(), np.zeros(N, PAIR)
    queue.parallel_for(sycl.NdRange((N,), (GROUP,)), getattr(program, case + "_"), v, out, v[3]).wait_and_throw()
    assert np.array_equal(out, v)


WIDE = np.dtype([("a", "i4"), ("more", "i4", 24)])
# What a struct has no name for while another argument waits, arrays by a typedef, names that a macro is given.
UNNAMED = """
typedef struct { int a, more[24]; } wide;
typedef wide two[2];
#define BOTH(x, y) wide x = v[i], y = v[i + 1];
wide late(__global const wide *v) { wide x = *v; barrier(1); return x; }
wide kept(wide x) { barrier(1); return x; }
wide choose(int c, wide x, wide y) { barrier(1); return c ? x : y; }
void store(__global wide *to, wide x, wide y) { to[0] = x; to[1] = y; }
__kernel void arguments(__global const wide *v, __global wide *out, int n)
{
    const size_t i = get_global_id(0);
    for (int k = 0; k < 2; k++)
        store(out + 2 * i, choose(n > 0, v[i], ({ wide y = v[i]; barrier(1); y; })), late(v + i + 1));
}
int waits(int x) { barrier(1); return x; }
wide pick(int c, wide x, int d) { return x; }
#define PICK(n, x) pick(1, x, waits(n))
#define CALL(f, ...) f(out + 2 * i, __VA_ARGS__, late(v + i + 1))
__kernel void macros(__global const wide *v, __global wide *out, int n)
{
    const size_t i = get_global_id(0);
    for (int k = 0; k < 2; k++)
        CALL(store, PICK(n, v[i]));
}
wide pick_other(wide x, int d) { return x; }
#define OTHER(name, ...) name ## _other(__VA_ARGS__ v[i], waits(1))
#define PASTED(a) wide x ## a = v[i], y = v[i + 1]; barrier(1); out[2 * i] = x ## a; out[2 * i + 1] = y;
__kernel void pasted(__global const wide *v, __global wide *out, int n)
{
    const size_t i = get_global_id(0);
    PASTED(1)
    for (int k = 0; k < 2; k++)
        out[2 * i] = OTHER(pick);
}
__kernel void arrays(__global const wide *v, __global wide *out, int n)
{
    const size_t i = get_global_id(0);
    two x; x[0] = ({ wide y = late(v + i); barrier(1); y; }); x[1] = v[i + 1];
    wide z = kept(late(v + i));
    out[2 * i] = z;
    out[2 * i + 1] = x[1];
}
__kernel void names(__global const wide *v, __global wide *out, int n)
{
    const size_t i = get_global_id(0);
    BOTH(x, y)
    for (int k = 0; k < 2; k++)
        if (n > 0) { wide z = kept(n > 5 ? v[i] : x); }
    out[2 * i] = x;
    out[2 * i + 1] = y;
}
"""


def test_what_has_no_name(queue):
    v, program = np.zeros(N + 1, WIDE), sycl.Program(UNNAMED)
    v["a"] = np.arange(N + 1)
    v["more"] = v["a"][:, None] * 7
    for kernel in (program.arguments, program.macros, program.arrays, program.names, program.pasted):
        out = np.zeros((N, 2), WIDE)
        queue.parallel_for(sycl.NdRange((N,), (GROUP,)), kernel, v, out, 4)
        assert np.array_equal(out[:, 0], v[:-1]) and np.array_equal(out[:, 1], v[1:]), kernel


def test_what_a_macro_and_the_text_make_together_is_refused(queue):
    """Where it would be wrong; elsewhere it is as good as any other call."""
    source = """typedef struct { int a, more[24]; } wide;
int waits(int x) { barrier(1); return x; }
wide pick(int c, wide x, int d) { return x; }
#define CALL(f, ...) f(__VA_ARGS__)
__kernel void run(__global const wide *v, __global wide *out)
{
    const size_t i = get_global_id(0);
    for (int k = 0; k < 2; k++)
        out[i] = CALL(pick, 1, v[i], waits(1));
}"""
    v, out, program = np.zeros(N, WIDE), np.zeros(N, WIDE), sycl.Program(source)
    v["a"] = np.arange(N)

    def run():
        queue.parallel_for(sycl.NdRange((N,), (GROUP,)), program.run, v, out).wait_and_throw()

    clang = np.full(1, 99, np.int32)
    queue.single_task("\n#ifdef __clang_major__\nx[0] = __clang_major__;\n#endif\n", x=clang)
    if queue.device._facts["shared_structs"] and clang[0] < 15:
        words = (
            "a macro puts a call of pick together, which takes a struct and waits for another argument: this compiler"
        )
        with pytest.raises(sycl.BuildError, match=re.escape(f"kernel.cl:6:2: {words}")):
            run()
        return
    run()
    assert np.array_equal(out, v)


def test_in_bodies_too(queue):
    v, out = values(), np.zeros(N, PAIR)
    text = "v_t x = v[i]; group_barrier(work_group); out[i] = x;"
    queue.parallel_for(sycl.NdRange((N,), (GROUP,)), text, v=v, out=out).wait_and_throw()
    assert np.array_equal(out, v)


def test_errors_keep_their_columns(queue):
    source = SOURCE + "\n__kernel void bad(pair x, __global pair *v) { x = v[0]; pair y = x; barrier(1); oops(y); }"
    with pytest.raises(sycl.BuildError, match=r"kernel\.cl:\d+:81: "):
        queue.parallel_for(1, sycl.Program(source).bad, values()[0], values())
