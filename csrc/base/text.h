/* A growing string. Appends never fail: without memory the text is cut and stays so. For a message that is better than
 * none; whoever builds, stores or decides by a text looks at `cut` first, and fails with SYC_E_MEMORY_ALLOCATION. */
#ifndef SYC_BASE_TEXT_H
#define SYC_BASE_TEXT_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

typedef struct syc_text {
    char *data; /* NUL-terminated once anything was added; NULL before */
    size_t length, capacity;
    bool cut; /* memory ran out on the way */
} syc_text;

void syc_text_add(syc_text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));
void syc_text_add_list(syc_text *text, const char *format, va_list args);
void syc_text_add_n(syc_text *text, const char *bytes, size_t count);
/* Never NULL. */
const char *syc_text_get(const syc_text *text);
/* Gives the string away and leaves the text empty; NULL when nothing was added. */
char *syc_text_take(syc_text *text);
void syc_text_clear(syc_text *text);

#endif
