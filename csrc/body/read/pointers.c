/* Finds accesses by pointers in a body's tokens. A name here is a pointer, so a `*` before it never multiplies. */
#include "body/read/pointers.h"

#include "source/tokens.h"

#include <string.h>

/* Names of pure functions that are seen in indices; and words before a '(' that are none. */
static bool is_pure(const syc_token *word)
{
    static const char *const prefixes[] = {"get_", "convert_", "as_"};
    static const char *const names[] = {"min",         "max",          "abs",         "clamp",    "select",    "mad24",
                                        "mul24",       "global_id",    "local_id",    "group_id", "sizeof",    "SPEC",
                                        "local_range", "global_range", "group_range", "popcount", "isgreater", NULL};
    for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++) {
        size_t n = strlen(prefixes[i]);
        if (word->length > n && memcmp(word->text, prefixes[i], n) == 0)
            return true;
    }
    return syc__token_in(word, names);
}

/* Can these tokens, of one line, be evaluated once more? */
static bool changes_nothing(const syc_token_stream *s, size_t from, size_t to)
{
    static const char *const changing[] = {
        "++", "--", "=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>=", NULL};
    for (size_t at = from; at < to; at++) {
        if (syc__token_in(&s->tokens[at], changing) || syc__stream_is(s, at, "[") ||
            s->tokens[at].line != s->tokens[from].line)
            return false;
        if (s->tokens[at].kind == SYC_TOKEN_WORD && syc__stream_is(s, at + 1, "(") && !is_pure(&s->tokens[at]))
            return false;
    }
    return from < to;
}

/* "a", "a * b", "a + b" and the like: the sum with a pointer is the same as that of the index. More terms are not: of
 * x + a - b + c the index alone may wrap around in 32 bits. */
static bool is_index(const syc_token_stream *s, size_t from, size_t to)
{
    static const char *const others[] = {
        ",", "?", ":", "<", ">", "<=", ">=", "==", "!=", "&", "|", "^", "&&", "||", "<<", ">>", "=", NULL};
    unsigned sums = 0;
    for (size_t at = from; at < to; at = syc__stream_next(s, at, to)) {
        bool sum = syc__stream_is(s, at, "+") || syc__stream_is(s, at, "-");
        if (syc__token_in(&s->tokens[at], others))
            return false;
        sums += sum && at > from;
    }
    return sums <= 1 && from < to;
}

/* *(x + e) */
static bool read_sum(const syc_token_stream *s, size_t at, syc__access *out)
{
    size_t close;
    if (at < 2 || !syc__stream_is(s, at - 1, "(") || !syc__stream_is(s, at - 2, "*") || !syc__stream_is(s, at + 1, "+"))
        return false;
    close = s->match[at - 1];
    if (close == s->count || !is_index(s, at + 2, close))
        return false;
    *out = (syc__access){.kind = SYC__ACCESS_SUM};
    return true;
}

/* *x */
static bool read_first(const syc_token_stream *s, size_t at, syc__access *out)
{
    static const char *const behind[] = {"[", "(", "++", "--", ".", "->", NULL};
    if (!syc__stream_is(s, at - 1, "*") || syc__token_in(&s->tokens[at + 1], behind))
        return false;
    *out = (syc__access){.kind = SYC__ACCESS_FIRST};
    return true;
}

/* The N of vloadN and vstoreN; 0 for any other word. */
static unsigned width_of(const syc_token *word, bool *stores)
{
    static const struct {
        const char *word;
        unsigned width;
    } loads[] = {{"vload2", 2}, {"vload3", 3}, {"vload4", 4}, {"vload8", 8}, {"vload16", 16}},
      stored[] = {{"vstore2", 2}, {"vstore3", 3}, {"vstore4", 4}, {"vstore8", 8}, {"vstore16", 16}};
    for (size_t i = 0; i < sizeof loads / sizeof *loads; i++) {
        *stores = syc__token_is(word, stored[i].word);
        if (*stores || syc__token_is(word, loads[i].word))
            return loads[i].width;
    }
    return 0;
}

/* The call whose last argument is the name at `at`: where its '(' is, or 0. */
static size_t call_around(const syc_token_stream *s, size_t at)
{
    size_t open = at;
    while (--open > 0)
        if (syc__stream_is(s, open, "(") && s->match[open] == at + 1)
            return open;
    return 0;
}

/* vloadN(e, x), vstoreN(v, e, x) */
static bool read_vector(const syc_token_stream *s, size_t at, syc__access *out)
{
    size_t open, comma = 0;
    unsigned commas = 0;
    bool stores;

    if (!syc__stream_is(s, at - 1, ",") || !syc__stream_is(s, at + 1, ")"))
        return false;
    open = call_around(s, at);
    out->width = open > 1 ? width_of(&s->tokens[open - 1], &stores) : 0;
    if (out->width == 0)
        return false;
    for (size_t i = open + 1; i < at - 1; i = syc__stream_next(s, i, at - 1)) {
        if (syc__stream_is(s, i, ",")) {
            comma = i;
            commas++;
        }
    }
    *out = (syc__access){.kind = SYC__ACCESS_VECTOR,
                         .index_from = stores ? comma + 1 : open + 1,
                         .index_to = at - 1,
                         .width = out->width};
    return commas == (stores ? 1 : 0) && changes_nothing(s, out->index_from, out->index_to);
}

bool syc__access_read(const syc_token_stream *s, size_t at, syc__access *out)
{
    return read_sum(s, at, out) || read_first(s, at, out) || read_vector(s, at, out);
}
