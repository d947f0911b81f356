/* Attributes of kernels, and the work-group that one of them requires. */
#include "source/declarations/attributes.h"

#include "base/alloc.h"
#include "base/text.h"
#include "source/declarations/signature.h"
#include "source/preprocessor/condition.h"

#include <string.h>

/* The index of the ',' that ends what begins at `at`, or `end`. */
static size_t end_of_item(const syc_token_stream *s, size_t at, size_t end)
{
    while (at < end && !syc__stream_is(s, at, ","))
        at = syc__stream_next(s, at, end);
    return at;
}

/* "(8, 4, 1)" at `at`. What is not known here is left to the driver to tell. */
static void read_group(const syc_token_stream *s, size_t at, size_t group[3])
{
    size_t end = s->match[at], read[3];
    at++;
    for (int i = 0; i < 3; i++) {
        size_t item_end = end_of_item(s, at, end);
        syc_integer n = syc__evaluate(s->tokens + at, item_end - at, false);
        if (!n.known || n.value < 1 || (item_end == end) != (i == 2))
            return;
        read[i] = (size_t)n.value;
        at = item_end + 1;
    }
    memcpy(group, read, sizeof read);
}

static void find_group(const syc_token_stream *s, size_t at, size_t end, size_t group[3])
{
    for (; at < end; at++) {
        bool named = syc__stream_is(s, at, "reqd_work_group_size") || syc__stream_is(s, at, "__reqd_work_group_size__");
        if (named && syc__stream_is(s, at + 1, "(") && s->match[at + 1] < end)
            read_group(s, at + 1, group);
    }
}

/* "intel_reqd_sub_group_size(8)". */
static void find_sub_group(const syc_token_stream *s, size_t at, size_t end, size_t *size)
{
    for (; at + 1 < end; at++) {
        size_t close = s->match[at + 1];
        syc_integer n;
        if (!syc__stream_is(s, at, "intel_reqd_sub_group_size") || !syc__stream_is(s, at + 1, "(") || close >= end)
            continue;
        n = syc__evaluate(s->tokens + at + 2, close - at - 2, false);
        *size = n.known && n.value > 0 ? (size_t)n.value : 0;
    }
}

/* "reqd_work_group_size(8,4,1)": one attribute without white space, but between words. */
static void add_attribute(const syc_token_stream *s, size_t at, size_t end, syc_text *out)
{
    if (at == end)
        return;
    if (out->length > 0)
        syc_text_add_n(out, " ", 1);
    for (bool word = false; at < end; at++) {
        bool next = s->tokens[at].kind == SYC_TOKEN_WORD;
        if (word && next)
            syc_text_add_n(out, "_", 1);
        syc_text_add_n(out, s->tokens[at].text, s->tokens[at].length);
        word = next;
    }
}

/* Of "__attribute__((a, b(1)))" the a and the b(1). */
static void add_attributes(const syc_token_stream *s, size_t at, size_t end, syc_text *out)
{
    for (; at + 2 < end; at++) {
        size_t close;
        if (syc__stream_keyword(s, at) != SYC_KEYWORD_ATTRIBUTE || !syc__stream_is(s, at + 1, "(") ||
            !syc__stream_is(s, at + 2, "("))
            continue;
        close = s->match[at + 2];
        for (size_t item = at + 3; item <= close && close < end; item++) {
            size_t item_end = end_of_item(s, item, close);
            add_attribute(s, item, item_end, out);
            item = item_end;
        }
    }
}

/* The index of the attribute's kind, -1 for one that may stand there more than once. */
static int kind_of(const syc_token *token)
{
    static const char *const kinds[] = {"reqd_work_group_size", "work_group_size_hint", "vec_type_hint",
                                        "intel_reqd_sub_group_size"};
    static const char *const quoted[] = {"__reqd_work_group_size__", "__work_group_size_hint__", "__vec_type_hint__",
                                         "__intel_reqd_sub_group_size__"};
    for (int i = 0; i < 4; i++) {
        if (!token->maybe && (syc__token_is(token, kinds[i]) || syc__token_is(token, quoted[i])))
            return i;
    }
    return -1;
}

static size_t find_twice(const syc_token_stream *s, size_t at, size_t end, bool seen[4])
{
    for (; at < end; at++) {
        int kind = kind_of(&s->tokens[at]);
        if (kind >= 0 && seen[kind])
            return at;
        if (kind >= 0)
            seen[kind] = true;
    }
    return s->count;
}

size_t syc__attribute_twice(const syc_token_stream *s, const syc_function *kernel)
{
    bool seen[4] = {false};
    size_t at = find_twice(s, kernel->head, kernel->params, seen);
    return at < s->count ? at : find_twice(s, syc__stream_next(s, kernel->params, kernel->body), kernel->body, seen);
}

syc_status syc__attributes_read(const syc_token_stream *s, const syc_function *kernel, syc_signature *out)
{
    size_t behind = syc__stream_next(s, kernel->params, kernel->body);
    syc_text text = {0};
    syc_status status = SYC_OK;

    find_group(s, kernel->head, kernel->params, out->required_group);
    find_group(s, behind, kernel->body, out->required_group);
    find_sub_group(s, kernel->head, kernel->params, &out->required_sub_group);
    find_sub_group(s, behind, kernel->body, &out->required_sub_group);
    add_attributes(s, kernel->head, kernel->params, &text);
    add_attributes(s, behind, kernel->body, &text);
    SYC_CHECK(!text.cut, SYC_E_MEMORY_ALLOCATION, "no memory for the attributes of a kernel");
    SYC_TRY(syc_copy_string(syc_text_get(&text), &out->attributes));
done:
    syc_text_clear(&text);
    return status;
}
