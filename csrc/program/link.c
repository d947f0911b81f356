/* Programs that are compiled only, programs linked of them, and either with another text. */
#include "program/link.h"

#include "base/alloc.h"
#include "program/declare.h"
#include "program/link_names.h"
#include "program/recipe.h"
#include "source/lexer.h"

#include <string.h>

syc_status syc_program_object(const syc_program *program, syc_program **out)
{
    size_t length, count;
    const char *source = syc_program_source(program, &length);
    const syc_constant *constants = syc_program_constants(program, &count);
    syc_program *object = NULL;
    syc_status status = SYC_OK;

    SYC_CHECK(program->recipe.kind == SYC__FROM_TEXT || program->recipe.kind == SYC__FROM_IL, SYC_E_COMPILE_PROGRAM,
              "the program is of no text that could be compiled: it is %s",
              program->recipe.kind == SYC__FROM_BUILT_IN  ? "built into the device"
              : program->recipe.kind == SYC__FROM_OBJECTS ? "linked of others"
                                                          : "a binary");
    SYC_TRY(syc__program_create_object(source, length, program->options, constants, count, &object));
    object->recipe.kind = program->recipe.kind;
    object->recipe.object = true;
    if (program->recipe.kind == SYC__FROM_IL) {
        SYC_TRY(syc_alloc(program->recipe.size, &object->recipe.data));
        memcpy(object->recipe.data, program->recipe.data, program->recipe.size);
        object->recipe.size = program->recipe.size;
    }
    *out = object;
    object = NULL;
done:
    syc_program_release(object);
    return status;
}

const char *syc_program_made_of(const syc_program *program)
{
    static const char *const words[] = {
        [SYC__FROM_TEXT] = "text",         [SYC__FROM_BINARY] = "binary",   [SYC__FROM_IL] = "il",
        [SYC__FROM_BUILT_IN] = "built_in", [SYC__FROM_OBJECTS] = "objects", [SYC__FROM_NATIVE] = "native"};
    return words[program->recipe.kind];
}

bool syc_program_is_object(const syc_program *program)
{
    return program->recipe.object;
}

/* The declarations of all parts' kernels: what they call in other parts is not known, so no more than that counts. */
static syc_status declare_parts(const struct syc__recipe *recipe, syc_text *out)
{
    syc_status status = SYC_OK;
    for (size_t i = 0; i < recipe->part_count; i++) {
        const syc_signatures *kernels = &recipe->parts[i]->signatures;
        for (size_t k = 0; k < kernels->count; k++) {
            for (size_t before = 0; before < i; before++)
                SYC_CHECK(syc_signatures_find(&recipe->parts[before]->signatures, kernels->items[k].name) == NULL,
                          SYC_E_INVALID_PARAMETER, "programs %zu and %zu of those to link both define a kernel '%s'",
                          before + 1, i + 1, kernels->items[k].name);
            syc__declare(&kernels->items[k], out);
        }
    }
    SYC_CHECK(!out->cut, SYC_E_MEMORY_ALLOCATION, "no memory for the declarations of the kernels");
done:
    return status;
}

/* Oclgrind 21.10: it ends the process over a function that two parts define, and other drivers leave no log.
 * Gone when: tests/conformance/4_10_kernels/test_4_13_kernel_bundle.py::test_a_failed_compilation_and_a_failed_link. */
static syc_status check_functions(const struct syc__recipe *recipe)
{
    syc_status status = SYC_OK;
    for (size_t i = 1; i < recipe->part_count; i++) {
        const syc_signatures *defined = &recipe->parts[i]->signatures;
        for (size_t k = 0; k < defined->function_count; k++) {
            const syc_function_name *f = &defined->functions[k], *other = NULL;
            size_t before = 0;
            while (before < i && (other = syc__link_function(&recipe->parts[before]->signatures, f->name)) == NULL)
                before++;
            SYC_CHECK(
                other == NULL, SYC_E_LINK_PROGRAM,
                "function '%s' is defined in two of the programs to link: in line %zu of program %zu, and in line "
                "%zu of program %zu; what other texts are not to call is static",
                f->name, other->line, before + 1, f->line, i + 1);
        }
    }
done:
    return status;
}

/* A function that `caller` declares and another part defines with a parameter that only the texts beside it know of. */
static syc_status check_hidden(const struct syc__recipe *recipe, size_t caller, const syc_tokens *tokens)
{
    syc_status status = SYC_OK;
    for (size_t i = 0; i < recipe->part_count; i++) {
        const syc_signatures *defined = &recipe->parts[i]->signatures;
        for (size_t k = 0; i != caller && k < defined->function_count; k++) {
            const syc_function_name *f = &defined->functions[k];
            size_t line = 0;
            if (syc__scratch_is_handed(&recipe->parts[i]->scratch, f->name))
                line = syc__link_prototype(tokens, f->name);
            SYC_CHECK(line == 0, SYC_E_LINK_PROGRAM,
                      "function '%s' in line %zu of program %zu uses group functions, whose local memory its kernel "
                      "hands down, so program %zu, which declares it in line %zu, cannot call it: define it there as "
                      "well, and make it static in both",
                      f->name, f->line, i + 1, caller + 1, line);
        }
    }
done:
    return status;
}

