/* A buffer: bytes that live in several places at once, of which the core knows which are current.
 *
 * Places. A buffer has up to SYC_PLACES copies of its bytes:
 *  - HOST: storage in host memory: the user's own array where that can be used in place, else memory of our own.
 * Devices that share the host's memory work here, so PoCL, Intel's runtime and the host never copy between each other;
 *  - ORIGIN: the user's array where it cannot be the storage: read-only, strided or misaligned. It is read once, and
 *    written by the write-back alone. Kernels that only read may use it in place where its layout allows;
 *  - one place per OpenCL context whose devices have memory of their own.
 * A place gets its memory when it is first needed.
 *
 * Which copy of which byte is current is memory/copies.h. That plan is kept in submission order under the order lock
 * (schedule/): it says what will be current when all that was submitted has ended. This file knows no commands; what
 * schedule/ must remember per buffer (who uses which bytes) hangs on `hazards` and `arrivals`, which it owns.
 *
 * A sub-buffer is no object here: whoever uses a part names its bytes. So no alignment limit of a driver shows. */
#ifndef SYC_MEMORY_BUFFER_H
#define SYC_MEMORY_BUFFER_H

#include "base/keep.h"
#include "base/process.h"
#include "base/refcount.h"
#include "memory/copies.h"
#include "memory/hazard.h"
#include "memory/host_array.h"
#include "memory/image_format.h"

#include <pthread.h>

typedef struct syc_device syc_device; /* cl/device.h */
typedef struct syc_driver syc_driver; /* cl/driver.h */

typedef struct syc_buffer syc_buffer;

enum { SYC_PLACE_HOST, SYC_PLACE_ORIGIN, SYC_PLACE_DEVICE, SYC_PLACES = 32 };

/* A cl_mem for a run of a place's bytes, made when first asked for. */
typedef struct syc_view {
    const syc_driver *driver;
    cl_context context;
    unsigned place;
    size_t low, bytes;
    cl_mem memory;
    size_t users;      /* commands that hold it: it stays as long as there are any */
    uint64_t last_use; /* the oldest goes when there are too many */
} syc_view;

typedef struct syc_place {
    syc_context *context; /* retained; NULL: host memory, or not in use */
    cl_mem memory;        /* the whole of it, on a device */
    /* Under the order lock: */
    syc_hazards *arrivals; /* copies on their way here; NULL: none ever was */
    syc_keep queue;        /* schedule/: the queue of that context that copies from here are submitted to */
} syc_place;

/* Memory from the user's allocator: called without the GIL, on the thread that submits. */
typedef syc_status (*syc_allocate)(void *payload, size_t bytes, size_t alignment, SYC_GIVE char **data,
                                   SYC_GIVE syc_keep *keep);

struct syc_buffer {
    syc_refcount refs; /* the memory's: users' handles are counted in `handles` */
    atomic_size_t handles;
    size_t bytes;          /* may be 0: such a buffer has no memory anywhere */
    unsigned long long id; /* for graphs and reprs, from 1 */
    syc_image_shape image; /* rank 0: no image */
    pthread_mutex_t lock;  /* of the fields down to `views`; a leaf: nothing else is locked under it */
    char *host;            /* HOST storage; NULL: not needed yet */
    bool host_is_users;    /* it is the user's array, in place */
    bool keeps_address;    /* use_host_ptr: the host's view must be at the user's address */
    syc_keep host_keep;    /* what keeps `host` alive */
    syc_allocate allocate; /* NULL: our own allocation */
    syc_keep allocator;
    syc_host_array origin; /* bytes > 0: there is an ORIGIN place */
    bool origin_in_place;  /* kernels may read it where it is */
    syc_keep origin_keep;
    syc_context *bound; /* context_bound: usable there only; retained */
    syc_place places[SYC_PLACES];
    size_t place_count; /* places in use, from SYC_PLACE_DEVICE on; grows under `lock` */
    syc_view *views;
    size_t view_count, view_room;
    /* Under the order lock: */
    syc_copies copies;
    syc_hazards *hazards; /* who uses which bytes */
    char *lost_site;      /* where the command that lost them was submitted; NULL: unknown */
    syc_failure *lost;    /* why the bytes that copies calls lost are */
    bool written;         /* a command that writes was submitted, or a writing host access began */
};

/* How a buffer begins. */
typedef struct syc_buffer_source {
    size_t bytes;
    const syc_host_array *array; /* NULL: no host data, contents undefined */
    bool in_place;         /* the array may be the storage: writable, packed, aligned, and meant to be written back */
    bool keeps_address;    /* use_host_ptr: the array must be the storage, or SYC_E_INVALID_PARAMETER */
    syc_keep keep;         /* keeps the array alive; taken, also on failure */
    syc_allocate allocate; /* with `allocator`, taken too */
    syc_keep allocator;
    syc_context *bound;           /* borrowed */
    const syc_image_shape *image; /* NULL: not an image */
} syc_buffer_source;

/* One reference and one handle. Reads no array and makes no OpenCL object yet. */
syc_status syc_buffer_create(SYC_KEEP const syc_buffer_source *source, SYC_GIVE syc_buffer **out);
/* Wraps memory objects made elsewhere (interop), of one context: retained. */
syc_status syc_buffer_from_native(cl_mem memory, SYC_KEEP syc_context *context, SYC_GIVE syc_buffer **out);
void syc_buffer_retain(syc_buffer *buffer);
void syc_buffer_release(syc_buffer *buffer); /* NULL is fine; never blocks: commands hold what they use */

/* The place where commands of `device` in `context` work on the buffer; makes the memory there (and host storage, where
 * a copy will pass through it). SYC_E_INVALID_OBJECT: bound to another context. SYC_E_MEMORY_ALLOCATION: nothing has
 * changed. Call without the order lock. */
syc_status syc_buffer_settle(syc_buffer *buffer, SYC_KEEP syc_context *context, SYC_KEEP const syc_device *device,
                             unsigned *place);
/* Makes the HOST storage. */
syc_status syc_buffer_settle_host(syc_buffer *buffer);

/* True if `place` is a device's own memory (or image). */
static inline bool syc_place_is_device(unsigned place)
{
    return place >= SYC_PLACE_DEVICE;
}

/* A cl_mem for bytes [low, low + bytes) at `place`, usable in `context`, held for a command until let go of. NULL in
 * `out` with SYC_OK: the device has no sub-buffer there (its alignment), so a copy must stand in for it. */
syc_status syc_buffer_hold_view(syc_buffer *buffer, unsigned place, SYC_KEEP syc_context *context, size_t low,
                                size_t bytes, cl_mem *out);
void syc_buffer_drop_view(syc_buffer *buffer, cl_mem view);

/* The user's array stops being the storage; it becomes the ORIGIN. Order lock held, no command uses the buffer. False
 * if some view of it is in use all the same. The caller sees to `copies`. */
bool syc__buffer_spare(syc_buffer *buffer);
void syc__buffer_drop_views(syc_buffer *buffer); /* all of them: the buffer goes */

/* The memory objects that stand for bytes [low, low + bytes) by now, one per OpenCL context: made when the first
 * command there used just these bytes, valid as long as the buffer. syc_free. */
syc_status syc_buffer_natives(syc_buffer *buffer, size_t low, size_t bytes, SYC_GIVE cl_mem **out, size_t *count);

/* Address of byte `low` at the HOST or ORIGIN place (packed origin only). */
char *syc_buffer_address(SYC_KEEP const syc_buffer *buffer, unsigned place, size_t low);

#endif
