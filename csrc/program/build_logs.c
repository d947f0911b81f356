/* The logs of a build: the driver knows them, or they are kept where the program was made from machine code. */
#include "base/alloc.h"
#include "cl/constants.h"
#include "cl/entries.h"
#include "program/recipe.h"

#include <string.h>

syc_status syc__read_log(const syc_context *context, cl_program native, const syc_device *device, char **out,
                         size_t *length)
{
    const syc_cl_table *cl = syc_context_cl(context);
    cl_device_id id = device->lanes[SYC_LANE_POOL];
    syc_status status = SYC_OK;
    char *log = NULL;
    size_t size = 0, got = 0;

    SYC_CL(cl, GetProgramBuildInfo, (native, id, CL_PROGRAM_BUILD_LOG, 0, NULL, &size));
    SYC_TRY(syc_alloc(size + 1, &log));
    if (size > 0)
        SYC_CL(cl, GetProgramBuildInfo, (native, id, CL_PROGRAM_BUILD_LOG, size, log, &got));
    *length = strlen(log);
    *out = log;
    log = NULL;
done:
    syc_free(log);
    return status;
}

/* A program from the cache has the log that it was kept with. */
static const char *kept_log(const syc_build *build, const syc_device *device)
{
    for (size_t i = 0; build->logs != NULL && i < build->context->device_count; i++)
        if (build->context->devices[i] == device)
            return build->logs[i];
    return NULL;
}

syc_status syc_build_log(syc_build *build, syc_device *device, char **out)
{
    const char *kept = kept_log(build, device);
    size_t length;
    if (kept != NULL)
        return syc_copy_string(kept, out);
    return syc__read_log(build->context, build->native, device, out, &length);
}

void syc__build_drop_logs(syc_build *build)
{
    for (size_t i = 0; build->logs != NULL && i < build->context->device_count; i++)
        syc_free(build->logs[i]);
    syc_free(build->logs);
    build->logs = NULL;
}
