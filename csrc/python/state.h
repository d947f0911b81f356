/* The state of one instance of the module `_core`, and the helpers that every binding file uses. Only this layer names
 * Python.h. Conventions:
 *  - a C type is the base of a Python class of the same name in pysycl/ (its face); C makes instances of the face, so
 * that what a user gets from C and from Python is one class. A face registers itself with @_core.bind when its module
 * is loaded, which may be late: C loads it to make an instance.
 *  - objects are complete when tp_new (or the factory) returns; dealloc accepts NULL fields.
 *  - arguments are converted with the GIL, then the GIL is dropped, the core is called, the GIL is taken, the error
 * raised. */
#ifndef SYC_PYTHON_STATE_H
#define SYC_PYTHON_STATE_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include "base/dtype.h"
#include "base/keep.h"
#include "base/status.h"
#include "cl/types.h"

typedef struct syc_platform syc_platform; /* cl/device.h */
typedef struct syc_device syc_device;
typedef struct syc_context syc_context; /* cl/context.h */
typedef struct syc_queue syc_queue;     /* schedule/queue.h */
typedef struct syc_command syc_command; /* schedule/command.h */
typedef struct syc_program syc_program; /* program/program.h */

typedef enum syc_face {
    SYC_FACE_PLATFORM,
    SYC_FACE_DEVICE,
    SYC_FACE_CONTEXT,
    SYC_FACE_QUEUE,
    SYC_FACE_EVENT,
    SYC_FACE_HANDLER,
    SYC_FACE_PROGRAM,
    SYC_FACE_KERNEL,
    SYC_FACE_BUFFER,
    SYC_FACE_ACCESSOR,
    SYC_FACE_HOST_ACCESSOR,
    SYC_FACE_USM, /* "UsmArray" */
    SYC_FACE_SAMPLER,
    SYC_FACE_INTEROP_HANDLE,
    SYC_FACE_STREAM,
    SYC_FACE_RECORDING,
    SYC_FACE_ND_RANGE,    /* a pure Python class: tuple (global, local, offset) */
    SYC_FACE_WORK_GROUPS, /* a pure Python class: tuple (groups, group size or None) */
    SYC_FACE_LOCAL,       /* a pure Python class: tuple (bytes, type character, item size, shape, dtype) */
    SYC_FACE_REDUCTION, /* a pure Python class: tuple (memory, count, operation, identity's bytes or None, fresh, array,
                         * reduced, value, finish, accuracy, ordered)
                         */
    SYC_FACE_PARAMETER, /* a pure Python class: tuple (name, value) */
    SYC_FACE_CONSTANT,  /* "SpecConstant", a pure Python class, and no tuple; so are those behind it */
    SYC_FACE_COMPONENTS, /* the base of Vec and Marray */
    SYC_FACE_OPERATOR,   /* the base of BinaryOp and of the function objects */
    SYC_FACE_COUNT
} syc_face;

/* Where an instruction of Python code stands in its file. */
typedef struct syc_line {
    PyCodeObject *code; /* NULL: nothing here yet */
    int at;             /* byte offset of the instruction */
    bool ours;          /* code of this package: whoever called it is meant */
    syc_site site;
} syc_line;

/* The keywords of a launch that are no arguments of its kernel. */
typedef enum syc_word {
    SYC_WORD_DEPENDS_ON,
    SYC_WORD_OFFSET,
    SYC_WORD_PREAMBLE,
    SYC_WORD_OPTIONS,
    SYC_WORD_NAME,
    SYC_WORD_WAIT,
    SYC_WORDS
} syc_word;

/* Where numbers of a type are written that are to be NumPy's scalars. */
typedef struct syc_py_cell {
    PyObject *array;
    void *memory;
} syc_py_cell;

