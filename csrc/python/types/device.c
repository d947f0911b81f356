/* Device: the handle, its raw queries and its partitioning. What a query means is decided in pysycl/device.py. */
#include "python/state.h"

#include "base/alloc.h"
#include "cl/constants.h"
#include "cl/device.h"

PyObject *syc_py_device(syc_state *state, syc_device *device)
{
    PyObject *self = syc_face_alloc(state, SYC_FACE_DEVICE, NULL);
    if (self != NULL)
        ((DeviceObject *)self)->core = device;
    else
        syc_device_release(device);
    return self;
}

static syc_device *core_of(PyObject *self)
{
    return ((DeviceObject *)self)->core;
}

static void device_dealloc(PyObject *self)
{
    PyTypeObject *type = Py_TYPE(self);
    syc_device_release(core_of(self));
    type->tp_free(self);
    Py_DECREF(type);
}

/* -- queries -- */

static PyObject *numbers_to_list(const syc_info *info)
{
    PyObject *list = PyList_New((Py_ssize_t)info->count);
    for (size_t i = 0; list != NULL && i < info->count; i++)
        syc_py_put(&list, i, PyLong_FromLongLong(info->numbers[i]));
    return list;
}

static PyObject *info_to_python(const syc_info *info)
{
    switch (info->kind) {
    case SYC_INFO_BOOL:
        return PyBool_FromLong(info->number != 0);
    case SYC_INFO_STRING:
        return PyUnicode_DecodeUTF8(info->string, (Py_ssize_t)strlen(info->string), "replace");
    case SYC_INFO_SIZES:
    case SYC_INFO_WORDS:
        return numbers_to_list(info);
    default:
        return PyLong_FromUnsignedLongLong(info->number);
    }
}

/* The kind that a name stands for; -1 with an error set. */
static int kind_of(syc_state *state, PyObject *name)
{
    static const char *const kinds[] = {
        [SYC_INFO_UINT] = "uint",     [SYC_INFO_ULONG] = "ulong", [SYC_INFO_SIZE] = "size",   [SYC_INFO_BOOL] = "bool",
        [SYC_INFO_STRING] = "string", [SYC_INFO_SIZES] = "sizes", [SYC_INFO_WORDS] = "words",
    };
    const char *text = PyUnicode_AsUTF8(name);

    for (size_t i = 0; text != NULL && i < sizeof kinds / sizeof *kinds; i++)
        if (strcmp(kinds[i], text) == 0)
            return (int)i;
    if (text != NULL)
        syc_py_invalid(state, "there is no kind of answer '%s'", text);
    return -1;
}

/* How drivers say that they do not know a query. */
static bool is_unknown_query(syc_status status)
{
    int code = syc_detail_of(status).cl_code;
    return code == CL_INVALID_VALUE || code == CL_INVALID_OPERATION;
}

static PyObject *device_query(PyObject *self, PyObject *const *args, Py_ssize_t count)
{
    unsigned long what;
    int kind;
    syc_info info = {0};
    syc_status status;
    PyObject *result;

    if (count < 2 || count > 3)
        return PyErr_Format(PyExc_TypeError, "_query takes what, kind and a default, not %zd arguments", count);
    what = PyLong_AsUnsignedLong(args[0]);
    kind = PyErr_Occurred() ? -1 : kind_of(syc_state_of(self), args[1]);
    if (kind < 0)
        return NULL;
    status = syc_device_info(core_of(self), (cl_uint)what, (syc_info_kind)kind, &info);
    if (status != SYC_OK && count == 3 && is_unknown_query(status))
        return Py_NewRef(args[2]);
    if (status != SYC_OK)
        return syc_py_raise(syc_state_of(self), status);
    result = info_to_python(&info);
    syc_info_clear(&info);
    return result;
}

static PyObject *device_has_extension(PyObject *self, PyObject *name)
{
    const char *text = PyUnicode_AsUTF8(name);
    bool has;
    syc_status status;

    if (text == NULL)
        return NULL;
    status = syc_device_has_extension(core_of(self), text, &has);
    return status != SYC_OK ? syc_py_raise(syc_state_of(self), status) : PyBool_FromLong(has);
}

static PyObject *device_name(PyObject *self, void *unused)
{
    const char *name = syc_device_name(core_of(self));
    (void)unused;
    return PyUnicode_DecodeUTF8(name, (Py_ssize_t)strlen(name), "replace");
}

static PyObject *device_type(PyObject *self, void *unused)
{
    (void)unused;
    return PyLong_FromUnsignedLongLong(core_of(self)->type);
}

