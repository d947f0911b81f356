"""Several devices in the place of a queue.

split.py       split and Split: what is done with the blocks of an array
blocks.py      blocks, and which device does each
parts.py       Parts: an array of which each device has a block in its own memory
bodies.py      which arguments of a body are cut into blocks, and that it touches own elements alone
"""
