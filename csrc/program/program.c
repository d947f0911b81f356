/* Programs: the text, its signatures, and the list of builds, one per context. */
#include "program/program.h"

#include "base/alloc.h"
#include "base/process.h"
#include "cl/constants.h"
#include "program/build.h"
#include "program/lexer.h"
#include "program/prelude.h"

#include <string.h>

struct syc_program {
    syc_refcount refs;
    char *source, *options;
    size_t length;
    syc_origins *origins; /* of a text that was made from others, else NULL */
    syc_text prelude;     /* of the device library, empty for most programs */
    syc_signatures signatures;
    pthread_mutex_t lock;        /* the list of builds and their states */
    pthread_cond_t built;        /* a build left SYC__BUILDING */
    _Atomic(syc_build *) builds; /* grows at its head, under the lock; read without it */
};

/* What of the device library the text uses, to stand before it. */
static syc_status find_prelude(syc_program *program)
{
    syc_status status = SYC_OK;
    syc_arena arena = {0};
    syc_tokens tokens = {0};

    SYC_TRY(syc__lex(&arena, program->source, program->length, &tokens));
    SYC_TRY(syc__prelude_add(&tokens, &program->prelude));
    if (program->prelude.length > 0)
        syc_text_add(&program->prelude, "#line 1 \"kernel.cl\"\n");
    SYC_CHECK(!program->prelude.cut, SYC_E_MEMORY_ALLOCATION, "no memory for the device library");
done:
    syc__arena_clear(&arena);
    return status;
}

/* `complete`: the text is all that the compiler has seen. */
static syc_status program_new(const char *source, size_t length, const char *options, bool complete, syc_program **out)
{
    syc_status status = SYC_OK;
    syc_program *program = NULL;

    SYC_TRY(syc_alloc(sizeof *program, &program));
    syc_refcount_init(&program->refs);
    pthread_mutex_init(&program->lock, NULL);
    pthread_cond_init(&program->built, NULL);
    syc_live_add(SYC_LIVE_PROGRAM, 1);
    SYC_TRY(syc_alloc(length + 1, &program->source));
    memcpy(program->source, source, length);
    program->length = length;
    SYC_TRY(syc_copy_string(options != NULL ? options : "", &program->options));
    if (!complete)
        SYC_TRY(find_prelude(program));
    SYC_TRY(syc__signatures_parse_behind(syc_text_get(&program->prelude), program->prelude.length, program->source,
                                         length, program->options, &program->signatures));
    *out = program;
    program = NULL;
done:
    syc_program_release(program);
    return status;
}

syc_status syc_program_create(const char *source, size_t length, const char *options, syc_program **out)
{
    return program_new(source, length, options, false, out);
}

syc_status syc_program_create_from(const syc_origins *origins, const char *source, size_t length, const char *options,
                                   syc_program **out)
{
    syc_status status = SYC_OK;
    syc_program *program = NULL;

    SYC_TRY(program_new(source, length, options, false, &program));
    SYC_TRY(syc__origins_copy(origins, &program->origins));
    *out = program;
    program = NULL;
done:
    syc_program_release(program);
    return status;
}

const syc_origins *syc__program_origins(const syc_program *program)
{
    return program->origins;
}

/* The text of a native program; empty for one made from a binary. */
static syc_status native_source(const syc_cl_table *cl, cl_program native, char **out, size_t *length)
{
    syc_status status = SYC_OK;
    char *text = NULL;
    size_t size = 0;

    SYC_CL(cl, GetProgramInfo, (native, CL_PROGRAM_SOURCE, 0, NULL, &size));
    SYC_TRY(syc_alloc(size + 1, &text));
    if (size > 0)
        SYC_CL(cl, GetProgramInfo, (native, CL_PROGRAM_SOURCE, size, text, NULL));
    *length = strlen(text);
    *out = text;
    text = NULL;
done:
    syc_free(text);
    return status;
}

