/* The end of a kernel with reducers: what the work-items have becomes a partial result of each group, and what those
 * are becomes the variables' values, by the group that comes last. */
#include "body/reduce.h"

/* Items of a group that combine what the others have; and those of a warp. */
enum { FOLDERS = 16, WARP = 32 };

static bool has_groups(const syc__writer *w)
{
    return w->form.shape != SYC_SHAPE_LANES;
}

static void for_each(syc__writer *w, void (*write)(syc__writer *w, const char *name))
{
    for (size_t i = 0; i < w->body->source.count; i++) {
        const syc_name *name = &w->body->source.names[i];
        if (syc__is_reducer(name) && !name->reducer.array)
            write(w, name->name);
    }
}

static void fold_arrays(syc__writer *w)
{
    for (size_t i = 0; i < w->body->source.count; i++) {
        const syc_name *name = &w->body->source.names[i];
        if (syc__is_reducer(name) && name->reducer.array)
            syc__fold_array_copies(w, name);
    }
}

static void add(syc__writer *w, const char *text)
{
    syc_text_add(&w->text, "%s", text);
}

/* -- within a work-item -- */

/* Halves in pairs: the error of a sum grows with the logarithm of the lanes. */
static void fold_lanes(syc__writer *w, const char *n)
{
    syc_text_add(
        &w->text,
        "    for (uint syc_half = sizeof syc_sum_%s / sizeof *syc_sum_%s / 2; syc_half > 0; syc_half /= 2)\n"
        "        for (uint syc_lane = 0; syc_lane < syc_half; syc_lane++)\n"
        "            syc_sum_%s[syc_lane] = syc_join_%s(syc_sum_%s[syc_lane], syc_sum_%s[syc_lane + syc_half]);\n",
        n, n, n, n, n, n);
}

/* -- within a group -- */

/* Everything happens in local memory in steps that all reducers take together, since a step ends with a barrier: PoCL's
 * compiler copies what follows a barrier for each way to get there, so there are few, and none in a loop or condition.
 */

/* syc_all_<name>: local memory for a value of each item. */
static void name_shared(syc__writer *w, const char *n)
{
    syc_text_add(&w->text,
                 "    __local syc_acc_%s *const syc_all_%s = (__local syc_acc_%s *)syc_room;\n"
                 "    syc_room += (syc_items * sizeof(syc_acc_%s) + 127) / 128 * 128;\n",
                 n, n, n, n);
}

static void put_own(syc__writer *w, const char *n)
{
    syc_text_add(&w->text, "    syc_all_%s[syc_own] = syc_sum_%s;\n", n, n);
}

static void fold_some(syc__writer *w, const char *n)
{
    syc_text_add(&w->text,
                 "    for (uint syc_from = syc_own + %d; syc_own < %d && syc_from < syc_items; syc_from += %d)\n"
                 "        syc_all_%s[syc_own] = syc_join_%s(syc_all_%s[syc_own], syc_all_%s[syc_from]);\n",
                 FOLDERS, FOLDERS, FOLDERS, n, n, n, n);
}

/* By one item. */
static void fold_rest(syc__writer *w, const char *n)
{
    syc_text_add(&w->text,
                 "        syc_sum_%s = syc_all_%s[0];\n"
                 "        for (uint syc_from = 1; syc_from < %d && syc_from < syc_items; syc_from++)\n"
                 "            syc_sum_%s = syc_join_%s(syc_sum_%s, syc_all_%s[syc_from]);\n",
                 n, n, FOLDERS, n, n, n, n);
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

/* -- all of it -- */

static const char meet[] = "    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);\n";
static const char is_last[] = "syc_reduction_is_last((volatile __global uint *)syc_partials, syc_groups);\n";

/* One item a group: no barriers. */
static void end_alone(syc__writer *w)
{
    for_each(w, fold_lanes);
    for_each(w, leave_partial);
    add(w, "    const bool syc_last = ");
    add(w, is_last);
    for_each(w, take_partials);
    add(w, "    if (syc_last) {\n");
    for_each(w, give);
    add(w, "    }\n");
}

/* -- the same with warps, which combine what their items have without local memory -- */

static void fold_warp(syc__writer *w, const char *n)
{
    syc_text_add(&w->text,
                 "#pragma unroll\n"
                 "    for (uint syc_far = %d; syc_far > 0; syc_far /= 2)\n"
                 "        syc_sum_%s = syc_join_%s(syc_sum_%s, syc_reduction_of_lane(syc_sum_%s, syc_far));\n",
                 WARP / 2, n, n, n, n);
}

static void put_warp(syc__writer *w, const char *n)
{
    syc_text_add(&w->text,
                 "    if (syc_own %% %d == 0)\n"
                 "        syc_all_%s[syc_own / %d] = syc_sum_%s;\n",
                 WARP, n, WARP, n);
}

/* Every warp does this, for the same result, so that nobody has to be told. */
static void fold_warps(syc__writer *w, const char *n)
{
    syc_text_add(&w->text,
                 "    syc_sum_%s = syc_none_%s();\n"
                 "    if (syc_own %% %d < syc_items / %d)\n"
                 "        syc_sum_%s = syc_all_%s[syc_own %% %d];\n",
                 n, n, WARP, WARP, n, n, WARP);
    fold_warp(w, n);
}

/* Of scalars only. The groups that are not the last end early, which is for devices of real threads. */
static void end_warps(syc__writer *w)
{
    for_each(w, fold_warp);
    for_each(w, put_warp);
    add(w, meet);
    for_each(w, fold_warps);
    add(w, "    if (syc_own == 0) {\n");
    for_each(w, leave_partial);
    add(w, "        *(__local uint *)syc_shared = ");
    add(w, is_last);
    add(w, "    }\n");
    add(w, meet);
    add(w, "    const bool syc_last = *(__local uint *)syc_shared != 0;\n"
           "    if (!syc_last)\n"
           "        return;\n");
    for_each(w, take_partials);
    for_each(w, fold_warp);
    for_each(w, put_warp);
    add(w, meet);
    for_each(w, fold_warps);
    add(w, "    if (syc_own == 0) {\n");
    for_each(w, give);
    add(w, "    }\n");
}

static void end_group(syc__writer *w)
{
    for_each(w, put_own);
    add(w, meet);
    for_each(w, fold_some);
    fold_arrays(w);
    add(w, meet);
    add(w, "    if (syc_own == 0) {\n");
    for_each(w, fold_rest);
    for_each(w, leave_partial);
    add(w, "        *(__local uint *)syc_shared = ");
    add(w, is_last);
    add(w, "    }\n");
    add(w, meet);
    add(w, "    const bool syc_last = *(__local uint *)syc_shared != 0;\n");
    for_each(w, take_partials);
    for_each(w, put_own);
    add(w, meet);
    for_each(w, fold_some);
    add(w, meet);
    add(w, "    if (syc_own == 0 && syc_last) {\n");
    for_each(w, fold_rest);
    for_each(w, give);
    add(w, "    }\n");
}

void syc__write_reducer_ending(syc__writer *w)
{
    if (!has_groups(w)) {
        end_alone(w);
    } else {
        add(w, "    __local uchar *syc_room = (__local uchar *)syc_shared + 128;\n");
        for_each(w, name_shared);
        if (w->form.warps)
            end_warps(w);
        else
            end_group(w);
    }
    syc__give_arrays(w);
}
