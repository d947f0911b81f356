/* Where a text takes nothing but whole numbers. */
#include "source/integer_use.h"

#include "check.h"

#include <stdbool.h>

static bool demanded(const char *text, const char *name)
{
    const char *names[] = {"other", name};
    bool out[2] = {true, true};
    CHECK_OK(syc_integer_use(text, names, 2, out));
    CHECK(!out[0]);
    return out[1];
}

static void test_subscripts(void)
{
    CHECK(demanded("y[i] = x[k];", "k"));
    CHECK(demanded("y[i] = x[(i + 2) * (1 + k)];", "k"));
    CHECK(demanded("y[z[k] + 1] = 0;", "k"));
    CHECK(!demanded("y[i] = x[i] * k;", "k"));
    CHECK(!demanded("k[i] = 0;", "k"));
    CHECK(!demanded("y(i0, k) = kk[k2];", "k2 "));
}

static void test_operators(void)
{
    static const char *const whole[] = {"a % k",  "k % a", "k & 1",  "1 | k",   "k ^ a", "a << k",
                                        "k >> 1", "~k",    "a %= k", "a <<= k", "a ^= k"};
    static const char *const any[] = {"a * k", "k / a", "k && a", "k || a", "k < a", "a += k", "f(k)", "-k", "!k"};
    for (size_t i = 0; i < sizeof whole / sizeof *whole; i++)
        CHECK(demanded(whole[i], "k"));
    for (size_t i = 0; i < sizeof any / sizeof *any; i++)
        CHECK(!demanded(any[i], "k"));
}

static void test_heads_of_loops(void)
{
    CHECK(demanded("for (int j = 0; j < k; j++) y[i] += 1;", "k"));
    CHECK(demanded("for (int j = f(0); j < (k); j++) { y[i] += 1; }", "k"));
    CHECK(!demanded("for (int j = 0; j < 3; j++) y[i] += k;", "k"));
    CHECK(!demanded("while (x[i] < k) { x[i] += 1; }", "k"));
}

static void test_comments_and_broken_text(void)
{
    CHECK(!demanded("y[i] = k; // x[k]\n/* k % 2 */", "k"));
    CHECK(!demanded("] ) k", "k"));
    CHECK(demanded("y[ ( [ k", "k"));
    CHECK(!demanded("", "k"));
}

int main(void)
{
    RUN(test_subscripts);
    RUN(test_operators);
    RUN(test_heads_of_loops);
    RUN(test_comments_and_broken_text);
    return CHECK_EXIT_CODE;
}
