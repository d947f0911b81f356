/* Arguments of group functions, counted and looked at as words. */
#include "library/group_calls.h"

#include "base/alloc.h"
#include "base/text.h"

#include <stdio.h>
#include <string.h>

enum { MOST = 6, /* arguments of a call */ ORDER = 0x80 };

enum groups { ANY_GROUP, SUB_GROUPS };

/* How a function may be called. `op`: which argument is the operator by the number of arguments, from 0; 0: none is.
 * ORDER: it is not one that combines, but one that tells what comes first. */
struct form {
    const char *name, *words;
    unsigned least, most;
    enum groups groups;
    unsigned char op[MOST + 1];
};

static const struct form forms[] = {
    {"group_barrier", "(group) or (group, scope)", 1, 2, ANY_GROUP, {0}},
    {"group_leader", "(group)", 1, 1, ANY_GROUP, {0}},
    {"group_broadcast", "(group, x) or (group, x, id), with an id of one to three numbers", 2, 5, ANY_GROUP, {0}},
    {"group_any_of", "(group, condition) or (group, x, predicate)", 2, 3, ANY_GROUP, {0}},
    {"group_all_of", "(group, condition) or (group, x, predicate)", 2, 3, ANY_GROUP, {0}},
    {"group_none_of", "(group, condition) or (group, x, predicate)", 2, 3, ANY_GROUP, {0}},
    {"group_reduce", "(group, x, op) or (group, x, init, op)", 3, 4, ANY_GROUP, {[3] = 2, [4] = 3}},
    {"group_exclusive_scan", "(group, x, op) or (group, x, init, op)", 3, 4, ANY_GROUP, {[3] = 2, [4] = 3}},
    {"group_inclusive_scan", "(group, x, op) or (group, x, op, init)", 3, 4, ANY_GROUP, {[3] = 2, [4] = 2}},
    {"joint_reduce", "(group, first, last, op) or (group, first, last, init, op)", 4, 5, ANY_GROUP, {[4] = 3, [5] = 4}},
    {"joint_exclusive_scan",
     "(group, first, last, out, op) or (group, first, last, out, init, op)",
     5,
     6,
     ANY_GROUP,
     {[5] = 4, [6] = 5}},
    {"joint_inclusive_scan",
     "(group, first, last, out, op) or (group, first, last, out, op, init)",
     5,
     6,
     ANY_GROUP,
     {[5] = 4, [6] = 4}},
    {"joint_any_of", "(group, first, last, predicate)", 4, 4, ANY_GROUP, {0}},
    {"joint_all_of", "(group, first, last, predicate)", 4, 4, ANY_GROUP, {0}},
    {"joint_none_of", "(group, first, last, predicate)", 4, 4, ANY_GROUP, {0}},
    {"joint_copy", "(group, first, last, out)", 4, 4, ANY_GROUP, {0}},
    {"joint_fill", "(group, first, last, value)", 4, 4, ANY_GROUP, {0}},
    {"joint_sort", "(group, first, last) or (group, first, last, compare)", 3, 4, ANY_GROUP, {[4] = ORDER | 3}},
    {"joint_sort_by_key",
     "(group, first, last, values) or (group, first, last, values, compare)",
     4,
     5,
     ANY_GROUP,
     {[5] = ORDER | 4}},
    {"sort_over_group", "(group, x) or (group, x, compare)", 2, 3, ANY_GROUP, {[3] = ORDER | 2}},
    {"execution_group", "(group)", 1, 1, ANY_GROUP, {0}},
    {"shift_group_left", "(sub_group, x) or (sub_group, x, delta)", 2, 3, SUB_GROUPS, {0}},
    {"shift_group_right", "(sub_group, x) or (sub_group, x, delta)", 2, 3, SUB_GROUPS, {0}},
    {"permute_group_by_xor", "(sub_group, x, mask)", 3, 3, SUB_GROUPS, {0}},
    {"select_from_group", "(sub_group, x, id)", 3, 3, SUB_GROUPS, {0}},
};

const char *const syc__operator_words[] = {"plus",   "multiplies", "minimum",     "maximum",    "bit_and",
                                           "bit_or", "bit_xor",    "logical_and", "logical_or", NULL};
