/* Sorts, searches and merges of keys in NumPy arrays on the calling thread and the team. Arrays lie one element behind
 * the other, and are bytes here. */
#include "algo/keys/bins.h"
#include "algo/keys/merge.h"
#include "algo/keys/runs.h"
#include "algo/keys/search.h"
#include "algo/keys/sort.h"
#include "algo/keys/top.h"
#include "python/functions/small_arrays.h"
#include "python/state.h"

#include <stdint.h>

/* Keys of `width` bytes, of which there are whole ones in the memory. */
static bool are_keys(Py_ssize_t width, int order, const Py_buffer *memory)
{
    if ((width != 1 && width != 2 && width != 4 && width != 8) || order < 0 || order >= SYC_HOST_ORDER_COUNT)
        return false;
    if ((order == SYC_HOST_ORDER_FLOAT && width == 1) || (order == SYC_HOST_ORDER_BOOL && width != 1))
        return false;
    return memory->len % width == 0;
}

/* Behind the work: memory is let go of. */
static PyObject *ended(syc_state *state, syc_status status, bool fits, Py_buffer *memory, size_t count)
{
    for (size_t k = 0; k < count; k++)
        PyBuffer_Release(&memory[k]);
    if (!fits)
        return syc_py_invalid(state, "host keys: sizes that the memory has not");
    if (status != SYC_OK)
        return syc_py_raise(state, status);
    Py_RETURN_NONE;
}

static bool fits_sort(const syc_host_sort *of, const Py_buffer *keys, const Py_buffer *to)
{
    const size_t most = SIZE_MAX / 16, result = of->positions ? sizeof(int64_t) : of->width;
    if (of->size >= UINT32_MAX || (of->size != 0 && of->lines > most / of->size))
        return false;
    return (size_t)keys->len == of->lines * of->size * of->width && (size_t)to->len == of->lines * of->size * result;
}

static PyObject *host_sort(PyObject *module, PyObject *args)
{
    syc_status status = SYC_OK;
    Py_ssize_t lines, size, width;
    int order, descending, positions;
    Py_buffer memory[2];
    syc_host_sort of;
    bool fits;

    if (!PyArg_ParseTuple(args, "y*w*nnnipp", &memory[0], &memory[1], &lines, &size, &width, &order, &descending,
                          &positions))
        return NULL;
    of = (syc_host_sort){.keys = memory[0].buf,
                         .to = memory[1].buf,
                         .lines = (size_t)lines,
                         .size = (size_t)size,
                         .width = (size_t)width,
                         .order = (syc_host_order)order,
                         .descending = descending != 0,
                         .positions = positions != 0};
    fits = lines >= 0 && size >= 0 && are_keys(width, order, &memory[0]) && fits_sort(&of, &memory[0], &memory[1]);
    if (fits) {
        Py_BEGIN_ALLOW_THREADS status = syc_host_sort_lines(&of);
        Py_END_ALLOW_THREADS
    }
    return ended(PyModule_GetState(module), status, fits, memory, 2);
}

static PyObject *host_search(PyObject *module, PyObject *args)
{
    syc_status status = SYC_OK;
    Py_ssize_t width;
    int order, what;
    Py_buffer memory[3];
    syc_host_search of;
    bool fits;

    if (!PyArg_ParseTuple(args, "y*y*w*nii", &memory[0], &memory[1], &memory[2], &width, &order, &what))
        return NULL;
    fits = are_keys(width, order, &memory[0]) && are_keys(width, order, &memory[1]) && width >= 4 && what >= 0 &&
           what < SYC_SEARCH_COUNT;
    if (fits) {
        of = (syc_host_search){.keys = memory[0].buf,
                               .size = (size_t)(memory[0].len / width),
                               .values = memory[1].buf,
                               .count = (size_t)(memory[1].len / width),
                               .to = memory[2].buf,
                               .width = (size_t)width,
                               .order = (syc_host_order)order,
                               .what = (syc_search_for)what};
        fits = (size_t)memory[2].len == of.count * (what <= SYC_SEARCH_UP_TO ? sizeof(int64_t) : sizeof(bool));
    }
    if (fits) {
        Py_BEGIN_ALLOW_THREADS status = syc_host_search_keys(&of);
        Py_END_ALLOW_THREADS
    }
    return ended(PyModule_GetState(module), status, fits, memory, 3);
}

