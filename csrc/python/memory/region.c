/* Parts of buffers: shapes, strides, exports. */
#include "python/memory/region.h"

#include "python/number.h"
#include "schedule/access.h"

int syc_py_sizes(syc_state *state, PyObject *value, const char *what, size_t out[3], unsigned *rank)
{
    PyObject *sizes;
    Py_ssize_t count;

    out[0] = out[1] = out[2] = 1;
    if (PyIndex_Check(value) && !PySequence_Check(value)) { /* arrays are both */
        *rank = 1;
        return syc_py_size(state, SYC_E_INVALID_PARAMETER, value, what, &out[0]);
    }
    sizes = PySequence_Tuple(value); /* one of our own: the __index__ of an item may change the sequence */
    if (sizes == NULL) {
        if (PyErr_ExceptionMatches(PyExc_TypeError)) {
            PyErr_Clear();
            syc_py_invalid(state, "%s: expected an int or a tuple of ints, got %R", what, value);
        }
        return -1;
    }
    count = PyTuple_GET_SIZE(sizes);
    if (count < 1 || count > 3) {
        syc_py_invalid(state, "%s: expected 1 to 3 dimensions, got %zd in %R", what, count, value);
        count = -1;
    }
    *rank = (unsigned)count;
    for (Py_ssize_t d = 0; d < count; d++) {
        if (syc_py_size(state, SYC_E_INVALID_PARAMETER, PyTuple_GET_ITEM(sizes, d), what, &out[d]) < 0)
            count = -1;
    }
    Py_DECREF(sizes);
    return count < 0 ? -1 : 0;
}

PyObject *syc_py_sizes_tuple(const size_t *sizes, unsigned rank)
{
    PyObject *tuple = PyTuple_New((Py_ssize_t)rank);
    for (unsigned d = 0; tuple != NULL && d < rank; d++)
        syc_py_put(&tuple, d, PyLong_FromSize_t(sizes[d]));
    return tuple;
}

int syc_py_bytes(syc_state *state, const size_t *sizes, unsigned rank, size_t item, size_t *out)
{
    size_t bytes = item;
    bool empty = item == 0, large = false;

    for (unsigned d = 0; d < rank; d++) {
        empty |= sizes[d] == 0;
        large |= __builtin_mul_overflow(bytes, sizes[d] > 0 ? sizes[d] : 1, &bytes);
    }
    if (large || bytes > PY_SSIZE_T_MAX) {
        PyObject *shape = syc_py_sizes_tuple(sizes, rank);
        if (shape != NULL)
            syc_py_invalid(state, "shape: %R of %zu bytes each is more than can be addressed", shape, item);
        Py_XDECREF(shape);
        return -1;
    }
    *out = empty ? 0 : bytes;
    return 0;
}

int syc_py_mode_check(syc_state *state, const BufferObject *buffer, AccessorObject *a)
{
    if (buffer->read_only && a->mode == SYC_PY_READ_WRITE)
        a->mode = SYC_PY_READ; /* const elements: reading is all that read_write can mean */
    if (a->mode != SYC_PY_READ && buffer->read_only)
        syc_py_invalid(state, "mode: the buffer was made with read_only=True: it can be read only");
    else if (a->mode != SYC_PY_READ && a->target == SYC_PY_CONSTANT)
        syc_py_invalid(state, "mode: an accessor of the target constant_buffer can read only");
    else if (a->mode == SYC_PY_READ && a->no_init)
        syc_py_invalid(state, "no_init: an accessor that only reads needs the contents that no_init would drop");
    else
        return 0;
    return -1;
}

/* Elements of the (sub-)buffer between neighbours along dimension d. */
static size_t step(const AccessorObject *a, unsigned d)
{
    size_t elements = 1;
    for (unsigned e = d + 1; e < a->rank; e++)
        elements *= a->shape[e];
    return elements;
}

static int check_rank(syc_state *state, const char *what, unsigned rank, unsigned wanted)
{
    if (rank == wanted)
        return 0;
    syc_py_invalid(state, "%s has %u dimension%s, but the buffer has %u", what, rank, rank == 1 ? "" : "s", wanted);
    return -1;
}

