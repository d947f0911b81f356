/* Tables of measured rows: which row a launch gets, and why. An algorithm's own row begins with a syc_row and says what
 * is launched; the functions of its table say for which launches. All read only, but for syc_table_force; any thread.
 */
#ifndef SYC_ALGO_TABLE_H
#define SYC_ALGO_TABLE_H

#include "base/status.h"
#include "cl/facts.h"
#include "cl/family.h"

#include <stddef.h>

typedef struct syc_device syc_device; /* cl/device.h */

/* The devices that a row is for, as bits. */
enum {
    SYC_ON_ANY = 0,
    SYC_ON_SINGLY = 1 << SYC_ITEMS_SINGLY,
    SYC_ON_LOOPED = 1 << SYC_ITEMS_LOOPED,
    SYC_ON_PACKED = 1 << SYC_ITEMS_PACKED,
    SYC_ON_CPUS = SYC_ON_LOOPED | SYC_ON_PACKED,
    SYC_ON_THREADED = 1 << SYC_ITEMS_THREADED
};

enum {
    SYC_ROW_SPARE = 1, /* only by its name: for tuning, tests and benches */
    SYC_ROW_STAND_IN =
        2,           /* where the self-test has found all rows before it wrong; nothing is left if it is wrong too */
    SYC_ROW_TEST = 4 /* only where a test asks for it; the self-test is not asked of it. They stand last */
};

typedef struct syc_row {
    uint8_t items, flags;              /* SYC_ON_..., SYC_ROW_... */
    const char *name, *why, *measured; /* "PoCL, a loop"; a sentence for explain(); with what result */
} syc_row;

#define SYC_TEST_ROW(what)                                                                         \
    {                                                                                              \
        .flags = SYC_ROW_TEST, .name = "forced", .why = "a test asked for " what, .measured = "no" \
    }

/* `question`: what a launch is chosen by, of the table's own type. A function that is NULL says yes, or nothing. */
typedef struct syc_table {
    const void *rows;
    size_t count, size;
    bool (*can)(const void *row, const void *question);                   /* at all, whoever asks for it */
    bool (*prefers)(const void *row, const void *question);               /* and by itself */
    bool (*asked)(const void *row, const void *question);                 /* TEST rows: does a test ask for it? */
    syc_families (*families)(const void *row, const void *question);      /* that the self-test knows it by */
    const void *(*tuned)(const syc_device *device, const void *question); /* the row that was measured to be best */
    _Atomic(const syc_row *) forced;
} syc_table;

#define SYC_TABLE_OF(array) .rows = (array), .count = sizeof(array) / sizeof *(array), .size = sizeof *(array)

/* The row that a test asks for, else the forced one, else the tuned one; where that cannot be or is wrong on the
 * device, the first that can be, is preferred and right. Where none is, the STAND_IN, or else the first of the wrong
 * ones: the caller refuses. */
const void *syc_table_find(SYC_KEEP const syc_table *table, SYC_KEEP const syc_device *device,
                           SYC_KEEP const void *question);
/* The families that the self-test must know for the row. */
syc_families syc_table_families(SYC_KEEP const syc_table *table, SYC_KEEP const void *row,
                                SYC_KEEP const void *question);

/* The names of the rows that can be asked for on the device, NULL behind the last. */
const char *syc_table_name(SYC_KEEP const syc_table *table, SYC_KEEP const syc_device *device, size_t index);
/* The row with this name; NULL: there is none. `device` may be NULL: of any. */
const void *syc_table_named(SYC_KEEP const syc_table *table, SYC_KEEP const syc_device *device,
                            SYC_KEEP const char *name);
/* From now on launches that can have the row with this name have it, on any device; without such a row, or with NULL,
 * the table decides again. */
void syc_table_force(syc_table *table, SYC_KEEP const char *name);

#endif
