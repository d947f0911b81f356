/* The inside of recordings (record.h), for the files that make and replay them. */
#ifndef SYC_SCHEDULE_REPLAY_RECORDING_H
#define SYC_SCHEDULE_REPLAY_RECORDING_H

#include "schedule/order.h"
#include "schedule/replay/record.h"

#include <stdint.h>

/* -- what was recorded (record.c) -- */

struct syc__recorded {
    struct syc__work *work;
    syc_command *stub; /* the event that the user got; state RECORDED for ever */
    size_t *after;     /* earlier ones that make calls; in order, none twice */
    size_t after_count;
    bool followed; /* some later one comes after it */
    bool empty;    /* it only orders: its followers come after what it comes after */
};

/* Uses of the bytes of a buffer (NULL: host arrays) during a recording. */
struct syc__recorded_map {
    const syc_buffer *buffer;
    syc_hazards *hazards;
};

/* -- layouts: what a replay needs, found once (layout.c) -- */

/* One piece of a buffer that kernels get a pointer to. */
struct syc__slot {
    size_t need, low, bytes, alignment;
};

/* Host memory: of a kernel's argument (one for the same bytes in the same layout, good for all its uses), or the end of
 * a copy. */
struct syc__laid_array {
    syc_host_array span; /* writable: some command writes it */
    size_t user;         /* the first command that uses it */
    bool by_host;        /* the host has its hands on it: it is copied, packed, or read when a call is enqueued */
};

/* One command. `links`: for each argument the index of its slot or array; of no meaning for others. `needs`: for each
 * of its own needs, then for each buffer that was put in, the index of the layout's; SIZE_MAX: not needed any more. */
struct syc__laid {
    size_t *links, *needs;
    size_t changes, change_count; /* which replacements are its */
};

struct syc__layout {
    syc_need *needs; /* buffers retained */
    size_t need_count, need_room;
    syc_usm **allocations; /* retained */
    size_t allocation_count, allocation_room;
    struct syc__laid_array *arrays, *ends; /* of kernels, and of copies */
    size_t array_count, array_room, end_count, end_room;
    struct syc__slot *slots;
    size_t slot_count, slot_room;
    struct syc__laid *items; /* one per command */
    size_t *indices;         /* the block that their links and needs lie in */
    uint64_t cost_ns;
    size_t calls;     /* commands that do anything but to order */
    bool serial;      /* memory that was put in is used elsewhere too: one command after the other */
    bool reads_early; /* the host reads arrays when it is enqueued, or needs them between two replays */
};

/* Of the recorded commands with `changes`, which are sorted by command. On failure what was made is in `out`, to be
 * cleared. */
syc_status syc__layout_create(SYC_KEEP const syc_recording *recording, SYC_KEEP const syc_replacement *changes,
                              size_t count, struct syc__layout *out);
void syc__layout_clear(struct syc__layout *layout);

/* -- kernels with their arguments set (kernel_set.c) -- */

struct syc__kernel_set {
    struct syc__kernel_set *next;
    cl_kernel kernels[]; /* one per command; NULL: it is no launch */
};

/* A set that no other thread uses, with all values, pointers and samplers as recorded. */
syc_status syc__kernel_set_take(syc_recording *recording, SYC_GIVE struct syc__kernel_set **out);
void syc__kernel_set_give(syc_recording *recording, SYC_TAKE struct syc__kernel_set *set);
/* Some argument may not be as recorded: the kernels go back to their builds. */
void syc__kernel_set_drop(SYC_KEEP const syc_recording *recording, SYC_TAKE struct syc__kernel_set *set);

struct syc_recording {
    syc_refcount refs;
    syc_queue *queue;      /* retained */
    unsigned long long id; /* from 1: stubs remember it */
    pthread_t owner;
    atomic_int state; /* enum below */
    struct syc__recorded *items;
    size_t count, room;
    bool arrays;         /* of a task among them */
    syc_command **outer; /* named events of commands that were not recorded, retained */
    size_t outer_count, outer_room;
    struct syc__recorded_map *maps; /* while it is open */
    size_t map_count, map_room;
    struct syc__layout layout;
    pthread_mutex_t lock; /* of `sets` */
    struct syc__kernel_set *sets;
};
enum { SYC__RECORDING_OPEN, SYC__RECORDING_READY, SYC__RECORDING_DISCARDED };

struct syc_replay {
    syc_refcount refs;
    syc_recording *recording; /* retained */
    const struct syc__layout *layout;
    struct syc__layout own;   /* when memory was replaced */
    syc_replacement *changes; /* sorted by command; their values lie behind, their buffers and memory in `own` */
    size_t change_count;
};

/* The events of one command in a replay: [first, last); those from `ends` on say that it has ended. */
struct syc__stretch {
    size_t first, ends, last;
};

/* Of one replay in flight: a copy of recorded work, where something must be made anew each time. */
struct syc__part {
    struct syc__part *next;
    struct syc__work work;
};

/* record_order.c: takes the place of a submission while the thread records its queue; NULL: it does not. */
syc_recording *syc__recording_of(SYC_KEEP const syc_queue *queue);
syc_status syc__record(syc_recording *recording, SYC_KEEP const syc_task *task, syc_command *const *after,
                       size_t after_count, SYC_TAKE syc_keep keep, syc_site site, SYC_GIVE syc_command **out);

/* replay_calls.c: the calls of all commands of a replay. */
syc_status syc__enqueue_replay(struct syc__steps *steps);

#endif
