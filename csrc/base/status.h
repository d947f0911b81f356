/* Status codes, the one table that maps them to SYCL's errc and to Python's exception classes, and the macros that
 * every fallible function uses. The status travels by return value; the thread keeps only the *detail* of its last
 * failure (which OpenCL entry, which cl_int, which message), and hands it out only to a reader that shows the same
 * status. */
#ifndef SYC_BASE_STATUS_H
#define SYC_BASE_STATUS_H

#include "base/keep.h"

#include <stdarg.h>

/* Owners of memory behind pointers. The words expand to nothing: they are for the reader and for review. */
#define SYC_GIVE /* the caller owns the result */
#define SYC_TAKE /* the callee owns it from here on */
#define SYC_KEEP /* borrowed for the call only */

/* X(status, errc, Python class, its SYCL base, built-in base or "", default text)
 * Several statuses may share one errc: SYCL 2020 has one `invalid` where the drafts had a code per kind of object. */
/* clang-format off */
#define SYC_STATUS_MAP(X) \
    X(SYC_E_RUNTIME, "runtime", "SyclRuntimeError", "SyclError", "RuntimeError", "the runtime failed") \
    X(SYC_E_KERNEL, "kernel", "KernelError", "SyclError", "RuntimeError", "the kernel failed") \
    X(SYC_E_ACCESSOR, "accessor", "AccessorError", "SyclError", "ValueError", "the access is not possible") \
    X(SYC_E_BOUNDS, "accessor", "BoundsError", "AccessorError", "IndexError", "the access is out of bounds") \
    X(SYC_E_ND_RANGE, "nd_range", "NdRangeError", "SyclError", "ValueError", "the nd-range is not valid") \
    X(SYC_E_EVENT, "event", "EventError", "SyclError", "", "the event is not valid") \
    X(SYC_E_KERNEL_ARGUMENT, "kernel_argument", "KernelArgumentError", "SyclError", "TypeError", "a kernel argument does not fit") \
    X(SYC_E_BUILD, "build", "BuildError", "SyclError", "", "the program does not build") \
    X(SYC_E_COMPILE_PROGRAM, "build", "CompileProgramError", "BuildError", "", "the program does not compile") \
    X(SYC_E_LINK_PROGRAM, "build", "LinkProgramError", "BuildError", "", "the program does not link") \
    X(SYC_E_INVALID, "invalid", "InvalidError", "SyclError", "ValueError", "the request is not valid") \
    X(SYC_E_INVALID_PARAMETER, "invalid", "InvalidParameterError", "InvalidError", "", "a parameter is not valid") \
    X(SYC_E_INVALID_OBJECT, "invalid", "InvalidObjectError", "InvalidError", "", "the object is not valid here") \
    X(SYC_E_MEMORY_ALLOCATION, "memory_allocation", "MemoryAllocationError", "SyclError", "MemoryError", "out of memory") \
    X(SYC_E_PLATFORM, "platform", "PlatformError", "SyclError", "", "the platform failed") \
    X(SYC_E_PROFILING, "profiling", "ProfilingError", "SyclError", "", "no profiling information") \
    X(SYC_E_FEATURE_NOT_SUPPORTED, "feature_not_supported", "FeatureNotSupportedError", "SyclError", "", "the device lacks the feature") \
    X(SYC_E_KERNEL_NOT_SUPPORTED, "kernel_not_supported", "KernelNotSupportedError", "FeatureNotSupportedError", "", "the device cannot run the kernel") \
    X(SYC_E_BACKEND_MISMATCH, "backend_mismatch", "BackendMismatchError", "SyclError", "", "the object belongs to another backend") \
    X(SYC_E_FORKED, "runtime", "ForkedProcessError", "SyclRuntimeError", "", "this process was forked after a driver was loaded") \
    X(SYC_E_CLOSED, "runtime", "ClosedError", "SyclRuntimeError", "", "pysycl is shutting down")
/* clang-format on */

typedef enum syc_status {
    SYC_OK = 0,
    SYC_INTERRUPTED, /* no error of ours: a signal's handler has ended the wait, and the cause says how */
    SYC_TIMEOUT,     /* not an error: a bounded wait ran out */
#define X(status, errc, cls, base, builtin, text) status,
    SYC_STATUS_MAP(X)
#undef X
        SYC_STATUS_COUNT
} syc_status;

/* The details of a failure, from its site. All strings are owned by the thread's record and valid until its next
 * failure. */
typedef struct syc_detail {
    syc_status status;
    const char *message;   /* full sentence, never NULL */
    const char *api;       /* OpenCL entry, e.g. "clCreateBuffer", or NULL */
    int cl_code;           /* its cl_int, 0 when no OpenCL call failed */
    const char *build_log; /* or NULL */
    const char *where;     /* file:line in the core */
    void *cause;           /* payload of what syc_detail_set_cause was given, or NULL */
} syc_detail;

