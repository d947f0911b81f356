/* What the structs of a text hold, wherever they are declared; and pointers that are none of the arguments: whatever is
 * written through them is seen at no name. */
#include "body/reading.h"
#include "source/tokens.h"

/* The '{' of the members, if the struct or union that begins at `at` has them there. */
static size_t members_of(const syc_token_stream *s, size_t at)
{
    for (at++; s->tokens[at].kind == SYC_TOKEN_WORD;) {
        bool attribute = syc__stream_keyword(s, at) == SYC_KEYWORD_ATTRIBUTE;
        at++;
        if (attribute && at < s->count)
            at = syc__stream_next(s, at, s->count);
    }
    return at;
}

static bool is_among(const syc_token_stream *s, size_t first, size_t last, const char *punctuator)
{
    for (size_t at = first; at < last; at++)
        if (syc__stream_is(s, at, punctuator))
            return true;
    return false;
}

bool syc__structs_have(const syc_token_stream *s, const char *punctuator)
{
    for (size_t at = 0; at + 2 < s->count; at++) {
        syc_keyword keyword = syc__stream_keyword(s, at);
        size_t open;
        if (keyword != SYC_KEYWORD_STRUCT && keyword != SYC_KEYWORD_UNION)
            continue;
        open = members_of(s, at);
        if (syc__stream_is(s, open, "{") && is_among(s, open, s->match[open], punctuator))
            return true;
    }
    return false;
}

/* "*)", "*const)": the end of a cast to a pointer, or of a parameter without a name, which is as good. */
static bool ends_with_pointer(const syc_token_stream *s, size_t at)
{
    syc_keyword qualifier;
    if (!syc__stream_is(s, at, "*"))
        return false;
    do {
        qualifier = syc__stream_keyword(s, ++at);
    } while (qualifier == SYC_KEYWORD_CONST || qualifier == SYC_KEYWORD_VOLATILE || qualifier == SYC_KEYWORD_RESTRICT);
    return syc__stream_is(s, at, ")");
}

/* A type that is a pointer by another name. */
static bool is_typedef_of_pointer(const syc_token_stream *s, size_t at)
{
    size_t end = at;
    if (syc__stream_keyword(s, at) != SYC_KEYWORD_TYPEDEF)
        return false;
    while (end < s->count && !syc__stream_is(s, end, ";"))
        end = syc__stream_next(s, end, s->count);
    return is_among(s, at, end, "*");
}

bool syc__points_elsewhere(const syc_token_stream *s)
{
    for (size_t at = 0; at < s->count; at++)
        if (ends_with_pointer(s, at) || is_typedef_of_pointer(s, at))
            return true;
    return syc__structs_have(s, "*");
}
