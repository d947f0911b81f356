/* The growing string. */
#include "base/text.h"

#include "base/alloc.h"

#include <stdio.h>
#include <string.h>

/* Room for `more` bytes and the NUL. Without memory the text is cut, and nothing is added behind the gap. */
static bool reserve(syc_text *text, size_t more)
{
    size_t needed = text->length + more + 1, room = text->capacity ? text->capacity : 128;
    while (room < needed)
        room *= 2;
    if (!text->cut && room > text->capacity && syc_resize(&text->data, room))
        text->capacity = room;
    text->cut = text->cut || text->capacity < needed;
    return !text->cut;
}

void syc_text_add_list(syc_text *text, const char *format, va_list args)
{
    va_list again;
    int count;
    va_copy(again, args);
    count = vsnprintf(NULL, 0, format, args);
    if (count >= 0 && reserve(text, (size_t)count)) {
        vsnprintf(text->data + text->length, (size_t)count + 1, format, again);
        text->length += (size_t)count;
    }
    va_end(again);
}

void syc_text_add(syc_text *text, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    syc_text_add_list(text, format, args);
    va_end(args);
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
    syc_free(text->data);
    *text = (syc_text){0};
}
