/* Pieces of a log or of a source, and how they are made fit to print. */
#ifndef SYC_SOURCE_LOG_TEXT_H
#define SYC_SOURCE_LOG_TEXT_H

#include "base/text.h"

/* Borrowed bytes. */
typedef struct syc_slice {
    const char *text;
    size_t length;
} syc_slice;

/* The rest from `at` on; empty when `at` is past the end. */
syc_slice syc__slice_from(syc_slice s, size_t at);
/* The first line, without its newline. */
syc_slice syc__slice_line(syc_slice s);
/* The line of that number, from 1; text NULL if there is none. */
syc_slice syc__slice_line_at(syc_slice s, size_t number);
/* The word of C that it begins with; empty if it begins with none. */
syc_slice syc__slice_word(syc_slice s);
/* The first place of a word, or NULL. */
const char *syc__slice_find(syc_slice s, const char *word);

/* How many bytes of valid UTF-8 the character at the slice's start has; 0 if it is none. */
size_t syc__utf8_length(syc_slice s);
/* Adds the bytes with control characters but newline and tab, and bytes that are not UTF-8, as '?'. "\r\n" becomes
 * "\n". */
void syc__text_add_clean(syc_text *text, syc_slice s);

/* quote.c: adds line `number` of the source, from 1, and a caret below its byte `column`; no caret for column 0. Adds
 * nothing if there is no such line. */
void syc__text_add_quote(syc_text *text, syc_slice source, size_t number, size_t column);

/* An error found in a log. Line and column are 0 where the log names none. */
typedef struct syc__log_place {
    size_t line, column;
    syc_slice file;            /* as the log calls it */
    syc_slice message, behind; /* behind: the log from the next line on */
} syc__log_place;
bool syc__log_find(syc_slice log, syc__log_place *out);

#endif
