/* Which places hold the current contents of which bytes of a buffer. Not locked: the caller holds the order lock.
 *
 * Two views of it are kept for each byte. `valid` is the plan: the places that are current once all that was submitted
 * has ended. `settled` is what has happened: the places that hold what the last successful writer left. When a writer
 * fails the plan falls back to what is settled, so that a command which never ran costs nothing; if nothing is settled
 * (its place was the only one, or there was nothing before) the bytes are lost. */
#ifndef SYC_MEMORY_COPIES_H
#define SYC_MEMORY_COPIES_H

#include "base/status.h"

#include <stdbool.h>
#include <stdint.h>

typedef uint32_t syc_place_set;

typedef struct syc_copy_segment {
    size_t low, high;
    syc_place_set valid, settled;
    unsigned long long writer; /* serial of the last planned writer; 0: none, or it has been undone */
    bool lost;                 /* a failed writer left garbage, and there is no other copy */
} syc_copy_segment;

typedef struct syc_copies {
    syc_copy_segment *items; /* sorted, adjoining, covering [0, bytes); none for an empty buffer */
    size_t count, room;
} syc_copies;

/* All bytes current at `places` (0: nowhere, the contents are undefined). */
syc_status syc_copies_init(syc_copies *copies, size_t bytes, syc_place_set places);
void syc_copies_clear(syc_copies *copies);
/* Makes borders at low and high, so that no later step on that range can fail. Without memory nothing changes. */
syc_status syc_copies_reserve(syc_copies *copies, size_t low, size_t high);
/* The first segment that ends above `low`; those of a reserved range follow it. */
size_t syc_copies_find(SYC_KEEP const syc_copies *copies, size_t low);
/* The places that are current for all of the range. */
syc_place_set syc_copies_common(SYC_KEEP const syc_copies *copies, size_t low, size_t high);
bool syc_copies_any_lost(SYC_KEEP const syc_copies *copies, size_t low, size_t high);

/* Ranges must have been reserved. */
/* Planned: a copy arrives at `place`, or a reader finds undefined bytes there and defines them. */
void syc_copies_arrive(syc_copies *copies, size_t low, size_t high, unsigned place);
/* Planned: command `serial` writes the range at `place`; all others become stale. */
void syc_copies_write(syc_copies *copies, size_t low, size_t high, unsigned place, unsigned long long serial);
/* Happened: the copy came, or it failed (`ran`: half-way). */
void syc_copies_arrived(syc_copies *copies, size_t low, size_t high, unsigned place);
void syc_copies_missed(syc_copies *copies, size_t low, size_t high, unsigned place, bool ran);
/* Happened: the writer ended well. */
void syc_copies_wrote(syc_copies *copies, size_t low, size_t high, unsigned place, unsigned long long serial);
/* Happened: the writer failed; `ran`: it may have written. True if bytes were lost. */
bool syc_copies_failed(syc_copies *copies, size_t low, size_t high, unsigned place, unsigned long long serial,
                       bool ran);
/* Joins equal neighbours of the range: when a use ends. */
void syc_copies_tidy(syc_copies *copies, size_t low, size_t high);

#endif
