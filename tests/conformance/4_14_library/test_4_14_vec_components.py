"""The components of Vec: swizzles, conversions, memory, and Python's habits. SYCL 2020, 4.14.2."""

import copy
import itertools
import operator
import pickle

import numpy as np
import pytest

import pysycl as sycl


def values_of(v):
    return [each.item() for each in v]


# -- components --


@pytest.mark.spec("D336", "D337", "D338", "D339", "D341")
def test_components_by_name():
    v = sycl.int4(10, 11, 12, 13)
    assert (v.x, v.y, v.z, v.w) == (v.r, v.g, v.b, v.a) == (v.s0, v.s1, v.s2, v.s3) == (10, 11, 12, 13)
    assert isinstance(v.x, np.int32)
    for letters in ("xyzw", "rgba"):
        for length in (2, 3, 4):
            for picks in itertools.product(range(4), repeat=length):
                assert values_of(getattr(v, "".join(letters[p] for p in picks))) == [10 + p for p in picks]
    long = sycl.uchar16(*range(16))
    assert [int(getattr(long, f"s{n:X}")) for n in range(16)] == list(range(16))
    assert (values_of(long.sf0), values_of(long.lo.hi), values_of(long.odd.even)) == (
        [15, 0], [4, 5, 6, 7], [1, 5, 9, 13],
    )  # fmt: skip
    assert (values_of(v.lo), values_of(v.hi), values_of(v.odd), values_of(v.even)) == (
        [10, 11], [12, 13], [11, 13], [10, 12],
    )  # fmt: skip
    three = sycl.int3(1, 2, 3)
    assert (values_of(three.lo), three.hi.x, values_of(three.even), three.odd.x, three.hi.count) == (
        [1, 2],
        3,
        [1, 3],
        2,
        2,
    )
    assert values_of(v.swizzle(3, 0)) == values_of(v.swizzle(sycl.Elem.w, sycl.Elem.r)) == [13, 10]
    assert v.swizzle(2) == 12
    for cls, name in ((sycl.int2, "z"), (sycl.int3, "r"), (sycl.int8, "x"), (sycl.int8, "s8"), (sycl.int4, "xr"),
                      (sycl.int4, "s"), (sycl.Vec["int32", 1], "lo"), (sycl.int4, "size")):  # fmt: skip
        with pytest.raises(AttributeError, match=f"has no component or attribute '{name}'"):
            getattr(cls(), name)
        with pytest.raises(AttributeError, match=f"has no component '{name}'"):
            setattr(cls(), name, 1)
    with pytest.raises(
        sycl.InvalidParameterError, match="xyzwx: 5 components make no vec; they are 1, 2, 3, 4, 8 or 16"
    ):
        _ = v.xyzwx
    with pytest.raises(sycl.InvalidParameterError, match="swizzle: a int4 has no component 4"):
        v.swizzle(4, 0)
    with pytest.raises(IndexError):
        v[4]


@pytest.mark.spec("D341", "D351", "D352", "D353")
def test_swizzles_are_views():
    v = sycl.float4(1, 2, 3, 4)
    view = v.wzyx
    assert isinstance(view, sycl.float4)
    v.w = 40
    assert values_of(view) == [40, 3, 2, 1]
    view.xy = sycl.float2(5, 6)
    assert values_of(v) == [1, 2, 6, 5]
    view[3] = 7
    view += 1
    assert values_of(v) == [8, 3, 7, 6]
    v.xz *= 2.0
    assert values_of(v) == [16, 3, 14, 6]
    v.yw = 0
    assert values_of(v) == [16, 0, 14, 0]
    v.xy = v.yx
    assert values_of(v) == [0, 16, 14, 0]
    assert values_of(v.xxyy + v.xyxy) == [0, 16, 16, 32]
    own = sycl.float2(v.yz)
    v.y = 1
    assert values_of(own) == [16, 14]
    view = v.xx
    for write in (lambda: view.assign(1), lambda: operator.iadd(view, 1), lambda: setattr(v, "xyxy", v)):
        with pytest.raises(sycl.InvalidParameterError) as caught:
            write()
        assert str(caught.value) == "a swizzle with repeated components cannot be assigned to"
    assert values_of(v) == [0, 1, 14, 0]
    with pytest.raises(sycl.InvalidParameterError, match="float2: takes 2 components, 3 given"):
        v.xy = v.xyz


@pytest.mark.spec("D341")
def test_assignment():
    v = sycl.int4(1, 2, 3, 4)
    assert v.assign(5) is v
    assert values_of(v) == [5] * 4
    assert values_of(v.assign(sycl.int4(1, 2, 3, 4))) == [1, 2, 3, 4]
    v[0], v[1:3] = 9, [8, 7]
    v[-1] -= 1
    assert values_of(v) == [9, 8, 7, 3]
    with pytest.raises(TypeError, match="int4: an element is an integer, got 0.5"):
        v[0] = 0.5


# -- other types, memory --

ROUNDED = {
    "automatic": [1, -1, 2, -2, 2, -2, 3, -3], "rte": [2, -2, 2, -2, 2, -2, 4, -4], "rtz": [1, -1, 2, -2, 2, -2, 3, -3],
    "rtp": [2, -1, 3, -2, 2, -2, 4, -3], "rtn": [1, -2, 2, -3, 2, -2, 3, -4],
}  # fmt: skip


