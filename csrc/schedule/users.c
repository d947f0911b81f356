/* The commands in flight that use an allocation: searched for on demand, so that submissions keep no list. */
#include "schedule/users.h"

#include "schedule/order.h"

static bool uses(const syc_command *command, const syc_usm *usm)
{
    const struct syc__work *work = command->work;
    for (size_t i = 0; work != NULL && i < work->allocation_count; i++) {
        if (work->allocations[i] == usm)
            return true;
    }
    return false;
}

/* One of them, retained; NULL if there is none. */
static syc_command *find_user(const syc_usm *usm)
{
    syc_command *found = NULL;
    syc__order_lock();
    for (syc_queue *queue = syc__queues_locked; queue != NULL && found == NULL; queue = queue->next) {
        for (syc_command *c = queue->oldest; c != NULL && found == NULL; c = c->in_flight_next)
            found = uses(c, usm) ? c : NULL;
    }
    if (found != NULL)
        syc_command_retain(found);
    syc__order_unlock();
    return found;
}

syc_status syc_usm_await_users(const syc_usm *usm, uint64_t timeout_ns)
{
    uint64_t end = syc_now_ns() + timeout_ns;
    syc_command *command;
    syc_status status = SYC_OK;
    while (status == SYC_OK && (command = find_user(usm)) != NULL) {
        uint64_t now = syc_now_ns();
        status = now < end ? syc_command_wait(command, end - now) : SYC_TIMEOUT;
        syc_command_release(command);
    }
    return status;
}
