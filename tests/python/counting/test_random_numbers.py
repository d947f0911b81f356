"""Random numbers: Philox against its published vectors and NumPy's, the same bits on every device and for every split,
and sycl.random.Generator."""

import zlib

import numpy as np
import pytest

import pysycl as sycl
from pysycl.errors import InvalidParameterError

# Random123's kat_vectors: counter, key, result.
VECTORS = [
    ("00000000 00000000 00000000 00000000", "00000000 00000000", "6627e8d5 e169c58d bc57ac4c 9b00dbd8"),
    ("ffffffff ffffffff ffffffff ffffffff", "ffffffff ffffffff", "408f276d 41c83b0e a20bc7c6 6d5451fd"),
    ("243f6a88 85a308d3 13198a2e 03707344", "a4093822 299f31d0", "d16cfe09 94fdcceb 5001e420 24126ea1"),
]
# Of words of 32 and of 64 bits: multipliers, and what keys grow by.
CONSTANTS = {
    32: (0xD2511F53, 0xCD9E8D57, 0x9E3779B9, 0xBB67AE85),
    64: (0xD2E7470EE14C6C93, 0xCA5A826395121157, 0x9E3779B97F4A7C15, 0xBB67AE8584CAA73B),
}
KEY = 0x299F31D0A4093822


def words(text):
    return [int(word, 16) for word in text.split()]


def philox(counter, key, bits=32):
    m0, m1, w0, w1 = CONSTANTS[bits]
    mask, (a, b, c, d), (k0, k1) = 2**bits - 1, counter, key
    for _ in range(10):
        p, q = m0 * a, m1 * c
        a, b, c, d = (q >> bits) ^ b ^ k0, q & mask, (p >> bits) ^ d ^ k1, p & mask
        k0, k1 = (k0 + w0) & mask, (k1 + w1) & mask
    return [a, b, c, d]


def block(number, purpose=0, attempt=0):
    return philox([number & 0xFFFFFFFF, number >> 32, purpose, attempt], [KEY & 0xFFFFFFFF, KEY >> 32])


def generator(position=0):
    g = sycl.random.Generator(1)
    g.key = np.uint64(KEY)
    g.position = position
    return g


def test_the_reference_is_the_published_function_and_numpys():
    for counter, key, result in VECTORS:
        assert philox(words(counter), words(key)) == words(result)
    theirs = np.random.Philox(
        counter=0, key=np.array([3, 2**63 + 5], np.uint64)
    )  # of 64 bits; it counts before it gives
    assert theirs.random_raw(4).tolist() == philox([1, 0, 0, 0], [3, 2**63 + 5], 64)


def test_kernels_have_the_published_vectors(queue):
    counters, keys, results = (np.array([words(row[k]) for row in VECTORS], np.uint32) for k in range(3))
    out = np.zeros((len(VECTORS), 4), np.uint32)
    text = "vstore4(random_philox(vload4(i, counters), vload2(i, keys)), i, out);"
    queue.parallel_for(len(VECTORS), text, counters=counters, keys=keys, out=out)
    assert np.array_equal(out, results)


