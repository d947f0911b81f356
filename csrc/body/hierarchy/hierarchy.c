/* Statements at group scope. Those that the leader can run alone stay together, in blocks of its own. All items come
 * along where control goes around a parallel_for_work_item, or leaves what encloses it: the leader decides, and
 * everybody follows. */
#include "body/hierarchy/hierarchy.h"

#include "body/name.h"
#include "source/tokens.h"

#include <string.h>
/* -- writing -- */

static syc_status write_statement(syc__hierarchy *h, size_t *at);

static void lead(syc__hierarchy *h, size_t at)
{
    if (h->leads)
        return;
    syc__edit_copy(&h->edit, at);
    syc__edit_add(&h->edit, "if (syc_leader) { ");
    h->leads = true;
}

static void follow(syc__hierarchy *h, size_t at)
{
    if (!h->leads)
        return;
    syc__edit_copy(&h->edit, at);
    syc__edit_add(&h->edit, "} ");
    h->leads = false;
}

static size_t behind_directive(const syc__hierarchy *h, size_t at)
{
    do
        at++;
    while (!h->edit.tokens.items[at].first);
    return at;
}

static syc_status write_sequence(syc__hierarchy *h, size_t at, size_t end)
{
    syc_status status = SYC_OK;
    h->depth++;
    while (at < end) {
        if (h->edit.tokens.items[at].first && syc__edit_is(&h->edit, at, "#"))
            at = behind_directive(h, at);
        else
            SYC_TRY(write_statement(h, &at));
    }
    follow(h, end);
    syc__scope_end(h);
done:
    return status;
}

/* A statement that belongs to another: what it declares is its own. Up to `end`, all is copied. */
static syc_status write_inner(syc__hierarchy *h, size_t at, size_t end)
{
    syc_status status = SYC_OK;
    syc__edit_skip(&h->edit, at);
    SYC_TRY(write_sequence(h, at, end));
    syc__edit_copy(&h->edit, end);
done:
    return status;
}

/* Tokens as an argument of a macro of ours. */
static syc_status add_flat(syc__hierarchy *h, size_t from, size_t to)
{
    syc_status status = SYC_OK;
    syc_text text = {0};
    SYC_TRY(syc__scope_flatten(h, from, to, SYC__SCOPE_GROUP, &text));
    syc__edit_add_n(&h->edit, syc_text_get(&text), text.length);
done:
    syc_text_clear(&text);
    return status;
}

static syc_status add_decision(syc__hierarchy *h, size_t from, size_t to)
{
    syc_status status = SYC_OK;
    syc__edit_add(&h->edit, "syc_decide((");
    SYC_TRY(add_flat(h, from, to));
    syc__edit_add(&h->edit, ")) ");
done:
    return status;
}

static syc_status write_if(syc__hierarchy *h, size_t at, const syc__statement *one)
{
    syc_status status = SYC_OK;

    syc__edit_copy(&h->edit, at);
    syc__edit_add(&h->edit, "{ ");
    SYC_TRY(add_decision(h, one->open + 1, one->close));
    syc__edit_add(&h->edit, "if (syc_decision) { ");
    SYC_TRY(write_inner(h, one->body, one->body_end));
    if (one->other > 0) {
        syc__edit_add(&h->edit, "} else { ");
        SYC_TRY(write_inner(h, one->other, one->end));
    }
    syc__edit_add(&h->edit, "} } ");
done:
    return status;
}

/* PoCL 3.0: it makes something else of loops with barriers that have more than one way back, and cannot compile
 * those whose state is each item's own.
 * Gone when: tests/conformance/4_10_kernels/test_4_10_7_hierarchical.py::test_control_goes_around_items.
 *
 * The text of a loop. All that continues comes by its end, where a barrier stands. */
static syc_status write_loop_body(syc__hierarchy *h, unsigned round, size_t at, size_t end)
{
    syc_status status = SYC_OK;
    unsigned outer = h->round;
    bool outer_continued = h->continued;

    h->round = round;
    h->continued = false;
    SYC_TRY(write_inner(h, at, end));
    if (h->continued)
        syc__edit_add(&h->edit, "syc_next_%u:; syc_group_sync ", round);
    h->round = outer;
    h->continued = outer_continued;
done:
    return status;
}

