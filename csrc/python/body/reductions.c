/* The hidden arguments of a kernel with reducers: identities, and memory for partial results. */
#include "python/body/reductions.h"

#include "algo/lower/room.h"
#include "body/name.h"
#include "body/partials.h"
#include "python/launch/launch.h"
#include "schedule/queue.h"

/* Pieces of memory for partial results are laid out in lines of a cache. */
enum { APART = 128 };
/* Copies of arrays take no more than this: over an nd-range nobody but the user says how many work-items there are. */
enum { MOST_COPIES = 1 << 30 };

static const syc_name *name_of(const syc_py_body_use *use, Py_ssize_t index)
{
    return &use->names[index];
}

static bool is_reducer(const syc_py_body_use *use, Py_ssize_t index)
{
    return use->given[index].class.origin == SYC_PY_REDUCER;
}

static bool is_span(const syc_py_body_use *use, Py_ssize_t index)
{
    return is_reducer(use, index) && name_of(use, index)->reducer.array;
}

static uint64_t length_of(const syc_py_body_use *use, Py_ssize_t index)
{
    const syc_py_given *given = &use->given[index];
    uint64_t length = 1;
    for (unsigned d = 0; d < given->class.rank; d++)
        length *= given->shape[d];
    return length;
}

void syc_py_reduce_sizes(const syc_py_body_use *use, syc_span_sizes *out)
{
    unsigned count = 0;
    out->local_bytes = 0;
    for (Py_ssize_t i = 0; i < use->call.count; i++) {
        for (unsigned d = 0; is_span(use, i) && d < 3; d++)
            out->ranges[count][d] = d < use->given[i].class.rank ? use->given[i].shape[d] : 1;
        if (is_span(use, i))
            out->lengths[count++] = length_of(use, i);
        if (use->given[i].class.origin == SYC_PY_LOCAL)
            out->local_bytes += length_of(use, i) * name_of(use, i)->size;
    }
}

PyObject *syc_py_reduce_memory(PyObject *reduction)
{
    return PyTuple_GET_ITEM(reduction, SYC_PY_REDUCTION_MEMORY);
}

/* -- variables -- */

static bool overlap(uintptr_t a, size_t a_bytes, uintptr_t b, size_t b_bytes)
{
    return a < b + b_bytes && b < a + a_bytes;
}

/* Where the memory is on the host: 0, nobody knows. A buffer's is the array that it was made of. */
static uintptr_t address_of(const struct syc_py_conversion *c, const syc_argument *a, size_t *bytes)
{
    const syc_buffer *buffer;
    *bytes = a->kind == SYC_ARGUMENT_SPAN ? a->span.bytes : a->size;
    if (a->kind == SYC_ARGUMENT_POINTER)
        return (uintptr_t)a->pointer;
    if (a->kind == SYC_ARGUMENT_SPAN)
        return a->span.packed ? (uintptr_t)a->span.data : 0;
    if (a->kind != SYC_ARGUMENT_BUFFER)
        return 0;
    buffer = c->scope->task->needs[a->buffer.need].buffer;
    if (buffer->host_is_users)
        return (uintptr_t)buffer->host + a->buffer.low;
    return buffer->origin.bytes > 0 && buffer->origin.packed ? (uintptr_t)buffer->origin.data + a->buffer.low : 0;
}

/* The same memory, as far as the arguments tell. */
static bool is_same(const struct syc_py_conversion *c, const syc_argument *a, const syc_argument *b)
{
    const syc_need *needs = c->scope->task->needs;
    size_t a_bytes, b_bytes;
    uintptr_t a_at = address_of(c, a, &a_bytes), b_at = address_of(c, b, &b_bytes);
    if (a->kind == SYC_ARGUMENT_BUFFER && b->kind == SYC_ARGUMENT_BUFFER &&
        needs[a->buffer.need].buffer == needs[b->buffer.need].buffer)
        return overlap(a->buffer.low, a->size, b->buffer.low, b->size);
    return a_at != 0 && b_at != 0 && overlap(a_at, a_bytes, b_at, b_bytes);
}

/* A reducer of some dimensions has as many variables as there are results. */
static int check_results(const syc_py_body_use *use, const syc_py_launch *launch, Py_ssize_t index)
{
    const syc_reducer *reducer = &name_of(use, index)->reducer;
    unsigned long long there = use->given[index].shape[0], wanted = launch->lowering.results;
    if ((reducer->reduced == 0 && !reducer->scanner) || there == wanted ||
        syc_py_reduce_memory(use->call.values[index]) == Py_None)
        return 0;
    if (reducer->scanner)
        return syc_py_body_refuse(&use->call, SYC_E_INVALID_PARAMETER, index,
                                  "has %llu totals, and the range has %llu lines to be scanned", there, wanted);
    return syc_py_body_refuse(&use->call, SYC_E_INVALID_PARAMETER, index,
                              "has %llu variables, and the range asks for %llu", there, wanted);
}

int syc_py_reduce_check(const struct syc_py_conversion *c, const syc_py_body_use *use, const syc_py_launch *launch)
{
    for (Py_ssize_t i = 0; i < use->call.count; i++) {
        if (is_reducer(use, i) && check_results(use, launch, i) < 0)
            return -1;
        for (Py_ssize_t k = 0; is_reducer(use, i) && k < use->call.count; k++) {
            const char *other = PyUnicode_AsUTF8(use->call.names[k]);
            if (other == NULL)
                return -1;
            if (k == i || !is_same(c, &c->out->items[i], &c->out->items[k]))
                continue;
            return syc_py_body_refuse(
                &use->call, SYC_E_INVALID, i,
                is_reducer(use, k)
                    ? "and '%s' are reductions of the same variable: each must have one of its own"
                    : "is a reduction of a variable that '%s' leads to as well: the kernel may not touch "
                      "it in another way",
                other);
        }
    }
    return 0;
}

