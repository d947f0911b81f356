/* Names and their scopes, as far as tokens tell: what begins like a declaration is one, up to its ';'. */
#include "source/scope.h"

#include "source/declarations/types.h"
#include "source/statements.h"
#include "source/tokens.h"

#include <string.h>

/* A name that means something else from one token to before another. */
struct declared {
    const syc_token *name;
    size_t from, until;
};

typedef struct reader {
    syc_arena *arena;
    const syc_token_stream *s;
    const syc_token *tokens; /* its own */
    size_t first, last;
    const syc_word_map *words;
    bool *own;
    size_t *ends; /* of the blocks and `for` statements around: where they end; the text is the first */
    size_t depth, room;
    struct declared *declared;
    size_t count, capacity;
} reader;

static bool is(const reader *r, size_t at, const char *text)
{
    return at >= r->first && at < r->last && r->tokens[at].kind != SYC_TOKEN_STRING &&
           syc__token_is(&r->tokens[at], text);
}

static bool is_word(const reader *r, size_t at)
{
    return at >= r->first && at < r->last && r->tokens[at].kind == SYC_TOKEN_WORD;
}

static bool is_wanted(const reader *r, size_t at)
{
    return is_word(r, at) && syc__word_map_get(r->words, &r->tokens[at]) != NULL;
}

static bool closes(const reader *r, size_t at)
{
    return is(r, at, ")") || is(r, at, "]") || is(r, at, "}");
}

/* The token behind the one at `at`, or behind what that opens. */
static size_t next(const reader *r, size_t at)
{
    return at < r->last ? syc__stream_next(r->s, at, r->last) : r->last;
}

/* Where the bracket closes; the text's end if it does not. */
static size_t partner(const reader *r, size_t at)
{
    return r->s->match[at] < r->last ? r->s->match[at] : r->last;
}

/* A line may begin behind a macro that is a statement. */
static bool begins_statement(const reader *r, size_t at)
{
    return r->tokens[at].first || (is(r, at - 1, "(") && is(r, at - 2, "for")) ||
           syc__statement_begins(r->s, r->first, at);
}

static size_t statement_end(const reader *r, size_t at)
{
    const size_t end = syc__statement_end(r->s, at, r->last, NULL);
    return end > 0 ? end : r->last;
}

/* -- declarations -- */

/* Type words, or two words in a row, or "T *p" that is nothing but a declaration. */
static bool begins_declaration(const reader *r, size_t at)
{
    static const char *const others[] = {"return", "case",     "else",    "do",    "goto",  "sizeof", "if",
                                         "for",    "continue", "default", "while", "break", "switch", NULL};
    static const char *const behind[] = {"=", ";", ",", "[", NULL};
    const syc_types none = {0};
    syc_keyword keyword;
    syc_type type;

    if (!is_word(r, at) || syc__token_in(&r->tokens[at], others))
        return false;
    keyword = syc__keyword_of(&r->tokens[at]);
    if (keyword == SYC_KEYWORD_LOOP)
        return false;
    if (keyword != SYC_KEYWORD_NONE || syc__type_of_word(&none, &r->tokens[at], &type) || is_word(r, at + 1))
        return !is(r, at + 1, "(") || keyword != SYC_KEYWORD_NONE;
    if (!is(r, at + 1, "*"))
        return false;
    for (at++; is(r, at, "*") || (is_word(r, at) && syc__keyword_qualifies(syc__keyword_of(&r->tokens[at])));)
        at++;
    return is_word(r, at) && at + 1 < r->last && syc__token_in(&r->tokens[at + 1], behind);
}

static syc_status declare(reader *r, size_t at, size_t until)
{
    syc_status status = SYC_OK;
    if (!is_wanted(r, at))
        return SYC_OK;
    SYC_TRY(syc__arena_grow(r->arena, &r->declared, &r->capacity, r->count + 1, sizeof *r->declared));
    r->declared[r->count++] = (struct declared){&r->tokens[at], at, until};
done:
    return status;
}

/* Words between braces of a struct are its own; those of an enum are declared. */
static syc_status read_braces(reader *r, size_t open, bool is_enum)
{
    syc_status status = SYC_OK;
    for (size_t at = open + 1; at < partner(r, open); at++) {
        if (!is_enum && is_wanted(r, at))
            r->own[at - r->first] = true;
        else if (is_enum && (is(r, at - 1, "{") || is(r, at - 1, ",")))
            SYC_TRY(declare(r, at, r->ends[r->depth]));
    }
done:
    return status;
}

/* "struct tag {...}": gives the token behind. */
static syc_status read_tag(reader *r, size_t *at)
{
    bool is_enum = syc__keyword_of(&r->tokens[*at]) == SYC_KEYWORD_ENUM;
    size_t to = *at + 1;

    while (is_word(r, to) && syc__keyword_of(&r->tokens[to]) == SYC_KEYWORD_ATTRIBUTE)
        to = next(r, to + 1);
    if (is_word(r, to)) {
        r->own[to - r->first] = is_wanted(r, to);
        to++;
    }
    *at = is(r, to, "{") ? next(r, to) : to;
    return is(r, to, "{") ? read_braces(r, to, is_enum) : SYC_OK;
}

