"""The demo: that it checks what it computes, says so, and draws for terminals and for files."""

import io
from pathlib import Path

import numpy as np
import pytest

import pysycl as sycl
from pysycl.__main__ import main
from pysycl._doctor import demo as demo_module
from pysycl._doctor import demo_reductions
from pysycl._doctor.demo import demo
from pysycl._doctor.picture import SHADES, in_characters, in_colour, picture, shrink
from pysycl._doctor.progress import Progress

SMALL = 256


class Terminal(io.StringIO):
    """A stream that claims to be a terminal."""

    encoding = "utf-8"  # type: ignore[assignment]

    def isatty(self) -> bool:
        return True


def test_the_demo_agrees_with_numpy() -> None:
    stream = io.StringIO()
    assert demo(size=SMALL, stream=stream)
    text = stream.getvalue()
    assert "65536 points against NumPy's, all equal" in text
    assert "Gflop/s" in text
    assert "GB/s" in text
    assert "times NumPy" in text
    assert text.count(", equal: ") == 3 and "GB/s; NumPy" in text
    assert text.endswith("The demo PASSED.\n")


def test_a_wrong_result_fails_the_demo(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(demo_module, "BODY", demo_module.BODY.replace("(x + x) * y", "(x + x) * y * 1.001f"))
    stream = io.StringIO()
    assert not demo(size=SMALL, stream=stream)
    assert "DIFFER" in stream.getvalue()
    assert stream.getvalue().endswith("The demo FAILED.\n")


def test_a_wrong_sum_fails_the_demo(monkeypatch: pytest.MonkeyPatch) -> None:
    what, ours, numpys, axis = demo_reductions.CASES[0]
    wrong = (what, lambda *args, **options: ours(*args, **options) + 1, numpys, axis)
    monkeypatch.setattr(demo_reductions, "CASES", (wrong,))
    stream = io.StringIO()
    assert not demo(size=SMALL, stream=stream)
    assert "sum of all, they DIFFER" in stream.getvalue()


def test_the_exit_status_tells_the_result(monkeypatch: pytest.MonkeyPatch) -> None:
    given: list[tuple[object, ...]] = []
    monkeypatch.setattr(demo_module, "demo", lambda *arguments: given.append(arguments) or arguments[1] == SMALL)
    assert main(["demo", "--device", "cpu", "--size", "256"]) == 0
    assert main(["demo"]) == 1
    assert given == [("cpu", SMALL), (None, 4096)]


@pytest.mark.parametrize("size", [0, -128, 100])
def test_a_size_that_does_not_divide_is_refused(size: int) -> None:
    with pytest.raises(ValueError, match=f"size is {size}, expected a positive multiple of 128"):
        demo(size=size, stream=io.StringIO())


def test_numpys_part_is_the_mandelbrot_set() -> None:
    """Against what is known of it in complex numbers, where rounding cannot matter."""
    inside = demo_module.in_numpy(SMALL, io.StringIO()).steps == demo_module.LIMIT
    index = np.arange(SMALL) * demo_module.WIDTH / SMALL
    points = (demo_module.LEFT + index)[None, :] + 1j * (demo_module.TOP + index)[:, None]
    far = np.abs(points) > 2
    main_bulb = np.abs(points + 1) < 0.2
    assert far.any()
    assert main_bulb.any()
    assert not inside[far].any()
    assert inside[main_bulb].all()


def test_shrinking_keeps_the_mean_and_cuts_the_rest() -> None:
    values = np.arange(35, dtype=float).reshape(5, 7)
    assert shrink(values, 2, 3).tolist() == [[4.0, 6.0, 8.0], [18.0, 20.0, 22.0]]


def test_characters_go_from_dark_to_bright() -> None:
    assert in_characters(np.array([[0.0, 0.55, 1.0]]), 1, 3) == SHADES[0] + SHADES[5] + SHADES[-1]


def test_colour_draws_two_pixels_a_character() -> None:
    text = in_colour(np.array([[0.0, 1.0], [1.0, 0.0]]), 1, 2)
    assert text.count("\u2580") == 2
    assert text.endswith("\x1b[0m")


def test_a_file_gets_no_control_characters(monkeypatch: pytest.MonkeyPatch) -> None:
    values = np.linspace(0, 1, 200 * 200).reshape(200, 200)
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm")
    assert "\x1b" not in picture(values, io.StringIO())
    assert "\x1b" in picture(values, Terminal())
    monkeypatch.setenv("NO_COLOR", "1")
    assert "\x1b" not in picture(values, Terminal())


def test_progress_redraws_on_a_terminal_and_stays_quiet_in_a_file() -> None:
    terminal, file = Terminal(), io.StringIO()
    for stream in (terminal, file):
        progress = Progress("Work", 8, stream)
        for done in range(1, 9):
            progress.update(done)
    assert terminal.getvalue().count("\r") == 8
    assert terminal.getvalue().endswith("100%\n")
    assert file.getvalue() == "Work: 25%\nWork: 50%\nWork: 75%\nWork: 100%\n"


def test_the_device_can_be_chosen(tmp_path: Path) -> None:
    stream = io.StringIO()
    device = sycl.devices()[-1]
    assert demo(device, SMALL, stream)
    assert device.name in stream.getvalue()
