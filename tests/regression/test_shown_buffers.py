"""A buffer that a notebook had shown was never written back: Out and _ kept it."""

import pytest

nbclient = pytest.importorskip("nbclient")
pytest.importorskip("ipykernel")

CELLS = (
    "import numpy as np, gc\nimport pysycl as sycl\nq = sycl.Queue()",
    "A = np.zeros((8, 4), 'f4')[::2]\nB = sycl.Buffer(A)\nq.parallel_for(16, 'b[i] = i + 1;', b=B)\nB",
    "B",  # shown twice, and by itself
    "Out[3].shape, _.dtype, B is not None",
    "del B\nprint(A.ravel().tolist())",
    "C = np.zeros(4, 'f4')[::2]\nD = sycl.Buffer(C)\nq.parallel_for(2, 'd[i] = 7;', d=D)\ndisplay(D)\nD",
    "_ = 5\ndel D\nprint(C.tolist())",
    "E = sycl.Buffer(C)\nE",
    "print(E.is_closed, type(E).__name__)\nq.parallel_for(2, 'e[i] += 1;', e=E).wait()\nE.close()\nC.tolist()",
    "I = sycl.UnsampledImage(np.zeros((2, 2, 4), 'u1'), 'r8g8b8a8_uint', (2, 2))\nI",
    "import weakref\nr = weakref.ref(I)\ndel I\nr() is None",
)


def test_what_a_cell_shows_is_no_reference_that_counts():
    import nbformat

    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in CELLS])
    nbclient.NotebookClient(notebook, timeout=120, kernel_name="python3").execute()
    shown = [
        [text for output in cell["outputs"] if "data" in output and (text := output["data"]["text/plain"])]
        for cell in notebook.cells  # without what is left of the line of a long build
    ]
    written = "[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 10.0, 11.0, 12.0, 13.0, 14.0, 15.0, 16.0]"
    assert [text.startswith("<pysycl.Buffer float32 (4, 4), current on") for text in (*shown[1], *shown[2])] == [
        True
    ] * 2
    assert shown[3] == ["((4, 4), dtype('float32'), True)"]
    printed = ["".join(output.get("text", "") for output in cell["outputs"]) for cell in notebook.cells]
    assert printed[4] == f"{written}\n"
    assert len(shown[5]) == 2
    assert printed[6] == "[7.0, 7.0]\n"
    assert shown[8] == ["[8.0, 8.0]"] and printed[8] == "False Buffer\n"
    assert shown[10] == ["True"]
