/* The words of reducers. What follows a reducer's name says all: nothing else can be done with it, so its value can be
 * neither read nor set. */
#include "body/reduce/reduce.h"
#include "source/edit.h"
#include "source/tokens.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* The operators that have words of their own. */
static const struct {
    const char *word, *operator_name;
} shorthands[] = {
    {"+=", "plus"}, {"++", "plus"}, {"*=", "multiplies"}, {"&=", "bit_and"}, {"|=", "bit_or"}, {"^=", "bit_xor"},
};
/* What else would change a variable. */
static const char *const others[] = {"=", "-=", "/=", "%=", "<<=", ">>=", "--", NULL};

struct writer {
    syc__edit *edit;
    const syc_name *names;
    bool *used;
    const syc_name **found; /* the reducer that each token from `begin` on names, or NULL */
    size_t begin, end;      /* the first token that is theirs, and the first that is not */
    size_t close;           /* where a call's ')' is to stand, SIZE_MAX: nowhere */
};

/* One use of a reducer. */
typedef struct use {
    const syc_name *name;
    size_t at;             /* its token */
    size_t from[3], to[3]; /* the tokens between its brackets, if it has any */
    size_t behind;         /* the token behind all that */
} use;

static bool is_word(const struct writer *w, size_t at, const char *word)
{
    return syc__edit_is(w->edit, at, word);
}

/* What the text calls it. */
static const char *word_of(const syc_name *name)
{
    return name->reducer.word != NULL ? name->reducer.word : name->name;
}

static unsigned rank_of(const syc_name *name)
{
    return syc__is_array(name) ? name->rank : 0;
}

/* The reducer that the token names, or NULL. */
static const syc_name *reducer_at(const struct writer *w, size_t at)
{
    return at >= w->begin && at < w->end ? w->found[at - w->begin] : NULL;
}

static syc_status refuse(const struct writer *w, const use *u, const char *format, ...)
    __attribute__((format(printf, 3, 4), cold));

/* "the reducer 'total' ", or "the scanner", and the words, at its place. */
static syc_status refuse(const struct writer *w, const use *u, const char *format, ...)
{
    char words[400], rest[300];
    va_list args;
    va_start(args, format);
    vsnprintf(rest, sizeof rest, format, args);
    va_end(args);
    snprintf(words, sizeof words, "the %s '%.60s' %s", u->name->reducer.scanner ? "scanner" : "reducer",
             word_of(u->name), rest);
    return syc__edit_refuse(w->edit, u->at, words);
}

/* How it is combined, for messages: total, bins[k]. */
static const char *brackets_of(const use *u)
{
    static const char *const brackets[] = {"", "[k]", "[j][k]", "[i][j][k]"};
    return brackets[rank_of(u->name)];
}

static syc_status refuse_reading(const struct writer *w, const use *u)
{
    return refuse(w, u, "can be neither read nor set, only combined with values: use %.60s%s.combine(value)",
                  word_of(u->name), brackets_of(u));
}

static syc_status refuse_operator(const struct writer *w, const use *u, size_t at)
{
    char words[SYC_OPERATOR_WORDS];
    return refuse(w, u, "combines by %s, and not by '%.*s': use %.60s%s.combine(value)",
                  syc_operator_words(u->name->op.operation, words), (int)w->edit->tokens.items[at].length,
                  w->edit->tokens.items[at].text, word_of(u->name), brackets_of(u));
}

/* -- what is allowed -- */

static bool is_integer(const syc_name *name)
{
    static const char *const others_are[] = {"float", "double", "half", "cfloat", "cdouble", "struct", "union", NULL};
    for (size_t i = 0; others_are[i] != NULL; i++)
        if (strncmp(name->type, others_are[i], strlen(others_are[i])) == 0)
            return false;
    return true;
}

static bool is_combined_by(const syc_name *name, const char *operator_name)
{
    size_t length = strcspn(name->op.operation, " ");
    return strlen(operator_name) == length && strncmp(name->op.operation, operator_name, length) == 0;
}

/* Is the token one of the words above? */
static bool is_shorthand(const struct writer *w, size_t at)
{
    for (size_t i = 0; i < sizeof shorthands / sizeof *shorthands; i++)
        if (is_word(w, at, shorthands[i].word))
            return true;
    return false;
}

static syc_status check_shorthand(const struct writer *w, const use *u, size_t at)
{
    for (size_t i = 0; i < sizeof shorthands / sizeof *shorthands; i++) {
        if (!is_word(w, at, shorthands[i].word) || !is_combined_by(u->name, shorthands[i].operator_name))
            continue;
        if (!is_word(w, at, "++") || (is_integer(u->name) && !u->name->op.boolean))
            return SYC_OK;
        return refuse(w, u, "is of %.60s, and '++' is for integers: use %.60s%s.combine(1)",
                      u->name->op.boolean ? "bool" : u->name->type, word_of(u->name), brackets_of(u));
    }
    return refuse_operator(w, u, at);
}

