/* SYC_SHAPE_TILES: work-items that are groups by themselves take tiles of lines in their order. The steps are macros of
 * kernels/forms/scan_tiles.clh; here is their order. */
#include "body/scan/scan.h"

#include <stdio.h>

/* -- a block of a tile -- */

/* Elements of the widest name that fill a vector of 64 bytes. */
static unsigned loop_width(const syc__writer *w)
{
    size_t widest = 1;
    for (size_t i = 0; i < w->body->source.count; i++) {
        const syc_name *name = &w->body->source.names[i];
        if ((name->kind == SYC_NAME_GLOBAL || syc__is_reducer(name)) && name->size > widest)
            widest = name->size;
    }
    return widest > 2 ? 16 : 64 / (unsigned)widest;
}

/* As many elements as the nearest cache holds with what is kept of them, in whole vectors and eight streams. */
static unsigned block_of(const syc__writer *w)
{
    enum { BYTES = 8192, MOST = 2048, LEAST = 128, TOGETHER = 4 };
    size_t bytes = 1;
    unsigned block = MOST, least = LEAST;
    for (size_t i = 0; i < w->body->source.count; i++) {
        const syc_name *name = &w->body->source.names[i];
        if (!syc__is_reducer(name))
            continue;
        bytes += syc_scan_bytes(name) + name->size;
        if (syc__scan_has_vectors(w, name) && TOGETHER * syc__scan_lanes(name) > least)
            least = TOGETHER * syc__scan_lanes(name);
    }
    while (block > least && block * bytes > BYTES)
        block /= 2;
    return block;
}

/* What makes vectors of a loop whose turns do not depend on each other (body/write/loop.c says where that is not so).
 */
static void begin_loop(syc__writer *w, const char *from)
{
    if (!w->body->reading.traits.keeps || w->uncured)
        syc_text_add(&w->text, "#pragma clang loop vectorize(assume_safety) vectorize_width(%u) interleave_count(2)\n",
                     loop_width(w));
    syc_text_add(&w->text, "            for (uint syc_j = %s; syc_j < syc_count; syc_j++) {\n", from);
    syc__add(w, "                const ulong syc_q = syc_at + syc_j; ");
    syc__write_scan_element(w);
}

/* What the next blocks read is sent for while results go past the caches: that goes on in lines here and there, which
 * is too little for a processor to foresee. */
static void fetch(syc__writer *w)
{
    for (size_t i = 0; i < w->body->source.count; i++) {
        const syc_name *name = &w->body->source.names[i];
        if (name->kind == SYC_NAME_GLOBAL && w->body->reading.uses[i].own && w->body->reading.uses[i].reads)
            syc__add_step(w, "            SYC_SCAN_FETCH(%s, %u)\n", name->name, block_of(w) * (unsigned)name->size);
    }
}

static void add_contributions(syc__writer *w)
{
    const bool restarts = syc__any_restarts(w->body);
    if (w->form.streams && syc__scan_goes_along(w))
        fetch(w);
    if (restarts) {
        syc__add(w, "            if (syc_at == 0) {\n"
                    "                const uint syc_j = 0; const ulong syc_q = 0; ");
        syc__write_scan_element(w);
        syc__write_first_call(w, "syc_sum_$[syc_j]", "true");
        syc__add(w, "            }\n");
    }
    begin_loop(w, restarts ? "syc_at == 0" : "0");
    syc__write_first_call(w, "syc_sum_$[syc_j]", "false");
    syc__add(w, "            }\n");
    for (size_t i = 0; i < w->body->source.count; i++) {
        const syc_name *name = &w->body->source.names[i];
        const bool heads = syc__scan_has_heads(w, name);
        if (!syc__is_reducer(name))
            continue;
        if (syc__scan_has_vectors(w, name))
            syc__add_scanner(w, name, "            SYC_SCAN_CLEAR($, ~)\n");
        if (heads)
            syc__add_scanner(w, name, "            SYC_SCAN_CLEAR_HEADS($, ~)\n");
        if (name->reducer.restarts && name->reducer.initial)
            syc__add_scanner(w, name,
                             heads ? "            SYC_SCAN_BEGIN_HEADS($)\n" : "            SYC_SCAN_HEADS($)\n");
    }
}

static void add_streams(syc__writer *w, const syc_name *name)
{
    const unsigned block = block_of(w);
    syc__add_step(w, "            {\n            SYC_SCAN_STREAMS(%s, %u, %u)\n            }\n", name->name, block,
                  block / 8);
}

