/* Where the team's threads run: on the processors of the thread that they help, and not on the very one that it has. */
#ifndef SYC_BASE_TEAM_PROCESSORS_H
#define SYC_BASE_TEAM_PROCESSORS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Processors that the calling thread may keep busy. Masks change seldom: it asks the system again after a while. */
size_t syc__team_cpus(uint64_t now);

/* The calling thread's mask and processor are those of the next job. Only by the thread that has taken the team. */
void syc__team_sit(void);

/* By a thread of the team, before it takes pieces: it takes over another mask than `seen`, 0 at first, and leaves the
 * calling thread's processor. False: it cannot be of help. */
bool syc__team_sits_well(unsigned *seen);

/* In a forked child, which has no threads of a team: nothing holds a lock. */
void syc__team_unseat(void);

/* Does this thread, while it watches for work, keep the calling one from it? */
bool syc__team_is_in_the_way(void);

#endif
