/* The parts of the trials of reductions. Inside reductions.c and sums.c only. */
#ifndef SYC_ALGO_SELFTEST_REDUCTIONS_H
#define SYC_ALGO_SELFTEST_REDUCTIONS_H

#include "algo/selftest/parts.h"
#include "body/shape.h"

/* The input. */
typedef enum syc__reduced_kind {
    SYC__REDUCED_NUMBERS, /* a sum, and where it is meant a maximum of which no identity is known */
    SYC__REDUCED_BINS,    /* the same of arrays */
    SYC__REDUCED_REALS,   /* of built-ins */
    SYC__REDUCED_RUNNING, /* sums of other accuracies */
    SYC__REDUCED_EXACT
} syc__reduced_kind;

/* A row of the table. */
typedef struct syc__reduced {
    syc__reduced_kind kind;
    syc_shape shape; /* COUNT: the device's own */
    uint32_t n[3];   /* the range, SYCL's order: numbers of elements that nothing divides */
    unsigned reduced;
    uint32_t run, pieces, groups; /* of each shape what makes it do all that it can */
    uint32_t team;                /* TEAMS: how many a group has */
    bool packs, folds, warps;
    syc_span_way way;
} syc__reduced;

/* Elements of a line, of a run of LANES, and items of a group; variables' old values. */
enum { SYC__REDUCED_LINE = 6007, SYC__REDUCED_RUN = 448, SYC__REDUCED_WIDTH = 64 };
enum { SYC__REDUCED_FIRST = 11, SYC__REDUCED_FIRST_MOST = 5, SYC__REDUCED_NAMES = 8 };

/* sums.c: names of a text. The operator of one called "most" is maximum, of others plus. */
syc_name syc__reduced_input(SYC_KEEP const char *name, SYC_KEEP const char *type);
syc_name syc__reduced_output(SYC_KEEP const char *name, SYC_KEEP const char *type, SYC_KEEP const syc__reduced *row,
                             bool known);

/* sums.c: text, names, buffers and check of the kinds of floating-point numbers. */
syc_status syc__reduced_sums(syc__trial *trial, syc_body_source *source, syc_name names[SYC__REDUCED_NAMES]);

#endif
