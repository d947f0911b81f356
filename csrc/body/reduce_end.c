/* The end of a kernel with reducers: what the work-items have becomes a partial result of each group, and what those
 * are becomes the variables' values, by the group that comes last. */
#include "body/reduce.h"

#include <stdio.h>

static bool has_groups(const syc__writer *w)
{
    return w->form.shape != SYC_SHAPE_LANES;
}

/* -- within a group -- */

/* Everything happens in local memory in steps that all reducers take together, since a step ends with a barrier: PoCL's
 * compiler copies what follows a barrier for each way to get there, so there are few, and none in a loop or condition.
 */

static void fold_some(syc__writer *w, const char *n)
{
    syc_text_add(&w->text,
                 "    for (uint syc_from = syc_own + %d; syc_own < %d && syc_from < syc_items; syc_from += %d)\n"
                 "        syc_all_%s[syc_own] = syc_join_%s(syc_all_%s[syc_own], syc_all_%s[syc_from]);\n",
                 SYC__FOLDERS, SYC__FOLDERS, SYC__FOLDERS, n, n, n, n);
}

/* By one item. */
static void fold_rest(syc__writer *w, const char *n)
{
    syc_text_add(&w->text,
                 "        syc_sum_%s = syc_all_%s[0];\n"
                 "        for (uint syc_from = 1; syc_from < %d && syc_from < syc_items; syc_from++)\n"
                 "            syc_sum_%s = syc_join_%s(syc_sum_%s, syc_all_%s[syc_from]);\n",
                 n, n, SYC__FOLDERS, n, n, n, n);
}

/* -- between groups -- */

static void leave_partial(syc__writer *w, const char *n)
{
    syc_text_add(
        &w->text,
        "        *(__global syc_acc_%s *)(syc_partials + syc_place_%s + syc_group * syc_step_%s) = syc_sum_%s%s;\n", n,
        n, n, n, has_groups(w) ? "" : "[0]");
}

static void take_partials(syc__writer *w, const char *n)
{
    const char *lane = has_groups(w) ? "" : "[0]";
    syc_text_add(&w->text,
                 "    syc_sum_%s%s = syc_none_%s();\n"
                 "    for (uint syc_from = syc_own; syc_last && syc_from < syc_groups; syc_from += syc_items)\n"
                 "        syc_sum_%s%s = syc_join_%s(syc_sum_%s%s, *(volatile __global syc_acc_%s *)(syc_partials + "
                 "syc_place_%s + syc_from * syc_step_%s));\n",
                 n, lane, n, n, lane, n, n, lane, n, n, n);
}

static void give(syc__writer *w, const char *n)
{
    syc_text_add(&w->text, "        syc_give_%s(syc_out_%s, syc_sum_%s%s);\n", n, n, n, has_groups(w) ? "" : "[0]");
}

static void give_all(syc__writer *w)
{
    syc__write_variables_filled(w);
    syc__for_each_sum(w, give);
}

/* -- all of it -- */

static const char is_last[] = "syc_reduction_is_last((volatile __global uint *)syc_partials, syc_groups)";

/* One item a group: no barriers. */
static void end_alone(syc__writer *w)
{
    syc__for_each_sum(w, syc__fold_lanes);
    syc__for_each_sum(w, leave_partial);
    syc__add(w, "    const bool syc_last = ");
    syc__add(w, is_last);
    syc__add(w, ";\n");
    syc__for_each_sum(w, take_partials);
    syc__add(w, "    if (syc_last) {\n");
    give_all(w);
    syc__add(w, "    }\n");
}

/* -- the same with warps, which combine what their items have without local memory -- */

static void fold_warp(syc__writer *w, const char *n)
{
    syc_text_add(&w->text,
                 "#pragma unroll\n"
                 "    for (uint syc_far = %d; syc_far > 0; syc_far /= 2)\n"
                 "        syc_sum_%s = syc_join_%s(syc_sum_%s, syc_reduction_of_lane(syc_sum_%s, syc_far));\n",
                 SYC__WARP / 2, n, n, n, n);
}

static void put_warp(syc__writer *w, const char *n)
{
    syc_text_add(&w->text,
                 "    if (syc_own %% %d == 0)\n"
                 "        syc_all_%s[syc_own / %d] = syc_sum_%s;\n",
                 SYC__WARP, n, SYC__WARP, n);
}

/* Every warp does this, for the same result, so that nobody has to be told. */
static void fold_warps(syc__writer *w, const char *n)
{
    syc_text_add(&w->text,
                 "    syc_sum_%s = syc_none_%s();\n"
                 "    if (syc_own %% %d < syc_items / %d)\n"
                 "        syc_sum_%s = syc_all_%s[syc_own %% %d];\n",
                 n, n, SYC__WARP, SYC__WARP, n, n, SYC__WARP);
    fold_warp(w, n);
}

