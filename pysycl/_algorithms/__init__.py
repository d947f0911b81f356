"""Device-wide algorithms: what was asked, the texts of bodies, their passes, and the call.

An algorithm is made of parts that know no other one, each of which uses only those above it:

axes.py       axes as NumPy has them, and how the dimensions of arrays become those of a range
operand.py    what is read: an array, a Buffer, a UsmArray, any view of these, as memory with steps
kinds.py      types and operators: which type combines, its operator and identity, the user's operators
map_text.py   map=: an element's expression as another type, and where the user's text stands
body_text.py  elementwise input: a statement with {name} for the element of each operand becomes a body
call.py       options, queue, result and out=, the passes that are kept for calls to come, recording
plan.py       what a make_... object tells of itself

counted.py    results whose length the data decides
again.py      calls for unified shared memory that come again; spare.py: the memory between their passes
transform.py  elements alone, or parts by their indices

The algorithms have rooms of their own: pysycl/_reductions, _scans and _sorts. A new one has files of its own name there:
its call is a Call, and its text has Elements.
"""
