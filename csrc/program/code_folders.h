/* The folders into which a driver puts the machine code of one build: the new ones after it. */
#ifndef SYC_PROGRAM_CODE_FOLDERS_H
#define SYC_PROGRAM_CODE_FOLDERS_H

#include "cl/context.h"

/* One for each of a driver's devices: the pool of threads, and the calling thread. */
enum { SYC__CODE_FOLDERS = 2, SYC__CODE_NAME = 32 };
typedef struct syc__code_folders {
    size_t count; /* 0: they are not known */
    char names[SYC__CODE_FOLDERS][SYC__CODE_NAME];
} syc__code_folders;

/* Watches them over one build at a time: a second thread's waits for the first's, as it would in the driver. */
typedef struct syc__code_watch {
    const syc_context *context; /* NULL: nothing is watched */
    uint64_t *keys;
    size_t count, room;
    bool cut; /* no memory */
} syc__code_watch;
void syc__code_watch_begin(SYC_KEEP const syc_context *context, syc__code_watch *watch); /* NULL is fine */
/* Leaves none where there are more than the build can have made: other libraries use the driver, too. */
void syc__code_watch_end(syc__code_watch *watch, syc__code_folders *out);

#endif
