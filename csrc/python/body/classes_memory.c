/* The classes of pysycl's own objects as a body's arguments: accessors, buffers, unified shared and local memory,
 * images, samplers and streams. */
#include "python/body/asked.h"
#include "python/memory/region.h"

answer syc__asked_memory(const struct asked *a, bool readable, bool writable)
{
    a->out->class.origin = SYC_PY_MEMORY;
    a->out->class.readable = readable;
    a->out->class.writable = writable;
    return DONE;
}

static answer image(const struct asked *a, const syc_buffer *core, bool readable, bool writable)
{
    syc__asked_memory(a, readable, writable);
    a->out->class.origin = SYC_PY_IMAGE;
    a->out->class.type = SYC_OPAQUE;
    a->out->class.rank = (uint8_t)core->image.rank;
    return DONE;
}

/* NULL: bytes, none of them there. */
static answer nothing(const struct asked *a)
{
    syc__asked_memory(a, true, true);
    syc__asked_shape(a, NULL, 0, 0);
    a->out->class.type = SYC_UCHAR;
    a->out->class.boolean = true;
    return DONE;
}

void syc_py_given_accessor(const AccessorObject *accessor, syc_py_given *out)
{
    out->class.rank = (uint8_t)accessor->rank;
    out->class.ranged = syc_py_region_is_part(accessor);
    out->first = syc_py_region_first(accessor);
    memcpy(out->shape, accessor->range, sizeof out->shape);
    memcpy(out->whole, accessor->shape, sizeof out->whole);
}

answer syc__asked_accessor(const struct asked *a)
{
    const AccessorObject *self = (AccessorObject *)a->value;
    if (!syc_py_is_accessor(a->call->state, a->value))
        return NOT_MINE;
    if (self->core == NULL)
        return nothing(a);
    if (self->core->image.rank > 0)
        return image(a, self->core, self->mode != SYC_PY_WRITE, self->mode != SYC_PY_READ);
    syc__asked_memory(a, self->mode != SYC_PY_WRITE, self->mode != SYC_PY_READ);
    syc__asked_shape(a, self->range, (int)self->rank, syc_py_region_count(self));
    syc_py_given_accessor(self, a->out);
    return done(syc__asked_dtype(a, self->dtype, self->item));
}

answer syc__asked_buffer(const struct asked *a)
{
    const BufferObject *self = (BufferObject *)a->value;
    if (!syc_py_is_buffer(a->call->state, a->value))
        return NOT_MINE;
    if (self->core == NULL)
        return done(REFUSE(a, "is a buffer that has been closed"));
    if (self->core->image.rank > 0)
        return image(a, self->core, true, !self->read_only);
    syc__asked_memory(a, true, !self->read_only);
    syc__asked_shape(a, self->shape, (int)self->rank, self->item > 0 ? self->bytes / self->item : 0);
    return done(syc__asked_dtype(a, self->dtype, self->item));
}

answer syc__asked_usm(const struct asked *a)
{
    const UsmObject *self = (UsmObject *)a->value;
    size_t elements = 1;
    if (!syc_py_is_usm(a->call->state, a->value))
        return NOT_MINE;
    for (int d = 0; d < self->rank; d++)
        elements *= (size_t)self->shape[d];
    syc__asked_memory(a, true, true);
    syc__asked_shape(a, (const size_t *)self->shape, self->rank, elements);
    return done(syc__asked_dtype(a, self->dtype, self->item));
}

static int take_local_shape(const struct asked *a, PyObject *shape)
{
    size_t sizes[3] = {1, 1, 1};
    Py_ssize_t rank = PyTuple_GET_SIZE(shape);
    for (Py_ssize_t d = 0; d < rank && d < 3; d++) {
        sizes[d] = PyLong_AsSize_t(PyTuple_GET_ITEM(shape, d));
        if (sizes[d] == (size_t)-1 && PyErr_Occurred())
            return -1;
    }
    syc__asked_shape(a, sizes, (int)rank, 1);
    return 0;
}

answer syc__asked_local(const struct asked *a)
{
    PyObject *dtype;
    size_t item;

    if (!syc_py_is(a->call->state, SYC_FACE_LOCAL, a->value))
        return NOT_MINE;
    if (PyTuple_GET_SIZE(a->value) != 5 || !PyLong_Check(PyTuple_GET_ITEM(a->value, 2)) ||
        !PyTuple_Check(PyTuple_GET_ITEM(a->value, 3)))
        return done(REFUSE(a, "was not made by pysycl.local(shape, dtype)"));
    syc__asked_memory(a, true, true);
    a->out->class.origin = SYC_PY_LOCAL;
    item = PyLong_AsSize_t(PyTuple_GET_ITEM(a->value, 2));
    dtype = PyTuple_GET_ITEM(a->value, 4);
    if ((item == (size_t)-1 && PyErr_Occurred()) || take_local_shape(a, PyTuple_GET_ITEM(a->value, 3)) < 0)
        return FAILED;
    return done(syc__asked_dtype(a, dtype, item));
}

answer syc__asked_sampler(const struct asked *a)
{
    if (!PyObject_TypeCheck(a->value, a->call->state->base[SYC_FACE_SAMPLER]))
        return NOT_MINE;
    a->out->class.origin = SYC_PY_SAMPLER;
    a->out->class.type = SYC_OPAQUE;
    return DONE;
}

answer syc__asked_stream(const struct asked *a)
{
    if (!PyObject_TypeCheck(a->value, a->call->state->base[SYC_FACE_STREAM]))
        return NOT_MINE;
    a->out->class.origin = SYC_PY_STREAM;
    a->out->class.type = SYC_OPAQUE;
    return DONE;
}
