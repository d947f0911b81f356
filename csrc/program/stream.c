/* Pairs the brackets of a text once, so that stepping over what they hold costs nothing. */
#include "program/stream.h"

#include <string.h>

static char closing(const syc_token *token)
{
    if (token->kind != SYC_TOKEN_PUNCTUATOR || token->length != 1)
        return '\0';
    return token->text[0] == '(' ? ')' : token->text[0] == '[' ? ']' : token->text[0] == '{' ? '}' : '\0';
}

static bool is_closing(const syc_token *token)
{
    return token->kind == SYC_TOKEN_PUNCTUATOR && token->length == 1 && strchr(")]}", token->text[0]) != NULL;
}

typedef struct brackets {
    size_t *open, depth;
    size_t braces; /* how many of the open ones are '{' */
} brackets;

/* A brace closes what was left open inside it; no other bracket closes across a brace. So broken text does little harm.
 */
static void close_bracket(syc_stream *s, brackets *b, size_t at)
{
    char c = s->tokens[at].text[0];
    if (c == '}' && b->braces == 0)
        return;
    while (b->depth > 0) {
        const syc_token *open = &s->tokens[b->open[b->depth - 1]];
        if (closing(open) == c) {
            s->match[b->open[--b->depth]] = at;
            b->braces -= c == '}';
            return;
        }
        if (open->text[0] == '{')
            return;
        b->depth--;
    }
}

syc_status syc__stream_init(syc_stream *s, syc_arena *arena, const syc_tokens *tokens)
{
    syc_status status = SYC_OK;
    brackets b = {0};

    *s = (syc_stream){.arena = arena, .tokens = tokens->items, .count = tokens->count - 1};
    SYC_TRY(syc__arena_alloc(arena, tokens->count * sizeof *s->match, &s->match));
    SYC_TRY(syc__arena_alloc(arena, tokens->count * sizeof *b.open, &b.open));
    for (size_t i = 0; i <= s->count; i++) {
        s->match[i] = i;
        if (closing(&s->tokens[i]) != '\0') {
            s->match[i] = s->count;
            b.braces += s->tokens[i].text[0] == '{';
            b.open[b.depth++] = i;
        } else if (is_closing(&s->tokens[i])) {
            close_bracket(s, &b, i);
        }
    }
done:
    return status;
}

size_t syc__stream_next(const syc_stream *s, size_t at, size_t end)
{
    size_t next = s->match[at] + 1;
    return next < end ? next : end;
}

bool syc__stream_is(const syc_stream *s, size_t at, const char *text)
{
    return at < s->count && syc__token_is(&s->tokens[at], text);
}

syc_keyword syc__stream_keyword(const syc_stream *s, size_t at)
{
    return at < s->count ? syc__keyword_of(&s->tokens[at]) : SYC_KEYWORD_NONE;
}
