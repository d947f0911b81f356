/* The message of a failed build: headline, the user's line with a caret, the compiler's log. */
#define _GNU_SOURCE /* memrchr */
#include "program/build_log.h"
#include "program/library_log.h"
#include "program/operator_log.h"
#include "source/log_text.h"

#include <string.h>

enum {
    MAX_LOG = 64 * 1024,
    MAX_LINE = 160, /* of a quoted line, in bytes: more would not be read */
    MAX_HEADLINE = 300,
    TAB = 8 /* what compilers make of a tab when they quote a line */
};

/* The line of that number, from 1; text NULL if there is none. */
static syc_slice line_of(syc_slice source, size_t number)
{
    for (size_t i = 1; i < number; i++) {
        syc_slice line = syc__slice_line(source);
        if (line.length == source.length)
            return (syc_slice){NULL, 0};
        source = syc__slice_from(source, line.length + 1);
    }
    return source.length > 0 && number > 0 ? syc__slice_line(source) : (syc_slice){NULL, 0};
}

static bool is_space(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

/* Equal but for white space, which compilers change when they quote. */
static bool same_line(syc_slice a, syc_slice b)
{
    for (;;) {
        while (a.length > 0 && is_space(a.text[0]))
            a = syc__slice_from(a, 1);
        while (b.length > 0 && is_space(b.text[0]))
            b = syc__slice_from(b, 1);
        if (a.length == 0 || b.length == 0)
            return a.length == b.length;
        if (a.text[0] != b.text[0])
            return false;
        a = syc__slice_from(a, 1);
        b = syc__slice_from(b, 1);
    }
}

/* "   12 | text": newer compilers number what they quote. */
static syc_slice without_number(syc_slice line)
{
    size_t i = 0, digits;
    while (i < line.length && line.text[i] == ' ')
        i++;
    for (digits = i; i < line.length && line.text[i] >= '0' && line.text[i] <= '9';)
        i++;
    if (i == digits || i + 1 >= line.length || line.text[i] != ' ' || line.text[i + 1] != '|')
        return line;
    return syc__slice_from(line, i + 2);
}

/* Only white space, marks and the bar of a numbered quote, and a caret among them. */
static bool is_caret_line(syc_slice line)
{
    for (size_t i = 0; i < line.length; i++) {
        if (strchr(" \t\r|~^-", line.text[i]) == NULL || line.text[i] == '\0')
            return false;
    }
    return line.length > 0 && memchr(line.text, '^', line.length) != NULL;
}

/* The line that the compiler itself quotes behind the error; text NULL if it quotes none. */
static syc_slice quoted_by_compiler(syc_slice behind)
{
    syc_slice line = syc__slice_line(behind), next = syc__slice_from(behind, line.length + 1);
    if (!is_caret_line(syc__slice_line(next)))
        return (syc_slice){NULL, 0};
    return without_number(line);
}

/* The number of the user's line that the error is about, 0 if it is in no line of the source. A compiler that does not
 * honour #line counts what stands before the user's text, so the line that it quotes decides: the nearest equal one
 * above. */
static size_t user_line(syc_slice source, const syc__log_place *place)
{
    enum { FAR = 20000 }; /* no more than that is ever put in front */
    syc_slice quote = quoted_by_compiler(place->behind), line;
    size_t nearest = 0, number = 1;

    if (quote.text == NULL || same_line(quote, (syc_slice){"", 0}))
        return line_of(source, place->line).text != NULL ? place->line : 0;
    for (; source.length > 0 && number <= place->line; number++) {
        line = syc__slice_line(source);
        source = syc__slice_from(source, line.length + 1);
        if (place->line - number <= FAR && same_line(line, quote))
            nearest = number;
    }
    return nearest;
}

/* The part of a long line that is shown: around the column, cut between characters. */
static syc_slice window_of(syc_slice line, size_t column, size_t *start)
{
    size_t from = 0, to = line.length;
    if (line.length > MAX_LINE) {
        from = column > MAX_LINE / 2 ? column - MAX_LINE / 2 : 0;
        from = from > line.length - MAX_LINE ? line.length - MAX_LINE : from;
        to = from + MAX_LINE;
        while (from > 0 && from < to && ((unsigned char)line.text[from] & 0xc0) == 0x80)
            from++;
        while (to > from && to < line.length && ((unsigned char)line.text[to] & 0xc0) == 0x80)
            to--;
    }
    *start = from;
    return (syc_slice){line.text + from, to - from};
}

/* As wide as what stands above it: tabs stay tabs, a character of several bytes is one blank. */
static void add_padding(syc_text *text, syc_slice before)
{
    while (before.length > 0) {
        size_t n = syc__utf8_length(before);
        syc_text_add_n(text, before.text[0] == '\t' ? "\t" : " ", 1);
        before = syc__slice_from(before, n > 0 ? n : 1);
    }
}

void syc__text_add_quote(syc_text *text, syc_slice source, size_t number, size_t column)
{
    syc_slice line = line_of(source, number), shown;
    size_t start;

    if (line.text == NULL)
        return;
    if (line.length > 0 && line.text[line.length - 1] == '\r')
        line.length--;
    if (column > line.length + 1)
        column = line.length + 1;
    shown = window_of(line, column, &start);
    syc_text_add(text, "%5zu | %s", number, start > 0 ? "..." : "");
    syc__text_add_clean(text, shown);
    syc_text_add(text, "%s\n", start + shown.length < line.length ? "..." : "");
    if (column == 0)
        return;
    syc_text_add(text, "      | %s", start > 0 ? "   " : "");
    shown.length = column - 1 - start;
    add_padding(text, shown);
    syc_text_add(text, "^\n");
}

/* Where an error is, in words of the user's: which text, and which of its lines. */
typedef struct spot {
    const char *name;
    syc_slice source;
    size_t number; /* of the line, 0: in no line */
    size_t column; /* 0: somewhere in it */
} spot;

static void add_headline(syc_text *text, const syc__log_place *place, const spot *spot, const char *device)
{
    syc_slice message = place->message;

    syc_text_add(text, "%s", spot->name);
    if (spot->number > 0)
        syc_text_add(text, ":%zu", spot->number);
    if (spot->number > 0 && spot->column > 0)
        syc_text_add(text, ":%zu", spot->column);
    syc_text_add(text, ": ");
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

/* What stands before the user's own text: no line of that. */
static bool is_of_library(syc_slice file)
{
    static const char *const operators[] = {"operator ", "identity of "};
    for (size_t i = 0; i < sizeof operators / sizeof *operators; i++) {
        size_t length = strlen(operators[i]);
        if (file.length > length && memcmp(file.text, operators[i], length) == 0)
            return true;
    }
    return file.length > 4 && memcmp(file.text + file.length - 4, ".clh", 4) == 0;
}

/* Is the line of the user's text another one to the compiler? Then it is known by its number only. */
static bool is_rewritten(const syc_origin *origin, size_t number)
{
    syc_slice user, compiled;
    if (origin == NULL || origin->compiled == NULL)
        return false;
    user = line_of((syc_slice){origin->text, strlen(origin->text)}, number);
    compiled = line_of((syc_slice){origin->compiled, strlen(origin->compiled)}, number);
    return user.text != NULL && compiled.text != NULL &&
           (user.length != compiled.length || memcmp(user.text, compiled.text, user.length) != 0);
}

/* A compiler that does not honour #line counts the lines of the generated text: the directive before the line says
 * whose it is. */
static spot find_by_directive(const syc_origins *origins, syc_slice source, size_t number)
{
    spot s = {0};
    size_t given = 0;
    for (size_t i = 1; i <= number && source.length > 0; i++) {
        syc_slice line = syc__slice_line(source), name;
        const syc_origin *origin;
        source = syc__slice_from(source, line.length + 1);
        s.number++;
        if (!syc__line_directive(line, &given, &name))
            continue;
        origin = syc__origin_find(origins, name);
        s = (spot){.number = given - 1}; /* the line behind has the number that is given */
        if (origin != NULL)
            s = (spot){.name = origin->name, .source = {origin->text, strlen(origin->text)}, .number = given - 1};
    }
    return s;
}

static spot find_spot(const syc_origins *origins, syc_slice source, const char *name, const syc__log_place *place)
{
    const syc_origin *origin = syc__origin_find(origins, place->file);
    spot s = {.name = name, .source = source}, found;
    if (origin != NULL)
        s = (spot){.name = origin->name, .source = {origin->text, strlen(origin->text)}};
    if (place->line > 0 && !is_of_library(place->file))
        s.number = user_line(s.source, place);
    s.column = place->column;
    if (is_rewritten(origin, place->line)) {
        s.number = place->line;
        s.column = 0;
    }
    if (origin != NULL || origins == NULL || s.number == 0)
        return s;
    found = find_by_directive(origins, source, s.number);
    if (found.name == NULL)
        return s;
    found.column = is_rewritten(syc__origin_find(origins, (syc_slice){found.name, strlen(found.name)}), found.number)
                       ? 0
                       : place->column;
    return found;
}

static syc_slice file_of(const syc__shift *edit)
{
    return (syc_slice){edit->file, strlen(edit->file)};
}

/* An edit of the line that the compiler quotes, where it counts the lines of the whole text; or NULL. */
static const syc__shift *find_edit(const syc_origins *origins, const syc__shifts *shifts, syc_slice source,
                                   const syc__log_place *place)
{
    syc_slice quote = quoted_by_compiler(place->behind);
    if (shifts == NULL || quote.text == NULL || syc__shifts_touch(shifts, place->file, place->line))
        return NULL;
    for (size_t i = 0; i < shifts->count; i++) {
        const syc__shift *s = &shifts->items[i];
        const syc_origin *origin = syc__origin_find(origins, file_of(s));
        syc_slice text = origin != NULL ? (syc_slice){origin->text, strlen(origin->text)} : source;
        syc_slice line = line_of(text, s->line);
        if (line.text != NULL && syc__shifts_explain(shifts, file_of(s), s->line, line, quote))
            return s;
    }
    return NULL;
}

/* The line of an edited text is not what the compiler quotes: its number tells which it is, or what it was. */
static spot find_edited_spot(const syc_origins *origins, const syc__shifts *shifts, syc_slice source, const char *name,
                             syc__log_place place)
{
    const syc__shift *edited = find_edit(origins, shifts, source, &place);
    if (edited != NULL) {
        place.file = file_of(edited);
        place.line = edited->line;
    }
    if (syc__shifts_touch(shifts, place.file, place.line)) {
        place.column = syc__shifts_undo(shifts, place.file, place.line, place.column);
        place.behind = (syc_slice){"", 0};
    }
    return find_spot(origins, source, name, &place);
}

static char *take_lines(syc_text *text)
{
    if (!text->cut && text->length > 0)
        text->data[--text->length] = '\0'; /* the last line break */
    return syc_text_take(text);
}

/* An error in an operator's expression, the first of all: those behind it are of what it made the types. */
static bool find_operator(const syc_log_texts *texts, syc_slice log, const char *name, syc_text *message,
                          syc__log_place *place)
{
    const char *const defined[] = {texts->source, texts->prelude, NULL};
    syc__operator_error error;
    syc_slice line;
    spot spot;

    if (!syc__log_find(log, place) || !syc__operator_log_find(log, place, &error))
        return false;
    spot = find_edited_spot(texts->origins, texts->shifts, (syc_slice){texts->source, texts->length}, name, *place);
    line = line_of(spot.source, spot.number);
    line = line.text == NULL || spot.column == 0 ? (syc_slice){"", 0} : syc__slice_from(line, spot.column - 1);
    syc__operator_log_say(place, &error, line, defined, message);
    return true;
}

/* Is it about the library's own words? */
static bool speaks_of_library(syc_slice message)
{
    return syc__slice_find(message, "SYC_") != NULL || syc__slice_find(message, "syc_") != NULL;
}

/* An error in a call of the device library's, or in a name that is nearly one: said in words of the user's, at the
 * argument where the compiler tells which. False if it is in none. */
static bool find_call(const syc_log_texts *texts, syc_slice log, const char *name, syc_text *message,
                      syc__log_place *place, spot *at)
{
    const syc_slice source = {texts->source, texts->length};
    syc__log_place argument;
    syc__library_call call, inner;
    bool asserted;

    if (!syc__log_find(log, place))
        return false;
    asserted = !syc__library_log_unknown(place->message) && syc__library_log_asserted(log, place);
    *at = find_edited_spot(texts->origins, texts->shifts, source, name, *place);
    if (asserted) {
        syc__library_log_say_asserted(at->source, &at->number, &at->column, place->message, message);
    } else if ((at->column > 0 || speaks_of_library(place->message)) && /* else it may be beside a call in the line */
               syc__library_call_find(at->source, at->number, at->column, NULL, &call)) {
        argument = *place;
        if (syc__library_log_spelling(log, place, &argument.line, &argument.column)) {
            const spot found = find_edited_spot(texts->origins, texts->shifts, source, name, argument);
            if (syc__library_call_find(found.source, found.number, found.column, NULL, &inner)) {
                *at = found;
                call = inner;
            }
        }
        syc__library_log_say(&call, place->message, message);
    } else {
        return syc__library_log_near(line_of(at->source, at->number), &at->column, place->message, message);
    }
    return true;
}

char *syc_log_format_from(const syc_log_texts *texts, const char *log, size_t log_length, const char *name,
                          const char *device)
{
    syc_text text = {0}, message = {0};
    syc_slice whole = {log, log_length};
    syc__log_place place = {0};
    spot spot = {.name = name};
    bool ours;

    while (whole.length > 0 && (is_space(log[whole.length - 1]) || log[whole.length - 1] == '\0'))
        whole.length--; /* drivers count the NUL, and end with blank lines */
    if (find_operator(texts, whole, name, &message, &place)) {
        ours = true;
        spot = find_edited_spot(texts->origins, texts->shifts, (syc_slice){texts->source, texts->length}, name, place);
    } else {
        ours = find_call(texts, whole, name, &message, &place, &spot);
    }
    if (ours)
        place.message = (syc_slice){syc_text_get(&message), message.length};
    add_headline(&text, &place, &spot, device);
    syc_text_clear(&message);
    syc__text_add_quote(&text, spot.source, spot.number, spot.column);
    if (ours)
        return take_lines(&text);
    syc__origins_explain(texts->origins, place.message, &text);
    if (whole.length == 0) {
        syc_text_add(&text, "The compiler left no log.");
    } else {
        syc_text_add(&text, "The compiler's log:\n");
        add_log(&text, whole);
    }
    return syc_text_take(&text);
}

char *syc_log_format_refusal(const syc_origins *origins, const char *source, size_t source_length,
                             const syc_refusal *refusal, const char *name, const char *device)
{
    syc_text text = {0};
    syc__log_place place = {
        .line = refusal->line, .column = refusal->column, .message = {refusal->message, strlen(refusal->message)}};
    spot spot = find_spot(origins, (syc_slice){source, source_length}, name, &place);

    add_headline(&text, &place, &spot, device);
    syc__text_add_quote(&text, spot.source, spot.number, spot.column);
    return take_lines(&text);
}

char *syc_log_format(const char *source, size_t source_length, const char *log, size_t log_length, const char *name,
                     const char *device)
{
    return syc_log_format_from(&(syc_log_texts){.source = source, .length = source_length}, log, log_length, name,
                               device);
}
