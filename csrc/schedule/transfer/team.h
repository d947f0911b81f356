/* A team of threads for one job after another. They wait in between: starting threads anew costs as much as copying a
 * megabyte. */
#ifndef SYC_SCHEDULE_TRANSFER_TEAM_H
#define SYC_SCHEDULE_TRANSFER_TEAM_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

enum { SYC__TEAM = 15 }; /* threads at most, besides the calling one */

struct syc__team {
    pthread_mutex_t lock; /* of all below */
    pthread_cond_t begin, end;
    pthread_t threads[SYC__TEAM];
    size_t count; /* threads there are */
    void (*work)(void *job, size_t number);
    void *job;
    size_t wanted;      /* workers of this job */
    unsigned long turn; /* its number */
    size_t busy;        /* threads that have not ended it */
    bool closing;
};

void syc__team_init(struct syc__team *team);
/* Calls work(job, n) with n from 0 to `wanted` - 1, each on a thread of its own, the calling one among them, and
 * returns when all have ended. Where no thread is to be had there are fewer calls: the job must not need them all. One
 * job at a time. */
void syc__team_run(struct syc__team *team, size_t wanted, void (*work)(void *job, size_t number), void *job);
/* Ends the threads. No job is under way. */
void syc__team_dismiss(struct syc__team *team);

#endif
