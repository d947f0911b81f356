/* Integers as C has them: promotions, conversions, and where a value is not what the arithmetic says. Sums are exact
 * in 64 bits but for what wraps around there, and a subscript wraps with them; in fewer bits, and where two values are
 * compared, each must fit its type. */
#include "body/reach/reader.h"
#include "source/tokens.h"

syc__reach_value syc__reach_unknown(void)
{
    return (syc__reach_value){.kind = SYC__REACH_UNKNOWN};
}

syc__reach_value syc__reach_integer(syc__reach_sum sum, syc_dtype type)
{
    return (syc__reach_value){.kind = SYC__REACH_INTEGER, .type = type, .sum = sum};
}

static bool is_integer(const syc__reach_value *value)
{
    return value->kind == SYC__REACH_INTEGER;
}

static size_t size_of(syc_dtype type)
{
    return syc_dtype_size(type);
}

static bool has_sign(syc_dtype type)
{
    return syc_dtype_kind(type) == 'i';
}

/* -- what must hold -- */

static bool holds(syc_dtype type, int64_t value)
{
    unsigned bits = 8 * (unsigned)size_of(type);
    if (!has_sign(type) && value < 0)
        return false;
    return bits == 64 || (value >> (bits - has_sign(type)) <= 0 && value >= -(INT64_C(1) << (bits - 1)));
}

/* The sum must fit the type; false: it surely does not. */
static bool need(syc__reach_reader *r, const syc__reach_sum *sum, syc_dtype type, syc__reach_need **list)
{
    syc__reach_need *made;
    int64_t value;

    if (syc__reach_is_constant(sum, &value))
        return holds(type, value);
    r->status = syc__arena_alloc(r->arena, sizeof *made, &made);
    if (r->status != SYC_OK) {
        syc__reach_give_up(r);
        return false;
    }
    *made = (syc__reach_need){.next = *list, .sum = *sum, .type = type};
    *list = made;
    return true;
}

/* All of both lists. */
static bool join(syc__reach_reader *r, const syc__reach_need *a, syc__reach_need *b, syc__reach_need **out)
{
    enum { MOST = 16 };
    unsigned count = 0;
    *out = b;
    for (; a != NULL; a = a->next)
        if (++count > MOST || !need(r, &a->sum, a->type, out))
            return false;
    return true;
}

/* -- conversions -- */

/* A narrow type holds the value, or it becomes another; 64 bits keep what is needed of it. */
static bool is_free(syc_dtype from, syc_dtype to)
{
    if (size_of(to) == 8)
        return true;
    return has_sign(from) == has_sign(to) ? size_of(from) <= size_of(to) : has_sign(to) && size_of(from) < size_of(to);
}

syc__reach_value syc__reach_convert(syc__reach_reader *r, const syc__reach_value *value, syc_dtype type)
{
    syc__reach_value out = *value;
    const char kind = syc_dtype_kind(type);

    if (!is_integer(value) || (kind != 'i' && kind != 'u'))
        return syc__reach_unknown();
    out.type = type;
    if (!is_free(value->type, type) && !need(r, &out.sum, type, &out.needs))
        return syc__reach_unknown();
    out.yes = out.no = (syc__reach_tests){0};
    return out;
}

static syc_dtype promoted(syc_dtype type)
{
    return size_of(type) < 4 ? SYC_INT : type;
}

/* The type in which both are combined. */
static syc_dtype common_type(syc_dtype a, syc_dtype b)
{
    syc_dtype x = promoted(a), y = promoted(b);
    if (size_of(x) != size_of(y))
        return size_of(x) > size_of(y) ? x : y;
    return has_sign(x) ? y : x;
}

/* -- arithmetic -- */

static bool calculate(char operation, const syc__reach_value *a, const syc__reach_value *b, syc__reach_sum *out)
{
    return operation == '*' ? syc__reach_multiply(&a->sum, &b->sum, out)
                            : syc__reach_add(&a->sum, &b->sum, operation == '-' ? -1 : 1, out);
}

/* A pointer and an integer. */
static syc__reach_value move(syc__reach_reader *r, char operation, const syc__reach_value *a, const syc__reach_value *b)
{
    const syc__reach_value *pointer = a->kind == SYC__REACH_POINTER ? a : b, *by = pointer == a ? b : a;
    syc__reach_value out = *pointer;
    if (!is_integer(by) || operation == '*' || (operation == '-' && pointer == b) ||
        !calculate(operation, pointer, by, &out.sum) || !join(r, pointer->needs, by->needs, &out.needs))
        return syc__reach_unknown();
    return out;
}

