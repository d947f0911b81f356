/* What the tests of buffers share: needs, arguments and submissions in short words. */
#ifndef SYC_TESTS_BUFFERS_H
#define SYC_TESTS_BUFFERS_H

#include "memory/need.h"
#include "scene.h"
#include "schedule/access.h"

static inline syc_buffer *wrap(cl_uint *data, size_t count)
{
    syc_host_array span = {.data = (char *)data, .bytes = count * 4, .alignment = 4, .packed = true, .item_size = 4};
    syc_buffer_source source = {.bytes = count * 4, .array = &span, .in_place = true};
    syc_buffer *buffer = NULL;
    CHECK_OK(syc_buffer_create(&source, &buffer));
    return buffer;
}

static inline syc_buffer *sized(size_t count)
{
    syc_buffer_source source = {.bytes = count * 4};
    syc_buffer *buffer = NULL;
    CHECK_OK(syc_buffer_create(&source, &buffer));
    return buffer;
}

/* Elements [low, low + count). */
static inline syc_need need(syc_buffer *buffer, size_t low, size_t count, bool write, bool keep)
{
    return (syc_need){.buffer = buffer, .low = low * 4, .bytes = count * 4, .write = write, .keep = keep};
}

static inline syc_argument part(size_t index, const syc_need *needs)
{
    return (syc_argument){.kind = SYC_ARGUMENT_BUFFER,
                          .size = needs[index].bytes,
                          .buffer = {.need = index, .low = needs[index].low, .alignment = 4}};
}

static inline syc_status submit_with(syc_queue *queue, const char *name, const syc_need *needs, size_t need_count,
                                     const syc_argument *arguments, size_t count, size_t items, long line,
                                     syc_command **out)
{
    const syc_signatures *all = syc_program_signatures(program);
    syc_task task = {
        .ops = &syc_launch_ops,
        .needs = needs,
        .need_count = need_count,
        .launch = {.program = program,
                   .kernel = (size_t)(syc_signatures_find(all, name) - all->items),
                   .geometry = {.dims = 1, .global = {items, 1, 1}, .local = {1, 1, 1}, .cost_ns = scene_cost},
                   .arguments = arguments,
                   .argument_count = count}};
    atomic_fetch_add(&kept, 1);
    return syc_queue_submit(queue, &task, NULL, 0, (syc_keep){let_go_of, NULL}, (syc_site){"scene.py", (int)line, NULL},
                            out);
}

/* y[i] += 1 on elements [low, low + count). */
static inline syc_command *bump(syc_queue *queue, syc_buffer *buffer, size_t low, size_t count)
{
    cl_uint n = (cl_uint)count;
    syc_need needs[] = {need(buffer, low, count, true, true)};
    syc_argument arguments[] = {part(0, needs), value(&n)};
    syc_command *command = NULL;
    return must(submit_with(queue, "bump", needs, 1, arguments, 2, count, 400, &command), &command);
}

/* y[i] = x[i], forgetting what y held. */
static inline syc_command *mirror(syc_queue *queue, syc_buffer *y, size_t to, syc_buffer *x, size_t from, size_t count)
{
    cl_uint n = (cl_uint)count;
    syc_need needs[] = {need(y, to, count, true, false), need(x, from, count, false, true)};
    syc_argument arguments[] = {part(0, needs), part(1, needs), value(&n)};
    syc_command *command = NULL;
    return must(submit_with(queue, "mirror", needs, 2, arguments, 3, count, 410, &command), &command);
}

static inline syc_command *open_access(syc_buffer *buffer, size_t low, size_t count, bool write)
{
    syc_need wanted = need(buffer, low, count, write, true);
    syc_command *access = NULL;
    wanted.at_host = true;
    CHECK_OK(syc_access_begin(&wanted, (syc_keep){0}, (syc_site){"scene.py", 420, NULL}, &access));
    if (access != NULL)
        CHECK_OK(syc_access_wait(access, 30 * SECOND));
    return access;
}

/* What the buffer holds, by a host access. */
static inline cl_uint element(syc_buffer *buffer, size_t index)
{
    syc_command *access = open_access(buffer, index, 1, false);
    cl_uint value = access != NULL ? *(cl_uint *)(void *)syc_access_data(access) : 0;
    syc_access_end(access);
    return value;
}

/* As the end of the buffer's life does. */
static inline void write_back(syc_buffer *buffer)
{
    syc_command *access = NULL;
    for (int i = 0; i < 10; i++) {
        CHECK_OK(syc_buffer_write_back(buffer, (syc_keep){0}, (syc_site){0}, &access));
        if (access == NULL)
            return;
        CHECK_OK(syc_access_wait(access, 30 * SECOND));
        syc_access_end(access);
    }
    CHECK(!"written back in ten rounds");
}

#endif
