/* NVIDIA 580: its assembler loses the minus of one of three operands of a minimum or maximum.
 * Gone when: tests/regression/test_nvidia_minus.py::test_programs.
 *
 * Finds negations in PTX. */
#define _GNU_SOURCE
#include "program/cures/nvidia_minus.h"

#include "base/alloc.h"
#include "base/text.h"

#include <string.h>

static const struct type {
    const char *negation;
    const char *hide; /* with the register for each R */
} types[] = {
    {"neg.s32", " prmt.b32 R, R, R, 0x3210;"}, /* the bytes in the order that they have */
    {"neg.s16", " { .reg .b32 syc_both; .reg .b16 syc_other; mov.b32 syc_both, {R, R};"
                " prmt.b32 syc_both, syc_both, syc_both, 0x3210; mov.b32 {R, syc_other}, syc_both; }"},
};
enum { TYPES = sizeof types / sizeof *types, WORD = 7 };

static bool has(const char *ptx, size_t size, const char *word)
{
    return memmem(ptx, size, word, strlen(word)) != NULL;
}

static bool has_extremes(const char *ptx, size_t size)
{
    return has(ptx, size, "min.s32") || has(ptx, size, "max.s32") || has(ptx, size, "min.s16") ||
           has(ptx, size, "max.s16");
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

/* The first negation, at its opcode; NULL: there is none. */
static const char *find(const char *from, const char *end, const struct type **out)
{
    const char *first = NULL;
    for (size_t i = 0; i < TYPES; i++) {
        const char *at = memmem(from, (size_t)((first != NULL ? first : end) - from), types[i].negation, WORD);
        if (at == NULL)
            continue;
        first = at;
        *out = &types[i];
    }
    return first;
}

static void hide(const struct type *type, const char *name, size_t length, syc_text *out)
{
    for (const char *at = type->hide; *at != '\0'; at++) {
        if (*at == 'R')
            syc_text_add_n(out, name, length);
        else
            syc_text_add_n(out, at, 1);
    }
}

/* "neg.s32 %r5, %r4;" at `at`: its end, with what it writes to; NULL: it is something else, in a comment or a name. */
static const char *read(const char *at, const char *end, const char **name, size_t *length)
{
    const char *from = at + WORD, *comma, *close;
    while (from < end && is_blank(*from))
        from++;
    comma = memchr(from, ',', (size_t)(end - from));
    close = memchr(from, ';', (size_t)(end - from));
    if (from == at + WORD || from == end || *from != '%' || comma == NULL || close == NULL || comma > close)
        return NULL;
    *name = from;
    *length = (size_t)(comma - from);
    while (is_blank((*name)[*length - 1]))
        --*length;
    return close + 1;
}

syc_status syc__minus_mend(const char *ptx, size_t size, char **out, size_t *out_size)
{
    const char *end = ptx + size, *from = ptx, *at;
    const struct type *type = NULL;
    syc_text text = {0};
    size_t hidden = 0;
    syc_status status = SYC_OK;

    *out = NULL;
    if (!has(ptx, size, ".version") || !has_extremes(ptx, size))
        return SYC_OK;
    while ((at = find(from, end, &type)) != NULL) {
        const char *name = NULL, *close;
        size_t length = 0;
        close = at > ptx && is_blank(at[-1]) ? read(at, end, &name, &length) : NULL;
        syc_text_add_n(&text, from, (size_t)((close != NULL ? close : at + WORD) - from));
        from = close != NULL ? close : at + WORD;
        if (close == NULL)
            continue;
        hide(type, name, length, &text);
        hidden++;
    }
    if (hidden == 0)
        goto done;
    syc_text_add_n(&text, from, (size_t)(end - from));
    SYC_CHECK(!text.cut, SYC_E_MEMORY_ALLOCATION, "no memory for the machine code of a program");
    *out_size = text.length;
    *out = syc_text_take(&text);
done:
    syc_text_clear(&text);
    return status;
}
