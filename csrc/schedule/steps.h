/* One command on its way into a native queue: the OpenCL calls it is made of, in steps. The calls of a step run side by
 * side, after all of the step before. */
#ifndef SYC_SCHEDULE_STEPS_H
#define SYC_SCHEDULE_STEPS_H

#include "program/program.h"
#include "schedule/order.h"

struct syc__steps {
    syc_command *command;
    struct syc__work *work;
    const syc_cl_table *cl;
    cl_command_queue queue;
    const cl_mem *arrays;  /* of a launch in a replay: memory that stands for each of its host arrays; else NULL */
    const cl_event *after; /* what a call of the current step waits for */
    cl_uint after_count;
    cl_event *before, *current; /* events of the step before (`after` once there is one) and of this one */
    size_t before_count, current_count, before_room, current_room;
    cl_event few[2][2]; /* where they lie while they are few */
};

void syc__steps_init(struct syc__steps *steps, syc_command *command, cl_command_queue queue, const cl_event *after,
                     cl_uint after_count);
/* The event of a call that was just made with `after`: counted, kept until the command is enqueued. Without memory it
 * is waited for and given back, so that nothing of the command is left running. */
syc_status syc__steps_add(struct syc__steps *steps, SYC_TAKE cl_event event);
/* The same for an event that was counted when it was made (memory/usm/usm.h). */
static inline syc_status syc__steps_take(struct syc__steps *steps, SYC_TAKE cl_event event)
{
    syc_live_add(SYC_LIVE_CL_EVENT, -1);
    return syc__steps_add(steps, event);
}
/* Begins the next step, if the current one has any call. */
void syc__steps_next(struct syc__steps *steps);
/* The command's native event, from the last step's; none if there was no call. */
syc_status syc__steps_close(struct syc__steps *steps);
/* Lets go of the events, after a success or a failure; after a failure it waits for them first. */
void syc__steps_clear(struct syc__steps *steps, bool failed);

/* A cl_mem for bytes [low, low + bytes) of need `index`'s buffer where the command works on it, held until the command
 * completes. NULL in `out` with SYC_OK: the device has no sub-buffer at that alignment. */
syc_status syc__steps_memory(struct syc__steps *steps, size_t index, size_t low, size_t bytes, cl_mem *out);
/* The same for a buffer at a place: for moves. */
syc_status syc__steps_place_memory(struct syc__steps *steps, syc_buffer *buffer, unsigned place, size_t low,
                                   size_t bytes, cl_mem *out);
/* The whole buffer's cl_mem: offsets in it are the buffer's. */
syc_status syc__steps_whole(struct syc__steps *steps, size_t index, cl_mem *out);
/* Copies every array that the device has no sight of to its memory (or the writable ones back), all at once, after the
 * step before. */
syc_status syc__steps_bindings(struct syc__steps *steps, bool to_device);
/* Host memory that the command owns until it completes. */
syc_status syc__steps_scratch(struct syc__steps *steps, size_t bytes, char **out);
/* Device memory that the command owns until it completes. */
syc_status syc__steps_scratch_memory(struct syc__steps *steps, size_t bytes, cl_mem *out);
/* The host's part when the native work has ended well, before dependents run: copy `bytes` packed bytes from
 * `packed` (scratch) into the array. Makes the command one that the host finishes. */
syc_status syc__steps_unpack(struct syc__steps *steps, const syc_host_array *array, const char *packed);

/* Does what syc__steps_unpack was told. */
void syc__work_unpack(SYC_KEEP const struct syc__work *work);

/* An argument that is no memory object: value, pointer, sampler or local memory. */
syc_status syc__set_plain_argument(SYC_KEEP syc_context *context, cl_kernel kernel, size_t index,
                                   SYC_KEEP const syc_argument *argument); /* launch.c */
/* cures/pocl_launch_clash.c: the launch failed without a fault of its own, because the driver made it wait for another.
 * All that it depends on has ended, and nobody else finishes it. */
bool syc__launch_is_innocent(SYC_KEEP const syc_command *command, int execution);
/* Enqueues it once more; without an event the failure is its outcome. */
syc_status syc__launch_again(syc_command *command);
/* The build whose kernels such a launch takes. launch.c */
syc_status syc__launch_build(SYC_KEEP const syc_queue *queue, SYC_KEEP const struct syc__work *work, syc_build **out);
/* NULL: it has not been built. */
syc_build *syc__launch_known_build(SYC_KEEP const syc_queue *queue, SYC_KEEP const struct syc__work *work);
/* One call of the driver: all of a launch, or a part of it. launch.c */
syc_status syc__enqueue_part(SYC_KEEP const struct syc__steps *steps, SYC_KEEP const struct syc__work *work,
                             SYC_KEEP cl_kernel kernel, SYC_KEEP const syc_geometry *geometry, cl_uint after_count,
                             SYC_KEEP const cl_event *after, SYC_GIVE cl_event *out);
/* lanes/caller_lane.c */
/* Would the calling thread be done with the command, and others not sooner? */
bool syc__caller_may(SYC_KEEP const syc_command *command);
/* May this thread have the caller's lane, and is the command for it? It has the lane until it leaves. */
bool syc__caller_takes(SYC_KEEP const syc_command *command);
void syc__caller_leaves(SYC_KEEP const syc_command *command);
/* lanes/team_lane.c */
/* Runs a command of RUNNING by calling its code, all of it: by the team, or on the calling thread. False: nothing was
 * done. */
bool syc__team_runs(SYC_KEEP const syc_command *command);
/* Where a driver does not take a cl_mem for an argument that has held a pointer, kernels are kept apart by which
 * arguments are pointers. */
uint64_t syc__pointer_mask(SYC_KEEP const syc_queue *queue, SYC_KEEP const struct syc__work *work); /* launch.c */
/* A move between two places of the host: done by the calling thread, at once. Marks nothing. */
syc_status syc__move_on_host(SYC_KEEP const struct syc__move *move); /* move.c */
/* True if the host packs, unpacks or reads the array at this side of a copy itself, or may. */
bool syc__copy_is_by_host(SYC_KEEP const struct syc__work *work, SYC_KEEP const syc_side *side,
                          SYC_KEEP const syc_facts *facts); /* copy.c */

#endif