/* Of scalars only. The groups that are not the last end early, which is for devices of real threads. */
static void end_warps(syc__writer *w)
{
    syc__for_each_sum(w, fold_warp);
    syc__for_each_sum(w, put_warp);
    syc__add_barrier(w);
    syc__for_each_sum(w, fold_warps);
    syc__add(w, "    if (syc_own == 0 && syc_groups == 1) {\n");
    give_all(w);
    syc__add(w, "    }\n"
                "    if (syc_groups == 1)\n"
                "        return;\n"
                "    if (syc_own == 0) {\n");
    syc__for_each_sum(w, leave_partial);
    syc__add(w, "        *(__local uint *)syc_shared = ");
    syc__add(w, is_last);
    syc__add(w, ";\n    }\n");
    syc__add_barrier(w);
    syc__add(w, "    const bool syc_last = *(__local uint *)syc_shared != 0;\n"
                "    if (!syc_last)\n"
                "        return;\n");
    syc__for_each_sum(w, take_partials);
    syc__for_each_sum(w, fold_warp);
    syc__for_each_sum(w, put_warp);
    syc__add_barrier(w);
    syc__for_each_sum(w, fold_warps);
    syc__add(w, "    if (syc_own == 0) {\n");
    give_all(w);
    syc__add(w, "    }\n");
}

/* -- the same by the first item of a group, and of the last one: for devices that run a group's items one after the
 * other, and for which each stretch between two barriers is a loop over all of them -- */

/* Several values at a time: vectors, and the error of a sum as small as with as many items. `from` is an expression for
 * what stands at the place syc_from + syc_few, of `count`. */
static void fold_few(syc__writer *w, const char *n, const char *space, const char *from, const char *count)
{
    syc_text_add(&w->text,
                 "        {\n"
                 "            %s const syc_acc_%s *const syc_values = %s;\n"
                 "            syc_acc_%s syc_few[%d];\n"
                 "            uint syc_from = 0;\n"
                 "            for (uint syc_k = 0; syc_k < %d; syc_k++)\n"
                 "                syc_few[syc_k] = syc_none_%s();\n",
                 space, n, from, n, SYC__FOLDERS, SYC__FOLDERS, n);
    syc_text_add(&w->text,
                 "            for (; syc_from + %d <= %s; syc_from += %d)\n"
                 "                for (uint syc_k = 0; syc_k < %d; syc_k++)\n"
                 "                    syc_few[syc_k] = syc_join_%s(syc_few[syc_k], syc_values[syc_from + syc_k]);\n"
                 "            for (uint syc_k = 0; syc_from + syc_k < %s; syc_k++)\n"
                 "                syc_few[syc_k] = syc_join_%s(syc_few[syc_k], syc_values[syc_from + syc_k]);\n",
                 SYC__FOLDERS, count, SYC__FOLDERS, SYC__FOLDERS, n, count, n);
    syc_text_add(&w->text,
                 "            for (uint syc_half = %d; syc_half > 0; syc_half /= 2)\n"
                 "                for (uint syc_k = 0; syc_k < syc_half; syc_k++)\n"
                 "                    syc_few[syc_k] = syc_join_%s(syc_few[syc_k], syc_few[syc_k + syc_half]);\n"
                 "            syc_sum_%s = syc_few[0];\n"
                 "        }\n",
                 SYC__FOLDERS / 2, n, n);
}

static void fold_led(syc__writer *w, const char *n)
{
    char from[300];
    (void)snprintf(from, sizeof from, "syc_all_%.200s", n);
    fold_few(w, n, "__local", from, "syc_items");
}

static void take_led(syc__writer *w, const char *n)
{
    char from[700];
    (void)snprintf(from, sizeof from, "(__global const syc_acc_%.200s *)(syc_partials + syc_place_%.200s)", n, n);
    fold_few(w, n, "__global", from, "syc_groups");
}

/* Of scalars only. */
static void end_led(syc__writer *w)
{
    syc__for_each_sum(w, syc__put_own);
    syc__add_barrier(w);
    syc__add(w, "    if (syc_own == 0) {\n");
    syc__for_each_sum(w, fold_led);
    syc__for_each_sum(w, leave_partial);
    syc__add(w, "        if (");
    syc__add(w, is_last);
    syc__add(w, ") {\n");
    syc__for_each_sum(w, take_led);
    give_all(w);
    syc__add(w, "        }\n    }\n");
}

static void end_group(syc__writer *w)
{
    syc__for_each_sum(w, syc__put_own);
    syc__add_barrier(w);
    syc__for_each_sum(w, fold_some);
    syc__fold_arrays(w);
    syc__add_barrier(w);
    syc__add(w, "    if (syc_own == 0) {\n");
    syc__for_each_sum(w, fold_rest);
    syc__for_each_sum(w, leave_partial);
    syc__add(w, "        *(__local uint *)syc_shared = ");
    syc__add(w, is_last);
    syc__add(w, ";\n    }\n");
    syc__add_barrier(w);
    syc__add(w, "    const bool syc_last = *(__local uint *)syc_shared != 0;\n");
    syc__for_each_sum(w, take_partials);
    syc__for_each_sum(w, syc__put_own);
    syc__add_barrier(w);
    syc__for_each_sum(w, fold_some);
    syc__add_barrier(w);
    syc__add(w, "    if (syc_own == 0 && syc_last) {\n");
    syc__for_each_sum(w, fold_rest);
    give_all(w);
    syc__add(w, "    }\n");
}

void syc__write_reducer_ending(syc__writer *w)
{
    if (!has_groups(w)) {
        end_alone(w);
    } else {
        syc__add(w, "    __local uchar *syc_room = (__local uchar *)syc_shared + 128;\n");
        syc__for_each_sum(w, syc__name_shared);
        if (w->form.warps)
            end_warps(w);
        else if (w->form.leads)
            end_led(w);
        else
            end_group(w);
    }
    syc__give_arrays(w);
}
