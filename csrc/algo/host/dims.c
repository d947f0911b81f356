/* Dimensions that are one in memory are made one. */
#include "algo/host/dims.h"

size_t syc__host_distance(ptrdiff_t step)
{
    return step < 0 ? (size_t)-step : (size_t)step;
}

void syc__host_dims_add(syc__host_dim *dims, unsigned *count, syc__host_dim dim)
{
    syc__host_dim *last = dims + *count - 1;
    if (dim.size == 1)
        return;
    if (*count > 0 && last->step == dim.step * (ptrdiff_t)dim.size && last->out == dim.out * (ptrdiff_t)dim.size) {
        last->size *= dim.size;
        last->step = dim.step;
        last->out = dim.out;
        return;
    }
    dims[(*count)++] = dim;
}

unsigned syc__host_dims_nearest(const syc__host_dim *dims, unsigned count)
{
    unsigned best = 0;
    for (unsigned k = 1; k < count; k++)
        if (dims[k].step != 0 &&
            (dims[best].step == 0 || syc__host_distance(dims[k].step) < syc__host_distance(dims[best].step)))
            best = k;
    return best;
}

syc__host_dim syc__host_dims_take(syc__host_dim *dims, unsigned *count, unsigned which)
{
    const syc__host_dim taken = dims[which];
    for (unsigned k = which + 1; k < *count; k++)
        dims[k - 1] = dims[k];
    --*count;
    return taken;
}

void syc__host_dims_at(const syc__host_dim *dims, unsigned count, size_t index, ptrdiff_t *out_from, ptrdiff_t *out_to)
{
    *out_from = *out_to = 0;
    for (unsigned k = count; k-- > 0;) {
        const ptrdiff_t here = (ptrdiff_t)(index % dims[k].size);
        *out_from += here * dims[k].step;
        *out_to += here * dims[k].out;
        index /= dims[k].size;
    }
}
