/* Does a text use a name of the device library's, or has it something of its own by that name? Told from its tokens
 * alone. */
#include "library/mentions.h"

#include <string.h>

typedef struct reading {
    syc_arena *arena;
    syc_word_map names; /* of syc__mention */
    syc__mention *first;
} reading;

/* Where the reader stands. */
struct place {
    const syc_token *tokens;
    size_t count, at;
    bool directive;         /* on a line that begins with '#' */
    bool follows_directive; /* the token before belongs to such a line, and so says nothing about this one */
    int braces, parentheses;
};

/* -- names -- */

static syc_status add_name(reading *r, size_t library, const char *name, enum syc__library_sort sort)
{
    syc_status status = SYC_OK;
    syc_token token = {.text = name, .length = (uint32_t)strlen(name), .kind = SYC_TOKEN_WORD};
    syc__mention *mention = NULL;

    SYC_TRY(syc__arena_alloc(r->arena, sizeof *mention, &mention));
    *mention = (syc__mention){.next = r->first, .name = name, .library = library, .sort = sort};
    r->first = mention;
    SYC_TRY(syc__word_map_put(r->arena, &r->names, &token, mention));
done:
    return status;
}

size_t syc__library_number(const char *file)
{
    size_t i = 0;
    while (syc__libraries[i].file != NULL && (file == NULL || strcmp(syc__libraries[i].file, file) != 0))
        i++;
    return i;
}

static syc_status add_names(reading *r)
{
    syc_status status = SYC_OK;

    for (size_t i = 0; syc__libraries[i].file != NULL; i++) {
        for (int sort = 0; sort < SYC__LIBRARY_SORTS; sort++) {
            const char *const *name = syc__libraries[i].names[sort];
            for (; name != NULL && *name != NULL; name++)
                SYC_TRY(add_name(r, i, *name, (enum syc__library_sort)sort));
        }
    }
done:
    return status;
}

/* -- what the text does with them -- */

static const syc_token *token_at(const struct place *p, size_t at)
{
    static const syc_token none = {.text = "", .kind = SYC_TOKEN_END};
    return at < p->count ? &p->tokens[at] : &none;
}

static const syc_token *token_before(const struct place *p)
{
    return p->at > 0 && !p->follows_directive ? &p->tokens[p->at - 1] : token_at(p, p->count);
}

/* The token before it makes it a declaration: a type, a qualifier, a directive's name. */
static bool is_declared(const struct place *p)
{
    static const char *const expects_value[] = {"return", "else", "do", "case", "goto", "sizeof", NULL};
    const syc_token *before = token_before(p);
    static const char *const conditions[] = {"if", "elif", "ifdef", "ifndef", "defined", NULL};
    if (before->kind != SYC_TOKEN_WORD || syc__token_in(before, expects_value) ||
        (p->directive && syc__token_in(before, conditions)))
        return false;
    return !(p->directive && p->at > 1 && syc__token_is(before - 1, "define")); /* else it is what a macro stands for */
}

static bool is_member(const syc_token *before)
{
    return syc__token_is(before, ".") || syc__token_is(before, "->");
}

/* "name(...) {": a definition, whatever stands before it. */
static bool is_definition(const struct place *p)
{
    size_t at = p->at + 1;
    int depth = 0;
    do {
        const syc_token *t = token_at(p, at++);
        if (t->kind == SYC_TOKEN_END)
            return false;
        depth += syc__token_is(t, "(") - syc__token_is(t, ")");
    } while (depth > 0);
    return syc__token_is(token_at(p, at), "{");
}

/* A function, or a macro like one: a variable of that name inside some function shadows it and does no harm. */
static void see_function(const struct place *p, syc__mention *m)
{
    const syc_token *before = token_before(p);
    bool called = syc__token_is(token_at(p, p->at + 1), "(");

    if (is_member(before))
        return;
    if (is_declared(p) && (p->directive || (p->braces == 0 && p->parentheses == 0)))
        m->declared = true;
    else if (called && !p->directive && is_definition(p))
        m->declared = true;
    else if (called || p->directive)
        m->used = true;
}

/* A word: a macro, so nothing else may have its name anywhere. */
static void see_word(const struct place *p, syc__mention *m)
{
    static const char *const assigns[] = {
        "=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>=", "++", "--", NULL};
    const syc_token *before = token_before(p), *behind = token_at(p, p->at + 1);

    if (is_member(before) || is_declared(p) || syc__token_in(behind, assigns) ||
        (syc__token_is(before, ",") && syc__token_is(behind, ";")))
        m->declared = true;
    else
        m->used = true;
}

/* A type stands before what it declares, or a pointer to that, alone between parentheses, or before those of what makes
 * a value of it. */
static void see_type(const struct place *p, syc__mention *m)
{
    const syc_token *before = token_before(p), *behind = token_at(p, p->at + 1);
    bool types = behind->kind == SYC_TOKEN_WORD || syc__token_is(behind, "*");
    bool names = p->braces == 0 && p->parentheses == 0 && !types;

    if ((p->directive || names) && is_declared(p))
        m->declared = true;
    else if (names && (syc__token_is(before, "*") || syc__token_is(before, "}")))
        m->declared = true;
    else if (types || syc__token_is(behind, "(") || (syc__token_is(before, "(") && syc__token_is(behind, ")")))
        m->used = true;
}

static void see_macro(const struct place *p, syc__mention *m)
{
    if (p->directive && syc__token_is(token_before(p), "define"))
        m->declared = true;
    else if (syc__token_is(token_at(p, p->at + 1), "("))
        m->used = true;
}

static void see_presence(const struct place *p, syc__mention *m)
{
    m->used |= !is_member(token_before(p));
}

static void step(struct place *p)
{
    const syc_token *t = &p->tokens[p->at];
    p->follows_directive = t->first && p->directive;
    if (t->first)
        p->directive = syc__token_is(t, "#");
    if (p->directive)
        return;
    p->braces += syc__token_is(t, "{") - syc__token_is(t, "}");
    p->parentheses += syc__token_is(t, "(") - syc__token_is(t, ")");
}

static void see(reading *r, const syc_tokens *tokens)
{
    static void (*const sees[SYC__LIBRARY_SORTS])(const struct place *, syc__mention *) = {
        see_function, see_function, see_word, see_type, see_macro, see_presence, see_presence};
    struct place p = {.tokens = tokens->items, .count = tokens->count};
    for (; p.at < p.count; p.at++) {
        syc__mention *m;
        step(&p);
        m = p.tokens[p.at].kind == SYC_TOKEN_WORD ? syc__word_map_get(&r->names, &p.tokens[p.at]) : NULL;
        if (m == NULL)
            continue;
        sees[m->sort](&p, m);
    }
}

syc_status syc__mentions_read(syc_arena *arena, const syc_tokens *tokens, syc__mention **out)
{
    syc_status status = SYC_OK;
    reading r = {.arena = arena};

    SYC_TRY(add_names(&r));
    see(&r, tokens);
    *out = r.first;
done:
    return status;
}
