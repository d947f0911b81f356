/* Operands: numbers, names, casts, calls, and accesses, which become claims. */
#include "body/parts.h"
#include "body/reach/reader.h"
#include "body/reading.h"
#include "source/declarations/parser.h"
#include "source/declarations/types.h"
#include "source/tokens.h"

#include <stdio.h>
#include <string.h>

/* -- numbers -- */

static unsigned digit_of(char c)
{
    return c >= '0' && c <= '9'                 ? (unsigned)(c - '0')
           : (c | 32) >= 'a' && (c | 32) <= 'f' ? (unsigned)((c | 32) - 'a') + 10
                                                : 16;
}

/* C's type of an integer literal; false: it is too large, or no integer. */
static bool type_of_literal(const char *suffix, size_t length, bool decimal, uint64_t value, syc_dtype *out)
{
    bool is_unsigned = false, is_long = false;
    for (size_t i = 0; i < length; i++) {
        is_unsigned = is_unsigned || (suffix[i] | 32) == 'u';
        is_long = is_long || (suffix[i] | 32) == 'l';
        if ((suffix[i] | 32) != 'u' && (suffix[i] | 32) != 'l')
            return false;
    }
    if (!is_long && !is_unsigned && value <= INT32_MAX)
        *out = SYC_INT;
    else if (!is_long && value <= UINT32_MAX && (is_unsigned || !decimal))
        *out = SYC_UINT;
    else
        *out = is_unsigned ? SYC_ULONG : SYC_LONG;
    return value <= INT64_MAX;
}

static syc__reach_value literal(const syc_token *t)
{
    const bool zero = t->length > 1 && t->text[0] == '0', hex = zero && (t->text[1] | 32) == 'x';
    const unsigned base = hex ? 16 : zero ? 8 : 10;
    uint64_t value = 0;
    size_t at = hex ? 2 : 0;
    syc_dtype type;

    for (; at < t->length && digit_of(t->text[at]) < base; at++)
        if (__builtin_mul_overflow(value, (uint64_t)base, &value) ||
            __builtin_add_overflow(value, (uint64_t)digit_of(t->text[at]), &value))
            return syc__reach_unknown();
    if (!type_of_literal(t->text + at, t->length - at, base == 10, value, &type))
        return syc__reach_unknown();
    return syc__reach_integer(syc__reach_constant((int64_t)value), type);
}

/* -- calls -- */

static void arguments(syc__reach_reader *r)
{
    syc__reach_expect(r, "(");
    while (!r->gave_up && !syc__reach_is(r, ")")) {
        (void)syc__reach_assignment(r);
        if (!syc__reach_is(r, ")"))
            syc__reach_expect(r, ",");
    }
    syc__reach_expect(r, ")");
}

/* The width of vloadN and vstoreN; 0 for any other word, and where the text has a function of that name. */
static unsigned width_of(const syc__reach_reader *r, const syc_token *word, bool *stores)
{
    static const unsigned widths[] = {2, 3, 4, 8, 16};
    char name[16];
    for (size_t i = 0; i < sizeof widths / sizeof *widths; i++)
        for (unsigned k = 0; k < 2; k++) {
            (void)snprintf(name, sizeof name, "%s%u", k == 0 ? "vload" : "vstore", widths[i]);
            *stores = k == 1;
            if (syc__token_is(word, name))
                return syc__word_map_get(&r->scan->unit->callees, word) == NULL ? widths[i] : 0;
        }
    return 0;
}

/* vload4(e, x) touches what is at x + 4 * e. */
static void vector(syc__reach_reader *r, unsigned width, bool stores)
{
    const size_t from = r->at - 1;
    const syc__reach_value lanes = syc__reach_integer(syc__reach_constant(width), SYC_ULONG);
    syc__reach_value offset, pointer;

    syc__reach_expect(r, "(");
    if (stores) {
        (void)syc__reach_assignment(r);
        syc__reach_expect(r, ",");
    }
    offset = syc__reach_assignment(r);
    syc__reach_expect(r, ",");
    pointer = syc__reach_assignment(r);
    syc__reach_expect(r, ")");
    offset = syc__reach_combine(r, '*', &offset, &lanes);
    pointer = syc__reach_combine(r, '+', &pointer, &offset);
    syc__reach_claim_at(r, &pointer, width, from, r->at);
}

/* x(i0, i1) */
static void access_by_indices(syc__reach_reader *r, unsigned name, size_t from)
{
    const unsigned rank = r->scan->source->names[name].rank;
    syc__reach_value indices[3];
    unsigned count = 0;

    syc__reach_expect(r, "(");
    do {
        syc__reach_value index = syc__reach_assignment(r);
        if (count < 3)
            indices[count] = index;
        count++;
    } while (!r->gave_up && syc__reach_skip(r, ","));
    syc__reach_expect(r, ")");
    for (unsigned part = 0; count == rank && part < rank; part++)
        syc__reach_claim_part(r, name, part, &indices[part], from, r->at);
}

