/* Programs made into programs with one kernel checked. */
#include "body/whole/checked_kernel.h"

#include "base/alloc.h"
#include "body/parts.h"
#include "body/whole/declarations.h"
#include "body/whole/program.h"
#include "program/link.h"
#include "source/declarations/signature.h"
#include "source/tokens.h"

#include <string.h>

/* A kernel for arguments of one kind. */
struct entry {
    struct entry *next;
    size_t kernel;
    bool refused;
    syc_checked_kernel checked;
};

/* A program's record of them. */
struct all {
    pthread_mutex_t lock;
    struct entry *entries;
};

static void free_entry(struct entry *e)
{
    if (e == NULL)
        return;
    syc_program_release(e->checked.lowered.program);
    syc_free((syc_hidden *)e->checked.lowered.hidden);
    syc_body_release(e->checked.body);
    syc_free(e);
}

static void free_all(void *payload)
{
    struct all *all = payload;
    for (struct entry *e = all->entries, *next; e != NULL; e = next) {
        next = e->next;
        free_entry(e);
    }
    pthread_mutex_destroy(&all->lock);
    syc_free(all);
}

static syc_status make_all(syc_keep *out)
{
    struct all *all = NULL;
    syc_status status = syc_alloc(sizeof *all, &all);
    if (status != SYC_OK)
        return status;
    pthread_mutex_init(&all->lock, NULL);
    *out = (syc_keep){free_all, all};
    return SYC_OK;
}

/* -- what is checked -- */

/* Pointers to elements of a type that can be written down. */
static syc_status take_parameter(syc_arena *arena, const syc_param *p, const syc_name *part, syc_name *out)
{
    syc_status status = SYC_OK;
    const char *type = p->type == SYC_STRUCT                         ? p->struct_name
                       : p->type == SYC_VOID || p->type > SYC_STRUCT ? NULL
                                                                     : syc_dtype_vector_name(p->type, p->width);
    char *words = NULL;

    *out = (syc_name){.name = p->name, .type = "", .kind = SYC_NAME_VALUE};
    if (!p->pointer || p->space != SYC_SPACE_GLOBAL || p->name[0] == '\0' || type == NULL)
        goto done;
    SYC_TRY(syc__arena_alloc(arena, strlen(type) + sizeof "volatile ", &words));
    strcpy(words, p->is_volatile ? "volatile " : "");
    strcat(words, type);
    *out = (syc_name){.name = p->name,
                      .type = words,
                      .kind = SYC_NAME_GLOBAL,
                      .readable = true,
                      .writable = !p->is_const,
                      .rank = part->rank,
                      .ranged = part->ranged};
done:
    return status;
}

static syc_status make_body(syc_arena *arena, const syc_signature *signature, const syc_name *parts, syc_body **out)
{
    syc_status status = SYC_OK;
    syc_body_source source = {.name = signature->name, .count = signature->count, .whole = true};
    syc_name *names = NULL;

    SYC_TRY(syc__arena_alloc(arena, (signature->count + 1) * sizeof *names, &names));
    for (size_t i = 0; i < signature->count; i++)
        SYC_TRY(take_parameter(arena, &signature->params[i], &parts[i], &names[i]));
    source.names = names;
    SYC_TRY(syc__body_new(&source, out));
    for (size_t i = 0; i < source.count; i++)
        if (names[i].kind == SYC_NAME_GLOBAL)
            (*out)->reading.uses[i] = (syc__use){.used = true, .writes = true, .indexed = true};
done:
    return status;
}

/* -- its text -- */

struct writer {
    syc_arena arena;
    syc__edit edit;
    const struct entry *entry;
    size_t done; /* bytes of the user's text that have been copied */
    bool defined;
    syc_text *out;
};

static void copy_to(struct writer *w, size_t offset)
{
    syc_text_add_n(w->out, w->edit.text + w->done, offset - w->done);
    w->done = offset;
}

