/* The second text of a scan as a function; or as two, where it is "if (t != t.before) y[t.before] = x[i];": a condition
 * and one statement, which stores where it was counted to. Whether it stores is then as good as random to a processor,
 * which loses more by jumps that it has not foreseen than by all the rest. So TILES asks the condition for the elements
 * of a block first, and runs the statement for those that it is true of. Elements of a scan do not see what others
 * write, so the order makes no difference. Where the condition is that a sum of integers changes, it is true of those
 * that contribute something: these are found without the sums. */
#include "body/scan/scan.h"
#include "source/edit.h"

#include <stdio.h>
#include <string.h>

void syc__write_scan_parameters(syc__writer *w, void (*scanner)(syc__writer *w, const syc_name *name))
{
    for (size_t i = 0; i < w->body->source.count; i++) {
        const syc_name *name = &w->body->source.names[i];
        if (!syc__is_reducer(name)) {
            syc__write_parameter(w, i);
            continue;
        }
        syc__write_comma(w);
        scanner(w, name);
    }
}

static void add_prefix(syc__writer *w, const syc_name *name)
{
    syc_text_add(&w->text, "const %s syc_now_%s", name->type, name->name);
    if (name->reducer.befores)
        syc_text_add(&w->text, ", const %s syc_before_%s", name->type, name->name);
}

static void add_function(syc__writer *w, const char *name, const char *text)
{
    w->body_text = text;
    w->function = name;
    syc__write_function_begin(w);
    syc__write_scan_parameters(w, add_prefix);
    if (strcmp(name, SYC__CHOICE) == 0)
        syc__add(w, ", __private uchar *syc_is");
    syc__write_function_rest(w);
}

/* -- a condition and a statement -- */

static bool begins(const syc_token *token, const char *with)
{
    return token->kind == SYC_TOKEN_WORD && token->length > strlen(with) &&
           memcmp(token->text, with, strlen(with)) == 0;
}

/* Does a subscript, or what stands for one, have a scanner's value in it? */
static bool stores_where_it_counted(const syc__edit *edit, size_t from, size_t to)
{
    for (size_t at = from; at < to; at++) {
        const bool subscript =
            syc__edit_is(edit, at, "[") || (begins(&edit->tokens.items[at], "vstore") && syc__edit_is(edit, ++at, "("));
        const size_t end = subscript ? syc__edit_match(edit, at) : at;
        for (size_t inner = at; inner < end && inner < to; inner++)
            if (begins(&edit->tokens.items[inner], "syc_before_") || begins(&edit->tokens.items[inner], "syc_now_"))
                return true;
    }
    return false;
}

/* Is what stands from the token to the end one statement, without another behind it or an else? */
static bool is_one(const syc__edit *edit, size_t at, size_t end)
{
    if (syc__edit_is(edit, at, "{"))
        return syc__edit_match(edit, at) + 1 == end;
    for (; at < end; at = syc__stream_next(&edit->stream, at, end)) {
        if (syc__edit_is(edit, at, "{"))
            return false;
        if (syc__edit_is(edit, at, ";"))
            return at + 1 == end;
    }
    return false;
}

/* The ')' of its condition, if it is such a text; else 0. */
static size_t find_condition(const syc__edit *edit)
{
    const size_t end = edit->tokens.count - 1;
    size_t close;
    for (size_t at = 0; at < end; at++)
        if (edit->tokens.items[at].first && syc__edit_is(edit, at, "#"))
            return 0;
    if (!syc__edit_is(edit, 0, "if") || !syc__edit_is(edit, 1, "("))
        return 0;
    close = syc__edit_match(edit, 1);
    return close < end && is_one(edit, close + 1, end) && stores_where_it_counted(edit, close + 1, end) ? close : 0;
}

/* The scanner of whose sums "t != t.before" is the whole condition, which ends before `close`. */
static const syc_name *find_counter(const syc__writer *w, const syc__edit *edit, size_t close)
{
    static const char *const integers[] = {"uchar", "ushort", "uint", "ulong", "char", "short", "int", "long", NULL};
    char now[80], before[80];
    for (size_t i = 0; i < w->body->source.count && close == 5 && syc__edit_is(edit, 3, "!="); i++) {
        const syc_name *name = &w->body->source.names[i];
        if (!syc__is_reducer(name) || !syc__scan_is_native(name) || strncmp(name->op.operation, "plus ", 5) != 0)
            continue;
        (void)snprintf(now, sizeof now, "syc_now_%s", name->name);
        (void)snprintf(before, sizeof before, "syc_before_%s", name->name);
        if ((syc__edit_is(edit, 2, now) && syc__edit_is(edit, 4, before)) ||
            (syc__edit_is(edit, 2, before) && syc__edit_is(edit, 4, now)))
            for (size_t k = 0; integers[k] != NULL; k++)
                if (strcmp(name->type, integers[k]) == 0)
                    return name;
    }
    return NULL;
}

