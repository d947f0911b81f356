/* Reductions along some dimensions of the range by work-items with lanes: SYC_SHAPE_ALONG, ACROSS, SHORT and COLUMNS
 * (axes.h says what they are). */
#include "body/reduce/along.h"
#include "body/write/pack.h"

#include <stdio.h>

/* -- along the innermost axis -- */

static void along_lane(syc__writer *w)
{
    syc__add(w, "                    const ulong syc_x0 = syc_from + syc_lane;\n");
    syc__write_flat(w);
}

syc_status syc__write_along(syc__writer *w)
{
    syc_status status = SYC_OK;

    SYC_TRY(syc__write_axes_head(w, "a work-item for rows, with an accumulator for each of several elements"));
    syc__write_axes(w);
    syc__add(w, "    const ulong syc_runs = (syc_size0 + syc_run - 1) / syc_run;\n");
    syc__begin_units(w, "syc_results", "syc_outer * syc_runs");
    syc__add(w, "        const ulong syc_result = syc_place;\n        const uint syc_wide = 1;\n");
    syc__write_places(w, false, 3, "syc_result", "        ");
    syc__write_slots(w);
    syc__add(w, "        for (ulong syc_step = syc_first; syc_step < syc_past; syc_step++) {\n"
                "            const ulong syc_line = syc_runs > 1 ? syc_step / syc_runs : syc_step;\n"
                "            ulong syc_from = (syc_step - syc_line * syc_runs) * syc_run;\n"
                "            const ulong syc_end = syc_size0 - syc_from < syc_run ? syc_size0 : syc_from + syc_run;\n");
    syc__write_places(w, true, 3, "syc_line", "            ");
    syc__write_lanes_of(w, along_lane);
    syc__add(w, "        }\n");
    syc__for_each_sum(w, syc__fold_lanes);
    syc__end_units(w);
done:
    return status;
}

/* -- across the rows -- */

static void across_lane(syc__writer *w)
{
    syc_axes axes;
    syc__axes_of(w, &axes);
    syc_text_add(&w->text, "                    const ulong syc_x%u = syc_base + syc_lane;\n", syc__axes_lanes(&axes));
    syc__write_flat(w);
}

/* Units of neighbouring results, `run` of them along the axis `lanes`: syc_wide from syc_base on. */
static syc_status begin_rows(syc__writer *w, const syc_axes *axes, unsigned lanes, const char *run)
{
    syc_status status = SYC_OK;
    char held[96];

    SYC_CHECK(lanes > 0 && lanes < axes->count, SYC_E_KERNEL_NOT_SUPPORTED,
              "body: several rows at a time need an innermost dimension that is reduced, and another one that is kept");
    syc__write_axes(w);
    syc_text_add(&w->text, "    const ulong syc_blocks = (syc_size%u + %s - 1) / %s;\n", lanes, run, run);
    (void)snprintf(held, sizeof held, "syc_blocks * (syc_size%u > 0 ? syc_results / syc_size%u : 0)", lanes, lanes);
    syc__begin_units(w, held, "syc_outer");
    syc__add_step(w, "        SYC_AXES_ROWS(syc_size%u, %s)\n", lanes, run);
    syc__write_places(w, false, lanes, "syc_other", "        ");
done:
    return status;
}

syc_status syc__write_across(syc__writer *w)
{
    syc_status status = SYC_OK;
    syc_axes axes;
    unsigned lanes;

    syc__axes_of(w, &axes);
    lanes = syc__axes_lanes(&axes);
    SYC_TRY(syc__write_axes_head(w, "a work-item for rows, with an accumulator for each of several rows"));
    SYC_TRY(begin_rows(w, &axes, lanes, "64"));
    syc__write_slots(w);
    syc__add(w, "        for (ulong syc_line = syc_first; syc_line < syc_past; syc_line++) {\n");
    syc__write_places(w, true, lanes, "syc_line", "            ");
    syc__add(w, "            for (ulong syc_x0 = 0; syc_x0 < syc_size0; syc_x0++) {\n"
                "                const uint syc_end = syc_wide;\n"
                "                ulong syc_from = 0;\n");
    syc__write_lanes_of(w, across_lane);
    syc__add(w, "            }\n        }\n");
    syc__end_units(w);
done:
    return status;
}

/* -- short rows, as they lie -- */

static void short_lane(syc__writer *w)
{
    syc__add(w, "                    const ulong syc_flat = syc_base + syc_slot;\n");
}

