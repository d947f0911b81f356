/* Trials of bodies in a form: lowered, planned and given its hidden arguments as a user's launch is. */
#include "algo/lower/room.h"
#include "algo/selftest/parts.h"

#include "base/alloc.h"
#include "body/body.h"
#include "cl/device.h"
#include "source/declarations/signature.h"

/* Elements from one index of the name's dimension to the next, SYCL's order: arrays are as large as the range. */
static uint64_t pitch_of(const syc_geometry *range, unsigned part)
{
    uint64_t pitch = 1;
    for (unsigned d = 0; part + 1 + d < range->dims; d++)
        pitch *= range->global[d];
    return pitch;
}

static void add_number(syc__trial *trial, size_t size, uint64_t number)
{
    trial->values[trial->value_count++] = (struct syc__trial_value){.size = size, .bytes = number};
}

static void add_local(syc__trial *trial, uint64_t bytes)
{
    trial->values[trial->value_count++] = (struct syc__trial_value){.kind = SYC__TRIAL_LOCAL, .size = bytes};
}

static syc_status add_partials(syc__trial *trial, const syc_room *room)
{
    void *partials = NULL;
    syc_status status = SYC_OK;

    SYC_TRY(syc__trial_buffer(trial, syc_room_bytes(room), &partials));
    trial->values[trial->value_count++] =
        (struct syc__trial_value){.kind = SYC__TRIAL_BUFFER, .bytes = trial->buffer_count - 1};
done:
    return status;
}

static syc_status add_hidden(syc__trial *trial, const syc_room *room, const syc_geometry *range,
                             const syc_hidden *hidden)
{
    const size_t index = hidden->index;
    syc_status status = SYC_OK;

    switch (hidden->kind) {
    case SYC_HIDDEN_PARTIALS:
        SYC_TRY(add_partials(trial, room));
        break;
    case SYC_HIDDEN_SHARED:
        add_local(trial, syc_room_shared(room));
        break;
    case SYC_HIDDEN_ROOM:
        add_local(trial, syc_room_local(room, index));
        break;
    case SYC_HIDDEN_PLACE:
        add_number(trial, sizeof(uint64_t), syc_room_place(room, index));
        break;
    case SYC_HIDDEN_STEP:
        add_number(trial, sizeof(uint64_t), syc_room_step(room, index));
        break;
    case SYC_HIDDEN_PITCH:
        add_number(trial, sizeof(uint64_t), pitch_of(range, hidden->part));
        break;
    case SYC_HIDDEN_LENGTH:
        add_number(trial, sizeof(uint64_t), trial->buffers[index].size / room->names[index].size);
        break;
    case SYC_HIDDEN_IDENTITY: /* zeros */
        add_number(trial, room->names[index].size, 0);
        break;
    default:
        add_number(trial, sizeof(uint64_t), syc_lower_value(room->lowering, range, hidden));
        break;
    }
done:
    return status;
}

static syc_status add_arguments(syc__trial *trial, const syc_lowered *lowered, const syc_body_source *source,
                                const syc_lowering *lowering, const syc_geometry *range)
{
    syc_status status = SYC_OK;
    syc_room room;

    syc_room_of(source->names, source->count, lowering, range, &room);
    trial->named = trial->buffer_count;
    for (size_t i = 0; i < source->count; i++)
        if (source->names[i].kind == SYC_NAME_LOCAL)
            add_local(trial, source->names[i].size * room.group_items);
    for (size_t i = 0; i < lowered->hidden_count; i++)
        SYC_TRY(add_hidden(trial, &room, range, &lowered->hidden[i]));
done:
    return status;
}

syc_status syc__trial_form(syc__trial *trial, const syc_body_source *source, const syc_lowering *lowering,
                           const syc_geometry *range)
{
    const syc_kernel_limits limits = {.max_group = trial->device->max_group};
    const syc_lowered *lowered = NULL;
    syc_body *body = NULL;
    syc_status status = SYC_OK;

    SYC_TRY(syc_body_create(source, &body));
    SYC_TRY(syc_body_lower(body, &lowering->form, &lowered));
    syc_program_retain(lowered->program);
    trial->program = lowered->program;
    SYC_TRY(syc_lower_plan(trial->device, lowering, &syc_program_signatures(lowered->program)->items[0], &limits, 0,
                           range, &trial->launch));
    SYC_TRY(add_arguments(trial, lowered, syc_body_source_of(body), lowering, range)); /* as it was read */
done:
    syc_body_release(body);
    return status;
}
