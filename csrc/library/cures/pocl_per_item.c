/* PoCL 3.0 to 3.1: variables of structs that are only copied whole are one for all items of a group, across barriers.
 * Gone when: tests/regression/test_structs_of_items.py::test_each_item_keeps_its_own.
 *
 * Finds the declarations of such variables, as the preprocessor leaves them. */
#include "library/cures/pocl_per_item.h"

#include "base/alloc.h"
#include "library/cures/pocl_per_item_parts.h"

#include <stdio.h>
#include <string.h>

bool syc__per_item_concerns(const syc_tokens *tokens)
{
    static const char *const makers[] = {"struct", "union", "SPEC_TYPE", NULL};
    bool makes = false, waits = false;
    for (size_t at = 0; at < tokens->count && !(makes && waits); at++) {
        if (tokens->items[at].kind != SYC_TOKEN_WORD)
            continue;
        makes = makes || syc__token_in(&tokens->items[at], makers);
        waits = waits || syc__collective(&tokens->items[at]) != SYC__REACH_NONE;
    }
    return makes && waits;
}

/* -- places in the text -- */

bool syc__per_item_written(const syc__per_item_finder *f, size_t at)
{
    const char *text = f->s->tokens[at].text;
    return text >= f->r->unit_copy && text < f->r->unit_copy + f->r->copied;
}

/* Instead of bytes of the text: "WORD(name)". */
static syc_status replace_by_word(syc__per_item_finder *f, size_t at, size_t removed, const char *word,
                                  const syc_token *name)
{
    const size_t room = strlen(word) + name->length + sizeof " ()";
    syc_status status = SYC_OK;
    char *text = NULL;

    SYC_TRY(syc__arena_alloc(&f->r->arena, room, &text));
    (void)snprintf(text, room, "%s%s(%.*s)", removed > 0 ? "" : " ", word, (int)name->length, name->text);
    SYC_TRY(syc__scratch_put(f->r, SYC__PUT_STRUCTS, at, removed, text));
done:
    return status;
}

/* " WORD(name, name[0][0])": an array, and its first element. */
static syc_status insert_word(syc__per_item_finder *f, size_t at, const char *word, const syc_token *name,
                              unsigned dims, const char *behind)
{
    const int n = (int)name->length;
    const size_t room = strlen(word) + 2 * name->length + 3 * (size_t)dims + strlen(behind) + sizeof " (, )";
    syc_status status = SYC_OK;
    char *text = NULL;
    int length;

    SYC_TRY(syc__arena_alloc(&f->r->arena, room, &text));
    length = snprintf(text, room, " %s(%.*s, %.*s", word, n, name->text, n, name->text);
    for (unsigned i = 0; i < dims; i++)
        length += snprintf(text + length, room - (size_t)length, "[0]");
    (void)snprintf(text + length, room - (size_t)length, ")%s", behind);
    SYC_TRY(syc__scratch_put(f->r, SYC__PUT_STRUCTS, at, 0, text));
done:
    return status;
}

size_t syc__per_item_offset(const syc__per_item_finder *f, size_t at)
{
    return f->r->offsets[f->s->tokens[at].text - f->r->unit_copy];
}

size_t syc__per_item_end(const syc__per_item_finder *f, size_t at)
{
    const syc_token *t = &f->s->tokens[at];
    return f->r->offsets[t->text - f->r->unit_copy + t->length - 1] + 1;
}

const syc_token *syc__per_item_raw(const syc__per_item_finder *f, const char *text)
{
    const syc_tokens *tokens = &f->r->tokens;
    size_t low = 0, high = tokens->count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (tokens->items[middle].text - f->r->copy < text - f->r->unit_copy)
            low = middle + 1;
        else
            high = middle;
    }
    return &tokens->items[low];
}

bool syc__per_item_apart(const char *from, const char *to)
{
    while (from < to && *from != '\n')
        from++;
    return from < to;
}

static bool is_of_macro(const syc__per_item_finder *f, size_t at)
{
    return !f->s->tokens[at].in_text && syc__per_item_written(f, at);
}

/* The macro's name of the variable whose declaration ends at `end` in its text: the same, a parameter, which stands
 * beside what is its own, or what it pastes, "x ## n". False: it is not to be seen. */
