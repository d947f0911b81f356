/* Programs whose kernels have reducers, made into programs without. */
#define _GNU_SOURCE /* memmem */
#include "body/whole/program.h"

#include "base/alloc.h"
#include "body/partials.h"
#include "body/reduce/reduce.h"
#include "body/whole/kernel.h"
#include "program/program.h"
#include "source/declarations/signature.h"

#include <stdio.h>
#include <string.h>

/* Text that is put between two pieces of the user's: the compiler sees it, and messages do not. */
struct piece {
    size_t at;    /* in the view */
    size_t guard; /* it lets work-items beyond the range go, of kernel number `guard` - 1; 0: it does not */
    char *text;
};

/* All that is known of one program's reducers. */
struct reducing {
    syc_arena arena; /* of all the rest */
    syc_reducing_kernel *kernels;
    size_t count, capacity;
    struct piece *pieces;
    size_t piece_count, piece_capacity;
};

static void free_reducing(void *payload)
{
    struct reducing *all = payload;
    for (size_t i = 0; all != NULL && i < all->count; i++) {
        syc_free((syc_hidden *)all->kernels[i].lowered.hidden);
        syc_partials_free(all->kernels[i].lowered.partials);
        syc__kernel_bodies_free(all->kernels[i].bodies);
    }
    if (all != NULL)
        syc__arena_clear(&all->arena);
    syc_free(all);
}

struct rewriter {
    struct reducing *all;
    syc_arena arena; /* of this reading */
    syc__edit edit;
    syc__declaring in;
};

/* -- pieces -- */

/* Takes the text. */
static syc_status put(struct rewriter *r, size_t guard, syc_text *text)
{
    syc_status status = SYC_OK;
    struct reducing *all = r->all;
    char *copy = NULL;

    SYC_CHECK(!text->cut, SYC_E_MEMORY_ALLOCATION, "no memory for the text of reducers");
    SYC_TRY(
        syc__arena_grow(&all->arena, &all->pieces, &all->piece_capacity, all->piece_count + 1, sizeof *all->pieces));
    SYC_TRY(syc__arena_alloc(&all->arena, text->length + 1, &copy));
    memcpy(copy, syc_text_get(text), text->length + 1);
    all->pieces[all->piece_count++] = (struct piece){r->edit.out.length, guard, copy};
done:
    syc_text_clear(text);
    return status;
}

static void begin_lines(syc_text *text)
{
    syc_text_add(text, "\n#line 1 \"reducers.clh\"\n");
}

/* The user's own text goes on, in its line and column. */
static void end_lines(const struct rewriter *r, syc_text *text, size_t token, bool behind)
{
    syc__position at = syc__edit_position(&r->edit, token);
    if (text->length > 0 && text->data[text->length - 1] != '\n')
        syc_text_add(text, "\n");
    syc_text_add(text, "#line %u \"kernel.cl\"\n%*s", at.line, (int)at.column - 1 + behind, "");
}

/* -- one kernel -- */

/* As a body over an nd-range, as far as reducers are concerned. */
static syc_body shell_of(const syc_reducing_kernel *kernel)
{
    syc_body shell = {.source = {.names = kernel->names, .count = kernel->count}};
    shell.reading.traits.reduces = shell.reading.traits.returns = true;
    return shell;
}

/* Arrays are combined where they stand if that takes no more than every device has: how long they are, and how many
 * work-items would have copies of them, is not known yet. */
static uint64_t spans_of(const syc_reducing_kernel *kernel)
{
    uint64_t spans = 0;
    unsigned count = 0;
    for (size_t i = 0; i < kernel->count; i++) {
        const syc_name *name = &kernel->names[i];
        if (!syc__is_reducer(name) || !name->reducer.array)
            continue;
        spans |= (uint64_t)(syc_span_is_atomic(name, false) ? SYC_SPAN_SHARED : SYC_SPAN_COPIES) << 4 * count++;
    }
    return spans;
}

static syc__writer writer_of(const syc_reducing_kernel *kernel, const syc_body *shell)
{
    return (syc__writer){
        .body = shell,
        .form = {.shape = SYC_SHAPE_ITEM, .dims = 3, .grouped = true, .elements = 1, .spans = spans_of(kernel)},
        .hidden = kernel->lowered.hidden,
        .hidden_count = kernel->lowered.hidden_count};
}

/* The range's sizes, and what reducers need. */
static syc_status find_hidden(syc_reducing_kernel *kernel)
{
    syc_status status = SYC_OK;
    syc_body shell = shell_of(kernel);
    syc__writer w = writer_of(kernel, &shell);
    syc_hidden *own = NULL, *all = NULL;
    size_t count = 0;

    SYC_TRY(syc__body_hidden(&shell, &w.form, &own, &count));
    SYC_TRY(syc_alloc_array(count + 3, sizeof *all, &all));
    for (unsigned d = 0; d < 3; d++)
        all[d] = (syc_hidden){SYC_HIDDEN_RANGE, d, 0};
    memcpy(all + 3, own, count * sizeof *own);
    kernel->lowered.hidden = all;
    kernel->lowered.hidden_count = count + 3;
    kernel->lowered.form = w.form;
    status = syc_partials_create(&kernel->lowered.partials);
done:
    syc_free(own);
    return status;
}

