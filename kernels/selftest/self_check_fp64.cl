/* Known answers in double precision, for devices with the aspect fp64. No -D is needed. */
#pragma OPENCL EXTENSION cl_khr_fp64 : enable

/* Any size. In single precision the difference would be lost. */
__kernel void add_small(__global const double *x, __global double *y)
{
    size_t i = get_global_id(0);
    y[i] = x[i] + 1.0e-12 * (double)(i + 1);
}
