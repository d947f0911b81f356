/* The fake driver's contexts, programs and kernels. A program is its source text: it has the kernels whose
 * names stand in it, and fails to build where it says #error. */
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

/* -- programs -- */

static char *join(cl_uint n, const char **text, const size_t *length)
{
    size_t total = 0;
    char *all, *to;
    for (cl_uint i = 0; i < n; i++)
        total += length != NULL && length[i] != 0 ? length[i] : strlen(text[i]);
    all = to = malloc(total + 1);
    if (all == NULL)
        abort();
    for (cl_uint i = 0; i < n; i++) {
        size_t piece = length != NULL && length[i] != 0 ? length[i] : strlen(text[i]);
        memcpy(to, text[i], piece);
        to += piece;
    }
    *to = '\0';
    return all;
}

cl_program fake_CreateProgramWithSource(cl_context c, cl_uint n, const char **text, const size_t *length, cl_int *code)
{
    fake_context *context;
    fake_program *program = NULL;
    cl_int result = n == 0 || text == NULL ? CL_INVALID_VALUE : CL_SUCCESS;
    fake_lock();
    context = fake_get(c, FAKE_CONTEXT);
    if (context == NULL)
        result = CL_INVALID_CONTEXT;
    if (result == CL_SUCCESS) {
        program = fake_new(FAKE_PROGRAM, sizeof *program);
        fake_use(program->context = context);
        program->source = join(n, text, length);
        program->build_status = CL_BUILD_NONE;
    }
    fake_unlock();
    return fake_give(code, result, program);
}

cl_int fake_RetainProgram(cl_program p)
{
    return fake_retain(p, FAKE_PROGRAM, CL_INVALID_PROGRAM);
}

cl_int fake_ReleaseProgram(cl_program p)
{
    return fake_release(p, FAKE_PROGRAM, CL_INVALID_PROGRAM);
}

bool fake_has_function(const char *text, const char *word)
{
    size_t length = strlen(word);
    for (const char *at = text; (at = strstr(at, word)) != NULL; at += length) {
        const char *after = at + length + strspn(at + length, " \t\n");
        bool starts = at == text || !(isalnum((unsigned char)at[-1]) || at[-1] == '_');
        if (starts && *after == '(')
            return true;
    }
    return false;
}

/* A compiler's line for the first `#what` directive of the source, as clang writes it. NULL when there is none. */
static char *diagnose(const char *source, const char *what, const char *severity)
{
    char directive[16], *log = NULL;
    const char *at, *line_start = source, *end;
    int line = 1;
    size_t room;
    snprintf(directive, sizeof directive, "#%s", what);
    at = strstr(source, directive);
    if (at == NULL)
        return NULL;
    for (const char *p = source; p < at; p++)
        if (*p == '\n') {
            line++;
            line_start = p + 1;
        }
    end = at + strcspn(at, "\n");
    room = (size_t)(end - at) + 200;
    log = malloc(room);
    if (log == NULL)
        abort();
    snprintf(log, room, "<kernel>:%d:%d: %s: %.*s\n", line, (int)(at - line_start) + 2, severity,
             (int)(end - at) - (int)strlen(directive) - (at[strlen(directive)] == ' '),
             at + strlen(directive) + (at[strlen(directive)] == ' '));
    return log;
}

cl_int fake_BuildProgram(cl_program p, cl_uint n, const cl_device_id *d, const char *options,
                         void (*notify)(cl_program, void *), void *user)
{
    fake_program *program;
    cl_int result = (n == 0) != (d == NULL) ? CL_INVALID_VALUE : CL_SUCCESS;
    if (strcmp(fake_settings.abort_on, "build") == 0)
        abort();
    fake_lock();
    program = fake_get(p, FAKE_PROGRAM);
    for (cl_uint i = 0; result == CL_SUCCESS && i < n; i++)
        if (fake_get(d[i], FAKE_DEVICE) == NULL)
            result = CL_INVALID_DEVICE;
    if (program == NULL)
        result = CL_INVALID_PROGRAM;
    if (result == CL_SUCCESS) {
        free(program->options);
        free(program->log);
        program->options = strdup(options != NULL ? options : "");
        program->log = diagnose(program->source, "error", "error");
        program->build_status = program->log == NULL ? CL_BUILD_SUCCESS : CL_BUILD_ERROR;
        result = program->log == NULL ? CL_SUCCESS : CL_BUILD_PROGRAM_FAILURE;
        if (program->log == NULL)
            program->log = diagnose(program->source, "warning", "warning");
    }
    fake_unlock();
    if (notify != NULL)
        notify(p, user);
    return result;
}

