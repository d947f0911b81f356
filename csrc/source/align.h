/* A line that was made of a user's line: a compiler's columns become the user's again, by the words that both have. */
#ifndef SYC_SOURCE_ALIGN_H
#define SYC_SOURCE_ALIGN_H

#include "source/log_text.h"

/* The column of the user's line that stands for a column of the line that was made of it, both from 1: in a word that
 * both have that word's, elsewhere the next one's. 0: none is known, as in lines of very many words. */
size_t syc__align_column(syc_slice user, syc_slice made, size_t column);

#endif