/* The reducers' declarations, in front of the kernel. */
static syc_status put_values(struct rewriter *r, const syc_reducing_kernel *kernel, size_t token)
{
    syc_body shell = shell_of(kernel);
    syc__writer w = writer_of(kernel, &shell);
    begin_lines(&w.text);
    syc__write_reducers(&w);
    syc__write_array_indices(&w);
    end_lines(r, &w.text, token, false);
    return put(r, 0, &w.text);
}

static syc_status put_parameters(struct rewriter *r, const syc_reducing_kernel *kernel)
{
    syc_body shell = shell_of(kernel);
    syc__writer w = writer_of(kernel, &shell);
    syc_text_add(&w.text, " "); /* the user's own are in front: the list does not begin here */
    for (size_t i = 0; i < w.hidden_count; i++)
        syc__write_hidden(&w, &w.hidden[i], true);
    return put(r, 0, &w.text);
}

/* Only where the range is padded to whole groups, and so for no kernel that knows its group. */
static syc_status put_guard(struct rewriter *r)
{
    syc_text text = {0};
    for (unsigned d = 0; d < 3; d++)
        syc_text_add(&text, "%sget_global_id(%u) - get_global_offset(%u) >= syc_range%u", d == 0 ? "    if (" : " || ",
                     d, d, d);
    syc_text_add(&text, ")\n        return;\n");
    return put(r, r->all->count, &text);
}

static syc_status put_beginning(struct rewriter *r, const syc_reducing_kernel *kernel, size_t brace)
{
    syc_status status = SYC_OK;
    syc_body shell = shell_of(kernel);
    syc__writer w = writer_of(kernel, &shell);
    syc_text back = {0};

    begin_lines(&w.text);
    syc__write_accumulators(&w);
    syc__write_reducer_macros(&w);
    SYC_TRY(put(r, 0, &w.text));
    SYC_TRY(put_guard(r));
    end_lines(r, &back, brace, true);
    SYC_TRY(put(r, 0, &back));
done:
    return status;
}

static syc_status put_ending(struct rewriter *r, const syc_reducing_kernel *kernel, size_t brace)
{
    syc_body shell = shell_of(kernel);
    syc__writer w = writer_of(kernel, &shell);
    begin_lines(&w.text);
    syc__write_no_reducer_macros(&w);
    syc__write_reducer_ending(&w);
    end_lines(r, &w.text, brace, false);
    return put(r, 0, &w.text);
}

/* -- its declaration -- */

static syc_status add_kernel(struct rewriter *r, const syc__kernel_head *head, syc_reducing_kernel **out)
{
    syc_status status = SYC_OK;
    const syc_token *name = &r->edit.tokens.items[head->name];
    struct reducing *all = r->all;
    syc_reducing_kernel *kernel;
    char *copy = NULL;

    SYC_TRY(syc__arena_grow(&all->arena, &all->kernels, &all->capacity, all->count + 1, sizeof *all->kernels));
    SYC_TRY(syc__arena_alloc(&all->arena, name->length + 1, &copy));
    memcpy(copy, name->text, name->length);
    kernel = &all->kernels[all->count];
    *kernel = (syc_reducing_kernel){.name = copy};
    for (size_t from = 0, to = 0; syc__kernel_head_next(&r->edit, head, &from, &to);)
        kernel->count++;
    r->in.kernel = all->count++;
    *out = kernel;
done:
    return status;
}

static syc_status read_parameters(struct rewriter *r, const syc__kernel_head *head, syc_reducing_kernel *kernel)
{
    syc_status status = SYC_OK;
    syc_reducer_parameter *parameters = NULL;
    syc_name *names = NULL;

    SYC_TRY(syc__arena_alloc(&r->all->arena, kernel->count * sizeof *names, &names));
    SYC_TRY(syc__arena_alloc(&r->all->arena, kernel->count * sizeof *parameters, &parameters));
    for (size_t from = 0, to = 0, i = 0; syc__kernel_head_next(&r->edit, head, &from, &to); i++) {
        names[i] = (syc_name){.name = "", .type = "", .kind = SYC_NAME_VALUE};
        if (syc__edit_is(&r->edit, from, "reducer"))
            SYC_TRY(syc__reducer_declared(&r->all->arena, &r->edit, from, to, &r->in, &names[i], &parameters[i]));
    }
    kernel->names = names;
    kernel->parameters = parameters;
    SYC_TRY(syc__check_reducers(&(syc_body_source){.names = names, .count = kernel->count}));
done:
    return status;
}

/* Pointers in the places of reducers, and the hidden parameters. */
static syc_status write_parameters(struct rewriter *r, const syc__kernel_head *head, const syc_reducing_kernel *kernel)
{
    for (size_t from = 0, to = 0, i = 0; syc__kernel_head_next(&r->edit, head, &from, &to); i++) {
        if (!syc__is_reducer(&kernel->names[i]))
            continue;
        syc__edit_copy(&r->edit, from);
        syc__edit_add(&r->edit, "__global %.200s *syc_out_%.200s", kernel->names[i].type, kernel->names[i].name);
        syc__edit_skip(&r->edit, to);
    }
    syc__edit_copy(&r->edit, head->close);
    return put_parameters(r, kernel);
}

