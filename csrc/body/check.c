/* Checked forms: every subscript of a global array goes through a function that holds it against the array's bounds. In
 * the text `x[e]` becomes `x(e)`, so do `*x` and `*(x + e)`, and `x` in a vload is `syc_span_x(4, e)`: lines stay.
 * `x(...)` and `syc_span_x(...)` are macros (bounds.c). */
#include "base/alloc.h"
#include "body/check_pointers.h"
#include "body/parts.h"
#include "source/lexer.h"

#include <stdlib.h>
#include <string.h>

/* The text's tokens, behind one that is not of it and tells where the lexer's copy begins. */
typedef struct raw {
    syc_arena arena;
    syc_tokens tokens;
    syc_stream stream;
    const char *begin;
    size_t *offsets; /* where in the text each byte of the copy stands: continued lines are left out there */
    struct insertion *insertions;
    size_t count, room;
} raw;

/* What is put into the text at an offset. */
struct insertion {
    size_t at;
    char *text;
};

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

static size_t offset_of(const raw *r, size_t at)
{
    return r->offsets[r->tokens.items[at].text - r->begin];
}

static size_t end_of(const raw *r, size_t at)
{
    const syc_token *token = &r->tokens.items[at];
    return r->offsets[token->text - r->begin + token->length - 1] + 1;
}

static void replace(const raw *r, size_t at, char with, char *text)
{
    text[offset_of(r, at)] = with;
}

static syc_status insert(raw *r, size_t at, const char *text)
{
    syc_status status = SYC_OK;
    SYC_TRY(syc__arena_grow(&r->arena, &r->insertions, &r->room, r->count + 1, sizeof *r->insertions));
    SYC_TRY(syc__arena_alloc(&r->arena, strlen(text) + 1, &r->insertions[r->count].text));
    strcpy(r->insertions[r->count].text, text);
    r->insertions[r->count++].at = at;
done:
    return status;
}

/* x becomes syc_span_x(4, e). */
static syc_status insert_span(raw *r, size_t at, const syc__access *access)
{
    size_t from = r->tokens.items[access->index_from].text - r->begin;
    const syc_token *last = &r->tokens.items[access->index_to - 1];
    syc_text text = {0};
    syc_status status = SYC_OK;

    syc_text_add(&text, "(%u, ", access->width);
    syc_text_add_n(&text, r->begin + from, (size_t)(last->text - r->begin) + last->length - from);
    syc_text_add(&text, ")");
    SYC_CHECK(!text.cut, SYC_E_MEMORY_ALLOCATION, "no memory for the text of a body");
    SYC_TRY(insert(r, offset_of(r, at), "syc_span_"));
    SYC_TRY(insert(r, end_of(r, at), syc_text_get(&text)));
done:
    syc_text_clear(&text);
    return status;
}

/* Elements that are come to by pointers. */
static syc_status replace_pointers(raw *r, const char *name, char *text)
{
    const syc_stream *s = &r->stream;
    syc_status status = SYC_OK;
    syc__access access;

    for (size_t at = 1; at < s->count; at++) {
        if (!syc__is_free_word(s, at) || !syc__stream_is(s, at, name) || !syc__access_read(s, at, &access))
            continue;
        if (access.kind == SYC__ACCESS_VECTOR) {
            SYC_TRY(insert_span(r, at, &access));
        } else if (access.kind == SYC__ACCESS_FIRST) {
            replace(r, at - 1, ' ', text);
            SYC_TRY(insert(r, end_of(r, at), "(0)"));
        } else {
            replace(r, at - 2, ' ', text);
            replace(r, at - 1, ' ', text);
            replace(r, at + 1, '(', text);
        }
    }
done:
    return status;
}

static int compare_insertions(const void *a, const void *b)
{
    const struct insertion *x = a, *y = b;
    return (x->at > y->at) - (x->at < y->at);
}

static void write_insertions(raw *r, const char *text, syc_text *out)
{
    size_t done = 0;
    if (r->count > 0)
        qsort(r->insertions, r->count, sizeof *r->insertions, compare_insertions);
    for (size_t i = 0; i < r->count; i++) {
        syc_text_add_n(out, text + done, r->insertions[i].at - done);
        syc_text_add_n(out, r->insertions[i].text, strlen(r->insertions[i].text));
        done = r->insertions[i].at;
    }
    syc_text_add_n(out, text + done, strlen(text + done));
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
    char *text = NULL;

    SYC_TRY(syc_copy_string(body->source.text, &text));
    SYC_TRY(read_raw(&r, body->source.text));
    for (size_t i = 0; i < body->source.count; i++) {
        const char *name = body->source.names[i].name;
        if (!syc__name_is_checked(body, i) || is_declared(&r.stream, name))
            continue;
        replace_brackets(&r, name, text);
        if (syc__name_has_one_subscript(body, i))
            SYC_TRY(replace_pointers(&r, name, text));
    }
    write_insertions(&r, text, out);
    SYC_CHECK(!out->cut, SYC_E_MEMORY_ALLOCATION, "no memory for the text of kernel '%s'", syc__body_kernel_name(body));
done:
    syc_free(text);
    syc__arena_clear(&r.arena);
    return status;
}
