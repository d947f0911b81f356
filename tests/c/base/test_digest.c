/* BLAKE2s against the results of another implementation (Python's hashlib), at once and in pieces. */
#include "base/digest.h"
#include "check.h"

static const struct {
    size_t length;
    const char *expected;
} vectors[] = {
    {0, "69217a3079908094e11121d042354a7c1f55b6482ca1a51e1b250dfd1ed0eef9"},
    {1, "fc87f4f1d721942d282aa61989c069b290d1447d20d4b811430f47ea0edf9991"},
    {3, "ca943acca89a34cf4040cf8ea24147dd94ea62a49de8ef9a88af5272339927b3"},
    {63, "e36fe785a2fc7ce6c8574b108c637e9cff6697ee062bd710f6a38dea83b30f67"},
    {64, "6445f87aad7cc36f1edf6e75f17577b669a0dc359102249620abb4d7334225d2"},
    {65, "cd73348f9d260efe940d99bbf64f3b6301099dfee47c2dcbbac02756395c3a7f"},
    {127, "f443b7c9f72891eb03f3eee1306e0f63dc06417a493e9bdc0842399c9c972575"},
    {128, "8342f49d5155d8c29cff6e0fd96aa0f1315e481c861b0a0fdf267c833454ae49"},
    {129, "0d40b742f24377aaf4e05e97bb40460c3eefbc30698de23ef002445780dd61a1"},
    {1000, "a02e34d5cdd4af9a1916ebc10e5f2f1634fc067303120a30d611f5d292c32263"},
};

static void message(unsigned char *out, size_t length)
{
    for (size_t i = 0; i < length; i++)
        out[i] = (unsigned char)((i * 7 + length) % 251);
}

static const char *hexadecimal(const unsigned char *digest)
{
    static char text[2 * SYC_DIGEST_SIZE + 1];
    for (size_t i = 0; i < SYC_DIGEST_SIZE; i++)
        snprintf(text + 2 * i, 3, "%02x", digest[i]);
    return text;
}

static void in_pieces(size_t piece)
{
    unsigned char bytes[1000], result[SYC_DIGEST_SIZE];
    for (size_t v = 0; v < sizeof vectors / sizeof *vectors; v++) {
        size_t length = vectors[v].length;
        syc_digest digest;
        message(bytes, length);
        syc_digest_begin(&digest);
        for (size_t at = 0; at < length; at += piece)
            syc_digest_add(&digest, bytes + at, length - at < piece ? length - at : piece);
        syc_digest_end(&digest, result);
        CHECK_STRING(hexadecimal(result), vectors[v].expected);
    }
}

static void test_vectors(void)
{
    in_pieces(1000);
}

static void test_pieces(void)
{
    in_pieces(1);
    in_pieces(37);
    in_pieces(64);
}

static void test_words_of_the_standard(void)
{
    unsigned char result[SYC_DIGEST_SIZE];
    syc_digest digest;
    syc_digest_begin(&digest);
    syc_digest_add(&digest, "abc", 3); /* RFC 7693, appendix B */
    syc_digest_end(&digest, result);
    CHECK_STRING(hexadecimal(result), "508c5e8c327c14e2e1a72ba34eeb452f37458b209ed63a294d999b4c86675982");
}

int main(void)
{
    RUN(test_vectors);
    RUN(test_pieces);
    RUN(test_words_of_the_standard);
    return CHECK_EXIT_CODE;
}
