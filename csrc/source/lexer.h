/* Turns OpenCL C text into tokens: line continuations joined, comments gone, strings whole, lines counted as the user
 * does. */
#ifndef SYC_SOURCE_LEXER_H
#define SYC_SOURCE_LEXER_H

#include "source/tokens.h"

/* Appends the tokens of the text and one SYC_TOKEN_END to `out`. Any bytes are taken: what no token begins with becomes
 * a punctuator of one byte, an open string ends with its line, an open comment with the text. */
syc_status syc__lex(syc_arena *arena, SYC_KEEP const char *text, size_t length, syc_tokens *out);
/* The text as one token on the given line, as ## needs it; false if it is not exactly one. The text must outlive it. */
bool syc__lex_piece(const char *text, size_t length, uint32_t line, syc_token *out);

#endif
