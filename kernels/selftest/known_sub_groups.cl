/* Known answers of the sub-group's functions, for the self-test (csrc/algo/selftest/selftest.h), which has them from the host.
 *
 * Launch: one dimension, any group; `in` has a number for each work-item, `out` gets KNOWN_CASES of each, in order: first
 * where the work-item stands, its id in the sub-group, how many there are, and the sub-group's id. */
#define KNOWN_CASES 8
#define SYC_OP_known_chain(p, q) ((uint2)((p).x * (q).x, (p).x * (q).y + (p).y))

__kernel void known_sub_groups(__global const uint *in, __global ulong *out)
{
    const size_t i = get_global_id(0);
    const uint x = in[i];
    out += i * KNOWN_CASES;
    out[0] = sub_group_local_id() | (ulong)sub_group_local_range() << 16 | (ulong)sub_group_group_id() << 32;
    out[1] = group_reduce(sub_group, x, plus);
    out[2] = (uint)group_inclusive_scan(sub_group, (int)x, minimum);
    out[3] = group_exclusive_scan(sub_group, (uint2)(x | 1, x), (uint2)(1, 0), known_chain).y;
    out[4] = group_broadcast(sub_group, (ulong)x << 20, 0);
    out[5] = permute_group_by_xor(sub_group, x, 1);
    out[6] = shift_group_left(sub_group, x, 1);
    out[7] = (group_any_of(sub_group, x == in[0]) ? 1 : 0) + (group_all_of(sub_group, x != in[0]) ? 2 : 0);
}
