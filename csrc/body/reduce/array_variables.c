/* Arrays of which a text names a few variables by constants, r[0] and r[1][2]: each of those can have accumulators as
 * a reducer of one variable has, where the machinery for those knows it by a word of its own. */
#include "base/alloc.h"
#include "body/reduce/reduce.h"
#include "source/edit.h"
#include "source/preprocessor/condition.h"
#include "source/preprocessor/preprocess.h"

#include <stdio.h>
#include <string.h>

/* -- in the text -- */

struct syc__variable_use {
    size_t token; /* the first of its first subscript */
    unsigned number;
};

struct finding {
    const syc_body_source *source;
    syc__edit edit;
    const syc_name **names; /* the reducer that each token names, or NULL */
    bool directs;           /* the text has directives of its own */
};

/* The brackets behind the token, as many as the array has dimensions. False: there are not so many. */
static bool read_brackets(const syc__edit *edit, size_t at, unsigned rank, size_t *from, size_t *to)
{
    for (unsigned k = 0; k < rank; k++) {
        if (!syc__edit_is(edit, at + 1, "["))
            return false;
        from[k] = at + 2;
        to[k] = at = syc__edit_match(edit, at + 1);
        if (at >= edit->tokens.count - 1)
            return false;
    }
    return true;
}

/* A constant of numbers and arithmetic. It is evaluated as the preprocessor would, which has wider integers than C:
 * what may wrap around on the way is none. */
static bool read_constant(const syc_token *tokens, size_t count, uint32_t *out)
{
    static const char *const words[] = {"(", ")", "+", "-", "*", "/", "%", NULL};
    bool less = false, wraps = false;
    syc_integer value;

    for (const syc_token *t = tokens; t < tokens + count; t++) {
        if (t->kind != SYC_TOKEN_NUMBER && !syc__token_in(t, words))
            return false;
        less = less || syc__token_is(t, "-");
        wraps = wraps || memchr(t->text, 'u', t->length) != NULL || memchr(t->text, 'U', t->length) != NULL;
    }
    value = syc__evaluate(tokens, count, false);
    *out = (uint32_t)value.value;
    return value.known && !(less && wraps) && value.value >= 0 && value.value <= INT32_MAX;
}

/* Has the text a directive that chooses? Then only the compiler knows what is defined. */
static bool chooses(const char *text)
{
    for (const char *at = text; at != NULL && (at = strchr(at, '#')) != NULL;) {
        at += 1 + strspn(at + 1, " \t");
        if (strncmp(at, "if", 2) == 0)
            return true;
    }
    return false;
}

/* May the word be a macro? */
static bool is_defined(const syc_body_source *source, const syc_token *word)
{
    const char *const texts[] = {source->declarations, source->preamble, source->options};
    char copy[128];

    if (word->length >= sizeof copy)
        return false;
    memcpy(copy, word->text, word->length);
    copy[word->length] = '\0';
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        if (texts[i] != NULL && strstr(texts[i], copy) != NULL)
            return true;
    return false;
}

/* Can the subscript become a constant by macros that stand before the text? */
static bool is_expandable(const struct finding *f, size_t from, size_t to)
{
    bool any = false;
    for (size_t at = from; at < to; at++) {
        const syc_token *t = &f->edit.tokens.items[at];
        if (t->kind == SYC_TOKEN_WORD && !is_defined(f->source, t))
            return false;
        any = any || t->kind == SYC_TOKEN_WORD;
    }
    return any && !f->directs && !chooses(f->source->declarations) && !chooses(f->source->preamble);
}

static void add_text(syc_text *out, const char *text)
{
    if (text != NULL)
        syc_text_add_n(out, text, strlen(text));
    syc_text_add(out, "\n");
}

