"""Contexts: SYCL 2020, 4.6.3."""

import copy
import gc
import pickle
import shutil
import threading
import weakref

import pytest

import pysycl as sycl
from pysycl import _core, opencl

CONTEXT_DESCRIPTORS = [
    "platform",
    "devices",
    "atomic_memory_order_capabilities",
    "atomic_fence_order_capabilities",
    "atomic_memory_scope_capabilities",
    "atomic_fence_scope_capabilities",
    "reference_count",
]


@pytest.fixture
def context(device):
    return sycl.Context(device)


def handler(errors):
    """An asynchronous handler."""


@pytest.mark.spec("H170")
def test_the_default_context_has_the_default_device():
    assert sycl.Device() in sycl.Context().devices


@pytest.mark.spec("H171")
def test_each_form_takes_a_handler(device):
    assert sycl.Context(async_handler=handler).async_handler is handler
    assert sycl.Context(device, handler).async_handler is handler
    assert sycl.Context([device], async_handler=handler).async_handler is handler
    assert sycl.Context(device).async_handler is None
    with pytest.raises(TypeError, match="async_handler must be callable or None, not int"):
        sycl.Context(device, async_handler=3)


@pytest.mark.spec("H172")
def test_a_context_of_one_device(device):
    assert sycl.Context(device).devices == [device]
    assert sycl.Context(lambda d: 1 if d == device else -1).devices == [device]
    if device.filter_string is not None:
        assert sycl.Context(device.filter_string).devices == [device]


@pytest.mark.spec("H173")
def test_a_context_of_several_devices_of_one_platform(device):
    together = sycl.Context(device.platform.devices)
    assert together.devices == device.platform.devices
    assert sycl.Context([device, device]).devices == [device]
    with pytest.raises(sycl.InvalidParameterError, match="at least one device"):
        sycl.Context([])
    with pytest.raises(TypeError, match=r"devices\[1\] must be a Device, not str"):
        sycl.Context([device, "cpu"])


@pytest.mark.spec("H173", "D510")
def test_devices_of_two_platforms_share_no_context(run_python, fake_driver, tmp_path):
    second = tmp_path / "second.so"
    shutil.copy(fake_driver, second)
    code = """
        import pysycl as sycl
        first, second = (p.devices[0] for p in sycl.platforms() if p.name == "Fake")
        try:
            sycl.Context([first, second])
        except sycl.InvalidParameterError as error:
            assert "must be of one platform" in str(error) and error.code is sycl.Errc.invalid
        else:
            raise AssertionError
        assert sycl._core.live_counts()["context"] == 0
    """
    run_python(code, {"PYSYCL_DRIVERS": f"{fake_driver}:{second}"})


@pytest.mark.spec("H174", "H177")
def test_members_equal_the_descriptors(device, context):
    assert context.backend is sycl.Backend.opencl
    assert context.is_host is False
    assert context.platform == context.get_info("platform") == device.platform
    assert context.devices == context.get_info("devices") == [device]


@pytest.mark.spec("H175", "H176", "D481")
@pytest.mark.parametrize("name", CONTEXT_DESCRIPTORS)
def test_every_context_answers_every_descriptor(context, name):
    assert context.get_info(name) == getattr(context, name)
    assert sycl.Context.info_names() == CONTEXT_DESCRIPTORS


@pytest.mark.spec("H178", "H179", "D481")
def test_atomic_capabilities_are_common_to_all_devices(device):
    several = sycl.Context(device.platform.devices)
    for name in CONTEXT_DESCRIPTORS[2:6]:
        common = set.intersection(*(set(d.get_info(name)) for d in several.devices))
        assert set(several.get_info(name)) == common
        assert (sycl.MemoryOrder.relaxed if "order" in name else sycl.MemoryScope.work_group) in common


@pytest.mark.spec("H178")
def test_capabilities_that_one_device_lacks_are_not_common():
    class Weak:
        def get_info(self, name):
            return [sycl.MemoryOrder.relaxed]

    class Strong:
        def get_info(self, name):
            return [sycl.MemoryOrder.relaxed, sycl.MemoryOrder.seq_cst]

    class Mixed:
        _devices = (Strong(), Weak())

    assert sycl.Context.atomic_memory_order_capabilities.read(Mixed()) == [sycl.MemoryOrder.relaxed]


