/* Pairs the brackets of a text once, so that stepping over what they hold costs nothing. */
#include "source/token_stream.h"

#include "source/tokens.h"

enum { MOST_NESTED = 256 }; /* clang's -fbracket-depth, which counts each kind of bracket for itself */

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
    size_t braces;      /* how many of the open ones are '{' */
    size_t nested[128]; /* by the opening bracket: how many are open */
} brackets;

/* A brace closes what was left open inside it; no other bracket closes across a brace. So broken text does little harm.
 */
static void close_bracket(syc_token_stream *s, brackets *b, size_t at)
{
    char c = s->tokens[at].text[0];
    if (c == '}' && b->braces == 0)
        return;
    while (b->depth > 0) {
        const syc_token *open = &s->tokens[b->open[b->depth - 1]];
        if (closing(open) == c) {
            s->match[b->open[--b->depth]] = at;
            b->braces -= c == '}';
            b->nested[(unsigned char)open->text[0]]--;
            return;
        }
        if (open->text[0] == '{')
            return;
        b->nested[(unsigned char)open->text[0]]--;
        b->depth--;
    }
}

/* PoCL 3.0: its clang ends the process over brackets that it should refuse, such as many thousands of open braces.
 * Gone when: tests/regression/test_deep_programs.py::test_brackets_that_are_never_closed. */
static syc_status open_bracket(syc_token_stream *s, brackets *b, size_t at)
{
    const syc_token *token = &s->tokens[at];
    size_t *nested = &b->nested[(unsigned char)token->text[0]];
    syc_status status = SYC_OK;

    SYC_CHECK(++*nested <= MOST_NESTED, SYC_E_INVALID_PARAMETER,
              "source opens '%c' in line %u inside %d others that are still open; compilers take no more",
              token->text[0], token->line, MOST_NESTED);
    s->match[at] = s->count;
    b->braces += token->text[0] == '{';
    b->open[b->depth++] = at;
done:
    return status;
}

syc_status syc__stream_init(syc_token_stream *s, syc_arena *arena, const syc_tokens *tokens)
{
    syc_status status = SYC_OK;
    brackets b = {0};

    *s = (syc_token_stream){.arena = arena, .tokens = tokens->items, .count = tokens->count - 1};
    SYC_TRY(syc__arena_alloc(arena, tokens->count * sizeof *s->match, &s->match));
    SYC_TRY(syc__arena_alloc(arena, tokens->count * sizeof *b.open, &b.open));
    for (size_t i = 0; i <= s->count; i++) {
        s->match[i] = i;
        if (closing(&s->tokens[i]) != '\0')
            SYC_TRY(open_bracket(s, &b, i));
        else if (is_closing(&s->tokens[i]))
            close_bracket(s, &b, i);
    }
done:
    return status;
}

size_t syc__stream_next(const syc_token_stream *s, size_t at, size_t end)
{
    size_t next = s->match[at] + 1;
    return next < end ? next : end;
}

size_t syc__stream_open(const syc_token_stream *s, size_t at)
{
    for (size_t open = at; open-- > 0;)
        if (s->match[open] == at)
            return open;
    return at;
}

bool syc__stream_is(const syc_token_stream *s, size_t at, const char *text)
{
    return at < s->count && syc__token_is(&s->tokens[at], text);
}

syc_keyword syc__stream_keyword(const syc_token_stream *s, size_t at)
{
    return at < s->count ? syc__keyword_of(&s->tokens[at]) : SYC_KEYWORD_NONE;
}
