/* Words for what the items of a group did not agree on. */
#include "library/checks/sites.h"

#include "base/alloc.h"
#include "base/text.h"

static const char *const ways[] = {"on", "out by return", "out by break", "on by continue"};
static const uint32_t out_of_range = 0x80000000u;

static long long wide(const uint32_t *words, int low)
{
    return (long long)(words[low] | (uint64_t)words[low + 1] << 32);
}

/* "3", or "(0, 3)" in SYCL's order. */
static void add_group(syc_text *text, unsigned dims, const uint32_t *words)
{
    if (dims <= 1) {
        syc_text_add(text, "work-group %u", words[2]);
        return;
    }
    syc_text_add(text, "work-group (");
    for (unsigned d = dims; d-- > 0;)
        syc_text_add(text, "%u%s", words[2 + d], d > 0 ? ", " : ")");
}

static void add_argument(syc_text *text, const syc__site *site, const uint32_t *words)
{
    syc_text_add(text, "%s in line %u: argument %u ", site->call, site->call_line, site->argument);
    if ((words[1] & out_of_range) != 0) {
        syc_text_add(text, "is %lld, where the group has ids from 0 to %lld, in ", wide(words, 6), wide(words, 8) - 1);
        return;
    }
    syc_text_add(text, "is not the same in all work-items of the group");
    if (site->kind == SYC__SITE_NUMBER)
        syc_text_add(text, ": %lld in work-item %u, and %lld in work-item %u", wide(words, 6), words[5], wide(words, 8),
                     words[10]);
    syc_text_add(text, ", in ");
}

static void add_flow(syc_text *text, const syc__site *site, const uint32_t *words)
{
    const char *const truth[] = {"false", "true"};
    long long own = wide(words, 6), first = wide(words, 8);

    syc_text_add(text, "not all work-items of the group come to %s in line %u together: ", site->call, site->call_line);
    if (site->kind == SYC__SITE_CONDITION)
        syc_text_add(text, "the condition of '%s' in line %u is %s in work-item %u and %s in work-item %u, in ",
                     site->word, site->line, truth[own != 0], words[5], truth[first != 0], words[10]);
    else if (site->kind == SYC__SITE_VALUE)
        syc_text_add(text, "'%s' in line %u has %lld in work-item %u and %lld in work-item %u, in ", site->word,
                     site->line, own, words[5], first, words[10]);
    else
        syc_text_add(text, "from '%s' in line %u work-item %u goes %s and work-item %u %s, in ", site->word, site->line,
                     words[5], ways[own & 3], words[10], ways[first & 3]);
}

const syc__site *syc__sites_say(const syc__sites *sites, const char *kernel, unsigned dims, const uint32_t *words,
                                syc_text *out)
{
    const size_t index = words[1] & ~out_of_range;
    const syc__site *site = index < sites->count ? &sites->items[index] : NULL;

    if (words[0] == 0)
        return NULL;
    syc_text_add(out, "kernel '%s'", kernel);
    if (site == NULL) {
        syc_text_add(out, " has written over what its check says");
        return NULL;
    }
    syc_text_add(out, ": ");
    if (site->kind >= SYC__SITE_NUMBER)
        add_argument(out, site, words);
    else
        add_flow(out, site, words);
    add_group(out, dims, words);
    return site;
}

void syc__sites_clear(syc__sites *sites)
{
    syc_free(sites->items);
    *sites = (syc__sites){0};
}
