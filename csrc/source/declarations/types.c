/* Reading types: the words that make one, in any order. */
#include "source/declarations/types.h"

#include "source/tokens.h"

#include <stdlib.h>
#include <string.h>

static bool starts_with(const syc_token *word, const char *prefix)
{
    size_t n = strlen(prefix);
    return word->length >= n && memcmp(word->text, prefix, n) == 0;
}

static bool is_opaque(const syc_token *word)
{
    static const char *const others[] = {"sampler_t", "event_t",      "queue_t", "clk_event_t",
                                         "ndrange_t", "reserve_id_t", NULL};
    bool image = starts_with(word, "image") && word->length > 7 && memcmp(word->text + word->length - 2, "_t", 2) == 0;
    return image || syc__token_in(word, others);
}

/* "float4" gives float and 4; false if the word is no vector type. */
static bool vector_of_word(const syc_token *word, syc_dtype *type, unsigned *width)
{
    uint32_t n = word->length;
    unsigned digits = 0, scale = 1;
    while (n > 0 && word->text[n - 1] >= '0' && word->text[n - 1] <= '9' && scale <= 10) {
        digits += scale * (unsigned)(word->text[--n] - '0');
        scale *= 10;
    }
    if (digits != 2 && digits != 3 && digits != 4 && digits != 8 && digits != 16)
        return false;
    *width = digits;
    return memchr(word->text, '_', n) == NULL && syc_dtype_from_word(word->text, n, type) && *type < SYC_STRUCT &&
           *type != SYC_BOOL;
}

/* C11 atomic types look like what they hold. */
static bool atomic_of_word(const syc_token *word, syc_dtype *type)
{
    if (!starts_with(word, "atomic_"))
        return false;
    if (syc__token_is(word, "atomic_flag"))
        *type = SYC_INT;
    else if (!syc_dtype_from_word(word->text + 7, word->length - 7, type))
        return false;
    return *type < SYC_STRUCT;
}

bool syc__type_of_word(const syc_types *types, const syc_token *word, syc_type *out)
{
    const syc_type *declared = syc__word_map_get(&types->typedefs, word);
    syc_type type = {.width = 1, .word = *word, .tag = "", .found = true};

    if (declared != NULL)
        type = *declared;
    else if (is_opaque(word))
        type.type = SYC_OPAQUE;
    else if (!syc_dtype_from_word(word->text, word->length, &type.type) &&
             !vector_of_word(word, &type.type, &type.width) && !atomic_of_word(word, &type.type))
        return false;
    type.fp64 = type.fp64 || type.type == SYC_DOUBLE;
    type.fp16 = type.fp16 || (type.type == SYC_HALF && type.pointers == 0);
    *out = type;
    return true;
}

/* The specifiers of one declaration, as far as they are read. */
typedef struct specifiers {
    syc_type type;
    bool guessed; /* the type is a word that nothing declares: a known type after it is the real one */
    bool is_unsigned, is_const, is_volatile, is_pipe;
    unsigned longs, shorts, chars, ints;
    syc_lanes lanes;
    syc_space space;
    syc_image_access access;
} specifiers;

static bool has_integer_word(const specifiers *sp)
{
    return sp->is_unsigned || sp->longs || sp->shorts || sp->chars || sp->ints;
}

static bool take_qualifier(specifiers *sp, syc_keyword keyword)
{
    if (keyword == SYC_KEYWORD_CONST)
        sp->is_const = true;
    else if (keyword == SYC_KEYWORD_VOLATILE)
        sp->is_volatile = true;
    else if (keyword == SYC_KEYWORD_GLOBAL)
        sp->space = SYC_SPACE_GLOBAL;
    else if (keyword == SYC_KEYWORD_CONSTANT)
        sp->space = SYC_SPACE_CONSTANT;
    else if (keyword == SYC_KEYWORD_LOCAL)
        sp->space = SYC_SPACE_LOCAL;
    else if (keyword == SYC_KEYWORD_READ_ONLY)
        sp->access = SYC_IMAGE_READ;
    else if (keyword == SYC_KEYWORD_WRITE_ONLY)
        sp->access = SYC_IMAGE_WRITE;
    else if (keyword == SYC_KEYWORD_READ_WRITE)
        sp->access = SYC_IMAGE_READ_WRITE;
    else
        return syc__keyword_qualifies(keyword) || keyword == SYC_KEYWORD_KERNEL || keyword == SYC_KEYWORD_TYPEDEF;
    return true;
}

