/* Macro definitions, and the body of one with its arguments put in. */
#include "source/preprocessor/macros.h"

#include "source/lexer.h"

#include <string.h>

enum { MAX_PARAMS = 255 }; /* bounds the search for a name among them */

static const char variadic_name[] = "__VA_ARGS__";

/* Reads the parameters from behind the '('; *at ends behind the ')'. False: not a parameter list. */
static syc_status read_params(syc_expander *e, syc_macro *macro, const syc_token *t, size_t count, size_t *at,
                              bool *valid)
{
    syc_status status = SYC_OK;
    syc_token rest = {.text = variadic_name, .length = sizeof variadic_name - 1, .kind = SYC_TOKEN_WORD};

    *valid = false;
    for (size_t i = *at; i < count; i++) {
        if (syc__token_is(&t[i], ")")) {
            *at = i + 1;
            *valid = true;
            goto done;
        }
        if (syc__token_is(&t[i], "...")) {
            macro->variadic = true;
            if (i > *at && t[i - 1].kind == SYC_TOKEN_WORD)
                continue; /* GNU's "args...": the word before is its name */
            SYC_TRY(syc__tokens_push(e->arena, &macro->params, &rest));
        } else if (t[i].kind == SYC_TOKEN_WORD && macro->params.count < MAX_PARAMS) {
            SYC_TRY(syc__tokens_push(e->arena, &macro->params, &t[i]));
        } else if (!syc__token_is(&t[i], ",")) {
            goto done;
        }
    }
done:
    return status;
}

syc_status syc__macro_define(syc_expander *e, const syc_token *tokens, size_t count)
{
    syc_status status = SYC_OK;
    syc_macro *macro = NULL;
    bool valid = true;
    size_t at = 1;

    if (count == 0 || tokens[0].kind != SYC_TOKEN_WORD)
        goto done;
    SYC_TRY(syc__arena_alloc(e->arena, sizeof *macro, &macro));
    macro->name = tokens[0];
    if (count > 1 && syc__token_is(&tokens[1], "(") && !tokens[1].space) {
        macro->function = true;
        at = 2;
        SYC_TRY(read_params(e, macro, tokens, count, &at, &valid));
    }
    if (!valid)
        goto done;
    SYC_TRY(syc__tokens_append(e->arena, &macro->body, tokens + at, count - at));
    SYC_TRY(syc__word_map_put(e->arena, &e->macros, &macro->name, macro));
done:
    return status;
}

syc_status syc__macro_undefine(syc_expander *e, const syc_token *name)
{
    return syc__macro_find(e, name) != NULL ? syc__word_map_put(e->arena, &e->macros, name, NULL) : SYC_OK;
}

syc_macro *syc__macro_find(const syc_expander *e, const syc_token *name)
{
    return syc__word_map_get(&e->macros, name);
}

/* Index of the parameter, or the number of parameters if the token is none. */
static size_t param_index(const syc_macro *macro, const syc_token *token)
{
    size_t i = 0;
    if (token->kind != SYC_TOKEN_WORD)
        return macro->params.count;
    while (i < macro->params.count && !syc__token_same(&macro->params.items[i], token))
        i++;
    return i;
}

/* Takes `cost` from the budget; false, and nothing more is expanded, when it does not suffice. */
static bool afford(syc_expander *e, size_t cost)
{
    if (cost > e->budget)
        e->exhausted = true;
    else
        e->budget -= cost;
    return !e->exhausted;
}

static syc_status stringify(syc_expander *e, const syc_tokens *tokens, const syc_token *hash, syc_tokens *out)
{
    syc_status status = SYC_OK;
    size_t size = 2, used = 0;
    char *text = NULL;
    syc_token token = *hash;

    for (size_t i = 0; i < tokens->count; i++)
        size += 1 + 2 * (size_t)tokens->items[i].length;
    if (!afford(e, size))
        goto done;
    SYC_TRY(syc__arena_alloc(e->arena, size, &text));
    text[used++] = '"';
    for (size_t i = 0; i < tokens->count; i++) {
        const syc_token *t = &tokens->items[i];
        if (i > 0 && t->space)
            text[used++] = ' ';
        for (uint32_t k = 0; k < t->length; k++) {
            if (t->kind == SYC_TOKEN_STRING && (t->text[k] == '"' || t->text[k] == '\\'))
                text[used++] = '\\';
            text[used++] = t->text[k];
        }
    }
    text[used++] = '"';
    token.kind = SYC_TOKEN_STRING;
    token.text = text;
    token.length = (uint32_t)used;
    SYC_TRY(syc__tokens_push(e->arena, out, &token));
done:
    return status;
}

