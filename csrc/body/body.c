/* Bodies: copies of what they are made from, and the forms that they were asked for. */
#include "body/body.h"

#include "base/alloc.h"
#include "body/hierarchy/hierarchy.h"
#include "body/partials.h"
#include "body/reach/claims.h"
#include "body/reduce/reduce.h"
#include "body/scan/scan.h"
#include "body/stream_statements.h"
#include "program/program.h"
#include "source/origin.h"

#include <string.h>

/* -- life -- */

static syc_status copy_or_null(const char *text, const char **out)
{
    char *copy = NULL;
    syc_status status = text != NULL && text[0] != '\0' ? syc_copy_string(text, &copy) : SYC_OK;
    *out = copy;
    return status;
}

static syc_status copy_names(const syc_body_source *source, syc_body *body)
{
    syc_status status = SYC_OK;

    SYC_TRY(syc_alloc_array(source->count, sizeof *body->names, &body->names));
    body->source.names = body->names;
    for (size_t i = 0; i < source->count; i++) {
        syc_name *name = &body->names[i];
        *name = source->names[i];
        name->name = name->type = name->op.operation = name->reducer.finish = name->reducer.result = NULL;
        body->source.count = i + 1;
        SYC_TRY(copy_or_null(source->names[i].name, &name->name));
        SYC_TRY(copy_or_null(source->names[i].type, &name->type));
        SYC_TRY(copy_or_null(source->names[i].op.operation, &name->op.operation));
        SYC_TRY(copy_or_null(source->names[i].reducer.finish, &name->reducer.finish));
        SYC_TRY(copy_or_null(source->names[i].reducer.result, &name->reducer.result));
    }
done:
    return status;
}

/* Behind all that it is made of: what it is as a body with SYC_SPAN_PRIVATE. */
static syc_status create_sibling(syc_body *body)
{
    syc_status status = SYC_OK;
    syc_body_source source = body->source;
    syc_name *names = NULL;
    bool any = false;

    if (body->variables == NULL)
        goto done;
    SYC_TRY(syc_alloc_array(source.count, sizeof *names, &names));
    for (size_t i = 0; i < source.count; i++) {
        names[i] = body->names[i];
        if (body->variables[i].count == 0)
            continue;
        names[i].reducer.array = false;
        names[i].reducer.variables = &body->variables[i];
        any = true;
    }
    source.text = body->text;
    source.names = names;
    if (any)
        status = syc_body_create(&source, &body->sibling);
done:
    syc_free(names);
    return status;
}

static syc_status copy_source(const syc_body_source *source, syc_body *body)
{
    syc_status status = SYC_OK;
    SYC_TRY(copy_or_null(source->text, &body->source.text));
    SYC_TRY(copy_or_null(source->preamble, &body->source.preamble));
    SYC_TRY(copy_or_null(source->declarations, &body->source.declarations));
    SYC_TRY(copy_or_null(source->name, &body->source.name));
    SYC_TRY(copy_or_null(source->options, &body->source.options));
    body->source.hierarchical = source->hierarchical;
    body->source.whole = source->whole;
    body->source.seam = source->seam;
    body->source.along = source->along;
    body->source.reverse = source->reverse;
    SYC_TRY(copy_names(source, body));
    SYC_TRY(syc__origins_copy(&(syc_origins){.parts = source->parts, .part_count = source->part_count}, &body->parts));
    body->source.parts = body->parts->parts;
    body->source.part_count = body->parts->part_count;
done:
    return status;
}

static void take_text(syc_body *body, syc_text *text)
{
    if (text->length == 0)
        return;
    syc_free((char *)body->source.text);
    body->source.text = syc_text_take(text);
}

static syc_status find_variables(syc_body *body)
{
    syc_status status = SYC_OK;
    bool arrays = false;

    for (size_t i = 0; i < body->source.count; i++)
        arrays = arrays || (syc__is_reducer(&body->names[i]) && body->names[i].reducer.array);
    if (!arrays)
        goto done;
    SYC_TRY(syc_alloc_array(body->source.count, sizeof *body->variables, &body->variables));
    SYC_TRY(syc__reduce_find_variables(&body->source, body->variables));
done:
    return status;
}

