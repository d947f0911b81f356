/* The fake driver's programs. A program is its source text: it has the kernels whose names stand in it, and what it
 * says makes it fail: #error when it is built or compiled (#deluge: the log has 10 MiB; #gibberish: it is no UTF-8;
 * #interrupted: three times of four, as by Ctrl-C in another thread; #held: not before fake_hold_builds(0)),
 * "unresolved(" when it is linked ("vanished(": and there is no object with a log). A binary is the text behind a
 * magic word, and so is SPIR-V; executable ones are in fake_driver_binaries.c. */
#include "fake_driver.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char object_magic[] = "FAKEOBJ:", spirv_magic[] = "\x03\x02\x23\x07";
enum { MAGIC = 8, WORD = 4 };

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
    char directive[24], *log = NULL;
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

enum { DELUGE = 10 << 20 };

/* As diagnose(), for the logs that no compiler should leave. [locked] */
static char *complain(const char *source)
{
    static unsigned interrupted;
    char *log = diagnose(source, "error", "error");
    if (log == NULL && interrupted++ % 4 != 3)
        log = diagnose(source, "interrupted", "error: unable to rename temporary");
    if (log == NULL)
        log = diagnose(source, "gibberish", "error: \xff\xfe\x80");
    if (log != NULL || (log = diagnose(source, "deluge", "error")) == NULL)
        return log;
    log = realloc(log, DELUGE + 1);
    if (log == NULL)
        abort();
    memset(log + strlen(log), 'x', DELUGE - strlen(log));
    log[DELUGE] = '\0';
    return log;
}

/* [locked] */
static void translate(fake_program *program, const char *options, cl_uint type)
{
    free(program->options);
    free(program->log);
    program->options = strdup(options != NULL ? options : "");
    program->log = program->packed ? NULL : complain(program->source);
    program->build_status = program->log == NULL ? CL_BUILD_SUCCESS : CL_BUILD_ERROR;
    program->type = program->log == NULL ? type : CL_PROGRAM_BINARY_TYPE_NONE;
    if (program->log == NULL && !program->packed)
        program->log = diagnose(program->source, "warning", "warning");
}

static cl_int translate_handle(cl_program p, cl_uint n, const cl_device_id *d, const char *options, cl_uint type,
                               cl_int failure)
{
    fake_program *program;
    cl_int result = (n == 0) != (d == NULL) ? CL_INVALID_VALUE : CL_SUCCESS;
    fake_lock();
    program = fake_get(p, FAKE_PROGRAM);
    for (cl_uint i = 0; result == CL_SUCCESS && i < n; i++)
        if (fake_get(d[i], FAKE_DEVICE) == NULL)
            result = CL_INVALID_DEVICE;
    if (program == NULL)
        result = CL_INVALID_PROGRAM;
    else if (fake_lacks("compiler") && program->type == CL_PROGRAM_BINARY_TYPE_NONE)
        result = CL_COMPILER_NOT_AVAILABLE;
    else if (program->packed && strcmp(fake_settings.binary, "unbuildable") == 0)
        result = failure;
    if (result == CL_SUCCESS) {
        fake_be_held(program->source);
        translate(program, options, type);
        result = program->build_status == CL_BUILD_SUCCESS ? CL_SUCCESS : failure;
    }
    fake_unlock();
    return result;
}

cl_int fake_BuildProgram(cl_program p, cl_uint n, const cl_device_id *d, const char *options,
                         void (*notify)(cl_program, void *), void *user)
{
    cl_int result;
    if (strcmp(fake_settings.abort_on, "build") == 0)
        abort();
    result = translate_handle(p, n, d, options, CL_PROGRAM_BINARY_TYPE_EXECUTABLE, CL_BUILD_PROGRAM_FAILURE);
    if (notify != NULL)
        notify(p, user);
    return result;
}

cl_int fake_CompileProgram(cl_program p, cl_uint n, const cl_device_id *d, const char *options, cl_uint headers,
                           const cl_program *header, const char **name, void (*notify)(cl_program, void *), void *user)
{
    cl_int result =
        headers > 0 || header != NULL || name != NULL
            ? CL_INVALID_VALUE /* no headers here */
            : translate_handle(p, n, d, options, CL_PROGRAM_BINARY_TYPE_COMPILED_OBJECT, CL_COMPILE_PROGRAM_FAILURE);
    if (notify != NULL)
        notify(p, user);
    return result;
}

/* [locked] */
static fake_program *make_program(fake_context *context, char *source, cl_uint type)
{
    fake_program *program = fake_new(FAKE_PROGRAM, sizeof *program);
    fake_use(program->context = context);
    program->source = source;
    program->build_status = type == CL_PROGRAM_BINARY_TYPE_NONE ? CL_BUILD_NONE : CL_BUILD_SUCCESS;
    program->type = type;
    return program;
}

