"""Kernel bundles: SYCL 2020, 4.11 (modules, 4.13 of the draft), and what command groups do with them, 4.9.4 (4.11.4)."""

import copy
import gc
import weakref

import numpy as np
import pytest

import pysycl as sycl
from pysycl import BundleState

TWICE = "float twice(float x) { return 2 * x; }\n"
CALLER = """float twice(float x);
__kernel void caller(__global float *x, float a) { size_t i = get_global_id(0); x[i] = twice(x[i]) + a; }
"""
ADD = "__kernel void add(__global float *x, float a) { x[get_global_id(0)] += a; }\n"
BOTH = ADD + "__kernel void fill(__global float *x) { x[get_global_id(0)] = 7; }\n"


def has_compiler(device):
    return device.has("online_compiler") and device.has("online_linker")


@pytest.fixture
def context(queue):
    return queue.context


def run(queue, kernel, *arguments, start=1.0):
    x = np.full(4, start, np.float32)
    queue.parallel_for(4, kernel, x, *arguments)
    return x.tolist()


# -- what a bundle is --


@pytest.mark.spec("D265", "D276", "D278")
def test_a_bundle_is_of_one_context_its_devices_and_images(device, context):
    bundle = sycl.KernelBundle([BOTH, TWICE], context)
    assert bundle.context == context
    assert bundle.devices == context.devices == [device]
    assert bundle.kernel_names == ["add", "fill"]
    assert not bundle.is_empty and not bundle.empty
    images = list(bundle)
    assert len(bundle) == len(images) == 2
    assert [image.kernel_names for image in images] == [("add", "fill"), ()]
    assert {image.device for image in images} == {device}
    assert images == bundle.images and images[0].has_kernel("add") and not images[1].has_kernel("add")


@pytest.mark.spec("D266", "D265")
def test_a_bundle_is_made_of_texts_programs_and_kernels(context):
    program = sycl.Program(ADD)
    for source in (
        ADD,
        program,
        program.add,
        [program, program.add],
        sycl.get_kernel_bundle(context, program).images[0].program,
    ):
        bundle = sycl.KernelBundle(source, context)
        assert bundle.kernel_names == ["add"] and len(bundle) == 1
        assert bundle.state is BundleState.input


@pytest.mark.spec("D273")
def test_the_state_says_what_a_bundle_is_good_for(context):
    source = sycl.KernelBundle(ADD, context)
    compiled, built = sycl.compile(source), sycl.build(source)
    assert (source.state, compiled.state, built.state) == (*BundleState,)
    assert [state.name for state in BundleState] == ["input", "object", "executable"]
    for wrong in (source, compiled):
        with pytest.raises(
            sycl.InvalidError, match=rf"^get_kernel: the kernel bundle is in the state {wrong.state.value}"
        ):
            wrong.get_kernel("add")
    for function, bundle in (
        (sycl.build, compiled),
        (sycl.build, built),
        (sycl.compile, built),
        (sycl.link, source),
        (sycl.link, built),
    ):
        with pytest.raises(sycl.InvalidError, match=rf"^{function.__name__}: expected kernel bundles in the state "):
            function(bundle)


@pytest.mark.spec("D274", "D294")
def test_a_bundle_may_be_empty(context):
    empty = sycl.KernelBundle([], context)
    assert empty.is_empty and len(empty) == 0 and empty.kernel_names == [] and list(empty) == []
    assert sycl.build(empty).is_empty
    assert sycl.link(sycl.compile(empty)).is_empty
    assert not sycl.build(empty).has_kernel("add")


@pytest.mark.spec("D275")
def test_bundles_of_the_same_are_equal(device, context):
    program = sycl.Program(ADD)
    one, same = sycl.KernelBundle(program, context), sycl.KernelBundle(program, context)
    assert one == same and hash(one) == hash(same)
    assert copy.copy(one) is one and copy.deepcopy(one) is one
    assert sycl.build(one) == sycl.build(same) == sycl.get_kernel_bundle(context, program)
    assert one != sycl.build(one)
    assert one != sycl.KernelBundle(sycl.Program(BOTH), context)
    assert one != sycl.KernelBundle(program, sycl.Context(device))
    assert one != "a bundle"


