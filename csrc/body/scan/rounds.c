/* SYC_SHAPE_ROUNDS: groups that are all under way together take tiles in turns: of G groups each takes every G-th.
 * Memory is read and written in rows, a lane beside its neighbour, and combined in *runs*, elements of a lane that
 * follow each other: a run takes an operation for each element, and a row would take a shuffle for each power of two.
 * Between rows and runs stands a warp's stretch of local memory. Where there are no warps a group has one work-item.
 * The steps are macros of kernels/forms/scan_rounds.clh; here is their order.
 *
 * A group knows what it has come to at the end of its own last tile. What is between that and its next one are the sums
 * of G - 1 tiles, one of each other group. Each is left a round before it is needed: a group has three tiles, one that
 * is fetched, the one before it, which is combined, and the one before both, which is finished. So nobody waits for a
 * prefix to travel from group to group, and the order of combination depends on G alone.
 *
 * Waits are bounded: where a sum is long in coming, the group makes it by itself, and leaves it for others. The owner
 * may have written over what was read for that, but not before it has left the sum, which is looked for once more. */
#include "body/scan/rounds.h"

static void add_befores(syc__writer *w, const char *text)
{
    for (size_t i = 0; i < w->body->source.count; i++)
        if (syc__is_reducer(&w->body->source.names[i]) && w->body->source.names[i].reducer.befores)
            syc__add_scanner(w, &w->body->source.names[i], text);
}

/* -- the second text -- */

static void add_second(syc__writer *w, bool guarded)
{
    syc__write_rows_begin(w);
    syc__add_scanners(w, "            SYC_SCAN_NOW($)\n");
    add_befores(w, "            SYC_SCAN_WAS($)\n");
    if (guarded)
        syc__add(w, "            if (syc_q < syc_stop)\n");
    syc__add(w, "            { ");
    syc__write_scan_element(w);
    syc__write_round_call(w);
    syc__add(w, "            }\n");
    if (guarded) {
        syc__add(w, "            if (syc_q + 1 == syc_length) {\n");
        syc__add_scanners(w, "                if (syc_out_$ != 0) syc_out_$[syc_line] = syc_value_$(syc_at_$);\n");
        syc__add(w, "            }\n");
    }
    syc__add(w, "        }\n");
}

static void end_tile(syc__writer *w)
{
    syc__write_round_place(w, "syc_tile");
    syc__write_round_carry(w);
    if (syc__scan_has_second(w->body)) {
        syc__add_scanners(w, "        syc_run_$ = syc_meet_$(syc_carry_$, syc_this_front_$);\n");
        add_befores(w, "        SYC_SCAN_LAY_BEFORE($)\n");
        syc__write_run(w, "            syc_run_$ = syc_further_$(syc_run_$, SYC_SCAN_OF_RUN(syc_this_line_$), "
                          "syc_this_head_$ >> syc_k & 1, syc_start_$.value);\n"
                          "            SYC_SCAN_OF_RUN(syc_this_line_$) = syc_cell_of_$(syc_run_$);\n");
        syc__add(w, "        syc_scan_wait();\n");
        syc__add(w, "        if (syc_piece + 1 < syc_pieces) {\n");
        add_second(w, false);
        syc__add(w, "        } else {\n");
        add_second(w, true);
        syc__add(w, "        }\n        syc_scan_wait();\n");
    }
    syc__add_scanners(w, "        syc_carry_$ = syc_meet_$(syc_carry_$, syc_this_whole_$);\n");
    if (syc__scan_has_second(w->body))
        return;
    syc__add(w, "        if (syc_own == 0 && syc_piece + 1 == syc_pieces) {\n");
    syc__add_scanners(w, "            if (syc_out_$ != 0) syc_out_$[syc_line] = syc_worth_$(syc_carry_$);\n");
    syc__add(w, "        }\n");
}

/* -- all of it -- */

/* Slots that a work-item asks for before it needs them: groups of 256 on all units of the largest GPUs have two each.
 * It has them in registers until then, so there are none of large sums. */
static unsigned early_of(const syc__writer *w)
{
    enum { SLOTS = 2, LARGE = 48 };
    size_t bytes = 0;
    for (size_t i = 0; i < w->body->source.count; i++)
        if (syc__is_reducer(&w->body->source.names[i]))
            bytes += syc_scan_bytes(&w->body->source.names[i]);
    return bytes > LARGE ? 0 : SLOTS;
}