#define ANSWER(object)    return fake_answer(&(object), sizeof(object), size, value, got)
#define ANSWER_TEXT(text) return fake_answer((text), strlen(text) + 1, size, value, got)

static cl_int program_answer(const fake_program *p, cl_uint what, size_t size, void *value, size_t *got)
{
    char names[256] = "";
    size_t count = 0;
    for (size_t i = 0; i < fake_kernel_count; i++)
        if (fake_has_function(p->source, fake_kernels[i].name)) {
            if (count++ > 0)
                strcat(names, ";");
            strcat(names, fake_kernels[i].name);
        }
    switch (what) {
    case CL_PROGRAM_REFERENCE_COUNT:
        ANSWER((cl_uint){(cl_uint)p->object.handles});
    case CL_PROGRAM_CONTEXT:
        ANSWER(p->context);
    case CL_PROGRAM_NUM_DEVICES:
        ANSWER(p->context->device_count);
    case CL_PROGRAM_DEVICES:
        return fake_answer(p->context->devices, p->context->device_count * sizeof p->context->devices[0], size, value,
                           got);
    case CL_PROGRAM_SOURCE:
        ANSWER_TEXT(p->source);
    case CL_PROGRAM_NUM_KERNELS:
        if (p->build_status != CL_BUILD_SUCCESS)
            return CL_INVALID_PROGRAM_EXECUTABLE;
        ANSWER(count);
    case CL_PROGRAM_KERNEL_NAMES:
        if (p->build_status != CL_BUILD_SUCCESS)
            return CL_INVALID_PROGRAM_EXECUTABLE;
        ANSWER_TEXT(names);
    default:
        return CL_INVALID_VALUE;
    }
}

cl_int fake_GetProgramInfo(cl_program handle, cl_uint what, size_t size, void *value, size_t *got)
{
    const fake_program *program;
    cl_int result = CL_INVALID_PROGRAM;
    fake_lock();
    program = fake_get(handle, FAKE_PROGRAM);
    if (program != NULL)
        result = program_answer(program, what, size, value, got);
    fake_unlock();
    return result;
}

static cl_int build_answer(const fake_program *p, cl_uint what, size_t size, void *value, size_t *got)
{
    switch (what) {
    case CL_PROGRAM_BUILD_STATUS:
        ANSWER(p->build_status);
    case CL_PROGRAM_BUILD_OPTIONS:
        ANSWER_TEXT(p->options != NULL ? p->options : "");
    case CL_PROGRAM_BUILD_LOG:
        ANSWER_TEXT(p->log != NULL ? p->log : "");
    case CL_PROGRAM_BINARY_TYPE:
        ANSWER((cl_uint){p->build_status == CL_BUILD_SUCCESS ? CL_PROGRAM_BINARY_TYPE_EXECUTABLE
                                                             : CL_PROGRAM_BINARY_TYPE_NONE});
    default:
        return CL_INVALID_VALUE;
    }
}

cl_int fake_GetProgramBuildInfo(cl_program handle, cl_device_id d, cl_uint what, size_t size, void *value, size_t *got)
{
    const fake_program *program;
    cl_int result = CL_INVALID_PROGRAM;
    fake_lock();
    program = fake_get(handle, FAKE_PROGRAM);
    if (program != NULL)
        result = fake_get(d, FAKE_DEVICE) == NULL ? CL_INVALID_DEVICE : build_answer(program, what, size, value, got);
    fake_unlock();
    return result;
}
