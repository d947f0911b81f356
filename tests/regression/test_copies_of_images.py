"""Copies between an image and memory of another size wrote the whole image to it: the heap was broken."""

import numpy as np
import pytest

import pysycl as sycl

FORMAT = "r32g32b32a32_sfloat"
PIXELS = np.arange(64, dtype=np.float32).reshape(4, 4, 4)


@pytest.fixture
def image(device):
    if not device.has("image"):
        pytest.skip("no images")
    return sycl.UnsampledImage(PIXELS.copy(), FORMAT, (4, 4))


def images(width, height, format=FORMAT):
    return sycl.UnsampledImage(None, format, (width, height))


def test_an_image_is_copied_whole(queue, image):
    more, exact, wide = sycl.Buffer(100, "f4"), sycl.Buffer((4, 16), "f4"), sycl.Buffer(np.zeros((4, 20), "f4"))
    words = "src has 256 bytes, more than the {} of dest: an image is copied whole"
    for dest, bytes_ in (
        (lambda h: h.write(sycl.Buffer(16, "f4")), 64),
        (lambda h: h.write(sycl.Buffer(63, "f4")), 252),
        (lambda h: h.write(more, range=16, offset=3), 64),
        (lambda h: h.write(wide, range=(4, 15), offset=(0, 1)), 240),
        (lambda h: sycl.Buffer(255, "u1"), 255),
    ):
        for src in (lambda h: h.read(image), lambda h: image):
            with pytest.raises(sycl.InvalidParameterError, match=words.format(bytes_)), queue.submit() as h:
                h.copy(src(h), dest(h))
    with pytest.raises(sycl.InvalidParameterError, match="src has 256 bytes, fewer than the 400 of dest"):
        queue.copy(image, more)
    queue.submit(lambda h: h.copy(h.read(image), h.write(wide, range=(4, 16), offset=(0, 3))))
    queue.copy(image, exact).wait()
    wanted = np.zeros((4, 20), "f4")
    wanted[:, 3:19] = PIXELS.reshape(4, 16)
    assert np.array_equal(np.asarray(wide), wanted)
    assert np.array_equal(np.asarray(exact), PIXELS.reshape(4, 16))


def test_an_image_is_overwritten_whole(queue, image):
    numbers = np.arange(100, dtype=np.float32)
    more = sycl.Buffer(numbers.copy())
    for src, words in (
        (sycl.Buffer(numbers[:16].copy()), "src has 64 bytes, fewer than the 256 of dest"),
        (more, "src has 400 bytes, more than the 256 of dest: an image is copied whole"),
        (numbers[:63], "src is an array of 252 bytes, and 256 are to be copied"),
    ):
        with pytest.raises(sycl.InvalidParameterError, match=words):
            queue.copy(src, image)
    assert np.array_equal(np.asarray(image), PIXELS)
    queue.copy(sycl.Accessor(more, mode="read", range=64, offset=5), image).wait()
    assert np.array_equal(np.asarray(image).ravel(), numbers[5:69])
    queue.copy(more.reinterpret("u1"), image).wait()  # of raw bytes the first ones
    assert np.array_equal(np.asarray(image).ravel(), numbers[:64])


def test_arrays_and_shared_memory_hold_the_image(queue, image):
    with pytest.raises(sycl.InvalidParameterError, match="dest is an array of 252 bytes, and 256 are to be copied"):
        queue.copy(image, np.zeros(63, "f4"))
    for out in (np.full((16, 8), -1, "f4")[:, ::2], np.full((4, 32), -1, "f4")[:, 8:24], np.full(70, -1, "f4")):
        queue.copy(image, out).wait()
        assert np.array_equal(np.ravel(out)[:64], PIXELS.ravel())
        assert np.all(np.ravel(out)[64:] == -1)
    if queue.device.has("usm_shared_allocations"):
        with sycl.malloc_shared(80, "f4", queue) as u:
            queue.fill(u, 5).wait()
            with pytest.raises(sycl.InvalidParameterError, match="dest is a UsmArray of 252 bytes"):
                queue.copy(image, u[:63])
            queue.copy(image, u[8:72]).wait()
            assert np.asarray(u).tolist() == [5] * 8 + PIXELS.ravel().tolist() + [5] * 8


def test_images_to_images(queue, image):
    for other in (images(2, 2), images(8, 2), images(4, 5), images(4, 4, "r32g32b32a32_sint")):
        for src, dest in ((image, other), (other, image)):
            with pytest.raises(sycl.InvalidParameterError, match="images of different ranges or formats"):
                queue.copy(src, dest)
    same = images(4, 4)
    queue.copy(image, same).wait()
    assert np.array_equal(np.asarray(same), PIXELS)


def test_devices_with_memory_of_their_own(run_python, copying):
    code = """
        import numpy as np
        import pysycl as sycl
        q = sycl.Queue()
        pixels = np.arange(64, dtype=np.float32).reshape(4, 4, 4)
        if q.device.has("image"):
            image = sycl.UnsampledImage(pixels, "r32g32b32a32_sfloat", (4, 4))
            wide = sycl.Buffer(np.zeros((4, 20), "f4"))
            for small in (sycl.Buffer(16, "f4"), sycl.Accessor(wide, mode="write", range=(4, 15))):
                try:
                    q.copy(image, small)
                except sycl.InvalidParameterError as error:
                    assert "whole" in str(error)
                else:
                    raise AssertionError
            q.copy(image, sycl.Accessor(wide, mode="write", range=(4, 16), offset=(0, 1))).wait()
            assert np.array_equal(np.asarray(wide)[:, 1:17], pixels.reshape(4, 16))
            assert not np.asarray(wide)[:, 17:].any()
        q.wait_and_throw()
    """
    run_python(code, copying("gpu"))