/* -- writing -- */

/* What a reducer can be asked, before the kernel runs: SYCL's member types and constants, and its identity. */
static bool is_member(const struct writer *w, size_t dot)
{
    return is_word(w, dot, ".") &&
           (is_word(w, dot + 1, "value_type") || is_word(w, dot + 1, "dimensions") ||
            is_word(w, dot + 1, "binary_operation") ||
            (is_word(w, dot + 1, "identity") && is_word(w, dot + 2, "(") && is_word(w, dot + 3, ")")));
}

/* As group functions call it: those of complex numbers have names of their own. */
static const char *word_of_operation(const syc_name *name, char *room, size_t size)
{
    if (syc__name_is_complex(name) && is_combined_by(name, "plus"))
        return "cadd";
    if (syc__name_is_complex(name) && is_combined_by(name, "multiplies"))
        return "cmul";
    (void)snprintf(room, size, "%.*s", (int)strcspn(name->op.operation, " "), name->op.operation);
    return room;
}

static syc_status write_member(struct writer *w, const use *u, size_t dot, size_t *next)
{
    char word[300];
    w->used[u->name - w->names] = true;
    if (is_word(w, dot + 1, "value_type"))
        syc__edit_add(w->edit, "%s ", u->name->op.boolean ? "bool" : u->name->type);
    else if (is_word(w, dot + 1, "dimensions"))
        syc__edit_add(w->edit, "%u", rank_of(u->name));
    else if (is_word(w, dot + 1, "binary_operation"))
        syc__edit_add(w->edit, "%s", word_of_operation(u->name, word, sizeof word));
    else if (!u->name->op.known)
        return refuse(w, u, "has no known identity");
    else
        syc__edit_add(w->edit, "syc_identity_%s", u->name->name);
    *next = dot + (is_word(w, dot + 1, "identity") ? 4 : 2);
    syc__edit_skip(w->edit, *next);
    return SYC_OK;
}

/* Up to the token `to`: a value, in which reducers stand only where they are asked something. */
static syc_status copy_value(struct writer *w, size_t from, size_t to)
{
    syc_status status = SYC_OK;
    for (size_t at = from; at < to;) {
        use inner = {.name = reducer_at(w, at), .at = at};
        if (inner.name == NULL) {
            at++;
            continue;
        }
        syc__edit_copy(w->edit, at);
        SYC_TRY(write_member(w, &inner, at + 1, &at));
    }
    syc__edit_copy(w->edit, to);
done:
    return status;
}

static syc_status write_call(struct writer *w, const use *u)
{
    syc_status status = SYC_OK;
    if (u->name->reducer.variables != NULL) {
        syc__edit_add(w->edit, "syc_combine_%s(syc_r_syc_%u_%s, ", u->name->name,
                      syc__reduce_variable_at(u->name, u->from[0]), u->name->name);
        return SYC_OK;
    }
    syc__edit_add(w->edit, "syc_combine_%s(syc_r_%s", u->name->name, u->name->name);
    for (unsigned k = 0; u->name->reducer.array && k < u->name->rank; k++) {
        syc__edit_add(w->edit, k == 0 ? ", syc_index_%s((" : ", (", u->name->name);
        syc__edit_skip(w->edit, u->from[k]);
        SYC_TRY(copy_value(w, u->from[k], u->to[k]));
        syc__edit_add(w->edit, k + 1 == u->name->rank ? "))" : ")");
    }
    syc__edit_add(w->edit, ", ");
done:
    return status;
}

/* The end of the expression that begins at `at`; in a macro it may be that of the line. */
static size_t expression_end(const struct writer *w, size_t at)
{
    static const char *const opens[] = {"(", "[", "{", NULL}, *const ends[] = {";", ",", ")", "]", "}", NULL};
    size_t end = w->end, questions = 0;
    bool line = syc__edit_in_directive(w->edit, at - 1);
    for (; at < end; at++) {
        const syc_token *token = &w->edit->tokens.items[at];
        if (line && token->first)
            return at;
        if (token->kind == SYC_TOKEN_STRING)
            continue;
        if (syc__token_in(token, ends) || (questions == 0 && syc__token_is(token, ":")))
            return at;
        questions += syc__token_is(token, "?");
        questions -= syc__token_is(token, ":");
        if (syc__token_in(token, opens) && (at = syc__edit_match(w->edit, at)) >= end)
            return end;
    }
    return end;
}

