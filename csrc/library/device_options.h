/* The -D options that tell the device library of the devices that it is compiled for (kernels/README.md lists them).
 * Only programs that use texts which read them are given any. */
#ifndef SYC_LIBRARY_DEVICE_OPTIONS_H
#define SYC_LIBRARY_DEVICE_OPTIONS_H

#include "base/status.h"
#include "base/text.h"
#include "cl/facts.h"
#include "cl/family.h"

typedef struct syc_context syc_context;       /* cl/context.h */
typedef struct syc_signatures syc_signatures; /* source/declarations/signature.h */

typedef struct syc__device_choice {
    syc_group_shape group;
    syc_sub_group_kind sub_group;
    bool plain;            /* the compiler is to optimise nothing */
    unsigned ptx_arch;     /* of all of them; 0: not known */
    int range;             /* SYC_RANGE_SHAPE of kernels/joint/joint_range.clh */
    bool structs;          /* the fact shared_structs, of any of them */
    bool rows;             /* vectors of 16 are quick: SYC_ROWS_FROM of kernels/group/group_slots.clh */
    size_t sub_group_size; /* 0: the driver's own */
    size_t head, item;     /* words of scratch: of a kernel, and of each work-item of its groups */
    size_t largest;        /* work-items of a group for whom there is scratch */
} syc__device_choice;

/* For all devices of the context at once: what works on each of them. `families`: those whose functions are used. */
void syc__device_choose(SYC_KEEP const syc_context *context, SYC_KEEP const syc_signatures *kernels,
                        syc_families families, syc__device_choice *out);
/* The same where `out` says already which group, sub_group and plain are wanted. */
void syc__device_complete(SYC_KEEP const syc_context *context, SYC_KEEP const syc_signatures *kernels,
                          syc__device_choice *out);
/* " -D SYC_GROUP_SHAPE=3 ..." */
void syc__device_options_add(SYC_KEEP const syc__device_choice *choice, syc_text *out);

/* Adds the options without -cl-std=CL1.2, for compilers that refuse the library's variadic macros when it is given
 * (syc_facts). */
void syc__options_add_without_cl12(SYC_KEEP const char *options, syc_text *out);

/* SYC_E_KERNEL_NOT_SUPPORTED: two kernels of a program require emulated sub-groups of different sizes. */
syc_status syc__device_check(SYC_KEEP const syc_context *context, SYC_KEEP const syc_signatures *kernels,
                             SYC_KEEP const syc__device_choice *choice);

#endif
