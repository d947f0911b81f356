/* Lowering: which form a body takes on a device, and the launch that belongs to it. The choice is a table of measured
 * rows (lower.c); nothing else in the core asks what kind of device it has when it shapes a kernel. */
#ifndef SYC_ALGO_LOWER_LOWER_H
#define SYC_ALGO_LOWER_LOWER_H

#include "algo/plan.h"
#include "base/text.h"
#include "body/shape.h"
#include "cl/device.h"

typedef struct syc_body syc_body; /* body/traits.h */
typedef struct syc_body_traits syc_body_traits;
typedef struct syc_row syc_row; /* algo/table.h */

typedef struct syc_lowering {
    syc_form form;
    uint32_t
        local_size; /* ITEM, WIDE: work-items of a group at most; LOOP, PACK: runs of a group, in neighbouring rows */
    uint64_t run;   /* SYC_HIDDEN_RUN */
    uint64_t pieces, results; /* of shapes with axes: parts of each result, and how many results there are */
    uint32_t team;            /* of the same: SYC_HIDDEN_TEAM */
    uint32_t groups;  /* of bodies with reducers: how many there are; where the form folds half of them combine for the
                         others */
    uint64_t item_ps; /* estimated time of one element on a CPU, in ns / 1000; UINT64_MAX: not bounded */
    uint64_t near_ps; /* the same, as near as it is known; 0: it is not */
    unsigned span_count; /* arrays of variables, in their order: */
    uint64_t span_lengths[SYC_SPANS_MOST];
    uint8_t span_copies[SYC_SPANS_MOST]; /* LOCAL: how many a group has; PRIVATE: variables with accumulators */
    uint64_t copy_bytes;                 /* of a work-item's copies of all arrays */
    syc_families families; /* what the self-test (algo/selftest/selftest.h) is asked of; 0: there is no other form, or a
                              test wants it */
    const syc_row *row;    /* which one of a table applied */
    double rate; /* of a body with reducers: GB/s for each compute unit that is expected from memory; 0: not known */
    syc_tuned_kind tuned; /* of the same, and of scans */
    size_t read_bytes;    /* of the elements of a work-item; 0: not known */
} syc_lowering;

/* The facts of a call that the ways of its arrays of variables are chosen by. */
typedef struct syc_span_sizes {
    uint64_t lengths[SYC_SPANS_MOST];   /* of the arrays, in their order */
    uint64_t ranges[SYC_SPANS_MOST][3]; /* their sizes in each dimension, in SYCL's order */
    uint64_t local_bytes;               /* local memory that the call's other arguments take */
} syc_span_sizes;

/* A form that the self-test has found wrong on the device is not taken, as long as there is another. `range` is the
 * user's, in OpenCL's order; `sizes`: NULL where there are no arrays of variables; grouped: it is an nd-range. Reads
 * tables only; any thread. A form that is not grouped gets the offset through its hidden parameters, an nd-range's goes
 * to the driver. */
void syc_lower_choose(SYC_KEEP const syc_device *device, SYC_KEEP const syc_body *body,
                      SYC_KEEP const syc_geometry *range, SYC_KEEP const syc_span_sizes *sizes, bool grouped,
                      bool checked, syc_lowering *out);

/* The same for the text of a work-group. `range` comes with the number of groups as `global`, and where `sized` with
 * the items of each as `local`; it leaves as the nd-range to be launched. SYC_E_ND_RANGE: a group has more items than
 * the device lets it have, or none. */
syc_status syc_lower_choose_groups(SYC_KEEP const syc_device *device, bool sized, bool checked, syc_geometry *range,
                                   syc_lowering *out);

/* From the user's range to the launch of the form: sizes, groups, estimated cost. Launches are padded to whole groups;
 * an empty range gives global 0 in some dimension. SYC_E_ND_RANGE: more than the device or the kernel can do, or an
 * nd-range that does not divide. */
syc_status syc_lower_plan(SYC_KEEP syc_device *device, SYC_KEEP const syc_lowering *lowering,
                          SYC_KEEP const syc_signature *kernel, SYC_KEEP const syc_kernel_limits *limits,
                          uint64_t local_bytes, SYC_KEEP const syc_geometry *range, SYC_GIVE syc_geometry *launch);
/* The launch of a whole program's kernel over a plain range, where all its work-groups must be in one launch: padded to
 * whole groups if the kernel knows nothing of its group, whose guard lets the surplus go. Each item takes `item_bytes`
 * of local memory, which leaves room for other groups. */
syc_status syc_lower_plan_whole(SYC_KEEP syc_device *device, SYC_KEEP const syc_signature *kernel,
                                SYC_KEEP const syc_kernel_limits *limits, uint64_t item_bytes, syc_geometry *geometry);

/* The explanation of that launch, and of one over an nd-range. */
const syc_lowering *syc_lower_of_whole(void);

/* The hidden parameter's value where the launch says it: of kind RANGE, OFFSET, RUN, PIECES or TEAM; else 0. `range` is
 * the user's. */
uint64_t syc_lower_value(SYC_KEEP const syc_lowering *lowering, SYC_KEEP const syc_geometry *range,
                         SYC_KEEP const syc_hidden *hidden);

/* What was chosen for `range` and why, in lines for a person. `lowering` is NULL for a kernel that was written as one.
 */
