/* Loops. One that counts, from a number to a number that the launch knows, comes to all that its body has in each turn;
 * of others nothing is known, but that they end. */
#include "body/parts.h"
#include "body/reach/reader.h"
#include "body/reading.h"
#include "source/declarations/parser.h"
#include "source/declarations/types.h"
#include "source/statements.h"
#include "source/tokens.h"

/* `for (type name = start; name < bound; name += step) body`; indices of tokens. */
struct counted {
    size_t open, first, second, close; /* the brackets, and each ';' */
    size_t name, body, end;            /* 0: there is no name; the body's tokens */
    syc_dtype type;
    syc__reach_value start, bound;
    int64_t step;
};

static bool has_any(const syc__reach_reader *r, size_t from, size_t to, const char *const *words)
{
    for (size_t at = from; at < to; at++)
        if (r->s->tokens[at].kind == SYC_TOKEN_WORD && syc__token_in(&r->s->tokens[at], words))
            return true;
    return false;
}

/* All items come to the text behind a loop, unless some left all of it. */
static syc__reach_flow flow_of(const syc__reach_reader *r, size_t from, size_t to)
{
    static const char *const returns[] = {"return", NULL};
    return has_any(r, from, to, returns) ? SYC__REACH_MAY_LEAVE : SYC__REACH_GOES_ON;
}

/* -- the head of one that counts -- */

/* The expression between two tokens, which has been read for its claims already, or has none. */
static bool read_between(syc__reach_reader *r, size_t from, size_t to, syc__reach_value *out)
{
    const size_t at = r->at, end = r->end;
    bool all;

    r->at = from;
    r->end = to;
    r->silent++;
    *out = syc__reach_assignment(r);
    r->silent--;
    all = !r->gave_up && r->at == to;
    r->end = end;
    r->at = r->gave_up ? end : at;
    return all && out->kind == SYC__REACH_INTEGER;
}

/* int k = start */
static bool read_start(syc__reach_reader *r, struct counted *c)
{
    size_t at = c->open + 1;
    syc_type type;

    r->status = syc__type_read(r->s, (syc_types *)&r->scan->unit->types, &at, c->first, &type);
    if (r->status != SYC_OK)
        syc__reach_give_up(r);
    if (r->gave_up || !type.found || type.width != 1 || type.pointers > 0 || type.tag[0] != '\0' ||
        type.type >= SYC_STRUCT || (syc_dtype_kind(type.type) != 'i' && syc_dtype_kind(type.type) != 'u') ||
        r->s->tokens[at].kind != SYC_TOKEN_WORD || !syc__stream_is(r->s, at + 1, "="))
        return false;
    c->name = at;
    c->type = type.type;
    return read_between(r, at + 2, c->first, &c->start);
}

static bool is_name(const syc__reach_reader *r, const struct counted *c, size_t at)
{
    return syc__token_same(&r->s->tokens[at], &r->s->tokens[c->name]);
}

/* k < bound: the number of the relation's token, or 0 */
static size_t read_bound(syc__reach_reader *r, struct counted *c)
{
    static const char *const relations[] = {"<", "<=", ">", ">=", NULL};
    const size_t at = c->first + 1;
    return at + 2 < c->second && is_name(r, c, at) && syc__token_in(&r->s->tokens[at + 1], relations) &&
                   read_between(r, at + 2, c->second, &c->bound)
               ? at + 1
               : 0;
}

/* k++, ++k, k += 4, and the same down */
static bool read_step(syc__reach_reader *r, struct counted *c)
{
    const size_t at = c->second + 1;
    const bool before = at + 2 == c->close && is_name(r, c, at + 1);
    const size_t sign = before ? at : at + 1;
    syc__reach_value by;

    c->step = syc__stream_is(r->s, sign, "--") || syc__stream_is(r->s, sign, "-=") ? -1 : 1;
    if (at + 2 > c->close || (!before && !is_name(r, c, at)))
        return false;
    if (at + 2 == c->close)
        return syc__stream_is(r->s, sign, "++") || syc__stream_is(r->s, sign, "--");
    if ((!syc__stream_is(r->s, sign, "+=") && !syc__stream_is(r->s, sign, "-=")) ||
        !read_between(r, sign + 1, c->close, &by) || by.sum.count != 1 ||
        !syc__reach_is_constant(&by.sum, &by.sum.terms[0].factor) || by.sum.terms[0].factor < 1 ||
        by.sum.terms[0].factor > INT32_MAX)
        return false;
    c->step *= by.sum.terms[0].factor;
    return true;
}

/* -- what it counts -- */

/* How far it goes, from its start: less than 0 if it does not begin. */
static bool find_span(const syc__reach_reader *r, const struct counted *c, size_t relation, syc__reach_sum *out)
{
    const syc__reach_sum one = syc__reach_constant(1);
    const bool up = r->s->tokens[relation].text[0] == '<', strict = r->s->tokens[relation].length == 1;
    return up == (c->step > 0) &&
           syc__reach_add(up ? &c->bound.sum : &c->start.sum, up ? &c->start.sum : &c->bound.sum, -1, out) &&
           syc__reach_add(out, &one, strict ? -1 : 0, out) && !syc__reach_has_variable(out);
}

/* The variable's value in turn `turn`. */
static bool find_value(const struct counted *c, const syc__reach_sum *turn, syc__reach_sum *out)
{
    const syc__reach_sum step = syc__reach_constant(c->step);
    return syc__reach_multiply(turn, &step, out) && syc__reach_add(out, &c->start.sum, 1, out);
}

