/* Part of library/cures/pocl_per_item.c: in "h(f(a), f(b))", where f waits, the value of f(a) has no name, and lives
 * across a barrier. It gets one. */
#include "base/text.h"
#include "library/cures/pocl_per_item_parts.h"
#include "source/tokens.h"

#include <string.h>

enum { MOST_ARGUMENTS = 32 };

typedef struct argument {
    size_t from, to; /* tokens; `to` is the ',' or ')' behind it */
    bool structs;    /* the function takes a struct there */
    bool named;      /* it becomes a variable; else it is copied as it stands */
} argument;

typedef struct call {
    const syc_function *callee;
    size_t open, close, count;
    size_t begin;     /* in the source */
    size_t last;      /* argument that becomes a variable */
    bool macro;       /* it stands in a macro's text */
    bool whole;       /* no part of it is the text's and another a macro's, or two macros' */
    const char *name; /* as it is written before the '(': a word, "t ## n", or "NAME(n)" */
    size_t name_length;
    argument arguments[MOST_ARGUMENTS];
} call;

/* -- what waits -- */

/* The text that a macro of the library's leaves counts as well. */
static bool token_waits(const syc__per_item_finder *f, size_t at)
{
    const syc_token *t = &f->s->tokens[at];
    const syc__word *word;
    if (t->kind != SYC_TOKEN_WORD)
        return false;
    word = syc__word_map_get(&f->r->names, t);
    for (const struct syc__link *link = word != NULL ? word->pieces : NULL; link != NULL; link = link->next_piece)
        if (link->piece->reach != SYC__REACH_NONE)
            return true;
    return syc__collective(t) != SYC__REACH_NONE || (t->length > 4 && memcmp(t->text, "syc_", 4) == 0);
}

static bool any_waits(const syc__per_item_finder *f, size_t from, size_t to)
{
    while (from < to && !token_waits(f, from))
        from++;
    return from < to;
}

/* -- what is called -- */

static const syc_function *callee_of(const syc__per_item_finder *f, size_t at)
{
    const syc_callee *callee;
    if (f->s->tokens[at].kind != SYC_TOKEN_WORD || !syc__stream_is(f->s, at + 1, "(") ||
        syc__stream_is(f->s, at - 1, ".") || syc__stream_is(f->s, at - 1, "->"))
        return NULL;
    callee = syc__word_map_get(&f->r->unit.callees, &f->s->tokens[at]);
    return callee != NULL && callee->last != NULL && !callee->last->name->library ? callee->last : NULL;
}

/* Marks the arguments that are structs in one of the function's overloads. */
static syc_status find_structs(const syc__per_item_finder *f, call *c)
{
    syc_status status = SYC_OK;
    for (const syc_function *one = c->callee; one != NULL; one = one->overload) {
        const size_t close = f->s->match[one->params];
        size_t at = one->params + 1;
        for (size_t k = 0; k < c->count && at < close; k++, at++) {
            const size_t from = at;
            size_t end = at;
            syc_type type;
            while (end < close && !syc__stream_is(f->s, end, ","))
                end = syc__stream_next(f->s, end, close);
            SYC_TRY(syc__type_read(f->s, &f->r->unit.types, &at, end, &type));
            if (syc__per_item_struct(f, &type, from, at) && type.arrays == 0 && !syc__stream_is(f->s, at, "*"))
                c->arguments[k].structs = true;
            at = end;
        }
    }
done:
    return status;
}

/* -- what it is given -- */

static bool is_written(const syc__per_item_finder *f, const call *c, size_t at)
{
    return f->s->tokens[at].in_text == !c->macro && syc__per_item_written(f, at);
}

/* The '(' that belongs to a ')', in the text as it was written; NULL: there is none. */
static const syc_token *opening(const syc__per_item_finder *f, const syc_token *close)
{
    size_t depth = 0;
    for (const syc_token *t = close; t > f->r->tokens.items; t--) {
        depth += syc__token_is(t, ")");
        depth -= syc__token_is(t, "(");
        if (depth == 0)
            return t;
    }
    return NULL;
}

/* The name as the text or the macro has it: the function's, a macro's for that, a macro's parameter, what a macro
 * pastes or is called for. */
