/* Declarations of the text's own variables: what an unchanged integer was set to is known wherever it is used. */
#include "body/parts.h"
#include "body/reach/reader.h"
#include "body/reading.h"
#include "source/declarations/parser.h"
#include "source/declarations/types.h"
#include "source/tokens.h"

bool syc__reach_is_declaration(const syc__reach_reader *r)
{
    const syc_token *t = &r->s->tokens[r->at], *next = t + 1;
    const syc_keyword keyword = syc__stream_keyword(r->s, r->at);
    syc_type type;

    if (t->kind != SYC_TOKEN_WORD || syc__reach_is_name(r, t))
        return false;
    if (keyword != SYC_KEYWORD_NONE && keyword != SYC_KEYWORD_LOOP)
        return true;
    return syc__token_is(t, "void") || syc__type_of_word(&r->scan->unit->types, t, &type) ||
           next->kind == SYC_TOKEN_WORD ||
           (syc__token_is(next, "*") && r->s->tokens[r->at + 2].kind == SYC_TOKEN_WORD &&
            !syc__stream_is(r->s, r->at + 3, "("));
}

/* "{1, x[i], {2}}": all of it is evaluated. */
static void list(syc__reach_reader *r)
{
    if (!syc__reach_descend(r))
        return;
    r->at++;
    while (!r->gave_up && !syc__reach_is(r, "}")) {
        if (syc__reach_is(r, "{"))
            list(r);
        else if (syc__reach_is(r, ".") || syc__reach_is(r, "["))
            syc__reach_give_up(r);
        else
            (void)syc__reach_assignment(r);
        if (!syc__reach_is(r, "}"))
            syc__reach_expect(r, ",");
    }
    syc__reach_expect(r, "}");
    r->depth--;
}

static bool is_integer(const syc_type *type)
{
    const char kind = type->type < SYC_STRUCT ? syc_dtype_kind(type->type) : 'V';
    return type->width == 1 && type->pointers == 0 && type->arrays == 0 && type->tag[0] == '\0' &&
           (kind == 'i' || kind == 'u');
}

/* One declarator, and what it is set to. */
static void declarator(syc__reach_reader *r, const syc_type *base, size_t end)
{
    syc_type type = *base;
    syc__reach_value value = syc__reach_unknown();
    size_t at = r->at, name = end, stop = r->at;

    while (stop < end && !syc__stream_is(r->s, stop, "=") && !syc__stream_is(r->s, stop, ","))
        stop = syc__stream_next(r->s, stop, end);
    syc__declarator_read(r->s, &at, stop, &type, &name);
    if (name >= stop) {
        syc__reach_give_up(r);
        return;
    }
    r->at = stop;
    if (syc__reach_skip(r, "=")) {
        if (syc__reach_is(r, "{"))
            list(r);
        else
            value = syc__reach_assignment(r);
    }
    value = is_integer(&type) && !syc__reach_is_changed(r, &r->s->tokens[name])
                ? syc__reach_convert(r, &value, type.type)
                : syc__reach_unknown();
    syc__reach_declare(r, &r->s->tokens[name], &value);
}

static size_t end_of(const syc__reach_reader *r)
{
    size_t at = r->at;
    while (at < r->end && !syc__stream_is(r->s, at, ";"))
        at = syc__stream_next(r->s, at, r->end);
    return at;
}

void syc__reach_declaration(syc__reach_reader *r)
{
    const size_t end = end_of(r), outer = r->end;
    syc_type base;

    if (syc__stream_keyword(r->s, r->at) == SYC_KEYWORD_TYPEDEF || end >= r->end) {
        syc__reach_give_up(r);
        return;
    }
    r->status = syc__type_read(r->s, (syc_types *)&r->scan->unit->types, &r->at, end, &base);
    if (r->status != SYC_OK || !base.found) {
        syc__reach_give_up(r);
        return;
    }
    r->end = end;
    while (!r->gave_up && r->at < end) {
        declarator(r, &base, end);
        if (r->at < end)
            syc__reach_expect(r, ",");
    }
    r->end = outer;
    r->at = r->gave_up ? outer : end;
    syc__reach_expect(r, ";");
}
