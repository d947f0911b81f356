/* Making a body for arguments of certain classes: the types of weak numbers, the declarations of structs. */
#include "python/body_special.h"

#include "body/stream.h"
#include "source/integer_use.h"

/* -- the types of Python's numbers -- */

/* The types beside which a number stands. */
struct company {
    syc_dtype floating;  /* the widest of the arrays' floating types; SYC_VOID: none */
    size_t integer_size; /* of the widest integer type among the arrays; 0: none */
    bool integer_signed; /* one of the arrays is of signed integers */
    bool fp64;
    bool *whole; /* per argument: the text takes nothing but an integer there */
};

static void look_around(const syc_py_given *given, Py_ssize_t count, struct company *out)
{
    for (Py_ssize_t i = 0; i < count; i++) {
        const syc_py_class *class = &given[i].class;
        char kind = syc_dtype_kind((syc_dtype) class->type);
        size_t size = syc_dtype_size((syc_dtype) class->type);
        if ((class->origin != SYC_PY_MEMORY && class->origin != SYC_PY_LOCAL) || class->boolean)
            continue;
        if (kind == 'f' && (out->floating == SYC_VOID || size > syc_dtype_size(out->floating)))
            out->floating = (syc_dtype) class->type;
        if (kind == 'i' || kind == 'u') {
            out->integer_size = size > out->integer_size ? size : out->integer_size;
            out->integer_signed |= kind == 'i';
        }
    }
}

static syc_dtype integer_type(size_t size, bool has_sign)
{
    int type = SYC_CHAR;
    while (syc_dtype_size((syc_dtype)type) != size || syc_dtype_kind((syc_dtype)type) != (has_sign ? 'i' : 'u'))
        type++;
    return (syc_dtype)type;
}

static syc_dtype type_of(const syc_py_class *class, const struct company *beside, bool whole)
{
    switch ((syc_py_origin) class->origin) {
    case SYC_PY_BOOLEAN:
        return SYC_INT;
    case SYC_PY_WEAK_FLOAT:
    case SYC_PY_WEAK_COMPLEX:
        return beside->floating != SYC_VOID ? beside->floating : beside->fp64 ? SYC_DOUBLE : SYC_FLOAT;
    case SYC_PY_WEAK_INT:
    case SYC_PY_WEAK_LONG:
        if (beside->integer_size > 0)
            return integer_type(beside->integer_size, beside->integer_signed);
        if (beside->floating == SYC_VOID)
            return SYC_LONG;
        return !whole ? beside->floating : class->origin == SYC_PY_WEAK_INT ? SYC_INT : SYC_LONG;
    default:
        return (syc_dtype) class->type;
    }
}

static int choose_types(const syc_py_body_call *call, const syc_py_given *given, const char *text, syc_name *names,
                        syc_py_special *out)
{
    struct company beside = {.floating = SYC_VOID, .fp64 = out->key.fp64};
    const char **words = PyMem_New(const char *, call->count + 1);
    bool *whole = PyMem_New(bool, call->count + 1);
    syc_status status = SYC_OK;

    if (words == NULL || whole == NULL) {
        PyErr_NoMemory();
    } else {
        for (Py_ssize_t i = 0; i < call->count; i++)
            words[i] = names[i].name;
        look_around(given, call->count, &beside);
        status = syc_integer_use(text, words, (size_t)call->count, whole);
        if (status != SYC_OK)
            syc_py_raise(call->state, status);
    }
    for (Py_ssize_t i = 0; !PyErr_Occurred() && i < call->count; i++)
        out->slots[i].type = type_of(&given[i].class, &beside, whole[i]);
    PyMem_Free(words);
    PyMem_Free(whole);
    return PyErr_Occurred() ? -1 : 0;
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

/* The same in the text that the compiler will see: "out << x" is no shift. */
static int choose_types_in(const syc_py_body_call *call, const syc_py_given *given, const char *text, syc_name *names,
                           syc_py_special *out)
{
    syc_text written = {0};
    syc_status status;
    int failed;

    for (Py_ssize_t i = 0; i < call->count; i++)
        names[i].kind = kind_of(&given[i].class);
    status = syc_body_write_streams(text, names, (size_t)call->count, &written);
    if (status != SYC_OK)
        syc_py_raise(call->state, status);
    failed = status != SYC_OK || choose_types(call, given, written.length > 0 ? written.data : text, names, out) < 0;
    syc_text_clear(&written);
    return failed ? -1 : 0;
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
    module = !failed ? PyImport_ImportModule("pysycl.struct_types") : NULL;
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
    return syc_dtype_vector_name(slot->type, width_of(slot));
}

static size_t size_of(const syc_py_slot *slot)
{
    unsigned width = width_of(slot);
    return syc_dtype_size(slot->type) * (width == 3 ? 4 : width);
}

static int fill_reducer(const syc_py_class *class, syc_reducer *out, size_t *size)
{
    if (class->layout != NULL) { /* elsewhere the sizes of structs are the compiler's affair */
        PyObject *dtype = PyObject_GetAttrString(class->layout, "dtype");
        PyObject *item = dtype != NULL ? PyObject_GetAttrString(dtype, "itemsize") : NULL;
        *size = item != NULL ? PyLong_AsSize_t(item) : 0;
        Py_XDECREF(item);
        Py_XDECREF(dtype);
    }
    out->operation = PyUnicode_AsUTF8(class->operation);
    out->known = (class->reducer & SYC_PY_REDUCER_KNOWN) != 0;
    out->fresh = (class->reducer & SYC_PY_REDUCER_FRESH) != 0;
    out->array = (class->reducer & SYC_PY_REDUCER_ARRAY) != 0;
    out->ordered = (class->reducer & SYC_PY_REDUCER_ORDERED) != 0;
    out->boolean = class->boolean;
    out->reduced = class->reduced;
    out->accuracy = (syc_accuracy) class->accuracy;
    out->finish = class->finish != NULL ? PyUnicode_AsUTF8(class->finish) : NULL;
    if (class->result_width > 0)
        out->result = syc_dtype_vector_name((syc_dtype) class->result_type, class->result_width);
    return out->operation != NULL && !PyErr_Occurred() ? 0 : -1;
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
    if (slot->class.origin == SYC_PY_REDUCER && fill_reducer(&slot->class, &out->reducer, &out->size) < 0)
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

static int make_core(const syc_py_body_call *call, const syc_py_given *given, syc_name *names, syc_py_special *out)
{
    PyObject *declared = declare_structs(call, given), *types = NULL;
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
            PyErr_NoMemory();
    }
    for (Py_ssize_t i = 0; !failed && i < call->count; i++) {
        names[i].name = PyUnicode_AsUTF8(call->names[i]);
        failed = names[i].name == NULL;
    }
    failed = failed || choose_types_in(call, given, source.text, names, out) < 0;
    for (Py_ssize_t i = 0; !failed && i < call->count; i++)
        failed = take_alignment(&out->slots[i]) < 0 || fill_name(&out->slots[i], types, &names[i]) < 0;
    if (!failed) {
        status = syc_body_create(&source, &out->core);
        failed = status != SYC_OK;
        if (failed)
            syc_py_raise(call->state, status);
    }
    syc_text_clear(&declarations);
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
    PyMem_Free(special);
}
