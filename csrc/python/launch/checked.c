/* Where checked kernels leave what was out of bounds, how it becomes their command's failure, and what a program's
 * kernel is told of its pointers. */
#include "python/launch/checked.h"

#include "base/alloc.h"
#include "base/text.h"
#include "body/name.h"
#include "body/whole/checked_kernel.h"
#include "program/build.h"
#include "python/launch/conversion.h"
#include "python/launch/launch.h"
#include "python/memory/region.h"
#include "schedule/queue.h"
#include "source/position.h"

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
    syc__place place;
    const char *name = words[SYC_FAULT_NAME] < source->count ? source->names[words[SYC_FAULT_NAME]].name : "";
    syc_text text = {0};

    if (words[SYC_FAULT_NAME] >= source->count)
        return syc_fail(SYC_E_BOUNDS, SYC_HERE, "a kernel has written over what its check says");
    place = syc_body_fault_place(check->body, words);
    syc_text_add(&text, "%s: ", source->name != NULL ? source->name : "body");
    if (words[SYC_FAULT_PARTS] == 0) {
        syc_text_add(&text, "%s[%lld] is not in the accessor's range, which begins at element %llu of %s", name, index,
                     limit, name);
    } else if (limit == UINT64_MAX) {
        syc_text_add(&text, "%s[%lld] is not in the accessor's range: it lies between two rows of %s", name, index,
                     name);
    } else if (words[SYC_FAULT_PARTS] == 1) {
        syc_text_add(&text, "%s[%lld] is out of bounds: %s has %llu element%s", name, index, name, limit,
                     limit == 1 ? "" : "s");
    } else {
        add_subscripts(&text, source, words);
        syc_text_add(&text, " is out of bounds: the range of %s in dimension %u is %llu", name, words[SYC_FAULT_PART],
                     limit);
    }
    syc_text_add(&text, " (index %lld, line %u of the %s)", index, place.at.line, place.name);
    return syc__fail_at(SYC_E_BOUNDS, SYC_HERE, place.text, place.at, &text);
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

/* -- kernels of whole programs -- */

enum { MOST_SIZES = 6 }; /* of one pointer: length, first element, pitches and limits of three dimensions */

size_t syc_py_program_check_room(const syc_signature *kernel)
{
    return syc_py_checks() ? 1 + MOST_SIZES * kernel->count : 0;
}

/* -- how far pointers lead -- */

static size_t bytes_of(const syc_argument *a)
{
    return a->kind == SYC_ARGUMENT_SPAN ? a->span.bytes : a->size;
}

/* As many elements of the parameter's type as there are bytes; any number where its size is not known. */
static void give_all(const syc_param *p, const syc_argument *a, syc_py_given *out)
{
    const size_t element = p->size > 0 ? p->size : a->element;
    out->class.rank = 1;
    out->shape[0] = element > 0 ? bytes_of(a) / element : SIZE_MAX;
}

/* Elements of another size than the parameter's have no rows there. */
static bool is_part(const syc_state *state, const syc_param *p, PyObject *value)
{
    const AccessorObject *a = (AccessorObject *)value;
    return syc_py_is_accessor(state, value) && a->core != NULL && a->bytes > 0 && syc_py_region_is_part(a) &&
           (p->size == 0 || p->size == a->item);
}

static void look_at(const syc_state *state, const syc_signature *kernel, const syc_py_call *call,
                    const syc_py_arguments *arguments, syc_py_given *given, syc_name *parts)
{
    for (size_t i = 0; i < kernel->count; i++) {
        PyObject *value = call->given[i];
        (void)syc_py_parameter(state, &value);
        if (kernel->params[i].pointer && is_part(state, &kernel->params[i], value))
            syc_py_given_accessor((AccessorObject *)value, &given[i]);
        else if (kernel->params[i].pointer)
            give_all(&kernel->params[i], &arguments->items[i], &given[i]);
        parts[i].rank = given[i].class.rank;
        parts[i].ranged = given[i].class.ranged;
    }
}

/* -- the launch -- */

/* The checked kernel, built; NULL: there is none. */
static syc_status find(syc_queue *queue, const syc_py_launch *launch, const syc_name *parts,
                       const syc_checked_kernel **out)
{
    syc_status status = SYC_OK;
    syc_build *build;

    SYC_TRY(syc_checked_kernel_of(launch->program, launch->kernel, parts, out));
    if (*out == NULL)
        goto done;
    status = syc_program_build((*out)->lowered.program, syc_queue_context(queue), &build);
    if (status == SYC_OK || syc_status_passes(status))
        goto done;
    syc_checked_kernel_refuse(launch->program, *out);
    *out = NULL;
    status = SYC_OK;
done:
    return status;
}

static int add(const syc_py_scope *scope, const syc_checked_kernel *checked, syc_py_given *given, syc_py_launch *out)
{
    const syc_signature *kernel = &syc_program_signatures(out->program)->items[out->kernel];
    struct syc_py_conversion c = {
        .scope = scope, .kernel = kernel, .index = -1, .out = &out->arguments, .used = syc_py_conversion_bytes(kernel)};
    const syc_lowered *lowered = &checked->lowered;

    for (size_t i = 0; i < lowered->hidden_count; i++) {
        syc_argument *argument = &out->arguments.items[out->arguments.count++];
        uint64_t value;
        if (syc_py_given_size(given, &lowered->hidden[i], &value))
            *argument =
                (syc_argument){.kind = SYC_ARGUMENT_VALUE,
                               .size = sizeof value,
                               .value = memcpy(syc_py_conversion_reserve(&c, sizeof value), &value, sizeof value)};
        else if (syc_py_check_argument(scope, checked->body, argument) < 0) /* the faults */
            return -1;
    }
    syc_program_retain(lowered->program);
    syc_program_release(out->program);
    out->program = lowered->program;
    return 0;
}

int syc_py_program_check(const syc_py_scope *scope, const syc_py_call *call, syc_py_launch *out)
{
    const syc_signature *kernel = &syc_program_signatures(out->program)->items[out->kernel];
    const syc_checked_kernel *checked = NULL;
    syc_py_given *given = PyMem_Calloc(kernel->count + 1, sizeof *given);
    syc_name *parts = PyMem_Calloc(kernel->count + 1, sizeof *parts);
    syc_status status;
    int failed = -1;

    if (given == NULL || parts == NULL) {
        PyErr_NoMemory();
        goto done;
    }
    look_at(scope->state, kernel, call, &out->arguments, given, parts);
    SYC_CORE_BEGIN
        status = find(scope->queue->core, out, parts, &checked);
    SYC_CORE_END
    if (status != SYC_OK)
        syc_py_raise(scope->state, status);
    else
        failed = checked != NULL ? add(scope, checked, given, out) : 0;
done:
    PyMem_Free(given);
    PyMem_Free(parts);
    return failed;
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
