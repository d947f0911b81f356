/* How an error in a call of the library's is told. */
#define _GNU_SOURCE /* memrchr */
#include "program/log/library_log.h"

#include "library/checks/group_calls.h"
#include "library/near_names.h"
#include "source/tokens.h"

#include <string.h>

bool syc__library_log_spelling(syc_slice log, const syc__log_place *place, size_t *line, size_t *column)
{
    static const char mark[] = " <Spelling=";
    size_t at = (size_t)(place->message.text - log.text), end, numbers[2] = {0};
    syc_slice where;

    while (at > 0 && log.text[at - 1] != '\n')
        at--;
    where = syc__slice_line(syc__slice_from(log, at));
    where.length = (size_t)(place->message.text - where.text);
    if (syc__slice_find(where, mark) == NULL)
        return false;
    where = syc__slice_from(where, (size_t)(syc__slice_find(where, mark) - where.text) + sizeof mark - 1);
    if (where.length < place->file.length + 1 || memcmp(where.text, place->file.text, place->file.length) != 0 ||
        where.text[place->file.length] != ':')
        return false;
    where = syc__slice_from(where, place->file.length);
    for (int i = 0; i < 2; i++) {
        for (end = 1; end < where.length && where.text[end] >= '0' && where.text[end] <= '9' && end < 9; end++)
            numbers[i] = numbers[i] * 10 + (size_t)(where.text[end] - '0');
        where = syc__slice_from(where, end);
    }
    *line = numbers[0];
    *column = numbers[1];
    return numbers[0] > 0 && numbers[1] > 0;
}

/* -- saying -- */

/* Reads what stands in quotes from *at on; false if nothing does. An apostrophe within a word is none. */
static bool next_quoted(syc_slice message, size_t *at, syc_slice *out)
{
    const char *from = *at < message.length ? memchr(message.text + *at, '\'', message.length - *at) : NULL, *to;
    if (from == NULL)
        return false;
    from++;
    to = memchr(from, '\'', message.length - (size_t)(from - message.text));
    if (to == NULL)
        return false;
    *out = (syc_slice){from, (size_t)(to - from)};
    *at = (size_t)(to + 1 - message.text);
    return true;
}

static bool drop(syc_slice *s, const char *word)
{
    size_t n = strlen(word);
    if (s->length < n || memcmp(s->text, word, n) != 0)
        return false;
    *s = syc__slice_from(*s, n);
    return true;
}

/* The user's word for one thing in quotes: an operator's word for its macro, a value's type without where it lies. */
static syc_slice plain(syc_slice quoted)
{
    static const char *const ours[] = {"SYC_OP_", "SYC_IDENTITY_", "_cl_"};
    static const char *const spaces[] = {"__private ", "__global ", "__local ", "__constant ", "__generic ", "const "};
    for (size_t i = 0; i < sizeof ours / sizeof *ours; i++)
        if (drop(&quoted, ours[i]))
            return quoted;
    if (memchr(quoted.text, '*', quoted.length) != NULL)
        return quoted;
    for (size_t i = 0; i < sizeof spaces / sizeof *spaces;)
        i = drop(&quoted, spaces[i]) ? 0 : i + 1;
    return quoted;
}

static bool is_ours(syc_slice quoted)
{
    return (quoted.length == 1 && quoted.text[0] == 'T') || syc__slice_find(quoted, "typeof") != NULL ||
           syc__slice_find(quoted, "syc_") != NULL || syc__slice_find(quoted, "SYC_") != NULL;
}

/* Of "'A' (aka 'B')" the one that the user knows; *at is behind both. */
static syc_slice known_of(syc_slice message, size_t *at, syc_slice first)
{
    static const char aka[] = " (aka ";
    syc_slice rest = syc__slice_from(message, *at), second;
    size_t behind = *at;

    if (rest.length < sizeof aka || memcmp(rest.text, aka, sizeof aka - 1) != 0 ||
        !next_quoted(message, &behind, &second))
        return plain(first);
    *at = behind + (behind < message.length && message.text[behind] == ')');
    return plain(is_ours(first) ? second : first);
}

