/* The arguments of a body's kernel: the user's, whose types are known to fit, and the hidden ones behind them. */
#include "python/body/reductions.h"

#include "python/launch/checked.h"
#include "python/launch/conversion.h"
#include "python/launch/launch.h"
#include "python/number.h"
#include "python/types/stream.h"

#define REFUSE(c, ...) syc_py_body_refuse((c)->body, SYC_E_KERNEL_ARGUMENT, (c)->index, __VA_ARGS__)

/* -- Python's numbers -- */

/* A float beside arrays that are too narrow for it: NumPy's scalar of it brings its type. */
static int refuse_number(const struct syc_py_conversion *c, PyObject *value, syc_dtype type)
{
    char words[160];
    PyObject *repr = PyObject_Repr(value);
    const char *text = repr != NULL ? PyUnicode_AsUTF8(repr) : NULL;

    PyErr_Clear();
    snprintf(words, sizeof words, "is out of range for %s, the type that it takes here; pass numpy.%s(%.60s)",
             syc_dtype_name(type), PyComplex_Check(value) ? "complex128" : "float64", text != NULL ? text : "...");
    Py_XDECREF(repr);
    return syc_py_body_refuse_number(c->body, c->index, words);
}

static int convert_number(const struct syc_py_conversion *c, PyObject *value, syc_dtype type, void *place)
{
    switch (syc_number_convert(value, type, place)) {
    case SYC_NUMBER_OK:
        return 0;
    case SYC_NUMBER_RAISED:
        return -1;
    default:
        return refuse_number(c, value, type);
    }
}

static int convert_complex(const struct syc_py_conversion *c, PyObject *value, syc_dtype type, void *place)
{
    syc_number_fit fit = syc_number_convert_complex(value, type, place);
    return fit == SYC_NUMBER_OK ? 0 : fit == SYC_NUMBER_RAISED ? -1 : refuse_number(c, value, type);
}

static int convert_weak(struct syc_py_conversion *c, PyObject *value, const syc_py_slot *slot, syc_argument *out)
{
    bool complex = slot->class.origin == SYC_PY_WEAK_COMPLEX;
    size_t size = syc_dtype_size(slot->type) * (complex ? 2 : 1);
    void *place = syc_py_conversion_reserve(c, size);
    *out = (syc_argument){.kind = SYC_ARGUMENT_VALUE, .size = size, .value = place};
    return complex ? convert_complex(c, value, slot->type, place) : convert_number(c, value, slot->type, place);
}

/* -- memory -- */

static int convert_memory(struct syc_py_conversion *c, PyObject *value, const syc_py_slot *slot, Py_buffer *view,
                          syc_argument *out)
{
    int done = view != NULL ? syc_py_convert_view(c, view, out) : syc_py_convert_memory(c, value, out);
    if (done < 0)
        return -1;
    if (out->kind == SYC_ARGUMENT_SPAN && out->span.alignment < slot->alignment)
        out->span.alignment = slot->alignment;
    if (out->kind == SYC_ARGUMENT_BUFFER && out->buffer.alignment < slot->alignment)
        out->buffer.alignment = slot->alignment;
    return 0;
}

static int convert(struct syc_py_conversion *c, PyObject *value, const syc_py_slot *slot, Py_buffer *view,
                   syc_argument *out)
{
    switch ((syc_py_origin)slot->class.origin) {
    case SYC_PY_SCALAR:
        *out = (syc_argument){.kind = SYC_ARGUMENT_VALUE, .size = (size_t)view->len, .value = view->buf};
        return 0;
    case SYC_PY_MEMORY:
        return convert_memory(c, value, slot, view, out);
    case SYC_PY_LOCAL:
        return syc_py_convert_local(c, value, out);
    case SYC_PY_IMAGE:
    case SYC_PY_SAMPLER:
        return syc_py_convert_opaque(c, value, out);
    case SYC_PY_STREAM:
        return syc_py_convert_stream(c, value, out);
    case SYC_PY_REDUCER:
        if (syc_py_reduce_memory(value) == Py_None)
            return syc_py_convert_null(out);
        return convert_memory(c, syc_py_reduce_memory(value), slot, view, out);
    default:
        return convert_weak(c, value, slot, out);
    }
}

/* -- the hidden ones -- */

static int add_one_hidden(struct syc_py_conversion *c, const syc_py_body_use *use, const syc_py_launch *launch,
                          size_t index, syc_argument *out)
{
    uint64_t value;
    void *place;
    switch (use->lowered->hidden[index].kind) {
    case SYC_HIDDEN_FAULTS:
        return syc_py_check_argument(c->scope, use->special->core, out);
    case SYC_HIDDEN_IDENTITY:
    case SYC_HIDDEN_INITIAL:
    case SYC_HIDDEN_PARTIALS:
    case SYC_HIDDEN_ROOM:
    case SYC_HIDDEN_SHARED:
    case SYC_HIDDEN_PLACE:
    case SYC_HIDDEN_STEP:
        return syc_py_reduce_argument(c, use, launch, index, out);
    default:
        if (!syc_py_given_size(use->given, &use->lowered->hidden[index], &value))
            value = syc_lower_value(&launch->lowering, &launch->geometry, &use->lowered->hidden[index]);
        place = syc_py_conversion_reserve(c, sizeof value);
        memcpy(place, &value, sizeof value);
        *out = (syc_argument){.kind = SYC_ARGUMENT_VALUE, .size = sizeof value, .value = place};
        return 0;
    }
}

int syc_py_body_hidden(struct syc_py_conversion *c, const syc_py_body_use *use, const syc_py_launch *launch)
{
    for (size_t i = 0; i < use->lowered->hidden_count; i++)
        if (add_one_hidden(c, use, launch, i, &c->out->items[use->call.count + (Py_ssize_t)i]) < 0)
            return -1;
    return 0;
}

int syc_py_body_arguments(const syc_py_scope *scope, const syc_py_body_use *use, const syc_py_launch *launch,
                          syc_py_arguments *out)
{
    const syc_signature *kernel = &syc_program_signatures(use->lowered->program)->items[0];
    struct syc_py_conversion c = {.scope = scope,
                                  .kernel = kernel,
                                  .given = use->call.values,
                                  .count = use->call.count,
                                  .index = -1,
                                  .out = out,
                                  .body = &use->call};

    if (syc_py_conversion_room(&c) < 0)
        return -1;
    for (c.index = 0; c.index < c.count; c.index++) {
        if (convert(&c, c.given[c.index], &use->special->slots[c.index], use->given[c.index].view,
                    &out->items[c.index]) < 0) {
            syc_py_arguments_clear(out);
            return -1;
        }
    }
    if (syc_py_reduce_check(&c, use, launch) == 0 && syc_py_body_hidden(&c, use, launch) == 0)
        return 0;
    syc_py_arguments_clear(out);
    return -1;
}
