/* SYC_SHAPE_TILES: work-items that are groups by themselves take tiles of lines in their order. The steps are macros of
 * kernels/forms/scan_tiles.clh; here is their order. */
#include "body/scan/scan.h"

#include <stdio.h>

/* -- a block of a tile -- */

/* As many elements as the nearest cache holds with what is kept of them, in whole vectors and eight streams. */
static unsigned block_of(const syc_body *body)
{
    enum { BYTES = 8192, MOST = 1024, LEAST = 128 };
    size_t bytes = 1;
    unsigned block = MOST;
    for (size_t i = 0; i < body->source.count; i++)
        if (syc__is_reducer(&body->source.names[i]))
            bytes += syc_partial_bytes(&body->source.names[i]) + body->source.names[i].size;
    while (block > LEAST && block * bytes > BYTES)
        block /= 2;
    return block;
}

/* What makes vectors of a loop whose turns do not depend on each other (body/write/loop.c says where that is not so).
 */
static void add_independent(syc__writer *w)
{
    if (!w->body->reading.traits.keeps || w->uncured)
        syc__add(w, "#pragma clang loop vectorize(assume_safety) vectorize_width(16) interleave_count(2)\n");
}

static void add_contributions(syc__writer *w)
{
    const unsigned block = block_of(w->body);
    syc_text_add(&w->text,
                 "            const uint syc_count = syc_end - syc_at < %u ? (uint)(syc_end - syc_at) : %u;\n", block,
                 block);
    add_independent(w);
    syc__add(w, "            for (uint syc_j = 0; syc_j < syc_count; syc_j++) {\n"
                "                const ulong syc_q = syc_at + syc_j; ");
    syc__write_scan_element(w);
    syc__write_first_call(w);
    syc__add(w, "            }\n");
    syc__add_scanners(w, SYC__VECTOR_SCANNERS, "            SYC_SCAN_CLEAR($)\n");
}

static void add_prefix(syc__writer *w, const syc_name *name)
{
    const size_t size = name->size == 1 ? 2 : name->size; /* a vector of 16 lies within or fills 32 bytes */
    if (!syc__scan_has_vectors(name))
        return;
    syc__add_scanner(w, name,
                     "            {\n                SYC_SCAN_VECTORS_BEGIN($, @, #)\n"
                     "                for (uint syc_k = 0; syc_k * # < syc_count; syc_k += 4) {\n"
                     "                    SYC_SCAN_LOAD(@, #)\n");
    for (unsigned k = 0; k < 4; k++)
        syc__add_step(w, "                    SYC_SCAN_PREFIX_%zu(%s, syc_v%u)\n", size, name->name, k);
    syc__add_scanner(w, name,
                     name->size == 8 ? "                    SYC_SCAN_STORE($, @, #, s7)\n"
                                     : "                    SYC_SCAN_STORE($, @, #, sf)\n");
    syc__add_scanner(w, name, "                }\n                SYC_SCAN_VECTORS_END($)\n            }\n");
}

static void add_prefixes(syc__writer *w)
{
    char streams[120];
    syc__for_each_reducer(w, add_prefix);
    syc__add_restarts(w, false, "            syc_now_$[0] = syc_value_$(syc_join_$(syc_carry_$, syc_run_$));\n");
    syc__add_restarts(w, true,
                      "            syc_now_$[0] = syc_value_$(syc_seen_$ ? syc_run_$ : syc_join_$(syc_carry_$, "
                      "syc_run_$)), syc_last_$ = syc_seen_$;\n");
    (void)snprintf(streams, sizeof streams, "            SYC_SCAN_STREAMS($, %u, %u)\n            SYC_SCAN_VALUES($)\n",
                   block_of(w->body), block_of(w->body) / 8);
    syc__add_restarts(w, false, streams);
    syc__add_restarts(w, true, "            SYC_SCAN_SEGMENTS($)\n            SYC_SCAN_SEGMENT_VALUES($)\n");
}

static void add_second(syc__writer *w)
{
    add_independent(w);
    syc__add(w, "            for (uint syc_j = 0; syc_j < syc_count; syc_j++) {\n"
                "                const ulong syc_q = syc_at + syc_j; ");
    syc__write_scan_element(w);
    syc__write_second_call(w);
    syc__add(w, "            }\n");
}

/* -- a tile -- */