@pytest.mark.spec("D334", "D354")
def test_conversion_to_integers():
    v = sycl.float8(1.5, -1.5, 2.5, -2.5, 2, -2, 3.75, -3.75)
    for mode, expected in ROUNDED.items():
        for kind in (np.int8, np.int64, "int32"):
            found = v.convert(kind, mode)
            assert found.element_type == kind and found.count == 8
            assert values_of(found) == expected, mode
    assert values_of(v.convert(sycl.int8)) == ROUNDED["automatic"]
    assert values_of(sycl.double4(1e30, -1e30, np.nan, 255.9).convert("uint8")) == [255, 0, 0, 255]
    assert values_of(sycl.double2(2**63, -np.inf).convert("int64", sycl.RoundingMode.rtp)) == [2**63 - 1, -(2**63)]
    assert values_of(sycl.int2(-1, 300).convert("uint8")) == [255, 44]
    with pytest.raises(sycl.InvalidParameterError, match="convert: a float8 does not have the 4 components"):
        v.convert(sycl.int4)
    with pytest.raises(ValueError, match="'up' is not a valid RoundingMode"):
        v.convert("int32", "up")


@pytest.mark.spec("D334", "D354")
def test_conversion_to_floating_point():
    """Each mode gives the neighbour on its side of the exact value; Python compares these exactly."""
    rng = np.random.default_rng(3)
    sources = [sycl.double16(rng.normal(size=16) * 10.0 ** rng.integers(-9, 9, 16)), sycl.double4(1e300, -1e300, 1e-60, -1e-60),
               sycl.long8(rng.integers(-(2**63), 2**63 - 1, 8)), sycl.ulong2(2**64 - 1, 2**53 + 1)]  # fmt: skip
    for source in sources:
        exact = values_of(source)
        for kind in (np.float16, np.float32, np.float64):
            nearest = source.convert(kind)
            assert np.array_equal(nearest, source.convert(kind, "rte"))
            with np.errstate(over="ignore"):
                assert np.array_equal(nearest, np.array(exact, np.asarray(source).dtype).astype(kind))
            for mode in ("rtp", "rtn", "rtz"):
                for found, value in zip(source.convert(kind, mode), exact, strict=True):
                    up = mode == "rtp" or (mode == "rtz" and value < 0)
                    with np.errstate(over="ignore"):
                        before = np.nextafter(found, kind(-np.inf if up else np.inf))
                    held = float(found) >= value > float(before) if up else float(found) <= value < float(before)
                    assert held or float(found) == value, (mode, kind, value)


@pytest.mark.spec("D335")
def test_reinterpretation():
    v = sycl.float4(1, -0.0, np.inf, 0)
    assert values_of(v.as_(sycl.uint4)) == [0x3F800000, 0x80000000, 0x7F800000, 0]
    assert values_of(v.as_(sycl.uint4).as_(sycl.float4)) == values_of(v)
    assert values_of(v.lo.as_(sycl.uchar8))[3::4] == [0x3F, 0x80]
    assert values_of(v.wx.as_(sycl.Vec["u8", 1])) == [0x3F800000 << 32]
    assert sycl.float3(1, 2, 3).as_(sycl.int4).count == 4
    with pytest.raises(sycl.InvalidParameterError, match="as_: a float4 has 16 bytes, a int2 8"):
        v.as_(sycl.int2)
    with pytest.raises(sycl.InvalidParameterError, match="as_: expected a Vec such as pysycl.int4, got 'int32'"):
        v.as_("int32")


@pytest.mark.spec("D340", "D451")
def test_load_and_store():
    """The offset counts vectors: of 3 components, 3 elements, though in arrays of vecs they take 4."""
    x = np.arange(12, dtype=np.float32)
    v = sycl.float3()
    assert v.load(2, x) is v
    assert values_of(v) == [6, 7, 8]
    v.zyx.store(0, x)
    assert x.tolist() == [8, 7, 6, *range(3, 12)]
    v.xz.load(5, x)
    assert values_of(v) == [10, 7, 11]
    for offset in (4, -1):
        with pytest.raises(sycl.InvalidParameterError) as caught:
            v.load(offset, x)
        assert str(caught.value) == f"load: offset {offset} is out of range: the array has 12 elements, 4 vectors of 3"
    with pytest.raises(sycl.InvalidParameterError, match="store: the array is of float64, the vec of float32"):
        v.store(0, np.zeros(3))
    x.flags.writeable = False
    with pytest.raises(sycl.InvalidParameterError, match="store: the array cannot be written to"):
        v.store(0, x)
    with pytest.raises(sycl.InvalidParameterError, match="store: the array cannot be written to"):
        sycl.Vec["int64", 2]().store(0, [1, 2])


# -- Python's and NumPy's habits --


def test_habits():
    v = sycl.float4(1, 2, 3, 0.1)
    assert repr(v) == "float4(1.0, 2.0, 3.0, 0.1)"
    array = np.asarray(v)
    assert array.dtype == np.float32 and array.shape == (4,)
    array[0] = 7
    assert v.x == 7  # it is the vec's own memory
    assert np.asarray(v.xx).tolist() == [7, 7]
    assert np.array(v, np.float64).dtype == np.float64
    assert isinstance(np.sqrt(v), np.ndarray)
    assert len(v) == 4 and list(v) == [7, 2, 3, np.float32(0.1)]
    assert values_of(np.float32(2) * sycl.int2(1, 2).convert("f4")) == [2, 4]
    with pytest.raises(TypeError, match="unhashable"):
        hash(v)
    for each in (pickle.loads(pickle.dumps(v)), copy.copy(v), copy.deepcopy(v)):
        assert type(each) is sycl.float4 and values_of(each) == values_of(v)
        each.x = 0
    assert v.x == 7
    view = pickle.loads(pickle.dumps(v.yx))
    assert type(view) is sycl.float2 and values_of(view) == [2, 7]
    assert pickle.loads(pickle.dumps(sycl.float4)) is sycl.float4
    with pytest.raises(AttributeError):
        v.q = 1
