/* Explicit memory operations: arguments in, a task out. */
#include "python/functions/copy.h"

#include "python/launch/mismatch.h"
#include "python/memory/operand.h"
#include "python/number.h"

enum { MOST_PARAMETERS = 3 };

struct spelling {
    const char *name, *parameters[MOST_PARAMETERS];
    Py_ssize_t required, all;
};

static const struct spelling spellings[] = {
    [SYC_PY_CALL_copy] = {"copy", {"src", "dest", "count"}, 2, 3},
    [SYC_PY_CALL_fill] = {"fill", {"dest", "pattern", "count"}, 2, 3},
    [SYC_PY_CALL_memcpy] = {"memcpy", {"dest", "src", "nbytes"}, 2, 3},
    [SYC_PY_CALL_memset] = {"memset", {"ptr", "value", "nbytes"}, 2, 3},
    [SYC_PY_CALL_update_host] = {"update_host", {"acc"}, 1, 1},
    [SYC_PY_CALL_prefetch] = {"prefetch", {"ptr", "nbytes"}, 1, 2},
    [SYC_PY_CALL_mem_advise] = {"mem_advise", {"ptr", "nbytes", "advice"}, 3, 3},
};

/* -- arguments -- */

static int take_keyword(const struct spelling *s, PyObject *name, PyObject *value, PyObject **values, PyObject **own)
{
    static const char *const words[] = {[SYC_PY_COPY_DEPENDS_ON] = "depends_on", [SYC_PY_COPY_WAIT] = "wait"};
    for (int i = 0; own != NULL && i < SYC_PY_COPY_WORDS; i++) {
        if (PyUnicode_CompareWithASCIIString(name, words[i]) != 0)
            continue;
        own[i] = value;
        return 0;
    }
    for (Py_ssize_t i = 0; i < s->all; i++) {
        if (PyUnicode_CompareWithASCIIString(name, s->parameters[i]) != 0)
            continue;
        if (values[i] != NULL) {
            PyErr_Format(PyExc_TypeError, "%s() got multiple values for argument '%s'", s->name, s->parameters[i]);
            return -1;
        }
        values[i] = value;
        return 0;
    }
    PyErr_Format(PyExc_TypeError, "%s() got an unexpected keyword argument '%U'", s->name, name);
    return -1;
}

static int parse(const struct spelling *s, PyObject *const *args, Py_ssize_t count, PyObject *names, PyObject **values,
                 PyObject **own)
{
    if (count > s->all) {
        PyErr_Format(PyExc_TypeError, "%s() takes at most %zd positional arguments, %zd were given", s->name, s->all,
                     count);
        return -1;
    }
    for (Py_ssize_t i = 0; i < count; i++)
        values[i] = args[i];
    for (Py_ssize_t i = 0; names != NULL && i < PyTuple_GET_SIZE(names); i++) {
        if (take_keyword(s, PyTuple_GET_ITEM(names, i), args[count + i], values, own) < 0)
            return -1;
    }
    for (Py_ssize_t i = 0; i < s->required; i++) {
        if (values[i] == NULL) {
            PyErr_Format(PyExc_TypeError, "%s() missing the argument '%s'", s->name, s->parameters[i]);
            return -1;
        }
    }
    return 0;
}

/* A size that may be left out; `out` stays what it was then. */
static int take_size(const syc_py_scope *scope, const char *call, const char *name, PyObject *value, size_t *out)
{
    syc_number_fit fit;
    if (value == NULL || value == Py_None)
        return 0;
    fit = syc_number_convert(value, SYC_ULONG, out);
    if (fit == SYC_NUMBER_OK)
        return 0;
    if (fit != SYC_NUMBER_RAISED)
        syc_py_invalid(scope->state, "%s: %s: %R %s for a number of %s", call, name, value, syc_number_fit_text(fit),
                       strcmp(name, "count") == 0 ? "elements" : "bytes");
    return -1;
}

static bool is_given(PyObject *value)
{
    return value != NULL && value != Py_None;
}

/* -- copies -- */

static void put_copy(const syc_py_scope *scope, const syc_py_operand *to, const syc_py_operand *from)
{
    syc_task *task = &scope->task->core;
    if (to->side.bytes == 0) /* it only orders */
        return;
    task->ops = &syc_copy_ops;
    task->copy = (syc_copy){.to = to->side, .from = from->side};
}

/* An accessor's range says how much is copied, the destination's before the source's; else `count` elements, or all of
 * the source. */
