/* The meaning of names in the text of a work-group: variables of the group, private memory, and the words of items and
 * groups. */
#include "body/hierarchy/hierarchy.h"
#include "body/parts.h"
#include "body/reading.h"
#include "source/declarations/keywords.h"
#include "source/tokens.h"

#include <string.h>

/* -- words -- */

/* NULL: the word has no place in that scope. */
static const struct word {
    const char *word, *in_group, *in_item;
} words[] = {
    {"local_id", NULL, "syc_logical_id"},
    {"logical_local_id", NULL, "syc_logical_id"},
    {"physical_local_id", NULL, "syc_physical_id"},
    {"local_linear_id", NULL, "syc_logical_linear_id"},
    {"global_id", NULL, "syc_whole_id"},
    {"global_linear_id", NULL, "syc_whole_linear_id"},
    {"logical_local_range", NULL, "syc_logical_range"},
    {"local_range", "syc_physical_range", "syc_logical_range"},
    {"local_linear_range", "syc_physical_linear_range", "syc_logical_linear_range"},
    {"physical_local_range", "syc_physical_range", "syc_physical_range"},
    {"max_local_range", "syc_physical_range", "syc_physical_range"},
    {"global_range", "syc_whole_range", "syc_whole_range"},
    {"global_linear_range", "syc_whole_linear_range", "syc_whole_linear_range"},
    /* of streams: body/stream_statements.c made them of words without stream_ */
    {"stream_h_item", NULL, "syc_stream_h_item"},
    {"stream_global_id", NULL, "syc_stream_global_id"},
    {"stream_local_id", NULL, "syc_stream_local_id"},
    {"stream_global_range", "syc_stream_global_range", "syc_stream_global_range"},
    {"stream_local_range", "syc_stream_group_size", "syc_stream_local_range"},
    {"stream_group", "syc_stream_group", "syc_stream_group"},
};
/* The group synchronises by itself, where all its items come by. */
static const char *const barriers[] = {"group_barrier", "barrier",   "work_group_barrier",
                                       "work_group",    "sub_group", NULL};
/* These tell of OpenCL's work-items, of which there may be one for the whole group. */
static const char *const native[] = {"get_local_id",       "get_global_id",          "get_local_size",
                                     "get_global_size",    "get_local_linear_id",    "get_global_linear_id",
                                     "get_global_offset",  "global_offset",          "get_enqueued_local_size",
                                     "get_sub_group_id",   "get_sub_group_size",     "get_sub_group_local_id",
                                     "get_num_sub_groups", "get_max_sub_group_size", NULL};

static const struct word *word_of(const syc_token *token)
{
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (syc__token_is(token, words[i].word))
            return &words[i];
    return NULL;
}

/* The variable of that name that can be seen. */
static const syc__shared *find(const syc__hierarchy *h, const syc_token *name)
{
    for (size_t i = h->shared_count; i-- > 0;)
        if (h->shared[i].depth > 0 && syc__token_same(h->shared[i].name, name))
            return &h->shared[i];
    return NULL;
}

syc_status syc__scope_refuse(const syc__hierarchy *h, size_t at, const char *before, const char *behind)
{
    const syc_token *token = &h->edit.tokens.items[at];
    syc_text text = {0};
    syc_status status;
    syc_text_add(&text, "%s'%.*s'%s", before, (int)token->length, token->text, behind);
    status = syc__edit_refuse(&h->edit, at, syc_text_get(&text));
    syc_text_clear(&text);
    return status;
}

