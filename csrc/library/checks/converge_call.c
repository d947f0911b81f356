/* Inside expressions: operators that decide whether a group function is called, and its own arguments. */
#include "library/checks/converge_parts.h"

#include <string.h>

/* -- names -- */

static bool begins(const syc_token *name, const char *with)
{
    size_t length = strlen(with);
    return name->length > length && memcmp(name->text, with, length) == 0;
}

/* "reduce(execution_group(g), ...": kernels/execution.clh. */
static bool is_first_spelling(const syc_token *name)
{
    static const char *const ranges[] = {"reduce", "inclusive_scan", "exclusive_scan", "any_of", "all_of", "none_of",
                                         NULL};
    return syc__token_in(name, ranges) && syc__token_is(name + 1, "(") && syc__token_is(name + 2, "execution_group");
}

enum syc__reach syc__collective(const syc_token *name)
{
    static const char *const any[] = {
        "group_barrier", "group_broadcast",      "group_any_of",         "group_all_of",
        "group_none_of", "group_reduce",         "group_exclusive_scan", "group_inclusive_scan",
        "joint_reduce",  "joint_exclusive_scan", "joint_inclusive_scan", "joint_any_of",
        "joint_all_of",  "joint_none_of",        "joint_copy",           "joint_fill",
        "joint_sort",    "joint_sort_by_key",    "sort_over_group",      NULL};
    static const char *const work[] = {"barrier",
                                       "async_copy_global_to_local",
                                       "async_copy_local_to_global",
                                       "async_work_group_copy",
                                       "async_work_group_strided_copy",
                                       "wait_for",
                                       "wait_group_events",
                                       NULL};
    static const char *const sub[] = {"shift_group_left",
                                      "shift_group_right",
                                      "permute_group_by_xor",
                                      "select_from_group",
                                      "sub_group_barrier",
                                      "sub_group_all",
                                      "sub_group_any",
                                      "sub_group_broadcast",
                                      "sub_group_broadcast_first",
                                      "sub_group_exclusive_scan",
                                      "sub_group_inclusive_scan",
                                      "sub_group_ballot",
                                      "sub_group_rotate",
                                      NULL};
    if (syc__token_in(name, any) || is_first_spelling(name))
        return SYC__REACH_ANY_GROUP;
    if (syc__token_in(name, work) || (begins(name, "work_group_") && !begins(name, "work_group_size")))
        return SYC__REACH_WORK_GROUP;
    if (syc__token_in(name, sub) || begins(name, "sub_group_reduce") || begins(name, "sub_group_scan_") ||
        begins(name, "sub_group_shuffle") || begins(name, "sub_group_clustered_") ||
        begins(name, "sub_group_non_uniform_"))
        return SYC__REACH_SUB_GROUP;
    return SYC__REACH_NONE;
}

/* -- operators -- */

enum level { LOGICAL_AND = 1, LOGICAL_OR, CHOICE, NOTHING };

static enum level level_of(const syc__flow *f, size_t at)
{
    if (syc__flow_is(f, at, "&&"))
        return LOGICAL_AND;
    if (syc__flow_is(f, at, "||"))
        return LOGICAL_OR;
    return syc__flow_is(f, at, "?") ? CHOICE : NOTHING;
}

/* Does the token end an operand of an operator of that level, on either side? */
static bool ends(const syc__flow *f, size_t at, enum level level)
{
    static const char *const loose[] = {",",  ";",  "=",   "+=",  "-=",     "*=",   "/=", "%=",   "&=",
                                        "|=", "^=", "<<=", ">>=", "return", "else", "do", "case", NULL};
    if (syc__token_in(syc__flow_at(f, at), loose) && syc__flow_at(f, at)->kind != SYC_TOKEN_STRING)
        return true;
    if (level <= LOGICAL_OR && (syc__flow_is(f, at, "?") || syc__flow_is(f, at, ":")))
        return true;
    return level == LOGICAL_AND && syc__flow_is(f, at, "||");
}

/* Where the operand behind the operator ends. */
static size_t right_of(const syc__flow *f, size_t at, size_t to, enum level level)
{
    while (++at < to && !ends(f, at, level)) {
        if (syc__flow_is(f, at, ")") || syc__flow_is(f, at, "]") || syc__flow_is(f, at, "}"))
            break;
        at = f->s.match[at];
    }
    return at < to ? at : to;
}

/* Where the operand before it begins. */
static size_t left_of(const syc__flow *f, size_t at, size_t from, enum level level)
{
    while (at > from && !ends(f, at - 1, level)) {
        if (level == CHOICE && (syc__flow_is(f, at - 1, "?") || syc__flow_is(f, at - 1, ":")))
            break;
        if (syc__flow_is(f, at - 1, "(") || syc__flow_is(f, at - 1, "[") || syc__flow_is(f, at - 1, "{"))
            break;
        at = syc__stream_open(&f->s, at - 1);
    }
    return at;
}

/* -- arguments -- */

enum role { FREE, POINTER, NUMBER, ID, DISTANCE };

