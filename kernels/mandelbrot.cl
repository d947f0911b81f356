/* The Mandelbrot set: how many steps each point of the plane stays within a radius of 2, eight points per work-item.
 *
 * Launch: a 2-D range (rows, columns / 8). No -D is needed. Contraction is off, so that each operation rounds as NumPy's does
 * and the two agree in every point. */
#pragma OPENCL FP_CONTRACT OFF

__kernel void mandelbrot(__global int *steps, float left, float top, float pixel, int first_row, int limit)
{
    const int column = 8 * (int)get_global_id(0), row = (int)get_global_id(1);
    const float8 lanes = (float8)(0, 1, 2, 3, 4, 5, 6, 7);
    const float8 cx = left + pixel * ((float)column + lanes);
    const float8 cy = (float8)(top + pixel * (float)(first_row + row));
    float8 x = 0.0f, y = 0.0f;
    int8 count = 0;

    for (int step = 0; step < limit; step++) {
        float8 xx = x * x, yy = y * y;
        int8 inside = xx + yy <= 4.0f; /* -1 where it holds */
        if (!any(inside))
            break;
        count -= inside;
        y = (x + x) * y + cy;
        x = (xx - yy) + cx;
    }
    vstore8(count, 0, steps + (size_t)row * (8 * get_global_size(0)) + column);
}