static void begin_tile(syc__writer *w, const char *piece)
{
    syc_text_add(&w->text,
                 "        const ulong syc_begin = %s * syc_run;\n"
                 "        const ulong syc_end = syc_length - syc_begin < syc_run ? syc_length : syc_begin + syc_run;\n",
                 piece);
    syc__add_scanners(w, SYC__ALL_SCANNERS, "        syc_run_$ = syc_none_$();\n");
    syc__add_restarts(w, true, "        syc_seen_$ = 0;\n");
    syc_text_add(&w->text, "        for (ulong syc_at = syc_begin; syc_at < syc_end; syc_at += %u) {\n",
                 block_of(w->body));
    add_contributions(w);
}

/* The block's sum alone. */
static void fold_block(syc__writer *w)
{
    char streams[80];
    syc__add_scanners(w, SYC__VECTOR_SCANNERS, "            SYC_SCAN_FOLD_VECTORS($, @, #)\n");
    (void)snprintf(streams, sizeof streams, "            SYC_SCAN_STREAMS($, %u, %u)\n", block_of(w->body),
                   block_of(w->body) / 8);
    syc__add_restarts(w, false, streams);
    syc__add_restarts(w, true, "            SYC_SCAN_SEGMENTS($)\n");
}

/* What the tile has come to becomes the carry of the next. */
static void carry_on(syc__writer *w, const char *blanks)
{
    for (size_t i = 0; i < w->body->source.count; i++) {
        const syc_name *name = &w->body->source.names[i];
        if (!syc__is_reducer(name))
            continue;
        syc__add(w, blanks);
        syc__add_scanner(w, name,
                         name->reducer.restarts
                             ? "syc_carry_$ = syc_seen_$ ? syc_run_$ : syc_join_$(syc_carry_$, syc_run_$);\n"
                             : "syc_carry_$ = syc_join_$(syc_carry_$, syc_run_$);\n");
    }
}

/* In which scanners a segment has begun, and back. */
static void add_marks(syc__writer *w, bool taken)
{
    unsigned bit = 0;
    for (size_t i = 0; i < w->body->source.count; i++) {
        const syc_name *name = &w->body->source.names[i];
        if (!syc__is_reducer(name) || !name->reducer.restarts)
            continue;
        if (taken)
            syc_text_add(&w->text, " syc_seen_%s = syc_marks >> %u & 1;", name->name, bit++);
        else
            syc_text_add(&w->text, " | (uint)(syc_seen_%s != 0) << %u", name->name, bit++);
    }
}

static void take_sum(syc__writer *w)
{
    syc__add_scanners(w, SYC__ALL_SCANNERS, "syc_run_$ = SYC_SCAN_TAKE($, syc_base + syc_which, 0); ");
    add_marks(w, true);
}

/* The carry of a tile that is one of several groups': from the nearest tile whose sum with all before it is known, and
 * the sums of those in between. */
static void add_chain(syc__writer *w)
{
    syc__add(w, "        if (syc_pieces > 1 && syc_groups > 1) {\n"
                "        const ulong syc_base = syc_line * syc_pieces;\n"
                "        ulong syc_which = syc_piece;\n"
                "        uint syc_marks = 0;\n"
                "        for (;;) {\n");
    begin_tile(w, "syc_which");
    fold_block(w);
    syc__add(w, "        }\n        if (syc_which == syc_piece) {\n");
    syc__add_scanners(w, SYC__ALL_SCANNERS,
                      "            syc_own_$ = syc_run_$;\n            SYC_SCAN_LEAVE($, syc_tile, 0, syc_run_$)\n");
    syc__add_restarts(w, true, "            syc_owns_$ = syc_seen_$;\n");
    syc__add(w, "            syc_scan_say(syc_tags + 4 * syc_tile, syc_epoch, 0u");
    add_marks(w, false);
    syc__add(w, ");\n"
                "            for (; syc_which > 0; syc_which--)\n"
                "                if (syc_scan_is_said(syc_tags + 4 * (syc_base + syc_which - 1) + 2, syc_epoch, "
                "&syc_marks)) {\n");
    syc__add_scanners(w, SYC__ALL_SCANNERS,
                      "                    syc_carry_$ = SYC_SCAN_TAKE($, syc_base + syc_which - 1, 1);\n");
    syc__add(
        w, "                    break;\n"
           "                }\n"
           "        } else {\n" /* its group may have written over what was read, but not before it has said the sum */
           "            if (syc_scan_is_said(syc_tags + 4 * (syc_base + syc_which), syc_epoch, &syc_marks)) { ");
    take_sum(w);
    syc__add(w, " }\n");
    carry_on(w, "            ");
    syc__add(w,
             "            syc_which++;\n"
             "        }\n"
             "        for (; syc_which < syc_piece && syc_scan_await(syc_tags + 4 * (syc_base + syc_which), syc_epoch, "
             "&syc_marks); syc_which++) {\n"
             "            ");
    take_sum(w);
    syc__add(w, "\n");
    carry_on(w, "            ");
    syc__add(w, "        }\n"
                "        if (syc_which == syc_piece)\n"
                "            break;\n"
                "        }\n");
    for (size_t i = 0; i < w->body->source.count; i++)
        if (syc__is_reducer(&w->body->source.names[i]))
            syc__add_scanner(w, &w->body->source.names[i],
                             w->body->source.names[i].reducer.restarts
                                 ? "        SYC_SCAN_LEAVE($, syc_tile, 1, syc_owns_$ ? syc_own_$ : "
                                   "syc_join_$(syc_carry_$, syc_own_$))\n"
                                 : "        SYC_SCAN_LEAVE($, syc_tile, 1, syc_join_$(syc_carry_$, syc_own_$))\n");
    syc__add(w, "        syc_scan_say(syc_tags + 4 * syc_tile + 2, syc_epoch, 0u);\n"
                "        }\n");
}