static void add_prefixes(syc__writer *w, const syc_name *name)
{
    if (syc__scan_has_marks(name))
        syc__add_scanner(w, name,
                         syc__scan_has_heads(w, name) ? "            SYC_SCAN_MARK_HEADS($)\n"
                                                      : "            SYC_SCAN_MARK($)\n");
    if (name == w->counter)
        syc__add_scanner(w, name, "            SYC_SCAN_COUNTED($)\n");
    else
        (syc__scan_has_vectors(w, name) ? syc__write_vector_prefixes : add_streams)(w, name);
}

/* The block's sum alone. */
static void fold_block(syc__writer *w, const syc_name *name)
{
    const unsigned block = block_of(w);
    if (syc__scan_has_vectors(w, name))
        syc__write_vector_sum(w, name);
    else
        syc__add_step(w, "            SYC_SCAN_FOLD_STREAMS(%s, %u, %u)\n", name->name, block, block / 8);
}

/* -- a tile -- */

static void begin_tile(syc__writer *w, const char *piece)
{
    syc_text_add(&w->text,
                 "        const ulong syc_begin = %s * syc_run;\n"
                 "        const ulong syc_end = syc_length - syc_begin < syc_run ? syc_length : syc_begin + syc_run;\n",
                 piece);
    syc__add_scanners(w, "        syc_run_$ = syc_nothing_$();\n");
    syc__add(w, "        for (ulong syc_at = syc_begin; syc_at < syc_end;) {\n");
}

/* Of a tile: so many elements, or what there is. */
static void begin_block(syc__writer *w, const char *most)
{
    syc_text_add(&w->text,
                 "            const uint syc_count = syc_end - syc_at < %s ? (uint)(syc_end - syc_at) : %s;\n", most,
                 most);
    add_contributions(w);
}

static void end_block(syc__writer *w)
{
    syc__add(w, "            syc_at += syc_count;\n        }\n");
}

/* Do results go from registers past the caches? Sums of floating-point numbers are then put together by where the array
 * lies, which one that is to be the same each time must not be. */
static bool goes_through(const syc__writer *w)
{
    unsigned scanners = 0;
    for (size_t i = 0; i < w->body->source.count; i++)
        scanners += syc__is_reducer(&w->body->source.names[i]);
    return w->form.through && w->copied != NULL && w->copied_from[0] == '1' && scanners == 1 &&
           !w->copied->reducer.restarts && !w->copied->reducer.ordered;
}

/* Whole vectors of the array, four at a time, whose contributions stay in registers, too: so many that the compiler
 * knows how many. What is in front of the first is a block by itself. */
static void go_through(syc__writer *w)
{
    enum { FOUR = 4 };
    const unsigned count = FOUR * syc__scan_lanes(w->copied);
    syc__add_step(w, "            SYC_SCAN_LEAD(%s, %s)\n", w->copied->name, w->copied_to);
    syc_text_add(&w->text, "            for (; syc_apart == 0 && syc_at + %u <= syc_end; syc_at += %u) {\n", count,
                 count);
    syc_text_add(&w->text, "            const uint syc_count = %u;\n", count);
    fetch(w);
    begin_loop(w, "0");
    syc__write_first_call(w, "syc_sum_$[syc_j]", "false");
    syc__add(w, "            }\n");
    syc__add_step(w, "            SYC_SCAN_THROUGH(%s, %s)\n", w->copied->name, w->copied_to);
    syc__add_scanner(w, w->copied, "            SYC_SCAN_FOUR($, ~)\n            SYC_SCAN_SEND_FOUR($, ~)\n");
    syc__add(w, "            }\n            if (syc_at == syc_end)\n                break;\n");
}

static void begin_blocks(syc__writer *w, const char *piece, bool through)
{
    char most[40];
    (void)snprintf(most, sizeof most, through ? "(syc_lead > 0 ? syc_lead : %u)" : "%u", block_of(w));
    begin_tile(w, piece);
    if (through)
        go_through(w);
    begin_block(w, most);
}

/* What another tile has left, in syc_run_<name>; syc_state says what that is. */
static void get_slots(syc__writer *w, const char *blanks, const char *tile)
{
    char text[160];
    syc_text_add(&w->text, "%ssyc_state = 3;\n", blanks);
    (void)snprintf(text, sizeof text, "%sSYC_SCAN_GET($, %s)\n", blanks, tile);
    syc__add_scanners(w, text);
}

