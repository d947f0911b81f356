"""Launches of random bodies are refused exactly where a work-item touches what is not there, as far as a launch can know.

PYSYCL_RANDOM_REACH says how many (default 600), PYSYCL_RANDOM_SEED which; both are printed. Nothing is launched.
"""

import os
import random
import re

import pytest
import random_reach
from random_reach import Program, Undefined

import pysycl as sycl
from pysycl import _core

COUNT = int(os.environ.get("PYSYCL_RANDOM_REACH", "600"))
SEED = int(os.environ.get("PYSYCL_RANDOM_SEED", random.randrange(2**32)))
WORDS = re.compile(r"reaches (?:element|index) (-?\d+)(?: in dimension (\d))?.*? (?:and|of) (\w+) (?:has|is)")


def verdict(queue: sycl.Queue, program: Program) -> sycl.BoundsError | None:
    where = sycl.NdRange(program.range, program.local, program.offset) if program.local else program.range
    offset = {"offset": program.offset} if any(program.offset) and not program.local else {}
    try:
        _core.body_reach(queue, where, program.text, **offset, **program.arguments())
    except sycl.BoundsError as error:
        return error
    return None


def check(queue: sycl.Queue, seed: int, plain: bool) -> bool | None:
    """Whether it was refused; None: it is no program."""
    program = Program(seed, plain)
    try:
        wrong = program.run()
    except Undefined:
        return None
    refused = verdict(queue, program)
    about = (
        f"seed {seed}, {'plain' if plain else 'any'}: {program.text}\nover {program.range}, local {program.local}, offset "
        f"{program.offset}, numbers {program.numbers}, shapes {program.shapes}: {refused}"
    )
    assert refused is None or wrong, f"a false alarm: {about}"
    assert not plain or refused is not None or not wrong, f"not noticed: {about}"
    if refused is not None:
        told = WORDS.search(str(refused))
        assert told is not None, about
        key = (told[3], int(told[2]) if told[2] else None)
        assert int(told[1]) in program.touched.seen[key], f"nothing touches that: {about}"
    return refused is not None


@pytest.mark.timeout(240 + COUNT)
def test_random_reach(queue: sycl.Queue, capsys: pytest.CaptureFixture[str]) -> None:
    with capsys.disabled():
        print(f" [PYSYCL_RANDOM_SEED={SEED}, {COUNT} bodies] ", end="", flush=True)
    for n in range(COUNT):
        check(queue, SEED + n, plain=n % 2 == 0)
        if n % 500 == 499:
            _core.bodies_clear()


def test_the_bodies_are_of_all_kinds(queue: sycl.Queue) -> None:
    """Many are refused, many are not, and of those that touch what is not there most are noticed."""
    plain = [check(queue, n, True) for n in range(100)]
    assert plain.count(True) > 40
    assert plain.count(False) > 10
    found = [check(queue, n, False) for n in range(200)]
    assert found.count(True) > 40
    assert found.count(False) > 40
    texts = [Program(n, False).text for n in range(600)]
    kinds = "if else for while return break continue && || % (uint) vload local_id"
    for word in kinds.split():
        assert sum(word in text for text in texts) > 5, word


def test_a_wrong_model_is_noticed(queue: sycl.Queue, monkeypatch: pytest.MonkeyPatch) -> None:
    """The comparison can fail: with arrays that the model takes for longer, or shorter, than they are."""
    limit = Program.limit

    def check_some() -> None:
        for n in range(60):
            check(queue, n, True)

    for more in (2, -2):
        monkeypatch.setattr(random_reach.Program, "limit", lambda *a, more=more: limit(*a) + more)
        with pytest.raises(AssertionError, match="a false alarm" if more > 0 else "not noticed"):
            check_some()
