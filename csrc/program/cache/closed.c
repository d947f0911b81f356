/* Does a text stand alone? What comes from files or from the clock is no part of a key. */
#define _GNU_SOURCE
#include "program/cache/key.h"

#include <string.h>

/* Over blanks, joined lines and comments, as they may stand between the # and the directive's name. */
static const char *skip(const char *at, const char *end)
{
    while (at < end) {
        if (*at == ' ' || *at == '\t' || *at == '\v' || *at == '\f') {
            at++;
        } else if (at + 1 < end && at[0] == '\\' && (at[1] == '\n' || at[1] == '\r')) {
            at += 2 + (at[1] == '\r' && at + 2 < end && at[2] == '\n');
        } else if (at + 1 < end && at[0] == '/' && at[1] == '*') {
            const char *close = memmem(at + 2, (size_t)(end - at - 2), "*/", 2);
            at = close != NULL ? close + 2 : end;
        } else {
            break;
        }
    }
    return at;
}

/* The word may be cut by joined lines. */
static bool begins_with(const char *at, const char *end, const char *word)
{
    for (; *word != '\0'; word++, at++) {
        while (at + 1 < end && at[0] == '\\' && (at[1] == '\n' || at[1] == '\r'))
            at += 2 + (at[1] == '\r' && at + 2 < end && at[2] == '\n');
        if (at >= end || *at != *word)
            return false;
    }
    return true;
}

static bool names_file(const char *directive, const char *end)
{
    static const char *const names[] = {"include", "import", "embed"};
    bool found = false;
    for (size_t i = 0; i < sizeof names / sizeof *names && !found; i++)
        found = begins_with(directive, end, names[i]);
    return found;
}

/* Looks at every #, wherever it stands: one in a comment or a string only costs an entry. */
static bool reads_files(const char *source, size_t length)
{
    static const char trigraph[] = {'?', '?', '=', '\0'}; /* spelled apart, or it would be one here */
    static const char *const marks[] = {"#", "%:", trigraph};
    const char *end = source + length;

    for (size_t m = 0; m < sizeof marks / sizeof *marks; m++) {
        size_t size = strlen(marks[m]);
        for (const char *at = source; (at = memmem(at, (size_t)(end - at), marks[m], size)) != NULL;) {
            at += size;
            if (names_file(skip(at, end), end))
                return true;
        }
    }
    return false;
}

/* Words whose meaning is not in the text. */
static bool has_open_word(const char *text, size_t length)
{
    static const char *const words[] = {"__DATE__", "__TIME__", "__TIMESTAMP__", "__has_include", "__has_embed"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (memmem(text, length, words[i], strlen(words[i])) != NULL)
            return true;
    return false;
}

/* -include and -imacros read a file for a text that asks for none. */
static bool options_read_files(const char *options)
{
    for (const char *at = options; (at = strstr(at, "-i")) != NULL; at += 2)
        if (at == options || strchr(" \t\n\"'", at[-1]) != NULL)
            return true;
    return false;
}

bool syc__text_is_closed(const char *source, size_t length, const char *options)
{
    return !reads_files(source, length) && !has_open_word(source, length) && !has_open_word(options, strlen(options)) &&
           !options_read_files(options);
}
