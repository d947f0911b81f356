/* Profiles: a log of the commands that end while one is open, with their times. Nothing is kept but texts and numbers;
 * a queue that no profile looks at works as if there were none. */
#ifndef SYC_SCHEDULE_PROFILE_H
#define SYC_SCHEDULE_PROFILE_H

#include "schedule/graph.h"

#include <stdatomic.h>

typedef struct syc_device syc_device;   /* cl/device.h */
typedef struct syc_program syc_program; /* program/program.h */

enum { SYC_PROFILE_RECORDS = 1 << 20 };

typedef struct syc_profile_record {
    unsigned long long serial; /* 0: no command */
    unsigned long long queue;  /* as the graph numbers it; 0: none */
    const char *kind;          /* as the graph's, or "build" or "wait"; immortal */
    char name[SYC_GRAPH_NAME];
    syc_program *program; /* retained; NULL: it has none */
    syc_device *device;   /* the same */
    syc_site site;
    bool timed, failed;
    uint64_t submit, start, end; /* ns of CLOCK_MONOTONIC, on whatever clock the device has */
    uint64_t bytes;              /* that it may read and write; 0: it does not say */
} syc_profile_record;

/* Where a profile began. */
typedef struct syc_profile_mark {
    size_t record;
    unsigned long long serial;   /* commands up to it were submitted before */
    unsigned long long lost;     /* commands for which there was no room */
    uint64_t lost_ns;            /* ... and the time that they took */
    unsigned long long queue_id; /* as records have it; 0: all queues */
} syc_profile_mark;

/* Begins one of a queue; NULL: of all, also of those to come. */
void syc_profile_open(syc_queue *queue, syc_profile_mark *out);
/* Queues take up, or give up, what tells the times. SYC_TIMEOUT: not before the commands in flight have ended. */
syc_status syc_profile_settle(syc_queue *queue);
/* Ends it: what has ended since, in that order; the mark's counts become those of the profile. The array goes
 * with syc_profile_free. */
syc_status syc_profile_close(syc_queue *queue, syc_profile_mark *mark, SYC_GIVE syc_profile_record **out,
                             size_t *count);
void syc_profile_free(SYC_TAKE syc_profile_record *records, size_t count);
/* Something that is no command, for the profiles that are open: times of CLOCK_MONOTONIC. No lock held. */
void syc_profile_add(const char *kind, syc_program *program, syc_site site, uint64_t start, uint64_t end);
static inline bool syc_profile_is_open(void)
{
    extern atomic_int syc__profiles;
    return atomic_load_explicit(&syc__profiles, memory_order_relaxed) > 0;
}

/* A command ends. First without the lock: how far its times are ahead of CLOCK_MONOTONIC; then with the order lock, and
 * while it is in its maps of hazards. */
int64_t syc__profile_ahead(SYC_KEEP const syc_command *command);
void syc__profile_add_locked(SYC_KEEP const syc_command *command, int64_t ahead);

#endif
