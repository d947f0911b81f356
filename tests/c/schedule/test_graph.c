/* The log of commands: what each used, what it waited for, and that it keeps nothing alive. */
#include "scene.h"

#include "schedule/access.h"
#include "schedule/graph.h"
#include "schedule/host_task.h"

static syc_graph_record *records;
static size_t record_count;

static unsigned long long read_log(syc_queue *queue)
{
    unsigned long long number = 0;
    syc_free(records);
    records = NULL;
    CHECK_OK(syc_graph_records(queue, &records, &record_count, &number));
    return number;
}

/* The n-th record from the end. */
static const syc_graph_record *latest(size_t n)
{
    static const syc_graph_record none = {.kind = "none"};
    return n < record_count ? &records[record_count - 1 - n] : &none;
}

static syc_buffer *new_buffer(size_t bytes)
{
    syc_buffer *buffer = NULL;
    CHECK_OK(syc_buffer_create(&(syc_buffer_source){.bytes = bytes}, &buffer));
    return buffer;
}

static void names_and_arrays(void)
{
    syc_queue *queue, *other;
    unsigned long long number;
    syc_command *first, *second;
    const syc_graph_record *r;
    cl_uint log[4] = {0}, x = 0;

    open_scene();
    queue = new_queue(false);
    other = new_queue(true);
    CHECK_EQUAL(read_log(queue), 0); /* nothing of it yet */
    fake_hold(1);
    first = slow(queue, &x, 1);
    second = note(queue, log, 4, 1);
    number = read_log(queue);
    CHECK(number > 0);
    r = latest(1);
    CHECK_STRING(r->kind, "kernel");
    CHECK_STRING(r->name, "slow");
    CHECK_STRING(r->file, "scene.py");
    CHECK_EQUAL(r->line, 100);
    CHECK_EQUAL(r->queue, number);
    CHECK(!r->in_order);
    CHECK_EQUAL(r->use_count, 1);
    CHECK_EQUAL(r->uses[0].buffer, 0);
    CHECK_EQUAL(r->uses[0].low, (uintptr_t)&x);
    CHECK_EQUAL(r->uses[0].high, (uintptr_t)(&x + 1));
    CHECK(r->uses[0].write);
    CHECK_EQUAL(r->edge_count, 0);
    CHECK_EQUAL(latest(0)->edge_count, 0); /* they share nothing */
    CHECK_STRING(latest(0)->name, "order");
    CHECK(latest(0)->serial > r->serial);
    fake_hold(0);
    finish(first);
    finish(second);
    finish(note(other, log, 4, 2));
    CHECK(read_log(other) != number);
    CHECK(latest(0)->in_order);
    close_queue(queue);
    close_queue(other);
    syc_free(records);
    close_scene();
}

static const syc_graph_edge *edge_to(const syc_graph_record *record, unsigned long long serial)
{
    for (unsigned i = 0; i < record->edge_count && i < SYC_GRAPH_EDGES; i++) {
        if (record->edges[i].serial == serial)
            return &record->edges[i];
    }
    return NULL;
}

/* What was named and what was found, what had ended and what had not. */
static void edges(void)
{
    syc_queue *queue;
    syc_command *first, *second, *third, *fourth;
    const syc_graph_edge *edge;
    unsigned long long serial;
    cl_uint x = 0, log[4] = {0}, number = 1;
    syc_argument arguments[] = {array(log, sizeof log, true), value(&number)};

    open_scene();
    queue = new_queue(false);
    fake_hold(1);
    first = slow(queue, &x, 1);
    second = slow(queue, &x, 1);
    CHECK_OK(submit(queue, "order", arguments, 2, 1, 0, &first, 1, &third));
    fake_hold(0);
    CHECK_OK(syc_command_wait(third, 30 * SECOND));
    CHECK_OK(syc_command_wait(second, 30 * SECOND));
    CHECK_OK(submit(queue, "order", arguments, 2, 1, 0, &second, 1, &fourth));
    read_log(queue);
    serial = latest(3)->serial;
    edge = edge_to(latest(2), serial);
    CHECK(edge != NULL && !edge->named && edge->waited);
    edge = edge_to(latest(1), serial);
    CHECK(edge != NULL && edge->named && edge->waited);
    CHECK_EQUAL(latest(1)->edge_count, 1);
    edge = edge_to(latest(0), latest(2)->serial);
    CHECK(edge != NULL && edge->named && !edge->waited);
    finish(first);
    finish(second);
    finish(third);
    finish(fourth);
    close_queue(queue);
    syc_free(records);
    close_scene();
}

