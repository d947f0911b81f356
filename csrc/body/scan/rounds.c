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
#include "body/scan/scan.h"

#include <stdio.h>

/* Only where there are warps: PoCL's compiler copies the text behind a barrier for each way to get there. */
static void add_barrier(syc__writer *w, const char *blanks)
{
    if (w->form.warps)
        syc_text_add(&w->text, "%sbarrier(CLK_LOCAL_MEM_FENCE);\n", blanks);
}

/* For scanners whose elements are asked which of them begin segments. */
static void add_marked(syc__writer *w, const char *text)
{
    for (size_t i = 0; i < w->body->source.count; i++)
        if (syc__scan_has_marks(&w->body->source.names[i]))
            syc__add_scanner(w, &w->body->source.names[i], text);
}

static void add_befores(syc__writer *w, const char *text)
{
    for (size_t i = 0; i < w->body->source.count; i++)
        if (syc__is_reducer(&w->body->source.names[i]) && w->body->source.names[i].reducer.befores)
            syc__add_scanner(w, &w->body->source.names[i], text);
}

/* -- a tile -- */

/* Its line, and the elements that are its own there. */
static void add_place(syc__writer *w, const char *tile)
{
    syc_text_add(
        &w->text,
        "        const ulong syc_line = syc_tiles > syc_pieces ? %s / syc_pieces : 0, syc_piece = %s - syc_line * "
        "syc_pieces;\n",
        tile, tile);
    syc__add(w,
             "        const ulong syc_begin = syc_piece * syc_run;\n"
             "        const ulong syc_stop = syc_length - syc_begin < syc_run ? syc_length : syc_begin + syc_run;\n");
    syc__write_scan_line(w);
}

/* Of each row the work-item's element. */
static void begin_rows(syc__writer *w)
{
    syc__add(w, "#pragma unroll\n"
                "        for (uint syc_k = 0; syc_k < syc_elements; syc_k++) {\n"
                "            const ulong syc_q = syc_begin + syc_first + syc_k * syc_lanes;\n");
}

/* What the element contributes, in syc_sum_<name>. */
static void add_contribution(syc__writer *w, bool guarded)
{
    syc__add_scanners(w, "            syc_part_$ syc_sum_$ = syc_nothing_$();\n");
    if (guarded)
        syc__add(w, "            if (syc_q < syc_stop)\n");
    syc__add(w, "            { ");
    syc__write_scan_element(w);
    syc__write_first_call(w, "syc_sum_$", "syc_q == 0");
    syc__add(w, "            }\n");
}

static void fetch_elements(syc__writer *w, bool guarded)
{
    begin_rows(w);
    add_contribution(w, guarded);
    add_marked(w, "            SYC_SCAN_TAKE_MARK($)\n");
    syc__add_restarts(w, "            SYC_SCAN_HEAD($)\n");
    syc__add_scanners(w, "            syc_next_$[syc_k] = syc_sum_$;\n");
    syc__add(w, "        }\n");
}

/* A loop over the elements of a run. */
static void add_run(syc__writer *w, const char *step)
{
    syc__add(w, "#pragma unroll\n        for (uint syc_k = 0; syc_k < syc_elements; syc_k++) {\n");
    syc__add_scanners(w, step);
    syc__add(w, "        }\n");
}

/* The elements of the tile syc_next, into registers: they are on their way while other tiles are combined and finished.
 */
static void fetch_tile(syc__writer *w)
{
    add_place(w, "syc_next");
    add_marked(w, "        syc_next_mark_$ = 0;\n");
    syc__add(w, "        if (syc_begin + syc_run == syc_stop) {\n");
    fetch_elements(w, false);
    syc__add(w, "        } else {\n");
    fetch_elements(w, true);
    syc__add(w, "        }\n");
}

/* Those that were fetched a round before are laid down, and what comes before each run in its warp is made. */
static void lay_tile(syc__writer *w)
{
    syc__add(w, "        if (syc_sums) {\n");
    add_run(w, "            SYC_SCAN_LAY($)\n");
    syc__add(w, "        syc_scan_wait();\n        }\n");
}

static void sum_runs(syc__writer *w)
{
    syc__add(w, "        if (syc_sums) {\n");
    syc__add_scanners(w, "        syc_run_$ = syc_nothing_$();\n");
    add_run(w, "            syc_run_$ = syc_meet_$(syc_run_$, SYC_SCAN_OF_RUN(syc_late_line_$));\n");
    syc__add_scanners(w, "        SYC_SCAN_FOLD_RUNS($, warps)\n");
    syc__add(w, "        }\n");
}

/* Their sum is left for the others of the line, by a work-item of the warp that has the fewest sums to wait for. The
 * fence is for it: elements of that tile may be written over from the next round on. */
