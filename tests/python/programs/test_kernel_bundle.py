"""Kernel bundles: bad input, what builds in the background do, and hostile logs and files."""

import asyncio
import pickle
import re

import numpy as np
import pytest

import pysycl as sycl
from pysycl import opencl
from pysycl._kernels.bundle_file import MAGIC

ADD = "__kernel void add(__global float *x, float a) { x[get_global_id(0)] += a; }"


@pytest.fixture
def context(queue):
    return queue.context


@pytest.fixture
def built(context):
    return sycl.get_kernel_bundle(context, ADD)


def exactly(message):
    return f"^{re.escape(message)}$"


# -- bad input --


@pytest.mark.parametrize(
    ("sources", "message"),
    [
        (5, "sources: expected OpenCL C texts, Programs or Kernels, got 5"),
        ([ADD, None], "sources: expected OpenCL C texts, Programs or Kernels, got None"),
        (b"text", "sources: expected OpenCL C texts, Programs or Kernels, got 4 bytes: pass text, as str"),
    ],
)
def test_sources(context, sources, message):
    with pytest.raises(sycl.InvalidParameterError, match=exactly(message)):
        sycl.KernelBundle(sources, context)


def test_devices_and_states(device, context):
    with pytest.raises(sycl.InvalidParameterError, match=exactly("devices: expected at least one device")):
        sycl.KernelBundle(ADD, context, [])
    with pytest.raises(sycl.InvalidParameterError, match=exactly("devices: 'cpu' is none of the context's")):
        sycl.KernelBundle(ADD, context, ["cpu"])
    with pytest.raises(
        sycl.InvalidParameterError,
        match=exactly("state is 'done', which is no BundleState: it must be one of input, object, executable"),
    ):
        sycl.get_kernel_bundle(context, ADD, state="done")


def test_what_the_steps_take(built):
    for function in (sycl.build, sycl.compile, sycl.link, sycl.join):
        name = function.__name__
        with pytest.raises(sycl.InvalidParameterError, match=exactly(f"{name}: expected kernel bundles, got 7")):
            function([7])
    with pytest.raises(sycl.InvalidParameterError, match=exactly("link: expected kernel bundles, got 7")):
        sycl.link(7)
    with pytest.raises(
        sycl.InvalidError,
        match=exactly("build: expected kernel bundles in the state input, got one in executable"),
    ):
        sycl.build(built)
    with pytest.raises(
        sycl.InvalidError, match=exactly("join: expected kernel bundles in the state executable, got one in input")
    ):
        sycl.join([built, sycl.KernelBundle(ADD, built.context)])
    with pytest.raises(
        sycl.InvalidParameterError, match=exactly("options: '-D' ends with an option that lacks its value")
    ):
        sycl.link(sycl.compile(sycl.KernelBundle(ADD, built.context)), "-D")


def test_kernels_of_a_bundle(context, built):
    with pytest.raises(sycl.InvalidParameterError, match=exactly("name: expected the name of a kernel, got 3")):
        built.get_kernel(3)
    with pytest.raises(sycl.InvalidParameterError, match=exactly("name: expected the name of a kernel, got None")):
        built.has_kernel(None)
    with pytest.raises(sycl.InvalidParameterError, match=exactly("kernel: expected a Kernel, got 'add'")):
        sycl.kernel_name("add")
    source = sycl.KernelBundle(ADD, context)
    with pytest.raises(
        sycl.InvalidError,
        match=exactly("native_binary: a device image in the state input has no binary; compile or build it"),
    ):
        _ = source.images[0].native_binary
    with pytest.raises(
        sycl.InvalidError, match=exactly("binary: the kernel bundle is in the state input; compile or build it first")
    ):
        source.binary()
    with pytest.raises(sycl.InvalidObjectError, match=exactly("device: 'cpu' is none of the kernel bundle's")):
        built.binary("cpu")
    with pytest.raises(
        TypeError, match=r"^<pysycl\.KernelBundle with add in the state executable> cannot be pickled: "
    ):
        pickle.dumps(built)


def test_descriptors_of_a_kernel(device, built):
    kernel = built.get_kernel("add")
    with pytest.raises(
        sycl.InvalidParameterError,
        match=exactly("num_args: it is the same on all devices, so none can be given"),
    ):
        kernel.get_info("num_args", device)
    with pytest.raises(
        sycl.InvalidParameterError,
        match=exactly("Kernel has no info descriptor 'num_arg': did you mean 'num_args'?"),
    ):
        kernel.get_info("num_arg", device)
    with pytest.raises(AttributeError, match=exactly("num_args is a fact about the Kernel and cannot be set")):
        kernel.num_args = 3


