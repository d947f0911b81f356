/* The signature reader under broken and oversized texts: it ends, leaks nothing, and its lists are consistent. */
#include "source/declarations/signature.h"

#include "base/text.h"
#include "check.h"
#include "numbers.h"

#include <stdint.h>
#include <unistd.h>

/* What is mutated. The mutations are seeded, so a failure repeats. */
static const char *const seeds[] = {
    "typedef struct {float x; int k;} item;\n#define MAKE(T) __kernel void k_##T(__global T *x, item i) { x[0] = "
    "#T[0]; }\n"
    "MAKE(float) MAKE(double)\n#undef MAKE\n",
    "#if defined(N) && N > 2 || __OPENCL_VERSION__ >= 120\n#define T float4\n#elif 0x1F == (31 ? 1 : 2)\n#else\n"
    "#define T int\n#endif\nkernel __attribute__((reqd_work_group_size(8, 4, 1))) void a(global const T *restrict x, "
    "local float (*t)[17], read_only image2d_t i, unsigned long long n) { for (;;) barrier(1); }\n",
    "#define A B C\n#define B A A(\n#define C(x, ...) #x x##A __VA_ARGS__ B C\n#define f(a) a*g\n#define g(a) f(a)\n"
    "kernel void k(A int x) { C(C(1, 2), f(2)(9)) }\n",
    "float f(float x) { return x < 0 ? f(x + 1) : g(x); } /* { */ float g(float x) { return f(x); } // }\n"
    "constant int t[] = {1, 2}; kernel void k(global half *x, half y, enum e { P, Q } m, struct s { double d; } v) "
    "{ \"}\"; '{'; f(x[0]); }\nextern \"C\" { kernel void l(__global\\\n float2 **x, void *) {} }",
};
static const char *const pieces[] = {"{",
                                     "}",
                                     "(",
                                     ")",
                                     "[",
                                     "]",
                                     "\n#if ",
                                     "\n#else\n",
                                     "\n#endif\n",
                                     "##",
                                     "#",
                                     "\\\n",
                                     ",",
                                     ";",
                                     "\n#define A A B\n",
                                     "\n#define B(x) A(x",
                                     "/*",
                                     "*/",
                                     "//",
                                     "\"",
                                     "'",
                                     "kernel ",
                                     "void ",
                                     "struct ",
                                     "typedef ",
                                     "__attribute__((",
                                     "defined",
                                     "?",
                                     "\xff",
                                     "A(",
                                     "B(",
                                     "\n"};

/* Changes the text of *length bytes in its buffer of `room` once. */
static void mutate(char *text, size_t *length, size_t room, uint64_t *state)
{
    uint64_t r = random_next(state);
    size_t at = *length ? (r >> 8) % *length : 0, count = (r >> 40) % 24;
    const char *piece = pieces[(r >> 48) % (sizeof pieces / sizeof *pieces)];
    const char *seed = seeds[(r >> 56) % (sizeof seeds / sizeof *seeds)];
    size_t seed_at = (r >> 20) % strlen(seed);

    if (r % 4 == 0) { /* cut out */
        count = count < *length - at ? count : *length - at;
        memmove(text + at, text + at + count, *length - at - count);
        *length -= count;
        return;
    }
    if (r % 4 == 1 && *length > 0) { /* another byte, never a NUL */
        text[at] = (char)(1 + (r >> 32) % 255);
        return;
    }
    if (r % 4 == 2) { /* a piece of one of the seeds, else one of the words */
        piece = seed + seed_at;
        count = count < strlen(piece) ? count : strlen(piece);
    } else {
        count = strlen(piece);
    }
    if (*length + count > room)
        return;
    memmove(text + at + count, text + at, *length - at);
    memcpy(text + at, piece, count);
    *length += count;
}

static void check_consistent(const syc_signatures *s)
{
    for (size_t i = 0; i < s->count; i++) {
        CHECK(s->items[i].name != NULL && s->items[i].line >= 1);
        CHECK(syc_signatures_find(s, s->items[i].name) == &s->items[i]);
        for (size_t k = 0; k < s->items[i].count; k++) {
            const syc_param *p = &s->items[i].params[k];
            CHECK(p->text != NULL && p->name != NULL && p->alignment >= 1 && p->width >= 1);
            CHECK((p->struct_name != NULL) == (p->type == SYC_STRUCT || p->type == SYC_OPAQUE));
        }
    }
}

static void test_mutations(void)
{
    enum { ROOM = 2048, RUNS = 4000 };
    uint64_t state = 0x9e3779b97f4a7c15u;
    size_t read = 0;

    alarm(300); /* a text that hangs the reader ends the test */
    for (int run = 0; run < RUNS; run++) {
        const char *seed = seeds[run % (sizeof seeds / sizeof *seeds)];
        size_t length = strlen(seed), changes = 1 + random_next(&state) % 12;
        char text[ROOM], *exact;
        syc_signatures s = {0};

        memcpy(text, seed, length);
        for (size_t i = 0; i < changes; i++)
            mutate(text, &length, ROOM, &state);
        exact = malloc(length ? length : 1); /* so that one byte too many is seen */
        memcpy(exact, text, length);
        if (syc_signatures_parse(exact, length, run % 3 ? NULL : "-DN=3 -DA=f(", &s) == SYC_OK)
            check_consistent(&s);
        free(exact);
        read += s.count;
        syc_signatures_clear(&s);
    }
    alarm(0);
    CHECK(read > RUNS / 4); /* the texts were not all nonsense */
}

/* Brackets, names and directives by the ten thousand: the time must not grow with their square. Where brackets stay
 * open the text is refused. */
static void test_large_texts(void)
{
    static const char *const repeated[] = {")",
                                           "f(){f();}",
                                           "#define a a\n",
                                           "#define b(x) #x x\nb(b)\n",
                                           "typedef int t;",
                                           "a,",
                                           "#if 1\n",
                                           "x\\\n",
                                           "__attribute__((a))",
                                           "*",
                                           "\\ ",
                                           "#if x\n#else\n",
                                           "[]{}()",
                                           "{(])}"};
    static const char *const opening[] = {"(", "{", "[(", "{(]", "f(", "struct s {", "kernel void k(", "int f(int("};
    enum {
        TIMES = 20000,
        CLOSING = sizeof repeated / sizeof *repeated,
        ALL = CLOSING + sizeof opening / sizeof *opening
    };
    alarm(300);
    for (size_t i = 0; i < ALL; i++) {
        syc_text text = {0};
        syc_signatures s = {0};
        syc_text_add(&text, "%s", "kernel void first(int x) {}\n");
        for (size_t k = 0; k < TIMES; k++)
            syc_text_add(&text, "%s", i < CLOSING ? repeated[i] : opening[i - CLOSING]);
        if (i < CLOSING)
            CHECK_OK(syc_signatures_parse(text.data, text.length, NULL, &s));
        else
            CHECK_EQUAL(syc_signatures_parse(text.data, text.length, NULL, &s), SYC_E_INVALID_PARAMETER);
        CHECK(i >= CLOSING || (s.count >= 1 && strcmp(s.items[0].name, "first") == 0));
        syc_signatures_clear(&s);
        syc_text_clear(&text);
    }
    alarm(0);
}

int main(void)
{
    RUN(test_mutations);
    RUN(test_large_texts);
    return CHECK_EXIT_CODE;
}
