/* SYC_SHAPE_TEAMS: reductions along some dimensions of the range by large groups, in which a team of work-items has a
 * result: all of a group's have one, or each item its own. Where the innermost axis is reduced a team's items are
 * neighbours, and take neighbours of the row; where it is kept, neighbours are of other teams, and take neighbouring
 * columns. One group is one piece of its teams' results. */
#include "body/reduce/along.h"

enum { AT_A_TIME = 8 }; /* elements under way */

/* -- a work-item's own part -- */

/* Items and teams, both powers of two: syc_rank within the team, syc_start the place of its first, syc_jump from one to
 * the next. Divisions of 64 bits cost more than a short row, so there is none where one piece is all. */
static void add_teams(syc__writer *w, bool along)
{
    syc__add(w, "    const uint syc_items = (uint)get_local_size(0), syc_own = (uint)get_local_id(0);\n"
                "    const uint syc_side = (uint)syc_team, syc_mates = syc_items >> (31 - clz(syc_side));\n");
    syc__add(
        w, along
               ? "    const uint syc_rank = syc_own & (syc_side - 1), syc_which = syc_own >> (31 - clz(syc_side));\n"
                 "    const uint syc_start = syc_own - syc_rank, syc_jump = 1;\n"
               : "    const uint syc_rank = syc_own >> (31 - clz(syc_mates)), syc_which = syc_own & (syc_mates - 1);\n"
                 "    const uint syc_start = syc_which, syc_jump = syc_mates;\n");
    syc__add(w,
             "    const ulong syc_blocks = (syc_results + syc_mates - 1) >> (31 - clz(syc_mates));\n"
             "    const ulong syc_piece = syc_pieces > 1 ? get_group_id(0) / (syc_blocks > 0 ? syc_blocks : 1) : 0;\n");
}

/* The piece's part of the steps that lead to a result: runs of rows, or rows. */
static void add_steps(syc__writer *w, bool along)
{
    if (along)
        syc__add(
            w,
            "    const ulong syc_runs = syc_run < syc_size0 ? (syc_size0 + syc_run - 1) / syc_run : syc_size0 > 0;\n");
    syc_text_add(&w->text,
                 "    const ulong syc_steps = %s;\n"
                 "    const ulong syc_each = syc_pieces > 1 ? (syc_steps + syc_pieces - 1) / syc_pieces : syc_steps;\n"
                 "    const ulong syc_first = syc_piece * syc_each < syc_steps ? syc_piece * syc_each : syc_steps;\n"
                 "    const ulong syc_past = syc_steps - syc_first < syc_each ? syc_steps : syc_first + syc_each;\n",
                 along ? "syc_outer * syc_runs" : "syc_outer");
}

/* With warps a group has one block of results after the other, which saves what stands before the loop. */
static void begin_blocks(syc__writer *w)
{
    syc__add(w, "    ulong syc_block = get_group_id(0) - syc_piece * syc_blocks;\n");
    if (w->form.warps)
        syc__add(w, "    for (; syc_block < syc_blocks; syc_block += get_num_groups(0)) {\n");
    syc__add(w, "    const ulong syc_result = syc_block * syc_mates + syc_which;\n"
                "    const bool syc_mine = syc_result < syc_results;\n"
                "    const ulong syc_stop = syc_mine ? syc_past : 0;\n");
}

static void unroll(syc__writer *w)
{
    if (!w->body->reading.traits.loops)
        syc_text_add(&w->text, "#pragma unroll %d\n", AT_A_TIME);
}

static void add_along(syc__writer *w)
{
    syc__write_places(w, false, 3, "syc_result", "    ");
    syc__add(w, "    for (ulong syc_step = syc_first; syc_step < syc_stop; syc_step++) {\n"
                "        const ulong syc_line = syc_runs > 1 ? syc_step / syc_runs : syc_step;\n"
                "        const ulong syc_begin = (syc_step - syc_line * syc_runs) * syc_run;\n"
                "        const ulong syc_end = syc_size0 - syc_begin < syc_run ? syc_size0 : syc_begin + syc_run;\n");
    syc__write_places(w, true, 3, "syc_line", "        ");
    unroll(w);
    syc__add(w, "        for (ulong syc_x0 = syc_begin + syc_rank; syc_x0 < syc_end; syc_x0 += syc_side) {\n");
    syc__write_flat(w);
    syc__add(w, "            ");
    syc__write_reducing_call(w, NULL);
    syc__add(w, "        }\n    }\n");
}

