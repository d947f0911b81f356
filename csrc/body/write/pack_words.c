/* The words that vectors of 16 can stand for: built-ins, constants, numbers, reducers. */
#include "body/write/pack.h"
#include "source/tokens.h"

#include <string.h>

/* Of one, two and three arguments. PoCL 3.0's vectors of these agree with its scalars within 2 ulp for values of all
 * kinds, whatever the other lanes hold, but for those below (tests/bench/built_ins.py). */
static const char *const built_ins[][64] = {
    {"acos", "acosh", "acospi", "asin",  "asinh",   "asinpi", "atan",  "atanh",   "atanpi", "cbrt", "ceil",
     "cos",  "cosh",  "cospi",  "erf",   "erfc",    "exp",    "exp10", "exp2",    "expm1",  "fabs", "floor",
     "log",  "log10", "log1p",  "log2",  "degrees", "rint",   "round", "rsqrt",   "sign",   "sin",  "sinh",
     "sqrt", "sinpi", "tan",    "tanpi", "tanh",    "tgamma", "trunc", "radians", "lgamma", NULL},
    {"atan2", "atan2pi", "copysign", "fdim", "fmax", "fmin", "hypot", "max", "min", "pow", "powr", "step", NULL},
    {"clamp", "fma", "mad", "mix", NULL},
};

/* PoCL 3.0 to 3.1: sin, cos and tan of float16 are wrong beside lanes with other values.
 * Gone when: tests/python/bodies/test_explain.py::test_built_ins_of_vectors.
 *
 * sin is 0.0099 for 1e-30 where another lane is 1e30. pow of double16 is wrong, too, and computed by fours
 * (kernels/math_lanes.clh). */
static const char *const with_stand_ins[] = {"cos", "sin", "tan", NULL};

static const char *const constants[] = {"M_E",    "M_LOG2E", "M_LOG10E", "M_LN2",      "M_LN10",  "M_PI",      "M_PI_2",
                                        "M_PI_4", "M_1_PI",  "M_2_PI",   "M_2_SQRTPI", "M_SQRT2", "M_SQRT1_2", NULL};

const char *syc__pack_type(const syc_body_source *source)
{
    for (size_t i = 0; i < source->count; i++)
        if (source->names[i].kind == SYC_NAME_GLOBAL)
            return source->names[i].type;
    return "";
}

/* Their text means the same of vectors, component by component. */
static const char *const operations[] = {
    "plus a + b",    "multiplies a * b",      "bit_and a & b",         "bit_or a | b",
    "bit_xor a ^ b", "minimum b < a ? b : a", "maximum b > a ? b : a", NULL};

static const struct {
    const char *type, *mask; /* a mask for vectors of it: signed, and as wide */
} numbers[] = {{"char", "char"}, {"uchar", "char"}, {"short", "short"}, {"ushort", "short"}, {"int", "int"},
               {"uint", "int"},  {"long", "long"},  {"ulong", "long"},  {"float", "int"},    {"double", "long"}};

const char *syc__pack_mask(const char *type)
{
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        if (strcmp(type, numbers[i].type) == 0)
            return numbers[i].mask;
    return NULL;
}

bool syc__pack_combines(const syc_name *name)
{
    const syc_operator *op = &name->op;
    bool plain = op->known && !name->reducer.array && !op->boolean && op->accuracy == SYC_ACCURACY_FAST;
    for (size_t i = 0; plain && operations[i] != NULL; i++)
        if (strcmp(op->operation, operations[i]) == 0)
            return syc__pack_mask(name->type) != NULL;
    return false;
}

unsigned syc__pack_arity(const syc_token *word)
{
    for (unsigned n = 0; n < sizeof built_ins / sizeof *built_ins; n++)
        if (syc__token_in(word, built_ins[n]))
            return n + 1;
    return 0;
}

const char *syc__pack_stand_in(const char *type, size_t index)
{
    return strcmp(type, "float") == 0 ? with_stand_ins[index] : NULL;
}

bool syc__pack_constant(const syc_token *word, const char *type)
{
    syc_token stem = *word;
    if (strcmp(type, "double") == 0)
        return syc__token_in(word, constants);
    if (syc__token_is(word, "INFINITY") || syc__token_is(word, "NAN"))
        return true;
    if (word->length < 3 || memcmp(word->text + word->length - 2, "_F", 2) != 0)
        return false;
    stem.length -= 2;
    return syc__token_in(&stem, constants);
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

syc__pack_kind syc__pack_number(const syc_token *t, const char *type)
{
    size_t digits = 0;
    bool real = memchr(t->text, '.', t->length) != NULL || memchr(t->text, 'e', t->length) != NULL ||
                memchr(t->text, 'E', t->length) != NULL;
    char last = t->text[t->length - 1];

    while (digits < t->length && is_digit(t->text[digits]))
        digits++;
    if (digits == t->length) /* of decimal digits, and an int */
        return digits < 10 && (digits == 1 || t->text[0] != '0') ? SYC__INTEGER : SYC__NEITHER;
    if (!real || (t->length > 1 && (t->text[1] == 'x' || t->text[1] == 'X')))
        return SYC__NEITHER;
    if (strcmp(type, "float") == 0)
        return last == 'f' || last == 'F' ? SYC__REAL : SYC__NEITHER;
    return last == '.' || is_digit(last) ? SYC__REAL : SYC__NEITHER;
}
