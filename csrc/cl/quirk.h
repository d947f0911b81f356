/* Known defects of drivers that pysycl cures, and the search that one cure rests on. */
#ifndef SYC_CL_QUIRK_H
#define SYC_CL_QUIRK_H

#include <stdbool.h>
#include <stddef.h>

/* Counts the words in the `size` bytes behind `object` that point to the string `name`, and puts the offset of the last
 * one found into `offset`. Neither the object nor what its words point to need be readable. */
size_t syc__quirk_find(const void *object, size_t size, const char *name, size_t *offset);

/* True if `path`, a list of folders with ':' between them or NULL, has an executable file of that name. */
bool syc__quirk_on_path(const char *program, const char *path);

#endif
