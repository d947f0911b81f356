/* Accessors, buffers, unified shared memory, images and samplers as kernel arguments. */
#include "memory/sampler.h"
#include "python/launch/conversion.h"
#include "python/memory/operand.h"
#include "python/types/handler.h"
#include "schedule/queue.h"

/* The argument for no bytes at all: OpenCL has no empty buffer, so it stands for one that nobody reads. */
static void give_nothing(syc_argument *out)
{
    *out = (syc_argument){.kind = SYC_ARGUMENT_SPAN, .span = {.alignment = 1, .packed = true, .item_size = 1}};
}

/* For what has no memory at all. */
int syc_py_convert_null(syc_argument *out)
{
    *out = (syc_argument){.kind = SYC_ARGUMENT_POINTER, .pointer = NULL};
    return 0;
}

static int give_need(struct syc_py_conversion *c, const syc_need *need, size_t element, syc_argument *out)
{
    const syc_param *p = syc_py_param(c);
    size_t index;
    if (syc_py_task_need(c->scope->state, c->scope->task, need, &index) < 0)
        return -1;
    *out =
        (syc_argument){.kind = SYC_ARGUMENT_BUFFER,
                       .size = need->bytes,
                       .element = element,
                       .buffer = {.need = index, .low = need->low, .alignment = p->alignment > 0 ? p->alignment : 1}};
    return 0;
}

static int check_type(const struct syc_py_conversion *c, const char *noun, PyObject *dtype, size_t item, size_t bytes)
{
    struct syc_py_elements elements = {noun, NULL, (Py_ssize_t)item, (Py_ssize_t)bytes};
    elements.format = syc_py_dtype_format(c->scope->state, dtype);
    return elements.format != NULL ? syc_py_conversion_check(c, &elements) : -1;
}

static int check_group(const struct syc_py_conversion *c, const AccessorObject *a)
{
    const char *why = syc_py_accessor_refusal(c->scope->handler, a);
    return why == NULL ? 0 : syc_py_conversion_refuse_as(c, SYC_E_ACCESSOR, "%s", why);
}

static bool is_image(const syc_buffer *buffer)
{
    return buffer != NULL && buffer->image.rank > 0;
}

static int convert_accessor(struct syc_py_conversion *c, AccessorObject *a, syc_argument *out)
{
    const syc_param *p = syc_py_param(c);
    syc_need need;

    if (a->dtype != NULL && a->core != NULL && !is_image(a->core) &&
        check_type(c, "an accessor", a->dtype, a->item, a->bytes) < 0)
        return -1;
    if (is_image(a->core))
        return syc_py_conversion_refuse(c, "is an accessor of an image, not of a buffer");
    if (a->target == SYC_PY_HOST_TASK)
        return syc_py_conversion_refuse(
            c, "is an accessor for host tasks (target host_task), and a kernel runs on the device");
    if (a->core != NULL && a->mode == SYC_PY_READ && syc_py_param_writes(p))
        return syc_py_conversion_refuse(c,
                                        "is an accessor of mode read, and the kernel may write through '%s': declare "
                                        "it const or ask for read_write",
                                        p->text);
    if (a->core != NULL && check_group(c, a) < 0)
        return -1;
    if (a->core == NULL)
        return syc_py_convert_null(out);
    if (a->bytes == 0) {
        give_nothing(out);
        return 0;
    }
    need = syc_py_accessor_need(a);
    return give_need(c, &need, a->item, out);
}

/* A buffer itself stands for an accessor of all of it: reading for what the kernel declares const, else read_write. */
static int convert_buffer(struct syc_py_conversion *c, BufferObject *b, syc_argument *out)
{
    const syc_param *p = syc_py_param(c);
    bool write = syc_py_param_writes(p);
    syc_need need;

    if (b->core == NULL)
        return syc_py_conversion_refuse(c, "is a buffer that has been closed");
    if (is_image(b->core))
        return syc_py_conversion_refuse(c, "is an image, not a buffer");
    if (check_type(c, "a buffer", b->dtype, b->item, b->bytes) < 0)
        return -1;
    if (write && b->read_only)
        return syc_py_conversion_refuse(c,
                                        "is a read-only buffer, and the kernel may write through '%s': declare it "
                                        "const or pass another buffer",
                                        p->text);
    if (b->bytes == 0) {
        give_nothing(out);
        return 0;
    }
    if (syc_py_task_hold_buffer(c->scope->queue, c->scope->task, b) < 0)
        return -1;
    need = syc_py_buffer_need(b, write, true);
    return give_need(c, &need, b->item, out);
}

static size_t usm_bytes(const UsmObject *u)
{
    size_t bytes = u->item;
    for (int d = 0; d < u->rank; d++)
        bytes *= (size_t)u->shape[d];
    return bytes;
}

