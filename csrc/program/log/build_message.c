/* The message of a failed build: headline, the user's line with a caret, the compiler's log. */
#define _GNU_SOURCE /* memrchr */
#include "program/log/build_log.h"
#include "program/log/hints.h"
#include "program/log/library_log.h"
#include "program/log/link_log.h"
#include "program/log/operator_log.h"
#include "program/log/spot.h"

#include <stdio.h>
#include <string.h>

enum {
    MAX_LOG = 64 * 1024,
    MAX_HEADLINE = 300,
    TAB = 8 /* what compilers make of a tab when they quote a line */
};

static bool is_space(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

/* "map:1:5: ": the place, where there is one. */
static void add_place(syc_text *text, const syc__spot *spot)
{
    syc_text_add(text, "%s", spot->name);
    if (spot->number > 0)
        syc_text_add(text, ":%zu", spot->number);
    if (spot->number > 0 && spot->column > 0)
        syc_text_add(text, ":%zu", spot->column);
    syc_text_add(text, ": ");
}

static void add_headline(syc_text *text, syc_slice message, const syc__spot *spot, const char *device)
{
    add_place(text, spot);
    if (message.length == 0)
        syc_text_add(text, "the program does not build");
    syc__text_add_clean(text, (syc_slice){message.text, message.length < MAX_HEADLINE ? message.length : MAX_HEADLINE});
    syc_text_add(text, " (built for %s)\n", device);
}

/* The log, its middle left out when it is too long, at line ends where there are any. */
static void add_log(syc_text *text, syc_slice log)
{
    size_t head = MAX_LOG / 2, tail = MAX_LOG / 2;

    if (log.length <= MAX_LOG) {
        syc__text_add_clean(text, log);
        return;
    }
    for (size_t i = 0; i < 1000; i++) {
        if (log.text[head - 1 - i] == '\n') {
            head -= i;
            break;
        }
    }
    for (size_t i = 0; i < 1000; i++) {
        if (log.text[log.length - tail + i - 1] == '\n') {
            tail -= i;
            break;
        }
    }
    syc__text_add_clean(text, (syc_slice){log.text, head});
    syc_text_add(text, "%s[... %zu bytes of the log left out ...]\n", log.text[head - 1] == '\n' ? "" : "\n",
                 log.length - head - tail);
    syc__text_add_clean(text, syc__slice_from(log, log.length - tail));
}

static char *take_lines(syc_text *text)
{
    if (!text->cut && text->length > 0)
        text->data[--text->length] = '\0'; /* the last line break */
    return syc_text_take(text);
}

/* An error in an operator's expression, the first of all: those behind it are of what it made the types. */
static bool find_operator(const syc_log_texts *texts, const syc__spot_texts *in, syc_slice log, syc_text *message,
                          syc__log_place *place, syc__spot *at)
{
    const char *const defined[] = {texts->source, texts->prelude, NULL};
    syc__operator_error error;
    syc_slice line, call = {"", 0};

    if (!syc__log_find(log, place))
        return false;
    *at = syc__spot_find(in, place);
    line = syc__slice_line_at(at->source, at->number);
    if (line.text != NULL && at->column > 0 && at->column <= line.length)
        call = syc__slice_from(at->source, (size_t)(line.text - at->source.text) + at->column - 1);
    if (!syc__operator_log_find(log, place, &error) && !syc__operator_log_guess(place, call, defined, &error))
        return false;
    at->operator= error.identity ? (syc_slice){NULL, 0} : error.word;
    syc__operator_log_say(place, &error, call, defined, message);
    return true;
}

/* A function that only the linker misses; it knows no place. */
static bool find_undefined(const syc__spot_texts *texts, syc_slice log, syc_text *message, syc__log_place *place,
                           syc__spot *at)
{
    if (!syc__log_find(log, place) || place->line > 0 || !syc__link_log_find(texts, place->message, at, message))
        return false;
    place->message = (syc_slice){syc_text_get(message), message->length};
    return true;
}

/* Is it about the library's own words? */
static bool speaks_of_library(syc_slice message)
{
    return syc__slice_find(message, "SYC_") != NULL || syc__slice_find(message, "syc_") != NULL;
}

/* An error in a call of the device library's, or in a name that is nearly one: said in words of the user's, at the
 * argument where the compiler tells which. False if it is in none. */
static bool find_call(const syc__spot_texts *texts, syc_slice log, syc_text *message, syc__log_place *place,
                      syc__spot *at)
{
    syc__log_place argument;
    syc__library_call call, inner;
    bool asserted;

    if (!syc__log_find(log, place))
        return false;
    asserted = !syc__library_log_unknown(place->message) && syc__library_log_asserted(log, place);
    *at = syc__spot_find(texts, place);
    if (asserted) {
        syc__library_log_say_asserted(at->source, &at->number, &at->column, place->message, message);
    } else if ((at->column > 0 || speaks_of_library(place->message)) && /* else it may be beside a call in the line */
               syc__library_call_find(at->source, at->number, at->column, NULL, &call)) {
        argument = *place;
        if (syc__library_log_spelling(log, place, &argument.line, &argument.column)) {
            const syc__spot found = syc__spot_find(texts, &argument);
            if (syc__library_call_find(found.source, found.number, found.column, NULL, &inner)) {
                *at = found;
                call = inner;
            }
        }
        syc__library_log_say(&call, place->message, message);
    } else {
        return syc__library_log_near(syc__slice_line_at(at->source, at->number), &at->column, place->message, message);
    }
    return true;
}

/* A compiler that stumbles over an argument's name where the kernel declares it has that name for something else: the
 * text's own macros, and what a driver's headers have beside OpenCL C's. */
static bool find_taken_name(const syc__spot_texts *texts, syc__spot *at, syc_text *message)
{
    syc_slice line = at->ours ? syc__slice_line_at(at->source, at->number) : (syc_slice){NULL, 0}, word;

    if (line.text == NULL || at->column == 0)
        return false;
    word = syc__slice_word(syc__slice_from(line, at->column - 1));
    for (size_t i = 0; i < texts->origins->given_count; i++) {
        const char *given = texts->origins->given[i];
        if (strlen(given) != word.length || memcmp(given, word.text, word.length) != 0)
            continue;
        syc_text_add(message,
                     "an argument cannot be named '%s': the compiler has something else of that name; choose another "
                     "name",
                     given);
        *at = (syc__spot){.name = syc__text_name(texts->origins->parts, texts->origins->part_count)};
        return true;
    }
    return false;
}

/* How messages call that type; the word itself where the part says nothing of it. */
static syc_slice called(const syc_part *part, syc_slice word)
{
    for (const char *at = part->types; *at != '\0';) {
        const syc_slice type = {at, strcspn(at, " ")},
                        name = {at + type.length + 1, strcspn(at + type.length + 1, " ")};
        if (type.length == word.length && memcmp(type.text, word.text, word.length) == 0)
            return name;
        at = name.text + name.length;
        at += *at == ' ';
    }
    return word;
}

/* A message with types under the names that its part has for them. */
static void add_called(syc_text *text, const syc_part *part, syc_slice message)
{
    for (size_t at = 0; at < message.length;) {
        syc_slice word = syc__slice_word(syc__slice_from(message, at)), name = word;
        if (word.length > 0)
            name = called(part, word);
        else
            name = word = (syc_slice){message.text + at, 1};
        syc_text_add_n(text, name.text, name.length);
        at += word.length;
    }
}

/* The message, in the words of the part that it is about. */
static void add_message(syc_text *text, const syc__spot *at, syc_slice message)
{
    syc_text clean = {0};

    syc__library_log_clean(message, &clean);
    if (at->part == NULL)
        syc_text_add_n(text, syc_text_get(&clean), clean.length);
    else
        add_called(text, at->part, (syc_slice){syc_text_get(&clean), clean.length});
    syc_text_clear(&clean);
}

/* The errors behind the first one, each with its place. */
static void add_further(const syc__spot_texts *texts, const syc__log_place *first, syc_text *text)
{
    enum { MOST = 4 };
    size_t count = 0;
    for (syc__log_place place = *first; count < MOST && syc__log_find(place.behind, &place);) {
        const syc__spot at = place.line > 0 ? syc__spot_find(texts, &place) : (syc__spot){0};
        if (at.number == 0 || at.ours)
            continue;
        add_place(text, &at);
        add_message(text, &at, place.message);
        syc_text_add(text, "\n");
        count++;
    }
}

/* The log where it is all there is: it has no place, or one in what was made for the text. */
static void add_whole_log(syc_slice log, syc_text *text)
{
    if (log.length == 0) {
        syc_text_add(text, "The compiler left no log.\n");
        return;
    }
    syc_text_add(text, "The compiler's log:\n");
    add_log(text, log);
    syc_text_add(text, "\n");
}

/* Which names there are where the compiler does not know one. */
static void explain(const syc_origins *origins, const syc__spot *at, syc_slice message, syc_text *text)
{
    char name[80];
    const syc_part expression = {.name = name, .knows = "a, b and T", .types = ""};
    (void)snprintf(name, sizeof name, "operator %.*s", (int)(at->operator.length < 60 ? at->operator.length : 60),
                   at->operator.text != NULL ? at->operator.text : "");
    syc__origins_explain(origins, at->operator.text != NULL ? &expression : at->part, message, text);
}

static syc_slice without_end(const char *log, size_t length)
{
    while (length > 0 && (is_space(log[length - 1]) || log[length - 1] == '\0'))
        length--; /* drivers count the NUL, and end with blank lines */
    return (syc_slice){log, length};
}

char *syc_log_format_from(const syc_log_texts *texts, const char *log, size_t log_length, const char *name,
                          const char *device)
{
    const syc__spot_texts in = {texts->origins, texts->shifts, {texts->source, texts->length}, name};
    const syc_slice whole = without_end(log, log_length);
    syc_text text = {0}, message = {0};
    syc__log_place place = {0};
    syc__spot at = {.name = name};
    bool said = find_operator(texts, &in, whole, &message, &place, &at) ||
                find_undefined(&in, whole, &message, &place, &at) || find_call(&in, whole, &message, &place, &at) ||
                find_taken_name(&in, &at, &message);

    if (!said)
        add_message(&message, &at, place.message);
    add_headline(&text, (syc_slice){syc_text_get(&message), message.length}, &at, device);
    syc__text_add_quote(&text, at.source, at.number, at.column);
    syc__hints_add((syc_slice){syc_text_get(&message), message.length}, syc__slice_line_at(at.source, at.number),
                   at.column, &text);
    explain(texts->origins, &at, place.message, &text);
    if (!said && at.number > 0 && !at.ours)
        add_further(&in, &place, &text);
    else if (!said)
        add_whole_log(whole, &text);
    syc_text_clear(&message);
    return take_lines(&text);
}

char *syc_log_format_refusal(const syc_origins *origins, const char *source, size_t source_length,
                             const syc_refusal *refusal, const char *name, const char *device)
{
    const syc__spot_texts in = {.origins = origins, .source = {source, source_length}, .name = name};
    const syc__log_place place = {.line = refusal->line, .column = refusal->column};
    const syc__spot at = syc__spot_find(&in, &place);
    syc_text text = {0};

    add_headline(&text, (syc_slice){refusal->message, strlen(refusal->message)}, &at, device);
    syc__text_add_quote(&text, at.source, at.number, at.column);
    return take_lines(&text);
}

char *syc_log_format(const char *source, size_t source_length, const char *log, size_t log_length, const char *name,
                     const char *device)
{
    return syc_log_format_from(&(syc_log_texts){.source = source, .length = source_length}, log, log_length, name,
                               device);
}
