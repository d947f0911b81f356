/* Platform, and the module functions about discovery: platforms, drivers, search roots.
 *
 * Loading drivers changes the process's environment for a moment. Python code may do the same under the GIL, and C's
 * environment has no lock, so everything here that may load keeps the GIL. Whatever else loads must have it too. */
#include "python/state.h"

#include "base/alloc.h"
#include "cl/constants.h"
#include "cl/device.h"
#include "cl/driver.h"

static PyObject *string_or_none(const char *text)
{
    return text == NULL ? Py_NewRef(Py_None) : PyUnicode_DecodeUTF8(text, (Py_ssize_t)strlen(text), "replace");
}

/* Stores and drops `value`, which may be NULL with an error set. */
static int store(PyObject *dict, const char *key, PyObject *value)
{
    int result = value == NULL ? -1 : PyDict_SetItemString(dict, key, value);
    Py_XDECREF(value);
    return result;
}

/* -- the type -- */

static void platform_dealloc(PyObject *self)
{
    PyTypeObject *type = Py_TYPE(self);
    type->tp_free(self);
    Py_DECREF(type);
}

static PyObject *platform_query(PyObject *self, PyObject *what)
{
    unsigned long number = PyLong_AsUnsignedLong(what);
    syc_info info = {0};
    syc_status status;
    PyObject *result;

    if (number == (unsigned long)-1 && PyErr_Occurred())
        return NULL;
    status = syc_platform_info(((PlatformObject *)self)->core, (cl_uint)number, &info);
    if (status != SYC_OK)
        return syc_py_raise(syc_state_of(self), status);
    result = string_or_none(info.string);
    syc_info_clear(&info);
    return result;
}

static PyObject *platform_devices(PyObject *self, void *unused)
{
    const syc_platform *platform = ((PlatformObject *)self)->core;
    PyObject *list = PyList_New(0);
    (void)unused;

    for (size_t i = 0; list != NULL && i < platform->device_count; i++) {
        syc_device_retain(platform->devices[i]);
        syc_py_append(&list, syc_py_device(syc_state_of(self), platform->devices[i]));
    }
    return list;
}

static PyObject *platform_driver_index(PyObject *self, void *unused)
{
    (void)unused;
    for (size_t i = 0; i < syc_driver_count(); i++)
        if (syc_driver_at(i) == ((PlatformObject *)self)->core->driver)
            return PyLong_FromSize_t(i);
    Py_UNREACHABLE();
}

static PyObject *platform_int_ptr(PyObject *self, void *unused)
{
    (void)unused;
    return PyLong_FromVoidPtr(((PlatformObject *)self)->core->id);
}

static PyObject *platform_from_int_ptr(PyObject *type, PyObject *value)
{
    syc_state *state = syc_state_of_type((PyTypeObject *)type);
    void *native;
    syc_platform *platform;
    syc_status status;

    if (syc_py_native_handle(state, value, "a platform", &native) < 0)
        return NULL;
    status = syc_platform_of(native, &platform);
    return status != SYC_OK ? syc_py_raise(state, status) : syc_py_platform(state, platform);
}

static PyMethodDef platform_methods[] = {
    {"_query", platform_query, METH_O, PyDoc_STR("_query($self, what, /)\n--\n\nOne answer of clGetPlatformInfo.")},
    {"from_int_ptr", platform_from_int_ptr, METH_O | METH_CLASS,
     PyDoc_STR("from_int_ptr($type, value, /)\n--\n\nThe platform of a native cl_platform_id.")},
    {NULL, NULL, 0, NULL},
};

