/* A kernel's report on its group functions, as its command's failure. */
#include "python/launch/collectives.h"

#include "base/alloc.h"
#include "library/checks/sites.h"
#include "python/launch/launch.h"

enum { ALIGNMENT = 4096, BYTES = 4096 }; /* so that a device which shares the host's memory can work in it */

/* The memory of one command, held by its pins. */
struct watch {
    syc_program *program;
    size_t kernel;
    unsigned dims;
    syc_verdict other; /* that the command has beside this one */
    uint32_t *words;
};

/* The command has ended well, as far as the device knows. On any thread. */
static syc_status look(void *payload)
{
    struct watch *watch = payload;
    syc_status own = syc_program_divergence(watch->program, watch->kernel, watch->dims, watch->words);

    memset(watch->words, 0, SYC_DIVERGENCE_WORDS * sizeof *watch->words); /* it may be submitted again, or replayed */
    if (own != SYC_OK || watch->other.call == NULL)
        return own;
    return watch->other.call(watch->other.payload);
}

static void release(struct watch *watch)
{
    syc_program_release(watch->program);
    syc_free(watch->words);
    syc_free(watch);
}

static void release_capsule(PyObject *capsule)
{
    release(PyCapsule_GetPointer(capsule, NULL));
}

static struct watch *make(const syc_py_scope *scope, const syc_py_launch *launch)
{
    struct watch *watch = NULL;
    syc_status status = syc_alloc(sizeof *watch, &watch);
    if (status == SYC_OK)
        status = syc_alloc_aligned(ALIGNMENT, BYTES, &watch->words);
    if (status != SYC_OK) {
        syc_free(watch);
        syc_py_raise(scope->state, status);
        return NULL;
    }
    memset(watch->words, 0, BYTES);
    syc_program_retain(watch->program = launch->program);
    watch->kernel = launch->kernel;
    watch->dims = launch->geometry.dims;
    watch->other = scope->task->core.verdict;
    return watch;
}

/* Room for one argument more. */
static int grow(syc_py_arguments *arguments)
{
    size_t count = arguments->count + 1;
    syc_argument *items = arguments->items;

    if (items == arguments->few && count <= Py_ARRAY_LENGTH(arguments->few)) {
        arguments->count = count;
        return 0;
    }
    items = PyMem_New(syc_argument, count);
    if (items == NULL) {
        PyErr_NoMemory();
        return -1;
    }
    memcpy(items, arguments->items, arguments->count * sizeof *items);
    if (arguments->items != arguments->few)
        PyMem_Free(arguments->items);
    arguments->items = items;
    arguments->count = count;
    return 0;
}

int syc_py_collectives_add(const syc_py_scope *scope, syc_py_launch *launch)
{
    struct watch *watch;
    PyObject *capsule;
    int failed;

    if (launch->native != NULL || !syc_program_checks(launch->program, launch->kernel))
        return 0;
    watch = make(scope, launch);
    capsule = watch != NULL ? PyCapsule_New(watch, NULL, release_capsule) : NULL;
    if (capsule == NULL) {
        if (watch != NULL)
            release(watch);
        return -1;
    }
    failed = syc_py_task_hold(scope->task, capsule);
    Py_DECREF(capsule);
    if (failed < 0 || grow(&launch->arguments) < 0)
        return -1;
    scope->task->core.verdict = (syc_verdict){look, watch};
    launch->arguments.items[launch->arguments.count - 1] = (syc_argument){.kind = SYC_ARGUMENT_SPAN,
                                                                          .span = {.data = (char *)watch->words,
                                                                                   .bytes = BYTES,
                                                                                   .writable = true,
                                                                                   .alignment = _Alignof(uint32_t),
                                                                                   .packed = true,
                                                                                   .item_size = 1}};
    return 0;
}

static PyObject *debug_collectives(PyObject *module, PyObject *args)
{
    int given;
    (void)module;
    if (!PyArg_ParseTuple(args, "p:debug_collectives", &given))
        return NULL;
    syc_collectives_check(given != 0);
    Py_RETURN_NONE;
}

PyMethodDef syc_collectives_methods[] = {
    {"debug_collectives", debug_collectives, METH_VARARGS,
     "debug_collectives($module, on, /)\n--\n\n"
     "Programs of text are made with checks of their group functions from now on, or not."},
    {NULL, NULL, 0, NULL},
};
