/* What each reducer has in a kernel's text: its types, its functions, its accumulators. */
#include "body/reduce.h"

#include <string.h>

/* Calls `write` for each reducer of the body. */
static void for_each(syc__writer *w, void (*write)(syc__writer *w, const syc_name *name))
{
    for (size_t i = 0; i < w->body->source.count; i++)
        if (syc__is_reducer(&w->body->source.names[i]))
            write(w, &w->body->source.names[i]);
}

/* -- functions -- */

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
    const char *space = name->reducer.array ? "__global" : "__private";
    syc_text_add(&w->text, "static inline void syc_combine_%s(%s syc_acc_%s *to, const %s x) { ", name->name, space,
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
    if (!name->reducer.known)
        syc_text_add(&w->text,
                     "static inline syc_acc_%s syc_none_%s(void) { syc_acc_%s none; none.some = 0; return none; }\n", n,
                     n, n);
}

/* What the last group does with the variable. */
static void add_give(syc__writer *w, const syc_name *name)
{
    const char *n = name->name;
    syc_text_add(&w->text, "static inline void syc_give_%s(__global %s *to, const syc_acc_%s x) { ", n, name->type, n);
    if (!name->reducer.known)
        syc_text_add(&w->text, "if (x.some) *to = syc_op_%s(*to, x.value); }\n", n);
    else if (name->reducer.fresh)
        syc_text_add(&w->text, "*to = x; }\n");
    else
        syc_text_add(&w->text, "*to = syc_op_%s(*to, x); }\n", n);
}

static void add_functions(syc__writer *w, const syc_name *name)
{
    add_types(w, name);
    add_combine(w, name);
    add_join(w, name);
    add_give(w, name);
}

void syc__write_reducers(syc__writer *w)
{
    for_each(w, add_functions);
}

/* -- accumulators -- */

/* Linear ids among all work-items of the launch. */
static void add_item(syc__writer *w)
{
    syc_text_add(&w->text, w->form.shape == SYC_SHAPE_LANES ? "get_global_id(0)" : "(syc_group * syc_items + syc_own)");
}

static void add_array(syc__writer *w, const syc_name *name)
{
    const char *n = name->name;
    syc_text_add(&w->text,
                 "    __global syc_acc_%s *const syc_copy_%s = (__global syc_acc_%s *)(syc_partials + syc_place_%s + ",
                 n, n, n, n);
    add_item(w);
    syc_text_add(
        &w->text,
        " * syc_step_%s);\n    for (ulong k = 0; k < syc_length_%s; k++)\n        syc_copy_%s[k] = syc_none_%s();\n", n,
        n, n, n);
}

static void add_accumulator(syc__writer *w, const syc_name *name)
{
    const char *n = name->name;
    if (name->reducer.array) {
        add_array(w, name);
        return;
    }
    if (w->form.shape == SYC_SHAPE_LANES)
        syc_text_add(&w->text,
                     "    syc_acc_%s syc_sum_%s[%d];\n    for (uint syc_lane = 0; syc_lane < %d; syc_lane++)\n"
                     "        syc_sum_%s[syc_lane] = syc_none_%s();\n",
                     n, n, SYC__LANES, SYC__LANES, n, n);
    else
        syc_text_add(&w->text, "    syc_acc_%s syc_sum_%s = syc_none_%s();\n", n, n, n);
}

/* OpenCL C 1.2 has no words for linear ids. */
static void add_places(syc__writer *w)
{
    syc_text_add(
        &w->text,
        "    const uint syc_items = get_local_size(0) * get_local_size(1) * get_local_size(2);\n"
        "    const uint syc_own = (get_local_id(2) * get_local_size(1) + get_local_id(1)) * get_local_size(0) + "
        "get_local_id(0);\n"
        "    const uint syc_groups = get_num_groups(0) * get_num_groups(1) * get_num_groups(2);\n"
        "    const ulong syc_group = (get_group_id(2) * get_num_groups(1) + get_group_id(1)) * "
        "get_num_groups(0) + get_group_id(0);\n");
}

void syc__write_accumulators(syc__writer *w)
{
    add_places(w);
    for_each(w, add_accumulator);
}

/* -- in the text of an nd-range -- */

static void add_macro(syc__writer *w, const syc_name *name)
{
    syc_text_add(&w->text, name->reducer.array ? "#define syc_r_%s syc_copy_%s\n" : "#define syc_r_%s (&syc_sum_%s)\n",
                 name->name, name->name);
}

/* A `return` ends the work-item's part, but not that of the reducers. */
void syc__write_reducer_macros(syc__writer *w)
{
    for_each(w, add_macro);
    if (w->body->reading.traits.reduces && w->body->reading.traits.returns)
        syc_text_add(&w->text, "#define return goto syc_returned\n");
}

void syc__write_no_reducer_macros(syc__writer *w)
{
    if (w->body->reading.traits.reduces && w->body->reading.traits.returns)
        syc_text_add(&w->text, "#undef return\n    syc_returned:;\n");
}
