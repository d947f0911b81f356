/* Bytes from one end to another, as OpenCL calls of a command: the part that copies, fills and moves share. */
#ifndef SYC_SCHEDULE_TRANSFER_TRANSFER_H
#define SYC_SCHEDULE_TRANSFER_TRANSFER_H

#include "memory/box.h"
#include "schedule/steps.h"

enum syc__where { SYC__IN_MEMORY, SYC__IN_IMAGE, SYC__ON_HOST, SYC__AT_POINTER };

/* One end. A box of an image is all of it; one at a pointer is a run. */
struct syc__end {
    enum syc__where where;
    cl_mem memory;            /* IN_MEMORY, IN_IMAGE */
    const syc_buffer *buffer; /* whose memory that is; NULL: scratch */
    bool apart;               /* on a device that does not share the host's memory */
    char *address;            /* ON_HOST, AT_POINTER: what the box's origin counts from */
    syc_box box;              /* tidy, not empty */
};

/* A run of host memory. */
static inline struct syc__end syc__end_on_host(char *address, size_t bytes)
{
    return (struct syc__end){.where = SYC__ON_HOST, .address = address, .box = syc_box_run(0, bytes)};
}

/* Copies; `from` may be longer than `to`, whose bytes are as many as are copied. One step where a call can do it, else
 * two, through scratch memory; begins in the current step and leaves the next one to the caller. On a driver that reads
 * the host's memory when a call is enqueued, the second step may wait for the first: see syc__transfer_waits. */
syc_status syc__transfer(struct syc__steps *steps, SYC_KEEP const struct syc__end *to,
                         SYC_KEEP const struct syc__end *from);
/* True if boxes of as many bytes, one of them on the host, can be copied by a few calls as they are. */
bool syc__transfer_fits(SYC_KEEP const syc_box *a, SYC_KEEP const syc_box *b);

/* A run of bytes between host memory and a device's; returns when it has ended where that is faster (staging.h). */
syc_status syc__transfer_run(struct syc__steps *steps, cl_mem memory, size_t offset, char *host, size_t bytes,
                             bool to_device, bool apart);
/* True if it does. */
bool syc__transfer_waits(SYC_KEEP const syc_facts *facts, size_t bytes);

#endif