static int copy_size(const syc_py_scope *scope, const syc_py_operand *to, const syc_py_operand *from, PyObject *count,
                     size_t *bytes)
{
    size_t elements = 0;
    *bytes = to->ranged ? to->side.bytes : from->side.bytes;
    if (!is_given(count))
        return 0;
    if (to->ranged || from->ranged) {
        syc_py_invalid(scope->state, "copy: count is of no use with an accessor or a buffer: the accessor's range says "
                                     "how much is copied");
        return -1;
    }
    if (take_size(scope, "copy", "count", count, &elements) < 0)
        return -1;
    if (__builtin_mul_overflow(elements, from->item, bytes))
        *bytes = SIZE_MAX;
    return 0;
}

static int prepare_copy(const syc_py_scope *scope, PyObject *const *values)
{
    static const unsigned any = SYC_PY_TAKES_ACCESSOR | SYC_PY_TAKES_ARRAY | SYC_PY_TAKES_USM;
    const syc_py_role src = {"copy", "src", "copied", any, false}, dest = {"copy", "dest", "copied", any, true};
    syc_py_operand to, from;
    size_t bytes;

    if (syc_py_operand_take(scope, &src, values[0], &from) < 0 ||
        syc_py_operand_take(scope, &dest, values[1], &to) < 0 || copy_size(scope, &to, &from, values[2], &bytes) < 0)
        return -1;
    if (to.ranged && from.ranged) { /* what is too much of raw bytes, the core leaves out */
        if (syc_py_operands_agree(scope->state, "copy", &to, &from) < 0)
            return -1;
    } else if (syc_py_operands_match(scope->state, "copy", &to, &from) < 0 ||
               syc_py_operand_cut(scope->state, &src, &from, bytes) < 0 ||
               syc_py_operand_cut(scope->state, &dest, &to, bytes) < 0) {
        return -1;
    }
    put_copy(scope, &to, &from);
    return 0;
}

static int prepare_memcpy(const syc_py_scope *scope, PyObject *const *values)
{
    static const unsigned any = SYC_PY_TAKES_ARRAY | SYC_PY_TAKES_USM;
    const syc_py_role dest = {"memcpy", "dest", "copied", any, true}, src = {"memcpy", "src", "copied", any, false};
    syc_py_operand to, from;
    size_t bytes;

    if (syc_py_operand_take(scope, &dest, values[0], &to) < 0 || syc_py_operand_take(scope, &src, values[1], &from) < 0)
        return -1;
    bytes = from.side.bytes;
    if (take_size(scope, "memcpy", "nbytes", values[2], &bytes) < 0 ||
        syc_py_operand_cut(scope->state, &src, &from, bytes) < 0 ||
        syc_py_operand_cut(scope->state, &dest, &to, bytes) < 0)
        return -1;
    put_copy(scope, &to, &from);
    return 0;
}

/* -- fills -- */

/* What fills an array, held by the task's pins: one element that is read again and again. */
struct repeated {
    ptrdiff_t shape[1], strides[1];
    char element[];
};

/* Arrays are the host's: they are copied to from an array that repeats its element. */
static int put_repeated(const syc_py_scope *scope, const syc_py_operand *to, const char *pattern, size_t size)
{
    size_t bytes = to->side.bytes, item = bytes % to->item == 0 ? to->item : size;
    PyObject *kept = PyBytes_FromStringAndSize(NULL, (Py_ssize_t)(sizeof(struct repeated) + item));
    struct repeated *repeated;
    int failed;

    if (kept == NULL)
        return -1;
    repeated = (struct repeated *)PyBytes_AS_STRING(kept);
    repeated->shape[0] = (ptrdiff_t)(bytes / item);
    repeated->strides[0] = 0;
    for (size_t done = 0; done < item; done += size)
        memcpy(repeated->element + done, pattern, size);
    failed = syc_py_task_hold(scope->task, kept);
    Py_DECREF(kept);
    if (failed < 0)
        return -1;
    scope->task->core.ops = &syc_copy_ops;
    scope->task->core.copy = (syc_copy){.to = to->side,
                                        .from = {.kind = SYC_SIDE_ARRAY,
                                                 .bytes = bytes,
                                                 .array = {.data = repeated->element,
                                                           .bytes = bytes,
                                                           .alignment = 1,
                                                           .rank = 1,
                                                           .item_size = item,
                                                           .shape = repeated->shape,
                                                           .strides = repeated->strides}}};
    return 0;
}

