/* Which words of a block's text mean something of the text's own: members, labels, what it declares in the block or in
 * one around the word, parameters of its macros. Told from tokens, before macros are expanded or after it. */
#ifndef SYC_SOURCE_SCOPE_H
#define SYC_SOURCE_SCOPE_H

#include "source/token_stream.h"
#include "source/tokens.h"

/* For the tokens from `first` to before `last`: is own[0], own[1], ... one of these words, and does it not mean what it
 * means around the text? `own` has room for them, and one more; words that are not in `words` are not looked at. */
syc_status syc__scope_read(SYC_KEEP const syc_token_stream *s, size_t first, size_t last,
                           SYC_KEEP const syc_word_map *words, bool *own);

#endif
