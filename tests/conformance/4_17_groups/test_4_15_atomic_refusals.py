"""Atomic operations and fences that a device does not have, or nobody has, are refused. SYCL 2020, 4.15."""

import numpy as np
import pytest

import pysycl as sycl

KERNEL = """__kernel void f(__global int *a, __global float *x, __global short *s, const __global int *c, __local int *l)
{
    int e = 0;
    %s;
}"""
REFERENCE = "the reference is to be a pointer to int, uint, long, ulong, float or double, in global or local memory"
REFUSED = [
    ("atomic_fetch_add(s, 1)", f"atomic_fetch_add: {REFERENCE}, and not to const"),
    ("atomic_load(c)", f"atomic_load: {REFERENCE}, and not to const"),
    ("atomic_store(&e, 1)", f"atomic_store: {REFERENCE}, and not to const"),
    ("atomic_fetch_or(x, 1)", "atomic_fetch_or: the reference is to be a pointer to int, uint, long or ulong, in"),
    (
        "atomic_load(a, memory_order_release)",
        "atomic_load: the order is to be memory_order_relaxed, memory_order_acquire",
    ),
    (
        "atomic_store(a, 1, memory_order_acq_rel)",
        "atomic_store: the order is to be memory_order_relaxed, memory_order_re",
    ),
    ("atomic_exchange(a, 1, 1)", "atomic_exchange: the order is none of memory_order_..."),
    ("atomic_fetch_sub(a, 1, memory_order_relaxed, 7)", "atomic_fetch_sub: the scope is none of memory_scope_..."),
    (
        "atomic_compare_exchange_strong(a, &e, 1, memory_order_relaxed, memory_order_release)",
        "atomic_compare_exchange_strong: the order of failure, the fifth argument, is to be memory_order_relaxed,",
    ),
    ("atomic_compare_exchange_strong(x, &e, 1)", "atomic_compare_exchange_strong: expected is to be a pointer to a"),
    ("atomic_pointer_load(a)", "the reference is to be a pointer to a pointer, in global or local memory"),
    ("atomic_fence(7, memory_scope_device)", "atomic_fence: the order is none of memory_order_..."),
    ("atomic_fence(memory_order_acquire, 5)", "atomic_fence: the scope is none of memory_scope_..."),
]


def refusal(queue, bodies, options=(), error=sycl.BuildError):
    """The error of a build in which all of these are wrong, the first of them in line 4; and all that was said."""
    zeros = [np.zeros(4, dtype) for dtype in (np.int32, np.float32, np.int16, np.int32)]
    program = sycl.Program(KERNEL % ";\n    ".join(bodies), options=options)
    with pytest.raises(error) as caught:
        queue.parallel_for(sycl.NdRange(1, 1), program.f, *zeros, sycl.local(1, np.int32))
    return str(caught.value).splitlines()[0], caught.value.build_log


def refused(queue, table, options=(), error=sycl.BuildError):
    first, log = refusal(queue, [body for body, _ in table], options, error)
    assert first.startswith("kernel.cl:4:")  # the user's own line
    assert table[0][1] in first
    assert queue.device.name in first
    assert [words for _, words in table if words not in log] == []


@pytest.mark.spec("D377", "D378", "D380")
def test_what_makes_no_sense_is_refused_in_words(queue):
    refused(queue, REFUSED)


WITHOUT = [  # as if the device had no more than OpenCL 1.2
    ("atomic_load(a, memory_order_seq_cst)", "atomic_load: the device has no atomic operations of this order at this"),
    (
        "atomic_fetch_add(a, 1, memory_order_acq_rel)",
        "atomic_fetch_add: the device has no atomic operations of this order",
    ),
    (
        "atomic_fetch_add(l, 1, memory_order_seq_cst)",
        "atomic_fetch_add: the device has no atomic operations of this order",
    ),
    (
        "atomic_fetch_add(a, 1, memory_order_relaxed, memory_scope_system)",
        "atomic_fetch_add: the device has no atomic operations of this scope: see Device.atomic_memory_scope_capabilities",
    ),
    (
        "atomic_fence(memory_order_acquire, memory_scope_device)",
        "atomic_fence: the device has no fences of this order at",
    ),
    (
        "atomic_fence(memory_order_acquire, memory_scope_system)",
        "atomic_fence: the device has no fences of this scope: see",
    ),
]


@pytest.mark.spec("D368", "H065", "H066")
def test_what_the_device_cannot_order_is_refused_not_weakened(queue):
    refused(queue, WITHOUT, ["-DSYC_ATOMICS=1"])


@pytest.mark.spec("D368", "D374")
def test_what_the_device_says_it_has_is_there_and_no_more_is_promised(queue):
    """Every order at every scope that the device tells of builds; what it does not tell of is refused between groups."""
    device, built = queue.device, []
    orders, scopes = device.atomic_memory_order_capabilities, device.atomic_memory_scope_capabilities
    for order in orders:
        of_load = {"release": "relaxed", "acq_rel": "acquire"}.get(order.name, order.name)
        for scope in scopes:
            at = f"memory_scope_{scope.name}"
            built += [f"atomic_fetch_add(a, 1, memory_order_{order.name}, {at})"]
            built += [f"e += atomic_load(a, memory_order_{of_load}, {at})"]
    for order in device.atomic_fence_order_capabilities:
        for scope in device.atomic_fence_scope_capabilities:
            built += [f"atomic_fence(memory_order_{order.name}, memory_scope_{scope.name})"]
    zeros = [np.zeros(4, dtype) for dtype in (np.int32, np.float32, np.int16, np.int32)]
    program = sycl.Program(KERNEL % ";\n    ".join(built))
    queue.parallel_for(sycl.NdRange(1, 1), program.f, *zeros, sycl.local(1, np.int32)).wait_and_throw()
    assert zeros[0][0] == len(orders) * len(scopes)
    if sycl.MemoryOrder.seq_cst not in orders:
        assert (
            "of this order" in refusal(queue, ["atomic_fetch_add(a, 1, memory_order_seq_cst, memory_scope_device)"])[0]
        )
    if not device._facts["system_scope"]:
        assert (
            "of this scope" in refusal(queue, ["atomic_fetch_add(a, 1, memory_order_relaxed, memory_scope_system)"])[0]
        )


CAS = "atomic_compare_exchange_strong((__global long *)a, (long *)&e, 1)"


@pytest.mark.spec("D373", "D384")
def test_64_bits_without_the_aspect_are_refused(queue):
    words = "atomic_%s: the device has no such atomic operations of 64 bits: it lacks the aspect int64_%s_atomics"
    base = ("store", "exchange", "fetch_add", "fetch_sub")
    extended = ("fetch_and", "fetch_or", "fetch_xor", "fetch_min", "fetch_max")
    for option, aspect, calls in (
        ("-DSYC_ATOMIC_LONG=0", "base", base),
        ("-DSYC_ATOMIC_LONG_EXTENDED=0", "extended", extended),
    ):
        table = [
            (f"atomic_{call}((__global {t} *)a, 1)", words % (call, aspect))
            for call in calls
            for t in ("long", "ulong")
        ]
        if aspect == "base":
            table += [
                ("atomic_load((__global long *)a)", words % ("load", aspect)),
                (CAS, words % (CAS.split("(")[0][7:], aspect)),
            ]
        refused(queue, table, [option], sycl.FeatureNotSupportedError)