/* [locked] */
static fake_program *link_texts(fake_context *context, const char **texts, cl_uint n, const char *options,
                                cl_int *result)
{
    fake_program *program = make_program(context, join(n, texts, NULL), CL_PROGRAM_BINARY_TYPE_EXECUTABLE);
    program->options = strdup(options != NULL ? options : "");
    if (!fake_has_function(program->source, "unresolved") && !fake_has_function(program->source, "vanished"))
        return program;
    program->log = strdup("error: undefined symbol: unresolved");
    program->build_status = CL_BUILD_ERROR;
    program->type = CL_PROGRAM_BINARY_TYPE_NONE;
    *result = CL_LINK_PROGRAM_FAILURE;
    return program;
}

cl_program fake_LinkProgram(cl_context c, cl_uint n, const cl_device_id *d, const char *options, cl_uint parts,
                            const cl_program *part, void (*notify)(cl_program, void *), void *user, cl_int *code)
{
    enum { MOST = 16 };
    fake_context *context;
    fake_program *program = NULL;
    const char *texts[MOST];
    cl_int result =
        (n == 0) != (d == NULL) || parts == 0 || parts > MOST || part == NULL ? CL_INVALID_VALUE : CL_SUCCESS;
    fake_lock();
    context = fake_get(c, FAKE_CONTEXT);
    if (context == NULL)
        result = CL_INVALID_CONTEXT;
    if (fake_lacks("linker"))
        result = CL_LINKER_NOT_AVAILABLE;
    for (cl_uint i = 0; result == CL_SUCCESS && i < parts; i++) {
        const fake_program *each = fake_get(part[i], FAKE_PROGRAM);
        if (each == NULL)
            result = CL_INVALID_PROGRAM;
        else if (each->type != CL_PROGRAM_BINARY_TYPE_COMPILED_OBJECT)
            result = CL_INVALID_OPERATION;
        else
            texts[i] = each->source;
    }
    if (result == CL_SUCCESS)
        program = link_texts(context, texts, parts, options, &result);
    fake_unlock();
    if (program != NULL && fake_has_function(program->source, "vanished")) {
        (void)fake_ReleaseProgram((cl_program)program);
        program = NULL;
    }
    if (notify != NULL)
        notify((cl_program)program, user);
    return fake_give(code, result, program);
}

/* The text behind a magic word of `word` bytes; NULL when it is not there. */
static char *unpack(const void *data, size_t size, const char *magic, size_t word)
{
    char *text;
    if (data == NULL || size <= word || memcmp(data, magic, word) != 0)
        return NULL;
    text = malloc(size - word + 1);
    if (text == NULL)
        abort();
    memcpy(text, (const char *)data + word, size - word);
    text[size - word] = '\0';
    return text;
}

cl_program fake_CreateProgramWithBinary(cl_context c, cl_uint n, const cl_device_id *d, const size_t *size,
                                        const unsigned char **binary, cl_int *status, cl_int *code)
{
    fake_context *context;
    fake_program *program = NULL;
    bool given = n > 0 && d != NULL && size != NULL && binary != NULL;
    char *executable = NULL, *object = given ? unpack(binary[0], size[0], object_magic, MAGIC) : NULL, *text;
    cl_int result = given ? CL_SUCCESS : CL_INVALID_VALUE;
    fake_lock();
    context = fake_get(c, FAKE_CONTEXT);
    for (cl_uint i = 0; given && context != NULL && i < n; i++) { /* each is looked at */
        free(executable);
        executable = fake_unpack_executable(context, d[i], binary[i], size[i]);
    }
    text = executable != NULL ? executable : object;
    if (given && (text == NULL || strcmp(fake_settings.binary, "refused") == 0))
        result = CL_INVALID_BINARY;
    if (context == NULL)
        result = CL_INVALID_CONTEXT;
    for (cl_uint i = 0; given && i < n; i++) {
        if (fake_get(d[i], FAKE_DEVICE) == NULL)
            result = CL_INVALID_DEVICE;
        if (status != NULL)
            status[i] = strcmp(fake_settings.binary, "unwanted") == 0 ? CL_INVALID_BINARY : result;
    }
    if (result == CL_SUCCESS) {
        program = make_program(context, text,
                               executable != NULL ? CL_PROGRAM_BINARY_TYPE_EXECUTABLE
                                                  : CL_PROGRAM_BINARY_TYPE_COMPILED_OBJECT);
        program->binary = true;
        program->packed = executable != NULL;
    } else {
        free(text);
    }
    fake_unlock();
    return fake_give(code, result, program);
}

