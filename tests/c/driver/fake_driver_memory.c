/* The fake driver's buffers and sub-buffers, and what memory objects answer. */
#include "fake_driver.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define ANSWER(object) return fake_answer(&(object), sizeof(object), size, value, got)

/* Large ones, which pinned memory is, in large pages and not filled to the end: a scenario of faults has 128 MiB of it,
 * a hundred times, and the thread sanitizer writes four bytes of its own for each that is filled. */
char *fake_fresh(size_t size)
{
    const size_t large = 2u << 20, filled = 4u << 20;
    void *memory = NULL;
    if (posix_memalign(&memory, size < large ? 4096 : large, size + 1) != 0)
        abort();
    if (size >= large)
        (void)madvise(memory, size, MADV_HUGEPAGE);
    return memset(memory, 0xA5, size < filled ? size : filled);
}

fake_mem *fake_make_mem(fake_context *context, cl_uint type, cl_bitfield flags, size_t size, void *host)
{
    fake_mem *mem = fake_new(FAKE_MEM, sizeof *mem);
    fake_use(mem->context = context);
    mem->type = type;
    mem->flags = flags;
    mem->size = size;
    mem->host = (flags & CL_MEM_USE_HOST_PTR) != 0 ? host : NULL;
    mem->owns_data = mem->host == NULL || fake_settings.type == CL_DEVICE_TYPE_GPU;
    mem->data = mem->owns_data ? fake_fresh(size) : host;
    return mem;
}

void fake_end_mem(fake_mem *mem)
{
    fake_map *map, *next;
    fake_unuse(mem->context);
    fake_unuse(mem->parent);
    if (mem->owns_data)
        free(mem->data);
    for (map = mem->maps; map != NULL; map = next) {
        next = map->next;
        if (map->owns_memory)
            free(map->pointer);
        free(map);
    }
}

fake_mem *fake_get_mem(cl_mem handle, size_t offset, size_t size, cl_int *code)
{
    fake_mem *mem = fake_get(handle, FAKE_MEM);
    if (mem == NULL)
        *code = CL_INVALID_MEM_OBJECT;
    else if (size == 0 || offset > mem->size || size > mem->size - offset)
        *code = CL_INVALID_VALUE;
    return mem;
}

cl_mem fake_CreateBuffer(cl_context c, cl_bitfield flags, size_t size, void *host, cl_int *code)
{
    const cl_bitfield from_host = CL_MEM_USE_HOST_PTR | CL_MEM_COPY_HOST_PTR;
    fake_context *context;
    fake_mem *mem = NULL;
    cl_int result = size == 0 || size > 1ull << 30 ? CL_INVALID_BUFFER_SIZE : CL_SUCCESS;
    if (result == CL_SUCCESS && (host != NULL) != ((flags & from_host) != 0))
        result = CL_INVALID_HOST_PTR;
    if (result == CL_SUCCESS && (flags & CL_MEM_USE_HOST_PTR) != 0 &&
        (flags & (CL_MEM_COPY_HOST_PTR | CL_MEM_ALLOC_HOST_PTR)) != 0)
        result = CL_INVALID_VALUE;
    fake_lock();
    context = fake_get(c, FAKE_CONTEXT);
    if (context == NULL)
        result = CL_INVALID_CONTEXT;
    if (result == CL_SUCCESS) {
        mem = fake_make_mem(context, CL_MEM_OBJECT_BUFFER, flags, size, host);
        if (mem->owns_data && host != NULL)
            memcpy(mem->data, host, size);
    }
    fake_unlock();
    return fake_give(code, result, mem);
}

