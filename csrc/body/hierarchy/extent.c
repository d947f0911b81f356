/* Where the statements of a work-group's text end, and which of them all items must come along for. */
#include "body/hierarchy/hierarchy.h"
#include "source/tokens.h"

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

syc_status syc__extent_end(syc__hierarchy *h, size_t at, size_t *end)
{
    syc__statement error = {0};
    *end = syc__statement_end(&h->edit.stream, at, h->edit.tokens.count - 1, &error);
    return error.why == NULL ? SYC_OK : syc__edit_refuse(&h->edit, error.blame, error.why);
}

static bool is_loop(const syc__hierarchy *h, size_t at)
{
    return syc__edit_is(&h->edit, at, "for") || syc__edit_is(&h->edit, at, "while");
}

/* -- what all items must come along for -- */

/* Does control leave the statement, other than at its end? */
static bool escapes(syc__hierarchy *h, size_t at, size_t end)
{
    static const char *const leaves[] = {"return", "goto", NULL}, *const leaves_switch[] = {"continue", NULL};
    const syc__statement one = syc__statement_read(&h->edit.stream, at, end);
    size_t next;

    if (syc__edit_is(&h->edit, at, "break") || syc__edit_is(&h->edit, at, "continue") ||
        syc__extent_contains(h, at, at + 1, leaves))
        return true;
    if (one.kind == SYC__STATEMENT_LOOP || one.kind == SYC__STATEMENT_DO || one.kind == SYC__STATEMENT_SWITCH)
        return syc__extent_contains(h, at, end, leaves) ||
               (one.kind == SYC__STATEMENT_SWITCH && syc__extent_contains(h, at, end, leaves_switch));
    if (one.kind == SYC__STATEMENT_IF)
        return escapes(h, one.body, one.body_end) || (one.other > 0 && escapes(h, one.other, end));
    if (one.kind != SYC__STATEMENT_BLOCK)
        return false;
    for (at = one.body; at < one.body_end; at = next)
        if (syc__extent_end(h, at, &next) != SYC_OK || escapes(h, at, next))
            return true;
    return false;
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
