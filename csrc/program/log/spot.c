/* From a compiler's place to the user's text. */
#include "program/log/spot.h"

#include "source/align.h"

#include <string.h>

static syc_slice slice_of(const char *text)
{
    return text != NULL ? (syc_slice){text, strlen(text)} : (syc_slice){"", 0};
}

/* -- the line that the compiler quotes -- */

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
        return syc__slice_line_at(source, place->line).text != NULL ? place->line : 0;
    for (; source.length > 0 && number <= place->line; number++) {
        line = syc__slice_line(source);
        source = syc__slice_from(source, line.length + 1);
        if (place->line - number <= FAR && same_line(line, quote))
            nearest = number;
    }
    return nearest;
}

/* Text in front of the user's own, of which this is no line. */
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

/* -- texts that were made of others -- */

/* The line of a text as the compiler sees it. */
static syc_slice made_line(const syc_origins *origins, const syc_part *part, syc_slice file, size_t number)
{
    const syc_origin *origin = syc__origin_find(origins, file);
    if (origin != NULL)
        return syc__slice_line_at(slice_of(origin->compiled != NULL ? origin->compiled : origin->text), number);
    return syc__slice_line_at(slice_of(part->text), number + 1 - part->line);
}

/* Whatever stands behind a part in the text that it is put into, or before it, was made for it: an error there is at
 * the part's end, or at its beginning. */
static syc__spot spot_of_part(const syc_origins *origins, const syc_part *part, syc_slice file, size_t line,
                              size_t column)
{
    syc__spot s = {.name = part->name, .source = slice_of(part->text), .part = part, .number = 1, .column = 1};
    const size_t lines = syc__part_lines(part);
    syc_slice own;

    if (line < part->line)
        return s;
    s.number = line - part->line + 1;
    if (s.number <= lines) {
        own = syc__slice_line_at(s.source, s.number);
        s.column = syc__align_column(own, made_line(origins, part, file, line), column);
        return s;
    }
    s.number = lines;
    own = syc__slice_line_at(s.source, s.number);
    while (own.length > 0 && is_space(own.text[own.length - 1]))
        own.length--;
    s.column = own.length + 1;
    return s;
}

/* The line of an origin that is another one to the compiler is known by its number, and its columns by its words. */
static syc__spot spot_of_origin(const syc_origin *origin, const syc__log_place *place)
{
    syc__spot s = {.name = origin->name, .source = slice_of(origin->text), .column = place->column};
    syc_slice user = syc__slice_line_at(s.source, place->line);
    syc_slice compiled = syc__slice_line_at(slice_of(origin->compiled), place->line);

    if (user.text != NULL && compiled.text != NULL &&
        (user.length != compiled.length || memcmp(user.text, compiled.text, user.length) != 0)) {
        s.number = place->line;
        s.column = syc__align_column(user, compiled, place->column);
    } else if (place->line > 0) {
        s.number = user_line(s.source, place);
    }
    return s;
}

/* The place in one of the texts that the source was made of; name NULL if it is in none. */
static syc__spot spot_in(const syc_origins *origins, const syc__log_place *place)
{
    const syc_part *part = syc__part_find(origins, place->file, place->line);
    const syc_origin *origin = syc__origin_find(origins, place->file);
    if (part != NULL)
        return spot_of_part(origins, part, place->file, place->line, place->column);
    return origin != NULL ? spot_of_origin(origin, place) : (syc__spot){0};
}

/* A compiler that does not honour #line counts the lines of the generated text: the directive before the line says
 * whose it is. */
static syc__spot find_by_directive(const syc_origins *origins, syc_slice source, const syc__log_place *place)
{
    syc__log_place told = {.column = place->column, .line = 0};
    for (size_t i = 1; i <= place->line && source.length > 0; i++) {
        syc_slice line = syc__slice_line(source), name;
        size_t given = 0;
        source = syc__slice_from(source, line.length + 1);
        told.line++;
        if (!syc__line_directive(line, &given, &name))
            continue;
        told.file = name;
        told.line = given - 1; /* the line behind has the number that is given */
    }
    return spot_in(origins, &told);
}

static syc__spot find(const syc__spot_texts *texts, const syc__log_place *place)
{
    syc__spot s = {.name = texts->name, .source = texts->source, .column = place->column}, found;
    syc__log_place counted = *place;

    found = spot_in(texts->origins, place);
    if (found.name != NULL)
        return found;
    if (place->line > 0 && !is_of_library(place->file))
        s.number = user_line(s.source, place);
    if (texts->origins == NULL || s.number == 0)
        return s;
    counted.line = s.number;
    found = find_by_directive(texts->origins, texts->source, &counted);
    s.ours = !texts->origins->whole;
    return found.name != NULL ? found : s;
}

/* -- lines that were edited -- */

static syc_slice file_of(const syc__shift *edit)
{
    return (syc_slice){edit->file, strlen(edit->file)};
}

/* An edit of the line that the compiler quotes, where it counts the lines of the whole text; or NULL. */
static const syc__shift *find_edit(const syc__spot_texts *texts, const syc__log_place *place)
{
    const syc__shifts *shifts = texts->shifts;
    syc_slice quote = quoted_by_compiler(place->behind);
    if (shifts == NULL || quote.text == NULL || syc__shifts_touch(shifts, place->file, place->line))
        return NULL;
    for (size_t i = 0; i < shifts->count; i++) {
        const syc__shift *s = &shifts->items[i];
        const syc_origin *origin = syc__origin_find(texts->origins, file_of(s));
        syc_slice text = origin != NULL ? slice_of(origin->text) : texts->source;
        syc_slice line = syc__slice_line_at(text, s->line);
        if (line.text != NULL && syc__shifts_explain(shifts, file_of(s), s->line, line, quote))
            return s;
    }
    return NULL;
}

/* The line of an edited text is not what the compiler quotes: its number tells which it is, or what it was. */
syc__spot syc__spot_find(const syc__spot_texts *texts, const syc__log_place *at)
{
    syc__log_place place = *at;
    const syc__shift *edited = find_edit(texts, &place);
    if (edited != NULL) {
        place.file = file_of(edited);
        place.line = edited->line;
    }
    if (syc__shifts_touch(texts->shifts, place.file, place.line)) {
        place.column = syc__shifts_undo(texts->shifts, place.file, place.line, place.column);
        place.behind = (syc_slice){"", 0};
    }
    return find(texts, &place);
}
