"""What a kernel asks its own place by: items, nd-items, groups, and their copies. SYCL 2020, 4.10.1 and Appendix D."""

import itertools
import math

import numpy as np
import pytest

import pysycl as sycl

WORDS = ["global_id", "local_id", "group_id", "global_range", "local_range", "group_range", "global_offset",
         "max_local_range", "uniform_group_range"]  # fmt: skip
LINEAR = ["global_linear_id", "local_linear_id", "group_linear_id", "global_linear_range", "local_linear_range",
          "group_linear_range"]  # fmt: skip
PROGRAM = sycl.Program(
    "__kernel void describe(__global ulong *out)\n{\n"
    "    __global ulong *row = out + 33 * global_linear_id;\n"
    "    for (uint d = 0; d < 3; d++) {\n"
    + "".join(f"        row[3 * {k} + d] = {word}(d);\n" for k, word in enumerate(WORDS))
    + "    }\n"
    + "".join(f"    row[{27 + k}] = {word};\n" for k, word in enumerate(LINEAR))
    + "}\n"
)
RANGES = [sycl.Range(7), sycl.Range(3, 5), sycl.Range(2, 3, 4)]
ND_RANGES = [
    sycl.NdRange((12,), (4,)),
    sycl.NdRange((4, 6), (2, 3)),
    sycl.NdRange((4, 6, 8), (2, 3, 4)),
    sycl.NdRange((1, 2, 3), (1, 1, 3)),
]


def described(queue, where, offset=None):
    """What every item of the range says about itself, by word; the last axis is SYCL's dimensions."""
    whole = where.global_range if isinstance(where, sycl.NdRange) else where
    out = np.zeros((*whole, 33), np.uint64)
    extra = {} if offset is None else {"offset": offset}
    queue.parallel_for(where, PROGRAM.describe, out, **extra)
    named = {word: out[..., 3 * k : 3 * k + 3] for k, word in enumerate(WORDS)}
    return named | {word: out[..., 27 + k] for k, word in enumerate(LINEAR)}


def places(extent):
    """The id of each item of an extent, in an array of the extent's shape and an axis for the dimensions."""
    return np.moveaxis(np.indices(tuple(extent)), 0, -1)


def row_major(ids, extent):
    steps = [math.prod(extent[d + 1 :]) for d in range(len(extent))]
    return (ids * np.array(steps)).sum(axis=-1)


def check(said, word, expected):
    """The dimensions that the range has, and those that it lacks: ids of 0, sizes of 1."""
    dims = np.shape(expected)[-1]
    assert (said[word][..., :dims] == expected).all(), word
    missing = 1 if word.endswith("range") else 0
    assert (said[word][..., dims:] == missing).all(), word


@pytest.mark.spec("D101", "D102", "D104", "D105", "D106", "D107", "D535", "D537")
@pytest.mark.parametrize("extent", RANGES, ids=str)
def test_an_item_knows_its_id_and_range(queue, extent):
    said = described(queue, extent)
    check(said, "global_id", places(extent))
    check(said, "global_range", tuple(extent))
    check(said, "global_offset", (0,) * len(extent))
    assert (said["global_linear_id"] == np.arange(math.prod(extent)).reshape(*extent)).all()
    assert (said["global_linear_range"] == math.prod(extent)).all()


@pytest.mark.spec("D103", "D104", "D110", "D205", "D535")
@pytest.mark.parametrize("extent", RANGES, ids=str)
def test_an_offset_is_in_the_id_and_not_in_the_linear_id(queue, extent):
    offset = tuple(range(10, 10 + len(extent)))
    said = described(queue, extent, offset)
    check(said, "global_id", places(extent) + np.array(offset))
    check(said, "global_offset", offset)
    assert (said["global_linear_id"] == np.arange(math.prod(extent)).reshape(*extent)).all()


