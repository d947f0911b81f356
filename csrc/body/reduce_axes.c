/* Reductions along some dimensions of the range, on devices where a work-item has lanes: SYC_SHAPE_ALONG, ACROSS and
 * COLUMNS. The work is units, each a piece of one result (ALONG) or of some neighbours' (ACROSS, COLUMNS); a work-item
 * takes units that follow each other. Where results have several pieces these are partial results in global memory,
 * and the group that comes last combines them. */
#include "body/reduce.h"

#include <stdio.h>

/* Calls `write` for each reducer. */
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

/* -- units -- */

/* `held`: units of a piece; `steps`: what pieces are parts of. Up to the unit's steps, from syc_first to before
 * syc_past; syc_place is its number among those of its piece. */
static void begin_units(syc__writer *w, const char *held, const char *steps)
{
    syc_text_add(
        &w->text,
        "    const ulong syc_held = %s, syc_steps = %s;\n"
        "    const ulong syc_units = syc_held * syc_pieces, syc_each = (syc_steps + syc_pieces - 1) / syc_pieces;\n"
        "    const ulong syc_share = (syc_units + get_global_size(0) - 1) / get_global_size(0);\n"
        "    const ulong syc_begun = get_global_id(0) * syc_share;\n"
        "    const ulong syc_done = syc_begun + syc_share < syc_units ? syc_begun + syc_share : syc_units;\n"
        "    for (ulong syc_unit = syc_begun; syc_unit < syc_done; syc_unit++) {\n"
        "        const ulong syc_piece = syc_pieces > 1 ? syc_unit / syc_held : 0;\n"
        "        const ulong syc_place = syc_unit - syc_piece * syc_held;\n"
        "        const ulong syc_first = syc_piece * syc_each < syc_steps ? syc_piece * syc_each : syc_steps;\n"
        "        const ulong syc_past = syc_steps - syc_first < syc_each ? syc_steps : syc_first + syc_each;\n",
        held, steps);
}

static void leave(syc__writer *w, const char *n)
{
    syc_text_add(&w->text,
                 "            for (uint syc_slot = 0; syc_slot < syc_wide; syc_slot++)\n"
                 "                *(__global syc_acc_%s *)(syc_partials + syc_place_%s + (syc_piece * syc_results + "
                 "syc_result + syc_slot) * syc_step_%s) = syc_sum_%s[syc_slot];\n",
                 n, n, n, n);
}

static void give(syc__writer *w, const char *n)
{
    syc_text_add(&w->text,
                 "            for (uint syc_slot = 0; syc_slot < syc_wide; syc_slot++)\n"
                 "                syc_give_%s(syc_out_%s + syc_result + syc_slot, syc_sum_%s[syc_slot]);\n",
                 n, n, n);
}

static void combine_pieces(syc__writer *w, const char *n)
{
    syc_text_add(&w->text,
                 "        for (ulong syc_result = 0; syc_result < syc_results; syc_result++) {\n"
                 "            syc_acc_%s syc_one = syc_none_%s();\n"
                 "            for (ulong syc_piece = 0; syc_piece < syc_pieces; syc_piece++)\n"
                 "                syc_one = syc_join_%s(syc_one, *(volatile __global syc_acc_%s *)(syc_partials + "
                 "syc_place_%s + (syc_piece * syc_results + syc_result) * syc_step_%s));\n"
                 "            syc_give_%s(syc_out_%s + syc_result, syc_one);\n"
                 "        }\n",
                 n, n, n, n, n, n, n, n);
}

/* The unit's `syc_wide` results from `syc_result` on are in the first slots. */
static void end_units(syc__writer *w)
{
    add(w, "        if (syc_pieces > 1) {\n");
    for_each(w, leave);
    add(w, "        } else {\n");
    for_each(w, give);
    add(w, "        }\n    }\n"
           "    if (syc_pieces > 1 && syc_reduction_is_last((volatile __global uint *)syc_partials, "
           "(uint)get_num_groups(0))) {\n");
    for_each(w, combine_pieces);
    add(w, "    }\n}\n");
}

