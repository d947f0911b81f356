/* Reducers that are arrays: what stands before the text, and what becomes of the copies behind it. In the ways with
 * copies those of a group's items become one, and those of the groups the variables: by the group that comes last, or,
 * where there is much to do, by work-items that wait for the others (`folds`). */
#include "body/reduce.h"

static bool is_group_form(const syc__writer *w)
{
    return w->form.shape != SYC_SHAPE_LANES;
}

static unsigned number_of(const syc__writer *w, const syc_name *name)
{
    unsigned number = 0;
    for (const syc_name *other = w->body->source.names; other < name; other++)
        number += syc__is_array(other);
    return number;
}

syc_span_way syc__span_way(const syc__writer *w, const syc_name *name)
{
    return syc_form_span(&w->form, number_of(w, name));
}

static bool has_copies(const syc__writer *w, const syc_name *name)
{
    syc_span_way way = syc__span_way(w, name);
    return way == SYC_SPAN_COPIES || way == SYC_SPAN_FOURFOLD;
}

/* Copies of a work-item. */
static int copies_of(const syc__writer *w, const syc_name *name)
{
    return syc__span_way(w, name) == SYC_SPAN_FOURFOLD ? 4 : 1;
}

bool syc__has_fourfold(const syc__writer *w)
{
    for (size_t i = 0; i < w->body->source.count; i++) {
        const syc_name *name = &w->body->source.names[i];
        if (syc__is_reducer(name) && name->reducer.array && copies_of(w, name) > 1)
            return true;
    }
    return false;
}

/* Its variables are filled with the identity while others may be about to combine with them. */
static bool is_filled_together(const syc__writer *w, const syc_name *name)
{
    return (name->reducer.fresh || name->reducer.late) && !has_copies(w, name) &&
           syc__span_way(w, name) != SYC_SPAN_ALONE;
}

static void for_each(syc__writer *w, void (*write)(syc__writer *w, const syc_name *name))
{
    for (size_t i = 0; i < w->body->source.count; i++) {
        const syc_name *name = &w->body->source.names[i];
        if (syc__is_reducer(name) && name->reducer.array)
            write(w, name);
    }
}

/* -- before the text -- */

static void add_copies(syc__writer *w, const syc_name *name)
{
    const char *n = name->name;
    syc_text_add(&w->text,
                 "    __global syc_acc_%s *const syc_copy_%s = (__global syc_acc_%s *)(syc_partials + syc_place_%s + "
                 "%s * syc_step_%s);\n"
                 "    for (ulong k = 0; k < %d * syc_length_%s; k++)\n"
                 "        syc_copy_%s[k] = syc_none_%s();\n",
                 n, n, n, n, is_group_form(w) ? "(syc_group * syc_items + syc_own)" : "syc_group", n,
                 copies_of(w, name), n, n, n);
}

/* Copies begin in different banks of the memory. */
static void add_room(syc__writer *w, const syc_name *name)
{
    const char *n = name->name;
    syc_text_add(&w->text,
                 "    for (ulong k = syc_own; k < syc_step_%s * (syc_length_%s | 1); k += syc_items)\n"
                 "        syc_room_%s[k] = syc_identity_%s;\n"
                 "    __local %s *const syc_copy_%s = syc_room_%s + syc_own %% syc_step_%s * (syc_length_%s | 1);\n",
                 n, n, n, n, name->type, n, n, n, n);
}

/* Whoever comes takes a part, as long as there are any, and waits for those that others have taken: nobody waits for a
 * group that has not begun. */
static void add_filling(syc__writer *w, const syc_name *name)
{
    const char *n = name->name;
    unsigned words = SYC_PARTIALS_FILLS + 2 * number_of(w, name), part = is_group_form(w) ? 64 : 1024;
    if (name->reducer.late) /* the launch says whether they are */
        syc_text_add(&w->text, "    if (syc_fresh_%s != 0) {\n", n);
    syc_text_add(&w->text,
                 "    const uint syc_parts_%s = (syc_length_%s + %u) / %u;\n"
                 "    for (uint syc_part; (syc_part = syc_reduction_next((volatile __global uint *)syc_partials + %u, "
                 "syc_parts_%s)) < syc_parts_%s;) {\n"
                 "        for (ulong k = (ulong)syc_part * %u; k < syc_length_%s && k < ((ulong)syc_part + 1) * %u; "
                 "k++)\n"
                 "            syc_out_%s[k] = syc_identity_%s;\n"
                 "        syc_reduction_arrive((volatile __global uint *)syc_partials + %u);\n"
                 "    }\n"
                 "    %ssyc_reduction_wait((volatile __global uint *)syc_partials + %u, syc_parts_%s);\n",
                 n, n, part - 1, part, words, n, n, part, n, part, n, n, words + 1,
                 is_group_form(w) ? "if (syc_own == 0)\n        " : "", words + 1, n);
    if (name->reducer.late)
        syc_text_add(&w->text, "    }\n");
}

