/* Texts of kernels, written in the order in which their commands ended. */
#include "python/launch/output.h"

#include "python/state.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct output {
    struct output *next;
    syc_text text;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* of the list; a leaf */
static struct output *first, **last = &first;
static atomic_size_t unwritten; /* those in the list, and the one that is being written */

/* One thread writes. It may lose the GIL while it does. */
static pthread_mutex_t writing = PTHREAD_MUTEX_INITIALIZER;
static _Thread_local bool is_writer;

static int write_pending(void *unused)
{
    (void)unused;
    syc_py_output_write();
    return 0;
}

void syc_py_output_push(syc_text *text)
{
    struct output *output = text->length > 0 ? malloc(sizeof *output) : NULL;
    if (output == NULL) { /* nothing to say, or no memory to say it */
        syc_text_clear(text);
        return;
    }
    *output = (struct output){.text = *text};
    *text = (syc_text){0};
    pthread_mutex_lock(&lock);
    *last = output;
    last = &output->next;
    atomic_fetch_add(&unwritten, 1);
    pthread_mutex_unlock(&lock);
    /* If nobody waits for the command. A full list of pending calls is no loss: the next entry writes. */
    (void)Py_AddPendingCall(write_pending, NULL);
}

static struct output *pop(void)
{
    struct output *output;
    pthread_mutex_lock(&lock);
    output = first;
    if (output != NULL) {
        first = output->next;
        if (first == NULL)
            last = &first;
    }
    pthread_mutex_unlock(&lock);
    return output;
}

/* Of an error in sys.stdout's own code nobody is there to hear, but Ctrl-C is meant for the whole program. */
static void say_error(PyObject *out)
{
    if (PyErr_ExceptionMatches(PyExc_KeyboardInterrupt)) {
        PyErr_Clear();
        PyErr_SetInterrupt();
        return;
    }
    PyErr_WriteUnraisable(out);
}

static void write_text(const syc_text *text)
{
    PyObject *out = PySys_GetObject("stdout"), *words, *done;
    if (out == NULL || out == Py_None)
        return;
    Py_INCREF(out);
    words = PyUnicode_DecodeUTF8(text->data, (Py_ssize_t)text->length, "replace");
    done = words != NULL ? PyObject_CallMethod(out, "write", "O", words) : NULL;
    Py_XDECREF(words);
    if (done != NULL)
        Py_SETREF(done, PyObject_CallMethod(out, "flush", NULL));
    if (done == NULL)
        say_error(out);
    Py_XDECREF(done);
    Py_DECREF(out);
}

static void write_all(void)
{
    PyObject *type, *value, *trace;
    struct output *output;

    PyErr_Fetch(&type, &value, &trace);
    is_writer = true;
    while ((output = pop()) != NULL) {
        write_text(&output->text);
        syc_text_clear(&output->text);
        free(output);
        atomic_fetch_sub(&unwritten, 1);
    }
    is_writer = false;
    PyErr_Restore(type, value, trace);
}

void syc_py_output_write(void)
{
    if (atomic_load_explicit(&unwritten, memory_order_acquire) == 0 || is_writer)
        return; /* a writer that comes here again is inside of sys.stdout */
    Py_BEGIN_ALLOW_THREADS pthread_mutex_lock(&writing);
    Py_END_ALLOW_THREADS write_all();
    pthread_mutex_unlock(&writing);
}
