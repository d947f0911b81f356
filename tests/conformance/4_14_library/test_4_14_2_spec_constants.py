"""Specialization constants: SYCL 2020, 4.9.5 and 4.11.12 (4.11.5, 4.13.4 and 4.14.3 of the draft)."""

import copy
import pickle

import numpy as np
import pytest

import pysycl as sycl

COEFFICIENTS = sycl.SpecConstant(np.float32, np.zeros((3, 3)), "coefficients")
GAIN = sycl.SpecConstant(np.float32, 2, "gain")
COUNT = sycl.SpecConstant(np.int32, 3, "count")
PROGRAM = sycl.Program(
    """
__kernel void scale(__global float *x) { x[get_global_id(0)] *= SPEC(gain); }
__kernel void both(__global float *x) { x[get_global_id(0)] = SPEC(gain) + SPEC(count); }
__kernel void sum(__global int *x)
{
    int terms[SPEC(count)], total = 0; /* no variable can be the size of an array */
    for (int i = 0; i < SPEC(count); i++)
        terms[i] = i + 1;
    for (int i = 0; i < SPEC(count); i++)
        total += terms[i];
    x[get_global_id(0)] = total;
}
__kernel void asks(__global int *x)
{
#if SPEC_HAS(count) && SPEC(count) > 3 && !SPEC_HAS(nothing)
    x[get_global_id(0)] = 100;
#else
    x[get_global_id(0)] = 10 * SPEC_HAS(gain) + SPEC_HAS(nothing);
#endif
}
""",
    spec_constants=[GAIN, COUNT],
)


@pytest.fixture
def bundle(queue):
    return sycl.KernelBundle(PROGRAM, queue.context)


def run(queue, kernel, dtype=np.float32):
    x = np.ones(4, dtype)
    queue.parallel_for(4, kernel, x)
    assert (x == x[0]).all()
    return x[0].item()


def run_with(queue, kernel, values, dtype=np.float32):
    x = np.ones(4, dtype)
    with queue.submit() as h:
        for constant, value in values.items():
            h.set_specialization_constant(constant, value)
        h.parallel_for(4, kernel, x)
    h.event.wait_and_throw()
    return x[0].item()


@pytest.mark.spec("D271")
def test_a_constant_has_a_type_and_a_default():
    assert GAIN.dtype == np.float32 and GAIN.default == 2 and GAIN.name == "gain" and GAIN.shape == ()
    assert COEFFICIENTS.shape == (3, 3) and not COEFFICIENTS.default.flags.writeable
    assert sycl.SpecConstant(np.int8).default == 0
    assert pickle.loads(pickle.dumps(GAIN)) is GAIN  # a pickle stands for the constant, and a copy is none
    for call in (copy.copy, copy.deepcopy):
        with pytest.raises(TypeError, match=r"^a specialization constant cannot be copied: "):
            call(GAIN)


@pytest.mark.spec("D269", "D197", "D195")
def test_what_is_not_set_has_its_default(queue, bundle):
    assert run(queue, PROGRAM.scale) == 2
    assert run(queue, sycl.build(bundle).get_kernel("scale")) == 2
    assert run(queue, PROGRAM.sum, np.int32) == 6


@pytest.mark.spec("D194", "D268")
def test_a_group_sets_values_for_its_kernel(queue):
    assert run_with(queue, PROGRAM.scale, {GAIN: 5}) == 5
    assert run_with(queue, PROGRAM.both, {GAIN: 0.5, COUNT: 7}) == 7.5
    assert run_with(queue, PROGRAM.sum, {COUNT: 10}, np.int32) == 55
    assert run(queue, PROGRAM.scale) == 2


@pytest.mark.spec("D268")
def test_two_values_are_two_builds_and_the_same_value_is_one(run_fake):
    run_fake(
        """
        from pysycl import _core
        queue, cells = sycl.Queue(), np.zeros(4, np.uint32)
        constant = sycl.SpecConstant("u4", 1, "step")
        program = sycl.Program("kernel void bump(global uint *y, uint n) { for (uint x = SPEC(step);;); }",
                               spec_constants=[constant])
        def launch(value):
            with queue.submit() as h:
                h.set_specialization_constant(constant, value)
                h.parallel_for(4, program.bump, cells, 4)
            h.event.wait_and_throw()
        _core.fault_install(0)
        for builds, value in enumerate([1, 2, 3], 1):
            for _ in range(3):
                launch(value)
            assert _core.fault_calls("BuildProgram") == builds
        launch(1)
        queue.parallel_for(4, program.bump, cells, 4).wait()
        assert _core.fault_calls("BuildProgram") == 3
        for value in range(100):
            launch(value)
        assert _core.live_counts()["program"] <= 35, _core.live_counts()
        """
    )


