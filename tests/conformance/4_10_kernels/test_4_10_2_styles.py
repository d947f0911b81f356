"""The two styles of reductions that the draft has (4.10.2), and what both of them leave open: reducers that are made in
the command group, parallel_reduce, property lists, operators and identities that are none."""

import copy

import numpy as np
import pytest

import pysycl as sycl

PROGRAM = """
kernel void both(global const int *x, reducer(int, plus) sum, int shift, reducer(int, maximum) top)
{
    const int i = get_global_id(0);
    sum += x[i] << shift;
    top.combine(x[i]);
}
"""
BODY = "sum += x[i]; top.combine(x[i]);"


def variable(value, dtype=np.int32):
    return sycl.Buffer(np.array([value], dtype))


def value_of(buffer):
    with buffer.host_access("read") as data:
        return data[0].copy()


@pytest.fixture(scope="module")
def both():
    return sycl.Program(PROGRAM).both


@pytest.mark.spec("D153", "D154", "D165")
def test_the_draft_s_example(queue):
    """One reducer made in the group and captured by the kernel, one made of a reduction; both by parallel_reduce."""
    values, sums, tops = sycl.Buffer(np.arange(1024, dtype=np.int32)), variable(0), variable(0)
    with queue.submit() as h:
        own = sycl.reducer(h.read_write(sums), sycl.plus)
        greatest = sycl.reduction(h.read_write(tops), sycl.maximum)
        h.parallel_reduce(1024, BODY, x=h.read(values), sum=own, top=greatest)
    assert (value_of(sums), value_of(tops)) == (523776, 1023)


@pytest.mark.spec("D153")
def test_parallel_reduce(queue, both):
    """Over a range, a range with an offset and an nd-range: reductions in the order of the kernel's reducers."""
    x = np.arange(100, dtype=np.int32)
    cases = [
        ((100,), {}, x),
        ((40, (10,)), {}, x[10:50]),
        ((40,), {"offset": 10}, x[10:50]),
        ((sycl.NdRange((96,), (32,)),), {}, x[:96]),
    ]
    for place, options, used in cases:
        sums, tops = variable(5), variable(-1)
        with queue.submit() as h:
            r = sycl.reduction(sums, h, sycl.plus), sycl.reduction(tops, h, sycl.maximum)
            h.parallel_reduce(*place, *r, both, x, 1, **options)
        assert (value_of(sums), value_of(tops)) == (5 + 2 * used.sum(), used.max()), place


@pytest.mark.spec("D153")
def test_parallel_reduce_refuses(queue, both):
    x, one = np.zeros(8, np.int32), variable(0)
    cases = [
        (lambda h, r: (8, r), "parallel_reduce: no kernel is given: expected a Kernel or the text of a body"),
        (lambda h, r: (8, both, x, 1), "parallel_reduce: no reduction is given; without any it is parallel_for"),
        (lambda h, r: (8, r, both, x, 1), "parallel_reduce: kernel 'both' has 2 reducers and 2 other parameters; 1 "
         "reductions and 2 other arguments are given"),
        (lambda h, r: (8, r, "sum += 1;"), "parallel_reduce: a body has its reductions by name, such as "
         "total=reduction(...)"),
        (lambda h, r: (8, 1, 2, r, both, x, 1), "parallel_reduce: expected reductions before the kernel, got 2"),
    ]  # fmt: skip
    for arguments, message in cases:
        with pytest.raises(sycl.InvalidParameterError) as caught, queue.submit() as h:
            h.parallel_reduce(*arguments(h, sycl.reduction(one, h, sycl.plus)))
        assert str(caught.value) == message


