/* Checked forms: every subscript of a global array goes through a function that holds it against the array's bounds. In
 * the text `x[e]` becomes `x(e)`, so do `*x` and `*(x + e)`, and `x` in a vload is `syc_span_x(4, e)`: lines stay.
 * `x(...)` and `syc_span_x(...)` are macros (bounds.c). */
#include "base/alloc.h"
#include "body/parts.h"
#include "body/read/pointers.h"
#include "source/lexer.h"
#include "source/scope.h"

#include <stdlib.h>
#include <string.h>

/* The text's tokens, behind one that is not of it and tells where the lexer's copy begins. */
typedef struct raw {
    syc_arena arena;
    syc_tokens tokens;
    syc_token_stream stream;
    const char *begin;
    bool *own;       /* for each token: a name that means something of the text's own there, and is left alone */
    size_t *offsets; /* where in the text each byte of the copy stands: continued lines are left out there */
    struct insertion *insertions;
    size_t count, room;
} raw;

/* An insertion into the text at an offset. */
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

/* Names are looked for where they mean what they mean around the text. */
static syc_status read_scopes(raw *r, const syc_body *body)
{
    syc_status status = SYC_OK;
    syc_word_map names = {0};

    for (size_t i = 0; i < body->source.count; i++) {
        const char *name = body->source.names[i].name;
        if (syc__name_is_checked(body, i))
            SYC_TRY(syc__word_map_put(
                &r->arena, &names, &(syc_token){.text = name, .length = (uint32_t)strlen(name), .kind = SYC_TOKEN_WORD},
                r));
    }
    SYC_TRY(syc__arena_alloc(&r->arena, (r->stream.count + 1) * sizeof *r->own, &r->own));
    status = syc__scope_read(&r->stream, 0, r->stream.count, &names, r->own);
done:
    return status;
}

static bool is_name(const raw *r, size_t at, const char *name)
{
    return r->tokens.items[at].kind == SYC_TOKEN_WORD && !r->own[at] && syc__stream_is(&r->stream, at, name);
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
    const syc_token_stream *s = &r->stream;
    syc_status status = SYC_OK;
    syc__access access;

    for (size_t at = 1; at < s->count; at++) {
        if (!is_name(r, at, name) || !syc__access_read(s, at, &access))
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
    const syc_token_stream *s = &r->stream;
    for (size_t at = 1; at < s->count; at++) {
        if (!is_name(r, at, name) || !syc__stream_is(s, at + 1, "[") || s->match[at + 1] == s->count)
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
    SYC_TRY(read_scopes(&r, body));
    for (size_t i = 0; i < body->source.count; i++) {
        const char *name = body->source.names[i].name;
        if (!syc__name_is_checked(body, i))
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

/* -- where the access stands that such a form has told of: it knows the line, and how long the subscripts are -- */

static bool is(const syc_tokens *tokens, size_t at, const char *text)
{
    return at < tokens->count && tokens->items[at].kind != SYC_TOKEN_STRING && syc__token_is(&tokens->items[at], text);
}

/* Between the brackets that open at `at`: as the preprocessor makes a string of it, without the commas between
 * subscripts. *close is the bracket's partner. */
static size_t measure(const syc_tokens *tokens, size_t at, size_t *close)
{
    size_t depth = 0, length = 0;
    bool begins = true;
    for (; at < tokens->count; at++) {
        const syc_token *t = &tokens->items[at];
        const bool closes = is(tokens, at, ")") || is(tokens, at, "]"), comma = depth == 1 && is(tokens, at, ",");
        depth -= closes;
        if (depth == 0 && closes)
            break;
        if (depth > 0 && !comma)
            length += t->length + (!begins && (t->space || t->first));
        begins = depth == 0 || comma;
        depth += is(tokens, at, "(") || is(tokens, at, "[");
    }
    *close = at;
    return length;
}

struct finding {
    const syc_tokens *tokens;
    const char *name;
    uint32_t line, size;
    size_t found, fitting;         /* how many accesses */
    const syc_token *first, *fits; /* of the name, in the line, and of this size */
};

static void look_at(struct finding *f, size_t at)
{
    const syc_token *name = &f->tokens->items[at];
    const bool member = at > 0 && (is(f->tokens, at - 1, ".") || is(f->tokens, at - 1, "->"));
    const bool opens = is(f->tokens, at + 1, "[") || is(f->tokens, at + 1, "(");
    size_t close = at, size = 0;

    if (member || name->kind != SYC_TOKEN_WORD || !syc__token_is(name, f->name) || name->line > f->line)
        return;
    if (opens)
        size = measure(f->tokens, at + 1, &close) + 1;
    if (close >= f->tokens->count || f->tokens->items[close].line < f->line)
        return;
    if (f->found++ == 0)
        f->first = name;
    if (size == f->size && f->fitting++ == 0)
        f->fits = name;
}

syc__place syc_body_fault_place(const syc_body *body, const uint32_t *faults)
{
    const syc_body_source *source = &body->source;
    const char *text = body->text != NULL ? body->text : "";
    syc__position at;
    syc_arena arena = {0};
    syc_tokens tokens = {0};
    struct finding f = {.tokens = &tokens,
                        .name = source->names[faults[SYC_FAULT_NAME]].name,
                        .line = faults[SYC_FAULT_LINE] & ((1U << SYC_FAULT_LINE_BITS) - 1),
                        .size = faults[SYC_FAULT_LINE] >> SYC_FAULT_LINE_BITS};
    const syc_token *place = NULL;

    if (syc__lex(&arena, text, strlen(text), &tokens) == SYC_OK)
        for (size_t at = 0; at < tokens.count; at++)
            look_at(&f, at);
    if (f.found == 1)
        place = f.first;
    if (f.fitting == 1)
        place = f.fits;
    at.line = place != NULL ? place->line : f.line;
    at.column = place != NULL ? place->column : 0;
    syc__arena_clear(&arena);
    return syc__place_in_parts(source->parts, source->part_count, source->whole ? "program" : "body", text, at);
}
