"""Random bodies in every shape of kernel against a NumPy interpreter.

PYSYCL_RANDOM_BODIES says how many (default 10), PYSYCL_RANDOM_SEED which; both are printed. A body that fails is made
smaller, and shown with its seed and the kernel that was made of it.
"""

import os
import random
from collections.abc import Callable, Iterator

import body_model
import numpy as np
import pytest
from random_body import Body, Statement

import pysycl as sycl
from pysycl import _core

COUNT = int(os.environ.get("PYSYCL_RANDOM_BODIES", "10"))
SEED = int(os.environ.get("PYSYCL_RANDOM_SEED", random.randrange(2**32)))
SHAPES = ("item", "loop", "wide", "pack", None)


@pytest.fixture(autouse=True)
def shapes_are_the_tables_again() -> Iterator[None]:
    yield
    _core.force_shape(None)
    _core.bodies_clear()


def launch(queue: sycl.Queue, body: Body, text: str, arrays: dict[str, np.ndarray], by_buffer: bool) -> None:
    numbers = {a.name: a.value for a in body.arguments if a.cell is None}
    options = {"preamble": body.preamble} if body.preamble else {}
    where = sycl.NdRange(body.range, body.local_range) if body.grouped else body.range
    if any(body.offset):
        options["offset"] = body.offset
    used = {name: array for name, array in arrays.items() if name in text}
    numbers = {name: number for name, number in numbers.items() if name in text}
    if not by_buffer:
        queue.parallel_for(where, text, **options, **used, **numbers)
        return
    buffers = {name: sycl.Buffer(array) for name, array in used.items()}
    with queue.submit() as h:
        accessors = {name: h.read(b) if name[0] == "x" else h.read_write(b) for name, b in buffers.items()}
        h.parallel_for(where, text, **options, **accessors, **numbers)
    for buffer in buffers.values():
        buffer.close()


def failure(queue: sycl.Queue, body: Body, statements: list[Statement]) -> str | None:
    """What is wrong with the body, or with some of its statements, in any shape."""
    text = body.text(statements)
    expected = body.expected(statements)
    for shape in SHAPES:
        _core.force_shape(shape)
        arrays = {name: array.copy("K") for name, array in body.arrays().items()}
        if body.seed % 2:  # the layout as it is: a copy would be without gaps
            arrays |= {name: spread(array) for name, array in body.arrays().items() if not array.flags.forc}
        launch(queue, body, text, arrays, by_buffer=body.seed % 3 == 0)
        wrong = body_model.mismatch(expected, arrays)
        if wrong is not None:
            return f"shape {shape}: {wrong}"
    return None


def spread(array: np.ndarray) -> np.ndarray:
    """A copy with gaps between the elements."""
    return np.repeat(array, 2)[::2]


def smaller(queue: sycl.Queue, body: Body) -> tuple[list[Statement], str]:
    """As few statements as still fail."""
    statements = body.statements
    shown = failure(queue, body, statements) or "passes when it is run again"
    for statement in body.statements:
        rest = [each for each in statements if each is not statement]
        try:
            found = failure(queue, body, rest) if rest else None
        except (sycl.SyclError, KeyError):  # a variable that is missing now
            continue
        if found is not None:
            statements, shown = rest, found
    return statements, shown


def check(queue: sycl.Queue, seed: int) -> None:
    body = Body(seed, queue.device.has("fp64"))
    try:
        wrong = failure(queue, body, body.statements)
    except sycl.SyclError as error:
        raise AssertionError(f"body seed {seed}: {error}\n{body.text(body.statements)}") from error
    if wrong is None:
        return
    statements, shown = smaller(queue, body)
    about = {a.name: a.value if a.cell is None else (a.value.dtype, a.value.shape) for a in body.arguments}
    space = f"range {body.range}, offset {body.offset}" + (f", local {body.local_range}" if body.grouped else "")
    raise AssertionError(
        f"body seed {seed}: {wrong}\nin the body\n{body.text(statements)}\n{shown}\nover {space}\nwith {about}"
    )