typedef struct syc_state {
    PyTypeObject *base[SYC_FACE_COUNT]; /* the C types; those of pure Python classes stay NULL */
    PyTypeObject *face[SYC_FACE_COUNT]; /* the Python subclasses; NULL until bound */
    PyObject *error_base;               /* pysycl.SyclError */
    PyObject *errors[SYC_STATUS_COUNT]; /* exception class per status */
    PyObject *warning;                  /* pysycl.SyclWarning: what no caller is there to receive */
    syc_line lines[16];                 /* found lately, by a hash of code and offset */
    PyObject *formats;                  /* numpy.dtype -> bytes: dtype_format.c */
    PyObject *array;                    /* numpy.ndarray, and below its scalars: small_arrays.c */
    PyObject *scalars[SYC_DTYPE_COUNT];
    syc_py_cell cells[SYC_DTYPE_COUNT];
    PyObject *layouts;                /* numpy.dtype -> pysycl.struct_types.Layout: body/classes.c */
    PyTypeObject *generic;            /* numpy.generic, once NumPy is there: body/classes.c */
    PyObject *words[SYC_WORDS];       /* the interned names of a launch's own keywords: call.c */
    PyTypeObject *prepared;           /* pysycl.PreparedKernel */
    struct syc_py_specials *specials; /* body/special_cache.c */
} syc_state;

extern struct PyModuleDef syc_core_module; /* complete once module.c is initialised */

/* The state of the module that `type` or one of its bases belongs to. Works for Python subclasses. Never NULL. */
syc_state *syc_state_of_type(PyTypeObject *type);
#define syc_state_of(self) syc_state_of_type(Py_TYPE(self))

/* error.c: the only place where a core failure becomes a Python exception. Always returns NULL. */
PyObject *syc_py_raise(syc_state *state, syc_status status);
/* The exception that is set, taken, with its traceback. A new reference. */
PyObject *syc_py_take_exception(void);
/* It, or a token of pysycl/_runtime/raised.py, is the cause of the core's failure recorded last. A failure that is
 * raised and whose cause is no `Exception`, Ctrl-C for one, gives way to it. Leaves no error set. */
void syc_py_set_cause(syc_state *state, SYC_TAKE PyObject *exception);
/* Makes the exception classes below pysycl.errors.SyclError: {name: class}, a new reference. */
PyObject *syc_py_make_errors(syc_state *state, PyObject *base, PyObject *warning);
/* Raises the class of `status` with PyUnicode_FromFormat's formats. Always returns NULL. */
PyObject *syc_py_refuse(syc_state *state, syc_status status, const char *format, ...);
/* Raises what a bad argument deserves: InvalidParameterError with the given words. Always returns NULL. */
#define syc_py_invalid(state, ...) syc_py_refuse((state), SYC_E_INVALID_PARAMETER, __VA_ARGS__)

/* Registers a class as a face: which one, its name says. Gives it back; NULL with TypeError set. */
PyObject *syc_py_face_bind(syc_state *state, PyObject *face);
/* The face, whose module is loaded if it is not yet. Borrowed; NULL with an exception set. */
PyTypeObject *syc_py_face(syc_state *state, syc_face face);
/* Is the value an instance of the face? None is of one that is not loaded. */
bool syc_py_is(const syc_state *state, syc_face face, PyObject *value);
/* Allocates an instance of the face (or of `type` when not NULL). NULL with an exception set. */
PyObject *syc_face_alloc(syc_state *state, syc_face face, PyTypeObject *type);

/* Objects. Each holds one reference to its core object; NULL only while being built. */
typedef struct PlatformObject {
    PyObject_HEAD syc_platform *core;
} PlatformObject;
typedef struct DeviceObject {
    PyObject_HEAD syc_device *core;
} DeviceObject;
typedef struct ContextObject {
    PyObject_HEAD syc_context *core;
    PyObject *handler; /* async handler or None */
    PyObject *weakrefs;
} ContextObject;
typedef struct QueueObject {
    PyObject_HEAD syc_queue *core;
    PyObject *context; /* ContextObject that the queue was made with or for */
    PyObject *handler; /* async handler or None */
    PyObject *weakrefs;
} QueueObject;
/* error.c: the exception object of a stored failure of the queue's (may be NULL), with the place that submitted it (may
 * be NULL). `told`: it is raised or handled now. A new reference or NULL. */
PyObject *syc_py_exception(syc_state *state, const syc_failure *failure, const char *site, QueueObject *queue,
                           bool told);
