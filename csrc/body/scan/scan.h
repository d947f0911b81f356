/* Scans: a body of two texts, "t += x[i];" and "y[i] = t;". The first says what an element contributes to each scanner,
 * in the words of reducers and `t.restart(condition)`, which begins a segment. The second runs behind it for each
 * element, and knows `t`, the scan up to the element, and `t.before`, the scan before it. Inside the core only.
 *
 * The two stand in one text, with a line "}{" between them (`seam`), so they are read once: names, words, claims and
 * traits are those of both. In a kernel each is a function of its own. The first may run several times for an element,
 * so it writes nothing.
 *
 * A *line* is what is scanned together: the range, or its elements along one dimension. Lines are cut into *tiles*.
 *
 * TILES: one work-item a group, which takes tiles in their order until none is left. A tile's elements are taken in
 * blocks that stay in the nearest cache: contributions first, then their prefixes, then the second text, each in a loop
 * of its own. What comes before a tile is its *carry*: where there are several groups, each tile is combined first, and
 * that sum is left for the tiles behind it. A group that waits for a sum too long combines that tile by itself: it is
 * the same sum to the bit, and nobody depends on another group's progress.
 *
 * ROUNDS: large groups, which have a tile's elements in local memory, and take tiles in turns (rounds.c).
 *
 * SIDE_BY_SIDE: a work-item for neighbouring lines, with an accumulator each, where the innermost dimension is kept.
 *
 * Texts, operators and sums are those of reductions: accumulators and their functions are operator/'s. */
#ifndef SYC_BODY_SCAN_SCAN_H
#define SYC_BODY_SCAN_SCAN_H

#include "body/reduce/reduce.h"

/* texts.c: both texts with calls and names for the scanners' words; says in the names which words there are.
 * SYC_E_BUILD: what a scanner cannot do. SYC_E_KERNEL_ARGUMENT: a scanner that the first text does not use. */
syc_status syc__scan_write_words(SYC_KEEP const syc_body_source *source, syc_name *names, syc_text *out);
/* Scanners are for scans, and reducers for others. SYC_E_INVALID_PARAMETER. */
syc_status syc__scan_check_names(SYC_KEEP const syc_body_source *source);
/* What the reading has found that a scan cannot have. SYC_E_KERNEL_ARGUMENT: the first text writes. */
syc_status syc__scan_check(SYC_KEEP const syc_body *body);

/* Where a line of the text begins, counted from 1. */
const char *syc__scan_line(SYC_KEEP const char *text, size_t line);
/* Is there a second text? */
bool syc__scan_has_second(SYC_KEEP const syc_body *body);
/* A scanner with segments, whose value before an element is asked for: that is not the neighbour's where one begins. */
bool syc__scan_has_marks(SYC_KEEP const syc_name *name);
/* The operator is the core's own, of numbers; and there are no segments. */
bool syc__scan_has_numbers(SYC_KEEP const syc_name *name);
bool syc__scan_is_native(SYC_KEEP const syc_name *name);
/* Prefixes in vectors, in this form: the operator is the core's own, of numbers. */
bool syc__scan_has_vectors(SYC_KEEP const syc__writer *w, SYC_KEEP const syc_name *name);

/* each.c: elements of a scanner's vector. */
unsigned syc__scan_lanes(SYC_KEEP const syc_name *name);
/* Text for a scanner, '$' its name, '@' its type, '~' its lanes; for each. */
void syc__add_scanner(syc__writer *w, SYC_KEEP const syc_name *name, const char *text);
void syc__add_scanners(syc__writer *w, SYC_KEEP const char *text);
/* The same for those that have segments. */
void syc__add_restarts(syc__writer *w, const char *text);
bool syc__any_restarts(SYC_KEEP const syc_body *body);

/* vectors.c: are there segments, too, so that flags stand beside the values? */
bool syc__scan_has_heads(SYC_KEEP const syc__writer *w, SYC_KEEP const syc_name *name);
/* The functions; a block's prefixes; and its sum alone. */
void syc__write_vector_functions(syc__writer *w, SYC_KEEP const syc_name *name);
void syc__write_vector_prefixes(syc__writer *w, SYC_KEEP const syc_name *name);
void syc__write_vector_sum(syc__writer *w, SYC_KEEP const syc_name *name);

/* second.c: the second text as a function, SYC__SECOND; `chooses`: it is a condition and a statement, which in TILES
 * are functions by themselves, SYC__CHOICE and this one. */
#define SYC__SECOND "syc_then"
#define SYC__CHOICE "syc_when"
syc_status syc__write_second(syc__writer *w);
/* The names as parameters, with what `scanner` writes for each scanner. */
void syc__write_scan_parameters(syc__writer *w, void (*scanner)(syc__writer *w, SYC_KEEP const syc_name *name));

/* functions.c: up to the kernel's '{': types, functions of each scanner, and both texts. */
syc_status syc__write_scan_head(syc__writer *w, const char *what);
/* syc_start_<name>. */
void syc__write_starts(syc__writer *w);
/* The call of the first text for the element number syc_q, whose part is `at`, with '$' for the name (in TILES
 * syc_sum_$[syc_j]), and which is the `first` of its line where that is true; of a function of
 * the second for the element syc_j of a block of TILES, with `more` behind the names, or NULL; of the second for one of
 * SIDE_BY_SIDE, and of ROUNDS. */
void syc__write_first_call(syc__writer *w, const char *at, const char *first);
void syc__write_second_call(syc__writer *w, const char *function, const char *more);
void syc__write_beside_call(syc__writer *w);
void syc__write_round_call(syc__writer *w);
/* places.c: syc_length, the elements of a line, and syc_lines. */
void syc__write_scan_sizes(syc__writer *w);
/* What is constant along the line syc_line. */
void syc__write_scan_line(syc__writer *w);
/* The ids of the element that is number syc_q of its line. */
void syc__write_scan_element(syc__writer *w);
/* The words where groups meet; totals of lines without elements; and what the last group sets back. */
void syc__write_scan_words(syc__writer *w);
void syc__write_scan_empty(syc__writer *w);
void syc__write_scan_ending(syc__writer *w);
/* Are the elements of a line neighbours, in the order of the scan? */
bool syc__scan_goes_along(SYC_KEEP const syc__writer *w);
/* The dimension that is scanned, in OpenCL's order. */
unsigned syc__scan_dimension(SYC_KEEP const syc__writer *w);

syc_status syc__write_tiles(syc__writer *w);
syc_status syc__write_side_by_side(syc__writer *w);
syc_status syc__write_rounds(syc__writer *w);

#endif
