/* The -D and -U of a build option string. */
#include "source/lexer.h"
#include "source/preprocessor/preprocess.h"

#include <string.h>

static bool is_blank(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

/* Cuts the next word out of *at into `word` (room for strlen(*at) + 1), quotes and backslashes taken off. False at the
 * end. */
static bool next_word(const char **at, char *word)
{
    const char *p = *at;
    char quote = '\0';

    while (is_blank(*p))
        p++;
    if (*p == '\0')
        return false;
    for (; *p != '\0' && (quote != '\0' || !is_blank(*p)); p++) {
        if (quote != '\0' && *p == quote) {
            quote = '\0';
        } else if (quote == '\0' && (*p == '"' || *p == '\'')) {
            quote = *p;
        } else {
            if (*p == '\\' && p[1] != '\0' && quote != '\'')
                p++;
            *word++ = *p;
        }
    }
    *word = '\0';
    *at = p;
    return true;
}

/* "NAME", "NAME=body" or "NAME(a)=body". The tokens point into the arena's copy. */
static syc_status define(syc_expander *e, char *definition)
{
    syc_status status = SYC_OK;
    char *equals = strchr(definition, '=');
    syc_tokens tokens = {0};
    static const syc_token one = {.text = "1", .length = 1, .kind = SYC_TOKEN_NUMBER, .space = true};

    if (equals != NULL)
        *equals = ' ';
    SYC_TRY(syc__lex(e->arena, definition, strlen(definition), &tokens));
    tokens.count--; /* the end */
    if (equals == NULL)
        SYC_TRY(syc__tokens_push(e->arena, &tokens, &one));
    SYC_TRY(syc__macro_define(e, tokens.items, tokens.count));
done:
    return status;
}

static syc_status undefine(syc_expander *e, const char *name)
{
    syc_status status = SYC_OK;
    syc_token token;
    if (syc__lex_piece(name, strlen(name), 0, &token) && token.kind == SYC_TOKEN_WORD)
        SYC_TRY(syc__macro_undefine(e, &token));
done:
    return status;
}

syc_status syc__options_apply(syc_expander *e, const char *options)
{
    syc_status status = SYC_OK;
    char *word = NULL;

    SYC_TRY(syc__arena_alloc(e->arena, strlen(options) + 1, &word));
    while (next_word(&options, word)) {
        char what = word[0] == '-' ? word[1] : '\0';
        char *value = word + 2;
        if (what != 'D' && what != 'U')
            continue;
        if (*value == '\0') {
            if (!next_word(&options, word))
                break;
            value = word;
        }
        SYC_TRY(what == 'D' ? define(e, value) : undefine(e, value));
    }
done:
    return status;
}
