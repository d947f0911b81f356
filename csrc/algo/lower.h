/* Lowering: which form a body takes on a device, and the launch that belongs to it. The choice is a table of measured
 * rows (lower.c); nothing else in the core asks what kind of device it has when it shapes a kernel. */
#ifndef SYC_ALGO_LOWER_H
#define SYC_ALGO_LOWER_H

#include "algo/plan.h"
#include "program/body.h"

typedef struct syc_lowering {
    syc_form form;
    uint32_t local_size; /* work-items of a group, 1-D; 0: the device's row of facts says */
    uint64_t run;        /* LOOP: elements of dimension 0 for each work-item */
    const char *row;     /* "PoCL and Intel, elementwise": which row of the table applied */
    const char *why;     /* a sentence for explain() */
    const char *measured;
} syc_lowering;

/* `range` is the user's, in OpenCL's order; grouped: it is an nd-range. Reads tables only; any thread. */
void syc_lower_choose(SYC_KEEP const syc_device *device, SYC_KEEP const syc_body *body,
                      SYC_KEEP const syc_geometry *range, bool grouped, bool checked, syc_lowering *out);

/* From the user's range to the launch of the form: sizes, groups, estimated cost. */
syc_status syc_lower_plan(SYC_KEEP syc_device *device, SYC_KEEP const syc_lowering *lowering,
                          SYC_KEEP const syc_signature *kernel, SYC_KEEP const syc_kernel_limits *limits,
                          uint64_t local_bytes, SYC_KEEP const syc_geometry *range, SYC_GIVE syc_geometry *launch);

/* Tests run every shape on every device: from now on bodies that can take it take this one. SYC_SHAPE_COUNT: the table
 * decides again. */
void syc_lower_force(syc_shape shape);

#endif
