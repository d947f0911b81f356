"""The device compiler: names, types, attributes, and what a device cannot run. SYCL 2020, 5 and 5.7 (6 for the rest)."""

import operator
import re

import numpy as np
import pytest

import pysycl as sycl
from pysycl._runtime.extensions import EXTENSIONS

SCALARS = {
    "char": np.int8, "signed char": np.int8, "uchar": np.uint8, "unsigned char": np.uint8,
    "short": np.int16, "ushort": np.uint16, "unsigned short": np.uint16, "int": np.int32, "uint": np.uint32,
    "unsigned int": np.uint32, "long": np.int64, "ulong": np.uint64, "unsigned long": np.uint64,
    "float": np.float32, "double": np.float64,
}  # fmt: skip


def needs(device, name):
    if name == "double" and not device.has("fp64"):
        pytest.skip("no fp64")


# -- names --


@pytest.mark.spec("D453")
def test_every_kernel_is_found_by_its_name():
    names = ["plain", "_begins", "with_1_number", "lambda_", "build", "source", "x" * 200]
    program = sycl.Program(
        "\n".join(f"__kernel void {name}(__global int *x) {{ x[0] = {i}; }}" for i, name in enumerate(names))
    )
    assert program.kernel_names == tuple(names)
    for name in names:
        assert program.kernel(name).name == name
        assert program.kernel(name) == program.kernel(name)
    assert program.plain == program.kernel("plain")
    for name in ("build", "source"):  # attributes of the program come first
        assert not isinstance(getattr(program, name), sycl.Kernel)


@pytest.mark.spec("D453")
def test_a_name_stands_for_one_kernel_of_a_program():
    text = "__kernel void f(__global int *x) { x[0] = 1; }\n"
    with pytest.raises(sycl.InvalidParameterError) as caught:
        sycl.Program(text * 2)
    assert str(caught.value) == (
        "source defines kernel 'f' twice, in line 1 and in line 2; each kernel needs a name of its own"
    )
    one, two = sycl.Program(text), sycl.Program(text.replace("1;", "2;"))
    assert one.f != two.f  # another program is another module
    with pytest.raises(sycl.InvalidParameterError, match="the program has no kernel 'g': it has f"):
        one.kernel("g")


# -- the language --


@pytest.mark.spec("D454")
def test_kernels_with_the_device_library_are_opencl_1_2(queue):
    """What stands before such a program compiles as OpenCL C 1.2."""
    program = sycl.Program(
        """
        __kernel void f(__global int *x, __local int *l)
        {
            l[local_id(0)] = x[global_id(0)];
            group_barrier(work_group);
            x[global_linear_id] = l[local_range(0) - 1 - local_linear_id] + SYCL_LANGUAGE_VERSION;
        }""",
        options="-cl-std=CL1.2",
    )
    x = np.arange(8, dtype=np.int32)
    try:
        program.build(queue.device)
    except sycl.BuildError as error:  # NVIDIA's compiler: with this option, though not without it
        if "variadic macros not supported" not in error.build_log:
            raise
        return
    queue.parallel_for(sycl.NdRange(8, 4), program.f, x, sycl.local(4, np.int32))
    assert (x - sycl.SYCL_LANGUAGE_VERSION).tolist() == [3, 2, 1, 0, 7, 6, 5, 4]


@pytest.mark.spec("D459", "D460")
@pytest.mark.parametrize("name", SCALARS)
def test_scalars_are_of_one_size_on_both_sides(queue, name):
    needs(queue.device, name)
    kind = np.dtype(SCALARS[name])
    program = sycl.Program(f"""
        __kernel void f(__global {name} *to, __global const {name} *from, {name} value, __global uint *size)
        {{
            to[0] = from[1];
            to[1] = value;
            size[0] = sizeof({name});
            size[1] = ({name})-1 < ({name})1;
        }}""")
    if kind.kind == "f":
        low, high = kind.type(-1.5), np.finfo(kind).max
    else:
        low, high = np.iinfo(kind).min, np.iinfo(kind).max
    to, size = np.zeros(2, kind), np.zeros(2, np.uint32)
    queue.single_task(program.f, to, np.array([0, low], kind), high, size).wait_and_throw()
    assert to.tolist() == [low, high]
    assert size.tolist() == [kind.itemsize, int(kind.kind != "u")]


