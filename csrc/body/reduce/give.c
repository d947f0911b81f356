/* The last step of a reducer's variable: syc_give_<name>(to, x). */
#include "body/reduce/reduce.h"

#include <string.h>

void syc__add_result_type(syc__writer *w, const syc_name *name)
{
    if (name->reducer.kept)
        syc_text_add(&w->text, "syc_acc_%s", name->name);
    else
        syc_text_add(&w->text, "%s", name->reducer.result != NULL ? name->reducer.result : name->type);
}

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

/* Up to its '{'. The numbers that finish mentions are further parameters of a function behind it, to which a macro
 * gives those of the kernel. */
static void add_head(syc__writer *w, const syc_name *name)
{
    const char *n = name->name, *late = name->reducer.finish != NULL ? "finish" : "give";
    if (name->reducer.finish != NULL) {
        syc_text_add(&w->text, "#define syc_give_%s(to, x) syc_finish_%s(to, x", n, n);
        add_numbers(w, name, false);
        syc_text_add(&w->text, ")\n");
    }
    syc_text_add(&w->text, "static inline void syc_%s_%s(__global ", late, n);
    syc__add_result_type(w, name);
    syc_text_add(&w->text, " *to, syc_acc_%s x", n);
    add_numbers(w, name, true);
    syc_text_add(&w->text, ") { ");
}

/* Its statement for r, the value that was combined. */
static void add_end(syc__writer *w, const syc_name *name)
{
    const char *finish = name->reducer.finish != NULL ? name->reducer.finish : "r";
    const char *result = name->reducer.result;
    const bool half = result != NULL && strcmp(result, "half") == 0 && strcmp(name->type, "half") != 0;
    syc_text_add(&w->text, half ? "vstore_half(" : "*to = ");
    syc_text_add_n(&w->text, finish, strlen(finish));
    syc_text_add(&w->text, half ? ", 0, to); }\n" : "; }\n");
}

static void add_give(syc__writer *w, const syc_name *name)
{
    const char *n = name->name, *value = name->op.known ? "x" : "x.value";
    add_head(w, name);
    if (!name->op.known)
        syc_text_add(&w->text, "if (!x.some) return; ");
    if (name->reducer.finish != NULL || name->reducer.result != NULL) {
        syc_text_add(&w->text, "const %s r = %s; ", name->type, value);
        add_end(w, name);
    } else if (name->reducer.fresh) {
        syc_text_add(&w->text, "*to = %s; }\n", value);
    } else {
        syc_text_add(&w->text, "*to = syc_op_%s(*to, %s); }\n", n, value);
    }
}

/* The same where the kernel's arguments say whether the old value counts. */
static void add_late_give(syc__writer *w, const syc_name *name)
{
    const char *n = name->name, *type = name->type;
    syc_text_add(&w->text,
                 "static inline void syc_give_late_%s(__global %s *to, const syc_acc_%s x, const bool fresh, const %s "
                 "none) { ",
                 n, type, n, type);
    if (name->op.known)
        syc_text_add(&w->text, "if (fresh) *to = x; else *to = syc_op_%s(*to, x); }\n", n);
    else
        syc_text_add(&w->text,
                     "if (!x.some) { if (fresh) *to = none; } else if (fresh) *to = x.value; else *to = "
                     "syc_op_%s(*to, x.value); }\n",
                     n);
    syc_text_add(&w->text, "#define syc_give_%s(to, x) syc_give_late_%s(to, x, syc_fresh_%s != 0, syc_identity_%s)\n",
                 n, n, n, n);
}

static void add_accurate_give(syc__writer *w, const syc_name *name)
{
    add_head(w, name);
    if (name->reducer.kept) {
        syc__write_accurate_end(w, name, "x.");
        syc_text_add(&w->text, "*to = x; }\n");
        return;
    }
    if (!name->reducer.fresh) {
        syc_text_add(&w->text, "const %s old = *to; ", name->type);
        syc__write_accurate_sum(w, name, "x.", "old");
    }
    syc_text_add(&w->text, "const %s r = ", name->type);
    syc__write_accurate_result(w, name, "x.");
    syc_text_add(&w->text, "; ");
    add_end(w, name);
}

void syc__write_give(syc__writer *w, const syc_name *name)
{
    if (name->op.accuracy != SYC_ACCURACY_FAST)
        add_accurate_give(w, name);
    else if (name->reducer.late)
        add_late_give(w, name);
    else
        add_give(w, name);
}
