"""Names of pysycl's that pages and docstrings have between backticks lead to their place in the reference.

Every one of them must be there: `sphinx -n` tells of those that are not. What is no name of ours stays code.
"""

from __future__ import annotations

import re
from typing import Any

from docutils import nodes
from sphinx import addnodes
from sphinx.transforms import SphinxTransform

import pysycl

# As pages call objects of these classes.
OBJECTS = {"queue": "Queue", "q": "Queue", "h": "Handler", "event": "Event", "device": "Device", "buffer": "Buffer"}
NAME = re.compile(r"(sycl\.|pysycl\.)?([A-Za-z]\w*(?:\.[A-Za-z]\w*)*)(\(.*\))?", re.DOTALL)


def target(text: str, by_itself: bool) -> str | None:
    """The full name, where the text is one of pysycl's. `by_itself`: a function's name needs no `sycl.` before it."""
    found = NAME.fullmatch(text)
    if found is None:
        return None
    prefix, name = found[1], found[2]
    first, *rest = name.split(".")
    if not prefix and first in OBJECTS and rest:
        first = OBJECTS[first]
    elif not prefix and first[0].islower() and not (by_itself and not rest):
        return None
    at: Any = getattr(pysycl, first) if first in pysycl.__all__ else None
    if not (getattr(at, "__module__", None) or getattr(at, "__name__", "")).startswith("pysycl"):
        return None  # constants stand in one table
    for part in rest:
        at = getattr(at, part, None)
    return ".".join(("pysycl", first, *rest)) if at is not None else None


class Names(SphinxTransform):
    """Makes references of literals."""

    default_priority = 500

    def apply(self, **kwargs: Any) -> None:
        in_reference = self.env.docname.startswith("reference/")
        for literal in list(self.document.findall(nodes.literal)):
            if isinstance(literal.parent, (nodes.reference, nodes.title, addnodes.pending_xref)):
                continue
            name = target(literal.astext(), in_reference)
            if name is not None:
                link = addnodes.pending_xref(
                    "", refdomain="py", reftype="obj", reftarget=name, refexplicit=True, refwarn=True,
                    refdoc=self.env.docname,
                )  # fmt: skip
                literal.replace_self(link)
                link += literal


def setup(app: Any) -> dict[str, bool]:
    app.add_transform(Names)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
