/* Reductions along some dimensions of a range: the pieces that their forms are written with. Inside the core only.
 *
 * ALONG: the innermost axis is reduced. A work-item takes whole rows, or runs of long ones, with 64 accumulators along
 * the row, which become one at its end.
 *
 * ACROSS: the same for rows that are too short for that: 64 rows at a time, an accumulator each. Elements that are read
 * at a time are a row apart.
 *
 * SHORT: the same where the text is linear: as many rows as there are accumulators for their elements, which are read
 * as they lie; then the accumulators of each row become one, by passes over all of them.
 *
 * PADDED: the same for any text: each row begins with a vector of its own, and has accumulators for whole vectors.
 *
 * COLUMNS: the innermost axis is kept. An accumulator for each of some neighbouring columns, and the work-item goes
 * down the rows; where the text is linear several short rows are a long one.
 *
 * TEAMS: large groups, in which a team of work-items has a result (axes_teams.c).
 *
 * Where there are few results their rows are cut into pieces, which are partial results in global memory, and the group
 * that comes last combines them in their order: what is computed depends on the launch alone. */
#ifndef SYC_BODY_REDUCE_ALONG_H
#define SYC_BODY_REDUCE_ALONG_H

#include "body/axes.h"
#include "body/reduce/reduce.h"

/* axes_units.c, for the shapes whose work-items have lanes. Up to the kernel's '{'. */
syc_status syc__write_axes_head(syc__writer *w, const char *what);
/* The work is units, each a piece of one result or of some
 * neighbours'; a work-item takes units that follow each other. `held`: units of a piece; `steps`: what pieces are parts
 * of. Declares the unit's steps, from syc_first to before syc_past, and syc_place, its number among those of its piece.
 */
void syc__begin_units(syc__writer *w, const char *held, const char *steps);
/* The accumulators syc_sum_<name>, empty. SHORT, PADDED and COLUMNS have as many as syc_used
 * says. */
void syc__write_slots(syc__writer *w);
/* Every syc_slot below syc_end; `place` declares its place. One loop, whose length nobody knows: of a
 * loop of constant length within another one Intel's compiler makes something slower, and PoCL's nothing better. And
 * one of a row's length for what that leaves. */
void syc__write_slots_of(syc__writer *w, void (*place)(syc__writer *w));
/* Lanes from syc_from to before syc_end; `place` declares that of syc_lane. */
void syc__write_lanes_of(syc__writer *w, void (*place)(syc__writer *w));
/* In front of a loop whose turns are independent: vectors of 16, so many at a time. */
void syc__write_pragma(syc__writer *w, unsigned interleaved);
/* The unit's syc_wide results from syc_result on are in the first slots. */
void syc__end_units(syc__writer *w);

#endif
