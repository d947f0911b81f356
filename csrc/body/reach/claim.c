/* From what was read to the table: claims, conditions and sums, each kept once where it is the same. */
#include "body/reach/reader.h"

#include "base/alloc.h"
#include "body/parts.h"
#include "body/reach/reach.h"
#include "body/reading.h"
#include "source/position.h"
#include "source/tokens.h"

#include <string.h>

static bool has_room(syc__reach_reader *r, void *list, size_t *room, size_t count, size_t size)
{
    enum { MOST = 4096 };
    if (r->gave_up)
        return false;
    r->status = count < MOST ? syc_grow(list, room, count + 1, size) : SYC_OK;
    if (r->status != SYC_OK || count >= MOST)
        syc__reach_give_up(r);
    return !r->gave_up;
}

/* -- sums and fits -- */

/* 0: a loop's, or none. */
static unsigned kind_of(unsigned variable)
{
    if (variable == SYC__REACH_LINEAR)
        return SYC__REACH_BY_LINEAR;
    if (variable < SYC__REACH_ID || variable >= SYC__REACH_LOOP)
        return 0;
    return variable < SYC__REACH_LOCAL ? SYC__REACH_BY_ID : SYC__REACH_BY_GROUP;
}

static syc__reach_part keep_sum(syc__reach_reader *r, const syc__reach_sum *sum, unsigned *kinds)
{
    struct syc__reach *out = r->out;
    const syc__reach_part part = {(uint32_t)out->term_count, sum->count};
    for (unsigned i = 0; i < sum->count; i++) {
        if (!has_room(r, &out->terms, &out->term_room, out->term_count, sizeof *out->terms))
            return (syc__reach_part){0};
        *kinds |= kind_of(sum->terms[i].variable);
        out->terms[out->term_count++] = sum->terms[i];
    }
    return part;
}

static syc__reach_part keep_fits(syc__reach_reader *r, const syc__reach_need *needs, unsigned *kinds)
{
    struct syc__reach *out = r->out;
    syc__reach_part part = {(uint32_t)out->fit_count, 0};
    for (; needs != NULL; needs = needs->next) {
        const syc__reach_part sum = keep_sum(r, &needs->sum, kinds);
        if (!has_room(r, &out->fits, &out->fit_room, out->fit_count, sizeof *out->fits))
            return (syc__reach_part){0};
        out->fits[out->fit_count++] = (syc__reach_fit){sum, needs->type};
        part.count++;
    }
    return part;
}

/* -- places -- */

static bool add_guard(syc__reach_reader *r, const syc__reach_test *test)
{
    struct syc__reach *out = r->out;
    syc__reach_guard guard = {.relation = test->relation};
    unsigned kinds = 0;

    if (r->guard_count == SYC__REACH_GUARDS ||
        !has_room(r, &out->guards, &out->guard_room, out->guard_count, sizeof *out->guards))
        return false;
    guard.sum = keep_sum(r, &test->sum, &kinds);
    guard.fits = keep_fits(r, test->needs, &kinds);
    r->guard_kinds |= kinds;
    r->guards[r->guard_count++] = (uint32_t)out->guard_count;
    out->guards[out->guard_count++] = guard;
    return true;
}

syc__reach_mark syc__reach_enter(syc__reach_reader *r, const syc__reach_tests *tests)
{
    const syc__reach_mark mark = {r->guard_count, r->guard_kinds, r->silent, r->loop};
    bool known = tests->known;
    for (unsigned i = 0; known && r->silent == 0 && i < tests->count; i++)
        known = add_guard(r, tests->items[i]);
    r->silent += !known;
    return mark;
}

void syc__reach_leave(syc__reach_reader *r, const syc__reach_mark *mark)
{
    r->guard_count = mark->guard_count;
    r->guard_kinds = mark->guard_kinds;
    r->silent = mark->silent;
    r->loop = mark->loop;
}