@pytest.mark.spec("D275")
def test_a_bundle_keeps_its_context(device):
    context = sycl.Context(device)
    kernel = sycl.get_kernel_bundle(context, ADD).get_kernel("add")
    native = context.int_ptr
    del context
    gc.collect()
    assert kernel.context.int_ptr == native
    assert run(sycl.Queue(device, context=kernel.context), kernel, 1.0) == [2, 2, 2, 2]


@pytest.mark.spec("D277")
def test_kernels_of_an_executable_bundle(queue, context):
    bundle = sycl.build(sycl.KernelBundle(BOTH, context))
    assert bundle.has_kernel("add") and not bundle.has_kernel("subtract")
    assert bundle.has_kernel("add", queue.device)
    assert run(queue, bundle.get_kernel("add"), 2.0) == [3, 3, 3, 3]
    with pytest.raises(
        sycl.InvalidObjectError, match=r"^the kernel bundle has no kernel 'subtract': it has add, fill$"
    ):
        bundle.get_kernel("subtract")
    if queue.device.partition_max_sub_devices > 1:
        assert not bundle.has_kernel("add", queue.device.create_sub_devices("partition_by_counts", [1])[0])


@pytest.mark.spec("D277")
def test_only_executable_bundles_give_kernels(context):
    """Which kernels there are can be asked in every state, as in the final specification."""
    source = sycl.KernelBundle(BOTH, context)
    for bundle, state in ((source, "input"), (sycl.compile(source), "object")):
        assert bundle.has_kernel("add") and not bundle.has_kernel("subtract")
        for name in ("add", "subtract"):
            with pytest.raises(sycl.InvalidError, match=f"bundle is in the state {state}: build it first$"):
                bundle.get_kernel(name)
    assert sycl.link(bundle).get_kernel("add").name == "add"


# -- from state to state --


@pytest.mark.spec("D282")
def test_build_keeps_kernels_context_and_devices(queue, context):
    source = sycl.KernelBundle(BOTH, context)
    built = sycl.build(source)
    assert (built.kernel_names, built.context, built.devices) == (source.kernel_names, context, source.devices)
    assert run(queue, built.get_kernel("fill")) == [7, 7, 7, 7]


@pytest.mark.spec("D283", "D284", "D473", "H111", "D539")
def test_functions_of_several_sources_are_linked(device, queue, context):
    objects = [sycl.compile(sycl.KernelBundle(text, context)) for text in (CALLER, TWICE)]
    assert [each.state for each in objects] == [BundleState.object] * 2
    linked = sycl.link(objects)
    assert linked.state is BundleState.executable
    assert (linked.kernel_names, linked.context, linked.devices) == (["caller"], context, [device])
    assert run(queue, linked.get_kernel("caller"), 1.0, start=3.0) == [7, 7, 7, 7]


@pytest.mark.spec("D284")
def test_one_object_is_linked_by_itself(queue, context):
    linked = sycl.link(sycl.compile(sycl.KernelBundle([CALLER, TWICE], context)))
    assert run(queue, linked.get_kernel("caller"), 0.0) == [2, 2, 2, 2]


@pytest.mark.spec("D284")
def test_linked_kernels_over_groups_and_two_dimensions(queue, context):
    text = """int row(void);
__kernel __attribute__((reqd_work_group_size(4, 2, 1))) void k(__global int *x, __local int *l) {
    size_t i = get_local_id(1) * 4 + get_local_id(0);
    l[i] = 10 * row() + (int)get_local_id(0);
    barrier(CLK_LOCAL_MEM_FENCE);
    x[i] = l[7 - i];
}"""
    parts = (text, "int row(void) { return (int)get_local_id(1); }")
    kernel = sycl.link([sycl.compile(sycl.KernelBundle(part, context)) for part in parts]).get_kernel("k")
    assert kernel.compile_work_group_size == (1, 2, 4)
    x = np.zeros((2, 4), np.int32)
    queue.parallel_for(sycl.NdRange((2, 4), (2, 4)), kernel, x, sycl.local(8, np.int32))
    assert x.tolist() == [[13, 12, 11, 10], [3, 2, 1, 0]]


@pytest.mark.spec("D285")
def test_join_has_the_kernels_of_all(queue, context):
    for step in (lambda bundle: bundle, sycl.compile, sycl.build):
        parts = [step(sycl.KernelBundle(text, context)) for text in (ADD, CALLER.replace("twice(x[i])", "x[i]"))]
        joined = sycl.join(parts)
        assert joined.state is parts[0].state and joined.context == context
        assert joined.kernel_names == ["add", "caller"]
    assert run(queue, joined.get_kernel("add"), 1.0) == run(queue, joined.get_kernel("caller"), 1.0) == [2] * 4


