/* Errors that point at a place in a text. */
#include "source/position.h"

#include "source/align.h"
#include "source/origin.h"

#include <string.h>

void syc__position_say(syc_text *text, syc__position at)
{
    syc_text_add(text, "line %u", at.line);
    if (at.column > 0)
        syc_text_add(text, ", column %u", at.column);
}

static syc_slice line_of(const char *text, uint32_t number)
{
    syc_slice rest = {text, strlen(text)};
    for (uint32_t i = 1; i < number; i++)
        rest = syc__slice_from(rest, syc__slice_line(rest).length + 1);
    return syc__slice_line(rest);
}

syc__position syc__position_in_user(const char *user, const char *made, syc__position at)
{
    at.column = (uint32_t)syc__align_column(line_of(user, at.line), line_of(made, at.line), at.column);
    return at;
}

syc_status syc__fail_at(syc_status failure, const char *site, const char *text, syc__position at, syc_text *words)
{
    syc_status status;
    syc_text_add(words, "\n");
    syc__text_add_quote(words, (syc_slice){text, strlen(text)}, at.line, at.column);
    if (words->length > 0 && !words->cut)
        words->data[--words->length] = '\0'; /* the last line break */
    status = syc_fail(failure, site, "%s", syc_text_get(words));
    syc_text_clear(words);
    return status;
}

syc_status syc__refuse_at(const char *name, const char *text, syc__position at, const char *what)
{
    syc_text message = {0};
    syc_text_add(&message, "%s:%u:%u: %s", name, at.line, at.column, what);
    return syc__fail_at(SYC_E_BUILD, SYC_HERE, text, at, &message);
}

syc__place syc__place_in_parts(const syc_part *parts, size_t count, const char *file, const char *text,
                               syc__position at)
{
    const syc_origins origins = {.parts = parts, .part_count = count};
    const syc_part *part = syc__part_find(&origins, (syc_slice){file, strlen(file)}, at.line);
    if (part == NULL || at.line < part->line || at.line >= part->line + syc__part_lines(part))
        return (syc__place){file, text, at, NULL};
    at.line -= (uint32_t)part->line - 1;
    return (syc__place){part->name, part->text, at, part};
}
