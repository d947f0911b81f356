/* A program: OpenCL C text, its kernels' signatures, and one build per context, made on first use. */
#ifndef SYC_PROGRAM_PROGRAM_H
#define SYC_PROGRAM_PROGRAM_H

#include "base/keep.h"
#include "base/status.h"
#include "base/text.h"
#include "cl/family.h"
#include "cl/types.h"

typedef struct syc_context syc_context;       /* cl/context.h */
typedef struct syc_device syc_device;         /* cl/device.h */
typedef struct syc_signatures syc_signatures; /* source/declarations/signature.h */

typedef struct syc_program syc_program;
typedef struct syc_build syc_build; /* a program in one context; owned by the program, and there as long as both */

/* Takes a copy of the text; reads the signatures; builds nothing. `options` may be NULL. */
syc_status syc_program_create(SYC_KEEP const char *source, size_t length, SYC_KEEP const char *options,
                              SYC_GIVE syc_program **out);
/* The same for a text that was made from others. Takes copies of the origins. */
struct syc_origins; /* source/origin.h */
syc_status syc_program_create_from(SYC_KEEP const struct syc_origins *origins, SYC_KEEP const char *source,
                                   size_t length, SYC_KEEP const char *options, SYC_GIVE syc_program **out);
/* Wraps a built cl_program (retained): signatures come from its source where it has one. */
syc_status syc_program_from_native(cl_program native, SYC_GIVE syc_program **out);
/* The program of a native kernel, and the kernel's index in its signatures. Arguments set on the native kernel play no
 * part. */
syc_status syc_program_from_native_kernel(cl_kernel native, SYC_GIVE syc_program **out, size_t *kernel);
void syc_program_retain(syc_program *program);
void syc_program_release(syc_program *program); /* NULL is fine */

const syc_signatures *syc_program_signatures(SYC_KEEP const syc_program *program);
const char *syc_program_source(SYC_KEEP const syc_program *program, size_t *length);
/* The source, or what was made of it where it is not OpenCL C throughout. */
const char *syc_program_text(SYC_KEEP const syc_program *program, size_t *length);
/* The part of the device library that stands before the source when it is compiled, with a #line for the source at its
 * end; "" when the text uses nothing of it. */
const char *syc_program_prelude(SYC_KEEP const syc_program *program, size_t *length);
const char *syc_program_options(SYC_KEEP const syc_program *program); /* never NULL */
/* It belongs to these families, too. Before anybody else has the program. */
void syc_program_add_families(syc_program *program, syc_families families);

/* Do the kernel's items say where they do not come to group functions together (PYSYCL_DEBUG=collectives)? Then it has
 * one parameter more than its signature: SYC_DIVERGENCE_WORDS words, zeros before the launch. */
bool syc_program_checks(SYC_KEEP const syc_program *program, size_t kernel);
/* The report of those words after a launch over a range of `dims` dimensions: SYC_E_KERNEL names the call, its line and
 * the work-group. */
syc_status syc_program_divergence(SYC_KEEP const syc_program *program, size_t kernel, unsigned dims,
                                  const uint32_t *words);

/* The build for `context`, made now if need be. Blocks while the compiler works (drop the GIL); two threads that ask
 * for the same build make one. A failed build is remembered and fails the same way again. SYC_E_BUILD carries the log.
 */
syc_status syc_program_build(syc_program *program, syc_context *context, syc_build **out);
/* Which dimension has to change places with dimension 0, so that the device does a launch with groups of that size
 * rightly (cures/pocl_narrow_groups.h); 0: none. */
unsigned syc_program_turn(SYC_KEEP const syc_program *program, size_t kernel, SYC_KEEP const syc_device *device,
                          const size_t local[3]);
void syc_program_turn_sizes(unsigned turn, size_t sizes[3]);
/* Where a kernel has no text to be compiled another way, and the size of its groups is the planner's: single items. */
void syc_program_part_groups(SYC_KEEP const syc_program *program, size_t kernel, SYC_KEEP const syc_device *device,
                             size_t local[3]);
/* As syc_program_build, for such launches. SYC_E_KERNEL_NOT_SUPPORTED: it was not made from text. */
syc_status syc_program_build_turned(syc_program *program, syc_context *context, unsigned turn, syc_build **out);
/* Finds out how the devices of a context compute families of kernels rightly, or refuses. Asked before the first build
 * of a program that belongs to them: uses their functions, or was given them. */
