/* Which texts of the device library a program needs, told from its tokens alone. */
#include "library/prelude.h"

#include "library/converge.h"
#include "library/embedded.h"
#include "library/library.h"

#include <string.h>

/* What a text does with one name. */
struct mention {
    struct mention *next;
    const char *name;
    size_t library;
    enum syc__library_sort sort;
    bool used;     /* in a way that means the library's */
    bool declared; /* the text has something of its own by that name */
};

struct reading {
    syc_arena arena;
    syc_names names; /* of struct mention */
    struct mention *first;
    bool *wanted; /* of each library */
};

/* Where the reader stands. */
struct place {
    const syc_token *tokens;
    size_t count, at;
    bool directive;         /* on a line that begins with '#' */
    bool follows_directive; /* the token before belongs to such a line, and so says nothing about this one */
    int braces, parentheses;
};

/* -- names -- */

static syc_status add_name(struct reading *r, size_t library, const char *name, enum syc__library_sort sort)
{
    syc_status status = SYC_OK;
    syc_token token = {.text = name, .length = (uint32_t)strlen(name), .kind = SYC_TOKEN_WORD};
    struct mention *mention = NULL;

    SYC_TRY(syc__arena_alloc(&r->arena, sizeof *mention, &mention));
    *mention = (struct mention){.next = r->first, .name = name, .library = library, .sort = sort};
    r->first = mention;
    SYC_TRY(syc__names_put(&r->arena, &r->names, &token, mention));
done:
    return status;
}

/* The number of libraries when there is none of that name. */
static size_t library_of(const char *file)
{
    size_t i = 0;
    while (syc__libraries[i].file != NULL && (file == NULL || strcmp(syc__libraries[i].file, file) != 0))
        i++;
    return i;
}

