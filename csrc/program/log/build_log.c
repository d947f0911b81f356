/* Finds the first error in a compiler's log. Lines are parsed from the right, since a file's name may hold anything. */
#define _GNU_SOURCE /* memmem */
#include "program/log/build_log.h"

#include "base/alloc.h"
#include "source/log_text.h"

#include <string.h>

enum { MAX_MESSAGE = 2000 };

void syc_log_error_clear(syc_log_error *error)
{
    syc_free(error->message);
    *error = (syc_log_error){0};
}

/* Where "error:" and its kin stand in a line. */
typedef struct mark {
    size_t start, end; /* of the word itself with its colon; end 0: none */
} mark;

static mark find_mark(syc_slice line)
{
    /* "error :" is ptxas' way and that of some old front ends. */
    static const char *const words[] = {"fatal error:", "error:", "error :", "Error:", "fatal   :", "error   :"};
    mark best = {0};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        const char *at = syc__slice_find(line, words[i]);
        size_t start = at != NULL ? (size_t)(at - line.text) : 0;
        if (at != NULL && (best.end == 0 || start < best.start))
            best = (mark){start, start + strlen(words[i])};
    }
    return best;
}

/* Reads the digits that end at *end, backwards; *end ends at their first. False if there are none. Of more than nine,
 * which no line has, the last nine count. */
static bool number_before(syc_slice line, size_t *end, size_t *value)
{
    size_t at = *end, scale = 1, sum = 0;
    while (at > 0 && line.text[at - 1] >= '0' && line.text[at - 1] <= '9') {
        sum += scale * (size_t)(line.text[--at] - '0');
        scale = scale < 100000000 && scale != 0 ? scale * 10 : 0;
    }
    if (at == *end)
        return false;
    *end = at;
    *value = sum;
    return true;
}

/* "<file>:3:5", "<file>:3", "<file>(3)" or "<file>, line 3" at the end of the slice. */
static bool place_at_end(syc_slice where, syc__log_place *out)
{
    static const char in_words[] = " line ";
    size_t end = where.length, last, before, n = sizeof in_words - 1;
    bool parenthesis = end > 0 && where.text[end - 1] == ')';

    end -= parenthesis;
    if (!number_before(where, &end, &last) || end == 0 || last == 0)
        return false;
    out->line = last;
    out->column = 0;
    out->file = (syc_slice){where.text, end - 1};
    if (parenthesis)
        return where.text[end - 1] == '(';
    if (where.text[end - 1] != ':')
        return end >= n && memcmp(where.text + end - n, in_words, n) == 0;
    end--;
    if (number_before(where, &end, &before)) {
        out->line = before;
        out->column = last;
        out->file.length = end > 0 ? end - 1 : 0;
    }
    return out->line > 0;
}

static bool starts_with(syc_slice s, const char *word)
{
    size_t n = strlen(word);
    return s.length >= n && memcmp(s.text, word, n) == 0;
}

/* PoCL writes the place behind the word: "error: <file>:3:5: text", or "... <Spelling=<file>:1:9>: text" for a macro.
 * Gives the length of the place, 0 if there is none: what the first ": " ends must be a place. */
static size_t place_at_start(syc_slice rest, syc__log_place *out)
{
    const char *spelling = NULL;
    size_t end = 0;

    while (end < rest.length && !starts_with(syc__slice_from(rest, end), ": ") &&
           !starts_with(syc__slice_from(rest, end), " <Spelling="))
        end++;
    if (end == rest.length || !place_at_end((syc_slice){rest.text, end}, out))
        return 0;
    if (rest.text[end] == ':')
        return end + 1;
    spelling = syc__slice_find(syc__slice_from(rest, end), ">: ");
    return spelling != NULL ? (size_t)(spelling - rest.text) + 2 : end;
}

static syc_slice trimmed(syc_slice s)
{
    while (s.length > 0 && strchr(" \t:\r", s.text[0]) != NULL)
        s = syc__slice_from(s, 1);
    while (s.length > 0 && strchr(" \t\r", s.text[s.length - 1]) != NULL)
        s.length--;
    return s;
}

