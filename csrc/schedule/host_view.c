/* The host's view of buffers, and the bytes that it keeps. */
#include "schedule/access.h"

#include "schedule/order.h"

char *syc_command_host_address(const syc_command *command, const syc_buffer *buffer, size_t low)
{
    const struct syc__work *work = command->work;
    for (size_t i = 0; work != NULL && i < work->need_count; i++) {
        const syc_need *n = &work->needs[i];
        if (n->buffer == buffer && n->at_host && n->low <= low && low - n->low < n->bytes)
            return syc_buffer_address(buffer, n->place, low);
    }
    return NULL;
}

/* Current bytes of the storage are current in the array now: they were one. */
static void rename_places(syc_copies *copies)
{
    enum { STORAGE = 1U << SYC_PLACE_HOST, ARRAY = 1U << SYC_PLACE_ORIGIN };
    for (size_t i = 0; i < copies->count; i++) {
        syc_copy_segment *s = &copies->items[i];
        s->valid = (s->valid & ~STORAGE) | ((s->valid & STORAGE) != 0 ? ARRAY : 0);
        s->settled = (s->settled & ~STORAGE) | ((s->settled & STORAGE) != 0 ? ARRAY : 0);
    }
}

bool syc_buffer_spare_array(syc_buffer *buffer)
{
    bool spared;
    syc__order_lock();
    spared = buffer->host_is_users && !buffer->keeps_address && !buffer->written &&
             syc_hazards_count(buffer->hazards) == 0 && syc__buffer_spare(buffer);
    if (spared)
        rename_places(&buffer->copies);
    spared = spared || !buffer->host_is_users;
    syc__order_unlock();
    return spared;
}
