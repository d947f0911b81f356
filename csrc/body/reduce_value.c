/* The value of a reducer in a kernel's text: its type syc_acc_<name>, and the functions that make, combine, join and
 * give it. */
#include "body/reduce.h"

#include <string.h>

/* As wide as the value where there is such a type: Oclgrind cannot do the padding that clang makes into integers. */
static const char *flag_for(size_t size)
{
    return size == 2 ? "ushort" : size % 8 == 0 ? "ulong" : size % 4 == 0 ? "uint" : "uchar";
}

static void add_types(syc__writer *w, const syc_name *name)
{
    const char *expression = strchr(name->reducer.operation, ' ') + 1;
    if (name->reducer.known)
        syc_text_add(&w->text, "typedef %s syc_acc_%s;\n#define syc_none_%s() syc_identity_%s\n", name->type,
                     name->name, name->name, name->name);
    else
        syc_text_add(&w->text, "typedef struct { %s value; %s some; } syc_acc_%s;\n", name->type, flag_for(name->size),
                     name->name);
    syc_text_add(&w->text, "static inline %s syc_op_%s(const %s a, const %s b) { ", name->type, name->name, name->type,
                 name->type);
    if (strchr(expression, 'T') != NULL) /* the type's name in an operator of the user's */
        syc_text_add(&w->text, "typedef %s T; ", name->type);
    syc_text_add(&w->text, "return ");
    syc_text_add_n(&w->text, expression, strlen(expression));
    syc_text_add(&w->text, "; }\n");
}

static void add_combine(syc__writer *w, const syc_name *name)
{
    if (name->reducer.array) {
        syc__write_array_combine(w, name);
        return;
    }
    syc_text_add(&w->text, "static inline void syc_combine_%s(__private syc_acc_%s *to, const %s x) { ", name->name,
                 name->name, name->reducer.boolean ? "bool" : name->type);
    if (name->reducer.known)
        syc_text_add(&w->text, "*to = syc_op_%s(*to, x); }\n", name->name);
    else
        syc_text_add(&w->text,
                     "if (to->some) to->value = syc_op_%s(to->value, x); else to->value = x; to->some = 1; }\n",
                     name->name);
}

static void add_join(syc__writer *w, const syc_name *name)
{
    const char *n = name->name;
    syc_text_add(&w->text, "static inline syc_acc_%s syc_join_%s(syc_acc_%s a, const syc_acc_%s b) { ", n, n, n, n);
    if (name->reducer.known)
        syc_text_add(&w->text, "return syc_op_%s(a, b); }\n", n);
    else
        syc_text_add(
            &w->text,
            "if (!b.some) return a; if (!a.some) return b; a.value = syc_op_%s(a.value, b.value); return a; }\n", n);
    if (!name->reducer.known) /* no value, which is copied all the same */
        syc_text_add(&w->text,
                     "static inline syc_acc_%s syc_none_%s(void) { const syc_acc_%s none = {0}; return none; }\n", n, n,
                     n);
}

/* -- what becomes of the variable at the end -- */

static void add_give(syc__writer *w, const syc_name *name)
{
    const char *n = name->name, *value = name->reducer.known ? "x" : "x.value";
    syc__write_give_head(w, name);
    if (!name->reducer.known)
        syc_text_add(&w->text, "if (!x.some) return; ");
    if (name->reducer.finish != NULL || name->reducer.result != NULL) {
        syc_text_add(&w->text, "const %s r = %s; ", name->type, value);
        syc__write_give_end(w, name);
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
    if (name->reducer.known)
        syc_text_add(&w->text, "if (fresh) *to = x; else *to = syc_op_%s(*to, x); }\n", n);
    else
        syc_text_add(&w->text,
                     "if (!x.some) { if (fresh) *to = none; } else if (fresh) *to = x.value; else *to = "
                     "syc_op_%s(*to, x.value); }\n",
                     n);
    syc_text_add(&w->text, "#define syc_give_%s(to, x) syc_give_late_%s(to, x, syc_fresh_%s != 0, syc_identity_%s)\n",
                 n, n, n, n);
}

void syc__write_reducer_value(syc__writer *w, const syc_name *name)
{
    if (name->reducer.accuracy != SYC_ACCURACY_FAST) {
        syc__write_accurate_value(w, name);
    } else {
        add_types(w, name);
        add_combine(w, name);
        add_join(w, name);
        if (name->reducer.late)
            add_late_give(w, name);
        else
            add_give(w, name);
    }
    if (name->reducer.array)
        syc__write_array_fold(w, name);
    syc__write_variables(w, name);
}

syc_status syc__check_reducers(const syc_body_source *source)
{
    syc_status status = SYC_OK;
    const syc_name *first = NULL;
    unsigned arrays = 0;
    for (size_t i = 0; i < source->count; i++) {
        const syc_reducer *reducer = &source->names[i].reducer;
        const char *n = source->names[i].name;
        bool apart = reducer->reduced != 0 || reducer->finish != NULL || reducer->result != NULL;
        if (!syc__is_reducer(&source->names[i]))
            continue;
        arrays += reducer->array;
        SYC_CHECK(arrays <= SYC_SPANS_MOST, SYC_E_INVALID_PARAMETER,
                  "body: '%s' is one array of variables more than the %d that a kernel can have", n, SYC_SPANS_MOST);
        SYC_CHECK(!apart || (reducer->fresh && !reducer->array), SYC_E_INVALID_PARAMETER,
                  "body: '%s' is finished, or of some dimensions, so it can have no old values and no array", n);
        SYC_CHECK(first == NULL || first->reducer.reduced == reducer->reduced, SYC_E_INVALID_PARAMETER,
                  "body: the reductions '%s' and '%s' are of other dimensions", first->name, n);
        first = &source->names[i];
        SYC_TRY(syc__check_accuracy(source, &source->names[i]));
    }
done:
    return status;
}
