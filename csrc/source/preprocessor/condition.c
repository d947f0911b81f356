/* The evaluator of integer constant expressions: precedence climbing over values that may be unknown. */
#include "source/preprocessor/condition.h"

#include <string.h>

enum { MAX_DEPTH = 100 }; /* of parentheses and prefix operators: deeper ones count as unknown */

typedef struct reader {
    const syc_token *tokens;
    size_t count, at;
    unsigned depth;
    bool names_are_zero;
    bool broken; /* no expression at all */
} reader;

static const syc_integer unknown;

static syc_integer known(int64_t value, bool is_unsigned)
{
    return (syc_integer){.known = true, .is_unsigned = is_unsigned, .value = value};
}

static bool starts_with(const syc_token *name, const char *prefix)
{
    size_t n = strlen(prefix);
    return name->length >= n && memcmp(name->text, prefix, n) == 0;
}

syc_implied syc__name_implied(const syc_token *name)
{
    static const char *const defined[] = {"__OPENCL_VERSION__", "__OPENCL_C_VERSION__", NULL};
    static const char *const maybe[] = {
        "cl_khr_",     "cl_ext_",     "cl_intel_",   "cl_amd_",   "cl_nv_",     "cl_arm_",  "cl_qcom_",  "cl_pocl_",
        "__opencl",    "__OPENCL",    "CL_VERSION",  "__IMAGE_",  "__FAST_",    "__SPIR",   "FP_FAST_",  "__clang",
        "__GNUC",      "__NV_CL",     "__POCL",      "_POCL",     "POCL_",      "__INTEL",  "__AMD",     "__GPU__",
        "__CPU__",     "__DEVICE_",   "__x86_64",    "__aarch64", "__i386",     "__ARM",    "__NVPTX__", "__PTX__",
        "__has_",      "__STDC",      "__LP64__",    "__SIZEOF_", "__llvm",     "__amdgcn", "__AMDGCN",  "__gfx",
        "__FINITE_",   "__VERSION__", "__COUNTER__", "__LINE__",  "__FLT_",     "__DBL_",   "__INT_",    "__LONG_",
        "NVIDIA",      "cl_APPLE_",   "cl_img_",     "cl_cles_",  "__OPTIMIZE", "__BYTE_",  "__HALF_",   "__CL_",
        "__EMBEDDED_", "__ROUND",     "__UNROLLED",  NULL};
    if (syc__token_in(name, defined))
        return SYC__IMPLIED_DEFINED;
    for (const char *const *p = maybe; *p != NULL; p++) {
        if (starts_with(name, *p))
            return SYC__IMPLIED_MAYBE;
    }
    return SYC__IMPLIED_NO;
}

static bool at_text(const reader *r, const char *text)
{
    return r->at < r->count && syc__token_is(&r->tokens[r->at], text);
}

static int digit_of(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    return c >= 'A' && c <= 'F' ? c - 'A' + 10 : 99;
}

static syc_integer number_of(const syc_token *token)
{
    uint32_t i = 0;
    uint64_t value = 0;
    int base = 10;
    bool is_unsigned = false;
    const char *text = token->text;

    if (token->length > 1 && text[0] == '0') {
        bool hex = text[1] == 'x' || text[1] == 'X', binary = text[1] == 'b' || text[1] == 'B';
        base = hex ? 16 : binary ? 2 : 8;
        i = hex || binary ? 2 : 1;
    }
    for (; i < token->length && digit_of(text[i]) < base; i++) {
        if (__builtin_mul_overflow(value, (uint64_t)base, &value) ||
            __builtin_add_overflow(value, (uint64_t)digit_of(text[i]), &value))
            return unknown;
    }
    for (; i < token->length; i++) {
        if (strchr("uUlL", text[i]) == NULL)
            return unknown;
        is_unsigned = is_unsigned || text[i] == 'u' || text[i] == 'U';
    }
    return known((int64_t)value, is_unsigned || value > INT64_MAX);
}

/* Steps over "(...)" behind a name that only the compiler can answer. */
static void skip_parentheses(reader *r)
{
    size_t nested = 0;
    do {
        nested += at_text(r, "(") ? 1 : 0;
        nested -= at_text(r, ")") ? 1 : 0;
        r->at++;
    } while (nested > 0 && r->at < r->count);
}

static syc_integer read_expression(reader *r, int least);

static syc_integer read_name(reader *r)
{
    const syc_token *name = &r->tokens[r->at++];
    if (at_text(r, "(")) {
        skip_parentheses(r);
        return unknown;
    }
    if (syc__token_is(name, "true"))
        return known(1, false);
    if (!r->names_are_zero || syc__name_implied(name) != SYC__IMPLIED_NO)
        return syc__token_is(name, "false") ? known(0, false) : unknown;
    return known(0, false);
}

static syc_integer read_prefix(reader *r)
{
    char sign = r->tokens[r->at++].text[0];
    syc_integer v = read_expression(r, 12);
    if (!v.known)
        return unknown;
    switch (sign) {
    case '!':
        return known(v.value == 0, false);
    case '~':
        return known(~v.value, v.is_unsigned);
    case '-':
        return known((int64_t)(0 - (uint64_t)v.value), v.is_unsigned);
    default:
        return v;
    }
}