@pytest.mark.spec("D196")
def test_kernels_can_ask_whether_there_is_a_constant(queue):
    assert run(queue, PROGRAM.asks, np.int32) == 10
    assert run_with(queue, PROGRAM.asks, {COUNT: 4}, np.int32) == 100
    bare = sycl.Program("__kernel void k(__global int *x) { x[get_global_id(0)] = 5 + SPEC_HAS(gain); }")
    assert run(queue, bare.k, np.int32) == 5


@pytest.mark.spec("D247", "D248")
def test_a_group_asks_for_constants(queue, bundle):
    bundle.set_specialization_constant(COUNT, 9)
    lonely = sycl.SpecConstant(np.int32, 0, "lonely")
    with queue.submit() as h:
        h.use_kernel_bundle(sycl.build(bundle))
        assert h.has_specialization_constant(COUNT) and not h.has_specialization_constant(lonely)
        assert h.get_specialization_constant(COUNT) == 9
        assert h.get_specialization_constant(GAIN) == 2
        with pytest.raises(
            sycl.InvalidObjectError, match=r"^the kernel bundle has no specialization constant 'lonely'$"
        ):
            h.get_specialization_constant(lonely)
    with queue.submit() as h:
        assert h.has_specialization_constant(GAIN) and not h.has_specialization_constant(lonely)
        assert h.get_specialization_constant(GAIN) == 2
        h.set_specialization_constant(GAIN, 4)
        assert h.get_specialization_constant(GAIN) == 4
        with pytest.raises(sycl.InvalidObjectError, match=r"^no program has a specialization constant 'lonely'$"):
            h.get_specialization_constant(lonely)


@pytest.mark.spec("D269")
def test_values_are_fixed_once_compiled(bundle):
    for fixed in (sycl.compile(bundle), sycl.build(bundle)):
        with pytest.raises(sycl.InvalidError) as error:
            fixed.set_specialization_constant(GAIN, 1)
        assert str(error.value) == (
            f"set_specialization_constant: the kernel bundle is in the state {fixed.state.value}, where the values are fixed"
        )


@pytest.mark.spec("D270", "D280")
def test_all_kernels_and_images_get_the_value(queue):
    other = sycl.Program(
        "__kernel void third(__global float *x) { x[get_global_id(0)] = SPEC(gain) / 3; }", spec_constants=[GAIN]
    )
    bundle = sycl.KernelBundle([PROGRAM, other], queue.context)
    bundle.set_specialization_constant(GAIN, 5)
    bundle.set_specialization_constant(GAIN, 6)
    assert bundle.get_specialization_constant(GAIN) == 6
    for built in (sycl.build(bundle), sycl.link(sycl.compile(bundle))):
        assert run(queue, built.get_kernel("scale")) == 6
        assert run(queue, built.get_kernel("both")) == 9
        assert run(queue, built.get_kernel("third")) == 2
        assert built.get_specialization_constant(GAIN) == 6


@pytest.mark.spec("D278", "D279")
def test_what_a_bundle_says_of_its_constants(queue, bundle):
    plain = sycl.KernelBundle("__kernel void k(__global int *x) { x[0] = 1; }", queue.context)
    assert bundle.contains_specialization_constants and bundle.use_specialization_constant
    assert bundle.native_specialization_constant
    assert not plain.contains_specialization_constants and not plain.native_specialization_constant
    assert bundle.has_specialization_constant(GAIN) and not bundle.has_specialization_constant(COEFFICIENTS)


@pytest.mark.spec("D281")
def test_constants_that_a_bundle_has_not(bundle):
    for call in (
        lambda: bundle.set_specialization_constant(COEFFICIENTS, np.ones((3, 3))),
        lambda: bundle.get_specialization_constant(COEFFICIENTS),
    ):
        with pytest.raises(
            sycl.InvalidObjectError, match=r"^the kernel bundle has no specialization constant 'coefficients'$"
        ):
            call()
    assert bundle.get_specialization_constant(COUNT) == 3


