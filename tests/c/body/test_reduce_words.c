/* The words of reducers in bodies: what they become, where errors are told, and texts of any kind. */
#include "body/reduce/reduce.h"

#include "base/alloc.h"
#include "base/refcount.h"
#include "check.h"
#include "numbers.h"
#include "source/edit.h"

static const syc_name names[] = {
    {.name = "total",
     .kind = SYC_NAME_REDUCER,
     .type = "float",
     .size = 4,
     .op = {.operation = "plus a + b", .known = true}},
    {.name = "top", .kind = SYC_NAME_REDUCER, .type = "int", .size = 4, .op = {.operation = "maximum b > a ? b : a"}},
    {.name = "bins",
     .kind = SYC_NAME_REDUCER,
     .type = "uint",
     .size = 4,
     .rank = 1,
     .op = {.operation = "plus a + b", .known = true},
     .reducer = {.array = true}},
    {.name = "grid",
     .kind = SYC_NAME_REDUCER,
     .type = "uint",
     .size = 4,
     .rank = 2,
     .op = {.operation = "bit_or a | b", .known = true},
     .reducer = {.array = true}},
    {.name = "any",
     .kind = SYC_NAME_REDUCER,
     .type = "uchar",
     .size = 1,
     .op = {.operation = "plus a + b", .boolean = true}},
    {.name = "x", .kind = SYC_NAME_GLOBAL, .type = "float", .size = 4, .rank = 1},
};
enum { NAMES = sizeof names / sizeof *names };

static syc_status write_words(const char *text, syc_text *out)
{
    syc_arena arena = {0};
    syc__edit edit = {0};
    bool used[NAMES];
    syc_status status = syc__edit_begin(&arena, text, &edit);
    if (status == SYC_OK)
        status = syc__reduce_write_words_in(&arena, &edit, 0, edit.tokens.count - 1, names, NAMES, used);
    *out = edit.out;
    syc__arena_clear(&arena);
    return status;
}

static void check_text(int where, const char *text, const char *expected)
{
    syc_text out = {0};
    CHECK_OK(write_words(text, &out));
    if (strcmp(syc_text_get(&out), expected) != 0) {
        fprintf(stderr, "%s:%d: got\n%s\nnot\n%s\n", __FILE__, where, syc_text_get(&out), expected);
        check__failures++;
    }
    syc_text_clear(&out);
}
#define CHECK_TEXT(text, expected) check_text(__LINE__, text, expected)

/* The first line of the message. */
static void check_refused(int where, const char *text, const char *expected)
{
    syc_text out = {0};
    syc_status status = write_words(text, &out);
    char message[400] = "";
    snprintf(message, sizeof message, "%s", status != SYC_OK ? syc_detail_of(status).message : "it was taken");
    message[strcspn(message, "\n")] = '\0';
    if (status != SYC_E_BUILD || strcmp(message, expected) != 0) {
        fprintf(stderr, "%s:%d: got %d\n%s\nnot\n%s\n", __FILE__, where, (int)status, message, expected);
        check__failures++;
    }
    syc_text_clear(&out);
}
#define CHECK_REFUSED(text, expected) check_refused(__LINE__, text, expected)

/* -- what they become -- */

static void words(void)
{
    CHECK_TEXT("total += x[i];", "syc_combine_total(syc_r_total, x[i]);");
    CHECK_TEXT("if (a) total += x[i]; else top.combine(3);",
               "if (a) syc_combine_total(syc_r_total, x[i]); else syc_combine_top(syc_r_top, 3);");
    CHECK_TEXT("total.combine(1).combine(f(2, 3)) ;",
               "syc_combine_total(syc_r_total, 1), syc_combine_total(syc_r_total, f(2, 3));");
    CHECK_TEXT("bins[k]++; ++bins[k + 1]; bins[2] += 3;",
               "syc_combine_bins(syc_r_bins, syc_index_bins((k)), 1); syc_combine_bins(syc_r_bins, "
               "syc_index_bins((k + 1)), 1); syc_combine_bins(syc_r_bins, syc_index_bins((2)), 3);");
    CHECK_TEXT("grid[i][x[j]] |= 1u << k;", "syc_combine_grid(syc_r_grid, syc_index_grid((i), (x[j])), 1u << k);");
    CHECK_TEXT("for (;; total += 1) { }", "for (;; syc_combine_total(syc_r_total, 1)) { }");
    CHECK_TEXT("total += a ? b : c, d = 1;", "syc_combine_total(syc_r_total, a ? b : c), d = 1;");
    CHECK_TEXT("a ? total += 1 : 0;", "a ? syc_combine_total(syc_r_total, 1) : 0;");
    CHECK_TEXT("total += 1", "syc_combine_total(syc_r_total, 1)"); /* the compiler misses the ';' */
    CHECK_TEXT("if (a) { total += (float2){1, 2}.x; }", "if (a) { syc_combine_total(syc_r_total, (float2){1, 2}.x); }");
}

