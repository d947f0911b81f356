/* Reductions along some dimensions, by work-items with lanes: how the work is cut into units, and what becomes of a
 * unit's results. */
#include "body/reduce/along.h"
#include "body/write/pack.h"

/* As many as keep the accumulators of all reducers in a CPU's first cache. */
unsigned syc_body_slots(const syc_body *body)
{
    enum { MOST = 4096, BYTES = 16384 };
    unsigned slots = MOST;
    size_t bytes = 0;
    for (size_t i = 0; i < body->source.count; i++)
        if (syc__is_reducer(&body->source.names[i]))
            bytes += syc_partial_bytes(&body->source.names[i]);
    while (slots > SYC__LANES && slots * bytes > BYTES)
        slots /= 2;
    return slots;
}

/* -- units -- */

syc_status syc__write_axes_head(syc__writer *w, const char *what)
{
    return w->form.packs ? syc__pack_write_head(w, what) : syc__write_reducing_head(w, what);
}

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

/* Neighbouring results at a time, whose partial results lie one behind the other (algo/lower/room.c): there are
 * as many of them as of pieces or more, and one work-item does it all. */
static void combine_pieces(syc__writer *w, const char *n)
{
    if (!syc__has_registers(w->body)) {
        syc__add_for(w, n, "        SYC_AXES_COMBINE_SINGLY($)\n");
        return;
    }
    syc__add_for(
        w, n,
        "        for (ulong syc_result = 0; syc_result < syc_results; syc_result += 64) {\n"
        "            const uint syc_wide = syc_results - syc_result < 64 ? (uint)(syc_results - syc_result) : 64;\n"
        "            SYC_AXES_COMBINE_BEGIN($)\n"
        "            for (ulong syc_piece = 0; syc_piece < syc_pieces; syc_piece++) {\n"
        "                SYC_AXES_COMBINE_THOSE($)\n");
    syc__write_pragma(w, 1);
    syc__add_for(w, n,
                 "                SYC_AXES_COMBINE_TAKE($)\n"
                 "            }\n"
                 "            SYC_AXES_COMBINE_GIVE($)\n"
                 "        }\n");
}

void syc__end_units(syc__writer *w)
{
    syc__add(w, "        if (syc_pieces > 1) {\n");
    syc__add_sums(w, "            SYC_AXES_LEAVE($)\n");
    syc__add(w, "        } else {\n");
    syc__add_sums(w, "            SYC_AXES_GIVE($)\n");
    syc__add(w, "        }\n    }\n"
                "    if (syc_pieces > 1 && syc_reduction_is_last((volatile __global uint *)syc_partials, "
                "(uint)get_num_groups(0))) {\n");
    syc__for_each_sum(w, combine_pieces);
    syc__add(w, "    }\n}\n");
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
    syc__for_each_reducer(w, add_slots);
}

_Static_assert(SYC__LANES == 64, "the texts below say 64");

static const char left[] = "                    const uint syc_left = syc_end - %s < 16 ? (uint)(syc_end - %s) : 16;\n";

static void add_call(syc__writer *w, const char *slot)
{
    syc__add(w, "                    ");
    syc__write_reducing_call(w, slot);
}

void syc__write_slots_of(syc__writer *w, void (*place)(syc__writer *w))
{
    if (w->form.packs) {
        syc__add(w, "                for (ulong syc_slot = 0; syc_slot < syc_end; syc_slot += 16) {\n");
        syc_text_add(&w->text, left, "syc_slot", "syc_slot");
        place(w);
        syc__pack_write_slots(w, "syc_slot");
    } else {
        bool linear = syc__axes_are_linear(w);
        syc__write_pragma(w, 4);
        syc_text_add(&w->text, "                for (ulong syc_slot = 0; syc_slot < %s; syc_slot++) {\n",
                     linear ? "syc_end" : "(syc_end & ~63u)");
        place(w);
        add_call(w, "syc_slot");
        if (!linear) { /* its loops are as short as rows are, and what is no whole turn is done by single elements */
            syc__add(w, "                }\n");
            syc__write_pragma(w, 1);
            syc__add(w, "                for (ulong syc_slot = syc_end & ~63u; syc_slot < syc_end; syc_slot++) {\n");
            place(w);
            add_call(w, "syc_slot");
        }
    }
    syc__add(w, "                }\n");
}

/* Four vectors in turn, so that what meets one does not wait for itself. */
static void add_packed_lanes(syc__writer *w, void (*place)(syc__writer *w))
{
    syc__add(w, "                for (uint syc_turn = 0; syc_from < syc_end; syc_from += 16, syc_turn++) {\n"
                "                    const uint syc_lane = 0;\n");
    syc_text_add(&w->text, left, "syc_from", "syc_from");
    place(w);
    syc__pack_write_slots(w, "syc_turn % 4 * 16");
    syc__add(w, "                }\n");
}

/* Lanes from syc_from to before syc_end, 64 at a time, and then those that are left: lanes without an element do
 * nothing, which costs a vector's mask and not a loop of single elements. */
void syc__write_lanes_of(syc__writer *w, void (*place)(syc__writer *w))
{
    if (w->form.packs) {
        add_packed_lanes(w, place);
        return;
    }
    syc__add(w, "                for (; syc_end - syc_from >= 64; syc_from += 64) {\n");
    syc__write_pragma(w, 4);
    syc__add(w, "                for (uint syc_lane = 0; syc_lane < 64; syc_lane++) {\n");
    place(w);
    add_call(w, "syc_lane");
    syc__add(w, "                }\n                }\n"
                "                if (syc_from < syc_end) {\n"
                "                const uint syc_left = (uint)(syc_end - syc_from);\n");
    syc__write_pragma(w, 4);
    syc_text_add(&w->text,
                 "                for (uint syc_lane = 0; syc_lane < %s; syc_lane++) {\n"
                 "                    if (syc_lane >= syc_left)\n                        continue;\n",
                 syc__has_registers(w->body) ? "64" : "syc_left");
    place(w);
    add_call(w, "syc_lane");
    syc__add(w, "                }\n                }\n");
}