bool syc__reach_keep_loop(syc__reach_reader *r, const syc__reach_sum *span, const syc__reach_need *fits, int64_t step)
{
    struct syc__reach *out = r->out;
    syc__reach_loop loop = {.step = step, .outer = r->loop};

    if (!has_room(r, &out->loops, &out->loop_room, out->loop_count, sizeof loop))
        return false;
    loop.span = keep_sum(r, span, &r->guard_kinds);
    loop.fits = keep_fits(r, fits, &r->guard_kinds);
    r->loop = (int)out->loop_count;
    out->loops[out->loop_count++] = loop;
    return !r->gave_up;
}

/* Lists of no elements may be NULL. */
static bool same_bytes(const void *a, const void *b, size_t size)
{
    return size == 0 || memcmp(a, b, size) == 0;
}

static bool is_here(const syc__reach_reader *r, const syc__reach_place *place)
{
    return place->loop == r->loop && place->guards.count == r->guard_count &&
           same_bytes(r->out->order + place->guards.first, r->guards, r->guard_count * sizeof *r->guards);
}

/* The number of the place where the reader is. */
static uint32_t place_of(syc__reach_reader *r)
{
    struct syc__reach *out = r->out;
    syc__reach_place place = {{(uint32_t)out->order_count, r->guard_count}, r->loop};

    for (size_t i = out->place_count; i-- > 0;)
        if (is_here(r, &out->places[i]))
            return (uint32_t)i;
    for (unsigned i = 0; i < r->guard_count; i++) {
        if (!has_room(r, &out->order, &out->order_room, out->order_count, sizeof *out->order))
            return 0;
        out->order[out->order_count++] = r->guards[i];
    }
    if (!has_room(r, &out->places, &out->place_room, out->place_count, sizeof *out->places))
        return 0;
    out->places[out->place_count] = place;
    return (uint32_t)out->place_count++;
}

/* -- claims -- */

/* As it is written, blanks folded. */
static syc_status copy_text(const syc__reach_reader *r, size_t from, size_t to, const char **out)
{
    enum { MOST = 60 };
    syc_status status = SYC_OK;
    syc_text text = {0};
    char *copy = NULL;

    for (size_t at = from; at < to && text.length < MOST; at++) {
        const syc_token *t = &r->s->tokens[at];
        syc_text_add(&text, at > from && t->space ? " " : "");
        syc_text_add_n(&text, t->text, t->length);
    }
    if (text.length >= MOST) {
        syc_text_clear(&text);
        syc_text_add_n(&text, r->s->tokens[from].text, r->s->tokens[from].length);
        syc_text_add(&text, "[...]");
    }
    SYC_CHECK(!text.cut, SYC_E_MEMORY_ALLOCATION, "no memory for what a body says");
    SYC_TRY(syc_copy_string(syc_text_get(&text), &copy));
    *out = copy;
done:
    syc_text_clear(&text);
    return status;
}

static bool same_part(const struct syc__reach *reach, syc__reach_part a, syc__reach_part b)
{
    return a.count == b.count &&
           same_bytes(reach->terms + a.first, reach->terms + b.first, a.count * sizeof *reach->terms);
}

/* Does whoever comes to one place come to the other, which is around it? */
static bool is_within(const struct syc__reach *reach, const syc__reach_place *inner, const syc__reach_place *outer)
{
    int loop = inner->loop;
    while (loop >= 0 && loop != outer->loop)
        loop = reach->loops[loop].outer;
    return loop == outer->loop && outer->guards.count <= inner->guards.count &&
           same_bytes(reach->order + inner->guards.first, reach->order + outer->guards.first,
                      outer->guards.count * sizeof *reach->order);
}

/* Has the text said so before, for all that come here? */
static bool is_said(const struct syc__reach *reach, const syc__reach_claim *claim)
{
    for (size_t i = 0; i < reach->claim_count; i++) {
        const syc__reach_claim *other = &reach->claims[i];
        if (other->array == claim->array && other->part == claim->part && other->parts == claim->parts &&
            other->width == claim->width && other->number == claim->number && other->fits.count == 0 &&
            claim->fits.count == 0 && same_part(reach, other->sum, claim->sum) &&
            is_within(reach, &reach->places[claim->place], &reach->places[other->place]))
            return true;
    }
    return false;
}

