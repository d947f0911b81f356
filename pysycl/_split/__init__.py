"""Several devices in the place of a queue.

split.py        split and Split: the devices, as they are given
crew.py         which device does which block, and when
blocks.py       blocks of an operand
parts.py        Parts: an array of which each device has a block in its own memory
bodies.py       which arguments of a body each device has its part of
reductions.py, scans.py, sorts.py   what is done with blocks
"""