typedef syc_status (*syc_family_settler)(syc_context *context, syc_families families);
void syc_program_set_settler(syc_family_settler function); /* NULL: the facts are believed */

/* A text made into OpenCL C where it has words that are not (body/whole/program.h). */
typedef struct syc_rewritten {
    syc_text text; /* as it is compiled; empty: there are no such words, and nothing else is set */
    syc_text view; /* the same without what was put in: the user's lines, for signatures and messages */
    syc_keep what; /* what the rewriter wants to know of the program later */
} syc_rewritten;
typedef struct syc_rewriter {
    /* `front` defines the text's constants and operators. `declared`: its kernels have no bodies of their own. */
    syc_status (*write)(SYC_KEEP const char *source, size_t length, SYC_KEEP const char *front, bool declared,
                        syc_rewritten *out);
    /* The view's signatures become the user's; the text may change with what they say. */
    syc_status (*sign)(syc_rewritten *written, syc_signatures *signatures);
} syc_rewriter;
void syc_program_set_rewriter(SYC_KEEP const syc_rewriter *rewriter); /* lives for ever; NULL: none */
/* The payload of `what`; NULL: the program was not rewritten. */
void *syc_program_rewritten(SYC_KEEP const syc_program *program);

/* Told of each text that a compiler has worked on: between the two times, of CLOCK_MONOTONIC. On any thread, with no
 * lock held; NULL ends it. */
typedef void (*syc_build_watcher)(syc_program *program, uint64_t began_ns, uint64_t ended_ns);
void syc_program_set_watcher(syc_build_watcher function);
/* The body that the program was made of, as its author wrote it; NULL: it was made of a program's text. */
const char *syc_program_body(SYC_KEEP const syc_program *program);
/* Room for a short form of it: empty at first, the log of commands' and under its lock. */
enum { SYC_PROGRAM_TITLE = 40 };
char *syc_program_title(syc_program *program);

/* Another layer's part of the program, made when it is first asked for. Any thread. */
syc_status syc_program_attached(syc_program *program, syc_status (*make)(syc_keep *out), void **out);

/* True if there is a finished build for the context, without making one. */
bool syc_program_is_built(syc_program *program, SYC_KEEP const syc_context *context);
/* Its build, borrowed; NULL: it has not been made. No lock is taken. */
syc_build *syc_program_known_build(syc_program *program, SYC_KEEP const syc_context *context, unsigned turn);
/* The build's log, warnings and all, "" when the compiler was silent. Free with syc_free. */
syc_status syc_build_log(SYC_KEEP syc_build *build, SYC_KEEP syc_device *device, SYC_GIVE char **out);
cl_program syc_build_native(SYC_KEEP const syc_build *build);
/* A native handle of the build's was handed out: now the program holds the context. */
void syc_build_pin(syc_build *build);

/* One device's limits for one kernel. */
typedef struct syc_kernel_limits {
    size_t max_group;           /* CL_KERNEL_WORK_GROUP_SIZE */
    size_t multiple;            /* CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE */
    size_t required_group[3];   /* CL_KERNEL_COMPILE_WORK_GROUP_SIZE */
    uint64_t local_bytes;       /* static __local use */
    uint64_t private_bytes;     /* of an item, at least */
    uint64_t private_room;      /* of a group's items together; 0: the driver looks after that */
    bool group_functions;       /* it uses those of the device library, which a plain range has no groups for */
    const size_t *struct_sizes; /* one per parameter: bytes of a struct, by value or pointed to, whose size the text
                                   alone does not tell; 0 for all others */
} syc_kernel_limits;

/* Read once per (build, kernel, device), then kept. `kernel` is an index into the signatures.
 * SYC_E_KERNEL_NOT_SUPPORTED: not even one work-item has room for its private memory. */
syc_status syc_build_limits(syc_build *build, size_t kernel, SYC_KEEP syc_device *device,
                            const syc_kernel_limits **out);
/* A cl_kernel for one launch by one thread: arguments of two launches never mix. Give it back after the enqueue. */
/* `pointers`: bit i for argument i being unified shared memory, where the driver minds; else 0. */
syc_status syc_build_take_kernel(syc_build *build, size_t kernel, uint64_t pointers, SYC_GIVE cl_kernel *out);
void syc_build_give_kernel(syc_build *build, size_t kernel, uint64_t pointers, SYC_TAKE cl_kernel native);

#endif