@pytest.mark.spec("D275", "D280")
def test_bundles_with_other_values_are_others(queue):
    one, other = (sycl.KernelBundle(PROGRAM, queue.context) for _ in range(2))
    assert one == other
    other.set_specialization_constant(COUNT, 4)
    assert one != other and sycl.build(one) != sycl.build(other)
    one.set_specialization_constant(COUNT, 4)
    assert one == other and sycl.build(one) == sycl.build(other)


@pytest.mark.spec("D300")
def test_the_convolution_of_the_specification(queue):
    program = sycl.Program(
        """
__kernel void convolve(__global const float *in, __global float *out, int rows, int columns)
{
    int r = (int)global_id(0), c = (int)global_id(1);
    float sum = 0;
    for (int i = -1; i <= 1; i++) {
        if (r + i < 0 || r + i >= rows)
            continue;
        for (int j = -1; j <= 1; j++) {
            if (c + j < 0 || c + j >= columns)
                continue;
            sum += SPEC(coefficients)[i + 1][j + 1] * in[(r + i) * columns + c + j];
        }
    }
    out[r * columns + c] = sum;
}
""",
        spec_constants=[COEFFICIENTS],
    )
    rows, columns = 9, 17
    image = np.random.default_rng(3).random((rows, columns), np.float32)
    padded = np.pad(image, 1)
    source = sycl.Buffer(image)
    for weights in (np.arange(9.0).reshape(3, 3) / 8, np.eye(3)):
        result = sycl.Buffer((rows, columns), np.float32)
        with queue.submit() as h:
            h.set_specialization_constant(COEFFICIENTS, weights)
            h.parallel_for((rows, columns), program.convolve, h.read(source), h.write(result), rows, columns)
        expected = sum(
            np.float32(weights[i, j]) * padded[i : i + rows, j : j + columns] for i in range(3) for j in range(3)
        )
        np.testing.assert_allclose(np.asarray(result), expected, rtol=1e-5)


POINT = np.dtype([("weight", np.float32), ("at", np.int32, (2,)), ("inner", [("flag", np.int8), ("big", np.int64)])])


@pytest.mark.spec("D268", "D300")
def test_a_struct_as_a_constant(queue):
    point = sycl.SpecConstant(POINT, np.array((0.5, (3, -4), (-7, 2**40)), POINT)[()], "point")
    table = sycl.SpecConstant(POINT, np.zeros(2, POINT), "table")
    program = sycl.Program(
        """
__kernel void k(__global long *x)
{
    SPEC_TYPE(point) copy = SPEC(point);
    x[0] = copy.at[0] * 10 + copy.at[1];
    x[1] = copy.inner.flag;
    x[2] = copy.inner.big + (copy.weight == 0.5f);
    x[3] = SPEC(table)[0].at[1] + SPEC(table)[1].inner.big;
}
""",
        spec_constants=[point, table],
    )
    x = np.zeros(4, np.int64)
    queue.single_task(program.k, x)
    assert x.tolist() == [26, -7, 2**40 + 1, 0]
    rows = np.zeros(2, POINT)
    rows["at"] = [[1, 2], [3, 4]]
    rows["inner"]["big"] = [5, 60]
    with queue.submit() as h:
        h.set_specialization_constant(table, rows)
        h.set_specialization_constant(point, np.array((0.25, (1, 1), (1, -1)), POINT)[()])
        h.single_task(program.k, x)
    h.event.wait_and_throw()
    assert x.tolist() == [11, 1, -1, 62]


VALUES = {
    "?": [True, False],
    "i1": [-128, 127],
    "u1": [0, 255],
    "i2": [-(2**15), 2**15 - 1],
    "u2": [0, 2**16 - 1],
    "i4": [-(2**31), 2**31 - 1],
    "u4": [0, 2**32 - 1],
    "i8": [-(2**63), 2**63 - 1],
    "u8": [0, 2**64 - 1],
    "f4": [0.1, -1e-45, 3.4028235e38, np.inf, -np.inf, np.nan],
    "f8": [0.1, -5e-324, 1.7976931348623157e308, np.inf, -np.inf, np.nan],
    "f2": [0.1, -65504.0],
}
WORDS = {"?": "uchar", "f2": "half", "f4": "float", "f8": "double"} | {
    f"{sign}{size}": word if sign == "i" else f"u{word}"
    for size, word in ((1, "char"), (2, "short"), (4, "int"), (8, "long"))
    for sign in "iu"
}


