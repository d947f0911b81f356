/* What an operator combines in a kernel's text: the type syc_acc_<name>, and the functions that make, combine and join
 * accumulators. */
#include "body/operator/operator.h"

#include <string.h>

/* Oclgrind 21.10: it cannot do the padding of structs that clang makes into integers.
 * Seen by: reductions of structs, before flags were as wide as their values. */
const char *syc__flag_for(size_t size)
{
    return size == 2 ? "ushort" : size % 8 == 0 ? "ulong" : size % 4 == 0 ? "uint" : "uchar";
}

void syc__write_accumulator(syc__writer *w, const syc_name *name)
{
    const char *expression = strchr(name->op.operation, ' ') + 1;
    if (name->op.known)
        syc_text_add(&w->text, "typedef %s syc_acc_%s;\n#define syc_none_%s() syc_identity_%s\n", name->type,
                     name->name, name->name, name->name);
    else
        syc_text_add(&w->text, "typedef struct { %s value; %s some; } syc_acc_%s;\n", name->type,
                     syc__flag_for(name->size), name->name);
    syc_text_add(&w->text, "static inline %s syc_op_%s(const %s a, const %s b) { ", name->type, name->name, name->type,
                 name->type);
    if (strchr(expression, 'T') != NULL) /* the type's name in an operator of the user's */
        syc_text_add(&w->text, "typedef %s T; ", name->type);
    syc_text_add(&w->text, "return ");
    if (syc__operator_is_own(name)) {
        char room[SYC__OPERATOR_FILE];
        syc_text_add(&w->text, "\n");
        syc__write_quoted_expression(w, syc__operator_file(name, room), expression);
    } else {
        syc_text_add_n(&w->text, expression, strlen(expression));
        syc_text_add(&w->text, "; ");
    }
    syc_text_add(&w->text, "}\n");
}

void syc__write_combine(syc__writer *w, const syc_name *name)
{
    syc_text_add(&w->text, "static inline void syc_combine_%s(__private syc_acc_%s *to, const %s x) { ", name->name,
                 name->name, name->op.boolean ? "bool" : name->type);
    if (name->op.known)
        syc_text_add(&w->text, "*to = syc_op_%s(*to, x); }\n", name->name);
    else
        syc_text_add(&w->text,
                     "if (to->some) to->value = syc_op_%s(to->value, x); else to->value = x; to->some = 1; }\n",
                     name->name);
}

void syc__write_join(syc__writer *w, const syc_name *name)
{
    const char *n = name->name;
    syc_text_add(&w->text, "static inline syc_acc_%s syc_join_%s(syc_acc_%s a, const syc_acc_%s b) { ", n, n, n, n);
    if (name->op.known)
        syc_text_add(&w->text, "return syc_op_%s(a, b); }\n", n);
    else
        syc_text_add(
            &w->text,
            "if (!b.some) return a; if (!a.some) return b; a.value = syc_op_%s(a.value, b.value); return a; }\n", n);
    if (!name->op.known) /* no value, which is copied all the same */
        syc_text_add(&w->text,
                     "static inline syc_acc_%s syc_none_%s(void) { const syc_acc_%s none = {0}; return none; }\n", n, n,
                     n);
}
