"""Errors: SYCL 2020, 4.13."""

import pickle

import numpy as np
import pytest

import pysycl as sycl
from pysycl import errors

FINAL = ["runtime", "kernel", "accessor", "nd_range", "event", "kernel_argument", "build", "invalid",
         "memory_allocation", "platform", "profiling", "feature_not_supported", "kernel_not_supported",
         "backend_mismatch"]  # fmt: skip
DRAFT = ["runtime", "kernel", "accessor", "nd_range", "event", "invalid_parameter", "compile_program", "link_program",
         "invalid_object", "memory_allocation", "platform", "profiling", "feature_not_supported"]  # fmt: skip
BUILT_IN = {"NdRangeError": ValueError, "InvalidError": ValueError, "MemoryAllocationError": MemoryError,
            "KernelArgumentError": TypeError, "SyclRuntimeError": RuntimeError}  # fmt: skip
BROKEN = sycl.Program("__kernel void broken(__global uint *x) { x[0] = no_such_name; }")


@pytest.mark.spec("D307", "D324")
def test_two_kinds_of_errors(run_fake):
    run_fake("""
        queue, got = sycl.Queue(async_handler=lambda errors: got.append(errors)), []
        x = np.zeros(4, np.uint32)
        try:
            queue.parallel_for(sycl.NdRange(4, 3), program.fail, x, wait=False)
        except sycl.NdRangeError:
            pass
        else:
            raise AssertionError("not thrown by the call")
        queue.single_task(program.fail, x, wait=False)  # not thrown by the call
        queue.wait_and_throw()
        (errors,) = got
        assert type(errors) is sycl.ExceptionList and isinstance(errors[0], sycl.KernelError)
        """)


@pytest.mark.spec("D307", "D308")
def test_any_callable_will_do(device):
    class Callable:
        def __call__(self, errors):
            """An asynchronous handler."""

    for handler in (lambda errors: None, Callable(), [].append, print):
        assert sycl.Queue(device, async_handler=handler).async_handler is handler
        assert sycl.Context(device, handler).async_handler is handler
    assert sycl.Queue(device).async_handler is None
    assert sycl.Context(device).async_handler is None


@pytest.mark.spec("D309", "D310", "D312")
def test_each_error_is_delivered_once_by_each_of_the_ways(run_fake):
    run_fake("""
        import gc
        of_queue, of_context, x = [], [], np.zeros(4, np.uint32)
        context = sycl.Context(sycl.Device(), of_context.extend)

        def failed(queue):
            event = queue.single_task(program.fail, x, wait=False)
            event.wait()
            return event

        for handler, got in ((of_queue.extend, of_queue), (None, of_context)):
            queue = sycl.Queue(context=context, async_handler=handler)
            failed(queue)
            queue.wait_and_throw()
            assert len(got) == 1, got
            failed(queue)
            queue.throw_asynchronous()
            assert len(got) == 2, got
            event = failed(queue)
            event.wait_and_throw()
            assert len(got) == 3, got
            for again in (queue.wait_and_throw, queue.throw_asynchronous, event.wait_and_throw):
                again()
            assert len(got) == 3, got
            failed(queue)
            del queue, event, again
            gc.collect()
            assert len(got) == 4, got
            assert len(set(map(id, got))) == 4
        assert len(of_queue) == len(of_context) == 4
        """)


@pytest.mark.spec("D311", "D312")
def test_the_default_handler_says_every_error_and_ends_the_program(run_fake):
    child = run_fake(
        """
        queue = sycl.Queue()
        queue.single_task(program.fail, np.zeros(1, np.uint32), wait=False)
        queue.single_task(program.fail, np.zeros(1, np.uint32), wait=False)
        queue.wait_and_throw()
        print("not reached")
        """,
        check=False,
    )
    assert child.returncode == 1
    assert child.stdout == ""
    assert child.stderr.count("pysycl.KernelError: 'fail' failed while it ran on") == 2
    assert "2 commands failed" in child.stderr


@pytest.mark.spec("D313")
def test_each_queue_s_handler_gets_its_own_errors(run_fake):
    run_fake("""
        first, second, x = [], [], np.zeros(4, np.uint32)
        one, two = sycl.Queue(async_handler=first.extend), sycl.Queue(async_handler=second.extend)
        from pysycl import _core
        _core.fault_install(0)
        _core.fault_arm("EnqueueNDRangeKernel", 1, -6)
        event = one.submit(lambda h: h.parallel_for(4, program.fail, x), two, wait=False)
        event.wait_and_throw()
        assert event._queue is two
        assert (len(first), len(second)) == (0, 1)
        one.wait_and_throw()
        assert not first
        """)


