/* Families of kernels that a device computes in one of several *ways*: what the self-test (algo/known.h) finds out of
 * each device, where a fact (facts.h) is what is known of all of its kind. */
#ifndef SYC_CL_FAMILY_H
#define SYC_CL_FAMILY_H

/* In an order in which none needs what is found out of a later one. */
typedef enum syc_family {
    SYC_FAMILY_ITEM,         /* bodies: a work-item for each element */
    SYC_FAMILY_LOOP,         /* a work-item for a run of elements, as a loop that is vectorised */
    SYC_FAMILY_OWN_MEMORY,   /* the same for items that have memory of their own */
    SYC_FAMILY_WIDE,         /* a work-item for neighbours */
    SYC_FAMILY_PACK_FLOAT,   /* vectors of 16 in place of floats */
    SYC_FAMILY_PACK_DOUBLE,  /* and of doubles */
    SYC_FAMILY_HIERARCHICAL, /* texts of work-groups */
    SYC_FAMILY_ATOMICS,      /* the device library: atomic_fetch_add ... */
    SYC_FAMILY_SUB_GROUPS,   /* group functions of sub-groups */
    SYC_FAMILY_WORK_GROUPS,  /* and of work-groups */
    SYC_FAMILY_JOINT,        /* joint_reduce ... */
    SYC_FAMILY_COUNT
} syc_family;

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
