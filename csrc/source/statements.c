/* Where statements end, and the parts that they have. */
#include "source/statements.h"

#include "source/tokens.h"

enum { DEEP = 250 }; /* statements inside of each other; of a chain of `else if` the first alone counts */

static const char no_end[] = "this statement has no ';' at its end";

static bool is(const syc_token_stream *s, size_t at, const char *text)
{
    return syc__stream_is(s, at, text);
}

static bool is_any(const syc_token_stream *s, size_t at, const char *const *words)
{
    return at < s->count && syc__token_in(&s->tokens[at], words);
}

static bool closes(const syc_token_stream *s, size_t at)
{
    return is(s, at, ")") || is(s, at, "]") || is(s, at, "}");
}

/* -- what one is made of -- */

static bool lose(syc__statement *out, size_t at, const char *why)
{
    out->end = 0;
    out->blame = at;
    out->why = why;
    return false;
}

static bool find_end(const syc_token_stream *s, size_t at, size_t to, unsigned depth, syc__statement *outer,
                     size_t *end);

/* The bracket at `at`, which must be there, and its partner. */
static bool read_bracket(const syc_token_stream *s, size_t at, size_t to, const char *open, syc__statement *out,
                         size_t *close)
{
    if (at >= to || !is(s, at, open))
        return lose(out, at < to ? at : at - 1, open[0] == '(' ? "expected '(' here" : "expected '{' here");
    *close = s->match[at];
    return *close < to || lose(out, at, "this bracket is not closed");
}

static bool read_head(const syc_token_stream *s, size_t at, size_t to, syc__statement *out)
{
    out->open = at;
    return read_bracket(s, at, to, "(", out, &out->close);
}

static bool read_simple(const syc_token_stream *s, size_t at, size_t to, syc__statement *out)
{
    static const char *const words[] = {"if",    "else",     "for",  "while", "do",      "switch", "return",
                                        "break", "continue", "goto", "case",  "default", NULL};
    size_t i = at;
    for (; i < to && !closes(s, i); i = syc__stream_next(s, i, to)) {
        const bool done = is(s, i, ";");
        out->end = i + done;
        if (done || (i > at && !is(s, i - 1, ":") && is_any(s, i, words))) /* behind a macro that needs no ';' */
            return true;
    }
    (void)lose(out, at, no_end);
    out->end = i > at ? i : 0;
    return i > at;
}

static bool read_label(const syc_token_stream *s, size_t at, size_t to, syc__statement *out)
{
    out->kind = SYC__STATEMENT_LABEL;
    for (size_t i = at, choices = 0; i < to && !is(s, i, ";"); i = syc__stream_next(s, i, to)) {
        choices += is(s, i, "?");
        out->end = i + 1;
        if (is(s, i, ":") && choices-- == 0)
            return true;
    }
    return lose(out, at, no_end);
}

static bool read_do(const syc_token_stream *s, size_t at, size_t to, unsigned depth, syc__statement *out)
{
    out->kind = SYC__STATEMENT_DO;
    if (!find_end(s, out->body = at + 1, to, depth, out, &out->body_end))
        return false;
    if (!is(s, out->body_end, "while"))
        return lose(out, at, "this 'do' has no 'while'");
    return read_head(s, out->body_end + 1, to, out) && read_simple(s, out->close + 1, to, out);
}

/* "parallel_for_work_item {...}", or with sizes in between. */
static bool read_items(const syc_token_stream *s, size_t at, size_t to, syc__statement *out)
{
    out->kind = SYC__STATEMENT_ITEMS;
    if (is(s, at + 1, "(") && !read_head(s, at + 1, to, out))
        return false;
    out->body = out->close > 0 ? out->close + 1 : at + 1;
    if (!read_bracket(s, out->body, to, "{", out, &out->body_end))
        return false;
    out->end = ++out->body_end;
    return true;
}

static bool read_headed(const syc_token_stream *s, size_t at, size_t to, unsigned depth, syc__statement *out)
{
    out->kind = is(s, at, "if") ? SYC__STATEMENT_IF : is(s, at, "switch") ? SYC__STATEMENT_SWITCH : SYC__STATEMENT_LOOP;
    if (!read_head(s, at + 1, to, out))
        return false;
    out->body = out->close + 1;
    if (!find_end(s, out->body, to, depth, out, &out->body_end))
        return false;
    out->end = out->body_end;
    return true;
}

