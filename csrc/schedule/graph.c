/* The log of commands. Writing a record allocates nothing and touches a few cache lines, since every submission does.
 */
#include "schedule/graph.h"

#include "base/alloc.h"
#include "program/program.h"
#include "schedule/order.h"
#include "source/declarations/signature.h"

#include <stdio.h>
#include <string.h>

/* Under the order lock: record n lies at n % SYC_GRAPH_RECORDS. */
static syc_graph_record records[SYC_GRAPH_RECORDS];
static unsigned long long recorded, queues;

static const char *kind_of(const struct syc__work *work)
{
    switch (work->ops->kind) {
    case SYC_TASK_LAUNCH:
        return "kernel";
    case SYC_TASK_COPY:
        return "copy";
    case SYC_TASK_FILL:
        return "fill";
    case SYC_TASK_HINT:
        return work->hint.prefetch ? "prefetch" : "advice";
    case SYC_TASK_REPLAY:
        return "replay";
    case SYC_TASK_HOST:
        return "host task";
    case SYC__MOVE:
        return "transfer";
    case SYC__ACCESS:
        return "host access";
    default:
        return work->need_count > 0 ? "update" : "empty";
    }
}

static void copy_name(char *name, const char *from)
{
    size_t length = strnlen(from, SYC_GRAPH_NAME - 1);
    memcpy(name, from, length);
    name[length] = '\0';
}

static const char *transfer_name(const struct syc__move *move)
{
    static const char *const names[3][3] = {{"host to host", "host to array", "host to device"},
                                            {"array to host", "array to array", "array to device"},
                                            {"device to host", "device to array", "device to device"}};
    unsigned from = move->from < SYC_PLACE_DEVICE ? move->from : SYC_PLACE_DEVICE;
    unsigned to = move->to < SYC_PLACE_DEVICE ? move->to : SYC_PLACE_DEVICE;
    return names[from][to];
}

static const char *name_of(const struct syc__work *work)
{
    if (work->ops->kind == SYC_TASK_LAUNCH && work->launch.program != NULL)
        return syc_program_signatures(work->launch.program)->items[work->launch.kernel].name;
    return work->ops->kind == SYC__MOVE ? transfer_name(&work->move) : "";
}

void syc__graph_describe(const struct syc__work *work, const char **kind, char name[SYC_GRAPH_NAME])
{
    *kind = kind_of(work);
    copy_name(name, name_of(work));
}

static void add_use(syc_graph_record *record, syc_graph_use use)
{
    if (record->use_count < SYC_GRAPH_USES)
        record->uses[record->use_count] = use;
    record->use_count++;
}

static void add_uses(syc_graph_record *record, const struct syc__work *work)
{
    const syc_hazards *host = syc__hazards_locked();
    if (work->ops->kind == SYC__MOVE)
        add_use(record,
                (syc_graph_use){work->move.buffer->id, work->move.low, work->move.high, .write = false, .keep = true});
    for (size_t i = 0; i < work->need_count; i++) {
        const syc_need *n = &work->needs[i];
        add_use(record, (syc_graph_use){n->buffer->id, n->low, n->low + n->bytes, n->write, n->keep});
    }
    for (size_t i = 0; i < work->use_count; i++) {
        const struct syc__use *u = &work->uses[i];
        if (u->map == host)
            add_use(record, (syc_graph_use){0, u->low, u->high, u->write, .keep = true});
    }
}

static bool is_waited_for(const syc_command *command)
{
    return !syc_command_ended(command) || command->failure != NULL;
}

static void add_edge(syc_graph_record *record, const syc_command *on, bool named, bool waited)
{
    if (record->edge_count < SYC_GRAPH_EDGES)
        record->edges[record->edge_count] = (syc_graph_edge){on->serial, named, waited};
    record->edge_count++;
}

static bool is_one_of(const syc_command *command, syc_command *const *all, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (all[i] == command)
            return true;
    }
    return false;
}

/* Of its dependencies those come first that were named and had not ended, and last among them is the one that an
 * in-order queue makes. */
