/* Kernels with reducers as bodies: one for each kind of launch, since a body's text depends on what is known of its
 * reductions. */
#include "body/whole/kernel.h"

#include "base/alloc.h"
#include "body/parts.h"
#include "program/program.h"
#include "source/declarations/signature.h"

#include <pthread.h>
#include <string.h>

enum { MOST_BODIES = 8 }; /* that a kernel keeps */

struct syc__kernel_bodies {
    pthread_mutex_t lock;
    char *text, *preamble, *front; /* front: constants and operators that the program is given */
    struct entry {
        syc_body *body; /* NULL: it can be none */
        syc_name *names;
        size_t count;
    } entries[MOST_BODIES];
    size_t made; /* entries ever made; the oldest makes room */
};

/* -- life -- */

static void clear_entry(struct entry *e)
{
    syc_body_release(e->body);
    syc_free(e->names);
    *e = (struct entry){0};
}

void syc__kernel_bodies_free(syc__kernel_bodies *bodies)
{
    if (bodies == NULL)
        return;
    for (size_t i = 0; i < MOST_BODIES; i++)
        clear_entry(&bodies->entries[i]);
    pthread_mutex_destroy(&bodies->lock);
    syc_free(bodies->text);
    syc_free(bodies->preamble);
    syc_free(bodies->front);
    syc_free(bodies);
}

syc_status syc__kernel_bodies_create(const char *text, const char *preamble, const char *front,
                                     syc__kernel_bodies **out)
{
    syc_status status = SYC_OK;
    syc__kernel_bodies *bodies = NULL;

    SYC_TRY(syc_alloc(sizeof *bodies, &bodies));
    pthread_mutex_init(&bodies->lock, NULL);
    SYC_TRY(syc_copy_string(text, &bodies->text));
    SYC_TRY(syc_copy_string(preamble, &bodies->preamble));
    SYC_TRY(syc_copy_string(front, &bodies->front));
    *out = bodies;
    bodies = NULL;
done:
    syc__kernel_bodies_free(bodies);
    return status;
}

/* -- names -- */

/* False: a body has no such thing. */
static bool take_parameter(const syc_param *p, syc_name *out)
{
    bool known = p->type != SYC_VOID && p->type != SYC_BOOL && p->type <= SYC_STRUCT;
    if (!known || p->name[0] == '\0' || p->is_volatile || p->space == SYC_SPACE_CONSTANT)
        return false;
    *out = (syc_name){.name = p->name,
                      .kind = SYC_NAME_VALUE,
                      .type = p->type == SYC_STRUCT ? p->struct_name : syc_dtype_vector_name(p->type, p->width),
                      .size = p->size,
                      .readable = true,
                      .writable = !p->is_const,
                      .rank = 1};
    if (p->pointer)
        out->kind = p->space == SYC_SPACE_LOCAL ? SYC_NAME_LOCAL : SYC_NAME_GLOBAL;
    return out->type != NULL && (!p->pointer || p->space != SYC_SPACE_PRIVATE);
}

/* The reducer as the text of a body calls it. */
static void take_reducer(const syc_param *p, const syc_name *given, syc_name *out)
{
    *out = *given;
    out->name = given->reducer.word;
    out->reducer.word = NULL;
    out->reducer.late = false;
    if (p->type < SYC_STRUCT && !given->op.boolean)
        out->type = syc_dtype_vector_name(p->type, p->width);
}

static syc_status make_names(const syc_signature *signature, const syc_name *given, syc_name **out)
{
    syc_status status = SYC_OK;
    syc_name *names = NULL;

    SYC_TRY(syc_alloc_array(signature->count, sizeof *names, &names));
    for (size_t i = 0; i < signature->count; i++) {
        if (given[i].kind == SYC_NAME_REDUCER)
            take_reducer(&signature->params[i], &given[i], &names[i]);
        else if (!take_parameter(&signature->params[i], &names[i]))
            goto done;
    }
    *out = names;
    names = NULL;
done:
    syc_free(names);
    return status;
}

/* -- one body -- */

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

static bool has_word(const char *text, const char *word)
{
    size_t length = strlen(word);
    for (const char *at = strstr(text, word); at != NULL; at = strstr(at + 1, word))
        if ((at == text || !is_letter(at[-1])) && !is_letter(at[length]))
            return true;
    return false;
}

/* Forms have launches of their own, whose dimensions are not the user's; and what a kernel asks of its groups by
 * attributes is no body's affair. */
static bool is_body(const syc__kernel_bodies *bodies, const syc_signature *signature)
{
    return signature->attributes[0] == '\0' && !has_word(bodies->text, "get_work_dim") &&
           !has_word(bodies->preamble, "get_work_dim");
}

/* A kernel's parameters are variables, and a body's arguments are none. Not left to the compiler, since drivers write
 * what one has to say to the user's terminal. */