/* What can be asked, also inside of values and subscripts. */
static void members(void)
{
    CHECK_TEXT("total.value_type y; any.value_type z;", "float y; bool z;");
    CHECK_TEXT("int n = bins.dimensions + grid.dimensions + total.dimensions;", "int n = 1+ 2+ 0;");
    CHECK_TEXT("total += total.identity() + 1;", "syc_combine_total(syc_r_total, syc_identity_total+ 1);");
    CHECK_TEXT("total.combine(total.identity());", "syc_combine_total(syc_r_total, syc_identity_total);");
    CHECK_TEXT("bins[bins.dimensions]++;", "syc_combine_bins(syc_r_bins, syc_index_bins((1)), 1);");
    CHECK_REFUSED("y = top.identity();", "body:1:5: the reducer 'top' has no known identity");
}

/* Words of the same letters that are none of the reducers'. */
static void not_words(void)
{
    CHECK_TEXT("/* total = 1 */ // bins\n p.total = q->top; \"total = 1\"; 'top';",
               "/* total = 1 */ // bins\n p.total = q->top; \"total = 1\"; 'top';");
    CHECK_TEXT("totals += 1; xtotal = top_1;", "totals += 1; xtotal = top_1;");
    CHECK_TEXT("#define F(p) p.total\n#pragma unroll\nF(x) = 1;", "#define F(p) p.total\n#pragma unroll\nF(x) = 1;");
    CHECK_TEXT("y = total_of(\"a; total\") ? 1 : 2;", "y = total_of(\"a; total\") ? 1 : 2;");
    CHECK_TEXT("", "");
    CHECK_TEXT("x = \"a \\\" total\"; total += 1;", "x = \"a \\\" total\"; syc_combine_total(syc_r_total, 1);");
}

/* Lines stay where they are. */
static void lines(void)
{
    CHECK_TEXT("total\n+=\n1\n;\ny = 2;", "syc_combine_total(syc_r_total, \n\n1)\n;\ny = 2;");
    CHECK_TEXT("total += /* all\nof */ 1;\ny;", "syc_combine_total(syc_r_total, \n1);\ny;");
    CHECK_TEXT("tot\\\nal += 1;\ny;", "syc_combine_total(syc_r_total, 1);\n\ny;");
    CHECK_TEXT("bins\n[\nk\n]\n++;\ny;", "syc_combine_bins(syc_r_bins, syc_index_bins((\n\nk\n)), 1)\n;\ny;");
}

/* -- what is refused -- */

/* Macros hold words of reducers, whole or for other words; variables of the text's own are left alone. */
static void names_of_the_text(void)
{
    CHECK_TEXT("#define A total += 1\nA;", "#define A syc_combine_total(syc_r_total, 1)\nA;");
    CHECK_TEXT("#define A(v) bins[v]++\nA(2);",
               "#define A(v) syc_combine_bins(syc_r_bins, syc_index_bins((v)), 1)\nA(2);");
    CHECK_TEXT("#define A total\nA += A.identity();",
               "#define A total\nsyc_combine_total(syc_r_total, syc_identity_total);");
    CHECK_TEXT("float total = 1; total += 2;", "float total = 1; total += 2;");
    CHECK_TEXT("{ int bins[2]; bins[0] = 1; } bins[1]++;",
               "{ int bins[2]; bins[0] = 1; } syc_combine_bins(syc_r_bins, syc_index_bins((1)), 1);");
    CHECK_TEXT("struct {int total;} s; s.total = 1;", "struct {int total;} s; s.total = 1;");
}