static void leave_sum(syc__writer *w)
{
    syc__add(w, "        if (syc_sums) {\n");
    syc__add_scanners(w, "        SYC_SCAN_TAKE_WARPS($)\n");
    syc__add(w, "        if (syc_pieces > 1 && syc_own == syc_items - 1) {\n");
    syc__add_scanners(w, "            SYC_SCAN_PUT($, syc_next - syc_ahead, syc_late_whole_$, 0)\n");
    syc__add(w, "            SYC_REDUCTION_FENCE();\n        }\n        }\n");
}

/* -- what is before the tile syc_tile -- */

static void get_slots(syc__writer *w, const char *tile)
{
    char text[100];
    syc__add(w, "            syc_state = 3;\n");
    (void)snprintf(text, sizeof text, "            SYC_SCAN_GET($, %s)\n", tile);
    syc__add_scanners(w, text);
}

/* The sum of another group's tile, as that group makes it. */
static void make_sum(syc__writer *w)
{
    syc__add(w, "        {\n");
    add_place(w, "syc_missing");
    syc__add_scanners(w, "        syc_run_$ = syc_nothing_$();\n");
    syc__add(w, "#pragma unroll 1\n"
                "        for (uint syc_k = 0; syc_k < syc_elements; syc_k++) {\n"
                "            const ulong syc_q = syc_begin + (ulong)syc_own * syc_elements + syc_k;\n");
    add_contribution(w, true);
    syc__add_restarts(w, "            SYC_SCAN_HEAD($)\n");
    syc__add_scanners(w, "            syc_run_$ = syc_meet_$(syc_run_$, syc_sum_$);\n");
    syc__add(w, "        }\n");
    syc__add_scanners(w, "        SYC_SCAN_FOLD_RUNS($, shares)\n");
    add_barrier(w, "        ");
    syc__add(w, "        if (syc_own == 0) {\n");
    syc__add_scanners(w, "            syc_part_$ syc_made_$ = syc_nothing_$();\n"
                         "            SYC_SCAN_TAKE_SHARES($, syc_made_$)\n");
    syc__add(w, "            SYC_REDUCTION_FENCE();\n");
    get_slots(w, "syc_missing");
    syc__add(w, "            if (syc_state == 0) {\n");
    syc__add_scanners(w, "                SYC_SCAN_PUT($, syc_missing, syc_made_$, 0)\n");
    syc__add(w, "            }\n        }\n");
    add_barrier(w, "        ");
    syc__add(w, "        }\n");
}

/* This work-item's share of the tiles from syc_low to before syc_tile: neighbours. Of those that are missing each group
 * takes the first one from a place of its own, so that groups which wait for the same sums make different ones. */
static void take_share(syc__writer *w)
{
    syc__add(w, "        const uint syc_needed = (uint)(syc_tile - syc_low);\n"
                "        const uint syc_turn = (uint)(syc_rank % syc_needed);\n"
                "        const uint syc_each = (syc_needed + syc_items - 1) / syc_items;\n"
                "        uint syc_found = 0, syc_polls = 0, syc_lost = 0xffffffff;\n");
    syc__add_scanners(w, "        syc_part_$ syc_share_$ = syc_nothing_$();\n");
    syc__add(w, "        while (syc_found < syc_each && syc_own * syc_each + syc_found < syc_needed) {\n");
    get_slots(w, "syc_low + syc_own * syc_each + syc_found");
    syc__add(w, "            if (syc_state == 0 && syc_polls++ < syc_patience)\n                continue;\n"
                "            if (syc_state == 0) {\n"
                "                syc_lost = syc_own * syc_each + syc_found;\n"
                "                break;\n"
                "            }\n");
    syc__add_scanners(w, "            syc_share_$ = syc_meet_$(syc_share_$, syc_run_$);\n");
    syc__add(w, "            syc_found++;\n        }\n");
    syc__add_scanners(w, "        SYC_SCAN_FOLD_LANES($)\n");
    syc__add(w, "        if (syc_lost != 0xffffffff)\n            (void)atomic_min(syc_first_lost, (syc_lost + "
                "syc_needed - syc_turn) % syc_needed);\n");
}

static void find_carry(syc__writer *w)
{
    syc__add(
        w,
        "        const ulong syc_low = syc_line == syc_was_line ? syc_tile - syc_groups + 1 : syc_line * syc_pieces;\n"
        "        if (syc_line != syc_was_line) {\n");
    syc__add_scanners(w, "            syc_carry_$ = syc_start_$;\n");
    syc__add(w, "        }\n"
                "        syc_was_line = syc_line;\n"
                "        while (syc_low < syc_tile) {\n");
    take_share(w);
    add_barrier(w, "        ");
    syc__add(w, "        if (*syc_first_lost == 0xffffffff) {\n");
    syc__add_scanners(w, "            SYC_SCAN_TAKE_SHARES($, syc_carry_$)\n");
    syc__add(w, "            break;\n"
                "        }\n"
                "        const ulong syc_missing = syc_low + (*syc_first_lost + syc_turn) % syc_needed;\n"
                "        syc_patience = SYC_SCAN_PATIENCE;\n");
    add_barrier(w, "        ");
    syc__add(w, "        if (syc_own == 0)\n            *syc_first_lost = 0xffffffff;\n");
    make_sum(w);
    syc__add(w, "        }\n");
}