static bool name_in_macro(const syc__per_item_finder *f, size_t name, size_t end, syc_token *out)
{
    const char *stop = f->r->copy + (f->s->tokens[end].text - f->r->unit_copy);
    const syc_token *n = &f->s->tokens[name], *first = NULL, *last;
    if (is_of_macro(f, name))
        first = syc__per_item_raw(f, n->text);
    else if (is_of_macro(f, name - 1))
        first = syc__per_item_raw(f, f->s->tokens[name - 1].text) + 1;
    else if (is_of_macro(f, name + 1))
        first = syc__per_item_raw(f, f->s->tokens[name + 1].text) - 1;
    if (first == NULL)
        return false;
    last = first;
    while (first - f->r->tokens.items > 2 && syc__token_is(first - 1, "##"))
        first -= 2;
    while (last->text < stop && syc__token_is(last + 1, "##"))
        last += 2;
    if (first->kind != SYC_TOKEN_WORD || last->text >= stop || syc__per_item_apart(first->text, stop))
        return false;
    *out = *first;
    out->length = (uint32_t)(last->text + last->length - first->text);
    return true;
}

/* -- declarations -- */

typedef struct declared {
    size_t name, end; /* the ';' */
    unsigned dims;
} declared;

static syc_status keep_one(syc__per_item_finder *f, const declared *d, bool in_for)
{
    bool forever = syc__stream_is(f->s, d->end + 1, ";");
    syc_token name = f->s->tokens[d->name];
    if (!syc__per_item_written(f, d->end) ||
        (!f->s->tokens[d->end].in_text && !name_in_macro(f, d->name, d->end, &name)))
        return SYC_OK;
    return insert_word(f, syc__per_item_end(f, d->end), in_for ? "SYC_PER_ITEM_FOR" : "SYC_PER_ITEM", &name, d->dims,
                       in_for && forever ? " 1" : "");
}

/* Words that a statement begins with and no declaration of a variable of an item does. */
static bool is_other(const syc__per_item_finder *f, size_t from, size_t to)
{
    static const char *const words[] = {"return", "else",   "goto",   "case",   "default",  "do",     "break", "if",
                                        "while",  "switch", "static", "extern", "continue", "sizeof", "for",   NULL};
    for (size_t at = from; at < to; at++)
        if (f->s->tokens[at].kind == SYC_TOKEN_WORD && syc__token_in(&f->s->tokens[at], words))
            return true;
    return false;
}

/* A declarator is a word with brackets behind it, or nothing that is looked for. */
static bool read_name(const syc__per_item_finder *f, size_t at, size_t end, declared *d)
{
    const syc_token_stream *s = f->s;
    *d = (declared){.name = at, .end = end};
    if (at >= end || s->tokens[at].kind != SYC_TOKEN_WORD || syc__keyword_of(&s->tokens[at]) != SYC_KEYWORD_NONE)
        return false;
    for (at++; at < end && syc__stream_is(s, at, "["); at = syc__stream_next(s, at, end))
        d->dims++;
    return at == end || syc__stream_is(s, at, "=") || syc__stream_is(s, at, ",") ||
           syc__stream_keyword(s, at) == SYC_KEYWORD_ATTRIBUTE;
}

bool syc__per_item_struct(const syc__per_item_finder *f, const syc_type *type, size_t from, size_t at)
{
    return at > from && type->found && type->type == SYC_STRUCT && type->pointers == 0 &&
           type->space == SYC_SPACE_PRIVATE && !is_other(f, from, at);
}

/* A possible declaration, from `at` on. */
static syc_status read_statement(syc__per_item_finder *f, size_t at, bool in_for)
{
    syc_types *types = &f->r->unit.types;
    const size_t from = at;
    syc_status status = SYC_OK;
    size_t end = at;
    syc_type type;

    while (end < f->function->close && !syc__stream_is(f->s, end, ";"))
        end = syc__stream_next(f->s, end, f->function->close);
    if (end >= f->function->close || f->s->tokens[at].kind != SYC_TOKEN_WORD)
        goto done;
    if (syc__stream_keyword(f->s, at) == SYC_KEYWORD_TYPEDEF) {
        SYC_TRY(syc__typedef_read(f->s, types, at, end));
        goto done;
    }
    SYC_TRY(syc__type_read(f->s, types, &at, end, &type));
    for (declared d; syc__per_item_struct(f, &type, from, at) && at < end; at++) {
        if (read_name(f, at, end, &d)) {
            d.dims += type.arrays;
            SYC_TRY(keep_one(f, &d, in_for));
        }
        while (at < end && !syc__stream_is(f->s, at, ","))
            at = syc__stream_next(f->s, at, end);
    }
done:
    return status;
}

