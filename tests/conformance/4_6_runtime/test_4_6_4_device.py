"""Devices and their info descriptors: SYCL 2020, 4.6.4. The host device of the provisional specification is no more."""

import copy
import pickle
import re
import sys

import pytest

import pysycl as sycl
from pysycl import _core, opencl
from pysycl.enums import (
    ExecutionCapability,
    FpConfig,
    GlobalMemCacheType,
    LocalMemType,
    MemoryOrder,
    MemoryScope,
    PartitionAffinityDomain,
    PartitionProperty,
)

POSITIVE = {
    *("max_compute_units", "max_work_item_dimensions", "max_work_group_size", "max_num_sub_groups", "address_bits"),
    *("max_mem_alloc_size", "global_mem_size", "local_mem_size", "max_parameter_size", "mem_base_addr_align"),
    *(
        "preferred_vector_width_int",
        "native_vector_width_int",
        "preferred_vector_width_float",
        "native_vector_width_float",
    ),
}
INTEGERS = [
    "vendor_id",
    "max_compute_units",
    "max_work_item_dimensions",
    "max_work_group_size",
    "max_num_sub_groups",
    "preferred_vector_width_char",
    "preferred_vector_width_short",
    "preferred_vector_width_int",
    "preferred_vector_width_long",
    "preferred_vector_width_float",
    "preferred_vector_width_double",
    "preferred_vector_width_half",
    "native_vector_width_char",
    "native_vector_width_short",
    "native_vector_width_int",
    "native_vector_width_long",
    "native_vector_width_float",
    "native_vector_width_double",
    "native_vector_width_half",
    "max_clock_frequency",
    "address_bits",
    "max_mem_alloc_size",
    "max_read_image_args",
    "max_write_image_args",
    "image2d_max_width",
    "image2d_max_height",
    "image3d_max_width",
    "image3d_max_height",
    "image3d_max_depth",
    "image_max_buffer_size",
    "image_max_array_size",
    "max_samplers",
    "max_parameter_size",
    "mem_base_addr_align",
    "global_mem_cache_line_size",
    "global_mem_cache_size",
    "global_mem_size",
    "max_constant_buffer_size",
    "max_constant_args",
    "local_mem_size",
    "profiling_timer_resolution",
    "printf_buffer_size",
    "partition_max_sub_devices",
    "reference_count",
]
BOOLEANS = [
    "sub_group_independent_forward_progress",
    "image_support",
    "error_correction_support",
    "host_unified_memory",
    "is_endian_little",
    "is_available",
    "is_compiler_available",
    "is_linker_available",
    "queue_profiling",
    "preferred_interop_user_sync",
]
STRINGS = ["name", "vendor", "driver_version", "profile", "version", "backend_version"]
LISTS = {
    "sub_group_sizes": int,
    "half_fp_config": FpConfig,
    "single_fp_config": FpConfig,
    "double_fp_config": FpConfig,
    "atomic_memory_order_capabilities": MemoryOrder,
    "atomic_fence_order_capabilities": MemoryOrder,
    "atomic_memory_scope_capabilities": MemoryScope,
    "atomic_fence_scope_capabilities": MemoryScope,
    "execution_capabilities": ExecutionCapability,
    "built_in_kernels": str,
    "aspects": sycl.Aspect,
    "extensions": str,
    "partition_properties": PartitionProperty,
    "partition_affinity_domains": PartitionAffinityDomain,
}
OTHERS = {
    "device_type": sycl.DeviceType,
    "max_work_item_sizes": tuple,
    "global_mem_cache_type": GlobalMemCacheType,
    "local_mem_type": LocalMemType,
    "platform": sycl.Platform,
    "parent_device": sycl.Device,
    "partition_type_property": PartitionProperty,
    "partition_type_affinity_domain": PartitionAffinityDomain,
}
MANDATORY_EXTENSIONS = [
    "cl_khr_global_int32_base_atomics",
    "cl_khr_global_int32_extended_atomics",
    "cl_khr_local_int32_base_atomics",
    "cl_khr_local_int32_extended_atomics",
    "cl_khr_byte_addressable_store",
]


