/* Exceptions: the classes, made from the status table, and the one function that raises them. */
#include "base/text.h"
#include "python/pins.h"

static const struct {
    const char *errc, *name, *base, *builtin;
} rows[SYC_STATUS_COUNT] = {
#define X(status, errc, cls, base, builtin, text) [status] = {errc, cls, base, builtin},
    SYC_STATUS_MAP(X)
#undef X
};

/* The class called `name` that was made before, borrowed. */
static PyObject *made_before(syc_state *state, const char *name)
{
    for (int s = SYC_TIMEOUT + 1; s < SYC_STATUS_COUNT; s++) {
        if (state->errors[s] != NULL && strcmp(rows[s].name, name) == 0)
            return state->errors[s];
    }
    return state->error_base;
}

static PyObject *bases_of(syc_state *state, int status)
{
    PyObject *base = made_before(state, rows[status].base);
    PyObject *builtins, *builtin;
    if (rows[status].builtin[0] == '\0')
        return PyTuple_Pack(1, base);
    builtins = PyEval_GetBuiltins();
    builtin = builtins != NULL ? PyDict_GetItemString(builtins, rows[status].builtin) : NULL;
    return builtin != NULL ? PyTuple_Pack(2, base, builtin) : NULL;
}

static PyObject *make_class(syc_state *state, int status)
{
    PyObject *bases = bases_of(state, status), *members = PyDict_New(), *cls = NULL, *errc = NULL;
    char name[80];

    if (bases == NULL || members == NULL)
        goto done;
    errc = PyUnicode_FromString(rows[status].errc);
    if (errc == NULL || PyDict_SetItemString(members, "_errc", errc) < 0)
        goto done;
    snprintf(name, sizeof name, "pysycl.%s", rows[status].name);
    cls = PyErr_NewException(name, bases, members);
done:
    Py_XDECREF(errc);
    Py_XDECREF(members);
    Py_XDECREF(bases);
    return cls;
}

/* `base` is the Python class pysycl.errors.SyclError, which gives the members their meaning. Returns {name: class}. */
PyObject *syc_py_make_errors(syc_state *state, PyObject *base, PyObject *warning)
{
    PyObject *classes = PyDict_New();
    if (classes == NULL)
        return NULL;
    Py_XSETREF(state->error_base, Py_NewRef(base));
    Py_XSETREF(state->warning, Py_NewRef(warning));
    syc_py_reports_set_class(warning);
    for (int s = SYC_TIMEOUT + 1; s < SYC_STATUS_COUNT; s++) {
        Py_CLEAR(state->errors[s]);
        state->errors[s] = make_class(state, s);
        if (state->errors[s] == NULL || PyDict_SetItemString(classes, rows[s].name, state->errors[s]) < 0) {
            Py_DECREF(classes);
            return NULL;
        }
    }
    return classes;
}

static PyObject *text_or_none(const char *text)
{
    return text != NULL ? PyUnicode_DecodeUTF8(text, (Py_ssize_t)strlen(text), "replace") : Py_NewRef(Py_None);
}

static int set_member(PyObject *exception, const char *name, PyObject *value)
{
    int failed = value == NULL ? -1 : PyObject_SetAttrString(exception, name, value);
    Py_XDECREF(value);
    return failed;
}

/* What a token of pysycl/_runtime/raised.py stands for, or NULL. */
static PyObject *look(QueueObject *queue, PyObject *token, bool told)
{
    PyObject *module = queue != NULL ? PyImport_ImportModule("pysycl._runtime.raised") : NULL, *found = NULL;
    if (module != NULL)
        found = PyObject_CallMethod(module, "look", "OOO", queue, token, told ? Py_True : Py_False);
    Py_XDECREF(module);
    if (found == Py_None)
        Py_CLEAR(found);
    PyErr_Clear(); /* the failure says it in words */
    return found;
}

/* What a host task or an allocator raised. A new reference or NULL. */
static PyObject *cause_of(const syc_detail *detail, QueueObject *queue, bool told)
{
    PyObject *held = detail->cause != NULL ? ((const syc_pins *)detail->cause)->held[0] : NULL;
    if (held == NULL || PyExceptionInstance_Check(held))
        return Py_XNewRef(held);
    return look(queue, held, told);
}