/* The pattern lies in bytes that the task's pins hold. */
static int put_fill(const syc_py_scope *scope, const syc_py_operand *to, const char *pattern, size_t size)
{
    syc_task *task = &scope->task->core;
    PyObject *kept;
    int failed;

    if (to->side.bytes == 0)
        return 0;
    if (to->side.kind == SYC_SIDE_ARRAY)
        return put_repeated(scope, to, pattern, size);
    kept = PyBytes_FromStringAndSize(pattern, (Py_ssize_t)size);
    if (kept == NULL)
        return -1;
    failed = syc_py_task_hold(scope->task, kept);
    Py_DECREF(kept);
    if (failed < 0)
        return -1;
    task->ops = &syc_fill_ops;
    task->fill = (syc_fill){.to = to->side, .pattern = PyBytes_AS_STRING(kept), .pattern_size = size};
    return 0;
}

/* A NumPy item of another type into raw bytes stands for its own bytes. */
static int raw_pattern(PyObject *value, char *out, size_t *size)
{
    Py_buffer view;
    int found = 0;
    if (PyLong_Check(value) || PyFloat_Check(value) || !PyObject_CheckBuffer(value))
        return 0;
    if (PyObject_GetBuffer(value, &view, PyBUF_SIMPLE) < 0) {
        PyErr_Clear();
        return 0;
    }
    if (view.len > 1 && view.len <= SYC_PATTERN_MAX) {
        memcpy(out, view.buf, (size_t)view.len);
        *size = (size_t)view.len;
        found = 1;
    }
    PyBuffer_Release(&view);
    return found;
}

/* How many bytes: all, or `count` patterns of shared memory. */
static int fill_size(const syc_py_scope *scope, const syc_py_role *role, syc_py_operand *to, PyObject *given,
                     size_t pattern)
{
    size_t count = 0, bytes;
    if (is_given(given)) {
        if (to->ranged) {
            syc_py_invalid(scope->state, "fill: count is of no use with an accessor or a buffer: the accessor's range "
                                         "says how much is filled");
            return -1;
        }
        if (take_size(scope, "fill", "count", given, &count) < 0)
            return -1;
        if (__builtin_mul_overflow(count, pattern, &bytes))
            bytes = SIZE_MAX;
        return syc_py_operand_cut(scope->state, role, to, bytes);
    }
    if (to->side.bytes % pattern == 0)
        return 0;
    syc_py_invalid(scope->state, "fill: %zu bytes are no whole number of patterns of %zu", to->side.bytes, pattern);
    return -1;
}

/* Of whatever gives an array, NumPy knows the type. */
static int array_pattern(syc_state *state, syc_py_operand *to, PyObject *array, PyObject *value, char *out)
{
    PyObject *module = PyImport_ImportModule("numpy");
    PyObject *seen = module != NULL ? PyObject_CallMethod(module, "asarray", "O", array) : NULL;
    int failed = -1;

    to->dtype = seen != NULL ? PyObject_GetAttrString(seen, "dtype") : NULL;
    if (to->dtype != NULL)
        failed = syc_py_pattern(state, to, value, out);
    Py_CLEAR(to->dtype);
    Py_XDECREF(seen);
    Py_XDECREF(module);
    return failed;
}

static int prepare_fill(const syc_py_scope *scope, PyObject *const *values)
{
    static const unsigned any = SYC_PY_TAKES_ACCESSOR | SYC_PY_TAKES_ARRAY | SYC_PY_TAKES_USM;
    const syc_py_role dest = {"fill", "dest", "filled", any, true};
    char pattern[SYC_PATTERN_MAX];
    syc_py_operand to;
    size_t size;

    if (syc_py_operand_take(scope, &dest, values[0], &to) < 0)
        return -1;
    size = to.item;
    if (to.side.kind == SYC_SIDE_ARRAY) {
        if (array_pattern(scope->state, &to, values[0], values[1], pattern) < 0)
            return -1;
    } else if (!(syc_py_operand_is_raw(&to) && raw_pattern(values[1], pattern, &size)) &&
               syc_py_pattern(scope->state, &to, values[1], pattern) < 0) {
        return -1;
    }
    return fill_size(scope, &dest, &to, values[2], size) < 0 ? -1 : put_fill(scope, &to, pattern, size);
}

/* As C's: an int, converted to an unsigned char, which keeps its lowest eight bits. */
static int take_byte(const syc_py_scope *scope, PyObject *value, char *out)
{
    PyObject *number = PyIndex_Check(value) ? PyNumber_Index(value) : NULL;
    if (number == NULL) {
        if (!PyErr_Occurred() || PyErr_ExceptionMatches(PyExc_TypeError)) {
            PyErr_Clear();
            syc_py_invalid(scope->state, "memset: value: %R is not an integer for a byte", value);
        }
        return -1;
    }
    *out = (char)PyLong_AsUnsignedLongMask(number);
    Py_DECREF(number);
    return 0;
}

