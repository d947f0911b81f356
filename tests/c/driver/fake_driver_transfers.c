/* The fake driver's commands on buffers: reads, writes, copies, boxes, fills, and mapping for the host. */
#include "fake_driver.h"

#include <stdlib.h>
#include <string.h>

/* -- runs of bytes -- */

static cl_int transfer(cl_command_queue q, cl_mem m, cl_uint type, bool block, size_t offset, size_t size, void *to,
                       const void *from, cl_uint n, const cl_event *after, cl_event *event)
{
    cl_int result = to == NULL && from == NULL ? CL_INVALID_VALUE : CL_SUCCESS;
    fake_mem *mem;
    fake_lock();
    mem = fake_get_mem(m, offset, size, &result);
    if (result == CL_SUCCESS) {
        fake_move move = {.to = to != NULL ? to : mem->data + offset,
                          .from = from != NULL ? from : mem->data + offset,
                          .bytes = size,
                          .rows = 1,
                          .slices = 1};
        result = fake_enqueue_move(q, type, block, &move, mem, NULL, n, after, event);
    }
    fake_unlock();
    return result;
}

cl_int fake_EnqueueReadBuffer(cl_command_queue q, cl_mem m, cl_bool block, size_t offset, size_t size, void *to,
                              cl_uint n, const cl_event *after, cl_event *event)
{
    return transfer(q, m, CL_COMMAND_READ_BUFFER, block, offset, size, to, NULL, n, after, event);
}

cl_int fake_EnqueueWriteBuffer(cl_command_queue q, cl_mem m, cl_bool block, size_t offset, size_t size,
                               const void *from, cl_uint n, const cl_event *after, cl_event *event)
{
    return transfer(q, m, CL_COMMAND_WRITE_BUFFER, block, offset, size, NULL, from, n, after, event);
}

static bool overlap(const char *a, const char *b, size_t size)
{
    return a < b + size && b < a + size;
}

cl_int fake_EnqueueCopyBuffer(cl_command_queue q, cl_mem from, cl_mem to, size_t from_offset, size_t to_offset,
                              size_t size, cl_uint n, const cl_event *after, cl_event *event)
{
    cl_int result = CL_SUCCESS;
    fake_mem *a, *b;
    fake_lock();
    a = fake_get_mem(from, from_offset, size, &result);
    b = fake_get_mem(to, to_offset, size, &result);
    if (result == CL_SUCCESS && overlap(a->data + from_offset, b->data + to_offset, size))
        result = CL_MEM_COPY_OVERLAP;
    if (result == CL_SUCCESS) {
        fake_move move = {
            .to = b->data + to_offset, .from = a->data + from_offset, .bytes = size, .rows = 1, .slices = 1};
        result = fake_enqueue_move(q, CL_COMMAND_COPY_BUFFER, false, &move, a, b, n, after, event);
    }
    fake_unlock();
    return result;
}

cl_int fake_EnqueueFillBuffer(cl_command_queue q, cl_mem m, const void *pattern, size_t pattern_size, size_t offset,
                              size_t size, cl_uint n, const cl_event *after, cl_event *event)
{
    cl_int result = CL_SUCCESS;
    fake_mem *mem;
    fake_lock();
    mem = fake_get_mem(m, offset, size, &result);
    if (result == CL_SUCCESS && (pattern == NULL || pattern_size == 0 || pattern_size > 128 ||
                                 (pattern_size & (pattern_size - 1)) != 0 || (offset | size) % pattern_size != 0))
        result = CL_INVALID_VALUE;
    if (result == CL_SUCCESS) {
        fake_move move = {
            .to = mem->data + offset, .bytes = size, .rows = 1, .slices = 1, .pattern_size = pattern_size};
        memcpy(move.pattern, pattern, pattern_size);
        result = fake_enqueue_move(q, CL_COMMAND_FILL_BUFFER, false, &move, mem, NULL, n, after, event);
    }
    fake_unlock();
    return result;
}

/* -- boxes -- */

/* Where a box lies in memory: its first byte, and how far rows and slices are apart. */
typedef struct place {
    size_t first, row, slice, end;
} place;

