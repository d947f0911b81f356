/* A line of a source, quoted with a caret below it. */
#include "source/log_text.h"

enum { MAX_LINE = 160 }; /* bytes of a quoted line: more would not be read */

syc_slice syc__slice_line_at(syc_slice source, size_t number)
{
    for (size_t i = 1; i < number; i++) {
        syc_slice line = syc__slice_line(source);
        if (line.length == source.length)
            return (syc_slice){NULL, 0};
        source = syc__slice_from(source, line.length + 1);
    }
    return source.length > 0 && number > 0 ? syc__slice_line(source) : (syc_slice){NULL, 0};
}

/* The part of a long line that is shown: around the column, cut between characters. */
static syc_slice window_of(syc_slice line, size_t column, size_t *start)
{
    size_t from = 0, to = line.length;
    if (line.length > MAX_LINE) {
        from = column > MAX_LINE / 2 ? column - MAX_LINE / 2 : 0;
        from = from > line.length - MAX_LINE ? line.length - MAX_LINE : from;
        to = from + MAX_LINE;
        while (from > 0 && from < to && ((unsigned char)line.text[from] & 0xc0) == 0x80)
            from++;
        while (to > from && to < line.length && ((unsigned char)line.text[to] & 0xc0) == 0x80)
            to--;
    }
    *start = from;
    return (syc_slice){line.text + from, to - from};
}

/* As wide as what stands above it: tabs stay tabs, a character of several bytes is one blank. */
static void add_padding(syc_text *text, syc_slice before)
{
    while (before.length > 0) {
        size_t n = syc__utf8_length(before);
        syc_text_add_n(text, before.text[0] == '\t' ? "\t" : " ", 1);
        before = syc__slice_from(before, n > 0 ? n : 1);
    }
}

void syc__text_add_quote(syc_text *text, syc_slice source, size_t number, size_t column)
{
    syc_slice line = syc__slice_line_at(source, number), shown;
    size_t start;

    if (line.text == NULL)
        return;
    if (line.length > 0 && line.text[line.length - 1] == '\r')
        line.length--;
    if (column > line.length + 1)
        column = line.length + 1;
    shown = window_of(line, column, &start);
    syc_text_add(text, "%5zu | %s", number, start > 0 ? "..." : "");
    syc__text_add_clean(text, shown);
    syc_text_add(text, "%s\n", start + shown.length < line.length ? "..." : "");
    if (column == 0)
        return;
    syc_text_add(text, "      | %s", start > 0 ? "   " : "");
    shown.length = column - 1 - start;
    add_padding(text, shown);
    syc_text_add(text, "^\n");
}