static int take_range(syc_state *state, PyObject *range, PyObject *offset, AccessorObject *out)
{
    unsigned rank;
    for (unsigned d = 0; d < 3; d++) {
        out->range[d] = d < out->rank ? out->shape[d] : 1;
        out->offset[d] = 0;
    }
    if (offset != NULL && offset != Py_None &&
        (syc_py_sizes(state, offset, "offset", out->offset, &rank) < 0 ||
         check_rank(state, "offset", rank, out->rank) < 0))
        return -1;
    for (unsigned d = out->rank; d < 3; d++)
        out->offset[d] = 0;
    for (unsigned d = 0; d < out->rank; d++) /* an offset alone: what is behind it */
        out->range[d] = out->offset[d] <= out->shape[d] ? out->shape[d] - out->offset[d] : 0;
    if (range != NULL && range != Py_None &&
        (syc_py_sizes(state, range, "range", out->range, &rank) < 0 || check_rank(state, "range", rank, out->rank) < 0))
        return -1;
    for (unsigned d = 0; d < out->rank; d++) {
        if (out->offset[d] <= out->shape[d] && out->range[d] <= out->shape[d] - out->offset[d])
            continue;
        syc_py_invalid(state,
                       "range and offset: in dimension %u, %zu elements from %zu on go beyond the %zu of the buffer", d,
                       out->range[d], out->offset[d], out->shape[d]);
        return -1;
    }
    return 0;
}

int syc_py_region_init(syc_state *state, const BufferObject *buffer, PyObject *range, PyObject *offset,
                       AccessorObject *out)
{
    syc_buffer_retain(buffer->core);
    out->core = buffer->core;
    out->low = buffer->low;
    out->bytes = buffer->bytes;
    out->rank = buffer->rank;
    out->item = buffer->item;
    out->dtype = Py_NewRef(buffer->dtype);
    for (unsigned d = 0; d < 3; d++)
        out->shape[d] = buffer->shape[d];
    if (take_range(state, range, offset, out) < 0)
        return -1;
    for (unsigned d = 0; d < out->rank; d++)
        out->strides[d] = (Py_ssize_t)(step(out, d) * out->item);
    return 0;
}

void syc_py_region_clear(AccessorObject *accessor)
{
    syc_buffer *core = accessor->core;
    accessor->core = NULL;
    Py_CLEAR(accessor->dtype);
    if (core == NULL)
        return;
    SYC_CORE_BEGIN
        syc_buffer_release(core);
    SYC_CORE_END
}

size_t syc_py_region_count(const AccessorObject *a)
{
    size_t count = a->core != NULL ? 1 : 0;
    for (unsigned d = 0; d < a->rank; d++)
        count *= a->range[d];
    return count;
}

bool syc_py_region_is_part(const AccessorObject *a)
{
    for (unsigned d = 0; d < a->rank; d++)
        if (a->range[d] != a->shape[d])
            return true;
    return false;
}

size_t syc_py_region_first(const AccessorObject *a)
{
    size_t first = 0;
    for (unsigned d = 0; d < a->rank; d++)
        first += a->offset[d] * step(a, d);
    return first;
}

/* The place of the range's first byte in the core's buffer. */
static size_t origin_of(const AccessorObject *a)
{
    return a->low + syc_py_region_first(a) * a->item;
}

char *syc_py_region_address(const AccessorObject *accessor)
{
    static char nothing[16]; /* what an empty range's address is */
    if (syc_py_region_count(accessor) == 0 || accessor->bytes == 0)
        return nothing;
    return syc_command_host_address(accessor->host, accessor->core, origin_of(accessor));
}

/* Rows that continue each other are one row: copies get along with fewer calls. */
syc_box syc_py_accessor_box(const AccessorObject *a)
{
    syc_box box = {.origin = origin_of(a), .extent = {a->item, 1, 1}};
    unsigned at = 0; /* dimension of the box */
    for (unsigned d = a->rank; d-- > 0;) {
        size_t stride = (size_t)a->strides[d];
        bool continues = at == 0 && stride == box.extent[0];
        if (!continues && a->range[d] != 1 && at < 2) {
            box.pitch[at] = stride;
            box.extent[++at] = a->range[d];
        } else if (continues) {
            box.extent[0] *= a->range[d];
        }
    }
    if (box.pitch[0] == 0)
        box.pitch[0] = box.extent[0];
    if (box.pitch[1] == 0)
        box.pitch[1] = box.pitch[0] * box.extent[1];
    return box;
}

