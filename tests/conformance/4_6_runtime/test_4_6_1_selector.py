"""Device selectors: SYCL 2020, 4.6.1, and pysycl's filter strings and PYSYCL_DEVICE."""

import pytest

import pysycl as sycl
from pysycl.selector import rank, score, select


class Score:
    """An integer of somebody else's, such as NumPy's."""

    def __init__(self, value: int) -> None:
        self.value = value

    def __index__(self) -> int:
        return self.value


@pytest.mark.spec("H147", "H183")
def test_any_callable_that_gives_an_integer_selects(device):
    assert sycl.Device(lambda d: 7 if d == device else -1) == device
    assert sycl.Device(lambda d: Score(7 if d == device else -3)) == device
    assert sycl.Device(lambda d: d == device) in sycl.devices()  # a bool is an integer


def test_a_selector_that_gives_no_integer_is_refused_by_name():
    def half(device):
        return 0.5

    with pytest.raises(TypeError, match=r"half gave 0\.5 for <pysycl\.Device"):
        sycl.Device(half)


def test_what_a_selector_raises_comes_through():
    def broken(device):
        raise TypeError("mine")

    with pytest.raises(TypeError, match=r"^mine$"):
        sycl.Device(broken)


@pytest.mark.spec("H100", "H148")
def test_a_selector_sees_every_device_of_every_platform_once():
    seen = []
    sycl.Device(lambda d: seen.append(d) or 0)
    assert seen == [d for platform in sycl.platforms() for d in platform.devices]
    assert seen == sycl.devices()


@pytest.mark.spec("H148")
def test_the_highest_score_wins():
    scores = {d: i for i, d in enumerate(sycl.devices())}
    assert sycl.Device(scores.__getitem__) == sycl.devices()[-1]
    assert sycl.Device(lambda d: -scores[d]) == sycl.devices()[0]


@pytest.mark.spec("H149", "H150")
def test_zero_selects_and_a_negative_score_never_does(device):
    assert sycl.Device(lambda d: 0 if d == device else -1) == device

    def never_this(d):
        return -1

    with pytest.raises(sycl.SyclRuntimeError, match="never_this selects no device") as caught:
        sycl.Device(never_this)
    assert caught.value.code is sycl.Errc.runtime
    assert repr(device) in str(caught.value)  # what there is instead


@pytest.mark.spec("H151")
def test_of_equal_scores_one_is_taken():
    assert sycl.Device(lambda d: 5) in sycl.devices()


@pytest.mark.spec("H152", "H155")
def test_the_default_selector_finds_a_device_and_prefers_real_ones():
    chosen = sycl.Device()
    assert chosen == sycl.Device(sycl.default_selector) == sycl.Device(sycl.default_selector_v)
    assert score(chosen) == max(map(score, sycl.devices()))
    real = [d for d in sycl.devices() if not d.has("emulated")]
    assert not real or chosen in real


@pytest.mark.spec("H153", "H155")
@pytest.mark.parametrize("kind", ["cpu", "gpu", "accelerator"])
def test_the_selector_of_a_type_selects_that_type_or_raises(kind):
    selector = getattr(sycl, f"{kind}_selector")
    assert getattr(sycl, f"{kind}_selector_v") is selector
    if [d for d in sycl.devices(kind) if score(d) >= 0]:
        assert sycl.Device(selector).device_type is sycl.DeviceType(kind)
    else:
        with pytest.raises(sycl.SyclRuntimeError) as caught:
            sycl.Device(selector)
        assert caught.value.code is sycl.Errc.runtime


@pytest.mark.spec("H152", "H153")
def test_types_on_a_machine_with_a_gpu_and_no_cpu(run_python, fake_driver):
    code = """
        import pysycl as sycl
        assert sycl.Device(sycl.gpu_selector).is_gpu and sycl.Device().is_gpu and sycl.Device("gpu").is_gpu
        for wanted in (sycl.cpu_selector, sycl.accelerator_selector, "cpu", sycl.DeviceType.accelerator, "host"):
            try:
                sycl.Device(wanted)
            except sycl.SyclRuntimeError as error:
                assert error.code is sycl.Errc.runtime, error.code
            else:
                raise AssertionError(wanted)
    """
    run_python(code, {"PYSYCL_DRIVERS": fake_driver, "FAKE_TYPE": "gpu", "PYSYCL_DEVICE": None})


THREE = {"FAKE_DEVICES": "3", "FAKE_DEVICE_NAMES": "a:b:c", "PYSYCL_DEVICE": None}


