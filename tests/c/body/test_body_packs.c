/* Which bodies vectors of 16 can stand for. */
#include "body/body.h"
#include "body/name.h"
#include "check.h"

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

/* As a word of its own. */
static bool names(const char *text, char name)
{
    for (const char *p = strchr(text, name); p != NULL; p = strchr(p + 1, name))
        if ((p == text || !is_letter(p[-1])) && !is_letter(p[1]))
            return true;
    return false;
}

static bool packs(const char *type, const char *preamble, const char *options, const char *text)
{
    const syc_name all[] = {
        {.name = "x", .kind = SYC_NAME_GLOBAL, .type = type, .size = 4, .readable = true, .rank = 1},
        {.name = "y", .kind = SYC_NAME_GLOBAL, .type = type, .size = 4, .readable = true, .writable = true, .rank = 1},
        {.name = "a", .kind = SYC_NAME_VALUE, .type = type, .size = 4},
        {.name = "k", .kind = SYC_NAME_VALUE, .type = "int", .size = 4},
    };
    syc_name given[4];
    syc_body_source source = {.text = text, .preamble = preamble, .options = options, .names = given};
    syc_body *body = NULL;
    bool answer;
    for (size_t i = 0; i < 4; i++)
        if (names(text, all[i].name[0]))
            given[source.count++] = all[i];
    CHECK_OK(syc_body_create(&source, &body));
    if (body == NULL)
        return false;
    answer = syc_body_traits_of(body)->packs;
    syc_body_release(body);
    return answer;
}

static void check(int line, const char *text, bool expected)
{
    if (packs("float", NULL, NULL, text) != expected) {
        fprintf(stderr, "%s:%d: '%s'\n", __FILE__, line, text);
        check__failures++;
    }
}
#define CHECK_PACKS(text) check(__LINE__, text, true)
#define CHECK_NOT(text)   check(__LINE__, text, false)

static void test_arithmetic(void)
{
    CHECK_PACKS("y[i] = x[i];");
    CHECK_PACKS("y[i] += a * x[i];");
    CHECK_PACKS("y[i] = -exp(x[i]) / (pow(x[i], a) + 1.5f);");
    CHECK_PACKS("float v = x[i], w = v * 2.0f; v += w; y[i] = v;");
    CHECK_PACKS("const float v = x[i]; float w; w = fma(v, v, 1e3f); y[i] = w;");
    CHECK_PACKS("/* v */ y[i] = x[i]; // w");
}

static void test_numbers(void)
{
    CHECK_PACKS("y[i] = x[i] * 1.f + .5F + 1e-3f;");
    CHECK_PACKS("y[i] = 2 * x[i] - 1;"); /* an int takes the type of what it meets */
    CHECK_PACKS("y[i] = 3; y[i] += -1;");
    CHECK_PACKS("y[i] = x[i] * M_PI_F + INFINITY;");
    CHECK_NOT("y[i] = 1 / 2 * x[i];"); /* 0 */
    CHECK_NOT("y[i] = x[i] * (1 + 2);");
    CHECK_NOT("y[i] = x[i] * -0;"); /* -0.0f */
    CHECK_NOT("y[i] = x[i] * -(0);");
    CHECK_NOT("y[i] = x[i] * 010;");
    CHECK_NOT("y[i] = x[i] * -1u;");
    CHECK_NOT("y[i] = x[i] * 3000000000;");
    CHECK_NOT("y[i] = x[i] * 2.0;"); /* double arithmetic */
    CHECK_NOT("y[i] = x[i] * 0x1p3f;");
    CHECK_NOT("y[i] = x[i] * M_PI;");
    CHECK_PACKS("y[i] = pow(x[i], 2) + fma(x[i], 2, -1);");
    CHECK_NOT("y[i] = rsqrt(2) * x[i];"); /* C does not know whose */
    CHECK_NOT("y[i] = max(x[i], 2);");
    CHECK(packs("double", NULL, NULL, "y[i] = x[i] * 2.0 + 1. - 1e3 * M_PI_2;"));
    CHECK(!packs("double", NULL, NULL, "y[i] = x[i] * 2.0f;"));
    CHECK(!packs("double", NULL, NULL, "y[i] = x[i] * M_PI_F;"));
    CHECK(!packs("int", NULL, NULL, "y[i] = x[i] * x[i];"));
    CHECK(!packs("float4", NULL, NULL, "y[i] = x[i];"));
}

