/* Where whole numbers are demanded: by the tokens around a name, since nothing is known of types here. */
#include "source/integer_use.h"

#include "source/lexer.h"

#include <string.h>

static bool demands(const syc_token *token)
{
    static const char *const operators[] = {"%",  "&",  "|",  "^",  "<<",  ">>",  "~",
                                            "%=", "&=", "|=", "^=", "<<=", ">>=", NULL};
    return token->kind == SYC_TOKEN_PUNCTUATOR && syc__token_in(token, operators);
}

/* How deep in subscripts and in the heads of loops a token stands. */
struct place {
    size_t subscripts, loop; /* loop: round brackets open since the `for` of the outermost head; 0 outside */
};

static void step(struct place *place, const syc_token *before, const syc_token *token)
{
    if (syc__token_is(token, "["))
        place->subscripts++;
    else if (syc__token_is(token, "]") && place->subscripts > 0)
        place->subscripts--;
    else if (syc__token_is(token, "(") && (place->loop > 0 || (before != NULL && syc__token_is(before, "for"))))
        place->loop++;
    else if (syc__token_is(token, ")") && place->loop > 0)
        place->loop--;
}

static size_t find(const syc_token *token, const char *const *names, size_t count)
{
    size_t at = 0;
    while (at < count && !(token->kind == SYC_TOKEN_WORD && syc__token_is(token, names[at])))
        at++;
    return at;
}

syc_status syc_integer_use(const char *text, const char *const *names, size_t count, bool *out)
{
    syc_status status = SYC_OK;
    syc_arena arena = {0};
    syc_tokens tokens = {0};
    struct place place = {0};

    SYC_TRY(syc__lex(&arena, text, strlen(text), &tokens));
    memset(out, 0, count * sizeof *out);
    for (size_t i = 0; tokens.items[i].kind != SYC_TOKEN_END; i++) {
        const syc_token *before = i > 0 ? &tokens.items[i - 1] : NULL, *token = &tokens.items[i];
        size_t at = find(token, names, count);
        step(&place, before, token);
        if (at < count)
            out[at] |=
                place.subscripts > 0 || place.loop > 0 || (before != NULL && demands(before)) || demands(token + 1);
    }
done:
    syc__arena_clear(&arena);
    return status;
}