@pytest.mark.spec("D047", "D049", "D050", "D051", "D060", "D165")
def test_every_overload_takes_properties(queue):
    """Buffers, accessors, pointers and spans, with an identity and without one, by both names: what was there is lost."""
    buffers = [variable(100) for _ in range(4)]
    with queue.submit() as h:
        given = [
            sycl.reduction(buffers[0], h, sycl.plus, initialize_to_identity=True),
            sycl.reduction(buffers[1], h, sycl.plus, identity=0, initialize_to_identity=True),
            sycl.reduction(h.read_write(buffers[2]), sycl.plus, identity=0, initialize_to_identity=True),
            sycl.reducer(h.read_write(buffers[3]), 0, sycl.plus, initialize_to_identity=True),
        ]
        text = " ".join(f"r{k} += (int)i;" for k in range(4))
        h.parallel_for(10, text, **{f"r{k}": r for k, r in enumerate(given)})
    assert [value_of(buffer) for buffer in buffers] == [45] * 4
    if not queue.device.has("usm_shared_allocations"):
        return
    memory = sycl.malloc_shared(8, np.int32, queue)
    memory[:] = np.full(8, 100, np.int32)
    with queue.submit() as h:
        given = [
            sycl.reduction(memory[0:1], sycl.plus, initialize_to_identity=True),
            sycl.reduction(memory[1:2], sycl.plus, identity=0, initialize_to_identity=True),
            sycl.reducer(memory[2:3], sycl.plus, h, initialize_to_identity=True),
            sycl.reducer(memory[3:4], 0, sycl.plus, h),
            sycl.reduction(sycl.span(memory[4:6]), sycl.plus, identity=0, initialize_to_identity=True),
            sycl.reducer(sycl.span(memory[6:8]), 0, sycl.plus, h, initialize_to_identity=True),
        ]
        text = " ".join(f"r{k}{'[i % 2]' if k > 3 else ''} += (int)i;" for k in range(6))
        h.parallel_for(10, text, **{f"r{k}": r for k, r in enumerate(given)})
    h.event.wait()
    assert np.asarray(memory).tolist() == [45, 45, 45, 145, 20, 25, 20, 25]


@pytest.mark.spec("D037", "D044", "D155", "D164")
def test_operators_and_identities_that_are_none(queue, both):
    """A given identity is what the temporaries begin with, whose number is free; a difference depends on the order. No
    more than that goes wrong."""
    n = 999
    counts, differences = variable(0), variable(0, np.int64)
    minus = sycl.BinaryOp("a - b", identity=0)
    with queue.submit() as h:
        h.parallel_for(
            n,
            "count += 1; difference.combine((long)i);",
            count=sycl.reduction(counts, h, sycl.plus, identity=1),
            difference=sycl.reduction(differences, h, minus),
        )
    assert value_of(counts) > n
    assert abs(value_of(differences)) <= n * (n - 1) // 2
    counts, tops = variable(0), variable(0)
    with queue.submit() as h:
        h.parallel_for(
            n,
            both,
            np.ones(n, np.int32),
            sycl.reduction(counts, h, sycl.plus, identity=1),
            0,
            sycl.reduction(tops, h, sycl.maximum, identity=7),
        )
    assert value_of(counts) > n and value_of(tops) == 7


@pytest.mark.spec("D060")
def test_an_nd_range_with_nothing_in_it(queue):
    """Where old values count they stay, and where not they become the identity, whatever the text asks of its group."""
    pair = np.dtype([("s0", np.int32), ("s1", np.int32)])
    one, other, array = variable(5), variable(5), sycl.Buffer(np.full(3, 5, np.int32))
    unknown = sycl.Buffer(np.array([(1, 2)], pair))
    with pytest.warns(sycl.SyclWarning, match="has no identity"), queue.submit() as h:
        h.parallel_for(
            sycl.NdRange((0,), (16,)),
            "l[local_id(0)] = 1; group_barrier(work_group); r += l[0]; s += 1; t[i]++; u.value_type v = {1, 1}; "
            "u.combine(v);",
            l=h.local(16, np.int32),
            r=sycl.reduction(one, h, sycl.plus, initialize_to_identity=True),
            s=sycl.reduction(other, h, sycl.plus),
            t=sycl.reduction(h.write(array, no_init=True), sycl.plus),
            u=sycl.reduction(unknown, h, sycl.BinaryOp("b.s0 < a.s0 ? b : a")),
        )
    assert (value_of(one), value_of(other), value_of(unknown).tolist()) == (0, 5, (1, 2))
    with array.host_access("read") as data:
        assert data.tolist() == [0, 0, 0]