/* Of an `if` without its `else`. */
static bool read(const syc_token_stream *s, size_t at, size_t to, unsigned depth, syc__statement *out)
{
    static const char *const headed[] = {"if", "for", "while", "switch", NULL}, *const choices[] = {"case", "default"};

    if (depth > DEEP)
        return lose(out, at, "too many statements stand inside of each other");
    if (at >= to)
        return lose(out, at - (at > 0), no_end);
    if (is(s, at, "{")) {
        out->kind = SYC__STATEMENT_BLOCK;
        out->body = at + 1;
        if (!read_bracket(s, at, to, "{", out, &out->body_end))
            return false;
        out->end = out->body_end + 1;
        return true;
    }
    if (is_any(s, at, headed))
        return read_headed(s, at, to, depth, out);
    if (is(s, at, "do"))
        return read_do(s, at, to, depth, out);
    if (is(s, at, "parallel_for_work_item"))
        return read_items(s, at, to, out);
    if (is(s, at, choices[0]) || is(s, at, choices[1]) || (s->tokens[at].kind == SYC_TOKEN_WORD && is(s, at + 1, ":")))
        return read_label(s, at, to, out);
    return read_simple(s, at, to, out);
}

/* Behind a statement with its labels and each `else`; `outer` takes an error. */
static bool find_end(const syc_token_stream *s, size_t at, size_t to, unsigned depth, syc__statement *outer,
                     size_t *end)
{
    for (;;) {
        syc__statement inner = {0};
        const bool told = read(s, at, to, depth + 1, &inner);
        if (inner.why != NULL && outer->why == NULL) {
            outer->why = inner.why;
            outer->blame = inner.blame;
        }
        *end = inner.end;
        if (inner.kind == SYC__STATEMENT_IF && is(s, *end, "else") && *end < to)
            at = *end + 1;
        else if (inner.kind == SYC__STATEMENT_LABEL)
            at = *end;
        else
            return told;
        if (!told)
            return false;
    }
}

syc__statement syc__statement_read(const syc_token_stream *s, size_t at, size_t to)
{
    syc__statement found = {0};
    if (read(s, at, to, 0, &found) && found.kind == SYC__STATEMENT_IF && is(s, found.end, "else") && found.end < to) {
        found.other = found.end + 1;
        (void)find_end(s, found.other, to, 0, &found, &found.end);
    }
    return found;
}

size_t syc__statement_end(const syc_token_stream *s, size_t at, size_t to, syc__statement *error)
{
    syc__statement none = {0};
    size_t end = 0;
    (void)find_end(s, at, to, 0, error != NULL ? error : &none, &end);
    return end;
}

/* -- where one begins -- */

/* Does the ')' at `at` end "if (...)" and the like? */
static bool ends_head(const syc_token_stream *s, size_t first, size_t at)
{
    static const char *const heads[] = {"if", "for", "while", "switch", NULL};
    const size_t open = syc__stream_open(s, at);
    return open < at && open > first && is_any(s, open - 1, heads);
}

/* Is the ':' at `at` behind a label or a case? */
static bool ends_label(const syc_token_stream *s, size_t first, size_t at)
{
    static const char *const before[] = {";", "{", "}", ":", NULL};
    size_t begin = at;
    while (begin > first && !is_any(s, begin - 1, before))
        begin--;
    return is(s, begin, "case") || is(s, begin, "default") ||
           (begin + 1 == at && !(begin > first && is(s, begin - 1, ":")));
}

static bool is_behind(const syc_token_stream *s, size_t first, size_t at)
{
    static const char *const before[] = {";", "}", "else", "do", NULL};
    return is_any(s, at - 1, before) || (is(s, at - 1, ")") && ends_head(s, first, at - 1)) ||
           (is(s, at - 1, ":") && ends_label(s, first, at - 1));
}

bool syc__statement_begins(const syc_token_stream *s, size_t first, size_t at)
{
    if (at == first || is_behind(s, first, at))
        return true; /* behind a '{', that of a block, and not of an initialiser or a struct */
    return is(s, at - 1, "{") && (at - 1 == first || is(s, at - 2, "{") || is_behind(s, first, at - 1));
}