/* -- partial results -- */

static syc_room room_of(const syc_py_body_use *use, const syc_py_launch *launch)
{
    syc_room room;
    syc_room_of(use->names, (size_t)use->call.count, &launch->lowering, &launch->geometry, &room);
    return room;
}

/* The array whose copies take most. */
static Py_ssize_t largest(const syc_room *room)
{
    Py_ssize_t found = -1;
    for (size_t i = 0; i < room->count; i++)
        if (syc_room_has_copies(room, i) && (found < 0 || syc_room_step(room, i) > syc_room_step(room, (size_t)found)))
            found = (Py_ssize_t)i;
    return found;
}

/* There is no such memory, or it would be more than there should be. */
static int refuse_copies(const struct syc_py_conversion *c, const syc_py_body_use *use, const syc_room *room,
                         syc_status status)
{
    Py_ssize_t array = largest(room);
    if (array < 0 || status != SYC_E_MEMORY_ALLOCATION) {
        syc_py_raise(c->scope->state, status);
        return -1;
    }
    return syc_py_body_refuse(&use->call, status, array,
                              "is an array of %llu variables, of which each of %llu work-items has a copy: %llu MiB, "
                              "which are more than can be had",
                              (unsigned long long)length_of(use, array), (unsigned long long)room->items,
                              (unsigned long long)(syc_room_bytes(room) >> 20));
}

static int give_partials(struct syc_py_conversion *c, const syc_py_body_use *use, const syc_py_launch *launch,
                         syc_argument *out)
{
    const syc_room room = room_of(use, launch);
    const uint64_t bytes = syc_room_bytes(&room);
    const syc_queue *queue = c->scope->queue->core;
    syc_need need = {.bytes = bytes, .write = true, .keep = true};
    size_t index;
    int failed;
    syc_status status = SYC_E_MEMORY_ALLOCATION;

    if (bytes <= MOST_COPIES)
        status = syc_partials_take(use->lowered->partials, syc_queue_context(queue), bytes, &need.buffer);
    if (status != SYC_OK)
        return refuse_copies(c, use, &room, status);
    c->out->temporary_bytes = bytes;
    need.bytes = need.buffer->bytes;
    failed = syc_py_task_need(c->scope->state, c->scope->task, &need, &index);
    syc_buffer_release(need.buffer);
    *out = (syc_argument){.kind = SYC_ARGUMENT_BUFFER,
                          .size = need.bytes,
                          .element = 1,
                          .buffer = {.need = index, .low = 0, .alignment = APART}};
    return failed;
}

/* Local memory, for the items of a group or for its copies of an array. */
static void give_local(const struct syc_py_conversion *c, const syc_py_launch *launch, uint64_t bytes,
                       syc_argument *out)
{
    *out = (syc_argument){.kind = SYC_ARGUMENT_LOCAL, .size = bytes};
    if (launch->lowering.form.grouped) /* else it was chosen to fit */
        c->out->local_bytes += out->size;
}

/* The identity, or what segments of a scan begin with. */
static int give_bytes(const struct syc_py_conversion *c, const syc_py_body_use *use, Py_ssize_t index, int place,
                      syc_argument *out)
{
    PyObject *bytes = PyTuple_GET_ITEM(use->call.values[index], place);
    if (!PyBytes_Check(bytes) || PyBytes_GET_SIZE(bytes) != (Py_ssize_t)name_of(use, index)->size)
        return syc_py_body_refuse(&use->call, SYC_E_KERNEL_ARGUMENT, index, "has %s of another size than its variable",
                                  place == SYC_PY_REDUCTION_IDENTITY ? "an identity" : "an initial value");
    *out = (syc_argument){
        .kind = SYC_ARGUMENT_VALUE, .size = (size_t)PyBytes_GET_SIZE(bytes), .value = PyBytes_AS_STRING(bytes)};
    return syc_py_task_hold(c->scope->task, bytes);
}

static int give_number(struct syc_py_conversion *c, uint64_t value, syc_argument *out)
{
    void *place = syc_py_conversion_reserve(c, sizeof value);
    memcpy(place, &value, sizeof value);
    *out = (syc_argument){.kind = SYC_ARGUMENT_VALUE, .size = sizeof value, .value = place};
    return 0;
}

int syc_py_reduce_argument(struct syc_py_conversion *c, const syc_py_body_use *use, const syc_py_launch *launch,
                           size_t index, syc_argument *out)
{
    const syc_hidden *hidden = &use->lowered->hidden[index];
    const syc_room room = room_of(use, launch);
    switch (hidden->kind) {
    case SYC_HIDDEN_PARTIALS:
        return give_partials(c, use, launch, out);
    case SYC_HIDDEN_SHARED:
        give_local(c, launch, syc_room_shared(&room), out);
        return 0;
    case SYC_HIDDEN_IDENTITY:
        return give_bytes(c, use, hidden->index, SYC_PY_REDUCTION_IDENTITY, out);
    case SYC_HIDDEN_INITIAL:
        return give_bytes(c, use, hidden->index, SYC_PY_REDUCTION_INITIAL, out);
    case SYC_HIDDEN_ROOM:
        give_local(c, launch, syc_room_local(&room, hidden->index), out);
        return 0;
    case SYC_HIDDEN_PLACE:
        return give_number(c, syc_room_place(&room, hidden->index), out);
    default: /* STEP */
        return give_number(c, syc_room_step(&room, hidden->index), out);
    }
}
