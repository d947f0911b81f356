/* Teams. Each thread wakes for every job, and sleeps again where the job needs fewer. */
#include "schedule/transfer/team.h"

#include "base/alloc.h"
#include "base/thread.h"

struct member {
    struct syc__team *team;
    size_t number;
    unsigned long seen; /* the last job that it knows of */
};

void syc__team_init(struct syc__team *team)
{
    *team = (struct syc__team){.count = 0};
    pthread_mutex_init(&team->lock, NULL);
    pthread_cond_init(&team->begin, NULL);
    pthread_cond_init(&team->end, NULL);
}

/* Does its share of the next job. Lock held, dropped meanwhile. False: the team is dismissed. */
static bool serve_locked(struct member *me)
{
    struct syc__team *team = me->team;
    void (*work)(void *job, size_t number);
    void *job;

    while (team->turn == me->seen && !team->closing)
        pthread_cond_wait(&team->begin, &team->lock);
    if (team->closing)
        return false;
    me->seen = team->turn;
    work = me->number < team->wanted ? team->work : NULL;
    job = team->job;
    if (work != NULL) {
        pthread_mutex_unlock(&team->lock);
        work(job, me->number);
        pthread_mutex_lock(&team->lock);
    }
    if (--team->busy == 0)
        pthread_cond_signal(&team->end);
    return true;
}

static void *serve(void *argument)
{
    struct member me = *(struct member *)argument;
    syc_free(argument);
    pthread_mutex_lock(&me.team->lock);
    while (serve_locked(&me))
        ;
    pthread_mutex_unlock(&me.team->lock);
    return NULL;
}

static void hire_locked(struct syc__team *team, size_t count)
{
    while (team->count < count && team->count < SYC__TEAM) {
        struct member *member = NULL;
        if (!syc_thread_fits(0) || syc_alloc(sizeof *member, &member) != SYC_OK)
            return;
        *member = (struct member){team, team->count + 1, team->turn};
        if (pthread_create(&team->threads[team->count], NULL, serve, member) != 0) {
            syc_free(member);
            return;
        }
        team->count++;
    }
}

void syc__team_run(struct syc__team *team, size_t wanted, void (*work)(void *job, size_t number), void *job)
{
    pthread_mutex_lock(&team->lock);
    hire_locked(team, wanted - 1);
    team->work = work;
    team->job = job;
    team->wanted = wanted;
    team->turn++;
    team->busy = team->count;
    pthread_cond_broadcast(&team->begin);
    pthread_mutex_unlock(&team->lock);
    work(job, 0);
    pthread_mutex_lock(&team->lock);
    while (team->busy > 0)
        pthread_cond_wait(&team->end, &team->lock);
    pthread_mutex_unlock(&team->lock);
}

void syc__team_dismiss(struct syc__team *team)
{
    pthread_mutex_lock(&team->lock);
    team->closing = true;
    pthread_cond_broadcast(&team->begin);
    pthread_mutex_unlock(&team->lock);
    for (size_t i = 0; i < team->count; i++)
        pthread_join(team->threads[i], NULL);
    pthread_cond_destroy(&team->begin);
    pthread_cond_destroy(&team->end);
    pthread_mutex_destroy(&team->lock);
}
