"""Platforms: SYCL 2020, 4.6.2. The provisional specification's host platform does not exist in SYCL 2020."""

import copy
import os
import pickle
import re
import shutil

import pytest

import pysycl as sycl
from pysycl import _core, opencl
from pysycl._runtime.info import BackendInfo, Info

PLATFORM_DESCRIPTORS = ["profile", "version", "name", "vendor", "extensions"]


@pytest.fixture
def platform(device):
    return device.platform


def opencl_version(text):
    major, minor = re.match(r"OpenCL (\d+)\.(\d+)", text).groups()
    return int(major), int(minor)


@pytest.mark.spec("H156", "H159", "H165", "H115", "H116", "D507")
def test_every_platform_has_the_one_backend(platform):
    assert platform.backend is sycl.Backend.opencl
    assert sycl.is_backend_active(sycl.Backend.opencl) is True
    assert sycl.is_backend_active("opencl") is True
    assert sycl.is_backend_active("host") is False
    assert platform.is_host is False


@pytest.mark.spec("H157", "H158")
def test_a_platform_is_that_of_the_selected_device(device):
    assert sycl.Platform() == sycl.Device().platform
    assert sycl.Platform(device) == device.platform
    assert sycl.Platform(lambda d: 1 if d == device else -1) == device.platform


@pytest.mark.spec("H160")
def test_devices_by_type(platform):
    assert platform.get_devices() == platform.devices == platform.get_devices(sycl.DeviceType.all)
    for kind in ("cpu", "gpu", "accelerator", "custom"):
        wanted = [d for d in platform.devices if d.device_type.value == kind]
        assert platform.get_devices(kind) == platform.get_devices(sycl.DeviceType(kind)) == wanted
    assert platform.get_devices("host") == []
    assert platform.get_devices("automatic") == [d for d in platform.devices if d == sycl.Device()]
    assert platform.devices
    with pytest.raises(sycl.InvalidParameterError, match="'tpu', which is no DeviceType: it must be one of cpu, gpu"):
        platform.get_devices("tpu")
    with pytest.raises(TypeError, match="device_type must be DeviceType"):
        platform.get_devices(1)


@pytest.mark.spec("H161", "H167", "H168", "D480")
@pytest.mark.parametrize("name", PLATFORM_DESCRIPTORS)
def test_every_platform_answers_every_descriptor(platform, name):
    value = platform.get_info(name)
    assert value == getattr(platform, name) == platform.get_info(getattr(sycl.Platform, name))
    if name == "extensions":
        assert isinstance(value, list)
        assert all(re.fullmatch(r"\S+", word) for word in value)
    else:
        assert isinstance(value, str)
        assert value


@pytest.mark.spec("H168")
def test_what_the_descriptors_say(platform):
    assert platform.profile in ("FULL_PROFILE", "EMBEDDED_PROFILE")
    assert opencl_version(platform.version) >= (1, 0)
    assert sycl.Platform.info_names() == PLATFORM_DESCRIPTORS
    assert all(isinstance(getattr(sycl.Platform, name), Info) for name in PLATFORM_DESCRIPTORS)


def test_an_unknown_descriptor_is_refused_with_a_hint(platform):
    with pytest.raises(sycl.InvalidParameterError, match="no info descriptor 'vendr': did you mean 'vendor'"):
        platform.get_info("vendr")
    with pytest.raises(sycl.InvalidParameterError, match="no info descriptor of Platform"):
        platform.get_info(sycl.Device.max_compute_units)
    with pytest.raises(sycl.InvalidParameterError):
        platform.get_info("get_devices")  # a method is no descriptor
    with pytest.raises(AttributeError, match="cannot be set"):
        platform.name = "mine"