static PyObject *host_merge(PyObject *module, PyObject *args)
{
    syc_status status = SYC_OK;
    Py_ssize_t width;
    int order;
    Py_buffer memory[3];
    syc_host_merge of;
    bool fits;

    if (!PyArg_ParseTuple(args, "y*y*w*ni", &memory[0], &memory[1], &memory[2], &width, &order))
        return NULL;
    fits = are_keys(width, order, &memory[0]) && are_keys(width, order, &memory[1]) &&
           !(order == SYC_HOST_ORDER_FLOAT && width == 2) && memory[2].len == memory[0].len + memory[1].len;
    if (fits) {
        of = (syc_host_merge){.first = memory[0].buf,
                              .second = memory[1].buf,
                              .sizes = {(size_t)(memory[0].len / width), (size_t)(memory[1].len / width)},
                              .to = memory[2].buf,
                              .width = (size_t)width,
                              .order = (syc_host_order)order};
        Py_BEGIN_ALLOW_THREADS status = syc_host_merge_keys(&of);
        Py_END_ALLOW_THREADS
    }
    return ended(PyModule_GetState(module), status, fits, memory, 3);
}

static bool fits_top(const syc_host_top *of, const Py_buffer *keys, const Py_buffer *to)
{
    if (of->size >= UINT32_MAX || of->many == 0 || of->many > of->size || of->lines > SIZE_MAX / 16 / of->size)
        return false;
    return (size_t)keys->len == of->lines * of->size * of->width &&
           (size_t)to->len == of->lines * of->many * sizeof(int64_t);
}

static PyObject *host_top(PyObject *module, PyObject *args)
{
    syc_status status = SYC_OK;
    Py_ssize_t lines, size, many, width;
    int order, descending;
    Py_buffer memory[2];
    syc_host_top of;
    bool fits;

    if (!PyArg_ParseTuple(args, "y*w*nnnnip", &memory[0], &memory[1], &lines, &size, &many, &width, &order,
                          &descending))
        return NULL;
    of = (syc_host_top){.keys = memory[0].buf,
                        .to = memory[1].buf,
                        .lines = (size_t)lines,
                        .size = (size_t)size,
                        .many = (size_t)many,
                        .width = (size_t)width,
                        .order = (syc_host_order)order,
                        .descending = descending != 0};
    fits = lines >= 0 && size >= 0 && many >= 0 && are_keys(width, order, &memory[0]) &&
           fits_top(&of, &memory[0], &memory[1]);
    if (fits) {
        Py_BEGIN_ALLOW_THREADS status = syc_host_top_keys(&of);
        Py_END_ALLOW_THREADS
    }
    return ended(PyModule_GetState(module), status, fits, memory, 2);
}

static bool fits_bins(const syc_host_bins *of, const Py_buffer *memory, const Py_buffer *edges,
                      const Py_buffer *weights, const Py_buffer *counts)
{
    const bool floats = of->order == SYC_HOST_ORDER_FLOAT;
    if (!are_keys((Py_ssize_t)of->width, of->order, &memory[0]) || of->bins == 0 || of->bins > SYC_HOST_MOST_BINS ||
        (size_t)memory[1].len != of->bins * sizeof(int64_t) || floats != (edges->buf != NULL))
        return false;
    if (floats && (of->width == 2 || (size_t)edges->len != (of->bins + 1) * of->width || !(of->scale > 0)))
        return false;
    if (counts->buf != NULL && (counts->readonly || weights->buf == NULL || counts->len != memory[1].len))
        return false;
    if (weights->buf == NULL)
        return true;
    return are_keys((Py_ssize_t)of->weight_width, of->weight_order, weights) &&
           !(of->weight_order == SYC_HOST_ORDER_FLOAT && of->weight_width == 2) &&
           (size_t)weights->len == of->count * of->weight_width;
}

static PyObject *host_bins(PyObject *module, PyObject *args)
{
    syc_status status = SYC_OK;
    Py_ssize_t bins, width, weight_width;
    unsigned long long low;
    int order, weight_order;
    double scale;
    Py_buffer memory[5]; /* keys, results, edges, weights, counts: the last three may be None */
    syc_host_bins of;
    bool fits;

    if (!PyArg_ParseTuple(args, "y*w*z*z*z*nniKdni", &memory[0], &memory[1], &memory[2], &memory[3], &memory[4], &bins,
                          &width, &order, &low, &scale, &weight_width, &weight_order))
        return NULL;
    of = (syc_host_bins){.keys = memory[0].buf,
                         .count = width > 0 ? (size_t)(memory[0].len / width) : 0,
                         .width = (size_t)width,
                         .order = (syc_host_order)order,
                         .low = low,
                         .edges = memory[2].buf,
                         .scale = scale,
                         .bins = bins > 0 ? (size_t)bins : 0,
                         .weights = memory[3].buf,
                         .weight_width = (size_t)weight_width,
                         .weight_order = (syc_host_order)weight_order,
                         .to = memory[1].buf,
                         .counts = memory[4].buf};
    fits = fits_bins(&of, memory, &memory[2], &memory[3], &memory[4]);
    if (fits) {
        Py_BEGIN_ALLOW_THREADS status = syc_host_add_keys(&of);
        Py_END_ALLOW_THREADS
    }
    return ended(PyModule_GetState(module), status, fits, memory, 5);
}

