/* Memory for the partial results of a form with reducers: a counter and what each group leaves. It is zeros when it is
 * made, and each launch leaves the counter 0 as it was, so nothing has to be set up before a launch. A few pieces are
 * kept for the launches to come. */
#ifndef SYC_BODY_PARTIALS_H
#define SYC_BODY_PARTIALS_H

#include "base/status.h"

#include <stddef.h>

struct syc_buffer;                      /* memory/buffer.h */
typedef struct syc_context syc_context; /* cl/context.h */
typedef struct syc_partials syc_partials;

syc_status syc_partials_create(SYC_GIVE syc_partials **out);
void syc_partials_free(SYC_TAKE syc_partials *partials); /* NULL is fine */

/* At least `bytes` for a launch in `context`: a piece that no command holds, or where many are under way one that will
 * have to wait for its turn, which the buffer's own order of commands sees to. Any thread. */
syc_status syc_partials_take(syc_partials *partials, SYC_KEEP const syc_context *context, size_t bytes,
                             SYC_GIVE struct syc_buffer **out);

#endif
