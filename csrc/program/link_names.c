/* Functions of programs to link, by name: what each defines, declares and calls. */
#include "program/link_names.h"

#include "program/log/link_log.h"
#include "source/lexer.h"

#include <string.h>

const syc_function_name *syc__link_function(const syc_signatures *signatures, const char *name)
{
    for (size_t i = 0; i < signatures->function_count; i++) {
        if (strcmp(signatures->functions[i].name, name) == 0)
            return &signatures->functions[i];
    }
    return NULL;
}

/* Does the '(' at `at` begin a prototype's parameters? A definition has a '{' behind them. */
static bool is_prototype(const syc_tokens *tokens, size_t at)
{
    size_t depth = 0;
    for (; at < tokens->count; at++) {
        const syc_token *t = &tokens->items[at];
        depth += syc__token_is(t, "(") - (size_t)syc__token_is(t, ")");
        if (depth == 0 && (syc__token_is(t, "{") || syc__token_is(t, ";")))
            return syc__token_is(t, ";");
    }
    return false;
}

size_t syc__link_prototype(const syc_tokens *tokens, const char *name)
{
    size_t braces = 0, line = 0;
    for (size_t at = 0; at + 1 < tokens->count; at++) {
        const syc_token *t = &tokens->items[at];
        braces += syc__token_is(t, "{");
        braces -= braces > 0 && syc__token_is(t, "}");
        if (braces > 0 || t->kind != SYC_TOKEN_WORD || !syc__token_is(t, name) || !syc__token_is(t + 1, "("))
            continue;
        if (!is_prototype(tokens, at + 1))
            return 0;
        line = line == 0 ? t->line : line;
    }
    return line;
}

/* Is the word at file scope the name of a function that no part defines? */
static bool is_missing(const struct syc__recipe *recipe, const syc_tokens *tokens, size_t at, char *name, size_t room)
{
    const syc_token *word = &tokens->items[at];
    if (word->kind != SYC_TOKEN_WORD || word->length >= room || !syc__token_is(word + 1, "("))
        return false;
    memcpy(name, word->text, word->length);
    name[word->length] = '\0';
    for (size_t i = 0; i < recipe->part_count; i++)
        if (syc__link_function(&recipe->parts[i]->signatures, name) != NULL ||
            syc_signatures_find(&recipe->parts[i]->signatures, name) != NULL)
            return false;
    return syc__link_prototype(tokens, name) != 0;
}

/* The same of one part: it is said at the function's first call. */
static bool say_missing(const struct syc__recipe *recipe, size_t part, syc_arena *arena, syc_text *out)
{
    syc_tokens tokens = {0};
    size_t length = recipe->parts[part]->length, braces = 0;
    const char *source = recipe->parts[part]->source;
    char name[120];
    syc__spot spot = {0};

    if (syc__lex(arena, source, length, &tokens) != SYC_OK)
        return false;
    for (size_t at = 0; at + 1 < tokens.count; at++) {
        braces += syc__token_is(&tokens.items[at], "{");
        braces -= braces > 0 && syc__token_is(&tokens.items[at], "}");
        if (braces > 0 || !is_missing(recipe, &tokens, at, name, sizeof name) ||
            !syc__link_log_call((syc_slice){source, length}, (syc_slice){name, strlen(name)}, &spot))
            continue;
        syc_text_add(out,
                     "line %zu of program %zu: call to function '%s', which none of the programs to link defines\n",
                     spot.number, part + 1, name);
        syc__text_add_quote(out, spot.source, spot.number, spot.column);
        return true;
    }
    return false;
}

bool syc__link_missing(const struct syc__recipe *recipe, syc_text *out)
{
    syc_arena arena = {0};
    bool found = false;
    for (size_t i = 0; i < recipe->part_count && !found; i++)
        if (recipe->parts[i]->recipe.kind != SYC__FROM_TEXT)
            goto done; /* what it defines is not known */
    for (size_t i = 0; i < recipe->part_count && !found; i++)
        found = say_missing(recipe, i, &arena, out);
done:
    syc__arena_clear(&arena);
    return found;
}
