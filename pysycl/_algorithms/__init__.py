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

Of scans: scan_line.py (a pass of two texts along an axis), segments.py (where it begins anew), scan_any.py (by an operator),
scan_calls.py and scan_object.py (the faces); made of them scan_select.py, scan_by_key.py, scan_repeat.py and
scan_generate.py. transform.py is of elements alone, or of parts by their indices.

Of keys in host memory: sort_team.py, what the calling thread and its team do.

Of counting and looking up: bins.py (a pass that adds into an array of variables; edges), histogram.py (histogram,
histogram2d, bincount), search.py (searchsorted, digitize,
isin), sets.py (union1d and its like), group_by.py.

Reductions have a room of their own, pysycl/_reductions.

A new algorithm has files of its own name beside these: its call is a Call, and its text has Elements.
"""
