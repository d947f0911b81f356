/* SYC_SHAPE_ROUNDS: large groups, all under way together, take tiles in turns: of G groups each takes every G-th. A
 * tile's elements are in registers, row by row, so that memory is read and written in whole lines; warps combine them
 * by shuffles. Where there are no warps a group has one work-item. The steps are macros of
 * kernels/forms/scan_rounds.clh; here is their order.
 *
 * A group knows what it has come to at the end of its own last tile. What is between that and its next one are the sums
 * of G - 1 tiles, one of each other group. Each is left a round before it is needed: a group has three tiles, one whose
 * elements are on their way, one that has been combined, and one that is finished. So nobody waits for a prefix to
 * travel from group to group, and the order of combination depends on G alone. There is a group for each compute unit,
 * of so many work-items that the registers of one are theirs, so all are under way together.
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
    syc_text_add(&w->text, "        const ulong syc_line = %s / syc_pieces, syc_piece = %s - syc_line * syc_pieces;\n",
                 tile, tile);
    syc__add(w,
             "        const ulong syc_begin = syc_piece * syc_run;\n"
             "        const ulong syc_stop = syc_length - syc_begin < syc_run ? syc_length : syc_begin + syc_run;\n");
    syc__write_scan_line(w);
}

/* Of each row the work-item's element. */
static void begin_rows(syc__writer *w, bool unrolls)
{
    syc__add(w, unrolls ? "#pragma unroll\n" : "#pragma unroll 1\n");
    syc_text_add(&w->text,
                 "        for (uint syc_k = 0; syc_k < %u; syc_k++) {\n"
                 "            const ulong syc_q = syc_begin + syc_first + syc_k * syc_scan_lanes();\n",
                 w->form.elements);
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

static void add_elements(syc__writer *w, bool guarded)
{
    begin_rows(w, true);
    add_contribution(w, guarded);
    add_marked(w, "            SYC_SCAN_TAKE_MARK($)\n");
    syc__add_restarts(w, "            SYC_SCAN_HEAD($)\n");
    syc__add_scanners(w, "            syc_next_$[syc_k] = syc_sum_$;\n");
    syc__add(w, "        }\n");
}

/* The elements of the tile syc_next: what they are read from is on its way while another tile is finished. */
static void read_tile(syc__writer *w)
{
    add_place(w, "syc_next");
    add_marked(w, "        syc_next_mark_$ = 0;\n");
    syc__add(w, "        if (syc_begin + syc_run == syc_stop) {\n");
    add_elements(w, false);
    syc__add(w, "        } else {\n");
    add_elements(w, true);
    syc__add(w, "        }\n");
}

/* They are combined, and their sum is left for the others of the line. */
static void combine_tile(syc__writer *w)
{
    syc__add_scanners(w, "        syc_run_$ = syc_nothing_$();\n");
    syc_text_add(&w->text, "#pragma unroll\n        for (uint syc_k = 0; syc_k < %u; syc_k++) {\n", w->form.elements);
    syc__add_scanners(w, "            syc_part_$ syc_sum_$ = syc_next_$[syc_k];\n"
                         "            SYC_SCAN_ROW($)\n"
                         "            syc_next_$[syc_k] = syc_sum_$;\n");
    syc__add(w, "        }\n");
    syc__add_scanners(w, "        SYC_SCAN_PUT_WARP($, warps)\n");
    add_barrier(w, "        ");
    syc__add_scanners(w, "        SYC_SCAN_TAKE_WARPS($)\n");
    syc__add(w, "        if (syc_pieces > 1 && syc_own == 0) {\n");
    syc__add_scanners(w, "            SYC_SCAN_PUT($, syc_next, syc_next_whole_$, 0)\n");
    syc__add(w, "        }\n");
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
    begin_rows(w, false);
    add_contribution(w, true);
    syc__add_restarts(w, "            SYC_SCAN_HEAD($)\n");
    syc__add_scanners(w, "            SYC_SCAN_ROW($)\n");
    syc__add(w, "        }\n");
    syc__add_scanners(w, "        SYC_SCAN_PUT_WARP($, shares)\n");
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

/* This work-item's share of the tiles from syc_low to before syc_tile: neighbours. The fence is for the sum that the
 * group itself has left: it has arrived by now, and its elements may be written over. */
static void take_share(syc__writer *w)
{
    syc__add(w, "        const uint syc_needed = (uint)(syc_tile - syc_low);\n"
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
    syc__add_scanners(w, "        SYC_SCAN_FOLD_LANES($)\n        SYC_SCAN_PUT_WARP($, shares)\n");
    syc__add(w, "        if (syc_lost != 0xffffffff)\n            (void)atomic_min(syc_first_lost, syc_lost);\n"
                "        if (syc_own == 0)\n            SYC_REDUCTION_FENCE();\n");
}

static void find_carry(syc__writer *w)
{
    syc__add(w, "        const ulong syc_low = syc_tile / syc_pieces == syc_was_line ? syc_tile - syc_groups + 1 : "
                "syc_tile / syc_pieces * syc_pieces;\n"
                "        if (syc_tile / syc_pieces != syc_was_line) {\n");
    syc__add_scanners(w, "            syc_carry_$ = syc_start_$;\n");
    syc__add(w, "        }\n"
                "        syc_was_line = syc_tile / syc_pieces;\n"
                "        for (;;) {\n");
    take_share(w);
    add_barrier(w, "        ");
    syc__add(w, "        if (*syc_first_lost == 0xffffffff)\n            break;\n"
                "        const ulong syc_missing = syc_low + *syc_first_lost;\n"
                "        syc_patience = SYC_SCAN_PATIENCE;\n");
    add_barrier(w, "        ");
    syc__add(w, "        if (syc_own == 0)\n            *syc_first_lost = 0xffffffff;\n");
    make_sum(w);
    syc__add(w, "        }\n");
    syc__add_scanners(w, "        SYC_SCAN_TAKE_SHARES($, syc_carry_$)\n");
}

/* -- the second text -- */

static void add_second(syc__writer *w, bool guarded)
{
    begin_rows(w, true);
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
    find_carry(w);
    add_place(w, "syc_tile");
    if (syc__scan_has_second(w->body)) {
        syc__add_scanners(w, "        const syc_part_$ syc_base_$ = syc_meet_$(syc_carry_$, syc_this_front_$);\n");
        add_befores(w, "        syc_part_$ syc_end_$ = syc_base_$;\n");
        syc__add(w, "        if (syc_piece + 1 < syc_pieces) {\n");
        add_second(w, false);
        syc__add(w, "        } else {\n");
        add_second(w, true);
        syc__add(w, "        }\n");
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
    char text[100];
    syc__write_starts(w);
    syc_text_add(&w->text,
                 "    enum { syc_items = %u, syc_lanes = syc_scan_lanes(), syc_warps = syc_items / syc_lanes };\n",
                 w->form.items);
    syc__add(w, "    const uint syc_own = get_local_id(0), syc_own_lane = syc_own % syc_lanes, syc_warp = syc_own / "
                "syc_lanes;\n");
    syc_text_add(&w->text, "    const uint syc_first = syc_warp * %u * syc_lanes + syc_own_lane;\n", w->form.elements);
    syc__add(w, "    volatile __local uint *const syc_first_lost = (volatile __local uint *)syc_shared;\n"
                "    __local uchar *syc_room = (__local uchar *)syc_shared + 128;\n"
                "    uint syc_patience = SYC_SCAN_POLLS, syc_state, syc_odd = 0;\n"
                "    ulong syc_was_line = 0xffffffffffffffff;\n");
    (void)snprintf(text, sizeof text, "    SYC_SCAN_LOCAL($)\n    SYC_SCAN_ROUND($, %u)\n", w->form.elements);
    syc__add_scanners(w, text);
    add_marked(w, "    uint syc_this_mark_$ = 0, syc_late_mark_$ = 0, syc_next_mark_$ = 0;\n");
}

/* Groups have numbers in the order in which they begin: a group waits for those that have begun. */
static void add_rank(syc__writer *w)
{
    syc__add(w, "    if (syc_own == 0) {\n"
                "        syc_first_lost[0] = 0xffffffff;\n"
                "        syc_first_lost[1] = syc_scan_ticket(syc_head + 1);\n"
                "    }\n");
    add_barrier(w, "    ");
    syc__add(w, "    const ulong syc_rank = syc_first_lost[1];\n"
                "    const ulong syc_tiles = syc_length > 0 ? syc_outer * syc_inner * syc_pieces : 0;\n");
}

/* NVIDIA 580: of a loop that copies structs between private arrays its compiler keeps the first turn alone.
 * Gone when: tests/python/scans/test_random_scans.py::test_cases.
 *
 * So elements are handed on statement by statement. */
static void move_on(syc__writer *w)
{
    char text[160];
    syc__add_scanners(w, "        SYC_SCAN_MOVE_ON($)\n");
    add_marked(w, "        syc_this_mark_$ = syc_late_mark_$;\n        syc_late_mark_$ = syc_next_mark_$;\n");
    for (unsigned k = 0; k < w->form.elements; k++) {
        (void)snprintf(text, sizeof text, "        syc_this_$[%u] = syc_late_$[%u]; syc_late_$[%u] = syc_next_$[%u];\n",
                       k, k, k, k);
        syc__add_scanners(w, text);
    }
    syc__add(w, "        syc_odd = !syc_odd;\n");
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
    syc__add(w, "    for (ulong syc_next = syc_rank; syc_next < syc_tiles + 2 * syc_groups; syc_next += syc_groups) {\n"
                "        if (syc_next < syc_tiles) {\n");
    read_tile(w);
    syc__add(w, "        }\n"
                "        if (syc_next >= 2 * syc_groups) {\n"
                "        const ulong syc_tile = syc_next - 2 * syc_groups;\n");
    end_tile(w);
    syc__add(w, "        }\n"
                "        if (syc_next < syc_tiles) {\n");
    combine_tile(w);
    syc__add(w, "        }\n");
    move_on(w);
    syc__add(w, "    }\n"
                "    if (syc_own == 0) {\n");
    syc__write_scan_ending(w);
    syc__add(w, "    }\n}\n");
done:
    return status;
}
