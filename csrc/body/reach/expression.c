/* Expressions: operators with two operands and more, by their precedence. */
#include "body/reach/reader.h"
#include "source/tokens.h"

static const struct {
    const char *word;
    unsigned level;
} operators[] = {
    {"||", 1}, {"&&", 2}, {"|", 3},  {"^", 4},  {"&", 5}, {"==", 6}, {"!=", 6}, {"<", 7},  {">", 7},
    {"<=", 7}, {">=", 7}, {"<<", 8}, {">>", 8}, {"+", 9}, {"-", 9},  {"*", 10}, {"/", 10}, {"%", 10},
};
enum { OR = 1, AND = 2, EQUAL = 6, LESS = 7, SUM = 9, PRODUCT = 10 };

static unsigned level_of(const syc__reach_reader *r)
{
    if (r->at >= r->end || r->s->tokens[r->at].kind != SYC_TOKEN_PUNCTUATOR)
        return 0;
    for (size_t i = 0; i < sizeof operators / sizeof *operators; i++)
        if (syc__token_is(&r->s->tokens[r->at], operators[i].word))
            return operators[i].level;
    return 0;
}

static syc__reach_value apply(syc__reach_reader *r, const syc_token *operation, unsigned level,
                              const syc__reach_value *a, const syc__reach_value *b)
{
    if (level == EQUAL || level == LESS)
        return syc__reach_compare(r, operation, a, b);
    if (level == SUM || syc__token_is(operation, "*"))
        return syc__reach_combine(r, operation->text[0], a, b);
    return syc__reach_unknown();
}

static syc__reach_value binary(syc__reach_reader *r, unsigned lowest);

/* a && b, a || b: b is come to where a is true, or where it is not. */
static syc__reach_value logical(syc__reach_reader *r, syc__reach_value *a, unsigned level)
{
    syc__reach_value b, out = syc__reach_unknown();
    syc__reach_mark mark;

    syc__reach_test_of(r, a);
    mark = syc__reach_enter(r, level == AND ? &a->yes : &a->no);
    b = binary(r, level + 1);
    syc__reach_leave(r, &mark);
    syc__reach_test_of(r, &b);
    if (level == AND)
        syc__reach_both(&a->yes, &b.yes, &out.yes);
    else
        syc__reach_both(&a->no, &b.no, &out.no);
    return out;
}

static syc__reach_value binary(syc__reach_reader *r, unsigned lowest)
{
    syc__reach_value a = syc__reach_unknown(), b;

    if (!syc__reach_descend(r))
        return a;
    a = syc__reach_operand(r);
    for (unsigned level; (level = level_of(r)) >= lowest && !r->gave_up;) {
        const syc_token *operation = &r->s->tokens[r->at++];
        if (level == OR || level == AND) {
            a = logical(r, &a, level);
            continue;
        }
        b = binary(r, level + 1);
        a = apply(r, operation, level, &a, &b);
    }
    r->depth--;
    return a;
}

/* c ? a : b: each is come to where it is asked for. */
static syc__reach_value choice(syc__reach_reader *r)
{
    syc__reach_value c = binary(r, 1);
    syc__reach_mark mark;

    if (!syc__reach_skip(r, "?"))
        return c;
    if (!syc__reach_descend(r))
        return c;
    syc__reach_test_of(r, &c);
    mark = syc__reach_enter(r, &c.yes);
    if (!syc__reach_is(r, ":"))
        (void)syc__reach_expression(r);
    syc__reach_leave(r, &mark);
    syc__reach_expect(r, ":");
    mark = syc__reach_enter(r, &c.no);
    (void)choice(r);
    syc__reach_leave(r, &mark);
    r->depth--;
    return syc__reach_unknown();
}

syc__reach_value syc__reach_assignment(syc__reach_reader *r)
{
    static const char *const assigning[] = {"=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>=", NULL};
    syc__reach_value value;

    if (!syc__reach_descend(r))
        return syc__reach_unknown();
    value = choice(r);
    if (r->at < r->end && syc__token_in(&r->s->tokens[r->at], assigning)) {
        r->at++;
        (void)syc__reach_assignment(r);
        value = syc__reach_unknown();
    }
    r->depth--;
    return value;
}

syc__reach_value syc__reach_expression(syc__reach_reader *r)
{
    syc__reach_value value = syc__reach_assignment(r);
    while (!r->gave_up && syc__reach_skip(r, ","))
        value = syc__reach_assignment(r);
    return value;
}
