/* SYC_SHAPE_BLOCKS: a large group for each tile. The first text runs for neighbours side by side, so that memory is
 * read in whole lines; what the elements contribute is put into local memory, where each item combines neighbours of
 * its own, and the second text runs side by side again. The steps are macros of kernels/forms/scan_tiles.clh; here is
 * their order.
 *
 * No barrier stands in a loop or condition: PoCL's compiler copies the text behind it for each way to get there. */
#include "body/scan/scan.h"

#include <stdio.h>

static void add_barrier(syc__writer *w)
{
    syc__add(w, "    barrier(CLK_LOCAL_MEM_FENCE);\n");
}

static bool has_marks(const syc_name *name)
{
    return syc__is_reducer(name) && name->reducer.restarts && name->reducer.befores;
}

/* -- elements -- */

static void add_places(syc__writer *w)
{
    syc__add(w, "    const uint syc_items = get_local_size(0), syc_own = get_local_id(0), syc_each = (uint)syc_run / "
                "syc_items;\n"
                "    const uint syc_tile_items = (uint)syc_run;\n"
                "    __local uchar *syc_room = (__local uchar *)syc_shared + 128;\n");
    syc__add_scanners(w, SYC__ALL_SCANNERS, "    SYC_SCAN_LOCAL($)\n");
    for (size_t i = 0; i < w->body->source.count; i++)
        if (has_marks(&w->body->source.names[i]))
            syc__add_scanner(w, &w->body->source.names[i],
                             "    __local uchar *const syc_mark_$ = syc_room;\n"
                             "    syc_room += (syc_tile_items + 127) / 128 * 128;\n");
}

/* Groups take numbers in the order in which they begin, so that a tile waits for groups only that have begun. */
static void take_tile(syc__writer *w)
{
    syc__add(w, "    if (syc_own == 0)\n"
                "        *(__local uint *)syc_shared = syc_scan_ticket(syc_head + 1);\n");
    add_barrier(w);
    syc__add(w, "    const ulong syc_tile = *(__local uint *)syc_shared;\n"
                "    const ulong syc_line = syc_tile / syc_pieces, syc_piece = syc_tile - syc_line * syc_pieces;\n"
                "    const ulong syc_begin = syc_piece * syc_run;\n"
                "    const bool syc_some = syc_length > 0 && syc_line < syc_outer * syc_inner;\n"
                "    const uint syc_count = !syc_some ? 0 : syc_length - syc_begin < syc_run ? (uint)(syc_length - "
                "syc_begin) : (uint)syc_run;\n");
    syc__write_scan_line(w);
}

static void add_element(syc__writer *w)
{
    syc__add(w, "        const ulong syc_q = syc_begin + syc_e; ");
    syc__write_scan_element(w);
}

static void add_contributions(syc__writer *w)
{
    syc__add(w, "    for (uint syc_e = syc_own; syc_e < syc_count; syc_e += syc_items) {\n");
    add_element(w);
    syc__add_scanners(w, SYC__ALL_SCANNERS, "syc_part_$ syc_sum_$; ");
    syc__write_first_call(w, "syc_sum_$");
    for (size_t i = 0; i < w->body->source.count; i++) {
        const syc_name *name = &w->body->source.names[i];
        if (has_marks(name))
            syc__add_scanner(w, name, "        syc_mark_$[syc_e] = syc_sum_$.seen != 0;\n");
        if (syc__is_reducer(name) && name->reducer.restarts)
            syc__add_scanner(w, name, "        SYC_SCAN_HEAD($, syc_sum_$)\n");
    }
    syc__add_scanners(w, SYC__ALL_SCANNERS, "        syc_all_$[syc_e] = syc_sum_$;\n");
    syc__add(w, "    }\n"
                "    for (uint syc_e = syc_own; syc_e < syc_tile_items; syc_e += syc_items)\n"
                "        if (syc_e >= syc_count) {\n");
    syc__add_scanners(w, SYC__ALL_SCANNERS, "            syc_all_$[syc_e] = syc_nothing_$();\n");
    syc__add(w, "        }\n");
    add_barrier(w);
}

/* -- what is before each item in its group -- */

static void add_fronts(syc__writer *w)
{
    syc__add_scanners(w, SYC__ALL_SCANNERS, "    SYC_SCAN_OWN_SUM($)\n    syc_items_$[syc_own] = syc_run_$;\n");
    add_barrier(w);
    syc__add_scanners(w, SYC__ALL_SCANNERS, "    SYC_SCAN_CHUNKS($)\n");
    add_barrier(w);
    syc__add_scanners(w, SYC__ALL_SCANNERS, "    SYC_SCAN_FRONT($)\n");
}