@pytest.mark.spec("D461")
@pytest.mark.parametrize("name", ["bool", "size_t"])
def test_types_without_a_size_of_their_own_are_no_parameters(queue, name):
    program = sycl.Program(f"__kernel void f(__global int *x,\n              {name} n) {{ x[0] = n; }}")
    with pytest.raises(sycl.BuildError) as caught:
        queue.single_task(program.f, np.zeros(1, np.int32), 1)
    assert "kernel.cl:2:" in str(caught.value) and "cannot be used as the type of a kernel parameter" in str(
        caught.value
    )


@pytest.mark.spec("D459", "D460")
def test_long_long_is_long(queue):
    """OpenCL C reserves the words, and compilers make 8 or 16 bytes of them."""
    with pytest.raises(sycl.BuildError) as caught:
        queue.single_task(sycl.Program("__kernel void f(__global long long *x) { x[0] = 1; }").f, np.zeros(2, np.int64))
    assert str(caught.value).startswith(
        "kernel.cl:1:26: kernel 'f' has a parameter of long long, which is reserved in OpenCL C: compilers take it for "
        "8 bytes or for 16; long has 8"
    )
    x = np.zeros(2, np.longlong)
    queue.single_task(sycl.Program("__kernel void f(__global long *x) { x[1] = -1; }").f, x)
    assert x.tolist() == [0, -1]


@pytest.mark.spec("D461")
def test_they_pass_as_types_that_have(queue):
    program = sycl.Program("""
        __kernel void f(__global ulong *x, uchar yes, ulong n, __global const uchar *flags)
        {
            x[0] = yes ? n : 0;
            x[1] = flags[0] + 2 * flags[1];
        }""")
    x = np.zeros(2, np.uint64)
    queue.single_task(program.f, x, np.bool_(True), np.uintp(2**63 + 5), np.array([False, True]))
    assert x.tolist() == [2**63 + 5, 2]
    queue.single_task(program.f, x, False, 7, np.array([True, True]))
    assert x.tolist() == [0, 3]


@pytest.mark.spec("D462")
def test_the_version_of_the_language(queue):
    program = sycl.Program("""
        #ifndef SYCL_LANGUAGE_VERSION
        #error without a version
        #endif
        #if SYCL_LANGUAGE_VERSION < 202001
        #error too old
        #endif
        __kernel void f(__global int *x) { x[0] = SYCL_LANGUAGE_VERSION; }""")
    x = np.zeros(1, np.int32)
    queue.single_task(program.f, x)
    assert x[0] == sycl.SYCL_LANGUAGE_VERSION
    own = sycl.Program(
        "#define SYCL_LANGUAGE_VERSION 7\n__kernel void f(__global int *x) { x[0] = SYCL_LANGUAGE_VERSION; }"
    )
    queue.single_task(own.f, x)
    assert x[0] == 7


@pytest.mark.spec("D472")
def test_constants_at_program_scope(queue):
    program = sycl.Program("""
        __constant int table[3] = {4, 5, 6};
        __kernel void f(__global int *x) { x[get_global_id(0)] = table[get_global_id(0)]; }""")
    x = np.zeros(3, np.int32)
    queue.parallel_for(3, program.f, x)
    assert x.tolist() == [4, 5, 6]
    wrong = sycl.Program("__constant int one = 1;\n__kernel void f(__global int *x) { one = x[0]; }")
    with pytest.raises(sycl.BuildError, match=r"kernel\.cl:2:"):
        wrong.build(queue.context)


# -- what kernels cannot do --

LIMITS = {
    "recursion": (
        "int f(int n)\n{\n    return n < 2 ? n : f(n - 1) + f(n - 2);\n}\n"
        "__kernel void k(__global int *x) { x[0] = f(x[0]); }",
        "kernel.cl:3:24: function 'f' calls itself: OpenCL C has no recursion; write it as a loop",
    ),
    "a kernel that calls itself through another": (
        "void again(__global int *x);\n__kernel void k(__global int *x)\n{\n    if (x[0] > 2)\n        again(x);\n}\n"
        "void again(__global int *x) { x[0]--; k(x); }",
        "kernel.cl:7:39: function 'again' calls 'k', from which it is called: OpenCL C has no recursion",
    ),
    "pointers to functions": (
        "int f(int n) { return n; }\n__kernel void k(__global int *x)\n{\n    int (*p)(int) = f; x[0] = p(x[0]);\n}",
        "kernel.cl:4:",
    ),
    "allocation": ("__kernel void k(__global int *x)\n{\n    int *p = malloc(4);\n}", "kernel.cl:3:"),
    "exceptions": ("__kernel void k(__global int *x)\n{\n    throw 1;\n}", "kernel.cl:3:"),
    "a kernel's result": ("\n__kernel int k(__global int *x) { return x[0]; }", "kernel.cl:2:"),
    "arrays of variable size": ("__kernel void k(__global int *x)\n{\n    int a[x[0]];\n}", "kernel.cl:3:"),
}


