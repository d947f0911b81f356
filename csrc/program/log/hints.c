/* Rows of mistakes and of what was meant. */
#include "program/log/hints.h"

#include <string.h>

static const char *const complex_types[] = {"cfloat", "cdouble", NULL};
static const char *const complex_calls[] = {"call to 'cadd'", "call to 'csub'", "call to 'cmul'", "call to 'cdiv'",
                                            NULL};
static const char *const extremes[] = {"call to 'min'", "call to 'max'", NULL};
static const char *const absolute[] = {"call to 'abs'", NULL};
static const char *const modules[] = {"'np'", "'numpy'", "'math'", NULL};

static const char logical[] = "C writes && for 'and', || for 'or', ! for 'not'";

/* The first row that fits counts. */
static const struct {
    const char *words;        /* of the compiler's message */
    const char *const *about; /* and one of these; NULL: whatever else it says */
    const char *at;           /* and this in the text, where the error is; NULL: whatever is there */
    const char *cure;
} rows[] = {
    {"to binary expression", complex_types, NULL,
     "a complex number is a struct of re and im: cadd(a, b), csub, cmul and cdiv combine two, or one and a real "
     "number"},
    {"to unary expression", complex_types, NULL,
     "a complex number is a struct of re and im: csub(0, z) is -z, conj(z) turns im around"},
    {"no member named", complex_types, NULL, "the parts of a complex number are z.re and z.im"},
    {"incompatible type", complex_types, NULL,
     "a complex number is a struct of re and im: cfloat(re, im) makes one, or cdouble(re, im), and convert_cfloat(x) "
     "or convert_cdouble(x) of any number"},
    {"arithmetic or pointer type is required", complex_types, NULL,
     "a complex number is a struct of re and im: cabs(z) is its absolute value, convert_cfloat(z) and "
     "convert_cdouble(z) change its type"},
    {"no matching function", complex_calls, NULL,
     "two complex numbers of one type are combined, or one and a real number: convert_cfloat(x) and convert_cdouble(x) "
     "make them of any number"},
    {"indirection requires pointer operand", NULL, "**", "C has no operator for powers: pow(x, y), or x * x"},
    {"subscripted value is not", NULL, NULL,
     "a number has no elements: in a condition, a map or an expression an array's name is its element, and in the "
     "second "
     "text of a scan a scanner's name is its value"},
    {"cannot assign to", NULL, "=", "C writes == to compare; = sets a variable"},
    {"to binary expression", NULL, "%",
     "% is of whole numbers: fmod(a, b) has the sign of a, and Python's a % b is a - b * floor(a / b)"},
    {"to binary expression", NULL, "^", "^ is the exclusive or of whole numbers: a power is pow(x, y), or x * x"},
    {"expected", NULL, "and", logical},
    {"expected", NULL, "or", logical},
    {"'not'", NULL, NULL, logical},
    {"'None'", NULL, NULL, "C has no None: a pointer to nothing is NULL, and a number that is none is NAN"},
    {"undeclared", modules, NULL, "OpenCL C has its functions without a module: sin(x), sqrt(x), fabs(x)"},
    {"expected", NULL, "is", "C writes == for 'is'"},
    {"expected", NULL, "if", "C writes c ? a : b for 'a if c else b'"},
    {"expected '(' after 'for'", NULL, NULL, "C writes for (int k = 0; k < n; k++) for 'for k in range(n)'"},
    {"'elif'", NULL, NULL, "C writes else if for 'elif'"},
    {"'len'", NULL, NULL, "no array tells its length in C: give it as a number of its own, as n=x.size"},
    {"expected ';'", NULL, "//", "// begins a comment: a / b divides, and of whole numbers gives a whole number"},
    {"invalid preprocessing directive", NULL, NULL, "C writes // for a comment"},
    {"call to", absolute, NULL, "abs is of whole numbers: fabs(x) is of floating-point ones"},
    {"call to", extremes, NULL,
     "min and max take two numbers of one type, such as max(x, 0.0f) or max(x, (float)k); three are "
     "max(a, max(b, c))"},
    {"is ambiguous", NULL, NULL,
     "functions of OpenCL C take numbers of one type: (float)k makes a float of a whole number, 1.0f is one, and 1.0 "
     "is a double"},
};

static bool has_any(syc_slice message, const char *const *words)
{
    while (*words != NULL && syc__slice_find(message, *words) == NULL)
        words++;
    return *words != NULL;
}

static bool begins_with(syc_slice text, const char *words)
{
    const size_t n = strlen(words);
    const syc_slice word = syc__slice_word(text);
    return text.length >= n && memcmp(text.text, words, n) == 0 && (word.length == 0 || word.length == n);
}

/* A compiler shows where a statement should have ended, before the spaces, and of two signs the second. */
static bool stands_at(syc_slice line, size_t column, const char *words)
{
    size_t at = column - 1;
    if (column == 0 || column > line.length)
        return false;
    if (at > 0 && begins_with(syc__slice_from(line, at - 1), words))
        return true;
    while (at < line.length && (line.text[at] == ' ' || line.text[at] == '\t'))
        at++;
    return begins_with(syc__slice_from(line, at), words);
}

void syc__hints_add(syc_slice message, syc_slice line, size_t column, syc_text *out)
{
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (syc__slice_find(message, rows[i].words) == NULL ||
            (rows[i].about != NULL && !has_any(message, rows[i].about)) ||
            (rows[i].at != NULL && !stands_at(line, column, rows[i].at)))
            continue;
        syc_text_add(out, "Hint: %s.\n", rows[i].cure);
        return;
    }
}