/* Added text is in lines of its own, and the user's goes on in its line and column. */
static void add_lines(struct writer *w, const syc_text *text, size_t token, bool behind)
{
    const syc__position at = syc__edit_position(&w->edit, token);
    syc_text_add(w->out, "\n#line 1 \"bounds.clh\"\n");
    syc_text_add_n(w->out, syc_text_get(text), text->length);
    syc_text_add(w->out, "#line %u \"kernel.cl\"\n%*s", at.line, (int)at.column - 1 + behind, "");
}

static syc__writer writer_of(const struct entry *e)
{
    return (syc__writer){.body = e->checked.body,
                         .body_text = e->checked.body->source.text,
                         .form = e->checked.lowered.form,
                         .hidden = e->checked.lowered.hidden,
                         .hidden_count = e->checked.lowered.hidden_count};
}

static void add_bounds(struct writer *w, const syc__kernel_head *head)
{
    syc__writer bounds = writer_of(w->entry);
    copy_to(w, syc__edit_offset(&w->edit, head->begin));
    syc__write_bounds(&bounds);
    add_lines(w, &bounds.text, head->begin, false);
    w->out->cut |= bounds.text.cut;
    syc_text_clear(&bounds.text);
}

static void add_parameters(struct writer *w, const syc__kernel_head *head)
{
    syc__writer hidden = writer_of(w->entry);
    copy_to(w, syc__edit_offset(&w->edit, head->close));
    syc_text_add(&hidden.text, " "); /* the list does not begin here */
    for (size_t i = 0; i < hidden.hidden_count; i++)
        syc__write_hidden(&hidden, &hidden.hidden[i], true);
    syc_text_add_n(w->out, syc_text_get(&hidden.text), hidden.text.length);
    w->out->cut |= hidden.text.cut;
    syc_text_clear(&hidden.text);
}

static syc_status add_body(struct writer *w, const syc__kernel_head *head)
{
    syc_status status = SYC_OK;
    syc_body *body = w->entry->checked.body;
    const size_t from = syc__edit_offset(&w->edit, head->brace) + 1, to = syc__edit_offset(&w->edit, head->end);
    char *text = NULL;
    syc_text names = {0};

    SYC_TRY(syc_alloc(to - from + 1, &text));
    memcpy(text, w->edit.text + from, to - from);
    syc_free((char *)body->source.text);
    body->source.text = text;
    add_bounds(w, head);
    add_parameters(w, head);
    copy_to(w, from);
    SYC_TRY(syc__body_check_text(body, w->out));
    w->done = to;
    copy_to(w, to + 1);
    for (size_t i = 0; i < body->source.count; i++)
        if (body->source.names[i].kind == SYC_NAME_GLOBAL)
            syc_text_add(&names, "#undef %s\n", body->source.names[i].name);
    add_lines(w, &names, head->end, true);
    w->defined = true;
done:
    syc_text_clear(&names);
    return status;
}

/* Both of them where the text defines it twice, for a compiler to choose. */
static syc_status write(void *payload, const syc_program *part, syc_text *out)
{
    syc_status status = SYC_OK;
    struct writer w = {.entry = payload, .out = out};
    const char *source = syc_program_source(part, NULL);

    SYC_TRY(syc__edit_begin(&w.arena, source, &w.edit));
    if (w.entry->checked.body->text == NULL)
        SYC_TRY(syc_copy_string(source, (char **)&w.entry->checked.body->text));
    for (size_t at = 0; w.edit.tokens.items[at].kind != SYC_TOKEN_END; at++) {
        syc__kernel_head head;
        if (!syc__kernel_head_read(&w.edit, at, &head) ||
            !syc__edit_is(&w.edit, head.name, w.entry->checked.body->source.name))
            continue;
        if (head.brace == 0) {
            add_parameters(&w, &head);
            continue;
        }
        if (w.edit.tokens.items[head.end].kind == SYC_TOKEN_END) /* not for us to say */
            break;
        SYC_TRY(add_body(&w, &head));
        at = head.end;
    }
    copy_to(&w, w.edit.length);
    if (!w.defined)
        syc_text_clear(out);
done:
    syc__arena_clear(&w.arena);
    return status;
}

