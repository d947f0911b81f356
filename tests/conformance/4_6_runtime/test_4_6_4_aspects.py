"""Aspects: SYCL 2020, 4.6.4.3 and 4.6.4.4."""

import pytest

import pysycl as sycl
from pysycl._devices.aspects import TESTS, all_devices_have, is_aspect_active

CL = sycl._core.cl_constants()

FINAL = [
    "cpu",
    "gpu",
    "accelerator",
    "custom",
    "emulated",
    "host_debuggable",
    "fp16",
    "fp64",
    "atomic64",
    "image",
    "online_compiler",
    "online_linker",
    "queue_profiling",
    "usm_device_allocations",
    "usm_host_allocations",
    "usm_atomic_host_allocations",
    "usm_shared_allocations",
    "usm_atomic_shared_allocations",
    "usm_system_allocations",
]
DRAFT = [
    "host",
    "int64_base_atomics",
    "int64_extended_atomics",
    "usm_restricted_shared_allocations",
    "usm_system_allocator",
]


def bits(device, query):
    return device._query(CL[f"CL_DEVICE_{query}"], "ulong", 0)


@pytest.mark.spec("H244")
def test_every_aspect_can_be_asked_for(device):
    assert set(sycl.Aspect.__members__) == {*FINAL, *DRAFT}
    assert set(TESTS) == set(sycl.Aspect)
    for name, aspect in sycl.Aspect.__members__.items():
        assert device.has(name) is device.has(aspect) is (aspect in device.aspects)
    with pytest.raises(sycl.InvalidParameterError, match="aspect is 'fp128', which is no Aspect"):
        device.has("fp128")
    with pytest.raises(TypeError, match="aspect must be Aspect or a name"):
        device.has(64)


@pytest.mark.spec("H246")
def test_questions_to_all_devices():
    for aspect in sycl.Aspect:
        have = [d.has(aspect) for d in sycl.devices()]
        assert sycl.any_device_has(aspect) is sycl.any_device_has(aspect.value) is any(have)
        assert is_aspect_active(aspect) is any(have)
        assert all_devices_have(aspect) is all(have)


@pytest.mark.spec("H247")
def test_a_device_is_of_one_type(device):
    types = [name for name in ("cpu", "gpu", "accelerator", "custom") if device.has(name)]
    assert types == [device.device_type.name]
    assert not device.has("host")


@pytest.mark.spec("H248")
def test_custom_devices_run_their_built_in_kernels_only(run_fake):
    """Every way to submit a kernel of the program's own fails at once, by name; what else a queue does works."""
    child = run_fake(
        """
        device = sycl.Device("custom")
        assert device.has("custom") and device.device_type is sycl.DeviceType.custom
        queue = sycl.Queue(device)
        x = np.zeros(4, np.uint32)
        attempts = {
            "program": lambda: queue.parallel_for(4, program.fill_ids, x),
            "task": lambda: queue.single_task(program.fill_ids, x),
            "group": lambda: queue.submit(lambda h: h.parallel_for(4, program.fill_ids, x)),
            "body": lambda: queue.parallel_for(4, "x[i] = 1;", x=x),
            "hierarchy": lambda: queue.submit(
                lambda h: h.parallel_for_work_group(2, 2, "parallel_for_work_item { x[global_id(0)] = 1; }", x=x)),
            "build": lambda: program.build(queue.context),
            "bundle": lambda: sycl.build(sycl.KernelBundle(program, queue.context)),
        }
        for name, attempt in attempts.items():
            try:
                attempt()
            except sycl.KernelNotSupportedError as error:
                assert "custom device: it runs its built-in kernels" in str(error), (name, error)
            else:
                raise AssertionError(name)
        assert not x.any()
        queue.copy(np.arange(4, dtype=np.uint32), x)
        queue.host_task(lambda: print("copied", x.tolist())).wait()
        """,
        {"FAKE_TYPE": "custom"},
    )
    assert child.stdout == "copied [0, 1, 2, 3]\n"


@pytest.mark.spec("H249")
def test_floating_point(device):
    assert device.has("fp16") is ("cl_khr_fp16" in device.extensions)
    assert device.has("fp64") is ("cl_khr_fp64" in device.extensions)
    assert device.has("fp64") is bool(device.double_fp_config)


@pytest.mark.spec("H250", "H251")
def test_64_bit_atomics(device):
    assert device.has("int64_base_atomics") is ("cl_khr_int64_base_atomics" in device.extensions)
    assert device.has("int64_extended_atomics") is ("cl_khr_int64_extended_atomics" in device.extensions)
    assert device.has("atomic64") is (device.has("int64_base_atomics") and device.has("int64_extended_atomics"))


@pytest.mark.spec("H252", "H253", "H254", "H255")
def test_what_the_driver_says_by_flags(device):
    assert device.has("image") is device._query(CL["CL_DEVICE_IMAGE_SUPPORT"], "bool")
    assert device.has("online_compiler") is device._query(CL["CL_DEVICE_COMPILER_AVAILABLE"], "bool")
    assert device.has("online_linker") <= device.has("online_compiler")
    profiling = bits(device, "QUEUE_PROPERTIES") & CL["CL_QUEUE_PROFILING_ENABLE"]
    assert device.has("queue_profiling") is bool(profiling)


@pytest.mark.spec("H256", "H257", "H258", "H259")
def test_shared_memory(device):
    svm = bits(device, "SVM_CAPABILITIES")
    intel = {kind: bits(device, f"{kind}_MEM_CAPABILITIES_INTEL") & 1 for kind in ("HOST", "DEVICE", "SHARED_SYSTEM")}
    shared = bits(device, "SINGLE_DEVICE_SHARED_MEM_CAPABILITIES_INTEL") & 1
    coarse, system = (bool(svm & CL[f"CL_DEVICE_SVM_{kind}"]) for kind in ("COARSE_GRAIN_BUFFER", "FINE_GRAIN_SYSTEM"))
    if "cl_intel_unified_shared_memory" in device.extensions:
        expected = {"device": bool(intel["DEVICE"]), "host": bool(intel["HOST"]), "shared": bool(shared)}
    else:
        expected = dict.fromkeys(("device", "host", "shared"), coarse)  # the core maps what the host touches
    assert {kind: device.has(f"usm_{kind}_allocations") for kind in expected} == expected
    assert device.has("usm_system_allocations") is (system or bool(intel["SHARED_SYSTEM"]))
    assert device.has("usm_system_allocator") is device.has("usm_system_allocations")
    assert device.has("usm_restricted_shared_allocations") <= device.has("usm_shared_allocations")
    assert device.has("usm_atomic_host_allocations") <= device.has("usm_host_allocations")
    assert device.has("usm_atomic_shared_allocations") <= device.has("usm_shared_allocations")


def test_aspects_of_a_driver_without_frills(run_python, fake_driver):
    code = """
        import pysycl as sycl
        fake = next(p.devices[0] for p in sycl.platforms() if p.name == "Fake")
        names = {aspect.name for aspect in fake.aspects}
        assert names == {"cpu", "fp64", "online_compiler", "online_linker", "queue_profiling"}, names
    """
    run_python(code, {"PYSYCL_DRIVERS": fake_driver, "FAKE_IMAGES": "0"})
