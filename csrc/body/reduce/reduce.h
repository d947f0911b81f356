/* Reducers in bodies: "total += v[i]; top.combine(v[i]); bins[k]++". Inside the core only.
 *
 * The text's words for reducers become calls (words.c): syc_combine_total(syc_r_total, v[i]), where syc_r_total
 * leads to an accumulator of the work-item's own. Where those are, and how they become one, is the form's affair:
 *
 * LANES: one work-item a group. It takes runs of elements, LANES of them at a time, each of these with an accumulator
 * of its own: the compiler makes vectors of them, which it must not do with a single one, as sums of floating-point
 * numbers depend on their order.
 *
 * STRIDE: groups of many work-items, which take neighbours of a block; a group's blocks are as far apart as there are
 * groups. How often the loop within a block turns is the same for all of them, so drivers that pack work-items into
 * vectors need no masks. An accumulator each, combined in local memory, or by shuffles first. Where the text only takes
 * its own elements, these come 16 bytes at a time, several of them before the first is used.
 *
 * Over an nd-range the work-items are the user's, and combined as those of STRIDE.
 *
 * In all of them each group leaves a partial result in global memory, and the group that comes last combines those
 * and the variable's old value (end.c): one launch, with nothing to be set up before it.
 *
 * An accumulator is a syc_acc_<name>: the value itself, or where no identity is known the value and whether there is
 * one, or what an accuracy wants (operator/accuracy.c). Where an array is combined is a choice of its own, for each
 * array (syc_span_way). */
#ifndef SYC_BODY_REDUCE_REDUCE_H
#define SYC_BODY_REDUCE_REDUCE_H

#include "body/operator/operator.h"

typedef struct syc__edit syc__edit; /* source/edit.h */

/* -- words -- */

/* The text with calls for the reducers' words; `out` stays empty where there is no reducer. SYC_E_BUILD: what a reducer
 * cannot do, with its place; a macro of the preamble (or NULL) that says one. SYC_E_KERNEL_ARGUMENT: a reducer that the
 * text does not use. */
syc_status syc__reduce_write_words(SYC_KEEP const char *text, SYC_KEEP const char *preamble,
                                   SYC_KEEP const syc_name *names, size_t count, syc_text *out);
/* The same for tokens of a text that is being edited, from `from` to before `to`: up to there it is copied. `used`, of
 * `count`: which of them were met. */
syc_status syc__reduce_write_words_in(syc_arena *arena, syc__edit *edit, size_t from, size_t to,
                                      SYC_KEEP const syc_name *names, size_t count, bool *used);
/* reducer_names.c: for the tokens from `from` on, which reducer each names, or NULL: a variable of the text's own may
 * have its name, and a macro of the text's may be another word for it. */
syc_status syc__reduce_find_names(syc_arena *arena, SYC_KEEP const syc__edit *edit, size_t from, size_t to,
                                  SYC_KEEP const syc_name *names, size_t count, const syc_name ***out);
/* SYC_E_BUILD: a macro that is defined between these tokens of `front` says a reducer's name, and `edit` says the
 * macro's from `begin` to before `end`. Only macros of the text itself can. */
syc_status syc__reduce_refuse_macros(syc_arena *arena, SYC_KEEP const syc__edit *front, size_t to,
                                     SYC_KEEP const syc__edit *edit, size_t begin, size_t end,
                                     SYC_KEEP const syc_name *names, size_t count);
/* Is it the reducer in "#define word reducer"? */
bool syc__reduce_is_alias(SYC_KEEP const syc__edit *edit, size_t at);

/* Is it of an array, be that combined as one or by its variables? */
static inline bool syc__is_array(const syc_name *name)
{
    return syc__is_reducer(name) && (name->reducer.array || name->reducer.variables != NULL);
}

/* array_variables.c: those variables of each array that the text names, where all that it names are constants and not
 * too many. `out` is zeros, one for each name, and to be cleared in the end; a count of 0: it cannot be. */
syc_status syc__reduce_find_variables(SYC_KEEP const syc_body_source *source, syc_variables *out);
void syc__variables_clear(syc_variables *variables, size_t count); /* NULL is fine */
/* The number of the variable that the name leads to whose first subscript begins at the token. */
unsigned syc__reduce_variable_at(SYC_KEEP const syc_name *name, size_t token);

/* -- forms -- */

/* Variables of a reducer that have accumulators of their own: one, or some of an array; and the word for such a
 * variable in "syc_sum_<word>" and the like: the name, or one that is written to `room`. */
enum { SYC__VALUE_WORD = 272 };
static inline unsigned syc__values_of(const syc_name *name)
{
    return name->reducer.variables != NULL ? name->reducer.variables->count : !name->reducer.array;
}
const char *syc__value_word(SYC_KEEP const syc_name *name, unsigned value, char *room);
/* What those words stand for, behind the reducer's functions. */
void syc__write_variables(syc__writer *w, SYC_KEEP const syc_name *name);
/* By one work-item, before they are given their values: those that the text does not name. */
void syc__write_variables_filled(syc__writer *w);

