/* Rows for reducers (reduce_rows.h) and scans (scan_rows.h) that were measured on this machine and found better than
 * those of the table. They are answers of the cache: for the device, its driver and this version of pysycl, and for
 * later processes, too. */
#ifndef SYC_ALGO_LOWER_TUNED_H
#define SYC_ALGO_LOWER_TUNED_H

#include "cl/device.h"

typedef struct syc_context syc_context; /* cl/context.h */

typedef struct syc_tuned {
    char row[64];    /* "": the table's own is best */
    char words[160]; /* what was measured, for people */
} syc_tuned;

/* Finds out what an earlier process has kept for the context's devices, where that is not known. A damaged answer is
 * reported and ignored. */
void syc_tuned_load(SYC_KEEP const syc_context *context);

static inline bool syc_tuned_is_loaded(SYC_KEEP const syc_device *device)
{
    return __builtin_expect(syc_device_tuned(device, SYC_TUNED_SUMS) != SYC_TUNED_UNKNOWN, 1);
}

/* From now on, and in later processes: texts of the kind have the row. An empty name: the table's.
 * SYC_E_INVALID_PARAMETER: the device has no such row, or the words are too long. */
syc_status syc_tuned_set(SYC_KEEP const syc_context *context, syc_tuned_kind kind, SYC_KEEP const char *row,
                         SYC_KEEP const char *words);

/* What holds for the device; false: nothing was measured, or it is not known yet. */
bool syc_tuned_get(SYC_KEEP const syc_device *device, syc_tuned_kind kind, syc_tuned *out);

#endif