static void add_down(syc__writer *w)
{
    syc__add(w, "    const ulong syc_other = syc_results > syc_size0 ? syc_result / syc_size0 : 0;\n"
                "    const ulong syc_x0 = syc_result - syc_other * syc_size0;\n");
    syc__write_places(w, false, 0, "syc_other", "    ");
    unroll(w);
    syc__add(w, "    for (ulong syc_line = syc_first + syc_rank; syc_line < syc_stop; syc_line += syc_side) {\n");
    syc__write_places(w, true, 0, "syc_line", "        ");
    syc__write_flat(w);
    syc__add(w, "        ");
    syc__write_reducing_call(w, NULL);
    syc__add(w, "    }\n");
}

/* -- the team's: into its first item's accumulator -- */

/* No barrier in a loop or condition but for devices with warps: PoCL's compiler copies the text behind one for each way
 * to get there. */
static void fold_team(syc__writer *w)
{
    if (w->form.warps) {
        syc__add_sums(w, "    SYC_REDUCTION_FOLD_WARP($, syc_wide / 2, syc_jump)\n");
        syc__add(w, "    if (syc_parts > 1) {\n");
        syc__add_barrier(w);
        syc__put_own(w);
        syc__add_barrier(w);
        syc__add_sums(w, "        SYC_REDUCTION_FOLD_PARTS($)\n");
        syc__add(w, "    }\n");
        return;
    }
    syc__add_barrier(w);
    syc__put_own(w);
    syc__add_barrier(w);
    syc__add_sums(w, "    SYC_REDUCTION_FOLD_SOME($, syc_rank, syc_side, syc_start + syc_from * syc_jump)\n");
    syc__add_barrier(w);
    syc__add_sums(w, "    SYC_REDUCTION_FOLD_TEAM($)\n");
}

/* -- the results -- */

static void give(syc__writer *w)
{
    syc__add_sums(w, "        syc_give_$(syc_out_$ + syc_result, syc_sum_$);\n");
}

/* Local memory; with warps in how many parts a team is in a group, and how far those are from each other. */
static void add_room(syc__writer *w, bool along)
{
    syc__add(w, "    __local uchar *syc_room = (__local uchar *)syc_shared + 128;\n");
    syc__name_shared(w);
    if (w->form.warps && along)
        syc_text_add(&w->text,
                     "    const uint syc_wide = min(syc_side, %uu), syc_hop = %u, syc_parts = syc_side / %u;\n",
                     SYC__WARP, SYC__WARP, SYC__WARP);
    else if (w->form.warps)
        syc_text_add(&w->text,
                     "    const uint syc_wide = %u, syc_hop = max(syc_mates, %uu), syc_parts = syc_items / syc_hop;\n",
                     SYC__WARP, SYC__WARP);
}

/* Of the groups that have pieces of the same results, the one that comes last combines them. */
static void end_teams(syc__writer *w)
{
    fold_team(w);
    syc__add(w, "    if (syc_rank == 0 && syc_mine && syc_pieces == 1) {\n");
    give(w);
    syc__add(w, "    }\n"
                "    if (syc_rank == 0 && syc_mine && syc_pieces > 1) {\n");
    syc__add_sums(w, "        SYC_REDUCTION_LEAVE($, (syc_piece * syc_results + syc_result), syc_sum_$)\n");
    syc__add(w, "    }\n");
    if (w->form.warps)
        syc__add(w, "    if (syc_pieces == 1)\n"
                    "        continue;\n");
    syc__add_barrier(w);
    syc_text_add(
        &w->text,
        "    if (syc_own == 0)\n"
        "        *(__local uint *)syc_shared = syc_pieces > 1 && syc_reduction_is_last((volatile __global uint "
        "*)(syc_partials + %d) + syc_block, (uint)syc_pieces);\n",
        SYC_PARTIALS_HEAD);
    syc__add_barrier(w);
    syc__add(w, "    const bool syc_last = *(__local uint *)syc_shared != 0;\n");
    syc__add_sums(w, "    SYC_REDUCTION_TAKE($, syc_sum_$, ulong, syc_rank, syc_last && syc_result < syc_results && "
                     "syc_at < syc_pieces, syc_side, (syc_at * syc_results + syc_result))\n");
    fold_team(w);
    syc__add(w, "    if (syc_rank == 0 && syc_last && syc_result < syc_results) {\n");
    give(w);
    syc__add(w, "    }\n");
}

syc_status syc__write_teams(syc__writer *w)
{
    syc_status status = SYC_OK;
    syc_axes axes;
    bool along;

    syc__axes_of(w, &axes);
    along = axes.items[0].reduced;
    SYC_TRY(syc__write_reducing_head(w, "a team of work-items for each result"));
    syc__write_axes(w);
    add_teams(w, along);
    add_steps(w, along);
    add_room(w, along);
    begin_blocks(w);
    syc__add_sums(w, "    syc_acc_$ syc_sum_$ = syc_none_$();\n");
    if (along)
        add_along(w);
    else
        add_down(w);
    end_teams(w);
    syc__add(w, w->form.warps ? "    }\n}\n" : "}\n");
done:
    return status;
}
