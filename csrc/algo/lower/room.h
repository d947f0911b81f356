/* The memory that a launch takes in which groups meet, besides its arguments: partial results in global memory, and
 * what the items of a group share. Who launches gives it to the hidden parameters (body.h). */
#ifndef SYC_ALGO_LOWER_ROOM_H
#define SYC_ALGO_LOWER_ROOM_H

#include "algo/lower/lower.h"

typedef struct syc_name syc_name; /* body/name.h */

typedef struct syc_room {
    const syc_name *names; /* the body's */
    size_t count;
    const syc_lowering *lowering;
    uint64_t groups, items, group_items; /* of the launch; items: of all groups */
} syc_room;

/* `range` is the user's, which is the launch where it is an nd-range. Keeps what it is given. */
void syc_room_of(SYC_KEEP const syc_name *names, size_t count, SYC_KEEP const syc_lowering *lowering,
                 SYC_KEEP const syc_geometry *range, syc_room *out);

/* Of all partial results, with what counts them; nearly UINT64_MAX / 2 and more: there is no such memory. */
uint64_t syc_room_bytes(const syc_room *room);
/* SYC_HIDDEN_PLACE and SYC_HIDDEN_STEP of the reducer that is number `index` of the names. */
uint64_t syc_room_place(const syc_room *room, size_t index);
uint64_t syc_room_step(const syc_room *room, size_t index);
/* Is it an array of which work-items have copies? */
bool syc_room_has_copies(const syc_room *room, size_t index);

/* Bytes of local memory: SYC_HIDDEN_SHARED, and SYC_HIDDEN_ROOM of an array. */
uint64_t syc_room_shared(const syc_room *room);
uint64_t syc_room_local(const syc_room *room, size_t index);

#endif