static void add_beginning(syc__writer *w, const syc_name *name)
{
    const char *n = name->name;
    if (has_copies(w, name))
        add_copies(w, name);
    if (syc__span_way(w, name) == SYC_SPAN_LOCAL)
        add_room(w, name);
    if (syc__span_way(w, name) == SYC_SPAN_ALONE && name->reducer.fresh)
        syc_text_add(&w->text,
                     "    for (ulong k = 0; k < syc_length_%s; k++)\n        syc_out_%s[k] = syc_identity_%s;\n", n, n,
                     n);
    if (is_filled_together(w, name))
        add_filling(w, name);
}

static void add_fold(syc__writer *w, const syc_name *name)
{
    const char *n = name->name;
    if (has_copies(w, name))
        syc_text_add(&w->text,
                     "        syc_fold_%s(syc_partials + syc_place_%s, syc_step_%s, syc_groups, syc_length_%s, "
                     "syc_length_%s * syc_turn / syc_groups, syc_length_%s * (syc_turn + 1) / syc_groups, "
                     "syc_out_%s);\n",
                     n, n, n, n, n, n, n);
}

void syc__write_array_folders(syc__writer *w)
{
    if (!w->form.folds)
        return;
    syc_text_add(&w->text,
                 "    volatile __global uint *const syc_head = (volatile __global uint *)syc_partials;\n"
                 "    const uint syc_groups = get_num_groups(0) / 2;\n"
                 "    const ulong syc_group = SYC_REDUCTION_ADD(syc_head + %d);\n"
                 "    if (syc_group >= syc_groups) {\n"
                 "        const ulong syc_turn = syc_group - syc_groups;\n"
                 "        syc_reduction_wait(syc_head + %d, syc_groups);\n",
                 SYC_PARTIALS_TICKETS, SYC_PARTIALS_LEFT);
    for_each(w, add_fold);
    syc_text_add(&w->text,
                 "        if (syc_reduction_arrive(syc_head + %d) == syc_groups)\n"
                 "            for (uint syc_word = %d; syc_word <= %d; syc_word++)\n"
                 "                SYC_REDUCTION_CLEAR(syc_head + syc_word);\n"
                 "        return;\n"
                 "    }\n",
                 SYC_PARTIALS_FOLDED, SYC_PARTIALS_TICKETS, SYC_PARTIALS_FOLDED);
}

void syc__write_array_beginnings(syc__writer *w)
{
    bool meets = false;
    for_each(w, add_beginning);
    for (size_t i = 0; i < w->body->source.count; i++) {
        const syc_name *name = &w->body->source.names[i];
        meets = meets || (syc__is_reducer(name) && name->reducer.array &&
                          (syc__span_way(w, name) == SYC_SPAN_LOCAL || is_filled_together(w, name)));
    }
    if (meets && is_group_form(w))
        syc_text_add(&w->text, "    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);\n");
}

/* -- behind the text -- */

/* All copies of a range of the variables, in the order of the work-items: blocks of them stay in the cache. */
void syc__write_array_fold(syc__writer *w, const syc_name *name)
{
    const char *n = name->name;
    if (!has_copies(w, name) || is_group_form(w))
        return;
    syc_text_add(
        &w->text,
        "static inline void syc_fold_%s(__global uchar *from, const ulong step, const uint items, const ulong length, "
        "const ulong begin, const ulong end, __global %s *out)\n"
        "{\n"
        "    __global syc_acc_%s *const first = (__global syc_acc_%s *)from;\n"
        "    for (ulong at = begin; at < end; at += 1024) {\n"
        "        const ulong to = end - at < 1024 ? end : at + 1024;\n"
        "        for (ulong copy = 1; copy < items * %dul; copy++) {\n"
        "            __global const syc_acc_%s *const next = (__global const syc_acc_%s *)(from + copy / %d * step) + "
        "copy %% %d * length;\n"
        "            for (ulong k = at; k < to; k++)\n"
        "                first[k] = syc_join_%s(first[k], next[k]);\n"
        "        }\n"
        "        for (ulong k = at; k < to; k++)\n"
        "            syc_give_%s(out + k, first[k]);\n"
        "    }\n"
        "}\n",
        n, name->type, n, n, copies_of(w, name), n, n, copies_of(w, name), copies_of(w, name), n, n);
}

