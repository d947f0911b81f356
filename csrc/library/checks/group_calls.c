/* Arguments of group functions, counted and looked at as words. */
#include "library/checks/group_calls.h"

#include "base/alloc.h"
#include "base/text.h"
#include "library/call_forms.h"

#include <stdio.h>
#include <string.h>

const char *const syc__operator_words[] = {"plus",   "multiplies", "minimum",     "maximum",    "bit_and",
                                           "bit_or", "bit_xor",    "logical_and", "logical_or", NULL};
const char *const syc__order_words[] = {"less", "greater", "cless", "cgreater", NULL};

struct argument {
    size_t from, to; /* tokens */
};

typedef struct checker {
    const syc__calls_source *source;
    const syc_token *tokens;
    size_t count;        /* without the end */
    syc_word_map macros; /* of the text */
    struct argument arguments[SYC__MOST_ARGUMENTS];
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
            SYC_TRY(syc__word_map_put(arena, &c->macros, &c->tokens[at + 2], &there));
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
            if (c->given < SYC__MOST_ARGUMENTS)
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

static bool is_named(const char *name, const char *const *names, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(names[i], name) == 0)
            return true;
    return false;
}

static const struct syc__call_form *form_of(const checker *c, size_t at)
{
    const syc__library_use *use = c->source->use;
    if (c->tokens[at].kind != SYC_TOKEN_WORD || !is(c, at + 1, "(") ||
        (at > 0 && (is(c, at - 1, ".") || is(c, at - 1, "->"))))
        return NULL;
    for (const struct syc__call_form *form = syc__call_forms; form->name != NULL; form++)
        if (syc__token_is(&c->tokens[at], form->name))
            return is_named(form->name, use->functions, use->function_count) ||
                           is_named(form->name, use->overrides, use->override_count)
                       ? form
                       : NULL;
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
        if (syc__word_map_get(&c->macros, t) != NULL || strstr(c->source->options, text) != NULL)
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

static void check_count(const checker *c, const struct syc__call_form *form, syc_text *text)
{
    if (c->given >= form->least && c->given <= form->most)
        return;
    syc_text_add(text, "%s takes %s, and %zu argument%s given", form->name, form->words, c->given,
                 c->given == 1 ? " is" : "s are");
}

/* May the text have a variable of that name? */
static bool is_declared(const checker *c, const syc_token *word)
{
    static const char *const behind[] = {"=", ";", ",", ")", "[", NULL};
    static const char *const expects_value[] = {"return", "else", "do", "case", "sizeof", NULL};
    for (size_t at = 1; at + 1 < c->count; at++) {
        const syc_token *before = &c->tokens[at - 1];
        if (syc__token_same(&c->tokens[at], word) && syc__token_in(&c->tokens[at + 1], behind) &&
            (syc__token_is(before, "*") || (before->kind == SYC_TOKEN_WORD && !syc__token_in(before, expects_value))))
            return true;
    }
    return false;
}

/* A function whose name says for whom it is, or that is for nobody, is given no group: that would be a number. */
static void check_no_group(const checker *c, const struct syc__call_form *form, syc_text *text)
{
    static const char *const groups[] = {"work_group", "sub_group", NULL};
    bool known;
    const syc_token *word = c->given > 0 ? word_of(c, 0, &known) : NULL;
    if (word != NULL && known && syc__token_in(word, groups) && !is_declared(c, word))
        syc_text_add(text, "%s takes %s, and no group: '%.*s' is given", form->name, form->words, (int)word->length,
                     word->text);
}

static void check_group(const checker *c, const struct syc__call_form *form, syc_text *text)
{
    bool known;
    const syc_token *word;

    if (form->groups == SYC__NO_GROUP) {
        check_no_group(c, form, text);
        return;
    }
    word = word_of(c, 0, &known);
    if (known && word != NULL && syc__token_is(word, "sub_group") && strcmp(form->name, "group_broadcast") == 0 &&
        c->given > 3)
        syc_text_add(text, "%s: an item of a sub_group has an id of one number, and %zu are given", form->name,
                     c->given - 2);
    if (!known || (word != NULL && syc__token_is(word, "sub_group")) ||
        (word != NULL && form->groups == SYC__ANY_GROUP && syc__token_is(word, "work_group")))
        return;
    syc_text_add(text, form->groups == SYC__SUB_GROUPS ? "%s is for sub_group only, and not for " : "%s: ", form->name);
    add_argument(c, 0, text);
    syc_text_add(text, form->groups == SYC__SUB_GROUPS ? "" : " is no group: work_group and sub_group are");
}

/* The user's own are macros of their names before the text, or in it. */
static bool is_operator(const checker *c, const syc_token *word, const char *const *own)
{
    char macro[128] = "";
    syc_token name = {.text = macro, .kind = SYC_TOKEN_WORD};

    if (syc__token_in(word, own))
        return true;
    if (syc__token_in(word, syc__operator_words) ||
        syc__token_in(word, syc__order_words)) /* macros too, of the other kind */
        return false;
    if (word->length > sizeof macro - 16)
        return false;
    name.length = (uint32_t)snprintf(macro, sizeof macro, "SYC_OP_%.*s", (int)word->length, word->text);
    if (syc__word_map_get(&c->macros, &name) != NULL)
        return true;
    (void)snprintf(macro, sizeof macro, "SYC_OP_%.*s(", (int)word->length, word->text);
    return strstr(c->source->prelude, macro) != NULL;
}

static void check_operator(const checker *c, const struct syc__call_form *form, syc_text *text)
{
    bool sorts = (form->at[c->given] & SYC__TELLS_ORDER) != 0;
    const char *const *own = sorts ? syc__order_words : syc__operator_words;
    unsigned at = form->at[c->given] & ~(unsigned)SYC__TELLS_ORDER;
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

/* Orders and scopes are numbers, so one would be taken for the other. */
static void check_order(const checker *c, const struct syc__call_form *form, syc_text *text)
{
    for (size_t i = form->at[SYC__ORDER];
         form->at[SYC__ORDER] > 0 && i <= form->at[SYC__SCOPE] && i <= c->given && text->length == 0; i++) {
        const bool scope = i == form->at[SYC__SCOPE];
        const char *wrong = scope ? "memory_order_" : "memory_scope_";
        bool known;
        const syc_token *word = word_of(c, i - 1, &known);
        if (word == NULL || !known || word->length <= strlen(wrong) || memcmp(word->text, wrong, strlen(wrong)) != 0)
            continue;
        syc_text_add(text, "%s: '%.*s' is %s, and argument %zu is %s", form->name, (int)word->length, word->text,
                     scope ? "an order" : "a scope", i,
                     scope                        ? "the scope"
                     : form->at[SYC__ORDERS] == 1 ? "the order"
                     : i == form->at[SYC__ORDER]  ? "the order of success"
                                                  : "the order of failure");
        if (!scope)
            syc_text_add(text, ": the scope is argument %u", form->at[SYC__SCOPE]);
    }
}

static syc_status check_call(checker *c, size_t at, const struct syc__call_form *form)
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
        check_order(c, form, &text);
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
        const struct syc__call_form *form;
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