@pytest.mark.spec("D109", "D110", "D111", "D112", "D114", "D115", "D116", "D535", "D537")
@pytest.mark.parametrize("where", ND_RANGES, ids=str)
def test_an_nd_item_knows_where_it_stands(queue, where):
    whole, local = tuple(where.global_range), tuple(where.local_range)
    groups = tuple(g // n for g, n in zip(whole, local, strict=True))
    said = described(queue, where)
    ids = places(whole)
    for word, expected in {
        "global_id": ids, "local_id": ids % local, "group_id": ids // local, "global_range": whole,
        "local_range": local, "group_range": groups, "global_offset": (0,) * len(whole),
    }.items():  # fmt: skip
        check(said, word, expected)
    assert (said["global_linear_id"] == row_major(ids, whole)).all()
    assert (said["local_linear_id"] == row_major(ids % local, local)).all()
    assert (said["group_linear_id"] == row_major(ids // local, groups)).all()


@pytest.mark.spec("D100", "D108", "D143")
def test_items_and_groups_are_the_runtimes_and_cannot_be_made_or_changed(queue):
    assert not [name for name in dir(sycl) if name.lower().replace("_", "").endswith("item")]
    for group, token in ((sycl.Group, "work_group"), (sycl.SubGroup, "sub_group")):
        with pytest.raises(TypeError) as made:
            group()
        assert str(made.value) == (f"a {group.__name__} is the runtime's and cannot be made: there is pysycl.{token}")
    with pytest.raises(sycl.BuildError) as caught:
        sycl.Program("__kernel void f(void)\n{\nglobal_id(0) = 1;\nlocal_range(0) = 1;\n}").build(queue.device)
    assert str(caught.value).startswith("kernel.cl:3:")
    assert caught.value.build_log.count("not assignable") == 2


@pytest.mark.spec("D130", "D131", "D132", "D133", "D134", "D135", "D136", "D137")
@pytest.mark.parametrize("where", ND_RANGES, ids=str)
def test_a_group_knows_its_place_and_sizes(queue, where):
    whole, local = tuple(where.global_range), tuple(where.local_range)
    groups = tuple(g // n for g, n in zip(whole, local, strict=True))
    said, ids = described(queue, where), places(whole)
    for word, expected in {
        "group_id": ids // local, "local_id": ids % local, "local_range": local, "group_range": groups,
    }.items():  # fmt: skip
        check(said, word, expected)
    assert (said["group_linear_id"] == row_major(ids // local, groups)).all()
    assert (said["local_linear_id"] == row_major(ids % local, local)).all()
    check(said, "max_local_range", local)
    check(said, "uniform_group_range", groups)
    assert (said["local_linear_range"] == math.prod(local)).all()
    assert (said["group_linear_range"] == math.prod(groups)).all()
    members = {}
    for at in itertools.product(*map(range, whole)):
        members.setdefault(int(said["group_linear_id"][at]), []).append(int(said["local_linear_id"][at]))
    assert sorted(members) == list(range(math.prod(groups)))
    assert all(sorted(items) == list(range(math.prod(local))) for items in members.values())


BARRIER = sycl.Program("""
__kernel void turn(__global int *data, __local int *tile, __global int *through)
{
    const size_t at = local_id(0), n = local_range(0), first = n * group_id(0);
    tile[at] = data[global_id(0)];
    through[global_id(0)] = data[global_id(0)];
    group_barrier(work_group);
    data[global_id(0)] = 1000 * tile[n - 1 - at] + through[first + (at + 1) % n];
}
""")


@pytest.mark.spec("D022", "D120", "D367", "D424", "H064")
@pytest.mark.parametrize("size", [1, 2, 8, 64])
def test_a_group_barrier_shows_local_and_global_memory(queue, size):
    size = min(size, queue.device.max_work_group_size)
    data = np.arange(4 * size, dtype=np.int32)
    through = np.zeros_like(data)
    groups = data.reshape(4, size)
    expected = 1000 * groups[:, ::-1] + np.roll(groups, -1, axis=1)
    queue.parallel_for(sycl.NdRange(4 * size, size), BARRIER.turn, data, sycl.local(size, "i4"), through)
    assert (data.reshape(4, size) == expected).all()


COPIES = """
__kernel void through_{name}(__global const {type} *in, __global {type} *out, __local {type} *tile)
{{
    const size_t n = local_range(0), first = 2 * n * group_id(0);
    device_event whole = async_copy_global_to_local(tile, in + first, n);
    device_event strided = async_copy_global_to_local(tile + n, in + first, n, 2);
    wait_for(whole, strided);
    group_barrier(work_group);
    whole = async_copy_local_to_global(out + first, tile, n);
    wait_for(whole);
    strided = async_copy_local_to_global(out + first + n, tile + n, n / 2, 2);
    wait_for(strided);
}}
"""
TYPES = {"char": "i1", "ushort": "u2", "int": "i4", "ulong": "u8", "float": "f4", "int2": "i4", "float4": "f4",
         "uchar16": "u1"}  # fmt: skip
COPYING = sycl.Program("".join(COPIES.format(name=name, type=name) for name in TYPES))


@pytest.mark.spec("D117", "D118", "D119", "D142", "D150", "D151")
@pytest.mark.parametrize("name", TYPES)
def test_asynchronous_copies_with_and_without_strides(queue, name):
    dtype, width = np.dtype(TYPES[name]), int(name.lstrip("abcdefghijklmnopqrstuvwxyz") or 1)
    groups, n = 3, 4
    source = np.arange(groups * 2 * n * width).astype(dtype).reshape(groups, 2 * n, width)
    out = np.zeros_like(source)
    kernel = getattr(COPYING, f"through_{name}")
    tile = sycl.local(2 * n * width, dtype)
    queue.parallel_for(sycl.NdRange(groups * n, n), kernel, source, out, tile)
    assert (out[:, :n] == source[:, :n]).all()
    assert (out[:, n::2] == source[:, 0 : 2 * (n // 2) : 2]).all()  # every second one in, the first half of them out
    assert (out[:, n + 1 :: 2] == 0).all()


@pytest.mark.spec("D119")
def test_several_events_are_waited_for_at_once(queue):
    program = sycl.Program("""
    __kernel void gather(__global const int *in, __global int *out, __local int *tile)
    {
        device_event e[4];
        for (int k = 0; k < 4; k++)
            e[k] = async_copy_global_to_local(tile + k, in + 4 * k, 1);
        wait_for(e[0], e[1], e[2]);
        wait_for(e[3]);
        group_barrier(work_group);
        out[global_id(0)] = tile[local_id(0)];
    }""")
    source, out = np.arange(16, dtype=np.int32), np.zeros(4, np.int32)
    queue.parallel_for(sycl.NdRange(4, 4), program.gather, source, out, sycl.local(4, "i4")).wait_and_throw()
    assert out.tolist() == [0, 4, 8, 12]


# -- the words, and what the program has of its own --


def test_a_programs_own_names_stay_its_own(queue):
    program = sycl.Program("""
    size_t group_id(uint d) { return 40 + d; }
    #define work_group 5
    __kernel void own(__global int *out)
    {
        int local_linear_id = 600, local_id = 1;
        out[global_id(0)] = local_linear_id + (int)group_id(local_id) + work_group;
    }""")
    out = np.zeros(4, np.int32)
    queue.parallel_for(4, program.own, out)
    assert out.tolist() == [646] * 4


def test_words_defined_by_build_options_stay_the_users(queue):
    program = sycl.Program(
        "__kernel void own(__global int *out) { out[global_id(0)] = local_linear_range; }",
        constants={"local_linear_range": 9},
    )
    out = np.zeros(2, np.int32)
    queue.parallel_for(2, program.own, out)
    assert out.tolist() == [9, 9]


def test_a_build_error_speaks_of_the_users_own_line(device):
    program = sycl.Program("\n__kernel void f(__global int *out)\n{\n    out[global_id(0)] = nonsense;\n}\n")
    with pytest.raises(sycl.BuildError) as caught:
        program.build(device)
    assert "kernel.cl:4:" in str(caught.value)
    assert "    4 |     out[global_id(0)] = nonsense;" in str(caught.value)
    assert program.source.startswith("\n__kernel void f(")


def test_programs_without_the_library_reach_the_compiler_as_they_are(queue):
    source = "__kernel void plain(__global int *out) { out[get_global_id(0)] = __LINE__; }"
    out = np.zeros(1, np.int32)
    queue.parallel_for(1, sycl.Program(source).plain, out)
    assert out[0] == 1
    queue.parallel_for(1, sycl.Program(source.replace("get_global", "global")).plain, out)
    assert out[0] == 1  # with the library in front, too


# -- in bodies --

BODY = "const ulong at = 33 * global_linear_id;\n" + "".join(
    f"for (uint d = 0; d < 3; d++) out[at + 3 * {k} + d] = {word}(d);\n" for k, word in enumerate(WORDS)
) + "".join(f"out[at + {27 + k}] = {word};\n" for k, word in enumerate(LINEAR))  # fmt: skip


@pytest.mark.spec("D109", "D110", "D111", "D112", "D114", "D115", "D137", "D535", "D537")
@pytest.mark.parametrize("where", ND_RANGES, ids=str)
def test_bodies_have_the_same_words_over_an_nd_range(queue, where):
    whole, local = tuple(where.global_range), tuple(where.local_range)
    out = np.zeros((*whole, 33), np.uint64)
    queue.parallel_for(where, BODY, out=out.reshape(-1)).wait_and_throw()
    said = described(queue, where)
    for k, word in enumerate(WORDS):
        assert (out[..., 3 * k : 3 * k + 3] == said[word]).all(), word
    for k, word in enumerate(LINEAR):
        assert (out[..., 27 + k] == said[word]).all(), word
    assert (said["local_linear_id"] == row_major(places(whole) % local, local)).all()


def test_bodies_have_barriers_and_local_memory(queue):
    size = min(8, queue.device.max_work_group_size)
    data = np.arange(4 * size, dtype=np.int32)
    text = "tile[local_id(0)] = data[i]; group_barrier(work_group); data[i] = tile[local_range(0) - 1 - local_id(0)];"
    with queue.submit() as h:
        h.parallel_for(sycl.NdRange(4 * size, size), text, data=data, tile=h.local(size, "i4"))
    h.event.wait()
    queue.wait_and_throw()
    assert (data.reshape(4, size) == np.arange(4 * size).reshape(4, size)[:, ::-1]).all()