/* Neighbours become one. What a turn writes has been read by then, and so has what several turns at a time write. */
static void fold_neighbours(syc__writer *w, const char *n, unsigned neighbours)
{
    syc_text_add(&w->text,
                 "            for (; syc_across > 1 && syc_across %% %u == 0; syc_across /= %u) {\n"
                 "                const uint syc_pairs = syc_wide * (syc_across / %u);\n",
                 neighbours, neighbours, neighbours);
    syc__write_pragma(w, 1);
    syc_text_add(&w->text,
                 "                for (ulong syc_slot = 0; syc_slot < syc_pairs; syc_slot++)\n"
                 "                    syc_sum_%s[syc_slot] = ",
                 n);
    for (unsigned k = 1; k < neighbours; k++)
        syc_text_add(&w->text, "syc_join_%s(", n);
    syc_text_add(&w->text, "syc_sum_%s[%u * syc_slot]", n, neighbours);
    for (unsigned k = 1; k < neighbours; k++)
        syc_text_add(&w->text, ", syc_sum_%s[%u * syc_slot + %u])", n, neighbours, k);
    syc_text_add(&w->text, ";\n            }\n");
}

/* By the factors of the accumulators of a row, since a compiler makes vectors of neighbours whose number it knows; what
 * has other factors than these gets no such form. */
static void fold_short(syc__writer *w, const char *n)
{
    bool padded = w->form.shape == SYC_SHAPE_PADDED;
    syc_text_add(&w->text, "        {\n            uint syc_across = (uint)%s;\n", padded ? "syc_team" : "syc_size0");
    fold_neighbours(w, n, 2);
    fold_neighbours(w, n, 3);
    for (unsigned neighbours = 5; !padded && neighbours <= 7; neighbours += 2)
        fold_neighbours(w, n, neighbours);
    syc_text_add(&w->text, "        }\n");
}

syc_status syc__write_short(syc__writer *w)
{
    syc_status status = SYC_OK;
    syc_axes axes;

    syc__axes_of(w, &axes);
    SYC_CHECK(axes.items[0].reduced && axes.count > 1 && syc__axes_are_linear(w), SYC_E_KERNEL_NOT_SUPPORTED,
              "body: short rows as they lie need an innermost dimension that is reduced, another one that is kept, and "
              "a text that names no id but i");
    SYC_TRY(syc__write_axes_head(w, "a work-item for rows, with an accumulator for each element of several rows"));
    syc__write_axes(w);
    syc__add(w, "    const ulong syc_blocks = (syc_size1 + syc_run - 1) / syc_run;\n");
    syc__begin_units(w, "syc_blocks", "syc_outer");
    syc__add(
        w,
        "        const ulong syc_result = syc_place * syc_run;\n"
        "        const uint syc_wide = (uint)(syc_size1 - syc_result < syc_run ? syc_size1 - syc_result : syc_run);\n"
        "        const uint syc_used = syc_wide * (uint)(syc_size0 > 0 ? syc_size0 : 1);\n");
    syc__write_slots(w);
    syc__add(w, "        for (ulong syc_line = syc_first; syc_line < syc_past; syc_line++) {\n"
                "            const ulong syc_base = (syc_line * syc_size1 + syc_result) * syc_size0;\n"
                "            const uint syc_end = syc_wide * (uint)syc_size0;\n");
    syc__write_slots_of(w, short_lane);
    syc__add(w, "        }\n");
    syc__for_each_sum(w, fold_short);
    syc__end_units(w);
done:
    return status;
}

/* -- short rows, each from a vector's beginning -- */

static void padded_lanes(syc__writer *w, unsigned lanes)
{
    syc_text_add(&w->text,
                 "            for (uint syc_row = 0; syc_row < syc_wide; syc_row++) {\n"
                 "                const ulong syc_x%u = syc_base + syc_row;\n"
                 "                for (ulong syc_from = 0; syc_from < syc_size0; syc_from += 16) {\n",
                 lanes);
    if (w->form.packs) {
        syc__add(w, "                    const ulong syc_x0 = syc_from;\n"
                    "                    const uint syc_left = syc_size0 - syc_from < 16 ? (uint)(syc_size0 - "
                    "syc_from) : 16;\n");
        syc__write_flat(w);
        syc__pack_write_slots(w, "syc_row * (uint)syc_team + (uint)syc_from");
    } else {
        syc__write_pragma(w, 1);
        syc__add(w, "                for (uint syc_lane = 0; syc_lane < 16; syc_lane++) {\n"
                    "                    const ulong syc_x0 = syc_from + syc_lane;\n"
                    "                    const ulong syc_slot = syc_row * syc_team + syc_from + syc_lane;\n"
                    "                    if (syc_x0 >= syc_size0)\n                        continue;\n");
        syc__write_flat(w);
        syc__add(w, "                    ");
        syc__write_reducing_call(w, "syc_slot");
        syc__add(w, "                }\n");
    }
    syc__add(w, "                }\n            }\n");
}