@pytest.mark.spec("D268")
@pytest.mark.parametrize("kind", VALUES)
def test_values_of_every_type_arrive_to_the_bit(device, queue, kind):
    needs = {"f2": "fp16", "f8": "fp64"}.get(kind)
    if needs and not device.has(needs):
        pytest.skip(f"the device has no {needs}")
    one = sycl.SpecConstant(kind, VALUES[kind][0], "one")
    many = sycl.SpecConstant(kind, VALUES[kind], "many")
    program = sycl.Program(
        f"""__kernel void k(__global {WORDS[kind]} *x) {{
            x[0] = SPEC(one);
            for (int i = 0; i < {len(VALUES[kind])}; i++) x[1 + i] = SPEC(many)[i];
        }}""",
        spec_constants=[one, many],
    )
    for value in VALUES[kind]:
        x = np.zeros(1 + len(VALUES[kind]), kind if kind != "?" else np.uint8)
        with queue.submit() as h:
            h.set_specialization_constant(one, value)
            h.single_task(program.k, x)
        h.event.wait_and_throw()
        expected = np.array([value, *VALUES[kind]], kind).astype(x.dtype)
        np.testing.assert_array_equal(x, expected)


@pytest.fixture
def cells():
    return np.zeros(4, np.float32)


@pytest.mark.spec("D190", "D194", "D197", "D269")
def test_bodies_name_constants_that_their_group_sets(queue, cells):
    body = "int terms[SPEC(count)]; x[i] = SPEC(gain) + sizeof(terms) / 4;"

    def launch(values, **given):
        with queue.submit() as h:
            for constant, value in values.items():
                h.set_specialization_constant(constant, value)
            h.parallel_for(4, body, x=cells, **given)
        h.event.wait_and_throw()
        return cells.tolist()

    assert launch({GAIN: 5, COUNT: 4}) == [9] * 4
    assert launch({GAIN: 0.5, COUNT: 8}) == [8.5] * 4
    # What is given by keyword need not be set: it has its default, or what the group sets.
    assert launch({GAIN: 5}, count=COUNT) == [8] * 4
    assert launch({COUNT: 7}, count=COUNT, gain=GAIN) == [9] * 4
    queue.parallel_for(4, body, x=cells, count=COUNT, gain=GAIN).wait_and_throw()
    assert cells.tolist() == [5] * 4


@pytest.mark.spec("D190", "D196")
def test_bodies_give_constants_names_of_their_own(queue, cells):
    text = """
#if SPEC_HAS(often) && SPEC(often) == 3 && !SPEC_HAS(count)
    SPEC_TYPE(often) n = SPEC(often);
    x[i] = n * SPEC(point).b + SPEC(weights)[1] + twice(1);
#endif
"""
    arguments = {
        "often": COUNT,
        "point": sycl.SpecConstant([("a", "f4"), ("b", "i4")], np.array((1, 7), [("a", "f4"), ("b", "i4")])[()]),
        "weights": sycl.SpecConstant("f4", [1, 0.5]),
        "turns": sycl.SpecConstant("i4", 4),
        "preamble": "float twice(float v) { return v * SPEC(turns); }",
    }
    prepared = queue.kernel(4, text, x=cells, **arguments)
    prepared().wait_and_throw()
    assert cells.tolist() == [25.5] * 4 and list(prepared.arguments) == ["x"]
    other = np.zeros(4, np.float32)
    prepared(x=other).wait_and_throw()
    assert other.tolist() == [25.5] * 4
    assert "#define SPEC_often 3" in sycl.kernel_source(text, 4, queue_or_device=queue, x=cells, **arguments)


@pytest.mark.spec("D247", "D248")
def test_a_group_knows_what_it_has_set_for_its_body(queue, cells):
    lonely = sycl.SpecConstant(np.int32, 0, "lonely")
    with queue.submit() as h:
        assert not h.has_specialization_constant(lonely)
        h.set_specialization_constant(lonely, 6)
        assert h.has_specialization_constant(lonely) and h.get_specialization_constant(lonely) == 6
        h.parallel_for(4, "x[i] = SPEC(lonely);", x=cells)
    h.event.wait_and_throw()
    assert cells.tolist() == [6] * 4
