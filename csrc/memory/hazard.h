/* Which commands in flight use which bytes: the interval map from which dependencies between commands are inferred.
 * A writer waits for all users of its bytes, a reader for the last writer only. Not locked: the caller holds the order
 * lock. */
#ifndef SYC_MEMORY_HAZARD_H
#define SYC_MEMORY_HAZARD_H

#include "base/status.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct syc_hazards syc_hazards;
typedef struct syc_command syc_command;

syc_status syc_hazards_create(SYC_GIVE syc_hazards **out);
void syc_hazards_free(SYC_TAKE syc_hazards *map);
/* Calls `each(command, user)` for every command that a use of [low, high) must wait for, possibly more than once. */
void syc_hazards_visit(SYC_KEEP syc_hazards *map, uintptr_t low, uintptr_t high, bool write,
                       void (*each)(syc_command *, void *), void *user);
/* Makes room for one use, so that recording it cannot fail: a command with several uses reserves all of them first,
 * because a use that was recorded cannot be taken back without losing what it replaced. Without memory nothing changes.
 * Room that comes to no use goes with the next removal in that range. */
syc_status syc_hazards_reserve(SYC_KEEP syc_hazards *map, uintptr_t low, uintptr_t high, bool write);
/* Records the use that room was made for. The map borrows the command: remove it before the command goes. */
void syc_hazards_use(SYC_KEEP syc_hazards *map, uintptr_t low, uintptr_t high, bool write, syc_command *command);
/* Forgets every use by `command` in [low, high), the range it was recorded with. */
void syc_hazards_remove(SYC_KEEP syc_hazards *map, uintptr_t low, uintptr_t high, syc_command *command);
/* Segments held, for tests: 0 when nothing is in flight. */
size_t syc_hazards_count(SYC_KEEP const syc_hazards *map);

#endif
