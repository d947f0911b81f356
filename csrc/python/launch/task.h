/* One command being put together: what it does, the buffers and allocations it uses, and the Python objects it pins.
 * The queue's shortcuts have one on the stack; a handler has one until its group ends. */
#ifndef SYC_PYTHON_LAUNCH_TASK_H
#define SYC_PYTHON_LAUNCH_TASK_H

#include "python/memory/memory.h"
#include "python/pins.h"
#include "python/wait.h"
#include "schedule/task.h"

struct syc_py_after; /* launch.h */

typedef struct syc_py_task {
    syc_task core; /* kind, and launch, copy, fill or hint; its arrays are filled in at the submission */
    syc_need *needs, few_needs[6];
    size_t need_count, need_room;
    syc_usm **allocations, *few_allocations[6]; /* retained */
    size_t allocation_count, allocation_room;
    syc_pins *pins; /* given to the command at the submission */
    bool again;     /* a submission that fails leaves the task as it was, for another queue */
    syc_py_waiting wait;
} syc_py_task;

/* Nothing in it, and no pins yet. */
void syc_py_task_start(syc_py_task *out);
/* Remembers the running Python line, and has room for `pinned` buffers. -1 with MemoryError set. */
int syc_py_task_init(syc_state *state, Py_ssize_t pinned, syc_py_task *out);
/* The same for a task that was started or initialised before, as long as no buffer has been pinned. */
int syc_py_task_pin(syc_state *state, syc_py_task *task, Py_ssize_t pinned);
void syc_py_task_clear(syc_py_task *task);
/* Two needs of one command may not both write to the same bytes at different places: AccessorError, -1. */
int syc_py_needs_check(syc_state *state, SYC_KEEP const syc_need *a, SYC_KEEP const syc_need *b);
/* Adds a need and retains its buffer; the same bytes of the same buffer at the same place become one: it writes if one
 * of them does, and keeps if one of them does. Checked against the others as above. `index`, unless NULL, is where it
 * stands among the task's. No need comes of no bytes: do not ask. */
int syc_py_task_need(syc_state *state, syc_py_task *task, const syc_need *need, size_t *index);
/* Adds an allocation and retains it. */
int syc_py_task_allocation(syc_py_task *task, syc_usm *usm);
/* An object to be kept until the command has completed. */
int syc_py_task_hold(syc_py_task *task, PyObject *object);
/* The same for a buffer in a command that is recorded: its object must not end before the recording. A part of a buffer
 * may: as long as it were kept, the buffer that its user closes would not be written back. */
int syc_py_task_hold_buffer(SYC_KEEP const QueueObject *queue, syc_py_task *task, BufferObject *buffer);
/* Does a small launch at once and with the GIL, which takes longer to give away and to get back, and uses the task up,
 * which needs no pins. NULL without an error: it was not done, and is to be submitted. */
PyObject *syc_py_task_try(QueueObject *queue, syc_py_task *task, SYC_KEEP const struct syc_py_after *after);
/* Submits, and uses the task up but for `again`. A new Event or NULL. */
PyObject *syc_py_task_submit(QueueObject *queue, syc_py_task *task, SYC_KEEP const struct syc_py_after *after);
/* The same, with something to be done first, without the GIL: where it fails nothing is submitted. */
PyObject *syc_py_task_submit_after(QueueObject *queue, syc_py_task *task,
                                   syc_status (*first)(syc_queue *queue, void *payload), void *payload,
                                   SYC_KEEP const struct syc_py_after *after);

#endif
