/* Builds: compiling a program for one context, and lending its kernels out one launch at a time. */
#include "program/build.h"

#include "base/alloc.h"
#include "base/clock.h"
#include "base/process.h"
#include "cl/constants.h"
#include "cl/device.h"
#include "cl/room.h"
#include "library/cures/pocl_per_item.h"
#include "library/device_options.h"
#include "program/cache/use.h"
#include "program/compiler.h"
#include "program/cures/machine_code.h"
#include "program/cures/pocl_narrow_groups.h"
#include "program/cures/pocl_stack.h"
#include "program/group_code.h"
#include "program/log/build_log.h"
#include "program/native_text.h"
#include "program/recipe.h"

#include <stddef.h>
#include <string.h>

static bool is_strict(const syc_context *context)
{
    for (size_t i = 0; i < context->device_count; i++)
        if (context->devices[i]->facts->strict_cl12)
            return true;
    return false;
}

syc_status syc__program_options(const syc_program *program, const syc_context *context,
                                const syc__device_choice *choice, syc_text *out)
{
    const bool strict = program->prelude.length > 0 && is_strict(context);
    syc_status status = SYC_OK;

    if (program->asks_device || choice->plain) {
        SYC_TRY(syc__device_check(context, &program->signatures, choice));
        syc__device_options_add(choice, out);
    } else if (program->scratch.structs && choice->structs) {
        syc_text_add(out, SYC__PER_ITEM_OPTION);
    }
    if (out->length > 0)
        syc_text_add(out, " "); /* the user's behind it, to have the last word */
    if (strict)
        syc__options_add_without_cl12(program->options, out);
    else
        syc_text_add(out, "%s", program->options);
    SYC_CHECK(!out->cut, SYC_E_MEMORY_ALLOCATION, "no memory for build options");
done:
    return status;
}

static syc_status tell_devices(syc_build *build)
{
    const syc_program *program = build->program;
    syc_status status = SYC_OK;
    syc_text options = {0};
    syc__device_choice choice;

    syc__device_choose(build->context, &program->signatures, program->families, &choice);
    SYC_TRY(syc__program_options(program, build->context, &choice, &options));
    syc__turn_options(build, &options);
    SYC_CHECK(!options.cut, SYC_E_MEMORY_ALLOCATION, "no memory for build options");
    if (program->asks_device || choice.plain)
        build->most_items = choice.largest;
    if (strcmp(syc_text_get(&options), program->options) != 0)
        SYC_TRY(syc_copy_string(syc_text_get(&options), &build->options)); /* also where none are left */
done:
    syc_text_clear(&options);
    return status;
}

static void release_kernel(const syc_cl_table *cl, cl_kernel native)
{
    int code = syc_process_alive() ? cl->ReleaseKernel(native) : 0;
    if (code != 0)
        syc_report(syc_fail_cl(SYC_HERE, "clReleaseKernel", code));
    syc_live_add(SYC_LIVE_CL_KERNEL, -1);
}

static void free_pool(const syc_cl_table *cl, struct syc__kernel_pool *pool)
{
    for (size_t i = 0; i < pool->idle_count; i++)
        release_kernel(cl, pool->idle[i].native);
    syc_free(pool->idle);
    for (struct syc__granted *g = pool->granted, *next; g != NULL; g = next) {
        next = g->next;
        syc_device_release(g->device);
        syc_free(g);
    }
    syc__group_codes_free(pool->codes);
    *pool = (struct syc__kernel_pool){.idle = NULL};
}

static void release_native(syc_build *build)
{
    syc__native_text_remove(build->native);
    syc__build_drop_logs(build);
    syc__native_release(build->context, build->native);
    build->native = NULL;
}

/* Frees the part in the context; the build may be another one's. */
static void empty(syc_build *build)
{
    size_t kernels = syc_program_signatures(build->program)->count;
    for (size_t i = 0; i < kernels; i++)
        free_pool(syc_context_cl(build->context), &build->pools[i]);
    release_native(build);
    syc__launch_clash_release(build->flights);
    build->flights = NULL;
    syc_failure_free(build->failure);
    build->failure = NULL;
    syc_free(build->options);
    build->options = NULL;
    build->most_items = 0;
    build->state = SYC__BUILD_NEEDED;
    build->context = NULL;
}