static const char *const orders[] = {"less", "greater", NULL};

struct argument {
    size_t from, to; /* tokens */
};

typedef struct checker {
    const syc__calls_source *source;
    const syc_token *tokens;
    size_t count;     /* without the end */
    syc_names macros; /* of the text */
    struct argument arguments[MOST];
    size_t given;
    syc_refusal *out;
} checker;

/* -- reading -- */

static size_t end_of_line(const checker *c, size_t at)
{
    while (at < c->count && !c->tokens[at].first)
        at++;
    return at;
}

static bool is(const checker *c, size_t at, const char *text)
{
    return at < c->count && c->tokens[at].kind != SYC_TOKEN_STRING && syc__token_is(&c->tokens[at], text);
}

static syc_status find_macros(syc_arena *arena, checker *c)
{
    static char there;
    syc_status status = SYC_OK;
    for (size_t at = 0; at + 2 < c->count; at++)
        if (c->tokens[at].first && is(c, at, "#") && is(c, at + 1, "define") &&
            c->tokens[at + 2].kind == SYC_TOKEN_WORD)
            SYC_TRY(syc__names_put(arena, &c->macros, &c->tokens[at + 2], &there));
done:
    return status;
}

/* The arguments from behind the '(' on; false if the call does not end. */
static bool read_arguments(checker *c, size_t at)
{
    size_t depth = 0, from = at;
    c->given = 0;
    for (; at < c->count; at++) {
        bool closes = is(c, at, ")") || is(c, at, "]") || is(c, at, "}");
        if (depth == 0 && (closes || is(c, at, ","))) {
            if (c->given < MOST)
                c->arguments[c->given] = (struct argument){from, at};
            c->given += !closes || c->given > 0 || at > from;
            from = at + 1;
            if (closes)
                return is(c, at, ")");
        }
        if (is(c, at, "(") || is(c, at, "[") || is(c, at, "{"))
            depth++;
        else if (closes)
            depth--;
    }
    return false;
}

static const struct form *form_of(const checker *c, size_t at)
{
    const syc__library_use *use = c->source->use;
    if (c->tokens[at].kind != SYC_TOKEN_WORD || !is(c, at + 1, "(") ||
        (at > 0 && (is(c, at - 1, ".") || is(c, at - 1, "->"))))
        return NULL;
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        if (!syc__token_is(&c->tokens[at], forms[i].name))
            continue;
        for (size_t k = 0; k < use->function_count; k++)
            if (strcmp(use->functions[k], forms[i].name) == 0)
                return &forms[i];
    }
    return NULL;
}

/* -- judging -- */

/* The word that the argument is; NULL if it is more, or may be anything, since it is a macro. */
static const syc_token *word_of(const checker *c, size_t argument, bool *known)
{
    const struct argument *a = &c->arguments[argument];
    const syc_token *word = &c->tokens[a->from];
    char text[64];

    *known = true;
    for (size_t at = a->from; at < a->to; at++) {
        const syc_token *t = &c->tokens[at];
        if (t->kind != SYC_TOKEN_WORD)
            continue;
        (void)snprintf(text, sizeof text, "%.*s", (int)t->length, t->text);
        if (syc__names_get(&c->macros, t) != NULL || strstr(c->source->options, text) != NULL)
            *known = false;
    }
    return a->to == a->from + 1 && word->kind == SYC_TOKEN_WORD ? word : NULL;
}

static void add_argument(const checker *c, size_t argument, syc_text *text)
{
    const struct argument *a = &c->arguments[argument];
    syc_text_add(text, "'");
    for (size_t at = a->from; at < a->to; at++)
        syc_text_add(text, "%s%.*s", at > a->from && c->tokens[at].space ? " " : "", (int)c->tokens[at].length,
                     c->tokens[at].text);
    syc_text_add(text, "'");
}

static void check_count(const checker *c, const struct form *form, syc_text *text)
{
    if (c->given >= form->least && c->given <= form->most)
        return;
    syc_text_add(text, "%s takes %s, and %zu argument%s given", form->name, form->words, c->given,
                 c->given == 1 ? " is" : "s are");
}

