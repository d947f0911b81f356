/* A compiler may take a function that it does not know for one that is defined elsewhere. Its linker then knows the
 * name, and the user's texts tell where that is called. */
#include "program/log/link_log.h"

#include "program/log/library_log.h"
#include "source/lexer.h"

#include <stdio.h>
#include <string.h>

/* The words of linkers before the name: NVIDIA's, PoCL's, Intel's. */
static syc_slice missed_by_linker(syc_slice message)
{
    static const char *const words[] = {"Unresolved extern function '", "Cannot find symbol ", "Symbols not found: [ "};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        const char *at = syc__slice_find(message, words[i]);
        if (at != NULL)
            return syc__slice_word(syc__slice_from(message, (size_t)(at - message.text) + strlen(words[i])));
    }
    return (syc_slice){"", 0};
}

/* Behind a type there is a declaration. */
static bool ends_type(const syc_token *token)
{
    static const char *const statements[] = {"return", "else", "do", "case", NULL};
    return token->kind == SYC_TOKEN_WORD && !syc__token_in(token, statements);
}

bool syc__link_log_call(syc_slice text, syc_slice name, syc__spot *at)
{
    const syc_token word = {.text = name.text, .length = (uint32_t)name.length, .kind = SYC_TOKEN_WORD};
    syc_arena arena = {0};
    syc_tokens list = {0};
    bool found = false;

    if (syc__lex(&arena, text.text, text.length, &list) != SYC_OK)
        list.count = 0; /* no memory: then there is no place */
    for (size_t i = 0; i + 1 < list.count && !found; i++) {
        const syc_token *token = &list.items[i];
        found = token->kind == SYC_TOKEN_WORD && syc__token_same(token, &word) && syc__token_is(token + 1, "(") &&
                (i == 0 || !ends_type(token - 1));
        if (!found)
            continue;
        at->source = text;
        at->number = token->line;
        at->column = token->column;
    }
    syc__arena_clear(&arena);
    return found;
}

static syc_slice slice_of(const char *text)
{
    return (syc_slice){text, strlen(text)};
}

/* Parts come before the texts that they were put into. A text that was made of others is none of the user's. */
static bool find_in_texts(const syc__spot_texts *texts, syc_slice name, syc__spot *at)
{
    const syc_origins *origins = texts->origins;
    for (size_t i = 0; origins != NULL && i < origins->part_count; i++) {
        *at = (syc__spot){.name = origins->parts[i].name, .part = &origins->parts[i]};
        if (syc__link_log_call(slice_of(at->part->text), name, at))
            return true;
    }
    for (size_t i = 0; origins != NULL && i < origins->count; i++) {
        *at = (syc__spot){.name = origins->items[i].name};
        if (syc__link_log_call(slice_of(origins->items[i].text), name, at))
            return true;
    }
    *at = (syc__spot){.name = texts->name};
    return (origins == NULL || origins->whole) && syc__link_log_call(texts->source, name, at);
}

bool syc__link_log_find(const syc__spot_texts *texts, syc_slice message, syc__spot *at, syc_text *out)
{
    const syc_slice name = missed_by_linker(message);
    char words[120];
    syc__spot found;

    if (name.length == 0 || !find_in_texts(texts, name, &found))
        return false;
    (void)snprintf(words, sizeof words, "call to undefined function '%.*s'", (int)(name.length < 80 ? name.length : 80),
                   name.text);
    if (!syc__library_log_near(syc__slice_line_at(found.source, found.number), &found.column, slice_of(words), out))
        syc_text_add(out, "%s", words);
    *at = found;
    return true;
}