static int convert_usm(struct syc_py_conversion *c, UsmObject *u, syc_argument *out)
{
    if (u->core == NULL || atomic_load(&u->core->freed))
        return syc_py_conversion_refuse(c, "is a UsmArray whose memory has been freed");
    if (u->core->context != syc_queue_context(c->scope->queue->core))
        return syc_py_conversion_refuse(c, "is a UsmArray of another context than the queue's");
    if (check_type(c, "a UsmArray", u->dtype, u->item, usm_bytes(u)) < 0)
        return -1;
    if (!syc_py_usm_is_packed(u))
        return syc_py_conversion_refuse(c, "is a UsmArray with gaps between its elements; a kernel gets the address of "
                                           "the first one only: pass a contiguous array");
    if (syc_py_task_allocation(c->scope->task, u->core) < 0)
        return -1;
    *out = (syc_argument){.kind = SYC_ARGUMENT_POINTER, .size = usm_bytes(u), .element = u->item, .pointer = u->data};
    return 0;
}

int syc_py_convert_memory(struct syc_py_conversion *c, PyObject *value, syc_argument *out)
{
    syc_state *state = c->scope->state;
    int failed;
    if (syc_py_is_accessor(state, value))
        failed = convert_accessor(c, (AccessorObject *)value, out);
    else if (syc_py_is_buffer(state, value))
        failed = convert_buffer(c, (BufferObject *)value, out);
    else if (syc_py_is_usm(state, value))
        failed = convert_usm(c, (UsmObject *)value, out);
    else if (value == Py_None && c->body == NULL && c->label == NULL) /* a program's pointer, not a replay's new one */
        failed = syc_py_convert_null(out);
    else
        return 0;
    return failed < 0 ? -1 : 1;
}

/* -- images and samplers -- */

static unsigned rank_of(const char *type)
{
    static const char *const types[] = {"image1d_t", "image2d_t", "image3d_t"};
    for (unsigned i = 0; i < Py_ARRAY_LENGTH(types); i++) {
        if (strcmp(type, types[i]) == 0)
            return i + 1;
    }
    return 0;
}

static int check_image(const struct syc_py_conversion *c, const syc_buffer *image, bool reads, bool writes)
{
    const syc_param *p = syc_py_param(c);
    unsigned rank = rank_of(p->struct_name);
    if (!is_image(image))
        return syc_py_conversion_refuse(c, "is memory of a buffer, not an image for '%s'", p->struct_name);
    if (image->image.rank != rank)
        return syc_py_conversion_refuse(c, "is an image of %u dimension%s, not of the %u of '%s'", image->image.rank,
                                        image->image.rank == 1 ? "" : "s", rank, p->struct_name);
    if (!writes && p->access != SYC_IMAGE_READ)
        return syc_py_conversion_refuse(c, "may be read only, and the kernel may write to '%s'", p->text);
    if (!reads && p->access != SYC_IMAGE_WRITE)
        return syc_py_conversion_refuse(c, "is an accessor of mode write, and the kernel may read from '%s'", p->text);
    return 0;
}

static int convert_image(struct syc_py_conversion *c, PyObject *value, syc_argument *out)
{
    syc_state *state = c->scope->state;
    const syc_param *p = syc_py_param(c);
    syc_need need;

    if (syc_py_is_accessor(state, value)) {
        const AccessorObject *a = (AccessorObject *)value;
        if (check_image(c, a->core, a->mode != SYC_PY_WRITE, a->mode != SYC_PY_READ) < 0 || check_group(c, a) < 0)
            return -1;
        if (a->target == SYC_PY_HOST_TASK)
            return syc_py_conversion_refuse(
                c, "is an accessor for host tasks (target host_task), and a kernel runs on the device");
        need = syc_py_accessor_need(a);
    } else if (syc_py_is_buffer(state, value)) {
        const BufferObject *b = (BufferObject *)value;
        if (b->core == NULL)
            return syc_py_conversion_refuse(c, "is an image that has been closed");
        if (check_image(c, b->core, true, !b->read_only) < 0)
            return -1;
        need = syc_py_buffer_need(b, p->access != SYC_IMAGE_READ, true);
    } else {
        return syc_py_conversion_refuse(c, "is a %s, not an image for '%s'", Py_TYPE(value)->tp_name, p->struct_name);
    }
    return give_need(c, &need, 0, out);
}

static int convert_sampler(struct syc_py_conversion *c, PyObject *value, syc_argument *out)
{
    if (!PyObject_TypeCheck(value, c->scope->state->base[SYC_FACE_SAMPLER]))
        return syc_py_conversion_refuse(c, "is a %s, not a Sampler", Py_TYPE(value)->tp_name);
    if (syc_py_task_hold(c->scope->task, value) < 0)
        return -1;
    *out = (syc_argument){.kind = SYC_ARGUMENT_SAMPLER, .sampler = ((SamplerObject *)value)->core};
    return 0;
}

int syc_py_convert_opaque(struct syc_py_conversion *c, PyObject *value, syc_argument *out)
{
    const syc_param *p = syc_py_param(c);
    if (p->struct_name != NULL && strcmp(p->struct_name, "sampler_t") == 0)
        return convert_sampler(c, value, out);
    if (p->struct_name != NULL && rank_of(p->struct_name) > 0)
        return convert_image(c, value, out);
    return syc_py_conversion_refuse(c, "cannot be given: the kernel wants '%s', for which there is no Python object",
                                    p->struct_name != NULL ? p->struct_name : p->text);
}