void syc_lower_explain(SYC_KEEP const syc_device *device, SYC_KEEP const syc_lowering *lowering,
                       SYC_KEEP const syc_geometry *range, SYC_KEEP const syc_geometry *launch, syc_text *out);

/* SYC_E_KERNEL_ARGUMENT: a reducer's array has no variable that the text names by a constant, where every work-item
 * comes to it. `sizes` as for syc_lower_choose. */
syc_status syc_lower_check_variables(SYC_KEEP const char *kernel, SYC_KEEP const syc_body *body,
                                     SYC_KEEP const syc_geometry *range, SYC_KEEP const syc_span_sizes *sizes);

/* reduce.c: the same for a body with reducers, where all but form's shape and what belongs to it is chosen.
 * Inside algo/ only. */
void syc__lower_reduce(SYC_KEEP const syc_device *device, SYC_KEEP const syc_body *body,
                       SYC_KEEP const syc_geometry *range, SYC_KEEP const syc_span_sizes *sizes, syc_lowering *out);
/* scan.c: the same for a scan. Inside algo/ only. */
void syc__lower_scan(SYC_KEEP const syc_device *device, SYC_KEEP const syc_body *body,
                     SYC_KEEP const syc_geometry *range, syc_lowering *out);
/* spans.c: the ways of its arrays, and how many of at most `groups` groups there may be; out->local_size may
 * become another one. Inside algo/ only. */
uint64_t syc__lower_spans(SYC_KEEP const syc_device *device, SYC_KEEP const syc_body *body,
                          SYC_KEEP const syc_geometry *range, SYC_KEEP const syc_span_sizes *sizes, uint64_t groups,
                          syc_lowering *out);
/* When all else is known: whether there are work-items that fold. Inside algo/ only. */
void syc__lower_folds(SYC_KEEP const syc_device *device, syc_lowering *out);
/* near.c: picoseconds of an element, nearer than the careful estimate of the lowering; 0: not known of this text.
 * `packs`: the form takes vectors of 16. Inside algo/ only. */
uint64_t syc__lower_near(SYC_KEEP const syc_body *body, SYC_KEEP const syc_lowering *lowering, bool packs);
/* The same of a scan by one work-item, of any bounded text: other threads would not be done with it sooner. */
uint64_t syc__lower_near_alone(SYC_KEEP const syc_body *body, SYC_KEEP const syc_lowering *lowering);
/* shape.c: elements of the range in its dimensions from number `first` on. Inside algo/ only. */
uint64_t syc__lower_elements(SYC_KEEP const syc_geometry *range, unsigned first);
/* shape.c: neighbours that fill 16 bytes of the widest element, 1 if that is one or unknown. Inside algo/ only.
 */
unsigned syc__lower_neighbours(SYC_KEEP const syc_body *body);
/* private.c: the body with accumulators for the variables that the text names, where that is possible in the
 * call and worth it; else the body. Inside algo/ only. */
const syc_body *syc__lower_private(SYC_KEEP const syc_device *device, SYC_KEEP const syc_body *body,
                                   SYC_KEEP const syc_geometry *range, SYC_KEEP const syc_span_sizes *sizes,
                                   bool grouped);
/* shape.c: work-items of an nd-range's groups; 0: there is no such group, which is refused later. Inside algo/
 * only. */
uint32_t syc__lower_items_of_group(SYC_KEEP const syc_geometry *range);
/* reduce.c: work-items of a group, at most `size`: what the scalar reducers take of local memory for each must
 * leave room for other groups. Inside algo/ only. */
uint32_t syc__lower_limit_group(SYC_KEEP const syc_device *device, SYC_KEEP const syc_body *body, uint32_t size);
/* reduce.c: groups of this size that are whole warps hand on what the reducers have in registers, where the
 * device gets that family right: then it is the form's in place of the one that needs no warps. Inside algo/ only. */
void syc__lower_warps(SYC_KEEP const syc_device *device, SYC_KEEP const syc_body *body, uint32_t size, syc_family plain,
                      syc_family warps, syc_lowering *out);
/* axes.c: the same where the reducers are of some dimensions of a plain range. Inside algo/ only. */
void syc__lower_axes(SYC_KEEP const syc_device *device, SYC_KEEP const syc_body *body,
                     SYC_KEEP const syc_geometry *range, syc_lowering *out);
/* shape.c: the family of vectors of 16 that a text which packs belongs to. Inside algo/ only. */
syc_family syc__lower_pack_family(SYC_KEEP const syc_body_traits *traits);
/* And those of the same with reducers. */
syc_families syc__lower_pack_families(SYC_KEEP const syc_body_traits *traits);
/* shape.c: does a work-item of the shape take a run of elements? Inside algo/ only. */
bool syc__lower_has_runs(syc_shape shape);

/* Tests run every shape on every device: from now on bodies that can take it take this one. SYC_SHAPE_COUNT: the table
 * decides again. */
void syc_lower_force(syc_shape shape);
syc_shape syc__lower_forced(void);
/* The same for arrays of variables: those that can take the way take it; `folds`: copies are combined by work-items of
 * their own. SYC_SPAN_COUNT: the table decides again. */
void syc_lower_force_span(syc_span_way way, bool folds);
syc_span_way syc__lower_forced_span(void);

#endif
