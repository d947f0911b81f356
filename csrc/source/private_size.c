/* Declarations of arrays and structs within functions, found by the token before them and the word that they begin
 * with.
 */
#include "source/private_size.h"

#include "source/tokens.h"

#include <stdint.h>

enum { SMALL = 256 }; /* bytes: less is mostly kept in registers */

static bool begins_statement(const syc_token_stream *s, size_t at)
{
    static const char *const before[] = {";", "{", "}", ":", NULL};
    return syc__token_in(&s->tokens[at - 1], before);
}

/* Of a type that is not defined here: that would be known beyond its block. */
static bool begins_declaration(const syc_unit *unit, size_t at)
{
    const syc_token_stream *s = &unit->stream;
    syc_keyword keyword = syc__stream_keyword(s, at);
    syc_type type;

    if (s->tokens[at].kind != SYC_TOKEN_WORD || s->tokens[at].maybe)
        return false;
    if (keyword == SYC_KEYWORD_STRUCT || keyword == SYC_KEYWORD_UNION)
        return s->tokens[at + 1].kind == SYC_TOKEN_WORD && !syc__stream_is(s, at + 2, "{");
    return keyword == SYC_KEYWORD_VOLATILE || keyword == SYC_KEYWORD_IDLE ||
           (keyword >= SYC_KEYWORD_SIGNED && keyword <= SYC_KEYWORD_INT) ||
           syc__type_of_word(&unit->types, &s->tokens[at], &type);
}

/* Constants, what is shared, and pointers are not memory of an item's own. */
static bool has_other(const syc_token_stream *s, size_t at, size_t end)
{
    for (; at < end; at = syc__stream_next(s, at, end)) {
        syc_keyword keyword = syc__stream_keyword(s, at);
        if ((keyword >= SYC_KEYWORD_CONST && keyword <= SYC_KEYWORD_WRITE_ONLY && keyword != SYC_KEYWORD_VOLATILE) ||
            keyword == SYC_KEYWORD_ATTRIBUTE || syc__stream_is(s, at, "static") || syc__stream_is(s, at, "extern"))
            return true;
    }
    return false;
}

static void add(syc_private *to, size_t bytes, const syc_token *name)
{
    if (bytes < SMALL)
        return;
    if (__builtin_add_overflow(to->bytes, bytes, &to->bytes))
        to->bytes = SIZE_MAX;
    if (bytes > to->largest) {
        to->largest = bytes;
        to->name = name;
    }
}

/* "int t[4] = {1}, u[9]" from `at` to `end`. */
static syc_status read_declaration(syc_unit *unit, size_t at, size_t end, syc_private *out)
{
    const syc_token_stream *s = &unit->stream;
    syc_status status = SYC_OK;
    syc_type base;

    SYC_TRY(syc__type_read(s, &unit->types, &at, end, &base));
    for (; base.found && base.arrays == 0 && at < end; at++) {
        syc_type type = base;
        size_t name, from = at, to = at, size = 0, alignment;
        while (to < end && !syc__stream_is(s, to, ",") && !syc__stream_is(s, to, "="))
            to = syc__stream_next(s, to, end);
        syc__declarator_read(s, &at, to, &type, &name);
        if (name < to && (type.arrays > 0 || type.type == SYC_STRUCT) &&
            syc__variable_size(s, &type, from, to, &size, &alignment))
            add(out, size, &s->tokens[name]);
        while (at < end && !syc__stream_is(s, at, ","))
            at = syc__stream_next(s, at, end);
    }
done:
    return status;
}

/* Of "struct s { ... }" the '}', so that members are not taken for variables; else `at`. */
static size_t skip_members(const syc_token_stream *s, size_t at)
{
    syc_keyword keyword = syc__stream_keyword(s, at);
    size_t open = at + 1;
    if (keyword != SYC_KEYWORD_STRUCT && keyword != SYC_KEYWORD_UNION)
        return at;
    open += s->tokens[open].kind == SYC_TOKEN_WORD;
    return syc__stream_is(s, open, "{") ? s->match[open] : at;
}

syc_status syc__private_read(syc_unit *unit, syc_function *f)
{
    const syc_token_stream *s = &unit->stream;
    syc_status status = SYC_OK;

    for (size_t at = f->body + 1; at < f->close; at++) {
        size_t end = at = skip_members(s, at);
        if (!begins_statement(s, at) || !begins_declaration(unit, at))
            continue;
        while (end < f->close && !syc__stream_is(s, end, ";"))
            end = syc__stream_next(s, end, f->close);
        if (!has_other(s, at, end))
            SYC_TRY(read_declaration(unit, at, end, &f->own));
    }
done:
    return status;
}

void syc__private_add(syc_private *to, const syc_private *called)
{
    if (__builtin_add_overflow(to->bytes, called->bytes, &to->bytes))
        to->bytes = SIZE_MAX;
    if (called->largest > to->largest) {
        to->largest = called->largest;
        to->name = called->name;
    }
}
