/* SYC_SHAPE_LOOP: the text is a function, so that `return` ends one work-item of the user's, and the kernel calls it in
 * a loop that the vectoriser takes. */
#include "body/parts.h"

static void add_call(syc__writer *w)
{
    syc__write_call_begin(w);
    for (size_t i = 0; i < w->body->source.count; i++) {
        syc__write_comma(w);
        syc_text_add(&w->text, "%s", w->body->source.names[i].name);
    }
    syc__write_call_rest(w);
}

syc_status syc__write_loop(syc__writer *w)
{
    syc_status status = SYC_OK;

    SYC_TRY(syc__write_head(w, "a work-item for a run of elements, one after the other"));
    /* Not every body has a vector form, and PoCL's compiler prints to stderr that it found none. */
    syc_text_add(&w->text, "#pragma clang diagnostic ignored \"-Wpass-failed\"\n");
    syc__write_macros(w);
    syc__write_function_begin(w);
    for (size_t i = 0; i < w->body->source.count; i++)
        syc__write_parameter(w, i);
    syc__write_function_rest(w);
    syc__write_kernel_head(w);
    syc__write_guard(w, 1);
    syc_text_add(&w->text,
                 "    const ulong syc_begin = get_global_id(0) * syc_run;\n"
                 "    const ulong syc_end = syc_begin + syc_run < syc_range0 ? syc_begin + syc_run : syc_range0;\n");
    /* PoCL 3.0: its clang takes the own memory of all turns for one where it is told that turns are independent.
     * Gone when: tests/regression/test_memory_of_items.py::test_items_do_not_see_each_others_memory. */
    if (!w->body->reading.traits.keeps || w->uncured)
        syc_text_add(&w->text, "#pragma clang loop vectorize(assume_safety) vectorize_width(16) interleave_count(4)\n");
    syc_text_add(&w->text, "    for (ulong syc_at = syc_begin; syc_at < syc_end; syc_at++)\n"
                           "        ");
    add_call(w);
    syc_text_add(&w->text, "}\n");
done:
    return status;
}