@pytest.fixture
def real(device):
    """A device that is no emulator: emulators do not keep to all of OpenCL's minima."""
    if device.has("emulated"):
        pytest.skip("an emulator")
    return device


# -- the class --


@pytest.mark.spec("H182", "H183", "H184", "H181")
def test_construction_and_members(device):
    assert sycl.Device() == sycl.Device(sycl.default_selector)
    assert sycl.Device(device) == device
    assert device.backend is sycl.Backend.opencl
    assert device.platform == device.get_info("platform")
    assert device in device.platform.devices


@pytest.mark.spec("H185", "H192", "H247")
def test_types_are_aspects(device):
    assert device.is_host is device.has("host") is False
    assert device.is_cpu is device.has("cpu") is (device.device_type is sycl.DeviceType.cpu)
    assert device.is_gpu is device.has("gpu") is (device.device_type is sycl.DeviceType.gpu)
    assert device.is_accelerator is device.has("accelerator") is (device.device_type is sycl.DeviceType.accelerator)
    assert device.has("custom") is (device.device_type is sycl.DeviceType.custom)
    assert sum(map(device.has, ("cpu", "gpu", "accelerator", "custom"))) == 1


@pytest.mark.spec("H186")
def test_queries_by_name_and_by_descriptor(device):
    assert device.get_info("max_compute_units") == device.max_compute_units
    assert device.get_info(sycl.Device.max_compute_units) == device.max_compute_units
    with pytest.raises(sycl.InvalidParameterError, match="did you mean 'max_compute_units'"):
        device.get_info("max_compute_unit")
    for extension in device.extensions:
        assert device.has_extension(extension) is True
        assert device.has_extension(extension[:-1]) is (extension[:-1] in device.extensions)
    with pytest.raises(TypeError):
        device.has_extension(3)


@pytest.mark.spec("H191", "H243", "D490")
def test_devices_of_all_platforms_by_type(device):
    assert sycl.Device.get_devices() == sycl.devices() == sycl.devices("all")
    assert device in sycl.devices()
    assert sycl.devices("automatic") == [sycl.Device()]
    assert sycl.devices("host") == []
    by_type = [sycl.Device.get_devices(kind) for kind in ("cpu", "gpu", "accelerator", "custom")]
    assert sum(map(len, by_type)) == len(sycl.devices())
    assert device in sycl.devices(device.device_type)
    names = ["cpu", "gpu", "accelerator", "custom", "automatic", "host", "all"]
    assert [kind.name for kind in sycl.DeviceType] == names


@pytest.mark.spec("H181")
def test_a_failing_query_raises_at_once(device):
    frequency = device.max_clock_frequency
    _core.fault_install(device.platform._driver_index)
    try:
        _core.fault_arm("GetDeviceInfo", 2, -5)
        with pytest.raises(sycl.SyclRuntimeError) as caught:
            device.get_info("max_clock_frequency")
        assert (caught.value.api, caught.value.cl_code) == ("clGetDeviceInfo", -5)
        assert device.max_clock_frequency == frequency
    finally:
        _core.fault_install(None)


@pytest.mark.spec("H131", "H134", "H135")
def test_equality_copies_and_pickles(device):
    again = next(d for d in sycl.devices() if d.int_ptr == device.int_ptr)
    assert again == device
    assert hash(again) == hash(device)
    assert copy.copy(device) == copy.deepcopy(device) == device
    assert pickle.loads(pickle.dumps(device)) == device
    assert device != device.platform
    assert device != 3


