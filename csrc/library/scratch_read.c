/* Finds the functions, prototypes and macros of a text as it was written, in all of its conditional branches: which of
 * them counts only the compiler knows. A branch begins where the first one did, so braces that each of them opens pair.
 */
#include "base/dtype.h"
#include "library/scratch_parts.h"
#include "source/declarations/keywords.h"
#include "source/lexer.h"

#include <string.h>

/* Where the reader stands in a declaration. */
struct place {
    unsigned braces, parentheses;
    bool assigned;  /* behind a '=': braces are an initialiser */
    bool aggregate; /* behind "struct": braces hold members */
    bool kernel;
    bool ignoring; /* inside an attribute's parentheses, which began at depth `ignored` */
    unsigned ignored;
    syc__piece *head;     /* the function that is being declared, as far as it was read */
    syc__piece *function; /* whose body it is */
};

struct branches {
    struct place *begin; /* where each open #if stood */
    size_t count, capacity;
};

typedef struct reader {
    syc__scratch_reading *r;
    struct branches branches;
    struct place place;
    size_t floor;            /* the first token that may belong to this declaration */
    const syc__piece *macro; /* whose replacement is read, or NULL */
    size_t macro_params, macro_params_end;
} reader;

/* -- tokens -- */

syc_status syc__scratch_put(syc__scratch_reading *r, enum syc__scratch_rank rank, size_t at, size_t removed,
                            const char *text)
{
    return syc__edits_put(
        &r->arena, &r->edits,
        &(syc__replacement){.at = at, .removed = removed, .text = text, .rank = rank, .once = rank != SYC__PUT_FLOW});
}

bool syc__scratch_is(const syc__scratch_reading *r, size_t token, const char *text)
{
    return token < r->tokens.count && r->tokens.items[token].kind != SYC_TOKEN_STRING &&
           syc__token_is(&r->tokens.items[token], text);
}

size_t syc__scratch_offset(const syc__scratch_reading *r, size_t token)
{
    return r->offsets[r->tokens.items[token].text - r->copy];
}

size_t syc__scratch_end(const syc__scratch_reading *r, size_t token)
{
    const syc_token *t = &r->tokens.items[token];
    return t->length == 0 ? syc__scratch_offset(r, token) : r->offsets[t->text - r->copy + t->length - 1] + 1;
}

static syc_status find_offsets(syc__scratch_reading *r, const char *source, size_t length)
{
    syc_status status = SYC_OK;
    size_t at = 0;

    SYC_TRY(syc__arena_alloc(&r->arena, (length + 1) * sizeof *r->offsets, &r->offsets));
    while (at < length) {
        size_t blanks = source[at] == '\\' ? strspn(source + at + 1, " \t\r\v\f") : 0;
        if (source[at] == '\\' && source[at + 1 + blanks] == '\n')
            at += blanks + 2;
        else
            r->offsets[r->copied++] = at++;
    }
    r->offsets[r->copied] = length;
    r->copy = r->tokens.items[r->tokens.count - 1].text - r->copied; /* the last token stands at its end */
done:
    return status;
}

/* -- words -- */

syc_status syc__scratch_word(syc__scratch_reading *r, const syc_token *token, syc__word **out)
{
    syc_status status = SYC_OK;
    *out = syc__word_map_get(&r->names, token);
    if (*out != NULL)
        goto done;
    SYC_TRY(syc__arena_alloc(&r->arena, sizeof **out, out));
    (*out)->token = token;
    (*out)->older = r->words;
    r->words = *out;
    SYC_TRY(syc__word_map_put(&r->arena, &r->names, token, *out));
done:
    return status;
}

static bool is_macro(const syc__scratch_reading *r, size_t token)
{
    const syc__word *word = syc__word_map_get(&r->names, &r->tokens.items[token]);
    return word != NULL && word->macro;
}

/* -- pieces -- */

static syc_status new_piece(syc__scratch_reading *r, syc__piece **out)
{
    syc_status status = SYC_OK;
    SYC_TRY(syc__arena_alloc(&r->arena, sizeof **out, out));
done:
    return status;
}

syc_status syc__scratch_name(syc__scratch_reading *r, syc__piece *piece, const syc_token *name)
{
    syc_status status = SYC_OK;
    struct syc__link *link = NULL;
    syc__word *word;

    SYC_TRY(syc__scratch_word(r, name, &word));
    SYC_TRY(syc__arena_alloc(&r->arena, sizeof *link, &link));
    *link = (struct syc__link){.next_piece = word->pieces, .next_word = piece->words, .word = word, .piece = piece};
    word->pieces = piece->words = link;
done:
    return status;
}

syc_status syc__scratch_keep(syc__scratch_reading *r, syc__piece *piece)
{
    syc_status status = SYC_OK;
    piece->kept = true;
    SYC_TRY(syc__arena_grow(&r->arena, &r->pieces, &r->capacity, r->count + 1, sizeof(syc__piece *)));
    r->pieces[r->count++] = piece;
done:
    return status;
}

