/* Statements: which of them all work-items come to, and under which conditions. */
#include "body/reach/reader.h"
#include "source/tokens.h"

bool syc__reach_descend(syc__reach_reader *r)
{
    enum { DEEP = 120 };
    if (++r->depth > DEEP)
        syc__reach_give_up(r);
    return !r->gave_up;
}

/* Statements up to `end`. What follows one that may have left is come to by some only. */
static syc__reach_flow sequence(syc__reach_reader *r, size_t end)
{
    const syc__reach_mark mark = syc__reach_enter(r, &(syc__reach_tests){.known = true});
    const unsigned locals = r->local_count;
    const size_t outer = r->end;
    syc__reach_flow flow = SYC__REACH_GOES_ON;

    r->end = end;
    while (!r->gave_up && r->at < end) {
        const syc__reach_flow one = syc__reach_statement(r);
        r->silent += one >= SYC__REACH_MAY_LEAVE;
        flow = one > flow ? one : flow;
    }
    r->end = outer;
    r->local_count = locals;
    syc__reach_leave(r, &mark);
    return flow == SYC__REACH_SOME_GO_ON ? SYC__REACH_MAY_LEAVE : flow;
}

static syc__reach_flow block(syc__reach_reader *r)
{
    const size_t close = r->s->match[r->at];
    syc__reach_flow flow;

    if (close >= r->end || close <= r->at) {
        syc__reach_give_up(r);
        return SYC__REACH_GOES_ON;
    }
    r->at++;
    flow = sequence(r, close);
    r->at = r->gave_up ? r->end : close + 1;
    return flow;
}

syc__reach_flow syc__reach_guarded(syc__reach_reader *r, const syc__reach_tests *tests)
{
    const syc__reach_mark mark = syc__reach_enter(r, tests);
    const unsigned locals = r->local_count;
    const syc__reach_flow flow = syc__reach_statement(r);
    r->local_count = locals;
    syc__reach_leave(r, &mark);
    return flow == SYC__REACH_SOME_GO_ON ? SYC__REACH_MAY_LEAVE : flow;
}

/* `if (c) return;` leaves those for whom c does not hold: that is a condition until the block ends. */
static syc__reach_flow branch(syc__reach_reader *r)
{
    syc__reach_flow yes, no = SYC__REACH_GOES_ON;
    syc__reach_value condition;

    r->at++;
    syc__reach_expect(r, "(");
    condition = syc__reach_expression(r);
    syc__reach_expect(r, ")");
    syc__reach_test_of(r, &condition);
    yes = syc__reach_guarded(r, &condition.yes);
    if (syc__reach_skip(r, "else"))
        no = syc__reach_guarded(r, &condition.no);
    if (yes == no)
        return yes;
    if (yes == SYC__REACH_MAY_LEAVE || no == SYC__REACH_MAY_LEAVE)
        return SYC__REACH_MAY_LEAVE;
    (void)syc__reach_enter(r, yes == SYC__REACH_LEAVES ? &condition.no : &condition.yes);
    return SYC__REACH_SOME_GO_ON;
}

static syc__reach_flow jump(syc__reach_reader *r)
{
    r->at++;
    if (!syc__reach_is(r, ";"))
        (void)syc__reach_expression(r);
    syc__reach_expect(r, ";");
    return SYC__REACH_LEAVES;
}

static void expression(syc__reach_reader *r)
{
    if (!syc__reach_is(r, ";"))
        (void)syc__reach_expression(r);
    syc__reach_expect(r, ";");
}

static syc__reach_flow statement(syc__reach_reader *r)
{
    static const char *const jumps[] = {"return", "break", "continue", NULL};
    static const char *const strange[] = {"switch", "case", "default", "goto", "asm", "__asm__", "__asm", NULL};
    const syc_token *t = &r->s->tokens[r->at];

    while (syc__stream_keyword(r->s, r->at) == SYC_KEYWORD_ATTRIBUTE && syc__stream_is(r->s, r->at + 1, "("))
        r->at = syc__stream_next(r->s, r->at + 1, r->end);
    if (r->at < r->end)
        t = &r->s->tokens[r->at];
    if (r->at >= r->end || syc__token_in(t, strange) ||
        (t->kind == SYC_TOKEN_WORD && syc__stream_is(r->s, r->at + 1, ":"))) {
        syc__reach_give_up(r);
        return SYC__REACH_GOES_ON;
    }
    if (syc__token_is(t, "{"))
        return block(r);
    if (syc__token_is(t, "if"))
        return branch(r);
    if (syc__token_in(t, jumps))
        return jump(r);
    if (syc__reach_is_loop(r))
        return syc__reach_loop_at(r);
    if (syc__reach_is_declaration(r))
        syc__reach_declaration(r);
    else
        expression(r);
    return SYC__REACH_GOES_ON;
}

syc__reach_flow syc__reach_statement(syc__reach_reader *r)
{
    syc__reach_flow flow;
    if (!syc__reach_descend(r))
        return SYC__REACH_GOES_ON;
    flow = statement(r);
    r->depth--;
    return flow;
}