static void end(syc_tenant *tenant)
{
    empty((syc_build *)((char *)tenant - offsetof(syc_build, tenant)));
}

syc_status syc__build_create(syc_program *program, syc_build **out)
{
    size_t kernels = syc_program_signatures(program)->count;
    syc_build *build = NULL;
    syc_status status = SYC_OK;

    SYC_TRY(syc_alloc(sizeof *build, &build));
    SYC_TRY(syc_alloc_array(kernels, sizeof *build->pools, &build->pools));
    pthread_mutex_init(&build->lock, NULL);
    build->program = program;
    build->tenant.end = end;
    *out = build;
    build = NULL;
done:
    syc_free(build);
    return status;
}

syc_status syc__build_enter(syc_build *build, syc_context *context)
{
    syc_status status = SYC_OK;

    build->context = context;
    SYC_TRY(tell_devices(build));
    SYC_TRY(syc__launch_clash_create(context, &build->flights));
    syc_context_admit(context, &build->tenant);
done:
    if (status != SYC_OK)
        empty(build);
    return status;
}

void syc_build_pin(syc_build *build)
{
    pthread_mutex_lock(&build->lock);
    if (build->pinned == NULL)
        syc_context_retain(build->pinned = build->context);
    pthread_mutex_unlock(&build->lock);
}

void syc__build_free(syc_build *build)
{
    syc_context *pinned = build->pinned;
    syc_tenant_dismiss(&build->tenant);
    syc_free(build->pools);
    pthread_mutex_destroy(&build->lock);
    syc_free(build);
    syc_context_release(pinned);
}

static syc_status keep_logs(syc_build *build)
{
    size_t count = build->context->device_count;
    char **logs = NULL;
    syc_status status = SYC_OK;

    SYC_TRY(syc_alloc_array(count, sizeof *logs, &logs));
    for (size_t i = 0; i < count && status == SYC_OK; i++)
        status = syc_build_log(build, build->context->devices[i], &logs[i]);
    build->logs = logs;
done:
    return status;
}

/* A program that was made anew from its machine code knows neither its log nor its text. */
static syc_status cure(syc_build *build)
{
    cl_program mended = NULL;
    size_t length;
    syc_status status = SYC_OK;

    if (build->program->recipe.object)
        return SYC_OK;
    SYC_TRY(syc__machine_code_cure(build->context, build->native, syc__build_options(build), &mended));
    if (mended == NULL)
        return SYC_OK;
    syc_live_add(SYC_LIVE_CL_PROGRAM, 1);
    SYC_TRY(keep_logs(build));
    syc__native_text_remove(build->native);
    syc__native_release(build->context, build->native);
    build->native = mended;
    mended = NULL;
    if (build->program->recipe.kind == SYC__FROM_TEXT)
        syc__native_text_add(build->native, syc_program_source(build->program, &length));
done:
    syc__native_release(build->context, mended);
    return status;
}

static _Atomic(syc_build_watcher) watcher;

void syc_program_set_watcher(syc_build_watcher function)
{
    atomic_store(&watcher, function);
}

static void tell(syc_program *program, uint64_t began)
{
    syc_build_watcher function = atomic_load(&watcher);
    if (function != NULL)
        function(program, began, syc_now_ns());
}

syc_status syc__build_compile(syc_build *build)
{
    syc_status status = SYC_OK;
    syc__cache_key key;
    syc__code_watch watch;
    uint64_t began;

    release_native(build);
    SYC_TRY(syc_driver_check_room(build->context->platform->driver));
    syc__code_watch_begin(syc__group_code_fits(build) ? build->context : NULL, &watch);
    began = syc_now_ns();
    if (!syc__cache_load(build, &key)) {
        status = syc__recipe_make(build);
        if (status == SYC_OK)
            status = cure(build);
        if (status == SYC_OK)
            syc__cache_keep(build, &key, syc_now_ns() - began);
        tell(build->program, began);
    }
    syc__code_watch_end(&watch, &build->code_folders);
    syc__cache_key_clear(&key);
done:
    return status;
}

