/* Operands of copies and fills. */
#include "python/memory/operand.h"

#include "python/memory/host_memory.h"
#include "python/memory/region.h"
#include "python/types/handler.h"
#include "schedule/queue.h"

/* -- accessors and buffers -- */

/* The accessor must be of this very command group. */
int syc_py_operand_check_group(const syc_py_scope *scope, const syc_py_role *role, const AccessorObject *a)
{
    const char *why = NULL;
    if (a->target == SYC_PY_HOST_TASK)
        why = "an accessor for host tasks (target host_task), and copies and fills are the device's work";
    else if (a->placeholder && scope->handler != NULL && !syc_py_handler_has(scope->handler, a))
        why = "a placeholder that the command group has not required: call handler.require(accessor) first";
    else if (!a->placeholder && a->handler == NULL)
        why = "an accessor whose command group has ended: make one in each group";
    else if (!a->placeholder && a->handler != scope->handler)
        why = "an accessor of another command group";
    if (why == NULL)
        return 0;
    syc_py_refuse(scope->state, SYC_E_ACCESSOR, "%s: %s is %s", role->call, role->name, why);
    return -1;
}

static int check_mode(const syc_py_scope *scope, const syc_py_role *role, const AccessorObject *a)
{
    if (a->mode != (role->writes ? SYC_PY_READ : SYC_PY_WRITE))
        return 0;
    syc_py_refuse(scope->state, SYC_E_ACCESSOR, "%s: %s is an accessor of mode %s, which cannot be %s", role->call,
                  role->name, role->writes ? "read" : "write",
                  role->writes ? "written: ask for write or read_write" : "read: ask for read or read_write");
    return -1;
}

/* An image is bytes of pixels, all of them, whatever pitches it has. */
static syc_box image_box(const syc_image_shape *image)
{
    return (syc_box){.extent = {image->extent[0] * image->pixel, image->extent[1], image->extent[2]},
                     .pitch = {image->row_pitch, image->slice_pitch}};
}

static int add_need(const syc_py_scope *scope, const syc_need *need, syc_py_operand *out)
{
    if (need->buffer->image.rank > 0) {
        out->image = &need->buffer->image;
        out->noun = "an image";
        out->side.box = image_box(out->image);
        out->format = "B";
        out->item = 1;
    }
    out->side.kind = SYC_SIDE_BUFFER;
    out->side.bytes = syc_box_bytes(&out->side.box);
    return need->bytes > 0 ? syc_py_task_need(scope->state, scope->task, need, &out->side.need) : 0;
}

static int take_accessor(const syc_py_scope *scope, const syc_py_role *role, AccessorObject *a, syc_py_operand *out)
{
    syc_need need;

    out->noun = "an accessor";
    out->ranged = true;
    out->rank = a->rank;
    memcpy(out->shape, a->range, sizeof out->shape);
    if (a->core == NULL) { /* an empty one */
        out->format = "B";
        out->item = 1;
        out->rank = 1;
        out->side = (syc_side){.kind = SYC_SIDE_BUFFER};
        return 0;
    }
    out->dtype = a->dtype;
    out->item = a->item;
    out->format = syc_py_dtype_format(scope->state, a->dtype);
    if (out->format == NULL || syc_py_operand_check_group(scope, role, a) < 0 || check_mode(scope, role, a) < 0)
        return -1;
    need = syc_py_accessor_need(a);
    out->side.box = syc_py_accessor_box(a);
    return add_need(scope, &need, out);
}

static int take_buffer(const syc_py_scope *scope, const syc_py_role *role, BufferObject *b, syc_py_operand *out)
{
    syc_need need;

    out->noun = "a buffer";
    out->ranged = true;
    out->rank = b->rank;
    memcpy(out->shape, b->shape, sizeof out->shape);
    if (b->core == NULL) {
        syc_py_refuse(scope->state, SYC_E_INVALID_OBJECT, "%s: %s is a buffer that has been closed", role->call,
                      role->name);
        return -1;
    }
    if (role->writes && b->read_only) {
        syc_py_refuse(scope->state, SYC_E_ACCESSOR, "%s: %s is a read-only buffer", role->call, role->name);
        return -1;
    }
    out->dtype = b->dtype;
    out->item = b->item;
    out->format = syc_py_dtype_format(scope->state, b->dtype);
    if (out->format == NULL)
        return -1;
    if (syc_py_task_hold_buffer(scope->queue, scope->task, b) < 0)
        return -1;
    need = syc_py_buffer_need(b, role->writes, !role->writes); /* a destination is written from end to end */
    out->side.box = syc_box_run(b->low, b->bytes);
    return add_need(scope, &need, out);
}

/* -- unified shared memory -- */

bool syc_py_usm_is_packed(const UsmObject *u)
{
    Py_ssize_t step = (Py_ssize_t)u->item;
    for (int d = u->rank - 1; d >= 0; d--) {
        if (u->shape[d] == 0)
            return true;
        if (u->shape[d] != 1 && u->strides[d] != step)
            return false;
        step *= u->shape[d];
    }
    return true;
}

