/* The graph's records for Python: pysycl/graph.py makes sense of them. */
#include "schedule/graph.h"
#include "base/alloc.h"
#include "python/pins.h"

/* (buffer id, low, high, writes, keeps) */
static PyObject *uses_of(const syc_graph_record *record)
{
    Py_ssize_t kept = record->use_count < SYC_GRAPH_USES ? record->use_count : SYC_GRAPH_USES;
    PyObject *uses = PyTuple_New(kept);
    for (Py_ssize_t i = 0; uses != NULL && i < kept; i++) {
        const syc_graph_use *u = &record->uses[i];
        syc_py_put(&uses, i,
                   Py_BuildValue("KKKOO", u->buffer, (unsigned long long)u->low, (unsigned long long)u->high,
                                 u->write ? Py_True : Py_False, u->keep ? Py_True : Py_False));
    }
    return uses;
}

/* (serial of the earlier command, named, waited for) */
static PyObject *edges_of(const syc_graph_record *record)
{
    Py_ssize_t kept = record->edge_count < SYC_GRAPH_EDGES ? record->edge_count : SYC_GRAPH_EDGES;
    PyObject *edges = PyTuple_New(kept);
    for (Py_ssize_t i = 0; edges != NULL && i < kept; i++) {
        const syc_graph_edge *e = &record->edges[i];
        syc_py_put(&edges, i,
                   Py_BuildValue("KOO", e->serial, e->named ? Py_True : Py_False, e->waited ? Py_True : Py_False));
    }
    return edges;
}

/* A new tuple, as _core.pyi has it. */
static PyObject *record_of(const syc_graph_record *record)
{
    PyObject *uses = uses_of(record), *edges = uses != NULL ? edges_of(record) : NULL, *tuple = NULL;
    if (edges != NULL)
        tuple = Py_BuildValue("KKOsssiOOIIK", record->serial, record->queue, record->in_order ? Py_True : Py_False,
                              record->kind, record->name, record->file, record->line, uses, edges, record->use_count,
                              record->edge_count, (unsigned long long)record->took_ns);
    Py_XDECREF(uses);
    Py_XDECREF(edges);
    return tuple;
}

static PyObject *list_of(const syc_graph_record *records, size_t count)
{
    PyObject *list = PyList_New((Py_ssize_t)count);
    for (size_t i = 0; list != NULL && i < count; i++)
        syc_py_put(&list, i, record_of(&records[i]));
    return list;
}

static PyObject *graph_records(PyObject *module, PyObject *queue)
{
    syc_state *state = PyModule_GetState(module);
    syc_graph_record *records = NULL;
    unsigned long long number = 0;
    size_t count = 0;
    syc_queue *core = NULL;
    syc_status status;
    PyObject *list;

    if (queue != Py_None && (core = syc_py_core(state, SYC_FACE_QUEUE, queue, "queue")) == NULL)
        return NULL;
    SYC_CORE_BEGIN
        status = syc_graph_records(core, &records, &count, &number);
    SYC_CORE_END
    if (status != SYC_OK)
        return syc_py_raise(state, status);
    list = list_of(records, count);
    syc_free(records);
    return list != NULL ? Py_BuildValue("NK", list, number) : NULL;
}

PyMethodDef syc_graph_methods[] = {
    {"graph_records", graph_records, METH_O,
     "graph_records($module, queue, /)\n--\n\nThe latest commands of all queues, and which number this queue has."},
    {NULL, NULL, 0, NULL},
};