@pytest.mark.spec("H101", "H125", "H126", "H127", "H129", "D521")
def test_native_handles(device):
    assert {"get_native", "make_platform", "make_device", "make_context"} <= set(vars(opencl))
    assert type(device.int_ptr) is int
    for handle in device._lanes:
        assert sycl.make_device(handle) == sycl.Device.from_int_ptr(handle) == device
    assert sycl.get_native(sycl.Backend.opencl, device) == device.int_ptr == device._lanes[0]
    with pytest.raises(sycl.BackendMismatchError):
        sycl.get_native("host", device)
    with pytest.raises(sycl.InvalidParameterError, match="a str has no native handle"):
        sycl.get_native("opencl", "device")
    with pytest.raises(sycl.InvalidObjectError, match="not a device of a driver"):
        sycl.Device.from_int_ptr(4096)


@pytest.mark.spec("D503", "H154", "H152")
def test_a_cpu_stands_in_for_the_host_device(run_python):
    """The provisional specification's host device is always there; what comes with pysycl on Linux is PoCL's CPU."""
    pytest.importorskip("pocl_binary_distribution")
    code = """
        import pysycl as sycl
        host = sycl.Device("cpu")
        assert host.is_cpu and host.has("image") and host.has("fp64") and host.profile == "FULL_PROFILE"
        assert sycl.Device() is not None
    """
    run_python(code, {"PYSYCL_DRIVERS": None, "PYSYCL_DEVICE": None})


def test_repr_and_filter_string(device):
    assert re.fullmatch(r"<pysycl\.Device '.+' opencl:\w+:\d+ .+>", repr(device))
    assert device.filter_string in repr(device)
    assert sycl.Device(device.filter_string) == device
    with pytest.raises(TypeError):
        _core.Device()


# -- descriptors: every device must answer each --


@pytest.mark.spec("D482", "D483", "D484", "D485", "D486", "D487", "D488", "D489", "H121")
def test_every_descriptor_of_the_specification_is_there(device):
    names = {*INTEGERS, *BOOLEANS, *STRINGS, *LISTS, *OTHERS}
    assert set(device.info_names()) == names
    for name in names - {"parent_device"}:
        value = device.get_info(name)
        if name in INTEGERS:
            assert type(value) is int
            assert (name in POSITIVE) <= value < 2**64, name
        elif name in BOOLEANS:
            assert type(value) is bool
        elif name in STRINGS:
            assert type(value) is str
            assert value == value.strip() != ""
        elif name in LISTS:
            assert type(value) is list
            assert all(isinstance(each, LISTS[name]) for each in value)
            assert len(set(value)) == len(value)
        else:
            assert isinstance(value, OTHERS[name])
        assert getattr(sycl.Device, name).__doc__


@pytest.mark.spec("H192", "H193", "H194", "H195")
def test_limits_of_ranges(device):
    assert device.device_type not in (sycl.DeviceType.all, sycl.DeviceType.automatic, sycl.DeviceType.host)
    assert device.max_compute_units >= 1
    assert device.max_work_item_dimensions >= 3
    assert len(device.max_work_item_sizes) == 3
    assert min(device.max_work_item_sizes) >= 1
    assert device.max_work_group_size >= 1


def test_work_item_sizes_are_in_sycl_order(run_python, fake_driver):
    code = """
        import pysycl as sycl
        fake = next(p.devices[0] for p in sycl.platforms() if p.name == "Fake")
        assert fake.max_work_item_sizes == (64, 1024, 1024), fake.max_work_item_sizes
    """
    run_python(code, {"PYSYCL_DRIVERS": fake_driver})


@pytest.mark.spec("H196", "H197", "H198", "D489")
def test_sub_groups(device):
    assert device.max_num_sub_groups >= 1
    assert device.sub_group_sizes
    assert min(device.sub_group_sizes) >= 1
    assert device.sub_group_sizes == sorted(device.sub_group_sizes)
    kind, largest = device._facts["sub_groups"], device.max_work_group_size
    if kind == 1:
        constants = _core.cl_constants()
        native = device._query(constants["CL_DEVICE_SUB_GROUP_SIZES_INTEL"], "sizes")
        assert device.sub_group_sizes == sorted(native)
        assert device.max_num_sub_groups == device._query(constants["CL_DEVICE_MAX_NUM_SUB_GROUPS"], "uint")
        what = constants["CL_DEVICE_SUB_GROUP_INDEPENDENT_FORWARD_PROGRESS"]
        assert device.sub_group_independent_forward_progress is device._query(what, "bool")
    elif kind == 2:
        assert device.sub_group_sizes == [32] and device.max_num_sub_groups == largest // 32
        assert device.sub_group_independent_forward_progress is True
    else:
        assert device.sub_group_sizes == [size for size in (1, 2, 4, 8, 16, 32, 64) if size <= largest]
        assert device.max_num_sub_groups == largest
        assert device.sub_group_independent_forward_progress is False


