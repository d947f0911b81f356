/* What becomes of a reducer's variable at the end: how the functions that give it its value begin and end. */
#include "body/reduce.h"

#include <string.h>

static bool is_word(char c)
{
    return c == '_' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* Is the name a word of the text? */
static bool mentions(const char *text, const char *name)
{
    const size_t length = strlen(name);
    for (const char *at = text; at != NULL && (at = strstr(at, name)) != NULL; at++)
        if ((at == text || !is_word(at[-1])) && !is_word(at[length]))
            return true;
    return false;
}

bool syc__finish_mentions(const syc_body_source *source, const char *name)
{
    for (size_t i = 0; i < source->count; i++)
        if (syc__is_reducer(&source->names[i]) && mentions(source->names[i].reducer.finish, name))
            return true;
    return false;
}

/* The numbers that the ending mentions, each behind a comma: as parameters, or as what is given for them. */
static void add_numbers(syc__writer *w, const syc_name *reducer, bool typed)
{
    for (size_t i = 0; i < w->body->source.count; i++) {
        const syc_name *name = &w->body->source.names[i];
        if (name->kind != SYC_NAME_VALUE || !mentions(reducer->reducer.finish, name->name))
            continue;
        if (typed)
            syc_text_add(&w->text, ", const %s %s", name->type, name->name);
        else
            syc_text_add(&w->text, ", %s", name->name);
    }
}

void syc__write_give_head(syc__writer *w, const syc_name *name)
{
    const char *n = name->name, *late = name->reducer.finish != NULL ? "finish" : "give";
    if (name->reducer.finish != NULL) {
        syc_text_add(&w->text, "#define syc_give_%s(to, x) syc_finish_%s(to, x", n, n);
        add_numbers(w, name, false);
        syc_text_add(&w->text, ")\n");
    }
    syc_text_add(&w->text, "static inline void syc_%s_%s(__global %s *to, syc_acc_%s x", late, n,
                 syc__result_type(name), n);
    add_numbers(w, name, true);
    syc_text_add(&w->text, ") { ");
}

void syc__write_give_end(syc__writer *w, const syc_name *name)
{
    const char *finish = name->reducer.finish != NULL ? name->reducer.finish : "r";
    const bool half = strcmp(syc__result_type(name), "half") == 0 && strcmp(name->type, "half") != 0;
    syc_text_add(&w->text, half ? "vstore_half(" : "*to = ");
    syc_text_add_n(&w->text, finish, strlen(finish));
    syc_text_add(&w->text, half ? ", 0, to); }\n" : "; }\n");
}
