/* Checked forms: every subscript of a global array goes through a function that holds it against the array's bounds. In
 * the text `x[e]` becomes `x(e)`, which is as long, so lines and columns stay; `x(...)` is a macro (body_bounds.c). */
#include "program/body_parts.h"
#include "program/lexer.h"

#include <string.h>

/* The text's tokens, behind one that is not of it and tells where the lexer's copy begins. */
typedef struct raw {
    syc_arena arena;
    syc_tokens tokens;
    syc_stream stream;
    const char *begin;
    size_t *offsets; /* where in the text each byte of the copy stands: continued lines are left out there */
} raw;

static syc_status find_offsets(raw *r, const char *text)
{
    syc_status status = SYC_OK;
    size_t at = 0, count = 0;

    SYC_TRY(syc__arena_alloc(&r->arena, (strlen(text) + 1) * sizeof *r->offsets, &r->offsets));
    while (text[at] != '\0') {
        size_t blanks = text[at] == '\\' ? strspn(text + at + 1, " \t\r\v\f") : 0;
        if (text[at] == '\\' && text[at + 1 + blanks] == '\n')
            at += blanks + 2;
        else
            r->offsets[count++] = at++;
    }
done:
    return status;
}

static syc_status read_raw(raw *r, const char *text)
{
    syc_status status = SYC_OK;
    syc_text lexed = {0};

    syc_text_add(&lexed, ";\n%s", text);
    SYC_CHECK(!lexed.cut, SYC_E_MEMORY_ALLOCATION, "no memory for a body of %zu bytes", strlen(text));
    SYC_TRY(syc__lex(&r->arena, syc_text_get(&lexed), lexed.length, &r->tokens));
    SYC_TRY(syc__stream_init(&r->stream, &r->arena, &r->tokens));
    SYC_TRY(find_offsets(r, text));
    r->begin = r->tokens.items[0].text + 2;
done:
    syc_text_clear(&lexed);
    return status;
}

/* Is the word behind a type, and not behind the name of a macro that stands for it? */
static bool is_declaration(const syc_stream *s, size_t at)
{
    return syc__declares(&s->tokens[at - 1]) && !(at > 1 && syc__stream_is(s, at - 2, "define"));
}

/* Does the text declare something else by that name, in some block? Then it is left alone. */
static bool is_declared(const syc_stream *s, const char *name)
{
    for (size_t at = 1; at < s->count; at++)
        if (syc__is_free_word(s, at) && syc__stream_is(s, at, name) && is_declaration(s, at))
            return true;
    return false;
}

static void replace(const raw *r, size_t at, char with, char *text)
{
    text[r->offsets[r->tokens.items[at].text - r->begin]] = with;
}

/* Puts the parentheses in for one name. */
static void replace_brackets(const raw *r, const char *name, char *text)
{
    const syc_stream *s = &r->stream;
    for (size_t at = 1; at < s->count; at++) {
        if (!syc__is_free_word(s, at) || !syc__stream_is(s, at, name) || !syc__stream_is(s, at + 1, "[") ||
            s->match[at + 1] == s->count)
            continue;
        replace(r, at + 1, '(', text);
        replace(r, s->match[at + 1], ')', text);
    }
}

syc_status syc__body_check_text(const syc_body *body, syc_text *out)
{
    syc_status status = SYC_OK;
    raw r = {0};

    syc_text_add(out, "%s", body->source.text);
    SYC_CHECK(!out->cut, SYC_E_MEMORY_ALLOCATION, "no memory for the text of kernel '%s'", syc__body_kernel_name(body));
    SYC_TRY(read_raw(&r, body->source.text));
    for (size_t i = 0; i < body->source.count; i++) {
        const char *name = body->source.names[i].name;
        if (syc__name_is_checked(body, i) && !is_declared(&r.stream, name))
            replace_brackets(&r, name, out->data);
    }
done:
    syc__arena_clear(&r.arena);
    return status;
}
