/* Making a body for arguments of certain classes: the types of weak numbers, the declarations of structs. */
#include "python/body/special.h"

#include "base/text.h"
#include "body/name.h"
#include "source/origin.h"

/* -- the types of Python's numbers -- */

/* The type of numbers that have none of their own: the widest floating type among the arrays. */
static syc_dtype floating_beside(const syc_py_given *given, Py_ssize_t count, bool fp64)
{
    syc_dtype widest = SYC_VOID;
    for (Py_ssize_t i = 0; i < count; i++) {
        const syc_py_class *class = &given[i].class;
        syc_dtype type = (syc_dtype) class->type;
        bool array = class->origin == SYC_PY_MEMORY || class->origin == SYC_PY_LOCAL;
        if (array && syc_dtype_kind(type) == 'f' &&
            (widest == SYC_VOID || syc_dtype_size(type) > syc_dtype_size(widest)))
            widest = type;
    }
    return widest != SYC_VOID ? widest : fp64 ? SYC_DOUBLE : SYC_FLOAT;
}

static void choose_types(const syc_py_given *given, syc_py_special *out)
{
    syc_dtype floating = floating_beside(given, out->count, out->key.fp64);
    for (Py_ssize_t i = 0; i < out->count; i++) {
        const syc_py_class *class = &given[i].class;
        bool weak = class->origin == SYC_PY_WEAK_FLOAT || class->origin == SYC_PY_WEAK_COMPLEX;
        out->slots[i].type = weak ? floating : (syc_dtype) class->type;
    }
}

static syc_name_kind kind_of(const syc_py_class *class)
{
    switch ((syc_py_origin) class->origin) {
    case SYC_PY_MEMORY:
        return SYC_NAME_GLOBAL;
    case SYC_PY_LOCAL:
        return SYC_NAME_LOCAL;
    case SYC_PY_IMAGE:
        return SYC_NAME_IMAGE;
    case SYC_PY_SAMPLER:
        return SYC_NAME_SAMPLER;
    case SYC_PY_STREAM:
        return SYC_NAME_STREAM;
    case SYC_PY_REDUCER:
        return SYC_NAME_REDUCER;
    default:
        return SYC_NAME_VALUE;
    }
}

/* -- structs -- */

/* (declarations, {name of an argument: its type}) for all structs among the arguments; Py_None where there are none. A
 * new reference. */
static PyObject *declare_structs(const syc_py_body_call *call, const syc_py_given *given)
{
    PyObject *list = NULL, *module, *declared = NULL;
    int failed = 0;

    for (Py_ssize_t i = 0; !failed && i < call->count; i++) {
        PyObject *pair;
        if (given[i].class.layout == NULL)
            continue;
        pair = PyTuple_Pack(2, call->names[i], given[i].class.layout);
        if (list == NULL)
            list = PyList_New(0);
        failed = list == NULL || pair == NULL || PyList_Append(list, pair) < 0;
        Py_XDECREF(pair);
    }
    if (!failed && list == NULL)
        return Py_NewRef(Py_None);
    module = !failed ? PyImport_ImportModule("pysycl._data.struct_types") : NULL;
    if (module != NULL)
        declared = PyObject_CallMethod(module, "declare", "(O)", list);
    Py_XDECREF(module);
    Py_XDECREF(list);
    return declared;
}

/* Bytes that elements of the struct must be aligned to. */
static int take_alignment(syc_py_slot *slot)
{
    PyObject *number;
    if (slot->class.layout == NULL || slot->class.result_width > 0) /* the layout is not the memory's */
        return 0;
    number = PyObject_GetAttrString(slot->class.layout, "alignment");
    slot->alignment = number != NULL ? PyLong_AsSize_t(number) : 0;
    Py_XDECREF(number);
    return PyErr_Occurred() ? -1 : 0;
}

/* -- names -- */

static unsigned width_of(const syc_py_slot *slot)
{
    return slot->class.origin == SYC_PY_WEAK_COMPLEX ? 2 : slot->class.width;
}

static const char *word_of(const syc_py_slot *slot)
{
    static const char *const images[] = {"image1d_t", "image2d_t", "image3d_t"};
    if (slot->class.origin == SYC_PY_IMAGE)
        return images[slot->class.rank - 1];
    if (slot->class.origin == SYC_PY_SAMPLER)
        return "sampler_t";
    if (slot->class.origin == SYC_PY_STREAM)
        return "struct syc_stream";
    if (slot->class.origin == SYC_PY_WEAK_COMPLEX || slot->class.complex)
        return slot->type == SYC_DOUBLE ? "cdouble" : "cfloat";
    return syc_dtype_vector_name(slot->type, width_of(slot));
}

static size_t size_of(const syc_py_slot *slot)
{
    unsigned width = width_of(slot);
    return syc_dtype_size(slot->type) * (width == 3 ? 4 : width);
}

