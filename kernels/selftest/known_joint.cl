/* Known answers of joint algorithms, for the self-test (csrc/algo/selftest/selftest.h), which has them from the host.
 *
 * Launch: one dimension; KNOWN_ROOM elements of `in` for each group, of which the first says how many of the rest
 * are its range, and KNOWN_ROOM of `out`: the sum, then the running maxima of the running sums. */
#define KNOWN_ROOM 320

__kernel void known_joint(__global const uint *in, __global ulong *out)
{
    const uint count = in[get_group_id(0) * KNOWN_ROOM];
    in += get_group_id(0) * KNOWN_ROOM + 1;
    out += get_group_id(0) * KNOWN_ROOM;
    const ulong sum = joint_reduce(work_group, in, in + count, (ulong)5, plus);
    if (get_local_id(0) == 0)
        out[0] = sum;
    joint_inclusive_scan(work_group, in, in + count, out + 1, bit_xor, (ulong)3);
    joint_exclusive_scan(work_group, out + 1, out + 1 + count, out + 1, (ulong)0, maximum);
}
