/* The text of a body as a function, so that a kernel can run it for several elements and `return` ends one of them. */
#include "body/parts.h"

static const char *function_of(const syc__writer *w)
{
    return w->function != NULL ? w->function : "syc_item";
}

void syc__write_function_begin(syc__writer *w)
{
    syc_text_add(&w->text, "static inline __attribute__((always_inline)) void %s(", function_of(w));
    syc__write_id_parameters(w);
}

static void add_hidden(syc__writer *w, bool parameter)
{
    for (size_t i = 0; i < w->hidden_count; i++)
        if (syc__form_wants(w, w->hidden[i].kind))
            syc__write_hidden(w, &w->hidden[i], parameter);
}

void syc__write_function_rest(syc__writer *w)
{
    add_hidden(w, true);
    syc_text_add(&w->text, ")\n{\n");
    syc__write_ranges(w);
    syc__write_answers(w);
    syc__write_text(w, false);
    syc_text_add(&w->text, "}\n");
    syc__write_no_answers(w);
    syc_text_add(&w->text, "\n");
}

void syc__write_call_begin(syc__writer *w)
{
    syc_text_add(&w->text, "%s(", function_of(w));
    syc__write_id_arguments(w);
}

void syc__write_call_rest(syc__writer *w)
{
    add_hidden(w, false);
    syc_text_add(&w->text, ");\n");
}