@pytest.mark.spec("H169")
def test_errors_are_raised_at_once(device, no_leaks):
    _core.fault_install(device.platform._driver_index)
    try:
        _core.fault_arm("CreateContext", 1, -6)
        with pytest.raises(sycl.MemoryAllocationError) as caught:
            sycl.Context(device)
        assert (caught.value.api, caught.value.cl_code) == ("clCreateContext", -6)
        assert sycl.Context(device).devices == [device]
        context = sycl.Context(device)
        _core.fault_arm("GetContextInfo", 1, -5)
        with pytest.raises(sycl.SyclRuntimeError):
            context.get_info("reference_count")
    finally:
        _core.fault_install(None)


@pytest.mark.spec("H139", "H140", "H144", "H145", "H146", "H180")
def test_contexts_have_no_properties(context):
    assert context.has_property("in_order") is False
    with pytest.raises(sycl.InvalidObjectError, match="made without the property 'in_order'") as caught:
        context.get_property("in_order")
    assert caught.value.code is sycl.Errc.invalid
    with pytest.raises(sycl.InvalidParameterError, match="no property 'colour'"):
        context.has_property("colour")
    with pytest.raises(TypeError):
        sycl.Context(in_order=True)
    assert sycl.is_property("in_order")
    assert not sycl.is_property("colour")
    assert not sycl.is_property_of("in_order", sycl.Context)


@pytest.mark.spec("H131", "H134", "H135")
def test_equality_and_copies(device, context):
    other = sycl.Context(device)
    assert context == context
    assert context != other
    assert other != context
    assert copy.copy(context) == copy.deepcopy(context) == context
    assert hash(copy.copy(context)) == hash(context)
    assert copy.copy(context).int_ptr == context.int_ptr != other.int_ptr
    with pytest.raises(TypeError, match="cannot be pickled"):
        pickle.dumps(context)


@pytest.mark.spec("H132", "H130", "H129", "H136", "D511", "D512", "D513", "D520", "D524")
def test_interop_retains_and_outlives(context, no_leaks):
    handle = context.int_ptr
    before = opencl.get_reference_count(context)
    again = sycl.make_context(handle, handler)
    assert again == context
    assert again.devices == context.devices
    assert again.async_handler is handler
    assert sycl.get_native("opencl", again) == handle
    assert opencl.get_reference_count(context) == before
    del context
    gc.collect()
    assert opencl.get_reference_count(again) == before


@pytest.mark.spec("H130", "D511", "D513")
def test_a_foreign_context_is_retained_and_released(device, no_leaks):
    pytest.importorskip("pyopencl.version")  # the wheel of PoCL leaves a folder of that name
    cl = pytest.importorskip("pyopencl")
    try:
        foreign = cl.Context([cl.Device.from_int_ptr(handle) for handle in device._lanes])
    except Exception as error:
        pytest.skip(f"PyOpenCL cannot use the device: {error}")
    before = foreign.reference_count
    context = sycl.Context.from_int_ptr(foreign.int_ptr)
    assert context.devices == [device]
    assert foreign.reference_count == before + 1 == context.reference_count
    del context
    gc.collect()
    assert foreign.reference_count == before


@pytest.mark.spec("H132")
def test_the_last_reference_releases_the_native_context(device, live_counts):
    before = live_counts.quiet()
    context = sycl.Context(device)
    twin = sycl.Context.from_int_ptr(context.int_ptr)
    assert _core.live_counts()["cl_context"] == before["cl_context"] + 1
    gone = weakref.ref(context)
    del context
    assert gone() is None
    assert _core.live_counts()["cl_context"] == before["cl_context"] + 1
    del twin
    assert live_counts.settled(before) == before


def test_a_handler_that_refers_to_its_context_is_collected(device, no_leaks):
    class Log:
        def __call__(self, errors):
            pass

    log = Log()
    log.context = sycl.Context(device, log)
    del log


@pytest.mark.spec("H114")
def test_contexts_from_many_threads(device, no_leaks):
    shared = sycl.Context(device)
    errors = []

    def work():
        try:
            for _ in range(100):
                assert sycl.Context.from_int_ptr(shared.int_ptr) == shared
                assert sycl.Context(device).devices == [device]
        except Exception as error:
            errors.append(error)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not errors


def test_handles_of_nothing_are_refused(device):
    for wrong in (0, -5, "context", None):
        with pytest.raises((sycl.InvalidParameterError, TypeError)):
            sycl.Context.from_int_ptr(wrong)
    with pytest.raises(sycl.InvalidObjectError, match="not a context of a driver"):
        sycl.Context.from_int_ptr(64)


def test_repr_names_the_devices(device, context):
    assert repr(context) == f"<pysycl.Context of {device.name!r} on {device.platform.name}>"
