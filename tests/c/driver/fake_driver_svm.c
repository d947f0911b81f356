/* The fake driver's shared memory: OpenCL's own, and Intel's extension. Memory that the host may not look at all the
 * time is two: commands work on the shadow, and what the host sees is brought up to date by mapping and spoilt by
 * unmapping, so that a test sees any look at the wrong time. */
#include "fake_driver.h"

#include <stdlib.h>
#include <string.h>

static fake_svm *living;

/* -- allocations -- */

fake_svm *fake_find_svm(const void *pointer)
{
    const char *at = pointer;
    for (fake_svm *s = living; s != NULL; s = s->next)
        if (s->object.handles > 0 && at >= s->pointer && at < s->pointer + s->size)
            return s;
    return NULL;
}

char *fake_resolve(const void *pointer, fake_svm **svm)
{
    *svm = fake_find_svm(pointer);
    return *svm != NULL ? (*svm)->shadow + ((const char *)pointer - (*svm)->pointer) : (char *)pointer;
}

void fake_end_svm(fake_svm *svm)
{
    fake_map *next;
    fake_svm **link = &living;
    while (*link != svm)
        link = &(*link)->next;
    *link = svm->next;
    fake_unuse(svm->context);
    fake_unuse(svm->device);
    for (fake_map *map = svm->maps; map != NULL; map = next) {
        next = map->next;
        free(map);
    }
    if (svm->shadow != svm->pointer)
        free(svm->shadow);
    free(svm->pointer);
}

/* [locked] */
static fake_svm *make(fake_context *context, fake_device *device, cl_uint type, size_t size, bool hidden)
{
    fake_svm *svm = fake_new(FAKE_SVM, sizeof *svm);
    fake_use(svm->context = context);
    if (device != NULL)
        fake_use(svm->device = device);
    svm->type = type;
    svm->size = size;
    svm->pointer = svm->shadow = fake_fresh(size);
    if (hidden) {
        svm->shadow = fake_fresh(size);
        memset(svm->pointer, 0xD5, size);
    }
    svm->next = living;
    living = svm;
    return svm;
}

static bool is_power(size_t number)
{
    return (number & (number - 1)) == 0;
}

void *fake_SVMAlloc(cl_context c, cl_bitfield flags, size_t size, cl_uint alignment)
{
    bool fine = (flags & CL_MEM_SVM_FINE_GRAIN_BUFFER) != 0;
    fake_context *context;
    void *pointer = NULL;
    if (fake_settings.svm == 0 || size == 0 || size > 1ull << 30 || !is_power(alignment) || alignment > 128 ||
        (fine && (fake_settings.svm & CL_DEVICE_SVM_FINE_GRAIN_BUFFER) == 0) || (flags & CL_MEM_SVM_ATOMICS) != 0)
        return NULL;
    fake_lock();
    context = fake_get(c, FAKE_CONTEXT);
    if (context != NULL)
        pointer = make(context, NULL, 0, size, !fine)->pointer;
    fake_unlock();
    return pointer;
}

/* [locked] Memory must not go before the commands that use it have ended. */
static fake_svm *find_to_free(cl_context c, const void *pointer)
{
    fake_svm *svm = fake_find_svm(pointer);
    if (fake_get(c, FAKE_CONTEXT) == NULL || svm == NULL || svm->pointer != pointer ||
        (void *)svm->context != (void *)c) {
        fake_count_error();
        return NULL;
    }
    if (svm->object.uses > 0)
        fake_count_error();
    return svm;
}

static cl_int free_memory(cl_context c, void *pointer)
{
    fake_svm *svm;
    if (pointer == NULL)
        return CL_SUCCESS;
    fake_lock();
    svm = find_to_free(c, pointer);
    fake_unlock();
    return svm != NULL ? fake_release(svm, FAKE_SVM, CL_INVALID_VALUE) : CL_INVALID_VALUE;
}

