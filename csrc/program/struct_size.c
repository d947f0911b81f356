/* How large a struct of the text is on the device: the compiler's own answer, asked for without running anything. A
 * kernel that requires a work-group of sizeof(T) by one more is built beside the text, and the driver tells what it
 * requires. */
#include "base/alloc.h"
#include "base/text.h"
#include "cl/constants.h"
#include "cl/room.h"
#include "program/build.h"
#include "program/cache/use.h"
#include "program/compiler.h"
#include "program/cures/pocl_short_builtins.h"
#include "program/recipe.h"

static const char probe[] =
    "\n__kernel __attribute__((reqd_work_group_size(1 + sizeof(%s) %% 256, 1 + sizeof(%s) / 256, 1)))\n"
    "void syc_size_probe(__global char *out) { out[0] = 0; }\n";

static syc_status make(const syc_build *build, const syc_text *text, cl_device_id device, cl_program *out)
{
    const syc_cl_table *cl = syc_context_cl(build->context);
    struct syc__program_texts texts = {.texts = {syc_text_get(text)}, .lengths = {text->length}, .count = 1};
    const char *options = syc__build_options(build);
    cl_program program = NULL;
    cl_int code = 0;
    syc_slice user = {0};
    syc_status status = SYC_OK;

    SYC_TRY(syc_driver_check_room(build->context->platform->driver));
    user.text = syc_program_source(build->program, &user.length);
    SYC_TRY(syc__build_brief(build->context, &texts, user, &device, options, &program));
    if (program == NULL) {
        SYC_CL_OBJECT(cl, program, CreateProgramWithSource,
                      (build->context->native, 1, texts.texts, texts.lengths, &code));
        code = syc__native_build(build->context, program, &device, options);
        SYC_CHECK(code == 0, SYC_E_BUILD, "the probe does not build"); /* the size stays unknown */
    }
    *out = program;
    program = NULL;
done:
    if (program != NULL)
        (void)cl->ReleaseProgram(program); /* nothing was lost that the process would miss */
    return status;
}

static syc_status ask(const syc_build *build, cl_program program, cl_device_id device, size_t *out)
{
    const syc_cl_table *cl = syc_context_cl(build->context);
    size_t group[3] = {0};
    cl_kernel kernel = NULL;
    cl_int code = 0;
    syc_status status = SYC_OK;

    SYC_CL_OBJECT(cl, kernel, CreateKernel, (program, "syc_size_probe", &code));
    SYC_CL(cl, GetKernelWorkGroupInfo, (kernel, device, CL_KERNEL_COMPILE_WORK_GROUP_SIZE, sizeof group, group, NULL));
    *out = group[0] == 0 || group[1] == 0 ? 0 : group[0] - 1 + (group[1] - 1) * 256;
done:
    if (kernel != NULL)
        (void)cl->ReleaseKernel(kernel); /* nothing was lost that the process would miss */
    return status;
}

/* A compiler that refuses the probe leaves the size unknown: then the driver's own check of sizes is the only one. */
size_t syc__struct_size(const syc_build *build, const syc_device *device, const char *type)
{
    const syc_cl_table *cl = syc_context_cl(build->context);
    const char *source, *options = syc__build_options(build);
    syc_text text = {0};
    struct syc__program_texts texts;
    size_t size = 0;
    cl_program program = NULL;

    syc__program_texts(build->program, build->turn, &texts);
    for (cl_uint i = 0; i < texts.count; i++)
        syc_text_add_n(&text, texts.texts[i], texts.lengths[i]);
    syc_text_add(&text, probe, type, type);
    source = syc_text_get(&text);
    if (text.cut || syc__cache_recall(build->context, source, options, &size, sizeof size))
        goto done;
    if (make(build, &text, device->lanes[SYC_LANE_POOL], &program) == SYC_OK) {
        if (ask(build, program, device->lanes[SYC_LANE_POOL], &size) == SYC_OK)
            syc__cache_note(build->context, source, options, &size, sizeof size);
        else
            size = 0;
        (void)cl->ReleaseProgram(program);
    }
done:
    syc_text_clear(&text);
    return size;
}