/* Does it say nothing of what was asked for? Another time may go better. */
static inline bool syc_status_passes(syc_status status)
{
    return status == SYC_E_MEMORY_ALLOCATION || status == SYC_INTERRUPTED;
}
const char *syc_status_errc(syc_status status);
const char *syc_status_text(syc_status status);

/* Record a failure and return `status`, so that a site reads `status = syc_fail(...)`. Never fails: with no memory left
 * it keeps the default text. */
syc_status syc_fail(syc_status status, const char *where, const char *format, ...)
    __attribute__((format(printf, 3, 4), cold));
syc_status syc_fail_cl(const char *where, const char *api, int cl_code) __attribute__((cold));
/* As syc_fail, for a failure that is known by an OpenCL code but wants better words than the code's own. */
syc_status syc_fail_cl_as(syc_status status, const char *where, const char *api, int cl_code, const char *format, ...)
    __attribute__((format(printf, 5, 6), cold));
/* Adds the compiler's log to the detail recorded last. Takes a copy. */
void syc_detail_set_build_log(const char *log);
/* The caller's own object for the failure recorded last: an exception object, say. It goes to the next
 * syc_failure_capture, whose failure and copies share it; any other failure before that lets go of it. */
void syc_detail_set_cause(SYC_TAKE syc_keep cause);
/* It has been told: lets go of it, which may run anything. */
void syc_detail_drop_cause(void);
/* The detail of `status`, or one made from the default text when the thread's last failure was another one. */
syc_detail syc_detail_of(syc_status status);

/* A failure kept beyond its thread: commands that fail later carry one. */
typedef struct syc_failure syc_failure;
/* Always SYC_OK: without memory it gives a failure that all share and that says so. */
syc_status syc_failure_capture(syc_status status, SYC_GIVE syc_failure **out);
void syc_failure_free(SYC_TAKE syc_failure *failure);
syc_failure *syc_failure_copy(SYC_KEEP const syc_failure *failure); /* NULL without memory */
syc_detail syc_failure_detail(SYC_KEEP const syc_failure *failure); /* NULL gives the default text of `runtime` */
/* Make the captured failure, without its cause, this thread's last one again, and return its status. */
syc_status syc_failure_restore(SYC_KEEP const syc_failure *failure);

/* Only cl/ knows OpenCL's codes: it gives base the name of a code and the status that stands for it. Call once, early.
 */
void syc_status_set_cl_words(const char *(*name)(int), syc_status (*map)(const char *api, int code));

/* Errors of destructors and threads, which no caller is there to receive, go to one hook. Default: stderr. */
typedef void (*syc_report_hook)(const syc_detail *detail);
void syc_set_report_hook(syc_report_hook hook);
void syc_report(syc_status status);

#define SYC__STR2(x) #x
#define SYC__STR(x)  SYC__STR2(x)
#define SYC_HERE     __FILE__ ":" SYC__STR(__LINE__)

/* Leave by the one label `done:`; the function has `syc_status status = SYC_OK;`. */
#define SYC_TRY(expr)                              \
    do {                                           \
        status = (expr);                           \
        if (__builtin_expect(status != SYC_OK, 0)) \
            goto done;                             \
    } while (0)

#define SYC_CHECK(cond, code, ...)                            \
    do {                                                      \
        if (__builtin_expect(!(cond), 0)) {                   \
            status = syc_fail((code), SYC_HERE, __VA_ARGS__); \
            goto done;                                        \
        }                                                     \
    } while (0)

/* SYC_CL(table, Finish, (queue)): calls table->Finish(queue) and leaves on any code but CL_SUCCESS. */
#define SYC_CL(table, entry, args)                                  \
    do {                                                            \
        int syc__code = (table)->entry args;                        \
        if (__builtin_expect(syc__code != 0, 0)) {                  \
            status = syc_fail_cl(SYC_HERE, "cl" #entry, syc__code); \
            goto done;                                              \
        }                                                           \
    } while (0)

/* The same for entries that return an object and put the code into the variable `code`. A driver that returns NULL
 * with CL_SUCCESS is caught too. */
#define SYC_CL_OBJECT(table, out, entry, args)                                  \
    do {                                                                        \
        (out) = (table)->entry args;                                            \
        if (__builtin_expect(code != 0 || (out) == NULL, 0)) {                  \
            status = syc_fail_cl(SYC_HERE, "cl" #entry, code != 0 ? code : -5); \
            (out) = NULL;                                                       \
            goto done;                                                          \
        }                                                                       \
    } while (0)

#endif
