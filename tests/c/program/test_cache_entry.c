/* Entries as bytes: what was put in comes out, and nothing that was changed in any way is taken for an entry. */
#include "base/alloc.h"
#include "base/digest.h"
#include "check.h"
#include "program/cache/entry.h"
#include "program/cache/key.h"

#include <time.h>

static const char key[] = "the key, with a \0 in it", other_key[] = "the key, with a \0 in iT";
static char first[] = "some machine code", second[] = "";
static unsigned char *whole;
static size_t size;

static void encode(const char *with_key)
{
    syc__entry entry = {.key = with_key, .key_length = sizeof key, .cost_ns = 123456789, .count = 2};
    entry.parts[0] = (syc__part){first, sizeof first};
    entry.parts[1] = (syc__part){second, 0};
    syc_free(whole);
    CHECK_OK(syc__entry_encode(&entry, &whole, &size));
}

/* Exactly as many bytes, so that a sanitizer sees each one read too far. */
static bool accepts(const unsigned char *bytes, size_t length)
{
    unsigned char *copy = malloc(length > 0 ? length : 1);
    syc__entry entry;
    bool good;
    memcpy(copy, bytes, length);
    good = syc__entry_decode(copy, length, key, sizeof key, &entry);
    free(copy);
    return good;
}

static void test_what_goes_in_comes_out(void)
{
    syc__entry entry;
    encode(key);
    CHECK(syc__entry_decode(whole, size, key, sizeof key, &entry));
    CHECK_EQUAL(entry.cost_ns, 123456789);
    CHECK_EQUAL(entry.count, 2);
    CHECK_EQUAL(entry.parts[0].size, sizeof first);
    CHECK_STRING(entry.parts[0].bytes, first);
    CHECK_EQUAL(entry.parts[1].size, 0);
    CHECK_EQUAL(entry.key_length, sizeof key);
    CHECK(memcmp(entry.key, key, sizeof key) == 0);
}

static void test_every_bit_matters(void)
{
    encode(key);
    for (size_t bit = 0; bit < 8 * size; bit++) {
        whole[bit / 8] ^= (unsigned char)(1 << bit % 8);
        CHECK(!accepts(whole, size));
        whole[bit / 8] ^= (unsigned char)(1 << bit % 8);
    }
    CHECK(accepts(whole, size));
}

static void test_every_length_matters(void)
{
    unsigned char *longer;
    encode(key);
    for (size_t length = 0; length < size; length++)
        CHECK(!accepts(whole, length));
    longer = calloc(1, size + 64);
    memcpy(longer, whole, size);
    for (size_t more = 1; more <= 64; more++)
        CHECK(!accepts(longer, size + more));
    free(longer);
}

static void test_the_key_is_compared_whole(void)
{
    encode(other_key);
    CHECK(!accepts(whole, size));
    encode(key);
    CHECK(accepts(whole, size));
}

/* -- at random -- */

static uint64_t state;

static size_t below(size_t limit)
{
    state = state * 6364136223846793005ull + 1442695040888963407ull;
    return (size_t)((state >> 33) % limit);
}

static void damage(unsigned char *bytes, size_t *length)
{
    size_t at = below(*length), count = 1 + below(*length - at);
    switch (below(5)) {
    case 0:
        bytes[at] ^= (unsigned char)(1 << below(8));
        break;
    case 1:
        *length = at;
        break;
    case 2:
        memset(bytes + at, 0, count);
        break;
    case 3:
        memmove(bytes + at / 2, bytes + at, count);
        break;
    default:
        for (size_t i = 0; i < count; i++)
            bytes[at + i] = (unsigned char)below(256);
    }
}

/* SYC_CORRUPTIONS: how many. */
static void test_damage_of_all_kinds(void)
{
    const char *wanted = getenv("SYC_CORRUPTIONS");
    long rounds = wanted != NULL ? atol(wanted) : 2000, harmless = 0;
    unsigned char *copy;

    encode(key);
    copy = malloc(size);
    state = (uint64_t)time(NULL);
    printf("seed %llu, %ld rounds\n", (unsigned long long)state, rounds);
    for (long i = 0; i < rounds; i++) {
        size_t length = size;
        memcpy(copy, whole, size);
        damage(copy, &length);
        if (length == size && memcmp(copy, whole, size) == 0)
            harmless++;
        else
            CHECK(!accepts(copy, length));
    }
    CHECK(harmless < rounds / 4);
    free(copy);
}