static bool read_name(const syc__per_item_finder *f, call *c)
{
    const syc_token *open, *first;

    c->macro = !f->s->tokens[c->open].in_text;
    if (!is_written(f, c, c->open) || !is_written(f, c, c->close) ||
        (c->macro && syc__per_item_apart(f->s->tokens[c->open].text, f->s->tokens[c->close].text)))
        return false;
    open = syc__per_item_raw(f, f->s->tokens[c->open].text);
    first = open - 1;
    if (syc__token_is(first, ")")) {
        first = opening(f, first);
        if (first == NULL || first == f->r->tokens.items)
            return false;
        first--;
    }
    while (first - f->r->tokens.items > 2 && syc__token_is(first - 1, "##"))
        first -= 2;
    c->name = first->text;
    c->name_length = (size_t)(open[-1].text + open[-1].length - first->text);
    c->begin = f->r->offsets[first->text - f->r->copy];
    return first->kind == SYC_TOKEN_WORD && first > f->r->tokens.items && !syc__token_is(first - 1, "define") &&
           !syc__token_is(first - 1, "##") && !syc__per_item_apart(first->text, open[-1].text);
}

/* False of a call that has none, or too many. */
static bool read_arguments(const syc__per_item_finder *f, call *c)
{
    size_t from = c->open + 1;

    c->whole = read_name(f, c);
    c->count = 0;
    for (size_t at = from; at <= c->close; at = syc__stream_next(f->s, at, c->close + 1)) {
        if (at != c->close && !syc__stream_is(f->s, at, ","))
            continue;
        if (c->count == MOST_ARGUMENTS || from == at)
            return false;
        c->arguments[c->count++] = (argument){.from = from, .to = at};
        c->whole = c->whole && is_written(f, c, at);
        from = at + 1;
    }
    return true;
}

/* Arguments that may be written twice as they stand: `0` and `NULL` become pointers in a call, and not as variables. */
static bool is_plain(const syc__per_item_finder *f, const argument *a)
{
    const size_t from = syc__per_item_end(f, a->from - 1), to = syc__per_item_offset(f, a->to);
    return !a->structs && !any_waits(f, a->from, a->to) && memchr(f->r->source + from, '{', to - from) == NULL &&
           memchr(f->r->source + from, '\n', to - from) == NULL;
}

/* Is there a struct to be kept while something else waits? Then the last one of both is the last variable. */
static bool is_concerned(const syc__per_item_finder *f, call *c)
{
    bool structs = false, waits = false;
    for (size_t k = 0; k < c->count; k++) {
        const argument *a = &c->arguments[k];
        const bool own = any_waits(f, a->from, a->to);
        structs = structs || a->structs;
        waits = waits || own;
        if (a->structs || (own && !c->macro))
            c->last = k;
    }
    return structs && waits;
}

/* What a macro is given differs, but not where its function takes structs: so those are its variables, and found before
 * all others. */
static void choose(const syc__per_item_finder *f, call *c)
{
    for (size_t k = 0; k <= c->last && k < c->count; k++)
        c->arguments[k].named = c->macro ? c->arguments[k].structs : !is_plain(f, &c->arguments[k]);
}

/* -- the edit -- */

/* Instead of the ',' or the name and '(' before argument k, and, of one that is copied, instead of itself. */
static syc_status replace(syc__per_item_finder *f, enum syc__scratch_rank rank, size_t from, size_t to,
                          const syc_text *text)
{
    char *copy = NULL;
    syc_status status = SYC_OK;

    SYC_CHECK(!text->cut, SYC_E_MEMORY_ALLOCATION, "no memory for a program");
    SYC_TRY(syc__arena_alloc(&f->r->arena, text->length + 1, &copy));
    memcpy(copy, syc_text_get(text), text->length);
    SYC_TRY(syc__scratch_put(f->r, rank, from, to - from, copy));
done:
    return status;
}

static void add_source(const syc__per_item_finder *f, const argument *a, syc_text *text)
{
    const size_t from = syc__per_item_end(f, a->from - 1), to = syc__per_item_offset(f, a->to);
    syc_text_add_n(text, f->r->source + from, to - from);
}

/* The call itself, as far as its arguments have been moved. */
static void add_call(const syc__per_item_finder *f, const call *c, syc_text *text)
{
    syc_text_add_n(text, c->name, c->name_length);
    syc_text_add(text, "(");
    for (size_t k = 0; k <= c->last; k++) {
        syc_text_add(text, k > 0 ? "," : "");
        if (c->arguments[k].named)
            syc_text_add(text, "syc_given_%zu", k);
        else
            add_source(f, &c->arguments[k], text);
    }
}