@pytest.mark.spec("D286")
def test_a_failed_build_says_where_and_why(context):
    with pytest.raises(sycl.BuildError) as error:
        sycl.build(sycl.KernelBundle("__kernel void k(__global int *x)\n{\n    x[0] = nothing;\n}\n", context))
    assert error.value.code is sycl.Errc.build
    assert "kernel.cl:3" in str(error.value) and "    x[0] = nothing;" in str(error.value)
    assert error.value.build_log and "nothing" in error.value.build_log


@pytest.mark.spec("D287")
def test_a_failed_compilation_and_a_failed_link(device, context):
    with pytest.raises(sycl.CompileProgramError) as error:
        sycl.compile(sycl.KernelBundle("__kernel void k(__global int *x)\n{ x[0] = nothing; }\n", context))
    assert error.value.code is sycl.Errc.build and error.value.api == "clCompileProgram"
    assert "kernel.cl:2" in str(error.value) and "{ x[0] = nothing; }" in str(error.value)
    twins = [sycl.compile(sycl.KernelBundle(text, context)) for text in (TWICE, "// another text\n" + TWICE)]
    with pytest.raises(sycl.LinkProgramError) as error:  # a driver need not survive it
        sycl.link(twins)
    assert str(error.value) == (
        "function 'twice' is defined in two of the programs to link: in line 1 of program 1, and in line 2 of program "
        "2; what other texts are not to call is static"
    )
    own = [sycl.compile(sycl.KernelBundle("static " + text, context)) for text in (TWICE, TWICE + ADD)]
    assert sycl.link(own).kernel_names == ["add"]
    if not device._facts["thread_safe"]:
        return  # Oclgrind looks for functions when it comes to them
    with pytest.raises(sycl.LinkProgramError) as error:
        sycl.link(sycl.compile(sycl.KernelBundle(CALLER, context)))
    assert error.value.code is sycl.Errc.build and error.value.api == "clLinkProgram"


@pytest.mark.spec("D286", "D287")
@pytest.mark.parametrize("lacks", ["compiler", "linker"])
def test_devices_without_a_compiler_or_linker(run_fake, lacks):
    run_fake(
        f"""
        lacks = {lacks!r}
        import pytest
        context = sycl.Context(sycl.devices())
        bundle = sycl.KernelBundle("kernel void bump(global uint *y, uint n) {{ for (;;); }}", context)
        def refused(error, what, aspect):
            return pytest.raises(error, match=f"^{{what}}: no device of the kernel bundle has the aspect {{aspect}}, "
                                 "'Fake device 1' for one$")
        if lacks == "compiler":
            with refused(sycl.BuildError, "build", "online_compiler"):
                sycl.build(bundle)
            with refused(sycl.CompileProgramError, "compile", "online_compiler"):
                sycl.compile(bundle)
            assert not sycl.has_kernel_bundle(context, program)
            assert sycl.has_kernel_bundle(context, program, state="input")
        else:
            with refused(sycl.LinkProgramError, "link", "online_linker"):
                sycl.link(sycl.compile(bundle))
        """,
        {"FAKE_LACKS": lacks},
    )


@pytest.mark.spec("D288")
def test_bundles_of_several_contexts_are_not_joined_or_linked(device, context):
    strange = sycl.KernelBundle(ADD, sycl.Context(device))
    here = sycl.KernelBundle(CALLER, context)
    with pytest.raises(
        sycl.InvalidObjectError, match=r"^join: the kernel bundles are of different contexts or devices$"
    ):
        sycl.join([here, strange])
    with pytest.raises(
        sycl.InvalidObjectError, match=r"^link: the kernel bundles are of different contexts or devices$"
    ):
        sycl.link([sycl.compile(here), sycl.compile(strange)])
    for function in (sycl.join, sycl.link):
        with pytest.raises(
            sycl.InvalidObjectError, match=rf"^{function.__name__}: expected at least one kernel bundle, got none$"
        ):
            function([])


