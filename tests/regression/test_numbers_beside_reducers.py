"""Numbers in bodies with reducers on devices with memory of their own: they are the text's, of the type that they have
there, and a launch with other numbers has those."""

SCENARIOS = """
import numpy as np
import pysycl as sycl

N = 1000
queue = sycl.Queue()
ints, floats = np.arange(N, dtype=np.int32), np.arange(N, dtype=np.float32) / 8
ND = sycl.NdRange(N, 20)
program = sycl.Program('''
kernel void whole(global const int *x, long k, float f, reducer(long, plus) r, reducer(float, maximum) top)
{
    size_t i = get_global_id(0);
    r += x[i] * k; top.combine(x[i] * f);
}''')


def reduced(over, text, dtype, op=sycl.plus, count=None, **given):
    memory = np.zeros(count or 1, dtype)
    r = sycl.reduction(memory if count is None else sycl.span(memory), op)
    queue.parallel_for(over, text, r=r, **given)
    return memory.tolist() if count else memory[0].item()


for over in (N, ND):
    for turn in (1, 2, 4):
        i = "i" if over is N else "global_id(0)"
        assert reduced(over, f"r += x[{i}] * k;", "i8", x=ints, k=turn) == turn * ints.sum()
        assert reduced(over, f"r += x[{i}] + k;", "i8", x=ints, k=2**40 + turn) == ints.sum() + N * (2**40 + turn)
        assert reduced(over, f"r += {i} / k;", "i8", k=2 + turn) == (np.arange(N) // (2 + turn)).sum()
        assert reduced(over, f"r += x[{i}] * k;", "f4", x=floats, k=turn + 0.5) == floats.sum() * (turn + 0.5)
        assert reduced(over, f"r += (1 + {i} % 1) / k;", "f8", k=2) == 0  # ints are divided as ints
        assert reduced(over, f"r += (1 + {i} % 1) / k;", "f8", k=np.float64(turn)) == N / turn
        assert reduced(over, f"r += x[{i}] < m && on;", "i4", x=ints, m=np.int16(turn * 100), on=True) == turn * 100
        assert reduced(over, f"r += k - x[{i}] * 0u;", "u8", x=ints, k=np.uint64(2**63 + turn)) == N * (2**63 + turn) % 2**64
        assert reduced(over, f"r.combine(x[{i}] * k);", "f4", sycl.maximum, x=floats, k=np.float32(turn)) == floats[-1] * turn
        bins = reduced(over, f"r[{i} % m] += k;", "i4", count=4, m=4, k=turn)
        assert bins == [N // 4 * turn] * 4
        total, top = np.zeros(1, "i8"), np.zeros(1, "f4")
        queue.parallel_for(over, program.whole, ints, turn, turn / 2, sycl.reduction(total, sycl.plus),
                           sycl.reduction(top, sycl.maximum))
        assert (total[0], top[0]) == (turn * ints.sum(), (N - 1) * turn / 2)
with sycl.Buffer(ints) as b, sycl.Buffer(np.zeros(1, "i8")) as out:
    for k in (3, 5):
        with queue.submit() as h:
            h.parallel_for(N, "r += x[i] * k;", x=h.read(b), k=k, r=sycl.reduction(out, h, sycl.plus))
    assert np.asarray(out)[0] == 8 * ints.sum()
result = np.zeros(1, "i8")
with queue.record() as g:
    queue.parallel_for(N, "r += x[i] * k;", x=ints, k=np.int64(3), r=sycl.reduction(result, sycl.plus))
g.replay(), g.replay(k=5)
assert result[0] == 8 * ints.sum()
print("all")
"""


def test_numbers_beside_reducers(run_python, copying):
    """A device that is taken for a GPU would get ways to combine that PoCL does not have."""
    assert run_python(SCENARIOS, copying()).stdout == "all\n"