static void refused(void)
{
    CHECK_REFUSED("y = total;", "body:1:5: the reducer 'total' can be neither read nor set, only combined with values: "
                                "use total.combine(value)");
    CHECK_REFUSED("total = 1;", "body:1:1: the reducer 'total' combines by plus, and not by '=': use "
                                "total.combine(value)");
    CHECK_REFUSED("top += 1;", "body:1:1: the reducer 'top' combines by maximum, and not by '+=': use "
                               "top.combine(value)");
    CHECK_REFUSED("\n  total *= 1;", "body:2:3: the reducer 'total' combines by plus, and not by '*=': use "
                                     "total.combine(value)");
    CHECK_REFUSED("total++;", "body:1:1: the reducer 'total' is of float, and '++' is for integers: use "
                              "total.combine(1)");
    CHECK_REFUSED("any++;", "body:1:1: the reducer 'any' is of bool, and '++' is for integers: use any.combine(1)");
    CHECK_REFUSED("--bins[1];", "body:1:3: the reducer 'bins' combines by plus, and not by '--': use "
                                "bins[k].combine(value)");
    CHECK_REFUSED("f(total);", "body:1:3: the reducer 'total' can be neither read nor set, only combined with values: "
                               "use total.combine(value)");
    CHECK_REFUSED("&total;", "body:1:2: the reducer 'total' can be neither read nor set, only combined with values: "
                             "use total.combine(value)");
    CHECK_REFUSED("total += top;", "body:1:10: the reducer 'top' can be neither read nor set, only combined with "
                                   "values: use top.combine(value)");
    CHECK_REFUSED("total.combine(1 + total);", "body:1:19: the reducer 'total' can be neither read nor set, only "
                                               "combined with values: use total.combine(value)");
    CHECK_REFUSED("bins[total]++;", "body:1:6: the reducer 'total' can be neither read nor set, only combined with "
                                    "values: use total.combine(value)");
    CHECK_REFUSED("total += ;", "body:1:1: the reducer 'total' is combined with nothing: a value is missing");
    CHECK_REFUSED("total.combine();", "body:1:1: the reducer 'total' is combined with nothing: a value is missing");
    CHECK_REFUSED("total.size();", "body:1:1: the reducer 'total' can be neither read nor set, only combined with "
                                   "values: use total.combine(value)");
    CHECK_REFUSED("#define A total\nA = 1;", "body:2:1: the reducer 'total' combines by plus, and not by '=': use "
                                             "total.combine(value)");
}

static void refused_elements(void)
{
    CHECK_REFUSED("total[0] += 1;", "body:1:1: the reducer 'total' is of one variable: it has no elements");
    CHECK_REFUSED("bins += 1;", "body:1:1: the reducer 'bins' is of an array: only its elements can be combined, as "
                                "bins[k]");
    CHECK_REFUSED("grid[1] |= 1;", "body:1:1: the reducer 'grid' is of an array: only its elements can be combined, as "
                                   "grid[j][k]");
    CHECK_REFUSED("bins[1][2] += 1;", "body:1:1: the reducer 'bins' has an array of 1 dimension: more subscripts than "
                                      "that are given");
    CHECK_REFUSED("bins[] += 1;", "body:1:1: the reducer 'bins' can be neither read nor set, only combined with "
                                  "values: use bins[k].combine(value)");
    CHECK_REFUSED("bins[1", "body:1:1: the reducer 'bins' has a subscript without its ']'");
    CHECK_REFUSED("bins[", "body:1:1: the reducer 'bins' has a subscript without its ']'");
    CHECK_REFUSED("total.combine(1", "body:1:1: the reducer 'total' is combined with a value without its ')'");
}

/* -- texts of any kind -- */

static size_t lines_of(const char *text)
{
    size_t count = 0;
    for (; *text != '\0'; text++)
        count += *text == '\n';
    return count;
}

/* It ends, leaks nothing, and either refuses or gives as many lines, in which no reducer is left. */
static void any_text(void)
{
    static const char *const pieces[] = {"total",       "top",
                                         "bins",        "grid",
                                         "any",         "x",
                                         " ",           "\n",
                                         "\\\n",        "+=",
                                         "++",          "--",
                                         "=",           "|=",
                                         "[",           "]",
                                         "(",           ")",
                                         "{",           "}",
                                         ";",           ",",
                                         "?",           ":",
                                         ".",           "->",
                                         "/*",          "*/",
                                         "//",          "\"",
                                         "'",           "1",
                                         "i",           "if",
                                         "\n#",         "->x",
                                         ".combine(",   ".value_type",
                                         ".identity()", "\n#define F(x) x\n",
                                         ".dimensions", "bins[i] += 1;",
                                         "total += 2;", "\\",
                                         "\t",          "0x",
                                         "..."};
    uint64_t state = 88172645463325252ull;
    size_t taken = 0;

    for (int round = 0; round < 40000; round++) {
        syc_text text = {0}, out = {0};
        for (size_t k = random_next(&state) % 12; k > 0; k--)
            syc_text_add(&text, "%s", pieces[random_next(&state) % (sizeof pieces / sizeof *pieces)]);
        syc_status status = write_words(syc_text_get(&text), &out);
        CHECK(status == SYC_OK || status == SYC_E_BUILD);
        taken += status == SYC_OK && strstr(syc_text_get(&out), "syc_combine") != NULL;
        size_t before = lines_of(syc_text_get(&text)), after = lines_of(syc_text_get(&out));
        /* a line that is continued at the end of all has none behind it */
        if (status == SYC_OK && (after > before || (after < before && strchr(text.data, '\\') == NULL))) {
            fprintf(stderr, "%d: '%s' has become '%s'\n", round, syc_text_get(&text), syc_text_get(&out));
            check__failures++;
        }
        syc_text_clear(&text);
        syc_text_clear(&out);
    }
    CHECK(taken > 1000);
}