def test_bits_and_uniform_numbers_are_philoxs(queue):
    first = 2**34 - 6  # the counter's second word changes between them
    bits, few = np.zeros(16, np.uint32), np.zeros(16, np.float32)
    text = "bits[i] = random_bits(key, first + i); few[i] = random_uniform(key, first + i);"
    queue.parallel_for(16, text, key=np.uint64(KEY), first=np.uint64(first), bits=bits, few=few).wait()
    expected = [block((first + k) // 4)[(first + k) % 4] for k in range(16)]
    assert bits.tolist() == expected
    assert few.tolist() == [(word >> 8) / 2**24 for word in expected]
    assert np.array_equal(generator(first).uniform(size=16, dtype="f4", queue=queue), few)
    if queue.device.has("fp64"):
        doubles = [block((first + k) // 2, 2)[(first + k) % 2 * 2 :][:2] for k in range(16)]
        assert generator(first).uniform(size=16, queue=queue).tolist() == [
            ((high << 32 | low) >> 11) / 2**53 for low, high in doubles
        ]


# Of 10001 numbers from position 3 on: the same on every device.
DIGESTS = {
    ("uniform", "f4"): 0x7535A7F1,
    ("uniform", "f8"): 0x8BE65846,
    ("normal", "f4"): 0x3BD418EB,
    ("normal", "f8"): 0x49844848,
}


@pytest.mark.parametrize(("what", "dtype"), DIGESTS)
def test_numbers_have_the_same_bits_on_every_device(queue, what, dtype):
    if dtype == "f8" and not queue.device.has("fp64"):
        pytest.skip("no double")
    numbers = getattr(generator(3), what)(size=10001, dtype=dtype, queue=queue)
    assert zlib.crc32(numbers.tobytes()) == DIGESTS[what, dtype]


@pytest.mark.parametrize("dtype", ["f4", "f8"])
@pytest.mark.parametrize("what", ["uniform", "normal"])
def test_numbers_do_not_depend_on_the_split(queue, what, dtype):
    if dtype == "f8" and not queue.device.has("fp64"):
        pytest.skip("no double")
    whole = getattr(generator(5), what)(size=100, dtype=dtype, queue=queue)
    g = generator(5)
    parts = [getattr(g, what)(size=n, dtype=dtype, queue=queue) for n in (1, 0, 2, 3, 4, 5, 7, 8, 70)]
    assert np.array_equal(np.concatenate(parts), whole)
    out = np.zeros(100, dtype)
    name = f"random_{what}" + ("_double" if dtype == "f8" else "")
    queue.parallel_for(100, f"out[i] = {name}(key, 5 + i);", key=np.uint64(KEY), out=out)
    assert np.array_equal(out, whole)


@pytest.mark.parametrize("dtype", ["f4", "f8"])
def test_normal_numbers_are_those_of_box_and_muller(queue, dtype):
    if dtype == "f8" and not queue.device.has("fp64"):
        pytest.skip("no double")
    n = 2000
    found = generator().normal(size=n, dtype=dtype, queue=queue).astype(np.float64)
    if dtype == "f4":
        pairs = np.array([block(k // 2, 1)[k % 2 * 2 :][:2] for k in range(n // 2)], np.uint64)
        radius, angle = (pairs[:, 0] + 0.5) / 2**32, pairs[:, 1] / 2**32
    else:
        four = np.array([block(k, 3) for k in range(n // 2)], np.uint64)
        both = four[:, 1::2] << np.uint64(32) | four[:, ::2]
        radius, angle = ((both[:, 0] >> np.uint64(11)) + 0.5) / 2**53, both[:, 1] / 2**64
    radius, angle = np.sqrt(-2 * np.log(radius)), 2 * np.pi * angle
    expected = np.stack([radius * np.cos(angle), radius * np.sin(angle)], 1).reshape(-1)
    assert np.abs(found - expected).max() < {"f4": 2e-6, "f8": 4e-15}[dtype]


def test_normal_numbers_are_distributed_so(queue):
    x = sycl.random.Generator(11).normal(3, 2, size=400_000, dtype="f4", queue=queue)
    x = (x.astype(np.float64) - 3) / 2
    n = x.size
    assert abs(x.mean()) < 4 / n**0.5 and abs((x**2).mean() - 1) < 4 * (2 / n) ** 0.5
    assert abs((x**3).mean()) < 4 * (15 / n) ** 0.5 and abs((x**4).mean() - 3) < 4 * (96 / n) ** 0.5
    assert abs((x[:-1] * x[1:]).mean()) < 4 / n**0.5  # of the pair, too
    assert 4.2 < np.abs(x).max() < 6.7


def below(i, n):
    """An integer by the definition."""
    for attempt in range(100):
        part = block(i // 2, 4, attempt)[i % 2 * 2 :][:2]
        product = (part[1] << 32 | part[0]) * n
        if product % 2**64 >= 2**64 % n:
            return product >> 64
    raise AssertionError


@pytest.mark.parametrize(
    ("low", "high", "dtype"),
    [
        (0, 10, "i8"), (-5, 6, "i1"), (0, 2**64, "u8"), (-(2**63), 2**63, "i8"), (0, 2**63 + 2**62, "u8"), (0, 2, "?"),
        (250, 256, "u1"), (7, 8, "i4"), (-(2**31), 2**31, "i4"),
    ],
)  # fmt: skip
def test_integers_are_exact(queue, low, high, dtype):
    found = generator(1).integers(low, high, 30, dtype, queue=queue)
    assert found.dtype == dtype
    assert found.tolist() == [low + below(1 + k, high - low) for k in range(30)]  # those of 3 * 2^62: some try again
    inclusive = generator(1).integers(low, high - 1, 30, dtype, endpoint=True, queue=queue)
    assert np.array_equal(found, inclusive)


def test_integers_below_one_bound(queue):
    g = sycl.random.Generator(3)
    found = g.integers(6, size=6000, queue=queue)
    assert found.dtype == np.int64 and np.abs(np.bincount(found, minlength=6) - 1000).max() < 150


@pytest.mark.parametrize("shape", [7, (3, 5), (2, 3, 2, 2), (0, 4), ()])
def test_memory_of_every_kind(queue, shape):
    like = generator(2).uniform(-1, 1, shape, "f4", queue=queue)
    whole = shape if isinstance(shape, tuple) else (shape,)
    assert np.shape(like) == whole
    array = np.zeros((*whole, 2), np.float32)[..., 0]  # with steps
    assert generator(2).uniform(-1, 1, out=array, queue=queue) is array
    assert np.array_equal(array, like)
    if whole and 0 not in whole:
        usm = sycl.malloc_shared(whole, np.float32, queue)
        assert generator(2).uniform(-1, 1, out=usm) is usm
        assert np.array_equal(np.asarray(usm), like)
    if 0 < len(whole) < 4 and 0 not in whole:
        buffer = sycl.Buffer(whole, np.float32)
        generator(2).uniform(-1, 1, out=buffer, queue=queue)
        assert np.array_equal(np.asarray(buffer.host_access()), like)


def test_seeds():
    def first(*seed):
        return int(sycl.random.Generator(*seed).key)

    assert first(5) == first(np.int64(5)) == first([5]) == first(np.random.SeedSequence(5)) != first(6)
    assert first() != first()
    for seed in (-1, 1.5, "x"):
        with pytest.raises(InvalidParameterError, match="^seed: "):
            sycl.random.Generator(seed)


def test_calls_move_on(queue):
    g = generator(10)
    assert not np.array_equal(g.normal(size=4, dtype="f4", queue=queue), g.normal(size=4, dtype="f4", queue=queue))
    assert g.position == 18 and "position=18" in repr(g)
    with pytest.raises(InvalidParameterError, match="^position: "):
        g.position = -1


def test_permutations():
    g = generator()
    for n in (0, 1, 2, 1000):
        found = g.permutation(n)
        assert np.array_equal(np.sort(found), np.arange(n))
    assert not np.array_equal(g.permutation(1000), g.permutation(1000))
    counts = np.zeros((3, 3), int)
    for _ in range(600):
        counts[np.arange(3), g.permutation(3)] += 1
    assert np.abs(counts - 200).max() < 60
    x = np.arange(12).reshape(3, 4)
    for axis in (0, 1, -1):
        rows = generator(9).permutation(x, axis)
        assert not np.array_equal(rows, x) and np.array_equal(np.sort(rows.reshape(-1)), np.arange(12))
        assert np.array_equal(rows, np.take(x, generator(9).permutation(x.shape[axis]), axis))
        again = x.copy()
        assert generator(9).shuffle(again, axis) is None
        assert np.array_equal(again, rows)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda g: g.uniform("a"), "low: expected a number, got 'a'"),
        (lambda g: g.uniform(0, float("inf")), "high: expected a finite number, got inf"),
        (lambda g: g.uniform(-1e308, 1e308), "high - low: expected a finite number, got inf"),
        (lambda g: g.normal(0, -1), "scale: a standard deviation is not negative, got -1.0"),
        (lambda g: g.uniform(dtype="i4"), "dtype: expected float32 or float64, got i4"),
        (lambda g: g.integers(5, dtype="f4"), "dtype: expected bool or one of integers, got f4"),
        (lambda g: g.integers(5, 5), "low >= high: no integer is from 5 on and 4 at most"),
        (lambda g: g.integers(0, 257, dtype="u1"), "high: 256 is out of bounds for uint8"),
        (lambda g: g.integers(-1, 7, dtype="u1"), "low: -1 is out of bounds for uint8"),
        (lambda g: g.integers(1.5), "low, high: expected ints"),
        (lambda g: g.uniform(size=-1), "size: -1 in (-1,) is negative"),
        (lambda g: g.uniform(size="a"), "size: expected an int or a tuple of ints, got 'a'"),
        (lambda g: g.uniform(out=np.zeros(3, "f4"), dtype="f8"), "out: expected elements of float64, got float32"),
        (lambda g: g.uniform(size=4, out=np.zeros(3)), "out: expected the shape (4,), got (3,)"),
        (lambda g: g.permutation(-1), "x: expected an array, or an int that is not negative, got -1"),
        (lambda g: g.permutation(1.5), "x: expected an int, or an array of one dimension at least, got 1.5"),
        (lambda g: g.permutation(np.zeros(3), 1), "axis: 1 is out of bounds for an array of 1 dimensions"),
        (lambda g: g.shuffle([1, 2]), "x: expected a NumPy array, which is shuffled in place, got [1, 2]"),
        (lambda g: g.shuffle(np.frombuffer(b"ab", "u1")), "x: the array is read-only"),
        (lambda g: g.uniform(queue=1), "queue: expected a Queue or None, got 1"),
    ],
)  # fmt: skip
def test_errors(call, words):
    with pytest.raises(InvalidParameterError) as error:
        call(sycl.random.Generator(1))
    assert str(error.value).startswith(words)


def test_a_kernel_has_a_name_of_its_own(queue):
    """A program's own function by such a name stays its own."""
    out = np.zeros(4, np.uint32)
    preamble = "static inline uint random_bits(ulong key, ulong i) { return (uint)(key + i); }"
    queue.parallel_for(4, "out[i] = random_bits(5, i);", out=out, preamble=preamble)
    assert out.tolist() == [5, 6, 7, 8]


def test_calls_with_too_few_arguments_are_told_so(queue):
    out = np.zeros(4, np.uint32)
    for text, form in (("random_bits(i)", "(key, i)"), ("random_integer(1, i)", "(key, i, n)")):
        with pytest.raises(sycl.BuildError) as error:
            queue.parallel_for(4, f"out[i] = {text};", out=out)
        assert f"{text.split('(')[0]} takes {form}, and" in str(error.value) and "^" in str(error.value)
