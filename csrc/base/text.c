/* The growing string. */
#include "base/text.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Room for `more` bytes and the NUL; false (and the text is marked as cut) without memory. */
static bool reserve(syc_text *text, size_t more)
{
    size_t needed = text->length + more + 1, room = text->capacity ? text->capacity : 128;
    char *grown;
    if (needed <= text->capacity)
        return true;
    while (room < needed)
        room *= 2;
    grown = realloc(text->data, room);
    if (grown == NULL) {
        text->cut = true;
        return false;
    }
    text->data = grown;
    text->capacity = room;
    return true;
}

void syc_text_add(syc_text *text, const char *format, ...)
{
    va_list args, again;
    int count;
    va_start(args, format);
    va_copy(again, args);
    count = vsnprintf(NULL, 0, format, args);
    va_end(args);
    if (count >= 0 && reserve(text, (size_t)count)) {
        vsnprintf(text->data + text->length, (size_t)count + 1, format, again);
        text->length += (size_t)count;
    }
    va_end(again);
}

void syc_text_add_n(syc_text *text, const char *bytes, size_t count)
{
    if (!reserve(text, count))
        return;
    memcpy(text->data + text->length, bytes, count);
    text->length += count;
    text->data[text->length] = '\0';
}

const char *syc_text_get(const syc_text *text)
{
    return text->data != NULL ? text->data : "";
}

char *syc_text_take(syc_text *text)
{
    char *data = text->data;
    *text = (syc_text){0};
    return data;
}

void syc_text_clear(syc_text *text)
{
    free(text->data);
    *text = (syc_text){0};
}
