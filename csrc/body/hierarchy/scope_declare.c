/* Declarations in the text of a work-group: variables of the group become local memory, private ones an element each.
 */
#include "body/hierarchy/hierarchy.h"
#include "body/parts.h"
#include "source/declarations/keywords.h"
#include "source/declarations/types.h"
#include "source/tokens.h"

#include <string.h>

static bool is_type_word(const syc_token *token)
{
    const syc_types none = {0};
    syc_type type;
    return token->kind == SYC_TOKEN_WORD && syc__type_of_word(&none, token, &type);
}

static bool specifies(syc_keyword keyword)
{
    return keyword != SYC_KEYWORD_NONE && keyword != SYC_KEYWORD_LOOP && keyword != SYC_KEYWORD_KERNEL &&
           keyword != SYC_KEYWORD_ATTRIBUTE;
}

bool syc__scope_declares(const syc__hierarchy *h, size_t at, size_t end)
{
    static const char *const never[] = {"return", "goto", "else", "case", "sizeof", "break", "continue", NULL};
    static const char *const behind[] = {"=", ";", ",", "[", NULL};
    const syc_token *t = &h->edit.tokens.items[at];

    if (t->kind != SYC_TOKEN_WORD || syc__token_in(t, never))
        return false;
    if (specifies(syc__keyword_of(t)))
        return true;
    if (is_type_word(t))
        return at + 1 < end && !syc__edit_is(&h->edit, at + 1, "(");
    if (at + 1 < end && t[1].kind == SYC_TOKEN_WORD)
        return true;
    /* "T *p = x;": a product that nobody uses is no statement of anybody's */
    return at + 3 <= end && syc__edit_is(&h->edit, at + 1, "*") && t[2].kind == SYC_TOKEN_WORD &&
           syc__token_in(&t[3], behind);
}

/* Behind the specifiers: a '*' or a name. */
static size_t behind_specifiers(const syc__hierarchy *h, size_t at, size_t end)
{
    bool typed = false;
    while (at < end && h->edit.tokens.items[at].kind == SYC_TOKEN_WORD) {
        const syc_token *t = &h->edit.tokens.items[at];
        syc_keyword keyword = syc__keyword_of(t);
        if (keyword >= SYC_KEYWORD_STRUCT && keyword <= SYC_KEYWORD_ENUM) {
            typed = true;
            at += 2;
        } else if (specifies(keyword)) {
            typed = typed || keyword >= SYC_KEYWORD_SIGNED;
            at++;
        } else if (!typed) {
            typed = true;
            at++;
        } else {
            break;
        }
    }
    return at;
}

/* The specifiers without a space of their own, which all variables of a group share, and without const where it is the
 * variable's: it is assigned to, once. */
static void add_specifiers(const syc__hierarchy *h, size_t from, size_t to, bool pointer, syc_text *out)
{
    for (size_t at = from; at < to; at++) {
        const syc_token *t = &h->edit.tokens.items[at];
        syc_keyword keyword = syc__keyword_of(t);
        if ((!pointer && (keyword == SYC_KEYWORD_CONST || keyword == SYC_KEYWORD_LOCAL)) || syc__token_is(t, "static"))
            continue;
        syc_text_add(out, "%.*s ", (int)t->length, t->text);
    }
}

/* A declarator: [first, name) are its pointers, [name + 1, dims) its arrays. */
struct declarator {
    size_t first, name, dims, end; /* end: at its ',' or at the end; an initialiser is [dims + 1, end) */
};

