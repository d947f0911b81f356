/* Known answers of 64-bit atomics, for devices with the aspect atomic64. No -D is needed. */
#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable

/* Any size; `total` has one counter. Each work-item adds a number that needs more than 32 bits. */
__kernel void add_large(__global long *total)
{
    atom_add(&total[0], (long)4294967296 + (long)get_global_id(0));
}
