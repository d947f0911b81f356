/* Origins: copies of them, and what they say about an error. */
#include "source/origin.h"

#include "base/alloc.h"

#include <string.h>

/* -- copies -- */

struct copy {
    syc_origins public;
    syc_origin *items;
    char **given;
};

void syc__origins_free(syc_origins *origins)
{
    struct copy *copy = (struct copy *)origins; /* its first member */
    if (copy == NULL)
        return;
    for (size_t i = 0; i < copy->public.count; i++) {
        syc_free((char *)copy->items[i].name);
        syc_free((char *)copy->items[i].text);
        syc_free((char *)copy->items[i].compiled);
    }
    for (size_t i = 0; i < copy->public.given_count; i++)
        syc_free(copy->given[i]);
    syc_free(copy->items);
    syc_free(copy->given);
    syc_free(copy);
}

static syc_status copy_text(const char *text, const char **out)
{
    char *copied = NULL;
    syc_status status = syc_copy_string(text, &copied);
    *out = copied;
    return status;
}

syc_status syc__origins_copy(const syc_origins *origins, syc_origins **out)
{
    syc_status status = SYC_OK;
    struct copy *copy = NULL;

    SYC_TRY(syc_alloc(sizeof *copy, &copy));
    copy->public.dims = origins->dims;
    copy->public.whole = origins->whole;
    SYC_TRY(syc_alloc_array(origins->count, sizeof *copy->items, &copy->items));
    copy->public.items = copy->items;
    for (size_t i = 0; i < origins->count; i++) {
        copy->public.count = i + 1;
        SYC_TRY(copy_text(origins->items[i].name, &copy->items[i].name));
        SYC_TRY(copy_text(origins->items[i].text, &copy->items[i].text));
        if (origins->items[i].compiled != NULL)
            SYC_TRY(copy_text(origins->items[i].compiled, &copy->items[i].compiled));
    }
    SYC_TRY(syc_alloc_array(origins->given_count, sizeof *copy->given, &copy->given));
    copy->public.given = (const char *const *)copy->given;
    for (size_t i = 0; i < origins->given_count; i++) {
        copy->public.given_count = i + 1;
        SYC_TRY(syc_copy_string(origins->given[i], &copy->given[i]));
    }
    *out = &copy->public;
    copy = NULL;
done:
    syc__origins_free(copy != NULL ? &copy->public : NULL);
    return status;
}

/* -- what they say -- */

const syc_origin *syc__origin_find(const syc_origins *origins, syc_slice file)
{
    for (size_t i = 0; origins != NULL && i < origins->count; i++) {
        const syc_origin *o = &origins->items[i];
        if (strlen(o->name) == file.length && memcmp(o->name, file.text, file.length) == 0)
            return o;
    }
    return NULL;
}

/* The word in quotes behind `words`; empty if the message is not about that. */
static syc_slice quoted_behind(syc_slice message, const char *words)
{
    const char *at = syc__slice_find(message, words);
    syc_slice word = {"", 0};
    if (at == NULL)
        return word;
    word = syc__slice_from(message, (size_t)(at - message.text) + strlen(words));
    for (size_t i = 0; i < word.length; i++)
        if (word.text[i] == '\'')
            return (syc_slice){word.text, i};
    return (syc_slice){"", 0};
}

static char lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

/* How many letters must be put in, left out or changed to come from one to the other, whatever their case. */
static size_t distance(syc_slice word, const char *name)
{
    enum { LONG = 64 };
    size_t row[LONG + 1], length = strlen(name);
    if (word.length > LONG || length > LONG)
        return LONG;
    for (size_t k = 0; k <= length; k++)
        row[k] = k;
    for (size_t i = 1; i <= word.length; i++) {
        size_t diagonal = row[0];
        row[0] = i;
        for (size_t k = 1; k <= length; k++) {
            size_t change = diagonal + (lower(word.text[i - 1]) != lower(name[k - 1]));
            diagonal = row[k];
            row[k] = row[k] < row[k - 1] ? row[k] + 1 : row[k - 1] + 1;
            row[k] = row[k] < change ? row[k] : change;
        }
    }
    return row[length];
}

/* The name that was probably meant, or NULL. */
static const char *closest(const syc_origins *origins, syc_slice word)
{
    const char *best = NULL;
    size_t least = (word.length + 1) / 3 + 1;
    for (size_t i = 0; i < origins->given_count; i++) {
        size_t d = distance(word, origins->given[i]);
        if (d < least) {
            least = d;
            best = origins->given[i];
        }
    }
    return best;
}

static bool is_id(syc_slice word)
{
    return (word.length == 1 && word.text[0] == 'i') ||
           (word.length == 2 && (word.text[0] == 'i' || word.text[0] == 'n') && word.text[1] >= '0' &&
            word.text[1] <= '2');
}

static void explain_id(const syc_origins *origins, syc_slice word, syc_text *out)
{
    static const char *const words[] = {"", "i, i0 and n0", "i, i0, i1, n0 and n1", "i, i0, i1, i2, n0, n1 and n2"};
    syc_text_add(out, "There is no '%.*s' here: ", (int)word.length, word.text);
    if (origins->dims == 0)
        syc_text_add(out, "a single task has no ids.\n");
    else
        syc_text_add(out, "a range of %u dimension%s has %s.\n", origins->dims, origins->dims > 1 ? "s" : "",
                     words[origins->dims]);
}

static void add_given(const syc_origins *origins, syc_text *out)
{
    size_t count = origins->given_count;
    syc_text_add(out, count == 0 ? ", nor is any other." : ": ");
    for (size_t i = 0; i < count; i++)
        syc_text_add(out, "%s'%s'", i == 0 ? "" : i + 1 == count ? " and " : ", ", origins->given[i]);
    if (count > 0)
        syc_text_add(out, count == 1 ? " is." : " are.");
}

void syc__origins_explain(const syc_origins *origins, syc_slice message, syc_text *out)
{
    syc_slice word = quoted_behind(message, "undeclared identifier '");
    const char *meant;

    if (origins == NULL || origins->whole)
        return;
    if (word.length == 0)
        word = quoted_behind(message, "implicit declaration of function '");
    if (word.length == 0)
        return;
    if (is_id(word)) {
        explain_id(origins, word, out);
        return;
    }
    meant = closest(origins, word);
    syc_text_add(out, "No argument '%.*s' is given", (int)word.length, word.text);
    add_given(origins, out);
    if (meant != NULL)
        syc_text_add(out, " Did you mean '%s'?", meant);
    syc_text_add(out, "\n");
}