def test_kernels_of_another_context_and_driver(run_fake):
    run_fake(
        """
        contexts = [sycl.Context() for _ in range(2)]
        kernel = sycl.get_kernel_bundle(contexts[0], program).get_kernel("bump")
        device = kernel.context.devices[0]
        try:
            sycl.Queue(context=contexts[1]).parallel_for(4, kernel, np.zeros(4, np.uint32), 4)
        except sycl.InvalidObjectError as error:
            assert str(error) == "kernel 'bump' belongs to a kernel bundle of another context than the queue's", error
        else:
            raise AssertionError
        part = device.create_sub_devices("partition_equally", 2)[0]
        try:
            kernel.get_info("work_group_size", part)
        except sycl.InvalidObjectError as error:
            assert str(error) == f"device: {part!r} is none of the kernel's context", error
        else:
            raise AssertionError
        """
    )


@pytest.mark.parametrize(
    ("use", "error", "message"),
    [
        (lambda h, b: h.use_kernel_bundle(5), sycl.InvalidParameterError, "bundle: expected a KernelBundle, got 5"),
        (
            lambda h, b: h.use_kernel_bundle(sycl.KernelBundle(ADD, b.context)),
            sycl.InvalidError,
            "use_kernel_bundle: the kernel bundle is in the state input: build it first",
        ),
        (
            lambda h, b: h.use_kernel_bundle(b, 5),
            sycl.InvalidParameterError,
            "selector: expected a function of a device image, got 5",
        ),
        (
            lambda h, b: h.use_kernel_bundle(b, lambda image: "best"),
            sycl.InvalidParameterError,
            "selector: expected a number for each device image, got 'best'",
        ),
        (
            lambda h, b: h.set_specialization_constant("gain", 1),
            sycl.InvalidParameterError,
            "constant: expected a SpecConstant, got 'gain'",
        ),
        (
            lambda h, b: h.has_specialization_constant(None),
            sycl.InvalidParameterError,
            "constant: expected a SpecConstant, got None",
        ),
    ],
)
def test_what_a_group_takes(queue, built, use, error, message):
    with queue.submit() as h, pytest.raises(error, match=exactly(message)):
        use(h, built)


def test_a_group_has_a_bundle_or_constants(queue, built):
    gain = sycl.SpecConstant("f4", 1, "gain")
    program = sycl.Program(ADD.replace("+= a", "+= SPEC(gain)"), spec_constants=[gain])
    x = np.zeros(4, np.float32)
    with queue.submit() as h:
        h.use_kernel_bundle(built)
        with pytest.raises(
            sycl.InvalidError,
            match=exactly("set_specialization_constant: the command group uses a kernel bundle: its values are fixed"),
        ):
            h.set_specialization_constant(gain, 2)
        with pytest.raises(
            sycl.KernelNotSupportedError,
            match=exactly("the command group uses a kernel bundle: its kernels are those of the bundle"),
        ):
            h.parallel_for(4, "x[i] = 1;", x=x)
    with queue.submit() as h:
        h.set_specialization_constant(gain, 2)
        for call, error, message in (
            (
                lambda: h.use_kernel_bundle(built),
                sycl.InvalidError,
                "use_kernel_bundle: the command group has set specialization constants",
            ),
            (
                lambda: h.parallel_for(4, built.get_kernel("add"), x, 1.0),
                sycl.InvalidError,
                "kernel 'add' is of a kernel bundle, where the values of specialization constants are fixed",
            ),
            (
                lambda: h.parallel_for(4, sycl.Program(ADD).add, x, 1.0),
                sycl.InvalidObjectError,
                "the program of kernel 'add' has no specialization constant 'gain'",
            ),
            (
                lambda: h.parallel_for(4, "x[i] = 1;", x=x),
                sycl.InvalidObjectError,
                "body: it does not name the specialization constant SPEC(gain)",
            ),
        ):
            with pytest.raises(error, match=exactly(message)):
                call()
        h.parallel_for(4, program.add, x, 0.0)
        for late in (lambda: h.use_kernel_bundle(built), lambda: h.set_specialization_constant(gain, 3)):
            with pytest.raises(sycl.InvalidError, match=r"^use_kernel_bundle"):
                late()
    h.event.wait_and_throw()
    assert x.tolist() == [2] * 4
    with pytest.raises(sycl.InvalidError, match=r"^use_kernel_bundle"):
        h.use_kernel_bundle(built)


