/* Prefixes in vectors (TILES that pack): of scanners of numbers whose operator is the core's own. Where segments may
 * begin, a mask goes with each vector: which of its elements begin one, and then which have one begun at them or before
 * them, so that nothing is to be combined in front of them. What contributions are is in syc_sum_<name>, and which
 * begin segments in syc_head_<name>. The rest is kernels/forms/scan_tiles.clh. */
#include "body/scan/scan.h"

#include <string.h>

enum { NEAR_BYTES = 16 };

bool syc__scan_has_heads(const syc__writer *w, const syc_name *name)
{
    return syc__scan_has_vectors(w, name) && name->reducer.restarts;
}

/* -- functions -- */

/* In each step a lane gets what one before it has come to: within 16 bytes first, since moves across them are slower,
 * from the lane that is `step` before; then from the last lane of the half before its own. Those that get nothing have
 * lane 0 of the first of the two vectors, which changes nothing. */
static void add_lanes(syc__writer *w, const syc_name *name, unsigned step)
{
    const unsigned lanes = syc__scan_lanes(name), near = NEAR_BYTES / (unsigned)name->size;
    for (unsigned lane = 0; lane < lanes; lane++) {
        const bool gets = step < near ? lane % near >= step : (lane & step) != 0;
        const unsigned from = step < near ? lane - step : lane / step * step - 1;
        syc_text_add(&w->text, ", %u", gets ? lanes + from : 0);
    }
}

static void add_prefix(syc__writer *w, const syc_name *name)
{
    const bool heads = name->reducer.restarts;
    syc__add_scanner(w, name,
                     heads
                         ? "static inline void syc_prefix_$(__private syc_vec_$ *to, "
                           "__private syc_mask_$ *of, const syc_vec_$ z)\n{\n    syc_vec_$ v = *to;\n    syc_mask_$ m "
                           "= *of;\n    const syc_mask_$ no = (syc_mask_$)(0);\n"
                         : "static inline syc_vec_$ syc_prefix_$(syc_vec_$ v, const "
                           "syc_vec_$ z)\n{\n");
    for (unsigned step = 1; step < syc__scan_lanes(name); step *= 2) {
        syc_text_add(&w->text,
                     heads ? "    v = m ? v : syc_vop_%s(__builtin_shufflevector(z, v"
                           : "    v = syc_vop_%s(__builtin_shufflevector(z, v",
                     name->name);
        add_lanes(w, name, step);
        syc__add(w, "), v);\n");
        if (!heads)
            continue;
        syc__add(w, "    m |= __builtin_shufflevector(no, m");
        add_lanes(w, name, step);
        syc__add(w, ");\n");
    }
    syc__add(w, heads ? "    *to = v;\n    *of = m;\n}\n" : "    return v;\n}\n");
}

/* syc_vec_<name>, syc_vop_<name>: the operator on vectors, whose comparisons choose by component; and of whole numbers
 * that are added the zero as a constant, which makes moves that nothing is read for. */
void syc__write_vector_functions(syc__writer *w, const syc_name *name)
{
    static const char *const masks[] = {[1] = "char", [2] = "short", [4] = "int", [8] = "long"};
    const bool adds = strncmp(name->op.operation, "plus ", 5) == 0 && strcmp(name->type, "float") != 0 &&
                      strcmp(name->type, "double") != 0;
    syc__add_scanner(w, name,
                     "typedef @ syc_vec_$ __attribute__((ext_vector_type(~)));\n"
                     "static inline syc_vec_$ syc_vop_$(const syc_vec_$ a, const syc_vec_$ b) { return ");
    syc_text_add(&w->text, "%s; }\n", strchr(name->op.operation, ' ') + 1);
    syc_text_add(&w->text, "#define syc_zero_%s() ((syc_vec_%s)(", name->name, name->name);
    syc__add_scanner(w, name, adds ? "0))\n" : "syc_none_$()))\n");
    if (name->reducer.restarts) {
        syc_text_add(&w->text, "typedef %s syc_mask_%s ", masks[name->size], name->name);
        syc__add_scanner(w, name, "__attribute__((ext_vector_type(~)));\n");
    }
    add_prefix(w, name);
}

/* -- blocks -- */

void syc__write_vector_prefixes(syc__writer *w, const syc_name *name)
{
    if (name->reducer.restarts)
        syc__add_scanner(w, name, "            {\n                SYC_SCAN_SEGMENTS($, ~)\n            }\n");
    else
        syc__add_scanner(w, name,
                         "            {\n                SYC_SCAN_VECTORS($, ~)\n                SYC_SCAN_FOUR($, ~)\n"
                         "                SYC_SCAN_KEEP_FOUR($)\n            }\n");
}

void syc__write_vector_sum(syc__writer *w, const syc_name *name)
{
    syc__add(w, "            {\n");
    if (name->reducer.restarts)
        syc__add_scanner(w, name, "                SYC_SCAN_FIND_LAST($, ~)\n");
    syc__add_scanner(
        w, name,
        name->reducer.restarts
            ? "                SYC_SCAN_FOLD_VECTORS($, ~, syc_whole)\n                SYC_SCAN_FOLD_LAST($)\n"
            : "                SYC_SCAN_FOLD_VECTORS($, ~, 0)\n"
              "                syc_run_$ = syc_join_$(syc_run_$, syc_f[0]);\n");
    syc__add(w, "            }\n");
}