static void add_variables(syc__writer *w)
{
    syc__write_starts(w);
    syc_text_add(
        &w->text,
        "    enum { syc_items = %u, syc_lanes = syc_scan_lanes(), syc_warps = syc_items / syc_lanes, syc_elements "
        "= %u, syc_stretch = syc_elements * syc_lanes + 1, syc_early = %u };\n",
        w->form.items, w->form.elements, early_of(w));
    syc__add(w, "    const uint syc_own = get_local_id(0), syc_own_lane = syc_own % syc_lanes, syc_warp = syc_own / "
                "syc_lanes;\n");
    syc__add(w, "    const uint syc_first = syc_warp * syc_elements * syc_lanes + syc_own_lane;\n"
                "    volatile __local uint *const syc_first_lost = (volatile __local uint *)syc_shared;\n"
                "    __local uchar *syc_room = (__local uchar *)syc_shared + 128;\n"
                "    uint syc_patience = SYC_SCAN_POLLS, syc_state, syc_odd = 0;\n"
                "    ulong syc_was_line = 0xffffffffffffffff;\n");
    syc__add_scanners(w, "    SYC_SCAN_LOCAL($)\n    SYC_SCAN_ROUND($)\n");
    syc__add_restarts(w, "    uint syc_this_mark_$ = 0, syc_late_mark_$ = 0, syc_next_mark_$ = 0;\n"
                         "    uint syc_this_head_$ = 0, syc_late_head_$ = 0;\n");
}

/* Groups have numbers in the order in which they begin: a group waits for those that have begun. */
static void add_rank(syc__writer *w)
{
    syc__add(w, "    if (syc_own == 0) {\n"
                "        syc_first_lost[0] = 0xffffffff;\n"
                "        syc_first_lost[1] = syc_scan_ticket(syc_head + 1);\n"
                "        syc_first_lost[2] = syc_scan_tag(syc_head);\n"
                "    }\n");
    syc__write_round_barrier(w, "    ");
    syc__add(w, "    const ulong syc_rank = syc_first_lost[1];\n"
                "    const uint syc_tag = syc_first_lost[2];\n"
                "    const ulong syc_tiles = syc_length > 0 ? syc_outer * syc_inner * syc_pieces : 0;\n");
}

static void move_on(syc__writer *w)
{
    syc__add_scanners(w, "        SYC_SCAN_MOVE_ON($)\n");
    syc__add_restarts(w, "        syc_this_mark_$ = syc_late_mark_$;\n        syc_late_mark_$ = syc_next_mark_$;\n"
                         "        syc_this_head_$ = syc_late_head_$;\n");
    syc__add(w, "        syc_odd = !syc_odd;\n");
}

/* Of the tile syc_next the elements are fetched, that which is syc_ahead before it is combined, and the one before both
 * is finished. Where the second text chooses elements it mostly reads them again: nothing is fetched ahead then, so
 * they are still near. */
static void add_round(syc__writer *w)
{
    syc__add(w, "        const bool syc_sums = syc_next >= syc_ahead && syc_next - syc_ahead < syc_tiles;\n");
    syc__add(w, "        const bool syc_ends = syc_next >= syc_groups + syc_ahead;\n");
    syc__write_round_ask(w);
    if (!w->chooses)
        syc__write_round_lay(w);
    syc__add(w, "        if (syc_next < syc_tiles) {\n");
    syc__write_round_fetch(w);
    syc__add(w, "        }\n");
    if (w->chooses) {
        syc__add_restarts(w, "        syc_late_mark_$ = syc_next_mark_$;\n");
        syc__write_round_lay(w);
    }
    syc__write_round_sums(w);
    syc__write_round_barrier(w, "        ");
    syc__write_round_leave(w);
    syc__add(w, "        if (syc_ends) {\n");
    end_tile(w);
    syc__add(w, "        }\n");
    move_on(w);
}

syc_status syc__write_rounds(syc__writer *w)
{
    syc_status status = SYC_OK;

    SYC_TRY(syc__write_scan_head(w, "groups that scan tiles of lines in rounds"));
    syc__write_scan_sizes(w);
    syc__write_scan_words(w);
    add_variables(w);
    syc__write_scan_empty(w);
    add_rank(w);
    syc_text_add(&w->text, "    const ulong syc_ahead = %s;\n", w->chooses ? "0" : "syc_groups");
    syc__add(w, "    for (ulong syc_next = syc_rank; syc_next < syc_tiles + syc_groups + syc_ahead; syc_next += "
                "syc_groups) {\n");
    add_round(w);
    syc__add(w, "    }\n"
                "    if (syc_own == 0) {\n");
    syc__write_scan_ending(w);
    syc__add(w, "    }\n}\n");
done:
    return status;
}
