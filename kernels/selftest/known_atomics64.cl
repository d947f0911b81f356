/* Known answers of atomic operations of 64 bits, for the self-test (csrc/algo/selftest/selftest.h), which has them from the host.
 *
 * Launch: one dimension; `in` has a number for each work-item, `out` gets what its first operation found, `cells` are
 * eight zeros at the start, of which the last says whether there are the extended operations, too. */
__kernel void known_atomics64(__global const uint *in, __global ulong *out, __global long *cells)
{
    __local long mine[2];
    const size_t i = get_global_id(0);
    const long x = (long)in[i] << 24;
    long expected;

    if (get_local_id(0) == 0)
        mine[0] = mine[1] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[i] = (ulong)atomic_fetch_add(&cells[0], 3L << 33);
    expected = atomic_load(&cells[3]);
    while (!atomic_compare_exchange_weak(&cells[3], &expected, expected + (1L << 34)))
        ;
    atomic_fetch_add(&mine[0], x);
#ifdef cl_khr_int64_extended_atomics
    if (i == 0)
        cells[7] = 1;
    atomic_fetch_max(&cells[1], x);
    atomic_fetch_xor((__global ulong *)&cells[2], (ulong)x);
    atomic_fetch_min(&mine[1], -x);
#endif
    barrier(CLK_LOCAL_MEM_FENCE);
    if (get_local_id(0) == 0) {
        atomic_fetch_add(&cells[4], mine[0]);
#ifdef cl_khr_int64_extended_atomics
        atomic_fetch_min(&cells[5], mine[1]);
#endif
    }
#ifdef cl_khr_fp64
    atomic_fetch_add((__global double *)&cells[6], 1.5);
#endif
}
