/* Programs whose kernels have reducers, made into programs without. */
#define _GNU_SOURCE /* memmem */
#include "body/whole/program.h"

#include "base/alloc.h"
#include "body/partials.h"
#include "body/whole/kernel.h"
#include "body/whole/rewrite.h"
#include "program/program.h"
#include "source/declarations/signature.h"
#include "source/tokens.h"

#include <stdio.h>
#include <string.h>

static void free_reducing(void *payload)
{
    struct syc__reducing *all = payload;
    for (size_t i = 0; all != NULL && i < all->count; i++) {
        syc_free((syc_hidden *)all->kernels[i].lowered.hidden);
        syc_partials_free(all->kernels[i].lowered.partials);
        syc__kernel_bodies_free(all->kernels[i].bodies);
    }
    if (all != NULL)
        syc__arena_clear(&all->arena);
    syc_free(all);
}

/* -- a program -- */

/* "#define reducer": the word is the text's own. */
static bool defines_it(const syc__edit *edit)
{
    for (size_t at = 0; at + 2 < edit->tokens.count; at++)
        if (edit->tokens.items[at].first && syc__edit_is(edit, at, "#") && syc__edit_is(edit, at + 1, "define") &&
            syc__edit_is(edit, at + 2, "reducer"))
            return true;
    return false;
}

/* A reducer that no kernel's own parameter list has. */
static syc_status refuse(const syc__edit *edit, size_t at)
{
    return syc__edit_refuse(edit, at,
                            syc__edit_in_directive(edit, at)
                                ? "a reducer is declared where the kernel is, and not in a macro or directive"
                                : "only a kernel has reducers for parameters: let the function give the value, and "
                                  "combine it in the kernel");
}

static syc_status write_all(struct syc__reducing_writer *r)
{
    syc_status status = SYC_OK;
    for (size_t at = 0; r->edit.tokens.items[at].kind != SYC_TOKEN_END; at++) {
        syc__kernel_head head;
        if (syc__is_reducer_declared(&r->edit, at)) {
            status = refuse(&r->edit, at);
            goto done;
        }
        if (!syc__kernel_head_read(&r->edit, at, &head) || !syc__kernel_has_reducers(r, &head))
            continue;
        if (head.brace == 0) {
            status = syc__edit_refuse(&r->edit, at, "a kernel with reducers is declared where it is defined");
            goto done;
        }
        SYC_TRY(syc__reducing_kernel_write(r, &head));
        at = head.end;
        if (r->edit.tokens.items[at].kind == SYC_TOKEN_END)
            break;
    }
    syc__edit_end(&r->edit);
done:
    return status;
}

/* Does the kernel know its group? Then its range is not padded. */
static bool is_shaped(const struct syc__reducing *all, const struct syc__reducing_piece *piece,
                      const syc_signatures *signatures)
{
    const syc_signature *kernel = signatures != NULL && piece->guard > 0
                                      ? syc_signatures_find(signatures, all->kernels[piece->guard - 1].name)
                                      : NULL;
    return kernel != NULL && kernel->shaped;
}

/* The user's text with the pieces in it; `signatures` may be NULL. */
static syc_status join(const struct syc__reducing *all, const syc_text *view, const syc_signatures *signatures,
                       syc_text *out)
{
    syc_status status = SYC_OK;
    size_t done = 0;

    for (size_t i = 0; i < all->piece_count; i++) {
        const struct syc__reducing_piece *piece = &all->pieces[i];
        syc_text_add_n(out, view->data + done, piece->at - done);
        if (!is_shaped(all, piece, signatures))
            syc_text_add_n(out, piece->text, strlen(piece->text));
        done = piece->at;
    }
    syc_text_add_n(out, view->data + done, view->length - done);
    SYC_CHECK(!out->cut && !view->cut, SYC_E_MEMORY_ALLOCATION, "no memory for a program of %zu bytes", view->length);
done:
    return status;
}

static syc_status begin(struct syc__reducing_writer *r, const char *source, size_t length)
{
    syc_status status = SYC_OK;
    char *copy = NULL;

    SYC_TRY(syc__arena_alloc(&r->arena, length + 1, &copy));
    SYC_TRY(syc__edit_begin(&r->arena, memcpy(copy, source, length), &r->edit));
    r->edit.name = "kernel.cl";
    SYC_TRY(syc_alloc(sizeof *r->all, &r->all));
done:
    return status;
}

static syc_status write(const char *source, size_t length, const char *front, bool declared, syc_rewritten *out)
{
    syc_status status = SYC_OK;
    struct syc__reducing_writer r = {.in = {.front = front, .declared = declared}};

    if (memmem(source, length, "reducer", 7) == NULL || memchr(source, '\0', length) != NULL)
        return SYC_OK;
    SYC_TRY(begin(&r, source, length));
    if (defines_it(&r.edit))
        goto done;
    SYC_TRY(write_all(&r));
    if (r.all->count == 0)
        goto done;
    SYC_TRY(join(r.all, &r.edit.out, NULL, &out->text));
    out->view = r.edit.out;
    r.edit.out = (syc_text){0};
    out->what = (syc_keep){free_reducing, r.all};
    r.all = NULL;
done:
    syc_text_clear(&r.edit.out);
    syc__arena_clear(&r.arena);
    free_reducing(r.all);
    return status;
}

/* -- signatures -- */

static syc_status replace(char **text, const char *by)
{
    char *copy = NULL;
    syc_status status = syc_copy_string(by, &copy);
    if (status != SYC_OK)
        return status;
    syc_free(*text);
    *text = copy;
    return SYC_OK;
}

static syc_status sign_kernel(const syc_reducing_kernel *kernel, syc_signature *signature)
{
    enum { ENDING = 40 }; /* tokens that a reducer costs a work-item, about */
    syc_status status = SYC_OK;
    for (size_t i = 0; i < kernel->count && i < signature->count; i++) {
        if (!syc__is_reducer(&kernel->names[i]))
            continue;
        SYC_TRY(replace(&signature->params[i].text, kernel->parameters[i].text));
        SYC_TRY(replace(&signature->params[i].name, kernel->names[i].reducer.word));
        signature->params[i].reducer = true;
        signature->weight += ENDING;
        signature->bounded = signature->bounded && !kernel->names[i].reducer.array;
    }
done:
    return status;
}

static syc_status sign(syc_rewritten *written, syc_signatures *signatures)
{
    syc_status status = SYC_OK;
    const struct syc__reducing *all = written->what.payload;
    syc_text text = {0};

    for (size_t i = 0; i < all->count; i++)
        for (size_t k = 0; k < signatures->count; k++)
            if (strcmp(signatures->items[k].name, all->kernels[i].name) == 0)
                SYC_TRY(sign_kernel(&all->kernels[i], &signatures->items[k]));
    SYC_TRY(join(all, &written->view, signatures, &text));
    syc_text_clear(&written->text);
    written->text = text;
    text = (syc_text){0};
done:
    syc_text_clear(&text);
    return status;
}

void syc_reducing_enable(bool on)
{
    static const syc_rewriter rewriter = {write, sign};
    syc_program_set_rewriter(on ? &rewriter : NULL);
}

const syc_reducing_kernel *syc_reducing_kernel_of(const syc_program *program, size_t kernel)
{
    const struct syc__reducing *all = syc_program_rewritten(program);
    const char *name;
    if (all == NULL)
        return NULL;
    name = syc_program_signatures(program)->items[kernel].name;
    for (size_t i = 0; i < all->count; i++)
        if (strcmp(all->kernels[i].name, name) == 0)
            return &all->kernels[i];
    return NULL;
}