/* As many parts as there may be, of all sizes; and no memory for them. */
static void test_many_parts(void)
{
    syc__entry entry = {.key = key, .key_length = sizeof key, .count = SYC__PARTS}, back;
    unsigned char *bytes = NULL;
    size_t length = 0;

    for (size_t i = 0; i < SYC__PARTS; i++)
        entry.parts[i] = (syc__part){first, i % sizeof first};
    CHECK_OK(syc__entry_encode(&entry, &bytes, &length));
    CHECK(syc__entry_decode(bytes, length, key, sizeof key, &back));
    CHECK_EQUAL(back.count, SYC__PARTS);
    for (size_t i = 0; i < SYC__PARTS; i++)
        CHECK_EQUAL(back.parts[i].size, i % sizeof first);
    syc_free(bytes);
    syc_alloc_fail_at(1);
    CHECK_STATUS(syc__entry_encode(&entry, &bytes, &length), SYC_E_MEMORY_ALLOCATION);
    syc_alloc_fail_at(0);
}

/* One more than that, and else a whole entry with the right digest: nothing is written behind the last part. */
static void test_too_many_parts(void)
{
    enum { HEAD = 48 + SYC_DIGEST_SIZE, COUNT_AT = 40, TOTAL_AT = 16, WORD = sizeof(uint64_t) };
    syc__entry entry = {.key = key, .key_length = sizeof key, .count = SYC__PARTS};
    struct {
        syc__entry entry;
        syc__part behind[4];
    } out;
    unsigned char *bytes = NULL, *longer;
    size_t length = 0, lengths_end = HEAD + SYC__PARTS * WORD;
    syc_digest digest;

    for (size_t i = 0; i < SYC__PARTS; i++)
        entry.parts[i] = (syc__part){first, 2};
    CHECK_OK(syc__entry_encode(&entry, &bytes, &length));
    longer = calloc(1, length + WORD);
    memcpy(longer, bytes, lengths_end);
    memcpy(longer + lengths_end + WORD, bytes + lengths_end, length - lengths_end);
    for (int more = 0; more < 2; more++) { /* the one that is whole shows that the header is where this has it */
        unsigned char *made = more ? longer : bytes;
        size_t size_of_it = length + (more ? WORD : 0);
        memcpy(made + TOTAL_AT, &(uint64_t){size_of_it}, WORD);
        memcpy(made + COUNT_AT, &(uint64_t){SYC__PARTS + (uint64_t)more}, WORD);
        syc_digest_begin(&digest);
        syc_digest_add(&digest, made, HEAD - SYC_DIGEST_SIZE);
        syc_digest_add(&digest, made + HEAD, size_of_it - HEAD);
        syc_digest_end(&digest, made + HEAD - SYC_DIGEST_SIZE);
        CHECK_EQUAL(syc__entry_decode(made, size_of_it, key, sizeof key, &out.entry), !more);
    }
    free(longer);
    syc_free(bytes);
}

/* -- texts that do not stand alone -- */

static bool is_closed(const char *text, const char *options)
{
    return syc__text_is_closed(text, strlen(text), options);
}

static void test_closed_texts(void)
{
    static const char *const open[] = {"#include <a.h>",
                                       " # include \"a.h\"",
                                       "#/* */include X",
                                       "#\\\ninclude X",
                                       "#inc\\\nlude X",
                                       "#inc\\\r\nlude X",
                                       "%:include X",
                                       "?"
                                       "?=include X",
                                       "int x;\n#\t \vimport X",
                                       "#embed \"a\"",
                                       "#include_next <a.h>",
                                       "char *x = __DATE__;",
                                       "__TIME__",
                                       "__TIMESTAMP__",
                                       "#if __has_include(<a.h>)"};
    static const char *const closed[] = {
        "", "include", "#define include 1", "#", "#\\", "#/*", "# pragma include", "%", "kernel void k() {}"};
    for (size_t i = 0; i < sizeof open / sizeof *open; i++) {
        if (is_closed(open[i], ""))
            fprintf(stderr, "taken as closed: %s\n", open[i]);
        CHECK(!is_closed(open[i], ""));
    }
    for (size_t i = 0; i < sizeof closed / sizeof *closed; i++)
        CHECK(is_closed(closed[i], "-I/somewhere -DX=1 -cl-std=CL2.0"));
    CHECK(!is_closed("", "-include a.h"));
    CHECK(!is_closed("", "-DX=1 -imacros a.h"));
    CHECK(!is_closed("", "-DX=__TIME__"));
    CHECK(is_closed("", "-DX=-i"));
}

int main(void)
{
    RUN(test_what_goes_in_comes_out);
    RUN(test_every_bit_matters);
    RUN(test_every_length_matters);
    RUN(test_the_key_is_compared_whole);
    RUN(test_damage_of_all_kinds);
    RUN(test_many_parts);
    RUN(test_too_many_parts);
    RUN(test_closed_texts);
    syc_free(whole);
    return CHECK_EXIT_CODE;
}
