/* Programs and kernels around native ones that somebody else has built. */
#include "base/alloc.h"
#include "base/process.h"
#include "cl/constants.h"
#include "cl/driver.h"
#include "program/compiler.h"
#include "program/declare.h"
#include "program/native_text.h"
#include "program/recipe.h"

#include <string.h>

/* The text of a native program; empty for one made from a binary that is not the cache's. What we have built has ours,
 * and not what was put around it. */
static syc_status native_source(const syc_cl_table *cl, cl_program native, char **out, size_t *length)
{
    syc_status status = SYC_OK;
    char *text = NULL;
    size_t size = 0;

    SYC_TRY(syc__native_text_find(native, &text));
    if (text == NULL) {
        SYC_CL(cl, GetProgramInfo, (native, CL_PROGRAM_SOURCE, 0, NULL, &size));
        SYC_TRY(syc_alloc(size + 1, &text));
        if (size > 0)
            SYC_CL(cl, GetProgramInfo, (native, CL_PROGRAM_SOURCE, size, text, NULL));
    }
    *length = strlen(text);
    *out = text;
    text = NULL;
done:
    syc_free(text);
    return status;
}

syc_status syc__program_adopt(const struct syc__program_parts *parts, syc_context *context, cl_program native,
                              syc_program **out)
{
    syc_program *program = NULL;
    syc_build *build = NULL;
    syc_status status = SYC_OK;

    SYC_TRY(syc__program_new(parts, &program));
    syc_context_retain(context);
    program->recipe.home = context;
    SYC_TRY(syc__build_create(program, &build));
    program->builds = build;
    SYC_TRY(syc__build_enter(build, context));
    build->native = native;
    syc__native_text_add(native, program->source);
    native = NULL;
    build->state = SYC__BUILT;
    *out = program;
    program = NULL;
done:
    syc__native_release(context, native);
    syc_program_release(program);
    return status;
}

static syc_status read_binary_type(const syc_context *context, cl_program native, cl_uint *out)
{
    const syc_cl_table *cl = syc_context_cl(context);
    cl_device_id device = context->devices[0]->lanes[SYC_LANE_POOL];
    syc_status status = SYC_OK;
    SYC_CL(cl, GetProgramBuildInfo, (native, device, CL_PROGRAM_BINARY_TYPE, sizeof *out, out, NULL));
done:
    return status;
}

/* Its text, or where it has none, as an executable binary has, what its driver tells of its kernels: nothing, if need
 * be. */
static syc_status describe(const syc_context *context, cl_program native, syc_text *out)
{
    cl_uint type = CL_PROGRAM_BINARY_TYPE_NONE;
    syc_status status = SYC_OK;
    char *source = NULL;
    size_t length = 0;

    SYC_TRY(native_source(syc_context_cl(context), native, &source, &length));
    SYC_TRY(read_binary_type(context, native, &type));
    if (length > 0) {
        syc_text_add_n(out, source, length);
    } else if (type == CL_PROGRAM_BINARY_TYPE_EXECUTABLE) {
        status = syc__declare_natives(context, native, NULL, out);
        if (status == SYC_E_INVALID_OBJECT)
            syc_text_clear(out);
        else
            SYC_TRY(status);
        status = SYC_OK;
    }
    SYC_CHECK(!out->cut, SYC_E_MEMORY_ALLOCATION, "no memory for the text of a cl_program");
done:
    syc_free(source);
    return status;
}

syc_status syc__native_is_object(const syc_context *context, cl_program native, bool *out)
{
    cl_uint type = CL_PROGRAM_BINARY_TYPE_NONE;
    syc_status status = read_binary_type(context, native, &type);
    *out = type == CL_PROGRAM_BINARY_TYPE_COMPILED_OBJECT || type == CL_PROGRAM_BINARY_TYPE_LIBRARY;
    return status;
}

syc_status syc_program_from_native(cl_program native, syc_program **out)
{
    syc_status status = SYC_OK;
    syc_driver *driver = syc_driver_of_handle(native);
    struct syc__program_parts parts = {.recipe = {.kind = SYC__FROM_NATIVE}};
    syc_context *context = NULL;
    cl_context native_context = NULL;
    syc_text text = {0};

    SYC_TRY(syc_process_check());
    SYC_CHECK(driver != NULL, SYC_E_INVALID_OBJECT, "%p is not a cl_program of a loaded driver", (void *)native);
    SYC_CL(&driver->cl, GetProgramInfo, (native, CL_PROGRAM_CONTEXT, sizeof native_context, &native_context, NULL));
    SYC_TRY(syc_context_from_native(native_context, &context));
    SYC_TRY(syc__native_is_object(context, native, &parts.recipe.object));
    SYC_TRY(describe(context, native, &text));
    parts.source = syc_text_get(&text);
    parts.length = text.length;
    SYC_CL(&driver->cl, RetainProgram, (native));
    syc_live_add(SYC_LIVE_CL_PROGRAM, 1);
    SYC_TRY(syc__program_adopt(&parts, context, native, out));
done:
    syc_context_release(context);
    syc_text_clear(&text);
    return status;
}

static syc_status native_kernel_name(const syc_cl_table *cl, cl_kernel native, char **out)
{
    syc_status status = SYC_OK;
    char *name = NULL;
    size_t size = 0;
    SYC_CL(cl, GetKernelInfo, (native, CL_KERNEL_FUNCTION_NAME, 0, NULL, &size));
    SYC_TRY(syc_alloc(size + 1, &name));
    SYC_CL(cl, GetKernelInfo, (native, CL_KERNEL_FUNCTION_NAME, size, name, NULL));
    *out = name;
    name = NULL;
done:
    syc_free(name);
    return status;
}

syc_status syc_program_from_native_kernel(cl_kernel native, syc_program **out, size_t *kernel)
{
    syc_status status = SYC_OK;
    syc_driver *driver = syc_driver_of_handle(native);
    syc_program *program = NULL;
    const syc_signature *found;
    cl_program of_kernel = NULL;
    char *name = NULL;

    SYC_TRY(syc_process_check());
    SYC_CHECK(driver != NULL, SYC_E_INVALID_OBJECT, "%p is not a cl_kernel of a loaded driver", (void *)native);
    SYC_TRY(native_kernel_name(&driver->cl, native, &name));
    SYC_CL(&driver->cl, GetKernelInfo, (native, CL_KERNEL_PROGRAM, sizeof of_kernel, &of_kernel, NULL));
    SYC_TRY(syc_program_from_native(of_kernel, &program));
    found = syc_signatures_find(&program->signatures, name);
    SYC_CHECK(found != NULL, SYC_E_INVALID_OBJECT,
              "the cl_kernel '%s' has no source text from which its arguments could be known", name);
    *kernel = (size_t)(found - program->signatures.items);
    *out = program;
    program = NULL;
done:
    syc_program_release(program);
    syc_free(name);
    return status;
}