static void carry_on(syc__writer *w)
{
    syc__add_scanners(w,
                      "            syc_carry_$ = syc_state == 2 ? syc_run_$ : syc_meet_$(syc_carry_$, syc_run_$);\n");
}

/* The carry of a tile that is one of several groups': from the nearest tile whose sum with all before it is there, and
 * the sums of those in between. A sum that is long in coming is made here; its group may have written over what was
 * read for that, but not before it has left the sum. */
static void add_chain(syc__writer *w)
{
    syc__add(w, "        if (syc_pieces > 1 && syc_groups > 1) {\n"
                "        const ulong syc_base = syc_line * syc_pieces;\n"
                "        ulong syc_which = syc_piece;\n"
                "        uint syc_state = 0;\n"
                "        for (;;) {\n");
    begin_blocks(w, "syc_which", false);
    syc__for_each_reducer(w, fold_block);
    end_block(w);
    syc__add(w, "        if (syc_which == syc_piece) {\n");
    syc__add_scanners(w, "            syc_own_$ = syc_run_$;\n            SYC_SCAN_PUT($, syc_tile, syc_run_$, 0)\n");
    syc__add(w, "            SYC_REDUCTION_FENCE();\n"
                "            for (; syc_which > 0; syc_which--) {\n");
    get_slots(w, "                ", "syc_base + syc_which - 1");
    syc__add(w, "                if (syc_state != 2)\n                    continue;\n");
    syc__add_scanners(w, "                syc_carry_$ = syc_run_$;\n");
    syc__add(w, "                break;\n"
                "            }\n"
                "        } else {\n");
    syc__add_scanners(w, "            const syc_part_$ syc_made_$ = syc_run_$;\n");
    syc__add(w, "            SYC_REDUCTION_FENCE();\n");
    get_slots(w, "            ", "syc_base + syc_which");
    syc__add_scanners(w, "            if (syc_state == 0) syc_run_$ = syc_made_$;\n");
    carry_on(w);
    syc__add(w,
             "            syc_which++;\n"
             "        }\n"
             "        for (uint syc_polls = 0; syc_which < syc_piece && syc_polls < SYC_SCAN_POLLS; syc_polls++) {\n");
    get_slots(w, "            ", "syc_base + syc_which");
    syc__add(w, "            if (syc_state == 0)\n                continue;\n");
    carry_on(w);
    syc__add(w, "            syc_which++;\n"
                "            syc_polls = 0;\n"
                "        }\n"
                "        if (syc_which == syc_piece)\n"
                "            break;\n"
                "        }\n");
    syc__add_scanners(w, "        SYC_SCAN_PUT($, syc_tile, syc_meet_$(syc_carry_$, syc_own_$), 1)\n");
    syc__add(w, "        }\n");
}

/* The second text for all elements of the block; where it chooses some, for these, which are found without a jump. */
static void add_second(syc__writer *w)
{
    if (!w->chooses) {
        if (w->copied != NULL) {
            syc__add_step(w, "            SYC_SCAN_PAST(%s, %u, %s, %s)\n", w->copied->name, syc__scan_lanes(w->copied),
                          w->copied_to, w->copied_from);
            return;
        }
        begin_loop(w, "0");
        syc__write_second_call(w, SYC__SECOND, NULL);
        syc__add(w, "            }\n");
        return;
    }
    if (w->counter == NULL) {
        begin_loop(w, "0");
        syc__add(w, "uchar syc_is = 0; ");
        syc__write_second_call(w, SYC__CHOICE, "&syc_is");
        syc__add(w, "                syc_chosen[syc_j] = syc_is;\n            }\n");
    } else {
        syc__add_scanner(w, w->counter, "            SYC_SCAN_COUNT_BEGIN($, @)\n");
    }
    syc__add_step(w, "            SYC_SCAN_CHOOSE(syc_many)\n");
    syc__add(w, "            for (uint syc_k = 0; syc_k < syc_many; syc_k++) {\n"
                "                const uint syc_j = syc_list[syc_k];\n"
                "                const ulong syc_q = syc_at + syc_j; ");
    syc__write_scan_element(w);
    if (w->counter != NULL)
        syc__add_scanner(w, w->counter, "\n                SYC_SCAN_COUNT($, @)\n                ");
    syc__write_second_call(w, SYC__SECOND, NULL);
    syc__add(w, "            }\n");
    if (w->counter != NULL)
        syc__add_scanner(w, w->counter, "            SYC_SCAN_COUNT_END($, @)\n");
}