static syc_status keep_piece(syc__scratch_reading *r, syc__piece *piece)
{
    syc_status status = SYC_OK;
    SYC_TRY(syc__scratch_keep(r, piece));
    if (!piece->made)
        SYC_TRY(syc__scratch_name(r, piece, &r->tokens.items[piece->name]));
done:
    return status;
}

/* -- heads -- */

static bool is_word(const reader *d, size_t at)
{
    return at >= d->floor && d->r->tokens.items[at].kind == SYC_TOKEN_WORD;
}

/* Can the word be a function's name? */
static bool is_name(const reader *d, size_t at)
{
    const syc_token *t = &d->r->tokens.items[at];
    syc_dtype type;
    return is_word(d, at) && syc__keyword_of(t) == SYC_KEYWORD_NONE && !syc_dtype_from_word(t->text, t->length, &type);
}

static bool is_macro_parameter(const reader *d, size_t name)
{
    for (size_t i = d->macro_params; d->macro != NULL && i < d->macro_params_end; i++)
        if (syc__token_same(&d->r->tokens.items[i], &d->r->tokens.items[name]))
            return true;
    return false;
}

static syc_status open_head(reader *d, size_t params)
{
    const syc__scratch_reading *r = d->r;
    syc_status status = SYC_OK;
    bool wrapped = params >= d->floor + 3 && syc__scratch_is(r, params - 1, ")") &&
                   syc__scratch_is(r, params - 3, "(") && is_name(d, params - 2);
    size_t name = wrapped ? params - 2 : params - 1;
    syc__piece *head = NULL;

    if (params == 0 || !is_name(d, name) || (!wrapped && is_macro(r, name)))
        goto done;
    SYC_TRY(new_piece(d->r, &head));
    *head = (syc__piece){.name = name, .first_name = name, .params = params, .wrapped = wrapped};
    while (head->first_name >= d->floor + 2 && syc__scratch_is(r, head->first_name - 1, "##"))
        head->first_name -= 2;
    head->made = head->first_name != name || is_macro_parameter(d, name);
    head->strange = wrapped && is_word(d, params - 4) && params >= d->floor + 4 && is_macro(r, params - 4);
    d->place.head = head;
done:
    return status;
}

/* The head itself, or a copy where it already goes on in another branch. */
static syc_status take_head(reader *d, syc__piece **out)
{
    syc_status status = SYC_OK;
    *out = d->place.head;
    if (!(*out)->kept)
        goto done;
    SYC_TRY(new_piece(d->r, out));
    **out = *d->place.head;
    (*out)->words = NULL;
done:
    (*out)->kernel = d->place.kernel;
    return status;
}

/* A call in a macro looks like a prototype without a type. */
static bool is_prototype(const reader *d)
{
    static const char *const others[] = {"return", "else", "do", "case", "goto", "sizeof", NULL};
    const syc__piece *head = d->place.head;
    if (d->macro == NULL)
        return true;
    return !head->wrapped && head->first_name > d->floor && is_word(d, head->first_name - 1) &&
           !syc__token_in(&d->r->tokens.items[head->first_name - 1], others);
}

static void begin_declaration(reader *d, size_t at)
{
    d->place = (struct place){.braces = 0};
    d->floor = at;
}

static syc_status end_declaration(reader *d, size_t at)
{
    syc_status status = SYC_OK;
    syc__piece *prototype;
    if (d->place.head != NULL && !d->place.assigned && is_prototype(d)) {
        SYC_TRY(take_head(d, &prototype));
        prototype->from = prototype->to = 0;
        prototype->function = false;
        SYC_TRY(keep_piece(d->r, prototype));
    }
    begin_declaration(d, at + 1);
done:
    return status;
}

static syc_status open_brace(reader *d, size_t at)
{
    struct place *p = &d->place;
    syc_status status = SYC_OK;

    if (at > d->floor && d->r->tokens.items[at - 1].kind == SYC_TOKEN_STRING) { /* extern "C" { */
        begin_declaration(d, at + 1);
        goto done;
    }
    p->braces = 1;
    if (p->head == NULL || p->assigned || p->aggregate || p->parentheses > 0)
        goto done;
    SYC_TRY(take_head(d, &p->function));
    p->function->from = at + 1;
    p->function->to = d->r->tokens.count - 1;
    p->function->function = true;
    SYC_TRY(keep_piece(d->r, p->function));
done:
    return status;
}

static void in_braces(reader *d, size_t at)
{
    struct place *p = &d->place;
    p->braces += syc__scratch_is(d->r, at, "{");
    p->braces -= syc__scratch_is(d->r, at, "}");
    if (p->braces > 0)
        return;
    p->aggregate = false;
    if (p->function == NULL)
        return;
    p->function->to = at;
    begin_declaration(d, at + 1);
}

static void close_parenthesis(struct place *p)
{
    if (p->parentheses > 0)
        p->parentheses--;
    if (p->ignoring && p->parentheses == p->ignored)
        p->ignoring = false;
}

