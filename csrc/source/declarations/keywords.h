/* The words that declarations are made of, in all their spellings. */
#ifndef SYC_SOURCE_DECLARATIONS_KEYWORDS_H
#define SYC_SOURCE_DECLARATIONS_KEYWORDS_H

#include "base/status.h"

#include <stdbool.h>

typedef struct syc_token syc_token; /* source/tokens.h */

typedef enum syc_keyword {
    SYC_KEYWORD_NONE, /* a name, a type's name, or no word at all */
    SYC_KEYWORD_CONST,
    SYC_KEYWORD_VOLATILE,
    SYC_KEYWORD_RESTRICT,
    SYC_KEYWORD_GLOBAL,
    SYC_KEYWORD_CONSTANT,
    SYC_KEYWORD_LOCAL,
    SYC_KEYWORD_READ_ONLY, /* of images and pipes */
    SYC_KEYWORD_WRITE_ONLY,
    SYC_KEYWORD_READ_WRITE,
    SYC_KEYWORD_IDLE, /* changes nothing of the host's view */
    SYC_KEYWORD_KERNEL,
    SYC_KEYWORD_TYPEDEF,
    SYC_KEYWORD_ATTRIBUTE, /* takes parentheses */
    SYC_KEYWORD_TYPEOF,    /* takes parentheses */
    SYC_KEYWORD_PIPE,
    SYC_KEYWORD_STRUCT,
    SYC_KEYWORD_UNION,
    SYC_KEYWORD_ENUM,
    SYC_KEYWORD_SIGNED,
    SYC_KEYWORD_UNSIGNED,
    SYC_KEYWORD_LONG,
    SYC_KEYWORD_SHORT,
    SYC_KEYWORD_CHAR,
    SYC_KEYWORD_INT,
    SYC_KEYWORD_LOOP /* makes a body unbounded by itself */
} syc_keyword;

syc_keyword syc__keyword_of(SYC_KEEP const syc_token *token);
/* A qualifier, a space or an idle word: what may stand between a type's name and the '*' behind it. */
bool syc__keyword_qualifies(syc_keyword keyword);

#endif