/* The replacement of the token in the scope: "" for itself. */
static syc_status replace(syc__hierarchy *h, size_t at, syc__scope scope, syc_text *out)
{
    syc_status status = SYC_OK;
    const syc_token *token = &h->edit.tokens.items[at];
    const struct word *word;
    const syc__shared *shared;

    if (token->kind != SYC_TOKEN_WORD ||
        (at > 0 && (syc__edit_is(&h->edit, at - 1, ".") || syc__edit_is(&h->edit, at - 1, "->"))))
        return SYC_OK;
    if (syc__token_in(token, barriers))
        return syc__scope_refuse(h, at, "",
                                 " has no place here: the items of a work-group meet before and after each "
                                 "parallel_for_work_item");
    if (syc__token_in(token, native))
        return syc__scope_refuse(h, at, "", " tells nothing here: use local_id, global_id, local_range and the like");
    if (scope == SYC__SCOPE_ITEM && syc__token_is(token, "return")) {
        if (!syc__edit_is(&h->edit, at + 1, ";"))
            return syc__edit_refuse(&h->edit, at, "an item returns nothing");
        syc_text_add(out, "goto syc_item_end_%u", h->loops);
        return SYC_OK;
    }
    if (syc__token_is(token, "parallel_for_work_item"))
        return syc__edit_refuse(&h->edit, at, "parallel_for_work_item stands inside another, or is no statement");
    shared = find(h, token);
    if (shared != NULL && shared->is_private && scope == SYC__SCOPE_GROUP)
        return syc__scope_refuse(h, at, "", " is private memory: it is of use inside parallel_for_work_item only");
    if (shared != NULL && shared->is_private)
        syc_text_add(out, "syc_private_%.*s[syc_private_at]", (int)token->length, token->text);
    word = shared == NULL ? word_of(token) : NULL;
    if (word != NULL && scope == SYC__SCOPE_GROUP && word->in_group == NULL)
        return syc__scope_refuse(h, at, "", " is of use inside parallel_for_work_item only");
    if (word != NULL)
        syc_text_add(out, "%s", scope == SYC__SCOPE_GROUP ? word->in_group : word->in_item);
    SYC_CHECK(!out->cut, SYC_E_MEMORY_ALLOCATION, "no memory for the text of a work-group");
done:
    return status;
}

syc_status syc__scope_copy(syc__hierarchy *h, size_t from, size_t to, syc__scope scope)
{
    syc_status status = SYC_OK;
    syc_text text = {0};

    for (size_t at = from; at < to; at++) {
        SYC_TRY(replace(h, at, scope, &text));
        if (text.length == 0)
            continue;
        syc__edit_copy(&h->edit, at);
        syc__edit_add(&h->edit, "%s", text.data);
        h->edit.done += h->edit.tokens.items[at].length;
        syc_text_clear(&text);
    }
done:
    syc_text_clear(&text);
    return status;
}

syc_status syc__scope_flatten(syc__hierarchy *h, size_t from, size_t to, syc__scope scope, syc_text *out)
{
    syc_status status = SYC_OK;
    syc_text text = {0};

    for (size_t at = from; at < to; at++) {
        const syc_token *token = &h->edit.tokens.items[at];
        SYC_TRY(replace(h, at, scope, &text));
        if (at > from && token->space)
            syc_text_add_n(out, " ", 1);
        syc_text_add_n(out, text.length > 0 ? text.data : token->text, text.length > 0 ? text.length : token->length);
        syc_text_clear(&text);
    }
    SYC_CHECK(!out->cut, SYC_E_MEMORY_ALLOCATION, "no memory for the text of a work-group");
done:
    syc_text_clear(&text);
    return status;
}

/* -- the preamble -- */

static bool is_declared(const syc__edit *edit, const syc_token *word)
{
    const syc_tokens *tokens = &edit->tokens;
    for (size_t at = 1; at < tokens->count; at++)
        if (syc__token_same(&tokens->items[at], word) && syc__declares(&tokens->items[at - 1]) &&
            !syc__edit_in_directive(edit, at))
            return true;
    return false;
}

/* Its functions and macros are not rewritten, so they cannot ask where an item stands. */
syc_status syc__scope_check_preamble(const char *preamble)
{
    syc_status status = SYC_OK;
    syc_arena arena = {0};
    syc__hierarchy h = {.arena = &arena};

    if (preamble == NULL)
        return SYC_OK;
    SYC_TRY(syc__edit_begin(&arena, preamble, &h.edit));
    h.edit.name = "preamble";
    for (size_t at = 0; at + 1 < h.edit.tokens.count; at++) {
        const syc_token *token = &h.edit.tokens.items[at];
        if (token->kind != SYC_TOKEN_WORD ||
            (word_of(token) == NULL && !syc__token_in(token, native) && !syc__token_in(token, barriers)) ||
            (at > 0 && (syc__edit_is(&h.edit, at - 1, ".") || syc__edit_is(&h.edit, at - 1, "->"))) ||
            is_declared(&h.edit, token))
            continue;
        status =
            syc__scope_refuse(&h, at, "", " is of use in the text of a work-group itself: give helpers what they need");
        break;
    }
done:
    syc_text_clear(&h.edit.out);
    syc__arena_clear(&arena);
    return status;
}