static syc_status write_while(syc__hierarchy *h, size_t at, const syc__statement *one)
{
    syc_status status = SYC_OK;

    syc__edit_copy(&h->edit, at);
    syc__edit_add(&h->edit, "for (;;) { ");
    SYC_TRY(add_decision(h, one->open + 1, one->close));
    syc__edit_add(&h->edit, "if (!syc_decision) break; ");
    SYC_TRY(write_loop_body(h, ++h->rounds, one->body, one->end));
    syc__edit_add(&h->edit, "} ");
done:
    return status;
}

/* A loop that does something else in its first round: the leader keeps in mind which it is, in local
 * memory. */
static unsigned begin_rounds(syc__hierarchy *h)
{
    unsigned round = ++h->rounds;
    syc_text_add(&h->hoisted, "__local int syc_round_%u; ", round);
    syc__edit_add(&h->edit, "if (syc_leader) { syc_round_%u = 0; } for (;;) { ", round);
    return round;
}

static syc_status write_do(syc__hierarchy *h, size_t at, const syc__statement *one)
{
    syc_status status = SYC_OK;
    unsigned round;

    syc__edit_copy(&h->edit, at);
    round = begin_rounds(h);
    syc__edit_add(&h->edit, "syc_decide(!syc_round_%u || (", round);
    SYC_TRY(add_flat(h, one->open + 1, one->close));
    syc__edit_add(&h->edit, ")) if (!syc_decision) break; if (syc_leader) { syc_round_%u = 1; } ", round);
    SYC_TRY(write_loop_body(h, round, one->body, one->body_end));
    syc__edit_add(&h->edit, "} ");
    syc__edit_skip(&h->edit, one->end);
done:
    return status;
}

/* The ';' at or behind `at`, outside of brackets; `end` if there is none. */
static size_t find_semicolon(const syc__hierarchy *h, size_t at, size_t end)
{
    while (at < end && !syc__edit_is(&h->edit, at, ";"))
        at = syc__edit_match(&h->edit, at) + 1;
    return at < end ? at : end;
}

static syc_status add_led(syc__hierarchy *h, size_t from, size_t to)
{
    syc_status status = SYC_OK;
    if (from >= to)
        goto done;
    syc__edit_add(&h->edit, "if (syc_leader) { ");
    if (syc__scope_declares(h, from, to)) {
        SYC_TRY(syc__scope_declare(h, from, to));
    } else {
        SYC_TRY(add_flat(h, from, to));
        syc__edit_add(&h->edit, "; ");
    }
    syc__edit_add(&h->edit, "} ");
done:
    return status;
}

static syc_status write_for(syc__hierarchy *h, size_t at, const syc__statement *one)
{
    syc_status status = SYC_OK;
    const size_t close = one->close, first = find_semicolon(h, one->open + 1, close),
                 second = find_semicolon(h, first + 1, close);
    unsigned round;

    if (second >= close)
        return syc__edit_refuse(&h->edit, one->open, "expected 'for (first; condition; step)'");
    h->depth++;
    syc__edit_copy(&h->edit, at);
    syc__edit_add(&h->edit, "{ ");
    SYC_TRY(add_led(h, one->open + 1, first));
    round = begin_rounds(h);
    if (second + 1 < close) {
        syc__edit_add(&h->edit, "if (syc_leader) { if (syc_round_%u) { ", round);
        SYC_TRY(add_flat(h, second + 1, close));
        syc__edit_add(&h->edit, "; } syc_round_%u = 1; } ", round);
    }
    if (first + 1 < second) {
        SYC_TRY(add_decision(h, first + 1, second));
        syc__edit_add(&h->edit, "if (!syc_decision) break; ");
    }
    SYC_TRY(write_loop_body(h, round, one->body, one->end));
    syc__edit_add(&h->edit, "} } ");
    syc__scope_end(h);
done:
    return status;
}

/* -- items -- */

static syc_status note_sizes(syc__hierarchy *h, size_t at, unsigned count)
{
    syc__item_sizes *sizes = h->sizes;
    if (count > 3)
        return syc__edit_refuse(&h->edit, at, "parallel_for_work_item has at most 3 sizes");
    if (sizes->count != 0 && count != 0 && sizes->count != count)
        return syc__edit_refuse(&h->edit, at,
                                "parallel_for_work_item has another number of sizes than the one before it");
    if (sizes->count == 0 && count != 0)
        *sizes = (syc__item_sizes){count, syc__edit_position(&h->edit, at)};
    return SYC_OK;
}

