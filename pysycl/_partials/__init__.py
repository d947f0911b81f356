"""Partial results as data: what a part of the elements comes to, as a NumPy array that can be kept, sent, and merged.

kind.py         what all kinds have: a dtype, an identity, two partials made one, the result
values.py       operators of values: the partial is a value of the type that they combine in
sums.py         sums that mind rounding, of complex numbers by their parts: made of the next two
exact.py        sums of accuracy exact: words, settled, and the number nearest to them
running.py      sums of accuracy pairwise and compensated: a value, and what it has rounded away
written.py      operators of the user's text, in the order of the parts
averages.py     means
moments.py      variances, in one pass about a guess
positions.py    argmin and argmax
choice.py       which kind a reduction has
starts.py       what a scan of a part begins with

On a device an accumulator is written as it is (csrc/body/name.h: kept); here is what is done with it elsewhere. Tests hold
both against each other, bit by bit.
"""