/* -- variables that a text names by constants -- */

static void check_variables(int where, const char *text, const char *preamble, unsigned bins, unsigned grid)
{
    const syc_body_source source = {
        .text = text, .preamble = preamble, .options = "-DFIVE=5", .names = names, .count = NAMES};
    syc_variables *found = NULL;
    CHECK_OK(syc_alloc_array(NAMES, sizeof *found, &found));
    CHECK_OK(syc__reduce_find_variables(&source, found));
    if (found[2].count != bins || found[3].count != grid) {
        fprintf(stderr, "%s:%d: got %u and %u\n", __FILE__, where, found[2].count, found[3].count);
        check__failures++;
    }
    syc__variables_clear(found, NAMES);
}
#define CHECK_VARIABLES(text, bins, grid)        check_variables(__LINE__, text, NULL, bins, grid)
#define CHECK_MACROS(preamble, text, bins, grid) check_variables(__LINE__, text, preamble, bins, grid)

static void variables(void)
{
    CHECK_VARIABLES("bins[0] += 1; ++bins[7]; bins[0]++; p.bins[k] = 3;", 2, 0);
    CHECK_VARIABLES("bins[(1 + 2) * 3 % 5 - 0x1] += 1; bins[3u]++; bins[1 + 1L * 2]++;", 1, 0);
    CHECK_VARIABLES("grid[0][1] |= 1; grid[1][0] |= 1; bins[bins.dimensions]++;", 0, 2);
    CHECK_VARIABLES("bins[0]++; bins[k]++; grid[0][0] |= 1; grid[i][0] |= 1;", 0, 0);
    CHECK_VARIABLES("bins[-1]++; grid[0][1 - 2] |= 1;", 0, 0);
    CHECK_VARIABLES("bins[1u - 2]++; grid[0][2147483648] |= 1;", 0, 0);
    CHECK_VARIABLES("bins[1 / 0]++; grid[1.0][0] |= 1;", 0, 0);
    CHECK_VARIABLES("bins[1", 0, 0);
    CHECK_VARIABLES(
        "bins[0]++; bins[1]++; bins[2]++; bins[3]++; bins[4]++; bins[5]++; bins[6]++; bins[7]++; bins[8]++; "
        "bins[9]++; bins[10]++; bins[11]++; bins[12]++; bins[13]++; bins[14]++; bins[15]++; bins[0]++;",
        16, 0);
    CHECK_VARIABLES(
        "bins[0]++; bins[1]++; bins[2]++; bins[3]++; bins[4]++; bins[5]++; bins[6]++; bins[7]++; bins[8]++; "
        "bins[9]++; bins[10]++; bins[11]++; bins[12]++; bins[13]++; bins[14]++; bins[15]++; bins[16]++;",
        0, 0);
}

/* By the words that stand before the text, as the preprocessor reads them. */
static void macros(void)
{
    CHECK_MACROS("#define MEAN 1\n#define AT(k) (2 * (k) + MEAN)", "bins[MEAN]++; bins[0 + AT(0)]++; bins[AT(3)]++;", 2,
                 0);
    CHECK_MACROS(NULL, "bins[FIVE]++; bins[2 + 3]++; bins[SIX]++;", 0, 0);
    CHECK_MACROS(NULL, "bins[FIVE]++; bins[2 + 3]++;", 1, 0);
    CHECK_MACROS("#define K k", "bins[K]++;", 0, 0);
    CHECK_MACROS("# ifdef __nobody_knows\n#define K 3\n#else\n#define K 4\n#endif", "bins[K]++;", 0, 0);
    CHECK_MACROS("#include <numbers.h>\n#define K 3", "bins[K]++;", 0, 0);
    CHECK_MACROS("#define K 3", "#define K2 4\nbins[K]++;", 0, 0);
    CHECK_MACROS("#define K 3\n#undef K\n#define K 4", "bins[K]++; bins[4]++;", 1, 0);
    CHECK_MACROS("int K;", "bins[K]++;", 0, 0);
}

int main(void)
{
    RUN(words);
    RUN(members);
    RUN(not_words);
    RUN(lines);
    RUN(names_of_the_text);
    RUN(refused);
    RUN(refused_elements);
    RUN(variables);
    RUN(macros);
    RUN(any_text);
    return CHECK_EXIT_CODE;
}
