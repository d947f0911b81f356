/* Part of library/cures/pocl_built_ins.c: builds a text with the chosen declarations in front. */
#include "program/cures/pocl_short_builtins.h"

#include "base/alloc.h"
#include "cl/constants.h"
#include "cl/entries.h"
#include "library/cures/pocl_built_ins.h"
#include "program/build.h"
#include "program/compiler.h"

#include <string.h>

enum { TEXTS = sizeof((struct syc__program_texts *)0)->texts / sizeof(char *) };

static syc_status build(const syc_context *context, const syc_text *front, const struct syc__program_texts *texts,
                        const cl_device_id *device, const char *options, cl_program *out)
{
    const syc_cl_table *cl = syc_context_cl(context);
    const char *parts[1 + TEXTS] = {syc_text_get(front)};
    size_t lengths[1 + TEXTS] = {front->length};
    syc_text all = {0};
    cl_program program = NULL;
    cl_int code = 0;
    syc_status status = SYC_OK;

    memcpy(parts + 1, texts->texts, texts->count * sizeof *parts);
    memcpy(lengths + 1, texts->lengths, texts->count * sizeof *lengths);
    syc_text_add(&all, SYC__BUILT_INS_OPTION "%s", options);
    SYC_CHECK(!all.cut, SYC_E_MEMORY_ALLOCATION, "no memory for build options");
    SYC_CL_OBJECT(cl, program, CreateProgramWithSource, (context->native, 1 + texts->count, parts, lengths, &code));
    code = syc__native_build(context, program, device, syc_text_get(&all));
    if (code == 0) {
        *out = program;
        program = NULL;
    } else if (code != CL_BUILD_PROGRAM_FAILURE && code != CL_INVALID_BUILD_OPTIONS) { /* which the next build tells */
        status = syc_fail_cl(SYC_HERE, "clBuildProgram", code);
    }
done:
    if (program != NULL)
        (void)cl->ReleaseProgram(program); /* the next build is of the same text, and its failure is told */
    syc_text_clear(&all);
    return status;
}

syc_status syc__build_brief(const syc_context *context, const struct syc__program_texts *texts, syc_slice user,
                            const cl_device_id *device, const char *options, cl_program *out)
{
    const syc_slice option_text = {options, strlen(options)};
    syc_slice slices[1 + TEXTS] = {option_text};
    syc_text front = {0};
    syc_status status = SYC_OK;

    *out = NULL;
    if (!syc__built_ins_plain(user) || !syc__built_ins_plain(option_text))
        return SYC_OK;
    for (cl_uint i = 0; i < texts->count; i++)
        slices[1 + i] = (syc_slice){texts->texts[i], texts->lengths[i]};
    SYC_TRY(syc__built_ins_front(context, slices, 1 + texts->count, &front));
    if (front.length > 0)
        SYC_TRY(build(context, &front, texts, device, options, out));
done:
    syc_text_clear(&front);
    return status;
}