cl_program syc_build_native(const syc_build *build)
{
    return build->native;
}

/* PoCL 3.0 loses kernels that are called like a built-in function, and says no more than that there is none. */
static syc_status no_kernel(const char *name, int code)
{
    if (code != CL_INVALID_KERNEL_NAME)
        return syc_fail_cl(SYC_HERE, "clCreateKernel", code != 0 ? code : CL_OUT_OF_RESOURCES);
    return syc_fail_cl_as(
        SYC_E_KERNEL, SYC_HERE, "clCreateKernel", code,
        "the driver finds no kernel '%s' in the program that it has built (CL_INVALID_KERNEL_NAME): if "
        "OpenCL C has a function of that name, give the kernel another",
        name);
}

/* The idle kernel used last whose arguments have been pointers where the next launch's are. */
static cl_kernel take_idle_locked(struct syc__kernel_pool *pool, uint64_t pointers)
{
    for (size_t i = pool->idle_count; i-- > 0;) {
        cl_kernel native = pool->idle[i].native;
        if (pool->idle[i].pointers != pointers)
            continue;
        pool->idle[i] = pool->idle[--pool->idle_count];
        return native;
    }
    return NULL;
}

syc_status syc_build_take_kernel(syc_build *build, size_t kernel, uint64_t pointers, cl_kernel *out)
{
    const syc_cl_table *cl = syc_context_cl(build->context);
    struct syc__kernel_pool *pool = &build->pools[kernel];
    const char *name = syc_program_signatures(build->program)->items[kernel].name;
    cl_kernel native = NULL;
    cl_int code = 0;

    syc__cache_disturb();
    pthread_mutex_lock(&build->lock);
    native = take_idle_locked(pool, pointers);
    pthread_mutex_unlock(&build->lock);
    if (native == NULL) {
        native = cl->CreateKernel(build->native, name, &code);
        if (native == NULL || code != 0)
            return no_kernel(name, code);
        syc_live_add(SYC_LIVE_CL_KERNEL, 1);
    }
    *out = native;
    return SYC_OK;
}

void syc_build_give_kernel(syc_build *build, size_t kernel, uint64_t pointers, cl_kernel native)
{
    struct syc__kernel_pool *pool = &build->pools[kernel];
    syc_status status;

    pthread_mutex_lock(&build->lock);
    status = syc_grow(&pool->idle, &pool->idle_room, pool->idle_count + 1, sizeof *pool->idle);
    if (status == SYC_OK)
        pool->idle[pool->idle_count++] = (struct syc__idle){native, pointers};
    pthread_mutex_unlock(&build->lock);
    if (status == SYC_OK)
        return;
    /* No memory to remember it: better one kernel made anew later than one lost. */
    release_kernel(syc_context_cl(build->context), native);
}

/* A kernel has scratch for the groups that its device can have, or for as many items as there is local memory. */
static void limit_by_scratch(const syc_build *build, size_t kernel, syc_kernel_limits *limits)
{
    limits->group_functions = syc__scratch_has(&build->program->scratch, build->program->signatures.items[kernel].name);
    if (limits->group_functions && limits->required_group[0] == 0 && limits->max_group > build->most_items)
        limits->max_group = build->most_items;
}

/* No group fits: with the line of the largest array. */
static syc_status refuse_private(const syc_build *build, const syc_signature *kernel, const syc_device *device,
                                 const syc_kernel_limits *limits)
{
    size_t length = 0;
    const char *source = syc_program_source(build->program, &length);
    syc_refusal refusal = {.line = kernel->private_line, .column = kernel->private_column};
    syc_text text = {0};
    char *message = NULL;
    syc_status status;

    syc_text_add(
        &text,
        "each work-item has %llu bytes in arrays and structs of its own, and the stack of the device's threads, "
        "where they are, has room for %llu: the launch would end the process",
        (unsigned long long)limits->private_bytes, (unsigned long long)limits->private_room);
    refusal.message = text.data;
    if (!text.cut)
        message = syc_log_format_refusal(build->program->origins, source, length, &refusal, "kernel.cl",
                                         syc_device_name(device));
    status = syc_fail(SYC_E_KERNEL_NOT_SUPPORTED, SYC_HERE, "%s", message != NULL ? message : syc_text_get(&text));
    syc_free(message);
    syc_text_clear(&text);
    return status;
}

