/* Two lines held against each other, word by word: their longest common subsequence. */
#include "source/align.h"

#include "base/alloc.h"

#include <stdint.h>
#include <string.h>

enum { MOST_WORDS = 500 }; /* the table has so many rows and columns at most */

typedef struct word {
    const char *text;
    uint32_t at, length;
} word;

typedef struct words {
    word items[MOST_WORDS];
    size_t count;
} words;

/* Words of C and single signs; false if there are too many. */
static bool split(syc_slice line, words *out)
{
    out->count = 0;
    for (size_t at = 0; at < line.length;) {
        size_t length = syc__slice_word(syc__slice_from(line, at)).length;
        length = length > 0 ? length : 1;
        if (length > 1 || strchr(" \t\r\v\f", line.text[at]) == NULL) {
            if (out->count == MOST_WORDS)
                return false;
            out->items[out->count++] = (word){line.text + at, (uint32_t)at, (uint32_t)length};
        }
        at += length;
    }
    return true;
}

static bool same(const word *a, const word *b)
{
    return a->length == b->length && memcmp(a->text, b->text, a->length) == 0;
}

/* partner[k]: the user's word that word k of the made line is, or SIZE_MAX. `table` has room for both counts and one
 * more of each; its element at (i, k) says how many words the ends from there on have in common. */
static void match(const words *user, const words *made, uint16_t *table, size_t *partner)
{
    const size_t width = made->count + 1;
    for (size_t i = user->count; i-- > 0;)
        for (size_t k = made->count; k-- > 0;) {
            uint16_t below = table[(i + 1) * width + k], beside = table[i * width + k + 1];
            table[i * width + k] = below > beside ? below : beside;
            if (same(&user->items[i], &made->items[k]))
                table[i * width + k] = (uint16_t)(table[(i + 1) * width + k + 1] + 1);
        }
    for (size_t i = 0, k = 0; k < made->count;) {
        partner[k] = SIZE_MAX;
        if (i < user->count && same(&user->items[i], &made->items[k]) &&
            table[i * width + k] == table[(i + 1) * width + k + 1] + 1)
            partner[k++] = i++;
        else if (i < user->count && table[(i + 1) * width + k] >= table[i * width + k + 1])
            i++;
        else
            k++;
    }
}

/* The last word that begins at the offset or before it; SIZE_MAX: none does. */
static size_t word_at(const words *made, size_t offset)
{
    size_t found = SIZE_MAX;
    for (size_t k = 0; k < made->count && made->items[k].at <= offset; k++)
        found = k;
    return found;
}

static size_t column_of(const words *user, const words *made, const size_t *partner, size_t offset)
{
    size_t k = word_at(made, offset), behind;
    if (k != SIZE_MAX && partner[k] != SIZE_MAX) {
        behind = offset - made->items[k].at;
        behind = behind < made->items[k].length ? behind : made->items[k].length; /* or just behind it */
        return user->items[partner[k]].at + behind + 1;
    }
    for (size_t next = k == SIZE_MAX ? 0 : k; next < made->count; next++)
        if (partner[next] != SIZE_MAX)
            return user->items[partner[next]].at + 1;
    while (k != SIZE_MAX && k-- > 0)
        if (partner[k] != SIZE_MAX)
            return user->items[partner[k]].at + user->items[partner[k]].length + 1;
    return 0;
}

size_t syc__align_column(syc_slice user, syc_slice made, size_t column)
{
    syc_status status = SYC_OK;
    words *both = NULL;
    uint16_t *table = NULL;
    size_t *partner = NULL, found = 0;

    if (column == 0 || (user.length == made.length && memcmp(user.text, made.text, user.length) == 0))
        return column;
    SYC_TRY(syc_alloc_array(2, sizeof *both, &both));
    if (!split(user, &both[0]) || !split(made, &both[1]))
        goto done;
    SYC_TRY(syc_alloc_array((both[0].count + 1) * (both[1].count + 1), sizeof *table, &table));
    SYC_TRY(syc_alloc_array(both[1].count + 1, sizeof *partner, &partner));
    match(&both[0], &both[1], table, partner);
    found = column_of(&both[0], &both[1], partner, column - 1);
done:
    syc_free(partner);
    syc_free(table);
    syc_free(both);
    return status == SYC_OK ? found : 0;
}