@pytest.mark.timeout(240 + 4 * COUNT)
@pytest.mark.spec("D200", "D203", "D205")
def test_random_bodies(queue: sycl.Queue, capsys: pytest.CaptureFixture[str]) -> None:
    with capsys.disabled():
        print(f" [PYSYCL_RANDOM_SEED={SEED}, {COUNT} bodies] ", end="", flush=True)
    for n in range(COUNT):
        check(queue, SEED + n)
        if n % 200 == 199:
            _core.bodies_clear()


@pytest.mark.parametrize(
    ("wrong", "where", "what"),
    [
        ("add", "", lambda a, b: a + b + a.dtype.type(1)),
        ("choose", "", lambda c, a, b, right=body_model.choose: right(c, b, a)),
        ("multiply", "cmul(", lambda a, b: np.conj(a * b)),
        ("element", "m0[", lambda index, elements: np.zeros_like(index.v)),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_a_wrong_model_is_noticed(
    queue: sycl.Queue, monkeypatch: pytest.MonkeyPatch, wrong: str, where: str, what: Callable[..., object]
) -> None:
    """The comparison can fail: with a model that is wrong in one place the bodies that come to it find it."""
    monkeypatch.setattr(body_model, wrong, what)
    bodies = (Body(n, queue.device.has("fp64")) for n in range(400))
    seeds = [body.seed for body in bodies if where in body.text(body.statements)][:40]
    assert len(seeds) > 20

    def check_some() -> None:
        for n in seeds:
            check(queue, n)

    with pytest.raises(AssertionError, match="body seed"):
        check_some()


def test_vectors_stand_for_many_of_them(queue: sycl.Queue) -> None:
    """As many as they can be: what has one floating type throughout."""
    _core.force_shape("pack")
    count = pure = 0
    for body in (Body(n, queue.device.has("fp64")) for n in range(300)):
        text, given = body.text(body.statements), {a.name: a.value for a in body.arguments}
        if body.pure:
            where = _core.body_source(queue, body.range, text, **given)
            count, pure = count + ("16 at a time" in where), pure + 1
    assert count > 0.9 * pure


def test_the_bodies_are_of_all_kinds() -> None:
    """What the seeds bring: every dimension, offsets, groups, structs, returns, loops, helpers, wide ones."""
    bodies = [Body(n, True) for n in range(600)]
    texts = [body.text(body.statements) for body in bodies]
    assert {len(body.range) for body in bodies} == {1, 2, 3}
    assert sum(any(body.offset) for body in bodies) > 30
    assert sum(body.grouped for body in bodies) > 15
    assert sum(body.simple for body in bodies) > 60
    own = (
        "uchar m",
        "short m",
        "int m",
        "ulong m",
        "float m",
        "cfloat m",
        "cdouble m",
        "= &m",
        "[1]",
        "++) m",
        "--) m",
    )
    of_complex = ("cadd", "csub", "cmul", "cdiv", "cfma", "conj", "cabs(", "cabs2", ").re", "].im =", "cdouble(", ".z")
    for word in ("return", "for (", "if (", "twisted", "sqrt", "? ", ".a", "local_id", "double", *own, *of_complex):
        assert sum(word in text for text in texts) > 5, word
    assert sum(body.pure for body in bodies) > 30
    structured = [body for body in bodies if any(value.dtype.names for value in body.arrays().values())]
    assert len(structured) > 60
    numbers = [argument.value for body in bodies for argument in body.arguments if argument.cell is None]
    ints = [number for number in numbers if type(number) is int]
    assert sum(isinstance(number, bool) for number in numbers) > 20
    assert sum(isinstance(number, np.integer) for number in numbers) > 20
    for least, beyond in ((-(2**63), -(2**31)), (-(2**31), 0), (2**31, 2**53), (2**53, 2**63), (2**63, 2**64)):
        assert sum(least <= number < beyond for number in ints) > 5, least
