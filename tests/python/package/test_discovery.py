"""Discovery beside the specification: PoCL's pair of devices, constants, enumerations, refusals, faults."""

import json
import os
import threading
from enum import Enum
from pathlib import Path

import pytest

import pysycl as sycl
from pysycl import _core, enums
from pysycl._runtime.properties import PROPERTIES, HasProperties
from pysycl.enums import as_enum
from pysycl.wheels import wheel_folders

PAIR = {
    "FAKE_PLATFORM_NAME": "Portable Computing Language",
    "FAKE_DEVICES": "3",
    "FAKE_DEVICE_NAMES": "basic-Chip:pthread-Chip:basic-Other",
    "FAKE_VERSION": "OpenCL 3.0 PoCL 9.8",
}


def test_two_devices_of_pocl_are_one(run_python, fake_driver):
    code = """
        import pysycl as sycl
        one, other = next(p for p in sycl.platforms() if "PoCL 9.8" in p.version).devices
        assert (one.name, other.name) == ("Chip", "basic-Other")
        assert len(one._lanes) == 2 and len(other._lanes) == 1
        assert sycl.Device.from_int_ptr(one._lanes[1]) == one and one.int_ptr == one._lanes[0]
        assert sycl.Context(one).devices == [one]
        assert repr(one) == f"<pysycl.Device 'Chip' {one.filter_string} PoCL 1.0>", repr(one)
        assert sycl.Device() in (one, other)  # the newest PoCL is the default CPU
    """
    run_python(code, {"PYSYCL_DRIVERS": fake_driver, "PYSYCL_DEVICE": None, **PAIR})


def test_pocl_here_is_a_pair(device):
    if "PoCL" not in device.platform.version or not device.is_cpu:
        pytest.skip("not PoCL")
    if os.environ.get("POCL_DEVICES"):
        pytest.skip("POCL_DEVICES is set")
    assert len(device._lanes) == 2
    assert not device.name.startswith(("pthread-", "basic-", "cpu-"))


def test_loading_leaves_the_environment_alone(run_python):
    code = """
        import ctypes, os
        getenv = ctypes.CDLL(None).getenv
        getenv.restype = ctypes.c_char_p
        names = [b"POCL_DEVICES", b"POCL_KERNEL_CACHE", b"POCL_CACHE_DIR"]
        before, native = dict(os.environ), [getenv(name) for name in names]
        import pysycl as sycl
        sycl.devices()
        assert dict(os.environ) == before
        assert [getenv(name) for name in names] == native
    """
    run_python(code, {"POCL_DEVICES": None, "POCL_KERNEL_CACHE": None, "POCL_CACHE_DIR": None})


def test_threads_discover_together(run_python):
    code = """
        import threading
        import pysycl as sycl
        found, barrier = [], threading.Barrier(8)
        def work():
            barrier.wait()
            found.append((sycl.platforms(), sycl.devices()))
        threads = [threading.Thread(target=work) for _ in range(8)]
        for thread in threads: thread.start()
        for thread in threads: thread.join()
        assert len(found) == 8 and all(each == found[0] for each in found)
    """
    run_python(code)


def test_the_drivers_table(device):
    entries = _core.drivers()
    entry = entries[device.platform._driver_index]
    assert set(entry) == {"path", "origin", "refusal", "quirks", "version", "platforms"}
    assert device.platform in entry["platforms"]
    assert entry["refusal"] is None
    assert Path(entry["path"]).name in _core.describe_drivers()
    for other in entries:
        assert bool(other["platforms"]) == (other["refusal"] is None)


def test_a_refused_driver_costs_the_others_nothing(run_python, fake_driver, tmp_path):
    broken = tmp_path / "broken.so"
    broken.write_text("no library")
    code = f"""
        import pysycl as sycl
        entries = {{entry["path"]: entry for entry in sycl._core.drivers()}}
        assert entries[{str(broken)!r}]["refusal"] and not entries[{str(broken)!r}]["platforms"]
        assert entries[{fake_driver!r}]["refusal"] is None
        assert any(p.name == "Fake" for p in sycl.platforms())
    """
    run_python(code, {"PYSYCL_DRIVERS": f"{broken}:{fake_driver}"})


@pytest.mark.parametrize("mode", ["no-devices", "device-error", "short-info", "zero-units"])
def test_a_driver_that_answers_nonsense_is_refused_with_a_reason(run_python, fake_driver, mode):
    code = """
        import json
        import pysycl as sycl
        entry = sycl._core.drivers()[0]
        print(json.dumps([entry["path"], entry["refusal"], len(entry["platforms"])]))
    """
    child = run_python(code, {"PYSYCL_DRIVERS": fake_driver, "FAKE_NONSENSE": mode})
    path, refusal, platforms = json.loads(child.stdout)
    assert path == fake_driver
    assert refusal
    assert platforms == 0


