/* A complete OpenCL driver made of plain C, for tests that must come out the same every time. It computes nothing but
 * a few kernels, known by name (fake_driver_kernels.c); it counts every object and every misuse of a handle.
 *
 * One lock guards everything, and one condition is signalled whenever anything changes. Functions marked [locked]
 * expect the caller to hold it. Environment, read when the platform is first listed:
 *   FAKE_PLATFORM_NAME  "Fake"
 *   FAKE_VERSION        "OpenCL 3.0 Fake"
 *   FAKE_DEVICES        1..4, default 1
 *   FAKE_DEVICE_NAMES   names with ':' between, default "Fake device <n>"
 *   FAKE_UNITS          compute units, 4
 *   FAKE_TYPE           cpu, or gpu: then CL_MEM_USE_HOST_PTR makes a copy that only mapping brings back, what is
 *                       mapped is a copy too, and a write reads the host's memory when it is enqueued
 *   FAKE_LAZY           1: commands start only when flushed
 *   FAKE_FATAL          1: a command that fails is the end of its context: all that comes after it there fails, and
 *                       questions about any are answered with its code
 *   FAKE_ALIGN          bytes that a sub-buffer's origin must be a multiple of, 128
 *   FAKE_IMAGES         0: no images
 *   FAKE_SVM            none (the default), coarse (the host sees the bytes only while they are mapped) or fine
 *   FAKE_INTEL_USM      1: cl_intel_unified_shared_memory. The host never sees the bytes of device memory
 *   FAKE_STICKY         1: an argument that held an SVM pointer refuses a buffer ever after
 *   FAKE_LACKS          any of compiler, linker, fp64: the devices say that they have none
 *   FAKE_PROFILE        FULL_PROFILE
 *   FAKE_BUILT_IN       names of kernels that the devices have built in, ';' between
 *   FAKE_LOCAL_THREAD   1: cl_intel_exec_by_local_thread, in name
 *   FAKE_SUB_GROUPS     1: the devices have sub-groups, of 8 work-items
 *   FAKE_BINARY         none: executable programs have no binaries; refused, unwanted: nothing is made of any, with a
 *                       code or by their status; unbuildable: what is made of them does not build
 *   FAKE_NO_ICD         1: no clIcdGetPlatformIDsKHR, plain symbols only
 *   FAKE_ABORT          load: the process aborts when platforms are listed; build: when a program is built
 *   FAKE_NONSENSE       no-platforms, null-platform, many-platforms, twin-platform, null-dispatch, bad-version,
 *                       no-devices, device-error, zero-units, short-info */
#ifndef SYC_TESTS_FAKE_DRIVER_H
#define SYC_TESTS_FAKE_DRIVER_H

#include "cl/constants.h"
#include "cl/entries.h"

#include <pthread.h>
#include <stdbool.h>

typedef enum fake_kind {
    FAKE_PLATFORM,
    FAKE_DEVICE,
    FAKE_CONTEXT,
    FAKE_QUEUE,
    FAKE_MEM,
    FAKE_SVM, /* shared memory of either kind */
    FAKE_SAMPLER,
    FAKE_PROGRAM,
    FAKE_KERNEL,
    FAKE_EVENT,
    FAKE_KINDS
} fake_kind;

/* What every object begins with. It lives while either count is above zero; a handle is good only while `handles` is.
 */
typedef struct fake_object {
    const void *dispatch;
    fake_kind kind;
    bool is_root;             /* the platform and its devices: not counted, never freed */
    long handles;             /* references that the application holds */
    long uses;                /* references that other objects hold */
    struct fake_object *next; /* in its bucket */
} fake_object;

typedef struct fake_platform {
    fake_object object;
} fake_platform;

typedef struct fake_device {
    fake_object object;
    struct fake_device *parent; /* NULL for a root device */
    char name[64];
    cl_uint units;
    cl_device_partition_property partition[8]; /* how it was made, ending with 0 */
    size_t partition_words;
} fake_device;

typedef struct fake_context {
    fake_object object;
    fake_device *devices[16];
    cl_uint device_count;
    int lost; /* the code of a failure that was the end of it; 0: of none */
} fake_context;

/* What is mapped for the host. */
typedef struct fake_map {
    char *pointer; /* what the host got */
    size_t offset, size;
    cl_bitfield flags;
    bool owns_memory;
    struct fake_map *next;
} fake_map;

/* A buffer, sub-buffer or image. */
typedef struct fake_mem {
    fake_object object;
    fake_context *context;
    struct fake_mem *parent; /* of a sub-buffer */
    cl_bitfield flags;
    cl_uint type;
    size_t size, origin;
    void *host; /* as given to clCreateBuffer */
    char *data;
    bool owns_data;
    fake_map *maps;
    cl_image_format format; /* of an image, as are all below */
    size_t pixel, extent[3], row, slice;
} fake_mem;

