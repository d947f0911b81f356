/* Lookups in the table of element types. */
#include "base/dtype.h"

#include <string.h>

static const struct {
    const char *word;
    size_t size;
    char kind, format;
} rows[SYC_DTYPE_COUNT] = {
#define X(name, word, size, kind, format) [SYC_##name] = {word, size, kind, format},
    SYC_DTYPE_MAP(X)
#undef X
        [SYC_STRUCT] = {"struct", 0, 'V', 0},
    [SYC_VOID] = {"void", 0, 'V', 0},
    [SYC_OPAQUE] = {"opaque", 0, 'V', 0},
};

/* Spellings beside the table's own words. */
static const struct {
    const char *word;
    syc_dtype type;
} synonyms[] = {
    {"size_t", SYC_ULONG}, {"ptrdiff_t", SYC_LONG}, {"intptr_t", SYC_LONG}, {"uintptr_t", SYC_ULONG},
    {"int8_t", SYC_CHAR},  {"uint8_t", SYC_UCHAR},  {"int16_t", SYC_SHORT}, {"uint16_t", SYC_USHORT},
    {"int32_t", SYC_INT},  {"uint32_t", SYC_UINT},  {"int64_t", SYC_LONG},  {"uint64_t", SYC_ULONG},
    {"_Bool", SYC_BOOL},   {"void", SYC_VOID},
};

const char *syc_dtype_name(syc_dtype type)
{
    return rows[type].word;
}

const char *syc_dtype_vector_name(syc_dtype type, unsigned width)
{
    static const char *const names[SYC_STRUCT][6] = {
#define X(name, word, size, kind, format) [SYC_##name] = {word, word "2", word "3", word "4", word "8", word "16"},
        SYC_DTYPE_MAP(X)
#undef X
    };
    if (type >= SYC_STRUCT)
        return rows[type].word;
    return names[type][width < 5 ? width - 1 : width == 8 ? 4 : 5];
}

size_t syc_dtype_size(syc_dtype type)
{
    return rows[type].size;
}

char syc_dtype_kind(syc_dtype type)
{
    return rows[type].kind;
}

static bool same(const char *word, const char *text, size_t length)
{
    return strlen(word) == length && memcmp(word, text, length) == 0;
}

bool syc_dtype_from_word(const char *word, size_t length, syc_dtype *out)
{
    for (int t = 0; t < SYC_STRUCT; t++) {
        if (same(rows[t].word, word, length)) {
            *out = (syc_dtype)t;
            return true;
        }
    }
    for (size_t i = 0; i < sizeof synonyms / sizeof *synonyms; i++) {
        if (same(synonyms[i].word, word, length)) {
            *out = synonyms[i].type;
            return true;
        }
    }
    return false;
}

/* Behind what says that bytes lie as they do here: NumPy says it of arrays that are not aligned. */
static const char *native(const char *format)
{
    return format + (*format == '@' || *format == '=' || *format == '<');
}

bool syc_dtype_from_format(const char *format, size_t item_size, syc_dtype *out)
{
    char c;
    if (format == NULL)
        format = "B"; /* what the buffer protocol says a missing format means */
    format = native(format);
    c = format[0];
    if (c == '\0' || format[1] != '\0')
        return false;
    if (c == 'l' || c == 'L') /* 4 or 8 bytes, by platform and by prefix: the item size tells */
        c = (char)(item_size == 8 ? (c == 'l' ? 'q' : 'Q') : (c == 'l' ? 'i' : 'I'));
    for (int t = 0; t < SYC_STRUCT; t++) {
        if (rows[t].format == c && rows[t].size == item_size) {
            *out = (syc_dtype)t;
            return true;
        }
    }
    return false;
}

bool syc_dtype_from_complex_format(const char *format, syc_dtype *out)
{
    if (format == NULL || (format = native(format))[0] != 'Z' || (format[1] != 'f' && format[1] != 'd') ||
        format[2] != '\0')
        return false;
    *out = format[1] == 'f' ? SYC_FLOAT : SYC_DOUBLE;
    return true;
}

/* "f:s0:f:s1:}": as many as there are, each of the same character and with the next name; 0 where anything differs. */
static unsigned count_components(const char *at, char character)
{
    static const char digits[] = "0123456789ABCDEF";
    unsigned count = 0;
    for (; *at != '}'; at += 5, count++) {
        const char expected[] = {character, ':', 's', digits[count < 16 ? count : 0], ':', '\0'};
        if (character == '\0' || count == 16 || strncmp(at, expected, 5) != 0)
            return 0;
    }
    return at[1] == '\0' ? count : 0;
}

bool syc_dtype_from_vector_format(const char *format, size_t item_size, syc_dtype *out, unsigned *width)
{
    unsigned count, lanes;
    if (format == NULL || strncmp(format, "T{", 2) != 0)
        return false;
    format = native(format + 2);
    count = count_components(format, format[0]);
    lanes = count == 3 ? 4 : count;
    if (lanes < 2 || lanes > 16 || (lanes & (lanes - 1)) != 0 || item_size % lanes != 0)
        return false;
    *width = count;
    return syc_dtype_from_format((const char[]){format[0], '\0'}, item_size / lanes, out) && *out != SYC_BOOL;
}
