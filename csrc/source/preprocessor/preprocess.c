/* Directives and conditional groups. Text goes through the expander, which asks here for its next token. */
#include "source/preprocessor/preprocess.h"

#include "source/declarations/keywords.h"
#include "source/lexer.h"
#include "source/preprocessor/condition.h"

#include <string.h>

typedef struct group {
    bool outer;     /* the group around it is read */
    bool reading;   /* this branch is */
    bool taken;     /* some branch was, so no other may be */
    bool undecided; /* a branch was taken on no sure ground: another one may be the compiler's */
} group;

typedef struct preprocessor {
    syc_expander expander;
    syc_tokens source;
    size_t at;
    group *groups;
    size_t count, capacity;
    bool hidden; /* something that the compiler may see is not seen here */
} preprocessor;

/* Macros that every OpenCL C compiler defines alike, as tokens: they stand before each text that is read. */
#define NAME(word)                                                                                \
    {                                                                                             \
        .text = word, .length = sizeof word - 1, .line = 1, .kind = SYC_TOKEN_WORD, .first = true \
    }
#define WORD(word)                                                                                \
    {                                                                                             \
        .text = word, .length = sizeof word - 1, .line = 1, .kind = SYC_TOKEN_WORD, .space = true \
    }
#define NUMBER(digits)                                                                                  \
    {                                                                                                   \
        .text = digits, .length = sizeof digits - 1, .line = 1, .kind = SYC_TOKEN_NUMBER, .space = true \
    }
#define SIGN(sign)                                                         \
    {                                                                      \
        .text = sign, .length = 1, .line = 1, .kind = SYC_TOKEN_PUNCTUATOR \
    }
static const syc_token predefined[] = {
    NAME("__ENDIAN_LITTLE__"),
    NUMBER("1"),
    NAME("CL_VERSION_1_0"),
    NUMBER("100"),
    NAME("CL_VERSION_1_1"),
    NUMBER("110"),
    NAME("CL_VERSION_1_2"),
    NUMBER("120"),
    NAME("__kernel_exec"),
    SIGN("("),
    WORD("x"),
    SIGN(","),
    WORD("type"),
    SIGN(")"),
    WORD("__kernel"),
    WORD("__attribute__"),
    SIGN("("),
    SIGN("("),
    WORD("work_group_size_hint"),
    SIGN("("),
    WORD("x"),
    SIGN(","),
    NUMBER("1"),
    SIGN(","),
    NUMBER("1"),
    SIGN(")"),
    SIGN(")"),
    SIGN(")"),
};

static size_t end_of_line(const syc_tokens *tokens, size_t at)
{
    while (!tokens->items[at].first)
        at++;
    return at;
}

static syc_integer defined(const preprocessor *p, const syc_token *name)
{
    syc_implied implied = syc__name_implied(name);
    bool is = syc__macro_find(&p->expander, name) != NULL || implied == SYC__IMPLIED_DEFINED;
    return (syc_integer){.known = is || implied == SYC__IMPLIED_NO, .value = is};
}

/* Copies the line with each "defined X" answered. One that only the compiler can answer stays as X, which counts as
 * unknown. */
static syc_status answer_defined(preprocessor *p, const syc_token *t, size_t count, syc_tokens *out)
{
    syc_status status = SYC_OK;
    for (size_t i = 0; i < count; i++) {
        size_t parenthesis = i + 1 < count && syc__token_is(&t[i + 1], "("), name = i + 1 + parenthesis;
        syc_token token = t[i];
        if (syc__token_is(&t[i], "defined") && name < count && t[name].kind == SYC_TOKEN_WORD) {
            syc_integer answer = defined(p, &t[name]);
            token = t[name];
            if (answer.known) {
                token.text = answer.value ? "1" : "0";
                token.length = 1;
                token.kind = SYC_TOKEN_NUMBER;
            }
            i = name + parenthesis;
        }
        SYC_TRY(syc__tokens_push(p->expander.arena, out, &token));
    }
done:
    return status;
}

static syc_status evaluate(preprocessor *p, const syc_token *t, size_t count, syc_integer *out)
{
    syc_status status = SYC_OK;
    syc_tokens answered = {0}, expanded = {0};

    SYC_TRY(answer_defined(p, t, count, &answered));
    SYC_TRY(syc__expand_all(&p->expander, answered.items, answered.count, &expanded));
    *out = syc__evaluate(expanded.items, expanded.count, true);
done:
    return status;
}

static void enter_branch(group *g, syc_integer condition)
{
    bool may_read = g->outer && !g->taken;
    g->reading = may_read && (!condition.known || condition.value != 0);
    g->taken = g->taken || g->reading;
    g->undecided = g->undecided || (may_read && !condition.known);
}

/* `t` is the directive's name and what follows it on the line. */
static syc_status open_group(preprocessor *p, const syc_token *t, size_t count)
{
    syc_status status = SYC_OK;
    group *g = p->count > 0 ? &p->groups[p->count - 1] : NULL;
    group new = {.outer = g == NULL || g->reading, .undecided = g != NULL && g->undecided};
    syc_integer condition = {0};

    if (new.outer && syc__token_is(&t[0], "if")) {
        SYC_TRY(evaluate(p, t + 1, count - 1, &condition));
    } else if (count > 1) {
        condition = defined(p, &t[1]);
        condition.value ^= syc__token_is(&t[0], "ifndef");
    }
    enter_branch(&new, condition);
    SYC_TRY(syc__arena_grow(p->expander.arena, &p->groups, &p->capacity, p->count + 1, sizeof *p->groups));
    p->groups[p->count++] = new;
done:
    return status;
}