static void add_edges(syc_graph_record *record, const syc_command *command, syc_command *const *after, size_t count)
{
    size_t named = command->named_count;
    for (size_t i = 0; i < count; i++)
        add_edge(record, after[i], true, is_waited_for(after[i]));
    if (named > 0 && !is_one_of(command->after[named - 1], after, count))
        add_edge(record, command->after[named - 1], false, true);
    for (size_t i = named; i < command->after_count; i++)
        add_edge(record, command->after[i], false, true);
}

unsigned long long syc__graph_number_locked(syc_queue *queue)
{
    if (queue->graph_id == 0)
        queue->graph_id = ++queues;
    return queue->graph_id;
}

/* Behind the line between the two texts of a scan, if it is there: no word of the user's. */
static const char *behind_seam(const char *body)
{
    const char *end = strncmp(body, "\n}{", 3) == 0 ? strchr(body + 1, '\n') : NULL;
    return end != NULL ? end : body;
}

/* What there is room for of the text, on one line and behind what is there. */
static void add_line(char *name, size_t n, const char *body)
{
    for (; *body != '\0' && n < SYC_GRAPH_NAME - 1; body++) {
        body = behind_seam(body);
        const bool blank = *body == ' ' || *body == '\n' || *body == '\t' || *body == '\r';
        if (!blank || (n > 0 && name[n - 1] != ' '))
            name[n++] = blank ? ' ' : *body;
    }
    while (n > 0 && (name[n - 1] == ' ' || (name[n - 1] & 0xC0) == 0x80)) /* no half of a letter */
        n--;
    name[n] = '\0';
}

_Static_assert((int)SYC_PROGRAM_TITLE == (int)SYC_GRAPH_NAME, "a title is a name");

/* Bodies are known by their texts, unless they were given names; those of the package's functions by the function,
 * too. A program's own is made once. */
static void name_body_locked(syc_graph_record *record, const struct syc__work *work)
{
    const char *body = work->ops->kind == SYC_TASK_LAUNCH && work->launch.program != NULL
                           ? syc_program_body(work->launch.program)
                           : NULL;
    size_t n = 0;
    if (body == NULL || strcmp(record->name, "body") != 0)
        return;
    if (work->site.call != NULL) {
        n = (size_t)snprintf(record->name, SYC_GRAPH_NAME / 2, "%s(): ", work->site.call);
        add_line(record->name, n < SYC_GRAPH_NAME / 2 ? n : SYC_GRAPH_NAME / 2 - 1, body);
        return;
    }
    char *title = syc_program_title(work->launch.program);
    if (*title == '\0')
        add_line(title, 0, body);
    memcpy(record->name, title, SYC_GRAPH_NAME);
}

void syc__graph_record_locked(syc_command *command, syc_command *const *after, size_t after_count)
{
    syc_graph_record *record = &records[recorded % SYC_GRAPH_RECORDS];
    const struct syc__work *work = command->work;

    command->graph_at = recorded++;
    record->serial = command->serial;
    record->queue = command->queue != NULL ? syc__graph_number_locked(command->queue) : 0;
    record->in_order = command->queue != NULL && command->queue->options.in_order;
    syc__graph_describe(work, &record->kind, record->name);
    name_body_locked(record, work);
    record->file = work->site.file;
    record->line = work->site.line;
    record->took_ns = 0;
    record->use_count = record->edge_count = 0;
    add_uses(record, work);
    add_edges(record, command, after, after_count);
}

void syc__graph_time_locked(const syc_command *command)
{
    syc_graph_record *record = &records[command->graph_at % SYC_GRAPH_RECORDS];
    if (record->serial == command->serial)
        record->took_ns = command->times.end - command->times.start;
}

syc_status syc_graph_records(syc_queue *queue, syc_graph_record **out, size_t *count, unsigned long long *number)
{
    syc_graph_record *copy = NULL;
    unsigned long long first;
    size_t n;
    syc_status status = syc_alloc_array(SYC_GRAPH_RECORDS, sizeof *copy, &copy);

    if (status != SYC_OK)
        return status;
    syc__order_lock();
    n = recorded < SYC_GRAPH_RECORDS ? (size_t)recorded : SYC_GRAPH_RECORDS;
    first = recorded - n;
    for (size_t i = 0; i < n; i++)
        copy[i] = records[(first + i) % SYC_GRAPH_RECORDS];
    *number = queue != NULL ? queue->graph_id : 0;
    syc__order_unlock();
    *out = copy;
    *count = n;
    return SYC_OK;
}