/* New arrays for the runs, of their first keys as unsigned integers and of their lengths. */
static PyObject *put_runs(const syc_state *state, syc_host_runs *of, size_t count)
{
    const Py_ssize_t size = (Py_ssize_t)count;
    const syc_dtype type = of->width == 1   ? SYC_UCHAR
                           : of->width == 2 ? SYC_USHORT
                           : of->width == 4 ? SYC_UINT
                                            : SYC_ULONG;
    PyObject *arrays[2] = {syc_py_small_array(state, &size, 1, type), NULL}, *both = NULL;
    Py_buffer memory[2] = {{0}, {0}};
    if (arrays[0] != NULL)
        arrays[1] = syc_py_small_array(state, &size, 1, SYC_LONG);
    if (arrays[1] != NULL && PyObject_GetBuffer(arrays[0], &memory[0], PyBUF_WRITABLE) == 0 &&
        PyObject_GetBuffer(arrays[1], &memory[1], PyBUF_WRITABLE) == 0) {
        of->firsts = memory[0].buf;
        of->lengths = memory[1].buf;
        Py_BEGIN_ALLOW_THREADS syc_host_runs_put(of);
        Py_END_ALLOW_THREADS both = PyTuple_Pack(2, arrays[0], arrays[1]);
    }
    for (unsigned k = 0; k < 2; k++) {
        PyBuffer_Release(&memory[k]);
        Py_XDECREF(arrays[k]);
    }
    return both;
}

static PyObject *host_runs(PyObject *module, PyObject *args)
{
    syc_state *state = PyModule_GetState(module);
    Py_ssize_t width;
    size_t count;
    int order, as_one;
    Py_buffer keys;
    PyObject *both;
    syc_host_runs of = {0};

    if (syc_py_small_begin(state) < 0 || !PyArg_ParseTuple(args, "y*nip", &keys, &width, &order, &as_one))
        return NULL;
    if (!are_keys(width, order, &keys) || (order == SYC_HOST_ORDER_FLOAT && width == 2))
        return ended(state, SYC_OK, false, &keys, 1);
    of.keys = keys.buf;
    of.size = (size_t)(keys.len / width);
    of.width = (size_t)width;
    of.order = (syc_host_order)order;
    of.as_one = as_one != 0;
    Py_BEGIN_ALLOW_THREADS count = syc_host_runs_count(&of);
    Py_END_ALLOW_THREADS both = put_runs(state, &of, count);
    PyBuffer_Release(&keys);
    return both;
}

PyMethodDef syc_host_keys_methods[] = {
    {"host_sort", host_sort, METH_VARARGS,
     "host_sort($module, keys, to, lines, size, width, order, descending, positions, /)\n"
     "--\n\n"
     "Sort lines of keys, or their positions of 64 bits, on the calling thread."},
    {"host_search", host_search, METH_VARARGS,
     "host_search($module, keys, values, to, width, order, what, /)\n"
     "--\n\n"
     "Where values stand among sorted keys: before them 0, up to them 1, in them 2, not in them 3."},
    {"host_merge", host_merge, METH_VARARGS,
     "host_merge($module, first, second, to, width, order, /)\n"
     "--\n\n"
     "Merge two sorted runs of keys."},
    {"host_top", host_top, METH_VARARGS,
     "host_top($module, keys, to, lines, size, many, width, order, descending, /)\n"
     "--\n\n"
     "Where the first keys of lines stand, in order."},
    {"host_bins", host_bins, METH_VARARGS,
     "host_bins($module, keys, to, edges, weights, counts, bins, width, order, low, scale, weight_width, weight_order, "
     "/)\n"
     "--\n\n"
     "Count keys in bins, or add their weights, and count them as well."},
    {"host_runs", host_runs, METH_VARARGS,
     "host_runs($module, keys, width, order, as_one, /)\n"
     "--\n\n"
     "Of runs of sorted keys the first keys, as unsigned integers, and their lengths."},
    {NULL, NULL, 0, NULL},
};
