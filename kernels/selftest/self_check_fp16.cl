/* Known answers in half precision, for devices with the aspect fp16. No -D is needed. */
#pragma OPENCL EXTENSION cl_khr_fp16 : enable

/* Any size. */
__kernel void halve(__global const half *x, __global half *y)
{
    size_t i = get_global_id(0);
    y[i] = x[i] / (half)2.0f + (half)1.0f;
}