/* -- all of it -- */

static void refuse(struct entry *e, const char *why)
{
    e->refused = true;
    syc_report(
        syc_fail(SYC_E_KERNEL, SYC_HERE, "check: kernel '%s' is not checked: %s", e->checked.body->source.name, why));
}

static syc_status make_program(syc_program *program, struct entry *e)
{
    syc_status status = SYC_OK;
    const syc_signature *own = &syc_program_signatures(program)->items[e->kernel];
    const syc_signatures *made;
    syc_lowered *lowered = &e->checked.lowered;
    syc_hidden *hidden = NULL;

    if (syc_reducing_kernel_of(program, e->kernel) != NULL) {
        refuse(e, "it has reducers, and of texts with reducers only bodies are checked");
        goto done;
    }
    lowered->form = (syc_form){.shape = SYC_SHAPE_ITEM, .dims = 3, .grouped = true, .elements = 1, .checked = true};
    SYC_TRY(syc__body_hidden(e->checked.body, &lowered->form, &hidden, &lowered->hidden_count));
    lowered->hidden = hidden;
    e->refused = lowered->hidden_count == 1; /* nothing but the faults: there is nothing to check */
    if (e->refused)
        goto done;
    SYC_TRY(syc_program_reword(program, own->name, write, e, &lowered->program));
    if (lowered->program == NULL) {
        refuse(e, "its text is not here, or does not say which kernel it is");
        goto done;
    }
    made = syc_program_signatures(lowered->program);
    if (e->kernel >= made->count || strcmp(made->items[e->kernel].name, own->name) != 0 ||
        made->items[e->kernel].count != own->count + lowered->hidden_count)
        refuse(e, "its text has it in more than one form");
done:
    return status;
}

static bool has_parts(const struct entry *e, const syc_name *parts)
{
    const syc_body_source *source = &e->checked.body->source;
    for (size_t i = 0; i < source->count; i++)
        if (source->names[i].kind == SYC_NAME_GLOBAL &&
            (source->names[i].ranged != parts[i].ranged || source->names[i].rank != parts[i].rank))
            return false;
    return true;
}

static syc_status add(syc_program *program, size_t kernel, const syc_name *parts, struct entry **out)
{
    syc_status status = SYC_OK;
    syc_arena arena = {0};
    struct entry *e = NULL;

    SYC_TRY(syc_alloc(sizeof *e, &e));
    e->kernel = kernel;
    SYC_TRY(make_body(&arena, &syc_program_signatures(program)->items[kernel], parts, &e->checked.body));
    SYC_TRY(make_program(program, e));
    *out = e;
    e = NULL;
done:
    free_entry(e);
    syc__arena_clear(&arena);
    return status;
}

syc_status syc_checked_kernel_of(syc_program *program, size_t kernel, const syc_name *parts,
                                 const syc_checked_kernel **out)
{
    syc_status status = SYC_OK;
    struct all *all = NULL;
    struct entry *e = NULL;

    SYC_TRY(syc_program_attached(program, make_all, (void **)&all));
    pthread_mutex_lock(&all->lock);
    for (e = all->entries; e != NULL && (e->kernel != kernel || !has_parts(e, parts));)
        e = e->next;
    if (e == NULL) {
        status = add(program, kernel, parts, &e);
        if (status == SYC_OK) {
            e->next = all->entries;
            all->entries = e;
        }
    }
    *out = e != NULL && !e->refused ? &e->checked : NULL;
    pthread_mutex_unlock(&all->lock);
done:
    return status;
}

void syc_checked_kernel_refuse(syc_program *program, const syc_checked_kernel *checked)
{
    struct all *all = NULL;

    (void)syc_program_attached(program, make_all, (void **)&all);
    pthread_mutex_lock(&all->lock);
    for (struct entry *e = all->entries; e != NULL; e = e->next)
        if (&e->checked == checked && !e->refused)
            refuse(e, "its compiler does not take the text with the checks in it");
    pthread_mutex_unlock(&all->lock);
}