static cl_int check_region(const fake_mem *whole, const cl_buffer_region *region)
{
    if (whole->type != CL_MEM_OBJECT_BUFFER || whole->parent != NULL)
        return CL_INVALID_MEM_OBJECT;
    if (region == NULL || region->origin > whole->size || region->size > whole->size - region->origin)
        return CL_INVALID_VALUE;
    if (region->size == 0)
        return CL_INVALID_BUFFER_SIZE;
    return region->origin % fake_settings.alignment != 0 ? CL_MISALIGNED_SUB_BUFFER_OFFSET : CL_SUCCESS;
}

cl_mem fake_CreateSubBuffer(cl_mem m, cl_bitfield flags, cl_uint type, const void *what, cl_int *code)
{
    const cl_bitfield allowed = CL_MEM_READ_WRITE | CL_MEM_WRITE_ONLY | CL_MEM_READ_ONLY | CL_MEM_HOST_WRITE_ONLY |
                                CL_MEM_HOST_READ_ONLY | CL_MEM_HOST_NO_ACCESS;
    const cl_buffer_region *region = what;
    fake_mem *whole, *part = NULL;
    cl_int result = type != CL_BUFFER_CREATE_TYPE_REGION || (flags & ~allowed) != 0 ? CL_INVALID_VALUE : CL_SUCCESS;
    fake_lock();
    whole = fake_get(m, FAKE_MEM);
    if (whole == NULL)
        result = CL_INVALID_MEM_OBJECT;
    if (result == CL_SUCCESS)
        result = check_region(whole, region);
    if (result == CL_SUCCESS) {
        part = fake_new(FAKE_MEM, sizeof *part);
        fake_use(part->context = whole->context);
        fake_use(part->parent = whole);
        part->type = CL_MEM_OBJECT_BUFFER;
        part->flags = flags != 0 ? flags : whole->flags;
        part->origin = region->origin;
        part->size = region->size;
        part->host = whole->host != NULL ? (char *)whole->host + region->origin : NULL;
        part->data = whole->data + region->origin;
    }
    fake_unlock();
    return fake_give(code, result, part);
}

cl_int fake_RetainMemObject(cl_mem m)
{
    return fake_retain(m, FAKE_MEM, CL_INVALID_MEM_OBJECT);
}

cl_int fake_ReleaseMemObject(cl_mem m)
{
    return fake_release(m, FAKE_MEM, CL_INVALID_MEM_OBJECT);
}

static cl_uint count_maps(const fake_mem *mem)
{
    cl_uint count = 0;
    for (const fake_map *map = mem->maps; map != NULL; map = map->next)
        count++;
    return count;
}

static cl_int mem_answer(const fake_mem *m, cl_uint what, size_t size, void *value, size_t *got)
{
    switch (what) {
    case CL_MEM_TYPE:
        ANSWER(m->type);
    case CL_MEM_FLAGS:
        ANSWER(m->flags);
    case CL_MEM_SIZE:
        ANSWER(m->size);
    case CL_MEM_HOST_PTR:
        ANSWER(m->host);
    case CL_MEM_MAP_COUNT:
        ANSWER((cl_uint){count_maps(m)});
    case CL_MEM_REFERENCE_COUNT:
        ANSWER((cl_uint){(cl_uint)m->object.handles});
    case CL_MEM_CONTEXT:
        ANSWER(m->context);
    case CL_MEM_ASSOCIATED_MEMOBJECT:
        ANSWER(m->parent);
    case CL_MEM_OFFSET:
        ANSWER(m->origin);
    case CL_MEM_USES_SVM_POINTER:
        ANSWER((cl_bool){m->host != NULL && fake_find_svm(m->host) != NULL});
    default:
        return CL_INVALID_VALUE;
    }
}

cl_int fake_GetMemObjectInfo(cl_mem handle, cl_uint what, size_t size, void *value, size_t *got)
{
    const fake_mem *mem;
    cl_int result = CL_INVALID_MEM_OBJECT;
    fake_lock();
    mem = fake_get(handle, FAKE_MEM);
    if (mem != NULL)
        result = mem_answer(mem, what, size, value, got);
    fake_unlock();
    return result;
}
