/* Shared by the parts of schedule/: the order lock, the command's inside, and the steps of a command's life.
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
#include "cl/context.h"
#include "cl/event.h"
#include "memory/buffer.h"
#include "memory/hazard.h"
#include "memory/usm/usm.h"
#include "schedule/graph.h"
#include "schedule/host_task.h"
#include "schedule/queue.h"
#include "schedule/task.h"

#include <pthread.h>

/* RECORDED: a command of a recording, that never runs by itself. */
enum syc__state { SYC__NEW, SYC__DEFERRED, SYC__RUNNING, SYC__ENQUEUED, SYC__FINISHING, SYC__COMPLETE, SYC__RECORDED };

/* Tells which member of the work's union is used. */
enum syc__kind {
    SYC_TASK_NONE,
    SYC_TASK_LAUNCH,
    SYC_TASK_COPY,
    SYC_TASK_FILL,
    SYC_TASK_HINT,
    SYC_TASK_REPLAY, /* of a recording: made by syc_replay_submit (replay/record.h) */
    SYC_TASK_HOST,
    SYC__MOVE, /* these are of the core's own making */
    SYC__ACCESS
};

struct syc__work;
struct syc__steps;

/* How one kind of work is done: a table of the file that does it. No file names them all: submitting, starting and
 * ending a command comes to the kinds only through its work. NULL: nothing is done, or nothing differs. */
struct syc_task_ops {
    enum syc__kind kind;
    const char *word; /* "kernel", "copy", ... */
    /* Makes the OpenCL calls; on failure the caller undoes. NULL: there are none. */
    syc_status (*enqueue)(struct syc__steps *steps);
    /* Of a kind without calls: has it done by a thread that is not the core's. The command is RUNNING. */
    void (*hand_over)(syc_command *command);
    /* Where syc__work_is_on_host says so: does it, at once. */
    syc_status (*on_host)(const struct syc__work *work);
    /* True if it reads host memory when it is enqueued (by us or by the driver), so that it must not be enqueued
     * before what it depends on has ended. */
    bool (*reads_early)(const syc_command *command);
    /* The most that it may cost to be run by the calling thread, when a single command may cost `one`. */
    uint64_t (*budget_ns)(const struct syc__work *work, uint64_t one);
    /* Of work that others are part of: asks them all for their verdicts, and remembers the first that is bad; tells
     * them how it ended; the one that failed, NULL where none is known; its OpenCL code, where the whole's is `code`,
     * which is remembered. */
    syc_status (*ask)(struct syc__work *work);
    void (*ended)(const struct syc__work *work, bool succeeded);
    const struct syc__work *(*failed)(const struct syc__work *work);
    int (*code)(const syc_command *command, int code);
    /* Retains, and releases, what it names besides a launch's program and samplers, needs and allocations. */
    void (*retain)(struct syc__work *work);
    void (*release)(struct syc__work *work);
};

/* Bytes of a buffer on their way from one place to another: [low, high), current at `from` when it runs. */
struct syc__move {
    syc_buffer *buffer; /* retained */
    unsigned from, to;
    size_t low, high;
};

/* One entry of the command's in a map of hazards: so that it can be taken out again. */
struct syc__use {
    syc_hazards *map;
    uintptr_t low, high;
    bool write;
};

/* A cl_mem that a command holds: a view of a buffer, or scratch memory of its own (buffer NULL). */
struct syc__held {
    syc_buffer *buffer;
    cl_mem memory;
};

/* Host memory of the command's own, and where its contents go when the native work has ended. */
struct syc__scratch {
    char *bytes;
    const syc_host_array *to; /* NULL: nowhere. Borrowed from the work */
};