/* The '{' of a struct's members, where they begin behind this word; else the word itself. */
static size_t members_of(const syc__per_item_finder *f, size_t at)
{
    const syc_keyword keyword = syc__stream_keyword(f->s, at);
    size_t brace = at + 1;

    if (keyword != SYC_KEYWORD_STRUCT && keyword != SYC_KEYWORD_UNION && keyword != SYC_KEYWORD_ENUM)
        return at;
    while (syc__stream_keyword(f->s, brace) == SYC_KEYWORD_ATTRIBUTE)
        brace = syc__stream_next(f->s, brace + 1, f->function->close);
    brace += f->s->tokens[brace].kind == SYC_TOKEN_WORD;
    return syc__stream_is(f->s, brace, "{") ? brace : at;
}

static syc_status read_body(syc__per_item_finder *f)
{
    const syc_token_stream *s = f->s;
    syc_status status = SYC_OK;

    for (size_t at = f->function->body + 1; at < f->function->close; at++) {
        const size_t members = members_of(f, at);
        bool in_for = syc__stream_is(s, at - 1, "(") && syc__stream_is(s, at - 2, "for");
        if (in_for || syc__stream_is(s, at - 1, "{") || syc__stream_is(s, at - 1, "}") ||
            syc__stream_is(s, at - 1, ";") || syc__stream_is(s, at - 1, ":"))
            SYC_TRY(read_statement(f, at, in_for));
        if (members > at)
            at = s->match[members];
    }
done:
    return status;
}

/* -- parameters -- */

/* Is a variable of that name assigned to, or its address taken, in the function? */
static bool is_assigned(const syc__per_item_finder *f, const syc_token *name)
{
    for (size_t at = f->function->body + 1; at < f->function->close; at++)
        if (syc__token_same(&f->s->tokens[at], name) &&
            (syc__stream_is(f->s, at + 1, "=") || syc__stream_is(f->s, at - 1, "&")))
            return true;
    return false;
}

static syc_status keep_parameter(syc__per_item_finder *f, size_t name)
{
    const syc_function *function = f->function;
    const syc_token *word = &f->s->tokens[name];
    syc_status status = SYC_OK;

    if (!f->s->tokens[function->body].in_text || !syc__per_item_written(f, function->body))
        goto done;
    if (word->in_text && syc__per_item_written(f, name) && is_assigned(f, word)) {
        SYC_TRY(replace_by_word(f, syc__per_item_offset(f, name), word->length, "SYC_PER_ITEM_GIVEN", word));
        SYC_TRY(replace_by_word(f, syc__per_item_end(f, function->body), 0, "SYC_PER_ITEM_COPY", word));
    } else if (!function->kernel) {
        SYC_TRY(insert_word(f, syc__per_item_end(f, function->body), "SYC_PER_ITEM", word, 0, ""));
    }
done:
    return status;
}

static syc_status read_parameters(syc__per_item_finder *f)
{
    const size_t close = f->s->match[f->function->params];
    syc_status status = SYC_OK;

    for (size_t at = f->function->params + 1; at < close; at++) {
        size_t from = at, end = at;
        syc_type type;
        declared d;
        while (end < close && !syc__stream_is(f->s, end, ","))
            end = syc__stream_next(f->s, end, close);
        SYC_TRY(syc__type_read(f->s, &f->r->unit.types, &at, end, &type));
        if (syc__per_item_struct(f, &type, from, at) && !type.is_const && type.arrays == 0 &&
            read_name(f, at, end, &d) && d.dims == 0)
            SYC_TRY(keep_parameter(f, d.name));
        at = end;
    }
done:
    return status;
}

/* -- functions -- */

/* A function of no piece was made by macros: nobody knows what it comes to. */
static bool waits(const syc__per_item_finder *f)
{
    const char *brace = f->s->tokens[f->function->body].text;
    for (size_t i = 0; i < f->r->count; i++) {
        const syc__piece *piece = f->r->pieces[i];
        if (piece->function && f->r->tokens.items[piece->from - 1].text - f->r->copy == brace - f->r->unit_copy)
            return piece->reach != SYC__REACH_NONE;
    }
    return true;
}

syc_status syc__per_item_edit(syc__scratch_reading *r)
{
    syc_status status = SYC_OK;
    syc__per_item_finder f = {.r = r, .s = &r->unit.stream};

    for (size_t i = 0; i < r->unit.count; i++) {
        f.function = r->unit.functions[i];
        if (!f.function->name->library && waits(&f))
            SYC_TRY(syc__per_item_calls(&f, false));
    }
    for (size_t i = 0; i < r->unit.count; i++) {
        f.function = r->unit.functions[i];
        if (f.function->name->library || !waits(&f))
            continue;
        SYC_TRY(read_parameters(&f));
        SYC_TRY(read_body(&f));
        SYC_TRY(syc__per_item_calls(&f, true));
    }
done:
    return status;
}
