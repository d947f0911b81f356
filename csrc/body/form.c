/* The forms of a body: which it can take, and the program of each, made once. */
#include "base/alloc.h"
#include "body/body.h"
#include "body/operator/operator.h"
#include "body/partials.h"
#include "body/reading.h"
#include "body/reduce/reduce.h"
#include "body/scan/scan.h"
#include "body/write/pack.h"
#include "cl/family.h"
#include "program/program.h"
#include "source/declarations/signature.h"
#include "source/origin.h"
#include "source/position.h"
#include "source/tokens.h"

#include <stdio.h>
#include <string.h>

static atomic_bool uncured;

void syc_body_undo_cures(bool undo)
{
    atomic_store(&uncured, undo);
}

/* Members that make no difference to the text are set to one value. */
static syc_form normal(const syc_form *form)
{
    syc_form f = *form;
    if (f.grouped || f.dims == 0)
        f.shape = SYC_SHAPE_ITEM;
    if (f.dims == 0)
        f.offset = f.grouped = false;
    if (f.shape != SYC_SHAPE_WIDE && f.shape != SYC_SHAPE_STRIDE && f.shape != SYC_SHAPE_SIDE_BY_SIDE &&
        f.shape != SYC_SHAPE_ROUNDS)
        f.elements = 1;
    if (f.shape != SYC_SHAPE_ROUNDS)
        f.items = 0;
    f.warps = f.warps &&
              (f.shape == SYC_SHAPE_STRIDE || f.shape == SYC_SHAPE_TEAMS || f.shape == SYC_SHAPE_ROUNDS || f.grouped);
    f.leads = f.leads && f.grouped;
    f.packs = f.packs && (syc_shape_packs(f.shape) || f.shape == SYC_SHAPE_TILES);
    f.streams = f.streams && (f.shape == SYC_SHAPE_PACK || (f.shape == SYC_SHAPE_TILES && f.packs));
    f.through = f.through && f.streams;
    return f;
}

static bool same(const syc_form *a, const syc_form *b)
{
    return a->shape == b->shape && a->dims == b->dims && a->grouped == b->grouped && a->offset == b->offset &&
           a->elements == b->elements && a->items == b->items && a->registers == b->registers && a->warps == b->warps &&
           a->leads == b->leads && a->packs == b->packs && a->streams == b->streams && a->through == b->through &&
           a->checked == b->checked && a->folds == b->folds && a->spans == b->spans && a->ahead == b->ahead &&
           a->whole == b->whole && memcmp(a->group, b->group, sizeof a->group) == 0;
}

static const struct syc__made *find(const syc_body *body, const syc_form *form)
{
    const struct syc__made *made = atomic_load_explicit(&body->forms, memory_order_acquire);
    while (made != NULL && !same(&made->lowered.form, form))
        made = made->next;
    return made;
}

static syc_status check_groups(const syc_body *body, const syc_form *form)
{
    syc_status status = SYC_OK;
    const syc__reading *reading = &body->reading;
    const char *range = form->dims == 0 ? "a single task" : "a plain range";
    const char *word = reading->group_word; /* macros of kernels/items.clh stand for functions with a prefix */
    syc__place place;
    syc_text text = {0};

    if (form->grouped || !reading->traits.grouped)
        goto done;
    SYC_CHECK(reading->group_at.line > 0, SYC_E_ND_RANGE,
              "body: '%s' is local memory, which belongs to a work-group, and %s has no work-groups of its own: use an "
              "NdRange",
              word, range);
    place = syc__body_place(&body->source, body->text, reading->group_at);
    if (body->source.part_count > 0) {
        const syc_part *first = &body->source.parts[0]; /* of a map that is called: all that is the user's in it */
        if (place.part == NULL)
            place = (syc__place){first->name, first->text, {1, 1}, first};
        syc_text_add(&text, "%s:%u:%u: it needs work-groups, which %s elements do not have", place.name, place.at.line,
                     place.at.column, reading->traits.scans ? "a scan's" : "an array's");
        status = syc__fail_at(SYC_E_ND_RANGE, SYC_HERE, place.text, place.at, &text);
        goto done;
    }
    syc_text_add(&text, "body: '%s' at ", strncmp(word, "syc_", 4) == 0 ? word + 4 : word);
    syc__position_say(&text, place.at);
    syc_text_add(&text, " needs work-groups, and %s has none of its own: use an NdRange", range);
    status = syc__fail_at(SYC_E_ND_RANGE, SYC_HERE, body->text, place.at, &text);
done:
    return status;
}

static bool is_reducing(syc_shape shape)
{
    return shape >= SYC_SHAPE_LANES && shape < SYC_SHAPE_COUNT;
}