/* The part of a command that is freed when it has completed. */
struct syc__work {
    const syc_task_ops *ops;
    syc_need *needs; /* buffers retained, places set */
    size_t need_count;
    syc_usm **allocations; /* retained */
    size_t allocation_count;
    union {
        struct {
            syc_program *program; /* retained */
            size_t kernel;
            cl_kernel native; /* the user's, launched as it is; else NULL */
            const void *told;
            syc_geometry geometry;
            syc_argument *arguments; /* values lie behind the array, in the same block */
            size_t argument_count;
        } launch;
        syc_copy copy;
        syc_fill fill; /* the pattern lies in the same block */
        syc_hint hint;
        struct syc__move move;
        struct {
            struct syc_replay *replay; /* retained */
            cl_event *events;          /* of all its calls */
            size_t event_count, event_room;
            struct syc__stretch *stretches; /* recording.h: which of them are whose */
            struct syc__part *parts;        /* recording.h */
            size_t failed;                  /* the number of the command that failed, from 1; 0: none that is known */
        } replay;
    };
    syc_binding *bindings; /* one per SPAN argument, in order (a replay: per array); filled when it is enqueued */
    size_t binding_count;
    struct syc__use *uses; /* all it has in maps of hazards; of a launch in the same block, with room for all */
    size_t use_count, use_room;
    struct syc__held *held;
    size_t held_count, held_room;
    struct syc__scratch *scratch;
    size_t scratch_count, scratch_room;
    syc_keep keep;
    syc_verdict verdict; /* their payloads live as long as the keep */
    syc_ending ending;
    syc_site site;
};

