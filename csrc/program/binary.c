/* Programs from binaries, SPIR-V and the devices' own kernels, and binaries from programs. */
#include "program/binary.h"

#include "base/alloc.h"
#include "base/process.h"
#include "base/thread.h"
#include "cl/constants.h"
#include "cl/room.h"
#include "program/compiler.h"
#include "program/cures/machine_code.h"
#include "program/declare.h"
#include "program/recipe.h"

#include <stdio.h>
#include <string.h>

/* A driver's refusal of foreign bytes, in words that say which bytes. */
static syc_status refused(syc_status status, const syc_context *context, const char *what)
{
    syc_detail detail = syc_detail_of(status);
    char why[200]; /* the detail's own words go with the next failure */
    if (detail.cl_code == 0 || detail.cl_code == CL_OUT_OF_RESOURCES || status == SYC_E_MEMORY_ALLOCATION)
        return status; /* of the machine, not of the bytes */
    snprintf(why, sizeof why, "%s", detail.message);
    return syc_fail_cl_as(SYC_E_INVALID_OBJECT, SYC_HERE, detail.api, detail.cl_code,
                          "device '%s' takes no such %s: %s", syc_device_name(context->devices[0]), what, why);
}

/* Drivers build even what is binary; a compiled object waits for its link. */
static syc_status build_native(const syc_context *context, struct syc__recipe *recipe, const char *options,
                               cl_program native)
{
    syc_status status = SYC_OK;
    int code;

    if (recipe->kind == SYC__FROM_BUILT_IN)
        return SYC_OK; /* they are executable from the start */
    SYC_TRY(syc_driver_check_room(context->platform->driver));
    if (recipe->kind == SYC__FROM_BINARY)
        SYC_TRY(syc__native_is_object(context, native, &recipe->object));
    code = recipe->object ? 0 : syc__native_build(context, native, NULL, options);
    if (code != 0)
        status = syc_fail_cl(SYC_HERE, "clBuildProgram", code);
done:
    return status;
}

static syc_status declare(const syc_context *context, const struct syc__recipe *recipe, cl_program native,
                          const char *declarations, syc_text *out)
{
    syc_status status = SYC_OK;
    if (declarations != NULL)
        syc_text_add(out, "%s", declarations);
    else if (!recipe->object)
        SYC_TRY(syc__declare_natives(context, native, recipe->kind == SYC__FROM_BUILT_IN ? recipe->data : NULL, out));
    SYC_CHECK(!out->cut, SYC_E_MEMORY_ALLOCATION, "no memory for the declarations of the kernels");
done:
    return status;
}

/* Only code that the driver has compiled just now; others' machine code stays as it is. */
static syc_status cure(const syc_context *context, const struct syc__recipe *recipe, const char *options,
                       cl_program *native)
{
    cl_program mended = NULL;
    syc_status status = SYC_OK;

    if (recipe->kind == SYC__FROM_IL)
        SYC_TRY(syc__machine_code_cure(context, *native, options, &mended));
    if (mended == NULL)
        return SYC_OK;
    syc_live_add(SYC_LIVE_CL_PROGRAM, 1);
    syc__native_release(context, *native);
    *native = mended;
done:
    return status;
}

/* Takes the recipe. */
static syc_status make(struct syc__recipe recipe, syc_context *context, const char *what, const char *options,
                       const char *declarations, syc_program **out)
{
    struct syc__program_parts parts = {.options = options};
    cl_program native = NULL;
    syc_text text = {0};
    syc_status status = syc_process_check();

    SYC_TRY(status);
    status = syc__recipe_native(&recipe, context, &native);
    if (status == SYC_OK)
        status = build_native(context, &recipe, options, native);
    if (status != SYC_OK)
        SYC_TRY(refused(status, context, what));
    SYC_TRY(declare(context, &recipe, native, declarations, &text));
    SYC_TRY(cure(context, &recipe, options, &native));
    parts.source = syc_text_get(&text);
    parts.length = text.length;
    parts.recipe = recipe;
    recipe = (struct syc__recipe){0};
    status = syc__program_adopt(&parts, context, native, out);
    native = NULL;
done:
    syc__native_release(context, native);
    syc__recipe_clear(&recipe);
    syc_text_clear(&text);
    return status;
}

static syc_status copy_data(const void *data, size_t size, struct syc__recipe *recipe)
{
    syc_status status = SYC_OK;
    SYC_TRY(syc_alloc(size + 1, &recipe->data));
    memcpy(recipe->data, data, size);
    recipe->size = size;
done:
    return status;
}

