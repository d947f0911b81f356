/* What comes before a tile of ROUNDS: the sums of the tiles since the group's last one, of which each work-item takes a
 * share, neighbours. They are asked for when the round begins, and looked at when they are needed: by then what has
 * come is there. Only for the others does anybody wait. */
#include "body/scan/rounds.h"

#include <stdio.h>

static void get_slots(syc__writer *w, const char *tile)
{
    char text[100];
    syc__add(w, "            syc_state = 3;\n");
    (void)snprintf(text, sizeof text, "            SYC_SCAN_GET($, %s)\n", tile);
    syc__add_scanners(w, text);
}

/* The sum of another group's tile, as that group makes it: there what elements contribute lies in local memory before
 * it is combined, so compilers cannot make one operation of a product and the sum here, either. */
static void make_sum(syc__writer *w)
{
    syc__add(w, "        {\n");
    syc__write_round_place(w, "syc_missing");
    syc__add_scanners(w, "        syc_run_$ = syc_nothing_$();\n");
    syc__add(w, "#pragma unroll 1\n"
                "        for (uint syc_k = 0; syc_k < syc_elements; syc_k++) {\n"
                "            const ulong syc_q = syc_begin + (ulong)syc_own * syc_elements + syc_k;\n");
    syc__write_round_contribution(w, true);
    syc__add_scanners(w, "            volatile syc_cell_$ syc_laid_$ = syc_cell_of_$(syc_sum_$);\n"
                         "            syc_run_$ = syc_further_$(syc_run_$, syc_laid_$, syc_sum_$.seen, "
                         "syc_start_$.value);\n");
    syc__add(w, "        }\n");
    syc__add_scanners(w, "        SYC_SCAN_FOLD_RUNS($, shares)\n");
    syc__write_round_barrier(w, "        ");
    syc__add(w, "        if (syc_own == 0) {\n");
    syc__add_scanners(w, "            syc_part_$ syc_made_$ = syc_nothing_$();\n"
                         "            SYC_SCAN_TAKE_SHARES($, syc_made_$)\n");
    syc__add(w, "            SYC_REDUCTION_FENCE();\n");
    get_slots(w, "syc_missing");
    syc__add(w, "            if (syc_state == 0) {\n");
    syc__add_scanners(w, "                SYC_SCAN_PUT($, syc_missing, syc_made_$, 0)\n");
    syc__add(w, "            }\n        }\n");
    syc__write_round_barrier(w, "        ");
    syc__add(w, "        }\n");
}

void syc__write_round_ask(syc__writer *w)
{
    syc__add(w, "        ulong syc_tile = 0, syc_low = 0;\n"
                "        uint syc_needed = 0, syc_each = 0;\n");
    syc__add_scanners(w, "        SYC_SCAN_ASKED($)\n");
    syc__add(w, "        if (syc_ends) {\n"
                "            syc_tile = syc_next - syc_groups - syc_ahead;\n"
                "            const ulong syc_line = syc_tiles > syc_pieces ? syc_tile / syc_pieces : 0;\n"
                "            syc_low = syc_line == syc_was_line ? syc_tile - syc_groups + 1 : syc_line * syc_pieces;\n"
                "            syc_needed = (uint)(syc_tile - syc_low);\n"
                "            syc_each = (syc_needed + syc_items - 1) / syc_items;\n"
                "#pragma unroll\n"
                "            for (uint syc_k = 0; syc_k < syc_early; syc_k++)\n"
                "                if (syc_k < syc_each && syc_own * syc_each + syc_k < syc_needed) {\n");
    syc__add_scanners(w, "                    SYC_SCAN_ASK($)\n");
    syc__add(w, "                }\n"
                "        }\n");
}

/* In the order of the tiles: what was asked for, as far as it had come, and then what is waited for. Of those that are
 * missing each group takes the first one from a place of its own, so that groups which wait for the same sums make
 * different ones. */
static void take_share(syc__writer *w)
{
    syc__add(w, "        const uint syc_turn = (uint)(syc_rank % syc_needed);\n"
                "        uint syc_found = 0, syc_polls = 0, syc_lost = 0xffffffff;\n");
    syc__add_scanners(w, "        syc_part_$ syc_share_$ = syc_nothing_$();\n");
    syc__add(w, "#pragma unroll\n"
                "        for (uint syc_k = 0; syc_k < syc_early; syc_k++)\n"
                "            if (syc_found == syc_k && syc_k < syc_each && syc_own * syc_each + syc_k < syc_needed) {\n"
                "                syc_state = 3;\n");
    syc__add_scanners(w, "                SYC_SCAN_HEAR($)\n");
    syc__add(w, "                if (syc_state != 0) {\n");
    syc__add_scanners(w, "                    syc_share_$ = syc_meet_$(syc_share_$, syc_run_$);\n");
    syc__add(w, "                    syc_found++;\n"
                "                }\n"
                "            }\n");
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

void syc__write_round_carry(syc__writer *w)
{
    syc__add(w, "        if (syc_line != syc_was_line) {\n");
    syc__add_scanners(w, "            syc_carry_$ = syc_start_$;\n");
    syc__add(w, "        }\n"
                "        syc_was_line = syc_line;\n"
                "        while (syc_needed > 0) {\n");
    take_share(w);
    syc__write_round_barrier(w, "        ");
    syc__add(w, "        if (*syc_first_lost == 0xffffffff) {\n");
    syc__add_scanners(w, "            SYC_SCAN_TAKE_SHARES($, syc_carry_$)\n");
    syc__add(w, "            break;\n"
                "        }\n"
                "        const ulong syc_missing = syc_low + (*syc_first_lost + syc_turn) % syc_needed;\n"
                "        syc_patience = SYC_SCAN_PATIENCE;\n");
    syc__write_round_barrier(w, "        ");
    syc__add(w, "        if (syc_own == 0)\n            *syc_first_lost = 0xffffffff;\n");
    make_sum(w);
    syc__add(w, "        }\n");
}
