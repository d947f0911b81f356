/* The module _core: its state, its types, and the functions that belong to no object. */
#include "base/alloc.h"
#include "base/process.h"
#include "body/whole/program.h"
#include "cl/context.h"
#include "memory/usm/usm.h"
#include "program/cache/cache.h"
#include "python/body/special.h"
#include "python/launch/call.h"
#include "schedule/queue.h"

static syc_state *state_of_module(PyObject *module)
{
    return PyModule_GetState(module);
}

static PyObject *core_make_errors(PyObject *module, PyObject *args)
{
    PyObject *base, *warning;
    if (!PyArg_ParseTuple(args, "OO:make_errors", &base, &warning))
        return NULL;
    return syc_py_make_errors(state_of_module(module), base, warning);
}

/* Waits in slices at most `seconds` for everything in flight; returns (commands left, their description). */
static PyObject *core_drain(PyObject *module, PyObject *argument)
{
    double seconds = PyFloat_AsDouble(argument);
    char *description = NULL;
    size_t left;
    PyObject *result;
    (void)module;

    if (seconds == -1.0 && PyErr_Occurred())
        return NULL;
    SYC_CORE_BEGIN
        left = syc_schedule_drain((uint64_t)(seconds * 1e9), &description);
    SYC_CORE_END
    result = Py_BuildValue("ns", (Py_ssize_t)left, description != NULL ? description : "");
    syc_free(description);
    return result;
}

/* Waits for what was submitted in the last moment, and lets go of all. True if anything did not end. */
static bool close_all(uint64_t late_ns, uint64_t patience_ns)
{
    char *what = NULL;
    bool left;

    syc_schedule_refuse();
    left = syc_schedule_drain(late_ns, &what) > 0;
    syc_free(what);
    syc_schedule_close(patience_ns);
    if (left)
        return true; /* a driver that is asked to let go of what runs may wait for it */
    syc_cache_close();
    (void)syc_usm_trim_all();
    syc_contexts_close();
    return false;
}

/* The very end: threads stop, late errors are said, and from then on no driver is called any more. What other threads
 * have submitted meanwhile gets `late` seconds, and builds and trials of daemon threads `patience`: kernels and builds
 * that are under way while exit() takes the drivers down end the process, or hold it. */
static PyObject *core_close(PyObject *module, PyObject *args)
{
    static const double threads = 1.0;
    double late, patience;
    bool forked, left;
    (void)module;

    if (!PyArg_ParseTuple(args, "dd:close", &late, &patience))
        return NULL;
    SYC_CORE_BEGIN
        left = close_all((uint64_t)(late * 1e9), (uint64_t)((patience < threads ? patience : threads) * 1e9));
    SYC_CORE_END
    syc_py_reports_flush();
    syc_pins_close();
    forked = !syc_process_alive(); /* whose builds are its parent's */
    syc_process_close();
    SYC_CORE_BEGIN
        if (!forked && (!syc_process_await_work((uint64_t)(patience * 1e9)) || left))
            syc_process_leave_early();
    SYC_CORE_END
    Py_RETURN_NONE;
}

static PyObject *core_traffic(PyObject *module, PyObject *unused)
{
    syc_traffic t = syc_traffic_total();
    (void)module;
    (void)unused;
    return Py_BuildValue("{sKsKsKsK}", "staged_arrays", (unsigned long long)t.staged_arrays, "staged_bytes",
                         (unsigned long long)t.staged_bytes, "to_device_bytes", (unsigned long long)t.to_device_bytes,
                         "from_device_bytes", (unsigned long long)t.from_device_bytes);
}

static PyObject *core_alloc_fail_at(PyObject *module, PyObject *argument)
{
    long n = PyLong_AsLong(argument);
    (void)module;
    if (n == -1 && PyErr_Occurred())
        return NULL;
    syc_alloc_fail_at(n);
    Py_RETURN_NONE;
}

static PyObject *core_default_context(PyObject *module, PyObject *device)
{
    syc_state *state = state_of_module(module);
    if (syc_py_core(state, SYC_FACE_DEVICE, device, "device") == NULL)
        return NULL;
    return syc_py_default_context(state, ((DeviceObject *)device)->core);
}