/* -- lanes -- */

static void add_pragma(syc__writer *w)
{
    if (syc__has_registers(w->body))
        add(w, "#pragma clang loop vectorize(assume_safety) vectorize_width(16) interleave_count(4) unroll(disable)\n");
}

/* Lanes of ALONG may share large accumulators; in the other shapes each has a result of its own. */
static void add_slots(syc__writer *w, const syc_name *name)
{
    unsigned slots = w->form.shape == SYC_SHAPE_COLUMNS ? syc_body_slots(w->body)
                     : w->form.shape == SYC_SHAPE_ALONG ? syc__lanes_of(name)
                                                        : (unsigned)SYC__LANES;
    syc_text_add(&w->text, "        syc_acc_%s syc_sum_%s[%u];\n        for (uint syc_slot = 0; syc_slot < ",
                 name->name, name->name, slots);
    if (w->form.shape == SYC_SHAPE_COLUMNS)
        syc_text_add(&w->text, "syc_used");
    else
        syc_text_add(&w->text, "%u", slots);
    syc_text_add(&w->text, "; syc_slot++)\n            syc_sum_%s[syc_slot] = syc_none_%s();\n", name->name,
                 name->name);
}

static void add_all_slots(syc__writer *w)
{
    for (size_t i = 0; i < w->body->source.count; i++)
        if (syc__is_reducer(&w->body->source.names[i]))
            add_slots(w, &w->body->source.names[i]);
}

_Static_assert(SYC__LANES == 64, "the texts below say 64");

/* The linear id, of a text that has no other. */
static void add_flat(syc__writer *w)
{
    syc_axes axes;
    syc__axes_of(w, &axes);
    add(w, "                    const ulong syc_flat = ");
    syc_text_add(&w->text, axes.count == 3   ? "(syc_x2 * syc_size1 + syc_x1) * syc_size0 + syc_x0"
                           : axes.count == 2 ? "syc_x1 * syc_size0 + syc_x0"
                                             : "syc_x0");
    add(w, ";\n");
}

static bool is_linear(const syc__writer *w)
{
    return w->body->reading.traits.linear && !w->form.offset;
}

/* What a lane does, between its loop's braces. */
typedef void (*lane_writer)(syc__writer *w);

/* Lanes from syc_from to before syc_end, 64 at a time, and then those that are left: lanes without an element do
 * nothing, which costs a vector's mask and not a loop of single elements. */
static void add_lanes(syc__writer *w, lane_writer write)
{
    add(w, "                for (; syc_end - syc_from >= 64; syc_from += 64) {\n");
    add_pragma(w);
    add(w, "                for (uint syc_lane = 0; syc_lane < 64; syc_lane++) {\n");
    write(w);
    add(w, "                }\n                }\n"
           "                if (syc_from < syc_end) {\n"
           "                const uint syc_left = (uint)(syc_end - syc_from);\n");
    add_pragma(w);
    syc_text_add(&w->text,
                 "                for (uint syc_lane = 0; syc_lane < %s; syc_lane++) {\n"
                 "                    if (syc_lane >= syc_left)\n                        continue;\n",
                 syc__has_registers(w->body) ? "64" : "syc_left");
    write(w);
    add(w, "                }\n                }\n");
}

/* -- along the innermost axis -- */

static void along_lane(syc__writer *w)
{
    add(w, "                    const ulong syc_x0 = syc_from + syc_lane;\n");
    if (is_linear(w))
        add_flat(w);
    add(w, "                    ");
    syc__write_reducing_call(w, "syc_lane");
}