/* An allocation that has one address everywhere. Where the host may not look at any time, commands work on a shadow. */
typedef struct fake_svm {
    fake_object object;
    fake_context *context;
    fake_device *device; /* NULL: of none */
    cl_uint type;        /* CL_MEM_TYPE_*_INTEL; 0: OpenCL's own */
    char *pointer, *shadow;
    size_t size;
    fake_map *maps;
    struct fake_svm *next;
} fake_svm;

typedef struct fake_sampler {
    fake_object object;
    fake_context *context;
    cl_bool normalized;
    cl_uint addressing, filtering;
} fake_sampler;

typedef struct fake_program {
    fake_object object;
    fake_context *context;
    char *source, *options, *log;
    int build_status;
    cl_uint type; /* CL_PROGRAM_BINARY_TYPE_* */
    bool binary;  /* made of anything but source */
    bool packed;  /* made of the binary of an executable one */
} fake_program;

enum { FAKE_ARGUMENTS = 4, FAKE_KERNEL_LIMIT = 256, FAKE_DEVICE_LIMIT = 1024 };

typedef struct fake_argument {
    bool set;
    void *object; /* a buffer, image, sampler or shared memory; NULL for a value and for a null pointer */
    fake_kind kind;
    char *data; /* where a pointer leads to, and how many bytes are there */
    size_t room;
    unsigned char value[8];
} fake_argument;

typedef struct fake_kernel_type {
    const char *name, *signature; /* per argument: p pointer or image, s sampler, f float, u uint */
    /* Runs over the global range; returns the command's final status. */
    int (*run)(const fake_argument *arguments, const size_t *offset, const size_t *global);
} fake_kernel_type;

typedef struct fake_kernel {
    fake_object object;
    fake_program *program;
    const fake_kernel_type *type;
    fake_argument arguments[FAKE_ARGUMENTS];
    bool sticky[FAKE_ARGUMENTS], refused[FAKE_ARGUMENTS]; /* FAKE_STICKY */
} fake_kernel;

typedef struct fake_event fake_event;

typedef struct fake_queue {
    fake_object object;
    fake_context *context;
    fake_device *device;
    cl_bitfield properties;
    fake_event *first, *last; /* commands that have not ended, in the order of enqueueing */
    size_t running;
    unsigned workers;
    pthread_cond_t arrived; /* what its workers wait for while there are no commands: a leaked queue's sleep on */
    bool closing;
} fake_queue;

/* Bytes on their way: `slices` times `rows` runs. */
typedef struct fake_move {
    char *to;
    const char *from; /* NULL: the pattern is repeated */
    size_t bytes, rows, slices;
    size_t to_row, to_slice, from_row, from_slice;
    unsigned char pattern[128];
    size_t pattern_size;
    char *scratch; /* freed when the command has ended */
    char *spoil;   /* made unreadable afterwards: memory that the host may not look at any more */
    size_t spoil_size;
} fake_move;

enum { FAKE_HOLDS = 2 };

/* A command is its event. */
struct fake_event {
    fake_object object;
    fake_context *context;
    fake_queue *queue; /* NULL once it has ended */
    fake_device *device;
    cl_uint type;
    int status;
    bool flushed, profiled;
    cl_ulong times[4]; /* queued, submitted, started, ended */
    fake_event **after;
    size_t after_count;
    bool after_all; /* a marker without a wait list: earlier failures do not fail it */
    fake_event *next;
    /* What it does. */
    const fake_kernel_type *kernel;
    fake_argument arguments[FAKE_ARGUMENTS];
    size_t offset[3], global[3];
    fake_move move;
    void *holds[FAKE_HOLDS];
};

typedef struct fake_config {
    char platform_name[64], version[128], nonsense[32], abort_on[16], binary[16], lacks[64], built_in[128], profile[24];
    cl_bitfield type;
    cl_uint devices, units;
    size_t alignment;
    cl_bitfield svm; /* CL_DEVICE_SVM_* */
    bool lazy, fatal, images, intel_usm, sticky, sub_groups, local_thread;
} fake_config;

extern fake_config fake_settings;
extern fake_platform fake_the_platform;
extern fake_device fake_roots[4];
extern const fake_kernel_type fake_kernels[];
extern const size_t fake_kernel_count;

void fake_lock(void);
void fake_unlock(void);
void fake_changed(void);                    /* [locked] wakes everybody */
void fake_wait(void);                       /* [locked] until anything changes */
void fake_wait_for(pthread_cond_t *change); /* [locked] */
bool fake_nonsense(const char *mode);

