"""SYCL 2020 4.9.2 (4.10.2 of the draft): reducers in bodies that are done as vectors of 16, against NumPy.

There is a random body for each 30 that PYSYCL_RANDOM_BODIES says; PYSYCL_RANDOM_SEED says which. Both are printed.
"""

import os
import random

import numpy as np
import pytest
from sweeps import sweep

import pysycl as sycl
from pysycl import _core
from pysycl.reductions import _along

COUNT = max(1, int(os.environ.get("PYSYCL_RANDOM_BODIES", "30")) // 30)
SEED = int(os.environ.get("PYSYCL_RANDOM_SEED", random.randrange(2**32)))
VECTORS = "16 at a time as vectors"
OPERATORS = {
    "plus": (sycl.plus, lambda v: v.sum(dtype=v.dtype if v.dtype.kind == "i" else np.float64)),
    "minimum": (sycl.minimum, lambda v: np.fmin.reduce(v, initial=np.inf)),
    "maximum": (sycl.maximum, lambda v: np.fmax.reduce(v, initial=-np.inf)),
}
SIZES = (0, 1, 15, 16, 17, 128, 143, 20011)


@pytest.fixture(autouse=True)
def vectors(queue):
    if not queue.device.has("fp64"):
        pytest.skip("vectors stand for scalars where there is double")
    if queue.device._facts["items"] == "singly":  # of such drivers Oclgrind gets some conversions of vectors wrong
        pytest.skip("no row of the table has vectors there")
    _core.force_shape("pack")
    yield
    _core.force_shape(None)


def run(queue, where, text, reducers, **given):
    """What the reducers give; each is a name with its operator, type and value before, or None: the identity."""
    options = {key: given.pop(key) for key in ("offset", "accuracy") if key in given}
    accuracy = {"accuracy": options.pop("accuracy")} if "accuracy" in options else {}
    buffers = {}
    arrays = {name: sycl.Buffer(v) for name, v in given.items() if isinstance(v, np.ndarray) and v.size}
    given = {name: v for name, v in given.items() if name not in arrays}
    with queue.submit() as h:
        for name, (op, dtype, before) in reducers.items():
            buffers[name] = sycl.Buffer(np.array([0 if before is None else before], dtype))
            given[name] = sycl.reduction(buffers[name], h, op, initialize_to_identity=before is None, **accuracy)
        given |= {name: h.read_write(b) if f"{name}[i] =" in text else h.read(b) for name, b in arrays.items()}
        h.parallel_for(where, text, **options, **given)
    for b in arrays.values():
        b.close()
    with np.errstate(all="ignore"):
        return {name: np.array(b)[0] for name, b in buffers.items()}


def is_packed(queue, where, text, **given):
    return VECTORS in _core.body_source(queue, where, text, **given)


class Random:
    """A random text, and the same for NumPy in float64. Conditions are of what is exact, so that no lane is in doubt."""

    def __init__(self, seed):
        self.rng = random.Random(seed)
        self.dtype = self.rng.choice([np.float32, np.float64])
        self.word = "float" if self.dtype is np.float32 else "double"
        self.dims = self.rng.choice([1, 1, 2, 3])
        self.offset = self.rng.choice([0, 0, 7]) if self.dims == 1 else 0
        self.reducers = {}
        self.steps = []
        lines = [f"const T v = {self.expression(3)};"]
        for _ in range(self.rng.randint(1, 3)):
            lines.append(self.statement(3, "1"))
        self.text = "\n".join(lines).replace("T ", self.word + " ")

    def number(self):
        value = self.rng.choice(["0.5", "1.25", "3.0", "0.125"])
        return value + ("f" if self.dtype is np.float32 else "")

    def leaf(self):
        return self.rng.choice(["x[i]", "y[i]", "a", self.number(), "x[i]"])

    def expression(self, depth):
        if depth == 0 or self.rng.random() < 0.15:
            return self.leaf()
        one, two = (self.expression(depth - 1) for _ in range(2))
        return self.rng.choice(
            [f"({one} + {two})", f"({one} - {two})", f"({one} * {two})", f"sin({one})", f"exp(fmin({one}, {self.number()}))",
             f"sqrt(fabs({one}))", f"fma({one}, {two}, x[i])", f"fmax({one}, {two})", f"log(1 + fabs({one}))",
             f"({self.condition(1)} ? {one} : {two})", f"(-{one})", f"cos({one}) * {two}"]
        )  # fmt: skip

    def condition(self, depth):
        if depth == 0:
            return f"{self.rng.choice(['x[i]', 'y[i]'])} {self.rng.choice(['<', '>', '<=', '!='])} {self.leaf()}"
        one, two = (self.condition(depth - 1) for _ in range(2))
        return self.rng.choice([one, f"({one} && {two})", f"({one} || {two})", f"!({one})"])

    def reducer(self):
        name = f"r{len(self.reducers)}"
        operator = self.rng.choice(["plus", "plus", "minimum", "maximum"])
        dtype = self.rng.choice([self.dtype, self.dtype, np.float64, np.int32 if operator == "plus" else self.dtype])
        self.reducers[name] = (operator, dtype)
        return name, operator, dtype

    def combination(self, where):
        name, operator, dtype = self.reducer()
        if dtype is np.int32:
            word, value = self.rng.choice([("{}++;", "1"), ("{} += 3;", "3"), ("{} += {c};", self.condition(1))])
            self.steps.append((name, where, f"({value}) * 1"))
            return word.format(name, c=value)
        value = self.rng.choice(["v", "v", self.expression(2)])
        self.steps.append((name, where, value))
        return f"{name} += {value};" if operator == "plus" else f"{name}.combine({value});"

    def statement(self, depth, where):
        if len(self.reducers) >= 4 or self.rng.random() < 0.4 or depth == 0:
            return self.combination(where)
        condition = self.condition(1)
        yes = self.statement(depth - 1, f"({where}) && ({condition})")
        if self.rng.random() < 0.5:
            own = f"w{len(self.reducers)}"
            yes = f"{{ const T {own} = 2 * x[i]; " + yes + " " + self.statement(0, f"({where}) && ({condition})") + " }"
        elif yes.startswith("if"):
            yes = "{ " + yes + " }"
        if self.rng.random() < 0.5:
            return f"if ({condition}) {yes}"
        return f"if ({condition}) {yes} else {self.statement(depth - 1, f'({where}) && !({condition})')}"

    def value(self, text, x, y, a):
        """The text by NumPy: C's words for conditions are put into Python's."""
        names = {
            "x": x.astype(float), "y": y.astype(float), "a": float(a), "sin": np.sin, "cos": np.cos, "exp": np.exp,
            "fmin": np.fmin, "fmax": np.fmax, "sqrt": np.sqrt, "fabs": np.abs, "log": np.log,
            "fma": lambda p, q, r: p * q + r, "select": np.where, "also": np.logical_and, "either": np.logical_or,
            "no": np.logical_not, "v": self.v if hasattr(self, "v") else None,
        }  # fmt: skip
        return eval(python_of(text), names) + np.zeros(x.shape)

    def check(self, queue, count):
        shape = {1: (count,), 2: (3, count), 3: (2, 3, count)}[self.dims]
        n = int(np.prod(shape))
        rng = np.random.default_rng(count)
        x, y = (rng.uniform(-2, 2, n + self.offset).astype(self.dtype) for _ in range(2))
        a = self.dtype(0.75)
        given = {"x": x, "y": y, "a": a, "offset": (self.offset,)} if self.offset else {"x": x, "y": y, "a": a}
        given = {name: v for name, v in given.items() if name == "offset" or name in names_of(self.text)}
        if not any(isinstance(v, np.ndarray) for v in given.values()):
            return
        if n == 0:
            given |= {name: np.zeros(16, self.dtype) for name in given if name in "xy"}
        got = run(
            queue, shape, self.text, {r: (OPERATORS[o][0], d, None) for r, (o, d) in self.reducers.items()}, **given
        )
        x, y = x[self.offset :], y[self.offset :]
        with np.errstate(all="ignore"):
            self.v = self.value(self.text.split("const " + self.word + " v = ")[1].split(";\n")[0], x, y, a)
            for name, where, value in self.steps:
                self.compare(name, self.value(value, x, y, a)[self.value(where, x, y, a) != 0], got[name])
            del self.v

    def compare(self, name, values, got):
        operator, dtype = self.reducers[name]
        precise = np.float32 if np.float32 in (dtype, self.dtype) else np.float64
        expected = OPERATORS[operator][1](values.astype(dtype) if dtype is np.int32 else values)
        # within so many roundings of the largest value that went into an element (below 1e4), and of the sum
        bound = 64 * np.finfo(precise).eps * (np.abs(values).sum() + values.size * 40 + 1)
        bound = bound if operator == "plus" else 4096 * np.finfo(precise).eps * (1 + abs(expected))
        fine = got == expected or abs(float(got) - float(expected)) <= bound
        assert fine, f"{name}: {got}, and not {expected}, over {values.size}\n{self.text}"


def names_of(text):
    return {word for word in "".join(c if c.isalnum() or c == "_" else " " for c in text).split()}


def python_of(text):
    """C's conditions as NumPy's functions: a reader of the few words that are written above."""
    tokens = "".join(f" {c} " if c in "()?:,;" else c for c in text.replace("[i]", "").replace("f)", ")")).split()
    tokens = [t[:-1] if t[0].isdigit() and t.endswith("f") else t for t in tokens]
    return choice(tokens_of(tokens))


def tokens_of(tokens):
    out = []
    for token in tokens:
        while token and token[0] in "!-" and len(token) > 1 and token != "!=":
            out.append(token[0])
            token = token[1:]
        out.append(token)
    return out


def choice(tokens):
    """tokens are consumed from the front."""
    condition = either(tokens)
    if tokens[:1] != ["?"]:
        return condition
    tokens.pop(0)
    yes = choice(tokens)
    assert tokens.pop(0) == ":"
    return f"select({condition}, {yes}, {choice(tokens)})"


def either(tokens):
    left = also(tokens)
    while tokens[:1] == ["||"]:
        tokens.pop(0)
        left = f"either({left}, {also(tokens)})"
    return left


def also(tokens):
    left = plain(tokens)
    while tokens[:1] == ["&&"]:
        tokens.pop(0)
        left = f"also({left}, {plain(tokens)})"
    return left


def plain(tokens):
    out = []
    while tokens and tokens[0] not in (")", ",", "?", ":", "&&", "||"):
        token = tokens.pop(0)
        if token == "!":
            token = f"no({unary(tokens)})"
        elif token == "(":
            token = f"({inside(tokens)})"
        elif tokens[:1] == ["("]:
            tokens.pop(0)
            token = f"{token}({inside(tokens)})"
        out.append(token)
    return " ".join(out)


def unary(tokens):
    assert tokens.pop(0) == "("
    return inside(tokens)


def inside(tokens):
    parts = [choice(tokens)]
    while tokens.pop(0) == ",":
        parts.append(choice(tokens))
    return ", ".join(parts)


@pytest.mark.timeout(120 + 30 * COUNT)
@pytest.mark.spec("D032", "D040", "D060", "D067")
def test_random_bodies(queue, capsys):
    with capsys.disabled():
        print(f" [PYSYCL_RANDOM_SEED={SEED}, {COUNT} bodies] ", end="", flush=True)
    for seed in range(SEED, SEED + COUNT):
        body = Random(seed)
        try:
            for count in SIZES:
                body.check(queue, count)
        except Exception as error:
            raise AssertionError(f"seed {seed}: {error}\n{body.text}") from error


TEXT = """const float e = exp(x[i]);
if (x[i] > a) {
    total += log(x[i]);
    count++;
} else if (x[i] < -1 || x[i] != x[i])
    least.combine(e), others += 5;
wide += e;
top.combine(x[i]);
bits ^= 21, close += fabs(x[i]) < 0.5f;
y[i] = e;"""
REDUCERS = {
    "total": (sycl.plus, np.float32), "count": (sycl.plus, np.int32), "least": (sycl.minimum, np.float32),
    "others": (sycl.plus, np.uint8), "wide": (sycl.plus, np.float64), "top": (sycl.maximum, np.float32),
    "bits": (sycl.bit_xor, np.int16), "close": (sycl.plus, np.int64),
}  # fmt: skip


def expected_of(x, a, before):
    """By NumPy."""
    e = np.exp(x.astype(np.float64))
    more = x > a
    less = ~more & ((x < -1) | np.isnan(x))
    values = {
        "total": np.log(x[more], dtype=np.float64), "count": more, "least": e[less], "others": 5 * less, "wide": e, "top": x,
        "bits": np.full(x.size, 21), "close": np.abs(x) < 0.5,
    }  # fmt: skip
    found = {}
    for name, v in values.items():
        if name in ("least", "top"):
            found[name] = (np.fmin if name == "least" else np.fmax).reduce(v, initial=before)
        elif name == "bits":
            found[name] = before ^ (21 * (x.size % 2))
        else:
            found[name] = before + v.sum(dtype=np.float64)
    return found, e


@pytest.mark.spec("D032", "D034", "D040", "D060", "D067", "D070", "D071")
def test_reducers_of_all_types_at_once(queue):
    """Types other than the text's, chosen by conditions, with stores, around the sizes of vectors and of runs."""
    a = np.float32(0.25)
    for n in (*SIZES, 100003):
        x = np.random.default_rng(n).uniform(-2, 2, n).astype(np.float32)
        for before, special in ((3, False), (3, True)):
            x[: n // 2 : 5] = np.nan if special else x[: n // 2 : 5]
            y = np.full(n, -1, np.float32)
            given = {"x": x if n else np.ones(1, np.float32), "y": y if n else np.ones(1, np.float32), "a": a}
            got = run(queue, n, TEXT, {k: (*v, before) for k, v in REDUCERS.items()}, **given)
            wanted, e = expected_of(x, a, before)
            for name, value in wanted.items():
                if REDUCERS[name][1] is np.uint8:
                    value = int(value) % 256
                np.testing.assert_allclose(float(got[name]), float(value), rtol=2e-5, err_msg=f"{name}, {n}, {before}")
            np.testing.assert_allclose(y, e, rtol=1e-6)
    assert is_packed(queue, 5, TEXT, x=x, y=y, a=a, **reductions(queue))


def reductions(queue, reducers=None, **options):
    found = {}
    for name, (op, dtype) in (reducers or REDUCERS).items():
        memory = sycl.malloc_device(1, dtype, queue)
        found[name] = sycl.reduction(memory, op, initialize_to_identity=True, **options)
    return found


@pytest.mark.spec("D060")
def test_infinities_and_overflows_stay_in_their_lanes(queue):
    """What the lanes behind the end are given changes nothing, and neither do lanes that a condition leaves out."""
    for n in (1, 17, 130):
        x = np.full(n, 0.5, np.float32)
        x[-1] = -np.inf
        text = "if (x[i] > 0.25f) { r += log(x[i]); } else s += exp(x[i]); t += sqrt(x[i]);"
        got = run(queue, n, text, {k: (sycl.plus, np.float32, None) for k in "rst"}, x=x)
        np.testing.assert_allclose([got["r"], got["s"]], [(n - 1) * np.log(0.5), 0], rtol=1e-5)
        assert np.isnan(got["t"])


@pytest.mark.spec("D032", "D205")
def test_which_bodies_are_done_as_vectors(queue):
    x, y = np.ones(4, np.float32), np.ones(4, np.float32)
    one = {"r": (sycl.plus, np.float32)}
    assert is_packed(queue, (2, 2), "r += exp(x[i]);", x=x, **reductions(queue, one))
    for text, given, reducers in [
        ("y[i] = 1; r += exp(x[i]);", {"x": x, "y": y}, reductions(queue, one)),  # y may be x
        ("if (x[i] > 0) y[i] = 1; r += exp(x[i]);", {"x": x, "y": y}, reductions(queue, one)),
        ("float s = 0; if (x[i] > 0) s = 1; r += exp(s);", {"x": x}, reductions(queue, one)),
        ("r += exp(x[i + 1]);", {"x": x}, reductions(queue, one)),
        ("r += exp(x[i]) + i;", {"x": x}, reductions(queue, one)),
        ("r += exp(x[i]);", {"x": x}, reductions(queue, one, accuracy="compensated")),
        ("r.combine(exp(x[i]));", {"x": x}, reductions(queue, {"r": (sycl.BinaryOp("a + b", identity=0), np.float32)})),
        ("r.combine(exp(x[i]));", {"x": x}, reductions(queue, {"r": (sycl.logical_or, np.bool_)})),
    ]:
        assert not is_packed(queue, 4, text, **given, **reducers), text


@pytest.mark.spec("D032")
@pytest.mark.parametrize("accuracy", ["pairwise", "compensated", "exact"])
def test_accuracies_keep_their_promises(queue, accuracy):
    """They are for accumulators of their own, so such a body stays as it is, whatever shape is asked for."""
    x = np.tile(np.array([1e8, 1, -1e8], np.float32), 5000)
    got = run(queue, x.size, "r += fabs(x[i]) * sqrt(1.0f) * (x[i] < 0 ? -1.0f : 1.0f);",
              {"r": (sycl.plus, np.float32, None)}, x=x, accuracy=accuracy)  # fmt: skip
    bound = {"exact": 0, "compensated": 5000 * 2**-24, "pairwise": 4 * 2**-24 * np.abs(x).sum(dtype=float)}[accuracy]
    assert abs(float(got["r"]) - 5000) <= bound


@pytest.mark.spec("D032")
def test_the_table_takes_vectors_for_costly_texts(queue):
    """Without a test's asking: where the driver has fast functions of vectors, and the text calls some."""
    if queue.device._facts["items"] not in ("looped", "packed"):
        pytest.skip("work-items are threads there")
    _core.force_shape(None)
    x = np.ones(100, np.float32)
    one = {"r": (sycl.plus, np.float32)}
    shown = {
        text: str(sycl.explain(text, 100, queue_or_device=queue, x=x, **reductions(queue, one)))
        for text in ("r += exp(x[i]);", "r += x[i];")
    }
    assert "16 at a time as vectors, combined in four vectors" in shown["r += exp(x[i]);"]
    assert "as vectors" not in shown["r += x[i];"]


# Every form of reductions along dimensions that vectors can stand for the lanes of; None: as the table has it.
ALONG = [
    ("pack", (40, 1), 2), ("along", (3, 700), 2), ("along", (6, 5, 70), 5), ("short", (70, 12), 2), ("short", (9, 30, 10), 4),
    ("padded", (70, 11), 2), ("padded", (5, 70, 33), 5), ("columns", (3, 5000), 1), ("columns", (300, 7), 1),
    ("columns", (5, 90, 7), 2), ("columns", (30, 2, 33), 3),
]  # fmt: skip
SOME_ALONG = [
    ("pack", (40, 1), 2, True), ("along", (6, 5, 70), 5, False), ("short", (70, 12), 2, True), ("padded", (70, 11), 2, False),
    ("columns", (300, 7), 1, False), ("columns", (30, 2, 33), 3, True),
]  # fmt: skip
AXES_TEXT = """const float e = exp(x[i]);
total += e;
if (x[i] > a) { count++; least.combine(e); } else top.combine(log(fabs(x[i])));"""
AXES = {
    "total": (sycl.plus, np.float64), "count": (sycl.plus, np.int64), "least": (sycl.minimum, np.float32),
    "top": (sycl.maximum, np.float32),
}  # fmt: skip


@pytest.mark.spec("D032", "D040", "D060", "D067")
@pytest.mark.parametrize(
    ("shape", "size", "mask", "stores"),
    sweep(((*case, stores) for case in ALONG for stores in (False, True)), SOME_ALONG),
)
def test_along_dimensions(queue, shape, size, mask, stores):
    """Of a text that calls built-ins, with masks, values of other types and, at times, stores; by sizes around those of
    vectors, and with lanes behind the end that would be NaN."""
    if queue.device._facts["items"] not in ("looped", "packed"):
        pytest.skip("work-items are threads there")
    axes = tuple(d for d in range(len(size)) if mask >> d & 1)
    text = AXES_TEXT + (" y[i] = e;" if stores else "")
    _core.force_shape(shape)
    for more in (0, 1, 20):
        full = tuple(n + more if d == len(size) - 1 and n > 2 else n for d, n in enumerate(size))
        x = np.random.default_rng(more).uniform(-2, 2, full).astype(np.float32)
        x.reshape(-1)[:: x.size // 3 + 1] = np.inf
        y = np.zeros_like(x)
        kept = [n for d, n in enumerate(full) if d not in axes]
        outs = {name: np.zeros(kept, dtype) for name, (_, dtype) in AXES.items()}
        given = {"x": x, "a": np.float32(0.25)} | ({"y": y} if stores else {})
        given |= {name: _along(outs[name], op, mask) for name, (op, _) in AXES.items()}
        assert more > 0 or is_packed(queue, full, text, **given)
        queue.parallel_for(full, text, **given).wait()
        e, taken = np.exp(x.astype(np.float64)), x > np.float32(0.25)
        logs = np.log(np.abs(x, dtype=np.float64))
        np.testing.assert_allclose(outs["total"], e.sum(axes), rtol=1e-6)
        assert np.array_equal(outs["count"], taken.sum(axes))
        np.testing.assert_allclose(outs["least"], e.min(axes, where=taken, initial=np.inf), rtol=1e-6)
        np.testing.assert_allclose(outs["top"], logs.max(axes, where=~taken, initial=-np.inf), rtol=1e-5)
        if stores:
            np.testing.assert_allclose(y, e, rtol=1e-6)