/* Halves in pairs: the error of a sum grows with the logarithm of the lanes. */
static void fold_lanes(syc__writer *w, const char *n)
{
    syc_text_add(
        &w->text,
        "        for (uint syc_half = sizeof syc_sum_%s / sizeof *syc_sum_%s / 2; syc_half > 0; syc_half /= 2)\n"
        "            for (uint syc_lane = 0; syc_lane < syc_half; syc_lane++)\n"
        "                syc_sum_%s[syc_lane] = syc_join_%s(syc_sum_%s[syc_lane], syc_sum_%s[syc_lane + "
        "syc_half]);\n",
        n, n, n, n, n, n);
}

syc_status syc__write_along(syc__writer *w)
{
    syc_status status = SYC_OK;

    SYC_TRY(syc__write_reducing_head(w, "a work-item for rows, with an accumulator for each of several elements"));
    syc__write_axes(w);
    add(w, "    const ulong syc_runs = (syc_size0 + syc_run - 1) / syc_run;\n");
    begin_units(w, "syc_results", "syc_outer * syc_runs");
    add(w, "        const ulong syc_result = syc_place;\n        const uint syc_wide = 1;\n");
    syc__write_places(w, false, 3, "syc_result", "        ");
    add_all_slots(w);
    add(w, "        for (ulong syc_step = syc_first; syc_step < syc_past; syc_step++) {\n"
           "            const ulong syc_line = syc_runs > 1 ? syc_step / syc_runs : syc_step;\n"
           "            ulong syc_from = (syc_step - syc_line * syc_runs) * syc_run;\n"
           "            const ulong syc_end = syc_size0 - syc_from < syc_run ? syc_size0 : syc_from + syc_run;\n");
    syc__write_places(w, true, 3, "syc_line", "            ");
    add_lanes(w, along_lane);
    add(w, "        }\n");
    for_each(w, fold_lanes);
    end_units(w);
done:
    return status;
}

/* -- across the rows -- */

static void across_lane(syc__writer *w)
{
    syc_axes axes;
    syc__axes_of(w, &axes);
    syc_text_add(&w->text, "                    const ulong syc_x%u = syc_base + syc_lane;\n", syc__axes_lanes(&axes));
    if (is_linear(w))
        add_flat(w);
    add(w, "                    ");
    syc__write_reducing_call(w, "syc_lane");
}

syc_status syc__write_across(syc__writer *w)
{
    syc_status status = SYC_OK;
    syc_axes axes;
    unsigned lanes;
    char held[96];

    syc__axes_of(w, &axes);
    lanes = syc__axes_lanes(&axes);
    SYC_CHECK(lanes > 0 && lanes < axes.count, SYC_E_KERNEL_NOT_SUPPORTED,
              "body: lanes across rows need an innermost dimension that is reduced, and another one that is kept");
    SYC_TRY(syc__write_reducing_head(w, "a work-item for rows, with an accumulator for each of several rows"));
    syc__write_axes(w);
    syc_text_add(&w->text, "    const ulong syc_blocks = (syc_size%u + 63) / 64;\n", lanes);
    (void)snprintf(held, sizeof held, "syc_blocks * (syc_size%u > 0 ? syc_results / syc_size%u : 0)", lanes, lanes);
    begin_units(w, held, "syc_outer");
    syc_text_add(&w->text,
                 "        const ulong syc_other = syc_held > syc_blocks ? syc_place / syc_blocks : 0;\n"
                 "        const ulong syc_base = (syc_place - syc_other * syc_blocks) * 64;\n"
                 "        const uint syc_wide = (uint)(syc_size%u - syc_base < 64 ? syc_size%u - syc_base : 64);\n"
                 "        const ulong syc_result = syc_other * syc_size%u + syc_base;\n",
                 lanes, lanes, lanes);
    syc__write_places(w, false, lanes, "syc_other", "        ");
    add_all_slots(w);
    add(w, "        for (ulong syc_line = syc_first; syc_line < syc_past; syc_line++) {\n");
    syc__write_places(w, true, lanes, "syc_line", "            ");
    add(w, "            for (ulong syc_x0 = 0; syc_x0 < syc_size0; syc_x0++) {\n"
           "                const uint syc_end = syc_wide;\n"
           "                uint syc_from = 0;\n");
    add_lanes(w, across_lane);
    add(w, "            }\n        }\n");
    end_units(w);
done:
    return status;
}

