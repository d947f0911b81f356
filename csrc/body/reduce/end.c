/* The end of a kernel with reducers: accumulators become a partial result of each group, and those the variables'
 * values, by the group that comes last. The steps are macros of kernels/device/reduction_end.clh; here is their order.
 */
#include "body/reduce/reduce.h"

static const char is_last[] = "syc_reduction_is_last((volatile __global uint *)syc_partials, syc_groups)";

static const char leave[] = "        SYC_REDUCTION_LEAVE($, syc_group, syc_sum_$)\n";
static const char take[] =
    "    SYC_REDUCTION_TAKE($, syc_sum_$, uint, syc_own, syc_last && syc_at < syc_groups, syc_items, syc_at)\n";

static void give_all(syc__writer *w)
{
    syc__write_variables_filled(w);
    syc__add_sums(w, "        syc_give_$(syc_out_$, syc_sum_$);\n");
}

/* One item a group: no barriers. */
static void end_alone(syc__writer *w)
{
    syc__for_each_sum(w, syc__fold_lanes);
    syc__add_sums(w, "    SYC_REDUCTION_LEAVE($, syc_group, syc_sum_$[0])\n");
    syc_text_add(&w->text, "    const bool syc_last = %s;\n", is_last);
    syc__add_sums(w,
                  "    SYC_REDUCTION_TAKE($, syc_sum_$[0], uint, syc_own, syc_last && syc_at < syc_groups, syc_items, "
                  "syc_at)\n");
    syc__add(w, "    if (syc_last) {\n");
    syc__write_variables_filled(w);
    syc__add_sums(w, "        syc_give_$(syc_out_$, syc_sum_$[0]);\n");
    syc__add(w, "    }\n");
}

/* All of the group hear whether it is the last. */
static void ask_last(syc__writer *w)
{
    syc_text_add(&w->text, "        *(__local uint *)syc_shared = %s;\n    }\n", is_last);
    syc__add_barrier(w);
    syc__add(w, "    const bool syc_last = *(__local uint *)syc_shared != 0;\n");
}

/* -- by warps, which combine the values of their items without local memory -- */

static void fold_warp(syc__writer *w, const char *n)
{
    syc__add(w, "#pragma unroll\n");
    syc__add_step(w, "    SYC_REDUCTION_FOLD_WARP(%s, %d, 1)\n", n, SYC__WARP / 2);
}

static void take_warps(syc__writer *w, const char *n)
{
    syc__add_for(w, n, "    SYC_REDUCTION_TAKE_WARPS($)\n");
    fold_warp(w, n);
}

static void fold_warps(syc__writer *w)
{
    syc__for_each_sum(w, fold_warp);
    syc__add_sums(w, "    SYC_REDUCTION_PUT_WARP($)\n");
    syc__add_barrier(w);
    syc__for_each_sum(w, take_warps);
}

/* Of scalars only. The groups that are not the last end early, which is for devices of real threads. */
static void end_warps(syc__writer *w)
{
    fold_warps(w);
    syc__add(w, "    if (syc_own == 0 && syc_groups == 1) {\n");
    give_all(w);
    syc__add(w, "    }\n"
                "    if (syc_groups == 1)\n"
                "        return;\n"
                "    if (syc_own == 0) {\n");
    syc__add_sums(w, leave);
    ask_last(w);
    syc__add(w, "    if (!syc_last)\n"
                "        return;\n");
    syc__add_sums(w, take);
    fold_warps(w);
    syc__add(w, "    if (syc_own == 0) {\n");
    give_all(w);
    syc__add(w, "    }\n");
}

/* -- by the first item of a group, and of the last one: for devices that run a group's items one after the other, and
 * for which each stretch between two barriers is a loop over all of them. Of scalars only. -- */

static void end_led(syc__writer *w)
{
    syc__put_own(w);
    syc__add_barrier(w);
    syc__add(w, "    if (syc_own == 0) {\n");
    syc__add_sums(w, "        SYC_REDUCTION_FOLD_FEW($, __local, syc_all_$, syc_items)\n");
    syc__add_sums(w, leave);
    syc_text_add(&w->text, "        if (%s) {\n", is_last);
    syc__add_sums(
        w, "        SYC_REDUCTION_FOLD_FEW($, __global, (__global const syc_acc_$ *)(syc_partials + syc_place_$), "
           "syc_groups)\n");
    give_all(w);
    syc__add(w, "        }\n    }\n");
}

/* -- by local memory, in steps that all reducers take together, since a step ends with a barrier: PoCL's compiler
 * copies the text behind a barrier for each way to get there, so there are few, and none in a loop or condition. -- */

static void fold_some(syc__writer *w)
{
    syc__put_own(w);
    syc__add_barrier(w);
    syc__add_sums(w, "    SYC_REDUCTION_FOLD_SOME($, syc_own, syc_items, syc_from)\n");
}

static void end_group(syc__writer *w)
{
    fold_some(w);
    syc__fold_arrays(w);
    syc__add_barrier(w);
    syc__add(w, "    if (syc_own == 0) {\n");
    syc__add_sums(w, "        SYC_REDUCTION_FOLD_REST($)\n");
    syc__add_sums(w, leave);
    ask_last(w);
    syc__add_sums(w, take);
    fold_some(w);
    syc__add_barrier(w);
    syc__add(w, "    if (syc_own == 0 && syc_last) {\n");
    syc__add_sums(w, "        SYC_REDUCTION_FOLD_REST($)\n");
    give_all(w);
    syc__add(w, "    }\n");
}

void syc__write_reducer_ending(syc__writer *w)
{
    if (w->form.shape == SYC_SHAPE_LANES) {
        end_alone(w);
    } else {
        syc__add(w, "    __local uchar *syc_room = (__local uchar *)syc_shared + 128;\n");
        syc__name_shared(w);
        if (w->form.warps)
            end_warps(w);
        else if (w->form.leads)
            end_led(w);
        else
            end_group(w);
    }
    syc__give_arrays(w);
}
