/* IPython numbers its cells, and knows the file of each: "/tmp/ipykernel_12/3456.py", "<ipython-input-3-45ab>". */
#include "python/cell.h"

#include <stdbool.h>
#include <string.h>

static bool is_cell(const char *file)
{
    return strstr(file, "/ipykernel_") != NULL || strncmp(file, "<ipython-input-", strlen("<ipython-input-")) == 0;
}

/* The attribute, for a chain of them; gives up what it is taken from. */
static PyObject *part_of(PyObject *object, const char *name)
{
    PyObject *part = object != NULL ? PyObject_GetAttrString(object, name) : NULL;
    Py_XDECREF(object);
    return part;
}

/* The number under which the shell ran the file, a new reference; NULL, with an error or without, when it has none. */
static PyObject *number_of(PyObject *file)
{
    PyObject *name = PyUnicode_FromString("IPython"), *module, *files, *number = NULL;
    if (name == NULL)
        return NULL;
    module = PyImport_GetModule(name);
    Py_DECREF(name);
    if (module == NULL)
        return NULL;
    files = PyObject_CallMethod(module, "get_ipython", NULL);
    Py_DECREF(module);
    files = part_of(part_of(files, "compile"), "_filename_map");
    if (files != NULL)
        number = PyObject_GetItem(files, file);
    Py_XDECREF(files);
    return number;
}

PyObject *syc_py_cell_name(PyObject *file)
{
    const char *words = PyUnicode_AsUTF8(file);
    PyObject *number, *name = NULL;

    if (words == NULL || !is_cell(words)) {
        PyErr_Clear();
        return NULL;
    }
    number = number_of(file);
    PyErr_Clear(); /* IPython's own affairs: then the file it is */
    if (number != NULL)
        name = PyUnicode_FromFormat("cell [%S]", number);
    Py_XDECREF(number);
    PyErr_Clear();
    return name;
}