/* A value that other reducers would be part of. */
static syc_status check_value(const struct writer *w, size_t from, size_t to)
{
    for (size_t at = from; at < to; at++) {
        use inner = {.name = reducer_at(w, at), .at = at};
        if (inner.name != NULL && !is_member(w, at + 1))
            return refuse_reading(w, &inner);
    }
    return SYC_OK;
}

/* "total += value" */
static syc_status write_assignment(struct writer *w, const use *u, size_t *next)
{
    syc_status status = SYC_OK;
    size_t from = u->behind + 1, to = expression_end(w, from);

    SYC_TRY(check_shorthand(w, u, u->behind));
    if (from == to) {
        status = refuse(w, u, "is combined with nothing: a value is missing");
        goto done;
    }
    SYC_TRY(check_value(w, from, to));
    SYC_TRY(write_call(w, u));
    syc__edit_skip(w->edit, from);
    w->close = to;
    *next = from;
done:
    return status;
}

/* "total++" and "++total": `end` is behind the last token of it. */
static syc_status write_step(struct writer *w, const use *u, size_t step, size_t end, size_t *next)
{
    syc_status status = SYC_OK;

    SYC_TRY(check_shorthand(w, u, step));
    SYC_TRY(write_call(w, u));
    syc__edit_add(w->edit, "1)");
    syc__edit_skip(w->edit, end);
    *next = end;
done:
    return status;
}

/* "total.combine(value)", and again ".combine(value)" behind that: it gives the reducer. */
static syc_status write_combine(struct writer *w, const use *u, size_t *next)
{
    syc_status status = SYC_OK;
    size_t at = u->behind;

    while (is_word(w, at, ".") && is_word(w, at + 1, "combine") && is_word(w, at + 2, "(")) {
        size_t close = syc__edit_match(w->edit, at + 2);
        if (close >= w->end) {
            status = refuse(w, u, "is combined with a value without its ')'");
            goto done;
        }
        if (close == at + 3) {
            status = refuse(w, u, "is combined with nothing: a value is missing");
            goto done;
        }
        SYC_TRY(check_value(w, at + 3, close));
        syc__edit_add(w->edit, at == u->behind ? "" : ", ");
        SYC_TRY(write_call(w, u));
        syc__edit_skip(w->edit, at + 3);
        SYC_TRY(copy_value(w, at + 3, close));
        syc__edit_add(w->edit, ")");
        at = close + 1;
        syc__edit_skip(w->edit, at);
    }
    *next = at;
done:
    return status;
}

/* "t.restart(condition)" of a scanner: not asked at the first element of a line. */
static syc_status write_restart(struct writer *w, const use *u, size_t *next)
{
    syc_status status = SYC_OK;
    const size_t open = u->behind + 2, close = syc__edit_match(w->edit, open);

    if (close >= w->end || close == open + 1) {
        status = refuse(w, u, "restarts on a condition: use %.60s.restart(condition)", word_of(u->name));
        goto done;
    }
    SYC_TRY(check_value(w, open + 1, close));
    syc__edit_add(w->edit, "(*syc_h_%s |= !syc_first && (", u->name->name);
    syc__edit_skip(w->edit, open + 1);
    SYC_TRY(copy_value(w, open + 1, close));
    syc__edit_add(w->edit, "))");
    syc__edit_skip(w->edit, close + 1);
    *next = close + 1;
done:
    return status;
}

/* -- reading -- */

static syc_status read_use(const struct writer *w, size_t at, use *out)
{
    syc_status status = SYC_OK;
    unsigned rank, given = 0;

    *out = (use){.name = reducer_at(w, at), .at = at, .behind = at + 1};
    rank = rank_of(out->name);
    for (; is_word(w, out->behind, "["); given++) {
        if (given == rank) {
            status = refuse(w, out,
                            rank == 0 ? "is of one variable: it has no elements"
                                      : "has an array of %u dimension%s: more subscripts than that are given",
                            rank, rank == 1 ? "" : "s");
            goto done;
        }
        out->from[given] = out->behind + 1;
        out->to[given] = syc__edit_match(w->edit, out->behind);
        if (out->to[given] >= w->end) {
            status = refuse(w, out, "has a subscript without its ']'");
            goto done;
        }
        out->behind = out->to[given] + 1;
        SYC_TRY(check_value(w, out->from[given], out->to[given]));
        if (out->to[given] <= out->from[given]) {
            status = refuse_reading(w, out);
            goto done;
        }
    }
    if (given < rank)
        status = refuse(w, out, "is of an array: only its elements can be combined, as %.60s%s", word_of(out->name),
                        brackets_of(out));
done:
    return status;
}

