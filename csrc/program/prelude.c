/* Which texts of the device library a program needs, told from its tokens alone. */
#include "program/prelude.h"

#include "program/embedded.h"

#include <string.h>

enum sort {
    FUNCTION, /* of use only before a '(': functions, and macros that take arguments */
    WORD,     /* a macro without: it would also hit a variable of the same name */
    TYPE,
    MACRO, /* with arguments, and of use anywhere: in #if, among the words of a declaration */
    SORTS
};

/* One text, the names in it that are the user's to use, and the text that must stand before it. */
struct library {
    const char *file, *needs;
    const char *const *names[SORTS]; /* each NULL, or ends with one */
};
/* clang-format off */
#define NAMES(...) (const char *const[]){__VA_ARGS__, NULL}
/* clang-format on */

/* In the order in which they stand before a program. */
static const struct library libraries[] = {
    {"language.clh", NULL, {[WORD] = NAMES("SYCL_LANGUAGE_VERSION")}},
    {"library.clh", NULL, {NULL}},
    {"constants.clh", NULL, {[MACRO] = NAMES("SPEC", "SPEC_HAS", "SPEC_TYPE")}},
    {"attributes.clh",
     NULL,
     {[MACRO] = NAMES("sycl_reqd_work_group_size", "sycl_work_group_size_hint", "sycl_vec_type_hint",
                      "sycl_reqd_sub_group_size")}},
    {"items.clh",
     "library.clh",
     {[FUNCTION] = NAMES("global_id", "local_id", "group_id", "global_range", "local_range", "group_range",
                         "global_offset", "max_local_range", "uniform_group_range"),
      [WORD] = NAMES("global_linear_id", "local_linear_id", "group_linear_id", "global_linear_range",
                     "local_linear_range", "group_linear_range")}},
    {"groups.clh", "library.clh", {[WORD] = NAMES("work_group")}},
    {"barrier.clh", "groups.clh", {[FUNCTION] = NAMES("group_barrier")}},
    {"async_copy.clh",
     "library.clh",
     {[FUNCTION] = NAMES("async_copy_global_to_local", "async_copy_local_to_global", "wait_for"),
      [TYPE] = NAMES("device_event")}},
    {"stream.clh",
     "items.clh",
     {[FUNCTION] = NAMES("stream_put", "stream_endl", "stream_flush", "stream_setw", "stream_setprecision"),
      [WORD] = NAMES("stream_hex", "stream_oct", "stream_showbase", "stream_showpos", "stream_fixed",
                     "stream_scientific", "stream_hexfloat"),
      [TYPE] = NAMES("stream")}},
    {"stream_places.clh",
     "stream.clh",
     {[WORD] = NAMES("stream_global_id", "stream_local_id", "stream_group_id", "stream_global_range",
                     "stream_local_range", "stream_group_range", "stream_global_offset", "stream_item",
                     "stream_nd_item", "stream_group", "stream_nd_range")}},
};
enum { LIBRARY_COUNT = sizeof libraries / sizeof *libraries };

/* What a text does with one name. */
struct mention {
    struct mention *next;
    const char *name;
    size_t library;
    enum sort sort;
    bool used;     /* in a way that means the library's */
    bool declared; /* the text has something of its own by that name */
};

struct reading {
    syc_arena arena;
    syc_names names; /* of struct mention */
    struct mention *first;
    bool wanted[LIBRARY_COUNT];
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

static syc_status add_name(struct reading *r, size_t library, const char *name, enum sort sort)
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

static syc_status add_names(struct reading *r)
{
    syc_status status = SYC_OK;
    for (size_t i = 0; i < LIBRARY_COUNT; i++) {
        for (int sort = 0; sort < SORTS; sort++) {
            const char *const *name = libraries[i].names[sort];
            for (; name != NULL && *name != NULL; name++)
                SYC_TRY(add_name(r, i, *name, (enum sort)sort));
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
    static void (*const sees[SORTS])(const struct place *, struct mention *) = {see_function, see_word, see_type,
                                                                                see_macro};
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

static size_t library_of(const char *file)
{
    size_t i = 0;
    while (i < LIBRARY_COUNT && strcmp(libraries[i].file, file) != 0)
        i++;
    return i;
}

/* Of those that are used, and of what they need in their turn: that stands before them in the table. */
static void choose(struct reading *r)
{
    for (const struct mention *m = r->first; m != NULL; m = m->next)
        r->wanted[m->library] |= m->used && !m->declared;
    for (size_t i = LIBRARY_COUNT; i-- > 0;) {
        if (r->wanted[i] && libraries[i].needs != NULL)
            r->wanted[library_of(libraries[i].needs)] = true;
    }
}

/* The names of a text that the user has something else by go under another name while the text is read. */
static void hide(const struct reading *r, size_t library, bool begin, syc_text *out)
{
    for (const struct mention *m = r->first; m != NULL; m = m->next) {
        if (m->library != library || !m->declared)
            continue;
        if (begin)
            syc_text_add(out, "#define %s syc_hidden_%s\n", m->name, m->name);
        else
            syc_text_add(out, "#undef %s\n", m->name);
    }
}

static void add_texts(const struct reading *r, syc_text *out)
{
    for (size_t i = 0; i < LIBRARY_COUNT; i++) {
        const char *text = r->wanted[i] ? syc_kernel_source(libraries[i].file) : NULL;
        if (text == NULL)
            continue;
        hide(r, i, true, out);
        syc_text_add(out, "#line 1 \"%s\"\n", libraries[i].file);
        syc_text_add_n(out, text, strlen(text));
        hide(r, i, false, out);
    }
}

syc_status syc__prelude_add(const syc_tokens *tokens, syc_text *out)
{
    syc_status status = SYC_OK;
    struct reading reading = {0};

    SYC_TRY(add_names(&reading));
    see(&reading, tokens);
    choose(&reading);
    add_texts(&reading, out);
    SYC_CHECK(!out->cut, SYC_E_MEMORY_ALLOCATION, "no memory for the device library");
done:
    syc__arena_clear(&reading.arena);
    return status;
}