static int take_usm(const syc_py_scope *scope, const syc_py_role *role, UsmObject *u, syc_py_operand *out)
{
    const char *why = NULL;

    out->noun = "a UsmArray";
    out->dtype = u->dtype;
    out->item = u->item;
    if (u->core == NULL || atomic_load(&u->core->freed))
        why = "a UsmArray whose memory has been freed";
    else if (u->core->context != syc_queue_context(scope->queue->core))
        why = "a UsmArray of another context than the queue's";
    else if (!syc_py_usm_is_packed(u))
        why = "a UsmArray with gaps between its elements: pass a contiguous one";
    if (why != NULL) {
        syc_py_refuse(scope->state, SYC_E_INVALID_PARAMETER, "%s: %s is %s", role->call, role->name, why);
        return -1;
    }
    out->format = syc_py_dtype_format(scope->state, u->dtype);
    if (out->format == NULL || syc_py_task_allocation(scope->task, u->core) < 0)
        return -1;
    out->side = (syc_side){.kind = SYC_SIDE_POINTER, .pointer = u->data, .bytes = u->item};
    for (int d = 0; d < u->rank; d++)
        out->side.bytes *= (size_t)u->shape[d];
    return 0;
}

/* -- arrays -- */

/* Elements written twice would keep one of two values. */
static bool repeats_elements(const Py_buffer *view)
{
    for (int d = 0; d < view->ndim; d++) {
        if (view->strides != NULL && view->shape[d] > 1 && view->strides[d] == 0)
            return view->len > 0;
    }
    return false;
}

/* References: what is written there would be taken for objects. In a format the names of fields stand between colons.
 */
static bool holds_objects(const char *format)
{
    bool in_name = false;
    for (; *format != '\0'; format++) {
        in_name ^= *format == ':';
        if (!in_name && *format == 'O')
            return true;
    }
    return false;
}

static int take_array(const syc_py_scope *scope, const syc_py_role *role, PyObject *value, syc_py_operand *out)
{
    syc_pins *pins = scope->task->pins;
    Py_buffer *view = &pins->views[pins->count];
    char what[40];

    out->noun = "an array";
    PyOS_snprintf(what, sizeof what, "%s: %s", role->call, role->name);
    if (syc_py_host_memory_pin(scope->state, value, what,
                               PyBUF_STRIDES | PyBUF_FORMAT | (role->writes ? PyBUF_WRITABLE : 0), view) < 0)
        return -1;
    pins->count++;
    if (view->ndim > SYC_MAX_RANK || (role->writes && repeats_elements(view))) {
        syc_py_invalid(scope->state, "%s is an array %s", what,
                       view->ndim > SYC_MAX_RANK ? "of too many dimensions"
                                                 : "whose elements share memory, and it is to be written: pass a copy");
        return -1;
    }
    out->format = view->format != NULL ? view->format : "B";
    if (holds_objects(out->format)) {
        syc_py_invalid(scope->state, "%s is an array of Python objects, whose addresses mean nothing as data", what);
        return -1;
    }
    scope->task->core.arrays = true;
    out->item = view->itemsize > 0 ? (size_t)view->itemsize : 1;
    out->side =
        (syc_side){.kind = SYC_SIDE_ARRAY, .array = syc_py_host_memory_span(view, 1), .bytes = (size_t)view->len};
    return 0;
}

/* -- all -- */

static bool is_number(PyObject *value)
{
    return PyLong_Check(value) || PyFloat_Check(value) || value == Py_None;
}

int syc_py_operand_take(const syc_py_scope *scope, const syc_py_role *role, PyObject *value, syc_py_operand *out)
{
    static const char *const words[] = {"nothing",
                                        "an accessor or Buffer",
                                        "an array",
                                        "an accessor, Buffer or array",
                                        "a UsmArray",
                                        "an accessor, Buffer or UsmArray",
                                        "a UsmArray or an array",
                                        "an accessor, Buffer, UsmArray or array"};
    syc_state *state = scope->state;
    bool host = PyObject_TypeCheck(value, state->base[SYC_FACE_HOST_ACCESSOR]); /* an array, while it lasts */

    memset(out, 0, sizeof *out);
    if (role->takes & SYC_PY_TAKES_ACCESSOR && !host && syc_py_is_accessor(state, value))
        return take_accessor(scope, role, (AccessorObject *)value, out);
    if (role->takes & SYC_PY_TAKES_ACCESSOR && syc_py_is_buffer(state, value))
        return take_buffer(scope, role, (BufferObject *)value, out);
    if (role->takes & SYC_PY_TAKES_USM && syc_py_is_usm(state, value))
        return take_usm(scope, role, (UsmObject *)value, out);
    if (role->takes & SYC_PY_TAKES_ARRAY && !is_number(value) && (host || !syc_py_is_accessor(state, value)) &&
        !syc_py_is_buffer(state, value))
        return take_array(scope, role, value, out);
    syc_py_invalid(state, "%s: %s is of type %s; expected %s%s", role->call, role->name, Py_TYPE(value)->tp_name,
                   words[role->takes],
                   PyLong_Check(value) ? ": memory is passed as the object that owns it, not by address" : "");
    return -1;
}
