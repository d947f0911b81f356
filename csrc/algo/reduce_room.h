/* The memory that a launch of a body with reducers takes besides its variables: partial results in global memory, and
 * what the items of a group share. Who launches gives it to the hidden parameters (body.h). */
#ifndef SYC_ALGO_REDUCE_ROOM_H
#define SYC_ALGO_REDUCE_ROOM_H

#include "algo/lower.h"

typedef struct syc_reduce_room {
    const syc_name *names; /* the body's */
    size_t count;
    const syc_lowering *lowering;
    uint64_t groups, items, group_items; /* of the launch; items: of all groups */
} syc_reduce_room;

/* `range` is the user's, which is the launch where it is an nd-range. Keeps what it is given. */
void syc_reduce_room_of(SYC_KEEP const syc_name *names, size_t count, SYC_KEEP const syc_lowering *lowering,
                        SYC_KEEP const syc_geometry *range, syc_reduce_room *out);

/* Of all partial results, with what counts them; nearly UINT64_MAX / 2 and more: there is no such memory. */
uint64_t syc_reduce_room_bytes(const syc_reduce_room *room);
/* SYC_HIDDEN_PLACE and SYC_HIDDEN_STEP of the reducer that is number `index` of the names. */
uint64_t syc_reduce_room_place(const syc_reduce_room *room, size_t index);
uint64_t syc_reduce_room_step(const syc_reduce_room *room, size_t index);
/* Is it an array of which work-items have copies? */
bool syc_reduce_room_has_copies(const syc_reduce_room *room, size_t index);

/* Bytes of local memory: SYC_HIDDEN_SHARED, and SYC_HIDDEN_ROOM of an array. */
uint64_t syc_reduce_room_shared(const syc_reduce_room *room);
uint64_t syc_reduce_room_local(const syc_reduce_room *room, size_t index);

#endif