/* The copies of a group's items, into the first of them. */
static void fold_items(syc__writer *w, const char *n)
{
    syc_text_add(&w->text,
                 "    for (ulong k = syc_own; k < syc_length_%s; k += syc_items) {\n"
                 "        __global uchar *const syc_first = syc_partials + syc_place_%s + syc_group * syc_items * "
                 "syc_step_%s;\n"
                 "        syc_acc_%s syc_one = ((__global syc_acc_%s *)syc_first)[k];\n"
                 "        for (uint syc_item = 1; syc_item < syc_items; syc_item++)\n"
                 "            syc_one = syc_join_%s(syc_one, ((__global syc_acc_%s *)(syc_first + syc_item * "
                 "syc_step_%s))[k]);\n"
                 "        ((__global syc_acc_%s *)syc_first)[k] = syc_one;\n"
                 "    }\n",
                 n, n, n, n, n, n, n, n, n);
}

/* The copies of a group, into the variables: not what nothing was combined with. */
static void push_room(syc__writer *w, const char *n)
{
    syc_text_add(&w->text,
                 "    for (ulong k = syc_own; k < syc_length_%s; k += syc_items) {\n"
                 "        syc_acc_%s syc_one = syc_room_%s[k];\n"
                 "        for (ulong syc_copy = 1; syc_copy < syc_step_%s; syc_copy++)\n"
                 "            syc_one = syc_join_%s(syc_one, syc_room_%s[syc_copy * (syc_length_%s | 1) + k]);\n"
                 "        if (!syc_same_%s(syc_one, syc_identity_%s))\n"
                 "            syc_push_%s(syc_out_%s + k, syc_one);\n"
                 "    }\n",
                 n, n, n, n, n, n, n, n, n, n, n);
}

static void fold(syc__writer *w, const syc_name *name)
{
    if (has_copies(w, name))
        fold_items(w, name->name);
    else if (syc__span_way(w, name) == SYC_SPAN_LOCAL)
        push_room(w, name->name);
}

void syc__fold_arrays(syc__writer *w)
{
    for_each(w, fold);
}

static void give_groups(syc__writer *w, const char *n)
{
    syc_text_add(&w->text,
                 "    for (ulong k = syc_own; syc_last && k < syc_length_%s; k += syc_items) {\n"
                 "        syc_acc_%s syc_one = syc_none_%s();\n"
                 "        for (uint syc_from = 0; syc_from < syc_groups; syc_from++)\n"
                 "            syc_one = syc_join_%s(syc_one, *((volatile __global syc_acc_%s *)(syc_partials + "
                 "syc_place_%s + (ulong)syc_from * syc_items * syc_step_%s) + k));\n"
                 "        syc_give_%s(syc_out_%s + k, syc_one);\n"
                 "    }\n",
                 n, n, n, n, n, n, n, n, n);
}

static void give(syc__writer *w, const syc_name *name)
{
    const char *n = name->name;
    unsigned words = SYC_PARTIALS_FILLS + 2 * number_of(w, name);
    if (has_copies(w, name) && is_group_form(w))
        give_groups(w, n);
    else if (has_copies(w, name) && !w->form.folds)
        syc_text_add(&w->text,
                     "    if (syc_last)\n"
                     "        syc_fold_%s(syc_partials + syc_place_%s, syc_step_%s, syc_groups, syc_length_%s, 0, "
                     "syc_length_%s, syc_out_%s);\n",
                     n, n, n, n, n, n);
    if (is_filled_together(w, name))
        syc_text_add(&w->text,
                     "    if (syc_last%s) {\n"
                     "        SYC_REDUCTION_CLEAR((volatile __global uint *)syc_partials + %u);\n"
                     "        SYC_REDUCTION_CLEAR((volatile __global uint *)syc_partials + %u);\n"
                     "    }\n",
                     is_group_form(w) ? " && syc_own == 0" : "", words, words + 1);
}

void syc__give_arrays(syc__writer *w)
{
    for_each(w, give);
    if (w->form.folds)
        syc_text_add(&w->text, "    syc_reduction_arrive(syc_head + %d);\n", SYC_PARTIALS_LEFT);
}