/* Reads one line; false if it speaks of no error. */
static bool read_line(syc_slice line, syc__log_place *out)
{
    mark m = find_mark(line);
    syc_slice where = {line.text, m.start}, rest;
    syc__log_place place = {0};
    size_t skipped;

    if (m.end == 0)
        return false;
    rest = trimmed(syc__slice_from(line, m.end));
    where = trimmed(where);
    while (where.length > 0 && where.text[where.length - 1] == ':')
        where.length--;
    *out = (syc__log_place){.message = rest};
    if (place_at_end(where, &place)) {
        *out = place;
        out->message = rest;
    } else if ((skipped = place_at_start(rest, &place)) > 0) {
        *out = place;
        out->message = trimmed(syc__slice_from(rest, skipped));
    }
    return true;
}

/* "Error(s) while linking: " and the line behind it: what PoCL says when a function is nowhere. */
static bool read_heading(syc_slice line, syc_slice rest, syc__log_place *out)
{
    static const char heading[] = "Error(s)";
    if (line.length < sizeof heading - 1 || memcmp(line.text, heading, sizeof heading - 1) != 0)
        return false;
    *out = (syc__log_place){.message = trimmed(syc__slice_line(rest))};
    return out->message.length > 0;
}

/* "'name'" in a message; text NULL if nothing is quoted there. */
static syc_slice quoted_name(syc_slice message)
{
    const char *from = message.length > 0 ? memchr(message.text, '\'', message.length) : NULL, *to;
    if (from == NULL)
        return (syc_slice){NULL, 0};
    to = memchr(from + 1, '\'', message.length - (size_t)(from + 1 - message.text));
    return to != NULL ? (syc_slice){from, (size_t)(to + 1 - from)} : (syc_slice){NULL, 0};
}

/* NVIDIA's assembler says without a place which function is nowhere; its compiler has warned of the name before. */
static void find_warning_of(syc_slice log, syc__log_place *out)
{
    static const char mark[] = ": warning: ";
    syc_slice name = quoted_name(out->message);

    for (syc_slice rest = log; name.text != NULL && rest.length > 0;) {
        syc_slice line = syc__slice_line(rest), words;
        const char *at = syc__slice_find(line, mark);
        syc__log_place place = {0};
        rest = syc__slice_from(rest, line.length + (line.length < rest.length));
        if (at == NULL || !place_at_end((syc_slice){line.text, (size_t)(at - line.text)}, &place))
            continue;
        words = syc__slice_from(line, (size_t)(at - line.text) + sizeof mark - 1);
        if (memmem(words.text, words.length, name.text, name.length) == NULL)
            continue;
        *out = place;
        out->message = trimmed(words);
        out->behind = rest;
        return;
    }
}

bool syc__log_find(syc_slice log, syc__log_place *out)
{
    syc__log_place found;
    bool any = false; /* an error without a place: one with a place says more */

    for (syc_slice rest = log; rest.length > 0;) {
        syc_slice line = syc__slice_line(rest);
        rest = syc__slice_from(rest, line.length + (line.length < rest.length));
        if (!read_line(line, &found) && !read_heading(line, rest, &found))
            continue;
        found.behind = rest;
        if (found.line > 0) {
            *out = found;
            return true;
        }
        if (!any)
            *out = found;
        any = true;
    }
    if (any)
        find_warning_of(log, out);
    return any;
}

syc_status syc_log_first_error(const char *log, size_t length, syc_log_error *out)
{
    syc_status status = SYC_OK;
    syc__log_place place = {0};
    syc_text text = {0};
    syc_log_error error = {0};

    syc__log_find((syc_slice){log, length}, &place);
    if (place.message.length > MAX_MESSAGE)
        place.message.length = MAX_MESSAGE;
    syc__text_add_clean(&text, place.message);
    SYC_TRY(syc_copy_string(syc_text_get(&text), &error.message));
    error.line = place.line;
    error.column = place.column;
    *out = error;
done:
    syc_text_clear(&text);
    return status;
}