# -- binaries --


def test_damaged_binaries_are_refused(context, built):
    blob = built.binary()
    rng = np.random.default_rng(1)
    for _ in range(200):
        damaged = bytearray(blob)
        kind = rng.integers(3)
        if kind == 0:
            damaged[rng.integers(len(MAGIC), len(blob))] ^= 1 + rng.integers(255)
        elif kind == 1:
            del damaged[rng.integers(len(MAGIC), len(blob)) :]
        else:
            damaged += rng.bytes(1 + rng.integers(9))
        with pytest.raises(
            sycl.InvalidObjectError, match=exactly("binary: the bytes are damaged: their checksum is not what it was")
        ):
            opencl.create_bundle_with_binary(context, bytes(damaged))
    assert sycl.build(opencl.create_bundle_with_binary(context, bytearray(blob))).kernel_names == ["add"]


def test_a_binary_of_another_device_is_refused(run_fake, tmp_path):
    file = tmp_path / "kernels"
    code = f"""
        context, file = sycl.Context(), {str(file)!r}
        if not os.path.exists(file):
            open(file, "wb").write(sycl.get_kernel_bundle(context, program).binary())
        else:
            try:
                sycl.opencl.create_bundle_with_binary(context, open(file, "rb").read())
            except sycl.InvalidObjectError as error:
                assert str(error) == (
                    "binary: it was made for Fake device 1 of Intel (fake) 1.0, not for Another of Intel (fake) 1.0"
                ), error
            else:
                raise AssertionError("taken")
        """
    run_fake(code)
    run_fake(code, {"FAKE_DEVICE_NAMES": "Another"})


def test_compiled_binaries_and_built_in_kernels_are_not_compiled(run_fake):
    run_fake(
        """
        context = sycl.Context()
        built = sycl.build(sycl.opencl.create_bundle_with_builtin_kernels(context, ["bump"]))
        stored = sycl.get_kernel_bundle(context, program)
        for bundle, words in (
            (sycl.opencl.create_bundle_with_builtin_kernels(context, ["bump"]), "built into the device"),
            (sycl.opencl.create_bundle_with_binary(context, stored.binary()), "a binary"),
        ):
            try:
                sycl.compile(bundle)
            except sycl.CompileProgramError as error:
                assert str(error) == f"the program is of no text that could be compiled: it is {words}", error
            else:
                raise AssertionError(words)
        unknown = "kernel void bump(global uint *y, uint n) { no_arg_info(); }"
        image = sycl.get_kernel_bundle(context, unknown).images[0]
        try:
            sycl.opencl.create_bundle_with_binary(context, image.native_binary)
        except sycl.InvalidObjectError as error:
            assert str(error) == (
                "the driver does not tell which arguments kernel 'bump' takes: give declarations of the kernels as well"
            ), error
        else:
            raise AssertionError
        """,
        {"FAKE_BUILT_IN": "bump"},
    )


def test_bytes_are_no_text():
    for given in (b"x" * 100000, [b"x" * 100000]):
        with pytest.raises(sycl.InvalidParameterError) as caught:
            sycl.KernelBundle(given)
        assert str(caught.value) == (
            "sources: expected OpenCL C texts, Programs or Kernels, got 100000 bytes: pass text, as str"
        )
    with pytest.raises(sycl.InvalidParameterError) as caught:
        sycl.KernelBundle([["x" * 100000]])
    assert len(str(caught.value)) < 300


# -- hostile logs --


@pytest.mark.parametrize("step", ["build", "compile"])
def test_a_log_of_ten_megabytes(run_fake, step):
    run_fake(
        f"""
        bundle = sycl.KernelBundle("kernel void bump(global uint *y, uint n) {{ }}\\n#deluge of words\\n")
        try:
            sycl.{step}(bundle)
        except sycl.BuildError as error:
            assert len(error.build_log) == 10 << 20 and len(str(error)) < 5000, len(str(error))
            assert str(error).startswith("kernel.cl:2:2: of words"), str(error)[:80]
        else:
            raise AssertionError
        """
    )