static syc_status read_declarator(const syc__hierarchy *h, size_t at, size_t end, struct declarator *out)
{
    syc_status status = SYC_OK;
    struct declarator d = {.first = at};

    while (at < end &&
           (syc__edit_is(&h->edit, at, "*") || syc__keyword_qualifies(syc__keyword_of(&h->edit.tokens.items[at]))))
        at++;
    d.name = at++;
    if (d.name >= end || h->edit.tokens.items[d.name].kind != SYC_TOKEN_WORD)
        return syc__edit_refuse(&h->edit, d.name < end ? d.name : d.first,
                                "a declaration at group scope is of variables, arrays and pointers");
    while (at < end && syc__edit_is(&h->edit, at, "[")) {
        if (syc__edit_is(&h->edit, at + 1, "]"))
            return syc__edit_refuse(&h->edit, at, "an array at group scope says its size");
        at = syc__edit_match(&h->edit, at) + 1;
    }
    d.dims = at;
    if (at < end && !syc__edit_is(&h->edit, at, "=") && !syc__edit_is(&h->edit, at, ","))
        return syc__edit_refuse(&h->edit, at, "a declaration at group scope is of variables, arrays and pointers");
    while (at < end && !syc__edit_is(&h->edit, at, ","))
        at = syc__edit_match(&h->edit, at) + 1; /* of no bracket its own */
    d.end = at < end ? at : end;
    *out = d;
    return status;
}

/* One name means one thing: blocks beside each other may declare it again, but alike, since all such variables stand at
 * the kernel's outermost level. */
static syc_status add_shared(syc__hierarchy *h, size_t name, const char *declaration, bool is_private)
{
    syc_status status = SYC_OK;
    const syc_token *token = &h->edit.tokens.items[name];
    bool known = false;

    for (size_t i = 0; i < h->source->count; i++)
        if (syc__token_is(token, h->source->names[i].name))
            return syc__scope_refuse(h, name, "", " is an argument; choose another name for the variable");
    for (size_t i = 0; i < h->shared_count; i++) {
        const syc__shared *other = &h->shared[i];
        if (!syc__token_same(other->name, token))
            continue;
        known = true;
        if (other->depth > 0 || other->is_private != is_private || strcmp(other->declaration, declaration) != 0)
            return syc__scope_refuse(h, name, "",
                                     " is declared at group scope before, and differently or around this; choose "
                                     "another name");
    }
    SYC_TRY(syc__arena_grow(h->arena, &h->shared, &h->shared_room, h->shared_count + 1, sizeof *h->shared));
    h->shared[h->shared_count++] = (syc__shared){token, declaration, h->depth, is_private};
    if (!known && !is_private)
        syc_text_add(&h->hoisted, "%s; ", declaration);
done:
    return status;
}

static syc_status keep(syc__hierarchy *h, const syc_text *text, const char **out)
{
    syc_status status = SYC_OK;
    char *copy = NULL;
    SYC_CHECK(!text->cut, SYC_E_MEMORY_ALLOCATION, "no memory for the text of a work-group");
    SYC_TRY(syc__arena_alloc(h->arena, text->length + 1, &copy));
    memcpy(copy, syc_text_get(text), text->length);
    *out = copy;
done:
    return status;
}

/* An initialiser becomes an assignment; one in braces goes through a variable of its own. */
static syc_status add_initialiser(syc__hierarchy *h, const struct declarator *d, const char *type)
{
    syc_status status = SYC_OK;
    const syc_token *name = &h->edit.tokens.items[d->name];
    syc_text text = {0}, dims = {0};
    bool braces = syc__edit_is(&h->edit, d->dims + 1, "{"), array = d->dims > d->name + 1;

    SYC_TRY(syc__scope_flatten(h, d->dims + 1, d->end, SYC__SCOPE_GROUP, &text));
    SYC_TRY(syc__scope_flatten(h, d->name + 1, d->dims, SYC__SCOPE_GROUP, &dims));
    if (braces && array) {
        syc__edit_add(&h->edit, "{ %s syc_init%s = ", type, syc_text_get(&dims));
        syc__edit_add_n(&h->edit, syc_text_get(&text), text.length);
        syc__edit_add(&h->edit,
                      "; for (size_t syc_k = 0; syc_k < sizeof syc_init; syc_k++) "
                      "((__local char *)&%.*s)[syc_k] = ((__private const char *)&syc_init)[syc_k]; } ",
                      (int)name->length, name->text);
    } else {
        syc__edit_add(&h->edit, "%.*s = ", (int)name->length, name->text);
        if (braces)
            syc__edit_add(&h->edit, "(%s)", type);
        syc__edit_add_n(&h->edit, syc_text_get(&text), text.length);
        syc__edit_add(&h->edit, "; ");
    }
done:
    syc_text_clear(&text);
    syc_text_clear(&dims);
    return status;
}

