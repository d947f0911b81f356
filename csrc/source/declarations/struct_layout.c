/* How large a struct is: C's own rule, which OpenCL C fixes for every device. What is unusual (bit-fields, attributes,
 * pointers, sizes that only the compiler knows) is left unknown, and the compiler is asked where it matters. */
#include "source/declarations/types.h"
#include "source/preprocessor/condition.h"

typedef struct layout {
    size_t size, alignment;
    bool is_union;
} layout;

static bool size_of(const syc_type *type, size_t *size, size_t *alignment)
{
    size_t lanes = type->width == 3 ? 4 : type->width;
    if (type->pointers > 0 || !type->found || type->long_long)
        return false;
    *size = type->type == SYC_STRUCT ? type->size : syc_dtype_size(type->type) * lanes;
    *alignment = type->type == SYC_STRUCT ? type->alignment : *size;
    return *size > 0;
}

static bool add_member(layout *l, size_t size, size_t alignment)
{
    size_t begin = l->is_union ? 0 : (l->size + alignment - 1) / alignment * alignment, end;
    if (__builtin_add_overflow(begin, size, &end))
        return false;
    l->size = l->size > end ? l->size : end;
    l->alignment = l->alignment > alignment ? l->alignment : alignment;
    return true;
}

/* "name[4][3]": how many elements that are. */
static bool count_elements(const syc_token_stream *s, size_t at, size_t end, size_t *count)
{
    *count = 1;
    for (; at < end; at = syc__stream_next(s, at, end)) {
        syc_integer n;
        if (syc__stream_is(s, at, "("))
            return false;
        if (!syc__stream_is(s, at, "["))
            continue;
        n = syc__evaluate(s->tokens + at + 1, s->match[at] - at - 1, false);
        if (!n.known || n.value < 1 || __builtin_mul_overflow(*count, (size_t)n.value, count))
            return false;
    }
    return true;
}

bool syc__variable_size(const syc_token_stream *s, const syc_type *type, size_t from, size_t end, size_t *size,
                        size_t *alignment)
{
    size_t count;
    return size_of(type, size, alignment) && count_elements(s, from, end, &count) &&
           !__builtin_mul_overflow(*size, count, size);
}

static bool is_unusual(const syc_token_stream *s, size_t at, size_t end)
{
    for (; at < end; at = syc__stream_next(s, at, end))
        if (syc__stream_is(s, at, ":") || syc__stream_keyword(s, at) == SYC_KEYWORD_ATTRIBUTE)
            return true;
    return false;
}

/* "float x, y[3]" from `at` to `end`; false: not known. */
static syc_status add_members(const syc_token_stream *s, syc_types *types, size_t at, size_t end, layout *l,
                              bool *known)
{
    syc_status status = SYC_OK;
    bool any = false;
    syc_type base;

    *known = !is_unusual(s, at, end);
    SYC_TRY(syc__type_read(s, types, &at, end, &base));
    *known = *known && base.arrays == 0;
    for (; at < end; at++) {
        syc_type type = base;
        size_t name, from = at, size = 0, alignment = 1;
        syc__declarator_read(s, &at, end, &type, &name);
        *known = *known && name < end && syc__variable_size(s, &type, from, at, &size, &alignment) &&
                 add_member(l, size, alignment);
        any = true;
    }
    *known = *known && any;
done:
    return status;
}

syc_status syc__struct_layout(const syc_token_stream *s, syc_types *types, size_t open, size_t close, syc_type *type)
{
    syc_status status = SYC_OK;
    layout l = {.alignment = 1, .is_union = type->tag[0] == 'u'};
    bool known = !types->packed;

    for (size_t at = open + 1, end; at < close; at = end + 1) {
        bool some;
        for (end = at; end < close && !syc__stream_is(s, end, ";");)
            end = syc__stream_next(s, end, close);
        SYC_TRY(add_members(s, types, at, end, &l, &some));
        known = known && some;
    }
    type->alignment = l.alignment;
    type->size = known ? (l.size + l.alignment - 1) / l.alignment * l.alignment : 0;
done:
    return status;
}