/* The words of C's own integers, which combine, and "pipe", which is one only before a type. */
static bool take_integer_word(specifiers *sp, syc_keyword keyword)
{
    if (keyword == SYC_KEYWORD_UNSIGNED)
        sp->is_unsigned = true;
    else if (keyword == SYC_KEYWORD_LONG)
        sp->longs++;
    else if (keyword == SYC_KEYWORD_SHORT)
        sp->shorts++;
    else if (keyword == SYC_KEYWORD_CHAR)
        sp->chars++;
    else if (keyword == SYC_KEYWORD_INT || keyword == SYC_KEYWORD_SIGNED)
        sp->ints++;
    else if (keyword == SYC_KEYWORD_PIPE && !has_integer_word(sp))
        sp->is_pipe = true;
    else
        return false;
    return true;
}

static syc_type struct_type(const syc_token *word)
{
    return (syc_type){.type = SYC_STRUCT, .width = 1, .word = *word, .tag = "", .found = true};
}

/* The words between a struct's keyword and its tag. */
struct attributes {
    size_t alignment; /* at least; 0: none is said */
    bool others;
};

/* "__attribute__((aligned(8)))" at `at`, before `end`. */
static void take_attribute(const syc_token_stream *s, size_t at, size_t end, struct attributes *out)
{
    static const char *const words[] = {"(", "(", "aligned", "("};
    size_t alignment = 0;

    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        out->others = out->others || at + 1 + i >= end || !syc__stream_is(s, at + 1 + i, words[i]);
    if (!out->others && end == at + 9 && s->tokens[at + 5].kind == SYC_TOKEN_NUMBER)
        alignment = strtoul(s->tokens[at + 5].text, NULL, 10);
    out->others = out->others || alignment == 0 || (alignment & (alignment - 1)) != 0;
    out->alignment = alignment > out->alignment ? alignment : out->alignment;
}

static void align(syc_type *type, size_t alignment)
{
    if (type->size == 0 || alignment <= type->alignment)
        return;
    type->alignment = alignment;
    type->size = (type->size + alignment - 1) / alignment * alignment;
}

/* "{ ... }" of a struct at `at`: what its members hold, kept under its tag. Gives the index behind it. */
static syc_status take_members(const syc_token_stream *s, syc_types *types, size_t *at, size_t end,
                               const struct attributes *attributes, syc_type *type)
{
    syc_status status = SYC_OK;
    size_t behind = syc__stream_next(s, *at, end);
    syc_type *known = NULL;

    syc__types_used(s, types, *at + 1, behind, &type->fp64, &type->fp16);
    if (type->type == SYC_STRUCT && s->match[*at] < s->count)
        SYC_TRY(syc__struct_layout(s, types, *at, s->match[*at], type));
    align(type, attributes->alignment);
    if (attributes->others || syc__stream_keyword(s, behind) == SYC_KEYWORD_ATTRIBUTE)
        type->size = 0;
    *at = behind;
    if (type->word.length == 0)
        goto done;
    SYC_TRY(syc__arena_alloc(s->arena, sizeof *known, &known));
    *known = *type;
    SYC_TRY(syc__word_map_put(s->arena, &types->tags, &type->word, known));
done:
    return status;
}

/* "struct __attribute__((packed)) point { ... }" from its first word; *at ends behind it. */
static syc_status take_aggregate(const syc_token_stream *s, syc_types *types, size_t *at, size_t end, syc_type *type)
{
    syc_status status = SYC_OK;
    syc_keyword keyword = syc__stream_keyword(s, *at);
    size_t i = *at + 1;
    const syc_token nameless = {.text = ""};
    struct attributes attributes = {0};
    const syc_type *known;

    *type = struct_type(&nameless);
    type->type = keyword == SYC_KEYWORD_ENUM ? SYC_INT : SYC_STRUCT;
    type->tag = keyword == SYC_KEYWORD_ENUM ? "enum" : keyword == SYC_KEYWORD_UNION ? "union" : "struct";
    while (i + 1 < end && syc__stream_keyword(s, i) == SYC_KEYWORD_ATTRIBUTE) {
        size_t behind = syc__stream_next(s, i + 1, end);
        take_attribute(s, i, behind, &attributes);
        i = behind;
    }
    if (i < end && s->tokens[i].kind == SYC_TOKEN_WORD)
        type->word = s->tokens[i++];
    if (i < end && syc__stream_is(s, i, "{")) {
        SYC_TRY(take_members(s, types, &i, end, &attributes, type));
    } else {
        known = type->word.length > 0 ? syc__word_map_get(&types->tags, &type->word) : NULL;
        type->fp64 = known != NULL && known->fp64;
        type->fp16 = known != NULL && known->fp16;
        type->size = known != NULL ? known->size : 0;
        type->alignment = known != NULL ? known->alignment : 0;
    }
    *at = i;
done:
    return status;
}

