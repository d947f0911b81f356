/* Where checked kernels leave what was out of bounds, and how it becomes their command's failure. */
#include "python/check.h"

#include "base/alloc.h"
#include "base/text.h"

enum { ALIGNMENT = 4096 }; /* so that a device which shares the host's memory can work in it */

/* The memory of one command, held by its pins. */
struct check {
    syc_body *body;
    uint32_t *words;
};

/* Under the GIL. */
static bool checks;

bool syc_py_checks(void)
{
    return checks;
}

static uint64_t wide(const uint32_t *words, int low)
{
    return words[low] | (uint64_t)words[low + 1] << 32;
}

/* "x(..., 17)", or of a reducer "x[...][17]" */
static void add_subscripts(syc_text *text, const syc_body_source *source, const uint32_t *words)
{
    const syc_name *name = &source->names[words[SYC_FAULT_NAME]];
    bool brackets = name->kind == SYC_NAME_REDUCER;
    syc_text_add(text, "%s%s", name->name, brackets ? "[" : "(");
    for (unsigned d = 0; d < words[SYC_FAULT_PARTS] && d < 3; d++) {
        syc_text_add(text, "%s", d == 0 ? "" : brackets ? "][" : ", ");
        if (d == words[SYC_FAULT_PART])
            syc_text_add(text, "%lld", (long long)wide(words, SYC_FAULT_INDEX));
        else
            syc_text_add(text, "...");
    }
    syc_text_add(text, "%s", brackets ? "]" : ")");
}

/* "x[17] is out of bounds: x has 16 elements (index 17, line 1 of the body)" */
static syc_status fail(const struct check *check)
{
    const syc_body_source *source = syc_body_source_of(check->body);
    const uint32_t *words = check->words;
    long long index = (long long)wide(words, SYC_FAULT_INDEX);
    unsigned long long limit = wide(words, SYC_FAULT_LIMIT);
    const char *name = words[SYC_FAULT_NAME] < source->count ? source->names[words[SYC_FAULT_NAME]].name : "?";
    syc_text text = {0};
    syc_status status;

    syc_text_add(&text, "%s: ", source->name != NULL ? source->name : "body");
    if (words[SYC_FAULT_PARTS] == 1) {
        syc_text_add(&text, "%s[%lld] is out of bounds: %s has %llu element%s (index %lld, line %u of the body)", name,
                     index, name, limit, limit == 1 ? "" : "s", index, words[SYC_FAULT_LINE]);
    } else {
        add_subscripts(&text, source, words);
        syc_text_add(&text,
                     " is out of bounds: the range of %s in dimension %u is %llu (index %lld, line %u of the body)",
                     name, words[SYC_FAULT_PART], limit, index, words[SYC_FAULT_LINE]);
    }
    status = syc_fail(SYC_E_ACCESSOR, SYC_HERE, "%s", syc_text_get(&text));
    syc_text_clear(&text);
    return status;
}

/* The command has ended well, as far as the device knows. On any thread. */
static syc_status look(void *payload)
{
    struct check *check = payload;
    syc_status status = check->words[SYC_FAULT_FOUND] == 0 ? SYC_OK : fail(check);
    memset(check->words, 0, SYC_FAULT_WORDS * sizeof *check->words); /* it may be submitted again, or replayed */
    return status;
}

static void release(struct check *check)
{
    syc_body_release(check->body);
    syc_free(check->words);
    syc_free(check);
}

static void release_capsule(PyObject *capsule)
{
    release(PyCapsule_GetPointer(capsule, NULL));
}

static struct check *make(const syc_py_scope *scope, syc_body *body)
{
    struct check *check = NULL;
    syc_status status = syc_alloc(sizeof *check, &check);
    if (status == SYC_OK)
        status = syc_alloc_aligned(ALIGNMENT, SYC_FAULTS_BYTES, &check->words);
    if (status != SYC_OK) {
        syc_free(check);
        syc_py_raise(scope->state, status);
        return NULL;
    }
    memset(check->words, 0, SYC_FAULTS_BYTES);
    syc_body_retain(body);
    check->body = body;
    return check;
}

int syc_py_check_argument(const syc_py_scope *scope, syc_body *body, syc_argument *out)
{
    struct check *check = make(scope, body);
    PyObject *capsule = check != NULL ? PyCapsule_New(check, NULL, release_capsule) : NULL;
    int failed;

    if (capsule == NULL) {
        if (check != NULL)
            release(check);
        return -1;
    }
    failed = syc_py_task_hold(scope->task, capsule);
    Py_DECREF(capsule);
    if (failed < 0)
        return -1;
    scope->task->core.verdict = (syc_verdict){look, check};
    *out = (syc_argument){.kind = SYC_ARGUMENT_SPAN,
                          .span = {.data = (char *)check->words,
                                   .bytes = SYC_FAULTS_BYTES,
                                   .writable = true,
                                   .alignment = _Alignof(uint32_t),
                                   .packed = true,
                                   .item_size = 1}};
    return 0;
}

static PyObject *debug_check(PyObject *module, PyObject *args)
{
    int given;
    (void)module;
    if (!PyArg_ParseTuple(args, "p:debug_check", &given))
        return NULL;
    checks = given != 0;
    Py_RETURN_NONE;
}

PyMethodDef syc_check_methods[] = {
    {"debug_check", debug_check, METH_VARARGS,
     "debug_check($module, on, /)\n--\n\nBodies are made with checks of their subscripts from now on, or not."},
    {NULL, NULL, 0, NULL},
};
