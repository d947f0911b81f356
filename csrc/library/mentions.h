/* Uses of the device library's names in a program's tokens. Inside the core only; the public words are in
 * prelude.h. */
#ifndef SYC_LIBRARY_MENTIONS_H
#define SYC_LIBRARY_MENTIONS_H

#include "library/library.h"
#include "source/tokens.h"

/* A text's uses of one name. */
typedef struct syc__mention {
    struct syc__mention *next;
    const char *name;
    size_t library; /* its number in the table */
    enum syc__library_sort sort;
    bool used;     /* in a way that means the library's */
    bool declared; /* the text has something of its own by that name */
} syc__mention;

/* The number of the text of that file; of all texts when there is none, or `file` is NULL. */
size_t syc__library_number(SYC_KEEP const char *file);
/* A list of all names of the library, with what the tokens do with each. */
syc_status syc__mentions_read(syc_arena *arena, SYC_KEEP const syc_tokens *tokens, syc__mention **out);

#endif