/* Pitches of 0 are those of a packed box. */
static cl_int find_box(const size_t *origin, const size_t *region, size_t row, size_t slice, place *out)
{
    if (origin == NULL || region == NULL || region[0] == 0 || region[1] == 0 || region[2] == 0)
        return CL_INVALID_VALUE;
    row = row != 0 ? row : region[0];
    slice = slice != 0 ? slice : region[1] * row;
    if (row < region[0] || slice < region[1] * row || slice % row != 0)
        return CL_INVALID_VALUE;
    *out = (place){.first = origin[2] * slice + origin[1] * row + origin[0], .row = row, .slice = slice};
    out->end = out->first + (region[2] - 1) * slice + (region[1] - 1) * row + region[0];
    return CL_SUCCESS;
}

static fake_move move_box(const size_t *region, char *to, const place *there, const char *from, const place *here)
{
    return (fake_move){.to = to + there->first,
                       .from = from + here->first,
                       .bytes = region[0],
                       .rows = region[1],
                       .slices = region[2],
                       .to_row = there->row,
                       .to_slice = there->slice,
                       .from_row = here->row,
                       .from_slice = here->slice};
}

cl_int fake_EnqueueReadBufferRect(cl_command_queue q, cl_mem m, cl_bool block, const size_t *origin,
                                  const size_t *host_origin, const size_t *region, size_t row, size_t slice,
                                  size_t host_row, size_t host_slice, void *to, cl_uint n, const cl_event *after,
                                  cl_event *event)
{
    place inside, outside;
    cl_int result = to == NULL ? CL_INVALID_VALUE : find_box(origin, region, row, slice, &inside);
    fake_mem *mem;
    if (result == CL_SUCCESS)
        result = find_box(host_origin, region, host_row, host_slice, &outside);
    if (result != CL_SUCCESS)
        return result;
    fake_lock();
    mem = fake_get_mem(m, 0, inside.end, &result);
    if (result == CL_SUCCESS) {
        fake_move move = move_box(region, to, &outside, mem->data, &inside);
        result = fake_enqueue_move(q, CL_COMMAND_READ_BUFFER_RECT, block, &move, mem, NULL, n, after, event);
    }
    fake_unlock();
    return result;
}

cl_int fake_EnqueueWriteBufferRect(cl_command_queue q, cl_mem m, cl_bool block, const size_t *origin,
                                   const size_t *host_origin, const size_t *region, size_t row, size_t slice,
                                   size_t host_row, size_t host_slice, const void *from, cl_uint n,
                                   const cl_event *after, cl_event *event)
{
    place inside, outside;
    cl_int result = from == NULL ? CL_INVALID_VALUE : find_box(origin, region, row, slice, &inside);
    fake_mem *mem;
    if (result == CL_SUCCESS)
        result = find_box(host_origin, region, host_row, host_slice, &outside);
    if (result != CL_SUCCESS)
        return result;
    fake_lock();
    mem = fake_get_mem(m, 0, inside.end, &result);
    if (result == CL_SUCCESS) {
        fake_move move = move_box(region, mem->data, &inside, from, &outside);
        result = fake_enqueue_move(q, CL_COMMAND_WRITE_BUFFER_RECT, block, &move, mem, NULL, n, after, event);
    }
    fake_unlock();
    return result;
}

/* Whether any run of one is touched by a run of the other. */
static bool runs_overlap(const fake_move *m)
{
    for (size_t i = 0; i < m->rows * m->slices; i++)
        for (size_t k = 0; k < m->rows * m->slices; k++)
            if (overlap(m->to + i / m->rows * m->to_slice + i % m->rows * m->to_row,
                        m->from + k / m->rows * m->from_slice + k % m->rows * m->from_row, m->bytes))
                return true;
    return false;
}

cl_int fake_EnqueueCopyBufferRect(cl_command_queue q, cl_mem from, cl_mem to, const size_t *from_origin,
                                  const size_t *to_origin, const size_t *region, size_t from_row, size_t from_slice,
                                  size_t to_row, size_t to_slice, cl_uint n, const cl_event *after, cl_event *event)
{
    place here, there;
    cl_int result = find_box(from_origin, region, from_row, from_slice, &here);
    fake_mem *a, *b;
    if (result == CL_SUCCESS)
        result = find_box(to_origin, region, to_row, to_slice, &there);
    if (result != CL_SUCCESS)
        return result;
    fake_lock();
    a = fake_get_mem(from, 0, here.end, &result);
    b = fake_get_mem(to, 0, there.end, &result);
    if (result == CL_SUCCESS && a == b && (here.row != there.row || here.slice != there.slice))
        result = CL_INVALID_VALUE;
    if (result == CL_SUCCESS) {
        fake_move move = move_box(region, b->data, &there, a->data, &here);
        result = overlap(a->data, b->data, a->size > b->size ? a->size : b->size) && runs_overlap(&move)
                     ? CL_MEM_COPY_OVERLAP
                     : fake_enqueue_move(q, CL_COMMAND_COPY_BUFFER_RECT, false, &move, a, b, n, after, event);
    }
    fake_unlock();
    return result;
}