static void add_warp_fronts(syc__writer *w)
{
    syc__add_scanners(w, SYC__ALL_SCANNERS,
                      "    SYC_SCAN_OWN_SUM($)\n"
                      "    syc_part_$ syc_front_$ = syc_nothing_$(), syc_warp_$ = syc_run_$;\n"
                      "    SYC_SCAN_WARP($, syc_front_$, syc_warp_$)\n"
                      "    SYC_SCAN_PUT_WARP($)\n");
    add_barrier(w);
    syc__add_scanners(w, SYC__ALL_SCANNERS, "    SYC_SCAN_FRONT_WARPS($)\n");
}

/* -- what is before the tile -- */

/* The sum of another tile, by one item. */
static void make_sum(syc__writer *w)
{
    syc__add_scanners(w, SYC__ALL_SCANNERS, "            syc_part_$ syc_made_$ = syc_nothing_$();\n");
    syc__add(w, "            for (ulong syc_q = (ulong)syc_which * syc_run; syc_q < ((ulong)syc_which + 1) * syc_run; "
                "syc_q++) {\n"
                "                ");
    syc__write_scan_element(w);
    syc__add_scanners(w, SYC__ALL_SCANNERS, "syc_part_$ syc_sum_$; ");
    syc__write_first_call(w, "syc_sum_$");
    syc__add_restarts(w, "                SYC_SCAN_HEAD($, syc_sum_$)\n");
    syc__add_scanners(w, SYC__ALL_SCANNERS, "                syc_made_$ = syc_meet_$(syc_made_$, syc_sum_$);\n");
    syc__add(w, "            }\n            SYC_REDUCTION_FENCE();\n");
}

static void get_slots(syc__writer *w, const char *tile)
{
    char text[100];
    syc__add(w, "            syc_state = 3;\n");
    (void)snprintf(text, sizeof text, "            SYC_SCAN_GET($, %s)\n", tile);
    syc__add_scanners(w, SYC__ALL_SCANNERS, text);
}

static void carry_on(syc__writer *w)
{
    syc__add_scanners(w, SYC__ALL_SCANNERS,
                      "            syc_carry_$ = syc_state == 2 ? syc_run_$ : syc_meet_$(syc_carry_$, syc_run_$);\n");
}

/* By the first item alone, from tile `syc_which` on, of which it knows what is before. */
static void add_walk(syc__writer *w)
{
    syc__add(w, "        for (uint syc_polls = 0; syc_which < syc_piece; syc_polls++) {\n");
    get_slots(w, "syc_base + syc_which");
    syc__add(w, "            if (syc_state == 0 && syc_polls < SYC_SCAN_POLLS)\n"
                "                continue;\n"
                "            if (syc_state == 0) {\n");
    make_sum(w);
    get_slots(w, "syc_base + syc_which");
    syc__add_scanners(w, SYC__ALL_SCANNERS, "            if (syc_state == 0) syc_run_$ = syc_made_$;\n");
    syc__add(w, "            }\n");
    carry_on(w);
    syc__add(w, "            syc_which++;\n"
                "            syc_polls = 0;\n"
                "        }\n");
}

static void begin_chain(syc__writer *w)
{
    syc__add(w, "    const ulong syc_base = syc_line * syc_pieces;\n"
                "    ulong syc_which = 0;\n"
                "    uint syc_state = 0;\n");
    syc__add_scanners(w, SYC__ALL_SCANNERS, "    syc_part_$ syc_carry_$ = syc_start_$;\n");
    syc__add(w, "    if (syc_own == 0 && syc_piece + 1 < syc_pieces) {\n");
    syc__add_scanners(w, SYC__ALL_SCANNERS,
                      "        SYC_SCAN_PUT($, syc_tile, syc_piece == 0 ? syc_meet_$(syc_start_$, syc_whole_$) : "
                      "syc_whole_$, syc_piece == 0)\n");
    syc__add(w, "        SYC_REDUCTION_FENCE();\n    }\n");
}

/* The nearest tile with all before it, and then forward. */
static void add_chain(syc__writer *w)
{
    begin_chain(w);
    syc__add(w, "    if (syc_own == 0 && syc_piece > 0 && syc_some) {\n"
                "        for (syc_which = syc_piece; syc_which > 0; syc_which--) {\n");
    get_slots(w, "syc_base + syc_which - 1");
    syc__add(w, "            if (syc_state != 2)\n                continue;\n");
    syc__add_scanners(w, SYC__ALL_SCANNERS, "            syc_carry_$ = syc_run_$;\n");
    syc__add(w, "            break;\n        }\n");
    add_walk(w);
    syc__add(w, "    }\n");
}

/* By a warp, which looks at 32 tiles at a time, the nearest first. Lanes before the nearest tile with all before it
 * have sums; where one is long in coming, the first item makes it. */