/* A word at r->at with a '(' behind it. */
static syc__reach_value call(syc__reach_reader *r)
{
    static const char *const strange[] = {"_Generic", "__func__", "asm", "__asm__", "__asm", "setjmp", NULL};
    const syc_token *word = &r->s->tokens[r->at];
    const size_t array = syc__reach_array_of(r, word), from = r->at;
    syc__reach_value value = syc__reach_unknown();
    unsigned width;
    bool stores;

    if (syc__token_in(word, strange) || (word->length > 2 && memcmp(word->text, "__", 2) == 0)) {
        syc__reach_give_up(r);
        return value;
    }
    if (syc__reach_id_call(r, &value))
        return value;
    r->at++;
    width = width_of(r, word, &stores);
    if (array < r->scan->source->count && r->scan->source->names[array].rank > 1)
        access_by_indices(r, (unsigned)array, from);
    else if (width > 0)
        vector(r, width, stores);
    else
        arguments(r);
    return value;
}

/* -- casts -- */

/* Is what the brackets at `at` hold a type? A word alone that nobody knows may be one. */
static bool holds_type(const syc__reach_reader *r, size_t at)
{
    const syc_token *first = &r->s->tokens[at + 1];
    const syc_keyword keyword = syc__stream_keyword(r->s, at + 1);
    syc_type type;
    if (first->kind != SYC_TOKEN_WORD || syc__reach_is_name(r, first))
        return false;
    return keyword != SYC_KEYWORD_NONE || syc__token_is(first, "void") ||
           syc__type_of_word(&r->scan->unit->types, first, &type) || syc__stream_is(r->s, at + 2, ")") ||
           syc__stream_is(r->s, at + 2, "*");
}

/* The scalar that the brackets at `at` name; SYC_VOID: another type. */
static syc_dtype type_in(syc__reach_reader *r, size_t at)
{
    syc_types *types = (syc_types *)&r->scan->unit->types;
    size_t close = r->s->match[at], from = at + 1;
    syc_type type;

    r->status = syc__type_read(r->s, types, &from, close, &type);
    if (r->status != SYC_OK)
        syc__reach_give_up(r);
    return r->status == SYC_OK && from == close && type.found && type.width == 1 && type.pointers == 0 &&
                   type.arrays == 0 && type.tag[0] == '\0' && type.type < SYC_STRUCT
               ? type.type
               : SYC_VOID;
}

/* "(type) operand"; what is cast to a pointer leads where nobody knows. */
static syc__reach_value cast(syc__reach_reader *r)
{
    const syc_dtype type = type_in(r, r->at);
    syc__reach_value value;

    r->at = syc__stream_next(r->s, r->at, r->end);
    if (syc__reach_is(r, "{")) {
        syc__reach_give_up(r);
        return syc__reach_unknown();
    }
    value = syc__reach_operand(r);
    return type != SYC_VOID ? syc__reach_convert(r, &value, type) : syc__reach_unknown();
}

/* -- prefixes -- */

/* Operators that have no effect but on the type. */
static syc__reach_value unevaluated(syc__reach_reader *r)
{
    r->at++;
    if (syc__reach_is(r, "("))
        r->at = syc__stream_next(r->s, r->at, r->end);
    else
        syc__reach_give_up(r);
    return syc__reach_unknown();
}

/* &x[e] touches nothing. */
static syc__reach_value address(syc__reach_reader *r)
{
    r->silent++;
    (void)syc__reach_operand(r);
    r->silent--;
    return syc__reach_unknown();
}

static syc__reach_value negation(syc__reach_reader *r, char operation)
{
    const syc__reach_value zero = syc__reach_integer(syc__reach_constant(0), SYC_INT);
    syc__reach_value value = syc__reach_operand(r);
    return syc__reach_combine(r, operation, &zero, &value);
}

static syc__reach_value logical_not(syc__reach_reader *r)
{
    syc__reach_value value = syc__reach_operand(r), out = syc__reach_unknown();
    syc__reach_test_of(r, &value);
    out.yes = value.no;
    out.no = value.yes;
    return out;
}

static syc__reach_value dereference(syc__reach_reader *r)
{
    const size_t from = r->at - 1;
    syc__reach_value pointer = syc__reach_operand(r);
    if (!r->scan->arrays)
        syc__reach_claim_at(r, &pointer, 1, from, r->at);
    return syc__reach_unknown();
}

static syc__reach_value prefixed(syc__reach_reader *r, const char *operation)
{
    r->at++;
    switch (operation[1] == '\0' ? operation[0] : '~') {
    case '&':
        return address(r);
    case '*':
        return dereference(r);
    case '!':
        return logical_not(r);
    case '+':
    case '-':
        return negation(r, operation[0]);
    default: /* and ++ and -- */
        (void)syc__reach_operand(r);
        return syc__reach_unknown();
    }
}

/* -- what stands behind -- */

