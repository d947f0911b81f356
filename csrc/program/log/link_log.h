/* Functions that only a linker misses: it names one and no place. Inside the core only. */
#ifndef SYC_PROGRAM_LOG_LINK_LOG_H
#define SYC_PROGRAM_LOG_LINK_LOG_H

#include "program/log/spot.h"

/* Where the function that the message is about is called in the user's texts, and what is said there: "call to
 * undefined function 'sqr'", or which of the library's was meant. False, and nothing is said, if the message is about
 * something else, or no text of the user's calls it. */
bool syc__link_log_find(SYC_KEEP const syc__spot_texts *texts, syc_slice message, syc__spot *at, syc_text *out);
/* The function's first call in a text. */
bool syc__link_log_call(syc_slice text, syc_slice name, syc__spot *at);

#endif
