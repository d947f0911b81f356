/* Finds the declarations at file scope by their outline: where each ends, and whether it has a body. */
#include "source/declarations/parser.h"

#include "source/tokens.h"

/* The outline of one declaration. */
typedef struct outline {
    size_t head, end; /* tokens from head on, before end: body and ';' are inside */
    size_t params; /* of the last "name (": macros of a header that is not here may stand before; 0 if there is none */
    size_t name;
    size_t body; /* of the '{' of a function, 0 if there is none */
    bool is_typedef, is_kernel;
    bool declares_struct;
} outline;

/* Is the '(' at `at` that of a function's parameters? Then its name is the word before, or "(name)". */
static bool is_params(const syc_token_stream *s, size_t at, size_t head, size_t *name)
{
    syc_keyword keyword;
    syc_dtype type;
    if (at >= head + 3 && syc__stream_is(s, at - 1, ")") && syc__stream_is(s, at - 3, "(") &&
        s->tokens[at - 2].kind == SYC_TOKEN_WORD) {
        *name = at - 2;
        return true;
    }
    if (at == head || s->tokens[at - 1].kind != SYC_TOKEN_WORD)
        return false;
    keyword = syc__stream_keyword(s, at - 1);
    *name = at - 1;
    return keyword == SYC_KEYWORD_NONE && !syc_dtype_from_word(s->tokens[at - 1].text, s->tokens[at - 1].length, &type);
}

static void take_keyword(outline *o, syc_keyword keyword)
{
    o->is_typedef = o->is_typedef || keyword == SYC_KEYWORD_TYPEDEF;
    o->is_kernel = o->is_kernel || keyword == SYC_KEYWORD_KERNEL;
    o->declares_struct = o->declares_struct || (keyword >= SYC_KEYWORD_STRUCT && keyword <= SYC_KEYWORD_ENUM);
}

/* Reads on from o->head to behind the ';' or the body. */
static void read_outline(const syc_token_stream *s, outline *o)
{
    size_t at = o->head;
    bool assigned = false;  /* braces are an initialiser */
    bool aggregate = false; /* braces are a struct's members */

    while (at < s->count && !syc__stream_is(s, at, ";")) {
        syc_keyword keyword = syc__stream_keyword(s, at);
        take_keyword(o, keyword);
        if (keyword == SYC_KEYWORD_ATTRIBUTE || keyword == SYC_KEYWORD_TYPEOF) {
            at = syc__stream_is(s, at + 1, "(") ? syc__stream_next(s, at + 1, s->count) : at + 1;
            continue;
        }
        if (keyword >= SYC_KEYWORD_STRUCT && keyword <= SYC_KEYWORD_ENUM)
            aggregate = true;
        else if (syc__stream_is(s, at, "="))
            assigned = true;
        else if (syc__stream_is(s, at, "}"))
            break; /* closes nothing here */
        else if (syc__stream_is(s, at, "(") && !assigned && is_params(s, at, o->head, &o->name)) {
            o->params = at;
            aggregate = false;
        } else if (syc__stream_is(s, at, "{") && !assigned && !aggregate) {
            o->body = o->params != 0 ? at : 0;
            /* A brace behind no parameters is a block such as extern "C": go on inside it. */
            o->end = o->body != 0 ? syc__stream_next(s, at, s->count) : at + 1;
            return;
        } else if (syc__stream_is(s, at, "{")) {
            aggregate = false;
        }
        at = syc__stream_next(s, at, s->count);
    }
    o->end = at < s->count ? at + 1 : s->count;
}

static syc_status callee_of(syc_unit *unit, const syc_token *name, syc_callee **out)
{
    syc_status status = SYC_OK;
    *out = syc__word_map_get(&unit->callees, name);
    if (*out != NULL)
        goto done;
    SYC_TRY(syc__arena_alloc(unit->stream.arena, sizeof **out, out));
    SYC_TRY(syc__word_map_put(unit->stream.arena, &unit->callees, name, *out));
done:
    return status;
}

static syc_status keep_function(syc_unit *unit, const outline *o)
{
    syc_status status = SYC_OK;
    syc_arena *arena = unit->stream.arena;
    syc_function *f = NULL;

    SYC_TRY(syc__arena_alloc(arena, sizeof *f, &f));
    f->name = &unit->stream.tokens[o->name];
    f->head = o->head;
    f->params = o->params;
    f->body = o->body;
    f->close = unit->stream.match[o->body];
    f->kernel = o->is_kernel;
    SYC_TRY(callee_of(unit, f->name, &f->callee));
    f->overload = f->callee->last;
    f->callee->last = f;
    SYC_TRY(syc__arena_grow(arena, &unit->functions, &unit->capacity, unit->count + 1, sizeof(syc_function *)));
    unit->functions[unit->count++] = f;
done:
    return status;
}

syc_status syc__unit_read(syc_unit *unit)
{
    syc_status status = SYC_OK;
    const syc_token_stream *s = &unit->stream;
    syc_type ignored;

    for (size_t at = 0, from; at < s->count;) {
        outline o = {.head = at};
        read_outline(s, &o);
        from = at;
        if (o.is_typedef)
            SYC_TRY(syc__typedef_read(s, &unit->types, at, o.end));
        else if (o.declares_struct)
            SYC_TRY(syc__type_read(s, &unit->types, &from, o.end, &ignored));
        if (o.body != 0)
            SYC_TRY(keep_function(unit, &o));
        at = o.end;
    }
done:
    return status;
}
