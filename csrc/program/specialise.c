/* Programs of one text with different values for its constants. */
#include "program/specialise.h"

#include "base/alloc.h"
#include "base/text.h"
#include "program/recipe.h"

#include <string.h>

enum { MOST_VARIANTS = 32 }; /* kept by their program; launches and kernels keep theirs themselves */

/* The text in front of one with these constants, NULL without memory. */
static char *front_of(const syc_constant *constants, size_t count)
{
    syc_text text = {0};
    for (size_t i = 0; i < count; i++) {
        if (constants[i].id > 0)
            syc_text_add(&text, "#define syc_has_%s ~, 1\n", constants[i].name);
        syc_text_add_n(&text, constants[i].text, strlen(constants[i].text));
    }
    if (text.cut)
        syc_text_clear(&text);
    return syc_text_take(&text);
}

static syc_status copy_constants(const syc_constant *from, size_t count, struct syc__variants *out)
{
    syc_status status = SYC_OK;
    SYC_TRY(syc_alloc_array(count, sizeof *out->constants, &out->constants));
    for (size_t i = 0; i < count; i++) {
        char *name = NULL, *text = NULL;
        SYC_TRY(syc_copy_string(from[i].name, &name));
        out->constants[out->constant_count++] = (syc_constant){.name = name, .id = from[i].id};
        SYC_TRY(syc_copy_string(from[i].text, &text));
        out->constants[i].text = text;
    }
done:
    return status;
}

static syc_status create(const char *source, size_t length, const char *options, const syc_constant *constants,
                         size_t count, bool object, syc_program **out)
{
    syc_status status = SYC_OK;
    struct syc__program_parts parts = {
        .constants = "", .source = source, .length = length, .options = options, .recipe.object = object};
    syc_program *program = NULL;
    char *front = NULL;

    if (count > 0) {
        front = front_of(constants, count);
        SYC_CHECK(front != NULL, SYC_E_MEMORY_ALLOCATION, "no memory for the definitions of %zu constants", count);
        parts.constants = front;
    }
    SYC_TRY(syc__program_new(&parts, &program));
    if (count > 0)
        SYC_TRY(copy_constants(constants, count, &program->variants));
    *out = program;
    program = NULL;
done:
    syc_program_release(program);
    syc_free(front);
    return status;
}

syc_status syc_program_create_with(const char *source, size_t length, const char *options,
                                   const syc_constant *constants, size_t count, syc_program **out)
{
    return create(source, length, options, constants, count, false, out);
}

syc_status syc__program_create_object(const char *source, size_t length, const char *options,
                                      const syc_constant *constants, size_t count, syc_program **out)
{
    return create(source, length, options, constants, count, true, out);
}

const syc_constant *syc_program_constants(const syc_program *program, size_t *count)
{
    *count = program->variants.constant_count;
    return program->variants.constants;
}

/* The program's constants, their texts replaced by those of `values`; nothing is copied. */
static syc_status merge(const syc_program *program, const syc_constant *values, size_t count, syc_constant *merged)
{
    const struct syc__variants *own = &program->variants;
    syc_status status = SYC_OK;

    if (own->constant_count > 0)
        memcpy(merged, own->constants, own->constant_count * sizeof *merged);
    for (size_t i = 0; i < count; i++) {
        size_t k = 0;
        while (k < own->constant_count && own->constants[k].id != values[i].id)
            k++;
        SYC_CHECK(k < own->constant_count, SYC_E_INVALID_OBJECT, "the program has no specialization constant '%s'",
                  values[i].name);
        merged[k].text = values[i].text;
    }
done:
    return status;
}

static bool has_constants(const syc_program *program, const syc_constant *constants)
{
    for (size_t i = 0; i < program->variants.constant_count; i++) {
        if (strcmp(program->variants.constants[i].text, constants[i].text) != 0)
            return false;
    }
    return true;
}

/* The variant, retained and moved to the head of the list; NULL if there is none. */
static syc_program *find_locked(struct syc__variants *variants, const syc_constant *constants)
{
    syc_program *found = NULL;
    size_t i = 0;
    while (i < variants->count && !has_constants(variants->items[i], constants))
        i++;
    if (i == variants->count)
        return NULL;
    found = variants->items[i];
    memmove(variants->items + 1, variants->items, i * sizeof *variants->items);
    variants->items[0] = found;
    syc_program_retain(found);
    return found;
}

/* Takes the variant in, retained once more; gives the one that has to leave, or NULL. */
static syc_program *keep_locked(struct syc__variants *variants, syc_program *variant)
{
    syc_program *leaves = variants->count == MOST_VARIANTS ? variants->items[--variants->count] : NULL;
    memmove(variants->items + 1, variants->items, variants->count * sizeof *variants->items);
    variants->items[0] = variant;
    variants->count++;
    syc_program_retain(variant);
    return leaves;
}

static syc_status make_variant(syc_program *program, const syc_constant *constants, syc_program **out)
{
    struct syc__variants *variants = &program->variants;
    syc_program *made = NULL, *other, *leaves = NULL;
    size_t length;
    const char *source = syc_program_source(program, &length);
    syc_status status = SYC_OK;

    SYC_TRY(
        syc_program_create_with(source, length, program->options, constants, program->variants.constant_count, &made));
    made->recipe.object = program->recipe.object;
    made->families = program->families;
    pthread_mutex_lock(&program->lock);
    other = find_locked(variants, constants); /* of another thread, meanwhile */
    if (other == NULL && variants->items == NULL)
        status = syc_alloc_array(MOST_VARIANTS, sizeof(syc_program *), &variants->items);
    if (other == NULL && status == SYC_OK)
        leaves = keep_locked(variants, made);
    pthread_mutex_unlock(&program->lock);
    syc_program_release(leaves);
    SYC_TRY(status);
    *out = other != NULL ? other : made;
    made = other != NULL ? made : NULL;
done:
    syc_program_release(made);
    return status;
}

syc_status syc_program_specialise(syc_program *program, const syc_constant *values, size_t count, syc_program **out)
{
    syc_constant *merged = NULL;
    syc_program *found = NULL;
    syc_status status = SYC_OK;

    SYC_TRY(syc_alloc_array(program->variants.constant_count, sizeof *merged, &merged));
    SYC_TRY(merge(program, values, count, merged));
    if (has_constants(program, merged)) {
        syc_program_retain(program);
        *out = program;
        goto done;
    }
    pthread_mutex_lock(&program->lock);
    found = find_locked(&program->variants, merged);
    pthread_mutex_unlock(&program->lock);
    if (found != NULL)
        *out = found;
    else
        SYC_TRY(make_variant(program, merged, out));
done:
    syc_free(merged);
    return status;
}
