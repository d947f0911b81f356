/* Estimates of here are careful: the work takes half of them or less. */
#include "algo/share.h"

#include "base/team.h"

enum { LEAST_NS = 8000, MOST_PIECES = 64 };

struct shared {
    void (*work)(const void *payload, size_t first, size_t past);
    const void *payload;
    size_t units, pieces;
};

static void do_pieces(const void *payload, size_t first, size_t past)
{
    const struct shared *s = payload;
    s->work(s->payload, s->units * first / s->pieces, s->units * past / s->pieces);
}

void syc__host_share(size_t units, double ns, void (*work)(const void *payload, size_t first, size_t past),
                     const void *payload)
{
    const size_t pieces = units < MOST_PIECES ? units : MOST_PIECES;
    const struct shared all = {work, payload, units, pieces};
    const syc_team_job job = {.work = do_pieces, .payload = &all, .pieces = pieces, .ns = (uint64_t)(ns / 2)};
    if (job.ns < LEAST_NS || !syc_team_run(&job))
        work(payload, 0, units);
}
