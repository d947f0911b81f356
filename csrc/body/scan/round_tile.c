/* A tile of ROUNDS: fetched, laid down, and summed (rounds.c says when). */
#include "body/scan/rounds.h"

/* Only where there are warps: PoCL's compiler copies the text behind a barrier for each way to get there. */
void syc__write_round_barrier(syc__writer *w, const char *blanks)
{
    if (w->form.warps)
        syc_text_add(&w->text, "%sbarrier(CLK_LOCAL_MEM_FENCE);\n", blanks);
}

/* Its line, and the elements that are its own there. */
void syc__write_round_place(syc__writer *w, const char *tile)
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
void syc__write_rows_begin(syc__writer *w)
{
    syc__add(w, "#pragma unroll\n"
                "        for (uint syc_k = 0; syc_k < syc_elements; syc_k++) {\n"
                "            const ulong syc_q = syc_begin + syc_first + syc_k * syc_lanes;\n");
}

/* What the element contributes, in syc_sum_<name>. */
void syc__write_round_contribution(syc__writer *w, bool guarded)
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
    syc__write_rows_begin(w);
    syc__write_round_contribution(w, guarded);
    syc__add_restarts(w, "            SYC_SCAN_TAKE_MARK($)\n");
    syc__add_scanners(w, "            syc_next_$[syc_k] = syc_cell_of_$(syc_sum_$);\n");
    syc__add(w, "        }\n");
}

/* A loop over the elements of a run. */
void syc__write_run(syc__writer *w, const char *step)
{
    syc__add(w, "#pragma unroll\n        for (uint syc_k = 0; syc_k < syc_elements; syc_k++) {\n");
    syc__add_scanners(w, step);
    syc__add(w, "        }\n");
}

/* The elements of the tile syc_next, into registers: they are on their way while other tiles are combined and finished.
 */
void syc__write_round_fetch(syc__writer *w)
{
    syc__write_round_place(w, "syc_next");
    syc__add_restarts(w, "        syc_next_mark_$ = 0;\n");
    syc__add(w, "        if (syc_begin + syc_run == syc_stop) {\n");
    fetch_elements(w, false);
    syc__add(w, "        } else {\n");
    fetch_elements(w, true);
    syc__add(w, "        }\n");
}

/* Those that were fetched a round before are laid down, and what comes before each run in its warp is made. */
void syc__write_round_lay(syc__writer *w)
{
    syc__add(w, "        if (syc_sums) {\n");
    syc__write_run(w, "            SYC_SCAN_LAY($)\n");
    syc__add_restarts(w, "        SYC_SCAN_TAKE_HEADS($)\n");
    syc__add(w, "        syc_scan_wait();\n        }\n");
}

void syc__write_round_sums(syc__writer *w)
{
    syc__add(w, "        if (syc_sums) {\n");
    syc__add_scanners(w, "        syc_run_$ = syc_nothing_$();\n");
    syc__write_run(w, "            syc_run_$ = syc_further_$(syc_run_$, SYC_SCAN_OF_RUN(syc_late_line_$), "
                      "syc_late_head_$ >> syc_k & 1, syc_start_$.value);\n");
    syc__add_scanners(w, "        SYC_SCAN_FOLD_RUNS($, warps)\n");
    syc__add(w, "        }\n");
}

/* Their sum is left for the others of the line, by a work-item of the warp that has the fewest sums to wait for. The
 * fence is for it: elements of that tile may be written over from the next round on. */
void syc__write_round_leave(syc__writer *w)
{
    syc__add(w, "        if (syc_sums) {\n");
    syc__add_scanners(w, "        SYC_SCAN_TAKE_WARPS($)\n");
    syc__add(w, "        if (syc_pieces > 1 && syc_own == syc_items - 1) {\n");
    syc__add_scanners(w, "            SYC_SCAN_PUT($, syc_next - syc_ahead, syc_late_whole_$, 0)\n");
    syc__add(w, "            SYC_REDUCTION_FENCE();\n        }\n        }\n");
}
