/* From what a program is made of to a native program: built, compiled only, or linked of compiled ones. */
#include "program/recipe.h"

#include "base/alloc.h"
#include "base/process.h"
#include "cl/constants.h"
#include "cl/room.h"
#include "program/compiler.h"
#include "program/cures/pocl_narrow_groups.h"
#include "program/cures/pocl_short_builtins.h"
#include "program/link_names.h"
#include "program/log/build_log.h"
#include "program/native_text.h"

#include <string.h>

/* -- failures -- */

/* A call of the driver, and the words for its failure. */
struct attempt {
    syc_status status; /* of a text that is to blame */
    const char *api, *words;
};
static const struct attempt building = {SYC_E_BUILD, "clBuildProgram", "the program does not build"},
                            compiling = {SYC_E_COMPILE_PROGRAM, "clCompileProgram", "the program does not compile"},
                            linking = {SYC_E_LINK_PROGRAM, "clLinkProgram", "the programs do not link"};

/* Words of logs about texts that are right and that the device cannot do. */
static const struct lack {
    const char *words;
    syc_status status;
} lacks[] = {{"cl_khr_fp16", SYC_E_KERNEL_NOT_SUPPORTED},
             {"cl_khr_fp64", SYC_E_KERNEL_NOT_SUPPORTED},
             {"it lacks the aspect ", SYC_E_FEATURE_NOT_SUPPORTED}};

/* The words must be in the headline: what follows may be about something else that is wrong. */
static syc_status blame(const struct attempt *attempt, const syc_device *device, const char *message)
{
    const char *end = message != NULL ? strchr(message, '\n') : NULL;
    const bool has[] = {device->fp16, device->fp64, false};
    for (size_t i = 0; end != NULL && i < sizeof lacks / sizeof *lacks; i++) {
        const char *found = strstr(message, lacks[i].words);
        if (found != NULL && found < end && !has[i])
            return lacks[i].status;
    }
    return attempt->status;
}

/* How a log begins that is about nothing but options: NVIDIA's, Oclgrind's. */
static bool blames_options(const char *log)
{
    static const char *const words[] = {"Error in processing command line: ", "error: unknown argument: '"};
    for (size_t i = 0; log != NULL && i < sizeof words / sizeof *words; i++)
        if (strncmp(log, words[i], strlen(words[i])) == 0)
            return true;
    return false;
}

/* Other compilers leave no log of options that they do not take. Those of bodies have our own behind them. */
static syc_status refuse_options(const syc_build *build, const struct attempt *attempt, int code)
{
    const char *options = build->program->options != NULL ? build->program->options : "";
    const char *ours = strstr(options, " -DSYC_");
    return syc_fail_cl_as(attempt->status, SYC_HERE, attempt->api, code, "options: '%.*s' are none that %s takes",
                          ours != NULL ? (int)(ours - options) : (int)strlen(options), options,
                          syc_device_name(build->context->devices[0]));
}

/* SYC_OK, or the failure with the log and the user's own line. */
static syc_status judge(const syc_build *build, const struct attempt *attempt, int code)
{
    const syc_device *device = build->context->devices[0];
    size_t source_length = 0, log_length = 0;
    const char *source = syc_program_text(build->program, &source_length); /* what a compiler may count the lines of */
    char *log = NULL, *message = NULL;
    syc_text missing = {0};
    syc_status status;

    if (code == 0)
        return SYC_OK;
    if (!syc__blames_text(code))
        return syc_fail_cl(SYC_HERE, attempt->api, code);
    if (syc__refuses_options(code))
        return refuse_options(build, attempt, code);
    if (build->native != NULL)
        (void)syc__read_log(build->context, build->native, device, &log, &log_length);
    if (attempt == &linking && syc__link_missing(&build->program->recipe, &missing)) {
        status = syc_fail_cl_as(attempt->status, SYC_HERE, attempt->api, code, "%s", syc_text_get(&missing));
        goto done;
    }
    if (log_length == 0 && attempt == &linking)
        return syc_fail_cl_as(attempt->status, SYC_HERE, attempt->api, code,
                              "the programs do not link for %s, and the linker left no log: a function that they call "
                              "may be defined in none of them, or in two",
                              syc_device_name(device));
    if (blames_options(log)) {
        status = refuse_options(build, attempt, code);
        goto done;
    }
    message = syc_log_format_from(&(syc_log_texts){.source = source,
                                                   .length = source_length,
                                                   .origins = build->program->origins,
                                                   .shifts = &build->program->scratch.shifts,
                                                   .prelude = syc_program_prelude(build->program, NULL)},
                                  log != NULL ? log : "", log_length, "kernel.cl", syc_device_name(device));
    status = syc_fail_cl_as(blame(attempt, device, message), SYC_HERE, attempt->api, code, "%s",
                            message != NULL ? message : attempt->words);
done:
    syc_detail_set_build_log(log);
    syc_text_clear(&missing);
    syc_free(message);
    syc_free(log);
    return status;
}

