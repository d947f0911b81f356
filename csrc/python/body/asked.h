/* One argument of a body being classified: what the files of classes.h share. */
#ifndef SYC_PYTHON_BODY_ASKED_H
#define SYC_PYTHON_BODY_ASKED_H

#include "python/body/classes.h"

struct asked {
    const syc_py_body_call *call;
    Py_ssize_t index;
    PyObject *value;
    syc_py_task *task;
    syc_py_given *out;
};

#define REFUSE(a, ...) syc_py_body_refuse((a)->call, SYC_E_KERNEL_ARGUMENT, (a)->index, __VA_ARGS__)

/* The rows say: it is mine, done; it is mine and cannot be taken (an error is set); it is not mine. */
typedef enum answer { DONE, FAILED = -1, NOT_MINE = 1 } answer;

static inline answer done(int failed)
{
    return failed < 0 ? FAILED : DONE;
}

/* elements.c */
/* The element type of a format. `dtype` is NULL where it has to be asked of the value. -1 with an error set. */
int syc__asked_format(const struct asked *a, const char *format, size_t item, PyObject *dtype);
/* Refuses a type that OpenCL C has not; `format` says it where the value has no dtype. Always -1. */
int syc__asked_refuse_type(const struct asked *a, const char *format);
/* Refuses with the words of the error that is set, if it is one of those with which objects refuse. Always -1. */
int syc__asked_refuse_raised(const struct asked *a, const char *before);
/* The element type. -1 with an error set. */
int syc__asked_dtype(const struct asked *a, PyObject *dtype, size_t item);
/* Sizes per dimension; beyond three, or with none, memory is flat. */
void syc__asked_shape(const struct asked *a, const size_t *shape, int rank, size_t elements);

/* classes_memory.c: the class of memory that may be read and written, and the rows. */
answer syc__asked_memory(const struct asked *a, bool readable, bool writable);
answer syc__asked_accessor(const struct asked *a);
answer syc__asked_buffer(const struct asked *a);
answer syc__asked_usm(const struct asked *a);
answer syc__asked_local(const struct asked *a);
answer syc__asked_sampler(const struct asked *a);
answer syc__asked_stream(const struct asked *a);

#endif
