/* Kernel signatures: the passes in order, and the public lists. */
#include "source/declarations/signature.h"

#include "base/alloc.h"
#include "source/declarations/params.h"
#include "source/lexer.h"
#include "source/limits.h"
#include "source/preprocessor/preprocess.h"

#include <stdint.h>
#include <string.h>

static void clear_param(syc_param *param)
{
    syc_free(param->text);
    syc_free(param->name);
    syc_free(param->struct_name);
}

void syc_signatures_clear(syc_signatures *signatures)
{
    for (size_t i = 0; i < signatures->count; i++) {
        syc_signature *signature = &signatures->items[i];
        for (size_t k = 0; k < signature->count; k++)
            clear_param(&signature->params[k]);
        syc_free(signature->params);
        syc_free(signature->name);
        syc_free(signature->attributes);
    }
    syc_free(signatures->items);
    syc_free(signatures->refusal.message);
    for (size_t i = 0; i < signatures->function_count; i++)
        syc_free(signatures->functions[i].name);
    syc_free(signatures->functions);
    *signatures = (syc_signatures){0};
}

const syc_signature *syc_signatures_find(const syc_signatures *signatures, const char *name)
{
    for (size_t i = 0; i < signatures->count; i++) {
        if (strcmp(signatures->items[i].name, name) == 0)
            return &signatures->items[i];
    }
    return NULL;
}

static syc_status check_source(const char *source, size_t length)
{
    syc_status status = SYC_OK;
    const char *nul = length > 0 ? memchr(source, '\0', length) : NULL;

    SYC_CHECK(length < INT32_MAX, SYC_E_INVALID_PARAMETER, "source is %zu bytes long, which is more than %d", length,
              INT32_MAX);
    SYC_CHECK(nul == NULL, SYC_E_INVALID_PARAMETER, "source has a NUL byte at offset %zu; OpenCL C text has none",
              (size_t)(nul - source));
done:
    return status;
}

static bool has_word(const char *text, size_t length, const char *word)
{
    size_t n = strlen(word);
    for (const char *p = text; length >= n; length -= (size_t)(p - text), text = p) {
        p = memchr(text, word[0], length - n + 1);
        if (p == NULL)
            return false;
        if (memcmp(p, word, n) == 0)
            return true;
        p++;
    }
    return false;
}

/* "#pragma pack" in any spelling: directives are gone when structs are read. */
static bool may_pack(const char *source, size_t length)
{
    return has_word(source, length, "ragma") && has_word(source, length, "pack");
}

/* Counts the kernels; two of one name are an error. */
static syc_status count_kernels(syc_unit *unit, size_t *out)
{
    syc_status status = SYC_OK;
    syc_word_map seen = {0};
    size_t count = 0;

    for (size_t i = 0; i < unit->count; i++) {
        syc_function *f = unit->functions[i], *other;
        if (!f->kernel)
            continue;
        other = syc__word_map_get(&seen, f->name);
        SYC_CHECK(other == NULL, SYC_E_INVALID_PARAMETER,
                  "source defines kernel '%.*s' twice, in line %u and in line %u; each kernel needs a name of its own",
                  (int)f->name->length, f->name->text, other->name->line, f->name->line);
        SYC_TRY(syc__word_map_put(unit->stream.arena, &seen, f->name, f));
        count++;
    }
    *out = count;
done:
    return status;
}

static syc_status fill(syc_unit *unit, bool complete, syc_signatures *out)
{
    syc_status status = SYC_OK;
    size_t count = 0;

    SYC_TRY(count_kernels(unit, &count));
    if (count == 0)
        goto done;
    SYC_TRY(syc_alloc_array(count, sizeof *out->items, &out->items));
    for (size_t i = 0; i < unit->count; i++) {
        if (!unit->functions[i]->kernel)
            continue;
        SYC_TRY(syc__signature_fill(unit, unit->functions[i], &out->items[out->count++]));
        out->items[out->count - 1].bounded &= complete;
        out->items[out->count - 1].shaped |= !complete;
        out->items[out->count - 1].waits |= !complete;
    }
done:
    return status;
}

/* Is it one that a linker knows by its name? Attributes may make another one of it. */
static bool is_external(const syc_unit *unit, const syc_function *f)
{
    if (f->kernel || f->name->library || f->name->maybe)
        return false;
    for (size_t at = f->head; at < f->body; at++) {
        const syc_token *token = &unit->stream.tokens[at];
        if (syc__token_is(token, "static") || syc__token_is(token, "inline") || syc__token_is(token, "__inline") ||
            syc__token_is(token, "__inline__") || syc__stream_keyword(&unit->stream, at) == SYC_KEYWORD_ATTRIBUTE)
            return false;
    }
    return true;
}

static syc_status fill_functions(const syc_unit *unit, syc_signatures *out)
{
    syc_status status = SYC_OK;
    size_t room = 0;
    for (size_t i = 0; i < unit->count; i++) {
        const syc_token *name = unit->functions[i]->name;
        syc_function_name *added;
        if (!is_external(unit, unit->functions[i]))
            continue;
        SYC_TRY(syc_grow(&out->functions, &room, out->function_count + 1, sizeof *out->functions));
        added = &out->functions[out->function_count];
        *added = (syc_function_name){.line = name->line};
        SYC_TRY(syc_alloc(name->length + 1, &added->name));
        memcpy(added->name, name->text, name->length);
        out->function_count++;
    }
done:
    return status;
}

syc_status syc_signatures_parse(const char *source, size_t length, const char *options, syc_signatures *out)
{
    return syc__signatures_parse_behind(
        &(syc__signed_text){.front = "", .source = source, .length = length, .options = options}, out);
}

syc_status syc__signatures_parse_behind(const syc__signed_text *from, syc_signatures *out)
{
    syc_status status = SYC_OK;
    syc_arena arena = {0};
    syc_tokens own = {0};
    syc_preprocessed text = {0};
    syc_unit unit = {0};
    syc_signatures result = {0};

    SYC_TRY(check_source(from->source, from->length));
    if (from->tokens == NULL)
        SYC_TRY(syc__lex(&arena, from->source, from->length, &own));
    SYC_TRY(syc__preprocess_behind(&arena, from->front, from->front_length, from->tokens != NULL ? from->tokens : &own,
                                   from->options, &text));
    SYC_TRY(syc__stream_init(&unit.stream, &arena, &text.tokens));
    unit.types.packed = may_pack(from->source, from->length);
    SYC_TRY(syc__unit_read(&unit));
    SYC_TRY(syc__functions_measure(&unit));
    SYC_TRY(fill(&unit, text.complete, &result));
    SYC_TRY(fill_functions(&unit, &result));
    SYC_TRY(syc__limits_check(&unit, &result.refusal));
    *out = result;
    result = (syc_signatures){0};
done:
    syc_signatures_clear(&result);
    syc__arena_clear(&arena);
    return status;
}