/* The value that ends it is computed and compared, too: all must be what they say. */
static bool check_types(syc__reach_reader *r, const struct counted *c, size_t relation, const syc__reach_sum *turn,
                        syc__reach_need **needs)
{
    const syc__reach_sum one = syc__reach_constant(1);
    const syc__reach_value first = syc__reach_convert(r, &c->start, c->type);
    syc__reach_value test = syc__reach_compare(r, &r->s->tokens[relation], &first, &c->bound), last;
    syc__reach_sum behind;

    if (!test.yes.known || !syc__reach_add(turn, &one, 1, &behind) || !find_value(c, &behind, &behind))
        return false;
    last = syc__reach_integer(behind, SYC_LONG);
    last.needs = test.yes.items[0]->needs;
    last = syc__reach_convert(r, &last, c->type);
    test = syc__reach_compare(r, &r->s->tokens[relation], &last, &c->bound);
    if (!test.yes.known)
        return false;
    *needs = test.yes.items[0]->needs;
    return true;
}

/* Enters the loop into the table, and its variable among the names. False: nothing is known of it. */
static bool enter(syc__reach_reader *r, struct counted *c)
{
    static const char *const jumps[] = {"return", "break", "continue", NULL};
    struct syc__reach *out = r->out;
    const syc__reach_sum turn = syc__reach_variable(SYC__REACH_LOOP + (unsigned)out->loop_count);
    syc__reach_value value = {.kind = SYC__REACH_INTEGER};
    syc__reach_need *needs = NULL;
    syc__reach_sum span;
    size_t relation;

    if (out->loop_count == SYC__REACH_LOOPS || !read_start(r, c) || (relation = read_bound(r, c)) == 0 ||
        !read_step(r, c) || has_any(r, c->body, c->end, jumps) ||
        syc__reach_is_changed_in(r, &r->s->tokens[c->name], c->body, c->end) || !find_span(r, c, relation, &span) ||
        !find_value(c, &turn, &value.sum) || !check_types(r, c, relation, &turn, &needs))
        return false;
    value.type = c->type;
    syc__reach_declare(r, &r->s->tokens[c->name], &value);
    return syc__reach_keep_loop(r, &span, needs, c->step < 0 ? -c->step : c->step);
}

/* -- loops -- */

static bool read_head(syc__reach_reader *r, struct counted *c)
{
    *c = (struct counted){.open = r->at + 1};
    c->close = syc__stream_is(r->s, c->open, "(") ? r->s->match[c->open] : r->end;
    if (c->close >= r->end)
        return false;
    c->first = c->open + 1;
    while (c->first < c->close && !syc__stream_is(r->s, c->first, ";"))
        c->first = syc__stream_next(r->s, c->first, c->close);
    c->second = c->first + 1;
    while (c->second < c->close && !syc__stream_is(r->s, c->second, ";"))
        c->second = syc__stream_next(r->s, c->second, c->close);
    c->body = c->close + 1;
    c->end = syc__statement_end(r->s, c->body, r->end, NULL);
    return c->second < c->close && c->end > 0;
}

/* An expression whose accesses may be come to or not. */
static void silent(syc__reach_reader *r, size_t end)
{
    const size_t outer = r->end;
    r->end = end;
    r->silent++;
    if (r->at < end)
        (void)syc__reach_expression(r);
    r->silent--;
    if (!r->gave_up && r->at < end)
        syc__reach_give_up(r);
    r->end = outer;
    r->at = r->gave_up ? outer : end;
}

static syc__reach_flow counted(syc__reach_reader *r)
{
    const syc__reach_mark mark = syc__reach_enter(r, &(syc__reach_tests){.known = true});
    const unsigned locals = r->local_count;
    struct counted c;
    bool known;

    if (!read_head(r, &c)) {
        syc__reach_give_up(r);
        return SYC__REACH_GOES_ON;
    }
    r->at = c.open + 1;
    if (syc__reach_is_declaration(r)) {
        syc__reach_declaration(r);
    } else {
        if (r->at < c.first)
            (void)syc__reach_expression(r);
        syc__reach_expect(r, ";");
    }
    silent(r, c.second);
    syc__reach_expect(r, ";");
    silent(r, c.close);
    syc__reach_expect(r, ")");
    known = !r->gave_up && enter(r, &c);
    r->silent += !known;
    (void)syc__reach_guarded(r, &(syc__reach_tests){.known = true});
    r->local_count = locals;
    syc__reach_leave(r, &mark);
    return flow_of(r, c.body, c.end);
}

/* Of unknown length. */
static syc__reach_flow unknown(syc__reach_reader *r)
{
    const bool first = syc__reach_is(r, "do");
    const size_t from = r->at++;

    r->silent++;
    if (first) {
        (void)syc__reach_guarded(r, &(syc__reach_tests){0});
        syc__reach_expect(r, "while");
    }
    syc__reach_expect(r, "(");
    (void)syc__reach_expression(r);
    syc__reach_expect(r, ")");
    if (first)
        syc__reach_expect(r, ";");
    else
        (void)syc__reach_guarded(r, &(syc__reach_tests){0});
    r->silent--;
    return flow_of(r, from, r->at);
}

bool syc__reach_is_loop(const syc__reach_reader *r)
{
    return syc__reach_is(r, "for") || syc__reach_is(r, "while") || syc__reach_is(r, "do");
}

syc__reach_flow syc__reach_loop_at(syc__reach_reader *r)
{
    return syc__reach_is(r, "for") ? counted(r) : unknown(r);
}
