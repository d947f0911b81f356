/* Declarators, typedefs, and which types a piece of text uses. */
#include "source/declarations/types.h"
#include "source/preprocessor/condition.h"
#include "source/tokens.h"

#include <string.h>

void syc__vector_attribute(const syc_token_stream *s, size_t at, size_t end, syc_lanes *lanes)
{
    for (; at + 1 < end; at++) {
        bool count = syc__stream_is(s, at, "ext_vector_type") || syc__stream_is(s, at, "__ext_vector_type__");
        bool bytes = syc__stream_is(s, at, "vector_size") || syc__stream_is(s, at, "__vector_size__");
        size_t close = s->match[at + 1];
        if ((count || bytes) && syc__stream_is(s, at + 1, "(") && close < end) {
            syc_integer n = syc__evaluate(s->tokens + at + 2, close - at - 2, false);
            *(count ? &lanes->count : &lanes->bytes) = n.known ? n.value : 0;
        }
    }
}

void syc__make_vector(syc_type *type, syc_lanes lanes)
{
    int64_t count = lanes.count;
    if (type->type >= SYC_STRUCT || type->width != 1)
        return;
    if (lanes.bytes > 0)
        count = lanes.bytes / (int64_t)syc_dtype_size(type->type);
    if (count == 2 || count == 3 || count == 4 || count == 8 || count == 16)
        type->width = (unsigned)count;
    else if (count > 1)
        type->type = SYC_STRUCT; /* clang's odd vectors: bytes to the host */
}

/* Where a declarator's reading stands. */
typedef struct declarator {
    syc_type *type;
    size_t name, none; /* index of the name; `none` until it is found */
    unsigned parentheses;
    bool inner; /* a '*' in parentheses: brackets behind it speak of the pointee */
    syc_lanes lanes;
} declarator;

static void take_declarator_word(const syc_token_stream *s, declarator *d, size_t at)
{
    syc_keyword keyword = syc__stream_keyword(s, at);
    if (keyword == SYC_KEYWORD_RESTRICT)
        d->type->is_restrict = true;
    else if (!syc__keyword_qualifies(keyword) && d->name == d->none)
        d->name = at;
}

/* One token, or what it brackets; gives the index behind it. */
static size_t take_declarator_token(const syc_token_stream *s, declarator *d, size_t at, size_t end)
{
    bool named = d->name != d->none;
    if (syc__stream_keyword(s, at) == SYC_KEYWORD_ATTRIBUTE && at + 1 < end) {
        size_t behind = syc__stream_next(s, at + 1, end);
        syc__vector_attribute(s, at + 1, behind, &d->lanes);
        return behind;
    }
    if (s->tokens[at].kind == SYC_TOKEN_WORD) {
        take_declarator_word(s, d, at);
    } else if (syc__stream_is(s, at, "*") && !named) {
        d->type->pointers++;
        d->inner = d->inner || d->parentheses > 0;
    } else if (syc__stream_is(s, at, "(") && !named) {
        d->parentheses++; /* "(*x)[4]": the name is inside */
    } else if (syc__stream_is(s, at, "(")) {
        d->type->type = SYC_OPAQUE; /* a function */
        return syc__stream_next(s, at, end);
    } else if (syc__stream_is(s, at, "[")) {
        d->type->arrays += !d->inner;
        return syc__stream_next(s, at, end);
    }
    return at + 1;
}

void syc__declarator_read(const syc_token_stream *s, size_t *at, size_t end, syc_type *type, size_t *name)
{
    declarator d = {.type = type, .name = end, .none = end};
    size_t i = *at;

    while (i < end && !syc__stream_is(s, i, ",") && !syc__stream_is(s, i, ";"))
        i = take_declarator_token(s, &d, i, end);
    syc__make_vector(type, d.lanes);
    *name = d.name;
    *at = i;
}

static bool has_attribute(const syc_token_stream *s, size_t at, size_t end)
{
    for (; at < end; at = syc__stream_next(s, at, end))
        if (syc__stream_keyword(s, at) == SYC_KEYWORD_ATTRIBUTE)
            return true;
    return false;
}

syc_status syc__typedef_read(const syc_token_stream *s, syc_types *types, size_t at, size_t end)
{
    syc_status status = SYC_OK;
    bool attributes = has_attribute(s, at, end);
    syc_type base;

    SYC_TRY(syc__type_read(s, types, &at, end, &base));
    base.size = attributes ? 0 : base.size;
    while (base.found && at < end) {
        syc_type type = base, *kept = NULL;
        size_t name;
        syc__declarator_read(s, &at, end, &type, &name);
        if (name < end) {
            if (type.type == SYC_STRUCT && type.pointers == 0) {
                type.word = s->tokens[name];
                type.tag = "";
            }
            if (type.type == SYC_HALF && type.pointers > 0)
                type.fp16 = false; /* only behind a pointer: no arithmetic */
            SYC_TRY(syc__arena_alloc(s->arena, sizeof *kept, &kept));
            *kept = type;
            SYC_TRY(syc__word_map_put(s->arena, &types->typedefs, &s->tokens[name], kept));
        }
        at++;
    }
done:
    return status;
}

/* Behind a type's word at `at`: does it only name what a pointer points to, or a size? */
static bool is_indirect(const syc_token_stream *s, size_t at, size_t end)
{
    size_t next = at + 1;
    if (at >= 2 && syc__stream_is(s, at - 1, "(") && syc__stream_is(s, at - 2, "sizeof"))
        return true;
    while (next < end && syc__keyword_qualifies(syc__stream_keyword(s, next)))
        next++;
    return next < end && syc__stream_is(s, next, "*");
}

static bool names_struct(const syc_token_stream *s, size_t at)
{
    syc_keyword before = at > 0 ? syc__stream_keyword(s, at - 1) : SYC_KEYWORD_NONE;
    return before == SYC_KEYWORD_STRUCT || before == SYC_KEYWORD_UNION;
}

/* A member may be called anything. */
static bool names_member(const syc_token_stream *s, size_t at)
{
    return at > 0 && (syc__stream_is(s, at - 1, ".") || syc__stream_is(s, at - 1, "->"));
}

static bool is_floating_word(const syc_token *t)
{
    return (t->length >= 4 && memcmp(t->text, "half", 4) == 0) || (t->length >= 6 && memcmp(t->text, "double", 6) == 0);
}

void syc__types_used(const syc_token_stream *s, const syc_types *types, size_t at, size_t end, bool *fp64, bool *fp16)
{
    for (; at < end; at++) {
        const syc_token *t = &s->tokens[at];
        const syc_type *tagged = NULL;
        syc_type type = {.found = false};

        if (t->kind != SYC_TOKEN_WORD || names_member(s, at))
            continue;
        /* It asks whether a type is another, and has no values of either. */
        if (syc__token_is(t, "__builtin_types_compatible_p") && syc__stream_is(s, at + 1, "(")) {
            at = s->match[at + 1] < end ? s->match[at + 1] : end;
            continue;
        }
        if (names_struct(s, at)) {
            tagged = syc__word_map_get(&types->tags, t);
            if (tagged != NULL)
                type = *tagged;
        } else if (is_floating_word(t) || syc__word_map_get(&types->typedefs, t) != NULL) {
            syc__type_of_word(types, t, &type);
        }
        *fp64 = *fp64 || type.fp64;
        *fp16 = *fp16 || (type.fp16 && !is_indirect(s, at, end));
    }
}
