/* Known answers of atomic operations, for the self-test (csrc/algo/selftest/selftest.h), which has them from the host.
 *
 * Launch: one dimension; `in` has a number for each work-item, `out` gets what its first operation found, `cells` are
 * eight zeros at the start. */
__kernel void known_atomics(__global const uint *in, __global ulong *out, __global int *cells)
{
    __local int mine[2];
    const size_t i = get_global_id(0);
    const uint x = in[i];
    int expected;

    if (get_local_id(0) == 0)
        mine[0] = mine[1] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[i] = (ulong)atomic_fetch_add(&cells[0], 3);
    atomic_fetch_max(&cells[1], (int)(x >> 1));
    atomic_fetch_xor(&cells[2], (int)x);
    atomic_fetch_add((__global float *)&cells[3], 1.5f);
    expected = atomic_load(&cells[4]);
    while (!atomic_compare_exchange_weak(&cells[4], &expected, expected + 2))
        ;
    atomic_fetch_add(&mine[0], (int)(x & 15));
    atomic_fetch_min(&mine[1], -(int)(x & 1023));
    barrier(CLK_LOCAL_MEM_FENCE);
    if (get_local_id(0) == 0) {
        atomic_fetch_add(&cells[5], mine[0]);
        atomic_fetch_min(&cells[6], mine[1]);
    }
}