/* Makes OpenCL C of the text's own language. */
static syc_status rewrite(syc_body *body)
{
    syc_status status = SYC_OK;
    syc_text text = {0};
    syc__item_sizes sizes = {0};

    SYC_TRY(syc_copy_string(body->source.text, (char **)&body->text));
    SYC_TRY(syc_body_write_streams(body->text, body->names, body->source.count, &text));
    take_text(body, &text);
    SYC_TRY(find_variables(body));
    if (body->source.seam > 0)
        SYC_TRY(syc__scan_write_words(&body->source, body->names, &text));
    else
        SYC_TRY(
            syc__reduce_write_words(body->source.text, body->source.preamble, body->names, body->source.count, &text));
    take_text(body, &text);
    if (body->source.hierarchical)
        SYC_TRY(syc__hierarchy_write(body->text, body->source.text, &body->source, &sizes, &text));
    else
        SYC_TRY(syc__hierarchy_refuse(&body->source));
    take_text(body, &text);
    body->item_sizes = sizes.count;
    body->item_sizes_at = sizes.at;
done:
    syc_text_clear(&text);
    return status;
}

syc_status syc__body_new(const syc_body_source *source, syc_body **out)
{
    syc_status status = SYC_OK;
    syc_body *body = NULL;

    SYC_TRY(syc_alloc(sizeof *body, &body));
    syc_refcount_init(&body->refs);
    pthread_mutex_init(&body->lock, NULL);
    syc_live_add(SYC_LIVE_BODY, 1);
    SYC_TRY(copy_source(source, body));
    SYC_TRY(syc_alloc_array(source->count, sizeof *body->reading.uses, &body->reading.uses));
    *out = body;
    body = NULL;
done:
    syc_body_release(body);
    return status;
}

syc_status syc_body_create(const syc_body_source *source, syc_body **out)
{
    syc_status status = SYC_OK;
    syc_body *body = NULL;

    SYC_CHECK(source->text != NULL && source->text[strspn(source->text, " \t\r\n\v\f")] != '\0',
              SYC_E_INVALID_PARAMETER, "body: there is no text");
    SYC_TRY(syc__body_check_names(source));
    for (size_t i = 0; i < source->count && source->hierarchical; i++)
        SYC_CHECK(!syc__is_reducer(&source->names[i]), SYC_E_INVALID,
                  "body: '%s' is a reduction, which parallel_for_work_group cannot have: use parallel_for",
                  source->names[i].name);
    SYC_TRY(syc__scan_check_names(source));
    SYC_TRY(syc__check_reducers(source));
    SYC_TRY(syc__body_new(source, &body));
    SYC_TRY(rewrite(body));
    SYC_TRY(syc__body_read(&body->source, body->text, &body->reading));
    SYC_TRY(syc__scan_check(body));
    SYC_TRY(create_sibling(body));
    *out = body;
    body = NULL;
done:
    syc_body_release(body);
    return status;
}

void syc_body_retain(syc_body *body)
{
    syc_refcount_retain(&body->refs);
}

/* Strings that the body owns are const to its readers. */
static void free_text(const char *text)
{
    syc_free((char *)text);
}

static void free_source(syc_body *body)
{
    for (size_t i = 0; i < body->source.count; i++) {
        free_text(body->names[i].name);
        free_text(body->names[i].type);
        free_text(body->names[i].op.operation);
        free_text(body->names[i].reducer.finish);
        free_text(body->names[i].reducer.result);
    }
    syc_free(body->names);
    syc__origins_free(body->parts);
    free_text(body->text);
    free_text(body->source.text);
    free_text(body->source.preamble);
    free_text(body->source.declarations);
    free_text(body->source.name);
    free_text(body->source.options);
}

void syc__made_free(struct syc__made *made)
{
    if (made == NULL)
        return;
    syc_program_release(made->lowered.program);
    syc_partials_free(made->lowered.partials);
    syc_free(made->hidden);
    syc_free(made);
}

void syc_body_release(syc_body *body)
{
    if (body == NULL || !syc_refcount_release(&body->refs))
        return;
    for (struct syc__made *made = body->forms, *next; made != NULL; made = next) {
        next = made->next;
        syc__made_free(made);
    }
    syc_body_release(body->sibling);
    syc__variables_clear(body->variables, body->source.count);
    free_source(body);
    syc__reach_free(body->reading.reach);
    syc_free(body->reading.uses);
    pthread_mutex_destroy(&body->lock);
    syc_free(body);
    syc_live_add(SYC_LIVE_BODY, -1);
}
