/* The traceback of an error that leaves the package, cut down to the user's frames. */
#include "python/functions/frames.h"

static bool keeps; /* all frames, for PYSYCL_DEBUG=traceback; under the GIL */

/* How many folders below the package's own is the function's module? -1 with an error set. */
static Py_ssize_t depth_of(PyObject *function)
{
    PyObject *module = PyObject_GetAttrString(function, "__module__"), *dot = PyUnicode_FromString(".");
    Py_ssize_t dots = module != NULL && dot != NULL ? PyUnicode_Count(module, dot, 0, PY_SSIZE_T_MAX) : -1;
    Py_XDECREF(module);
    Py_XDECREF(dot);
    return dots > 0 ? dots - 1 : dots; /* the package itself is a file of its folder */
}

/* The package's folder is the file's name up to there, with a '/' at its end. -1 with an error set. */
static Py_ssize_t folder_of(PyObject *function, PyObject **file)
{
    PyObject *code = PyObject_GetAttrString(function, "__code__");
    Py_ssize_t depth = depth_of(function), end = 0;
    *file = code != NULL ? PyObject_GetAttrString(code, "co_filename") : NULL;
    Py_XDECREF(code);
    if (*file == NULL || depth < 0)
        return -1;
    end = PyUnicode_GET_LENGTH(*file);
    for (; depth >= 0 && end > 0; depth--)
        end = PyUnicode_FindChar(*file, '/', 0, end, -1);
    return end + 1;
}

/* Is the frame in a file below the folder? */
static int is_ours(PyObject *trace, PyObject *file, Py_ssize_t folder)
{
    PyObject *frame = PyObject_GetAttrString(trace, "tb_frame");
    PyObject *code = frame != NULL ? PyObject_GetAttrString(frame, "f_code") : NULL;
    PyObject *name = code != NULL ? PyObject_GetAttrString(code, "co_filename") : NULL;
    PyObject *start = name != NULL ? PyUnicode_Substring(file, 0, folder) : NULL;
    int ours = start != NULL ? (int)PyUnicode_Tailmatch(name, start, 0, PyUnicode_GET_LENGTH(name), -1) : -1;
    Py_XDECREF(start);
    Py_XDECREF(name);
    Py_XDECREF(code);
    Py_XDECREF(frame);
    return ours;
}

/* The traceback without the package's frames: a new reference, None where there are no others; NULL with an error. */
static PyObject *trimmed(PyObject *trace, PyObject *file, Py_ssize_t folder)
{
    PyObject *first = Py_NewRef(Py_None), *last = NULL, *at = Py_NewRef(trace); /* the chain holds `last` */
    while (at != Py_None) {
        const int ours = is_ours(at, file, folder);
        PyObject *next = PyObject_GetAttrString(at, "tb_next");
        if (ours < 0 || next == NULL) {
            Py_XDECREF(next);
            Py_CLEAR(first);
            break;
        }
        if (!ours && last == NULL)
            Py_SETREF(first, Py_NewRef(at));
        else if (!ours)
            (void)PyObject_SetAttrString(last, "tb_next", at);
        last = ours ? last : at;
        Py_SETREF(at, next);
    }
    if (first != NULL && last != NULL)
        (void)PyObject_SetAttrString(last, "tb_next", Py_None);
    Py_DECREF(at);
    return first;
}

static PyObject *trace_of(PyObject *exception)
{
    PyObject *trace = PyException_GetTraceback(exception);
    return trace != NULL ? trace : Py_NewRef(Py_None);
}

/* The frames inside of the package when the error arose: none of anybody else's is among them. */
static void trim_context(PyObject *exception, PyObject *file, Py_ssize_t folder)
{
    PyObject *context = PyException_GetContext(exception);
    PyObject *trace = context != NULL ? trace_of(context) : NULL;
    PyObject *left = trace != NULL && trace != Py_None ? trimmed(trace, file, folder) : NULL;
    if (left == Py_None)
        PyException_SetContext(exception, NULL);
    else if (left != NULL)
        (void)PyException_SetTraceback(context, left);
    Py_XDECREF(left);
    Py_XDECREF(trace);
    Py_XDECREF(context);
}

static void trim(PyObject *exception, PyObject *function)
{
    PyObject *file = NULL, *trace = trace_of(exception), *left;
    const Py_ssize_t folder = folder_of(function, &file);

    left = folder > 0 && trace != Py_None ? trimmed(trace, file, folder) : NULL;
    if (left != NULL)
        (void)PyException_SetTraceback(exception, left);
    if (left != NULL)
        trim_context(exception, file, folder);
    Py_XDECREF(left);
    Py_DECREF(trace);
    Py_XDECREF(file);
    PyErr_Clear();
}

/* Has the user of a notebook asked for all frames, by `%xmode Verbose`? Leaves no error set. */
static bool shell_keeps(void)
{
    PyObject *name = PyUnicode_FromString("IPython");
    PyObject *ipython = name != NULL ? PyImport_GetModule(name) : NULL;
    PyObject *cells = ipython != NULL ? PyImport_ImportModule("pysycl._notebook.cells") : NULL;
    PyObject *all = cells != NULL ? PyObject_CallMethod(cells, "shows_all_frames", NULL) : NULL;
    const bool keep = all == Py_True;
    Py_XDECREF(all);
    Py_XDECREF(cells);
    Py_XDECREF(ipython);
    Py_XDECREF(name);
    PyErr_Clear();
    return keep;
}

/* A name that a module of the package has not is the caller's mistake, too: the function that looks for it tells him.
 */
static bool looks_for_names(PyObject *function)
{
    PyObject *name = PyErr_ExceptionMatches(PyExc_AttributeError) ? ((PyFunctionObject *)function)->func_name : NULL;
    return name != NULL && PyUnicode_CompareWithASCIIString(name, "__getattr__") == 0;
}

PyObject *syc_py_frames_drop(const syc_state *state, PyObject *function)
{
    PyObject *exception;
    if (keeps || state->error_base == NULL)
        return NULL;
    if (!PyErr_ExceptionMatches(state->error_base) && !looks_for_names(function))
        return NULL;
    exception = syc_py_take_exception();
    if (!shell_keeps())
        trim(exception, function);
#if PY_VERSION_HEX >= 0x030C0000
    PyErr_SetRaisedException(exception);
#else
    PyErr_Restore(Py_NewRef(Py_TYPE(exception)), exception, PyException_GetTraceback(exception));
#endif
    return NULL;
}

void syc_py_frames_keep(bool keep)
{
    keeps = keep;
}