@pytest.mark.spec("D456")
@pytest.mark.parametrize("what", LIMITS)
def test_what_kernels_cannot_do_is_told_in_the_user_s_line(queue, what):
    text, message = LIMITS[what]
    x = np.full(4, 5, np.int32)
    program = sycl.Program(text)
    for call in (lambda: queue.parallel_for(4, program.k, x), lambda: program.build(queue.context)):
        with pytest.raises(sycl.BuildError) as caught:
            call()
        assert str(caught.value).startswith(message) and caught.value.code is sycl.Errc.build
        line = int(message.split(":")[1])
        assert f"\n{line:5} | {text.splitlines()[line - 1]}\n" in str(caught.value)
    assert x.tolist() == [5] * 4


@pytest.mark.spec("D456")
def test_recursion_in_bodies_and_parts(queue):
    """Drivers do not survive it, so it never gets to them."""
    x = np.full(4, 5, np.int32)
    with pytest.raises(sycl.BuildError) as caught:
        queue.parallel_for(
            4, "x[i] = fact(x[i]);", x=x, preamble="int fact(int n)\n{\n    return n ? n * fact(n - 1) : 1;\n}"
        )
    assert str(caught.value) == (
        "preamble:3:20: function 'fact' calls itself: OpenCL C has no recursion; write it as a loop (built for "
        f"{queue.device.name})\n    3 |     return n ? n * fact(n - 1) : 1;\n      |                    ^"
    )
    bundle = sycl.KernelBundle(LIMITS["recursion"][0], queue.context)
    with pytest.raises(sycl.CompileProgramError, match=r"^kernel\.cl:3:24: function 'f' calls itself"):
        sycl.compile(bundle)


@pytest.mark.spec("D458")
def test_functions_beside_kernels(queue):
    program = sycl.Program("""
        int later(int n);
        static inline int before(int n) { return later(n) + 1; }
        __kernel void k(__global int *x) { x[get_global_id(0)] = before(get_global_id(0)); }
        int later(int n) { return 10 * n; }""")
    x = np.zeros(4, np.int32)
    queue.parallel_for(4, program.k, x)
    assert x.tolist() == [1, 11, 21, 31]


@pytest.mark.spec("D455")
def test_structs_with_pointers_are_refused(queue):
    """What a Python object's pointer leads to is on no device."""
    with_pointer = np.dtype([("n", np.int32), ("p", object)])
    for call, what in (
        (lambda: sycl.Buffer(4, with_pointer), "dtype"),
        (lambda: sycl.SpecConstant(with_pointer), "dtype"),
        (lambda: sycl.malloc_shared(4, with_pointer, queue), "dtype"),
        (lambda: queue.parallel_for(4, "x[i].n = 1;", x=np.zeros(4, with_pointer)), "x"),
    ):
        with pytest.raises((sycl.InvalidParameterError, sycl.KernelArgumentError), match=what) as caught:
            call()
        assert "object" in str(caught.value)


# -- attributes --


@pytest.mark.spec("D469")
@pytest.mark.parametrize(
    "attribute", ["reqd_work_group_size(4, 1, 1)", "work_group_size_hint(4, 1, 1)", "vec_type_hint(float4)"]
)
def test_each_attribute_stands_once(queue, attribute):
    name = attribute.split("(")[0]
    twice = f"__attribute__(({attribute}))\n" * 2
    with pytest.raises(sycl.BuildError) as caught:
        sycl.Program(f"__kernel {twice}void k(__global int *x) {{ x[0] = 1; }}").build(queue.context)
    assert str(caught.value).startswith(f"kernel.cl:2:16: kernel 'k' is given the attribute {name} twice")
    once = sycl.Program(f"__kernel __attribute__(({attribute})) void k(__global int *x) {{ x[0] = 1; }}")
    x = np.zeros(4, np.int32)
    queue.parallel_for(sycl.NdRange(4, 4), once.k, x)
    assert x[0] == 1