cl_program fake_CreateProgramWithIL(cl_context c, const void *il, size_t size, cl_int *code)
{
    fake_context *context;
    fake_program *program = NULL;
    char *text = unpack(il, size, spirv_magic, WORD);
    cl_int result = text == NULL ? CL_INVALID_VALUE : CL_SUCCESS;
    fake_lock();
    context = fake_get(c, FAKE_CONTEXT);
    if (context == NULL)
        result = CL_INVALID_CONTEXT;
    if (result == CL_SUCCESS) {
        program = make_program(context, text, CL_PROGRAM_BINARY_TYPE_NONE);
        program->binary = true;
    } else {
        free(text);
    }
    fake_unlock();
    return fake_give(code, result, program);
}

/* The device has those of its kernels whose names stand in FAKE_BUILT_IN. */
static bool is_built_in(const char *names)
{
    char list[128], known[130], *rest = NULL;
    snprintf(list, sizeof list, "%s", names);
    snprintf(known, sizeof known, ";%s;", fake_settings.built_in);
    for (char *name = strtok_r(list, ";", &rest); name != NULL; name = strtok_r(NULL, ";", &rest)) {
        char wanted[130];
        snprintf(wanted, sizeof wanted, ";%s;", name);
        if (strstr(known, wanted) == NULL)
            return false;
    }
    return true;
}

cl_program fake_CreateProgramWithBuiltInKernels(cl_context c, cl_uint n, const cl_device_id *d, const char *names,
                                                cl_int *code)
{
    fake_context *context;
    fake_program *program = NULL;
    cl_int result =
        n == 0 || d == NULL || names == NULL || names[0] == '\0' || !is_built_in(names) ? CL_INVALID_VALUE : CL_SUCCESS;
    fake_lock();
    context = fake_get(c, FAKE_CONTEXT);
    if (context == NULL)
        result = CL_INVALID_CONTEXT;
    for (cl_uint i = 0; result == CL_SUCCESS && i < n; i++)
        if (fake_get(d[i], FAKE_DEVICE) == NULL)
            result = CL_INVALID_DEVICE;
    if (result == CL_SUCCESS) {
        char *text = malloc(2 * strlen(names) + 2), *to = text;
        if (text == NULL)
            abort();
        for (const char *at = names;; at++) { /* "a;b" has the functions a() and b() */
            if (*at == ';' || *at == '\0')
                *to++ = '(';
            *to++ = *at == ';' ? ' ' : *at;
            if (*at == '\0')
                break;
        }
        program = make_program(context, text, CL_PROGRAM_BINARY_TYPE_EXECUTABLE);
        program->binary = true;
    }
    fake_unlock();
    return fake_give(code, result, program);
}

#define ANSWER(object)    return fake_answer(&(object), sizeof(object), size, value, got)
#define ANSWER_TEXT(text) return fake_answer((text), strlen(text) + 1, size, value, got)

static cl_int give_binaries(const fake_program *p, size_t size, void *value, size_t *got)
{
    unsigned char **binaries = value;
    cl_uint count = p->context->device_count;
    if (got != NULL)
        *got = count * sizeof *binaries;
    if (value == NULL)
        return CL_SUCCESS;
    if (size < count * sizeof *binaries || p->type == CL_PROGRAM_BINARY_TYPE_NONE)
        return CL_INVALID_VALUE;
    for (cl_uint i = 0; i < count; i++) {
        if (binaries[i] == NULL)
            continue;
        if (p->type == CL_PROGRAM_BINARY_TYPE_EXECUTABLE) {
            fake_pack_executable(p, i, binaries[i]);
            continue;
        }
        memcpy(binaries[i], object_magic, MAGIC);
        memcpy(binaries[i] + MAGIC, p->source, strlen(p->source));
    }
    return CL_SUCCESS;
}

static cl_int program_answer(const fake_program *p, cl_uint what, size_t size, void *value, size_t *got)
{
    char names[256] = "";
    size_t count = 0, sizes[16];
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
        ANSWER_TEXT(p->binary ? "" : p->source);
    case CL_PROGRAM_BINARY_SIZES:
        for (cl_uint i = 0; i < p->context->device_count; i++)
            sizes[i] = p->type == CL_PROGRAM_BINARY_TYPE_NONE         ? 0
                       : p->type == CL_PROGRAM_BINARY_TYPE_EXECUTABLE ? fake_executable_size(p)
                                                                      : MAGIC + strlen(p->source);
        return fake_answer(sizes, p->context->device_count * sizeof sizes[0], size, value, got);
    case CL_PROGRAM_BINARIES:
        return give_binaries(p, size, value, got);
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
        ANSWER(p->type);
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