static int prepare_memset(const syc_py_scope *scope, PyObject *const *values)
{
    const syc_py_role ptr = {"memset", "ptr", "set", SYC_PY_TAKES_USM | SYC_PY_TAKES_ARRAY, true};
    syc_py_operand to;
    size_t bytes;
    char byte;

    if (syc_py_operand_take(scope, &ptr, values[0], &to) < 0 || take_byte(scope, values[1], &byte) < 0)
        return -1;
    bytes = to.side.bytes;
    if (take_size(scope, "memset", "nbytes", values[2], &bytes) < 0 ||
        syc_py_operand_cut(scope->state, &ptr, &to, bytes) < 0)
        return -1;
    return put_fill(scope, &to, &byte, 1);
}

/* -- the host's copy, and hints -- */

/* Nothing is done but to bring the bytes to the host. */
static int prepare_update_host(const syc_py_scope *scope, PyObject *const *values)
{
    const syc_py_role acc = {"update_host", "acc", "copied", SYC_PY_TAKES_ACCESSOR, false};
    PyObject *value = values[0];
    syc_need need = {0};

    if (syc_py_is_accessor(scope->state, value)) {
        AccessorObject *a = (AccessorObject *)value;
        if (syc_py_operand_check_group(scope, &acc, a) < 0)
            return -1;
        if (a->core != NULL)
            need = syc_py_accessor_need(a);
    } else {
        syc_py_operand operand;
        if (syc_py_operand_take(scope, &acc, value, &operand) < 0)
            return -1;
        need = syc_py_buffer_need((BufferObject *)value, false, true);
    }
    need.write = false;
    need.keep = need.at_host = true;
    return need.bytes > 0 ? syc_py_task_need(scope->state, scope->task, &need, NULL) : 0;
}

static int prepare_hint(const syc_py_scope *scope, const struct spelling *s, PyObject *const *values, bool prefetch)
{
    const syc_py_role ptr = {s->name, "ptr", prefetch ? "prefetched" : "advised on", SYC_PY_TAKES_USM, false};
    syc_task *task = &scope->task->core;
    syc_py_operand of;
    size_t bytes;
    uint32_t advice = 0;

    if (syc_py_operand_take(scope, &ptr, values[0], &of) < 0)
        return -1;
    bytes = of.side.bytes;
    if (take_size(scope, s->name, "nbytes", values[1], &bytes) < 0 ||
        syc_py_operand_cut(scope->state, &ptr, &of, bytes) < 0)
        return -1;
    if (!prefetch) {
        syc_number_fit fit = syc_number_convert(values[2], SYC_UINT, &advice);
        if (fit != SYC_NUMBER_OK) {
            if (fit != SYC_NUMBER_RAISED)
                syc_py_invalid(scope->state, "mem_advise: advice: %R %s for a device's number of an advice", values[2],
                               syc_number_fit_text(fit));
            return -1;
        }
    }
    if (bytes == 0)
        return 0;
    task->ops = &syc_hint_ops;
    task->hint = (syc_hint){.prefetch = prefetch, .address = of.side.pointer, .bytes = bytes, .advice = advice};
    return 0;
}

static int refuse_parameters(syc_state *state, const struct spelling *s, PyObject *const *values)
{
    for (Py_ssize_t i = 0; i < s->all; i++) {
        if (values[i] != NULL && syc_py_parameter_refuse(state, values[i], s->parameters[i]) < 0)
            return -1;
    }
    return 0;
}

int syc_py_copy_prepare(const syc_py_scope *scope, syc_py_memory_call call, PyObject *const *args, Py_ssize_t count,
                        PyObject *names, PyObject **own)
{
    enum { OPERANDS = 2 };
    const struct spelling *s = &spellings[call];
    PyObject *values[MOST_PARAMETERS] = {NULL, NULL, NULL};

    if (parse(s, args, count, names, values, own) < 0 || refuse_parameters(scope->state, s, values) < 0 ||
        syc_py_task_pin(scope->state, scope->task, OPERANDS) < 0)
        return -1;
    switch (call) {
    case SYC_PY_CALL_copy:
        return prepare_copy(scope, values);
    case SYC_PY_CALL_fill:
        return prepare_fill(scope, values);
    case SYC_PY_CALL_memcpy:
        return prepare_memcpy(scope, values);
    case SYC_PY_CALL_memset:
        return prepare_memset(scope, values);
    case SYC_PY_CALL_update_host:
        return prepare_update_host(scope, values);
    default:
        return prepare_hint(scope, s, values, call == SYC_PY_CALL_prefetch);
    }
}
