/* The rows of the table that scans are shaped by, by name: for tests, benches and tuning. */
#ifndef SYC_ALGO_LOWER_SCAN_ROWS_H
#define SYC_ALGO_LOWER_SCAN_ROWS_H

#include "algo/lower/lower.h"

/* The names of the rows on the device, NULL behind the last. */
const char *syc_scan_row_name(SYC_KEEP const syc_device *device, size_t index);
/* From now on scans that can have it have the row with this name; NULL: the table decides again.
 * SYC_E_INVALID_PARAMETER: no row has this name. */
syc_status syc_scan_row_force(const char *name);
/* What syc_device_tuned() says of the row with that name; SYC_TUNED_NOTHING: the device has none. */
unsigned syc__scan_row_number(SYC_KEEP const syc_device *device, SYC_KEEP const char *name);

#endif