/* A type's name, known or guessed. False: it is the declarator's name. */
static bool take_name(const syc_types *types, specifiers *sp, const syc_token *t)
{
    syc_type named;
    bool known = syc__type_of_word(types, t, &named);

    if (has_integer_word(sp) && !syc__token_is(t, "double"))
        return false;
    if (!known && sp->guessed)
        return false;
    sp->type = known ? named : struct_type(t);
    sp->guessed = !known;
    return true;
}

/* One word at *at. *at stays when the word is no part of the specifiers. */
static syc_status take_word(const syc_token_stream *s, syc_types *types, size_t *at, size_t end, specifiers *sp)
{
    syc_status status = SYC_OK;
    const syc_token *t = &s->tokens[*at];
    syc_keyword keyword = syc__keyword_of(t);
    bool wants_type = !sp->type.found || sp->guessed;

    if (take_qualifier(sp, keyword)) {
        (*at)++;
    } else if (!wants_type) {
        goto done;
    } else if (keyword >= SYC_KEYWORD_STRUCT && keyword <= SYC_KEYWORD_ENUM) {
        SYC_TRY(take_aggregate(s, types, at, end, &sp->type));
        sp->guessed = false;
    } else if (keyword == SYC_KEYWORD_TYPEOF) {
        sp->type = struct_type(t);
        *at = *at + 1 < end ? syc__stream_next(s, *at + 1, end) : end;
    } else if (take_integer_word(sp, keyword) || take_name(types, sp, t)) {
        (*at)++;
    }
done:
    return status;
}

static syc_dtype integer_type(const specifiers *sp)
{
    syc_dtype type = sp->longs ? SYC_LONG : sp->shorts ? SYC_SHORT : sp->chars ? SYC_CHAR : SYC_INT;
    return sp->is_unsigned ? (syc_dtype)(type + 1) : type; /* the table has each unsigned type behind its signed one */
}

static void finish(specifiers *sp, syc_type *out)
{
    syc_type *type = &sp->type;
    const syc_token nameless = {.text = ""};

    if (has_integer_word(sp) && (!type->found || sp->guessed)) {
        *type = struct_type(&nameless);
        type->type = integer_type(sp);
        type->long_long = sp->longs > 1;
    }
    syc__make_vector(type, sp->lanes);
    if (type->pointers == 0) { /* before a pointer's typedef they speak of the pointer itself */
        type->is_const = type->is_const || sp->is_const;
        type->is_volatile = type->is_volatile || sp->is_volatile;
        type->space = sp->space != SYC_SPACE_PRIVATE ? sp->space : type->space;
    }
    if (sp->access != SYC_IMAGE_NO_ACCESS)
        type->access = sp->access;
    if (sp->is_pipe) {
        if (type->word.length == 0) {
            type->word.text = syc_dtype_name(type->type);
            type->word.length = (uint32_t)strlen(type->word.text);
        }
        type->type = SYC_OPAQUE;
        type->tag = "pipe";
    }
    *out = *type;
}

syc_status syc__type_read(const syc_token_stream *s, syc_types *types, size_t *at, size_t end, syc_type *out)
{
    syc_status status = SYC_OK;
    specifiers sp = {.type = {.width = 1, .tag = "", .word = {.text = ""}}};

    while (*at < end && s->tokens[*at].kind == SYC_TOKEN_WORD) {
        size_t before = *at;
        if (syc__stream_keyword(s, before) == SYC_KEYWORD_ATTRIBUTE) {
            *at = before + 1 < end ? syc__stream_next(s, before + 1, end) : end;
            syc__vector_attribute(s, before + 1, *at, &sp.lanes);
            continue;
        }
        SYC_TRY(take_word(s, types, at, end, &sp));
        if (*at == before)
            break;
    }
    finish(&sp, out);
done:
    return status;
}
