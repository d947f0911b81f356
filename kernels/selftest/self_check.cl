/* Known answers that every device must give. The doctor runs each kernel and compares all of its output.
 *
 * Launch contracts stand at each kernel. No -D is needed. */

/* Any size; y has as many elements as work-items. */
__kernel void saxpy(float a, __global const float *x, __global float *y)
{
    size_t i = get_global_id(0);
    y[i] = a * x[i] + y[i];
}

/* A 3-D nd-range; `ids` has 7 numbers per work-item, in row-major order of the index space. */
__kernel void ids(__global uint *out)
{
    size_t width = get_global_size(0), height = get_global_size(1);
    size_t i = (get_global_id(2) * height + get_global_id(1)) * width + get_global_id(0);
    out += 7 * i;
    out[0] = (uint)get_global_id(2);
    out[1] = (uint)get_global_id(1);
    out[2] = (uint)get_global_id(0);
    out[3] = (uint)get_local_id(2);
    out[4] = (uint)get_local_id(1);
    out[5] = (uint)get_local_id(0);
    out[6] = (uint)((get_group_id(2) * get_num_groups(1) + get_group_id(1)) * get_num_groups(0) + get_group_id(0));
}

/* A 1-D nd-range; `tile` holds one int per work-item of a group. Each group comes out backwards. */
__kernel void reverse_groups(__global int *data, __local int *tile)
{
    size_t at = get_local_id(0), size = get_local_size(0);
    tile[at] = data[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    data[get_global_id(0)] = tile[size - 1 - at];
}

/* Any size; `bins` has four counters, zero at the start. */
__kernel void count(__global int *bins)
{
    atomic_add(&bins[get_global_id(0) & 3], 1);
}

/* A structure whose padding and alignment the host must get right. */
struct line {
    char tag;
    int offset;
    short step;
    long scale;
};

/* Any size; the structure goes by value. */
__kernel void apply_line(struct line line, __global long *out)
{
    long i = (long)get_global_id(0);
    out[i] = line.offset + line.scale * (line.step * i) + line.tag;
}