static syc_status check_axes(const syc_body *body, const syc_form *form)
{
    syc_status status = SYC_OK;
    unsigned reduced = body->reading.traits.reduced;
    SYC_CHECK(reduced == 0 || !form->grouped, SYC_E_INVALID_PARAMETER,
              "body: reductions of some dimensions are for a plain range, and not for an nd-range");
    SYC_CHECK(reduced >> form->dims == 0, SYC_E_INVALID_PARAMETER,
              "body: the reductions are of dimensions 0x%x, and the range has %u", reduced, form->dims);
    SYC_CHECK(!is_reducing(form->shape) || syc_shape_has_axes(form->shape) == (reduced != 0),
              SYC_E_KERNEL_NOT_SUPPORTED, "body: this shape is for other dimensions than the reductions are of");
done:
    return status;
}

static syc_status check_shape(const syc_body *body, const syc_form *form)
{
    syc_status status = SYC_OK;
    unsigned n = form->elements;
    SYC_CHECK(form->shape != SYC_SHAPE_WIDE || (n > 0 && n <= 16 && (n & (n - 1)) == 0), SYC_E_INVALID_PARAMETER,
              "body: %u elements for a work-item; expected 1, 2, 4, 8 or 16", n);
    SYC_CHECK(form->shape != SYC_SHAPE_WIDE || (body->reading.traits.widens && form->dims == 1 && !form->checked),
              SYC_E_KERNEL_NOT_SUPPORTED,
              "body: several neighbours for each work-item are not possible: the text does more than write its own "
              "element once and for all");
    SYC_CHECK(
        (form->shape != SYC_SHAPE_PACK && !form->packs) || form->shape == SYC_SHAPE_TILES ||
            (body->reading.traits.packs && (form->packs || form->dims == 1) && !form->checked),
        SYC_E_KERNEL_NOT_SUPPORTED,
        "body: vectors in place of scalars are not possible: the text is more than arithmetic of one floating type");
    SYC_CHECK(!body->reading.traits.reduces || form->dims > 0, SYC_E_INVALID,
              "body: a single task has no reductions: use parallel_for");
    SYC_CHECK(!body->reading.traits.reduces || form->grouped || is_reducing(form->shape), SYC_E_KERNEL_NOT_SUPPORTED,
              "body: reducers are not possible in this shape");
    SYC_CHECK(form->shape != SYC_SHAPE_STRIDE || n <= 1 ||
                  (body->reading.traits.takes && form->dims == 1 && !form->checked),
              SYC_E_KERNEL_NOT_SUPPORTED,
              "body: several neighbours for each work-item are not possible: the text does more than read its own "
              "elements");
    SYC_CHECK(!is_reducing(form->shape) || syc_shape_scans(form->shape) == body->reading.traits.scans,
              SYC_E_KERNEL_NOT_SUPPORTED, "body: this shape is for %s",
              syc_shape_scans(form->shape) ? "scans" : "reductions");
    SYC_CHECK(!form->grouped || !body->reading.traits.scans, SYC_E_INVALID_PARAMETER,
              "body: a scan is over a plain range, and not over an nd-range");
    SYC_TRY(check_axes(body, form));
    SYC_CHECK(body->reading.traits.reduces || !is_reducing(form->shape), SYC_E_KERNEL_NOT_SUPPORTED,
              "body: this shape is for reducers, and the text has none");
done:
    return status;
}

/* SYCL's ranges have one number of dimensions throughout. */
static syc_status check_sizes(const syc_body *body, const syc_form *form)
{
    char what[160];
    if (body->item_sizes == 0 || body->item_sizes == form->dims)
        return SYC_OK;
    snprintf(what, sizeof what, "parallel_for_work_item has %u size%s, and the range of work-groups has %u dimension%s",
             body->item_sizes, body->item_sizes == 1 ? "" : "s", form->dims, form->dims == 1 ? "" : "s");
    return syc__refuse_at("body", body->text, body->item_sizes_at, what);
}

/* The build's options; where one work-item does a group's work, with the group's size among them. */
static syc_status add_options(const syc__writer *w, syc_text *out)
{
    syc_status status = SYC_OK;
    const uint32_t *group = w->form.group;
    if (w->body->source.options != NULL)
        syc_text_add(out, "%s", w->body->source.options);
    if (group[0] > 0)
        syc_text_add(out, " -DSYC_GROUP_LOOPS -DSYC_P0=%u -DSYC_P1=%u -DSYC_P2=%u", group[0], group[1], group[2]);
    if (group[0] > 0 && !w->body->reading.traits.keeps)
        syc_text_add(out, " -DSYC_ITEMS_APART");
    if (w->form.registers > 0)
        syc_text_add(out, " -cl-nv-maxrregcount=%u", w->form.registers);
    SYC_CHECK(!out->cut, SYC_E_MEMORY_ALLOCATION, "no memory for the options of a build");
done:
    return status;
}

static syc_status write_form(syc__writer *w)
{
    static syc_status (*const writers[SYC_SHAPE_COUNT])(syc__writer *) = {
        syc__write_item,    syc__write_loop,  syc__write_wide,   syc__write_pack,         syc__write_lanes,
        syc__write_stride,  syc__write_along, syc__write_across, syc__write_short,        syc__write_padded,
        syc__write_columns, syc__write_teams, syc__write_tiles,  syc__write_side_by_side, syc__write_rounds};
    return w->form.shape == SYC_SHAPE_LANES && w->form.packs ? syc__write_pack_lanes(w) : writers[w->form.shape](w);
}