@pytest.mark.spec("D289")
def test_of_kernels_of_one_name_the_first_one_stays(queue, context):
    one, other = ADD, ADD.replace("+= a", "-= a") + TWICE
    parts = [sycl.KernelBundle(text, context) for text in (one, other, CALLER)]
    linked = sycl.link([sycl.compile(part) for part in parts])
    assert linked.kernel_names.count("add") == 1
    assert run(queue, linked.get_kernel("add"), 1.0) == [2, 2, 2, 2]
    assert run(queue, linked.get_kernel("caller"), 1.0) == [3, 3, 3, 3]
    again = sycl.link([sycl.compile(sycl.KernelBundle(text, context)) for text in (TWICE, CALLER, TWICE)])
    assert again.kernel_names == ["caller"]
    joined = sycl.build(sycl.join(parts[:2]))
    assert joined.kernel_names == ["add"] and run(queue, joined.get_kernel("add"), 1.0) == [2, 2, 2, 2]


@pytest.mark.spec("D290")
def test_a_bundle_takes_builds_that_are_there(run_fake):
    run_fake(
        """
        from pysycl import _core
        context = sycl.Context()
        program.build(context)
        _core.fault_install(0)
        bundle = sycl.get_kernel_bundle(context, program)
        assert _core.fault_calls("BuildProgram") == 0
        sycl.get_kernel_bundle(sycl.Context(), program)
        assert _core.fault_calls("BuildProgram") == 1
        """
    )


# -- the bundles of this process --


@pytest.mark.spec("D291")
def test_the_name_of_a_kernel(context):
    program = sycl.Program(ADD)
    assert sycl.kernel_name(program.add) == "add"
    assert sycl.get_kernel_bundle(context, program).has_kernel(sycl.kernel_name(program.add))


@pytest.mark.spec("D292", "D293", "D294")
def test_asking_for_bundles_compiles_nothing(run_fake):
    run_fake(
        """
        import gc
        from pysycl import _core
        queue = sycl.Queue()
        _core.fault_install(0)
        def compiled():
            return sum(_core.fault_calls(entry) for entry in ("BuildProgram", "CompileProgram", "CreateProgramWithSource"))
        for state in sycl.BundleState:
            assert sycl.has_kernel_bundle(queue.context, state=state)
        assert sycl.has_any_kernel_bundle(queue.context)
        assert compiled() == 0
        bundle = sycl.get_kernel_bundle(queue.context)
        assert bundle.state is sycl.BundleState.executable and bundle.has_kernel("churn") and compiled() == 2
        mine = sycl.get_kernel_bundle(queue.context, state="input")
        assert "churn" in mine.kernel_names

        del program, bundle, mine
        gc.collect()
        assert not sycl.has_any_kernel_bundle(queue.context)
        assert not sycl.has_kernel_bundle(queue.context)
        assert sycl.get_kernel_bundle(queue.context).is_empty
        text = "kernel void needs(global double *x) { x[0] = 1; }"
        if not queue.device.has("fp64"):
            lacking = sycl.Program(text)
            assert not sycl.has_kernel_bundle(queue.context) and sycl.get_kernel_bundle(queue.context).is_empty
            assert not sycl.is_compatible(lacking, queue.device)
        """,
        {"FAKE_LACKS": "fp64"},
    )


# -- in command groups --


@pytest.mark.spec("D193", "D243", "D267", "D299")
def test_a_group_launches_the_kernels_of_its_bundle(queue, context):
    program, other = sycl.Program(ADD), sycl.Program(ADD.replace("+= a", "*= a"))
    bundle = sycl.get_kernel_bundle(context, other, state="executable")
    x = np.full(4, 5, np.float32)
    for use in ("use_kernel_bundle", "use_module"):
        with queue.submit() as h:
            getattr(h, use)(bundle)
            h.parallel_for(4, program.add, x, 3.0)
        h.event.wait_and_throw()
    assert x.tolist() == [45] * 4
    wrong = sycl.Program(BOTH).fill
    with queue.submit() as h:
        h.use_kernel_bundle(bundle)
        with pytest.raises(
            sycl.KernelNotSupportedError,
            match=r"^the kernel bundle of the command group has no kernel 'fill': it has add$",
        ):
            h.parallel_for(4, wrong, x)


