/* Recordings: commands that are validated, built and put in order once, and submitted as one command as often as
 * wanted.
 *
 * While a recording is open, what its thread submits to its queue is recorded and not run; other threads and other
 * queues are not concerned. The event of a recorded command stands for its place in the recording only. A replay is one
 * command of the outer graph: it needs what its commands need, and runs them in the order that the rules for memory,
 * the queue and the named events gave them when they were recorded. */
#ifndef SYC_SCHEDULE_REPLAY_RECORD_H
#define SYC_SCHEDULE_REPLAY_RECORD_H

#include "memory/buffer.h"
#include "memory/usm/usm.h"
#include "schedule/queue.h"
#include "schedule/task.h"

typedef struct syc_recording syc_recording;

/* Opens a recording: one per thread at a time. SYC_E_INVALID: this thread has one open. */
syc_status syc_recording_begin(syc_queue *queue, SYC_GIVE syc_recording **out);
/* Closes it, for good, and makes it ready for its first replay. Any failure leaves it closed and of no use.
 * SYC_E_INVALID: another thread opened it. */
syc_status syc_recording_end(syc_recording *recording);
/* Closes it and forgets what was recorded. Any thread. */
void syc_recording_discard(syc_recording *recording);
void syc_recording_retain(syc_recording *recording);
void syc_recording_release(syc_recording *recording); /* NULL is fine; replays in flight hold what they use */
/* True if what this thread submits to the queue is recorded. */
bool syc_queue_is_recorded(SYC_KEEP const syc_queue *queue);
/* True if this thread records what is submitted to the queue. */
bool syc_recording_is_open(SYC_KEEP const syc_queue *queue);
/* True if the recording that this thread has open uses the buffer. */
bool syc_recording_uses(SYC_KEEP const syc_buffer *buffer);

/* -- what is in it; once it is closed -- */

typedef struct syc_recorded_command {
    const char *word, *name; /* "kernel", its name or "" */
    syc_launch launch;       /* program NULL: another kind of command. Arguments as they were recorded */
    const syc_need *needs;   /* that SYC_ARGUMENT_BUFFER points into */
    syc_site site;
} syc_recorded_command;

/* True if one of the tasks said so (task.h). */
bool syc_recording_has_arrays(SYC_KEEP const syc_recording *recording);
size_t syc_recording_count(SYC_KEEP const syc_recording *recording);
syc_recorded_command syc_recording_command(SYC_KEEP const syc_recording *recording, size_t index);
/* Commands that command `index` comes after, by their indices. Borrowed. */
const size_t *syc_recording_after(SYC_KEEP const syc_recording *recording, size_t index, size_t *count);

/* -- replays -- */

/* One argument of one recorded launch, with another value: of the same kind, and of the same size or a larger one. */
typedef struct syc_replacement {
    size_t command, argument;
    syc_argument value; /* BUFFER: its need is the one below */
    syc_need need;
    syc_usm *allocation; /* POINTER: where it leads, or NULL */
} syc_replacement;

typedef struct syc_replay syc_replay;

/* The recording with some arguments replaced: made for one submission. SYC_E_INVALID_OBJECT: a buffer that it uses was
 * closed, or memory freed. SYC_E_INVALID: it is not closed, or was discarded. */
syc_status syc_replay_create(syc_recording *recording, SYC_KEEP const syc_replacement *replacements, size_t count,
                             SYC_GIVE syc_replay **out);
void syc_replay_release(syc_replay *replay); /* NULL is fine */
/* The needs of all of it, one entry for the same bytes of the same buffer. Borrowed. */
const syc_need *syc_replay_needs(SYC_KEEP const syc_replay *replay, size_t *count);
/* Submits it as one command. As syc_queue_submit; after events that were named while it was recorded, too. */
syc_status syc_replay_submit(syc_replay *replay, bool awaited, syc_command *const *after, size_t after_count,
                             SYC_TAKE syc_keep keep, syc_site site, SYC_GIVE syc_command **out);

#endif
