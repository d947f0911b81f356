/* Work on the calling thread that the team (base/team.h) helps with. */
#ifndef SYC_ALGO_SHARE_H
#define SYC_ALGO_SHARE_H

#include <stddef.h>

/* Does units 0 to before `units`, each once: all by the calling thread, or some by others of the team where they are
 * worth it. Nothing may depend on which, or on how many at a time. `ns`: all of it, by the careful estimates of here.
 */
void syc__host_share(size_t units, double ns, void (*work)(const void *payload, size_t first, size_t past),
                     const void *payload);

#endif