/* -- columns -- */

static void column_lane(syc__writer *w)
{
    add(w, "                    const uint syc_slot = syc_from + syc_lane;\n");
    add(w, is_linear(w) ? "                    const ulong syc_flat = syc_base + syc_slot;\n"
                        : "                    const ulong syc_x0 = syc_begin + syc_slot;\n");
    add(w, "                    ");
    syc__write_reducing_call(w, "syc_slot");
}

/* The rows that were taken together. */
static void fold_rows(syc__writer *w, const char *n)
{
    syc_text_add(&w->text,
                 "        for (uint syc_slot = syc_wide; syc_slot < syc_used; syc_slot += syc_wide)\n"
                 "            for (uint syc_lane = 0; syc_lane < syc_wide; syc_lane++)\n"
                 "                syc_sum_%s[syc_lane] = syc_join_%s(syc_sum_%s[syc_lane], syc_sum_%s[syc_slot + "
                 "syc_lane]);\n",
                 n, n, n, n);
}

/* Of a linear text: several short rows are one long one. */
static void add_linear_rows(syc__writer *w)
{
    syc_axes axes;
    syc__axes_of(w, &axes);
    add(w, "        for (ulong syc_line = syc_first; syc_line < syc_past; syc_line += syc_team) {\n");
    syc_text_add(&w->text, "            const ulong syc_base = (%ssyc_line) * syc_size0 + syc_begin;\n",
                 axes.count == 3 ? "syc_x2 * syc_size1 + " : "");
    add(w, "            const uint syc_end = syc_past - syc_line < syc_team ? (uint)(syc_past - syc_line) * syc_wide : "
           "syc_used;\n"
           "            uint syc_from = 0;\n");
}

static void add_rows(syc__writer *w)
{
    add(w, "        for (ulong syc_line = syc_first; syc_line < syc_past; syc_line++) {\n"
           "            const uint syc_end = syc_wide;\n"
           "            uint syc_from = 0;\n");
    syc__write_places(w, true, 3, "syc_line", "            ");
}

syc_status syc__write_columns(syc__writer *w)
{
    syc_status status = SYC_OK;
    syc_axes axes;

    syc__axes_of(w, &axes);
    SYC_CHECK(!axes.items[0].reduced, SYC_E_KERNEL_NOT_SUPPORTED,
              "body: accumulators for columns need an innermost dimension that is kept");
    SYC_TRY(syc__write_reducing_head(w, "a work-item for columns, with an accumulator for each"));
    syc__write_axes(w);
    add(w, "    const ulong syc_blocks = (syc_size0 + syc_run - 1) / syc_run;\n");
    begin_units(w, "syc_blocks * (syc_size0 > 0 ? syc_results / syc_size0 : 0)", "syc_outer");
    add(w, "        const ulong syc_other = syc_held > syc_blocks ? syc_place / syc_blocks : 0;\n"
           "        const ulong syc_begin = (syc_place - syc_other * syc_blocks) * syc_run;\n"
           "        const uint syc_wide = (uint)(syc_size0 - syc_begin < syc_run ? syc_size0 - syc_begin : syc_run);\n"
           "        const uint syc_used = syc_wide * (uint)syc_team;\n"
           "        const ulong syc_result = syc_other * syc_size0 + syc_begin;\n");
    syc__write_places(w, false, 0, "syc_other", "        ");
    add_all_slots(w);
    if (is_linear(w))
        add_linear_rows(w);
    else
        add_rows(w);
    add_lanes(w, column_lane);
    add(w, "        }\n");
    for_each(w, fold_rows);
    end_units(w);
done:
    return status;
}
