/* SYC_SHAPE_LANES in vectors of 16: the runs and the ending are those of LANES, and its 64 accumulators are four
 * vectors. Eight vectors are taken in a turn, so that their loads are under way together. */
#include "body/reduce/reduce.h"
#include "body/write/pack.h"

enum { WIDTH = 16, TURNS = 8 };

/* How many turns stand next to each other in the code: a long text would take the compiler long, and gain nothing. */
static int copies_of(const syc_body *body)
{
    const syc_body_traits *traits = &body->reading.traits;
    size_t tokens = traits->weight - traits->built_ins;
    return tokens <= 24 ? TURNS : tokens <= 48 ? TURNS / 2 : 1;
}

/* The loops over a run, from syc_from. */
static void add_loops(syc__writer *w)
{
    syc_text_add(&w->text, "        for (; syc_end - syc_from >= %d; syc_from += %d) {\n", TURNS * WIDTH,
                 TURNS * WIDTH);
    syc_text_add(&w->text,
                 "            __attribute__((opencl_unroll_hint(%d)))\n"
                 "            for (uint syc_turn = 0; syc_turn < %d; syc_turn++) {\n"
                 "        const ulong syc_at = syc_from + syc_turn * %d;\n",
                 copies_of(w->body), TURNS, WIDTH);
    syc__pack_write_turn(w, "syc_turn % 4", syc__pack_all);
    syc_text_add(&w->text,
                 "            }\n        }\n"
                 "        for (; syc_end - syc_from >= %d; syc_from += %d) {\n"
                 "        const ulong syc_at = syc_from;\n",
                 WIDTH, WIDTH);
    syc__pack_write_turn(w, "0", syc__pack_all);
    syc_text_add(&w->text, "        }\n        const ulong syc_at = syc_from;\n");
    syc__pack_write_rest(w);
}

syc_status syc__write_pack_lanes(syc__writer *w)
{
    syc_status status = SYC_OK;

    SYC_TRY(
        syc__pack_write_head(w, "a work-item for runs of elements, with accumulators for each of several elements"));
    syc__write_accumulators(w);
    syc__write_runs_begin(w);
    add_loops(w);
    syc_text_add(&w->text, "    }\n");
    syc__add_sums(w, "    SYC_REDUCTION_UNPACK($)\n");
    syc__write_reducer_ending(w);
    syc_text_add(&w->text, "}\n");
done:
    return status;
}
