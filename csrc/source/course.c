/* Conditions, and what is behind a return under one. Whether a condition is the same for all is not looked at. */
#include "source/course.h"

#include "source/statements.h"
#include "source/tokens.h"

static void enter_condition(syc__course *c, size_t at)
{
    const syc__statement found = syc__statement_read(c->s, at, c->end);
    if (found.end == 0) {
        c->left = true;
    } else if (found.end > c->until) {
        c->from = found.body;
        c->until = found.end;
    }
}

static bool is_one_of(const syc_token *token, const char *const *words, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (syc__token_is(token, words[i]))
            return true;
    return false;
}

bool syc__course_parts(syc__course *c, size_t at)
{
    static const char *const conditions[] = {"if", "switch"}, *const choices[] = {"&&", "||", "?"},
                             *const ends[] = {";", "{", "}"};
    const syc_token *token = &c->s->tokens[at];
    bool under = at >= c->from && at < c->until;

    if (!under && is_one_of(token, conditions, 2))
        enter_condition(c, at);
    if (is_one_of(token, choices, 3))
        c->mixed = true;
    else if (is_one_of(token, ends, 3))
        c->mixed = false;
    c->left |= under && syc__token_is(token, "return");
    return under || c->left || c->mixed;
}