static void take_word(reader *d, size_t at)
{
    struct place *p = &d->place;
    syc_keyword keyword = syc__keyword_of(&d->r->tokens.items[at]);

    if ((keyword == SYC_KEYWORD_ATTRIBUTE || keyword == SYC_KEYWORD_TYPEOF) && syc__scratch_is(d->r, at + 1, "(")) {
        p->ignoring = true;
        p->ignored = p->parentheses;
    }
    p->kernel = p->kernel || keyword == SYC_KEYWORD_KERNEL;
    if (keyword >= SYC_KEYWORD_STRUCT && keyword <= SYC_KEYWORD_ENUM && p->parentheses == 0)
        p->aggregate = true;
}

/* One token of a declaration. */
static syc_status take(reader *d, size_t at)
{
    const syc__scratch_reading *r = d->r;
    struct place *p = &d->place;
    syc_status status = SYC_OK;

    if (p->braces > 0) {
        in_braces(d, at);
    } else if (r->tokens.items[at].kind == SYC_TOKEN_WORD) {
        if (!p->ignoring)
            take_word(d, at);
    } else if (syc__scratch_is(r, at, "(")) {
        if (p->parentheses == 0 && !p->ignoring && !p->assigned) {
            SYC_TRY(open_head(d, at));
            p->aggregate = p->aggregate && p->head == NULL;
        }
        p->parentheses++;
    } else if (syc__scratch_is(r, at, ")")) {
        close_parenthesis(p);
    } else if (syc__scratch_is(r, at, "=")) {
        p->assigned = p->assigned || p->parentheses == 0;
    } else if (syc__scratch_is(r, at, "{")) {
        SYC_TRY(open_brace(d, at));
    } else if (syc__scratch_is(r, at, "}")) {
        begin_declaration(d, at + 1);
    } else if (syc__scratch_is(r, at, ";") && p->parentheses == 0) {
        SYC_TRY(end_declaration(d, at));
    }
done:
    return status;
}

/* -- directives -- */

static size_t end_of_line(const syc__scratch_reading *r, size_t at)
{
    while (!r->tokens.items[at].first)
        at++;
    return at;
}

/* "#define NAME(...) ..." at its '#': the macro, and what it would define. */
static syc_status read_macro(reader *d, size_t at, size_t end)
{
    syc__scratch_reading *r = d->r;
    syc_status status = SYC_OK;
    reader inner = {.r = r};
    syc__piece *macro = NULL;
    syc__word *word;
    size_t from = at + 3, params = from;

    if (at + 2 >= end || r->tokens.items[at + 2].kind != SYC_TOKEN_WORD)
        goto done;
    if (from < end && syc__scratch_is(r, from, "(") && !r->tokens.items[from].space) {
        while (from < end && !syc__scratch_is(r, from, ")"))
            from++;
        from += from < end;
    }
    SYC_TRY(new_piece(r, &macro));
    *macro = (syc__piece){.from = from, .to = end, .name = at + 2, .first_name = at + 2};
    SYC_TRY(keep_piece(r, macro));
    SYC_TRY(syc__scratch_word(r, &r->tokens.items[at + 2], &word));
    word->macro = true;
    inner.macro = macro;
    inner.macro_params = params;
    inner.macro_params_end = from;
    inner.floor = from;
    for (size_t i = from; i < end; i++)
        SYC_TRY(take(&inner, i));
    if (inner.place.function != NULL)
        inner.place.function->to = end;
done:
    return status;
}

static syc_status read_directive(reader *d, size_t at, size_t end)
{
    static const char *const opening[] = {"if", "ifdef", "ifndef", NULL}, *const branching[] = {"elif", "else", NULL};
    struct branches *b = &d->branches;
    syc_status status = SYC_OK;

    if (at + 1 >= end)
        goto done;
    if (syc__token_in(&d->r->tokens.items[at + 1], opening)) {
        SYC_TRY(syc__arena_grow(&d->r->arena, &b->begin, &b->capacity, b->count + 1, sizeof *b->begin));
        b->begin[b->count++] = d->place;
    } else if (b->count > 0 && syc__token_in(&d->r->tokens.items[at + 1], branching)) {
        if (d->place.function != NULL && d->place.function != b->begin[b->count - 1].function)
            d->place.function->to = at;
        d->place = b->begin[b->count - 1];
    } else if (b->count > 0 && syc__scratch_is(d->r, at + 1, "endif")) {
        b->count--;
    } else if (syc__scratch_is(d->r, at + 1, "define")) {
        SYC_TRY(read_macro(d, at, end));
    }
    d->floor = end;
done:
    return status;
}

syc_status syc__scratch_read(syc__scratch_reading *r, const char *source, size_t length)
{
    syc_status status = SYC_OK;
    reader d = {.r = r};

    r->source = source;
    SYC_TRY(syc__lex(&r->arena, source, length, &r->tokens));
    SYC_TRY(find_offsets(r, source, length));
    for (size_t at = 0, end; at + 1 < r->tokens.count; at = end) {
        bool directive = r->tokens.items[at].first && syc__scratch_is(r, at, "#");
        end = directive ? end_of_line(r, at + 1) : at + 1;
        if (directive)
            SYC_TRY(read_directive(&d, at, end));
        else
            SYC_TRY(take(&d, at));
    }
done:
    return status;
}
