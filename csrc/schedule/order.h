/* What the parts of schedule/ share: the order lock, the command's inside, and the steps of a command's life.
 *
 * One lock orders all submissions of the process (SYCL's submission order spans queues, devices and drivers). It is
 * held for list and map work and non-blocking OpenCL calls only: never across an enqueue, a wait, a release hook or
 * user code.
 *
 * States:  NEW -> RUNNING | ENQUEUED | DEFERRED;  DEFERRED -> RUNNING | ENQUEUED;  ENQUEUED -> FINISHING;
 *          any -> COMPLETE. Only the thread that moved a command to NEW, RUNNING or FINISHING may move it on; DEFERRED
 *          belongs to the queue's dispatcher. */
#ifndef SYC_SCHEDULE_ORDER_H
#define SYC_SCHEDULE_ORDER_H

#include "base/clock.h"
#include "base/process.h"
#include "cl/constants.h"
#include "schedule/hazard.h"
#include "schedule/queue.h"

#include <pthread.h>

enum syc__state { SYC__NEW, SYC__DEFERRED, SYC__RUNNING, SYC__ENQUEUED, SYC__FINISHING, SYC__COMPLETE };

/* What a command needs until it has completed, and nothing after. */
struct syc__work {
    syc_program *program; /* retained; NULL for an empty command */
    size_t kernel;
    syc_geometry geometry;
    syc_argument *arguments; /* values lie behind the array, in the same block */
    size_t argument_count;
    syc_binding *bindings; /* one per SPAN argument, in order; filled when it is enqueued */
    size_t binding_count;
    syc_keep keep;
    syc_site site;
};

struct syc_command {
    syc_refcount refs;
    _Atomic int state;
    syc_queue *queue;     /* retained; NULL for a foreign event */
    syc_context *context; /* retained */
    syc_lane lane;        /* where it was enqueued */
    bool write_back;      /* ends with a copy by the host: no native edge may stand for it */
    cl_event native;      /* one reference while ENQUEUED; its end is the command's end */
    cl_event first;       /* its first step when that is another one, for the times; else NULL */
    cl_event launched;    /* the launch itself when copies follow it, for its code; else NULL */
    struct syc__work *work;
    syc_command **after; /* retained until it completes */
    size_t after_count, after_room;
    unsigned long long serial;         /* its own, from 1 */
    unsigned long long last_dependent; /* the serial of the last command that took it as a dependency */
    syc_failure *failure;
    syc_failure *doom; /* it must not run: this is how it ends once its dependencies have ended */
    bool raised;       /* the submitting call itself raised the failure: not asynchronous any more */
    bool poisoned;     /* it failed because another did, and its message says which */
    char *failed_site; /* where a command that failed was submitted */
    syc_times times;
    bool timed;
    int untimed; /* the code with which the driver refused the times; 0: it was not asked, or gave them */
    syc_command *in_flight_next, *in_flight_previous; /* of its queue, in submission order */
    syc_command *deferred_next;
};

struct syc_queue {
    syc_refcount refs;
    syc_context *context;
    syc_device *device;
    syc_queue_options options;
    cl_command_queue natives[SYC_LANE_COUNT];
    atomic_bool shared; /* its native queue was handed out: foreign work may be in it */
    /* Under the order lock: */
    syc_queue *next, *previous;   /* all queues, for the drain */
    syc_command *oldest, *newest; /* commands that have not completed; the list holds a reference to each */
    size_t pending;
    syc_command *deferred_head, *deferred_tail; /* one reference each */
    bool dispatching;                           /* a dispatcher thread runs */
    struct syc__late *errors, **errors_end;
};

/* An asynchronous failure waiting to be fetched. */
struct syc__late {
    struct syc__late *next;
    syc_async_error error;
};

/* order.c */
void syc__order_lock(void);
void syc__order_unlock(void);
/* Something a waiter may wait for has changed. Lock held. */
void syc__order_changed_locked(void);
/* Waits for a change, at most until `deadline`. Lock held, dropped while waiting. */
void syc__order_wait_locked(const struct timespec *deadline);
syc_hazards *syc__hazards_locked(void); /* NULL without memory */
extern syc_queue *syc__queues_locked;
extern size_t syc__dispatchers_locked; /* threads alive */
extern atomic_size_t syc__pending;     /* commands in flight, of all queues; changes under the lock only */
extern atomic_bool syc__closing;

static inline int syc__state_of(const syc_command *command)
{
    return atomic_load_explicit(&command->state, memory_order_acquire);
}

static inline void syc__set_state(syc_command *command, enum syc__state state)
{
    atomic_store_explicit(&command->state, state, memory_order_release);
}

/* command.c */
/* Gives back an event that was retained for a moment and is not counted; a failure is reported. */
void syc__event_let_go(SYC_KEEP const syc_context *context, SYC_TAKE cl_event event);
syc_status syc__command_create(syc_queue *queue, syc_context *context, SYC_GIVE syc_command **out);
syc_status syc__command_depend_locked(syc_command *command, syc_command *on);
void syc__command_drop_after(syc_command *command);
char *syc__command_site(SYC_KEEP const syc_command *command);
const char *syc__command_kernel(SYC_KEEP const syc_command *command);

/* work.c */
syc_status syc__work_create(SYC_KEEP const syc_launch *launch, SYC_GIVE struct syc__work **out);
void syc__work_free(SYC_KEEP const syc_command *command, SYC_TAKE struct syc__work *work);
bool syc__work_empty(SYC_KEEP const struct syc__work *work);

/* enqueue.c: makes the OpenCL calls. On success command->native stands for the whole command; on failure nothing of it
 * is left running. No lock held. */
syc_status syc__enqueue(syc_command *command, syc_lane lane, const cl_event *after, cl_uint after_count);

/* complete.c */
/* Ends a command that no native event stands for (any more); `status` is its outcome and this thread's last failure. */
void syc__complete(syc_command *command, syc_status status);
/* Waits for the native end of a RUNNING command in the calling thread's lane, and completes it. False when the driver
 * would not say how it ended: then it must be published, to be polled for like any other. */
bool syc__run_to_end(syc_command *command);
/* Completes what has ended among the oldest commands of the queue and of one other, a few at a time: submitters call
 * it, so that a program that waits for its last event only does not hold every array it ever used. */
void syc__reap(syc_queue *queue);

/* submit.c */
/* Starts a command whose dependencies have all ended; the caller owns it (NEW or DEFERRED). A command that cannot be
 * enqueued is completed with the status that is returned; `raises` says that the caller raises it: no late error. */
syc_status syc__start(syc_command *command, bool raises);
/* The failure of a command that must not run because `origin` failed. */
syc_status syc__poisoned(SYC_KEEP const syc_command *origin);

/* dispatch.c: hands a command to the queue's dispatcher, behind all others or before them, starting its thread if none
 * runs. Lock held. */
syc_status syc__defer_locked(syc_command *command, bool first);

#endif