@pytest.mark.spec("D465")
def test_another_size_than_the_required_one_is_refused(queue):
    program = sycl.Program("""
        __kernel __attribute__((reqd_work_group_size(4, 2, 1))) void f(__global int *x)
        {
            x[get_global_id(1) * get_global_size(0) + get_global_id(0)] = get_local_size(0) * 10 + get_local_size(1);
        }""")
    x = np.zeros((4, 8), np.int32)
    queue.parallel_for(sycl.NdRange((4, 8), (2, 4)), program.f, x)
    assert (x == 42).all()
    for where, words in (
        (
            sycl.NdRange((4, 8), (4, 2)),
            "global (4, 8), local (4, 2): the kernel requires a local size of 4 in dimension 1",
        ),
        (
            sycl.NdRange((4, 8), (1, 4)),
            "global (4, 8), local (1, 4): the kernel requires a local size of 2 in dimension 0",
        ),
        (
            sycl.NdRange(8, 4),
            "global (8,), local (4,): the kernel requires work-groups of 1 x 2 x 4, which a 1-D range cannot have",
        ),
    ):
        with pytest.raises(sycl.NdRangeError) as caught:
            queue.parallel_for(where, program.f, x)
        assert str(caught.value) == f"nd-range of kernel 'f': {words}"
        assert caught.value.code is sycl.Errc.nd_range


@pytest.mark.spec("D465")
def test_a_required_size_that_the_device_cannot_have(queue):
    size = queue.device.max_work_group_size
    program = sycl.Program(
        f"__kernel __attribute__((reqd_work_group_size({size}, 2, 1))) void f(__global int *x) {{ x[0] = 1; }}"
    )
    most = tuple(queue.device.max_work_item_sizes)
    for call in (
        lambda: queue.parallel_for(sycl.NdRange((2, size), (2, size)), program.f, np.zeros(1, np.int32)),
        lambda: queue.parallel_for((2, size), program.f, np.zeros(1, np.int32)),
        lambda: queue.single_task(program.f, np.zeros(1, np.int32)),
    ):
        with pytest.raises((sycl.KernelNotSupportedError, sycl.BuildError)) as caught:
            call()
        if isinstance(caught.value, sycl.BuildError):  # some compilers notice
            continue
        assert caught.value.code is sycl.Errc.kernel_not_supported
        assert str(caught.value) == (
            f"kernel 'f' requires work-groups of 1 x 2 x {size} items, and device '{queue.device.name}' has at most "
            f"{size} ({' x '.join(map(str, most))})"
        )


@pytest.mark.spec("D466", "D467")
@pytest.mark.parametrize("hint", ["work_group_size_hint(8, 1, 1)", "vec_type_hint(float4)", "vec_type_hint(int)"])
def test_hints_have_no_effect_on_what_a_kernel_does(queue, hint):
    program = sycl.Program(
        f"__kernel __attribute__(({hint})) void f(__global int *x) {{ x[get_global_id(0)] = get_global_id(0); }}"
    )
    for where in (12, sycl.NdRange(12, 4), sycl.NdRange(12, 6)):
        x = np.zeros(12, np.int32)
        queue.parallel_for(where, program.f, x)
        assert x.tolist() == list(range(12))


# -- what a device lacks --

FP64 = "__kernel void f(__global int *x, __global double *y) { y[0] = x[0]; }"
FP64_WITHIN = "__kernel void f(__global int *x) { double y = x[0]; x[0] = (int)(y * 0.5); }"
LACKS = """
fp64 = sycl.Program({fp64!r})
queue, x, y = sycl.Queue(), np.zeros(4, np.int32), np.zeros(4)
lib = fake
def refusal(call):
    before = lib.fake_live(b"program")
    try:
        call()
    except sycl.KernelNotSupportedError as error:
        assert error.code is sycl.Errc.kernel_not_supported
        assert lib.fake_live(b"program") == before  # it has not been tried
        return str(error)
    raise AssertionError("not refused")
"""


