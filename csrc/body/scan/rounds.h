/* The parts of ROUNDS' kernels (rounds.c), as text that is written. Inside the core only. */
#ifndef SYC_BODY_SCAN_ROUNDS_H
#define SYC_BODY_SCAN_ROUNDS_H

#include "body/scan/scan.h"

/* round_tile.c: where the group's warps meet; none where it is one work-item. */
void syc__write_round_barrier(syc__writer *w, const char *blanks);
/* The line and the elements of the tile whose number is `tile`. */
void syc__write_round_place(syc__writer *w, const char *tile);
/* A loop over the rows of a tile, in which syc_q is the work-item's element; and over the elements of its run, with a
 * step for each scanner. */
void syc__write_rows_begin(syc__writer *w);
void syc__write_run(syc__writer *w, const char *step);
/* The contribution of the element syc_q, in syc_sum_<name>; guarded: there may be none. */
void syc__write_round_contribution(syc__writer *w, bool guarded);
/* The tile syc_next is fetched; the one fetched last is laid down in local memory, its runs are summed, and its sum is
 * left for others. */
void syc__write_round_fetch(syc__writer *w);
void syc__write_round_lay(syc__writer *w);
void syc__write_round_sums(syc__writer *w);
void syc__write_round_leave(syc__writer *w);

/* round_carry.c: where the round ends a tile, syc_tile: the sums that come before it are asked for; and they give
 * syc_carry_<name>. */
void syc__write_round_ask(syc__writer *w);
void syc__write_round_carry(syc__writer *w);

#endif
