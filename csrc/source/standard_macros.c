/* Names of macros, by how they begin and end. */
#include "source/standard_macros.h"

#include <string.h>

static bool begins(const char *name, const char *with)
{
    return strncmp(name, with, strlen(with)) == 0;
}

static bool is_in(const char *name, const char *const *list)
{
    for (; *list != NULL; list++)
        if (strcmp(name, *list) == 0)
            return true;
    return false;
}

/* M_PI, M_PI_F and M_PI_H. */
static bool is_number(const char *name)
{
    static const char *const numbers[] = {"E",    "LOG2E", "LOG10E", "LN2",      "LN10",  "PI",      "PI_2",
                                          "PI_4", "1_PI",  "2_PI",   "2_SQRTPI", "SQRT2", "SQRT1_2", NULL};
    char word[16];
    size_t length = strlen(name);
    if (!begins(name, "M_") || length - 2 >= sizeof word)
        return false;
    memcpy(word, name + 2, length - 1);
    length -= 2;
    if (length > 2 && word[length - 2] == '_' && (word[length - 1] == 'F' || word[length - 1] == 'H'))
        word[length - 2] = '\0';
    return is_in(word, numbers);
}

/* FLT_MAX, DBL_EPSILON, HALF_MIN_EXP. */
static bool is_limit_of_reals(const char *name)
{
    static const char *const types[] = {"FLT_", "DBL_", "HALF_", NULL};
    static const char *const limits[] = {"DIG",   "MANT_DIG", "MAX_10_EXP", "MAX_EXP", "MIN_10_EXP", "MIN_EXP",
                                         "RADIX", "MAX",      "MIN",        "EPSILON", NULL};
    for (size_t i = 0; types[i] != NULL; i++)
        if (begins(name, types[i]))
            return is_in(name + strlen(types[i]), limits);
    return false;
}

bool syc__is_standard_macro(const char *name)
{
    static const char *const words[] = {
        "NULL",      "NAN",       "INFINITY",    "MAXFLOAT",         "HUGE_VAL",    "HUGE_VALF",    "HUGE_VALH",
        "CHAR_BIT",  "CHAR_MAX",  "CHAR_MIN",    "SCHAR_MAX",        "SCHAR_MIN",   "UCHAR_MAX",    "SHRT_MAX",
        "SHRT_MIN",  "USHRT_MAX", "INT_MAX",     "INT_MIN",          "UINT_MAX",    "LONG_MAX",     "LONG_MIN",
        "ULONG_MAX", "FP_ILOGB0", "FP_ILOGBNAN", "FP_FAST_FMA_HALF", "FP_FAST_FMA", "FP_FAST_FMAF", NULL};
    static const char *const beginnings[] = {"__", "CLK_", "ATOMIC_", "CL_VERSION_", "OPENCL_", NULL};

    if (strcmp(name, "__") == 0)
        return false;
    for (size_t i = 0; beginnings[i] != NULL; i++)
        if (begins(name, beginnings[i]))
            return true;
    return is_in(name, words) || is_number(name) || is_limit_of_reals(name);
}
