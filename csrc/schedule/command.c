/* Commands as objects: life, dependencies, what can be asked of them. */
#include "schedule/command.h"

#include "base/alloc.h"
#include "base/text.h"
#include "cl/driver.h"
#include "program/program.h"
#include "schedule/order.h"
#include "source/declarations/signature.h"

static atomic_ullong newest;

unsigned long long syc__command_newest(void)
{
    return atomic_load_explicit(&newest, memory_order_relaxed);
}

syc_status syc__command_create(syc_queue *queue, syc_context *context, syc_command **out)
{
    syc_command *command = NULL;
    syc_status status = syc_alloc(sizeof *command, &command);
    if (status != SYC_OK)
        return status;
    command->serial = atomic_fetch_add_explicit(&newest, 1, memory_order_relaxed) + 1;
    syc_refcount_init(&command->refs);
    if (queue != NULL)
        syc_queue_retain(queue);
    command->queue = queue;
    if (context != NULL)
        syc_context_retain(context);
    command->context = context;
    syc_live_add(SYC_LIVE_COMMAND, 1);
    *out = command;
    return SYC_OK;
}

void syc_command_retain(syc_command *command)
{
    syc_refcount_retain(&command->refs);
}

static void release_event(const syc_command *command, cl_event event)
{
    if (event == NULL)
        return;
    syc_event_let_go(command->context, event);
    syc_live_add(SYC_LIVE_CL_EVENT, -1);
}

void syc_command_release(syc_command *command)
{
    if (command == NULL || !syc_refcount_release(&command->refs))
        return;
    /* In flight a command is held by the in-flight list: here it is complete, foreign, or was never submitted. */
    release_event(command, command->native);
    release_event(command, command->first);
    release_event(command, command->launched);
    syc__work_free(command, command->work);
    syc__command_drop_after(command);
    syc_failure_free(command->failure);
    syc_failure_free(command->doom);
    syc_free(command->failed_site);
    syc_queue_release(command->queue);
    syc_context_release(command->context);
    syc_free(command);
    syc_live_add(SYC_LIVE_COMMAND, -1);
}

syc_status syc__command_depend_locked(syc_command *command, syc_command *on)
{
    syc_status status;
    if (on == command || on->last_dependent == command->serial)
        return SYC_OK;
    status = syc_grow(&command->after, &command->after_room, command->after_count + 1, sizeof *command->after);
    if (status != SYC_OK)
        return status;
    syc_command_retain(on);
    command->after[command->after_count++] = on;
    on->last_dependent = command->serial;
    return SYC_OK;
}

void syc__command_drop_after(syc_command *command)
{
    for (size_t i = 0; i < command->after_count; i++)
        syc_command_release(command->after[i]);
    syc_free(command->after);
    command->after = NULL;
    command->after_count = command->after_room = 0;
}

syc_status syc_command_dependencies(syc_command *command, syc_command ***out, size_t *count)
{
    syc_command **copy = NULL;
    syc_status status = SYC_OK;

    syc__order_lock();
    SYC_TRY(syc_alloc_array(command->after_count, sizeof(syc_command *), &copy));
    for (size_t i = 0; i < command->after_count; i++) {
        copy[i] = command->after[i];
        syc_command_retain(copy[i]);
    }
    *count = command->after_count;
    *out = copy;
done:
    syc__order_unlock();
    return status;
}

bool syc_command_ended(const syc_command *command)
{
    return syc__state_of(command) == SYC__COMPLETE;
}

bool syc_command_is_awaited(const syc_command *command)
{
    return command->awaited;
}

const syc_failure *syc_command_failure(const syc_command *command)
{
    return syc_command_ended(command) ? command->failure : NULL;
}

const char *syc_command_failed_site(const syc_command *command)
{
    return syc_command_ended(command) ? command->failed_site : NULL;
}

syc_queue *syc_command_queue(const syc_command *command)
{
    return command->queue;
}

char *syc__command_site(const syc_command *command)
{
    const struct syc__work *work = command->work != NULL ? syc__work_failed(command->work) : NULL;
    syc_text text = {0};
    if (work == NULL || work->site.file == NULL)
        return NULL;
    syc_text_add(&text, "%s:%d", work->site.file, work->site.line);
    return syc_text_take(&text);
}

const char *syc__command_name(const syc_command *command)
{
    const struct syc__work *work = command->work != NULL ? syc__work_failed(command->work) : NULL;
    if (work == NULL)
        return "a foreign command";
    if (work->ops->kind != SYC_TASK_LAUNCH)
        return work->ops->word;
    return syc_program_signatures(work->launch.program)->items[work->launch.kernel].name;
}

syc_status syc__refuse_recorded(const syc_command *command, const char *what)
{
    if (syc__state_of(command) != SYC__RECORDED)
        return SYC_OK;
    return syc_fail(SYC_E_INVALID, SYC_HERE,
                    "%s: the event stands for a command that was recorded and not submitted: it is of use in "
                    "depends_on of the same recording only; a replay returns an event of its own",
                    what);
}

syc_status syc_command_times(const syc_command *command, syc_times *out)
{
    syc_status status = SYC_OK;
    SYC_TRY(syc__refuse_recorded(command, "profiling"));
    SYC_CHECK(command->queue == NULL || command->queue->options.profiling, SYC_E_INVALID_OBJECT,
              "the event has no profiling information: its queue was made without enable_profiling=True");
    if (command->untimed != 0 && command->failure == NULL) {
        status = syc_fail_cl_as(SYC_E_PROFILING, SYC_HERE, "clGetEventProfilingInfo", command->untimed,
                                "the event has no profiling information: the driver refuses it with code %d",
                                command->untimed);
        goto done;
    }
    SYC_CHECK(command->timed, SYC_E_PROFILING, "the event has no profiling information: %s",
              command->failure != NULL ? "its command failed" : "the driver gave none");
    *out = command->times;
done:
    return status;
}

syc_status syc_command_from_native(cl_event native, syc_context *context, syc_command **out)
{
    syc_status status = SYC_OK;
    syc_driver *driver = syc_driver_of_handle(native);
    syc_command *command = NULL;
    cl_context of_event = NULL;

    SYC_TRY(syc_process_check());
    SYC_CHECK(driver != NULL, SYC_E_INVALID_OBJECT, "%p is not a cl_event of a loaded driver", (void *)native);
    SYC_CL(&driver->cl, GetEventInfo, (native, CL_EVENT_CONTEXT, sizeof of_event, &of_event, NULL));
    SYC_CHECK(of_event == context->native, SYC_E_INVALID_OBJECT, "the cl_event belongs to another context");
    SYC_TRY(syc__command_create(NULL, context, &command));
    SYC_CL(&driver->cl, RetainEvent, (native));
    syc_live_add(SYC_LIVE_CL_EVENT, 1);
    command->native = native;
    syc__set_state(command, SYC__ENQUEUED);
    *out = command;
    command = NULL;
done:
    syc_command_release(command);
    return status;
}

void syc_command_native_release(syc_command *command, cl_event native)
{
    release_event(command, native);
}
