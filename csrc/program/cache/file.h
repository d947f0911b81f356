/* Files of the cache: each is read whole, and appears whole or not at all. No lock: who reads has a file that nobody
 * changes any more, and of several who write the last one wins. */
#ifndef SYC_PROGRAM_CACHE_FILE_H
#define SYC_PROGRAM_CACHE_FILE_H

#include "base/status.h"

#include <stdbool.h>
#include <stdint.h>

/* Everything but a plain file of this user (or root) that nobody else may write counts as no file, and so does any
 * error. Free with syc_free. */
bool syc__file_read(const char *path, SYC_GIVE unsigned char **out, size_t *size);
/* Marks a file as used now, unless that was done a moment ago: what was used long ago is removed first. */
void syc__file_touch(const char *path);
/* False if the file could not be written; then there is no trace of it. */
bool syc__file_write(const char *folder, const char *name, SYC_KEEP const unsigned char *bytes, size_t size);

/* How the names of unfinished files begin. A writer that is killed leaves one behind. */
/* Makes the folder and those above it, where they are missing. */
bool syc__folder_make(SYC_KEEP const char *folder);

#define SYC__UNFINISHED ".new-"

#endif