/* Custom devices run what is built into them. */
static syc_status check_programmable(const syc_context *context)
{
    syc_status status = SYC_OK;
    for (size_t i = 0; i < context->device_count; i++)
        SYC_CHECK(context->devices[i]->type != CL_DEVICE_TYPE_CUSTOM, SYC_E_KERNEL_NOT_SUPPORTED,
                  "device '%s' is a custom device: it runs its built-in kernels, and no others",
                  syc_device_name(context->devices[i]));
done:
    return status;
}

/* Texts that drivers might not survive. */
static syc_status refuse(const syc_build *build)
{
    const syc_refusal *refusal = &syc_program_signatures(build->program)->refusal;
    size_t length = 0;
    const char *source = syc_program_source(build->program, &length);
    const struct attempt *attempt = build->program->recipe.object ? &compiling : &building;
    char *message = NULL;
    syc_status status;

    if (refusal->message == NULL)
        return SYC_OK;
    message = syc_log_format_refusal(build->program->origins, source, length, refusal, "kernel.cl",
                                     syc_device_name(build->context->devices[0]));
    status = syc_fail(attempt->status, SYC_HERE, "%s", message != NULL ? message : attempt->words);
    syc_free(message);
    return status;
}

/* -- native programs -- */

/* PoCL 3.0: it ends the process when the parts of a link are not for the same devices.
 * Seen by: a link for both lanes.
 *
 * So binaries and linked programs are for the lanes where kernels of any cost can run. */
static syc_status pool_lanes(const syc_context *context, cl_device_id **out)
{
    syc_status status = SYC_OK;
    SYC_TRY(syc_alloc_array(context->device_count, sizeof **out, out));
    for (size_t i = 0; i < context->device_count; i++)
        (*out)[i] = context->devices[i]->lanes[SYC_LANE_POOL];
done:
    return status;
}

static syc_status from_il(const struct syc__recipe *recipe, syc_context *context, cl_program *out)
{
    const syc_cl_table *cl = syc_context_cl(context);
    syc_status status = SYC_OK;
    cl_int code = 0;

    SYC_CHECK(cl->CreateProgramWithIL != NULL, SYC_E_FEATURE_NOT_SUPPORTED,
              "device '%s' takes no SPIR-V: its driver has no clCreateProgramWithIL",
              syc_device_name(context->devices[0]));
    SYC_CL_OBJECT(cl, *out, CreateProgramWithIL, (context->native, recipe->data, recipe->size, &code));
done:
    return status;
}

static syc_status from_binary(const struct syc__recipe *recipe, syc_context *context, cl_program *out)
{
    const syc_cl_table *cl = syc_context_cl(context);
    size_t count = context->device_count, *sizes = NULL;
    const unsigned char **binaries = NULL;
    cl_device_id *devices = NULL;
    cl_int code = 0;
    syc_status status = SYC_OK;

    SYC_TRY(pool_lanes(context, &devices));
    SYC_TRY(syc_alloc_array(count, sizeof *sizes, &sizes));
    SYC_TRY(syc_alloc_array(count, sizeof *binaries, &binaries));
    for (size_t i = 0; i < count; i++) {
        sizes[i] = recipe->size;
        binaries[i] = (const unsigned char *)recipe->data;
    }
    SYC_CL_OBJECT(cl, *out, CreateProgramWithBinary,
                  (context->native, (cl_uint)count, devices, sizes, binaries, NULL, &code));
done:
    syc_free(devices);
    syc_free(sizes);
    syc_free(binaries);
    return status;
}

static syc_status from_built_in(const struct syc__recipe *recipe, syc_context *context, cl_program *out)
{
    const syc_cl_table *cl = syc_context_cl(context);
    cl_device_id *devices = NULL;
    cl_int code = 0;
    syc_status status = SYC_OK;

    SYC_TRY(pool_lanes(context, &devices));
    SYC_CL_OBJECT(cl, *out, CreateProgramWithBuiltInKernels,
                  (context->native, (cl_uint)context->device_count, devices, recipe->data, &code));
done:
    syc_free(devices);
    return status;
}

