/* The parameters behind a body's names: which there are in a form, in which order, and what they are called. */
#include "base/alloc.h"
#include "body/reduce/reduce.h"

typedef struct list {
    syc_hidden *items;
    size_t count, capacity;
    syc_status status;
} list;

static void push(list *l, syc_hidden_kind kind, unsigned index, unsigned part)
{
    if (l->status == SYC_OK)
        l->status = syc_grow(&l->items, &l->capacity, l->count + 1, sizeof *l->items);
    if (l->status == SYC_OK)
        l->items[l->count++] = (syc_hidden){kind, index, part};
}

static void push_geometry(list *l, const syc_form *form)
{
    for (unsigned d = 0; d < form->dims; d++)
        push(l, SYC_HIDDEN_RANGE, d, 0);
    for (unsigned d = 0; form->offset && d < form->dims; d++)
        push(l, SYC_HIDDEN_OFFSET, d, 0);
    if (form->shape == SYC_SHAPE_LOOP || form->shape == SYC_SHAPE_PACK || form->shape == SYC_SHAPE_LANES ||
        form->shape == SYC_SHAPE_STRIDE || syc_shape_has_axes(form->shape) || syc_shape_scans(form->shape))
        push(l, SYC_HIDDEN_RUN, 0, 0);
    if (syc_shape_scans(form->shape))
        push(l, SYC_HIDDEN_PIECES, 0, 0);
    if (syc_shape_has_axes(form->shape)) {
        push(l, SYC_HIDDEN_PIECES, 0, 0);
        push(l, SYC_HIDDEN_TEAM, 0, 0);
    }
}

static void push_partial(list *l, unsigned i)
{
    push(l, SYC_HIDDEN_PLACE, i, 0);
    push(l, SYC_HIDDEN_STEP, i, 0);
}

static void push_array(list *l, unsigned i, const syc_name *name, syc_span_way way)
{
    push(l, SYC_HIDDEN_LENGTH, i, 0);
    for (unsigned part = 0; part + 1 < name->rank; part++)
        push(l, SYC_HIDDEN_PITCH, i, part);
    if (way == SYC_SPAN_COPIES || way == SYC_SPAN_FOURFOLD || way == SYC_SPAN_PRIVATE)
        push_partial(l, i);
    if (syc_span_has_table(way))
        push(l, SYC_HIDDEN_PLACE, i, 0);
    if (syc_span_is_local(way)) {
        push(l, SYC_HIDDEN_STEP, i, 0);
        push(l, SYC_HIDDEN_ROOM, i, 0);
    }
}

static void push_reducers(list *l, const syc_body *body, const syc_form *form)
{
    unsigned array = 0;
    if (!body->reading.traits.reduces)
        return;
    push(l, SYC_HIDDEN_PARTIALS, 0, 0);
    if (!syc_shape_is_alone(form->shape) && form->shape != SYC_SHAPE_SIDE_BY_SIDE)
        push(l, SYC_HIDDEN_SHARED, 0, 0);
    for (unsigned i = 0; i < body->source.count; i++) {
        const syc_name *name = &body->source.names[i];
        if (!syc__is_reducer(name))
            continue;
        if (syc__is_array(name))
            push_array(l, i, name, syc_form_span(form, array++));
        else
            push_partial(l, i);
        if (name->op.known || name->reducer.late)
            push(l, SYC_HIDDEN_IDENTITY, i, 0);
        if (name->reducer.initial)
            push(l, SYC_HIDDEN_INITIAL, i, 0);
        if (name->reducer.late)
            push(l, SYC_HIDDEN_FRESH, i, 0);
    }
}

static bool is_pointer(const syc_name *name)
{
    return name->kind == SYC_NAME_GLOBAL || name->kind == SYC_NAME_LOCAL;
}

/* Rows of a part end before the memory's do, so that in a checked form one subscript needs them as well. */
static bool has_pitches(const syc_body *body, const syc_form *form, size_t i)
{
    const syc_name *name = &body->source.names[i];
    return is_pointer(name) &&
           (body->reading.uses[i].called || (form->checked && name->ranged && syc__name_is_checked(body, i)));
}

static void push_bounds(list *l, unsigned i, const syc_name *name)
{
    push(l, SYC_HIDDEN_LENGTH, i, 0);
    for (unsigned part = 1; name->ranged && part < name->rank; part++)
        push(l, SYC_HIDDEN_LIMIT, i, part);
}

bool syc__name_is_shifted(const syc_body *body, size_t index)
{
    const syc_name *name = &body->source.names[index];
    return name->kind == SYC_NAME_GLOBAL && name->ranged && body->reading.uses[index].used;
}

