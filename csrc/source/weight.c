/* The most that a function costs: loops, recursion and weight, its own and of all that it can reach. And the least
 * private memory that it takes. */
#include "source/call_weight.h"
#include "source/course.h"
#include "source/declarations/parser.h"
#include "source/private_size.h"
#include "source/tokens.h"

#include <stdint.h>
#include <string.h>

static size_t add(size_t a, size_t b)
{
    size_t sum;
    return __builtin_add_overflow(a, b, &sum) ? SIZE_MAX : sum;
}

/* "name(" or "(name)(". */
bool syc__is_call(const syc_token_stream *s, size_t at)
{
    return s->tokens[at].kind == SYC_TOKEN_WORD &&
           (syc__stream_is(s, at + 1, "(") ||
            (syc__stream_is(s, at - 1, "(") && syc__stream_is(s, at + 1, ")") && syc__stream_is(s, at + 2, "(")));
}

/* A word through which a work-item sees more than its own global id. A built-in that is not known here does no harm:
 * OpenCL C has no other names for these things. The device library has overloads for pointers to local memory: whoever
 * calls those has such memory himself. */
bool syc__sees_shape(const syc_token_stream *s, size_t at)
{
    static const char *const names[] = {
        "barrier",           "get_global_size",     "get_global_offset",       "get_global_linear_id", "get_local_size",
        "get_local_id",      "get_local_linear_id", "get_enqueued_local_size", "get_num_groups",       "get_group_id",
        "wait_group_events", "get_group_linear_id", "enqueue_kernel",
    };
    static const char *const prefixes[] = {"work_group_",        "sub_group_",        "get_sub_group_",
                                           "get_max_sub_group_", "async_work_group_", "intel_sub_group_"};
    const syc_token *token = &s->tokens[at];

    if (token->kind != SYC_TOKEN_WORD)
        return false;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (syc__token_is(token, names[i]))
            return true;
    for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++)
        if (token->length > strlen(prefixes[i]) && memcmp(token->text, prefixes[i], strlen(prefixes[i])) == 0)
            return true;
    return syc__stream_keyword(s, at) == SYC_KEYWORD_LOCAL && !token->library;
}

/* A word at which the items of a group wait for each other. */
static bool sees_wait(const syc_token_stream *s, size_t at)
{
    static const char *const words[] = {"barrier", "wait_group_events", "work_group_", "sub_group_",
                                        "intel_sub_group_"};
    const syc_token *token = &s->tokens[at];

    for (size_t i = 0; token->kind == SYC_TOKEN_WORD && i < sizeof words / sizeof *words; i++)
        if (token->length >= strlen(words[i]) && memcmp(token->text, words[i], strlen(words[i])) == 0)
            return true;
    return false;
}

/* Double anywhere from the return type on counts. Parameters of half are judged by their types, elsewhere. The device
 * library has overloads for types that the device may lack: whoever calls those names the types himself. */
static void read_types(const syc_unit *unit, syc_function *f)
{
    const syc_token_stream *s = &unit->stream;
    if (f->name->library)
        return;
    syc__types_used(s, &unit->types, f->head, f->params, &f->fp64, &f->fp16);
    syc__types_used(s, &unit->types, f->params, f->body, &f->fp64, &(bool){false});
    syc__types_used(s, &unit->types, f->body + 1, f->close, &f->fp64, &f->fp16);
}

/* The lanes of the widest vector that these tokens name: a built-in on a vector is as many calls. */
static size_t widest(const syc_unit *unit, size_t at, size_t end)
{
    const syc_token_stream *s = &unit->stream;
    syc_type type;
    size_t lanes = 1;
    for (; at < end; at++) {
        if (s->tokens[at].kind == SYC_TOKEN_WORD && syc__type_of_word(&unit->types, &s->tokens[at], &type) &&
            type.width > lanes)
            lanes = type.width;
    }
    return lanes;
}

/* The cost of called built-ins beyond their tokens. */
static size_t weigh_calls(const syc_unit *unit, const syc_function *f)
{
    const syc_token_stream *s = &unit->stream;
    size_t weight = 0, lanes = 0;
    for (size_t at = f->body + 1; at < f->close; at++) {
        size_t one = syc__is_call(s, at) && syc__word_map_get(&unit->callees, &s->tokens[at]) == NULL
                         ? syc__call_weight(&s->tokens[at])
                         : 0;
        if (one > 0 && lanes == 0)
            lanes = widest(unit, f->head, f->close);
        weight = add(weight, one * lanes);
    }
    return weight;
}