@pytest.mark.spec("D038", "D155")
def test_memory_by_two_names(queue, both):
    """A buffer's variable and the array that the buffer is of; in bodies and programs."""
    x = np.zeros(64, np.int32)
    first = sycl.Buffer(x[:1])
    message = "is a reduction of a variable that 'x' leads to as well: the kernel may not touch it in another way"
    for kernel in (BODY, both):
        with queue.submit() as h:
            r = {"sum": sycl.reduction(first, h, sycl.plus), "top": sycl.reduction(variable(0), h, sycl.maximum)}
            given = {} if kernel is both else {"x": x, **r}
            with pytest.raises(sycl.InvalidError) as caught:
                h.parallel_for(8, kernel, *((x, r["sum"], 0, r["top"]) if kernel is both else ()), **given)
            assert str(caught.value).splitlines()[0].endswith(f"'sum' {message}")


def launch(queue, kernel, *arguments, **named):
    with queue.submit() as h:
        own = sycl.reduction(variable(0), h, sycl.plus)
        if isinstance(kernel, str):
            h.parallel_for(8, kernel, r=own, **named)
        else:
            h.parallel_for(8, kernel, own, *arguments)


@pytest.mark.spec("D167")
@pytest.mark.parametrize("group", [None, 32], ids=["range", "nd-range"])
@pytest.mark.parametrize(("form", "n"), [("body", 20000), ("program", 3_200_000)], ids=["body", "program"])
def test_combine_is_safe_and_gives_the_reducer(queue, form, n, group):
    """Each of many work-items combines several values, one call behind the other, and none is lost: in a variable, and in one
    of few that all items want."""
    total, some = variable(7), sycl.Buffer(np.array([100, 200], np.int32))
    shape = n if group is None else sycl.NdRange(n, group)
    text = (
        "size_t k = get_global_id(0); total.combine(1).combine(2); total.combine(k % 3); "
        "some[k % 2].combine(1).combine(k % 5);"
    )
    with queue.submit() as h:
        own = {"total": sycl.reduction(total, h, sycl.plus), "some": sycl.reduction(h.read_write(some), sycl.plus)}
        if form == "body":
            h.parallel_for(shape, text, **own)
        else:  # get_work_dim keeps it from being a body: all work-items combine in the same memory
            head = "kernel void f(reducer(int, plus) total, reducer(int, plus) some[]) { if (get_work_dim() == 1) {"
            h.parallel_for(shape, sycl.Program(f"{head} {text} }} }}").f, *own.values())
    queue.wait_and_throw()
    k = np.arange(n)
    assert value_of(total) == 7 + 3 * n + (k % 3).sum()
    assert np.asarray(some).tolist() == [
        start + n // 2 + (k[k % 2 == at] % 5).sum() for at, start in ((0, 100), (1, 200))
    ]


@pytest.mark.spec("D166", "D167")
@pytest.mark.parametrize("text", ["int other = r;", "r = 1;", "int x = r.combine(1);", "x[0] = (r += 1);"])
def test_reducers_are_neither_copied_nor_values(queue, text):
    """On the host and in the kernel; combine() leads to nothing but the next combine()."""
    program = f"kernel void f(reducer(int, plus) r, global int *x) {{ {text} }}"
    x = np.zeros(8, np.int32)
    with queue.submit() as h:
        own = sycl.reduction(variable(0), h, sycl.plus)
        with pytest.raises(TypeError, match="^a reducer cannot be copied or assigned$"):
            copy.copy(own)
        h.parallel_for(8, "own += 1;", own=own)
    with pytest.raises(sycl.BuildError, match="^body:1:"):
        launch(queue, text, **({"x": x} if "x[" in text else {}))
    with pytest.raises(sycl.BuildError, match="^kernel.cl:1:"):
        launch(queue, sycl.Program(program).f, x)
