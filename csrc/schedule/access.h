/* Host access: the host's own use of a buffer, as a node of the graph. It waits for what came before it, and what is
 * submitted while it lasts waits for it where the two conflict. Destroying a buffer is one, too. */
#ifndef SYC_SCHEDULE_ACCESS_H
#define SYC_SCHEDULE_ACCESS_H

#include "memory/buffer.h"
#include "memory/need.h"
#include "schedule/command.h"

/* Registers the access in submission order; copies of what is elsewhere are on their way. Does not wait. The access
 * belongs to the calling thread (see syc_command_is_stuck). */
syc_status syc_access_begin(SYC_KEEP const syc_need *need, SYC_TAKE syc_keep keep, syc_site site,
                            SYC_GIVE syc_command **out);
/* Waits at most `timeout_ns` until the host may touch the memory: SYC_TIMEOUT, or SYC_E_ACCESSOR when it never will be
 * granted because this very thread holds an access that must end first, or the failure of what wrote the bytes. */
syc_status syc_access_wait(syc_command *access, uint64_t timeout_ns);
/* The memory, once granted. */
char *syc_access_data(SYC_KEEP const syc_command *access);
/* Where the host sees byte `low` of a buffer that a command uses at the host: a granted access, or a host task that
 * runs. NULL if it does not use it there. */
char *syc_command_host_address(SYC_KEEP const syc_command *command, SYC_KEEP const syc_buffer *buffer, size_t low);
/* Ends the access, granted or not. Drops the caller's reference. */
void syc_access_end(SYC_TAKE syc_command *access);

/* True if the command waits, however indirectly, for a host access that the calling thread holds: waiting for it here
 * would never end. */
bool syc_command_is_stuck(SYC_KEEP syc_command *command);

/* Brings the user's array up to date: the last step of a buffer that is to be written back. Registers the copies and
 * returns the last, which is to be waited for; NULL when there is nothing to do. Bytes that a failed command has spoilt
 * are left as the array has them. */
syc_status syc_buffer_write_back(syc_buffer *buffer, SYC_TAKE syc_keep keep, syc_site site, SYC_GIVE syc_command **out);
/* From now on the user's array is only read, until it is written back: where it was the storage, storage of our own
 * takes its place. False where it is too late for that: something writes to the buffer, or uses it at this moment, or
 * the array has to be the storage. */
bool syc_buffer_spare_array(syc_buffer *buffer);
/* The user may change the array from now on: after a write-back, no other copy counts any more. */
void syc_buffer_hand_over(syc_buffer *buffer);
/* True while commands or accesses use the buffer. */
bool syc_buffer_in_use(syc_buffer *buffer);

/* Where bytes [low, low + bytes) are current, for reprs: places in words, "" for nowhere. syc_free. */
char *syc_buffer_where(syc_buffer *buffer, size_t low, size_t bytes);

#endif
