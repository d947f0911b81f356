/* A body whose braces do not pair would reach beyond its kernel: it is refused, with the place. */
#include "body/parts.h"
#include "source/lexer.h"

/* Every token has a newline before it. */
static syc__position place_of(const syc_token *token)
{
    syc__position place = {.line = token->line - 1, .column = 1};
    for (const char *p = token->text; *--p != '\n';)
        place.column++;
    return place;
}

/* The first brace that closes nothing, or the last that stays open; NULL if they pair. */
static const syc_token *odd_brace(const syc_tokens *tokens)
{
    const syc_token *open = NULL;
    size_t depth = 0;
    for (const syc_token *t = tokens->items; t->kind != SYC_TOKEN_END; t++) {
        if (syc__token_is(t, "{")) {
            open = t;
            depth++;
        } else if (syc__token_is(t, "}") && depth-- == 0) {
            return t;
        }
    }
    return depth > 0 ? open : NULL;
}

syc_status syc__body_refuse_brackets(syc_arena *arena, const char *body)
{
    syc_status status = SYC_OK;
    syc_tokens tokens = {0};
    syc_text text = {0};
    const syc_token *odd;

    syc_text_add(&text, "\n%s", body);
    SYC_CHECK(!text.cut, SYC_E_MEMORY_ALLOCATION, "no memory for the text of a body");
    SYC_TRY(syc__lex(arena, syc_text_get(&text), text.length, &tokens));
    odd = odd_brace(&tokens);
    SYC_CHECK(odd != NULL, SYC_E_BUILD, "body: a comment, an #if or a bracket is left open");
    status = syc__refuse_at("body", body, place_of(odd),
                            syc__token_is(odd, "}") ? "this '}' closes nothing" : "this '{' is not closed");
done:
    syc_text_clear(&text);
    return status;
}
