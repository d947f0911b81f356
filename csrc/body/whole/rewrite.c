/* One kernel with reducers made into one without. */
#include "body/whole/rewrite.h"

#include "base/alloc.h"
#include "body/partials.h"
#include "body/reduce/reduce.h"
#include "body/whole/kernel.h"
#include "source/tokens.h"

#include <stdio.h>
#include <string.h>

/* -- pieces -- */

/* Takes the text. */
static syc_status put(struct syc__reducing_writer *r, size_t guard, syc_text *text)
{
    syc_status status = SYC_OK;
    struct syc__reducing *all = r->all;
    char *copy = NULL;

    SYC_CHECK(!text->cut, SYC_E_MEMORY_ALLOCATION, "no memory for the text of reducers");
    SYC_TRY(
        syc__arena_grow(&all->arena, &all->pieces, &all->piece_capacity, all->piece_count + 1, sizeof *all->pieces));
    SYC_TRY(syc__arena_alloc(&all->arena, text->length + 1, &copy));
    memcpy(copy, syc_text_get(text), text->length + 1);
    all->pieces[all->piece_count++] = (struct syc__reducing_piece){r->edit.out.length, guard, copy};
done:
    syc_text_clear(text);
    return status;
}

static void begin_lines(syc_text *text)
{
    syc_text_add(text, "\n#line 1 \"reducers.clh\"\n");
}

/* The user's own text goes on, in its line and column. */
static void end_lines(const struct syc__reducing_writer *r, syc_text *text, size_t token, bool behind)
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
static syc_status put_values(struct syc__reducing_writer *r, const syc_reducing_kernel *kernel, size_t token)
{
    syc_body shell = shell_of(kernel);
    syc__writer w = writer_of(kernel, &shell);
    begin_lines(&w.text);
    syc__write_reducers(&w);
    syc__write_array_indices(&w);
    end_lines(r, &w.text, token, false);
    return put(r, 0, &w.text);
}

static syc_status put_parameters(struct syc__reducing_writer *r, const syc_reducing_kernel *kernel)
{
    syc_body shell = shell_of(kernel);
    syc__writer w = writer_of(kernel, &shell);
    syc_text_add(&w.text, " "); /* the user's own are in front: the list does not begin here */
    for (size_t i = 0; i < w.hidden_count; i++)
        syc__write_hidden(&w, &w.hidden[i], true);
    return put(r, 0, &w.text);
}

/* Only where the range is padded to whole groups, and so for no kernel that knows its group. */
static syc_status put_guard(struct syc__reducing_writer *r)
{
    syc_text text = {0};
    for (unsigned d = 0; d < 3; d++)
        syc_text_add(&text, "%sget_global_id(%u) - get_global_offset(%u) >= syc_range%u", d == 0 ? "    if (" : " || ",
                     d, d, d);
    syc_text_add(&text, ")\n        return;\n");
    return put(r, r->all->count, &text);
}

static syc_status put_beginning(struct syc__reducing_writer *r, const syc_reducing_kernel *kernel, size_t brace)
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

static syc_status put_ending(struct syc__reducing_writer *r, const syc_reducing_kernel *kernel, size_t brace)
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

static syc_status add_kernel(struct syc__reducing_writer *r, const syc__kernel_head *head, syc_reducing_kernel **out)
{
    syc_status status = SYC_OK;
    const syc_token *name = &r->edit.tokens.items[head->name];
    struct syc__reducing *all = r->all;
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

static syc_status read_parameters(struct syc__reducing_writer *r, const syc__kernel_head *head,
                                  syc_reducing_kernel *kernel)
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
static syc_status write_parameters(struct syc__reducing_writer *r, const syc__kernel_head *head,
                                   const syc_reducing_kernel *kernel)
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

static syc_status check_used(const struct syc__reducing_writer *r, const syc__kernel_head *head,
                             const syc_reducing_kernel *kernel, const bool *used)
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

static syc_status write_body(struct syc__reducing_writer *r, const syc__kernel_head *head,
                             const syc_reducing_kernel *kernel)
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

bool syc__kernel_has_reducers(const struct syc__reducing_writer *r, const syc__kernel_head *head)
{
    for (size_t from = 0, to = 0; syc__kernel_head_next(&r->edit, head, &from, &to);)
        if (syc__is_reducer_declared(&r->edit, from))
            return true;
    return false;
}

syc_status syc__reducing_kernel_write(struct syc__reducing_writer *r, const syc__kernel_head *head)
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
