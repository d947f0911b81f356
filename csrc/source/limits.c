/* Recursions, found by a walk over the calls, attributes that are given twice, and parameters of no known size. */
#include "source/limits.h"

#include "base/alloc.h"
#include "base/text.h"
#include "source/declarations/attributes.h"
#include "source/declarations/signature.h"
#include "source/tokens.h"

enum { UNSEEN, ON_THE_PATH, SEEN }; /* syc_function.walk */

typedef struct step {
    syc_function *function;
    size_t at; /* the token of its body that is looked at next */
} step;

typedef struct walk {
    syc_unit *unit;
    step *path;
    size_t depth, capacity;
} walk;

static syc_status refuse(const syc_token *token, const syc_text *message, syc_refusal *out)
{
    syc_status status = SYC_OK;
    SYC_CHECK(!message->cut, SYC_E_MEMORY_ALLOCATION, "no memory for what is wrong with a program");
    SYC_TRY(syc_copy_string(syc_text_get(message), &out->message));
    out->line = token->line;
    out->column = token->in_text ? token->column : 0;
done:
    return status;
}

/* -- recursions -- */

/* The function that a call surely reaches: of overloads only the compiler knows which. */
static syc_function *called(const walk *w, size_t at)
{
    const syc_token *token = &w->unit->stream.tokens[at];
    const syc_callee *callee =
        !token->maybe && syc__is_call(&w->unit->stream, at) ? syc__word_map_get(&w->unit->callees, token) : NULL;
    syc_function *f = callee != NULL ? callee->last : NULL;
    return f != NULL && f->overload == NULL && !f->name->maybe && !f->name->library ? f : NULL;
}

static syc_status enter(walk *w, syc_function *f)
{
    syc_status status = SYC_OK;
    SYC_TRY(syc__arena_grow(w->unit->stream.arena, &w->path, &w->capacity, w->depth + 1, sizeof *w->path));
    f->walk = ON_THE_PATH;
    w->path[w->depth++] = (step){.function = f, .at = f->body + 1};
done:
    return status;
}

static syc_status refuse_call(const walk *w, const syc_function *caller, size_t at, syc_refusal *out)
{
    const syc_token *token = &w->unit->stream.tokens[at], *name = caller->name;
    syc_text text = {0};
    syc_status status;

    if (syc__token_same(token, name))
        syc_text_add(&text, "function '%.*s' calls itself", (int)name->length, name->text);
    else
        syc_text_add(&text, "function '%.*s' calls '%.*s', from which it is called", (int)name->length, name->text,
                     (int)token->length, token->text);
    syc_text_add(&text, ": OpenCL C has no recursion; write it as a loop");
    status = refuse(token, &text, out);
    syc_text_clear(&text);
    return status;
}

/* Depth first, with its own stack: a text may chain more calls than the C stack has room for. */
static syc_status walk_from(walk *w, syc_function *root, syc_refusal *out)
{
    syc_status status = SYC_OK;

    SYC_TRY(enter(w, root));
    while (w->depth > 0 && out->message == NULL) {
        step *top = &w->path[w->depth - 1];
        syc_function *f = top->function, *next;
        size_t at = top->at++;
        if (at >= f->close) {
            f->walk = SEEN;
            w->depth--;
            continue;
        }
        next = called(w, at);
        if (next != NULL && next->walk == ON_THE_PATH)
            SYC_TRY(refuse_call(w, f, at, out));
        else if (next != NULL && next->walk == UNSEEN)
            SYC_TRY(enter(w, next));
    }
done:
    return status;
}

/* -- attributes -- */

static syc_status check_attributes(const walk *w, const syc_function *kernel, syc_refusal *out)
{
    size_t at = syc__attribute_twice(&w->unit->stream, kernel);
    const syc_token *token = &w->unit->stream.tokens[at], *name = kernel->name;
    syc_text text = {0};
    syc_status status;

    if (at == w->unit->stream.count || name->maybe)
        return SYC_OK;
    syc_text_add(&text, "kernel '%.*s' is given the attribute %.*s twice", (int)name->length, name->text,
                 (int)token->length, token->text);
    status = refuse(token, &text, out);
    syc_text_clear(&text);
    return status;
}

/* -- long long -- */

static bool is_long_long(const syc_unit *unit, size_t at)
{
    const syc_token *token = &unit->stream.tokens[at];
    syc_type type;
    if (syc__token_is(token, "long"))
        return syc__stream_is(&unit->stream, at + 1, "long");
    return token->kind == SYC_TOKEN_WORD && syc__type_of_word(&unit->types, token, &type) && type.long_long;
}

/* Its size is not known, so neither is where its elements are. */
static syc_status check_parameters(const walk *w, const syc_function *kernel, syc_refusal *out)
{
    const syc_token_stream *s = &w->unit->stream;
    size_t close = s->match[kernel->params];
    syc_text text = {0};
    syc_status status = SYC_OK;

    for (size_t at = kernel->params + 1; at < close && status == SYC_OK && out->message == NULL; at++) {
        if (s->tokens[at].maybe || kernel->name->maybe || !is_long_long(w->unit, at))
            continue;
        syc_text_add(
            &text,
            "kernel '%.*s' has a parameter of long long, which is reserved in OpenCL C: compilers take it for 8 "
            "bytes or for 16; long has 8",
            (int)kernel->name->length, kernel->name->text);
        status = refuse(&s->tokens[at], &text, out);
    }
    syc_text_clear(&text);
    return status;
}

syc_status syc__limits_check(syc_unit *unit, syc_refusal *out)
{
    syc_status status = SYC_OK;
    walk w = {.unit = unit};

    for (size_t i = 0; i < unit->count && out->message == NULL; i++) {
        syc_function *f = unit->functions[i];
        if (f->walk == UNSEEN && !f->name->library && !f->name->maybe && f->overload == NULL && f->callee->last == f)
            SYC_TRY(walk_from(&w, f, out));
    }
    for (size_t i = 0; i < unit->count && out->message == NULL; i++) {
        if (unit->functions[i]->kernel)
            SYC_TRY(check_attributes(&w, unit->functions[i], out));
        if (unit->functions[i]->kernel && out->message == NULL)
            SYC_TRY(check_parameters(&w, unit->functions[i], out));
    }
done:
    return status;
}