typedef struct EventObject {
    PyObject_HEAD syc_command *core; /* NULL: the default event, complete from the start */
    PyObject *queue;                 /* QueueObject or NULL */
    cl_event exported;               /* handed out as int_ptr, so kept as long as this object; or NULL */
    PyObject *weakrefs;
} EventObject;
typedef struct ProgramObject {
    PyObject_HEAD syc_program *core;
} ProgramObject;

/* Wrap a core object, taking over the caller's reference also on failure. */
PyObject *syc_py_platform(syc_state *state, syc_platform *platform);
PyObject *syc_py_device(syc_state *state, SYC_TAKE syc_device *device);
PyObject *syc_py_context(syc_state *state, PyTypeObject *type, SYC_TAKE syc_context *context, PyObject *handler);

/* The context of a queue that was given none: shared by the queues of a root device, a new one for a sub-device. */
PyObject *syc_py_default_context(syc_state *state, SYC_KEEP syc_device *device);

/* The specs that module.c makes types from: one per file, py_<type>.c. */
extern PyType_Spec syc_platform_spec, syc_device_spec, syc_context_spec, syc_queue_spec, syc_event_spec,
    syc_handler_spec, syc_program_spec, syc_kernel_spec, syc_buffer_spec, syc_accessor_spec, syc_host_accessor_spec,
    syc_usm_spec, syc_sampler_spec, syc_interop_handle_spec, syc_prepared_spec, syc_stream_spec, syc_recording_spec,
    syc_entry_spec, syc_kept_plan_spec;
/* Module functions that each file adds: NULL-terminated. */
extern PyMethodDef syc_discovery_methods[]; /* types/platform.c: platforms(), drivers(), set_roots(), ... */
extern PyMethodDef syc_hook_methods[];      /* hooks.c: live_counts(), fault_install(), ... for tests */
extern PyMethodDef syc_host_accessor_functions[], syc_buffer_methods[], syc_usm_methods[], syc_image_methods[],
    syc_host_task_methods[], syc_graph_methods[], syc_profile_methods[], syc_guard_methods[], syc_body_methods[],
    syc_bundle_methods[], syc_kernel_info_methods[], syc_debug_methods[], syc_check_methods[], syc_cache_methods[],
    syc_collectives_methods[], syc_selftest_methods[], syc_tuned_methods[], syc_host_reduce_methods[],
    syc_host_scan_methods[], syc_host_keys_methods[], syc_entry_methods[], syc_team_methods[], syc_kept_methods[];

/* functions/selftest.c: the self-test is made unless the environment turns it off. */
void syc_py_selftest_init(void);

/* functions/team.c: the team is as large as the environment says. */
void syc_py_team_init(void);

/* reports.c: failures without a caller become warnings of the given class. */
void syc_py_reports_init(void);
void syc_py_reports_set_class(PyObject *warning);
void syc_py_reports_flush(void);
/* As tp_finalize: calls the object's _dropped(). What that raises is told as Python tells it, but Ctrl-C and the like
 * go on in the code that let go of the object. */
void syc_py_dropped(PyObject *self);

/* Two wrappers are equal when they stand for the same core object: used as tp_richcompare and tp_hash by the handles.
 * All object structs above begin with the core pointer. */
PyObject *syc_py_handle_compare(PyObject *a, PyObject *b, int operation);
Py_hash_t syc_py_handle_hash(PyObject *self);

/* The core object of an argument, which must be of the face. NULL with an exception that names both. */
void *syc_py_core(syc_state *state, syc_face face, PyObject *value, const char *name);
/* -1 with TypeError if there are any. */
int syc_py_no_keywords(const char *type, PyObject *keywords);
/* Puts the i-th item into a new tuple or list. An item that is NULL, with an error set, drops the sequence too. */
void syc_py_put(PyObject **sequence, size_t i, SYC_TAKE PyObject *item);
/* The same at the end of a list. */
void syc_py_append(PyObject **list, SYC_TAKE PyObject *item);

/* An integer that is a native handle: 0 and negative numbers are refused by name. -1 with an error set. */
int syc_py_native_handle(syc_state *state, PyObject *value, const char *what, void **out);
/* One that belongs to a context, which is looked at, too. */
int syc_py_native_in(syc_state *state, PyObject *value, PyObject *context, const char *what, void **out);

#endif
