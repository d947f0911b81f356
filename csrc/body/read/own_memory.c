/* Has a work-item memory of its own, beyond registers: an array, or a variable whose address is taken? Compilers give
 * all turns of a loop the same memory for it, and a vectoriser that is told that the turns are apart believes it. */
#include "body/parts.h"
#include "body/reading.h"
#include "source/declarations/parser.h"
#include "source/declarations/types.h"
#include "source/tokens.h"

/* Goes back from `at` to where its statement, or the list that it stands in, begins. `comma`: no further than to a
 * ','. */
static size_t go_back(const syc_token_stream *s, size_t at, size_t first, bool comma)
{
    static const char *const opening[] = {"(", "[", "{", NULL}, *const closing[] = {")", "]", "}", NULL};
    static const char *const ends[] = {";", ":", NULL};
    unsigned depth = 0;

    for (; at > first; at--) {
        const syc_token *before = &s->tokens[at - 1];
        if (before->kind != SYC_TOKEN_PUNCTUATOR)
            continue;
        if (depth == 0 && (syc__token_in(before, opening) || syc__token_in(before, ends) ||
                           (comma && (syc__token_is(before, ",") || syc__token_is(before, "=")))))
            return at;
        if (depth > 0 && syc__token_in(before, opening)) {
            depth--;
            if (depth == 0 && syc__token_is(before, "{") && !syc__stream_is(s, at - 2, "="))
                return s->match[at - 1] + 1; /* the end of a block, not of an initialiser */
        }
        depth += syc__token_in(before, closing);
    }
    return at;
}

static bool is_type(const syc__scan *scan, size_t at)
{
    const syc_token_stream *s = &scan->unit->stream;
    syc_type type;
    return s->tokens[at].kind == SYC_TOKEN_WORD && (syc__stream_keyword(s, at) != SYC_KEYWORD_NONE ||
                                                    syc__type_of_word(&scan->unit->types, &s->tokens[at], &type));
}

/* A type's word, or two words in a row, or "T *p": a product that nobody uses is no statement of anybody's. */
static bool begins_declaration(const syc__scan *scan, size_t at)
{
    const syc_token_stream *s = &scan->unit->stream;
    return is_type(scan, at) || (syc__declares(&s->tokens[at]) &&
                                 (s->tokens[at + 1].kind == SYC_TOKEN_WORD || syc__stream_is(s, at + 1, "*")));
}

/* Not of the item's own, when they stand before a variable that is no pointer. */
static bool has_space(const syc_token_stream *s, size_t at, size_t end)
{
    for (; at < end; at++) {
        syc_keyword keyword = syc__stream_keyword(s, at);
        if (keyword == SYC_KEYWORD_GLOBAL || keyword == SYC_KEYWORD_CONSTANT || keyword == SYC_KEYWORD_LOCAL)
            return true;
    }
    return false;
}

/* Is the name at `at`, with a '[' behind it, declared there, in memory of the item's own? "int[" has no name. */
static bool declares_array(const syc__scan *scan, size_t first, size_t at)
{
    const syc_token_stream *s = &scan->unit->stream;
    size_t declarator = go_back(s, at, first, true), start;
    bool pointer = syc__stream_is(s, at - 1, "*");

    if (is_type(scan, at))
        return true;
    if (syc__stream_is(s, declarator - 1, "=") ||
        (!pointer && !syc__stream_is(s, at - 1, ",") && !syc__declares(&s->tokens[at - 1])))
        return false;
    start = go_back(s, at, first, false);
    if (start >= at || !begins_declaration(scan, start))
        return false;
    return pointer || !has_space(s, start, at);
}

/* "&x[...]" of an array that was given: it is nobody's own. */
static bool is_given(const syc__scan *scan, size_t at)
{
    const syc_token_stream *s = &scan->unit->stream;
    const syc__use *use;
    while (syc__stream_is(s, at, "("))
        at++;
    use = at >= scan->first && at < scan->last ? syc__scan_use(scan, at) : NULL;
    return use != NULL && (syc__stream_is(s, at + 1, "[") || syc__stream_is(s, at + 1, "(")) &&
           scan->source->names[use - scan->reading->uses].kind != SYC_NAME_VALUE;
}

static bool keeps_in(const syc__scan *scan, size_t first, size_t last)
{
    const syc_token_stream *s = &scan->unit->stream;
    for (size_t at = first; at < last; at++)
        if ((syc__takes_address(scan, at) && !is_given(scan, at + 1)) ||
            (syc__stream_is(s, at, "[") && syc__is_free_word(s, at - 1) && declares_array(scan, first, at - 1)))
            return true;
    return false;
}

static bool reaches_own(const syc__scan *scan, const syc_function *caller, unsigned depth)
{
    enum { DEEP = 64 }; /* a chain of calls this long is not followed: the safe answer */
    if (depth > DEEP)
        return true;
    for (size_t i = 0; i < caller->call_count; i++)
        for (syc_function *f = caller->calls[i]->last; f != NULL; f = f->overload) {
            if (f->passed)
                continue;
            f->passed = true;
            if (keeps_in(scan, f->body + 1, f->close) || reaches_own(scan, f, depth + 1))
                return true;
        }
    return false;
}

void syc__body_find_own_memory(const syc__scan *scan, const syc_function *body)
{
    for (size_t i = 0; i < scan->unit->count; i++)
        scan->unit->functions[i]->passed = false;
    scan->reading->traits.keeps = scan->arrays || syc__structs_have(&scan->unit->stream, "[") ||
                                  keeps_in(scan, scan->first, scan->last) || reaches_own(scan, body, 0);
}
