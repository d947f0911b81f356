/* Macros of kernels/forms/, written out. These are simple ones: no strings, no comments, no calls of each other
 * but of constants. */
#include "library/template.h"

#include "library/embedded.h"

#include <ctype.h>
#include <string.h>

enum { MOST_PARAMETERS = 8, DEEPEST = 4 };

typedef struct piece {
    const char *text;
    size_t length;
} piece;

typedef struct macro {
    piece body, parameters[MOST_PARAMETERS];
    size_t count;
    bool takes;
} macro;

static const char *const files[] = {"reduction_end.clh",   "reduction_warps.clh", "reduction_axes.clh",
                                    "reduction_array.clh", "scan_tiles.clh",      "scan_rounds.clh"};

static bool is_word(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

static size_t word_length(const char *at)
{
    size_t length = 0;
    while (is_word(at[length]))
        length++;
    return length;
}

static bool same(piece a, piece b)
{
    return a.length == b.length && memcmp(a.text, b.text, a.length) == 0;
}

/* -- definitions -- */

/* Up to the end of a line that does not end with a '\'. */
static size_t body_length(const char *at)
{
    const char *end = at;
    while (*end != '\0' && (*end != '\n' || end[-1] == '\\'))
        end++;
    return (size_t)(end - at);
}

static void read_macro(const char *at, macro *out)
{
    *out = (macro){.takes = *at == '('};
    while (out->takes && *at != ')') {
        at += strcspn(at, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ)");
        if (*at != ')' && out->count < MOST_PARAMETERS)
            out->parameters[out->count++] = (piece){at, word_length(at)};
        at += word_length(at);
    }
    at += out->takes;
    at += strspn(at, " \\\n");
    out->body = (piece){at, body_length(at)};
}

static bool find_macro(piece name, macro *out)
{
    static const char define[] = "#define ";
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        const char *at = syc_kernel_source(files[i]);
        while (at != NULL && (at = strstr(at, define)) != NULL) {
            at += sizeof define - 1;
            if (!same(name, (piece){at, word_length(at)}))
                continue;
            read_macro(at + name.length, out);
            return true;
        }
    }
    return false;
}

/* -- calls -- */

/* The arguments of the call whose '(' is at `at`, which ends at `end`: what is behind its ')', or NULL without one. */
static const char *read_arguments(const char *at, const char *end, piece *out, size_t most, size_t *count)
{
    const char *from = ++at;
    *count = 0;
    for (int depth = 0; at < end; at++) {
        if ((*at == ',' || *at == ')') && depth == 0) {
            from += strspn(from, " ");
            if (*count < most)
                out[(*count)++] = (piece){from, (size_t)(at - from)};
            from = at + 1;
        }
        if (*at == ')' && depth-- == 0)
            return at + 1;
        depth += *at == '(';
    }
    return NULL;
}

static void write_out(syc_text *out, piece text, const macro *in, const piece *values, int depth);

/* Adds what the word at `at` stands for; what is behind it, or NULL where it is no macro. */
static const char *write_macro(syc_text *out, piece word, const char *end, int depth)
{
    piece values[MOST_PARAMETERS] = {0};
    size_t count = 0;
    const char *behind = word.text + word.length;
    macro found;

    if (depth == DEEPEST || word.length < 4 || memcmp(word.text, "SYC_", 4) != 0 || !find_macro(word, &found))
        return NULL;
    if (found.takes) {
        behind = *behind == '(' ? read_arguments(behind, end, values, MOST_PARAMETERS, &count) : NULL;
        if (behind == NULL || count != found.count)
            return NULL;
    }
    write_out(out, found.body, &found, values, depth + 1);
    return behind;
}

static const piece *value_of(piece word, const macro *in, const piece *values)
{
    for (size_t k = 0; in != NULL && k < in->count; k++)
        if (same(word, in->parameters[k]))
            return &values[k];
    return NULL;
}

/* In a macro a '##' pastes, and a '\' ends a line; the blanks before it are for readers of the file. */
static const char *write_mark(syc_text *out, const char *at, const char *end, bool inside)
{
    const char *next = at + (inside ? strspn(at, " ") : 1);
    if (!inside) {
        syc_text_add_n(out, at, 1);
        return next;
    }
    if (next[0] == '#' && next[1] == '#')
        return next + 2 + strspn(next + 2, " ");
    if (next[0] == '\\')
        return next + 1;
    if (next > end || next == at)
        next = at + 1;
    syc_text_add_n(out, at, (size_t)(next - at));
    return next;
}

static void write_out(syc_text *out, piece text, const macro *in, const piece *values, int depth)
{
    const char *at = text.text, *end = text.text + text.length;
    while (at < end) {
        const piece word = {at, word_length(at)};
        const piece *value = value_of(word, in, values);
        const char *behind = word.length > 0 && value == NULL ? write_macro(out, word, end, depth) : NULL;
        if (value != NULL)
            write_out(out, *value, NULL, NULL, depth + 1);
        else if (behind == NULL && word.length > 0)
            syc_text_add_n(out, at, word.length);
        at = word.length == 0 ? write_mark(out, at, end, in != NULL) : behind != NULL ? behind : at + word.length;
    }
}

void syc_template_add(syc_text *out, const char *text)
{
    write_out(out, (piece){text, strlen(text)}, NULL, NULL, 0);
}
