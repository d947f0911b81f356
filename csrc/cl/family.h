/* Families of kernels that a device computes in one of several *ways*: what the self-test (algo/selftest/selftest.h)
 * finds out of each device, where a fact (facts.h) is what is known of all of its kind. */
#ifndef SYC_CL_FAMILY_H
#define SYC_CL_FAMILY_H

#include <stdint.h>

/* In an order in which none needs what is found out of a later one. */
typedef enum syc_family {
    SYC_FAMILY_ITEM,          /* bodies: a work-item for each element */
    SYC_FAMILY_ITEM_ROWS,     /* the same over two or three dimensions */
    SYC_FAMILY_LOOP,          /* a work-item for a run of elements, as a loop that is vectorised */
    SYC_FAMILY_LOOP_ROWS,     /* the same over two or three dimensions */
    SYC_FAMILY_OWN_MEMORY,    /* loops for items that have memory of their own */
    SYC_FAMILY_WIDE,          /* a work-item for neighbours */
    SYC_FAMILY_PACK_FLOAT,    /* vectors of 16 in place of floats */
    SYC_FAMILY_PACK_DOUBLE,   /* and of doubles */
    SYC_FAMILY_ND_RANGE,      /* bodies over nd-ranges */
    SYC_FAMILY_HIERARCHICAL,  /* texts of work-groups */
    SYC_FAMILY_REDUCE_LANES,  /* bodies with reducers: a work-item for a run of elements, with many accumulators */
    SYC_FAMILY_REDUCE_STRIDE, /* groups that combine their items */
    SYC_FAMILY_REDUCE_PACK,   /* lanes in vectors of 16 */
    SYC_FAMILY_ALONG,         /* reducers of some dimensions: the shapes of body.h */
    SYC_FAMILY_ACROSS,
    SYC_FAMILY_SHORT,
    SYC_FAMILY_PADDED,
    SYC_FAMILY_COLUMNS,
    SYC_FAMILY_TEAMS,       /* along rows */
    SYC_FAMILY_TEAMS_DOWN,  /* columns */
    SYC_FAMILY_SPAN_COPIES, /* arrays of variables: the ways of body.h */
    SYC_FAMILY_SPAN_FOURFOLD,
    SYC_FAMILY_SPAN_FOLDED, /* copies that work-items of their own combine */
    SYC_FAMILY_SPAN_ALONE,
    SYC_FAMILY_SPAN_SHARED,
    SYC_FAMILY_SPAN_LOCAL,
    SYC_FAMILY_SPAN_TABLE,
    SYC_FAMILY_SPAN_LOCAL_TABLE,
    SYC_FAMILY_SUM_RUNNING,  /* the device library: sums in pairs and compensated ones */
    SYC_FAMILY_SUM_EXACT,    /* exact sums */
    SYC_FAMILY_SCAN_VECTORS, /* scans: tiles, with prefixes in vectors, */
    SYC_FAMILY_SCAN_PAST,    /* the same, with results that go past the caches, */
    SYC_FAMILY_SCAN_TILES,   /* in streams, */
    SYC_FAMILY_SCAN_BESIDE,  /* and lines side by side */
    SYC_FAMILY_ATOMICS,      /* atomic_fetch_add ... */
    SYC_FAMILY_ATOMICS_64,   /* of 64 bits, where the device has them */
    SYC_FAMILY_SUB_GROUPS,   /* group functions of sub-groups */
    SYC_FAMILY_WORK_GROUPS,  /* and of work-groups */
    SYC_FAMILY_JOINT,        /* joint_reduce ... */
    SYC_FAMILY_STRIDE_WARPS, /* REDUCE_STRIDE and nd-ranges, whose warps combine by shuffles first */
    SYC_FAMILY_TEAMS_WARPS,  /* TEAMS, the same */
    SYC_FAMILY_TEAMS_DOWN_WARPS,
    SYC_FAMILY_SCAN_ROUNDS, /* scans: large groups, the same */
    SYC_FAMILY_COUNT
} syc_family;

/* Several of them. */
typedef uint64_t syc_families;
static inline syc_families syc_family_bit(syc_family family)
{
    return (syc_families)1 << family;
}

/* A way is a byte: of SUB_GROUPS a syc_sub_group_kind, of WORK_GROUPS and JOINT a syc_group_shape, of HIERARCHICAL a
 * syc_hierarchical_way, of all others 1; or one of the words below. */
enum {
    SYC_WAY_UNKNOWN = 0, /* the facts decide */
    SYC_WAY_VALUE = 15,  /* what of the byte is the value */
    SYC_WAY_PLAIN = 16,  /* and the compiler is told to optimise nothing */
    SYC_WAY_NONE = 255   /* no way that there is gives right answers */
};
typedef enum syc_hierarchical_way { SYC_HIERARCHICAL_LOOPS = 1, SYC_HIERARCHICAL_ITEMS = 2 } syc_hierarchical_way;

#endif
