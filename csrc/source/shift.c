/* Columns before and after an edit. */
#include "source/shift.h"

#include "base/alloc.h"

#include <string.h>

syc_status syc__shifts_push(syc__shifts *shifts, syc_slice file, const syc__shift *shift)
{
    syc_status status = SYC_OK;
    syc__shift copy = *shift;

    SYC_TRY(syc_grow(&shifts->items, &shifts->capacity, shifts->count + 1, sizeof *shifts->items));
    SYC_TRY(syc_alloc(file.length + 1, &copy.file));
    memcpy(copy.file, file.text, file.length);
    shifts->items[shifts->count++] = copy;
done:
    return status;
}

static bool is_in(const syc__shift *s, syc_slice file, size_t line)
{
    return s->line == line && strlen(s->file) == file.length && memcmp(s->file, file.text, file.length) == 0;
}

bool syc__shifts_touch(const syc__shifts *shifts, syc_slice file, size_t line)
{
    for (size_t i = 0; shifts != NULL && i < shifts->count; i++)
        if (is_in(&shifts->items[i], file, line))
            return true;
    return false;
}

/* A place inside what was put in is where that begins. */
size_t syc__shifts_undo(const syc__shifts *shifts, syc_slice file, size_t line, size_t column)
{
    size_t added = 0, removed = 0;
    for (size_t i = 0; shifts != NULL && i < shifts->count; i++) {
        const syc__shift *s = &shifts->items[i];
        if (!is_in(s, file, line) || column <= s->column)
            continue;
        if (column < s->column + s->added)
            column = s->column;
        else {
            added += s->added;
            removed += s->removed;
        }
    }
    return column + removed - added;
}

bool syc__shifts_explain(const syc__shifts *shifts, syc_slice file, size_t line, syc_slice user, syc_slice seen)
{
    size_t in_user = 0, in_seen = 0; /* how far they have been found to agree */
    for (size_t i = 0; i < shifts->count; i++) {
        const syc__shift *s = &shifts->items[i];
        size_t same = s->column - 1 - in_seen;
        if (!is_in(s, file, line))
            continue;
        if (s->column - 1 < in_seen || in_seen + same + s->added > seen.length ||
            in_user + same + s->removed > user.length || memcmp(user.text + in_user, seen.text + in_seen, same) != 0)
            return false;
        in_user += same + s->removed;
        in_seen += same + s->added;
    }
    return in_seen > 0 && user.length - in_user == seen.length - in_seen &&
           memcmp(user.text + in_user, seen.text + in_seen, user.length - in_user) == 0;
}

void syc__shifts_clear(syc__shifts *shifts)
{
    for (size_t i = 0; i < shifts->count; i++)
        syc_free(shifts->items[i].file);
    syc_free(shifts->items);
    *shifts = (syc__shifts){0};
}

bool syc__line_directive(syc_slice line, size_t *number, syc_slice *name)
{
    static const char word[] = "#line ";
    const char *quote;
    size_t value = 0;
    if (line.length < sizeof word || memcmp(line.text, word, sizeof word - 1) != 0)
        return false;
    line = syc__slice_from(line, sizeof word - 1);
    for (; line.length > 0 && *line.text >= '0' && *line.text <= '9'; line = syc__slice_from(line, 1))
        value = 10 * value + (size_t)(*line.text - '0');
    line = syc__slice_from(line, 2); /* a blank and the quote */
    quote = line.length > 0 ? memchr(line.text, '"', line.length) : NULL;
    if (quote == NULL)
        return false;
    *number = value;
    *name = (syc_slice){line.text, (size_t)(quote - line.text)};
    return true;
}