/* -- the second text -- */

static void add_second(syc__writer *w, bool guarded)
{
    begin_rows(w);
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
        syc__add_scanners(w, "                if (syc_out_$ != 0) syc_out_$[syc_line] = syc_worth_$(syc_at_$);\n");
        syc__add(w, "            }\n");
    }
    syc__add(w, "        }\n");
}

static void end_tile(syc__writer *w)
{
    add_place(w, "syc_tile");
    find_carry(w);
    if (syc__scan_has_second(w->body)) {
        syc__add_scanners(w, "        syc_run_$ = syc_meet_$(syc_carry_$, syc_this_front_$);\n");
        add_befores(w, "        SYC_SCAN_LAY_BEFORE($)\n");
        add_run(w, "            syc_run_$ = SYC_SCAN_OF_RUN(syc_this_line_$) = "
                   "syc_meet_$(syc_run_$, SYC_SCAN_OF_RUN(syc_this_line_$));\n");
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

static void add_variables(syc__writer *w)
{
    syc__write_starts(w);
    syc_text_add(
        &w->text,
        "    enum { syc_items = %u, syc_lanes = syc_scan_lanes(), syc_warps = syc_items / syc_lanes, syc_elements "
        "= %u, syc_stretch = syc_elements * syc_lanes + 1 };\n",
        w->form.items, w->form.elements);
    syc__add(w, "    const uint syc_own = get_local_id(0), syc_own_lane = syc_own % syc_lanes, syc_warp = syc_own / "
                "syc_lanes;\n");
    syc__add(w, "    const uint syc_first = syc_warp * syc_elements * syc_lanes + syc_own_lane;\n"
                "    volatile __local uint *const syc_first_lost = (volatile __local uint *)syc_shared;\n"
                "    __local uchar *syc_room = (__local uchar *)syc_shared + 128;\n"
                "    uint syc_patience = SYC_SCAN_POLLS, syc_state, syc_odd = 0;\n"
                "    ulong syc_was_line = 0xffffffffffffffff;\n");
    syc__add_scanners(w, "    SYC_SCAN_LOCAL($)\n    SYC_SCAN_ROUND($)\n");
    add_marked(w, "    uint syc_this_mark_$ = 0, syc_late_mark_$ = 0, syc_next_mark_$ = 0;\n");
}

/* Groups have numbers in the order in which they begin: a group waits for those that have begun. */
static void add_rank(syc__writer *w)
{
    syc__add(w, "    if (syc_own == 0) {\n"
                "        syc_first_lost[0] = 0xffffffff;\n"
                "        syc_first_lost[1] = syc_scan_ticket(syc_head + 1);\n"
                "        syc_first_lost[2] = syc_scan_tag(syc_head);\n"
                "    }\n");
    add_barrier(w, "    ");
    syc__add(w, "    const ulong syc_rank = syc_first_lost[1];\n"
                "    const uint syc_tag = syc_first_lost[2];\n"
                "    const ulong syc_tiles = syc_length > 0 ? syc_outer * syc_inner * syc_pieces : 0;\n");
}

static void move_on(syc__writer *w)
{
    syc__add_scanners(w, "        SYC_SCAN_MOVE_ON($)\n");
    add_marked(w, "        syc_this_mark_$ = syc_late_mark_$;\n        syc_late_mark_$ = syc_next_mark_$;\n");
    syc__add(w, "        syc_odd = !syc_odd;\n");
}

/* Of the tile syc_next the elements are fetched, that which is syc_ahead before it is combined, and the one before both
 * is finished. Where the second text chooses elements it mostly reads them again: nothing is fetched ahead then, so
 * they are still near. */
static void add_round(syc__writer *w)
{
    syc__add(w, "        const bool syc_sums = syc_next >= syc_ahead && syc_next - syc_ahead < syc_tiles;\n");
    if (!w->chooses)
        lay_tile(w);
    syc__add(w, "        if (syc_next < syc_tiles) {\n");
    fetch_tile(w);
    syc__add(w, "        }\n");
    if (w->chooses) {
        add_marked(w, "        syc_late_mark_$ = syc_next_mark_$;\n");
        lay_tile(w);
    }
    sum_runs(w);
    add_barrier(w, "        ");
    leave_sum(w);
    syc__add(w, "        if (syc_next >= syc_groups + syc_ahead) {\n"
                "        const ulong syc_tile = syc_next - syc_groups - syc_ahead;\n");
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