void syc__library_log_clean(syc_slice message, syc_text *out)
{
    size_t from = 0, at = 0;
    for (syc_slice quoted; next_quoted(message, &at, &quoted); from = at) {
        const syc_slice known = known_of(message, &at, quoted);
        syc__text_add_clean(out, (syc_slice){message.text + from, (size_t)(quoted.text - message.text) - from});
        syc__text_add_clean(out, known);
        syc_text_add(out, "'");
    }
    syc__text_add_clean(out, syc__slice_from(message, from));
}

/* Compilers' words that speak of how a macro is written, and what they come to. %1 and %2 are what is quoted first and
 * second. */
static const struct {
    const char *theirs, *ours;
} sayings[] = {
    {"taking address of function is not allowed", "a function stands where a value belongs"},
    {"is not a function or function pointer", "a value of type '%1' stands where a function belongs"},
    {"has incomplete type 'void'", "an argument is of type 'void', and a value belongs there"},
    {"where arithmetic or pointer type is required", "a number belongs where a value of type '%1' stands"},
    {"where arithmetic type is required", "a number belongs where a value of type '%1' stands"},
    {"to unary expression", "a number belongs where a value of type '%1' stands"},
    {"invalid conversion between vector type", "a number belongs where a value of type '%1' stands"},
    {"indirection requires pointer operand", "a pointer belongs where a value of type '%1' stands"},
    {"subscripted value is not", "a pointer belongs where a value of another type stands"},
    {"initializing '", "a value of type '%2' does not convert to '%1'"},
    {"assigning to '", "a value of type '%2' does not convert to '%1'"},
    {"passing '", "a value of type '%1' does not convert to '%2'"},
    {"read-only variable is not assignable", "what is written there is const"},
    {"with const-qualified type", "what is written there is const"},
    {"expected expression", "an expression is missing"},
    {"provided to function-like macro invocation", "a macro is given more or fewer arguments than it takes"},
};

static void add_saying(const char *words, syc_slice message, syc_text *out)
{
    syc_slice quoted[2] = {{"", 0}, {"", 0}};
    size_t at = 0;
    for (size_t i = 0; i < 2 && next_quoted(message, &at, &quoted[i]); i++)
        quoted[i] = known_of(message, &at, quoted[i]);
    for (; *words != '\0'; words++) {
        if (words[0] == '%')
            syc__text_add_clean(out, quoted[*++words - '1']);
        else
            syc_text_add_n(out, words, 1);
    }
}

static bool is_of_list(syc_slice word, const char *const *list)
{
    const syc_token token = {.text = word.text, .length = (uint32_t)word.length, .kind = SYC_TOKEN_WORD};
    return syc__token_in(&token, list);
}

bool syc__library_log_unknown(syc_slice message)
{
    return syc__slice_find(message, "undeclared") != NULL || syc__slice_find(message, "undefined function") != NULL ||
           syc__slice_find(message, "implicit declaration of") != NULL ||
           syc__slice_find(message, "unknown type name") != NULL;
}

/* A word that the compiler does not know: an operator in a wrong place is one. Of a function some compilers say that it
 * is one, so it is not told apart. */
static bool add_unknown(syc_slice message, syc_text *out)
{
    syc_slice word, name;
    size_t at = 0;

    if (!syc__library_log_unknown(message) || !next_quoted(message, &at, &word))
        return false;
    name = plain(word);
    if (name.length != word.length && word.text[0] == 'S')
        syc_text_add(out, "'%.*s' is no operator", (int)name.length, name.text);
    else if (is_of_list(name, syc__operator_words) || is_of_list(name, syc__order_words))
        syc_text_add(out, "'%.*s' is an operator, which is no value and no function", (int)name.length, name.text);
    else
        syc_text_add(out, "'%.*s' is not declared", (int)name.length, name.text);
    return true;
}

void syc__library_log_say(const syc__library_call *call, syc_slice message, syc_text *out)
{
    syc_text_add(out, "%s: ", call->name);
    if (add_unknown(message, out))
        return;
    for (size_t i = 0; i < sizeof sayings / sizeof *sayings; i++) {
        if (syc__slice_find(message, sayings[i].theirs) != NULL) {
            add_saying(sayings[i].ours, message, out);
            return;
        }
    }
    syc__library_log_clean(message, out);
}

/* -- what the library asserts -- */