void fake_SVMFree(cl_context c, void *pointer)
{
    (void)free_memory(c, pointer);
}

cl_int fake_MemFreeINTEL(cl_context c, void *pointer)
{
    return free_memory(c, pointer);
}

static void *allocate(cl_context c, cl_device_id d, cl_uint type, const cl_properties *props, size_t size,
                      cl_uint alignment, cl_int *code)
{
    cl_int result = size == 0 || size > 1ull << 30 ? CL_INVALID_BUFFER_SIZE : CL_SUCCESS;
    fake_context *context;
    fake_device *device = NULL;
    void *pointer = NULL;
    if (!is_power(alignment) || alignment > 4096)
        result = CL_INVALID_VALUE;
    for (; props != NULL && *props != 0; props += 2)
        if (*props != CL_MEM_ALLOC_FLAGS_INTEL)
            result = CL_INVALID_PROPERTY;
    fake_lock();
    context = fake_get(c, FAKE_CONTEXT);
    if (context == NULL)
        result = CL_INVALID_CONTEXT;
    if (d != NULL && (device = fake_get(d, FAKE_DEVICE)) == NULL)
        result = CL_INVALID_DEVICE;
    if (d == NULL && type == CL_MEM_TYPE_DEVICE_INTEL)
        result = CL_INVALID_DEVICE;
    if (result == CL_SUCCESS)
        pointer = make(context, device, type, size, type == CL_MEM_TYPE_DEVICE_INTEL)->pointer;
    fake_unlock();
    return fake_give(code, result, pointer);
}

void *fake_HostMemAllocINTEL(cl_context c, const cl_properties *props, size_t size, cl_uint alignment, cl_int *code)
{
    return allocate(c, NULL, CL_MEM_TYPE_HOST_INTEL, props, size, alignment, code);
}

void *fake_DeviceMemAllocINTEL(cl_context c, cl_device_id d, const cl_properties *props, size_t size, cl_uint alignment,
                               cl_int *code)
{
    return allocate(c, d, CL_MEM_TYPE_DEVICE_INTEL, props, size, alignment, code);
}

void *fake_SharedMemAllocINTEL(cl_context c, cl_device_id d, const cl_properties *props, size_t size, cl_uint alignment,
                               cl_int *code)
{
    return allocate(c, d, CL_MEM_TYPE_SHARED_INTEL, props, size, alignment, code);
}

/* -- copies and fills -- */

/* [locked] What commands find at an address, and whether `size` bytes are there. */
static char *side(const void *pointer, size_t size, fake_svm **svm, cl_int *code)
{
    char *data = fake_resolve(pointer, svm);
    if (*svm != NULL && size > (*svm)->size - (size_t)((const char *)pointer - (*svm)->pointer))
        *code = CL_INVALID_VALUE;
    return data;
}

static cl_int copy(cl_command_queue q, cl_uint type, bool block, void *to, const void *from, size_t size, cl_uint n,
                   const cl_event *after, cl_event *event)
{
    const char *a = to, *b = from;
    fake_svm *to_svm, *from_svm;
    cl_int result = to == NULL || from == NULL || size == 0 ? CL_INVALID_VALUE : CL_SUCCESS;
    if (result == CL_SUCCESS && a < b + size && b < a + size)
        result = CL_MEM_COPY_OVERLAP;
    if (result != CL_SUCCESS)
        return result;
    fake_lock();
    {
        fake_move move = {.to = side(to, size, &to_svm, &result),
                          .from = side(from, size, &from_svm, &result),
                          .bytes = size,
                          .rows = 1,
                          .slices = 1};
        if (result == CL_SUCCESS)
            result = fake_enqueue_move(q, type, block, &move, to_svm, from_svm, n, after, event);
    }
    fake_unlock();
    return result;
}