/* Goes it over a range of memory: is it `what`, or joint_ and that? */
static bool is_range(const syc_token *name, const char *what)
{
    syc_token stem = *name;
    if (begins(name, "joint_")) {
        stem.text += sizeof "joint_" - 1;
        stem.length -= sizeof "joint_" - 1;
    }
    return syc__token_is(&stem, what);
}

/* The role of argument number `index` of `count`, from 0, in calls where it must be the same for all. */
static enum role role_of(const syc_token *name, size_t index, size_t count)
{
    bool scan = is_range(name, "inclusive_scan") || is_range(name, "exclusive_scan");
    if (index == 0)
        return FREE;
    if (syc__token_is(name, "group_broadcast"))
        return index >= 2 ? ID : FREE;
    if (syc__token_is(name, "group_exclusive_scan"))
        return count == 4 && index == 2 ? NUMBER : FREE;
    if (syc__token_is(name, "group_inclusive_scan"))
        return count == 4 && index == 3 ? NUMBER : FREE;
    if (syc__token_is(name, "shift_group_left") || syc__token_is(name, "shift_group_right") ||
        syc__token_is(name, "permute_group_by_xor"))
        return index == 2 ? DISTANCE : FREE;
    if (!begins(name, "joint_") && !is_first_spelling(name))
        return FREE;
    if (index <= 2 || (scan && index == 3))
        return POINTER;
    if (is_range(name, "reduce"))
        return count == 5 && index == 3 ? NUMBER : FREE;
    if (is_range(name, "exclusive_scan"))
        return count == 6 && index == 4 ? NUMBER : FREE;
    return scan && count == 6 && index == 5 ? NUMBER : FREE;
}

/* How many items an id of a group_broadcast may name. */
static const char *bound_of(enum syc__reach reach, size_t index, size_t count)
{
    static const char *const sizes[] = {"get_local_size(0)", "get_local_size(1)", "get_local_size(2)"};
    if (reach == SYC__REACH_SUB_GROUP)
        return "syc_lane_count()";
    return count == 3 ? "syc_local_linear_range()" : sizes[count - 1 - index];
}

static syc_status check_argument(syc__flow *f, size_t call, size_t from, size_t to, size_t index, size_t count)
{
    const char *group = f->items[call].reach == SYC__REACH_SUB_GROUP ? "sub_group" : "work_group";
    enum role role = role_of(syc__flow_at(f, call), index, count);
    syc_status status = SYC_OK;
    size_t site;

    if (role == FREE || from >= to || count > 5 + (role != ID))
        return SYC_OK;
    SYC_TRY(syc__flow_site(f, role == ID || role == DISTANCE ? SYC__SITE_NUMBER : SYC__SITE_ARGUMENT, call, call,
                           (unsigned)index + 1, &site));
    if (role == ID)
        SYC_TRY(syc__flow_before(f, from, 0, "SYC_AGREE_ID(%s, %zu, %s, ", group, site,
                                 bound_of(f->items[call].reach, index, count)));
    else
        SYC_TRY(syc__flow_before(f, from, 0, "SYC_AGREE_%s(%s, %zu, ", role == POINTER ? "POINTER" : "NUMBER", group,
                                 site));
    SYC_TRY(syc__flow_behind(f, to - 1, ")/*%zu*/", site));
done:
    return status;
}

static size_t count_arguments(const syc__flow *f, size_t open)
{
    size_t count = 1;
    for (size_t at = open + 1; at < f->s.match[open]; at++) {
        count += syc__flow_is(f, at, ",");
        at = f->s.match[at];
    }
    return count;
}

static syc_status check_arguments(syc__flow *f, size_t call)
{
    size_t open = call + 1, count, index = 0, from = call + 2;
    syc_status status = SYC_OK;

    if (!syc__flow_is(f, open, "(") || syc__collective(syc__flow_at(f, call)) == SYC__REACH_NONE)
        return SYC_OK;
    count = count_arguments(f, open);
    for (size_t at = from; at <= f->s.match[open]; at++) {
        if (at == f->s.match[open] || syc__flow_is(f, at, ",")) {
            SYC_TRY(check_argument(f, call, from, at, index++, count));
            from = at + 1;
        } else {
            at = f->s.match[at];
        }
    }
done:
    return status;
}

syc_status syc__flow_expression(syc__flow *f, size_t from, size_t to)
{
    syc_status status = SYC_OK;
    for (size_t at = from; at < to; at++) {
        enum level level = level_of(f, at);
        size_t end = level != NOTHING ? right_of(f, at, to, level) : at;
        enum syc__reach reach = level != NOTHING ? syc__flow_reach(f, at + 1, end) : SYC__REACH_NONE;
        if (f->items[at].reach != SYC__REACH_NONE)
            SYC_TRY(check_arguments(f, at));
        if (reach != SYC__REACH_NONE)
            SYC_TRY(syc__flow_agree(f, SYC__SITE_CONDITION, at, syc__flow_find(f, at + 1, end),
                                    left_of(f, at, from, level), at, reach));
    }
done:
    return status;
}
