/* Names are compared by their words, whatever their order, and without those that say for whom a function is; a name
 * that is not met so may have letters that are wrong. */
#include "library/near_names.h"

#include "library/library.h"

#include <string.h>

enum { MOST_WORDS = 8, MOST_NAMES = 4, LONGEST = 48 };

typedef struct words {
    syc_slice items[MOST_WORDS];
    size_t count;
} words;

static bool same(syc_slice a, syc_slice b)
{
    return a.length == b.length && memcmp(a.text, b.text, a.length) == 0;
}

static bool has(const words *w, syc_slice word)
{
    for (size_t i = 0; i < w->count; i++)
        if (same(w->items[i], word))
            return true;
    return false;
}

static words words_of(syc_slice name)
{
    static const char *const silent[] = {"group", "work", "sub", "joint", "over", "of", "by", "from", NULL};
    words w = {.count = 0};
    while (name.length > 0 && w.count < MOST_WORDS) {
        const char *end = memchr(name.text, '_', name.length);
        syc_slice word = {name.text, end != NULL ? (size_t)(end - name.text) : name.length};
        bool counts = word.length > 0;
        for (size_t i = 0; silent[i] != NULL; i++)
            counts &= !same(word, (syc_slice){silent[i], strlen(silent[i])});
        if (counts)
            w.items[w.count++] = word;
        name = syc__slice_from(name, word.length + 1);
    }
    return w;
}

static bool within(const words *a, const words *b)
{
    for (size_t i = 0; i < a->count; i++)
        if (!has(b, a->items[i]))
            return false;
    return a->count > 0;
}

/* How many letters must be put in, left out, changed or swapped with the next. */
static size_t distance(syc_slice a, syc_slice b)
{
    size_t rows[3][LONGEST + 1], *before = rows[0], *last = rows[1], *row = rows[2];
    if (a.length > LONGEST || b.length > LONGEST)
        return LONGEST;
    for (size_t k = 0; k <= b.length; k++)
        last[k] = k;
    for (size_t i = 1; i <= a.length; i++) {
        size_t *spare = before;
        row[0] = i;
        for (size_t k = 1; k <= b.length; k++) {
            size_t least = last[k - 1] + (a.text[i - 1] != b.text[k - 1]);
            least = last[k] + 1 < least ? last[k] + 1 : least;
            least = row[k - 1] + 1 < least ? row[k - 1] + 1 : least;
            if (i > 1 && k > 1 && a.text[i - 1] == b.text[k - 2] && a.text[i - 2] == b.text[k - 1] &&
                before[k - 2] + 1 < least)
                least = before[k - 2] + 1;
            row[k] = least;
        }
        before = last;
        last = row;
        row = spare;
    }
    return last[b.length];
}

typedef bool near(syc_slice name, syc_slice candidate);

static bool is_alike(syc_slice name, syc_slice candidate)
{
    const words a = words_of(name), b = words_of(candidate);
    return a.count == b.count && within(&a, &b) && within(&b, &a);
}

/* Of a short name every letter counts, and so does it of what atomic operations do. */
static bool is_misspelt(syc_slice name, syc_slice candidate)
{
    const bool far = name.length >= 12 && syc__slice_find(name, "atomic_") == NULL;
    return name.length >= 8 && distance(name, candidate) <= (far ? 2 : 1);
}

static bool is_longer(syc_slice name, syc_slice candidate)
{
    const words a = words_of(name), b = words_of(candidate);
    return within(&a, &b);
}

/* A name of two files, or of two kinds, is one. */
static bool seen(const syc_slice *names, size_t count, syc_slice name)
{
    for (size_t i = 0; i < count; i++)
        if (same(names[i], name))
            return true;
    return false;
}

static size_t find(syc_slice name, near *is_near, syc_slice *out)
{
    static const enum syc__library_sort sorts[] = {SYC__LIBRARY_FUNCTION, SYC__LIBRARY_OVERRIDE};
    size_t count = 0;
    for (size_t i = 0; syc__libraries[i].file != NULL; i++) {
        for (size_t k = 0; k < sizeof sorts / sizeof *sorts; k++) {
            const char *const *each = syc__libraries[i].names[sorts[k]];
            for (; each != NULL && *each != NULL && count < MOST_NAMES; each++) {
                const syc_slice candidate = {*each, strlen(*each)};
                if (syc__near_name_looks(candidate) && is_near(name, candidate) && !seen(out, count, candidate))
                    out[count++] = candidate;
            }
        }
    }
    return count;
}

bool syc__near_name_looks(syc_slice name)
{
    static const char *const parts[] = {"group", "joint_", "atomic_", "shuffle"};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (syc__slice_find(name, parts[i]) != NULL)
            return true;
    return false;
}

bool syc__near_names_add(syc_slice name, syc_text *out)
{
    static near *const ways[] = {is_alike, is_misspelt, is_longer};
    syc_slice names[MOST_NAMES];
    size_t count = 0;

    for (size_t i = 0; i < sizeof ways / sizeof *ways && count == 0; i++)
        count = find(name, ways[i], names);
    for (size_t i = 0; i < count; i++)
        syc_text_add(out, "%s%.*s", i == 0 ? "" : i + 1 == count ? " or " : ", ", (int)names[i].length, names[i].text);
    return count > 0;
}