static cl_int fill(cl_command_queue q, cl_uint type, void *to, const void *pattern, size_t pattern_size, size_t size,
                   cl_uint n, const cl_event *after, cl_event *event)
{
    fake_move move = {.bytes = size, .rows = 1, .slices = 1, .pattern_size = pattern_size};
    fake_svm *svm;
    cl_int result = CL_SUCCESS;
    if (to == NULL || pattern == NULL || size == 0 || pattern_size == 0 || pattern_size > 128 ||
        !is_power(pattern_size) || size % pattern_size != 0 || (size_t)to % pattern_size != 0)
        return CL_INVALID_VALUE;
    memcpy(move.pattern, pattern, pattern_size);
    fake_lock();
    move.to = side(to, size, &svm, &result);
    if (svm == NULL)
        result = CL_INVALID_VALUE;
    if (result == CL_SUCCESS)
        result = fake_enqueue_move(q, type, false, &move, svm, NULL, n, after, event);
    fake_unlock();
    return result;
}

cl_int fake_EnqueueSVMMemcpy(cl_command_queue q, cl_bool block, void *to, const void *from, size_t size, cl_uint n,
                             const cl_event *after, cl_event *event)
{
    if (fake_settings.svm == 0)
        return CL_INVALID_OPERATION;
    return copy(q, CL_COMMAND_SVM_MEMCPY, block, to, from, size, n, after, event);
}

cl_int fake_EnqueueSVMMemFill(cl_command_queue q, void *to, const void *pattern, size_t pattern_size, size_t size,
                              cl_uint n, const cl_event *after, cl_event *event)
{
    if (fake_settings.svm == 0)
        return CL_INVALID_OPERATION;
    return fill(q, CL_COMMAND_SVM_MEMFILL, to, pattern, pattern_size, size, n, after, event);
}

cl_int fake_EnqueueMemcpyINTEL(cl_command_queue q, cl_bool block, void *to, const void *from, size_t size, cl_uint n,
                               const cl_event *after, cl_event *event)
{
    return copy(q, CL_COMMAND_MEMCPY_INTEL, block, to, from, size, n, after, event);
}

cl_int fake_EnqueueMemFillINTEL(cl_command_queue q, void *to, const void *pattern, size_t pattern_size, size_t size,
                                cl_uint n, const cl_event *after, cl_event *event)
{
    return fill(q, CL_COMMAND_MEMFILL_INTEL, to, pattern, pattern_size, size, n, after, event);
}

/* -- hints -- */

static cl_int hint(cl_command_queue q, cl_uint type, const void *pointer, size_t size, cl_uint n, const cl_event *after,
                   cl_event *event)
{
    const fake_move nothing = {.rows = 0};
    fake_svm *svm;
    cl_int result = CL_SUCCESS;
    fake_lock();
    (void)side(pointer, size, &svm, &result);
    if (svm == NULL)
        result = CL_INVALID_VALUE;
    if (result == CL_SUCCESS)
        result = fake_enqueue_move(q, type, false, &nothing, svm, NULL, n, after, event);
    fake_unlock();
    return result;
}

/* Of several allocations the command holds the first. */
cl_int fake_EnqueueSVMMigrateMem(cl_command_queue q, cl_uint count, const void **pointers, const size_t *sizes,
                                 cl_bitfield flags, cl_uint n, const cl_event *after, cl_event *event)
{
    const cl_bitfield known = CL_MIGRATE_MEM_OBJECT_HOST | CL_MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED;
    bool found = count > 0 && pointers != NULL && (flags & ~known) == 0;
    if (fake_settings.svm == 0)
        return CL_INVALID_OPERATION;
    fake_lock();
    for (cl_uint i = 0; found && i < count; i++)
        found = fake_find_svm(pointers[i]) != NULL;
    fake_unlock();
    return found ? hint(q, CL_COMMAND_SVM_MIGRATE_MEM, pointers[0], sizes != NULL ? sizes[0] : 0, n, after, event)
                 : CL_INVALID_VALUE;
}