/* [from, to): the specifiers. */
static syc_status declare(syc__hierarchy *h, size_t from, size_t to, const struct declarator *d)
{
    syc_status status = SYC_OK;
    bool pointer = d->name > d->first;
    syc_text type = {0}, text = {0};
    const char *declaration = NULL;

    add_specifiers(h, from, to, pointer, &type);
    SYC_CHECK(!type.cut, SYC_E_MEMORY_ALLOCATION, "no memory for the text of a work-group");
    syc_text_add(&text, "%s%s", pointer ? "" : "__local ", syc_text_get(&type));
    SYC_TRY(syc__scope_flatten(h, d->first, d->name, SYC__SCOPE_GROUP, &text));
    syc_text_add(&text, "%s", pointer ? "__local " : "");
    SYC_TRY(syc__scope_flatten(h, d->name, d->dims, SYC__SCOPE_GROUP, &text));
    SYC_TRY(keep(h, &text, &declaration));
    SYC_TRY(add_shared(h, d->name, declaration, false));
    if (d->dims < d->end)
        SYC_TRY(add_initialiser(h, d, syc_text_get(&type)));
done:
    syc_text_clear(&type);
    syc_text_clear(&text);
    return status;
}

syc_status syc__scope_declare(syc__hierarchy *h, size_t from, size_t to)
{
    syc_status status = SYC_OK;
    size_t first = behind_specifiers(h, from, to), at = first;

    if (syc__edit_is(&h->edit, at, "{"))
        return syc__edit_refuse(&h->edit, at, "a type is declared in the preamble, not at group scope");
    while (at < to) {
        struct declarator d = {0};
        SYC_TRY(read_declarator(h, at, to, &d));
        SYC_TRY(declare(h, from, first, &d));
        at = d.end + 1;
    }
done:
    return status;
}

/* -- private memory -- */

static size_t last_comma(const syc__hierarchy *h, size_t from, size_t to)
{
    size_t found = to;
    for (size_t at = from; at < to; at = syc__edit_match(&h->edit, at) + 1)
        if (syc__edit_is(&h->edit, at, ","))
            found = at;
    return found;
}

syc_status syc__scope_declare_private(syc__hierarchy *h, size_t from, size_t to)
{
    syc_status status = SYC_OK;
    size_t comma = last_comma(h, from, to), name = comma + 1;
    syc_text type = {0}, dims = {0}, text = {0};
    const char *declaration = NULL;

    if (comma == from || comma >= to || name >= to || h->edit.tokens.items[name].kind != SYC_TOKEN_WORD ||
        (name + 1 < to && !syc__edit_is(&h->edit, name + 1, "["))) {
        status = syc__edit_refuse(&h->edit, from, "expected private_memory(type, name)");
        goto done;
    }
    SYC_TRY(syc__scope_flatten(h, from, comma, SYC__SCOPE_ITEM, &type));
    SYC_TRY(syc__scope_flatten(h, name + 1, to, SYC__SCOPE_ITEM, &dims));
    syc_text_add(&text, "%s%s", syc_text_get(&type), syc_text_get(&dims));
    SYC_TRY(keep(h, &text, &declaration));
    syc__edit_add(&h->edit, "%.200s syc_private_%.*s[syc_private_count]%.200s;", syc_text_get(&type),
                  (int)h->edit.tokens.items[name].length, h->edit.tokens.items[name].text, syc_text_get(&dims));
    SYC_TRY(add_shared(h, name, declaration, true));
done:
    syc_text_clear(&type);
    syc_text_clear(&dims);
    syc_text_clear(&text);
    return status;
}

void syc__scope_end(syc__hierarchy *h)
{
    for (size_t i = 0; i < h->shared_count; i++)
        if (h->shared[i].depth == h->depth)
            h->shared[i].depth = 0;
    h->depth--;
}