@pytest.mark.spec("H199", "H200")
@pytest.mark.parametrize("kind", ["preferred", "native"])
def test_vector_widths(device, kind):
    for name in ("char", "short", "int", "long", "float"):
        assert device.get_info(f"{kind}_vector_width_{name}") >= 1
    assert (device.get_info(f"{kind}_vector_width_double") > 0) is device.has("fp64")
    assert (device.get_info(f"{kind}_vector_width_half") > 0) is device.has("fp16")


@pytest.mark.spec("H201", "H202", "H208", "H209", "H216", "H222")
def test_memory_limits(device):
    assert device.address_bits in (32, 64)
    assert device.max_mem_alloc_size >= min(max(device.global_mem_size // 4, 128 << 20), device.global_mem_size)
    assert device.max_parameter_size >= 1024
    assert device.mem_base_addr_align >= 8
    assert device.mem_base_addr_align % 8 == 0  # in bits
    assert device.max_constant_buffer_size >= 64 << 10
    assert device.max_constant_args >= 8
    assert device.profiling_timer_resolution >= 1


@pytest.mark.spec("H203", "H204", "H205", "H206", "H207")
def test_image_limits(device):
    assert device.image_support is device.has("image")
    if not device.has("image"):
        pytest.skip("no images")
    assert device.max_read_image_args >= 128
    assert device.max_write_image_args >= 8
    assert device.image2d_max_width >= 8192
    assert device.image2d_max_height >= 8192
    assert min(device.image3d_max_width, device.image3d_max_height, device.image3d_max_depth) >= 2048
    assert device.image_max_buffer_size >= 65536
    assert device.image_max_array_size >= 2048
    assert device.max_samplers >= 16


@pytest.mark.spec("H210", "H211", "H212", "H213", "D494")
def test_floating_point(device):
    assert device.has("fp16") or device.half_fp_config == []
    assert {FpConfig.round_to_nearest, FpConfig.inf_nan} <= set(device.single_fp_config)
    double = {each for each in FpConfig if each.name not in ("correctly_rounded_divide_sqrt", "soft_float")}
    assert double <= set(device.double_fp_config) if device.has("fp64") else device.double_fp_config == []
    names = "denorm inf_nan round_to_nearest round_to_zero round_to_inf fma correctly_rounded_divide_sqrt soft_float"
    assert [each.name for each in FpConfig] == names.split()


@pytest.mark.spec("H214", "H215", "H217", "H218", "D493")
def test_caches_and_local_memory(device):
    assert device.global_mem_cache_type in GlobalMemCacheType
    cached = device.global_mem_cache_type is not GlobalMemCacheType.none
    assert (device.global_mem_cache_size > 0) is cached
    assert device.global_mem_size > 0
    assert device.local_mem_type in (LocalMemType.local, LocalMemType.global_) or device.has("custom")
    assert device.local_mem_size >= 32 << 10
    assert [each.value for each in LocalMemType] == ["none", "local", "global"]
    assert [each.value for each in GlobalMemCacheType] == ["none", "read_only", "read_write"]


@pytest.mark.spec("H220", "H221", "D486")
def test_atomic_capabilities(device):
    for what in ("memory", "fence"):
        orders = device.get_info(f"atomic_{what}_order_capabilities")
        scopes = device.get_info(f"atomic_{what}_scope_capabilities")
        assert MemoryOrder.relaxed in orders
        assert MemoryScope.work_group in scopes
        assert (MemoryOrder.acquire in orders) == (MemoryOrder.release in orders) == (MemoryOrder.acq_rel in orders)


def test_what_a_driver_says_of_atomics_is_read_bit_by_bit(run_python, fake_driver):
    code = """
        import pysycl as sycl
        fake = next(p.devices[0] for p in sycl.platforms() if p.name == "Fake")
        names = lambda values: [value.name for value in values]
        assert names(fake.atomic_memory_order_capabilities) == ["relaxed"]
        assert names(fake.atomic_fence_order_capabilities) == ["relaxed", "acquire", "release", "acq_rel"]
        assert names(fake.atomic_memory_scope_capabilities) == ["work_item", "sub_group", "work_group"]
        assert names(fake.single_fp_config) == ["denorm", "inf_nan", "round_to_nearest"]
        assert fake.double_fp_config and fake.half_fp_config == []
        assert fake.global_mem_cache_type.name == "read_write" and fake.local_mem_type.value == "global"
        assert names(fake.execution_capabilities) == ["exec_kernel"]
    """
    run_python(code, {"PYSYCL_DRIVERS": fake_driver})


@pytest.mark.spec("H219", "H223", "H224", "H225", "H226", "H235", "D495")
def test_flags(device):
    assert device.is_endian_little is (sys.byteorder == "little")
    assert device.is_available is True
    assert device.is_compiler_available is device.has("online_compiler")
    assert device.is_linker_available is device.has("online_linker")
    assert device.queue_profiling is device.has("queue_profiling")
    assert ExecutionCapability.exec_kernel in device.execution_capabilities
    assert [each.name for each in ExecutionCapability] == ["exec_kernel", "exec_native_kernel"]
    assert isinstance(device.error_correction_support, bool)
    assert isinstance(device.host_unified_memory, bool)
    assert isinstance(device.preferred_interop_user_sync, bool)


@pytest.mark.spec("H230")
@pytest.mark.parametrize("profile", ["FULL_PROFILE", "EMBEDDED_PROFILE"])
def test_the_profile_is_the_driver_s(run_fake, profile):
    run_fake(
        f"""
        device = sycl.Device()
        assert device.profile == device.get_info("profile") == device.platform.profile == {profile!r}, device.profile
        queue, x = sycl.Queue(), np.zeros(4, np.uint32)
        queue.single_task(program.slow, x, 0).wait_and_throw()  # it is used all the same
        assert x[0] == 1
        """,
        {"FAKE_PROFILE": profile},
    )


@pytest.mark.spec("H227")
@pytest.mark.parametrize("names", [[], ["bump"], ["bump", "slow"]], ids=len)
def test_the_kernels_that_are_part_of_the_device(run_fake, names):
    run_fake(
        f"""
        device = sycl.Device()
        assert device.built_in_kernels == device.get_info("built_in_kernels") == {names!r}, device.built_in_kernels
        """,
        {"FAKE_BUILT_IN": ";".join(names)},
    )


@pytest.mark.spec("H228", "H229", "H231", "H232", "D487")
def test_texts(device):
    assert device.platform.name
    assert device.name
    assert device.vendor
    assert re.search(r"\d+\.\d+", device.driver_version)
    assert device.profile in ("FULL_PROFILE", "EMBEDDED_PROFILE")
    assert re.fullmatch(r"2020\.\d+", device.version)
    assert re.match(r"OpenCL \d+\.\d+", device.backend_version)
    assert device.aspects == [aspect for aspect in sycl.Aspect if device.has(aspect)]


@pytest.mark.spec("H233")
def test_extensions(device):
    assert all(re.fullmatch(r"\S+", name) for name in device.extensions)
    assert set(MANDATORY_EXTENSIONS) <= set(device.extensions)


@pytest.mark.spec("H234")
def test_printf_buffer(real):
    assert real.printf_buffer_size >= 1 << 20