cl_int fake_EnqueueMigrateMemINTEL(cl_command_queue q, const void *pointer, size_t size, cl_bitfield flags, cl_uint n,
                                   const cl_event *after, cl_event *event)
{
    (void)flags;
    return hint(q, CL_COMMAND_MIGRATEMEM_INTEL, pointer, size, n, after, event);
}

cl_int fake_EnqueueMemAdviseINTEL(cl_command_queue q, const void *pointer, size_t size, cl_uint advice, cl_uint n,
                                  const cl_event *after, cl_event *event)
{
    (void)advice;
    return hint(q, CL_COMMAND_MEMADVISE_INTEL, pointer, size, n, after, event);
}

/* -- mapping -- */

cl_int fake_EnqueueSVMMap(cl_command_queue q, cl_bool block, cl_bitfield flags, void *pointer, size_t size, cl_uint n,
                          const cl_event *after, cl_event *event)
{
    const cl_bitfield known = CL_MAP_READ | CL_MAP_WRITE | CL_MAP_WRITE_INVALIDATE_REGION;
    cl_int result = flags == 0 || (flags & ~known) != 0 || size == 0 ? CL_INVALID_VALUE : CL_SUCCESS;
    fake_move move = {.rows = 0};
    fake_svm *svm;
    char *data;
    if (fake_settings.svm == 0)
        return CL_INVALID_OPERATION;
    fake_lock();
    data = side(pointer, size, &svm, &result);
    if (svm == NULL || svm->type != 0)
        result = CL_INVALID_VALUE;
    if (result == CL_SUCCESS && data != pointer && (flags & CL_MAP_WRITE_INVALIDATE_REGION) == 0)
        move = (fake_move){.to = pointer, .from = data, .bytes = size, .rows = 1, .slices = 1};
    if (result == CL_SUCCESS)
        result = fake_enqueue_move(q, CL_COMMAND_SVM_MAP, block, &move, svm, NULL, n, after, event);
    if (result == CL_SUCCESS) {
        fake_map *map = calloc(1, sizeof *map);
        if (map == NULL)
            abort();
        *map = (fake_map){.pointer = pointer, .size = size, .flags = flags, .next = svm->maps};
        svm->maps = map;
    }
    fake_unlock();
    return result;
}

/* [locked] The move that ends the mapping at an address; the record goes. */
static bool take_map(fake_svm *svm, const char *pointer, fake_move *move)
{
    fake_map **link = &svm->maps, *map;
    while (*link != NULL && (*link)->pointer != pointer)
        link = &(*link)->next;
    map = *link;
    if (map == NULL)
        return false;
    if (svm->shadow != svm->pointer) {
        bool written = (map->flags & ~(cl_bitfield)CL_MAP_READ) != 0;
        *move = (fake_move){.to = svm->shadow + (pointer - svm->pointer),
                            .from = pointer,
                            .bytes = map->size,
                            .rows = written,
                            .slices = 1,
                            .spoil = map->pointer,
                            .spoil_size = map->size};
    }
    *link = map->next;
    free(map);
    return true;
}

cl_int fake_EnqueueSVMUnmap(cl_command_queue q, void *pointer, cl_uint n, const cl_event *after, cl_event *event)
{
    fake_move move = {.rows = 0};
    cl_int result = CL_INVALID_VALUE;
    fake_queue *queue;
    fake_svm *svm;
    if (fake_settings.svm == 0)
        return CL_INVALID_OPERATION;
    fake_lock();
    svm = fake_find_svm(pointer);
    if (svm != NULL)
        result = fake_check_enqueue(q, n, after, &queue);
    if (svm != NULL && result == CL_SUCCESS && !take_map(svm, pointer, &move))
        result = CL_INVALID_VALUE;
    if (result == CL_SUCCESS)
        result = fake_enqueue_move(q, CL_COMMAND_SVM_UNMAP, false, &move, svm, NULL, n, after, event);
    else
        fake_count_error();
    fake_unlock();
    return result;
}
