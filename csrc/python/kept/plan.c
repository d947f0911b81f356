/* The type of plans. */
#include "python/kept/plan.h"

#include <stddef.h>
#include <structmember.h>

static const char *const words[WORDS] = {"parallel_for", "fill", "take", "give_back", "wait", "_made", "_new", "_view"};

PyObject *syc_py_kept_queue(PyObject *plan)
{
    return PyObject_CallNoArgs(((PlanObject *)plan)->queue);
}

static PyObject *plan_run(PyObject *self, PyObject *args)
{
    syc_state *state = syc_state_of(self);
    PyObject *given, *queue;
    int waits;
    if (!PyArg_ParseTuple(args, "O!O!p:run", &PyTuple_Type, &given, state->base[SYC_FACE_QUEUE], &queue, &waits))
        return NULL;
    return syc_py_kept_run(state, self, queue, PySequence_Fast_ITEMS(given), PyTuple_GET_SIZE(given), waits != 0);
}

static PyObject *plan_new(PyTypeObject *type, PyObject *args, PyObject *named)
{
    PlanObject *self = (PlanObject *)type->tp_alloc(type, 0);
    if (self == NULL)
        return NULL;
    for (int w = 0; w < WORDS; w++) {
        if ((self->words[w] = PyUnicode_InternFromString(words[w])) == NULL) {
            Py_DECREF(self);
            return NULL;
        }
    }
    if (named != NULL ||
        !PyArg_ParseTuple(args, "OO!O!O!O!O!OOO:KeptPlan", &self->queue, &PyTuple_Type, &self->steps, &PyTuple_Type,
                          &self->views, &PyTuple_Type, &self->spares, &PyTuple_Type, &self->made, &PyTuple_Type,
                          &self->results, &self->shape, &self->spare, &self->let_go)) {
        self->queue = self->steps = self->views = self->spares = self->made = self->results = NULL; /* borrowed */
        self->shape = self->spare = self->let_go = NULL;
        Py_DECREF(self);
        return named == NULL ? NULL : PyErr_Format(PyExc_TypeError, "KeptPlan() takes no keywords");
    }
    Py_INCREF(self->queue), Py_INCREF(self->steps), Py_INCREF(self->views), Py_INCREF(self->spares);
    Py_INCREF(self->made), Py_INCREF(self->results), Py_INCREF(self->shape), Py_INCREF(self->spare);
    Py_INCREF(self->let_go);
    return (PyObject *)self;
}

static int plan_traverse(PyObject *self, visitproc visit, void *arg)
{
    const PlanObject *p = (PlanObject *)self;
    Py_VISIT(p->queue);
    Py_VISIT(p->steps);
    Py_VISIT(p->made);
    Py_VISIT(p->results);
    Py_VISIT(p->shape);
    Py_VISIT(Py_TYPE(self));
    return 0;
}

static int plan_clear(PyObject *self)
{
    PlanObject *p = (PlanObject *)self;
    Py_CLEAR(p->queue);
    Py_CLEAR(p->steps);
    Py_CLEAR(p->views);
    Py_CLEAR(p->spares);
    Py_CLEAR(p->made);
    Py_CLEAR(p->results);
    Py_CLEAR(p->shape);
    Py_CLEAR(p->spare);
    Py_CLEAR(p->let_go);
    return 0;
}

static void plan_dealloc(PyObject *self)
{
    PyTypeObject *type = Py_TYPE(self);
    PyObject_GC_UnTrack(self);
    if (((PlanObject *)self)->weakrefs != NULL)
        PyObject_ClearWeakRefs(self);
    (void)plan_clear(self);
    for (int w = 0; w < WORDS; w++)
        Py_CLEAR(((PlanObject *)self)->words[w]);
    type->tp_free(self);
    Py_DECREF(type);
}

static PyMethodDef plan_methods[] = {
    {"run", plan_run, METH_VARARGS,
     "run($self, given, queue, waits, /)\n--\n\nSubmits the commands with that memory; what the call returns."},
    {NULL, NULL, 0, NULL},
};
static PyMemberDef plan_members[] = {
    {"__weaklistoffset__", T_PYSSIZET, offsetof(PlanObject, weakrefs), READONLY, NULL},
    {NULL, 0, 0, 0, NULL},
};
static PyType_Slot plan_slots[] = {
    {Py_tp_new, plan_new},
    {Py_tp_dealloc, plan_dealloc},
    {Py_tp_traverse, plan_traverse},
    {Py_tp_clear, plan_clear},
    {Py_tp_methods, plan_methods},
    {Py_tp_members, plan_members},
    {Py_tp_doc, "The commands of a call, to be submitted again with other memory."},
    {0, NULL},
};
PyType_Spec syc_kept_plan_spec = {
    .name = "pysycl._core.KeptPlan",
    .basicsize = sizeof(PlanObject),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_IMMUTABLETYPE,
    .slots = plan_slots,
};
