/* The claims of a body: made when it is read, held against each launch. */
#include "base/alloc.h"
#include "body/name.h"
#include "body/parts.h"
#include "body/reach/reader.h"
#include "body/reading.h"
#include "source/declarations/parser.h"
#include "source/tokens.h"

#include <string.h>

/* -- reading -- */

/* A text as long as this is read by nobody at once. */
enum { LONG_TEXT = 20000 };

static bool is_readable(const syc__scan *scan)
{
    const syc_body_source *source = scan->source;
    return !source->hierarchical && !source->whole && scan->last - scan->first < LONG_TEXT;
}

syc_status syc__reach_read(const syc__scan *scan, struct syc__reach **out)
{
    syc_status status = SYC_OK;
    struct syc__reach *reach = NULL;
    syc__reach_reader *r = NULL;

    if (!is_readable(scan))
        goto done;
    SYC_TRY(syc_alloc(sizeof *reach, &reach));
    SYC_TRY(syc__arena_alloc(scan->unit->stream.arena, sizeof *r, &r));
    r->scan = scan;
    r->s = &scan->unit->stream;
    r->arena = scan->unit->stream.arena;
    r->out = reach;
    r->at = scan->first;
    r->end = scan->last;
    r->loop = -1;
    SYC_TRY(syc__reach_find_changed(r));
    while (!r->gave_up && r->at < r->end)
        r->silent += syc__reach_statement(r) >= SYC__REACH_MAY_LEAVE;
    SYC_TRY(r->status);
    if (r->gave_up || reach->claim_count == 0)
        goto done;
    *out = reach;
    reach = NULL;
done:
    syc__reach_free(reach);
    return status;
}

void syc__reach_free(struct syc__reach *reach)
{
    if (reach == NULL)
        return;
    for (size_t i = 0; i < reach->claim_count; i++)
        syc_free((char *)reach->claims[i].text);
    syc_free(reach->terms);
    syc_free(reach->fits);
    syc_free(reach->guards);
    syc_free(reach->order);
    syc_free(reach->loops);
    syc_free(reach->places);
    syc_free(reach->claims);
    syc_free(reach);
}

/* -- launches -- */

const syc_reach_wants *syc_body_reach(const syc_body *body)
{
    return body->reading.reach != NULL ? &body->reading.reach->wants : NULL;
}

void syc_reach_take(syc_reach_launch *launch, const syc_reach_wants *wants, unsigned number, const void *bytes)
{
    const syc_dtype type = wants->numbers[number].type;
    const size_t size = syc_dtype_size(type);
    uint64_t value = 0;

    memcpy(&value, bytes, size); /* little-endian: the low bytes come first */
    if (syc_dtype_kind(type) == 'i' && size < 8 && value >> (8 * size - 1) != 0)
        value |= ~UINT64_C(0) << (8 * size);
    if (syc_dtype_kind(type) == 'u' && value > INT64_MAX)
        launch->unknown |= 1u << number;
    launch->numbers[number] = (int64_t)value;
}

static bool same_sizes(const size_t a[3], const size_t b[3])
{
    return a[0] == b[0] && a[1] == b[1] && a[2] == b[2];
}

bool syc_reach_same(const syc_reach_wants *wants, const syc_reach_launch *a, const syc_reach_launch *b)
{
    if (a->dims != b->dims || a->grouped != b->grouped || a->unknown != b->unknown ||
        !same_sizes(a->global, b->global) || !same_sizes(a->local, b->local) || !same_sizes(a->offset, b->offset))
        return false;
    for (unsigned i = 0; i < wants->number_count; i++)
        if (a->numbers[i] != b->numbers[i])
            return false;
    for (unsigned i = 0; i < wants->array_count; i++)
        if (a->lengths[i] != b->lengths[i] || !same_sizes(a->shapes[i], b->shapes[i]))
            return false;
    return true;
}

/* -- words -- */

static void add_sizes(syc_text *text, const size_t *sizes, unsigned count)
{
    syc_text_add(text, "(");
    for (unsigned d = 0; d < count; d++)
        syc_text_add(text, "%s%zu", d > 0 ? ", " : "", sizes[d]);
    syc_text_add(text, count == 1 ? ",)" : ")");
}

static void add_range(syc_text *text, const syc_reach_launch *launch)
{
    size_t sizes[3];
    if (launch->dims == 0) {
        syc_text_add(text, "a single task");
    } else if (launch->dims == 1) {
        syc_text_add(text, "range %zu", launch->global[0]);
    } else {
        for (unsigned d = 0; d < launch->dims; d++)
            sizes[d] = launch->global[launch->dims - 1 - d];
        syc_text_add(text, "range ");
        add_sizes(text, sizes, launch->dims);
    }
}

/* "x[i + 1] reaches element 12, and x has 8 elements" */
static void add_fault(syc_text *text, const syc_reach_wants *wants, const syc_reach_launch *launch, const char *name,
                      const syc__reach_fault *fault)
{
    const syc__reach_claim *claim = fault->claim;
    syc_text_add(text, "%s reaches ", claim->text);
    if (claim->parts == 1)
        syc_text_add(text, "element %lld, and %s has %llu element%s", (long long)fault->index, name,
                     (unsigned long long)fault->limit, fault->limit == 1 ? "" : "s");
    else
        syc_text_add(text, "index %lld in dimension %u, where the size of %s is %llu", (long long)fault->index,
                     claim->part, name, (unsigned long long)fault->limit);
    if (wants->arrays[claim->array].rank > 1) {
        syc_text_add(text, ": its shape is ");
        add_sizes(text, launch->shapes[claim->array], wants->arrays[claim->array].rank);
    }
}

static syc_status refuse(const syc_body *body, const syc_reach_launch *launch, const syc__reach_fault *fault)
{
    const struct syc__reach *reach = body->reading.reach;
    const char *name = body->source.names[reach->wants.arrays[fault->claim->array].name].name;
    const syc__place place = syc__body_place(&body->source, body->text, fault->claim->at);
    syc_text text = {0};

    syc_text_add(&text, "%s: ", body->source.name == NULL ? place.name : body->source.name);
    add_fault(&text, &reach->wants, launch, name, fault);
    syc_text_add(&text, " (");
    add_range(&text, launch);
    syc_text_add(&text, "; ");
    syc__position_say(&text, place.at);
    syc_text_add(&text, " of the %s)", place.name);
    return syc__fail_at(SYC_E_BOUNDS, SYC_HERE, place.text, place.at, &text);
}

syc_status syc_reach_check(const syc_body *body, const syc_reach_launch *launch)
{
    syc__reach_fault fault;
    return syc__reach_find(body->reading.reach, launch, &fault) ? refuse(body, launch, &fault) : SYC_OK;
}