def test_constants_are_opencls_own():
    pytest.importorskip("pyopencl.version")  # the wheel of PoCL leaves a folder of that name
    cl = pytest.importorskip("pyopencl")
    ours = _core.cl_constants()
    for prefix, theirs in {"CL_DEVICE_": cl.device_info, "CL_PLATFORM_": cl.platform_info}.items():
        shared = [name for name in dir(theirs) if name.isupper() and prefix + name in ours]
        assert len(shared) > 5
        for name in shared:
            assert ours[prefix + name] == getattr(theirs, name), name


def test_wheel_folders_exist_and_do_not_repeat():
    folders = wheel_folders()
    assert len(set(folders)) == len(folders)
    assert any(Path(folder).is_dir() for folder in folders)


def test_set_roots_takes_strings_only():
    with pytest.raises(TypeError):
        _core.set_roots([1])
    with pytest.raises(TypeError):
        _core.set_roots(3)
    _core.set_roots(())  # without effect: drivers are loaded, or will be looked for elsewhere too
    _core.set_roots(wheel_folders())


@pytest.mark.parametrize(
    "cls", [v for v in vars(enums).values() if isinstance(v, type) and issubclass(v, Enum) and len(v)]
)
def test_every_enumeration_takes_its_names_as_strings(cls):
    for name, member in cls.__members__.items():
        assert as_enum(cls, member, "x") is as_enum(cls, name, "x") is as_enum(cls, member.value, "x") is member
    with pytest.raises(sycl.InvalidParameterError, match=f"x is 'nothing', which is no {cls.__name__}"):
        as_enum(cls, "nothing", "x")
    with pytest.raises(TypeError, match=f"x must be {cls.__name__}"):
        as_enum(cls, 1, "x")


def test_properties_mixin():
    class Thing(HasProperties):
        @property
        def _properties(self):
            return {"in_order": True}

    thing = Thing()
    assert thing.has_property("in_order") is True
    assert thing.get_property("in_order") is True
    assert thing.has_property("enable_profiling") is False
    with pytest.raises(sycl.InvalidObjectError, match="this Thing was made without"):
        thing.get_property("enable_profiling")
    assert sycl.is_property_of("in_order", sycl.Queue)
    assert not sycl.is_property_of("in_order", Thing)
    assert all(map(sycl.is_property, PROPERTIES))


def test_fault_functions(device):
    entries = _core.fault_entries()
    assert {"GetDeviceInfo", "CreateContext"} <= set(entries)
    assert len(set(entries)) == len(entries)
    vendor = device.vendor_id
    _core.fault_install(device.platform._driver_index)
    try:
        assert device.vendor_id == vendor
        assert _core.fault_calls("GetDeviceInfo") == 2  # the size, then the value
        with pytest.raises(sycl.InvalidParameterError, match="Nonsense"):
            _core.fault_calls("Nonsense")
        with pytest.raises(sycl.InvalidParameterError):
            _core.fault_arm("Nonsense", 1, -5)
        with pytest.raises(sycl.InvalidParameterError, match="no driver 999"):
            _core.fault_install(999)
    finally:
        _core.fault_install(None)


def test_every_failing_query_is_an_error_and_the_next_is_right(device):
    expected = {name: device.get_info(name) for name in device.info_names() if name != "parent_device"}
    _core.fault_install(device.platform._driver_index)
    try:
        for name, value in expected.items():
            before = _core.fault_calls("GetDeviceInfo")
            device.get_info(name)
            if _core.fault_calls("GetDeviceInfo") == before:
                continue  # known since discovery
            _core.fault_arm("GetDeviceInfo", 1, -5)
            with pytest.raises(sycl.SyclRuntimeError) as caught:
                device.get_info(name)
            assert caught.value.api == "clGetDeviceInfo"
            if not name.endswith("mem_size"):  # PoCL tells how much is free now
                assert device.get_info(name) == value
    finally:
        _core.fault_install(None)


def test_a_device_that_makes_no_two_parts_has_no_way_to_divide_it():
    class OneUnit:
        partition_max_sub_devices = 1

        def _query(self, what, kind):
            return [_core.cl_constants()["CL_DEVICE_PARTITION_EQUALLY"]]

    assert sycl.Device.partition_properties.read(OneUnit()) == []


def test_a_subclass_keeps_the_class(device):
    class MyContext(sycl.Context):
        pass

    made = MyContext(device)
    assert type(made) is MyContext
    assert type(MyContext.from_int_ptr(made.int_ptr)) is MyContext
    made.note = "subclasses have a dictionary"
    assert type(made.devices[0]) is sycl.Device


def test_queries_from_many_threads(device):
    expected = device.get_info("extensions")
    errors = []

    def work():
        for _ in range(200):
            if device.get_info("extensions") != expected or sycl.Device.from_int_ptr(device.int_ptr) != device:
                errors.append("wrong")

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not errors
