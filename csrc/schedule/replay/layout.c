/* Layouts: all that the commands of a recording need, put together once for each set of arguments. */
#include "base/alloc.h"
#include "memory/usm/usm.h"
#include "schedule/replay/recording.h"
#include "schedule/steps.h"

struct laying {
    const syc_recording *recording;
    const syc_replacement *changes;
    struct syc__layout *out;
    const syc_facts *facts;
};

/* -- what was replaced -- */

static const syc_replacement *change_of(const struct laying *l, size_t item, size_t argument)
{
    const struct syc__laid *laid = &l->out->items[item];
    for (size_t i = 0; i < laid->change_count; i++) {
        if (l->changes[laid->changes + i].argument == argument)
            return &l->changes[laid->changes + i];
    }
    return NULL;
}

static const syc_argument *argument_of(const struct laying *l, size_t item, size_t argument)
{
    const syc_replacement *change = change_of(l, item, argument);
    return change != NULL ? &change->value : &l->recording->items[item].work->launch.arguments[argument];
}

static bool is_within(const syc_usm *usm, const void *pointer)
{
    return (const char *)pointer >= usm->data && (const char *)pointer <= usm->data + usm->bytes;
}

/* Does the argument lead to the command's need, or, where an allocation is given, to that? */
static bool leads_to(const syc_argument *a, size_t need, const syc_usm *usm)
{
    return usm == NULL ? a->kind == SYC_ARGUMENT_BUFFER && a->buffer.need == need
                       : a->kind == SYC_ARGUMENT_POINTER && is_within(usm, a->pointer);
}

/* Nothing but replaced arguments lead to it. */
static bool is_needless(const struct laying *l, size_t item, size_t need, const syc_usm *usm)
{
    const struct syc__work *work = l->recording->items[item].work;
    bool replaced = false;
    if (work->ops->kind != SYC_TASK_LAUNCH || l->out->items[item].change_count == 0)
        return false;
    for (size_t i = 0; i < work->launch.argument_count; i++) {
        if (!leads_to(&work->launch.arguments[i], need, usm))
            continue;
        if (change_of(l, item, i) == NULL)
            return false;
        replaced = true;
    }
    return replaced;
}

/* -- needs -- */

static bool is_inside(const syc_need *part, const syc_need *whole)
{
    return part->buffer == whole->buffer && part->low >= whole->low &&
           part->low + part->bytes <= whole->low + whole->bytes;
}

/* Bytes that an earlier command of the recording overwrites unread need no old contents. */
static syc_status add_need(struct syc__layout *out, const syc_need *need, size_t *index)
{
    bool keep = need->keep;
    syc_status status = SYC_OK;
    for (size_t i = 0; i < out->need_count; i++) {
        syc_need *other = &out->needs[i];
        if (other->write && !other->keep && is_inside(need, other))
            keep = false;
        if (other->buffer != need->buffer || other->low != need->low || other->bytes != need->bytes)
            continue;
        other->write |= need->write;
        *index = i;
        return SYC_OK;
    }
    SYC_TRY(syc_grow(&out->needs, &out->need_room, out->need_count + 1, sizeof *out->needs));
    syc_buffer_retain(need->buffer);
    out->needs[out->need_count] = *need;
    out->needs[out->need_count].keep = keep;
    *index = out->need_count++;
done:
    return status;
}

static syc_status add_needs(const struct laying *l, size_t item)
{
    const struct syc__work *work = l->recording->items[item].work;
    struct syc__laid *laid = &l->out->items[item];
    syc_status status = SYC_OK;

    for (size_t k = 0; k < work->need_count; k++) {
        laid->needs[k] = SIZE_MAX;
        if (!is_needless(l, item, k, NULL))
            SYC_TRY(add_need(l->out, &work->needs[k], &laid->needs[k]));
    }
    for (size_t i = 0; i < laid->change_count; i++) {
        const syc_replacement *change = &l->changes[laid->changes + i];
        laid->needs[work->need_count + i] = SIZE_MAX;
        if (change->value.kind == SYC_ARGUMENT_BUFFER)
            SYC_TRY(add_need(l->out, &change->need, &laid->needs[work->need_count + i]));
    }
done:
    return status;
}