static PyObject *core_bind(PyObject *module, PyObject *face)
{
    return syc_py_face_bind(state_of_module(module), face);
}

static PyMethodDef core_methods[] = {
    {"default_context", core_default_context, METH_O,
     "default_context($module, device, /)\n--\n\nThe context of the device's queues that were given none."},
    {"bind", core_bind, METH_O,
     "bind($module, face, /)\n--\n\nRegister a Python class over its C type; gives it back."},
    {"make_errors", core_make_errors, METH_VARARGS,
     "make_errors($module, base, warning, /)\n--\n\nMake the exception classes: {name: class}."},
    {"drain", core_drain, METH_O,
     "drain($module, seconds, /)\n--\n\nWait for what is in flight: (commands left, description)."},
    {"close", core_close, METH_VARARGS,
     "close($module, late, patience, /)\n--\n\nStop for good; for interpreter exit."},
    {"traffic", core_traffic, METH_NOARGS, "traffic($module, /)\n--\n\nBytes copied since the start."},
    {"alloc_fail_at", core_alloc_fail_at, METH_O,
     "alloc_fail_at($module, n, /)\n--\n\nMake the n-th allocation of the core from now fail; for tests."},
    {NULL, NULL, 0, NULL},
};

static PyType_Spec *const specs[SYC_FACE_COUNT] = {
    [SYC_FACE_PLATFORM] = &syc_platform_spec, [SYC_FACE_DEVICE] = &syc_device_spec,
    [SYC_FACE_CONTEXT] = &syc_context_spec,   [SYC_FACE_QUEUE] = &syc_queue_spec,
    [SYC_FACE_EVENT] = &syc_event_spec,       [SYC_FACE_HANDLER] = &syc_handler_spec,
    [SYC_FACE_PROGRAM] = &syc_program_spec,   [SYC_FACE_KERNEL] = &syc_kernel_spec,
    [SYC_FACE_BUFFER] = &syc_buffer_spec,     [SYC_FACE_ACCESSOR] = &syc_accessor_spec,
    [SYC_FACE_USM] = &syc_usm_spec,           [SYC_FACE_HOST_ACCESSOR] = &syc_host_accessor_spec,
    [SYC_FACE_SAMPLER] = &syc_sampler_spec,   [SYC_FACE_INTEROP_HANDLE] = &syc_interop_handle_spec,
    [SYC_FACE_STREAM] = &syc_stream_spec,     [SYC_FACE_RECORDING] = &syc_recording_spec,
};

static PyMethodDef *const method_tables[] = {
    syc_discovery_methods,   syc_hook_methods,
    syc_buffer_methods,      syc_usm_methods,
    syc_image_methods,       syc_host_task_methods,
    syc_graph_methods,       syc_profile_methods,
    syc_guard_methods,       syc_host_accessor_functions,
    syc_body_methods,        syc_bundle_methods,
    syc_kernel_info_methods, syc_debug_methods,
    syc_check_methods,       syc_collectives_methods,
    syc_cache_methods,       syc_selftest_methods,
    syc_tuned_methods,       syc_host_reduce_methods,
    syc_host_scan_methods,   syc_host_keys_methods,
    syc_entry_methods,       syc_team_methods,
    syc_kept_methods,
};

/* The core is the process's, and the end of an interpreter is the end of the core. */
static int refuse_other_interpreters(void)
{
    if (PyInterpreterState_Get() == PyInterpreterState_Main())
        return 0;
    PyErr_SetString(
        PyExc_ImportError,
        "pysycl works in the main interpreter of a process only, and this is a sub-interpreter (under mod_wsgi, "
        "`WSGIApplicationGroup %{GLOBAL}` runs an application in the main one)");
    return -1;
}

/* By another name than help() has for its instances; `entry` makes those. */
static int add_type(PyObject *module, PyType_Spec *spec, const char *name)
{
    PyObject *type = PyType_FromModuleAndSpec(module, spec, NULL);
    int failed = type == NULL || PyModule_AddObjectRef(module, name, type) < 0;
    Py_XDECREF(type);
    return failed ? -1 : 0;
}