/* accumulators.c: accumulators of a work-item of LANES: vectors of all widths, several of them at a time. */
enum { SYC__LANES = 64 };
/* Those that this reducer has of them: 64, or fewer where they are large, and lanes share them in turn. */
unsigned syc__lanes_of(SYC_KEEP const syc_name *name);
/* Elements that such a work-item takes at a time, which no reducer has more accumulators than. */
unsigned syc__lanes_at_a_time(SYC_KEEP const syc_body *body);
/* Has every accumulator a register, or two? Others stay in memory that clang has once for all turns of the loop over
 * the lanes, or have that between them, and would be told that no turn sees what another one writes there. */
bool syc__has_registers(SYC_KEEP const syc_body *body);
/* Types and functions for each reducer, behind the preamble. */
void syc__write_reducers(syc__writer *w);
/* An accumulator for each scalar reducer, syc_sum_<name>, and the copy of each array, syc_copy_<name>. */
void syc__write_accumulators(syc__writer *w);
/* The nd-range's: the text itself uses them. And then no more. */
void syc__write_reducer_macros(syc__writer *w);
void syc__write_no_reducer_macros(syc__writer *w);
/* steps.c, fold.c: what several forms are written with. `write` for each reducer; and with the name of each that has
 * accumulators syc_sum_<name>, which is all but arrays; for variables of an array it is the word. */
void syc__for_each_reducer(syc__writer *w, void (*write)(syc__writer *w, SYC_KEEP const syc_name *name));
void syc__for_each_sum(syc__writer *w, void (*write)(syc__writer *w, SYC_KEEP const char *name));
/* Text whose macros of kernels/forms/ are written out (library/template.h); the same where each '$' is the name; and
 * such a text for each that has accumulators. */
void syc__add_step(syc__writer *w, const char *format, ...) __attribute__((format(printf, 2, 3)));
void syc__add_for(syc__writer *w, SYC_KEEP const char *name, const char *text);
void syc__add_sums(syc__writer *w, const char *text);
enum { SYC__WARP = 32 };                                         /* items of a warp */
void syc__fold_lanes(syc__writer *w, SYC_KEEP const char *name); /* the accumulators of a work-item, into the first */
void syc__name_shared(syc__writer *w);                           /* syc_all_<name>: local memory, a value an item */
void syc__put_own(syc__writer *w);                               /* an item's value into it */
void syc__add_barrier(syc__writer *w);
/* end.c: from accumulators to the variables. */
void syc__write_reducer_ending(syc__writer *w);

/* accumulators.c: what no form can do. */
syc_status syc__check_reducers(SYC_KEEP const syc_body_source *source);
/* give.c: syc_give_<name>(to, x). Does the ending of one of the reducers mention a name? */
void syc__write_give(syc__writer *w, SYC_KEEP const syc_name *name);
bool syc__finish_mentions(SYC_KEEP const syc_body_source *source, SYC_KEEP const char *name);

/* span.c: what a subscript leads to, as a type and as an expression; how values are combined with it,
 * syc_combine_<name>(to, k, x); and behind all macros syc_index_<name>(i, ...), the k of subscripts. */
void syc__write_array_target(syc__writer *w, SYC_KEEP const syc_name *name);
void syc__write_array_place(syc__writer *w, SYC_KEEP const syc_name *name);
void syc__write_array_combine(syc__writer *w, SYC_KEEP const syc_name *name);
void syc__write_array_indices(syc__writer *w);

/* array.c: what stands before and behind the text, and for LANES the function that folds copies. */
syc_span_way syc__span_way(SYC_KEEP const syc__writer *w, SYC_KEEP const syc_name *name);
bool syc__has_fourfold(SYC_KEEP const syc__writer *w);
void syc__write_array_fold(syc__writer *w, SYC_KEEP const syc_name *name);
void syc__write_array_folders(syc__writer *w);
void syc__write_array_beginnings(syc__writer *w);
void syc__fold_arrays(syc__writer *w);
void syc__give_arrays(syc__writer *w);

/* lanes.c: LANES, and what the shapes share. */
syc_status syc__write_lanes(syc__writer *w);
/* The loop over a work-item's runs, up to its '{': each is from syc_from to before syc_end. */
void syc__write_runs_begin(syc__writer *w);
syc_status syc__write_stride(syc__writer *w); /* stride.c */
/* The ids in the dimensions behind 0, from the number of a row. */
void syc__write_rows(syc__writer *w, const char *row);
/* Up to the kernel's '{'; the text is a function before it. */
syc_status syc__write_reducing_head(syc__writer *w, const char *what);
/* The call of it, with the accumulators of a name at the index `slot`, or where that is NULL its only one. */
void syc__write_reducing_call(syc__writer *w, const char *slot);

/* Along some dimensions of the range: axes_lanes.c, axes_teams.c. */
syc_status syc__write_along(syc__writer *w);
syc_status syc__write_across(syc__writer *w);
syc_status syc__write_short(syc__writer *w);
syc_status syc__write_padded(syc__writer *w);
syc_status syc__write_columns(syc__writer *w);
syc_status syc__write_teams(syc__writer *w);

#endif