syc_status syc_program_from_native(cl_program native, syc_program **out)
{
    syc_status status = SYC_OK;
    syc_driver *driver = syc_driver_of_handle(native);
    syc_context *context = NULL;
    syc_program *program = NULL;
    syc_build *build = NULL;
    cl_context native_context = NULL;
    char *source = NULL;
    size_t length = 0;

    SYC_TRY(syc_process_check());
    SYC_CHECK(driver != NULL, SYC_E_INVALID_OBJECT, "%p is not a cl_program of a loaded driver", (void *)native);
    SYC_CL(&driver->cl, GetProgramInfo, (native, CL_PROGRAM_CONTEXT, sizeof native_context, &native_context, NULL));
    SYC_TRY(syc_context_from_native(native_context, &context));
    SYC_TRY(native_source(&driver->cl, native, &source, &length));
    SYC_TRY(program_new(source, length, NULL, true, &program));
    SYC_TRY(syc__build_create(program, context, &build));
    SYC_CL(&driver->cl, RetainProgram, (native));
    syc_live_add(SYC_LIVE_CL_PROGRAM, 1);
    build->native = native;
    build->state = SYC__BUILT;
    program->builds = build;
    build = NULL;
    *out = program;
    program = NULL;
done:
    if (build != NULL)
        syc__build_free(build);
    syc_program_release(program);
    syc_context_release(context);
    syc_free(source);
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

void syc_program_retain(syc_program *program)
{
    syc_refcount_retain(&program->refs);
}

void syc_program_release(syc_program *program)
{
    if (program == NULL || !syc_refcount_release(&program->refs))
        return;
    for (syc_build *build = program->builds, *next; build != NULL; build = next) {
        next = build->next;
        syc__build_free(build);
    }
    syc_signatures_clear(&program->signatures);
    pthread_cond_destroy(&program->built);
    pthread_mutex_destroy(&program->lock);
    syc_text_clear(&program->prelude);
    syc__origins_free(program->origins);
    syc_free(program->source);
    syc_free(program->options);
    syc_free(program);
    syc_live_add(SYC_LIVE_PROGRAM, -1);
}

const syc_signatures *syc_program_signatures(const syc_program *program)
{
    return &program->signatures;
}

const char *syc_program_source(const syc_program *program, size_t *length)
{
    if (length != NULL)
        *length = program->length;
    return program->source;
}

const char *syc_program_prelude(const syc_program *program, size_t *length)
{
    if (length != NULL)
        *length = program->prelude.length;
    return syc_text_get(&program->prelude);
}

const char *syc_program_options(const syc_program *program)
{
    return program->options;
}

/* Contexts made twice from one native context share their builds. */
static syc_build *find(const syc_program *program, const syc_context *context)
{
    syc_build *build = atomic_load_explicit(&program->builds, memory_order_acquire);
    while (build != NULL && build->context->native != context->native)
        build = build->next;
    return build;
}

static bool is_built(const syc_build *build)
{
    return build != NULL && atomic_load_explicit(&build->state, memory_order_acquire) == SYC__BUILT;
}

/* Out of memory may pass, a compiler's verdict on the text does not. */
static bool may_pass(const syc_failure *failure)
{
    return strcmp(syc_status_errc(syc_failure_detail(failure).status), "build") != 0;
}

/* Compiles with the lock dropped, then lets the waiting threads go on. */
static void compile_locked(syc_program *program, syc_build *build)
{
    syc_failure *failure = NULL;
    syc_status status;

    syc_failure_free(build->failure);
    build->failure = NULL;
    build->state = SYC__BUILDING;
    pthread_mutex_unlock(&program->lock);
    status = syc__build_compile(build);
    if (status != SYC_OK)
        (void)syc_failure_capture(status, &failure);
    pthread_mutex_lock(&program->lock);
    build->failure = failure;
    build->state = status == SYC_OK ? SYC__BUILT : SYC__BUILD_FAILED;
    pthread_cond_broadcast(&program->built);
}

/* The build in its final state. A thread that waited for another's attempt takes its outcome and does not try again. */
static syc_status settle_locked(syc_program *program, syc_build *build)
{
    bool waited = false;
    while (build->state == SYC__BUILDING) {
        pthread_cond_wait(&program->built, &program->lock);
        waited = true;
    }
    if (build->state == SYC__BUILD_NEEDED || (build->state == SYC__BUILD_FAILED && !waited && may_pass(build->failure)))
        compile_locked(program, build);
    return build->state == SYC__BUILT ? SYC_OK : syc_failure_restore(build->failure);
}

syc_status syc_program_build(syc_program *program, syc_context *context, syc_build **out)
{
    syc_build *build = find(program, context);
    syc_status status = syc_process_check();

    if (status == SYC_OK && is_built(build)) { /* every launch but the first */
        *out = build;
        return SYC_OK;
    }
    pthread_mutex_lock(&program->lock);
    SYC_TRY(status);
    build = find(program, context);
    if (build == NULL) {
        SYC_TRY(syc__build_create(program, context, &build));
        build->next = program->builds;
        program->builds = build;
    }
    SYC_TRY(settle_locked(program, build));
    *out = build;
done:
    pthread_mutex_unlock(&program->lock);
    return status;
}

bool syc_program_is_built(syc_program *program, const syc_context *context)
{
    return is_built(find(program, context));
}
