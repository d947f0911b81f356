/* Ranges, ids and nd-ranges. */
#include "python/geometry.h"

#include "python/launch/mismatch.h"
#include "python/number.h"

static int sizes_of_tuple(syc_state *state, PyObject *value, const char *what, size_t out[3], unsigned *dims)
{
    Py_ssize_t rank = PyTuple_GET_SIZE(value);
    if (syc_py_parameter_refuse(state, value, what) < 0)
        return -1;
    if (rank < 1 || rank > 3) {
        syc_py_refuse(state, SYC_E_ND_RANGE, "%s: expected 1 to 3 dimensions, got %zd in %R", what, rank, value);
        return -1;
    }
    *dims = (unsigned)rank;
    for (Py_ssize_t d = 0; d < rank; d++) {
        if (syc_py_size(state, SYC_E_ND_RANGE, PyTuple_GET_ITEM(value, d), what, &out[rank - 1 - d]) < 0)
            return -1;
    }
    return 0;
}

/* One to three sizes, turned round. */
static int sizes_of(syc_state *state, PyObject *value, const char *what, size_t out[3], unsigned *dims)
{
    PyObject *fixed;
    int failed;

    if (PyTuple_Check(value))
        return sizes_of_tuple(state, value, what, out, dims);
    if (!PyList_Check(value)) {
        *dims = 1;
        return syc_py_size(state, SYC_E_ND_RANGE, value, what, &out[0]);
    }
    fixed = PyList_AsTuple(value); /* the __index__ of an item may change the list */
    if (fixed == NULL)
        return -1;
    failed = sizes_of_tuple(state, fixed, what, out, dims);
    Py_DECREF(fixed);
    return failed;
}

static int same_rank(syc_state *state, const char *what, unsigned dims, unsigned expected)
{
    if (dims == expected)
        return 0;
    syc_py_refuse(state, SYC_E_ND_RANGE, "%s has %u dimension%s, but the global range has %u", what, dims,
                  dims == 1 ? "" : "s", expected);
    return -1;
}

int syc_py_geometry(syc_state *state, PyObject *range, syc_geometry *out, bool *grouped)
{
    unsigned dims;

    *out = (syc_geometry){.global = {1, 1, 1}, .local = {1, 1, 1}};
    *grouped = syc_py_is(state, SYC_FACE_ND_RANGE, range);
    if (!*grouped)
        return sizes_of(state, range, "range", out->global, &out->dims);
    if (PyTuple_GET_SIZE(range) != 3) { /* tuple.__new__ makes such ones, past the class */
        syc_py_refuse(state, SYC_E_ND_RANGE, "range: %zd parts make no NdRange", PyTuple_GET_SIZE(range));
        return -1;
    }
    if (sizes_of(state, PyTuple_GET_ITEM(range, 0), "global range", out->global, &out->dims) < 0 ||
        sizes_of(state, PyTuple_GET_ITEM(range, 1), "local range", out->local, &dims) < 0 ||
        same_rank(state, "the local range", dims, out->dims) < 0 ||
        sizes_of(state, PyTuple_GET_ITEM(range, 2), "offset", out->offset, &dims) < 0 ||
        same_rank(state, "the offset", dims, out->dims) < 0)
        return -1;
    return 0;
}

int syc_py_geometry_groups(syc_state *state, PyObject *groups, PyObject *size, syc_geometry *out)
{
    unsigned dims;
    *out = (syc_geometry){.global = {1, 1, 1}, .local = {1, 1, 1}};
    if (sizes_of(state, groups, "groups", out->global, &out->dims) < 0)
        return -1;
    if (size == NULL)
        return 0;
    if (sizes_of(state, size, "group_size", out->local, &dims) < 0)
        return -1;
    if (dims == out->dims)
        return 0;
    syc_py_refuse(state, SYC_E_ND_RANGE, "group_size has %u dimension%s, but groups has %u", dims, dims == 1 ? "" : "s",
                  out->dims);
    return -1;
}

int syc_py_geometry_offset(syc_state *state, PyObject *offset, bool grouped, syc_geometry *geometry)
{
    unsigned dims;
    if (offset == NULL || offset == Py_None)
        return 0;
    if (grouped) {
        syc_py_refuse(state, SYC_E_ND_RANGE, "offset: an NdRange has its own; got %R beside it", offset);
        return -1;
    }
    if (sizes_of(state, offset, "offset", geometry->offset, &dims) < 0)
        return -1;
    return same_rank(state, "the offset", dims, geometry->dims);
}