/* -- its body -- */

static syc_status check_used(const struct rewriter *r, const syc__kernel_head *head, const syc_reducing_kernel *kernel,
                             const bool *used)
{
    for (size_t from = 0, to = 0, i = 0; syc__kernel_head_next(&r->edit, head, &from, &to); i++) {
        char words[200];
        if (!syc__is_reducer(&kernel->names[i]) || used[i])
            continue;
        snprintf(words, sizeof words, "the reducer '%.60s' is declared, and kernel '%.60s' combines nothing with it",
                 kernel->names[i].reducer.word, kernel->name);
        return syc__edit_refuse(&r->edit, from, words);
    }
    return SYC_OK;
}

static syc_status write_body(struct rewriter *r, const syc__kernel_head *head, const syc_reducing_kernel *kernel)
{
    syc_status status = SYC_OK;
    bool *used = NULL;

    SYC_TRY(syc__arena_alloc(&r->arena, kernel->count * sizeof *used, &used));
    syc__edit_copy(&r->edit, head->brace);
    syc__edit_copy_range(&r->edit, head->brace, head->brace + 1);
    SYC_TRY(put_beginning(r, kernel, head->brace));
    SYC_TRY(syc__reduce_refuse_macros(&r->arena, &r->edit, head->begin, &r->edit, head->brace, head->end, kernel->names,
                                      kernel->count));
    SYC_TRY(syc__reduce_write_words_in(&r->arena, &r->edit, head->brace + 1, head->end, kernel->names, kernel->count,
                                       used));
    SYC_TRY(check_used(r, head, kernel, used));
    SYC_TRY(put_ending(r, kernel, head->end));
done:
    return status;
}

static bool has_reducers(const struct rewriter *r, const syc__kernel_head *head)
{
    for (size_t from = 0, to = 0; syc__kernel_head_next(&r->edit, head, &from, &to);)
        if (syc__is_reducer_declared(&r->edit, from))
            return true;
    return false;
}

static syc_status write_kernel(struct rewriter *r, const syc__kernel_head *head)
{
    syc_status status = SYC_OK;
    syc_reducing_kernel *kernel;

    SYC_TRY(add_kernel(r, head, &kernel));
    SYC_TRY(read_parameters(r, head, kernel));
    SYC_TRY(find_hidden(kernel));
    syc__edit_copy(&r->edit, head->begin);
    SYC_TRY(put_values(r, kernel, head->begin));
    SYC_TRY(write_parameters(r, head, kernel));
    if (!r->in.declared) {
        SYC_TRY(write_body(r, head, kernel));
        SYC_TRY(syc__kernel_bodies_read(&r->arena, &r->edit, head, r->in.front, &kernel->bodies));
    }
done:
    return status;
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

static syc_status write_all(struct rewriter *r)
{
    syc_status status = SYC_OK;
    for (size_t at = 0; r->edit.tokens.items[at].kind != SYC_TOKEN_END; at++) {
        syc__kernel_head head;
        if (syc__is_reducer_declared(&r->edit, at)) {
            status = refuse(&r->edit, at);
            goto done;
        }
        if (!syc__kernel_head_read(&r->edit, at, &head) || !has_reducers(r, &head))
            continue;
        if (head.brace == 0) {
            status = syc__edit_refuse(&r->edit, at, "a kernel with reducers is declared where it is defined");
            goto done;
        }
        SYC_TRY(write_kernel(r, &head));
        at = head.end;
        if (r->edit.tokens.items[at].kind == SYC_TOKEN_END)
            break;
    }
    syc__edit_end(&r->edit);
done:
    return status;
}

/* Does the kernel know its group? Then its range is not padded. */
static bool is_shaped(const struct reducing *all, const struct piece *piece, const syc_signatures *signatures)
{
    const syc_signature *kernel = signatures != NULL && piece->guard > 0
                                      ? syc_signatures_find(signatures, all->kernels[piece->guard - 1].name)
                                      : NULL;
    return kernel != NULL && kernel->shaped;
}

/* The user's text with the pieces in it; `signatures` may be NULL. */
static syc_status join(const struct reducing *all, const syc_text *view, const syc_signatures *signatures,
                       syc_text *out)
{
    syc_status status = SYC_OK;
    size_t done = 0;

    for (size_t i = 0; i < all->piece_count; i++) {
        const struct piece *piece = &all->pieces[i];
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

static syc_status begin(struct rewriter *r, const char *source, size_t length)
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
    struct rewriter r = {.in = {.front = front, .declared = declared}};

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
    const struct reducing *all = written->what.payload;
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
    const struct reducing *all = syc_program_rewritten(program);
    const char *name;
    if (all == NULL)
        return NULL;
    name = syc_program_signatures(program)->items[kernel].name;
    for (size_t i = 0; i < all->count; i++)
        if (strcmp(all->kernels[i].name, name) == 0)
            return &all->kernels[i];
    return NULL;
}