syc_status syc__recipe_native(const struct syc__recipe *recipe, syc_context *context, cl_program *out)
{
    cl_program native = NULL;
    syc_status status = recipe->kind == SYC__FROM_IL       ? from_il(recipe, context, &native)
                        : recipe->kind == SYC__FROM_BINARY ? from_binary(recipe, context, &native)
                                                           : from_built_in(recipe, context, &native);
    if (status == SYC_OK) {
        syc_live_add(SYC_LIVE_CL_PROGRAM, 1);
        *out = native;
    }
    return status;
}

/* Leaves build->native NULL where the text must be built with all declarations. */
static syc_status from_text_briefly(syc_build *build)
{
    struct syc__program_texts texts;
    syc_slice user = {0};
    syc_status status = SYC_OK;

    user.text = syc_program_source(build->program, &user.length);
    syc__program_texts(build->program, build->turn, &texts);
    SYC_TRY(syc__build_brief(build->context, &texts, user, NULL, syc__build_options(build), &build->native));
    if (build->native != NULL) {
        syc_live_add(SYC_LIVE_CL_PROGRAM, 1);
        syc__native_text_add(build->native, user.text); /* the driver would tell what stands in front, too */
    }
done:
    return status;
}

static syc_status from_text(syc_build *build)
{
    const syc_cl_table *cl = syc_context_cl(build->context);
    struct syc__program_texts texts;
    cl_int code = 0;
    syc_status status = SYC_OK;

    syc__program_texts(build->program, build->turn, &texts);
    SYC_CL_OBJECT(cl, build->native, CreateProgramWithSource,
                  (build->context->native, texts.count, texts.texts, texts.lengths, &code));
    syc_live_add(SYC_LIVE_CL_PROGRAM, 1);
done:
    return status;
}

/* -- ways on -- */

static syc_status compile(syc_build *build)
{
    cl_device_id *devices = NULL;
    syc_status status = SYC_OK;

    SYC_TRY(pool_lanes(build->context, &devices));
    SYC_TRY(judge(build, &compiling,
                  syc__native_compile(build->context, build->native, devices, syc__build_options(build))));
done:
    syc_free(devices);
    return status;
}

static syc_status build_all(syc_build *build)
{
    const char *options = syc__build_options(build);
    return judge(build, &building, syc__native_build(build->context, build->native, NULL, options));
}

static syc_status link_natives(syc_build *build, const cl_program *natives, size_t count)
{
    cl_device_id *devices = NULL;
    syc_status status = SYC_OK;

    SYC_TRY(pool_lanes(build->context, &devices));
    SYC_TRY(
        judge(build, &linking,
              syc__native_link(build->context, devices, syc__build_options(build), natives, count, &build->native)));
done:
    syc_free(devices);
    return status;
}

static syc_status link_parts(syc_build *build)
{
    const struct syc__recipe *recipe = &build->program->recipe;
    cl_program *natives = NULL;
    syc_status status = SYC_OK;

    SYC_TRY(syc_alloc_array(recipe->part_count, sizeof *natives, &natives));
    for (size_t i = 0; i < recipe->part_count; i++) {
        syc_build *part = NULL;
        SYC_TRY(syc_program_build_turned(recipe->parts[i], build->context, build->turn, &part));
        natives[i] = part->native;
    }
    SYC_TRY(link_natives(build, natives, recipe->part_count));
done:
    syc_free(natives);
    return status;
}

syc_status syc__recipe_make(syc_build *build)
{
    const struct syc__recipe *recipe = &build->program->recipe;
    syc_status status = SYC_OK;

    SYC_TRY(check_programmable(build->context));
    SYC_TRY(syc__turn_check(build));
    if (recipe->kind == SYC__FROM_OBJECTS)
        return link_parts(build);
    SYC_TRY(refuse(build));
    SYC_TRY(syc_driver_check_linker(build->context->platform->driver));
    if (recipe->kind == SYC__FROM_TEXT && !recipe->object)
        SYC_TRY(from_text_briefly(build));
    if (build->native != NULL)
        return SYC_OK;
    if (recipe->kind == SYC__FROM_TEXT)
        SYC_TRY(from_text(build));
    else
        SYC_TRY(syc__recipe_native(recipe, build->context, &build->native));
    SYC_TRY(recipe->object ? compile(build) : build_all(build));
done:
    return status;
}