@pytest.mark.parametrize("step", ["build", "compile"])
def test_a_log_that_is_no_utf8(run_fake, step):
    run_fake(
        f"""
        bundle = sycl.KernelBundle("kernel void bump(global uint *y, uint n) {{ }}\\n#gibberish\\n")
        try:
            sycl.{step}(bundle)
        except sycl.BuildError as error:
            assert str(error).startswith("kernel.cl:2:2: ???: "), str(error)
            assert "error: \\N{{REPLACEMENT CHARACTER}}" in error.build_log, error.build_log
        else:
            raise AssertionError
        """
    )


@pytest.mark.parametrize(
    ("word", "message"),
    [
        ("unresolved", "kernel.cl: undefined symbol: unresolved (built for Fake device 1)\n"),
        (
            "vanished",
            "the programs do not link for Fake device 1, and the linker left no log: a function that they call may be "
            "defined in none of them, or in two",
        ),
    ],
)
def test_what_linkers_leave(run_fake, word, message):
    run_fake(
        f"""
        bundle = sycl.KernelBundle("kernel void bump(global uint *y, uint n) {{ {word}(); }}")
        try:
            sycl.link(sycl.compile(bundle))
        except sycl.LinkProgramError as error:
            assert str(error).startswith({message!r}), str(error)
            assert error.api == "clLinkProgram" and error.cl_code == -17
        else:
            raise AssertionError
        live_counts.quiet()
        assert fake.fake_error_count() == 0
        """
    )


# -- builds in the background --


def test_a_build_is_waited_for(device, context):
    program = sycl.Program(ADD)
    build = program.build_async(context)
    assert isinstance(build, sycl.Build)
    log = build.wait()
    assert build.done and repr(build) == "<pysycl.Build done>"
    assert isinstance(log, str) and program.is_built_for(context)
    bundle = sycl.build_async(sycl.KernelBundle(ADD, context)).wait(60)
    assert bundle.state is sycl.BundleState.executable


def test_a_build_is_awaited(context):
    async def several():
        programs = [sycl.Program(ADD.replace("add", f"add{i}")) for i in range(3)]
        await asyncio.gather(*(waited(program.build_async(context)) for program in programs))
        assert all(program.is_built_for(context) for program in programs)
        with pytest.raises(sycl.BuildError, match="nonsense"):
            await sycl.Program("__kernel void k(__global int *x) { nonsense; }").build_async(context)

    async def waited(build):
        return await build

    asyncio.run(several())


def test_what_fails_in_the_background_is_raised_each_time(context):
    build = sycl.Program("__kernel void k(__global int *x) { nonsense; }").build_async(context)
    for _ in range(2):
        with pytest.raises(sycl.BuildError, match="nonsense"):
            build.wait()
    wrong = sycl.build_async(sycl.compile(sycl.KernelBundle(ADD, context)))
    with pytest.raises(
        sycl.InvalidError, match=exactly("build: expected kernel bundles in the state input, got one in object")
    ):
        wrong.wait()


def test_two_who_ask_for_a_build_make_one(run_fake):
    run_fake(
        """
        import threading
        context = sycl.Context()
        _core.fault_install(0)
        for round in range(20):
            fresh = sycl.Program("kernel void bump(global uint *y, uint n) { for (;;); } // " + str(round))
            builds = [fresh.build_async(context) for _ in range(6)]
            threads = [threading.Thread(target=fresh.build, args=(context,)) for _ in range(3)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            assert {build.wait() for build in builds} == {""}
            assert _core.fault_calls("BuildProgram") == round + 1
        """
    )


def test_others_run_while_a_build_does(device, context):
    body = "\n".join(f"x[{i}] = sin(x[{i + 1}]) * cos(x[{i + 2}]) + {i};" for i in range(150))
    build = sycl.Program(f"__kernel void slow(__global float *x) {{ {body} }}").build_async(context)
    turns = 0
    while not build.done:
        turns += 1
    build.wait()
    assert turns > 0


def test_the_end_of_the_process_waits_for_builds(run_python):
    child = run_python(
        """
        import pysycl as sycl
        context = sycl.Queue().context
        build = sycl.Program("__kernel void k(__global float *x) { x[0] = sin(x[1]); }").build_async(context)
        """
    )
    assert child.stderr == ""