static bool is_packed(const AccessorObject *a)
{
    size_t expected = a->item;
    for (unsigned d = a->rank; d-- > 0;) {
        if (a->range[d] != 1 && (size_t)a->strides[d] != expected)
            return syc_py_region_count(a) == 0;
        expected *= a->range[d];
    }
    return true;
}

int syc_py_region_export(AccessorObject *exporter, Py_buffer *view, int flags, char *data, bool writable)
{
    bool packed = is_packed(exporter), wants_strides = (flags & PyBUF_STRIDES) == PyBUF_STRIDES;
    bool wants_packed = (flags & PyBUF_C_CONTIGUOUS) == PyBUF_C_CONTIGUOUS ||
                        (flags & PyBUF_ANY_CONTIGUOUS) == PyBUF_ANY_CONTIGUOUS || !wants_strides;
    const char *format = NULL;

    view->obj = NULL;
    if (exporter->core != NULL && exporter->core->image.rank > 0) { /* read by functions/image.c */
        PyErr_SetString(PyExc_BufferError, "an accessor of an image is no memory: use its pixels");
        return -1;
    }
    if ((flags & PyBUF_WRITABLE) == PyBUF_WRITABLE && !writable) {
        PyErr_SetString(PyExc_BufferError, "the accessor only reads");
        return -1;
    }
    if ((wants_packed && !packed) ||
        ((flags & PyBUF_F_CONTIGUOUS) == PyBUF_F_CONTIGUOUS && !(packed && exporter->rank == 1))) {
        PyErr_SetString(PyExc_BufferError, "the accessor's range is no contiguous piece of the buffer in that order");
        return -1;
    }
    if ((flags & PyBUF_FORMAT) == PyBUF_FORMAT) {
        format = syc_py_dtype_format(syc_state_of(exporter), exporter->dtype);
        if (format == NULL)
            return -1;
    }
    *view = (Py_buffer){.buf = data,
                        .obj = Py_NewRef((PyObject *)exporter),
                        .len = (Py_ssize_t)(syc_py_region_count(exporter) * exporter->item),
                        .readonly = !writable,
                        .itemsize = (Py_ssize_t)exporter->item,
                        .format = (char *)format,
                        .ndim = (int)exporter->rank};
    view->shape = (flags & PyBUF_ND) == PyBUF_ND ? (Py_ssize_t *)exporter->range : NULL;
    view->strides = wants_strides ? exporter->strides : NULL;
    if (view->shape == NULL)
        view->ndim = 1;
    return 0;
}

PyObject *syc_py_region_get(PyObject *self, void *what)
{
    const AccessorObject *a = (AccessorObject *)self;
    switch ((enum syc_py_region_what)(uintptr_t)what) {
    case SYC_PY_REGION_RANGE:
        return syc_py_sizes_tuple(a->range, a->rank);
    case SYC_PY_REGION_OFFSET:
        return syc_py_sizes_tuple(a->offset, a->rank);
    case SYC_PY_REGION_BUFFER_SHAPE:
        return syc_py_sizes_tuple(a->shape, a->rank);
    case SYC_PY_REGION_SIZE:
        return PyLong_FromSize_t(syc_py_region_count(a));
    case SYC_PY_REGION_BYTES:
        return PyLong_FromSize_t(syc_py_region_count(a) * a->item);
    case SYC_PY_REGION_DTYPE:
        return Py_NewRef(a->dtype != NULL ? a->dtype : Py_None);
    case SYC_PY_REGION_MODE:
        return PyLong_FromLong(a->mode);
    case SYC_PY_REGION_NO_INIT:
        return PyBool_FromLong(a->no_init);
    case SYC_PY_REGION_NULL:
        return PyBool_FromLong(a->core == NULL);
    }
    Py_RETURN_NONE;
}

syc_need syc_py_accessor_need(const AccessorObject *a)
{
    bool whole = !syc_py_region_is_part(a);
    return (syc_need){.buffer = a->core,
                      .low = a->low,
                      .bytes = a->bytes,
                      .write = a->mode != SYC_PY_READ,
                      .keep = !(a->no_init && whole),
                      .at_host = a->target == SYC_PY_HOST_TASK};
}
