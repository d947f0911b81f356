"""Every atomic operation on references to global, local and, where kernels have them, generic memory; spelled as the
deprecated atomic class has them, with the order relaxed. SYCL 2020, 4.15 (4.17.2 and 4.17.3 of the draft)."""

import numpy as np
import pytest

import pysycl as sycl

GROUP, PLACES = 48, 16
TYPES = {"int": "i4", "uint": "u4", "long": "i8", "ulong": "u8", "float": "f4", "double": "f8"}
# A row of PLACES elements, which begins as 1000 in places 2 and 14, -1 in place 12, and 0 elsewhere. What must come out
# is the same for all types.
OPERATIONS = """
#define RELAXED memory_order_relaxed
#if defined(__opencl_c_generic_address_space) && __OPENCL_C_VERSION__ >= 300
#define GENERIC(...) __VA_ARGS__
#else
#define GENERIC(...)
#endif
#define NUMBERS(S, T, name) \\
    int name(S T *x, int i) \\
    { \\
        T was = atomic_load(x + 4, RELAXED); \\
        int done; \\
        atomic_fetch_add(x, (T)3, RELAXED); \\
        atomic_fetch_sub(x + 1, (T)-2, RELAXED); \\
        atomic_fetch_min(x + 2, (T)(100 + i), RELAXED); \\
        atomic_fetch_max(x + 3, (T)i, RELAXED); \\
        do { \\
            done = atomic_compare_exchange_strong(x + 4, &was, was + 2, RELAXED, RELAXED); \\
        } while (!done); \\
        was = atomic_load(x + 5, RELAXED, memory_scope_work_group); \\
        do { \\
            done = atomic_compare_exchange_weak(x + 5, &was, was + 1, RELAXED, RELAXED, memory_scope_work_group); \\
        } while (!done); \\
        atomic_fetch_add(x + 7, atomic_exchange(x + 6, (T)(i + 1), RELAXED), RELAXED); \\
        atomic_fetch_max(x + 9, atomic_add_fetch(x + 8, (T)1)); \\
        atomic_fetch_min(x + 14, atomic_sub_fetch(x + 10, (T)-1)); \\
        if (i == 5) \\
            atomic_store(x + 15, (T)77, RELAXED); \\
        return 0; \\
    }
#define BITS(S, T, name) \\
    void name(S T *x, int i) \\
    { \\
        atomic_fetch_or(x + 11, (T)1 << (i % 31), RELAXED); \\
        atomic_fetch_and(x + 12, ~((T)1 << (i % 16)), RELAXED); \\
        atomic_fetch_xor(x + 13, (T)(i + 1), RELAXED); \\
    }
#define NO_BITS(S, T, name) \\
    void name(S T *x, int i) {}
#define OVER(T, KIND) \\
    NUMBERS(__global, T, global_##T) \\
    NUMBERS(__local, T, local_##T) \\
    KIND(__global, T, global_bits_##T) \\
    KIND(__local, T, local_bits_##T) \\
    GENERIC(NUMBERS(, T, any_##T) KIND(, T, any_bits_##T))
/* Rows 0: global, 1: local, 2 and 3: both by generic pointers, as far as there are any. */
#define RUN(T) \\
    __kernel void run_##T(__global T *rows, __global int *kinds, __local T *room) \\
    { \\
        const int i = get_local_id(0); \\
        for (int k = i; k < 2 * PLACES; k += GROUP) \\
            room[k] = rows[(k / PLACES * 2 + 1) * PLACES + k % PLACES]; \\
        group_barrier(work_group); \\
        global_##T(rows, i); \\
        global_bits_##T(rows, i); \\
        local_##T(room, i); \\
        local_bits_##T(room, i); \\
        if (i == 0) \\
            kinds[0] = 2; \\
        GENERIC({ \\
            T *at = rows + 2 * PLACES; \\
            any_##T(at, i); \\
            any_bits_##T(at, i); \\
            at = room + PLACES; \\
            any_##T(at, i); \\
            any_bits_##T(at, i); \\
            kinds[0] = 4; \\
        }) \\
        group_barrier(work_group); \\
        for (int k = i; k < 2 * PLACES; k += GROUP) \\
            rows[(k / PLACES * 2 + 1) * PLACES + k % PLACES] = room[k]; \\
    }
GENERIC(__kernel void pointers(__global int *data, __global int *out) {
    __global int *__local next;
    __global int **at = &next;
    if (get_local_id(0) == 0)
        atomic_pointer_store(at, data);
    group_barrier(work_group);
    out[get_local_id(0)] = atomic_pointer_fetch_add(at, 2) - data;
})
"""


def expected(dtype, bits):
    row = np.zeros(PLACES, dtype)
    row[[0, 1, 2, 3, 4, 5, 8, 9, 10, 14, 15]] = [
        3 * GROUP, 2 * GROUP, 100, GROUP - 1, 2 * GROUP, GROUP, GROUP, GROUP, GROUP, 1, 77
    ]  # fmt: skip
    row[12] = np.array(-1).astype(dtype)
    if bits:
        row[11:14] = np.array([2**31 - 1, -(2**16), np.bitwise_xor.reduce(np.arange(1, GROUP + 1))]).astype(dtype)
    return row


@pytest.mark.spec("D370", "D371", "D376", "D377", "D378", "D379", "D380", "D381", "D382", "D383", "D387", "D388")
@pytest.mark.parametrize("option", ["", "-cl-std=CL3.0"])
def test_every_operation_in_each_address_space(queue, option):
    """float has all operations of the later text, where the deprecated class has load, store and exchange only."""
    device = queue.device
    long_too = device.has("int64_base_atomics") and device.has("int64_extended_atomics")
    types = [word for word in TYPES if word not in ("long", "ulong", "double") or long_too]
    types = [word for word in types if word != "double" or device.has("fp64")]
    if option:  # the same again, by generic pointers
        types = [word for word in types if word in ("int", "ulong", "float", "double")]
    text = OPERATIONS + "".join(
        f"OVER({word}, {'NO_BITS' if TYPES[word][0] == 'f' else 'BITS'})\nRUN({word})\n" for word in types
    )
    program = sycl.Program(text, options=option, constants={"PLACES": PLACES, "GROUP": GROUP})
    try:
        program.build(device)
    except sycl.BuildError:
        if option:
            pytest.skip("the device's compiler has no OpenCL C 3.0")
        raise
    for word in types:
        dtype, kinds = np.dtype(TYPES[word]), np.zeros(1, np.int32)
        rows = np.zeros((4, PLACES), dtype)
        rows[:, [2, 14]], rows[:, 12] = 1000, np.array(-1).astype(dtype)
        kernel = program.kernel(f"run_{word}")
        queue.parallel_for(
            sycl.NdRange(GROUP, GROUP), kernel, rows.ravel(), kinds, sycl.local(2 * PLACES, dtype)
        ).wait_and_throw()
        if option and kinds[0] < 4:
            pytest.skip("the device has no generic pointers")
        for row in rows[: kinds[0]]:
            assert row[6] + row[7] == GROUP * (GROUP + 1) // 2, word  # a ring of exchanges loses nothing
            row[6:8] = 0
            assert row.tolist() == expected(dtype, dtype.kind != "f").tolist(), word
    if option and long_too:
        out = np.zeros(GROUP, np.int32)
        queue.parallel_for(sycl.NdRange(GROUP, GROUP), program.pointers, np.zeros(1, np.int32), out)
        assert sorted(out) == list(range(0, 2 * GROUP, 2))