static void add_total(syc__writer *w, const syc_name *name)
{
    if (name != w->counter)
        syc__add_scanner(w, name, "            syc_total_$ = syc_now_$[syc_count];\n");
}

/* The second text, and the last value as it has had it for the total. */
static void scan_tile(syc__writer *w)
{
    begin_blocks(w, "syc_piece", goes_through(w));
    if (syc__scan_has_second(w->body)) {
        syc__for_each_reducer(w, add_prefixes);
        add_second(w);
        syc__for_each_reducer(w, add_total);
    } else {
        syc__for_each_reducer(w, fold_block);
        syc__add_scanners(w, "            syc_total_$ = syc_worth_$(syc_meet_$(syc_carry_$, syc_run_$));\n");
    }
    end_block(w);
    syc__add_scanners(w, "        syc_carry_$ = syc_meet_$(syc_carry_$, syc_run_$);\n");
    syc__add(w, "        if (syc_end == syc_length) {\n");
    syc__add_scanners(w, "            if (syc_out_$ != 0) syc_out_$[syc_line] = syc_total_$;\n");
    syc__add(w, "        }\n");
}

/* -- all of it -- */

static void add_values(syc__writer *w, const syc_name *name)
{
    enum { BLANK = 16 };
    if (name != w->counter)
        syc__add_step(w, "    SYC_SCAN_VALUES(%s, %s, %u, %u)\n", name->name, name->type, block_of(w),
                      syc__scan_has_vectors(w, name) ? syc__scan_lanes(name) : BLANK);
}

static void add_variables(syc__writer *w)
{
    char block[200];
    syc__write_starts(w);
    syc__add_scanners(w, "    syc_part_$ syc_carry_$ = syc_nothing_$(), syc_run_$, syc_own_$;\n"
                         "    @ syc_total_$;\n");
    for (size_t i = 0; i < w->body->source.count; i++) {
        const syc_name *name = &w->body->source.names[i];
        if (!syc__is_reducer(name))
            continue;
        if (syc__scan_has_heads(w, name))
            syc__add_step(w, "    SYC_SCAN_HEADS_BLOCK(%s, %u, %s)\n", name->name, block_of(w),
                          syc__flag_for(name->size));
        else
            syc__add_step(w, "    SYC_SCAN_BLOCK(%s, %u)\n", name->name, block_of(w));
    }
    syc__for_each_reducer(w, add_values);
    (void)snprintf(block, sizeof block, "    uchar syc_mark_$[%u];\n", block_of(w));
    for (size_t i = 0; i < w->body->source.count; i++)
        if (syc__scan_has_marks(&w->body->source.names[i]))
            syc__add_scanner(w, &w->body->source.names[i], block);
    if (w->chooses)
        syc__add_step(w, "    SYC_SCAN_CHOICE(%u)\n", block_of(w));
}

syc_status syc__write_tiles(syc__writer *w)
{
    syc_status status = SYC_OK;

    SYC_TRY(syc__write_scan_head(w, "work-items that scan tiles of lines, a block at a time"));
    syc__write_scan_sizes(w);
    syc__write_scan_words(w);
    syc__add(w, "    const uint syc_tag = syc_scan_tag(syc_head);\n");
    add_variables(w);
    syc__write_scan_empty(w);
    syc__add(w,
             "    for (ulong syc_turn = 0; syc_length > 0; syc_turn++) {\n"
             "        const ulong syc_tile = syc_groups == 1 ? syc_turn : syc_scan_ticket(syc_head + 1);\n"
             "        if (syc_tile >= syc_outer * syc_inner * syc_pieces)\n"
             "            break;\n"
             "        const ulong syc_line = syc_tile / syc_pieces, syc_piece = syc_tile - syc_line * syc_pieces;\n");
    syc__write_scan_line(w);
    syc__add(w, "        if (syc_piece == 0 || syc_groups > 1) {\n");
    syc__add_scanners(w, "            syc_carry_$ = syc_start_$;\n");
    syc__add(w, "        }\n");
    add_chain(w);
    scan_tile(w);
    syc__add(w, "    }\n");
    syc__write_scan_ending(w);
    syc__add(w, "}\n");
done:
    return status;
}