/* Elements of elements, and fields: their addresses alone may be meant where they are arrays. */
static syc__reach_value part_of(syc__reach_reader *r)
{
    while (!r->gave_up) {
        if (syc__reach_skip(r, "[")) {
            (void)syc__reach_expression(r);
            syc__reach_expect(r, "]");
        } else if (syc__reach_is(r, "(")) {
            arguments(r);
        } else if (syc__reach_is(r, ".") || syc__reach_is(r, "->")) {
            r->at += 2;
        } else if (!syc__reach_skip(r, "++") && !syc__reach_skip(r, "--")) {
            break;
        }
    }
    return syc__reach_unknown();
}

static bool has_part(const syc__reach_reader *r)
{
    return syc__reach_is(r, ".") || syc__reach_is(r, "->") || syc__reach_is(r, "[");
}

/* Is one of the fields from r->at on an array by its declaration? Then its address may be all that is meant. */
static bool names_array(syc__reach_reader *r)
{
    if (!r->scan->arrays)
        return false;
    if (r->fields.count == 0)
        for (size_t at = 0; at + 1 < r->scan->first && r->status == SYC_OK; at++)
            if (r->s->tokens[at].kind == SYC_TOKEN_WORD && syc__stream_is(r->s, at + 1, "["))
                r->status = syc__word_map_put(r->arena, &r->fields, &r->s->tokens[at], &r->fields);
    if (r->status != SYC_OK)
        syc__reach_give_up(r);
    for (size_t at = r->at; syc__stream_is(r->s, at, ".") || syc__stream_is(r->s, at, "->"); at += 2)
        if (syc__word_map_get(&r->fields, &r->s->tokens[at + 1]) != NULL)
            return true;
    return false;
}

/* x[e] */
static syc__reach_value subscript(syc__reach_reader *r, const syc__reach_value *pointer, size_t from)
{
    syc__reach_value index, element;
    r->at++;
    index = syc__reach_expression(r);
    syc__reach_expect(r, "]");
    element = pointer->kind == SYC__REACH_POINTER ? syc__reach_combine(r, '+', pointer, &index) : syc__reach_unknown();
    if (!names_array(r))
        syc__reach_claim_at(r, &element, 1, from, r->at);
    return part_of(r);
}

static syc__reach_value behind(syc__reach_reader *r, const syc__reach_value *value, size_t from)
{
    if (syc__reach_is(r, "["))
        return subscript(r, value, from);
    if (syc__reach_is(r, "->") && value->kind == SYC__REACH_POINTER && !names_array(r))
        syc__reach_claim_at(r, value, 1, from, r->at);
    if (has_part(r) || syc__reach_is(r, "(") || syc__reach_is(r, "++") || syc__reach_is(r, "--"))
        return part_of(r);
    return *value;
}

/* `({ ... })`, as which the device library has its functions: they go on, and no claim is made of their arguments. A
 * text's own may leave. */
static void statement_expression(syc__reach_reader *r)
{
    const size_t close = r->s->match[r->at];
    if (r->s->tokens[r->at].library && close > r->at && close < r->end)
        r->at = close + 1;
    else
        syc__reach_give_up(r);
}

static syc__reach_value primary(syc__reach_reader *r)
{
    const syc_token *t = &r->s->tokens[r->at];
    syc__reach_value value = syc__reach_unknown();

    if (t->kind == SYC_TOKEN_NUMBER) {
        r->at++;
        return literal(t);
    }
    if (t->kind == SYC_TOKEN_STRING) {
        while (r->at < r->end && r->s->tokens[r->at].kind == SYC_TOKEN_STRING)
            r->at++;
        return value;
    }
    if (t->kind == SYC_TOKEN_WORD)
        return syc__stream_is(r->s, r->at + 1, "(") ? call(r) : (r->at++, syc__reach_name(r, t));
    if (syc__stream_is(r->s, r->at + 1, "{")) {
        statement_expression(r);
        return value;
    }
    syc__reach_expect(r, "(");
    value = syc__reach_expression(r);
    syc__reach_expect(r, ")");
    return value;
}

static syc__reach_value operand(syc__reach_reader *r)
{
    static const char *const prefixes[] = {"&", "*", "!", "+", "-", "~", "++", "--"};
    static const char *const types[] = {"sizeof", "_Alignof",   "alignof",  "__alignof", "__alignof__",
                                        "typeof", "__typeof__", "__typeof", "vec_step",  NULL};
    const size_t from = r->at;
    syc__reach_value value;

    if (r->at >= r->end) {
        syc__reach_give_up(r);
        return syc__reach_unknown();
    }
    for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++)
        if (syc__reach_is(r, prefixes[i]) && r->s->tokens[r->at].kind == SYC_TOKEN_PUNCTUATOR)
            return prefixed(r, prefixes[i]);
    if (syc__token_in(&r->s->tokens[r->at], types))
        return unevaluated(r);
    if (syc__reach_is(r, "(") && holds_type(r, r->at))
        return cast(r);
    value = primary(r);
    return behind(r, &value, from);
}

syc__reach_value syc__reach_operand(syc__reach_reader *r)
{
    syc__reach_value value = syc__reach_unknown();
    if (!syc__reach_descend(r))
        return value;
    value = operand(r);
    r->depth--;
    return value;
}