/* [locked] A zeroed object with one handle. */
void *fake_new(fake_kind kind, size_t size);
/* [locked] The object behind a handle, or NULL: then the misuse has been counted. */
void *fake_get(const void *handle, fake_kind kind);
void fake_use(void *object);   /* [locked] */
void fake_unuse(void *object); /* [locked] NULL is fine */
/* Not locked: the bodies of clRetainX and clReleaseX. */
cl_int fake_retain(const void *handle, fake_kind kind, cl_int invalid);
cl_int fake_release(const void *handle, fake_kind kind, cl_int invalid);
/* [locked] What an object lets go of when it ends. True: its memory may go too. */
bool fake_end_object(fake_object *object);
bool fake_end_queue(fake_queue *queue);
/* [locked] Puts memory aside for a while before it is freed, so that stale handles are told from new objects. */
void fake_discard(void *memory);
/* [locked] Something was done that a driver need not survive. */
void fake_count_error(void);
/* [locked] An event that the wait list of another device's command names. */
void fake_count_crossing(void);

cl_int fake_answer(const void *data, size_t data_size, size_t size, void *value, size_t *got);
void *fake_give(cl_int *code, cl_int result, void *object); /* stores the code, returns the object */

/* [locked] The binary of an executable program for a device of its context, by number. Unpacking gives the text, or
 * NULL for what is none, and ends the process when it is harmed or another device's. */
size_t fake_executable_size(const fake_program *p);
void fake_pack_executable(const fake_program *p, cl_uint device, unsigned char *out);
char *fake_unpack_executable(const fake_context *context, cl_device_id device, const unsigned char *bytes, size_t size);

/* True where `word` stands in the text as a word of its own that an opening parenthesis follows. */
bool fake_has_function(const char *text, const char *word);
void fake_be_held(const char *source); /* [locked] until builds of such texts may go on */
bool fake_lacks(const char *what);     /* FAKE_LACKS names it */

/* -- commands -- */

/* [locked] Checks queue and wait list. */
cl_int fake_check_enqueue(cl_command_queue handle, cl_uint n, const cl_event *after, fake_queue **queue);
/* [locked] A command that waits for `after`, not yet in its queue. */
fake_event *fake_make_command(fake_queue *q, cl_uint type, cl_uint n, const cl_event *after);
/* [locked] Puts it there. With `block` its end is waited for, and its failure returned. */
cl_int fake_submit(fake_queue *q, fake_event *e, bool block, cl_event *event);
/* [locked] Checks and enqueues a move; no bytes: a command that does nothing. It holds `a` and `b` (NULL is fine). */
cl_int fake_enqueue_move(cl_command_queue handle, cl_uint type, bool block, const fake_move *move, void *a, void *b,
                         cl_uint n, const cl_event *after, cl_event *event);
void fake_flush(fake_queue *q);       /* [locked] */
bool fake_ended(const fake_event *e); /* [locked] */

/* -- memory -- */

/* [locked] The buffer, image or sub-buffer of a handle with bytes [offset, offset + size); `code` says what is wrong.
 */
fake_mem *fake_get_mem(cl_mem handle, size_t offset, size_t size, cl_int *code);
/* [locked] Makes memory that is not zero. */
char *fake_fresh(size_t size);
fake_mem *fake_make_mem(fake_context *context, cl_uint type, cl_bitfield flags, size_t size, void *host); /* [locked] */
/* [locked] The allocation that an address lies in, or NULL. */
fake_svm *fake_find_svm(const void *pointer);
/* [locked] Where commands find the bytes of an address, and what they hold then (NULL: host memory). */
char *fake_resolve(const void *pointer, fake_svm **svm);
void fake_end_mem(fake_mem *mem); /* [locked] */
void fake_end_svm(fake_svm *svm); /* [locked] */

#define X(name, slot, since, result, fails, params, args) result fake_##name params;
SYC_CL_ALL(X)
#undef X

/* What tests may ask; found with dlsym. Kinds: "device" (sub-devices), "context", "queue", "mem", "svm" (shared
 * memory), "sampler", "program", "kernel", "event". */
int fake_live(const char *kind);
int fake_error_count(void);      /* handles that were unknown, stale, or released too often; memory freed
                                  * under a command */
int fake_crossing_count(void);   /* wait-list entries that name another device's event */
void fake_hold(int hold);        /* 1: no command starts until 0 */
void fake_hold_builds(int hold); /* 1: no build of a text with #held ends until 0 */
int fake_builds_held(void);      /* how many wait for that */
/* The nth command of a type (CL_COMMAND_*) that starts from now on ends with the code, and does nothing. */
void fake_doom(unsigned type, int nth, int code);
const char *fake_saw(const char *variable); /* what the environment held when platforms were listed, or NULL */

#endif