/* -- a copy -- */

static const syc_name *find_array(const syc__writer *w, const syc__edit *edit)
{
    for (size_t i = 0; i < w->body->source.count; i++)
        if (w->body->source.names[i].kind == SYC_NAME_GLOBAL && syc__edit_is(edit, 0, w->body->source.names[i].name))
            return &w->body->source.names[i];
    return NULL;
}

/* The scanner of "y[i] = t;" or "y[i] = t.before;", where it has vectors, and neighbours of the scan are the array's.
 */
static void find_copy(syc__writer *w, const syc__edit *edit)
{
    static const char *const words[] = {NULL, "[", "i", "]", "=", NULL, ";"};
    enum { COUNT = sizeof words / sizeof *words, VALUE = 5 };
    const syc_name *array = find_array(w, edit);
    char now[80], before[80];
    if (w->body->source.preamble != NULL || !syc__scan_goes_along(w) || w->form.checked || array == NULL ||
        edit->tokens.count != COUNT + 1)
        return;
    for (size_t at = 0; at < COUNT; at++)
        if (words[at] != NULL && !syc__edit_is(edit, at, words[at]))
            return;
    for (size_t i = 0; i < w->body->source.count; i++) {
        const syc_name *name = &w->body->source.names[i];
        (void)snprintf(now, sizeof now, "syc_now_%s", name->name);
        (void)snprintf(before, sizeof before, "syc_before_%s", name->name);
        if (!syc__is_reducer(name) || !syc__scan_has_vectors(w, name) || strcmp(name->type, array->type) != 0 ||
            !(syc__edit_is(edit, VALUE, now) || (!name->reducer.restarts && syc__edit_is(edit, VALUE, before))))
            continue;
        w->copied = name;
        w->copied_to = array->name;
        w->copied_from = syc__edit_is(edit, VALUE, now) ? "1" : "0";
    }
}

/* The text without what stands before or behind a token's end: blanks, so that lines and columns stay. */
static syc_status cut(syc_arena *arena, const syc__edit *edit, size_t token, bool before, char **out)
{
    syc_status status = SYC_OK;
    const size_t end = syc__edit_offset(edit, token) + edit->tokens.items[token].length;
    SYC_TRY(syc__arena_alloc(arena, edit->length + 1, out));
    memcpy(*out, edit->text, edit->length);
    for (size_t k = before ? 0 : end; k < (before ? end : edit->length); k++)
        if ((*out)[k] != '\n')
            (*out)[k] = ' ';
done:
    return status;
}

/* -- both -- */

static syc_status write_two(syc__writer *w, syc_arena *arena, const syc__edit *edit, size_t close)
{
    static const char yes[] = " *syc_is = 1;";
    syc_status status = SYC_OK;
    const size_t end = syc__edit_offset(edit, close) + 1;
    char *condition, *statement, *text;

    SYC_TRY(cut(arena, edit, close, true, &statement));
    if (w->counter != NULL) {
        add_function(w, SYC__SECOND, statement);
        goto done;
    }
    SYC_TRY(cut(arena, edit, close, false, &condition));
    SYC_TRY(syc__arena_alloc(arena, edit->length + sizeof yes, &text));
    memcpy(text, condition, end);
    memcpy(text + end, yes, sizeof yes - 1);
    memcpy(text + end + sizeof yes - 1, condition + end, edit->length - end);
    add_function(w, SYC__CHOICE, text);
    add_function(w, SYC__SECOND, statement);
done:
    return status;
}

syc_status syc__write_second(syc__writer *w)
{
    syc_status status = SYC_OK;
    syc_arena arena = {0};
    syc__edit edit = {0};
    const char *text = w->body_text, *second = syc__scan_line(text, w->body->source.seam + 1);
    size_t close = 0;

    if (w->form.shape == SYC_SHAPE_TILES || w->form.shape == SYC_SHAPE_ROUNDS) {
        SYC_TRY(syc__edit_begin(&arena, second, &edit));
        close = find_condition(&edit);
    }
    w->body_line = w->body->source.seam;
    w->chooses = close > 0;
    w->counter = w->form.shape == SYC_SHAPE_TILES ? find_counter(w, &edit, close) : NULL;
    w->copied = NULL;
    if (w->form.streams)
        find_copy(w, &edit);
    if (w->chooses && w->form.shape == SYC_SHAPE_TILES)
        SYC_TRY(write_two(w, &arena, &edit, close));
    else
        add_function(w, SYC__SECOND, second);
done:
    w->body_text = text;
    w->body_line = 0;
    w->function = NULL;
    syc__arena_clear(&arena);
    return status;
}
