/* The self-test for Python: pysycl/_doctor/selftest.py makes sense of it. */
#include "algo/selftest/selftest.h"
#include "body/body.h"
#include "cl/context.h"
#include "python/pins.h"

#include <stdlib.h>
#include <strings.h>

void syc_py_selftest_init(void)
{
    static const char *const words[] = {"0", "off", "no", "false"};
    const char *value = getenv("PYSYCL_SELF_TEST");
    bool on = true;
    for (size_t i = 0; value != NULL && i < Py_ARRAY_LENGTH(words); i++)
        on = on && strcasecmp(value, words[i]) != 0;
    syc_selftest_enable(on);
}

static PyObject *verdict_of(syc_device *device, syc_family family)
{
    static const char *const states[] = {"not yet", "right", "replaced", "refused", "untested"};
    syc_selftest_verdict v;
    syc_selftest_verdict_of(device, family, &v);
    return Py_BuildValue("(ssszNd)", v.family, states[v.state], v.words, v.way, PyBool_FromLong(v.kept),
                         (double)v.ns / 1e9);
}

static PyObject *known_verdicts(PyObject *module, PyObject *object)
{
    syc_device *device = syc_py_core(PyModule_GetState(module), SYC_FACE_DEVICE, object, "device");
    PyObject *list = device != NULL ? PyList_New(0) : NULL;

    for (unsigned f = 0; list != NULL && f < SYC_FAMILY_COUNT; f++) {
        PyObject *verdict = syc_selftest_families(device) >> f & 1 ? verdict_of(device, (syc_family)f) : NULL;
        if (verdict != NULL && PyList_Append(list, verdict) < 0)
            Py_CLEAR(list);
        Py_XDECREF(verdict);
        if (PyErr_Occurred())
            Py_CLEAR(list);
    }
    return list;
}

static PyObject *known_find_out(PyObject *module, PyObject *args)
{
    syc_state *state = PyModule_GetState(module);
    PyObject *context;
    unsigned at;
    syc_status status = SYC_OK;
    syc_families families;
    syc_context *core;

    if (!PyArg_ParseTuple(args, "OI:known_find_out", &context, &at))
        return NULL;
    core = syc_py_core(state, SYC_FACE_CONTEXT, context, "context");
    if (core == NULL)
        return NULL;
    families = core->device_count > 0 ? syc_selftest_families(core->devices[0]) : 0;
    for (unsigned f = 0, k = 0; f < SYC_FAMILY_COUNT; f++)
        if (families >> f & 1 && k++ == at) {
            SYC_CORE_BEGIN
                status = syc_selftest_find_out(core, syc_family_bit((syc_family)f));
            SYC_CORE_END
        }
    return status != SYC_OK ? syc_py_raise(state, status) : Py_NewRef(Py_None);
}

static PyObject *known_enable(PyObject *module, PyObject *args)
{
    int on;
    (void)module;
    if (!PyArg_ParseTuple(args, "p:known_enable", &on))
        return NULL;
    syc_selftest_enable(on != 0);
    Py_RETURN_NONE;
}

static PyObject *known_enabled(PyObject *module, PyObject *unused)
{
    (void)module;
    (void)unused;
    return PyBool_FromLong(syc_selftest_enabled());
}

static PyObject *known_fault(PyObject *module, PyObject *args)
{
    static const char *const words[] = {"", "wrong", "broken", "hangs", "stuck", "no memory", "dies"};
    int family;
    unsigned at;
    const char *word;

    if (!PyArg_ParseTuple(args, "iIs:known_fault", &family, &at, &word))
        return NULL;
    for (int k = 0; k < (int)Py_ARRAY_LENGTH(words); k++)
        if (strcmp(word, words[k]) == 0 && family >= 0 && family < SYC_FAMILY_COUNT) {
            syc_selftest_set_fault((syc_family)family, at, (syc_selftest_fault)k);
            Py_RETURN_NONE;
        }
    return syc_py_invalid(PyModule_GetState(module), "there is no family %d, or no fault '%s'", family, word);
}

static PyObject *known_limit(PyObject *module, PyObject *seconds)
{
    double limit = PyFloat_AsDouble(seconds);
    (void)module;
    if (PyErr_Occurred())
        return NULL;
    syc_selftest_set_limit((uint64_t)(limit * 1e9));
    Py_RETURN_NONE;
}

static PyObject *known_forget(PyObject *module, PyObject *unused)
{
    (void)module;
    (void)unused;
    SYC_CORE_BEGIN
        syc_selftest_forget();
    SYC_CORE_END
    Py_RETURN_NONE;
}

static PyObject *undo_cures(PyObject *module, PyObject *args)
{
    int undo;
    (void)module;
    if (!PyArg_ParseTuple(args, "p:undo_cures", &undo))
        return NULL;
    syc_body_undo_cures(undo != 0);
    Py_RETURN_NONE;
}

static PyObject *known_trials(PyObject *module, PyObject *unused)
{
    (void)module;
    (void)unused;
    return PyLong_FromUnsignedLongLong(syc_selftest_trials());
}

PyMethodDef syc_selftest_methods[] = {
    {"known_verdicts", known_verdicts, METH_O,
     "known_verdicts($module, device, /)\n--\n\n"
     "What the self-test has found out, for each family: (family, state, words, way, kept, seconds)."},
    {"known_find_out", known_find_out, METH_VARARGS,
     "known_find_out($module, context, at, /)\n--\n\nMake sure that number `at` of the verdicts is there."},
    {"known_enable", known_enable, METH_VARARGS,
     "known_enable($module, on, /)\n--\n\nThe self-test is made at first use from now on, or not."},
    {"known_enabled", known_enabled, METH_NOARGS,
     "known_enabled($module, /)\n--\n\nIs the self-test made at first use?"},
    {"known_fault", known_fault, METH_VARARGS,
     "known_fault($module, family, way, fault, /)\n--\n\n"
     "Gives a way of a family a fault: 'wrong', 'broken', 'hangs', 'stuck', 'no memory', 'dies', or '' for none. For "
     "tests."},
    {"known_limit", known_limit, METH_O,
     "known_limit($module, seconds, /)\n--\n\nHow long ways may take that hang; 0: the usual time. For tests."},
    {"known_forget", known_forget, METH_NOARGS,
     "known_forget($module, /)\n--\n\nForget what this process has found out. For tests."},
    {"undo_cures", undo_cures, METH_VARARGS,
     "undo_cures($module, undo, /)\n--\n\n"
     "Bodies are made as if compilers had no known defects from now on, or as ever. For tests."},
    {"known_trials", known_trials, METH_NOARGS,
     "known_trials($module, /)\n--\n\nHow many ways this process has tried."},
    {NULL, NULL, 0, NULL},
};
