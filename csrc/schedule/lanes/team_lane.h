/* A launch as the code of its groups, to be called: by the team (team_lane.c), or by the calling thread alone. */
#ifndef SYC_SCHEDULE_LANES_TEAM_LANE_H
#define SYC_SCHEDULE_LANES_TEAM_LANE_H

#include "program/group_code.h"
#include "schedule/order.h"

enum { SYC__MOST_ARGUMENTS = 64, SYC__VALUE_BYTES = 1024, SYC__WIDEST_VALUE = 128 };

/* What all groups of the launch are given. */
struct syc__run {
    const syc_group_code *code;
    syc_group_grid grid;
    syc_group_space space;
    size_t groups, pieces;
    void *arguments[SYC__MOST_ARGUMENTS]; /* addresses of values, or of pointers: */
    void *pointers[SYC__MOST_ARGUMENTS];
    /* that are to begin at more than a command has them */
    _Alignas(SYC__WIDEST_VALUE) unsigned char values[SYC__VALUE_BYTES];
    size_t used;
};

/* Is the command one that the calling thread would call alone? Finds what it takes. `known`: only where all has been
 * found before, so that nothing is built or searched for. No lock held. */
bool syc__run_find(SYC_KEEP const syc_command *command, bool known, struct syc__run *run);
/* Any lock may be held. */
void syc__run_alone(SYC_KEEP const struct syc__run *run);

#endif