@pytest.mark.spec("D475")
def test_what_goes_beyond_sycl_has_feature_constants():
    constants = [name for name in sycl.__all__ if name.startswith("SYCL_EXT_")]
    assert constants == sorted(EXTENSIONS) and all(name.startswith("SYCL_EXT_PYSYCL_") for name in constants)
    for name in constants:
        value = getattr(sycl, name)
        assert type(value) is int and value >= 202001 and 1 <= value % 100 <= 12, name
    with pytest.raises(AttributeError):
        sycl.SYCL_EXT_PYSYCL_NO_SUCH_THING  # noqa: B018


def test_names_that_sycl_has_not_belong_to_one_feature():
    listed = [each for extension in EXTENSIONS.values() for each in extension.names.split()]
    assert len(listed) == len(set(listed))
    for name in listed:
        assert operator.attrgetter(name)(sycl) is not None
    beyond = [
        name for name in sycl.__all__
        if re.search("Beyond SYCL|has no such thing", str(getattr(getattr(sycl, name), "__doc__", "")))
    ]  # fmt: skip
    assert len(beyond) > 15 and not set(beyond) - set(listed)


@pytest.mark.spec("D477")
def test_a_kernel_that_needs_what_the_device_lacks_is_refused(run_fake):
    """When it is submitted, naming both, and before a compiler has to be asked."""
    run_fake(
        LACKS.format(fp64=FP64)
        + """
words = "kernel 'f' uses double, and device 'Fake device 1' has no fp64"
assert refusal(lambda: queue.single_task(fp64.f, x, y)) == words
assert refusal(lambda: queue.parallel_for(4, fp64.f, x, y)) == words
assert refusal(lambda: queue.submit(lambda h: h.parallel_for(sycl.NdRange(4, 2), fp64.f, x, y))) == words
half = sycl.Program("__kernel void f(__global half *x, half a) { x[0] = a; }")
words = "kernel 'f' uses half, and device 'Fake device 1' has no fp16"
assert refusal(lambda: queue.single_task(half.f, np.zeros(1, np.float16), 1.0)) == words
""",
        {"FAKE_LACKS": "fp64"},
    )


@pytest.mark.spec("D477", "D543")
def test_half_without_fp16(queue):
    """On a real device; and the host's type is there all the same."""
    assert sycl.Buffer(4, np.float16).byte_size == 8
    program = sycl.Program("""
        #ifdef cl_khr_fp16
        #pragma OPENCL EXTENSION cl_khr_fp16 : enable
        #endif
        __kernel void f(__global half *x, half a) { x[0] = a; }""")
    x = np.zeros(1, np.float16)
    if queue.device.has("fp16"):
        queue.single_task(program.f, x, 1.5)
        assert x[0] == 1.5
        return
    with pytest.raises(sycl.KernelNotSupportedError) as caught:
        queue.single_task(program.f, x, 1.5)
    assert str(caught.value) == f"kernel 'f' uses half, and device '{queue.device.name}' has no fp16"


@pytest.mark.spec("D543")
def test_writing_to_three_dimensional_images_without_the_extension(run_fake):
    run_fake("""
        program = sycl.Program("__kernel void f(__write_only image3d_t to) { }  __kernel void g(__read_only image3d_t from) { }")
        queue = sycl.Queue()
        image = sycl.UnsampledImage(None, "r32g32b32a32_sfloat", (4, 4, 4))
        try:
            queue.single_task(program.f, image)
        except sycl.KernelNotSupportedError as error:
            assert str(error) == (
                "kernel 'f' writes to the three-dimensional image 'to', and device 'Fake device 1' has no "
                "cl_khr_3d_image_writes"
            ), error
        else:
            raise AssertionError("not refused")
        """)


@pytest.mark.spec("D478")
def test_nothing_is_said_of_devices_that_nobody_asked_for(run_fake):
    """A program is text: making it, and looking at it, asks no device. Other devices can run what this one cannot."""
    run_fake(
        LACKS.format(fp64=FP64)
        + """
assert fp64.kernel_names == ("f",)
assert fp64.f.parameters == ("__global int *x", "__global double *y")
assert not fp64.is_built_for(queue.context)
plain = sycl.Program("__kernel void order(__global uint *log, uint value) { log[0] = value; }")
queue.single_task(plain.order, np.zeros(4, np.uint32), 1).wait_and_throw()
""",
        {"FAKE_LACKS": "fp64"},
    )
