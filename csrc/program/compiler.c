/* Calls of a driver's compiler: on a deep stack, since texts may nest deeply, and quietly. */
#include "program/compiler.h"

#include "base/alloc.h"
#include "base/deep.h"
#include "base/process.h"
#include "base/text.h"
#include "cl/constants.h"
#include "cl/entries.h"
#include "program/recipe.h"

#include <string.h>

bool syc__refuses_options(int code)
{
    return code == CL_INVALID_BUILD_OPTIONS || code == CL_INVALID_COMPILER_OPTIONS || code == CL_INVALID_LINKER_OPTIONS;
}

bool syc__blames_text(int code)
{
    return code == CL_BUILD_PROGRAM_FAILURE || code == CL_COMPILE_PROGRAM_FAILURE || code == CL_LINK_PROGRAM_FAILURE ||
           syc__refuses_options(code);
}

struct call {
    const syc_context *context;
    cl_program native;
    const char *options;
    const cl_device_id *devices;
    cl_uint device_count;
    const cl_program *parts;
    cl_uint part_count;
    cl_program linked;
    cl_int code;
};

static void call_compile(void *payload)
{
    struct call *w = payload;
    w->code = syc_context_cl(w->context)
                  ->CompileProgram(w->native, w->device_count, w->devices, w->options, 0, NULL, NULL, NULL, NULL);
}

static void call_build(void *payload)
{
    struct call *w = payload;
    w->code = syc_context_cl(w->context)->BuildProgram(w->native, w->device_count, w->devices, w->options, NULL, NULL);
}

static void call_link(void *payload)
{
    struct call *w = payload;
    w->linked = syc_context_cl(w->context)
                    ->LinkProgram(w->context->native, w->device_count, w->devices, w->options, w->part_count, w->parts,
                                  NULL, NULL, &w->code);
}

/* Compilers of LLVM's put a handler of their own before the process's for Ctrl-C, SIGTERM and the like: it removes the
 * files of all builds under way, whoever waits for these, and then the process's own is called. Nothing is wrong with
 * the text. */
static bool was_interrupted(const struct call *w)
{
    char *log = NULL;
    size_t length = 0;
    bool found = syc__blames_text(w->code) &&
                 syc__read_log(w->context, w->native, w->context->devices[0], &log, &length) == SYC_OK && log != NULL &&
                 strstr(log, "unable to rename temporary") != NULL;
    syc_free(log);
    return found;
}

static void call_until_done(void (*function)(void *payload), struct call *w)
{
    enum { TRIES = 4 };
    int tries = 0;
    do
        syc_call_deep(function, w);
    while (was_interrupted(w) && ++tries < TRIES);
}

/* Keeps the compiler from writing to standard error, and from what the driver gets wrong, by options. Those that it
 * refuses may be just these. */
static void call_compiler(void (*function)(void *payload), struct call *w)
{
    const syc_facts *facts = w->context->devices[0]->facts;
    const char *const given = w->options;
    syc_text options = {0};

    if (facts->plain != NULL)
        syc_text_add(&options, "%s ", facts->plain);
    if (facts->quiet != NULL)
        syc_text_add(&options, "%s ", facts->quiet);
    if (options.length > 0 && given != NULL)
        syc_text_add_n(&options, given, strlen(given));
    if (options.length > 0 && !options.cut)
        w->options = syc_text_get(&options);
    call_until_done(function, w);
    if (w->options != given && syc__refuses_options(w->code)) {
        w->options = given;
        call_until_done(function, w);
    }
    w->options = given;
    syc_text_clear(&options);
}

cl_int syc__native_build(const syc_context *context, cl_program native, const cl_device_id *device, const char *options)
{
    struct call call = {
        .context = context, .native = native, .options = options, .devices = device, .device_count = device != NULL};
    call_compiler(call_build, &call);
    return call.code;
}

struct assembly {
    const syc_cl_table *cl;
    cl_program native;
    const char *options;
    cl_int code;
};

static void call_assemble(void *payload)
{
    struct assembly *a = payload;
    a->code = a->cl->BuildProgram(a->native, 0, NULL, a->options, NULL, NULL);
}

cl_int syc__native_assemble(const syc_cl_table *cl, cl_program native, const char *options)
{
    struct assembly assembly = {.cl = cl, .native = native, .options = options};
    syc_call_deep(call_assemble, &assembly);
    return assembly.code;
}

cl_int syc__native_compile(const syc_context *context, cl_program native, const cl_device_id *devices,
                           const char *options)
{
    struct call call = {.context = context,
                        .native = native,
                        .options = options,
                        .devices = devices,
                        .device_count = (cl_uint)context->device_count};
    call_compiler(call_compile, &call);
    return call.code;
}

cl_int syc__native_link(const syc_context *context, const cl_device_id *devices, const char *options,
                        const cl_program *parts, size_t count, cl_program *out)
{
    struct call call = {.context = context,
                        .options = options,
                        .devices = devices,
                        .device_count = (cl_uint)context->device_count,
                        .parts = parts,
                        .part_count = (cl_uint)count};
    syc_call_deep(call_link, &call);
    *out = call.linked;
    if (call.linked != NULL)
        syc_live_add(SYC_LIVE_CL_PROGRAM, 1);
    else if (call.code == 0)
        call.code = CL_OUT_OF_RESOURCES;
    return call.code;
}

void syc__native_release(const syc_context *context, cl_program native)
{
    if (native == NULL)
        return;
    if (syc_process_alive()) {
        int code = syc_context_cl(context)->ReleaseProgram(native);
        if (code != 0)
            syc_report(syc_fail_cl(SYC_HERE, "clReleaseProgram", code));
    }
    syc_live_add(SYC_LIVE_CL_PROGRAM, -1);
}
