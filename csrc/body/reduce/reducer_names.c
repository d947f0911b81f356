/* Which reducer a token of a text names. */
#include "body/reduce/reduce.h"
#include "source/edit.h"
#include "source/scope.h"
#include "source/tokens.h"

#include <stdio.h>
#include <string.h>

/* What the text calls it. */
static const char *word_of(const syc_name *name)
{
    return name->reducer.word != NULL ? name->reducer.word : name->name;
}

static syc_status enter(syc_arena *arena, syc_word_map *words, const char *word, const syc_name *name)
{
    const syc_token token = {.text = word, .length = (uint32_t)strlen(word), .kind = SYC_TOKEN_WORD};
    return syc__word_map_put(arena, words, &token, (void *)name);
}

bool syc__reduce_is_alias(const syc__edit *edit, size_t at)
{
    const syc_token *t = &edit->tokens.items[at];
    return at >= 3 && t[1].first && t->space && t[-1].kind == SYC_TOKEN_WORD && syc__edit_is(edit, at - 2, "define") &&
           syc__edit_is(edit, at - 3, "#") && t[-3].first;
}

/* Where the text has no variable by its name. */
static syc_status find(syc_arena *arena, const syc__edit *edit, size_t from, size_t to, const syc_word_map *words,
                       const syc_name **out)
{
    syc_status status = SYC_OK;
    bool *own = NULL;

    SYC_TRY(syc__arena_alloc(arena, (to - from + 1) * sizeof *own, &own));
    SYC_TRY(syc__scope_read(&edit->stream, from, to, words, own));
    for (size_t at = from; at < to; at++)
        if (edit->tokens.items[at].kind == SYC_TOKEN_WORD && !own[at - from] && out[at - from] == NULL)
            out[at - from] = syc__word_map_get(words, &edit->tokens.items[at]);
done:
    return status;
}

syc_status syc__reduce_find_names(syc_arena *arena, const syc__edit *edit, size_t from, size_t to,
                                  const syc_name *names, size_t count, const syc_name ***out)
{
    syc_status status = SYC_OK;
    syc_word_map words = {0};
    const syc_name **found = NULL;

    SYC_TRY(syc__arena_alloc(arena, (to - from + 1) * sizeof *found, &found));
    for (size_t i = 0; i < count; i++)
        if (syc__is_reducer(&names[i]))
            SYC_TRY(enter(arena, &words, word_of(&names[i]), &names[i]));
    SYC_TRY(find(arena, edit, from, to, &words, found));
    for (size_t at = from; at < to; at++) {
        const syc_name *name = found[at - from];
        if (name == NULL || !syc__reduce_is_alias(edit, at))
            continue;
        for (size_t i = at + 1; i < to; i++) /* the macro's own line declares nothing that hides it */
            if (edit->tokens.items[i].kind == SYC_TOKEN_WORD &&
                syc__token_same(&edit->tokens.items[i], &edit->tokens.items[at - 1]) && found[i - from] == NULL &&
                !syc__edit_in_directive(edit, i))
                found[i - from] = name;
    }
    *out = found;
done:
    return status;
}

/* -- macros in front of the text -- */

/* The name of the macro whose definition the token belongs to, or NULL. */
static const syc_token *macro_of(const syc__edit *edit, size_t at)
{
    if (!syc__edit_in_directive(edit, at))
        return NULL;
    while (!edit->tokens.items[at].first)
        at--;
    return syc__edit_is(edit, at + 1, "define") ? &edit->tokens.items[at + 2] : NULL;
}

static bool says(const syc__edit *edit, size_t begin, size_t end, const syc_token *word)
{
    for (size_t at = begin; at < end; at++)
        if (edit->tokens.items[at].kind == SYC_TOKEN_WORD && syc__token_same(&edit->tokens.items[at], word))
            return true;
    return false;
}

syc_status syc__reduce_refuse_macros(syc_arena *arena, const syc__edit *front, size_t to, const syc__edit *edit,
                                     size_t begin, size_t end, const syc_name *names, size_t count)
{
    syc_status status = SYC_OK;
    const syc_name **found = NULL;
    char words[300];
    size_t depth = 0; /* what stands in another kernel has become its own reducer's */

    SYC_TRY(syc__reduce_find_names(arena, front, 0, to, names, count, &found));
    for (size_t at = 0; at < to; at++) {
        const syc_token *macro = found[at] != NULL && depth == 0 ? macro_of(front, at) : NULL;
        if (!syc__edit_in_directive(front, at))
            depth += (size_t)syc__edit_is(front, at, "{") - (size_t)syc__edit_is(front, at, "}");
        if (macro == NULL || !says(edit, begin, end, macro))
            continue;
        (void)snprintf(words, sizeof words,
                       "the %s '%.60s' is known in the %s only: define the macro '%.*s' there, or give it the "
                       "value and combine what it gives",
                       found[at]->reducer.scanner ? "scanner" : "reducer", word_of(found[at]),
                       front == edit ? "kernel" : "body", (int)(macro->length < 60 ? macro->length : 60), macro->text);
        status = syc__edit_refuse(front, at, words);
        break;
    }
done:
    return status;
}
