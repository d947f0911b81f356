/* For forms in which private variables stand for the elements of a body: the words for name[i], and the text with them.
 * Inside the core only. */
#ifndef SYC_BODY_WRITE_ELEMENTS_H
#define SYC_BODY_WRITE_ELEMENTS_H

#include "body/parts.h"
#include "source/tokens.h"

typedef struct syc__elements {
    const syc_body *body;
    syc_arena arena;
    syc_tokens tokens;
    char **words; /* for each name, the word that stands for name[i]: as long as that, so that columns stay */
} syc__elements;

/* Is the name one of elements, does the text store them, does it want their old values? */
bool syc__is_element(SYC_KEEP const syc__writer *w, size_t index);
bool syc__is_stored(SYC_KEEP const syc__writer *w, size_t index);
bool syc__is_loaded(SYC_KEEP const syc__writer *w, size_t index);

/* Elements between memory and the private array that stands for them: as many as `lanes`, with one access. */
typedef struct syc__move {
    const char *name, *at; /* "syc_first + 2": from there on in memory */
    unsigned slot, lanes;  /* and from there in the array */
    bool load;             /* or store */
} syc__move;
void syc__write_move(syc__writer *w, SYC_KEEP const syc__move *move);
/* How many elements of the name one access takes: 16 bytes, or all that a work-item has. 1: by themselves. */
unsigned syc__move_lanes(SYC_KEEP const syc__writer *w, SYC_KEEP const syc_name *name);

/* Reads the text and finds the words. Clear it in any case. */
syc_status syc__elements_name(syc__elements *e);
/* The same for those alone that the text takes (syc_body_takes): others have no word. */
syc_status syc__elements_name_taken(syc__elements *e);
/* The text with the words, and where `vector` is a type, "float16", that for the scalar one, and numbers made into it.
 */
void syc__elements_replace(SYC_KEEP const syc__elements *e, const char *vector, syc_text *out);
void syc__elements_clear(syc__elements *e);

#endif