static int core_exec(PyObject *module)
{
    syc_state *state = state_of_module(module);
    if (refuse_other_interpreters() < 0)
        return -1;
    for (int k = 0; k < SYC_FACE_COUNT; k++) {
        if (specs[k] == NULL)
            continue;
        state->base[k] = (PyTypeObject *)PyType_FromModuleAndSpec(module, specs[k], NULL);
        if (state->base[k] == NULL || PyModule_AddType(module, state->base[k]) < 0)
            return -1;
    }
    state->prepared = (PyTypeObject *)PyType_FromModuleAndSpec(module, &syc_prepared_spec, NULL);
    if (state->prepared == NULL || PyModule_AddType(module, state->prepared) < 0)
        return -1;
    if (add_type(module, &syc_entry_spec, "Entry") < 0 || add_type(module, &syc_kept_plan_spec, "KeptPlan") < 0 ||
        syc_py_call_init(state) < 0)
        return -1;
    state->formats = PyDict_New();
    state->layouts = PyDict_New();
    if (state->formats == NULL || state->layouts == NULL)
        return -1;
    syc_py_reports_init();
    syc_py_selftest_init();
    syc_py_team_init();
    syc_py_wait_init(state);
    syc_reducing_enable(true);
    for (size_t i = 0; i < Py_ARRAY_LENGTH(method_tables); i++) {
        if (PyModule_AddFunctions(module, method_tables[i]) < 0)
            return -1;
    }
    return 0;
}

static int core_traverse(PyObject *module, visitproc visit, void *arg)
{
    syc_state *state = state_of_module(module);
    for (int k = 0; k < SYC_FACE_COUNT; k++) {
        Py_VISIT(state->base[k]);
        Py_VISIT(state->face[k]);
    }
    for (int s = 0; s < SYC_STATUS_COUNT; s++)
        Py_VISIT(state->errors[s]);
    for (size_t i = 0; i < Py_ARRAY_LENGTH(state->lines); i++)
        Py_VISIT(state->lines[i].code);
    Py_VISIT(state->error_base);
    Py_VISIT(state->warning);
    Py_VISIT(state->formats);
    Py_VISIT(state->array);
    for (int t = 0; t < SYC_DTYPE_COUNT; t++) {
        Py_VISIT(state->scalars[t]);
        Py_VISIT(state->cells[t].array);
    }
    Py_VISIT(state->layouts);
    Py_VISIT(state->generic);
    Py_VISIT(state->prepared);
    return 0;
}

static int core_clear(PyObject *module)
{
    syc_state *state = state_of_module(module);
    for (int k = 0; k < SYC_FACE_COUNT; k++) {
        Py_CLEAR(state->base[k]);
        Py_CLEAR(state->face[k]);
    }
    for (int s = 0; s < SYC_STATUS_COUNT; s++)
        Py_CLEAR(state->errors[s]);
    for (size_t i = 0; i < Py_ARRAY_LENGTH(state->lines); i++)
        Py_CLEAR(state->lines[i].code);
    Py_CLEAR(state->error_base);
    Py_CLEAR(state->warning);
    Py_CLEAR(state->formats);
    Py_CLEAR(state->array);
    for (int t = 0; t < SYC_DTYPE_COUNT; t++) {
        Py_CLEAR(state->scalars[t]);
        Py_CLEAR(state->cells[t].array);
    }
    Py_CLEAR(state->layouts);
    Py_CLEAR(state->generic);
    Py_CLEAR(state->prepared);
    for (int k = 0; k < SYC_WORDS; k++)
        Py_CLEAR(state->words[k]);
    syc_py_specials_clear(state);
    return 0;
}

static void core_free(void *module)
{
    core_clear(module);
}

static PyModuleDef_Slot core_slots[] = {
    {Py_mod_exec, core_exec},
    {0, NULL},
};

PyMODINIT_FUNC PyInit__core(void)
{
    syc_core_module.m_methods = core_methods;
    syc_core_module.m_slots = core_slots;
    syc_core_module.m_traverse = core_traverse;
    syc_core_module.m_clear = core_clear;
    syc_core_module.m_free = core_free;
    return PyModuleDef_Init(&syc_core_module);
}
