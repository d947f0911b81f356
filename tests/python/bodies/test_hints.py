"""Where a habit of Python's leads to an error of C's, a line says what to write instead; nowhere else."""

import numpy as np
import pytest

import pysycl as sycl

HABITS = {
    "y[i] = x[i]**2 + k[i];": "pow(x, y)",
    "y[i] = x[i] ** k[i];": "pow(x, y)",
    "y[i] = x[i] % 2 + k[i];": "fmod(a, b)",
    "y[i] = x[i] ^ 2 + k[i];": "exclusive or",
    "y[i] = k[i] + x[i] // 2;": "begins a comment",
    "if (x[i] > 1 and x[i] < 3) y[i] = k[i];": "&& for 'and'",
    "y[i] = x[i] > 1 or k[i] > 2;": "|| for 'or'",
    "if (not k[i]) y[i] = x[i];": "! for 'not'",
    "y[i] = x[i] is k[i];": "== for 'is'",
    "y[i] = x[i] if k[i] else 0;": "c ? a : b",
    "if (k[i]) y[i] = x[i]; elif (i) y[i] = 2;": "else if",
    "for j in range(3): y[i] += x[i] + k[i];": "for (int k = 0; k < n; k++)",
    "y[i] = np.sin(x[i]) + k[i];": "without a module",
    "y[i] = math.sqrt(x[i]) + k[i];": "without a module",
    "y[i] = x[i] + k[i] - None;": "NAN",
    "y[i] = x[i] + len(k);": "n=x.size",
    "# a sum\ny[i] = x[i] + k[i];": "// for a comment",
    "y[i] = abs(x[i]) + k[i];": "fabs(x)",
    "y[i] = min(x[i], 1) + k[i];": "of one type",
    "y[i] = max(x[i], 0) + k[i];": "max(x, 0.0f)",
    "y[i] = x[i] + sqrt(k[i]);": "(float)k",
}
OTHERS = (
    "y[i] = x[i] + k[i]",
    "y[i] = x[i] + k[i]; // and so on;\ny[i] = z;",
    "y[i] = (x[i] + k[i];",
    "int and_so = k[i] y[i] = x[i];",
    "y[i] = x[i] + k[i] + and_so;",
    "y[i] = x[i] + f(k[i]);",
    "struct s { int a; } v; y[i] = x[i] + k[i] + v;",
)


def error_of(queue: sycl.Queue, text: str) -> str:
    x, y, k = np.zeros(8, "f4"), np.zeros(8, "f4"), np.zeros(8, "i4")
    with pytest.raises(sycl.BuildError) as caught:
        queue.parallel_for(8, text, x=x, y=y, k=k)
    return str(caught.value)


@pytest.mark.parametrize("text", HABITS)
def test_habits(queue: sycl.Queue, text: str) -> None:
    hints = [line for line in error_of(queue, text).splitlines() if line.startswith("Hint: ")]
    assert len(hints) == 1 and HABITS[text] in hints[0]


@pytest.mark.parametrize("word", ["j", "k"])
def test_further_indices(queue: sycl.Queue, word: str) -> None:
    """They are i1 and i2 here; of one dimension there is none."""
    for shape, told in (
        (8, f"No argument '{word}' is given"),
        ((2, 4), f"There is no '{word}' here: a range of 2 dim"),
    ):
        with pytest.raises(sycl.BuildError, match=told):
            queue.parallel_for(shape, f"y[i] = {word};", y=np.zeros(8, "f4"))


@pytest.mark.parametrize("text", OTHERS)
def test_other_errors_have_none(queue: sycl.Queue, text: str) -> None:
    assert "Hint" not in error_of(queue, text)