@pytest.mark.spec("D314", "D315", "D316", "D317")
def test_the_forms_of_the_constructor(device):
    context = sycl.Context(device)
    for leading in ((), (context,)):
        plain = sycl.SyclError(*leading, "some words")
        coded = sycl.SyclError(*leading, sycl.Errc.kernel, "some words")
        alone = sycl.SyclError(*leading, sycl.Errc.kernel)
        numbered = sycl.SyclError(*leading, -44, sycl.error_category_for("opencl"), "some words")
        for error in (plain, coded, numbered):
            assert "some words" in error.what()
        for error in (plain, coded, alone, numbered):
            assert error.has_context is bool(leading)
            if leading:
                assert error.context == context
            else:
                with pytest.raises(sycl.InvalidObjectError, match="the error belongs to no context") as caught:
                    _ = error.context
                assert caught.value.code is sycl.Errc.invalid
        assert coded.code is alone.code is sycl.Errc.kernel
        assert coded.category == sycl.sycl_category()
        assert numbered.category == sycl.error_category_for(sycl.Backend.opencl)
        assert numbered.cl_code == numbered.error_code.value == -44
    assert sycl.SyclError("words", context=context).context == context


@pytest.mark.spec("D315")
def test_words_are_never_missing():
    assert sycl.SyclError().what() == "pysycl: runtime"
    assert sycl.NdRangeError().what() == "pysycl: nd_range"
    assert sycl.SyclError("").what()
    assert isinstance(sycl.SyclError(sycl.Errc.build).what(), str)


@pytest.mark.spec("D318")
def test_the_list_of_errors():
    made = [sycl.SyclError("a"), sycl.KernelError("b")]
    errors_list = sycl.ExceptionList(made)
    assert errors_list.size() == len(errors_list) == 2
    assert list(errors_list) == made
    assert sycl.ExceptionList().size() == 0


@pytest.mark.spec("D319", "D320")
def test_codes_in_every_spelling():
    for name in (*FINAL, *DRAFT):
        assert getattr(sycl.Errc, name) is sycl.Errc(name)
    for name in DRAFT:
        if name != "feature_not_supported":
            assert sycl.Errc(f"{name}_error") is sycl.Errc(name)
    assert sycl.Errc("build_error") is sycl.Errc.build
    assert [code.value for code in sycl.Errc] == ["success", *FINAL]
    assert sycl.Errc.invalid_object is sycl.Errc.invalid_parameter is sycl.Errc.invalid
    with pytest.raises(ValueError, match="no_such_code"):
        sycl.Errc("no_such_code")


@pytest.mark.spec("D319", "D323")
def test_one_class_per_code(device):
    codes = set()
    for name in errors.ERROR_CLASSES:
        cls = getattr(sycl, name)
        assert issubclass(cls, sycl.SyclError)
        assert cls.__module__ == "pysycl"
        codes.add(cls("words").code.value)
    assert codes == set(FINAL)
    for name, built_in in BUILT_IN.items():
        assert issubclass(getattr(sycl, name), built_in)

    class Mine(sycl.KernelError):
        pass

    assert Mine("words").code is sycl.Errc.kernel


@pytest.mark.spec("D321")
def test_codes_and_categories():
    code = sycl.make_error_code(sycl.Errc.nd_range)
    assert code == sycl.make_error_code("nd_range") == sycl.make_error_condition("nd_range")
    assert code.value is sycl.Errc.nd_range
    assert code.category == sycl.sycl_category()
    assert code.category.name == "sycl"
    assert sycl.error_category_for("opencl").name == "opencl"
    assert code.category.message(code.value) == "sycl: nd_range"
    with pytest.raises(sycl.InvalidParameterError, match="backend is 'cuda', but the only backend"):
        sycl.error_category_for("cuda")


@pytest.mark.spec("D322", "D316")
def test_the_backend_s_code_is_the_value(queue):
    with pytest.raises(sycl.BuildError) as caught:
        queue.single_task(BROKEN.broken, np.zeros(1, np.uint32))
    error = caught.value
    assert error.category == sycl.error_category_for("opencl")
    assert error.error_code.value == error.cl_code == -11  # CL_BUILD_PROGRAM_FAILURE
    assert error.api == "clBuildProgram"
    assert error.code is sycl.Errc.build


@pytest.mark.spec("D322")
def test_the_code_of_a_late_error(run_fake):
    run_fake("""
        got = []
        queue = sycl.Queue(async_handler=got.extend)
        queue.single_task(program.fail, np.zeros(1, np.uint32), wait=False)
        queue.wait_and_throw()
        assert got[0].cl_code == -5 and got[0].error_code.value == -5  # CL_OUT_OF_RESOURCES
        assert "CL_OUT_OF_RESOURCES (-5)" in got[0].what()
        """)


@pytest.mark.spec("D525")
def test_the_code_is_success_without_a_backend_error(queue):
    with pytest.raises(sycl.NdRangeError) as caught:
        queue.parallel_for(-1, BROKEN.broken, None)
    assert caught.value.cl_code == 0
    assert caught.value.api is None
    assert caught.value.category == sycl.sycl_category()


def test_errors_travel_between_processes():
    error = sycl.NdRangeError("words")
    again = pickle.loads(pickle.dumps(error))
    assert type(again) is sycl.NdRangeError
    assert again.what() == "words"
    assert again.code is sycl.Errc.nd_range
