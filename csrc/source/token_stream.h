/* The tokens under a parser, and where each bracket ends. */
#ifndef SYC_SOURCE_TOKEN_STREAM_H
#define SYC_SOURCE_TOKEN_STREAM_H

#include "base/status.h"
#include "source/declarations/keywords.h"

#include <stddef.h>

typedef struct syc_arena syc_arena;   /* source/tokens.h */
typedef struct syc_token syc_token;   /* the same */
typedef struct syc_tokens syc_tokens; /* the same */

typedef struct syc_token_stream {
    syc_arena *arena;
    const syc_token *tokens;
    size_t count;  /* tokens[count] is the SYC_TOKEN_END */
    size_t *match; /* for an opening bracket the index of its partner, `count` if it has none; for others their own */
} syc_token_stream;

syc_status syc__stream_init(syc_token_stream *stream, syc_arena *arena, SYC_KEEP const syc_tokens *tokens);
/* The index behind the token, behind the partner for an opening bracket; at most `end`. */
size_t syc__stream_next(const syc_token_stream *s, size_t at, size_t end);
/* The bracket that the one at `at` closes; `at` itself if it closes none. */
size_t syc__stream_open(const syc_token_stream *s, size_t at);
/* Is it this word or punctuator? False at the end. */
bool syc__stream_is(const syc_token_stream *s, size_t at, const char *text);
syc_keyword syc__stream_keyword(const syc_token_stream *s, size_t at);

#endif