static syc_status next_branch(preprocessor *p, const syc_token *t, size_t count)
{
    syc_status status = SYC_OK;
    group *g = &p->groups[p->count - 1];
    syc_integer condition = {.known = true, .value = 1};

    if (syc__token_is(&t[0], "elif") && g->outer && !g->taken)
        SYC_TRY(evaluate(p, t + 1, count - 1, &condition));
    enter_branch(g, condition);
done:
    return status;
}

static syc_status directive(preprocessor *p, const syc_token *t, size_t count)
{
    static const char *const opening[] = {"if", "ifdef", "ifndef", NULL}, *const branching[] = {"elif", "else", NULL};
    syc_status status = SYC_OK;
    bool reading = p->count == 0 || p->groups[p->count - 1].reading;

    if (count == 0)
        goto done;
    if (syc__token_in(&t[0], opening))
        SYC_TRY(open_group(p, t, count));
    else if (p->count > 0 && syc__token_in(&t[0], branching))
        SYC_TRY(next_branch(p, t, count));
    else if (p->count > 0 && syc__token_is(&t[0], "endif"))
        p->count--;
    else if (reading && syc__token_is(&t[0], "define"))
        SYC_TRY(syc__macro_define(&p->expander, t + 1, count - 1));
    else if (reading && count > 1 && syc__token_is(&t[0], "undef"))
        SYC_TRY(syc__macro_undefine(&p->expander, &t[1]));
    else if (reading && syc__token_is(&t[0], "include"))
        p->hidden = true;
done:
    return status;
}

/* A loop in a branch that the compiler may take after all must not be forgotten. */
static void look_at_skipped(preprocessor *p, size_t from, size_t to)
{
    if (p->count == 0 || !p->groups[p->count - 1].undecided || p->hidden)
        return;
    for (size_t i = from; i < to && !p->hidden; i++)
        p->hidden = syc__keyword_of(&p->source.items[i]) == SYC_KEYWORD_LOOP;
}

static bool is_undecided(const preprocessor *p)
{
    return p->count > 0 && p->groups[p->count - 1].undecided;
}

/* The tokens of a directive in a group that is perhaps not read are marked: its macro is perhaps not there. */
static void mark_directive(preprocessor *p, size_t from, size_t to)
{
    for (size_t i = from; is_undecided(p) && i < to; i++)
        p->source.items[i].maybe = true;
}

/* The next token of the groups that are read. */
static syc_status pull(void *from, syc_token *out)
{
    syc_status status = SYC_OK;
    preprocessor *p = from;

    for (;;) {
        size_t at = p->at, end;
        *out = p->source.items[at];
        if (out->kind == SYC_TOKEN_END)
            goto done;
        if (out->first && syc__token_is(out, "#")) {
            end = p->at = end_of_line(&p->source, at + 1);
            mark_directive(p, at, end);
            if (p->count > 0 && !p->groups[p->count - 1].reading)
                look_at_skipped(p, at + 1, end);
            SYC_TRY(directive(p, p->source.items + at + 1, end - at - 1));
            continue;
        }
        if (p->count == 0 || p->groups[p->count - 1].reading) {
            p->at++;
            out->maybe = is_undecided(p);
            out->in_text = !out->library;
            goto done;
        }
        p->at = end_of_line(&p->source, at + 1);
        look_at_skipped(p, at, p->at);
    }
done:
    return status;
}

static syc_status define_predefined(syc_expander *e)
{
    syc_status status = SYC_OK;
    size_t count = sizeof predefined / sizeof *predefined;

    for (size_t at = 0, end; at < count; at = end) {
        for (end = at + 1; end < count && !predefined[end].first;)
            end++;
        SYC_TRY(syc__macro_define(e, predefined + at, end - at));
    }
done:
    return status;
}

static syc_status lex_front(syc_arena *arena, const char *front, size_t length, syc_tokens *out)
{
    syc_status status = SYC_OK;
    if (length == 0)
        goto done;
    SYC_TRY(syc__lex(arena, front, length, out));
    out->count--; /* the source goes on where it ends */
    for (size_t i = 0; i < out->count; i++)
        out->items[i].library = true;
done:
    return status;
}

syc_status syc__preprocess(syc_arena *arena, const char *source, size_t length, const char *options,
                           syc_preprocessed *out)
{
    syc_status status = SYC_OK;
    syc_tokens tokens = {0};

    SYC_TRY(syc__lex(arena, source, length, &tokens));
    SYC_TRY(syc__preprocess_behind(arena, "", 0, &tokens, options, out));
done:
    return status;
}

syc_status syc__preprocess_behind(syc_arena *arena, const char *front, size_t front_length, const syc_tokens *source,
                                  const char *options, syc_preprocessed *out)
{
    syc_status status = SYC_OK;
    preprocessor p = {.expander = {.arena = arena, .pull = pull, .budget = SYC__EXPANSION_BUDGET}};
    syc_token token;

    p.expander.from = &p;
    SYC_TRY(define_predefined(&p.expander));
    if (options != NULL)
        SYC_TRY(syc__options_apply(&p.expander, options));
    SYC_TRY(lex_front(arena, front, front_length, &p.source));
    SYC_TRY(syc__tokens_append(arena, &p.source, source->items, source->count));
    do {
        SYC_TRY(syc__expand_next(&p.expander, &token));
        SYC_TRY(syc__tokens_push(arena, &out->tokens, &token));
    } while (token.kind != SYC_TOKEN_END);
    out->complete = !p.hidden && !p.expander.exhausted;
done:
    return status;
}
