/* The input of a program's compiler: texts and options. */
#include "program/cures/pocl_narrow_groups.h"
#include "program/recipe.h"
#include "source/origin.h"

#include <string.h>

const syc_signatures *syc_program_signatures(const syc_program *program)
{
    return &program->signatures;
}

const char *syc_program_source(const syc_program *program, size_t *length)
{
    if (length != NULL)
        *length = program->length;
    return program->source;
}

const char *syc_program_body(const syc_program *program)
{
    const syc_origins *origins = program->origins;
    return origins != NULL && !origins->whole && origins->count > 0 ? origins->items[0].text : NULL;
}

char *syc_program_title(syc_program *program)
{
    return program->title;
}

const char *syc_program_text(const syc_program *program, size_t *length)
{
    const syc_text *text = &program->rewritten.text;
    *length = text->length > 0 ? text->length : program->length;
    return text->length > 0 ? text->data : program->source;
}

const char *syc_program_prelude(const syc_program *program, size_t *length)
{
    if (length != NULL)
        *length = program->prelude.length;
    return syc_text_get(&program->prelude);
}

void syc__program_texts(const syc_program *program, unsigned turn, struct syc__program_texts *out)
{
    const char *turned = syc__turn_text(turn);
    syc_slice text = {0};
    text.text = syc_program_text(program, &text.length);
    const syc_slice all[] = {
        {turned, strlen(turned)},
        {syc_text_get(&program->prelude), program->prelude.length},
        {syc_text_get(&program->scratch.front), program->scratch.front.length},
        program->scratch.text.length > 0
            ? (syc_slice){syc_text_get(&program->scratch.text), program->scratch.text.length}
            : text,
    };
    out->count = 0;
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        if (all[i].length == 0 && i + 1 < sizeof all / sizeof *all)
            continue; /* most programs reach the compiler as they are */
        out->texts[out->count] = all[i].text;
        out->lengths[out->count++] = all[i].length;
    }
}

const char *syc__build_options(const syc_build *build)
{
    return build->options != NULL ? build->options : build->program->options;
}
