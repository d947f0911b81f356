/* SYC_SHAPE_TEAMS: reductions along some dimensions of the range by large groups, in which a team of work-items has a
 * result: all of a group's have one, or each item its own. Where the innermost axis is reduced a team's items are
 * neighbours, and take neighbours of the row; where it is kept, neighbours are of other teams, and take neighbouring
 * columns. One group is one piece of its teams' results. */
#include "body/axes.h"

/* Items of a team that combine what the others have. */
enum { FOLDERS = 16 };

static void for_each(syc__writer *w, void (*write)(syc__writer *w, const char *name))
{
    for (size_t i = 0; i < w->body->source.count; i++)
        if (syc__is_reducer(&w->body->source.names[i]))
            write(w, w->body->source.names[i].name);
}

static void add(syc__writer *w, const char *text)
{
    syc_text_add(&w->text, "%s", text);
}

static const char meet[] = "    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);\n";

/* -- a work-item's own part -- */

static void add_accumulator(syc__writer *w, const char *n)
{
    syc_text_add(&w->text, "    syc_acc_%s syc_sum_%s = syc_none_%s();\n", n, n, n);
}

/* Items and teams: syc_rank within the team, syc_start the place of its first, syc_jump from one to the next. */
static void add_teams(syc__writer *w, bool along)
{
    add(w, "    const uint syc_items = (uint)get_local_size(0), syc_own = (uint)get_local_id(0);\n"
           "    const uint syc_side = (uint)syc_team, syc_mates = syc_items / syc_side;\n");
    add(w, along ? "    const uint syc_rank = syc_own % syc_side, syc_which = syc_own / syc_side;\n"
                   "    const uint syc_start = syc_which * syc_side, syc_jump = 1;\n"
                 : "    const uint syc_rank = syc_own / syc_mates, syc_which = syc_own % syc_mates;\n"
                   "    const uint syc_start = syc_which, syc_jump = syc_mates;\n");
    add(w, "    const ulong syc_blocks = (syc_results + syc_mates - 1) / syc_mates;\n"
           "    const ulong syc_piece = get_group_id(0) / (syc_blocks > 0 ? syc_blocks : 1);\n"
           "    const ulong syc_result = (get_group_id(0) - syc_piece * syc_blocks) * syc_mates + syc_which;\n"
           "    const bool syc_mine = syc_result < syc_results && syc_piece < syc_pieces;\n");
}

/* The piece's part of `steps`. */
static void add_steps(syc__writer *w, const char *steps)
{
    syc_text_add(
        &w->text,
        "    const ulong syc_steps = %s, syc_each = (syc_steps + syc_pieces - 1) / syc_pieces;\n"
        "    const ulong syc_first = syc_piece * syc_each < syc_steps ? syc_piece * syc_each : syc_steps;\n"
        "    const ulong syc_past = !syc_mine ? 0 : syc_steps - syc_first < syc_each ? syc_steps : syc_first + "
        "syc_each;\n",
        steps);
}

static void add_along(syc__writer *w)
{
    add(w, "    const ulong syc_runs = (syc_size0 + syc_run - 1) / syc_run;\n");
    add_steps(w, "syc_outer * syc_runs");
    syc__write_places(w, false, 3, "syc_result", "    ");
    add(w, "    for (ulong syc_step = syc_first; syc_step < syc_past; syc_step++) {\n"
           "        const ulong syc_line = syc_runs > 1 ? syc_step / syc_runs : syc_step;\n"
           "        const ulong syc_begin = (syc_step - syc_line * syc_runs) * syc_run;\n"
           "        const ulong syc_end = syc_size0 - syc_begin < syc_run ? syc_size0 : syc_begin + syc_run;\n");
    syc__write_places(w, true, 3, "syc_line", "        ");
    if (!w->body->reading.traits.loops)
        add(w, "        __attribute__((opencl_unroll_hint(4)))\n");
    add(w, "        for (ulong syc_x0 = syc_begin + syc_rank; syc_x0 < syc_end; syc_x0 += syc_side) {\n");
    syc__write_flat(w);
    add(w, "            ");
    syc__write_reducing_call(w, NULL);
    add(w, "        }\n    }\n");
}