syc__reach_value syc__reach_combine(syc__reach_reader *r, char operation, const syc__reach_value *a,
                                    const syc__reach_value *b)
{
    syc__reach_value x, y, out = {.kind = SYC__REACH_INTEGER};

    if (a->kind == SYC__REACH_POINTER || b->kind == SYC__REACH_POINTER)
        return move(r, operation, a, b);
    if (!is_integer(a) || !is_integer(b))
        return syc__reach_unknown();
    out.type = common_type(a->type, b->type);
    x = syc__reach_convert(r, a, out.type);
    y = syc__reach_convert(r, b, out.type);
    if (!is_integer(&x) || !is_integer(&y) || !calculate(operation, &x, &y, &out.sum) ||
        !join(r, x.needs, y.needs, &out.needs) || (size_of(out.type) < 8 && !need(r, &out.sum, out.type, &out.needs)))
        return syc__reach_unknown();
    return out;
}

/* -- conditions -- */

static syc__reach_tests one_test(syc__reach_reader *r, syc__reach_relation relation, const syc__reach_sum *sum,
                                 syc__reach_need *needs)
{
    syc__reach_test *made;
    r->status = syc__arena_alloc(r->arena, sizeof *made, &made);
    if (r->status != SYC_OK) {
        syc__reach_give_up(r);
        return (syc__reach_tests){0};
    }
    *made = (syc__reach_test){.relation = relation, .sum = *sum, .needs = needs};
    return (syc__reach_tests){.known = true, .count = 1, .items = {made}};
}

/* a < b is a - b < 0, and not so is b - a - 1 < 0. */
static bool order(syc__reach_reader *r, const syc__reach_sum *a, const syc__reach_sum *b, bool equal,
                  syc__reach_need *needs, syc__reach_tests *yes, syc__reach_tests *no)
{
    const syc__reach_sum one = syc__reach_constant(1);
    syc__reach_sum less, more;
    if (!syc__reach_add(a, b, -1, &less) || !syc__reach_add(b, a, -1, &more) ||
        !syc__reach_add(equal ? &less : &more, &one, -1, equal ? &less : &more))
        return false;
    *yes = one_test(r, SYC__REACH_NEGATIVE, &less, needs);
    *no = one_test(r, SYC__REACH_NEGATIVE, &more, needs);
    return true;
}

syc__reach_value syc__reach_compare(syc__reach_reader *r, const syc_token *operation, const syc__reach_value *a,
                                    const syc__reach_value *b)
{
    syc__reach_value out = syc__reach_unknown();
    const syc_dtype type = is_integer(a) && is_integer(b) ? common_type(a->type, b->type) : SYC_VOID;
    const bool greater = operation->text[0] == '>', equal = operation->length == 2;
    syc__reach_need *needs;
    syc__reach_sum difference;

    if (type == SYC_VOID || !join(r, a->needs, b->needs, &needs) ||
        (!has_sign(type) && (!need(r, &a->sum, type, &needs) || !need(r, &b->sum, type, &needs))))
        return out;
    if (operation->text[0] == '<' || greater) {
        if (!order(r, greater ? &b->sum : &a->sum, greater ? &a->sum : &b->sum, equal, needs, &out.yes, &out.no))
            return syc__reach_unknown();
    } else if (syc__reach_add(&a->sum, &b->sum, -1, &difference)) {
        bool is = operation->text[0] == '=';
        out.yes = one_test(r, is ? SYC__REACH_ZERO : SYC__REACH_OTHER, &difference, needs);
        out.no = one_test(r, is ? SYC__REACH_OTHER : SYC__REACH_ZERO, &difference, needs);
    }
    return out;
}

void syc__reach_test_of(syc__reach_reader *r, syc__reach_value *value)
{
    if (!is_integer(value) || value->yes.known || value->no.known)
        return;
    value->yes = one_test(r, SYC__REACH_OTHER, &value->sum, value->needs);
    value->no = one_test(r, SYC__REACH_ZERO, &value->sum, value->needs);
}

void syc__reach_both(const syc__reach_tests *a, const syc__reach_tests *b, syc__reach_tests *out)
{
    syc__reach_tests both = *a;
    both.known = a->known && b->known && a->count + b->count <= SYC__REACH_TESTS;
    for (unsigned i = 0; both.known && i < b->count; i++)
        both.items[both.count++] = b->items[i];
    *out = both;
}
