/* From a kernel's tokens to its public signature. */
#include "source/declarations/params.h"

#include "base/alloc.h"
#include "source/declarations/attributes.h"
#include "source/declarations/signature.h"
#include "source/tokens.h"

#include <string.h>

static syc_status copy_token(const syc_token *token, char **out)
{
    syc_status status = SYC_OK;
    SYC_TRY(syc_alloc((size_t)token->length + 1, out));
    memcpy(*out, token->text, token->length);
done:
    return status;
}

/* The tokens as written, any white space between two of them as one blank. */
static syc_status copy_text(const syc_token_stream *s, size_t at, size_t end, char **out)
{
    syc_status status = SYC_OK;
    size_t size = 1, used = 0;
    char *text = NULL;

    for (size_t i = at; i < end; i++)
        size += 1 + (size_t)s->tokens[i].length;
    SYC_TRY(syc_alloc(size, &text));
    for (size_t i = at; i < end; i++) {
        if (i > at && s->tokens[i].space)
            text[used++] = ' ';
        memcpy(text + used, s->tokens[i].text, s->tokens[i].length);
        used += s->tokens[i].length;
    }
    *out = text;
done:
    return status;
}

/* "struct point", "image2d_t", or for a pointer to a pointer what that one is: "float4 *". */
static syc_status copy_type_name(const syc_type *type, char **out)
{
    syc_status status = SYC_OK;
    const char *word = type->word.length > 0 ? type->word.text : syc_dtype_name(type->type);
    size_t word_length = type->word.length > 0 ? type->word.length : strlen(word);
    size_t tag = strlen(type->tag), stars = type->pointers > 1 ? type->pointers - 1 : 0;
    char *name = NULL, *p;

    SYC_TRY(syc_alloc(tag + word_length + stars + 3, &name));
    p = name;
    memcpy(p, type->tag, tag);
    p += tag;
    if (tag > 0)
        *p++ = ' ';
    memcpy(p, word, word_length);
    p += word_length;
    if (stars > 0)
        *p++ = ' ';
    memset(p, '*', stars);
    *out = name;
done:
    return status;
}

static void set_size(syc_param *param)
{
    size_t lanes = param->width == 3 ? 4 : param->width, scalar = syc_dtype_size(param->type);
    param->size = scalar * lanes;
    param->alignment = scalar > 0 ? param->size : 1;
}

static bool is_image(const syc_param *param)
{
    return param->type == SYC_OPAQUE && !param->pointer && strncmp(param->struct_name, "image", 5) == 0;
}

/* `*fp16` is set where its value is, or holds, a half. */
static syc_status fill_param(syc_unit *unit, size_t at, size_t end, syc_param *out, bool *fp16)
{
    syc_status status = SYC_OK;
    const syc_token_stream *s = &unit->stream;
    const syc_token nameless = {.text = ""};
    size_t start = at, name;
    bool of_arrays; /* a typedef of an array */
    syc_type type;

    SYC_TRY(syc__type_read(s, &unit->types, &at, end, &type));
    of_arrays = type.arrays > 0;
    type.arrays = 0;
    syc__declarator_read(s, &at, end, &type, &name);
    if (type.arrays > 0 || (of_arrays && type.pointers == 0))
        type.pointers++;
    SYC_TRY(copy_text(s, start, end, &out->text));
    SYC_TRY(copy_token(name < end ? &s->tokens[name] : &nameless, &out->name));
    out->pointer = type.pointers > 0;
    *fp16 = *fp16 || (type.fp16 && !out->pointer);
    out->space = out->pointer ? type.space : SYC_SPACE_PRIVATE;
    out->is_const = type.is_const || out->space == SYC_SPACE_CONSTANT;
    out->is_volatile = type.is_volatile;
    out->is_restrict = type.is_restrict;
    out->type = type.pointers > 1 ? SYC_OPAQUE : type.type;
    out->width = out->type < SYC_STRUCT ? type.width : 1;
    if (out->type == SYC_STRUCT || out->type == SYC_OPAQUE)
        SYC_TRY(copy_type_name(&type, &out->struct_name));
    if (is_image(out))
        out->access = type.access != SYC_IMAGE_NO_ACCESS ? type.access : SYC_IMAGE_READ;
    set_size(out);
    if (out->type == SYC_STRUCT && !of_arrays && type.size > 0) {
        out->size = type.size;
        out->alignment = type.alignment;
    }
done:
    return status;
}

/* The index of the ',' that ends what begins at `at`, or `end`. */
static size_t end_of_item(const syc_token_stream *s, size_t at, size_t end)
{
    while (at < end && !syc__stream_is(s, at, ","))
        at = syc__stream_next(s, at, end);
    return at;
}

static bool is_void(const syc_token_stream *s, size_t at, size_t end)
{
    return at == end || (at + 1 == end && syc__stream_is(s, at, "void"));
}

static syc_status fill_params(syc_unit *unit, const syc_function *kernel, syc_signature *out)
{
    syc_status status = SYC_OK;
    const syc_token_stream *s = &unit->stream;
    size_t first = kernel->params + 1, end = syc__stream_next(s, kernel->params, s->count) - 1, count = 1;

    if (is_void(s, first, end))
        goto done;
    for (size_t at = end_of_item(s, first, end); at < end; at = end_of_item(s, at + 1, end))
        count++;
    SYC_TRY(syc_alloc_array(count, sizeof *out->params, &out->params));
    for (size_t at = first; out->count < count; at++) {
        size_t item_end = end_of_item(s, at, end);
        SYC_TRY(fill_param(unit, at, item_end, &out->params[out->count++], &out->needs_fp16));
        at = item_end;
    }
done:
    return status;
}

syc_status syc__signature_fill(syc_unit *unit, const syc_function *kernel, syc_signature *out)
{
    syc_status status = SYC_OK;
    const syc_token_stream *s = &unit->stream;

    out->line = kernel->name->line;
    out->bounded = kernel->bounded;
    out->shaped = kernel->shaped;
    out->waits = kernel->waits;
    out->weight = kernel->weight;
    out->private_bytes = kernel->own.bytes;
    if (kernel->own.name != NULL) {
        out->private_line = kernel->own.name->line;
        out->private_column = kernel->own.name->in_text ? kernel->own.name->column : 0;
    }
    out->needs_fp64 = kernel->fp64;
    out->needs_fp16 = kernel->fp16;
    SYC_TRY(copy_token(kernel->name, &out->name));
    SYC_TRY(fill_params(unit, kernel, out));
    SYC_TRY(syc__attributes_read(s, kernel, out));
done:
    return status;
}
