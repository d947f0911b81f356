/* The meaning of words: the text's own variables, arguments, ids and sizes. */
#include "body/name.h"
#include "body/parts.h"
#include "body/reach/reader.h"
#include "body/reading.h"
#include "source/tokens.h"

#include <stdlib.h>
#include <string.h>

/* The types of a body's ids and sizes, and of OpenCL's own. */
enum { ID_TYPE = SYC_LONG, RAW_TYPE = SYC_ULONG };

static const struct {
    const char *word;
    unsigned variable, known; /* one of the two; the other is 0 */
} words[] = {
    {"i", SYC__REACH_LINEAR, 0},     {"i0", SYC__REACH_ID, 0},    {"i1", SYC__REACH_ID + 1, 0},
    {"i2", SYC__REACH_ID + 2, 0},    {"n0", 0, SYC__REACH_RANGE}, {"n1", 0, SYC__REACH_RANGE + 1},
    {"n2", 0, SYC__REACH_RANGE + 2},
};

/* Of one dimension, which is given as a number. */
static const struct {
    const char *word;
    unsigned variable, known;
    syc_dtype type;
} calls[] = {
    {"global_id", SYC__REACH_ID, 0, (syc_dtype)ID_TYPE},
    {"local_id", SYC__REACH_LOCAL, 0, (syc_dtype)ID_TYPE},
    {"group_id", SYC__REACH_GROUP, 0, (syc_dtype)ID_TYPE},
    {"global_range", 0, SYC__REACH_RANGE, (syc_dtype)ID_TYPE},
    {"local_range", 0, SYC__REACH_LOCAL_RANGE, (syc_dtype)ID_TYPE},
    {"group_range", 0, SYC__REACH_GROUP_RANGE, (syc_dtype)ID_TYPE},
    {"get_global_id", SYC__REACH_RAW_ID, 0, (syc_dtype)RAW_TYPE},
    {"get_local_id", SYC__REACH_RAW_LOCAL, 0, (syc_dtype)RAW_TYPE},
    {"get_group_id", SYC__REACH_RAW_GROUP, 0, (syc_dtype)RAW_TYPE},
    {"get_global_size", 0, SYC__REACH_RAW_RANGE, (syc_dtype)RAW_TYPE},
    {"get_local_size", 0, SYC__REACH_RAW_LOCAL_RANGE, (syc_dtype)RAW_TYPE},
    {"get_num_groups", 0, SYC__REACH_RAW_GROUP_RANGE, (syc_dtype)RAW_TYPE},
};

static syc__reach_value value_of(unsigned variable, unsigned known, syc_dtype type)
{
    return syc__reach_integer(variable != 0 ? syc__reach_variable(variable) : syc__reach_known(known), type);
}

/* -- the text's own -- */

void syc__reach_declare(syc__reach_reader *r, const syc_token *name, const syc__reach_value *value)
{
    if (r->local_count == SYC__REACH_LOCALS) {
        syc__reach_give_up(r);
        return;
    }
    r->locals[r->local_count++] = (syc__reach_local){name, *value};
}

static const syc__reach_local *find_local(const syc__reach_reader *r, const syc_token *word)
{
    for (unsigned i = r->local_count; i-- > 0;)
        if (syc__token_same(r->locals[i].name, word))
            return &r->locals[i];
    return NULL;
}

/* Is the word at `at` assigned to, or its address taken, and not that of an element? `(x)` is x. */
static bool changes(const syc__reach_reader *r, size_t at)
{
    static const char *const assigning[] = {
        "=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>=", "++", "--", NULL};
    const syc_token_stream *s = r->s;
    size_t before = at - 1, behind = at + 1;

    while (syc__stream_is(s, before, "(") && syc__stream_is(s, behind, ")")) {
        before--;
        behind++;
    }
    if (syc__takes_address(r->scan, before))
        return !syc__stream_is(s, behind, "[") && !syc__stream_is(s, behind, "(");
    return syc__stream_is(s, before, "++") || syc__stream_is(s, before, "--") ||
           (syc__token_in(&s->tokens[behind], assigning) && !syc__declares(&s->tokens[before]));
}

syc_status syc__reach_find_changed(syc__reach_reader *r)
{
    syc_status status = SYC_OK;
    for (size_t at = r->scan->first; at < r->scan->last; at++)
        if (syc__is_free_word(r->s, at) && changes(r, at))
            SYC_TRY(syc__word_map_put(r->arena, &r->changed, &r->s->tokens[at], &r->changed));
done:
    return status;
}

bool syc__reach_is_changed(const syc__reach_reader *r, const syc_token *word)
{
    return syc__word_map_get(&r->changed, word) != NULL;
}

