/* Sorts of small NumPy arrays on the calling thread. */
#include "algo/host/sort.h"
#include "python/state.h"

#include <stdint.h>

static bool fits(const syc_host_sort *of, const Py_buffer *keys, const Py_buffer *to)
{
    const size_t most = SIZE_MAX / 16, result = of->positions ? sizeof(int64_t) : of->width;
    const bool floats = of->order == SYC_HOST_ORDER_FLOAT, bools = of->order == SYC_HOST_ORDER_BOOL;
    if ((of->width != 1 && of->width != 2 && of->width != 4 && of->width != 8) || of->size >= UINT32_MAX ||
        (floats && of->width == 1) || (bools && of->width != 1))
        return false;
    if (of->size != 0 && of->lines > most / of->size)
        return false;
    return (size_t)keys->len == of->lines * of->size * of->width && (size_t)to->len == of->lines * of->size * result;
}

static PyObject *host_sort(PyObject *module, PyObject *args)
{
    syc_state *state = PyModule_GetState(module);
    syc_host_sort of = {0};
    syc_status status = SYC_OK;
    Py_ssize_t lines, size, width;
    int order, descending, positions;
    Py_buffer keys, to;

    if (!PyArg_ParseTuple(args, "y*w*nnnipp", &keys, &to, &lines, &size, &width, &order, &descending, &positions))
        return NULL;
    of = (syc_host_sort){.keys = keys.buf,
                         .to = to.buf,
                         .lines = (size_t)lines,
                         .size = (size_t)size,
                         .width = (size_t)width,
                         .order = (syc_host_order)order,
                         .descending = descending != 0,
                         .positions = positions != 0};
    if (lines < 0 || size < 0 || order < 0 || order >= SYC_HOST_ORDER_COUNT || !fits(&of, &keys, &to)) {
        PyBuffer_Release(&keys);
        PyBuffer_Release(&to);
        return syc_py_invalid(state, "host_sort: sizes that the memory has not");
    }
    Py_BEGIN_ALLOW_THREADS status = syc_host_sort_lines(&of);
    Py_END_ALLOW_THREADS PyBuffer_Release(&keys);
    PyBuffer_Release(&to);
    if (status != SYC_OK)
        return syc_py_raise(state, status);
    Py_RETURN_NONE;
}

PyMethodDef syc_host_sort_methods[] = {
    {"host_sort", host_sort, METH_VARARGS,
     "host_sort($module, keys, to, lines, size, width, order, descending, positions, /)\n"
     "--\n\n"
     "Sort lines of keys, or their positions of 64 bits, on the calling thread."},
    {NULL, NULL, 0, NULL},
};