syc_status syc__body_hidden(const syc_body *body, const syc_form *form, syc_hidden **out, size_t *count)
{
    list l = {0};

    if (!form->grouped)
        push_geometry(&l, form);
    for (size_t i = 0; i < body->source.count; i++) {
        const syc_name *name = &body->source.names[i];
        for (unsigned part = 0; has_pitches(body, form, i) && part + 1 < name->rank; part++)
            push(&l, SYC_HIDDEN_PITCH, (unsigned)i, part);
        if (syc__name_is_shifted(body, i))
            push(&l, SYC_HIDDEN_FIRST, (unsigned)i, 0);
    }
    push_reducers(&l, body, form);
    for (size_t i = 0; form->checked && i < body->source.count; i++)
        if (syc__name_is_checked(body, i))
            push_bounds(&l, (unsigned)i, &body->source.names[i]);
    if (form->checked)
        push(&l, SYC_HIDDEN_FAULTS, 0, 0);
    if (l.status != SYC_OK) {
        syc_free(l.items);
        return l.status;
    }
    *out = l.items;
    *count = l.count;
    return SYC_OK;
}

bool syc__name_is_checked(const syc_body *body, size_t index)
{
    const syc__use *use = &body->reading.uses[index];
    return body->source.names[index].kind == SYC_NAME_GLOBAL && use->used;
}

static void add_name(syc__writer *w, const syc_hidden *hidden)
{
    const char *name = hidden->index < w->body->source.count ? w->body->source.names[hidden->index].name : "";
    switch (hidden->kind) {
    case SYC_HIDDEN_RANGE:
        syc_text_add(&w->text, "syc_range%u", hidden->index);
        break;
    case SYC_HIDDEN_OFFSET:
        syc_text_add(&w->text, "syc_offset%u", hidden->index);
        break;
    case SYC_HIDDEN_RUN:
        syc_text_add(&w->text, "syc_run");
        break;
    case SYC_HIDDEN_PIECES:
        syc_text_add(&w->text, "syc_pieces");
        break;
    case SYC_HIDDEN_TEAM:
        syc_text_add(&w->text, "syc_team");
        break;
    case SYC_HIDDEN_PITCH:
        syc_text_add(&w->text, "syc_pitch%u_%s", hidden->part, name);
        break;
    case SYC_HIDDEN_FIRST:
        syc_text_add(&w->text, "syc_first_%s", name);
        break;
    case SYC_HIDDEN_LENGTH:
        syc_text_add(&w->text, "syc_length_%s", name);
        break;
    case SYC_HIDDEN_LIMIT:
        syc_text_add(&w->text, "syc_limit%u_%s", hidden->part, name);
        break;
    case SYC_HIDDEN_IDENTITY:
        syc_text_add(&w->text, "syc_identity_%s", name);
        break;
    case SYC_HIDDEN_INITIAL:
        syc_text_add(&w->text, "syc_initial_%s", name);
        break;
    case SYC_HIDDEN_FRESH:
        syc_text_add(&w->text, "syc_fresh_%s", name);
        break;
    case SYC_HIDDEN_PARTIALS:
        syc_text_add(&w->text, "syc_partials");
        break;
    case SYC_HIDDEN_PLACE:
        syc_text_add(&w->text, "syc_place_%s", name);
        break;
    case SYC_HIDDEN_STEP:
        syc_text_add(&w->text, "syc_step_%s", name);
        break;
    case SYC_HIDDEN_ROOM:
        syc_text_add(&w->text, "syc_room_%s", name);
        break;
    case SYC_HIDDEN_SHARED:
        syc_text_add(&w->text, "syc_shared");
        break;
    case SYC_HIDDEN_FAULTS:
        syc_text_add(&w->text, "syc_faults");
        break;
    }
}

static void add_type(syc__writer *w, const syc_hidden *hidden)
{
    switch (hidden->kind) {
    case SYC_HIDDEN_FAULTS:
        syc_text_add(&w->text, "__global uint *");
        break;
    case SYC_HIDDEN_PARTIALS:
        syc_text_add(&w->text, "__global uchar *");
        break;
    case SYC_HIDDEN_SHARED: /* aligned for any type */
        syc_text_add(&w->text, "__local ulong16 *");
        break;
    case SYC_HIDDEN_ROOM:
        syc_text_add(&w->text, "__local %s *", w->body->source.names[hidden->index].type);
        break;
    case SYC_HIDDEN_IDENTITY:
    case SYC_HIDDEN_INITIAL:
        syc_text_add(&w->text, "const %s ", w->body->source.names[hidden->index].type);
        break;
    default:
        syc_text_add(&w->text, "const ulong ");
    }
}

void syc__write_hidden(syc__writer *w, const syc_hidden *hidden, bool parameter)
{
    syc__write_comma(w);
    if (parameter)
        add_type(w, hidden);
    add_name(w, hidden);
}