static syc_integer read_primary(reader *r)
{
    syc_integer value = unknown;
    if (r->at >= r->count || r->depth >= MAX_DEPTH) {
        r->broken = true;
        return unknown;
    }
    r->depth++;
    if (at_text(r, "(")) {
        r->at++;
        value = read_expression(r, 0);
        if (!at_text(r, ")"))
            r->broken = true;
        r->at++;
    } else if (at_text(r, "!") || at_text(r, "~") || at_text(r, "-") || at_text(r, "+")) {
        value = read_prefix(r);
    } else if (r->tokens[r->at].kind == SYC_TOKEN_WORD) {
        value = read_name(r);
    } else if (r->tokens[r->at].kind == SYC_TOKEN_NUMBER) {
        value = number_of(&r->tokens[r->at++]);
    } else {
        r->broken = true;
    }
    r->depth--;
    return value;
}

static const struct {
    const char *text;
    int precedence;
} operators[] = {{"?", 1},  {"||", 2}, {"&&", 3}, {"|", 4},  {"^", 5}, {"&", 6},  {"==", 7},
                 {"!=", 7}, {"<=", 8}, {">=", 8}, {"<", 8},  {">", 8}, {"<<", 9}, {">>", 9},
                 {"+", 10}, {"-", 10}, {"*", 11}, {"/", 11}, {"%", 11}};

static int operator_at(const reader *r)
{
    for (size_t i = 0; r->at < r->count && i < sizeof operators / sizeof *operators; i++) {
        if (at_text(r, operators[i].text))
            return (int)i;
    }
    return -1;
}

static syc_integer logic(char op, syc_integer a, syc_integer b)
{
    bool deciding = op == '|'; /* the value on either side that settles it */
    if ((a.known && (a.value != 0) == deciding) || (b.known && (b.value != 0) == deciding))
        return known(deciding, false);
    return a.known && b.known ? known(!deciding, false) : unknown;
}

static syc_integer compare(const char *op, syc_integer a, syc_integer b, bool is_unsigned)
{
    uint64_t ua = (uint64_t)a.value, ub = (uint64_t)b.value;
    bool less = is_unsigned ? ua < ub : a.value < b.value, equal = ua == ub;
    bool or_equal = op[1] == '=';
    if (op[0] == '=')
        return known(equal, false);
    if (op[0] == '!')
        return known(!equal, false);
    return known(op[0] == '<' ? less || (or_equal && equal) : (!less && !equal) || (or_equal && equal), false);
}

static syc_integer divide(char op, syc_integer a, syc_integer b, bool is_unsigned)
{
    uint64_t ua = (uint64_t)a.value, ub = (uint64_t)b.value;
    if (b.value == 0 || (!is_unsigned && b.value == -1 && a.value == INT64_MIN))
        return unknown;
    if (is_unsigned)
        return known((int64_t)(op == '/' ? ua / ub : ua % ub), true);
    return known(op == '/' ? a.value / b.value : a.value % b.value, false);
}

/* Arithmetic wraps around, as the compilers' own does. */
static syc_integer combine(const char *op, syc_integer a, syc_integer b)
{
    bool u = a.is_unsigned || b.is_unsigned;
    uint64_t ua = (uint64_t)a.value, ub = (uint64_t)b.value;

    if (strcmp(op, "||") == 0 || strcmp(op, "&&") == 0)
        return logic(op[0], a, b);
    if (!a.known || !b.known)
        return unknown;
    if (strcmp(op, "<<") == 0 || strcmp(op, ">>") == 0) {
        if (ub > 63)
            return unknown;
        if (op[0] == '<')
            return known((int64_t)(ua << ub), a.is_unsigned);
        return known(a.is_unsigned ? (int64_t)(ua >> ub) : a.value >> ub, a.is_unsigned);
    }
    switch (op[0]) {
    case '|':
        return known((int64_t)(ua | ub), u);
    case '^':
        return known((int64_t)(ua ^ ub), u);
    case '&':
        return known((int64_t)(ua & ub), u);
    case '+':
        return known((int64_t)(ua + ub), u);
    case '-':
        return known((int64_t)(ua - ub), u);
    case '*':
        return known((int64_t)(ua * ub), u);
    case '/':
    case '%':
        return divide(op[0], a, b, u);
    default:
        return compare(op, a, b, u);
    }
}

static syc_integer read_choice(reader *r, syc_integer condition)
{
    syc_integer yes, no;
    if (r->depth++ >= MAX_DEPTH) /* choices nest to the right as well */
        r->broken = true;
    yes = r->broken ? unknown : read_expression(r, 0);
    if (!at_text(r, ":"))
        r->broken = true;
    r->at++;
    no = r->broken ? unknown : read_expression(r, 1);
    r->depth--;
    return !condition.known ? unknown : condition.value ? yes : no;
}

static syc_integer read_expression(reader *r, int least)
{
    syc_integer left = read_primary(r);
    while (!r->broken) {
        int op = operator_at(r);
        if (op < 0 || operators[op].precedence < least)
            break;
        r->at++;
        if (operators[op].text[0] == '?')
            left = read_choice(r, left);
        else
            left = combine(operators[op].text, left, read_expression(r, operators[op].precedence + 1));
    }
    return left;
}

syc_integer syc__evaluate(const syc_token *tokens, size_t count, bool names_are_zero)
{
    reader r = {.tokens = tokens, .count = count, .names_are_zero = names_are_zero};
    syc_integer value = read_expression(&r, 0);
    return r.broken || r.at != count ? unknown : value;
}
