"""Sub-devices: SYCL 2020, 4.6.4, and the descriptors that tell of them."""

import pickle
import re

import pytest

import pysycl as sycl
from pysycl import opencl
from pysycl.enums import PartitionAffinityDomain, PartitionProperty


@pytest.fixture
def halves(device):
    """Two sub-devices."""
    units = device.max_compute_units // 2
    if PartitionProperty.partition_by_counts not in device.partition_properties or units < 1:
        pytest.skip("the device cannot be divided by counts")
    return device.create_sub_devices("partition_by_counts", [units, units])


@pytest.mark.spec("H236", "H240", "H241", "H242", "D488")
def test_a_root_device_is_no_part(device):
    with pytest.raises(sycl.InvalidObjectError, match="is no sub-device") as caught:
        device.get_info("parent_device")
    assert caught.value.code is sycl.Errc.invalid
    assert device.is_sub_device is False
    assert device.partition_type_property is PartitionProperty.no_partition
    assert device.partition_type_affinity_domain is PartitionAffinityDomain.not_applicable
    assert device.reference_count == 1


@pytest.mark.spec("H237", "H238", "H239", "D491", "D492")
def test_partition_descriptors(device):
    assert device.partition_max_sub_devices <= device.max_compute_units
    assert device.partition_max_sub_devices >= 2 or device.partition_properties == []
    by_domain = PartitionProperty.partition_by_affinity_domain in device.partition_properties
    assert bool(device.partition_affinity_domains) >= by_domain
    assert PartitionProperty.no_partition not in device.partition_properties
    names = ["no_partition", "partition_equally", "partition_by_counts", "partition_by_affinity_domain"]
    assert [each.name for each in PartitionProperty] == names
    domains = "not_applicable numa L4_cache L3_cache L2_cache L1_cache next_partitionable"
    assert [each.name for each in PartitionAffinityDomain] == domains.split()


@pytest.mark.spec("H188", "H238")
def test_equal_parts(device, no_leaks):
    if PartitionProperty.partition_equally not in device.partition_properties:
        with pytest.raises(sycl.FeatureNotSupportedError, match=re.escape(repr(device.name))) as caught:
            device.create_sub_devices("partition_equally", 1)
        assert caught.value.code is sycl.Errc.feature_not_supported
        return
    parts = device.create_sub_devices(PartitionProperty.partition_equally, 1)
    assert len(parts) == device.max_compute_units
    assert all(part.max_compute_units == 1 and part.parent_device == device for part in parts)
    assert all(part.partition_type_property is PartitionProperty.partition_equally for part in parts)
    assert all(part.partition_properties == [] for part in parts)  # one compute unit makes no two
    with pytest.raises(sycl.InvalidParameterError):
        device.create_sub_devices("partition_equally", device.max_compute_units + 1)
    with pytest.raises(TypeError, match="a number of compute units for partition_equally, not \\[1\\]"):
        device.create_sub_devices("partition_equally", [1])


@pytest.mark.spec("H189", "H236", "H240")
def test_parts_by_counts(device, halves):
    assert [part.max_compute_units for part in halves] == [device.max_compute_units // 2] * 2
    for part in halves:
        assert part.is_sub_device is True
        assert part.parent_device == part.get_info("parent_device") == device
        assert part.partition_type_property is PartitionProperty.partition_by_counts
        assert part.partition_type_affinity_domain is PartitionAffinityDomain.not_applicable
        assert part.device_type is device.device_type
        assert part.platform == device.platform
        assert part.filter_string is None
        assert part not in sycl.devices()
    assert halves[0] != halves[1]
    with pytest.raises(sycl.InvalidParameterError, match="the counts sum to"):
        device.create_sub_devices("partition_by_counts", [device.max_compute_units, 1])
    with pytest.raises(TypeError, match="a sequence of numbers"):
        device.create_sub_devices("partition_by_counts", 1)
    with pytest.raises(TypeError, match="cannot be pickled"):
        pickle.dumps(halves[0])


@pytest.mark.spec("H189", "H190")
def test_what_cannot_be_divided_says_so(device):
    missing = set(PartitionProperty) - set(device.partition_properties) - {PartitionProperty.no_partition}
    values = {
        PartitionProperty.partition_equally: 1,
        PartitionProperty.partition_by_counts: [1],
        PartitionProperty.partition_by_affinity_domain: "numa",
    }
    for scheme in missing:
        with pytest.raises(sycl.FeatureNotSupportedError, match=rf"cannot be divided by {scheme.value}") as caught:
            device.create_sub_devices(scheme, values[scheme])
        assert device.name in str(caught.value)
        assert caught.value.code is sycl.Errc.feature_not_supported
    with pytest.raises(sycl.InvalidParameterError, match="divides nothing"):
        device.create_sub_devices("no_partition", 1)
    with pytest.raises(sycl.InvalidParameterError, match="'equally', which is no PartitionProperty"):
        device.create_sub_devices("equally", 1)
    with pytest.raises(sycl.InvalidParameterError, match="no domain to divide by"):
        device.create_sub_devices("partition_by_affinity_domain", "not_applicable")


@pytest.mark.spec("H190")
def test_a_missing_domain_is_named(device):
    if PartitionProperty.partition_by_affinity_domain not in device.partition_properties:
        pytest.skip("the device cannot be divided by affinity domains")
    for domain in set(PartitionAffinityDomain) - set(device.partition_affinity_domains):
        if domain is not PartitionAffinityDomain.not_applicable:
            with pytest.raises(sycl.FeatureNotSupportedError, match=domain.value):
                device.create_sub_devices("partition_by_affinity_domain", domain)


@pytest.mark.spec("H187")
def test_a_part_has_parts(run_fake):
    run_fake("""
        fake = next(p.devices[0] for p in sycl.platforms() if "fake" in p.name)
        before = live_counts.quiet()
        half, _ = fake.create_sub_devices("partition_equally", 2)
        quarter, _ = half.create_sub_devices("partition_equally", 1)
        assert quarter.parent_device == half and half.parent_device == fake and quarter.max_compute_units == 1
        assert quarter.partition_properties == [] and quarter.partition_max_sub_devices == 1
        assert sycl.Device.from_int_ptr(quarter.int_ptr) == quarter
        del half, _
        assert quarter.parent_device.parent_device == fake  # a part keeps what it is a part of
        del quarter
        assert live_counts.settled(before) == before
    """)


@pytest.mark.spec("H130", "D511", "D513", "D521", "D524")
def test_a_part_is_retained_natively(device, halves):
    part = halves[0]
    again = sycl.make_device(part.int_ptr)
    assert again == part
    assert opencl.get_reference_count(part) == part.reference_count >= 1
    assert sycl.Context(part).devices == [part]
    handle = part.int_ptr
    halves.clear()
    del part
    assert again.int_ptr == handle
    assert again.max_compute_units == device.max_compute_units // 2