/* The subscript behind all that stands before the text, as the compiler sees it. */
static syc_status expand(syc_arena *arena, const struct finding *f, size_t from, size_t to, uint32_t *out, bool *is)
{
    syc_status status = SYC_OK;
    static const char mark[] = "syc_subscript";
    size_t begin = syc__edit_offset(&f->edit, from), end = syc__edit_offset(&f->edit, to);
    syc_preprocessed read = {0};
    syc_text text = {0};
    const syc_token *t;

    add_text(&text, f->source->declarations);
    add_text(&text, f->source->preamble);
    add_text(&text, mark);
    syc_text_add_n(&text, f->edit.text + begin, end - begin);
    SYC_CHECK(!text.cut, SYC_E_MEMORY_ALLOCATION, "no memory for a preamble of %zu bytes", text.length);
    SYC_TRY(syc__preprocess(arena, syc_text_get(&text), text.length, f->source->options, &read));
    t = &read.tokens.items[read.tokens.count - 1];
    while (t > read.tokens.items && !syc__token_is(t, mark))
        t--;
    *is = read.complete && syc__token_is(t, mark) && !t->maybe &&
          read_constant(t + 1, (size_t)(&read.tokens.items[read.tokens.count - 1] - t - 1), out);
done:
    syc_text_clear(&text);
    return status;
}

/* Its subscripts, zeros behind them. Not *are: they are no constants. */
static syc_status read_subscripts(syc_arena *arena, const struct finding *f, const size_t *from, const size_t *to,
                                  unsigned rank, uint32_t *at, bool *are)
{
    syc_status status = SYC_OK;
    for (unsigned k = 0; k < 3; k++)
        at[k] = 0;
    *are = true;
    for (unsigned k = 0; k < rank && *are; k++) {
        *are = read_constant(f->edit.tokens.items + from[k], to[k] - from[k], &at[k]);
        if (!*are && is_expandable(f, from[k], to[k]))
            SYC_TRY(expand(arena, f, from[k], to[k], &at[k], are));
    }
done:
    return status;
}

/* Its number: it becomes one of them if there is room, else SYC_VARIABLES_MOST. */
static unsigned number_of(syc_variables *v, const uint32_t *at)
{
    unsigned number = 0;
    while (number < v->count && memcmp(v->at[number], at, sizeof v->at[number]) != 0)
        number++;
    if (number == v->count && number < SYC_VARIABLES_MOST)
        memcpy(v->at[v->count++], at, sizeof v->at[number]);
    return number;
}

/* -- does every work-item come there? -- */

static bool may_leave(const char *text)
{
    return text != NULL && (strstr(text, "return") != NULL || strstr(text, "goto") != NULL);
}

/* Does a block or a statement begin behind the token before? One that is a block's, a condition's or a loop's own
 * begins behind another. */
static bool begins(const syc__edit *edit, size_t at)
{
    return at == 0 || syc__edit_is(edit, at - 1, ";") || syc__edit_is(edit, at - 1, "{") ||
           syc__edit_is(edit, at - 1, "}");
}

/* What is not surely so may be so all the same: brackets of other kinds, jumps, macros that may be any of this. */
static bool is_sure(const struct finding *f, size_t use)
{
    const syc__edit *edit = &f->edit;
    size_t controlled = 0, open = 0;

    if (f->directs || may_leave(f->source->text) || may_leave(f->source->preamble) || may_leave(f->source->options))
        return false;
    while (use > 0 && (syc__edit_is(edit, use - 1, "++") || syc__edit_is(edit, use - 1, "--")))
        use--;
    for (size_t at = 0; at < use; at++) {
        const bool opens = syc__edit_is(edit, at, "(") || syc__edit_is(edit, at, "[") || syc__edit_is(edit, at, "{");
        const bool closes = syc__edit_is(edit, at, ")") || syc__edit_is(edit, at, "]") || syc__edit_is(edit, at, "}");
        if (opens && (controlled > 0 || !syc__edit_is(edit, at, "{") || !begins(edit, at)))
            controlled++;
        else if (opens)
            open++;
        else if (closes && controlled > 0)
            controlled--;
        else if (closes && open-- == 0)
            return false;
    }
    return controlled == 0 && begins(edit, use);
}