/* Adds a call. Of the device library's own it is known that all items of a group come to them. */
static syc_status add_call(syc_unit *unit, syc_function *f, syc_callee *callee, bool sure)
{
    syc_arena *arena = unit->stream.arena;
    syc_status status = SYC_OK;

    SYC_TRY(syc__arena_grow(arena, &f->calls, &f->call_capacity, f->call_count + 1, sizeof(syc_callee *)));
    f->calls[f->call_count++] = callee;
    if (sure || f->name->library)
        return SYC_OK;
    SYC_TRY(syc__arena_grow(arena, &f->unsure, &f->unsure_capacity, f->unsure_count + 1, sizeof(syc_callee *)));
    f->unsure[f->unsure_count++] = callee;
done:
    return status;
}

/* Reads the function's own text. Items that wait for others, which have gone another way, may never go on. */
static syc_status read_body(syc_unit *unit, syc_function *f)
{
    syc_status status = SYC_OK;
    const syc_token_stream *s = &unit->stream;
    syc__course course = {.s = s, .end = f->close};

    f->bounded = true;
    for (size_t at = f->head; at < f->close && !f->shaped; at++)
        f->shaped = syc__sees_shape(s, at);
    f->built_ins = weigh_calls(unit, f);
    f->weight = add(f->close - f->body - 1, f->built_ins);
    read_types(unit, f);
    SYC_TRY(syc__private_read(unit, f));
    for (size_t at = f->body + 1; at < f->close; at++) {
        syc_callee *callee = syc__is_call(s, at) ? syc__word_map_get(&unit->callees, &s->tokens[at]) : NULL;
        const bool sure = !syc__course_parts(&course, at), waits = sees_wait(s, at);
        f->waits = f->waits || waits;
        if (syc__stream_keyword(s, at) == SYC_KEYWORD_LOOP || (waits && !sure && !f->name->library))
            f->bounded = false;
        if (callee != NULL)
            SYC_TRY(add_call(unit, f, callee, sure));
    }
done:
    return status;
}

/* Adds what the called functions cost. One that is not done is on the path to here: a recursion. */
static void add_calls(syc_function *f)
{
    for (size_t i = 0; i < f->call_count; i++) {
        const syc_callee *c = f->calls[i];
        f->bounded = f->bounded && c->done && c->bounded;
        f->fp64 = f->fp64 || c->fp64;
        f->fp16 = f->fp16 || c->fp16;
        f->shaped = f->shaped || !c->done || c->shaped;
        f->waits = f->waits || !c->done || c->waits;
        f->weight = c->done ? add(f->weight, c->weight) : SIZE_MAX;
        f->built_ins = c->done ? add(f->built_ins, c->built_ins) : SIZE_MAX;
        if (c->done && c->last->overload == NULL)
            syc__private_add(&f->own, &c->own);
    }
    for (size_t i = 0; i < f->unsure_count; i++)
        f->bounded = f->bounded && !f->unsure[i]->waits;
}

static void add_overload(syc_callee *c, const syc_function *f)
{
    c->bounded = c->bounded && f->bounded;
    c->fp64 = c->fp64 || f->fp64;
    c->fp16 = c->fp16 || f->fp16;
    c->shaped = c->shaped || f->shaped;
    c->waits = c->waits || f->waits;
    c->weight = f->weight > c->weight ? f->weight : c->weight;
    c->built_ins = f->built_ins > c->built_ins ? f->built_ins : c->built_ins;
    c->own = f->own;
}

/* A callee on the path of the walk, and where in it the walk is. */
typedef struct step {
    syc_callee *callee;
    syc_function *function;
    size_t call;
} step;

typedef struct walk {
    step *path;
    size_t depth, capacity;
} walk;

static syc_status enter(syc_unit *unit, walk *w, syc_callee *c)
{
    syc_status status = SYC_OK;
    if (c->visited)
        return SYC_OK;
    SYC_TRY(syc__arena_grow(unit->stream.arena, &w->path, &w->capacity, w->depth + 1, sizeof *w->path));
    c->visited = c->bounded = true;
    w->path[w->depth++] = (step){.callee = c, .function = c->last};
done:
    return status;
}

/* Depth first, with its own stack: a text may chain more calls than the C stack has room for. */
static syc_status measure(syc_unit *unit, walk *w, syc_callee *root)
{
    syc_status status = SYC_OK;

    SYC_TRY(enter(unit, w, root));
    while (w->depth > 0) {
        step *top = &w->path[w->depth - 1];
        syc_function *f = top->function;
        if (f == NULL) {
            top->callee->done = true;
            w->depth--;
        } else if (top->call < f->call_count) {
            SYC_TRY(enter(unit, w, f->calls[top->call++]));
        } else {
            add_calls(f);
            add_overload(top->callee, f);
            top->function = f->overload;
            top->call = 0;
        }
    }
done:
    return status;
}

syc_status syc__functions_measure(syc_unit *unit)
{
    syc_status status = SYC_OK;
    walk w = {0};

    for (size_t i = 0; i < unit->count; i++)
        SYC_TRY(read_body(unit, unit->functions[i]));
    for (size_t i = 0; i < unit->count; i++)
        SYC_TRY(measure(unit, &w, unit->functions[i]->callee));
done:
    return status;
}