struct syc_command {
    syc_refcount refs;
    _Atomic int state;
    syc_queue *queue;     /* retained; NULL for a foreign event and for a host access */
    syc_context *context; /* retained; NULL for a host access */
    syc_lane lane;        /* where it was enqueued */
    bool write_back;      /* ends with a copy by the host: no native edge may stand for it */
    cl_event native;      /* one reference while ENQUEUED; its end is the command's end. Of a silent one: NULL at first,
                             and set under the order lock */
    atomic_bool silent;   /* enqueued, or to be, without an event: silent.c */
    cl_event first;       /* its first step when that is another one, for the times; else NULL */
    cl_event launched;    /* the launch itself when copies follow it, for its code; else NULL */
    struct syc__work *work;
    syc_command **after; /* retained until it completes */
    size_t after_count, after_room;
    size_t named_count;                /* the first of them were named by the caller, or are the queue's order */
    unsigned long long looked_at;      /* by which search through the graph last */
    unsigned long long serial;         /* its own, from 1 */
    unsigned long long graph_at;       /* its place in graph.c's log */
    unsigned long long last_dependent; /* the serial of the last command that took it as a dependency */
    syc_failure *failure;
    syc_failure *doom;            /* it must not run: this is how it ends once its dependencies have ended */
    bool raised;                  /* the submitting call itself raised the failure: not asynchronous any more */
    bool awaited;                 /* the submitting call waits, and will raise it. Changed under the order lock */
    bool poisoned;                /* it failed because another did, and its message says which */
    bool vague;                   /* it failed, or another in its context: those behind it may have run */
    char *failed_site;            /* where a command that failed was submitted */
    bool ran;                     /* its native work was enqueued: if it fails, it may have written */
    bool granted;                 /* a host access, or a host task that runs: the host may touch the memory */
    bool carries;                 /* it copies a buffer's bytes from place to place */
    bool launches;                /* its work is a kernel's launch */
    bool abandoned;               /* a host access that was never granted: it changes nothing */
    bool rescues;                 /* a host access that takes what there is, whatever failed before it */
    unsigned long long recording; /* RECORDED: of which recording, and its place there */
    size_t recorded_at;
    pthread_t owner; /* of these the thread that holds it, or runs it */
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
    cl_command_queue natives[SYC_LANE_COUNT]; /* one of the two below; changes while no command is in flight */
    cl_command_queue plain[SYC_LANE_COUNT];   /* made with the queue's own options */
    cl_command_queue timed[SYC_LANE_COUNT];   /* NULL, or made for profiles (profile.c) */
    int profiles;                             /* that look at it; under the order lock */
    _Atomic uint64_t reaped_ns;   /* when it was last looked for commands that have ended, on a submission */
    atomic_bool shared;           /* its native queue was handed out: foreign work may be in it */
    atomic_uint silent;           /* launches since the latest one with an event */
    struct syc__staging *staging; /* pinned memory for large transfers, once it was needed (staging.c) */
    void *owner;                  /* the caller's own object for it; the caller keeps threads apart */
    /* Under the order lock: */
    syc_queue *next, *previous;   /* all queues, for the drain */
    syc_command *oldest, *newest; /* commands that have not completed; the list holds a reference to each */
    size_t pending;
    uint64_t ended_ns;                          /* when its latest command ended, where that matters */
    unsigned long long graph_id;                /* in graph.c's log, which outlives it; 0: not in there yet */
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
extern atomic_int syc__profiles;        /* that are open */
extern int syc__profiles_of_all_locked; /* ... of all queues, also of those to come */

static inline int syc__state_of(const syc_command *command)
{
    return atomic_load_explicit(&command->state, memory_order_acquire);
}

/* Do its commands keep their times? Of a profile nothing else is kept. */
static inline bool syc__keeps_times(const syc_queue *queue)
{
    return queue->options.profiling ||
           (atomic_load_explicit(&syc__profiles, memory_order_relaxed) > 0 && queue->natives[0] == queue->timed[0]);
}

static inline void syc__set_state(syc_command *command, enum syc__state state)
{
    atomic_store_explicit(&command->state, state, memory_order_release);
}

/* command.c */
syc_status syc__command_create(syc_queue *queue, syc_context *context, SYC_GIVE syc_command **out);
unsigned long long syc__command_newest(void); /* the serial of the latest one */
syc_status syc__command_depend_locked(syc_command *command, syc_command *on);
void syc__command_drop_after(syc_command *command);
char *syc__command_site(SYC_KEEP const syc_command *command);
/* SYC_E_INVALID for an event of a recorded command, where only those of submitted ones are of use; `what` begins the
 * words. */
syc_status syc__refuse_recorded(SYC_KEEP const syc_command *command, const char *what);
/* The kernel's name, or what kind of work it is. */
const char *syc__command_name(SYC_KEEP const syc_command *command);

/* work.c */
syc_status syc__work_create(SYC_KEEP const syc_task *task, SYC_GIVE struct syc__work **out);
void syc__work_free(SYC_KEEP const syc_command *command, SYC_TAKE struct syc__work *work);
/* There is nothing to do but to order. */
bool syc__work_empty(SYC_KEEP const struct syc__work *work);
/* A launch that lasts no longer than the call that submits it: all is borrowed from the task, and there is nothing to
 * free. No needs; `uses` has room for all that it may use. */
void syc__work_borrow(SYC_KEEP const syc_task *task, SYC_KEEP struct syc__use *uses, size_t room,
                      struct syc__work *out);
/* Done by the host, at once: no OpenCL call. */
bool syc__work_is_on_host(SYC_KEEP const struct syc__work *work);
uint64_t syc__work_cost_ns(SYC_KEEP const struct syc__work *work);
/* The name of the failed part: of a replay one of its commands, if it is known which. */
const struct syc__work *syc__work_failed(SYC_KEEP const struct syc__work *work);

/* enqueue.c: makes the OpenCL calls. On success command->native stands for the whole command, unless it is silent, or
 * there was no call: then it is NULL. On failure nothing of it is left running. No lock held. */
syc_status syc__enqueue(syc_command *command, syc_lane lane, const cl_event *after, cl_uint after_count);
/* The command is in its native queue: waiters may poll its event now, or ask for one. No lock held. */
void syc__publish(syc_command *command);

/* silent.c */
/* Was it enqueued without an event? */
static inline bool syc__is_silent(const syc_command *command)
{
    return command->silent && command->ran;
}
/* Is it in flight without an event still? Lock held. */
static inline bool syc__is_silent_locked(const syc_command *command)
{
    return syc__state_of(command) == SYC__ENQUEUED && command->silent && command->native == NULL;
}
/* Is `command`, if it is enqueued behind `on`, kept there by the order of their native queue, without an event? */
bool syc__is_ordered(SYC_KEEP const syc_command *command, SYC_KEEP const syc_command *on);
/* Is a launch before it about to be enqueued without an event, maybe after the command? Lock held. */
bool syc__is_silence_ahead_locked(SYC_KEEP const syc_command *command);
/* May the command, which is about to be enqueued behind others of its queue, go without an event? Lock held. */
bool syc__may_be_silent_locked(SYC_KEEP const syc_command *command);
/* The latest launch before it that has no event, retained, if that should have one before the command is enqueued,
 * which waits for events, or not; else NULL. Lock held. */
syc_command *syc__silent_before_locked(SYC_KEEP const syc_command *command, bool waits);
/* The command is in its native queue, with an event or without. */
void syc__count_silent(SYC_KEEP const syc_command *command);
/* The event of an enqueued command; of a silent one another whose end is its end, too, or NULL: there is none. Lock
 * held. */
cl_event syc__heard_by_locked(SYC_KEEP const syc_command *command);
/* A marker, whose end is that of all that is in the native queue now. It begins. No lock held. */
syc_status syc__enqueue_marker(SYC_KEEP const syc_queue *queue, SYC_GIVE cl_event *out);
/* Sees to it that a silent command has such an event. A refused marker is a failure for who does not wait, NULL; else
 * the native queue has been waited for: *waited is how that has ended, 0 or a code. CL_QUEUED: there was no need. No
 * lock held. */
syc_status syc__speak(syc_command *command, int *waited);
/* The same for those of a queue that nothing tells of. No lock held. */
void syc__speak_all(syc_queue *queue, bool waits);
/* Waits until no launch of the queue is about to be enqueued without an event. Lock held, dropped while waiting. */
void syc__silence_is_over_locked(const syc_queue *queue);

/* register.c: what a command waits for, and what will wait for it. */
/* Collects dependencies: named ones, the queue's order, memory. Then, in one go, makes it seen by other submissions.
 * All or nothing. */
syc_status syc__register_locked(syc_command *command, syc_command *const *after, size_t after_count);
/* Makes it one of its queue's commands in flight; the list holds a reference. */
void syc__enter_queue_locked(syc_command *command);
/* Takes it out of everything that it was registered in. */
void syc__unregister_locked(syc_command *command);

/* uses.c: its entries in maps of hazards. */
/* Finds out which they are to be: in `uses`. */
syc_status syc__uses_find_locked(syc_command *command);
/* Calls `each` for every command in flight that they make it wait for, possibly more than once. */
void syc__uses_visit_locked(SYC_KEEP const struct syc__work *work, void (*each)(syc_command *, void *), void *user);
/* Takes them out of the maps. */
void syc__uses_drop_locked(syc_command *command);

/* transfer/copy_plan.c: brings a command's needs up to date. */
/* Sees to it that every need has memory at its place; sets the places. No lock held. */
syc_status syc__settle_needs(syc_command *command);
/* The same for what the plan finds to be missing. */
syc_status syc__settle_routes(syc_command *command);
/* Plans, for a command that is about to be registered, the copies that its needs call for: each a registered command of
 * its own, retained, in order, in `moves`. SYC_TIMEOUT: storage is missing that only shows now: unlock, settle again,
 * try again. */
syc_status syc__plan_moves_locked(syc_command *command, SYC_GIVE syc_command ***moves, size_t *count);
/* The work of a command that moves bytes: move.c. */
syc_status syc__move_create(SYC_KEEP const struct syc__move *move, SYC_GIVE struct syc__work **out);
/* Records what the command will have done, once it is registered. */
void syc__plan_writes_locked(syc_command *command);
/* Settles the plan when the command ends. */
void syc__places_ended_locked(syc_command *command);

/* complete.c */
/* Ends a command that no native event stands for (any more); `status` is its outcome and this thread's last failure. */
void syc__complete(syc_command *command, syc_status status);
/* Waits for the native end of a RUNNING command in the calling thread's lane, and completes it. False when the driver
 * would not say how it ended: then it must be published, to be polled for like any other. */
bool syc__run_to_end(syc_command *command);
/* The status of an event of the command's. */
syc_status syc__event_status(SYC_KEEP const syc_command *command, SYC_KEEP cl_event event, cl_int *execution);
/* Is a code that the driver has answered the end of all that its context has had in flight? */
bool syc__is_lost(SYC_KEEP const syc_command *command, int code);
/* The times of a command that the host has done, given on CLOCK_MONOTONIC and kept on the device's clock. */
void syc__set_host_times(syc_command *command, uint64_t submit, uint64_t start, uint64_t end);
/* The event that tells of an enqueued command's end, retained: its own, or of a silent one another's. NULL: it is not
 * enqueued, or not any more, or nothing tells of it. */
SYC_GIVE cl_event syc__hold_native(syc_command *command);
/* The event has ended, or a silent command has without one, NULL: of the threads that see it, one completes the
 * command.
 */
void syc__finish_native(syc_command *command, SYC_KEEP cl_event native, int execution);

/* queue.c: takes the native queues that its profiles want. SYC_TIMEOUT: not before its commands have ended. No lock
 * held. */
syc_status syc__queue_settle(syc_queue *queue);

/* wait.c */
/* Completes what has ended among the oldest commands of the queue and of one other, some at a time and not at every
 * turn: submitters call it, so that a program that waits for its last event only does not hold every array it ever
 * used. */
void syc__reap(syc_queue *queue);

/* submit.c */
/* Settles, plans and registers a command and the copies before it; starts those. The command is in flight afterwards,
 * whatever the status: with a failure it is to be doomed; unless `registered` is false. */
syc_status syc__enter(syc_command *command, syc_command *const *after, size_t after_count, bool *registered);
/* start.c */
/* Starts a command whose dependencies have all ended; the caller owns it (NEW or DEFERRED). A command that cannot be
 * enqueued is completed with the status that is returned; `raises` says that the caller raises it: no late error. */
syc_status syc__start(syc_command *command, bool raises);
/* Enqueues a command behind the events of those of its dependencies that the native queue's order does not keep before
 * it, and drops the events. */
syc_status syc__start_behind(syc_command *command, SYC_TAKE cl_event *events, size_t count);
/* lanes/at_once.c: does a new command here and now, and ends it, if its task is a launch for that. False: nothing was
 * done, and it is to be entered. `known`: without building anything. No lock held. */
bool syc__at_once(syc_command *command, SYC_KEEP const syc_task *task, syc_command *const *after, size_t after_count,
                  syc_site site, bool known);
/* fate.c */
/* How a command ends without running: by its own doom or by a dependency's failure. SYC_OK: it may run. */
syc_status syc__fate(syc_command *command);
/* The failure of a command that must not run because `origin` failed; `maybe` it has run by then, or a part of it. */
syc_status syc__poisoned(SYC_KEEP const syc_command *origin, bool maybe);

/* register.c: the calling thread holds a host access that the command waits for, however indirectly. */
bool syc__is_stuck_locked(SYC_KEEP syc_command *command);
/* dispatch.c: hands a command to the queue's dispatcher, starting its thread if none runs. Lock held. */
syc_status syc__defer_locked(syc_command *command);
/* host_task.c: no more of them: those that wait for a worker end with SYC_E_CLOSED. */
void syc__host_tasks_close(void);

#endif
