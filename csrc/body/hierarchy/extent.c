/* Where the statements of a work-group's text end, and which of them all items must come along for. */
#include "body/hierarchy/hierarchy.h"

#include <stdio.h>

enum { DEEP = 100 }; /* statements inside of each other */

/* Done by all items of the group together, each with variables of its own. */
static const char *const joint_calls[] = {
    "async_copy_global_to_local",    "async_copy_local_to_global", "wait_for", "async_work_group_copy",
    "async_work_group_strided_copy", "wait_group_events",          NULL};

bool syc__extent_contains(const syc__hierarchy *h, size_t from, size_t to, const char *const *words)
{
    for (size_t at = from; at < to; at++)
        if (h->edit.tokens.items[at].kind == SYC_TOKEN_WORD && syc__token_in(&h->edit.tokens.items[at], words))
            return true;
    return false;
}

/* -- where a statement ends -- */

static syc_status find_end(syc__hierarchy *h, size_t at, unsigned depth, size_t *end);

syc_status syc__extent_bracket(syc__hierarchy *h, size_t at, const char *open, size_t *close)
{
    syc_status status = SYC_OK;
    char what[64];

    snprintf(what, sizeof what, "expected '%s' here", open);
    if (!syc__edit_is(&h->edit, at, open))
        return syc__edit_refuse(&h->edit, at < h->edit.tokens.count - 1 ? at : at - 1, what);
    *close = syc__edit_match(&h->edit, at);
    if (*close == h->edit.tokens.count - 1)
        status = syc__edit_refuse(&h->edit, at, "this bracket is not closed");
    return status;
}

static syc_status find_simple_end(syc__hierarchy *h, size_t at, size_t *end)
{
    for (size_t i = at; i < h->edit.tokens.count - 1; i = syc__edit_match(&h->edit, i) + 1) {
        if (syc__edit_is(&h->edit, i, ";")) {
            *end = i + 1;
            return SYC_OK;
        }
        if (syc__edit_is(&h->edit, i, "}") || syc__edit_is(&h->edit, i, ")") || syc__edit_is(&h->edit, i, "]"))
            break;
    }
    return syc__edit_refuse(&h->edit, at, "this statement has no ';' at its end");
}

static syc_status find_if_end(syc__hierarchy *h, size_t at, unsigned depth, size_t *end)
{
    syc_status status = SYC_OK;
    size_t close = 0;
    SYC_TRY(syc__extent_bracket(h, at + 1, "(", &close));
    SYC_TRY(find_end(h, close + 1, depth, end));
    if (syc__edit_is(&h->edit, *end, "else"))
        SYC_TRY(find_end(h, *end + 1, depth, end));
done:
    return status;
}

static syc_status find_do_end(syc__hierarchy *h, size_t at, unsigned depth, size_t *end)
{
    syc_status status = SYC_OK;
    size_t close = 0;
    SYC_TRY(find_end(h, at + 1, depth, end));
    if (!syc__edit_is(&h->edit, *end, "while")) {
        status = syc__edit_refuse(&h->edit, at, "this 'do' has no 'while'");
        goto done;
    }
    SYC_TRY(syc__extent_bracket(h, *end + 1, "(", &close));
    SYC_TRY(find_simple_end(h, close + 1, end));
done:
    return status;
}

static syc_status find_items_end(syc__hierarchy *h, size_t at, size_t *end)
{
    syc_status status = SYC_OK;
    size_t body = at + 1;
    if (syc__edit_is(&h->edit, body, "(")) {
        SYC_TRY(syc__extent_bracket(h, body, "(", end));
        body = *end + 1;
    }
    SYC_TRY(syc__extent_bracket(h, body, "{", end));
    ++*end;
done:
    return status;
}

static bool is_loop(const syc__hierarchy *h, size_t at)
{
    return syc__edit_is(&h->edit, at, "for") || syc__edit_is(&h->edit, at, "while");
}

