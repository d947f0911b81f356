"""
Game of life
============

Two buffers take turns. A command comes after the one that wrote what it reads, by itself.
"""

import matplotlib.pyplot as plt
import numpy as np

import pysycl as sycl

BODY = """
int around = 0;
for (int dy = -1; dy <= 1; dy++)
    for (int dx = -1; dx <= 1; dx++)
        if (dx != 0 || dy != 0)
            around += old((i0 + dy + n0) % n0, (i1 + dx + n1) % n1);
next(i0, i1) = around == 3 || (around == 2 && old(i0, i1));
"""


def with_numpy(board):
    around = sum(np.roll(board, (dy, dx), (0, 1)) for dy in (-1, 0, 1) for dx in (-1, 0, 1) if dx or dy)
    return ((around == 3) | ((around == 2) & (board == 1))).astype(np.uint8)


queue = sycl.Queue()
first = (np.random.default_rng(1).random((120, 160)) < 0.3).astype(np.uint8)
boards = sycl.Buffer(first.copy()), sycl.Buffer(first.shape, np.uint8)
for turn in range(100):
    old, new = boards[turn % 2], boards[1 - turn % 2]
    with queue.submit() as h:
        h.parallel_for(first.shape, BODY, old=h.read(old), next=h.write(new))

expected = first
for _ in range(100):
    expected = with_numpy(expected)
last = np.asarray(boards[0])
assert np.array_equal(last, expected)
plt.imshow(last, cmap="gray_r")
plt.axis("off")
plt.show()