static syc_status write_use(struct writer *w, size_t first, size_t *next)
{
    syc_status status = SYC_OK;
    bool prefix = is_word(w, first, "++") || is_word(w, first, "--");
    use u = {.name = reducer_at(w, first + prefix), .at = first};

    if (!prefix && is_member(w, first + 1)) {
        syc__edit_copy(w->edit, first);
        status = write_member(w, &u, first + 1, next);
        goto done;
    }
    if (syc__reduce_is_alias(w->edit, first)) { /* whose word is written over wherever it stands */
        *next = first + 1;
        goto done;
    }
    SYC_TRY(read_use(w, first + prefix, &u));
    w->used[u.name - w->names] = true;
    syc__edit_copy(w->edit, first);
    if (prefix)
        status = is_word(w, first, "--") ? refuse_operator(w, &u, first) : write_step(w, &u, first, u.behind, next);
    else if (is_word(w, u.behind, "++"))
        status = write_step(w, &u, u.behind, u.behind + 1, next);
    else if (is_shorthand(w, u.behind))
        status = write_assignment(w, &u, next);
    else if (is_word(w, u.behind, ".") && is_word(w, u.behind + 1, "combine") && is_word(w, u.behind + 2, "("))
        status = write_combine(w, &u, next);
    else if (u.name->reducer.restarts && is_word(w, u.behind, ".") && is_word(w, u.behind + 1, "restart") &&
             is_word(w, u.behind + 2, "("))
        status = write_restart(w, &u, next);
    else if (syc__token_in(&w->edit->tokens.items[u.behind], others))
        status = refuse_operator(w, &u, u.behind);
    else
        status = refuse_reading(w, &u);
done:
    return status;
}

static syc_status write_all(struct writer *w, size_t from)
{
    syc_status status = SYC_OK;
    for (size_t at = from; at < w->end;) {
        bool prefix = is_word(w, at, "++") || is_word(w, at, "--");
        if (at == w->close) {
            syc__edit_copy_behind(w->edit, at - 1);
            syc__edit_add(w->edit, ")");
            w->close = SIZE_MAX;
        }
        if (reducer_at(w, at + prefix) == NULL)
            at++;
        else
            SYC_TRY(write_use(w, at, &at));
    }
    if (w->close != SIZE_MAX) { /* the text ends there, without the ';' that the compiler will miss */
        syc__edit_copy_behind(w->edit, w->end - 1);
        syc__edit_add(w->edit, ")");
    }
    syc__edit_copy(w->edit, w->end);
done:
    return status;
}

syc_status syc__reduce_write_words_in(syc_arena *arena, syc__edit *edit, size_t from, size_t to, const syc_name *names,
                                      size_t count, bool *used)
{
    syc_status status = SYC_OK;
    struct writer w = {.edit = edit, .names = names, .used = used, .begin = from, .end = to, .close = SIZE_MAX};
    memset(used, 0, count * sizeof *used);
    SYC_TRY(syc__reduce_find_names(arena, edit, from, to, names, count, &w.found));
    status = write_all(&w, from);
done:
    return status;
}

static syc_status check_used(const syc_name *names, size_t count, const bool *used)
{
    syc_status status = SYC_OK;
    for (size_t i = 0; i < count; i++)
        SYC_CHECK(!syc__is_reducer(&names[i]) || used[i], SYC_E_KERNEL_ARGUMENT,
                  "body: the reducer '%s' is given, and the text combines nothing with it", names[i].name);
done:
    return status;
}

syc_status syc__reduce_write_words(const char *text, const char *preamble, const syc_name *names, size_t count,
                                   syc_text *out)
{
    syc_status status = SYC_OK;
    syc_arena arena = {0};
    syc__edit edit = {0}, front = {0};
    bool any = false, *used = NULL;

    for (size_t i = 0; i < count; i++)
        any = any || syc__is_reducer(&names[i]);
    if (!any)
        return SYC_OK;
    SYC_TRY(syc__arena_alloc(&arena, count * sizeof *used, &used));
    SYC_TRY(syc__edit_begin(&arena, text, &edit));
    SYC_TRY(syc__edit_begin(&arena, preamble != NULL ? preamble : "", &front));
    front.name = "preamble";
    SYC_TRY(syc__reduce_refuse_macros(&arena, &front, front.tokens.count - 1, &edit, 0, edit.tokens.count - 1, names,
                                      count));
    SYC_TRY(syc__reduce_write_words_in(&arena, &edit, 0, edit.tokens.count - 1, names, count, used));
    SYC_TRY(check_used(names, count, used));
    SYC_CHECK(!edit.out.cut, SYC_E_MEMORY_ALLOCATION, "no memory for a body of %zu bytes", strlen(text));
    *out = edit.out;
    edit.out = (syc_text){0};
done:
    syc_text_clear(&edit.out);
    syc__arena_clear(&arena);
    return status;
}