/* -- mapping -- */

/* [locked] What the host will see: the bytes themselves where they are in host memory, else a copy. */
static fake_map *add_map(fake_mem *mem, cl_bitfield flags, size_t offset, size_t size)
{
    fake_map *map = calloc(1, sizeof *map);
    if (map == NULL)
        abort();
    *map = (fake_map){.offset = offset, .size = size, .flags = flags, .next = mem->maps};
    mem->maps = map;
    map->owns_memory = fake_settings.type == CL_DEVICE_TYPE_GPU && mem->host == NULL;
    map->pointer = map->owns_memory ? fake_fresh(size) : (mem->host != NULL ? (char *)mem->host : mem->data) + offset;
    return map;
}

/* [locked] Drops the record; the memory goes with the command that `move` is for. */
static void drop_map(fake_mem *mem, fake_map *map, fake_move *move)
{
    fake_map **link = &mem->maps;
    while (*link != map)
        link = &(*link)->next;
    *link = map->next;
    if (map->owns_memory && move != NULL)
        move->scratch = map->pointer;
    else if (map->owns_memory)
        free(map->pointer);
    free(map);
}

void *fake_EnqueueMapBuffer(cl_command_queue q, cl_mem m, cl_bool block, cl_bitfield flags, size_t offset, size_t size,
                            cl_uint n, const cl_event *after, cl_event *event, cl_int *code)
{
    const cl_bitfield known = CL_MAP_READ | CL_MAP_WRITE | CL_MAP_WRITE_INVALIDATE_REGION;
    cl_int result = flags == 0 || (flags & ~known) != 0 ? CL_INVALID_VALUE : CL_SUCCESS;
    char *pointer = NULL;
    fake_map *map = NULL;
    fake_mem *mem;
    fake_lock();
    mem = fake_get_mem(m, offset, size, &result);
    if (result == CL_SUCCESS && mem->type != CL_MEM_OBJECT_BUFFER)
        result = CL_INVALID_MEM_OBJECT;
    if (result == CL_SUCCESS) {
        fake_move move = {.rows = 0};
        map = add_map(mem, flags, offset, size);
        pointer = map->pointer;
        if (pointer != mem->data + offset && (flags & CL_MAP_WRITE_INVALIDATE_REGION) == 0)
            move = (fake_move){.to = pointer, .from = mem->data + offset, .bytes = size, .rows = 1, .slices = 1};
        result = fake_enqueue_move(q, CL_COMMAND_MAP_BUFFER, block, &move, mem, NULL, n, after, event);
        if (result != CL_SUCCESS) {
            drop_map(mem, map, NULL);
            pointer = NULL;
        }
    }
    fake_unlock();
    return fake_give(code, result, pointer);
}

cl_int fake_EnqueueUnmapMemObject(cl_command_queue q, cl_mem m, void *mapped, cl_uint n, const cl_event *after,
                                  cl_event *event)
{
    cl_int result = CL_INVALID_MEM_OBJECT;
    fake_map *map = NULL;
    fake_queue *queue;
    fake_mem *mem;
    fake_lock();
    mem = fake_get(m, FAKE_MEM);
    for (map = mem != NULL ? mem->maps : NULL; map != NULL && map->pointer != mapped; map = map->next)
        ;
    if (mem != NULL && map == NULL) {
        fake_count_error();
        result = CL_INVALID_VALUE;
    }
    if (map != NULL && (result = fake_check_enqueue(q, n, after, &queue)) == CL_SUCCESS) {
        fake_move move = {.rows = 0};
        char *to = mem->data + map->offset;
        if (map->pointer != to && (map->flags & ~(cl_bitfield)CL_MAP_READ) != 0)
            move = (fake_move){.to = to, .from = map->pointer, .bytes = map->size, .rows = 1, .slices = 1};
        drop_map(mem, map, &move);
        result = fake_enqueue_move(q, CL_COMMAND_UNMAP_MEM_OBJECT, false, &move, mem, NULL, n, after, event);
    }
    fake_unlock();
    return result;
}
