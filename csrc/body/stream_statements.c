/* From "out << value << manipulator;" to calls: a statement becomes a block, a value a call of stream_put with the
 * format that the manipulators before it ask for. Manipulators last for their statement, so what they ask for is known
 * here, but for widths and precisions: those are kept in variables of the block. */
#include "body/stream_statements.h"

#include "body/name.h"
#include "source/edit.h"
#include "source/tokens.h"

#include <string.h>

/* The effect of a manipulator, as the bits of a mask. The words are those of kernels/stream.clh. */
enum format { HEX = 1, OCT = 2, SHOWBASE = 4, SHOWPOS = 8, FIXED = 16, SCIENTIFIC = 32, HEXFLOAT = 64 };
static const char *const format_words[] = {"stream_hex",   "stream_oct",        "stream_showbase", "stream_showpos",
                                           "stream_fixed", "stream_scientific", "stream_hexfloat"};
static const struct manipulator {
    const char *word;
    unsigned clears, sets;
} manipulators[] = {
    {"dec", HEX | OCT, 0},
    {"hex", HEX | OCT, HEX},
    {"oct", HEX | OCT, OCT},
    {"showbase", SHOWBASE, SHOWBASE},
    {"noshowbase", SHOWBASE, 0},
    {"showpos", SHOWPOS, SHOWPOS},
    {"noshowpos", SHOWPOS, 0},
    {"fixed", FIXED | SCIENTIFIC | HEXFLOAT, FIXED},
    {"scientific", FIXED | SCIENTIFIC | HEXFLOAT, SCIENTIFIC},
    {"hexfloat", FIXED | SCIENTIFIC | HEXFLOAT, HEXFLOAT},
    {"defaultfloat", FIXED | SCIENTIFIC | HEXFLOAT, 0},
    {NULL, 0, 0},
};
/* Words for values that kernels/stream_places.clh has, with stream_ in front. */
static const char *const places[] = {"item",        "nd_item",       "h_item",   "group",        "nd_range",
                                     "global_id",   "local_id",      "group_id", "global_range", "local_range",
                                     "group_range", "global_offset", NULL};

struct writer {
    syc__edit edit;
    const syc_name *names;
    size_t count;
    /* of one statement: */
    const syc_token *stream;
    unsigned format;
    bool width, digits; /* a variable holds one */
};

static const syc_name *name_of(const struct writer *w, const syc_token *token)
{
    for (size_t i = 0; i < w->count; i++)
        if (token->kind == SYC_TOKEN_WORD && syc__token_is(token, w->names[i].name))
            return &w->names[i];
    return NULL;
}

static bool is_stream(const struct writer *w, size_t at)
{
    const syc_name *name = name_of(w, &w->edit.tokens.items[at]);
    return name != NULL && name->kind == SYC_NAME_STREAM;
}

/* -- one operand: tokens from `from` to before `to` -- */

/* A word that is the whole operand, and no name of an argument. */
static const syc_token *lone_word(const struct writer *w, size_t from, size_t to)
{
    const syc_token *token = &w->edit.tokens.items[from];
    return to == from + 1 && token->kind == SYC_TOKEN_WORD && name_of(w, token) == NULL ? token : NULL;
}

static bool is_call_of(const struct writer *w, size_t from, size_t to, const char *word)
{
    return syc__edit_is(&w->edit, from, word) && syc__edit_is(&w->edit, from + 1, "(") &&
           syc__edit_match(&w->edit, from + 1) == to - 1 && name_of(w, &w->edit.tokens.items[from]) == NULL;
}

/* stream_setw(...), stream_setprecision(...) */
static void set_variable(struct writer *w, const char *variable, size_t from, size_t to)
{
    syc__edit_add(&w->edit, "%s = stream_", variable);
    syc__edit_copy_range(&w->edit, from, to);
    syc__edit_add(&w->edit, "; ");
}

static bool write_manipulator(struct writer *w, size_t from, size_t to)
{
    const syc_token *word = lone_word(w, from, to);
    const struct manipulator *m = manipulators;

    if (is_call_of(w, from, to, "setw")) {
        set_variable(w, "syc_width", from, to);
        w->width = true;
        return true;
    }
    if (is_call_of(w, from, to, "setprecision")) {
        set_variable(w, "syc_digits", from, to);
        w->digits = true;
        return true;
    }
    if (word != NULL && (syc__token_is(word, "endl") || syc__token_is(word, "flush"))) {
        syc__edit_add(&w->edit, "stream_%.*s(%.*s); ", (int)word->length, word->text, (int)w->stream->length,
                      w->stream->text);
        return true;
    }
    while (word != NULL && m->word != NULL && !syc__token_is(word, m->word))
        m++;
    if (word == NULL || m->word == NULL)
        return false;
    w->format = (w->format & ~m->clears) | m->sets;
    return true;
}

static void write_format(struct writer *w)
{
    const char *before = ", ";
    for (size_t i = 0; i < sizeof format_words / sizeof *format_words; i++) {
        if ((w->format >> i & 1) == 0)
            continue;
        syc__edit_add(&w->edit, "%s%s", before, format_words[i]);
        before = " | ";
    }
    if (w->width) {
        syc__edit_add(&w->edit, "%ssyc_width", before);
        before = " | ";
    }
    if (w->digits)
        syc__edit_add(&w->edit, "%ssyc_digits", before);
}