syc_status syc__write_padded(syc__writer *w)
{
    syc_status status = SYC_OK;
    syc_axes axes;
    unsigned lanes;

    syc__axes_of(w, &axes);
    lanes = syc__axes_lanes(&axes);
    SYC_TRY(syc__write_axes_head(w, "a work-item for rows, with accumulators for the vectors of several rows"));
    SYC_TRY(begin_rows(w, &axes, lanes, "syc_run"));
    syc__add(w, "        const uint syc_used = syc_wide * (uint)syc_team;\n");
    syc__write_slots(w);
    syc__add(w, "        for (ulong syc_line = syc_first; syc_line < syc_past; syc_line++) {\n");
    syc__write_places(w, true, lanes, "syc_line", "            ");
    padded_lanes(w, lanes);
    syc__add(w, "        }\n");
    syc__for_each_sum(w, fold_short);
    syc__end_units(w);
done:
    return status;
}

/* -- columns -- */

static void column_lane(syc__writer *w)
{
    syc__add(w, syc__axes_are_linear(w) ? "                    const ulong syc_flat = syc_base + syc_slot;\n"
                                        : "                    const ulong syc_x0 = syc_begin + syc_slot;\n");
}

/* Of a linear text: several short rows are one long one. */
static void add_linear_rows(syc__writer *w)
{
    syc_axes axes;
    syc__axes_of(w, &axes);
    syc__add(w, "        for (ulong syc_line = syc_first; syc_line < syc_past; syc_line += syc_team) {\n");
    syc_text_add(&w->text, "            const ulong syc_base = (%ssyc_line) * syc_size0 + syc_begin;\n",
                 axes.count == 3 ? "syc_x2 * syc_size1 + " : "");
    syc__add(
        w, "            const uint syc_end = syc_past - syc_line < syc_team ? (uint)(syc_past - syc_line) * syc_wide : "
           "syc_used;\n");
}

static void add_rows(syc__writer *w)
{
    syc__add(w, "        for (ulong syc_line = syc_first; syc_line < syc_past; syc_line++) {\n"
                "            const uint syc_end = syc_wide;\n");
    syc__write_places(w, true, 3, "syc_line", "            ");
}

syc_status syc__write_columns(syc__writer *w)
{
    syc_status status = SYC_OK;
    syc_axes axes;

    syc__axes_of(w, &axes);
    SYC_CHECK(!axes.items[0].reduced, SYC_E_KERNEL_NOT_SUPPORTED,
              "body: accumulators for columns need an innermost dimension that is kept");
    SYC_TRY(syc__write_axes_head(w, "a work-item for columns, with an accumulator for each"));
    syc__write_axes(w);
    syc__add(w, "    const ulong syc_blocks = (syc_size0 + syc_run - 1) / syc_run;\n");
    syc__begin_units(w, "syc_blocks * (syc_size0 > 0 ? syc_results / syc_size0 : 0)", "syc_outer");
    syc__add(
        w, "        const ulong syc_other = syc_held > syc_blocks ? syc_place / syc_blocks : 0;\n"
           "        const ulong syc_begin = (syc_place - syc_other * syc_blocks) * syc_run;\n"
           "        const uint syc_wide = (uint)(syc_size0 - syc_begin < syc_run ? syc_size0 - syc_begin : syc_run);\n"
           "        const uint syc_used = syc_wide * (uint)syc_team;\n"
           "        const ulong syc_result = syc_other * syc_size0 + syc_begin;\n");
    syc__write_places(w, false, 0, "syc_other", "        ");
    syc__write_slots(w);
    if (syc__axes_are_linear(w))
        add_linear_rows(w);
    else
        add_rows(w);
    syc__write_slots_of(w, column_lane);
    syc__add(w, "        }\n");
    syc__add_sums(w, "        SYC_AXES_FOLD_ROWS($)\n");
    syc__end_units(w);
done:
    return status;
}