/* The number among what is asked of a launch; SYC_REACH_ARRAYS: there is no room. */
static unsigned array_of(syc__reach_reader *r, unsigned name)
{
    syc_reach_wants *wants = &r->out->wants;
    unsigned n = 0;
    while (n < wants->array_count && wants->arrays[n].name != name)
        n++;
    if (n == wants->array_count && n < SYC_REACH_ARRAYS)
        wants->arrays[wants->array_count++] =
            (syc_reach_array){name, r->scan->source->names[name].rank, r->scan->source->names[name].ranged};
    return n;
}

static uint8_t finest(unsigned kinds)
{
    return kinds & SYC__REACH_BY_GROUP ? SYC__REACH_BY_GROUP
           : kinds & SYC__REACH_BY_ID  ? SYC__REACH_BY_ID
                                       : SYC__REACH_BY_LINEAR;
}

/* The sum but for its number, which stands first. */
static int64_t take_number(syc__reach_sum *sum)
{
    const syc__reach_term first = sum->terms[0];
    if (sum->count == 0 || first.variable != SYC__REACH_NOTHING || first.count > 0)
        return 0;
    memmove(&sum->terms[0], &sum->terms[1], --sum->count * sizeof *sum->terms);
    return first.factor;
}

/* Keeps it, or finds it where the last claim has it. */
static syc__reach_part share_sum(syc__reach_reader *r, const syc__reach_sum *sum, unsigned *kinds)
{
    struct syc__reach *out = r->out;
    const size_t terms = out->term_count;
    const syc__reach_part kept = keep_sum(r, sum, kinds);
    const syc__reach_claim *last = out->claim_count > 0 ? &out->claims[out->claim_count - 1] : NULL;
    if (last == NULL || !same_part(out, last->sum, kept))
        return kept;
    out->term_count = terms;
    return last->sum;
}

static void claim(syc__reach_reader *r, unsigned name, syc__reach_claim said, const syc__reach_value *index,
                  size_t from, size_t to)
{
    struct syc__reach *out = r->out;
    const size_t terms = out->term_count, fits = out->fit_count;
    const unsigned array = array_of(r, name);
    syc__reach_sum sum = index->sum;
    unsigned kinds = r->guard_kinds;

    if (array == SYC_REACH_ARRAYS || !has_room(r, &out->claims, &out->claim_room, out->claim_count, sizeof said))
        return;
    said.array = (uint8_t)array;
    said.place = place_of(r);
    said.number = take_number(&sum);
    said.sum = share_sum(r, &sum, &kinds);
    said.fits = keep_fits(r, index->needs, &kinds);
    said.kind = finest(kinds);
    said.at = syc__scan_position(r->scan, from);
    if (is_said(out, &said)) {
        out->term_count = terms;
        out->fit_count = fits;
        return;
    }
    r->status = copy_text(r, from, to, &said.text);
    if (r->status != SYC_OK)
        syc__reach_give_up(r);
    if (!r->gave_up)
        out->claims[out->claim_count++] = said;
    else
        syc_free((char *)said.text);
}

void syc__reach_claim_at(syc__reach_reader *r, const syc__reach_value *pointer, unsigned width, size_t from, size_t to)
{
    if (r->silent == 0 && !r->gave_up && pointer->kind == SYC__REACH_POINTER)
        claim(r, pointer->name, (syc__reach_claim){.parts = 1, .width = (uint8_t)width}, pointer, from, to);
}

void syc__reach_claim_part(syc__reach_reader *r, unsigned name, unsigned part, const syc__reach_value *index,
                           size_t from, size_t to)
{
    const syc__reach_claim said = {
        .part = (uint8_t)part, .parts = (uint8_t)r->scan->source->names[name].rank, .width = 1};
    if (r->silent == 0 && !r->gave_up && index->kind == SYC__REACH_INTEGER)
        claim(r, name, said, index, from, to);
}
