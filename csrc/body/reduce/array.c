/* Reducers that are arrays: what stands before the text, and what becomes of the copies behind it. In the ways with
 * copies those of a group's items become one, and those of the groups the variables: by the group that comes last, or,
 * where there is much to do, by work-items that wait for the others (`folds`). */
#include "body/reduce/reduce.h"

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
    const syc_span_way way = syc__span_way(w, name);
    return (name->reducer.fresh || name->reducer.late) && (way == SYC_SPAN_SHARED || way == SYC_SPAN_LOCAL);
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
    syc__add_step(w, "    SYC_ARRAY_COPY(%s, %s, %d)\n", name->name,
                  is_group_form(w) ? "(syc_group * syc_items + syc_own)" : "syc_group", copies_of(w, name));
}

/* The first of its two counters. */
static unsigned words_of(const syc__writer *w, const syc_name *name)
{
    return SYC_PARTIALS_FILLS + 2 * number_of(w, name);
}

/* Each item takes a part, as long as there are any, and waits for those that others have taken: nobody waits for a
 * group that has not begun. */
static void add_filling(syc__writer *w, const syc_name *name)
{
    const unsigned words = words_of(w, name);
    if (name->reducer.late) /* the launch says whether they are */
        syc__add_for(w, name->name, "    if (syc_fresh_$ != 0) {\n");
    syc__add_step(w, "    SYC_ARRAY_FILL(%s, %d, %u)\n", name->name, is_group_form(w) ? 64 : 1024, words);
    if (is_group_form(w))
        syc__add(w, "    if (syc_own == 0)\n    ");
    syc__add_step(w, "    SYC_ARRAY_AWAIT(%s, %u)\n", name->name, words);
    if (name->reducer.late)
        syc__add(w, "    }\n");
}

static void add_beginning(syc__writer *w, const syc_name *name)
{
    if (has_copies(w, name))
        add_copies(w, name);
    if (syc_span_is_local(syc__span_way(w, name)))
        syc__add_step(w, "    SYC_ARRAY_ROOM(%s, %s)\n", name->name, name->type);
    if (syc_span_has_table(syc__span_way(w, name)))
        syc__add_step(w, "    SYC_ARRAY_TABLE(%s, %s)\n", name->name, name->type);
    if (syc__span_way(w, name) == SYC_SPAN_ALONE && name->reducer.fresh)
        syc__add_for(w, name->name, "    SYC_ARRAY_ALONE($)\n");
    if (is_filled_together(w, name))
        add_filling(w, name);
}

static void add_fold(syc__writer *w, const syc_name *name)
{
    if (has_copies(w, name))
        syc__add_for(w, name->name,
                     "        SYC_ARRAY_FOLD($, syc_length_$ * syc_turn / syc_groups, syc_length_$ * (syc_turn + 1) / "
                     "syc_groups)\n");
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
                          (syc_span_is_local(syc__span_way(w, name)) || is_filled_together(w, name)));
    }
    if (meets && is_group_form(w))
        syc_text_add(&w->text, "    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);\n");
}

/* -- behind the text -- */

void syc__write_array_fold(syc__writer *w, const syc_name *name)
{
    if (has_copies(w, name) && !is_group_form(w))
        syc__add_step(w, "SYC_ARRAY_FOLD_FUNCTION(%s, %s, %d)\n", name->name,
                      name->reducer.result != NULL ? name->reducer.result : name->type, copies_of(w, name));
}

static void fold(syc__writer *w, const syc_name *name)
{
    if (has_copies(w, name))
        syc__add_for(w, name->name, "    SYC_ARRAY_FOLD_ITEMS($)\n");
    else if (syc_span_is_local(syc__span_way(w, name)))
        syc__add_step(w, "    SYC_ARRAY_PUSH(%s, syc_%s)\n", name->name,
                      syc__span_way(w, name) == SYC_SPAN_LOCAL ? "out" : "table");
}

void syc__fold_arrays(syc__writer *w)
{
    for_each(w, fold);
}

static void give(syc__writer *w, const syc_name *name)
{
    if (has_copies(w, name) && is_group_form(w))
        syc__add_for(w, name->name, "    SYC_ARRAY_GIVE_GROUPS($)\n");
    else if (has_copies(w, name) && !w->form.folds)
        syc__add_for(w, name->name, "    if (syc_last)\n        SYC_ARRAY_FOLD($, 0, syc_length_$)\n");
    if (syc_span_has_table(syc__span_way(w, name)))
        syc__add_step(w, "    SYC_ARRAY_GIVE_TABLE(%s, %s)\n", name->name, name->type);
    if (is_filled_together(w, name))
        syc__add_step(w, "    if (syc_last%s) {\n        SYC_ARRAY_FORGET(%u)\n    }\n",
                      is_group_form(w) ? " && syc_own == 0" : "", words_of(w, name));
}

void syc__give_arrays(syc__writer *w)
{
    for_each(w, give);
    if (w->form.folds)
        syc_text_add(&w->text, "    syc_reduction_arrive(syc_head + %d);\n", SYC_PARTIALS_LEFT);
}