static int fill_reducer(const syc_py_class *class, syc_name *name)
{
    syc_reducer *out = &name->reducer;

    if (class->layout != NULL) { /* elsewhere the sizes of structs are the compiler's affair */
        PyObject *dtype = PyObject_GetAttrString(class->layout, "dtype");
        PyObject *item = dtype != NULL ? PyObject_GetAttrString(dtype, "itemsize") : NULL;
        name->size = item != NULL ? PyLong_AsSize_t(item) : 0;
        Py_XDECREF(item);
        Py_XDECREF(dtype);
    }
    name->op = (syc_operator){.operation = PyUnicode_AsUTF8(class->operation),
                              .known = (class->reducer & SYC_PY_REDUCER_KNOWN) != 0,
                              .boolean = class->boolean,
                              .accuracy = (syc_accuracy) class->accuracy};
    out->fresh = (class->reducer & SYC_PY_REDUCER_FRESH) != 0;
    out->array = (class->reducer & SYC_PY_REDUCER_ARRAY) != 0;
    out->ordered = (class->reducer & SYC_PY_REDUCER_ORDERED) != 0;
    out->reduced = class->reduced;
    out->scanner = (class->reducer & SYC_PY_REDUCER_SCANNER) != 0;
    out->initial = (class->reducer & SYC_PY_REDUCER_INITIAL) != 0;
    out->finish = class->finish != NULL ? PyUnicode_AsUTF8(class->finish) : NULL;
    out->kept = class->result_width > 0 && class->result_type == SYC_STRUCT;
    if (class->result_width > 0 && !out->kept)
        out->result = syc_dtype_vector_name((syc_dtype) class->result_type, class->result_width);
    return name->op.operation != NULL && !PyErr_Occurred() ? 0 : -1;
}

static int fill_name(const syc_py_slot *slot, PyObject *types, syc_name *out)
{
    PyObject *type = slot->class.layout != NULL ? PyDict_GetItemWithError(types, slot->name) : NULL;
    out->kind = kind_of(&slot->class);
    out->type = type != NULL ? PyUnicode_AsUTF8(type) : word_of(slot);
    out->size = size_of(slot);
    out->readable = slot->class.readable;
    out->writable = slot->class.writable;
    out->rank = slot->class.rank;
    out->ranged = slot->class.ranged;
    if (slot->class.origin == SYC_PY_REDUCER && fill_reducer(&slot->class, out) < 0)
        return -1;
    return out->type == NULL || PyErr_Occurred() ? -1 : 0;
}

/* -- the body -- */

/* Text for C. */
static int check_words(const syc_py_body_call *call, const syc_py_body_key *key)
{
    static const char *const what[SYC_PY_BODY_WORDS] = {"body", "preamble",  "options",
                                                        "name", "constants", "operators"};
    for (int i = 0; i < SYC_PY_BODY_WORDS; i++) {
        Py_ssize_t length;
        const char *text = key->words[i] != NULL ? PyUnicode_AsUTF8AndSize(key->words[i], &length) : NULL;
        if (text == NULL && PyErr_Occurred())
            return -1;
        if (text != NULL && strlen(text) != (size_t)length) {
            syc_py_invalid(call->state, "%s: a NUL character stands in the text, at %zu", what[i], strlen(text));
            return -1;
        }
    }
    return 0;
}

static const char *word(const syc_py_special *special, int which)
{
    PyObject *text = special->key.words[which];
    return text != NULL ? PyUnicode_AsUTF8(text) : NULL;
}

/* A body that writes is not for what may only be read. */
static int check_writes(const syc_py_body_call *call, const syc_py_special *special)
{
    for (Py_ssize_t i = 0; i < special->count; i++) {
        const syc_py_class *class = &special->slots[i].class;
        if (class->writable || !syc_body_writes(special->core, (size_t)i))
            continue;
        if (class->origin == SYC_PY_MEMORY || class->origin == SYC_PY_IMAGE)
            return syc_py_body_refuse(call, SYC_E_KERNEL_ARGUMENT, i,
                                      "may only be read, and the body writes to it: pass a writable array, or an "
                                      "accessor of mode write or read_write");
    }
    return 0;
}

/* The parts of a text that was made of others (pysycl/_kernels/user_text.py): a new tuple that holds their strings,
 * NULL where it has none or with an error. */
static PyObject *take_parts(PyObject *text, syc_part **out, size_t *count)
{
    PyObject *parts = PyUnicode_CheckExact(text) ? NULL : PyObject_GetAttrString(text, "parts");
    if (parts == NULL || !PyTuple_Check(parts)) {
        PyErr_Clear(); /* somebody else's kind of str */
        Py_XDECREF(parts);
        return NULL;
    }
    *out = PyMem_Calloc((size_t)PyTuple_GET_SIZE(parts) + 1, sizeof **out);
    if (*out == NULL)
        PyErr_NoMemory();
    for (Py_ssize_t i = 0; *out != NULL && i < PyTuple_GET_SIZE(parts); i++) {
        syc_part *p = &(*out)[i];
        Py_ssize_t line;
        if (!PyArg_ParseTuple(PyTuple_GET_ITEM(parts, i), "snssss:part", &p->file, &line, &p->name, &p->text, &p->knows,
                              &p->types))
            break;
        p->line = (size_t)line;
        ++*count;
    }
    return parts;
}