static syc_status add_allocation(struct syc__layout *out, syc_usm *usm)
{
    syc_status status;
    for (size_t i = 0; i < out->allocation_count; i++) {
        if (out->allocations[i] == usm)
            return SYC_OK;
    }
    status = syc_grow(&out->allocations, &out->allocation_room, out->allocation_count + 1, sizeof(syc_usm *));
    if (status != SYC_OK)
        return status;
    syc_usm_retain(usm);
    out->allocations[out->allocation_count++] = usm;
    return SYC_OK;
}

static syc_status add_allocations(const struct laying *l, size_t item)
{
    const struct syc__work *work = l->recording->items[item].work;
    const struct syc__laid *laid = &l->out->items[item];
    syc_status status = SYC_OK;
    for (size_t i = 0; i < work->allocation_count; i++) {
        if (!is_needless(l, item, 0, work->allocations[i]))
            SYC_TRY(add_allocation(l->out, work->allocations[i]));
    }
    for (size_t i = 0; i < laid->change_count; i++) {
        if (l->changes[laid->changes + i].allocation != NULL)
            SYC_TRY(add_allocation(l->out, l->changes[laid->changes + i].allocation));
    }
done:
    return status;
}

/* -- slots and arrays -- */

static syc_status add_slot(struct syc__layout *out, const syc_argument *a, size_t need, size_t *index)
{
    syc_status status;
    for (size_t i = 0; i < out->slot_count; i++) {
        struct syc__slot *s = &out->slots[i];
        if (s->need != need || s->low != a->buffer.low || s->bytes != a->size)
            continue;
        s->alignment = s->alignment > a->buffer.alignment ? s->alignment : a->buffer.alignment;
        *index = i;
        return SYC_OK;
    }
    status = syc_grow(&out->slots, &out->slot_room, out->slot_count + 1, sizeof *out->slots);
    if (status != SYC_OK)
        return status;
    out->slots[out->slot_count] = (struct syc__slot){need, a->buffer.low, a->size, a->buffer.alignment};
    *index = out->slot_count++;
    return SYC_OK;
}

static syc_status add_array(struct syc__laid_array **all, size_t *count, size_t *room, struct syc__laid_array array,
                            size_t *index)
{
    syc_status status;
    for (size_t i = 0; i < *count; i++) {
        struct syc__laid_array *other = &(*all)[i];
        if (!syc_host_arrays_same(&other->span, &array.span))
            continue;
        other->span.writable |= array.span.writable;
        other->by_host |= array.by_host;
        if (array.span.alignment > other->span.alignment)
            other->span.alignment = array.span.alignment;
        *index = i;
        return SYC_OK;
    }
    status = syc_grow(all, room, *count + 1, sizeof **all);
    if (status != SYC_OK)
        return status;
    (*all)[*count] = array;
    *index = (*count)++;
    return SYC_OK;
}

/* Which of the command's entries in `needs` an argument means: its own, or the one that was put in. */
static size_t need_of(const struct laying *l, size_t item, size_t argument)
{
    const struct syc__laid *laid = &l->out->items[item];
    const struct syc__work *work = l->recording->items[item].work;
    const syc_replacement *change = change_of(l, item, argument);
    size_t own = change != NULL ? work->need_count + (size_t)(change - l->changes) - laid->changes
                                : work->launch.arguments[argument].buffer.need;
    return laid->needs[own];
}

static syc_status add_arguments(const struct laying *l, size_t item)
{
    const struct syc__work *work = l->recording->items[item].work;
    struct syc__laid *laid = &l->out->items[item];
    struct syc__layout *out = l->out;
    syc_status status = SYC_OK;

    for (size_t i = 0; work->ops->kind == SYC_TASK_LAUNCH && i < work->launch.argument_count; i++) {
        const syc_argument *a = argument_of(l, item, i);
        laid->links[i] = SIZE_MAX;
        if (a->kind == SYC_ARGUMENT_BUFFER)
            SYC_TRY(add_slot(out, a, need_of(l, item, i), &laid->links[i]));
        if (a->kind == SYC_ARGUMENT_SPAN)
            SYC_TRY(add_array(&out->arrays, &out->array_count, &out->array_room,
                              (struct syc__laid_array){a->span, item, false}, &laid->links[i]));
    }
done:
    return status;
}