static void add_warp_chain(syc__writer *w)
{
    begin_chain(w);
    syc__add(w, "    if (syc_own < 32 && syc_piece > 0 && syc_some) {\n"
                "        ulong syc_top = syc_piece;\n"
                "        uint syc_near = 32, syc_missing = 0;\n");
    syc__add_scanners(w, SYC__ALL_SCANNERS, "        syc_part_$ syc_behind_$ = syc_nothing_$(), syc_run_$;\n");
    syc__add(w, "        do {\n"
                "            for (uint syc_polls = 0; syc_polls < SYC_SCAN_POLLS; syc_polls++) {\n");
    syc__add_scanners(w, SYC__ALL_SCANNERS, "            syc_run_$ = syc_start_$;\n");
    syc__add(w, "            syc_state = 2;\n"
                "            if (syc_own < syc_top) {\n");
    get_slots(w, "syc_base + syc_top - 1 - syc_own");
    syc__add(w, "            }\n"
                "            syc_near = syc_state == 2 ? syc_own : 32;\n"
                "            syc_missing = syc_state == 0 ? syc_own : 32;\n"
                "            for (uint syc_far = 1; syc_far < 32; syc_far *= 2) {\n"
                "                syc_near = min(syc_near, syc_reduction_of_lane(syc_near, syc_far));\n"
                "                syc_missing = min(syc_missing, syc_reduction_of_lane(syc_missing, syc_far));\n"
                "            }\n"
                "            if (syc_missing > syc_near || syc_missing == 32)\n"
                "                break;\n"
                "            }\n"
                "            if (syc_missing <= syc_near && syc_missing < 32)\n"
                "                break;\n");
    syc__add_scanners(w, SYC__ALL_SCANNERS,
                      "            if (syc_own > syc_near) syc_run_$ = syc_nothing_$();\n"
                      "            for (uint syc_far = 1; syc_far < 32; syc_far *= 2) {\n"
                      "                const syc_part_$ syc_other = syc_reduction_of_lane(syc_run_$, syc_far);\n"
                      "                syc_run_$ = syc_own & syc_far ? syc_meet_$(syc_run_$, syc_other) : "
                      "syc_meet_$(syc_other, syc_run_$);\n"
                      "            }\n"
                      "            syc_behind_$ = syc_meet_$(syc_run_$, syc_behind_$);\n");
    syc__add(w, "            syc_top -= 32;\n"
                "        } while (syc_near == 32);\n"
                "        if (syc_near < 32 && (syc_missing > syc_near || syc_missing == 32)) {\n");
    syc__add_scanners(w, SYC__ALL_SCANNERS, "            syc_carry_$ = syc_behind_$;\n");
    syc__add(w, "        } else if (syc_own == 0) {\n");
    add_walk(w);
    syc__add(w, "        }\n    }\n");
}

/* All of the group hear what is before the tile; and those behind it what it comes to with that. */
static void spread_carry(syc__writer *w)
{
    syc__add(w, "    if (syc_own == 0) {\n");
    syc__add_scanners(w, SYC__ALL_SCANNERS, "        syc_items_$[syc_items] = syc_carry_$;\n");
    syc__add(w, "        if (syc_piece > 0 && syc_piece + 1 < syc_pieces) {\n");
    syc__add_scanners(w, SYC__ALL_SCANNERS,
                      "            SYC_SCAN_PUT($, syc_tile, syc_meet_$(syc_carry_$, syc_whole_$), 1)\n");
    syc__add(w, "        }\n    }\n");
    add_barrier(w);
    syc__add_scanners(w, SYC__ALL_SCANNERS, "    syc_carry_$ = syc_items_$[syc_items];\n    SYC_SCAN_SPREAD($)\n");
    add_barrier(w);
}

/* -- all of it -- */

static void add_second(syc__writer *w)
{
    if (syc__scan_has_second(w->body)) {
        syc__add(w, "    for (uint syc_e = syc_own; syc_e < syc_count; syc_e += syc_items) {\n");
        add_element(w);
        syc__write_block_call(w);
        syc__add(w, "    }\n");
    }
    syc__add(w, "    if (syc_own == 0 && syc_some && syc_begin + syc_count == syc_length) {\n");
    syc__add_scanners(w, SYC__ALL_SCANNERS,
                      "        if (syc_out_$ != 0) syc_out_$[syc_line] = syc_worth_$(syc_all_$[syc_count - 1]);\n");
    syc__add(w, "    }\n");
}

syc_status syc__write_blocks(syc__writer *w)
{
    syc_status status = SYC_OK;

    SYC_TRY(syc__write_scan_head(w, "groups that each scan a tile of a line"));
    syc__write_scan_sizes(w);
    syc__write_scan_words(w);
    syc__write_starts(w);
    syc__write_scan_empty(w);
    add_places(w);
    take_tile(w);
    add_contributions(w);
    (w->form.warps ? add_warp_fronts : add_fronts)(w);
    (w->form.warps ? add_warp_chain : add_chain)(w);
    spread_carry(w);
    add_second(w);
    syc__add(w, "    if (syc_own == 0) {\n    ");
    syc__write_scan_ending(w);
    syc__add(w, "    }\n}\n");
done:
    return status;
}