/* Does the item ask which physical one it is? */
static bool asks_physical(const syc__hierarchy *h, size_t from, size_t to)
{
    static const char *const words[] = {"physical_local_id", "global_id",     "global_linear_id",
                                        "stream_global_id",  "stream_h_item", NULL};
    if (syc__extent_contains(h, from, to, words))
        return true;
    for (size_t at = from; at < to; at++)
        for (size_t i = 0; i < h->shared_count; i++)
            if (h->shared[i].is_private && syc__token_same(h->shared[i].name, &h->edit.tokens.items[at]))
                return true;
    return false;
}

/* "syc_items_2(free, r0, r1) ", or with no sizes those of the group. */
static syc_status add_loops(syc__hierarchy *h, size_t at, const syc__statement *one)
{
    syc_status status = SYC_OK;
    unsigned count = one->close > one->open + 1;

    for (size_t i = one->open + 1; count > 0 && i < one->close; i = syc__edit_match(&h->edit, i) + 1)
        count += syc__edit_is(&h->edit, i, ",");
    SYC_TRY(note_sizes(h, at, count));
    if (count == 0) {
        syc__edit_add(&h->edit, "syc_items_whole() ");
    } else {
        syc__edit_add(&h->edit, "syc_items_%u(%s, ", count, asks_physical(h, one->body, one->end) ? "turns" : "free");
        SYC_TRY(add_flat(h, one->open + 1, one->close));
        syc__edit_add(&h->edit, ") ");
    }
done:
    return status;
}

static syc_status write_items(syc__hierarchy *h, size_t at, const syc__statement *one)
{
    static const char *const returns[] = {"return", NULL};
    syc_status status = SYC_OK;
    const size_t body = one->body, end = one->end;

    SYC_TRY(syc__extent_check_item(h, body + 1, end - 1));
    h->loops++;
    syc__edit_copy(&h->edit, at);
    syc__edit_add(&h->edit, "{ ");
    SYC_TRY(add_loops(h, at, one));
    syc__edit_skip(&h->edit, body);
    SYC_TRY(syc__scope_copy(h, body, end - 1, SYC__SCOPE_ITEM));
    syc__edit_copy(&h->edit, end - 1);
    if (syc__extent_contains(h, body, end, returns))
        syc__edit_add(&h->edit, "syc_item_end_%u:; ", h->loops);
    syc__edit_copy(&h->edit, end);
    syc__edit_add(&h->edit, "syc_group_sync } ");
done:
    return status;
}

static syc_status write_private(syc__hierarchy *h, size_t at, size_t end)
{
    syc_status status = SYC_OK;
    const size_t close = syc__edit_match(&h->edit, at + 1);
    if (!syc__edit_is(&h->edit, at + 1, "(") || !syc__edit_is(&h->edit, close + 1, ";")) {
        status = syc__edit_refuse(&h->edit, at, "expected private_memory(type, name);");
        goto done;
    }
    syc__edit_copy(&h->edit, at);
    SYC_TRY(syc__scope_declare_private(h, at + 2, close));
    syc__edit_skip(&h->edit, end);
done:
    return status;
}

/* -- any statement -- */

static syc_status write_joint(syc__hierarchy *h, size_t at, size_t end)
{
    static const char *const jumps[] = {"break", "return", NULL};
    const syc__statement one = syc__statement_read(&h->edit.stream, at, end);
    syc_status status = SYC_OK;

    follow(h, at);
    if (one.kind == SYC__STATEMENT_BLOCK) {
        SYC_TRY(write_sequence(h, one.body, one.body_end));
        syc__edit_copy(&h->edit, end);
    } else if (one.kind == SYC__STATEMENT_IF) {
        SYC_TRY(write_if(h, at, &one));
    } else if (syc__edit_is(&h->edit, at, "while")) {
        SYC_TRY(write_while(h, at, &one));
    } else if (syc__edit_is(&h->edit, at, "for")) {
        SYC_TRY(write_for(h, at, &one));
    } else if (one.kind == SYC__STATEMENT_DO) {
        SYC_TRY(write_do(h, at, &one));
    } else if (one.kind == SYC__STATEMENT_ITEMS) {
        SYC_TRY(write_items(h, at, &one));
    } else if (syc__edit_is(&h->edit, at, "private_memory")) {
        SYC_TRY(write_private(h, at, end));
    } else if (h->round == 0 && (syc__edit_is(&h->edit, at, "continue") || syc__edit_is(&h->edit, at, "break"))) {
        status = syc__edit_refuse(&h->edit, at, "this stands in no loop");
    } else if (syc__edit_is(&h->edit, at, "continue")) {
        syc__edit_copy(&h->edit, at);
        syc__edit_add(&h->edit, "goto syc_next_%u;", h->round);
        syc__edit_skip(&h->edit, end);
        h->continued = true;
    } else if (syc__extent_contains(h, at, at + 1, jumps)) {
        syc__edit_copy(&h->edit, end);
    } else if (syc__extent_calls_jointly(h, at, end)) {
        syc__edit_copy(&h->edit, at);
        syc__edit_add(&h->edit, "syc_group_sync ");
        SYC_TRY(syc__scope_copy(h, at, end, SYC__SCOPE_GROUP));
        syc__edit_copy(&h->edit, end);
    } else {
        status =
            syc__edit_refuse(&h->edit, at, "parallel_for_work_item, return and goto have no place in this statement");
    }
done:
    return status;
}