static PyObject *device_platform(PyObject *self, void *unused)
{
    (void)unused;
    return syc_py_platform(syc_state_of(self), core_of(self)->platform);
}

static PyObject *device_parent(PyObject *self, void *unused)
{
    syc_device *parent = core_of(self)->parent;
    (void)unused;
    if (parent == NULL)
        return Py_NewRef(Py_None);
    syc_device_retain(parent);
    return syc_py_device(syc_state_of(self), parent);
}

static PyObject *device_lanes(PyObject *self, void *unused)
{
    const syc_device *device = core_of(self);
    (void)unused;
    return device->lanes[SYC_LANE_CALLER] == NULL
               ? Py_BuildValue("(N)", PyLong_FromVoidPtr(device->lanes[SYC_LANE_POOL]))
               : Py_BuildValue("(NN)", PyLong_FromVoidPtr(device->lanes[SYC_LANE_POOL]),
                               PyLong_FromVoidPtr(device->lanes[SYC_LANE_CALLER]));
}

/* Drops `value`, which may be NULL with an error set, and with it the dict. */
static void add_fact(PyObject **dict, const char *name, PyObject *value)
{
    if (*dict != NULL && (value == NULL || PyDict_SetItemString(*dict, name, value) < 0))
        Py_CLEAR(*dict);
    Py_XDECREF(value);
}

static PyObject *device_facts(PyObject *self, void *unused)
{
    const syc_facts *facts = core_of(self)->facts;
    static const char *const items[] = {"singly", "looped", "packed", "threaded"};
    PyObject *dict = PyDict_New();
    (void)unused;
#define FLAG(name)   add_fact(&dict, #name, PyBool_FromLong(facts->name))
#define NUMBER(name) add_fact(&dict, #name, PyLong_FromUnsignedLongLong(facts->name))
#define TEXT(name)   add_fact(&dict, #name, PyUnicode_FromString(facts->name))
    TEXT(row);
    FLAG(shares_host_memory);
    FLAG(reads_anywhere);
    FLAG(thread_safe);
    FLAG(out_of_order);
    FLAG(reads_at_enqueue);
    FLAG(flush_each);
    FLAG(silent_launches);
    NUMBER(offset_bits);
    NUMBER(local_size);
    add_fact(&dict, "items", PyUnicode_FromString(items[facts->items]));
    NUMBER(groups);
    NUMBER(sub_groups);
    FLAG(svm);
    FLAG(svm_migrates);
    FLAG(understates_groups);
    FLAG(usm_argument_sticks);
    FLAG(staged_transfers);
    NUMBER(fill_limit);
    NUMBER(fill_reach);
    FLAG(every_order);
    FLAG(system_scope);
    FLAG(strict_cl12);
    FLAG(shared_structs);
    FLAG(repeats_first);
    FLAG(filters_unclamped);
    FLAG(binaries);
    NUMBER(binary_ns);
    NUMBER(caller_budget_ns);
    NUMBER(awaited_budget_ns);
    add_fact(&dict, "inexact", PyUnicode_FromString(facts->inexact == NULL ? "" : facts->inexact));
    TEXT(measured);
#undef FLAG
#undef NUMBER
#undef TEXT
    return dict;
}

/* -- sub-devices -- */

/* Wraps each device of the array, which is freed; what could not be wrapped is released. */
static PyObject *wrap_all(syc_state *state, syc_device **devices, size_t count)
{
    PyObject *list = PyList_New((Py_ssize_t)count);
    for (size_t i = 0; i < count; i++) {
        if (list != NULL)
            syc_py_put(&list, i, syc_py_device(state, devices[i]));
        else
            syc_device_release(devices[i]);
    }
    syc_free(devices);
    return list;
}

/* The numbers of a sequence as an array; -1 with an error set. */
static int convert_numbers(syc_state *state, PyObject *sequence, intptr_t **out, size_t *out_count)
{
    PyObject *items = PySequence_Fast(sequence, "the counts must be a sequence of integers");
    Py_ssize_t count = items == NULL ? 0 : PySequence_Fast_GET_SIZE(items);
    intptr_t *numbers = NULL;
    syc_status status;

    if (items == NULL)
        return -1;
    status = syc_alloc_array((size_t)count, sizeof *numbers, &numbers);
    if (status != SYC_OK)
        syc_py_raise(state, status);
    for (Py_ssize_t i = 0; i < count && !PyErr_Occurred(); i++)
        numbers[i] = PyLong_AsSsize_t(PySequence_Fast_GET_ITEM(items, i));
    Py_DECREF(items);
    if (PyErr_Occurred()) {
        syc_free(numbers);
        return -1;
    }
    *out = numbers;
    *out_count = (size_t)count;
    return 0;
}