static bool has_comma(const struct writer *w, size_t from, size_t to)
{
    for (size_t i = from; i < to; i++)
        if (syc__edit_is(&w->edit, i, ","))
            return true;
    return false;
}

static void write_value(struct writer *w, size_t from, size_t to)
{
    const syc_token *word = lone_word(w, from, to), *token = &w->edit.tokens.items[from];
    bool character = to == from + 1 && token->kind == SYC_TOKEN_STRING && token->text[0] == '\'';
    bool comma = has_comma(w, from, to);

    syc__edit_add(&w->edit, "stream_put(%.*s, %s%s%s", (int)w->stream->length, w->stream->text,
                  word != NULL && syc__token_in(word, places) ? "stream_" : "",
                  character ? "(char)" : "", /* C's character constants are ints */
                  comma ? "(" : "");         /* a macro's arguments end at commas, in braces, too */
    syc__edit_copy_range(&w->edit, from, to);
    syc__edit_add(&w->edit, "%s", comma ? ")" : "");
    write_format(w);
    syc__edit_add(&w->edit, "); ");
}

/* -- one statement -- */

/* The end of the operand that begins at `at`: a '<<' or ';' outside of brackets, or what closes nothing here. */
static size_t operand_end(const struct writer *w, size_t at)
{
    static const char *const ends[] = {"<<", ";", "}", ")", "]", NULL}, *const opens[] = {"(", "[", "{", NULL};
    size_t end = w->edit.tokens.count - 1;
    while (at < end) {
        const syc_token *token = &w->edit.tokens.items[at];
        if (token->kind != SYC_TOKEN_STRING && syc__token_in(token, ends))
            return at;
        at = token->kind != SYC_TOKEN_STRING && syc__token_in(token, opens) ? syc__edit_match(&w->edit, at) : at;
        at += at < end;
    }
    return end;
}

/* "sycl::endl" is endl: there are no such names in C. */
static size_t behind_namespaces(const struct writer *w, size_t at)
{
    while (w->edit.tokens.items[at].kind == SYC_TOKEN_WORD && syc__edit_is(&w->edit, at + 1, ":") &&
           syc__edit_is(&w->edit, at + 2, ":"))
        at += 3;
    return at;
}

static bool uses(const struct writer *w, size_t from, const char *word)
{
    for (size_t at = from; syc__edit_is(&w->edit, at, "<<"); at = operand_end(w, at + 1)) {
        size_t operand = behind_namespaces(w, at + 1);
        if (is_call_of(w, operand, operand_end(w, operand), word))
            return true;
    }
    return false;
}

/* The statement that begins with the stream's name at `at`; *end is behind its ';'. */
static syc_status write_statement(struct writer *w, size_t at, size_t *end)
{
    syc_status status = SYC_OK;
    size_t name = at;

    w->stream = &w->edit.tokens.items[at++];
    w->format = 0;
    w->width = w->digits = false;
    syc__edit_copy(&w->edit, name);
    syc__edit_add(&w->edit, "{ %s%s", uses(w, at, "setw") ? "uint syc_width; " : "",
                  uses(w, at, "setprecision") ? "uint syc_digits; " : "");
    while (syc__edit_is(&w->edit, at, "<<")) {
        size_t from = behind_namespaces(w, at + 1), to = operand_end(w, from);
        if (from == to) {
            status = syc__edit_refuse(&w->edit, at, "there is nothing to write behind this '<<'");
            goto done;
        }
        syc__edit_skip(&w->edit, from);
        if (!write_manipulator(w, from, to))
            write_value(w, from, to);
        at = to;
    }
    if (!syc__edit_is(&w->edit, at, ";")) {
        status = syc__edit_refuse(&w->edit, name, "this statement has no ';' at its end");
        goto done;
    }
    syc__edit_skip(&w->edit, at);
    syc__edit_add(&w->edit, "}");
    w->edit.done++;
    *end = at + 1;
done:
    return status;
}

static syc_status write_all(struct writer *w)
{
    syc_status status = SYC_OK;
    for (size_t at = 0; w->edit.tokens.items[at].kind != SYC_TOKEN_END;) {
        if (!is_stream(w, at) || !syc__edit_is(&w->edit, at + 1, "<<") || syc__edit_in_directive(&w->edit, at)) {
            at++;
            continue;
        }
        if (!syc__edit_begins_statement(&w->edit, at)) {
            status = syc__edit_refuse(&w->edit, at, "a stream is written to in a statement of its own");
            goto done;
        }
        SYC_TRY(write_statement(w, at, &at));
    }
    syc__edit_end(&w->edit);
done:
    return status;
}

syc_status syc_body_write_streams(const char *text, const syc_name *names, size_t count, syc_text *out)
{
    syc_status status = SYC_OK;
    syc_arena arena = {0};
    struct writer w = {.names = names, .count = count};
    bool any = false;

    for (size_t i = 0; i < count; i++)
        any = any || names[i].kind == SYC_NAME_STREAM;
    if (!any)
        return SYC_OK;
    SYC_TRY(syc__edit_begin(&arena, text, &w.edit));
    SYC_TRY(write_all(&w));
    SYC_CHECK(!w.edit.out.cut, SYC_E_MEMORY_ALLOCATION, "no memory for a body of %zu bytes", strlen(text));
    *out = w.edit.out;
    w.edit.out = (syc_text){0};
done:
    syc_text_clear(&w.edit.out);
    syc__arena_clear(&arena);
    return status;
}
