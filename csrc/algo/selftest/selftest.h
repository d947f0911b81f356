/* The self-test: before the first program of a family (cl/family.h) is built for a device, a kernel of that family
 * with known answers runs there. The way that gives them is taken from then on, in this process and, by way of the
 * cache, in later ones. */
#ifndef SYC_ALGO_SELFTEST_SELFTEST_H
#define SYC_ALGO_SELFTEST_SELFTEST_H

#include "base/status.h"
#include "cl/family.h"

typedef struct syc_context syc_context; /* cl/context.h */
typedef struct syc_device syc_device;   /* cl/device.h */

/* On or off, off at first, and where collectives are checked (PYSYCL_DEBUG): then the facts decide. Also tells programs
 * to ask (program.h). */
void syc_selftest_enable(bool on);
bool syc_selftest_enabled(void);

/* Makes sure that all of the families have a way on each device of the context, each found out by
 * one thread while others wait. May build and run kernels, with queues of its own, for a bounded time; hold no lock.
 * SYC_E_KERNEL_NOT_SUPPORTED: a device gets a family wrong in every way. */
syc_status syc_selftest_settle(SYC_KEEP syc_context *context, syc_families families);

/* The same, but wrong families are no error: syc_device_way() tells. */
syc_status syc_selftest_find_out(SYC_KEEP syc_context *context, syc_families families);

/* The families that pysycl uses on the device. */
syc_families syc_selftest_families(SYC_KEEP const syc_device *device);

/* -- for the doctor -- */

typedef enum syc_selftest_state {
    SYC_SELFTEST_NOT_YET,  /* nobody has asked */
    SYC_SELFTEST_RIGHT,    /* as the facts want it */
    SYC_SELFTEST_REPLACED, /* in another way */
    SYC_SELFTEST_REFUSED,  /* in none */
    SYC_SELFTEST_UNTESTED  /* the test could not be made: the facts are believed, until it can be */
} syc_selftest_state;

typedef struct syc_selftest_verdict {
    syc_selftest_state state;
    const char *family, *way; /* immortal words; way: NULL where none was found */
    char words[240];          /* why it was replaced or refused, or not tested */
    bool kept;                /* an earlier process has found it out */
    uint64_t ns;              /* what finding out took, here */
} syc_selftest_verdict;

void syc_selftest_verdict_of(SYC_KEEP syc_device *device, syc_family family, syc_selftest_verdict *out);

/* -- for tests -- */

typedef enum syc_selftest_fault {
    SYC_SELFTEST_NO_FAULT,
    SYC_SELFTEST_WRONG,     /* the first answer is not what the device gave */
    SYC_SELFTEST_BROKEN,    /* it does not build */
    SYC_SELFTEST_HANGS,     /* it does not end */
    SYC_SELFTEST_STUCK,     /* nor does the driver come back */
    SYC_SELFTEST_NO_MEMORY, /* it cannot be made */
    SYC_SELFTEST_DIES       /* the process ends */
} syc_selftest_fault;

/* The way number `at` (0: the first that is tried) of the family has the fault. */
void syc_selftest_set_fault(syc_family family, unsigned at, syc_selftest_fault fault);
void syc_selftest_set_limit(uint64_t ns); /* how long ways may take that hang or are stuck; 0: the usual time */
void syc_selftest_forget(void);           /* what this process has found out; nobody may be asking */
uint64_t syc_selftest_trials(void);       /* how many ways were tried in this process */

#endif
