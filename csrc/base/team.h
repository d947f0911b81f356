/* The team: a few threads that help the calling one with work of some microseconds, so soon after each other that none
 * of them sleeps in between. There is one for the process.
 *
 * Work is cut into pieces. Each member has some of its own, and takes others' when those are done, the calling thread
 * too: so what nobody has begun is never waited for, and a thread that the system does not let run, or does not start,
 * costs nothing but its help. They run where the calling thread may run. */
#ifndef SYC_BASE_TEAM_H
#define SYC_BASE_TEAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { SYC_TEAM_MOST = 16, SYC_TEAM_PIECES = 65535 };

typedef struct syc_team_job {
    void (*work)(const void *payload, size_t first, size_t past); /* does the pieces from `first` to before `past` */
    const void *payload;
    size_t pieces; /* at most SYC_TEAM_PIECES */
    uint64_t ns;   /* all of them together, estimated, by one thread */
} syc_team_job;

/* Threads of a team at most, the calling one too: 0 and 1 mean none. The processors may be fewer. Any time. */
void syc_team_limit(size_t most);
/* Is the limit 0? */
bool syc_team_is_off(void);

/* Members that a job of so much work would have; 1: the calling thread alone. */
size_t syc_team_size(uint64_t ns);

/* Does all pieces, each once, and returns when they have ended. False, with nothing done: the team is at work already,
 * has too few processors, or others have kept it from running lately; or its threads sleep, and waking them takes
 * longer than the work. Any thread, also one that runs a piece. */
bool syc_team_run(const syc_team_job *job);

typedef struct syc_team_counts {
    uint64_t jobs, helped, closings; /* done by it; of these, the ones with help from other threads; how often it
                                        was kept from running */
} syc_team_counts;
void syc_team_count(syc_team_counts *out);

/* For tests: as many members as the limit says; wakes sleeping threads for any work, and does not look at what others
 * do. */
void syc_team_insist(bool insist);

#endif
