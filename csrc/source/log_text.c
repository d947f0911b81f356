/* Slices of text, and UTF-8 made clean. */
#include "source/log_text.h"

#include <string.h>

syc_slice syc__slice_from(syc_slice s, size_t at)
{
    if (at > s.length)
        at = s.length;
    return (syc_slice){s.text + at, s.length - at};
}

syc_slice syc__slice_line(syc_slice s)
{
    const char *end = s.length > 0 ? memchr(s.text, '\n', s.length) : NULL;
    if (end != NULL)
        s.length = (size_t)(end - s.text);
    return s;
}

syc_slice syc__slice_word(syc_slice s)
{
    size_t n = 0;
    while (n < s.length && (s.text[n] == '_' || (s.text[n] >= '0' && s.text[n] <= '9') ||
                            (s.text[n] >= 'a' && s.text[n] <= 'z') || (s.text[n] >= 'A' && s.text[n] <= 'Z')))
        n++;
    return (syc_slice){s.text, n};
}

const char *syc__slice_find(syc_slice s, const char *word)
{
    size_t n = strlen(word);
    while (s.length >= n) {
        const char *at = memchr(s.text, word[0], s.length - n + 1);
        if (at == NULL)
            return NULL;
        if (memcmp(at, word, n) == 0)
            return at;
        s = syc__slice_from(s, (size_t)(at - s.text) + 1);
    }
    return NULL;
}

static bool is_tail(char c)
{
    return ((unsigned char)c & 0xc0) == 0x80;
}

size_t syc__utf8_length(syc_slice s)
{
    unsigned char first = s.length > 0 ? (unsigned char)s.text[0] : 0,
                  second = s.length > 1 ? (unsigned char)s.text[1] : 0;
    size_t n = first < 0x80 ? 1 : first < 0xc2 ? 0 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : first < 0xf5 ? 4 : 0;

    if (n == 0 || s.length < n)
        return 0;
    /* No longer form than needed, no half of a surrogate pair, nothing above U+10FFFF. */
    if ((first == 0xe0 && second < 0xa0) || (first == 0xed && second > 0x9f) || (first == 0xf0 && second < 0x90) ||
        (first == 0xf4 && second > 0x8f))
        return 0;
    for (size_t i = 1; i < n; i++) {
        if (!is_tail(s.text[i]))
            return 0;
    }
    return n;
}

static bool is_plain(char c)
{
    return (c >= ' ' && c < 0x7f) || c == '\n' || c == '\t';
}

void syc__text_add_clean(syc_text *text, syc_slice s)
{
    while (s.length > 0) {
        size_t n = 0;
        while (n < s.length && is_plain(s.text[n]))
            n++;
        syc_text_add_n(text, s.text, n);
        s = syc__slice_from(s, n);
        if (s.length == 0)
            return;
        n = (unsigned char)s.text[0] >= 0x80 ? syc__utf8_length(s) : 0;
        if (n > 0)
            syc_text_add_n(text, s.text, n);
        else if (!(s.text[0] == '\r' && s.length > 1 && s.text[1] == '\n'))
            syc_text_add_n(text, "?", 1);
        s = syc__slice_from(s, n > 0 ? n : 1);
    }
}
