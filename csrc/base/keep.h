/* Something held for whoever gave it, and let go of once. */
#ifndef SYC_BASE_KEEP_H
#define SYC_BASE_KEEP_H

#include <stdbool.h>
#include <stddef.h>

/* `release` may be called on any thread, without any lock held; NULL: nothing to release. */
typedef struct syc_keep {
    void (*release)(void *payload);
    void *payload;
} syc_keep;

static inline void syc_keep_let_go(syc_keep keep)
{
    if (keep.release != NULL)
        keep.release(keep.payload);
}

/* A call that is due when something has ended, before anybody can see that it has. On any thread, without any lock
 * held; NULL: nothing. */
typedef struct syc_ending {
    void (*call)(void *payload, bool succeeded);
    void *payload;
} syc_ending;

/* Where the user's code stands. The strings live for ever; NULL: unknown. */
typedef struct syc_site {
    const char *file;
    int line;
    const char *call; /* the function of the package that the code has called, "sort"; NULL: what submits itself */
} syc_site;

#endif
