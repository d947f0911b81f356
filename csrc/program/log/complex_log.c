/* The functions meant by arithmetic that C has not for structs. */
#include "program/log/complex_log.h"

static const char *const types[] = {"cfloat", "cdouble", NULL};
static const char *const calls[] = {"call to 'cadd'", "call to 'csub'", "call to 'cmul'", "call to 'cdiv'", NULL};

static const struct {
    const char *words;        /* of clang's message */
    const char *const *about; /* and one of these */
    const char *cure;
} rows[] = {
    {"to binary expression", types,
     "a complex number is a struct of re and im: cadd(a, b), csub, cmul and cdiv combine two, or one and a real "
     "number"},
    {"to unary expression", types,
     "a complex number is a struct of re and im: csub(0, z) is -z, conj(z) turns im around"},
    {"no member named", types, "the parts of a complex number are z.re and z.im"},
    {"incompatible type", types,
     "a complex number is a struct of re and im: cfloat(re, im) makes one, or cdouble(re, im), and convert_cfloat(x) "
     "or "
     "convert_cdouble(x) of any number"},
    {"arithmetic or pointer type is required", types,
     "a complex number is a struct of re and im: cabs(z) is its absolute value, convert_cfloat(z) and "
     "convert_cdouble(z) change its type"},
    {"no matching function", calls,
     "two complex numbers of one type are combined, or one and a real number: convert_cfloat(x) and convert_cdouble(x) "
     "make them of any number"},
};

static bool has_any(syc_slice message, const char *const *words)
{
    while (*words != NULL && syc__slice_find(message, *words) == NULL)
        words++;
    return *words != NULL;
}

void syc__complex_log_explain(syc_slice message, syc_text *out)
{
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (syc__slice_find(message, rows[i].words) == NULL || !has_any(message, rows[i].about))
            continue;
        syc_text_add(out, "Hint: %s.\n", rows[i].cure);
        return;
    }
}