static syc_status edit(syc__per_item_finder *f, const call *c)
{
    syc_status status = SYC_OK;
    syc_text text = {0};

    for (size_t k = 0; k <= c->last + 1; k++) {
        const argument *a = &c->arguments[k];
        const size_t before = k == 0 ? c->open : c->arguments[k - 1].to;
        const size_t begin = k == 0 ? c->begin : syc__per_item_offset(f, before);
        size_t end = syc__per_item_end(f, before);
        syc_text_clear(&text);
        syc_text_add(&text, k == 0 ? "({ " : "");
        if (k > 0 && c->arguments[k - 1].named)
            syc_text_add(&text, ")); SYC_PER_ITEM(syc_given_%zu, syc_given_%zu) ", k - 1, k - 1);
        if (k > c->last)
            add_call(f, c, &text);
        if (k > c->last && before == c->close)
            syc_text_add(&text, "); })");
        else if (k > c->last)
            syc_text_add(&text, ",");
        else if (a->named)
            syc_text_add(&text, "__auto_type syc_given_%zu = ((void)0, (", k);
        else
            end = syc__per_item_offset(f, a->to);
        SYC_TRY(replace(f, SYC__PUT_CALLS, begin, end, &text));
    }
    syc_text_clear(&text);
    if (c->last + 1 < c->count) {
        syc_text_add(&text, "); })");
        SYC_TRY(replace(f, SYC__PUT_CALLS, syc__per_item_offset(f, c->close), syc__per_item_end(f, c->close), &text));
    }
done:
    syc_text_clear(&text);
    return status;
}

/* A call that no edit reaches: refused where it would be wrong, at the beginning of the function that makes it. */
static syc_status refuse(syc__per_item_finder *f, const call *c)
{
    const syc_token *name = c->callee->name;
    syc_status status = SYC_OK;
    syc_text text = {0};

    if (!syc__per_item_written(f, f->function->body))
        goto done;
    syc_text_add(&text, " SYC_PER_ITEM_UNSEEN(%.*s)", (int)name->length, name->text);
    SYC_TRY(replace(f, SYC__PUT_STRUCTS, syc__per_item_end(f, f->function->body),
                    syc__per_item_end(f, f->function->body), &text));
done:
    syc_text_clear(&text);
    return status;
}

/* Which arguments a macro's call gives as structs, in any of its expansions: those may call other functions. */
static syc_status gather(syc__per_item_finder *f, const call *c)
{
    syc__per_item_made *made = NULL;
    syc_status status = SYC_OK;

    for (size_t i = 0; i < f->made_count && made == NULL; i++)
        if (f->made[i].begin == c->begin)
            made = &f->made[i];
    if (made == NULL) {
        SYC_TRY(syc__arena_grow(&f->r->arena, &f->made, &f->made_capacity, f->made_count + 1, sizeof *f->made));
        made = &f->made[f->made_count++];
        *made = (syc__per_item_made){.begin = c->begin};
    }
    for (size_t k = 0; k < c->count; k++)
        made->structs |= (uint32_t)c->arguments[k].structs << k;
done:
    return status;
}

/* False: it was edited in another expansion. */
static bool take(syc__per_item_finder *f, call *c)
{
    for (size_t i = 0; i < f->made_count; i++) {
        if (f->made[i].begin != c->begin)
            continue;
        if (f->made[i].edited)
            return false;
        f->made[i].edited = true;
        for (size_t k = 0; k < c->count; k++)
            c->arguments[k].structs = f->made[i].structs >> k & 1;
    }
    return true;
}

syc_status syc__per_item_calls(syc__per_item_finder *f, bool edited)
{
    syc_status status = SYC_OK;

    for (size_t at = f->function->body + 1; at < f->function->close; at++) {
        call c = {.callee = callee_of(f, at), .open = at + 1};
        if (c.callee == NULL)
            continue;
        c.close = f->s->match[c.open];
        if (!any_waits(f, c.open + 1, c.close) || !read_arguments(f, &c))
            continue;
        SYC_TRY(find_structs(f, &c));
        if (!is_concerned(f, &c))
            continue;
        if (!c.whole && edited) {
            SYC_TRY(refuse(f, &c));
        } else if (c.whole && !edited) {
            SYC_TRY(gather(f, &c));
        } else if (c.whole && take(f, &c)) {
            (void)is_concerned(f, &c);
            choose(f, &c);
            SYC_TRY(edit(f, &c));
        }
    }
done:
    return status;
}