/* Linkers do not compare parameters: the call would read whatever stands in their place. */
static syc_status check_prototypes(const struct syc__recipe *recipe)
{
    syc_status status = SYC_OK;
    syc_arena arena = {0};
    for (size_t i = 0; i < recipe->part_count; i++) {
        size_t length;
        const char *source = syc_program_source(recipe->parts[i], &length);
        syc_tokens tokens = {0};
        if (recipe->parts[i]->recipe.kind != SYC__FROM_TEXT)
            continue;
        SYC_TRY(syc__lex(&arena, source, length, &tokens));
        SYC_TRY(check_hidden(recipe, i, &tokens));
    }
done:
    syc__arena_clear(&arena);
    return status;
}

static syc_status take_parts(syc_program *const *parts, size_t count, struct syc__recipe *out)
{
    syc_status status = SYC_OK;
    out->kind = SYC__FROM_OBJECTS;
    SYC_TRY(syc_alloc_array(count, sizeof(syc_program *), &out->parts));
    for (size_t i = 0; i < count; i++) {
        SYC_CHECK(syc_program_is_object(parts[i]), SYC_E_LINK_PROGRAM, "program %zu of those to link is not compiled",
                  i + 1);
        syc_program_retain(parts[i]);
        out->parts[out->part_count++] = parts[i];
        if (out->home == NULL && parts[i]->recipe.home != NULL) {
            syc_context_retain(parts[i]->recipe.home);
            out->home = parts[i]->recipe.home;
        }
    }
done:
    return status;
}

syc_status syc_program_link(syc_program *const *parts, size_t count, const char *options, syc_program **out)
{
    struct syc__program_parts making = {.options = options};
    syc_text declarations = {0};
    syc_status status = SYC_OK;

    SYC_TRY(take_parts(parts, count, &making.recipe));
    SYC_TRY(check_functions(&making.recipe));
    SYC_TRY(check_prototypes(&making.recipe));
    SYC_TRY(declare_parts(&making.recipe, &declarations));
    making.source = syc_text_get(&declarations);
    making.length = declarations.length;
    status = syc__program_new(&making, out);
    making.recipe = (struct syc__recipe){0};
done:
    syc__recipe_clear(&making.recipe);
    syc_text_clear(&declarations);
    return status;
}

/* -- with another text -- */

static syc_status reword_text(const syc_program *program, syc_rewording rewording, void *payload, syc_program **out)
{
    syc_status status = SYC_OK;
    const struct syc__variants *own = &program->variants;
    syc_text text = {0};

    SYC_TRY(rewording(payload, program, &text));
    SYC_CHECK(!text.cut, SYC_E_MEMORY_ALLOCATION, "no memory for a program of %zu bytes", program->length);
    if (text.length == 0)
        goto done;
    SYC_TRY((program->recipe.object ? syc__program_create_object : syc_program_create_with)(
        text.data, text.length, program->options, own->constants, own->constant_count, out));
    (*out)->families = program->families;
done:
    syc_text_clear(&text);
    return status;
}

static syc_status reword_part(const syc_program *program, const char *kernel, syc_rewording rewording, void *payload,
                              syc_program **out)
{
    syc_status status = SYC_OK;
    const struct syc__recipe *recipe = &program->recipe;
    syc_program **parts = NULL, *part = NULL;

    SYC_TRY(syc_alloc_array(recipe->part_count, sizeof *parts, &parts));
    memcpy(parts, recipe->parts, recipe->part_count * sizeof *parts);
    for (size_t i = 0; part == NULL && i < recipe->part_count; i++) {
        if (syc_signatures_find(&parts[i]->signatures, kernel) == NULL)
            continue;
        SYC_TRY(syc_program_reword(parts[i], kernel, rewording, payload, &part));
        if (part == NULL)
            goto done;
        parts[i] = part;
    }
    status = syc_program_link(parts, recipe->part_count, program->options, out);
done:
    syc_program_release(part);
    syc_free(parts);
    return status;
}

syc_status syc_program_reword(const syc_program *program, const char *kernel, syc_rewording rewording, void *payload,
                              syc_program **out)
{
    *out = NULL;
    if (program->recipe.kind == SYC__FROM_OBJECTS)
        return reword_part(program, kernel, rewording, payload, out);
    return program->recipe.kind == SYC__FROM_TEXT ? reword_text(program, rewording, payload, out) : SYC_OK;
}
