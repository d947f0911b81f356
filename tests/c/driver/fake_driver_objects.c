/* The fake driver's contexts, and how objects of every kind end. */
#include "fake_driver.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void *fake_give(cl_int *code, cl_int result, void *object)
{
    if (code != NULL)
        *code = result;
    return object;
}

bool fake_end_object(fake_object *object)
{
    fake_context *context = (fake_context *)object;
    fake_program *program = (fake_program *)object;

    switch (object->kind) {
    case FAKE_DEVICE:
        fake_unuse(((fake_device *)object)->parent);
        break;
    case FAKE_CONTEXT:
        for (cl_uint i = 0; i < context->device_count; i++)
            fake_unuse(context->devices[i]);
        break;
    case FAKE_QUEUE:
        return fake_end_queue((fake_queue *)object);
    case FAKE_MEM:
        fake_end_mem((fake_mem *)object);
        break;
    case FAKE_SVM:
        fake_end_svm((fake_svm *)object);
        break;
    case FAKE_SAMPLER:
        fake_unuse(((fake_sampler *)object)->context);
        break;
    case FAKE_PROGRAM:
        fake_unuse(program->context);
        free(program->source);
        free(program->options);
        free(program->log);
        break;
    case FAKE_KERNEL:
        fake_unuse(((fake_kernel *)object)->program);
        break;
    case FAKE_EVENT:
        fake_unuse(((fake_event *)object)->context);
        break;
    default:
        break;
    }
    return true;
}

/* -- contexts -- */

cl_context fake_CreateContext(const cl_context_properties *props, cl_uint n, const cl_device_id *d,
                              void (*notify)(const char *, const void *, size_t, void *), void *user, cl_int *code)
{
    fake_context *context = NULL;
    cl_int result = n == 0 || n > 16 || d == NULL ? CL_INVALID_VALUE : CL_SUCCESS;
    (void)notify, (void)user;
    if (props != NULL && props[0] == CL_CONTEXT_PLATFORM && (void *)props[1] != (void *)&fake_the_platform)
        result = CL_INVALID_PLATFORM;
    fake_lock();
    for (cl_uint i = 0; result == CL_SUCCESS && i < n; i++)
        if (fake_get(d[i], FAKE_DEVICE) == NULL)
            result = CL_INVALID_DEVICE;
    if (result == CL_SUCCESS) {
        context = fake_new(FAKE_CONTEXT, sizeof *context);
        for (; context->device_count < n; context->device_count++) {
            context->devices[context->device_count] = (fake_device *)d[context->device_count];
            fake_use(context->devices[context->device_count]);
        }
    }
    fake_unlock();
    return fake_give(code, result, context);
}

cl_int fake_RetainContext(cl_context c)
{
    return fake_retain(c, FAKE_CONTEXT, CL_INVALID_CONTEXT);
}

cl_int fake_ReleaseContext(cl_context c)
{
    return fake_release(c, FAKE_CONTEXT, CL_INVALID_CONTEXT);
}