static syc_status refuse_array(const struct laying *l, const struct syc__laid_array *a, const struct syc__laid_array *b)
{
    const struct syc__work *first = l->recording->items[a->user].work, *second = l->recording->items[b->user].work;
    return syc_fail(
        SYC_E_INVALID, SYC_HERE,
        "the %s recorded at %s:%d and the %s recorded at %s:%d use one host array, and one writes it: "
        "on this device, or in this layout, the array is copied at the beginning and the end of a replay, so "
        "that they would not see each other's writes; use a Buffer or unified shared memory",
        first->ops->word, first->site.file != NULL ? first->site.file : "?", first->site.line, second->ops->word,
        second->site.file != NULL ? second->site.file : "?", second->site.line);
}

static syc_status check_pair(const struct laying *l, const struct syc__laid_array *a, const struct syc__laid_array *b)
{
    if (!(a->by_host || b->by_host) || !(a->span.writable || b->span.writable) ||
        !syc_host_arrays_overlap(&a->span, &b->span))
        return SYC_OK;
    return refuse_array(l, a, b);
}

static syc_status add_ends(const struct laying *l, size_t item)
{
    const struct syc__work *work = l->recording->items[item].work;
    struct syc__layout *out = l->out;
    size_t unused;
    syc_status status = SYC_OK;

    for (int to = 0; work->ops->kind == SYC_TASK_COPY && to < 2; to++) {
        const syc_side *side = to ? &work->copy.to : &work->copy.from;
        struct syc__laid_array array = {side->array, item, false};
        if (side->kind != SYC_SIDE_ARRAY)
            continue;
        array.span.writable = to != 0;
        array.by_host = syc__copy_is_by_host(work, side, l->facts);
        for (size_t i = 0; i < out->end_count; i++) /* before the same array becomes one */
            SYC_TRY(check_pair(l, &out->ends[i], &array));
        SYC_TRY(add_array(&out->ends, &out->end_count, &out->end_room, array, &unused));
        out->reads_early |= array.by_host && !to;
    }
done:
    return status;
}

/* -- checks -- */

static syc_status check_arrays(const struct laying *l)
{
    struct syc__layout *out = l->out;
    syc_status status = SYC_OK;

    for (size_t i = 0; i < out->array_count; i++) {
        struct syc__laid_array *a = &out->arrays[i];
        bool staged = syc_host_array_is_staged(l->facts, &a->span);
        a->by_host = staged || (a->span.bytes > 0 && !l->facts->shares_host_memory);
        out->reads_early |= staged || (a->by_host && l->facts->reads_at_enqueue);
    }
    for (size_t i = 0; i < out->array_count; i++) {
        for (size_t j = 0; j < i; j++)
            SYC_TRY(check_pair(l, &out->arrays[j], &out->arrays[i]));
        for (size_t j = 0; j < out->end_count; j++)
            SYC_TRY(check_pair(l, &out->arrays[i], &out->ends[j]));
    }
done:
    return status;
}

/* -- order -- */

/* Memory takes the place of other memory everywhere, and is used nowhere else: then the recorded order holds for it. */
static bool is_swap(const struct laying *l, const syc_replacement *a, const syc_replacement *b)
{
    const struct syc__work *x = l->recording->items[a->command].work, *y = l->recording->items[b->command].work;
    const syc_argument *p = &x->launch.arguments[a->argument], *q = &y->launch.arguments[b->argument];
    if (p->kind == SYC_ARGUMENT_SPAN)
        return syc_host_arrays_same(&p->span, &q->span);
    return x->needs[p->buffer.need].buffer == y->needs[q->buffer.need].buffer;
}

static bool meets_changes(const struct laying *l, const syc_replacement *change, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const syc_replacement *other = &l->changes[i];
        if (other->value.kind != change->value.kind || is_swap(l, change, other))
            continue;
        if (change->value.kind == SYC_ARGUMENT_BUFFER && other->need.buffer == change->need.buffer)
            return true;
        if (change->value.kind == SYC_ARGUMENT_SPAN && syc_host_arrays_overlap(&other->value.span, &change->value.span))
            return true;
    }
    return false;
}

