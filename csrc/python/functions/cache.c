/* The kernel cache for Python: pysycl/cache.py makes sense of it. */
#include "program/cache/cache.h"
#include "python/pins.h"

static PyObject *cache_figures(PyObject *module, PyObject *unused)
{
    syc_cache_figures f;
    (void)module;
    (void)unused;
    syc_cache_prepare();
    SYC_CORE_BEGIN
        syc_cache_figures_get(&f);
    SYC_CORE_END
    return Py_BuildValue("(KKKKKKKKK)", f.hits, f.misses, f.stored, f.rejected, f.unsaved, f.waiting, f.saved_ns,
                         f.bytes, f.entries);
}

static PyObject *cache_folder(PyObject *module, PyObject *unused)
{
    const char *folder;
    (void)module;
    (void)unused;
    syc_cache_prepare();
    folder = syc_cache_folder();
    return folder != NULL ? PyUnicode_DecodeFSDefault(folder) : Py_NewRef(Py_None);
}

static PyObject *cache_clear(PyObject *module, PyObject *unused)
{
    uint64_t gone;
    (void)module;
    (void)unused;
    syc_cache_prepare();
    SYC_CORE_BEGIN
        gone = syc_cache_clear();
    SYC_CORE_END
    return PyLong_FromUnsignedLongLong(gone);
}

static PyObject *cache_save(PyObject *module, PyObject *unused)
{
    (void)module;
    (void)unused;
    SYC_CORE_BEGIN
        syc_cache_save();
    SYC_CORE_END
    Py_RETURN_NONE;
}

PyMethodDef syc_cache_methods[] = {
    {"cache_figures", cache_figures, METH_NOARGS,
     "cache_figures($module, /)\n--\n\nWhat the kernel cache has done, in the order of CacheStatistics."},
    {"cache_folder", cache_folder, METH_NOARGS,
     "cache_folder($module, /)\n--\n\nWhere the kernel cache is; None without one."},
    {"cache_clear", cache_clear, METH_NOARGS,
     "cache_clear($module, /)\n--\n\nRemove every entry; how many there were."},
    {"cache_save", cache_save, METH_NOARGS, "cache_save($module, /)\n--\n\nWrite now what waits to be written."},
    {NULL, NULL, 0, NULL},
};
