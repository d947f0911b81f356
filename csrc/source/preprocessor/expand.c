/* Macro expansion of a stream of tokens. Expansions are frames on a stack; a macro is active while its frame is on it,
 * and its name is painted when met then, so that recursive macros end. */
#include "source/preprocessor/macros.h"

static syc_status push_frame(syc_expander *e, const syc_token *items, size_t count, syc_macro *macro, bool floor)
{
    syc_status status = SYC_OK;
    SYC_TRY(syc__arena_grow(e->arena, &e->frames, &e->capacity, e->count + 1, sizeof *e->frames));
    e->frames[e->count++] = (syc_frame){.items = items, .count = count, .macro = macro, .floor = floor};
    if (macro != NULL)
        macro->active = true;
done:
    return status;
}

/* The next token as it stands. */
static syc_status read_token(syc_expander *e, syc_token *out)
{
    while (e->count > 0) {
        syc_frame *top = &e->frames[e->count - 1];
        if (top->next < top->count) {
            *out = top->items[top->next++];
            if (e->budget > 0)
                e->budget--;
            else
                e->exhausted = true;
            return SYC_OK;
        }
        if (top->floor) {
            *out = (syc_token){.kind = SYC_TOKEN_END, .text = ""};
            return SYC_OK;
        }
        if (top->macro != NULL)
            top->macro->active = false;
        e->count--;
    }
    return e->pull(e->from, out);
}

/* Puts a token back in front. An end needs no putting back: it comes again. */
static syc_status unread_token(syc_expander *e, const syc_token *token)
{
    syc_status status = SYC_OK;
    syc_tokens one = {0};
    if (token->kind == SYC_TOKEN_END)
        return SYC_OK;
    SYC_TRY(syc__tokens_push(e->arena, &one, token));
    SYC_TRY(push_frame(e, one.items, one.count, NULL, false));
done:
    return status;
}

typedef struct call {
    syc_macro_argument *arguments;
    size_t count, capacity;
    bool complete; /* the ')' was found */
} call;

static syc_status next_argument(syc_expander *e, call *c)
{
    syc_status status = SYC_OK;
    SYC_TRY(syc__arena_grow(e->arena, &c->arguments, &c->capacity, c->count + 1, sizeof *c->arguments));
    c->arguments[c->count++] = (syc_macro_argument){0};
done:
    return status;
}

/* Reads the arguments, from behind the '(' to behind the ')'. */
static syc_status read_arguments(syc_expander *e, const syc_macro *macro, call *c)
{
    syc_status status = SYC_OK;
    size_t nested = 0;
    syc_token token;

    SYC_TRY(next_argument(e, c));
    for (;;) {
        SYC_TRY(read_token(e, &token));
        if (token.kind == SYC_TOKEN_END)
            goto done;
        if (nested == 0 && syc__token_is(&token, ")"))
            break;
        if (nested == 0 && syc__token_is(&token, ",") && !(macro->variadic && c->count >= macro->params.count)) {
            SYC_TRY(next_argument(e, c));
            continue;
        }
        if (syc__token_is(&token, "("))
            nested++;
        else if (syc__token_is(&token, ")"))
            nested--;
        SYC_TRY(syc__tokens_push(e->arena, &c->arguments[c->count - 1].raw, &token));
    }
    c->complete = true;
    if (macro->variadic && c->count + 1 == macro->params.count)
        SYC_TRY(next_argument(e, c)); /* the rest may be left out with its comma */
    if (macro->params.count == 0 && c->count == 1 && c->arguments[0].raw.count == 0)
        c->count = 0;
done:
    return status;
}

/* Expands the call of `macro` by `name`. *called is false when the name stands for itself: no '(' follows it. */
static syc_status enter_macro(syc_expander *e, syc_macro *macro, const syc_token *name, bool *called)
{
    syc_status status = SYC_OK;
    call c = {.complete = true};
    syc_tokens body = {0};
    syc_token open;

    *called = true;
    if (macro->function) {
        SYC_TRY(read_token(e, &open));
        if (!syc__token_is(&open, "(")) {
            *called = false;
            SYC_TRY(unread_token(e, &open));
            goto done;
        }
        c.complete = false;
        SYC_TRY(read_arguments(e, macro, &c));
    }
    if (!c.complete || (macro->function && c.count != macro->params.count))
        goto done; /* the compiler will refuse this call; nothing comes of it here */
    SYC_TRY(syc__macro_substitute(e, macro, c.arguments, name, &body));
    SYC_TRY(push_frame(e, body.items, body.count, macro, false));
done:
    return status;
}

syc_status syc__expand_next(syc_expander *e, syc_token *out)
{
    syc_status status = SYC_OK;
    syc_macro *macro;
    bool called;

    for (;;) {
        SYC_TRY(read_token(e, out));
        if (out->kind != SYC_TOKEN_WORD || out->painted || e->exhausted)
            goto done;
        macro = syc__macro_find(e, out);
        if (macro == NULL)
            goto done;
        if (macro->active) {
            out->painted = true;
            goto done;
        }
        SYC_TRY(enter_macro(e, macro, out, &called));
        if (!called)
            goto done;
    }
done:
    return status;
}

syc_status syc__expand_all(syc_expander *e, const syc_token *tokens, size_t count, syc_tokens *out)
{
    syc_status status = SYC_OK;
    syc_token token;

    if (e->depth >= SYC__EXPANSION_DEPTH) {
        e->exhausted = true;
        return SYC_OK;
    }
    e->depth++;
    SYC_TRY(push_frame(e, tokens, count, NULL, true));
    for (;;) {
        SYC_TRY(syc__expand_next(e, &token));
        if (token.kind == SYC_TOKEN_END)
            break;
        SYC_TRY(syc__tokens_push(e->arena, out, &token));
    }
    e->count--; /* the floor: all above it was read to its end */
    e->depth--;
done:
    return status;
}
