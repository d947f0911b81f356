/* Known answers of the work-group's functions, for the self-test (csrc/algo/selftest/selftest.h), which has them from the host.
 *
 * Launch: one dimension, any group; `in` has a number for each work-item, `out` gets KNOWN_CASES of each, in order. */
#define KNOWN_CASES 6
#define SYC_OP_known_chain(p, q) ((uint2)((p).x * (q).x, (p).x * (q).y + (p).y))
#define SYC_OP_known_wide(p, q) ((ulong4)((p).x * (q).x, (p).x * (q).y + (p).y, 0, 0))

__kernel void known_work_groups(__global const uint *in, __global ulong *out)
{
    const size_t n = get_local_size(0), i = get_global_id(0);
    const uint x = in[i];
    out += i * KNOWN_CASES;
    out[0] = group_reduce(work_group, x, plus);
    out[1] = (ulong)group_inclusive_scan(work_group, (float)(x & 255), plus);
    out[2] = group_exclusive_scan(work_group, (uint2)(x | 1, x), (uint2)(1, 0), known_chain).y;
    out[3] = group_reduce(work_group, (ulong4)(x | 1, x, 0, 0), known_wide).y;
    out[4] = group_broadcast(work_group, (uchar)x, n / 2);
    out[5] = (group_any_of(work_group, x == in[0]) ? 1 : 0) + (group_all_of(work_group, x != in[0]) ? 2 : 0);
}