static syc_status query_limits(syc_build *build, cl_kernel native, cl_device_id id, syc_kernel_limits *out)
{
    const syc_cl_table *cl = syc_context_cl(build->context);
    syc_status status = SYC_OK;
    syc_kernel_limits limits = {0};

#define QUERY(what, member) \
    SYC_CL(cl, GetKernelWorkGroupInfo, (native, id, (what), sizeof limits.member, &limits.member, NULL))
    QUERY(CL_KERNEL_WORK_GROUP_SIZE, max_group);
    QUERY(CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE, multiple);
    QUERY(CL_KERNEL_COMPILE_WORK_GROUP_SIZE, required_group);
    QUERY(CL_KERNEL_LOCAL_MEM_SIZE, local_bytes);
    QUERY(CL_KERNEL_PRIVATE_MEM_SIZE, private_bytes);
#undef QUERY
    SYC_CHECK(limits.max_group > 0, SYC_E_RUNTIME, "the driver says that no work-group of the kernel fits the device");
    *out = limits;
done:
    return status;
}

static const syc_kernel_limits *find_limits(syc_build *build, size_t kernel, const syc_device *device)
{
    const struct syc__granted *g = atomic_load_explicit(&build->pools[kernel].granted, memory_order_acquire);
    while (g != NULL && g->device != device)
        g = g->next;
    return g != NULL ? &g->limits : NULL;
}

/* Drivers take a struct of any size for any other: what was given is held against these before the launch. Those that
 * the text tells the size of are held against that, earlier. */
static void find_struct_sizes(const syc_build *build, const syc_signature *kernel, struct syc__granted *granted)
{
    for (size_t i = 0; i < kernel->count; i++) {
        const syc_param *p = &kernel->params[i];
        if (p->type == SYC_STRUCT && p->size == 0 && p->struct_name != NULL)
            granted->struct_sizes[i] = syc__struct_size(build, granted->device, p->struct_name);
    }
    granted->limits.struct_sizes = granted->struct_sizes;
}

syc_status syc_build_limits(syc_build *build, size_t kernel, syc_device *device, const syc_kernel_limits **out)
{
    const syc_signature *signature = &syc_program_signatures(build->program)->items[kernel];
    struct syc__granted *granted = NULL;
    cl_kernel native = NULL;
    syc_status status = SYC_OK;

    *out = find_limits(build, kernel, device);
    if (*out != NULL)
        return SYC_OK;
    SYC_TRY(syc_alloc(sizeof *granted + signature->count * sizeof granted->struct_sizes[0], &granted));
    SYC_TRY(syc_build_take_kernel(build, kernel, 0, &native));
    SYC_TRY(query_limits(build, native, device->lanes[SYC_LANE_POOL], &granted->limits));
    if (device->facts->understates_groups)
        granted->limits.max_group = device->max_group; /* what does not fit is refused by the launch */
    limit_by_scratch(build, kernel, &granted->limits);
    if (!syc__limit_by_stack(signature, device, &granted->limits))
        SYC_TRY(refuse_private(build, signature, device, &granted->limits));
    syc_device_retain(device);
    granted->device = device;
    find_struct_sizes(build, signature, granted);
    pthread_mutex_lock(&build->lock);
    granted->next = build->pools[kernel].granted;
    build->pools[kernel].granted = granted;
    pthread_mutex_unlock(&build->lock);
    *out = &granted->limits;
    granted = NULL;
done:
    if (native != NULL)
        syc_build_give_kernel(build, kernel, 0, native);
    syc_free(granted);
    return status;
}