@pytest.mark.spec("D244")
def test_a_bundle_of_another_context_is_refused(device, queue):
    strange = sycl.get_kernel_bundle(sycl.Context(device), ADD)
    with (
        pytest.raises(
            sycl.InvalidObjectError,
            match=r"^use_kernel_bundle: the kernel bundle is of another context than the queue$",
        ),
        queue.submit() as h,
    ):
        h.use_kernel_bundle(strange)
    with pytest.raises(
        sycl.InvalidObjectError, match=r"^kernel 'add' belongs to a kernel bundle of another context than the queue's$"
    ):
        queue.parallel_for(4, strange.get_kernel("add"), np.zeros(4, np.float32), 1.0)


@pytest.mark.spec("D245", "D555")
def test_a_selector_chooses_the_image_with_the_best_score(queue, context):
    bundle = sycl.join([sycl.get_kernel_bundle(context, text) for text in (ADD, ADD.replace("+= a", "*= a"))])
    seen = []

    def second(image):
        seen.append(image)
        return 2.5 if image == bundle.images[1] else 1

    x = np.full(4, 5, np.float32)
    with queue.submit() as h:
        h.use_kernel_bundle(bundle, second)
        h.parallel_for(4, sycl.Program(ADD).add, x, 3.0)
    h.event.wait_and_throw()
    assert x.tolist() == [15] * 4
    assert seen == bundle.images
    with queue.submit() as h:
        h.use_kernel_bundle(bundle)
        h.parallel_for(4, bundle.get_kernel("add"), x, 3.0)
    h.event.wait_and_throw()
    assert x.tolist() == [18] * 4


@pytest.mark.spec("D246")
def test_no_image_can_be_selected(device, queue, context):
    bundle = sycl.get_kernel_bundle(context, ADD)
    with pytest.raises(sycl.DeviceImageSelectionError) as error, queue.submit() as h:
        h.use_kernel_bundle(bundle, lambda image: -1)
    assert (
        str(error.value) == f"use_kernel_bundle: of 1 device images the selector takes none for device '{device.name}'"
    )
    empty = sycl.build(sycl.KernelBundle([], context))
    with (
        pytest.raises(sycl.DeviceImageSelectionError, match=r"^use_kernel_bundle: of 0 device images "),
        queue.submit() as h,
    ):
        h.use_kernel_bundle(empty, lambda image: 1)


@pytest.mark.spec("D265", "D243")
def test_images_for_several_devices(device):
    if device.max_compute_units < 2 or "partition_equally" not in [each.value for each in device.partition_properties]:
        pytest.skip("the device cannot be divided")
    parts = device.create_sub_devices("partition_by_counts", [1, 1])
    context = sycl.Context(parts)
    bundle = sycl.get_kernel_bundle(context, ADD)
    assert len(bundle) == 2 and {image.device for image in bundle} == set(parts)
    kernel = bundle.get_kernel("add")
    for part in parts:
        queue = sycl.Queue(part, context=context)
        assert run(queue, kernel, 1.0) == [2, 2, 2, 2]
        assert kernel.get_info("work_group_size", part) >= 1
        x = np.zeros(4, np.float32)
        with queue.submit() as h:
            h.use_kernel_bundle(bundle, lambda image, part=part: image.device == part)
            h.parallel_for(4, kernel, x, 2.0)
        h.event.wait_and_throw()
        assert x.tolist() == [2, 2, 2, 2]
    first = sycl.get_kernel_bundle(context, ADD, devices=parts[:1])
    assert first.devices == parts[:1] and len(first) == 1
    with pytest.raises(sycl.KernelNotSupportedError) as error, sycl.Queue(parts[1], context=context).submit() as h:
        h.use_kernel_bundle(first)
    assert str(error.value) == (f"use_kernel_bundle: the kernel bundle is not for the queue's device '{parts[1].name}'")


@pytest.mark.spec("D282", "D283", "D284")
def test_nothing_is_left_of_bundles(device, live_counts):
    def use():
        context = sycl.Context(device)
        objects = [sycl.compile(sycl.KernelBundle(text, context)) for text in (CALLER, TWICE)]
        linked = sycl.link(objects)
        kernel = linked.get_kernel("caller")
        assert run(sycl.Queue(device, context=context), kernel, 1.0) == [3, 3, 3, 3]
        with pytest.raises(sycl.BuildError):
            sycl.build(sycl.KernelBundle("__kernel void k(void) { nothing; }", context))
        return weakref.ref(linked)

    use()
    before = live_counts.quiet()
    assert use()() is None
    assert live_counts.quiet() == before
