/* Operators by their texts: those that the core knows, and those of the user's, which errors quote. */
#include "body/operator/operator.h"

#include "source/origin.h"
#include "source/tokens.h"

#include <stdio.h>
#include <string.h>

static const syc__native natives[] = {
    {"plus", false, false, "cadd"},  {"multiplies", false, false, "cmul"}, {"minimum", false, false, NULL},
    {"maximum", false, false, NULL}, {"bit_and", true, false, NULL},       {"bit_or", true, false, NULL},
    {"bit_xor", true, false, NULL},  {"logical_and", false, true, NULL},   {"logical_or", false, true, NULL},
};

const syc__native *syc__native_of(const char *word, size_t length)
{
    for (size_t i = 0; i < sizeof natives / sizeof *natives; i++)
        if (strlen(natives[i].name) == length && memcmp(natives[i].name, word, length) == 0)
            return &natives[i];
    return NULL;
}

bool syc__operator_is_own(const syc_name *name)
{
    return syc__is_reducer(name) && !name->reducer.late &&
           syc__native_of(name->op.operation, strcspn(name->op.operation, " ")) == NULL;
}

/* "op_" and twelve digits: BinaryOp's name for an expression without one (pysycl/binary_op.py). */
static bool is_made(const char *operation, size_t length)
{
    return length == 15 && strncmp(operation, "op_", 3) == 0 && strspn(operation + 3, "0123456789abcdef") == 12;
}

const char *syc_operator_words(const char *operation, char room[SYC_OPERATOR_WORDS])
{
    const size_t length = strcspn(operation, " ");
    if (is_made(operation, length))
        (void)snprintf(room, SYC_OPERATOR_WORDS, "'%.100s'", operation + length + 1);
    else
        (void)snprintf(room, SYC_OPERATOR_WORDS, "%.*s", (int)length, operation);
    return room;
}

const char *syc__operator_file(const syc_name *name, char room[SYC__OPERATOR_FILE])
{
    (void)snprintf(room, SYC__OPERATOR_FILE, "operator of %s", name->name);
    return room;
}

/* Has whoever made the body given a name of his own to the file? */
static bool is_given(const syc_body_source *source, const char *file)
{
    for (size_t i = 0; i < source->part_count; i++)
        if (strcmp(source->parts[i].file, file) == 0)
            return true;
    return false;
}

syc_status syc__body_parts(syc_arena *arena, const syc_body_source *source, const syc_part **out, size_t *count)
{
    syc_status status = SYC_OK;
    syc_part *parts = NULL;
    char *file = NULL, *types = NULL;

    *count = 0;
    SYC_TRY(syc__arena_alloc(arena, (source->part_count + source->count + 1) * sizeof *parts, &parts));
    for (; *count < source->part_count; ++*count)
        parts[*count] = source->parts[*count];
    for (size_t i = 0; i < source->count; i++) {
        const syc_name *name = &source->names[i];
        if (!syc__operator_is_own(name))
            continue;
        SYC_TRY(syc__arena_alloc(arena, SYC__OPERATOR_FILE, &file));
        if (is_given(source, syc__operator_file(name, file)))
            continue;
        SYC_TRY(syc__arena_alloc(arena, SYC__OPERATOR_FILE, &types));
        (void)snprintf(types, SYC__OPERATOR_FILE, "%s_t T", name->name);
        parts[(*count)++] = (syc_part){file, 1, file, strchr(name->op.operation, ' ') + 1, "a, b and T", types};
    }
    *out = parts;
done:
    return status;
}
