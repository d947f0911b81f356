/* Finds the first word of a text that says where in the range a work-item is, apart from name[i]. */
#include "body/parts.h"
#include "body/reading.h"
#include "source/declarations/parser.h"
#include "source/tokens.h"

#include <stdio.h>

/* Is the word the `i` of name[i]? */
static bool is_of_own_element(const syc__scan *scan, size_t at)
{
    const syc__use *use = at >= scan->first + 2 ? syc__scan_use(scan, at - 2) : NULL;
    return use != NULL && syc__is_own_element(&scan->unit->stream, at - 2);
}

static bool says_place(const syc__scan *scan, size_t at)
{
    const syc_token *token = &scan->unit->stream.tokens[at];
    if (!syc__is_free_word(&scan->unit->stream, at) || syc__body_word(token) == 0)
        return false;
    if (scan->own[at - scan->first]) /* the text's own `i` makes another element of name[i] */
        return syc__token_is(token, "i");
    return !is_of_own_element(scan, at);
}

void syc__body_find_placed(const syc__scan *scan)
{
    syc__reading *reading = scan->reading;
    for (size_t at = scan->first; at < scan->last; at++) {
        const syc_token *token = &scan->unit->stream.tokens[at];
        if (!says_place(scan, at))
            continue;
        reading->placed_at = syc__scan_position(scan, at);
        (void)snprintf(reading->placed_word, sizeof reading->placed_word, "%.*s", (int)token->length, token->text);
        return;
    }
}
