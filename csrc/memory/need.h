/* A need: what one command wants of one buffer. SYCL calls it a requirement; an accessor makes one. */
#ifndef SYC_MEMORY_NEED_H
#define SYC_MEMORY_NEED_H

#include "base/keep.h"

#include <stdbool.h>
#include <stddef.h>

struct syc_buffer; /* memory/buffer.h */

typedef struct syc_need {
    struct syc_buffer *buffer; /* borrowed for the submit call: the command retains it */
    size_t low, bytes;         /* the part that orders commands and is brought up to date: a whole (sub-)buffer */
    bool write;                /* may be written */
    bool keep;                 /* what was there before is wanted: read, or written in part */
    bool at_host;              /* used by the host (a host task, a host accessor), not by the queue's device */
    unsigned place;            /* schedule/: where; set when it is submitted */
} syc_need;

#endif
