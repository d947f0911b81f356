/* SYC_SHAPE_ITEM: the text is the kernel. Over an nd-range it stands at the kernel's outermost level, where barriers
 * and
 * __local arrays may be. */
#include "body/reduce/reduce.h"

static const char *describe(const syc_form *form)
{
    if (form->dims == 0)
        return "a single task";
    if (form->group[0] > 0)
        return "a work-item for each work-group, which loops over the group's items";
    return form->grouped ? "a work-item of an nd-range" : "a work-item for each element of a range";
}

syc_status syc__write_item(syc__writer *w)
{
    syc_status status = SYC_OK;

    SYC_TRY(syc__write_head(w, describe(&w->form)));
    if (w->form.group[0] > 0) /* not every loop has a vector form, and PoCL's compiler prints that it found none */
        syc_text_add(&w->text, "#pragma clang diagnostic ignored \"-Wpass-failed\"\n");
    syc__write_reducers(w);
    syc__write_macros(w);
    syc__write_kernel_head(w);
    if (w->body->reading.traits.reduces)
        syc__write_accumulators(w);
    if (!w->form.grouped)
        syc__write_guard(w, 0);
    if (!w->body->source.hierarchical) { /* there each item has its own, by other words */
        syc__write_ids(w);
        syc__write_ranges(w);
    }
    syc__write_answers(w);
    syc__write_reducer_macros(w);
    syc__write_text(w, true);
    syc__write_no_reducer_macros(w);
    if (w->body->reading.traits.reduces)
        syc__write_reducer_ending(w);
    syc_text_add(&w->text, "}\n");
done:
    return status;
}