static bool span_is_recorded(const struct laying *l, size_t item, const syc_host_array *span)
{
    const struct syc__work *work = l->recording->items[item].work;
    for (size_t i = 0; work->ops->kind == SYC_TASK_LAUNCH && i < work->launch.argument_count; i++) {
        const syc_argument *a = &work->launch.arguments[i];
        if (a->kind == SYC_ARGUMENT_SPAN && change_of(l, item, i) == NULL && syc_host_arrays_overlap(&a->span, span))
            return true;
    }
    return work->ops->kind == SYC_TASK_COPY &&
           ((work->copy.to.kind == SYC_SIDE_ARRAY && syc_host_arrays_overlap(&work->copy.to.array, span)) ||
            (work->copy.from.kind == SYC_SIDE_ARRAY && syc_host_arrays_overlap(&work->copy.from.array, span)));
}

static bool meets_recorded(const struct laying *l, const syc_replacement *change)
{
    for (size_t item = 0; item < l->recording->count; item++) {
        const struct syc__work *work = l->recording->items[item].work;
        if (change->value.kind == SYC_ARGUMENT_SPAN && span_is_recorded(l, item, &change->value.span))
            return true;
        for (size_t k = 0; change->value.kind == SYC_ARGUMENT_BUFFER && k < work->need_count; k++) {
            if (work->needs[k].buffer == change->need.buffer && l->out->items[item].needs[k] != SIZE_MAX)
                return true;
        }
    }
    return false;
}

static bool is_memory(const syc_replacement *change)
{
    return change->value.kind == SYC_ARGUMENT_BUFFER || change->value.kind == SYC_ARGUMENT_SPAN;
}

/* -- all of it -- */

static syc_status make_room(const struct laying *l, size_t count)
{
    const syc_recording *r = l->recording;
    struct syc__layout *out = l->out;
    size_t indices = 0, at = 0, change = 0;
    syc_status status = SYC_OK;

    for (size_t i = 0; i < r->count; i++)
        indices += r->items[i].work->need_count +
                   (r->items[i].work->ops->kind == SYC_TASK_LAUNCH ? r->items[i].work->launch.argument_count : 0);
    SYC_TRY(syc_alloc_array(r->count, sizeof *out->items, &out->items));
    SYC_TRY(syc_alloc_array(indices + count, sizeof *out->indices, &out->indices));
    for (size_t i = 0; i < r->count; i++) {
        const struct syc__work *work = r->items[i].work;
        struct syc__laid *laid = &out->items[i];
        laid->changes = change;
        while (change < count && l->changes[change].command == i)
            change++;
        laid->change_count = change - laid->changes;
        laid->links = out->indices + at;
        at += work->ops->kind == SYC_TASK_LAUNCH ? work->launch.argument_count : 0;
        laid->needs = out->indices + at;
        at += work->need_count + laid->change_count;
    }
done:
    return status;
}

static uint64_t sum(uint64_t a, uint64_t b)
{
    return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

syc_status syc__layout_create(const syc_recording *recording, const syc_replacement *changes, size_t count,
                              struct syc__layout *out)
{
    struct laying l = {recording, changes, out, recording->queue->device->facts};
    syc_status status = SYC_OK;

    SYC_TRY(make_room(&l, count));
    for (size_t i = 0; i < recording->count; i++) {
        SYC_TRY(add_needs(&l, i));
        SYC_TRY(add_allocations(&l, i));
        SYC_TRY(add_arguments(&l, i));
        SYC_TRY(add_ends(&l, i));
        out->calls += !recording->items[i].empty;
        out->reads_early |=
            recording->items[i].work->ending.call != NULL || recording->items[i].work->verdict.call != NULL;
        out->cost_ns = sum(out->cost_ns, syc__work_cost_ns(recording->items[i].work));
    }
    SYC_TRY(check_arrays(&l));
    for (size_t i = 0; i < count && !out->serial; i++)
        out->serial =
            is_memory(&changes[i]) && (meets_changes(&l, &changes[i], count) || meets_recorded(&l, &changes[i]));
done:
    return status;
}

void syc__layout_clear(struct syc__layout *layout)
{
    for (size_t i = 0; i < layout->need_count; i++)
        syc_buffer_release(layout->needs[i].buffer);
    for (size_t i = 0; i < layout->allocation_count; i++)
        syc_usm_release(layout->allocations[i]);
    syc_free(layout->needs);
    syc_free(layout->allocations);
    syc_free(layout->arrays);
    syc_free(layout->ends);
    syc_free(layout->slots);
    syc_free(layout->items);
    syc_free(layout->indices);
    *layout = (struct syc__layout){0};
}