bool syc__reach_is_changed_in(const syc__reach_reader *r, const syc_token *word, size_t from, size_t to)
{
    for (size_t at = from; at < to; at++)
        if (syc__is_free_word(r->s, at) && syc__token_same(&r->s->tokens[at], word) && changes(r, at))
            return true;
    return false;
}

/* -- arguments -- */

/* The number among what is asked of a launch, SYC_REACH_NUMBERS: there is no room. */
static unsigned number_of(syc__reach_reader *r, unsigned name, syc_dtype type)
{
    syc_reach_wants *wants = &r->out->wants;
    unsigned n = 0;
    while (n < wants->number_count && wants->numbers[n].name != name)
        n++;
    if (n == wants->number_count && n < SYC_REACH_NUMBERS)
        wants->numbers[wants->number_count++] = (syc_reach_number){name, type};
    return n;
}

static syc__reach_value argument(syc__reach_reader *r, unsigned name)
{
    const syc_name *given = &r->scan->source->names[name];
    syc_dtype type;
    unsigned width, number;

    if (given->kind == SYC_NAME_GLOBAL || given->kind == SYC_NAME_LOCAL)
        return (syc__reach_value){.kind = SYC__REACH_POINTER, .name = name};
    if (given->kind != SYC_NAME_VALUE || !syc__name_is_plain(given, &type, &width) || width > 1 ||
        (syc_dtype_kind(type) != 'i' && syc_dtype_kind(type) != 'u'))
        return syc__reach_unknown();
    number = number_of(r, name, type);
    return number < SYC_REACH_NUMBERS ? value_of(0, SYC__REACH_NUMBER + number, type) : syc__reach_unknown();
}

static size_t name_of(const syc__reach_reader *r, const syc_token *word)
{
    const syc__use *use = syc__word_map_get(&r->scan->names, word);
    return use != NULL ? (size_t)(use - r->scan->reading->uses) : r->scan->source->count;
}

size_t syc__reach_array_of(const syc__reach_reader *r, const syc_token *word)
{
    size_t name = find_local(r, word) == NULL ? name_of(r, word) : r->scan->source->count;
    const syc_name *names = r->scan->source->names;
    if (name < r->scan->source->count && names[name].kind != SYC_NAME_GLOBAL && names[name].kind != SYC_NAME_LOCAL)
        return r->scan->source->count;
    return name;
}

/* -- words -- */

static size_t word_of(const syc_token *word)
{
    size_t i = 0;
    while (i < sizeof words / sizeof *words && !syc__token_is(word, words[i].word))
        i++;
    return i;
}

bool syc__reach_is_name(const syc__reach_reader *r, const syc_token *word)
{
    return find_local(r, word) != NULL || name_of(r, word) < r->scan->source->count ||
           word_of(word) < sizeof words / sizeof *words;
}

syc__reach_value syc__reach_name(syc__reach_reader *r, const syc_token *word)
{
    const syc__reach_local *local = find_local(r, word);
    const size_t name = name_of(r, word), known = word_of(word);

    if (local != NULL)
        return local->value;
    if (name < r->scan->source->count)
        return syc__reach_is_changed(r, word) ? syc__reach_unknown() : argument(r, (unsigned)name);
    if (known < sizeof words / sizeof *words && !syc__reach_is_changed(r, word) && !r->scan->source->whole)
        return value_of(words[known].variable, words[known].known, (syc_dtype)ID_TYPE);
    return syc__reach_unknown();
}

/* A digit from 0 to 2, with a suffix or without. */
static bool read_dimension(const syc_token_stream *s, size_t at, unsigned *out)
{
    const syc_token *t = &s->tokens[at];
    if (t->kind != SYC_TOKEN_NUMBER || t->text[0] < '0' || t->text[0] > '2' ||
        (t->length > 1 && strspn(t->text + 1, "uUlL") + 1 < t->length))
        return false;
    *out = (unsigned)(t->text[0] - '0');
    return true;
}

bool syc__reach_id_call(syc__reach_reader *r, syc__reach_value *out)
{
    const syc_token *word = &r->s->tokens[r->at];
    unsigned d;

    if (!syc__stream_is(r->s, r->at + 1, "(") || !read_dimension(r->s, r->at + 2, &d) ||
        !syc__stream_is(r->s, r->at + 3, ")"))
        return false;
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
        if (!syc__token_is(word, calls[i].word))
            continue;
        r->at += 4;
        *out = value_of(calls[i].variable != 0 ? calls[i].variable + d : 0,
                        calls[i].variable != 0 ? 0 : calls[i].known + d, calls[i].type);
        return true;
    }
    return false;
}