static PyObject *device_partition(PyObject *self, PyObject *const *args, Py_ssize_t count)
{
    syc_state *state = syc_state_of(self);
    syc_device **made = NULL;
    intptr_t scheme, *values;
    size_t value_count, made_count = 0;
    syc_status status;

    if (count != 2)
        return PyErr_Format(PyExc_TypeError, "_partition takes a scheme and its values, not %zd arguments", count);
    scheme = PyLong_AsSsize_t(args[0]);
    if (PyErr_Occurred() || convert_numbers(state, args[1], &values, &value_count) < 0)
        return NULL;
    Py_BEGIN_ALLOW_THREADS;
    status = syc_device_partition(core_of(self), scheme, values, value_count, &made, &made_count);
    Py_END_ALLOW_THREADS;
    syc_free(values);
    return status != SYC_OK ? syc_py_raise(state, status) : wrap_all(state, made, made_count);
}

/* -- interop -- */

static PyObject *device_int_ptr(PyObject *self, void *unused)
{
    (void)unused;
    return PyLong_FromVoidPtr(core_of(self)->lanes[SYC_LANE_POOL]);
}

static PyObject *device_from_int_ptr(PyObject *type, PyObject *value)
{
    syc_state *state = syc_state_of_type((PyTypeObject *)type);
    void *native;
    syc_device *device;
    syc_status status;

    if (syc_py_native_handle(state, value, "a device", &native) < 0)
        return NULL;
    status = syc_device_from_native(native, &device); /* may load: keeps the GIL */
    return status != SYC_OK ? syc_py_raise(state, status) : syc_py_device(state, device);
}

static PyObject *device_reference_count(PyObject *self, void *unused)
{
    syc_info info = {0};
    syc_status status = syc_device_info(core_of(self), CL_DEVICE_REFERENCE_COUNT, SYC_INFO_UINT, &info);
    (void)unused;
    return status != SYC_OK ? syc_py_raise(syc_state_of(self), status) : PyLong_FromUnsignedLongLong(info.number);
}

static PyMethodDef device_methods[] = {
    {"_query", (PyCFunction)(void (*)(void))device_query, METH_FASTCALL,
     PyDoc_STR("_query($self, what, kind, default=..., /)\n--\n\n"
               "One answer of clGetDeviceInfo; the default, if given, when the driver does not know the query.")},
    {"_partition", (PyCFunction)(void (*)(void))device_partition, METH_FASTCALL,
     PyDoc_STR("_partition($self, scheme, values, /)\n--\n\nSub-devices by an OpenCL scheme.")},
    {"has_extension", device_has_extension, METH_O,
     PyDoc_STR("has_extension($self, name, /)\n--\n\nTrue if the device has the OpenCL extension `name`.")},
    {"from_int_ptr", device_from_int_ptr, METH_O | METH_CLASS,
     PyDoc_STR("from_int_ptr($type, value, /)\n--\n\nThe device of a native cl_device_id, which is retained.")},
    {NULL, NULL, 0, NULL},
};

static PyGetSetDef device_getset[] = {
    {"_name", device_name, NULL, PyDoc_STR("The name, without what tells PoCL's lanes apart."), NULL},
    {"_type", device_type, NULL, PyDoc_STR("One bit of cl_device_type."), NULL},
    {"_parent", device_parent, NULL, PyDoc_STR("The device that this one is a part of, or None."), NULL},
    {"_lanes", device_lanes, NULL, PyDoc_STR("The native handles of the lanes, the pool's first."), NULL},
    {"_facts", device_facts, NULL, PyDoc_STR("What pysycl knows of such devices by measurement, as a dict."), NULL},
    {"_platform", device_platform, NULL, PyDoc_STR("The platform."), NULL},
    {"_reference_count", device_reference_count, NULL, PyDoc_STR("OpenCL's reference count."), NULL},
    {"int_ptr", device_int_ptr, NULL, PyDoc_STR("The native cl_device_id, as an integer."), NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

static PyType_Slot device_slots[] = {
    {Py_tp_doc, "The base of pysycl.Device."},
    {Py_tp_dealloc, device_dealloc},
    {Py_tp_richcompare, syc_py_handle_compare},
    {Py_tp_hash, syc_py_handle_hash},
    {Py_tp_methods, device_methods},
    {Py_tp_getset, device_getset},
    {0, NULL},
};

PyType_Spec syc_device_spec = {
    .name = "pysycl._core.Device",
    .basicsize = sizeof(DeviceObject),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_IMMUTABLETYPE | Py_TPFLAGS_DISALLOW_INSTANTIATION,
    .slots = device_slots,
};
