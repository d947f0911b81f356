/* The rows of the table that reducers are shaped by, and which of them a body gets: the first that fits, or one that
 * was measured to be better on this machine (tuned.h), or that a test or bench asks for. */
#ifndef SYC_ALGO_LOWER_REDUCE_ROWS_H
#define SYC_ALGO_LOWER_REDUCE_ROWS_H

#include "algo/lower/lower.h"
#include "algo/table.h"

struct syc__reduce_row {
    syc_row base;
    bool costly; /* by itself for texts only that call built-ins */
    bool line;   /* for ranges of one dimension only */
    bool takes;  /* for texts that take their own elements, 16 bytes at a time (body.h) */
    bool packs;  /* LANES in vectors of 16: for texts that can be (body.h) */
    bool light;  /* for texts of a few operations, for which the largest groups have registers */
    bool warps;  /* work-items combine within warps first, where the device has them */
    bool leads;  /* over an nd-range: one work-item of a group does it */
    syc_shape shape;
    uint32_t groups;     /* for each compute unit, at most */
    uint32_t local_size; /* over an nd-range: at least */
    uint64_t least;      /* by itself only where so many bytes are read */
    double rate; /* GB/s that each compute unit took from memory for a plain sum of 2^26 floats or more; 0: not known */
};

/* `families`: what the self-test knows the row's shape by; 0: a test has asked for it, or it is an nd-range's. */
const struct syc__reduce_row *syc__reduce_row_of(SYC_KEEP const syc_device *device, SYC_KEEP const syc_body *body,
                                                 SYC_KEEP const syc_geometry *range, SYC_KEEP const syc_form *form,
                                                 syc_families *families);

/* A few operations for each element, and numbers to combine: it costs less than reading does, and few registers. */
bool syc__reduce_is_light(SYC_KEEP const syc_body *body);

/* The names of the rows on the device, NULL behind the last. */
const char *syc_reduce_row_name(SYC_KEEP const syc_device *device, size_t index);
/* What syc_device_tuned() says of the row with that name; SYC_TUNED_NOTHING: the device has none. */
unsigned syc__reduce_row_number(SYC_KEEP const syc_device *device, SYC_KEEP const char *name);

/* From now on bodies that can have it have the row with this name, over plain ranges or over nd-ranges as it is meant,
 * or their arrays of variables; NULL: the table decides again. For tests, benches and tuning. SYC_E_INVALID_PARAMETER:
 * no row has this name. */
syc_status syc_reduce_row_force(const char *name);

#endif