static syc_status find_end(syc__hierarchy *h, size_t at, unsigned depth, size_t *end)
{
    syc_status status = SYC_OK;
    size_t close = 0;

    if (depth > DEEP)
        return syc__edit_refuse(&h->edit, at, "too many statements stand inside of each other");
    if (syc__edit_is(&h->edit, at, "{")) {
        SYC_TRY(syc__extent_bracket(h, at, "{", &close));
        *end = close + 1;
    } else if (syc__edit_is(&h->edit, at, "if")) {
        SYC_TRY(find_if_end(h, at, depth + 1, end));
    } else if (is_loop(h, at) || syc__edit_is(&h->edit, at, "switch")) {
        SYC_TRY(syc__extent_bracket(h, at + 1, "(", &close));
        SYC_TRY(find_end(h, close + 1, depth + 1, end));
    } else if (syc__edit_is(&h->edit, at, "do")) {
        SYC_TRY(find_do_end(h, at, depth + 1, end));
    } else if (syc__edit_is(&h->edit, at, "parallel_for_work_item")) {
        SYC_TRY(find_items_end(h, at, end));
    } else {
        SYC_TRY(find_simple_end(h, at, end));
    }
done:
    return status;
}

syc_status syc__extent_end(syc__hierarchy *h, size_t at, size_t *end)
{
    return find_end(h, at, 0, end);
}

/* -- what all items must come along for -- */

/* Does control leave the statement, other than at its end? */
static bool escapes(syc__hierarchy *h, size_t at, size_t end)
{
    static const char *const leaves[] = {"return", "goto", NULL}, *const leaves_switch[] = {"continue", NULL};
    size_t close, next;

    if (syc__edit_is(&h->edit, at, "break") || syc__edit_is(&h->edit, at, "continue") ||
        syc__extent_contains(h, at, at + 1, leaves))
        return true;
    if (is_loop(h, at) || syc__edit_is(&h->edit, at, "do") || syc__edit_is(&h->edit, at, "switch"))
        return syc__extent_contains(h, at, end, leaves) ||
               (syc__edit_is(&h->edit, at, "switch") && syc__extent_contains(h, at, end, leaves_switch));
    if (syc__edit_is(&h->edit, at, "{")) {
        for (at++; at + 1 < end; at = next)
            if (syc__extent_end(h, at, &next) != SYC_OK || escapes(h, at, next))
                return true;
        return false;
    }
    if (!syc__edit_is(&h->edit, at, "if") || syc__extent_bracket(h, at + 1, "(", &close) != SYC_OK ||
        syc__extent_end(h, close + 1, &next) != SYC_OK)
        return false;
    return escapes(h, close + 1, next) || (syc__edit_is(&h->edit, next, "else") && escapes(h, next + 1, end));
}

bool syc__extent_calls_jointly(const syc__hierarchy *h, size_t from, size_t to)
{
    return syc__extent_contains(h, from, to, joint_calls);
}

bool syc__extent_is_joint(syc__hierarchy *h, size_t at, size_t end)
{
    static const char *const ours[] = {"parallel_for_work_item", "private_memory", NULL};
    return syc__extent_contains(h, at, end, ours) || syc__extent_calls_jointly(h, at, end) || escapes(h, at, end);
}

/* Is there a label of that name? */
static bool has_label(const syc__hierarchy *h, size_t from, size_t to, const syc_token *name)
{
    for (size_t at = from; at + 1 < to; at++)
        if (syc__token_same(&h->edit.tokens.items[at], name) && syc__edit_is(&h->edit, at + 1, ":") &&
            syc__edit_begins_statement(&h->edit, at))
            return true;
    return false;
}

syc_status syc__extent_check_item(syc__hierarchy *h, size_t from, size_t to)
{
    syc_status status = SYC_OK;
    size_t loop = 0, choice = 0, end; /* where those end that the token stands in */

    for (size_t at = from; at < to && status == SYC_OK; at++) {
        if (is_loop(h, at) || syc__edit_is(&h->edit, at, "do") || syc__edit_is(&h->edit, at, "switch")) {
            size_t *until = syc__edit_is(&h->edit, at, "switch") ? &choice : &loop;
            SYC_TRY(syc__extent_end(h, at, &end));
            *until = end > *until ? end : *until;
        } else if ((syc__edit_is(&h->edit, at, "continue") && at >= loop) ||
                   (syc__edit_is(&h->edit, at, "break") && at >= loop && at >= choice)) {
            status = syc__edit_refuse(&h->edit, at, "this stands in no loop of the item's");
        } else if (syc__edit_is(&h->edit, at, "goto") && !has_label(h, from, to, &h->edit.tokens.items[at + 1])) {
            status = syc__edit_refuse(&h->edit, at, "an item cannot leave its parallel_for_work_item by goto");
        }
    }
done:
    return status;
}
