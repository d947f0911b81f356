/* Reducers that are arrays: a copy for each work-item, in global memory; each group combines those of its items, and
 * the last group the groups'. */
#include "body/reduce.h"

/* Linear ids among all work-items of the launch. */
static void add_item(syc__writer *w)
{
    syc_text_add(&w->text, w->form.shape == SYC_SHAPE_LANES ? "get_global_id(0)" : "(syc_group * syc_items + syc_own)");
}

void syc__write_array_copy(syc__writer *w, const char *n)
{
    syc_text_add(&w->text,
                 "    __global syc_acc_%s *const syc_copy_%s = (__global syc_acc_%s *)(syc_partials + syc_place_%s + ",
                 n, n, n, n);
    add_item(w);
    syc_text_add(
        &w->text,
        " * syc_step_%s);\n    for (ulong k = 0; k < syc_length_%s; k++)\n        syc_copy_%s[k] = syc_none_%s();\n", n,
        n, n, n);
}

/* The copies of a group's items, into the first of them. */
void syc__fold_array_copies(syc__writer *w, const char *n)
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

void syc__give_array(syc__writer *w, const char *n)
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