static void check_group(const checker *c, const struct form *form, syc_text *text)
{
    bool known;
    const syc_token *word = word_of(c, 0, &known);
    if (!known || (word != NULL && syc__token_is(word, "sub_group")) ||
        (word != NULL && form->groups == ANY_GROUP && syc__token_is(word, "work_group")))
        return;
    syc_text_add(text, "%s: ", form->name);
    add_argument(c, 0, text);
    syc_text_add(text, form->groups == SUB_GROUPS ? ": it is for sub_group only"
                                                  : " is no group: work_group and sub_group are");
}

/* The user's own are macros of their names before the text, or in it. */
static bool is_operator(const checker *c, const syc_token *word, const char *const *own)
{
    char macro[128] = "";
    syc_token name = {.text = macro, .kind = SYC_TOKEN_WORD};

    if (syc__token_in(word, own))
        return true;
    if (syc__token_in(word, syc__operator_words) || syc__token_in(word, orders)) /* macros too, of the other kind */
        return false;
    if (word->length > sizeof macro - 16)
        return false;
    name.length = (uint32_t)snprintf(macro, sizeof macro, "SYC_OP_%.*s", (int)word->length, word->text);
    if (syc__names_get(&c->macros, &name) != NULL)
        return true;
    (void)snprintf(macro, sizeof macro, "SYC_OP_%.*s(", (int)word->length, word->text);
    return strstr(c->source->prelude, macro) != NULL;
}

static void check_operator(const checker *c, const struct form *form, syc_text *text)
{
    bool sorts = (form->op[c->given] & ORDER) != 0;
    const char *const *own = sorts ? orders : syc__operator_words;
    unsigned at = form->op[c->given] & ~(unsigned)ORDER;
    const syc_token *word;
    bool known;

    if (at == 0)
        return;
    word = word_of(c, at, &known);
    if (!known || (word != NULL && is_operator(c, word, own)))
        return;
    syc_text_add(text, "%s: ", form->name);
    add_argument(c, at, text);
    syc_text_add(text, sorts ? " tells no order:" : " is no operator:");
    for (size_t i = 0; own[i] != NULL; i++)
        syc_text_add(text, "%s %s", i == 0 ? "" : ",", own[i]);
    syc_text_add(text, sorts ? " do, and a sycl.BinaryOp by the name that it is given by"
                             : " are, and a sycl.BinaryOp by the name that it is given by");
}

static syc_status check_call(checker *c, size_t at, const struct form *form)
{
    syc_status status = SYC_OK;
    syc_text text = {0};

    if (!read_arguments(c, at + 2))
        return SYC_OK;
    check_count(c, form, &text);
    if (text.length == 0)
        check_group(c, form, &text);
    if (text.length == 0)
        check_operator(c, form, &text);
    if (text.length == 0)
        goto done;
    SYC_CHECK(!text.cut, SYC_E_MEMORY_ALLOCATION, "no memory for what is wrong with a program");
    SYC_TRY(syc_copy_string(syc_text_get(&text), &c->out->message));
    c->out->line = c->tokens[at].line;
    c->out->column = c->tokens[at].column;
done:
    syc_text_clear(&text);
    return status;
}

syc_status syc__group_calls_check(syc_arena *arena, const syc__calls_source *source, syc_refusal *out)
{
    static const char *const opening[] = {"if", "ifdef", "ifndef", NULL};
    checker c = {.source = source, .tokens = source->tokens->items, .count = source->tokens->count - 1, .out = out};
    syc_status status = SYC_OK;
    size_t groups = 0;

    SYC_TRY(find_macros(arena, &c));
    for (size_t at = 0; at < c.count && out->message == NULL; at++) {
        const struct form *form;
        if (c.tokens[at].first && is(&c, at, "#")) {
            groups += at + 1 < c.count && syc__token_in(&c.tokens[at + 1], opening);
            groups -= groups > 0 && is(&c, at + 1, "endif");
            at = end_of_line(&c, at + 1) - 1;
            continue;
        }
        form = groups == 0 ? form_of(&c, at) : NULL;
        if (form != NULL)
            SYC_TRY(check_call(&c, at, form));
    }
done:
    return status;
}