/* k is an int, and a number of another type than the elements'. */
static void test_integers_of_the_user(void)
{
    CHECK_PACKS("y[i] = k * x[i] + k;");
    CHECK_PACKS("y[i] = k; y[i] -= 2.5f / k;");
    CHECK_PACKS("y[i] = x[i] < k ? k : pow(x[i], k);");
    CHECK_PACKS("float v = k; y[i] = (float)k * x[i] + v / 2;");
    CHECK_NOT("y[i] = k / 2 * x[i];");
    CHECK_NOT("y[i] = x[i] * (k + k);");
    CHECK_NOT("y[i] = x[i] * -k;"); /* -0.0f */
    CHECK_NOT("y[i] = k > 0 ? x[i] : 1;");
    CHECK_NOT("y[i] = max(x[i], k);");
    CHECK_NOT("y[i] = exp(k) * x[i];");
}

static void test_choices(void)
{
    CHECK_PACKS("y[i] = x[i] > 0 ? exp(x[i]) : 1;");
    CHECK_PACKS("y[i] = x[i] > 0 && !(x[i] >= a || a == 2.0f) ? a : x[i] != a ? -x[i] : 0;");
    CHECK_PACKS("y[i] = (x[i] < (a > 0 ? a : x[i])) ? a : x[i];");
    CHECK_NOT("y[i] = x[i] < a;"); /* 1, of vectors -1 */
    CHECK_NOT("y[i] = (x[i] < a) * x[i];");
    CHECK_NOT("y[i] = -(x[i] < a) ? x[i] : a;");
    CHECK_NOT("y[i] = x[i] ? x[i] : a;");
    CHECK_NOT("y[i] = !x[i] ? x[i] : a;");
    CHECK_NOT("y[i] = x[i] < a < a ? x[i] : a;");
    CHECK_NOT("y[i] = (x[i] < a) == (a < x[i]) ? x[i] : a;");
    CHECK_NOT("y[i] = x[i] && a ? x[i] : a;");
    CHECK_NOT("y[i] = 1 < 2 ? x[i] : a;");
    CHECK_NOT("y[i] = x[i] / (x[i] < a ? 1 : 2);"); /* an int's division */
    CHECK_NOT("y[i] = x[i] < a ? x[i] : x[i] < a;");
}

static void test_what_vectors_are_not(void)
{
    CHECK_PACKS("y[i] = (float)x[i] + (float)-1 * (float)(a + 2);");
    CHECK_NOT("y[i] = (float)(x[i] < a);");
    CHECK_NOT("y[i] = (float)(x[i], a);"); /* of vectors a list */
    CHECK_NOT("y[i] = (x[i], a);");
    CHECK_NOT("y[i] = (int)x[i];");
    CHECK_NOT("if (x[i]) y[i] = x[i];");
    CHECK_NOT("int v = 1.5f; y[i] = v * x[i];");
    CHECK_NOT("float *v = 0; y[i] = x[i];");
    CHECK_NOT("float v[2]; y[i] = x[i];");
    CHECK_NOT("y[i] = x[i] * i;");
    CHECK_NOT("y[i] = x[i] * n0;");
    CHECK_NOT("y[i] = ldexp(x[i], 3);");
    CHECK_NOT("y[i] = x[i]; y[i]++;");
    CHECK_NOT("{ y[i] = x[i]; }");
    CHECK_NOT("y[i] = x[i]; return;");
    CHECK_NOT("y[i] = x[i + 1];");
    CHECK_NOT("#define v x[i]\ny[i] = v;");
    CHECK_NOT("y[i] = x[i] % a;");
}

/* An error must be told of the text that the user wrote. */
static void test_errors(void)
{
    CHECK_NOT("y[i] = exp(x[i], x[i]);");
    CHECK_NOT("y[i] = fma(x[i], x[i]);");
    CHECK_NOT("y[i] = x[i] +;");
    CHECK_NOT("y[i] = unknown;");
    CHECK_NOT("y[i] = x[i]");
    CHECK_NOT("y[i] = exp;");
    CHECK_NOT("a = x[i]; y[i] = x[i];"); /* a is const */
    CHECK_NOT("const float v; y[i] = x[i];");
    CHECK_NOT("const float v = 1; v = 2; y[i] = x[i];");
    CHECK_NOT("float v = 1; float v = 2; y[i] = x[i];");
    CHECK_NOT("float exp = x[i]; y[i] = exp;");
    CHECK_NOT("float M_PI_F = x[i]; y[i] = x[i];");
    CHECK_NOT("y[i] = x[i] -");
    CHECK_NOT("y[i] = x[i] * (float)");
}

/* Of which PoCL has vectors, and wrong ones. */
static void test_built_ins(void)
{
    CHECK_PACKS("y[i] = pow(x[i], a) + sin(x[i]);");
    CHECK(packs("double", NULL, NULL, "y[i] = pow(x[i], a) + powr(x[i], a);")); /* by fours, which are right */
    CHECK(packs("double", NULL, NULL, "y[i] = sin(x[i]) + hypot(x[i], a);"));
    CHECK_NOT("y[i] = fmod(x[i], a);");
}

