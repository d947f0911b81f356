/* Where an error is, in words of the user's: which of his texts, and which of its lines. Inside the core only. */
#ifndef SYC_PROGRAM_LOG_SPOT_H
#define SYC_PROGRAM_LOG_SPOT_H

#include "source/origin.h"
#include "source/shift.h"

typedef struct syc__spot {
    const char *name;     /* of the text */
    syc_slice source;     /* the text */
    size_t number;        /* of the line, 0: in no line */
    size_t column;        /* 0: somewhere in it */
    const syc_part *part; /* the text, if it is a part of another one */
    syc_slice operator;   /* the word of one of the user's that the error is in; text NULL: none */
    bool ours;            /* in no text of the user's: the place is one of the generated text */
} syc__spot;

/* The texts that a place may be in. */
typedef struct syc__spot_texts {
    const syc_origins *origins; /* NULL: the source itself is the user's */
    const syc__shifts *shifts;  /* what was put into its lines before it was compiled; or NULL */
    syc_slice source;           /* as it was compiled, but for that */
    const char *name;           /* of it */
} syc__spot_texts;

syc__spot syc__spot_find(SYC_KEEP const syc__spot_texts *texts, SYC_KEEP const syc__log_place *place);

#endif