/* What tells a scan's text from another's (pysycl/_kernels/scan_text.py): the line of its seam, the dimension, and
 * whether it goes backwards. -1 with an error set. */
static int take_scan(PyObject *text, syc_body_source *source)
{
    PyObject *scan = PyUnicode_CheckExact(text) ? NULL : PyObject_GetAttrString(text, "scan");
    Py_ssize_t seam;
    int reverse, taken;
    if (scan == NULL) {
        PyErr_Clear();
        return 0;
    }
    taken = PyArg_ParseTuple(scan, "nIp:scan", &seam, &source->along, &reverse);
    source->seam = (size_t)seam;
    source->reverse = reverse != 0;
    Py_DECREF(scan);
    return taken ? 0 : -1;
}

static int make_core(const syc_py_body_call *call, const syc_py_given *given, syc_name *names, syc_py_special *out)
{
    PyObject *declared = declare_structs(call, given), *types = NULL, *held = NULL;
    syc_part *parts = NULL;
    syc_body_source source = {.text = word(out, SYC_PY_BODY_TEXT),
                              .preamble = word(out, SYC_PY_BODY_PREAMBLE),
                              .name = word(out, SYC_PY_BODY_NAME),
                              .options = word(out, SYC_PY_BODY_OPTIONS),
                              .names = names,
                              .count = (size_t)call->count,
                              .hierarchical = out->key.hierarchical};
    syc_status status;
    const char *constants = word(out, SYC_PY_BODY_CONSTANTS), *operators = word(out, SYC_PY_BODY_OPERATORS);
    syc_text declarations = {0};
    int failed = declared == NULL || PyErr_Occurred();

    if (!failed && declared != Py_None)
        failed = !PyArg_ParseTuple(declared, "sO!", &source.declarations, &PyDict_Type, &types);
    if (!failed && (constants != NULL || operators != NULL)) {
        syc_text_add(&declarations, "%s%s", constants != NULL ? constants : "",
                     source.declarations != NULL ? source.declarations : "");
        syc_text_add(&declarations, "%s", operators != NULL ? operators : "");
        source.declarations = syc_text_get(&declarations);
        failed = declarations.cut;
        if (failed)
            syc_py_raise(call->state, syc_fail(SYC_E_MEMORY_ALLOCATION, SYC_HERE, "no memory for the text of a body"));
    }
    for (Py_ssize_t i = 0; !failed && i < call->count; i++) {
        names[i].name = PyUnicode_AsUTF8(call->names[i]);
        failed = names[i].name == NULL;
    }
    choose_types(given, out);
    for (Py_ssize_t i = 0; !failed && i < call->count; i++)
        failed = take_alignment(&out->slots[i]) < 0 || fill_name(&out->slots[i], types, &names[i]) < 0;
    if (!failed) {
        held = take_parts(out->key.words[SYC_PY_BODY_TEXT], &parts, &source.part_count);
        source.parts = parts;
        failed = PyErr_Occurred() != NULL || take_scan(out->key.words[SYC_PY_BODY_TEXT], &source) < 0;
    }
    if (!failed) {
        status = syc_body_create(&source, &out->core);
        failed = status != SYC_OK;
        if (failed)
            syc_py_raise(call->state, status);
    }
    syc_text_clear(&declarations);
    PyMem_Free(parts);
    Py_XDECREF(held);
    Py_XDECREF(declared);
    return failed ? -1 : check_writes(call, out);
}

syc_py_special *syc_py_special_make(const syc_py_body_call *call, const syc_py_body_key *key, const syc_py_given *given)
{
    syc_py_special *special = PyMem_Calloc(1, sizeof *special + (size_t)call->count * sizeof special->slots[0]);
    syc_name *names = PyMem_Calloc((size_t)call->count + 1, sizeof *names);
    int failed = special == NULL || names == NULL;

    if (failed)
        PyErr_NoMemory();
    failed = failed || check_words(call, key) < 0;
    if (special != NULL) {
        special->users = 1;
        special->key.fp64 = key->fp64;
        special->key.hierarchical = key->hierarchical;
        for (int i = 0; i < SYC_PY_BODY_WORDS; i++)
            special->key.words[i] = Py_XNewRef(key->words[i]);
        special->count = call->count;
        for (Py_ssize_t i = 0; i < call->count; i++) {
            special->slots[i].name = Py_NewRef(call->names[i]);
            special->slots[i].class = given[i].class;
        }
    }
    if (failed || make_core(call, given, names, special) < 0) {
        syc_py_special_release(special);
        special = NULL;
    }
    PyMem_Free(names);
    return special;
}

void syc_py_special_release(syc_py_special *special)
{
    if (special == NULL || --special->users > 0)
        return;
    SYC_CORE_BEGIN
        syc_body_release(special->core);
    SYC_CORE_END
    for (Py_ssize_t i = 0; i < special->count; i++)
        Py_XDECREF(special->slots[i].name);
    for (int i = 0; i < SYC_PY_BODY_WORDS; i++)
        Py_XDECREF(special->key.words[i]);
    PyMem_Free(special->passed);
    PyMem_Free(special->next);
    PyMem_Free(special);
}