static syc_status add_names(struct reading *r)
{
    syc_status status = SYC_OK;

    SYC_TRY(syc__arena_alloc(&r->arena, library_of(NULL) + 1, &r->wanted));
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

/* What stands before it declares it: a type, a qualifier, a directive's name. */
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
static void see_function(const struct place *p, struct mention *m)
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
static void see_word(const struct place *p, struct mention *m)
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

/* A type stands before what it declares, or alone between parentheses. */
static void see_type(const struct place *p, struct mention *m)
{
    const syc_token *before = token_before(p), *behind = token_at(p, p->at + 1);
    bool names = p->braces == 0 && p->parentheses == 0 && behind->kind != SYC_TOKEN_WORD;

    if ((p->directive || names) && is_declared(p))
        m->declared = true;
    else if (names && (syc__token_is(before, "*") || syc__token_is(before, "}")))
        m->declared = true;
    else if (behind->kind == SYC_TOKEN_WORD || (syc__token_is(before, "(") && syc__token_is(behind, ")")))
        m->used = true;
}

static void see_macro(const struct place *p, struct mention *m)
{
    if (p->directive && syc__token_is(token_before(p), "define"))
        m->declared = true;
    else if (syc__token_is(token_at(p, p->at + 1), "("))
        m->used = true;
}

static void see_presence(const struct place *p, struct mention *m)
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

static void see(struct reading *r, const syc_tokens *tokens)
{
    static void (*const sees[SYC__LIBRARY_SORTS])(const struct place *, struct mention *) = {
        see_function, see_function, see_word, see_type, see_macro, see_presence, see_presence};
    struct place p = {.tokens = tokens->items, .count = tokens->count};
    for (; p.at < p.count; p.at++) {
        struct mention *m;
        step(&p);
        m = p.tokens[p.at].kind == SYC_TOKEN_WORD ? syc__names_get(&r->names, &p.tokens[p.at]) : NULL;
        if (m == NULL)
            continue;
        sees[m->sort](&p, m);
    }
}

/* -- the texts -- */

/* A program with OpenCL's own types for something has its functions for them, which differ from ours in their defaults.
 */
static void give_way(struct reading *r)
{
    for (const struct mention *rival = r->first; rival != NULL; rival = rival->next)
        for (struct mention *m = r->first; rival->sort == SYC__LIBRARY_RIVAL && rival->used && m != NULL; m = m->next)
            m->declared |= m->library == rival->library;
}

/* Is it only there to be seen in the program? */
static bool is_sign(const struct mention *m)
{
    return m->sort == SYC__LIBRARY_RIVAL || m->sort == SYC__LIBRARY_BESIDE;
}

/* Has the program one of the words that the text wants beside its names? */
static bool has_beside(const struct reading *r, size_t library)
{
    bool found = syc__libraries[library].names[SYC__LIBRARY_BESIDE] == NULL;
    for (const struct mention *m = r->first; !found && m != NULL; m = m->next)
        found = m->library == library && m->sort == SYC__LIBRARY_BESIDE && m->used;
    return found;
}

/* Is a text with group functions, or OpenCL's own, to be checked? */
static bool is_checked(const struct reading *r, const syc_tokens *tokens)
{
    if (!syc_collectives_checked() || r->wanted[library_of(SYC__HIERARCHICAL)])
        return false;
    for (size_t at = 0; at < tokens->count; at++)
        if (tokens->items[at].kind == SYC_TOKEN_WORD && syc__collective(&tokens->items[at]) != SYC__REACH_NONE)
            return true;
    return false;
}

/* Of those that are used, and of what they need in their turn: that stands before them in the table. */
static void choose(struct reading *r, const syc_tokens *tokens)
{
    for (const struct mention *m = r->first; m != NULL; m = m->next)
        if (m->used && !m->declared && !is_sign(m) && has_beside(r, m->library))
            r->wanted[m->library] = true;
    r->wanted[library_of(SYC__CONVERGE)] = is_checked(r, tokens);
    for (size_t i = library_of(NULL); i-- > 0;) {
        const char *const *file = syc__libraries[i].needs;
        for (; r->wanted[i] && file != NULL && *file != NULL; file++)
            r->wanted[library_of(*file)] = true;
    }
}

/* The names of a text that the user has something else by go under another name while the text is read. */
static void hide(const struct mention *m, bool begin, syc_text *out)
{
    if (is_sign(m))
        return;
    if (m->declared && begin)
        syc_text_add(out, "#define %s syc_hidden_%s\n", m->name, m->name);
    else if (m->declared || (begin && m->sort == SYC__LIBRARY_OVERRIDE))
        syc_text_add(out, "#undef %s\n", m->name);
}

static void hide_all(const struct reading *r, size_t library, bool begin, syc_text *out)
{
    for (const struct mention *m = r->first; m != NULL; m = m->next)
        if (m->library == library)
            hide(m, begin, out);
}

static void add_texts(const struct reading *r, syc_text *out)
{
    for (size_t i = 0; syc__libraries[i].file != NULL; i++) {
        const char *text = r->wanted[i] ? syc_kernel_source(syc__libraries[i].file) : NULL;
        if (text == NULL)
            continue;
        hide_all(r, i, true, out);
        syc_text_add(out, "#line 1 \"%s\"\n", syc__libraries[i].file);
        syc_text_add_n(out, text, strlen(text));
        hide_all(r, i, false, out);
    }
}

static bool is_function(const struct mention *m)
{
    return m->used && !m->declared && m->sort == SYC__LIBRARY_FUNCTION;
}

static bool needs_scratch(const struct mention *m)
{
    return is_function(m) && syc__libraries[m->library].scratch;
}

/* The groups that the program names, or has a macro for. */
static uint32_t families_of_groups(const struct reading *r)
{
    uint32_t families = 0;
    for (const struct mention *m = r->first; m != NULL; m = m->next) {
        if (!m->used || m->declared)
            continue;
        if (strcmp(m->name, "work_group") == 0)
            families |= 1u << SYC_FAMILY_WORK_GROUPS;
        else if (strcmp(m->name, "sub_group") == 0)
            families |= 1u << SYC_FAMILY_SUB_GROUPS;
    }
    return families;
}

/* Of the functions that are used, not of the texts that they need: those are tested with them. */
static uint32_t families_of(const struct reading *r)
{
    uint32_t families = 0;
    for (const struct mention *m = r->first; m != NULL; m = m->next) {
        const struct syc__library *library = &syc__libraries[m->library];
        if (!is_function(m) && !(m->used && !m->declared && m->sort == SYC__LIBRARY_OVERRIDE))
            continue;
        if (library->family > 0)
            families |= 1u << (library->family - 1);
        if (library->groups)
            families |= families_of_groups(r);
    }
    return families;
}

static syc_status tell_use(const struct reading *r, syc_arena *arena, syc__library_use *use)
{
    syc_status status = SYC_OK;
    const char **names = NULL, **scratch = NULL;
    size_t count = 1;

    *use = (syc__library_use){.checked = r->wanted[library_of(SYC__CONVERGE)]};
    for (size_t i = 0; syc__libraries[i].file != NULL; i++)
        use->device = use->device || (r->wanted[i] && syc__libraries[i].device);
    for (const struct mention *m = r->first; m != NULL; m = m->next)
        count += is_function(m);
    SYC_TRY(syc__arena_alloc(arena, count * sizeof *names, &names));
    SYC_TRY(syc__arena_alloc(arena, count * sizeof *scratch, &scratch));
    use->families = families_of(r);
    use->functions = names;
    use->scratch = scratch;
    for (const struct mention *m = r->first; m != NULL; m = m->next) {
        if (is_function(m))
            names[use->function_count++] = m->name;
        if (needs_scratch(m))
            scratch[use->scratch_count++] = m->name;
    }
done:
    return status;
}

syc_status syc__prelude_add(syc_arena *arena, const syc_tokens *tokens, syc_text *out, syc__library_use *use)
{
    syc_status status = SYC_OK;
    struct reading reading = {0};

    SYC_TRY(add_names(&reading));
    see(&reading, tokens);
    give_way(&reading);
    choose(&reading, tokens);
    add_texts(&reading, out);
    SYC_CHECK(!out->cut, SYC_E_MEMORY_ALLOCATION, "no memory for the device library");
    if (use != NULL)
        SYC_TRY(tell_use(&reading, arena, use));
done:
    syc__arena_clear(&reading.arena);
    return status;
}