def test_filter_strings(run_python, fake_driver):
    code = """
        import pysycl as sycl
        a, b, c = (next(d for d in sycl.devices() if d.name == name) for name in "abc")
        fake = a.platform.devices
        first = sycl.devices("cpu").index(a)
        for text, device in {f"opencl:cpu:{first}": a, f"cpu:{first + 1}": b, f" OpenCL:CPU:{first + 2} ": c}.items():
            assert sycl.Device(text) == device, text
        for device in sycl.devices():
            assert sycl.Device(device.filter_string) == device
            assert sycl.Device(str(sycl.devices().index(device))) == device
            assert sycl.Device(f"opencl:{sycl.devices().index(device)}") == device
            assert sycl.Device(f"opencl::{sycl.devices().index(device)}") == device
        assert sycl.Device("opencl") == sycl.Device("cpu") == sycl.Device("all") == sycl.Device()
        for text in ("", ":", "vulkan", "cpu:x", "cpu:-1", "cpu:0:opencl", "0:cpu", "opencl:cpu:0:1"):
            try:
                sycl.Device(text)
            except sycl.SyclRuntimeError as error:
                assert "backend:type:index" in str(error) and repr(text) in str(error), error
            else:
                raise AssertionError(text)
        for text in ("gpu", "cpu:99", "99", "accelerator:0"):
            try:
                sycl.Device(text)
            except sycl.SyclRuntimeError as error:
                assert f"{text!r} matches no device" in str(error) and "'b'" in str(error), error
            else:
                raise AssertionError(text)
    """
    run_python(code, {"PYSYCL_DRIVERS": fake_driver, **THREE})


def test_the_environment_chooses_the_default(run_python, fake_driver):
    code = """
        import os
        import pysycl as sycl
        b = next(d for d in sycl.devices() if d.name == "b")
        os.environ["PYSYCL_DEVICE"] = b.filter_string
        assert sycl.Device() == sycl.Device(sycl.default_selector) == sycl.Context().devices[0] == b
        assert sycl.devices("automatic") == [b]
        assert sycl.Device("opencl:0") == sycl.devices()[0]  # what is asked for by name is not the default
        os.environ["PYSYCL_DEVICE"] = "gpu"
        try:
            sycl.Device()
        except sycl.SyclRuntimeError as error:
            assert "PYSYCL_DEVICE='gpu'" in str(error), error
        else:
            raise AssertionError
        os.environ["PYSYCL_DEVICE"] = "cpux"
        try:
            sycl.Device()
        except sycl.SyclRuntimeError as error:
            assert str(error).startswith("PYSYCL_DEVICE 'cpux' is not backend:type:index"), error
        else:
            raise AssertionError
        os.environ["PYSYCL_DEVICE"] = "automatic"
        assert sycl.Device() in sycl.devices()
    """
    run_python(code, {"PYSYCL_DRIVERS": fake_driver, **THREE})


@pytest.mark.spec("D506")
def test_no_driver_is_an_error_only_when_a_device_is_needed(run_python):
    code = """
        import pysycl as sycl
        sycl._core.set_roots([])
        found = sycl.devices()
        if found:
            print("skip")  # this machine has a driver that the system names
            raise SystemExit
        assert sycl.platforms() == [] and sycl.devices("gpu") == [] and not sycl.any_device_has("cpu")
        for make in (sycl.Device, sycl.Platform, sycl.Context, lambda: sycl.Device("cpu"), lambda: sycl.Device(len)):
            try:
                make()
            except sycl.SyclRuntimeError as error:
                text = str(error)
                assert error.code is sycl.Errc.runtime
                assert "/nowhere/driver.so (named by PYSYCL_DRIVERS): refused:" in text, text
                assert "pip install pocl-binary-distribution" in text, text
            else:
                raise AssertionError(make)
    """
    environment = {"PYSYCL_DRIVERS": "/nowhere/driver.so", "OCL_ICD_VENDORS": "/nowhere", "OCL_ICD_FILENAMES": None}
    child = run_python(code, {**environment, "PYSYCL_DEVICE": None})
    if "skip" in child.stdout:
        pytest.skip("this machine has a driver that cannot be hidden")


@pytest.mark.spec("H099")
def test_nothing_is_discovered_before_a_selector_is_used(run_python):
    code = """
        import pysycl as sycl
        assert "no search for drivers was made yet" in sycl._core.describe_drivers()
        sycl.NdRange(4, 2), sycl.Aspect.fp64, sycl.aspect_selector("fp64")
        assert "no search for drivers was made yet" in sycl._core.describe_drivers()
        sycl.devices()
        assert "no search for drivers was made yet" not in sycl._core.describe_drivers()
    """
    run_python(code)


def test_aspect_selectors(device):
    has = [aspect for aspect in sycl.Aspect if device.has(aspect)]
    lacks = [aspect for aspect in sycl.Aspect if not device.has(aspect)]
    selector = sycl.aspect_selector(has, deny=lacks)
    assert selector(device) >= 0 or device.has("custom")
    assert sycl.aspect_selector(*has)(device) == selector(device)
    assert sycl.aspect_selector(*(aspect.value for aspect in has))(device) == selector(device)
    assert all(sycl.aspect_selector(aspect)(device) < 0 for aspect in lacks)
    assert all(sycl.aspect_selector(deny=[aspect])(device) < 0 for aspect in has)
    assert sycl.aspect_selector()(device) == sycl.aspect_selector([])(device) == score(device)
    with pytest.raises(sycl.InvalidParameterError, match="'fp63'"):
        sycl.aspect_selector("fp63")
    with pytest.raises(sycl.SyclRuntimeError, match=r"aspect_selector\(host, not cpu\) selects no device"):
        sycl.Device(sycl.aspect_selector("host", deny=["cpu"]))


def test_select_takes_what_constructors_take(device):
    assert select(device) is device
    assert sycl.Device(device) is device
    assert rank(lambda d: -1, [device]) is None
    with pytest.raises(TypeError, match="not int"):
        sycl.Device(3)
    with pytest.raises(TypeError, match="not list"):
        sycl.Device([device])
