/* Searches on the calling thread and the team. */
#include "algo/keys/search.h"

#include "algo/isa.h"
#include "algo/share.h"
#include "base/alloc.h"

#include <stdint.h>
#include <string.h>

#ifdef SYC_HOST_AVX2
#include <immintrin.h>
#endif

enum {
    NODE = 16,  /* keys of a node: one line of 32-bit words */
    BATCH = 64, /* values that are looked up side by side */
    LEVELS = 16 /* of nodes: more than there are words */
};

/* Every `1 << skipped`-th key as a word, and of these every 16th, and so on. Of the first level there are `words`.
 * Behind each level's words are greatest ones, at least one and up to a whole node. */
typedef struct tree {
    const syc_host_search *of;
    void *levels[LEVELS];
    size_t words;
    unsigned depth, skipped;
} tree;

/* How many words of a node are below a word. */
#define COUNT_PLAIN                     \
    size_t found = 0;                   \
    for (unsigned k = 0; k < NODE; k++) \
        found += node[k] < word;        \
    return found;
static inline size_t below_32_plain(const int32_t *node, int32_t word)
{
    COUNT_PLAIN
}
static inline size_t below_64_plain(const int64_t *node, int64_t word){COUNT_PLAIN}
#ifdef SYC_HOST_AVX2
SYC_AVX2 static inline size_t below_32_avx2(const int32_t *node, int32_t word)
{
    const __m256i all = _mm256_set1_epi32(word), *v = (const void *)node;
    const __m256i both = _mm256_packs_epi32(_mm256_cmpgt_epi32(all, v[0]), _mm256_cmpgt_epi32(all, v[1]));
    return (size_t)__builtin_popcount((unsigned)_mm256_movemask_epi8(both)) / 2;
}
SYC_AVX2 static inline size_t below_64_avx2(const int64_t *node, int64_t word)
{
    const __m256i all = _mm256_set1_epi64x(word), *v = (const void *)node;
    const __m256i low = _mm256_packs_epi32(_mm256_cmpgt_epi64(all, v[0]), _mm256_cmpgt_epi64(all, v[1]));
    const __m256i high = _mm256_packs_epi32(_mm256_cmpgt_epi64(all, v[2]), _mm256_cmpgt_epi64(all, v[3]));
    return (size_t)__builtin_popcount((unsigned)_mm256_movemask_epi8(_mm256_packs_epi16(low, high))) / 2;
}
#endif
#ifdef SYC_HOST_AVX512
SYC_AVX512 static inline size_t below_32_avx512(const int32_t *node, int32_t word)
{
    const __mmask16 found = _mm512_cmplt_epi32_mask(_mm512_load_si512(node), _mm512_set1_epi32(word));
    return (size_t)__builtin_popcount(found);
}
SYC_AVX512 static inline size_t below_64_avx512(const int64_t *node, int64_t word)
{
    const __m512i all = _mm512_set1_epi64(word);
    const __mmask8 low = _mm512_cmplt_epi64_mask(_mm512_load_si512(node), all);
    const __mmask8 high = _mm512_cmplt_epi64_mask(_mm512_load_si512(node + NODE / 2), all);
    return (size_t)__builtin_popcount(_mm512_kunpackb(high, low));
}
#endif

#define W        int32_t
#define U        uint32_t
#define MOST     INT32_MAX
#define INFINITE 0x7f800000u
#define NAME     32
#include "algo/keys/search_type.h"

#define W        int64_t
#define U        uint64_t
#define MOST     INT64_MAX
#define INFINITE 0x7ff0000000000000u
#define NAME     64
#include "algo/keys/search_type.h"

/* Room for the words of all levels, and where each begins. */
static syc_status grow(tree *t)
{
    size_t sizes[LEVELS], all = 0;
    syc_status status = SYC_OK;
    char *room = NULL;
    t->words = t->of->size >> t->skipped;
    t->depth = 0;
    for (size_t left = t->words;; left /= NODE) {
        sizes[t->depth] = (left / NODE + 1) * NODE * t->of->width;
        all += sizes[t->depth++];
        if (left <= NODE)
            break;
    }
    SYC_TRY(syc_alloc_aligned(64, all, &room));
    for (unsigned l = 0; l < t->depth; l++) {
        t->levels[l] = room;
        room += sizes[l];
    }
done:
    return status;
}

syc_status syc_host_search_keys(const syc_host_search *of)
{
    const bool wide = of->width == 8;
    tree t = {.of = of};
    size_t batches = (of->count + BATCH - 1) / BATCH;
    syc_status status = SYC_OK;
    /* Of many more keys than values, most are never looked at. */
    while ((of->size >> t.skipped) / 4 > of->count)
        t.skipped++;
    SYC_TRY(grow(&t));
    syc__host_share(t.words / BATCH + 1, (double)t.words * 2, wide ? SYC_BEST_OF(leaves_64) : SYC_BEST_OF(leaves_32),
                    &t);
    (wide ? climb_64 : climb_32)(&t);
    syc__host_share(batches, (double)of->count * (8 * t.depth + 10 * t.skipped),
                    wide ? SYC_BEST_OF(search_64) : SYC_BEST_OF(search_32), &t);
done:
    syc_free(t.levels[0]);
    return status;
}