static bool changes_arguments(const syc_body *body)
{
    for (size_t i = 0; i < body->source.count; i++) {
        const syc__use *use = &body->reading.uses[i];
        if (body->source.names[i].kind != SYC_NAME_REDUCER && use->changed)
            return true;
    }
    return false;
}

/* Names that the text has no use for, which a body must not have. */
static void add_unused(const syc__kernel_bodies *bodies, const syc_name *names, size_t count, syc_text *out)
{
    for (size_t i = 0; i < count; i++)
        if (names[i].kind != SYC_NAME_REDUCER && !has_word(bodies->text, names[i].name) &&
            !has_word(bodies->preamble, names[i].name))
            syc_text_add(out, "\n(void)%s;", names[i].name);
}

static syc_status make_body(const syc__kernel_bodies *bodies, const syc_program *program,
                            const syc_signature *signature, const syc_name *given, syc_body **out)
{
    syc_status status = SYC_OK;
    syc_name *names = NULL;
    syc_text text = {0};

    if (!is_body(bodies, signature))
        goto done;
    SYC_TRY(make_names(signature, given, &names));
    if (names == NULL)
        goto done;
    syc_text_add_n(&text, bodies->text, strlen(bodies->text));
    add_unused(bodies, names, signature->count, &text);
    SYC_CHECK(!text.cut, SYC_E_MEMORY_ALLOCATION, "no memory for the text of kernel '%s'", signature->name);
    status = syc_body_create(&(syc_body_source){.text = syc_text_get(&text),
                                                .preamble = bodies->preamble,
                                                .declarations = bodies->front,
                                                .name = signature->name,
                                                .options = syc_program_options(program),
                                                .names = names,
                                                .count = signature->count,
                                                .whole = true},
                             out);
    if (!syc_status_passes(status)) /* what cannot be read as a body is none */
        status = SYC_OK;
    if (*out != NULL && changes_arguments(*out)) {
        syc_body_release(*out);
        *out = NULL;
    }
done:
    syc_text_clear(&text);
    syc_free(names);
    return status;
}

/* -- which -- */

static bool is_same(const syc_name *a, const syc_name *b)
{
    return a->kind != SYC_NAME_REDUCER ||
           (a->size == b->size && a->op.known == b->op.known && a->reducer.fresh == b->reducer.fresh &&
            a->op.accuracy == b->op.accuracy && a->reducer.ordered == b->reducer.ordered);
}

static struct entry *find_locked(syc__kernel_bodies *bodies, const syc_name *given, size_t count)
{
    for (size_t i = 0; i < MOST_BODIES; i++) {
        struct entry *e = &bodies->entries[i];
        size_t k = 0;
        while (e->names != NULL && k < count && is_same(&e->names[k], &given[k]))
            k++;
        if (e->names != NULL && k == count)
            return e;
    }
    return NULL;
}

static syc_status add_locked(syc__kernel_bodies *bodies, const syc_program *program, const syc_signature *signature,
                             const syc_name *given, struct entry **out)
{
    syc_status status = SYC_OK;
    struct entry new = {.count = signature->count};

    SYC_TRY(make_body(bodies, program, signature, given, &new.body));
    SYC_TRY(syc_alloc_array(signature->count, sizeof *new.names, &new.names));
    memcpy(new.names, given, signature->count * sizeof *new.names);
    *out = &bodies->entries[bodies->made++ % MOST_BODIES];
    clear_entry(*out);
    **out = new;
    new = (struct entry){0};
done:
    clear_entry(&new);
    return status;
}

syc_status syc_reducing_body(const syc_program *program, size_t kernel, const syc_reducing_kernel *reducing,
                             const syc_name *given, syc_body **out)
{
    syc_status status = SYC_OK;
    const syc_signature *signature = &syc_program_signatures(program)->items[kernel];
    syc__kernel_bodies *bodies = reducing->bodies;
    struct entry *e;

    *out = NULL;
    if (bodies == NULL || signature->count != reducing->count)
        return SYC_OK;
    pthread_mutex_lock(&bodies->lock);
    e = find_locked(bodies, given, signature->count);
    if (e == NULL)
        SYC_TRY(add_locked(bodies, program, signature, given, &e));
    *out = e->body;
    if (e->body != NULL)
        syc_body_retain(e->body);
done:
    pthread_mutex_unlock(&bodies->lock);
    return status;
}

void syc_reducing_body_refuse(const syc_reducing_kernel *reducing, const syc_body *body)
{
    syc__kernel_bodies *bodies = reducing->bodies;
    syc_body *gone = NULL;

    pthread_mutex_lock(&bodies->lock);
    for (size_t i = 0; i < MOST_BODIES; i++)
        if (bodies->entries[i].body == body) {
            gone = bodies->entries[i].body;
            bodies->entries[i].body = NULL;
        }
    pthread_mutex_unlock(&bodies->lock);
    syc_body_release(gone);
}
