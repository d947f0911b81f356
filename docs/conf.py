"""Sphinx: `python -m sphinx -n -W --keep-going -j 2 docs docs/_build`, with the extra `[docs]`."""

import shutil
import sys
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

import conformance  # noqa: E402

import pysycl  # noqa: E402

project, author, copyright = "pysycl", "the pysycl developers", "the pysycl developers"
version = release = pysycl.__version__
extensions = [
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "numpydoc",
    "myst_nb",
    "sphinx_copybutton",
    "sphinx_gallery.gen_gallery",
    "names",
]
templates_path = ["_templates"]
exclude_patterns = [
    "_build",
    "_templates",
    "README.md",
    "examples/*",
    ".jupyter_cache",
    "jupyter_execute",
    "**/.jupyter_cache",
]
exclude_patterns += ["gallery/*.ipynb", "gallery/*.py", "gallery/*.json", "gallery/*.md5", "gallery/*.zip"]
exclude_patterns += ["gallery/sg_execution_times.rst", "sg_execution_times.rst"]
html_theme = "pydata_sphinx_theme"
html_theme_options = {"show_prev_next": False, "navigation_with_keys": False}
default_role = "code"  # single backticks hold code as often as names

myst_enable_extensions = ["colon_fence"]
myst_heading_anchors = 3
nb_execution_mode = "cache"
nb_execution_raise_on_error = True
nb_execution_timeout = 300
nb_merge_streams = True

autosummary_generate = True
autosummary_imported_members = False
autosummary_filename_map = {"pysycl.Build": "pysycl.Build-class", "pysycl.Reduction": "pysycl.Reduction-class"}
autodoc_typehints = "none"
others = "Enum,IntEnum,IntFlag,int,tuple,Exception,object"  # a method of theirs is none of ours
autodoc_default_options = {"members": True, "undoc-members": True, "inherited-members": others}
numpydoc_show_class_members = False
numpydoc_xref_param_type = False
numpydoc_validation_checks: set[str] = set()
# Types of elements that are NumPy's, whose pages are elsewhere.
nitpick_ignore = [("py:class", f"numpy.{name}") for name in ("uint8", "uint32", "int64", "float16")]

sphinx_gallery_conf = {
    "examples_dirs": "examples",
    "gallery_dirs": "gallery",
    "filename_pattern": r"/\d\d_",
    "abort_on_example_error": True,
    "download_all_examples": False,
    "show_memory": False,
    "write_computation_times": False,
    "min_reported_time": 10**6,
    "within_subsection_order": "FileNameSortKey",
}
suppress_warnings = ["config.cache", "mystnb.unknown_mime_type"]


def copy_notebooks(app: Any) -> None:
    """Notebooks stay where their readers look for them; the site shows them executed."""
    to = HERE / "notebooks"
    to.mkdir(exist_ok=True)
    for old in to.glob("*.ipynb"):
        old.unlink()
    for kind in ("*.ipynb", "*.png"):
        for path in sorted((HERE.parent / "notebooks").glob(kind)):
            shutil.copy(path, to / path.name)


def write_conformance(app: Any) -> None:
    """The table of rules and tests, as it is now."""
    page, text = HERE / "guide" / "conformance.md", conformance.page()
    if not page.exists() or page.read_text(encoding="utf-8") != text:
        page.write_text(text, encoding="utf-8")


def setup(app: Any) -> None:
    app.connect("builder-inited", copy_notebooks)
    app.connect("builder-inited", write_conformance)
