/* Reductions along some dimensions, by work-items with lanes: how the work is cut into units, and what becomes of a
 * unit's results. */
#include "body/axes.h"

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

void syc__begin_units(syc__writer *w, const char *held, const char *steps)
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

void syc__end_units(syc__writer *w)
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

void syc__write_pragma(syc__writer *w, unsigned interleaved)
{
    if (syc__has_registers(w->body))
        syc_text_add(&w->text,
                     "#pragma clang loop vectorize(assume_safety) vectorize_width(16) interleave_count(%u) "
                     "unroll(disable)\n",
                     interleaved);
}

/* More than there are lanes? */
static bool has_many(const syc__writer *w)
{
    return w->form.shape == SYC_SHAPE_SHORT || w->form.shape == SYC_SHAPE_PADDED || w->form.shape == SYC_SHAPE_COLUMNS;
}

/* Lanes of ALONG may share large accumulators; in the other shapes each has a result of its own. */
static void add_slots(syc__writer *w, const syc_name *name)
{
    unsigned slots = has_many(w)                        ? syc_body_slots(w->body)
                     : w->form.shape == SYC_SHAPE_ALONG ? syc__lanes_of(name)
                                                        : (unsigned)SYC__LANES;
    syc_text_add(&w->text, "        syc_acc_%s syc_sum_%s[%u];\n        for (uint syc_slot = 0; syc_slot < ",
                 name->name, name->name, slots);
    if (has_many(w))
        syc_text_add(&w->text, "syc_used");
    else
        syc_text_add(&w->text, "%u", slots);
    syc_text_add(&w->text, "; syc_slot++)\n            syc_sum_%s[syc_slot] = syc_none_%s();\n", name->name,
                 name->name);
}

void syc__write_slots(syc__writer *w)
{
    for (size_t i = 0; i < w->body->source.count; i++)
        if (syc__is_reducer(&w->body->source.names[i]))
            add_slots(w, &w->body->source.names[i]);
}

_Static_assert(SYC__LANES == 64, "the texts below say 64");

/* Lanes from syc_from to before syc_end, 64 at a time, and then those that are left: lanes without an element do
 * nothing, which costs a vector's mask and not a loop of single elements. */
void syc__write_lanes_of(syc__writer *w, void (*write)(syc__writer *w))
{
    add(w, "                for (; syc_end - syc_from >= 64; syc_from += 64) {\n");
    syc__write_pragma(w, 4);
    add(w, "                for (uint syc_lane = 0; syc_lane < 64; syc_lane++) {\n");
    write(w);
    add(w, "                }\n                }\n"
           "                if (syc_from < syc_end) {\n"
           "                const uint syc_left = (uint)(syc_end - syc_from);\n");
    syc__write_pragma(w, 4);
    syc_text_add(&w->text,
                 "                for (uint syc_lane = 0; syc_lane < %s; syc_lane++) {\n"
                 "                    if (syc_lane >= syc_left)\n                        continue;\n",
                 syc__has_registers(w->body) ? "64" : "syc_left");
    write(w);
    add(w, "                }\n                }\n");
}
