/* What the fake driver can compute, whatever the body of the function in the source says:
 *   add(global float *y, global const float *x, float a, uint n)   y[i] += a * x[i], where the global id is below n
 *   fill_ids(global uint *out)                out[linear id] = linear id
 *   slow(global uint *out, uint milliseconds) sleeps, then adds 1 to out[0]
 *   fail(global uint *out)                    the command ends with CL_OUT_OF_RESOURCES
 *   order(global uint *log, uint value)       log[1 + log[0]++] = value
 *   churn(global uint *y, global const uint *x, uint a, uint n)   y[i] = 31 * y[i] + x[i] + a: the order of two shows
 *   bump(global uint *y, uint n)              y[i] += 1
 *   mirror(global uint *y, global const uint *x, uint n)   y[i] = x[i]
 *   paint(image out, image in, sampler s)     out = in, as far as it goes
 */
#include "fake_driver.h"

#include <errno.h>
#include <string.h>
#include <time.h>

static void *pointer(const fake_argument *argument)
{
    return argument->data;
}

static cl_uint number(const fake_argument *argument)
{
    cl_uint value;
    memcpy(&value, argument->value, sizeof value);
    return value;
}

static int run_add(const fake_argument *arguments, const size_t *offset, const size_t *global)
{
    float *y = pointer(&arguments[0]), a;
    const float *x = pointer(&arguments[1]);
    memcpy(&a, arguments[2].value, sizeof a);
    if (y == NULL || x == NULL)
        return number(&arguments[3]) == 0 ? CL_COMPLETE : CL_OUT_OF_RESOURCES;
    for (size_t i = offset[0]; i < offset[0] + global[0] && i < number(&arguments[3]); i++)
        y[i] += a * x[i];
    return CL_COMPLETE;
}

static int run_fill_ids(const fake_argument *arguments, const size_t *offset, const size_t *global)
{
    cl_uint *out = pointer(&arguments[0]);
    size_t count = global[0] * global[1] * global[2];
    (void)offset; /* the linear id counts from the offset */
    if (out == NULL || arguments[0].room < count * sizeof *out)
        return CL_OUT_OF_RESOURCES;
    for (size_t i = 0; i < count; i++)
        out[i] = (cl_uint)i;
    return CL_COMPLETE;
}

static int run_slow(const fake_argument *arguments, const size_t *offset, const size_t *global)
{
    cl_uint *out = pointer(&arguments[0]), ms = number(&arguments[1]);
    struct timespec rest = {(time_t)(ms / 1000), (long)(ms % 1000) * 1000000};
    (void)offset, (void)global;
    while (nanosleep(&rest, &rest) != 0 && errno == EINTR)
        ;
    if (out == NULL)
        return CL_OUT_OF_RESOURCES;
    out[0] += 1;
    return CL_COMPLETE;
}

static int run_fail(const fake_argument *arguments, const size_t *offset, const size_t *global)
{
    (void)arguments, (void)offset, (void)global;
    return CL_OUT_OF_RESOURCES;
}

static int run_order(const fake_argument *arguments, const size_t *offset, const size_t *global)
{
    cl_uint *log = pointer(&arguments[0]);
    (void)offset, (void)global;
    if (log == NULL || arguments[0].room < (2 + (size_t)log[0]) * sizeof *log)
        return CL_OUT_OF_RESOURCES;
    log[1 + log[0]] = number(&arguments[1]);
    log[0]++;
    return CL_COMPLETE;
}

static int run_churn(const fake_argument *arguments, const size_t *offset, const size_t *global)
{
    cl_uint *y = pointer(&arguments[0]);
    const cl_uint *x = pointer(&arguments[1]);
    if (y == NULL || x == NULL)
        return CL_OUT_OF_RESOURCES;
    for (size_t i = offset[0]; i < offset[0] + global[0] && i < number(&arguments[3]); i++)
        y[i] = 31 * y[i] + x[i] + number(&arguments[2]);
    return CL_COMPLETE;
}

static int run_bump(const fake_argument *arguments, const size_t *offset, const size_t *global)
{
    cl_uint *y = pointer(&arguments[0]), n = number(&arguments[1]);
    if (y == NULL)
        return n == 0 ? CL_COMPLETE : CL_OUT_OF_RESOURCES;
    for (size_t i = offset[0]; i < offset[0] + global[0] && i < n && (i + 1) * sizeof *y <= arguments[0].room; i++)
        y[i] += 1;
    return CL_COMPLETE;
}

static int run_mirror(const fake_argument *arguments, const size_t *offset, const size_t *global)
{
    cl_uint *y = pointer(&arguments[0]), n = number(&arguments[2]);
    const cl_uint *x = pointer(&arguments[1]);
    if (y == NULL || x == NULL)
        return n == 0 ? CL_COMPLETE : CL_OUT_OF_RESOURCES;
    for (size_t i = offset[0]; i < offset[0] + global[0] && i < n && (i + 1) * sizeof *y <= arguments[0].room &&
                               (i + 1) * sizeof *x <= arguments[1].room;
         i++)
        y[i] = x[i];
    return CL_COMPLETE;
}

static int run_paint(const fake_argument *arguments, const size_t *offset, const size_t *global)
{
    char *out = pointer(&arguments[0]);
    const char *in = pointer(&arguments[1]);
    (void)offset, (void)global;
    if (out == NULL || in == NULL)
        return CL_OUT_OF_RESOURCES;
    memmove(out, in, arguments[0].room < arguments[1].room ? arguments[0].room : arguments[1].room);
    return CL_COMPLETE;
}

const fake_kernel_type fake_kernels[] = {
    {"add", "ppfu", run_add}, {"fill_ids", "p", run_fill_ids}, {"slow", "pu", run_slow},
    {"fail", "p", run_fail},  {"order", "pu", run_order},      {"churn", "ppuu", run_churn},
    {"bump", "pu", run_bump}, {"mirror", "ppu", run_mirror},   {"paint", "pps", run_paint},
};
const size_t fake_kernel_count = sizeof fake_kernels / sizeof fake_kernels[0];