syc_status syc_program_from_binary(syc_context *context, const void *data, size_t size, const char *declarations,
                                   syc_program **out)
{
    struct syc__recipe recipe = {.kind = SYC__FROM_BINARY};
    syc_status status = copy_data(data, size, &recipe);
    return status == SYC_OK ? make(recipe, context, "binary", "", declarations, out) : status;
}

syc_status syc_program_from_il(syc_context *context, const void *data, size_t size, const char *declarations,
                               syc_program **out)
{
    struct syc__recipe recipe = {.kind = SYC__FROM_IL};
    syc_status status = copy_data(data, size, &recipe);
    return status == SYC_OK ? make(recipe, context, "SPIR-V", "-cl-kernel-arg-info", declarations, out) : status;
}

syc_status syc_program_from_built_in(syc_context *context, const char *names, const char *declarations,
                                     syc_program **out)
{
    struct syc__recipe recipe = {.kind = SYC__FROM_BUILT_IN};
    syc_status status = copy_data(names, strlen(names), &recipe);
    return status == SYC_OK ? make(recipe, context, "built-in kernel", "", declarations, out) : status;
}

syc_context *syc_program_home(const syc_program *program)
{
    return program->recipe.home;
}

/* -- the way back -- */

/* Which of the native program's devices it is. */
static syc_status find_device(const syc_cl_table *cl, cl_program native, cl_device_id device, size_t count, size_t *out)
{
    cl_device_id *devices = NULL;
    syc_status status = SYC_OK;

    SYC_TRY(syc_alloc_array(count, sizeof(cl_device_id), &devices));
    SYC_CL(cl, GetProgramInfo, (native, CL_PROGRAM_DEVICES, count * sizeof(cl_device_id), devices, NULL));
    for (*out = 0; *out < count && devices[*out] != device; (*out)++)
        ;
    SYC_CHECK(*out < count, SYC_E_INVALID_OBJECT, "the program is not built for the device");
done:
    syc_free(devices);
    return status;
}

/* All of them are fetched: not every driver minds that the others are not wanted. */
static syc_status fetch(const syc_cl_table *cl, cl_program native, const size_t *sizes, size_t count, size_t which,
                        char **out)
{
    char **binaries = NULL;
    syc_status status = SYC_OK;

    SYC_TRY(syc_alloc_array(count, sizeof(char *), &binaries));
    for (size_t i = 0; i < count; i++)
        SYC_TRY(syc_alloc(sizes[i] + 1, &binaries[i]));
    SYC_CL(cl, GetProgramInfo, (native, CL_PROGRAM_BINARIES, count * sizeof(char *), binaries, NULL));
    *out = binaries[which];
    binaries[which] = NULL;
done:
    for (size_t i = 0; binaries != NULL && i < count; i++)
        syc_free(binaries[i]);
    syc_free(binaries);
    return status;
}

syc_status syc_build_binary(const syc_build *build, const syc_device *device, char **out, size_t *size)
{
    const syc_cl_table *cl = syc_context_cl(build->context);
    cl_program native = build->native;
    cl_uint count = 0;
    size_t *sizes = NULL, which = 0;
    syc_status status = SYC_OK;
    sigset_t before;

    syc__launch_clash_rest(build->flights);
    syc_signals_hold(&before); /* the driver may have to link */
    SYC_CL(cl, GetProgramInfo, (native, CL_PROGRAM_NUM_DEVICES, sizeof count, &count, NULL));
    SYC_TRY(find_device(cl, native, device->lanes[SYC_LANE_POOL], count, &which));
    SYC_TRY(syc_alloc_array(count, sizeof *sizes, &sizes));
    SYC_CL(cl, GetProgramInfo, (native, CL_PROGRAM_BINARY_SIZES, count * sizeof *sizes, sizes, NULL));
    SYC_CHECK(sizes[which] > 0, SYC_E_INVALID_OBJECT, "the driver stores no binary of the program for device '%s'",
              syc_device_name(device));
    SYC_TRY(fetch(cl, native, sizes, count, which, out));
    *size = sizes[which];
done:
    syc_signals_let(&before);
    syc__launch_clash_resume(build->flights);
    syc_free(sizes);
    return status;
}

syc_status syc_program_declarations(const syc_program *program, char **out)
{
    syc_text text = {0};
    syc_status status = SYC_OK;

    for (size_t i = 0; i < program->signatures.count; i++)
        syc__declare(&program->signatures.items[i], &text);
    SYC_CHECK(!text.cut, SYC_E_MEMORY_ALLOCATION, "no memory for the declarations of the kernels");
    SYC_TRY(syc_copy_string(syc_text_get(&text), out));
done:
    syc_text_clear(&text);
    return status;
}
