/* Large transfers on drivers that are slow with pageable memory: through pinned memory, several threads copying one
 * part while others are under way. */
#ifndef SYC_SCHEDULE_TRANSFER_STAGING_H
#define SYC_SCHEDULE_TRANSFER_STAGING_H

#include "schedule/steps.h"

/* The pinned memory of one context: a piece for each direction, held by the queues that have used it. */
struct syc__staging;
struct syc__pinned;

/* Transfers from this many bytes on are worth it. */
enum { SYC__STAGED_BYTES = 2 << 20 };

/* Pinned memory for one transfer, to be given back; waits while another transfer in the same direction has it. NULL
 * where there is none to be had: then the driver is left to its own ways. */
struct syc__pinned *syc__staging_take(SYC_KEEP syc_queue *queue, bool to_device);
void syc__staging_give(struct syc__pinned *pinned);
/* The device's end of a transfer. */
struct syc__far {
    cl_mem memory; /* NULL: shared memory at `pointer` */
    size_t offset;
    char *pointer;
};

/* Copies `bytes` between `host` and the device, after the current step's events, and returns when that has ended: well,
 * or with the first failure and nothing of it still running. `host` is written when `to_device` is false. */
syc_status syc__stage(struct syc__steps *steps, struct syc__pinned *pinned, struct syc__far far, char *host,
                      size_t bytes, bool to_device);
/* Lets go of what a queue holds, before its native queues are released; the last one unpins the memory. */
void syc__staging_release(SYC_KEEP syc_queue *queue);

#endif