static PyGetSetDef platform_getset[] = {
    {"_devices", platform_devices, NULL, PyDoc_STR("The root devices."), NULL},
    {"_driver_index", platform_driver_index, NULL, PyDoc_STR("Which entry of drivers() made this platform."), NULL},
    {"int_ptr", platform_int_ptr, NULL, PyDoc_STR("The native cl_platform_id, as an integer."), NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

static PyType_Slot platform_slots[] = {
    {Py_tp_doc, "The base of pysycl.Platform."},
    {Py_tp_dealloc, platform_dealloc},
    {Py_tp_richcompare, syc_py_handle_compare},
    {Py_tp_hash, syc_py_handle_hash},
    {Py_tp_methods, platform_methods},
    {Py_tp_getset, platform_getset},
    {0, NULL},
};

PyType_Spec syc_platform_spec = {
    .name = "pysycl._core.Platform",
    .basicsize = sizeof(PlatformObject),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_IMMUTABLETYPE | Py_TPFLAGS_DISALLOW_INSTANTIATION,
    .slots = platform_slots,
};

/* -- discovery -- */

static PyObject *discover_platforms(PyObject *module, PyObject *unused)
{
    syc_state *state = PyModule_GetState(module);
    syc_platform *const *all;
    size_t count;
    syc_status status = syc_platforms(&all, &count);
    PyObject *list;
    (void)unused;

    if (status != SYC_OK)
        return syc_py_raise(state, status);
    list = PyList_New(0);
    for (size_t i = 0; list != NULL && i < count; i++)
        syc_py_append(&list, syc_py_platform(state, all[i]));
    return list;
}

static PyObject *platforms_of(syc_state *state, const syc_driver *driver, syc_platform *const *all, size_t count)
{
    PyObject *list = PyList_New(0);
    for (size_t i = 0; list != NULL && i < count; i++)
        if (all[i]->driver == driver)
            syc_py_append(&list, syc_py_platform(state, all[i]));
    return list;
}

static PyObject *version_or_none(unsigned version)
{
    return version == 0 ? Py_NewRef(Py_None) : PyUnicode_FromFormat("%u.%u", version / 10, version % 10);
}

static PyObject *driver_entry(syc_state *state, const syc_driver *driver, syc_platform *const *all, size_t count)
{
    PyObject *entry = PyDict_New();
    if (entry == NULL)
        return NULL;
    if (store(entry, "path", string_or_none(driver->path)) < 0 ||
        store(entry, "origin", string_or_none(driver->origin)) < 0 ||
        store(entry, "refusal", string_or_none(driver->refusal)) < 0 ||
        store(entry, "quirks", string_or_none(driver->quirks)) < 0 ||
        store(entry, "version", version_or_none(driver->version)) < 0 ||
        store(entry, "platforms", platforms_of(state, driver, all, count)) < 0)
        Py_CLEAR(entry);
    return entry;
}

static PyObject *discover_drivers(PyObject *module, PyObject *unused)
{
    syc_state *state = PyModule_GetState(module);
    syc_platform *const *all;
    size_t count;
    syc_status status = syc_platforms(&all, &count);
    PyObject *list;
    (void)unused;

    if (status != SYC_OK)
        return syc_py_raise(state, status);
    list = PyList_New(0);
    for (size_t i = 0; list != NULL && i < syc_driver_count(); i++)
        syc_py_append(&list, driver_entry(state, syc_driver_at(i), all, count));
    return list;
}

/* A failure is remembered by the list's absence: the visitor cannot stop the visit. */
static void append_candidate(const char *path, const char *origin, void *user)
{
    PyObject **list = user;
    if (*list != NULL)
        syc_py_append(list, Py_BuildValue("(NN)", string_or_none(path), string_or_none(origin)));
}

static PyObject *candidates(PyObject *module, PyObject *unused)
{
    PyObject *list = PyList_New(0), *result = NULL;
    char *notes = NULL;
    syc_status status;
    (void)unused;

    if (list == NULL)
        return NULL;
    status = syc_drivers_visit_candidates(append_candidate, &list, &notes);
    if (status != SYC_OK)
        syc_py_raise(PyModule_GetState(module), status);
    else if (list != NULL)
        result = Py_BuildValue("(ON)", list, string_or_none(notes == NULL ? "" : notes));
    syc_free(notes);
    Py_XDECREF(list);
    return result;
}

static PyObject *set_roots(PyObject *module, PyObject *argument)
{
    PyObject *sequence = PySequence_Fast(argument, "the roots must be a list of strings");
    Py_ssize_t count = sequence == NULL ? 0 : PySequence_Fast_GET_SIZE(sequence);
    const char **roots = NULL;
    syc_status status;

    if (sequence == NULL)
        return NULL;
    status = syc_alloc_array((size_t)count, sizeof *roots, &roots);
    for (Py_ssize_t i = 0; status == SYC_OK && i < count; i++) {
        roots[i] = PyUnicode_AsUTF8(PySequence_Fast_GET_ITEM(sequence, i));
        if (roots[i] == NULL)
            goto done;
    }
    if (status == SYC_OK)
        status = syc_drivers_set_roots(roots, (size_t)count);
    if (status != SYC_OK)
        syc_py_raise(PyModule_GetState(module), status);
done:
    syc_free(roots);
    Py_DECREF(sequence);
    return PyErr_Occurred() ? NULL : Py_NewRef(Py_None);
}

static PyObject *describe_drivers(PyObject *module, PyObject *unused)
{
    char *text = syc_drivers_describe();
    PyObject *result = text == NULL ? PyErr_NoMemory() : string_or_none(text);
    (void)module, (void)unused;
    syc_free(text);
    return result;
}

static PyObject *cl_constants(PyObject *module, PyObject *unused)
{
    static const struct {
        const char *name;
        long value;
    } rows[] = {
#define X(name, value) {#name, value},
        SYC_CL_CONSTANTS(X)
#undef X
    };
    PyObject *constants = PyDict_New();
    (void)module, (void)unused;
    for (size_t i = 0; constants != NULL && i < sizeof rows / sizeof *rows; i++)
        if (store(constants, rows[i].name, PyLong_FromLong(rows[i].value)) < 0)
            Py_CLEAR(constants);
    return constants;
}

PyMethodDef syc_discovery_methods[] = {
    {"platforms", discover_platforms, METH_NOARGS,
     PyDoc_STR("platforms($module, /)\n--\n\nAll platforms. Loads the drivers on the first call.")},
    {"drivers", discover_drivers, METH_NOARGS,
     PyDoc_STR("drivers($module, /)\n--\n\nAll drivers that were considered, refused ones too, as dicts.")},
    {"candidates", candidates, METH_NOARGS,
     PyDoc_STR("candidates($module, /)\n--\n\nWhere drivers may be, as (path, origin) pairs, and what named none. "
               "Opens none.")},
    {"set_roots", set_roots, METH_O,
     PyDoc_STR(
         "set_roots($module, roots, /)\n--\n\nThe folders that hold wheels. Has no effect once drivers are loaded.")},
    {"describe_drivers", describe_drivers, METH_NOARGS,
     PyDoc_STR("describe_drivers($module, /)\n--\n\nWhat was searched and what came of it, one line each.")},
    {"cl_constants", cl_constants, METH_NOARGS,
     PyDoc_STR("cl_constants($module, /)\n--\n\nOpenCL's constants by their official names.")},
    {NULL, NULL, 0, NULL},
};
