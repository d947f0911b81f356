/* Host tasks: commands whose work is done by a thread of the caller's, in its own language.
 *
 * When all that a host task depends on has ended, and the buffers that it needs are current at the host, it is ready:
 * a worker takes it, does the work and says how it went. The core runs no foreign code and knows no workers but those
 * that ask. */
#ifndef SYC_SCHEDULE_HOST_TASK_H
#define SYC_SCHEDULE_HOST_TASK_H

#include "memory/buffer.h"
#include "schedule/command.h"

/* Takes the oldest ready host task, retained; `payload` is that of its submission's keep. Waits at most `timeout_ns`.
 * SYC_TIMEOUT: there is none. SYC_E_CLOSED: there will be none any more. */
syc_status syc_host_task_take(uint64_t timeout_ns, SYC_GIVE syc_command **out, void **payload);
/* Ends it. A status that is not SYC_OK is its asynchronous failure, and this thread's last. */
void syc_host_task_finish(SYC_TAKE syc_command *command, syc_status status);
/* Between take and finish: the memory object in which the task's device sees bytes [low, low + bytes) of a buffer that
 * the task needs there, valid until the task is finished. SYC_E_INVALID_OBJECT: the task does not need it, or the
 * device has no sub-buffer at that alignment. */
syc_status syc_host_task_memory(syc_command *command, SYC_KEEP const syc_buffer *buffer, size_t low, size_t bytes,
                                SYC_KEEP cl_mem *out);

#endif