static void test_depth(void)
{
    char text[1000] = "y[i] = ";
    for (int n = 0; n < 60; n++)
        strcat(text, "- ");
    strcat(text, "x[i];");
    CHECK_PACKS(text);
    memmove(text + 27, text + 7, strlen(text + 7) + 1);
    memset(text + 7, '-', 20);
    for (int n = 7; n < 27; n += 2)
        text[n] = ' ';
    CHECK_NOT(text);
}

static void test_words_of_the_user(void)
{
    const char *text = "y[i] = exp(x[i]);";
    CHECK(packs("float", NULL, "-cl-fast-relaxed-math", text));
    CHECK(!packs("float", NULL, "-D exp=floor", text));
    CHECK(!packs("float", "float exp(float v) { return v; }", NULL, text));
}

/* -- reducers -- */

static bool combines(const char *type, const char *of, const char *operation, const char *text)
{
    const syc_name given[] = {
        {.name = "x", .kind = SYC_NAME_GLOBAL, .type = type, .size = 4, .readable = true, .rank = 1},
        {.name = "r",
         .kind = SYC_NAME_REDUCER,
         .type = of,
         .size = 4,
         .op = {.operation = operation, .known = true},
         .reducer = {.fresh = true}},
    };
    syc_body_source source = {.text = text, .names = given, .count = 2};
    syc_body *body = NULL;
    bool answer;
    CHECK_OK(syc_body_create(&source, &body));
    if (body == NULL)
        return false;
    answer = syc_body_traits_of(body)->packs;
    CHECK(!answer || syc_body_traits_of(body)->doubles == (type[0] == 'd'));
    syc_body_release(body);
    return answer;
}

static bool sums(const char *text)
{
    return combines("float", "float", "plus a + b", text);
}

static void test_reducers(void)
{
    CHECK(sums("r += exp(x[i]);"));
    CHECK(sums("r.combine(x[i]).combine(1);"));
    CHECK(sums("if (x[i] > 0) r += 1; else if (x[i] != x[i]) { float v = x[i]; v += 1; r += v; } else r += 2;"));
    CHECK(sums("if (x[i] > 0) { if (x[i] > 1) r += 1; } r += x[i] > 2;"));
    CHECK(sums("if (x[i] > 0) { float v = x[i]; r += v; } float v = x[i]; r += v;"));
    CHECK(!sums("if (x[i]) r += 1;"));                                 /* no comparison */
    CHECK(!sums("float v = 0; if (x[i] > 0) v = 1; r += v;"));         /* would have to be masked */
    CHECK(!sums("if (x[i] > 0) { float v = 0; { v = 1; } r += v; }")); /* no block of its own */
    CHECK(!sums("if (x[i] > 0) { float v = 0; if (x[i] > 1) v = 1; r += v; }"));
    CHECK(!sums("if (x[i] > 0) { float v = x[i]; r += v; } r += x[i]; v;"));
    CHECK(!sums("for (;x[i] > 0;) r += 1;"));
    CHECK(!sums("r += x[0];"));
    CHECK(!sums("r += x[i]; r += 1 + 2;"));
    CHECK(combines("double", "float", "plus a + b", "r += x[i] * 2.0;"));
    CHECK(combines("float", "ulong", "plus a + b", "r++; r += x[i] < 1;"));
    CHECK(combines("float", "ulong", "plus a + b", "r += 1234567 * x[i]; r += 1234567;"));
    CHECK(!combines("float", "ulong", "plus a + b", "r += x[i]; r += (16777217);")); /* no float */
    CHECK(combines("float", "float", "minimum b < a ? b : a", "r.combine(x[i]);"));
    CHECK(!combines("float", "float", "BinaryOp a + b", "r.combine(x[i]);"));
    CHECK(!combines("float", "half", "plus a + b", "r.combine(x[i]);"));
    CHECK(!combines("float", "float2", "plus a + b", "r.combine(x[i]);"));
    CHECK(!combines("int", "float", "plus a + b", "r += x[i];"));
}

int main(void)
{
    RUN(test_arithmetic);
    RUN(test_numbers);
    RUN(test_integers_of_the_user);
    RUN(test_choices);
    RUN(test_what_vectors_are_not);
    RUN(test_errors);
    RUN(test_built_ins);
    RUN(test_depth);
    RUN(test_words_of_the_user);
    RUN(test_reducers);
    return CHECK_EXIT_CODE;
}
