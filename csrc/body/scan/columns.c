/* SYC_SHAPE_SIDE_BY_SIDE: the innermost dimension is kept, so neighbouring lines lie side by side: a work-item goes
 * along them all, with an accumulator for each. */
#include "body/scan/scan.h"

#include <stdio.h>

/* Lines that a work-item takes together: as many as the form says, if the nearest cache holds what is kept of them. */
static unsigned block_of(const syc__writer *w)
{
    enum { BYTES = 16384 };
    const syc_body *body = w->body;
    size_t bytes = 1;
    unsigned block = w->form.elements;
    for (size_t i = 0; i < body->source.count; i++)
        if (syc__is_reducer(&body->source.names[i]))
            bytes += 2 * syc_scan_bytes(&body->source.names[i]) + body->source.names[i].size;
    while (block > 1 && block * bytes > BYTES)
        block /= 2;
    return block;
}

static void add_loop(syc__writer *w)
{
    if (!w->body->reading.traits.keeps || w->uncured)
        syc__add(w, "#pragma clang loop vectorize(assume_safety) vectorize_width(16) interleave_count(1)\n");
    syc__add(w, "            for (uint syc_j = 0; syc_j < syc_count; syc_j++) {\n");
}

static void add_variables(syc__writer *w)
{
    char text[120];
    syc__write_starts(w);
    (void)snprintf(text, sizeof text, "    SYC_SCAN_SIDE_BY_SIDE($, %u)\n", block_of(w));
    syc__add_scanners(w, text);
}

/* What stands before the calls in each loop: the element, which is number syc_q of line syc_first_in + syc_j. */
static void add_element(syc__writer *w)
{
    syc__add(w, "                const ulong syc_in = syc_begin + syc_j; ");
    syc__write_scan_element(w);
}

static void add_combination(syc__writer *w, const syc_name *name)
{
    syc__add_scanner(w, name,
                     name->reducer.restarts ? "                SYC_SCAN_BESIDE_SEGMENT($)\n"
                                            : "                SYC_SCAN_BESIDE($)\n");
}

static void add_step(syc__writer *w)
{
    add_loop(w);
    add_element(w);
    syc__write_first_call(w, "syc_sum_$[syc_j]", "syc_q == 0");
    syc__add(w, "            }\n");
    add_loop(w);
    syc__for_each_reducer(w, add_combination);
    if (syc__scan_has_second(w->body)) {
        add_element(w);
        syc__write_beside_call(w);
    }
    syc__add(w, "            }\n");
}

syc_status syc__write_side_by_side(syc__writer *w)
{
    const unsigned block = block_of(w);
    syc_status status = SYC_OK;

    SYC_TRY(syc__write_scan_head(w, "work-items that scan neighbouring lines side by side"));
    syc__write_scan_sizes(w);
    add_variables(w);
    syc__write_scan_empty(w);
    syc_text_add(
        &w->text,
        "    const ulong syc_blocks = (syc_inner + %u) / %u;\n"
        "    for (ulong syc_unit = get_global_id(0); syc_length > 0 && syc_unit < syc_outer * syc_blocks; syc_unit += "
        "get_global_size(0)) {\n"
        "        const ulong syc_out = syc_unit / syc_blocks, syc_begin = (syc_unit - syc_out * syc_blocks) * %u;\n",
        block - 1, block, block);
    syc_text_add(&w->text,
                 "        const uint syc_count = syc_inner - syc_begin < %u ? (uint)(syc_inner - syc_begin) : %u;\n",
                 block, block);
    syc__add_scanners(w, "        SYC_SCAN_BEGIN_BESIDE($)\n");
    syc__add(w, "        for (ulong syc_q = 0; syc_q < syc_length; syc_q++) {\n");
    add_step(w);
    syc__add(w, "        }\n"
                "        for (uint syc_j = 0; syc_j < syc_count; syc_j++) {\n");
    syc__add_scanners(w, "            if (syc_out_$ != 0) syc_out_$[syc_out * syc_inner + syc_begin + syc_j] = "
                         "syc_worth_$(syc_run_$[syc_j]);\n");
    syc__add(w, "        }\n    }\n}\n");
done:
    return status;
}