/* What cannot be said of an array is refused later, by its words. */
static syc_status find_of(syc_arena *arena, const struct finding *f, const syc_name *name, syc_variables *out)
{
    syc_status status = SYC_OK;
    for (size_t at = 0; at + 1 < f->edit.tokens.count; at++) {
        size_t from[3], to[3];
        uint32_t subscripts[3];
        unsigned number;
        bool are;
        if (f->names[at] != name || !read_brackets(&f->edit, at, name->rank, from, to))
            continue;
        SYC_TRY(read_subscripts(arena, f, from, to, name->rank, subscripts, &are));
        number = are ? number_of(out, subscripts) : SYC_VARIABLES_MOST;
        if (number == SYC_VARIABLES_MOST) {
            out->count = 0;
            goto done;
        }
        out->sure[number] = out->sure[number] || is_sure(f, at);
        SYC_TRY(syc_grow(&out->uses, &out->use_capacity, out->use_count + 1, sizeof *out->uses));
        out->uses[out->use_count++] = (struct syc__variable_use){from[0], number};
    }
done:
    return status;
}

syc_status syc__reduce_find_variables(const syc_body_source *source, syc_variables *out)
{
    syc_status status = SYC_OK;
    syc_arena arena = {0};
    struct finding f = {.source = source};

    SYC_TRY(syc__edit_begin(&arena, source->text, &f.edit));
    for (size_t at = 0; at + 1 < f.edit.tokens.count; at++)
        f.directs = f.directs || syc__edit_in_directive(&f.edit, at);
    SYC_TRY(
        syc__reduce_find_names(&arena, &f.edit, 0, f.edit.tokens.count - 1, source->names, source->count, &f.names));
    for (size_t i = 0; i < source->count; i++)
        if (syc__is_reducer(&source->names[i]) && source->names[i].reducer.array)
            SYC_TRY(find_of(&arena, &f, &source->names[i], &out[i]));
done:
    syc_text_clear(&f.edit.out);
    syc__arena_clear(&arena);
    return status;
}

void syc__variables_clear(syc_variables *variables, size_t count)
{
    for (size_t i = 0; variables != NULL && i < count; i++)
        syc_free(variables[i].uses);
    syc_free(variables);
}

unsigned syc__reduce_variable_at(const syc_name *name, size_t token)
{
    const syc_variables *v = name->reducer.variables;
    size_t i = 0;
    while (i + 1 < v->use_count && v->uses[i].token != token)
        i++;
    return v->uses[i].number;
}

/* -- in a kernel -- */

const char *syc__value_word(const syc_name *name, unsigned value, char *room)
{
    if (name->reducer.variables == NULL)
        return name->name;
    (void)snprintf(room, SYC__VALUE_WORD, "syc_%u_%.255s", value, name->name);
    return room;
}

/* Partial results of one variable stand one behind the other, as those of a reducer do. */
void syc__write_variables(syc__writer *w, const syc_name *name)
{
    static const char *const same[] = {"acc", "pack", "none", "join", "give", "step"};
    char room[SYC__VALUE_WORD];
    const char *n = name->name;

    for (unsigned v = 0; name->reducer.variables != NULL && v < syc__values_of(name); v++) {
        const uint32_t *at = name->reducer.variables->at[v];
        const char *word = syc__value_word(name, v, room);
        for (size_t i = 0; i < sizeof same / sizeof *same; i++)
            syc_text_add(&w->text, "#define syc_%s_%s syc_%s_%s\n", same[i], word, same[i], n);
        syc_text_add(&w->text, "#define syc_place_%s (syc_place_%s + %uul * syc_groups * syc_step_%s)\n", word, n, v,
                     n);
        syc_text_add(&w->text, "#define syc_out_%s (syc_out_%s + (", word, n);
        for (unsigned k = 0; k + 1 < name->rank; k++)
            syc_text_add(&w->text, "%uul * syc_pitch%u_%s + ", at[k], k, n);
        syc_text_add(&w->text, "%uul))\n", at[name->rank - 1]);
    }
}

void syc__write_variables_filled(syc__writer *w)
{
    for (size_t i = 0; i < w->body->source.count; i++) {
        const syc_name *name = &w->body->source.names[i];
        if (syc__is_reducer(name) && name->reducer.variables != NULL && name->reducer.fresh)
            syc_text_add(&w->text,
                         "        for (ulong syc_k = 0; syc_k < syc_length_%s; syc_k++)\n"
                         "            syc_give_%s(syc_out_%s + syc_k, syc_none_%s());\n",
                         name->name, name->name, name->name, name->name);
    }
}