/* "(*name)": the name, or `open`. */
static size_t name_inside(const reader *r, size_t open)
{
    size_t at = open + 1;
    if (!is(r, at, "*"))
        return open;
    while (is(r, at, "*") || (is_word(r, at) && syc__keyword_qualifies(syc__keyword_of(&r->tokens[at]))))
        at++;
    return is_word(r, at) ? at : open;
}

/* The names of a declaration: each is the last word before what ends its declarator. */
static syc_status read_declaration(reader *r, size_t at)
{
    syc_status status = SYC_OK;
    size_t name = r->last, until = r->ends[r->depth];

    while (at < r->last && !is(r, at, ";") && !closes(r, at)) {
        syc_keyword keyword = syc__keyword_of(&r->tokens[at]);
        if (keyword >= SYC_KEYWORD_STRUCT && keyword <= SYC_KEYWORD_ENUM) {
            SYC_TRY(read_tag(r, &at));
        } else if (keyword == SYC_KEYWORD_ATTRIBUTE || keyword == SYC_KEYWORD_TYPEOF) {
            at = next(r, at + 1);
        } else if (is_word(r, at)) {
            name = at++;
        } else if (is(r, at, "(")) {
            name = name_inside(r, at) != at ? name_inside(r, at) : name;
            at = next(r, at);
        } else if (is(r, at, "=") || is(r, at, ",")) {
            SYC_TRY(declare(r, name, until));
            name = r->last;
            while (at < r->last && !is(r, at, ";") && !is(r, at, ",") && !closes(r, at))
                at = next(r, at);
            at += is(r, at, ",");
        } else {
            at = next(r, at);
        }
    }
    SYC_TRY(declare(r, name, until));
done:
    return status;
}

/* -- directives -- */

/* Behind the line. Of a macro, its name and its parameters are its own; of other lines all words. */
static syc_status read_directive(reader *r, size_t *at)
{
    syc_status status = SYC_OK;
    size_t from = *at, to = from + 1, name = from + 2, behind = name + 1;
    bool defines = is(r, from + 1, "define");

    while (to < r->last && !r->tokens[to].first)
        to++;
    *at = to;
    for (size_t i = from; i < to && !defines; i++)
        r->own[i - r->first] = is_wanted(r, i);
    if (!defines || name >= to)
        goto done;
    SYC_TRY(declare(r, name, r->last));
    if (behind < to && is(r, behind, "(") && !r->tokens[behind].space)
        for (size_t i = behind + 1; i < to && i < partner(r, behind); i++)
            SYC_TRY(declare(r, i, to));
done:
    return status;
}

/* -- the whole -- */

static syc_status enter(reader *r, size_t until)
{
    syc_status status = SYC_OK;
    SYC_TRY(syc__arena_grow(r->arena, &r->ends, &r->room, r->depth + 2, sizeof *r->ends));
    r->ends[++r->depth] = until;
done:
    return status;
}

static syc_status find_declared(reader *r)
{
    syc_status status = SYC_OK;

    SYC_TRY(syc__arena_grow(r->arena, &r->ends, &r->room, 1, sizeof *r->ends));
    r->ends[0] = r->last;
    for (size_t at = r->first; at < r->last;) {
        while (r->depth > 0 && at >= r->ends[r->depth])
            r->depth--;
        if (r->tokens[at].first && is(r, at, "#")) {
            SYC_TRY(read_directive(r, &at));
            continue;
        }
        if (is(r, at, "{"))
            SYC_TRY(enter(r, partner(r, at)));
        else if (is(r, at, "for"))
            SYC_TRY(enter(r, statement_end(r, at)));
        else if (is_word(r, at) && begins_statement(r, at) && begins_declaration(r, at))
            SYC_TRY(read_declaration(r, at));
        at++;
    }
done:
    return status;
}

static bool is_label(const reader *r, size_t at)
{
    return is(r, at - 1, "goto") || (is(r, at + 1, ":") && begins_statement(r, at) && !is(r, at - 1, "?"));
}

static bool is_declared(const reader *r, size_t at)
{
    for (size_t i = r->count; i-- > 0;)
        if (r->declared[i].from <= at && at < r->declared[i].until &&
            syc__token_same(r->declared[i].name, &r->tokens[at]))
            return true;
    return false;
}

syc_status syc__scope_read(const syc_token_stream *s, size_t first, size_t last, const syc_word_map *words, bool *own)
{
    syc_status status = SYC_OK;
    reader r = {s->arena, s, s->tokens, .first = first, .last = last, .words = words, .own = own};

    memset(own, 0, (last - first + 1) * sizeof *own);
    SYC_TRY(find_declared(&r));
    for (size_t at = first; at < last; at++)
        if (is_wanted(&r, at) && !own[at - first])
            own[at - first] = is(&r, at - 1, ".") || is(&r, at - 1, "->") || is_label(&r, at) || is_declared(&r, at);
done:
    return status;
}
