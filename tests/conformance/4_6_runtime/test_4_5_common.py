"""What all classes share: information, interoperation, references and values, properties. SYCL 2020, 4.1 to 4.5."""

import copy
import threading

import numpy as np
import pytest

import pysycl as sycl
from pysycl import opencl

PROGRAM = sycl.Program("""
__kernel void one(__global uint *x) { x[0] += 1; }
__kernel void two(__global uint *x) { x[0] += 2; }
""")


def things(device):
    """One object, and another that is not it, of each class with reference semantics that needs no buffer."""
    queue = sycl.Queue(device)
    events = [queue.single_task(PROGRAM.one, np.zeros(1, np.uint32)) for _ in range(2)]
    sycl.Event.wait(events)
    twin = sycl.Program(PROGRAM.source)
    return {
        "queue": (queue, sycl.Queue(device)),
        "event": tuple(events),
        "context": (sycl.Context(device), sycl.Context(device)),
        "kernel": (PROGRAM.one, PROGRAM.two),
        "program": (PROGRAM, twin),
        "kernel of a twin": (PROGRAM.one, twin.one),
    }


REFERENCES = ["queue", "event", "context", "kernel", "program", "kernel of a twin"]


@pytest.fixture(scope="module")
def pairs(device):
    return things(device)


@pytest.mark.spec("H134", "H135")
@pytest.mark.parametrize("name", REFERENCES)
def test_equality_and_hash_by_what_is_referred_to(pairs, name):
    a, b = pairs[name]
    assert a == a
    assert hash(a) == hash(a)
    assert a != b
    assert b != a
    assert (a == b) is False
    assert a != name
    assert len({a, b, a}) == 2


@pytest.mark.spec("H131", "H134", "H135")
def test_ways_to_the_same_object_are_equal(queue):
    assert queue.context == queue.context
    assert queue.device == queue.context.devices[0] == queue.get_info("device")
    assert hash(queue.device) == hash(queue.context.devices[0])
    assert queue.platform == queue.device.platform
    assert PROGRAM.one.program == PROGRAM
    assert hash(PROGRAM.one.program) == hash(PROGRAM)
    assert PROGRAM.one == PROGRAM.kernel("one") == getattr(PROGRAM.one.program, "one")  # noqa: B009


@pytest.mark.spec("H131")
def test_a_copy_does_what_the_original_does(queue):
    x = np.zeros(1, np.uint32)
    copy.copy(queue).single_task(PROGRAM.one, x)
    queue.wait_and_throw()
    assert x[0] == 1
    context = copy.copy(queue.context)
    sycl.Queue(queue.device, context=context).single_task(copy.copy(PROGRAM).kernel("one"), x)
    assert x[0] == 2


@pytest.mark.spec("H132")
def test_the_last_reference_ends_a_queue(run_fake):
    run_fake("""
        import copy, gc
        got = []
        queue = sycl.Queue(async_handler=got.append)
        other = copy.copy(queue)
        queue.single_task(program.fail, np.zeros(1, np.uint32), wait=False)
        queue.wait()
        del queue
        gc.collect()
        assert not got
        del other
        gc.collect()
        assert len(got) == 1
        """)


@pytest.mark.spec("H121")
@pytest.mark.parametrize("cls", ["Queue", "Event", "Context", "Device", "Platform"])
def test_descriptors_have_one_type_each(device, cls):
    queue = sycl.Queue(device)
    event = queue.single_task(PROGRAM.one, np.zeros(1, np.uint32))
    event.wait()
    obj = {"Queue": queue, "Event": event, "Context": queue.context, "Device": device, "Platform": device.platform}[cls]
    for name in obj.info_names():
        try:
            value = obj.get_info(name)
        except sycl.InvalidObjectError:
            assert name == "parent_device"
            continue
        assert type(obj.get_info(getattr(type(obj), name))) is type(value) is type(getattr(obj, name))


@pytest.mark.spec("H121")
def test_descriptors_that_do_not_exist_are_refused(queue):
    with pytest.raises(sycl.InvalidParameterError, match="Queue has no info descriptor 'colour'"):
        queue.get_info("colour")
    with pytest.raises(sycl.InvalidParameterError, match="is no info descriptor of Queue"):
        queue.get_info(sycl.Device.name)
    with pytest.raises(sycl.InvalidParameterError, match="is no info descriptor of Queue"):
        queue.get_info(3)


@pytest.mark.spec("H125", "H126")
def test_native_handles(queue):
    x = np.zeros(1, np.uint32)
    event = queue.single_task(PROGRAM.one, x)
    event.wait()
    for obj in (queue, queue.context, queue.device, queue.platform, event, PROGRAM, PROGRAM.one):
        handle = sycl.get_native("opencl", obj)
        assert type(handle) is int
        assert handle == obj.int_ptr > 0
    with pytest.raises(sycl.InvalidParameterError, match="a Range has no native handle"):
        sycl.get_native(sycl.Backend.opencl, sycl.Range(3))
    with pytest.raises(sycl.BackendMismatchError):
        sycl.get_native("host", queue)


