/* Looks up one of the kernel texts that the build compiled in. */
#include "library/embedded.h"

#include <string.h>

const char *syc_kernel_source(const char *name)
{
    for (const syc_kernel_text *row = syc__kernel_texts; row->name != NULL; row++)
        if (strcmp(row->name, name) == 0)
            return row->text;
    return NULL;
}
