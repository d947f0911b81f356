/* Where the team's threads run: on the processors of the thread that they help, and not on the very one that it has. */
#ifndef SYC_BASE_TEAM_PROCESSORS_H
#define SYC_BASE_TEAM_PROCESSORS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Processors that the calling thread may keep busy. Masks change seldom: it asks the system again after a while. */
size_t syc__team_cpus(uint64_t now);

/* The calling thread's mask and processor are those of the next job. Only by the thread that has taken the team. */
void syc__team_sit(void);

/* A thread of the team stays off the calling one's processor, awake and asleep. Some systems fill one processor before
 * they wake the next one up, and others have no free one: a thread that wakes up on the calling one's is no help there,
 * and keeps that thread from its work, in the midst of its call to wake it too. */
typedef struct syc_team_place {
    atomic_int thread;  /* its number */
    atomic_uint mask;   /* number of the mask that it was given; 0: none yet */
    atomic_int without; /* the processor that it was kept off */
} syc_team_place;

/* By the thread itself, once. */
void syc__team_enter(syc_team_place *place);

/* By the thread itself, before it takes pieces. False: it cannot be of help. */
bool syc__team_sits_well(syc_team_place *place);

/* By the calling thread, before it wakes this one, which sleeps until then. */
void syc__team_put_sleeper(syc_team_place *place);

/* In a forked child, which has no threads of a team: nothing holds a lock. */
void syc__team_unseat(void);

/* Does this thread, while it watches for work, keep the calling one from it? */
bool syc__team_is_in_the_way(void);

#endif
