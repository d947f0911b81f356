/* How the self-test is made: inside known*.c only. */
#ifndef SYC_ALGO_SELFTEST_PARTS_H
#define SYC_ALGO_SELFTEST_PARTS_H

#include "algo/selftest/selftest.h"
#include "base/text.h"
#include "body/name.h"
#include "program/program.h"
#include "schedule/geometry.h"

#include <pthread.h>
#include <stdatomic.h>

enum { SYC__KNOWN_BUFFERS = 16, SYC__KNOWN_ARGUMENTS = 48, SYC__KNOWN_WAYS = 4 };

typedef struct syc_lowering syc_lowering; /* algo/lower/lower.h */

struct syc__trial;
/* True if the buffers hold the right answers; else `words` says what is wrong. */
typedef bool (*syc__selftest_check)(SYC_KEEP const struct syc__trial *trial, syc_text *words);

typedef enum syc__outcome {
    SYC__RIGHT,
    SYC__WRONG,
    SYC__FAILED,  /* it does not build, or not start: wrong, if anything else does at the moment */
    SYC__UNTESTED /* the machine lacks something */
} syc__outcome;

/* An argument behind those that are named. */
struct syc__trial_value {
    enum { SYC__TRIAL_NUMBER, SYC__TRIAL_LOCAL, SYC__TRIAL_BUFFER } kind;
    size_t size;
    uint64_t bytes; /* the number, or which of the buffers */
};

/* One launch of one kernel, on a thread of its own, so that who waits for it can go on when the driver does not. */
typedef struct syc__trial {
    syc_context *context; /* retained, as the device is */
    syc_device *device;
    syc_program *program;
    char *options;
    struct {
        void *bytes; /* what the kernel finds; afterwards what it left */
        size_t size;
    } buffers[SYC__KNOWN_BUFFERS];
    size_t buffer_count, written; /* the first that the kernel writes to: those behind are written, too */
    size_t named;                 /* buffers that are the first arguments */
    struct syc__trial_value values[SYC__KNOWN_ARGUMENTS]; /* the other arguments */
    size_t value_count;
    syc_geometry launch;
    size_t items;     /* what the check goes by: items, or bytes of a number, */
    const void *what; /* and a row of a table */
    syc__selftest_check check;
    syc_selftest_fault fault;
    uint64_t kernel_ns, all_ns; /* how long the launch may take, and how long everything */
    atomic_int users;           /* the waiting thread and the working one: the last frees it */
    /* Under the lock. */
    pthread_mutex_t lock;
    pthread_cond_t end;
    bool ended;
    syc__outcome outcome;
    syc_text words;
} syc__trial;

/* trial.c */
/* Takes context and device. */
syc_status syc__trial_create(syc_context *context, syc_device *device, SYC_GIVE syc__trial **out);
void syc__trial_release(SYC_TAKE syc__trial *trial); /* NULL is fine */
/* Zeroed memory for buffer number `index`. */
syc_status syc__trial_buffer(syc__trial *trial, size_t size, void *out_pointer);
/* Runs it, for all_ns at most. */
syc__outcome syc__trial_run(SYC_TAKE syc__trial *trial, syc_text *words);

/* The options of a build of its program (program/build.h) in this way. */
syc_status syc__trial_options(syc__trial *trial, syc_family family, unsigned way);

/* form.c */
/* The body in the lowering's form over a range, the user's: program, launch and the arguments behind the buffers, which
 * are there, one for each name but those of local memory, which come last. */
syc_status syc__trial_form(syc__trial *trial, SYC_KEEP const syc_body_source *source,
                           SYC_KEEP const syc_lowering *lowering, SYC_KEEP const syc_geometry *range);

/* library.c, bodies.c, reductions.c, scans.c: all of a trial of the family in one way, but its options. */
syc_status syc__selftest_library_trial(syc__trial *trial, syc_family family);
syc_status syc__selftest_body_trial(syc__trial *trial, syc_family family, unsigned way);
syc_status syc__selftest_reduce_trial(syc__trial *trial, syc_family family);
syc_status syc__selftest_scan_trial(syc__trial *trial, syc_family family);

/* control.c */
/* Does the driver build and run a trivial kernel at the moment? `words` say why not. Takes a build's time. */
bool syc__selftest_control(syc_context *context, syc_device *device, syc_text *words);

/* reals.c: x, z and w, which floats can be, and sin(x), exp(z), log(w), pow(w, z), rounded to double. */
enum {
    SYC__REAL_X,
    SYC__REAL_Z,
    SYC__REAL_W,
    SYC__REAL_SIN,
    SYC__REAL_EXP,
    SYC__REAL_LOG,
    SYC__REAL_POW,
    SYC__REAL_COLUMNS,
    SYC__REAL_ROWS = 23
};
extern const double syc__selftest_reals[SYC__REAL_ROWS][SYC__REAL_COLUMNS];

/* ways.c */
const char *syc__selftest_family_name(syc_family family);
const char *syc__selftest_way_name(syc_family family, unsigned way);
/* The family that a body takes where it has no right way in this one; SYC_FAMILY_COUNT where there is none. */
syc_family syc__selftest_stand_in(syc_family family);
/* The ways to try, the one that the facts want first. Families before it must have been settled. */
size_t syc__selftest_ways(SYC_KEEP const syc_device *device, syc_family family, unsigned char out[SYC__KNOWN_WAYS]);
/* Those that must be settled before it: with it. */
syc_families syc__selftest_needs(SYC_KEEP const syc_device *device, syc_family family);

/* Numbers without a pattern: the same everywhere. */
static inline uint32_t syc__selftest_number(uint32_t i)
{
    i = (i + 1) * 2654435761u;
    i ^= i >> 15;
    i *= 2246822519u;
    return i ^ i >> 13;
}

#endif
