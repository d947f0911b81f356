/* The part of a command that is needed until it completes: arguments, geometry, what it keeps alive. */
#include "base/alloc.h"
#include "schedule/order.h"

#include <string.h>

/* Values are read in place by clSetKernelArg: keep each on a boundary that suits any vector type. */
enum { VALUE_ALIGNMENT = 16 };

static size_t rounded(size_t size)
{
    return (size + VALUE_ALIGNMENT - 1) / VALUE_ALIGNMENT * VALUE_ALIGNMENT;
}

static void copy_arguments(struct syc__work *work, const syc_launch *launch, char *values)
{
    for (size_t i = 0; i < launch->argument_count; i++) {
        work->arguments[i] = launch->arguments[i];
        if (launch->arguments[i].kind == SYC_ARGUMENT_VALUE) {
            memcpy(values, launch->arguments[i].value, launch->arguments[i].size);
            work->arguments[i].value = values;
            values += rounded(launch->arguments[i].size);
        }
    }
}

syc_status syc__work_create(const syc_launch *launch, struct syc__work **out)
{
    struct syc__work *work = NULL;
    size_t head = rounded(sizeof *work), spans = 0, bytes;
    syc_status status;

    bytes = head + rounded(launch->argument_count * sizeof *work->arguments);
    for (size_t i = 0; i < launch->argument_count; i++) {
        spans += launch->arguments[i].kind == SYC_ARGUMENT_SPAN;
        bytes += launch->arguments[i].kind == SYC_ARGUMENT_VALUE ? rounded(launch->arguments[i].size) : 0;
    }
    status = syc_alloc(bytes + spans * sizeof *work->bindings, &work);
    if (status != SYC_OK)
        return status;
    work->arguments = (syc_argument *)((char *)work + head);
    work->argument_count = launch->argument_count;
    work->bindings = (syc_binding *)((char *)work + bytes);
    work->binding_count = spans;
    copy_arguments(work, launch, (char *)work + head + rounded(launch->argument_count * sizeof *work->arguments));
    work->kernel = launch->kernel;
    work->geometry = launch->geometry;
    if (launch->program != NULL)
        syc_program_retain(launch->program);
    work->program = launch->program;
    *out = work;
    return SYC_OK;
}

void syc__work_free(const syc_command *command, struct syc__work *work)
{
    if (work == NULL)
        return;
    for (size_t i = 0; i < work->binding_count; i++)
        syc_binding_clear(command->context, &work->bindings[i]);
    syc_program_release(work->program);
    if (work->keep.release != NULL)
        work->keep.release(work->keep.payload);
    syc_free(work);
}

bool syc__work_empty(const struct syc__work *work)
{
    if (work->program == NULL)
        return true;
    for (unsigned d = 0; d < work->geometry.dims; d++) {
        if (work->geometry.global[d] == 0)
            return true;
    }
    return false;
}
