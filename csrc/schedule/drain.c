/* The end of the process: waiting for what is in flight, for a bounded time, and saying what could not be waited for.
 */
#include "base/alloc.h"
#include "base/text.h"
#include "schedule/companion.h"
#include "schedule/order.h"

#include <string.h>

/* The oldest command in flight of one of the queues that have any, retained: `turn` goes round them. NULL: there is
 * none.
 */
static syc_command *any_in_flight(size_t turn)
{
    syc_command *found = NULL;
    size_t busy = 0;
    syc__order_lock();
    for (const syc_queue *q = syc__queues_locked; q != NULL; q = q->next)
        busy += q->oldest != NULL;
    turn = busy > 0 ? turn % busy : 0;
    for (const syc_queue *q = syc__queues_locked; q != NULL && found == NULL; q = q->next) {
        if (q->oldest != NULL && turn-- == 0)
            found = q->oldest;
    }
    if (found != NULL)
        syc_command_retain(found);
    syc__order_unlock();
    return found;
}

/* The description under way: commands that look the same, one after the other, are one line. */
struct lines {
    syc_text *text;
    char *last;
    size_t times, lines, unsaid;
};

static void end_line(struct lines *to)
{
    enum { MOST_LINES = 20 };
    if (to->last == NULL)
        return;
    if (to->lines++ >= MOST_LINES)
        to->unsaid += to->times;
    else if (to->times == 1)
        syc_text_add(to->text, "%s\n", to->last);
    else
        syc_text_add(to->text, "%s, %zu times\n", to->last, to->times);
    syc_free(to->last);
    to->last = NULL;
}

static void describe(const syc_command *command, struct lines *to)
{
    char *site = syc__command_site(command);
    syc_text text = {0};
    char *line;

    syc_text_add(&text, "%s: '%s' on %s", site != NULL ? site : "?", syc__command_name(command),
                 syc_device_name(command->queue->device));
    syc_free(site);
    line = syc_text_take(&text);
    if (line != NULL && to->last != NULL && strcmp(line, to->last) == 0) {
        to->times++;
        syc_free(line);
        return;
    }
    end_line(to);
    to->last = line;
    to->times = 1;
}

/* Everything still in flight; the lock keeps each from completing under our hands. */
static size_t describe_all(syc_text *text)
{
    struct lines to = {.text = text};
    size_t count = 0;
    syc__order_lock();
    for (syc_queue *q = syc__queues_locked; q != NULL; q = q->next) {
        for (syc_command *c = q->oldest; c != NULL; c = c->in_flight_next, count++)
            describe(c, &to);
    }
    syc__order_unlock();
    end_line(&to);
    if (to.unsaid > 0)
        syc_text_add(text, "and %zu more\n", to.unsaid);
    return count;
}

size_t syc_schedule_drain(uint64_t timeout_ns, char **description)
{
    enum { NAP_NS = 5000000 };
    uint64_t began = syc_now_ns(), waited = 0;
    syc_text text = {0};
    syc_command *command;
    size_t left = 0, turn = 0;

    *description = NULL;
    if (!syc_process_alive()) /* a forked child: what is in flight is its parent's */
        return 0;
    while (waited < timeout_ns && syc_process_alive() && (command = any_in_flight(turn)) != NULL) {
        syc_status status = syc_command_wait(command, timeout_ns - waited);
        syc_command_release(command);
        if (status != SYC_OK && status != SYC_TIMEOUT) { /* this queue's driver fails: the others' work still counts */
            turn++;
            syc_sleep_ns(NAP_NS);
        }
        waited = syc_now_ns() - began;
    }
    left = describe_all(&text);
    *description = syc_text_take(&text);
    return left;
}

/* Late errors that nobody fetched are said now: later nobody could. The report hook only stores them. */
static void report_errors_locked(syc_queue *queue)
{
    for (struct syc__late *late = queue->errors, *next; late != NULL; late = next) {
        syc_text text = {0};
        syc_detail detail = syc_failure_detail(late->error.failure);
        next = late->next;
        syc_text_add(&text, "never fetched: %s%s%s", detail.message, late->error.site != NULL ? ", submitted at " : "",
                     late->error.site != NULL ? late->error.site : "");
        if (detail.status != SYC_E_CLOSED) /* what did not run for that reason is in the drain's description */
            syc_report(syc_fail(detail.status, SYC_HERE, "%s", syc_text_get(&text)));
        syc_text_clear(&text);
        syc_failure_free(late->error.failure);
        syc_free(late->error.site);
        syc_free(late);
    }
    queue->errors = NULL;
    queue->errors_end = NULL;
}

void syc_schedule_refuse(void)
{
    if (!syc_process_alive())
        return;
    atomic_store(&syc__closing, true);
    syc__host_tasks_close();
}

void syc_schedule_close(uint64_t patience_ns)
{
    struct timespec deadline = syc_deadline(patience_ns);
    uint64_t began = syc_now_ns();

    if (!syc_process_alive()) /* the dispatchers and the errors are the parent's */
        return;
    syc_schedule_refuse();
    syc__companion_close(patience_ns);
    syc__order_lock();
    while (syc__dispatchers_locked > 0 && syc_now_ns() - began < patience_ns)
        syc__order_wait_locked(&deadline);
    for (syc_queue *queue = syc__queues_locked; queue != NULL; queue = queue->next)
        report_errors_locked(queue);
    syc__order_unlock();
}
