/* Does a text, as it is written, name its pointers as name[i] only, so that each can be replaced where it stands? */
#include "body/parts.h"
#include "source/lexer.h"

#include <string.h>

static const syc_name *pointer_of(const syc_body_source *source, const syc_token *token)
{
    for (size_t i = 0; i < source->count; i++)
        if (source->names[i].kind == SYC_NAME_GLOBAL && syc__token_is(token, source->names[i].name))
            return &source->names[i];
    return NULL;
}

/* Definitions of the text's own, or text that another text may stand for. */
static bool changes_words(const syc_token *t)
{
    return t->first && syc__token_is(t, "#") && !syc__token_is(t + 1, "pragma");
}

static bool names_elements_only(const syc_body_source *source, const syc_tokens *tokens)
{
    for (size_t at = 0; tokens->items[at].kind != SYC_TOKEN_END; at++) {
        const syc_token *t = &tokens->items[at];
        bool member = at > 0 && (syc__token_is(t - 1, ".") || syc__token_is(t - 1, "->"));
        if (changes_words(t))
            return false;
        if (t->kind != SYC_TOKEN_WORD || member || pointer_of(source, t) == NULL)
            continue;
        if (!syc__token_is(t + 1, "[") || !syc__token_is(t + 2, "i") || !syc__token_is(t + 3, "]"))
            return false;
    }
    return true;
}

/* Is the word one of the parameters of the macro whose "define" is at `define`? */
static bool is_parameter(const syc_token *define, const syc_token *word)
{
    const syc_token *t = define + 2;
    if (!syc__token_is(t, "(") || t->space)
        return false;
    for (; !t->first && !syc__token_is(t, ")"); t++)
        if (t->kind == SYC_TOKEN_WORD && syc__token_same(t, word))
            return true;
    return false;
}

/* Does a macro of the preamble name a pointer that is not the macro's own parameter? */
static bool is_named_by_macros(const syc_body_source *source, const syc_tokens *tokens)
{
    const syc_token *define = NULL;
    for (size_t at = 0; tokens->items[at].kind != SYC_TOKEN_END; at++) {
        const syc_token *t = &tokens->items[at];
        if (t->first)
            define = syc__token_is(t, "#") && syc__token_is(t + 1, "define") ? t + 1 : NULL;
        if (define != NULL && t->kind == SYC_TOKEN_WORD && pointer_of(source, t) != NULL && !is_parameter(define, t))
            return true;
    }
    return false;
}

static bool is_named(const syc_body_source *source, const syc_tokens *tokens)
{
    for (size_t at = 0; tokens->items[at].kind != SYC_TOKEN_END; at++)
        if (pointer_of(source, &tokens->items[at]) != NULL)
            return true;
    return false;
}

/* Continued lines would have to be found again in the text. */
static bool has_continuation(const char *text)
{
    for (const char *p = strchr(text, '\\'); p != NULL; p = strchr(p + 1, '\\'))
        if (p[1 + strspn(p + 1, " \t\r\v\f")] == '\n')
            return true;
    return false;
}

syc_status syc__body_is_apart(syc_arena *arena, const syc_body_source *source, const syc_tokens *text,
                              const syc_tokens *preamble, bool *out)
{
    syc_status status = SYC_OK;
    const char *given = source->options != NULL ? source->options : "";
    syc_tokens options = {0};

    SYC_TRY(syc__lex(arena, given, strlen(given), &options));
    *out = !has_continuation(source->text) && names_elements_only(source, text) &&
           !is_named_by_macros(source, preamble) && !is_named(source, &options);
done:
    return status;
}