bool syc__library_log_asserted(syc_slice log, syc__log_place *out)
{
    static const char mark[] = "pysycl: ";
    for (syc__log_place place = {.behind = log}; syc__log_find(place.behind, &place);) {
        const char *words = syc__slice_find(place.message, mark), *quote;
        if (words == NULL)
            continue;
        *out = place;
        out->message = syc__slice_from(place.message, (size_t)(words - place.message.text) + sizeof mark - 1);
        quote = memrchr(out->message.text, '"', out->message.length);
        if (quote != NULL)
            out->message.length = (size_t)(quote - out->message.text);
        return true;
    }
    return false;
}

void syc__library_log_say_asserted(syc_slice text, size_t *line, size_t *column, syc_slice message, syc_text *out)
{
    const size_t n = syc__slice_word(message).length;
    const bool named = n > 0 && n < SYC__CALL_NAME && n < message.length && message.text[n] == ':';
    char name[SYC__CALL_NAME] = "";
    syc__library_call call;

    memcpy(name, message.text, named ? n : 0);
    if (syc__library_call_find(text, *line, *column, named ? name : NULL, &call) && !call.theirs) {
        *line = call.line;
        *column = call.column;
        syc_text_add(out, "%s: ", call.name);
        message = syc__slice_from(message, named ? n + 2 : 0);
    }
    syc__text_add_clean(out, message);
}

/* -- names that are nearly the library's -- */

static bool is_called(syc_slice at, syc_slice name)
{
    if (at.length < name.length || memcmp(at.text, name.text, name.length) != 0)
        return false;
    at = syc__slice_from(at, name.length);
    while (at.length > 0 && at.text[0] == ' ')
        at = syc__slice_from(at, 1);
    return at.length > 0 && at.text[0] == '(';
}

static bool is_given_group(syc_slice at, syc_slice name)
{
    static const char *const groups[] = {"work_group", "sub_group", "execution_group", NULL};
    if (at.length < name.length || memcmp(at.text, name.text, name.length) != 0)
        return false;
    at = syc__slice_from(at, name.length);
    while (at.length > 0 && (at.text[0] == ' ' || at.text[0] == '('))
        at = syc__slice_from(at, 1);
    return is_of_list(syc__slice_word(at), groups);
}

/* NVIDIA's compiler takes any function for one that is defined elsewhere, and speaks of the operator that it is given:
 * what it is an argument of, from its name on. */
static syc_slice call_around(syc_slice line, size_t column)
{
    size_t at = column < line.length ? column : line.length, open = 1, begin;
    while (at > 0 && open > 0)
        open = line.text[--at] == ')' ? open + 1 : line.text[at] == '(' ? open - 1 : open;
    for (begin = at; begin > 0 && syc__slice_word(syc__slice_from(line, begin - 1)).length == at - begin + 1;)
        begin--;
    return open == 0 ? syc__slice_from(line, begin) : (syc_slice){line.text, 0};
}

bool syc__library_log_near(syc_slice line, size_t *column, syc_slice message, syc_text *out)
{
    static const char atomic[] = "atomic_";
    syc_slice name, at = *column > 0 ? syc__slice_from(line, *column - 1) : line;
    syc_text near = {0};
    size_t from = 0;
    bool atomics, said, around;

    if (!syc__library_log_unknown(message) || !next_quoted(message, &from, &name))
        return false;
    around = syc__slice_find(message, "function") == NULL && !is_called(at, name);
    if (around) {
        at = call_around(line, *column > 0 ? *column - 1 : 0);
        name = syc__slice_word(at);
    }
    atomics = !around && name.length >= sizeof atomic && memcmp(name.text, atomic, sizeof atomic - 1) == 0;
    said = name.length > 0 && (atomics || is_given_group(at, name) || (!around && syc__near_name_looks(name)));
    if (said && syc__near_names_add(name, &near)) {
        syc_text_add(out, "no function or macro '%.*s' is known: did you mean %s?", (int)name.length, name.text,
                     syc_text_get(&near));
        *column = around ? (size_t)(at.text - line.text) + 1 : *column;
    } else if (atomics)
        syc_text_add(out,
                     "no atomic operation '%.*s' is known: there are atomic_load, _store, _exchange, "
                     "_compare_exchange_strong and _weak, _fetch_add, _sub, _min, _max, _and, _or and _xor",
                     (int)name.length, name.text);
    else if ((said = !around && is_given_group(at, name)))
        syc_text_add(out, "no function or macro '%.*s' is known: no group function of pysycl has a name near it",
                     (int)name.length, name.text);
    syc_text_clear(&near);
    return said;
}