/* The user's own texts, and the names that they may say. */
static syc_status create_program(const syc__writer *w, syc_program **out)
{
    syc_status status = SYC_OK;
    const syc_body_source *source = &w->body->source;
    const syc_origin quoted[] = {{"body", w->body->text, source->text},
                                 {"preamble", source->preamble != NULL ? source->preamble : "", NULL}};
    syc_origins origins = {
        .items = quoted, .count = 2, .given_count = source->count, .front = source->declarations, .dims = w->form.dims};
    const char **given = NULL;
    syc_arena arena = {0};
    syc_text options = {0};

    SYC_TRY(syc_alloc_array(source->count, sizeof *given, &given));
    for (size_t i = 0; i < source->count; i++)
        given[i] = source->names[i].name;
    origins.given = given;
    SYC_TRY(syc__body_parts(&arena, source, &origins.parts, &origins.part_count));
    SYC_TRY(add_options(w, &options));
    SYC_TRY(syc_program_create_from(&origins, syc_text_get(&w->text), w->text.length, syc_text_get(&options), out));
done:
    syc__arena_clear(&arena);
    syc_text_clear(&options);
    syc_free(given);
    return status;
}

/* The families of bodies without another form: only another way to build them helps. */
static syc_families families_of(const syc__writer *w)
{
    const syc_form *form = &w->form;
    if (form->shape == SYC_SHAPE_TILES && !form->packs)
        return syc_family_bit(SYC_FAMILY_SCAN_TILES);
    if (form->shape != SYC_SHAPE_ITEM || form->dims == 0 || w->body->source.hierarchical ||
        w->body->reading.traits.reduces)
        return 0;
    return syc_family_bit(form->grouped     ? SYC_FAMILY_ND_RANGE
                          : form->dims == 1 ? SYC_FAMILY_ITEM
                                            : SYC_FAMILY_ITEM_ROWS);
}

static syc_status make_program(syc__writer *w, syc_program **out)
{
    syc_status status = SYC_OK;
    syc_text checked = {0};

    w->body_text = w->body->source.text;
    if (w->form.checked) {
        SYC_TRY(syc__body_check_text(w->body, &checked));
        w->body_text = syc_text_get(&checked);
    }
    SYC_TRY(write_form(w));
    SYC_CHECK(!w->text.cut, SYC_E_MEMORY_ALLOCATION, "no memory for the text of kernel '%s'",
              syc__body_kernel_name(w->body));
    SYC_TRY(create_program(w, out));
    syc_program_add_families(*out, families_of(w));
    SYC_CHECK(syc_program_signatures(*out)->count == 1, SYC_E_KERNEL,
              "body: the text that it was made into is not read as one kernel");
done:
    syc_text_clear(&checked);
    return status;
}

static syc_status make(const syc_body *body, const syc_form *form, struct syc__made **out)
{
    syc_status status = SYC_OK;
    struct syc__made *made = NULL;
    syc__writer w = {.body = body, .form = *form, .uncured = atomic_load_explicit(&uncured, memory_order_relaxed)};

    SYC_TRY(syc_alloc(sizeof *made, &made));
    SYC_TRY(syc__body_hidden(body, form, &made->hidden, &w.hidden_count));
    w.hidden = made->hidden;
    SYC_TRY(make_program(&w, &made->lowered.program));
    if (body->reading.traits.reduces)
        SYC_TRY(syc_partials_create(&made->lowered.partials));
    made->lowered.form = *form;
    made->lowered.hidden = made->hidden;
    made->lowered.hidden_count = w.hidden_count;
    *out = made;
    made = NULL;
done:
    syc_text_clear(&w.text);
    syc__made_free(made);
    return status;
}

/* The families that the form belongs to. */
static syc_body *sibling_of(syc_body *body, const syc_form *form)
{
    return body->sibling != NULL && syc_form_is_private(form) ? body->sibling : body;
}

syc_status syc_body_lower(syc_body *whose, const syc_form *wanted, const syc_lowered **out)
{
    syc_status status = SYC_OK;
    const syc_form form = normal(wanted);
    syc_body *body = sibling_of(whose, &form);
    const struct syc__made *found = find(body, &form);
    struct syc__made *made = NULL;

    if (found != NULL) { /* every launch but the first */
        *out = &found->lowered;
        return SYC_OK;
    }
    pthread_mutex_lock(&body->lock);
    SYC_TRY(check_groups(body, &form));
    SYC_TRY(check_sizes(body, &form));
    SYC_TRY(check_shape(body, &form));
    found = find(body, &form);
    if (found == NULL) {
        SYC_TRY(make(body, &form, &made));
        made->next = body->forms;
        body->forms = made;
        found = made;
    }
    *out = &found->lowered;
done:
    pthread_mutex_unlock(&body->lock);
    return status;
}
