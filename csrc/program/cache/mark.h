/* Marks in the cache's folder: a file that is there while something runs which may end the process, and tells the next
 * one that it did. Where there is no cache there are no marks. */
#ifndef SYC_PROGRAM_CACHE_MARK_H
#define SYC_PROGRAM_CACHE_MARK_H

#include "cl/context.h"

typedef struct syc__mark {
    char *path;
    int file;        /* locked, so that who lives is told from who died; -1: no mark was made */
    unsigned deaths; /* of processes that had this mark */
} syc__mark;

/* `question` says what runs, as for the answers of use.h. Where another process has the mark at the moment, or no
 * file can be written, there is none, and no deaths. Give it to syc__mark_remove in any case. */
void syc__mark_make(SYC_KEEP const syc_context *context, SYC_KEEP const char *question, syc__mark *out);
/* Has a process left one behind, or does one have it at the moment? */
bool syc__mark_is_there(SYC_KEEP const syc_context *context, SYC_KEEP const char *question);
void syc__mark_remove(syc__mark *mark);

#endif
