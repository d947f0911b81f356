/* Pieces of a text, copied and replaced. */
#include "source/edit.h"

#include "source/lexer.h"
#include "source/statements.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f';
}

/* Bytes of a line continuation, 0 if there is none. */
static size_t continuation(const char *text)
{
    size_t i = 1;
    if (text[0] != '\\')
        return 0;
    while (is_blank(text[i]))
        i++;
    return text[i] == '\n' ? i + 1 : 0;
}

/* Lines are joined where they are continued; the new lines that this takes away come behind the joined line. */
static syc_status join_lines(syc_arena *arena, const char *text, syc__edit *edit)
{
    syc_status status = SYC_OK;
    size_t owed = 0;
    char *to = NULL;

    SYC_TRY(syc__arena_alloc(arena, strlen(text) + 1, &to));
    edit->text = to;
    while (*text != '\0') {
        size_t n = continuation(text);
        text += n;
        owed += n > 0;
        if (n > 0)
            continue;
        *to++ = *text;
        for (; *text == '\n' && owed > 0; owed--)
            *to++ = '\n';
        text++;
    }
    edit->length = (size_t)(to - edit->text);
done:
    return status;
}

syc_status syc__edit_begin(syc_arena *arena, const char *text, syc__edit *edit)
{
    syc_status status = SYC_OK;

    *edit = (syc__edit){.user = text, .name = "body", .line = 1};
    SYC_TRY(join_lines(arena, text, edit));
    SYC_TRY(syc__lex(arena, edit->text, edit->length, &edit->tokens));
    SYC_TRY(syc__stream_init(&edit->stream, arena, &edit->tokens));
done:
    return status;
}

/* Where the token begins: the last one, END, stands at the end of the lexer's copy of the text. */
size_t syc__edit_offset(const syc__edit *edit, size_t at)
{
    const syc_token *end = &edit->tokens.items[edit->tokens.count - 1];
    return edit->length - (size_t)(end->text - edit->tokens.items[at].text);
}

void syc__edit_add_n(syc__edit *edit, const char *bytes, size_t count)
{
    syc_text_add_n(&edit->out, bytes, count);
    for (size_t i = 0; i < count; i++)
        edit->line += bytes[i] == '\n';
}

void syc__edit_copy(syc__edit *edit, size_t token)
{
    size_t offset = syc__edit_offset(edit, token);
    syc__edit_add_n(edit, edit->text + edit->done, offset - edit->done);
    edit->done = offset;
}

void syc__edit_copy_behind(syc__edit *edit, size_t token)
{
    size_t end = syc__edit_offset(edit, token) + edit->tokens.items[token].length;
    if (end <= edit->done)
        return;
    syc__edit_add_n(edit, edit->text + edit->done, end - edit->done);
    edit->done = end;
}

void syc__edit_copy_range(syc__edit *edit, size_t from, size_t to)
{
    size_t start = syc__edit_offset(edit, from),
           end = syc__edit_offset(edit, to - 1) + edit->tokens.items[to - 1].length;
    syc__edit_add_n(edit, edit->text + start, end - start);
    edit->done = end;
}

void syc__edit_add(syc__edit *edit, const char *format, ...)
{
    char words[512];
    va_list args;
    va_start(args, format);
    vsnprintf(words, sizeof words, format, args);
    va_end(args);
    syc__edit_add_n(edit, words, strlen(words));
}

void syc__edit_skip(syc__edit *edit, size_t token)
{
    while (edit->line < edit->tokens.items[token].line)
        syc__edit_add_n(edit, "\n", 1);
    edit->done = syc__edit_offset(edit, token);
}

void syc__edit_end(syc__edit *edit)
{
    syc__edit_copy(edit, edit->tokens.count - 1);
}

/* -- what stands where -- */

bool syc__edit_is(const syc__edit *edit, size_t at, const char *text)
{
    return at < edit->tokens.count && edit->tokens.items[at].kind != SYC_TOKEN_STRING &&
           syc__token_is(&edit->tokens.items[at], text);
}

size_t syc__edit_match(const syc__edit *edit, size_t at)
{
    return edit->stream.match[at];
}

bool syc__edit_in_directive(const syc__edit *edit, size_t at)
{
    while (at > 0 && !edit->tokens.items[at].first)
        at--;
    return syc__edit_is(edit, at, "#");
}

bool syc__edit_begins_statement(const syc__edit *edit, size_t at)
{
    return at == 0 || syc__edit_in_directive(edit, at - 1) || syc__statement_begins(&edit->stream, 0, at);
}

syc__position syc__edit_position(const syc__edit *edit, size_t at)
{
    size_t offset = syc__edit_offset(edit, at);
    syc__position place = {.line = edit->tokens.items[at].line, .column = 1};
    while (offset > 0 && edit->text[offset - 1] != '\n') {
        offset--;
        place.column++;
    }
    return place;
}

syc_status syc__edit_refuse(const syc__edit *edit, size_t at, const char *what)
{
    const syc__place place =
        syc__place_in_parts(edit->parts, edit->part_count, edit->name, edit->user, syc__edit_position(edit, at));
    return syc__refuse_at(place.name, place.text, place.at, what);
}