/* The last value, as the second text has had it. */
static void give_totals(syc__writer *w)
{
    syc__add(w, "        if (syc_end == syc_length) {\n");
    syc__add_scanners(w, SYC__ALL_SCANNERS,
                      syc__scan_has_second(w->body)
                          ? "            if (syc_out_$ != 0) syc_out_$[syc_line] = syc_total_$;\n"
                          : "            if (syc_out_$ != 0) syc_out_$[syc_line] = syc_value_$(syc_carry_$);\n");
    syc__add(w, "        }\n");
}

static void scan_tile(syc__writer *w)
{
    begin_tile(w, "syc_piece");
    if (syc__scan_has_second(w->body)) {
        add_prefixes(w);
        add_second(w);
        syc__add_scanners(w, SYC__ALL_SCANNERS, "            syc_total_$ = syc_now_$[syc_count];\n");
    } else {
        fold_block(w);
    }
    syc__add(w, "        }\n");
    carry_on(w, "        ");
    give_totals(w);
}

/* -- all of it -- */

static void add_variables(syc__writer *w)
{
    char block[200];
    syc__add_scanners(w, SYC__ALL_SCANNERS,
                      "    syc_acc_$ syc_start_$ = syc_none_$(), syc_carry_$ = syc_none_$(), syc_run_$, syc_own_$;\n"
                      "    @ syc_total_$;\n");
    for (size_t i = 0; i < w->body->source.count; i++)
        if (syc__is_reducer(&w->body->source.names[i]) && w->body->source.names[i].reducer.initial)
            syc__add_scanner(w, &w->body->source.names[i], "    syc_combine_$(&syc_start_$, syc_initial_$);\n");
    syc__add_restarts(w, true, "    uchar syc_seen_$ = 0, syc_last_$ = 0, syc_owns_$ = 0;\n");
    (void)snprintf(block, sizeof block, "    SYC_SCAN_BLOCK($, @, %u)\n", block_of(w->body));
    syc__add_scanners(w, SYC__ALL_SCANNERS, block);
    (void)snprintf(block, sizeof block, "    uchar syc_mark_$[%u];\n", block_of(w->body));
    syc__add_restarts(w, true, block);
}

syc_status syc__write_tiles(syc__writer *w)
{
    syc_status status = SYC_OK;

    SYC_TRY(syc__write_scan_head(w, "work-items that scan tiles of lines, a block at a time"));
    syc__write_scan_sizes(w);
    syc__write_scan_words(w);
    add_variables(w);
    syc__write_scan_empty(w);
    syc__add(w,
             "    for (ulong syc_turn = 0; syc_length > 0; syc_turn++) {\n"
             "        const ulong syc_tile = syc_groups == 1 ? syc_turn : syc_scan_ticket(syc_words + 1);\n"
             "        if (syc_tile >= syc_outer * syc_inner * syc_pieces)\n"
             "            break;\n"
             "        const ulong syc_line = syc_tile / syc_pieces, syc_piece = syc_tile - syc_line * syc_pieces;\n");
    syc__write_scan_line(w);
    syc__add(w, "        if (syc_piece == 0 || syc_groups > 1) {\n");
    syc__add_scanners(w, SYC__ALL_SCANNERS, "            syc_carry_$ = syc_start_$;\n");
    syc__add(w, "        }\n");
    add_chain(w);
    scan_tile(w);
    syc__add(w, "    }\n");
    syc__write_scan_ending(w);
    syc__add(w, "}\n");
done:
    return status;
}