static void add_down(syc__writer *w)
{
    add_steps(w, "syc_outer");
    add(w, "    const ulong syc_other = syc_results > syc_size0 ? syc_result / syc_size0 : 0;\n"
           "    const ulong syc_x0 = syc_result - syc_other * syc_size0;\n");
    syc__write_places(w, false, 0, "syc_other", "    ");
    if (!w->body->reading.traits.loops)
        add(w, "    __attribute__((opencl_unroll_hint(4)))\n");
    add(w, "    for (ulong syc_line = syc_first + syc_rank; syc_line < syc_past; syc_line += syc_side) {\n");
    syc__write_places(w, true, 0, "syc_line", "        ");
    syc__write_flat(w);
    add(w, "        ");
    syc__write_reducing_call(w, NULL);
    add(w, "    }\n");
}

/* -- the team's, and the groups' -- */

/* syc_all_<name>: local memory for a value of each item. */
static void put_own(syc__writer *w, const char *n)
{
    syc_text_add(&w->text,
                 "    __local syc_acc_%s *const syc_all_%s = (__local syc_acc_%s *)syc_room;\n"
                 "    syc_room += (syc_items * sizeof(syc_acc_%s) + 127) / 128 * 128;\n"
                 "    syc_all_%s[syc_own] = syc_sum_%s;\n",
                 n, n, n, n, n, n);
}

static void fold_some(syc__writer *w, const char *n)
{
    syc_text_add(&w->text,
                 "    for (uint syc_from = syc_rank + %d; syc_rank < %d && syc_from < syc_side; syc_from += %d)\n"
                 "        syc_all_%s[syc_own] = syc_join_%s(syc_all_%s[syc_own], syc_all_%s[syc_start + syc_from * "
                 "syc_jump]);\n",
                 FOLDERS, FOLDERS, FOLDERS, n, n, n, n);
}

static void fold_rest(syc__writer *w, const char *n)
{
    syc_text_add(&w->text,
                 "        syc_sum_%s = syc_all_%s[syc_own];\n"
                 "        for (uint syc_from = 1; syc_from < %d && syc_from < syc_side; syc_from++)\n"
                 "            syc_sum_%s = syc_join_%s(syc_sum_%s, syc_all_%s[syc_start + syc_from * syc_jump]);\n"
                 "        if (syc_pieces > 1)\n"
                 "            *(__global syc_acc_%s *)(syc_partials + syc_place_%s + (syc_piece * syc_results + "
                 "syc_result) * syc_step_%s) = syc_sum_%s;\n"
                 "        else\n"
                 "            syc_give_%s(syc_out_%s + syc_result, syc_sum_%s);\n",
                 n, n, FOLDERS, n, n, n, n, n, n, n, n, n, n, n);
}

static void combine_pieces(syc__writer *w, const char *n)
{
    syc_text_add(&w->text,
                 "    for (ulong syc_from = syc_own; syc_last && syc_from < syc_results; syc_from += syc_items) {\n"
                 "        syc_acc_%s syc_one = syc_none_%s();\n"
                 "        for (ulong syc_at = 0; syc_at < syc_pieces; syc_at++)\n"
                 "            syc_one = syc_join_%s(syc_one, *(volatile __global syc_acc_%s *)(syc_partials + "
                 "syc_place_%s + (syc_at * syc_results + syc_from) * syc_step_%s));\n"
                 "        syc_give_%s(syc_out_%s + syc_from, syc_one);\n"
                 "    }\n",
                 n, n, n, n, n, n, n, n);
}

/* No barrier in a loop or condition: PoCL's compiler copies what follows one for each way to get there. */
static void end_teams(syc__writer *w)
{
    add(w, "    __local uchar *syc_room = (__local uchar *)syc_shared + 128;\n");
    for_each(w, put_own);
    add(w, meet);
    for_each(w, fold_some);
    add(w, meet);
    add(w, "    if (syc_rank == 0 && syc_mine) {\n");
    for_each(w, fold_rest);
    add(w, "    }\n");
    add(w, meet);
    add(w, "    if (syc_own == 0)\n"
           "        *(__local uint *)syc_shared = syc_pieces > 1 && syc_reduction_is_last((volatile __global uint "
           "*)syc_partials, (uint)get_num_groups(0));\n");
    add(w, meet);
    add(w, "    const bool syc_last = *(__local uint *)syc_shared != 0;\n");
    for_each(w, combine_pieces);
}

syc_status syc__write_teams(syc__writer *w)
{
    syc_status status = SYC_OK;
    syc_axes axes;

    syc__axes_of(w, &axes);
    SYC_TRY(syc__write_reducing_head(w, "a team of work-items for each result"));
    syc__write_axes(w);
    add_teams(w, axes.items[0].reduced);
    for_each(w, add_accumulator);
    if (axes.items[0].reduced)
        add_along(w);
    else
        add_down(w);
    end_teams(w);
    add(w, "}\n");
done:
    return status;
}
