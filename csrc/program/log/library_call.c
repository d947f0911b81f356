/* Finds calls of the library's by the tokens of a text. */
#include "program/log/library_call.h"

#include "library/mentions.h"
#include "source/lexer.h"

#include <stdio.h>
#include <string.h>

/* -- finding -- */

typedef struct reader {
    const syc_token *tokens;
    size_t count;              /* without the end */
    const syc_word_map *names; /* of syc__mention, by name */
} reader;

static bool is(const reader *r, size_t at, const char *text)
{
    return at < r->count && r->tokens[at].kind != SYC_TOKEN_STRING && syc__token_is(&r->tokens[at], text);
}

/* Is a function of the library's called there? */
static bool calls(const reader *r, size_t at)
{
    const syc__mention *m;
    if (at >= r->count || r->tokens[at].kind != SYC_TOKEN_WORD || !is(r, at + 1, "("))
        return false;
    m = syc__word_map_get(r->names, &r->tokens[at]);
    return m != NULL && m->used && !m->declared;
}

static size_t end_of_line(const reader *r, size_t at)
{
    while (at < r->count && !r->tokens[at].first)
        at++;
    return at;
}

/* The call in the text of a macro of that name; r->count if there is none. */
static size_t call_of_macro(const reader *r, const syc_token *name)
{
    for (size_t at = 0; at + 2 < r->count; at++) {
        size_t end;
        if (!r->tokens[at].first || !is(r, at, "#") || !is(r, at + 1, "define") ||
            !syc__token_same(&r->tokens[at + 2], name))
            continue;
        end = end_of_line(r, at + 1);
        for (at += 3; at < end; at++)
            if (calls(r, at))
                return at;
    }
    return r->count;
}

/* The last token that begins at the place or before it; r->count if none does in that line. */
static size_t token_at(const reader *r, size_t line, size_t column)
{
    size_t found = r->count;
    for (size_t at = 0; at < r->count; at++)
        if (r->tokens[at].line == line && r->tokens[at].column <= column)
            found = at;
    return found;
}

/* The innermost call with the token, r->count if none has it. */
static size_t call_around(const reader *r, size_t token)
{
    enum { DEEP = 200 };
    size_t open[DEEP], depth = 0;
    for (size_t at = 0; at < token; at++) {
        if (is(r, at, "(") || is(r, at, "[") || is(r, at, "{")) {
            if (depth == DEEP)
                return r->count;
            open[depth++] = at;
        } else if (depth > 0 && (is(r, at, ")") || is(r, at, "]") || is(r, at, "}"))) {
            depth--;
        }
    }
    while (depth > 0)
        if (open[--depth] > 0 && calls(r, open[depth] - 1))
            return open[depth] - 1;
    return r->count;
}

/* The only call in a line. */
static size_t call_in(const reader *r, size_t line)
{
    size_t found = r->count;
    for (size_t at = 0; at < r->count; at++) {
        if (r->tokens[at].line != line || !calls(r, at))
            continue;
        if (found < r->count)
            return r->count;
        found = at;
    }
    return found;
}

/* A call of that name among the arguments of the call; r->count if there is none. */
static size_t call_within(const reader *r, size_t call, const char *name)
{
    size_t depth = 0;
    for (size_t at = call + 1; at < r->count; at++) {
        depth += is(r, at, "(");
        if (is(r, at, ")") && --depth == 0)
            break;
        if (is(r, at, name) && calls(r, at))
            return at;
    }
    return r->count;
}

static bool find_call(const reader *r, size_t line, size_t column, const char *name, syc__library_call *out)
{
    size_t place = column > 0 ? token_at(r, line, column) : call_in(r, line), call = place;
    if (place == r->count)
        return false;
    if (!calls(r, place)) {
        call = r->tokens[place].kind == SYC_TOKEN_WORD ? call_of_macro(r, &r->tokens[place]) : r->count;
        out->theirs = call < r->count;
        if (!out->theirs)
            call = place = call_around(r, place);
    }
    if (call == r->count || r->tokens[call].length >= SYC__CALL_NAME)
        return false;
    if (name != NULL && !out->theirs && call_within(r, call, name) < r->count)
        call = place = call_within(r, call, name);
    (void)snprintf(out->name, sizeof out->name, "%.*s", (int)r->tokens[call].length, r->tokens[call].text);
    out->line = r->tokens[place].line;
    out->column = r->tokens[place].column;
    return true;
}

static syc_status read_names(syc_arena *arena, const syc_tokens *tokens, syc_word_map *out)
{
    syc_status status = SYC_OK;
    syc__mention *mentions = NULL;

    SYC_TRY(syc__mentions_read(arena, tokens, &mentions));
    for (syc__mention *m = mentions; m != NULL; m = m->next) {
        const syc_token word = {.text = m->name, .length = (uint32_t)strlen(m->name), .kind = SYC_TOKEN_WORD};
        SYC_TRY(syc__word_map_put(arena, out, &word, m));
    }
done:
    return status;
}

bool syc__library_call_find(syc_slice text, size_t line, size_t column, const char *name, syc__library_call *out)
{
    syc_arena arena = {0};
    syc_tokens tokens = {0};
    syc_word_map names = {0};
    bool found = false;

    *out = (syc__library_call){0};
    /* without memory the compiler's own words remain */
    if (text.length > 0 && line > 0 && syc__lex(&arena, text.text, text.length, &tokens) == SYC_OK &&
        read_names(&arena, &tokens, &names) == SYC_OK)
        found = find_call(&(reader){.tokens = tokens.items, .count = tokens.count - 1, .names = &names}, line, column,
                          name, out);
    syc__arena_clear(&arena);
    return found;
}