/* Buffers by their numbers; a host access is a node, too, and a transfer is told as one. */
static void buffers_and_accesses(void)
{
    syc_queue *queue;
    syc_buffer *buffer;
    syc_command *task, *access;
    unsigned long long id;
    const syc_graph_record *r;

    open_scene();
    queue = new_queue(false);
    buffer = new_buffer(256);
    id = buffer->id;
    {
        syc_need need = {.buffer = buffer, .low = 64, .bytes = 128, .write = true};
        syc_task host = {.ops = &syc_host_task_ops, .needs = &need, .need_count = 1};
        CHECK_OK(syc_queue_submit(queue, &host, NULL, 0, (syc_keep){0}, (syc_site){"host.py", 1, NULL}, &task));
        need = (syc_need){.buffer = buffer, .bytes = 256, .keep = true, .at_host = true};
        CHECK_OK(syc_access_begin(&need, (syc_keep){0}, (syc_site){"access.py", 2, NULL}, &access));
    }
    read_log(queue);
    r = latest(0);
    CHECK_STRING(r->kind, "host access");
    CHECK_EQUAL(r->queue, 0);
    CHECK_EQUAL(r->uses[0].buffer, id);
    CHECK_EQUAL(r->uses[0].high, 256);
    CHECK(!r->uses[0].write);
    CHECK(r->edge_count >= 1);
    for (size_t i = 0; i < record_count; i++) {
        if (strcmp(records[i].kind, "host task") == 0)
            r = &records[i];
    }
    CHECK_STRING(r->kind, "host task");
    CHECK_STRING(r->file, "host.py");
    CHECK_EQUAL(r->use_count, 1);
    CHECK_EQUAL(r->uses[0].buffer, id);
    CHECK_EQUAL(r->uses[0].low, 64);
    CHECK_EQUAL(r->uses[0].high, 192);
    CHECK(r->uses[0].write && !r->uses[0].keep);
    {
        syc_command *taken;
        void *payload;
        CHECK_OK(syc_host_task_take(30 * SECOND, &taken, &payload));
        syc_host_task_finish(taken, SYC_OK);
    }
    CHECK_OK(syc_access_wait(access, 30 * SECOND));
    syc_access_end(access);
    finish(task);
    close_queue(queue);
    syc_buffer_release(buffer);
    syc_free(records);
    close_scene(); /* the log still has the buffer's number, and holds nothing */
}

/* The log is a ring, and what does not fit into a record is counted. */
static void much(void)
{
    syc_queue *queue;
    syc_command *all[SYC_GRAPH_EDGES + 8], *last;
    unsigned long long serial = 0;

    open_scene();
    queue = new_queue(false);
    for (int i = 0; i < SYC_GRAPH_RECORDS + 10; i++)
        finish(empty(queue, NULL, 0));
    for (int i = 0; i < SYC_GRAPH_EDGES + 8; i++)
        all[i] = empty(queue, NULL, 0);
    last = empty(queue, all, SYC_GRAPH_EDGES + 8);
    read_log(queue);
    CHECK_EQUAL(record_count, SYC_GRAPH_RECORDS);
    for (size_t i = 0; i < record_count; i++) {
        CHECK(records[i].serial > serial);
        serial = records[i].serial;
    }
    CHECK_EQUAL(latest(0)->edge_count, SYC_GRAPH_EDGES + 8);
    for (int i = 0; i < SYC_GRAPH_EDGES + 8; i++)
        finish(all[i]);
    finish(last);
    close_queue(queue);
    syc_free(records);
    close_scene();
}

int main(void)
{
    FIND_FAKE_DRIVER;
    CHILD(SHARING, names_and_arrays);
    CHILD(COPYING, names_and_arrays);
    CHILD(SHARING, edges);
    CHILD(UNKNOWN, edges);
    CHILD(SHARING, buffers_and_accesses);
    CHILD(COPYING, buffers_and_accesses);
    CHILD(SHARING, much);
    return CHECK_EXIT_CODE;
}