static PyObject *make_exception(syc_state *state, const syc_detail *detail, const char *site, SYC_TAKE PyObject *cause)
{
    PyObject *cls = state->errors[detail->status], *message, *exception;
    syc_text text = {0};

    if (cls == NULL) /* a core failure before pysycl/errors.py was imported */
        cls = PyExc_RuntimeError;
    syc_text_add(&text, "%s", detail->message);
    if (site != NULL)
        syc_text_add(&text, "\n  submitted at %s", site);
    message = text_or_none(syc_text_get(&text));
    syc_text_clear(&text);
    exception = message != NULL ? PyObject_CallOneArg(cls, message) : NULL;
    Py_XDECREF(message);
    if (exception != NULL)
        PyException_SetCause(exception, cause);
    else
        Py_XDECREF(cause);
    if (exception == NULL || cls == PyExc_RuntimeError)
        return exception;
    if (set_member(exception, "cl_code", PyLong_FromLong(detail->cl_code)) < 0 ||
        set_member(exception, "api", text_or_none(detail->api)) < 0 ||
        set_member(exception, "build_log", text_or_none(detail->build_log)) < 0 ||
        set_member(exception, "site", text_or_none(site)) < 0)
        Py_CLEAR(exception);
    return exception;
}

PyObject *syc_py_take_exception(void)
{
#if PY_VERSION_HEX >= 0x030C0000
    return PyErr_GetRaisedException();
#else
    PyObject *type, *value, *trace;
    PyErr_Fetch(&type, &value, &trace);
    PyErr_NormalizeException(&type, &value, &trace);
    if (trace != NULL)
        PyException_SetTraceback(value, trace);
    Py_XDECREF(type);
    Py_XDECREF(trace);
    return value;
#endif
}

void syc_py_set_cause(syc_state *state, PyObject *exception)
{
    syc_pins *pins = syc_pins_new(state, 0);
    if (pins != NULL && syc_pins_hold(pins, exception) == 0)
        syc_detail_set_cause((syc_keep){syc_pins_let_go, pins});
    else
        syc_pins_free(pins);
    PyErr_Clear();
    Py_DECREF(exception);
}

/* An exception of a signal's handler passes as it is. */
static PyObject *raise_interruption(const syc_detail *detail)
{
    PyObject *raised = detail->cause != NULL ? ((const syc_pins *)detail->cause)->held[0] : PyExc_KeyboardInterrupt;
    PyErr_SetObject(detail->cause != NULL ? (PyObject *)Py_TYPE(raised) : raised,
                    detail->cause != NULL ? raised : NULL);
    syc_detail_drop_cause();
    return NULL;
}

PyObject *syc_py_raise(syc_state *state, syc_status status)
{
    syc_detail detail = syc_detail_of(status);
    PyObject *exception, *cause;
    if (status == SYC_INTERRUPTED)
        return raise_interruption(&detail);
    exception = make_exception(state, &detail, NULL, cause_of(&detail, NULL, true));
    if (exception != NULL && (cause = PyException_GetCause(exception)) != NULL) {
        syc_detail_drop_cause();
        if (PyObject_TypeCheck(cause, (PyTypeObject *)PyExc_Exception))
            Py_DECREF(cause);
        else /* Ctrl-C and the like are no errors of ours: they pass as they are */
            Py_SETREF(exception, cause);
    }
    if (exception != NULL) {
        PyErr_SetObject((PyObject *)Py_TYPE(exception), exception);
        Py_DECREF(exception);
    }
    return NULL;
}

PyObject *syc_py_exception(syc_state *state, const syc_failure *failure, const char *site, QueueObject *queue,
                           bool told)
{
    syc_detail detail = syc_failure_detail(failure);
    return make_exception(state, &detail, site, cause_of(&detail, queue, told));
}

PyObject *syc_py_refuse(syc_state *state, syc_status status, const char *format, ...)
{
    va_list args;
    PyObject *message;
    va_start(args, format);
    message = PyUnicode_FromFormatV(format, args);
    va_end(args);
    if (message != NULL) {
        const char *text = PyUnicode_AsUTF8(message);
        if (text != NULL)
            syc_py_raise(state, syc_fail(status, SYC_HERE, "%s", text));
        Py_DECREF(message);
    }
    return NULL;
}