@pytest.mark.spec("H162", "H186", "H175")
def test_backend_info_is_of_the_right_backend_and_class(device):
    assert device.platform.get_backend_info(opencl.platform_version).strip() == device.platform.version
    assert device.get_backend_info(opencl.device_version).strip() == device.backend_version
    context = sycl.Context(device)
    assert context.get_backend_info(opencl.context_reference_count) == context.reference_count
    other = BackendInfo(sycl.Backend.host, object, lambda obj: 1, "of no backend that there is")
    for obj in (device.platform, device, context):
        with pytest.raises(sycl.BackendMismatchError, match="backend host") as caught:
            obj.get_backend_info(other)
        assert caught.value.code is sycl.Errc.backend_mismatch
    with pytest.raises(sycl.InvalidParameterError, match="for Device objects, not for a Platform"):
        device.platform.get_backend_info(opencl.device_version)
    with pytest.raises(TypeError, match="not str"):
        device.get_backend_info("version")


@pytest.mark.spec("H163")
def test_a_platform_has_what_all_its_devices_have(platform):
    for aspect in sycl.Aspect:
        assert platform.has(aspect) is platform.has(aspect.value) is all(d.has(aspect) for d in platform.devices)


@pytest.mark.spec("H164")
def test_has_extension_asks_all_devices(platform):
    for name in {word for d in platform.devices for word in d.extensions}:
        assert platform.has_extension(name) is all(d.has_extension(name) for d in platform.devices)
    assert platform.has_extension("cl_nobody_has_this") is False


@pytest.mark.spec("H166", "D508")
def test_all_platforms_are_listed():
    listed = sycl.Platform.get_platforms()
    assert listed == sycl.platforms()
    assert len(set(listed)) == len(listed)
    assert all(p.devices for p in listed)
    assert [p for entry in _core.drivers() for p in entry["platforms"]] == listed


@pytest.mark.spec("D510")
def test_no_device_is_newer_than_its_platform(platform):
    assert all(opencl_version(d.backend_version) <= opencl_version(platform.version) for d in platform.devices)


@pytest.mark.spec("H131", "H134", "H135")
def test_platforms_are_equal_when_they_are_the_same(platform):
    again = platform.devices[0].platform
    assert again == platform
    assert hash(again) == hash(platform)
    assert copy.copy(platform) == copy.deepcopy(platform) == pickle.loads(pickle.dumps(platform)) == platform
    assert platform != platform.devices[0]
    assert platform != platform.int_ptr


@pytest.mark.spec("H131", "H134", "H135")
def test_platforms_and_devices_differ_when_they_are_others(run_python, fake_driver, tmp_path):
    """Two drivers of one name with two devices each, which are called the same, too."""
    other = shutil.copy(fake_driver, tmp_path / "other.so")
    run_python(
        """
        import itertools
        import pysycl as sycl
        for found, count in ((sycl.platforms(), 2), (sycl.devices(), 4)):
            assert len(found) == len(set(found)) == count, found
            assert len({each.name for each in found}) == 1
            for one, another in itertools.permutations(found, 2):
                assert one != another and not one == another
        assert [device.platform for device in sycl.devices()] == [p for p in sycl.platforms() for _ in range(2)]
        """,
        {
            "PYSYCL_DRIVERS": f"{fake_driver}{os.pathsep}{other}",
            "FAKE_DEVICES": "2",
            "FAKE_DEVICE_NAMES": "a:a",
            "PYSYCL_SELF_TEST": "0",
        },
    )


@pytest.mark.spec("H127", "H126")
def test_native_handles(platform):
    handle = sycl.get_native("opencl", platform)
    assert handle == platform.int_ptr > 0
    assert sycl.make_platform(handle) == sycl.Platform.from_int_ptr(handle) == platform
    with pytest.raises(sycl.InvalidObjectError, match="not a platform"):
        sycl.Platform.from_int_ptr(platform.devices[0].int_ptr)
    for wrong in (0, -1, 2**80, "x", 1.5, None):
        with pytest.raises((sycl.InvalidParameterError, TypeError)):
            sycl.Platform.from_int_ptr(wrong)


def test_platforms_come_only_from_selection(platform):
    with pytest.raises(TypeError):
        _core.Platform()
    assert type(platform) is sycl.Platform
    assert re.fullmatch(r"<pysycl\.Platform '.*' OpenCL [\d.]+, \d+ devices?>", repr(platform))