/* Joins `right` to the last token of the list. Two that make no one token stay two, as compilers that only warn do. */
static syc_status paste(syc_expander *e, syc_tokens *out, const syc_token *right)
{
    syc_status status = SYC_OK;
    syc_token *left = &out->items[out->count - 1], joined;
    size_t length = (size_t)left->length + right->length;
    char *text = NULL;

    /* A chain of pastes makes longer and longer words, so their letters count as well. */
    if (!afford(e, length))
        goto done;
    SYC_TRY(syc__arena_alloc(e->arena, length + 1, &text));
    memcpy(text, left->text, left->length);
    memcpy(text + left->length, right->text, right->length);
    if (syc__lex_piece(text, length, left->line, &joined)) {
        joined.space = left->space;
        *left = joined;
    } else {
        SYC_TRY(syc__tokens_push(e->arena, out, right));
    }
done:
    return status;
}

static syc_status expand_argument(syc_expander *e, syc_macro_argument *argument)
{
    syc_status status = SYC_OK;
    if (argument->done)
        return SYC_OK;
    argument->done = true;
    SYC_TRY(syc__expand_all(e, argument->raw.items, argument->raw.count, &argument->expanded));
done:
    return status;
}

/* One body token, or a whole argument, behind a '##' when `pasting`. */
static syc_status put_operand(syc_expander *e, const syc_tokens *operand, bool pasting, const syc_token *shape,
                              syc_tokens *out)
{
    syc_status status = SYC_OK;
    size_t from = out->count;

    if (!afford(e, operand->count + 1) || operand->count == 0)
        goto done;
    if (pasting) {
        SYC_TRY(paste(e, out, &operand->items[0]));
        SYC_TRY(syc__tokens_append(e->arena, out, operand->items + 1, operand->count - 1));
    } else {
        SYC_TRY(syc__tokens_append(e->arena, out, operand->items, operand->count));
        out->items[from].space = shape->space;
    }
done:
    return status;
}

/* GNU's ", ## rest": the comma goes when the rest is empty, and nothing is pasted when it is not. */
static bool is_comma_before_rest(const syc_macro *macro, const syc_tokens *out, size_t param)
{
    return macro->variadic && param + 1 == macro->params.count && out->count > 0 &&
           syc__token_is(&out->items[out->count - 1], ",");
}

syc_status syc__macro_substitute(syc_expander *e, const syc_macro *macro, syc_macro_argument *arguments,
                                 const syc_token *name, syc_tokens *out)
{
    syc_status status = SYC_OK;
    const syc_tokens *body = &macro->body;
    bool pasting = false, left_empty = false; /* left_empty: what stood before '##' made no token */

    for (size_t i = 0; i < body->count && !e->exhausted; i++) {
        syc_token token = body->items[i];
        syc_tokens operand = {.items = &token, .count = 1};
        size_t param = param_index(macro, &token), before = out->count;
        bool is_param = param < macro->params.count;
        bool then_paste = i + 2 < body->count && syc__token_is(&body->items[i + 1], "##");

        if (!is_param)
            token.line = name->line;
        if (macro->function && syc__token_is(&token, "#") && i + 1 < body->count &&
            param_index(macro, &body->items[i + 1]) < macro->params.count) {
            SYC_TRY(stringify(e, &arguments[param_index(macro, &body->items[++i])].raw, name, out));
            pasting = false;
            continue;
        }
        if (is_param && pasting && is_comma_before_rest(macro, out, param)) {
            if (arguments[param].raw.count == 0)
                out->count--;
            pasting = false;
        }
        if (is_param && (pasting || then_paste)) {
            operand = arguments[param].raw;
        } else if (is_param) {
            SYC_TRY(expand_argument(e, &arguments[param]));
            operand = arguments[param].expanded;
        }
        SYC_TRY(put_operand(e, &operand, pasting && !left_empty && out->count > 0, &token, out));
        left_empty = then_paste && out->count == before && (!pasting || left_empty);
        pasting = then_paste;
        if (then_paste)
            i++;
    }
    for (size_t i = 0; i < out->count; i++)
        out->items[i].first = false;
    if (out->count > 0)
        out->items[0].space = name->space;
done:
    return status;
}
