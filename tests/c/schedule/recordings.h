/* What the tests of recordings share. */
#ifndef SYC_TESTS_RECORDINGS_H
#define SYC_TESTS_RECORDINGS_H

#include "buffers.h"
#include "schedule/replay/record.h"

static inline syc_recording *begin(syc_queue *queue)
{
    syc_recording *recording = NULL;
    CHECK_OK(syc_recording_begin(queue, &recording));
    CHECK(syc_queue_is_recorded(queue));
    return recording;
}

static inline syc_status replay_with(syc_recording *recording, const syc_replacement *changes, size_t count,
                                     syc_command **out)
{
    syc_replay *replay = NULL;
    syc_status status = syc_replay_create(recording, changes, count, &replay);
    if (status != SYC_OK)
        return status;
    atomic_fetch_add(&kept, 1);
    status =
        syc_replay_submit(replay, false, NULL, 0, (syc_keep){let_go_of, NULL}, (syc_site){"replay.py", 9, NULL}, out);
    syc_replay_release(replay);
    return status;
}

static inline syc_command *replay(syc_recording *recording)
{
    syc_command *command = NULL;
    return must(replay_with(recording, NULL, 0, &command), &command);
}

static inline syc_buffer *filled(cl_uint *data, size_t count, cl_uint from)
{
    for (size_t i = 0; i < count; i++)
        data[i] = from + (cl_uint)i;
    return wrap(data, count);
}

static inline void drop(syc_buffer *buffer)
{
    atomic_fetch_sub(&buffer->handles, 1);
    write_back(buffer);
    syc_buffer_release(buffer);
}

#endif
