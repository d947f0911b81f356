/* Shared by the files that give kernels local memory for the device library: the text's functions and macros, and who
 * uses whom. Inside the core only; the public words are in scratch.h. */
#ifndef SYC_LIBRARY_SCRATCH_PARTS_H
#define SYC_LIBRARY_SCRATCH_PARTS_H

#include "library/scratch.h"
#include "source/declarations/parser.h"
#include "source/edits.h"

/* A piece among those of a word, and the word among those of the piece. */
struct syc__link {
    struct syc__link *next_piece, *next_word;
    struct syc__word *word;
    struct syc__piece *piece;
};
struct syc__user;

/* A word that is the name of a function or macro of the text, or of one of the library's that need scratch. */
typedef struct syc__word {
    const syc_token *token;
    bool marked;              /* it needs scratch, or something that it uses does */
    bool macro;               /* a macro of the text: it says `syc_scratch` by itself when it is expanded */
    bool bare, filled;        /* of its functions: some have no parameters, some have */
    struct syc__user *users;  /* pieces that mention it */
    struct syc__link *pieces; /* that have this name */
    struct syc__word *next;   /* in the list of words that were marked and not followed yet */
    struct syc__word *older;  /* all words */
} syc__word;

/* A function of the text, one of its prototypes, or a macro. A function that a macro would define counts as well. */
typedef struct syc__piece {
    size_t from, to;         /* tokens of what it does; empty for a prototype */
    size_t first_name, name; /* the tokens that its name is made of ("sum_ ## T"); of a macro: its name */
    size_t params;           /* of its '(' */
    bool function;           /* with a body that begins at `from` - 1 */
    bool kernel;
    bool wrapped; /* "(name)(...)" */
    bool made;    /* the name is not to be read here: it is pasted, or a macro's parameter */
    bool strange; /* the head is put together by a macro, so it cannot be edited */
    bool marked;
    bool kept;                /* in the list */
    unsigned char reach;      /* for whom its group functions wait, where that is checked (converge.h) */
    const syc_token *spelled; /* its name where the text as it was written has no such function, or NULL */
    struct syc__link *words;  /* its name, and those that macros make of it */
} syc__piece;

typedef struct syc__scratch_reading {
    syc_arena arena;
    const char *source;
    syc_tokens tokens;
    size_t *offsets;    /* where in the source each byte of the lexer's copy stands: that leaves continued lines out */
    const char *copy;   /* that copy */
    size_t copied;      /* its length */
    syc_word_map names; /* to syc__word */
    syc__word *words;   /* all of them, by `older` */
    syc__piece **pieces;
    size_t count, capacity;
    syc_unit unit;         /* what the preprocessor makes of it, behind the library */
    const char *unit_copy; /* as `copy`, of the unit's tokens */
    syc__edits edits;      /* of the source */
} syc__scratch_reading;

/* Where the token begins in the source, and where it ends. */
size_t syc__scratch_offset(SYC_KEEP const syc__scratch_reading *r, size_t token);
size_t syc__scratch_end(SYC_KEEP const syc__scratch_reading *r, size_t token);
bool syc__scratch_is(SYC_KEEP const syc__scratch_reading *r, size_t token, const char *text);

/* An edit's rank among those at the same place. */
enum syc__scratch_rank {
    SYC__PUT_MEMORY, /* a kernel's local memory, before anything uses it */
    SYC__PUT_STRUCTS,
    SYC__PUT_FLOW,  /* the one kind of which several of one text may stand at one place */
    SYC__PUT_CALLS, /* that are given structs */
    SYC__PUT_HEADS  /* parameters, and calls that are given scratch */
};
/* scratch_read.c: `removed` bytes of the source at `at` become `text`, which lives as long as the reading. */
syc_status syc__scratch_put(syc__scratch_reading *r, enum syc__scratch_rank rank, size_t at, size_t removed,
                            SYC_KEEP const char *text);

/* The word of that token, made if need be. */
syc_status syc__scratch_word(syc__scratch_reading *r, SYC_KEEP const syc_token *token, syc__word **out);

/* Gives the piece that name. */
syc_status syc__scratch_name(syc__scratch_reading *r, syc__piece *piece, SYC_KEEP const syc_token *name);
syc_status syc__scratch_keep(syc__scratch_reading *r, syc__piece *piece);

/* scratch_read.c: reads the text's tokens, functions, prototypes and macros; words of all but those whose name is made.
 */
syc_status syc__scratch_read(syc__scratch_reading *r, SYC_KEEP const char *source, size_t length);
/* scratch_spread.c: marks what needs scratch, from the library's names on. */
syc_status syc__scratch_spread(syc__scratch_reading *r, SYC_KEEP const syc__scratch_source *source);

#endif