static syc_status write_statement(syc__hierarchy *h, size_t *at)
{
    syc_status status = SYC_OK;
    size_t from = *at, end = 0;

    SYC_TRY(syc__extent_end(h, from, &end));
    if (syc__extent_is_joint(h, from, end)) {
        SYC_TRY(write_joint(h, from, end));
    } else if (syc__scope_declares(h, from, end - 1)) {
        lead(h, from);
        syc__edit_copy(&h->edit, from);
        SYC_TRY(syc__scope_declare(h, from, end - 1));
        syc__edit_skip(&h->edit, end);
    } else {
        lead(h, from);
        SYC_TRY(syc__scope_copy(h, from, end, SYC__SCOPE_GROUP));
    }
    *at = end;
done:
    return status;
}

/* -- the text -- */

syc_status syc__hierarchy_write(const char *user, const char *text, const syc_body_source *source,
                                syc__item_sizes *sizes, syc_text *out)
{
    syc_status status = SYC_OK;
    syc_arena arena = {0};
    syc__hierarchy h = {.arena = &arena, .source = source, .sizes = sizes};
    syc_text whole = {0};

    *sizes = (syc__item_sizes){0};
    SYC_TRY(syc__scope_check_preamble(source->preamble));
    SYC_TRY(syc__edit_begin(&arena, text, &h.edit));
    h.edit.user = user;
    SYC_TRY(write_sequence(&h, 0, h.edit.tokens.count - 1));
    syc__edit_end(&h.edit);
    syc_text_add(&whole, "syc_work_group_begin ");
    syc_text_add_n(&whole, syc_text_get(&h.hoisted), h.hoisted.length);
    syc_text_add_n(&whole, syc_text_get(&h.edit.out), h.edit.out.length);
    SYC_CHECK(!whole.cut && !h.hoisted.cut && !h.edit.out.cut, SYC_E_MEMORY_ALLOCATION,
              "no memory for a body of %zu bytes", strlen(text));
    *out = whole;
    whole = (syc_text){0};
done:
    syc_text_clear(&whole);
    syc_text_clear(&h.hoisted);
    syc_text_clear(&h.edit.out);
    syc__arena_clear(&arena);
    return status;
}

syc_status syc__hierarchy_refuse(const syc_body_source *source)
{
    static const char *const ours[] = {"parallel_for_work_item", "private_memory", NULL};
    syc_status status = SYC_OK;
    syc_arena arena = {0};
    syc__edit edit = {0};

    if (strstr(source->text, ours[0]) == NULL && strstr(source->text, ours[1]) == NULL)
        return SYC_OK;
    SYC_TRY(syc__edit_begin(&arena, source->text, &edit));
    edit.parts = source->parts;
    edit.part_count = source->part_count;
    for (size_t at = 0; at + 1 < edit.tokens.count; at++) {
        if (!syc__token_in(&edit.tokens.items[at], ours) || edit.tokens.items[at].kind != SYC_TOKEN_WORD)
            continue;
        status = syc__edit_refuse(&edit, at, "this belongs in the text of a work-group: parallel_for_work_group");
        break;
    }
done:
    syc_text_clear(&edit.out);
    syc__arena_clear(&arena);
    return status;
}