@pytest.mark.spec("H139", "H140", "H142")
@pytest.mark.parametrize("given", [(), ("in_order",), ("enable_profiling",), ("in_order", "enable_profiling")])
def test_properties_of_a_queue(device, given):
    queue = sycl.Queue(device, **dict.fromkeys(given, True))
    for each in (queue, copy.copy(queue)):
        for name in ("in_order", "enable_profiling"):
            assert each.has_property(name) is (name in given)
            if name in given:
                assert each.get_property(name) is True


@pytest.mark.spec("H141")
def test_properties_are_words_of_their_own(device):
    """Each is one keyword of just the classes that take it. Some have a value, which must be of its type and is what
    get_property gives; the others are there or not. Those that exclude each other are refused together."""
    queue, lock, array = sycl.Queue(device), threading.Lock(), np.zeros(4, np.float32)
    pixels = np.zeros((4, 4), np.float32)

    def sampled(**given):
        sampler = sycl.Sampler("normalized", "clamp", "nearest")
        return sycl.SampledImage(pixels.copy(), "r32g32b32a32_sfloat", sampler, (4,), **given)

    makers = {
        sycl.Queue: lambda **given: sycl.Queue(device, **given),
        sycl.Buffer: lambda **given: sycl.Buffer(array.copy(), **given),
        sycl.UnsampledImage: lambda **given: sycl.UnsampledImage(pixels.copy(), "r32g32b32a32_sfloat", (4,), **given),
        sycl.SampledImage: sampled,
    }
    with_value = {"use_mutex": lock, "context_bound": queue.context}
    names = ["in_order", "enable_profiling", "use_host_ptr", *with_value]
    classes = {}
    for cls, make in makers.items():
        for name in names:
            given = with_value.get(name, True)
            if not sycl.is_property_of(name, cls):
                with pytest.raises(TypeError, match=name):
                    make(**{name: given})
                continue
            made = make(**{name: given})
            assert [each for each in names if made.has_property(each)] == [name], (cls, name)
            value = made.get_property(name)
            held = {"use_mutex": "mutex", "context_bound": "context"}.get(name)
            assert (value if held is None else getattr(value, held)) is given, (cls, name)
            classes.setdefault(name, type(value))
            assert type(value) is classes[name]
            if name in with_value:
                with pytest.raises((TypeError, sycl.InvalidParameterError), match=f"{name}|lock|Context"):
                    make(**{name: 3})
            del made
    assert classes["use_mutex"] is not classes["context_bound"] and bool not in map(classes.get, with_value)
    with sycl.Buffer(array, use_mutex=lock, context_bound=queue.context, use_host_ptr=True) as b:
        assert all(b.has_property(name) for name in ("use_mutex", "context_bound", "use_host_ptr"))
    with queue.submit() as h:
        read_only = sycl.Buffer(4, np.float32)
        with pytest.raises(sycl.InvalidParameterError, match="no_init"):  # of what is read and not written
            sycl.Accessor(read_only, h, mode="read", no_init=True)
    with pytest.raises(sycl.InvalidParameterError, match="use_host_ptr"):  # the host's memory, of which there is none
        sycl.Buffer(4, np.float32, use_host_ptr=True)


@pytest.mark.spec("H145")
def test_a_property_that_is_absent(queue):
    with pytest.raises(sycl.InvalidObjectError, match="this Queue was made without the property 'in_order'") as caught:
        queue.get_property("in_order")
    assert caught.value.code is sycl.Errc.invalid


@pytest.mark.spec("H144", "H146")
def test_properties_of_other_classes_are_refused(device):
    assert sycl.is_property("in_order")
    assert not sycl.is_property("colour")
    assert sycl.is_property_of("in_order", sycl.Queue)
    assert not sycl.is_property_of("in_order", sycl.Context)
    assert not sycl.is_property_of("use_host_ptr", sycl.Queue)
    for wrong in ("use_host_ptr", "no_init", "colour"):
        with pytest.raises(TypeError, match=wrong):
            sycl.Queue(device, **{wrong: True})
    with pytest.raises(TypeError, match="in_order"):
        sycl.Context(device, in_order=True)
    with pytest.raises(sycl.InvalidParameterError, match="SYCL has no property 'colour'; it has "):
        sycl.Queue(device).has_property("colour")


def test_the_backend_descriptors_are_for_their_own_class(device):
    assert device.platform.get_backend_info(opencl.platform_version)
    with pytest.raises(TypeError, match="param must be a BackendInfo"):
        device.get_backend_info("name")
