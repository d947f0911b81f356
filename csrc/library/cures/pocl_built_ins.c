/* PoCL 3.0 to 3.1: its compiler reads declarations of all built-in functions, most of the time of a small program.
 * Seen by: the time of builds, some hundred milliseconds each; results are right without.
 *
 * Reads the header of declarations, and chooses from it. */
#include "library/cures/pocl_built_ins.h"

#include "base/alloc.h"
#include "source/tokens.h"

#include <string.h>

/* A run of the header: declarations of one function, or, with id 0, what always stays. */
struct piece {
    const char *text;
    size_t length, id;
};

struct syc__built_ins {
    syc_arena arena;
    syc_word_map ids; /* of functions, by name: pointers to size_t */
    syc_token *names; /* of functions, by id - 1 */
    size_t functions, room;
    struct piece *pieces;
    size_t count, capacity;
};

static bool begins_word(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool in_word(char c)
{
    return begins_word(c) || (c >= '0' && c <= '9');
}

/* -- reading -- */

static const char *line_end(const char *at, const char *end)
{
    const char *found = memchr(at, '\n', (size_t)(end - at));
    return found != NULL ? found + 1 : end;
}

/* A directive goes on where its line ends in a backslash. */
static const char *directive_end(const char *at, const char *end)
{
    const char *after = line_end(at, end);
    while (after < end && after - at >= 2 && after[-1] == '\n' && after[-2] == '\\')
        after = line_end(after, end);
    return after;
}

static const char *comment_end(const char *at, const char *end)
{
    for (at += 2; at + 1 < end; at++)
        if (at[0] == '*' && at[1] == '/')
            return at + 2;
    return end;
}

static bool is_include(const char *at, const char *end)
{
    static const char word[] = "#include";
    return (size_t)(end - at) > sizeof word && memcmp(at, word, sizeof word - 1) == 0;
}

/* The word before the first parenthesis, or an empty one. */
static syc_token declared_name(const char *at, const char *end)
{
    const char *open = memchr(at, '(', (size_t)(end - at)), *begin;
    if (open == NULL)
        return (syc_token){.text = at};
    while (open > at && open[-1] == ' ')
        open--;
    for (begin = open; begin > at && in_word(begin[-1]);)
        begin--;
    return (syc_token){.text = begin, .length = (uint32_t)(open - begin)};
}

static syc_status id_of(syc__built_ins *b, const syc_token *name, size_t *out)
{
    size_t *id = name->length > 0 ? syc__word_map_get(&b->ids, name) : NULL;
    syc_status status = SYC_OK;

    if (id == NULL && name->length > 0) {
        SYC_TRY(syc__arena_alloc(&b->arena, sizeof *id, &id));
        SYC_TRY(syc_grow(&b->names, &b->room, b->functions + 1, sizeof *b->names));
        b->names[b->functions++] = *name;
        *id = b->functions;
        SYC_TRY(syc__word_map_put(&b->arena, &b->ids, name, id));
    }
    *out = id != NULL ? *id : 0;
done:
    return status;
}

static syc_status add_piece(syc__built_ins *b, const char *begin, const char *end, size_t id)
{
    struct piece *last = b->count > 0 ? &b->pieces[b->count - 1] : NULL;
    syc_status status = SYC_OK;

    if (last != NULL && last->id == id && last->text + last->length == begin) {
        last->length += (size_t)(end - begin);
        return SYC_OK;
    }
    SYC_TRY(syc_grow(&b->pieces, &b->capacity, b->count + 1, sizeof *b->pieces));
    b->pieces[b->count++] = (struct piece){begin, (size_t)(end - begin), id};
done:
    return status;
}

static syc_status read_declaration(syc__built_ins *b, const char *at, const char *end, const char **after)
{
    const char *last = memchr(at, ';', (size_t)(end - at));
    syc_status status = SYC_OK;
    syc_token name;
    size_t id = 0;

    *after = last != NULL ? last + 1 : end;
    if (*after < end && **after == '\n')
        ++*after;
    name = declared_name(at, *after);
    SYC_TRY(id_of(b, &name, &id));
    SYC_TRY(add_piece(b, at, *after, id));
done:
    return status;
}

static syc_status read_all(syc__built_ins *b, const char *at, const char *end)
{
    syc_status status = SYC_OK;
    const char *after;

    for (; at < end; at = after) {
        if (*at == ' ' || *at == '\t' || *at == '\r' || *at == '\n') {
            after = at + 1;
        } else if (*at == '#') {
            after = directive_end(at, end);
            if (!is_include(at, after)) /* the compiler has read that one */
                SYC_TRY(add_piece(b, at, after, 0));
        } else if (*at == '/' && end - at > 1 && at[1] == '/') {
            after = line_end(at, end);
        } else if (*at == '/' && end - at > 1 && at[1] == '*') {
            after = comment_end(at, end);
        } else {
            SYC_TRY(read_declaration(b, at, end, &after));
        }
    }
done:
    return status;
}

syc_status syc__built_ins_read(const char *header, size_t length, syc__built_ins **out)
{
    syc__built_ins *b = NULL;
    syc_status status = SYC_OK;

    SYC_TRY(syc_alloc(sizeof *b, &b));
    SYC_TRY(read_all(b, header, header + length));
    *out = b;
    b = NULL;
done:
    syc__built_ins_free(b);
    return status;
}

void syc__built_ins_free(syc__built_ins *b)
{
    if (b == NULL)
        return;
    syc__arena_clear(&b->arena);
    syc_free(b->names);
    syc_free(b->pieces);
    syc_free(b);
}

/* -- choosing -- */

static void want(const syc__built_ins *b, syc_token word, bool *wanted)
{
    static const char renamed[] = "_cl_"; /* what PoCL's macros make of most names */
    const size_t *id = syc__word_map_get(&b->ids, &word), skip = sizeof renamed - 1;

    if (id == NULL && word.length > skip && memcmp(word.text, renamed, skip) == 0) {
        word.text += skip;
        word.length -= (uint32_t)skip;
        id = syc__word_map_get(&b->ids, &word);
    }
    if (id != NULL)
        wanted[*id] = true;
}

/* Macros of the library put names together: whatever begins or ends with a part of one may be meant. */
static void want_pasted(const syc__built_ins *b, syc_slice text, size_t begin, size_t end, bool *wanted)
{
    const size_t length = end - begin;
    const bool left = begin >= 2 && memcmp(text.text + begin - 2, "##", 2) == 0,
               right = text.length - end >= 2 && memcmp(text.text + end, "##", 2) == 0;

    for (size_t i = 0; i < b->functions && length >= 3 && (left || right); i++) {
        const syc_token *name = &b->names[i];
        if (name->length <= length)
            continue;
        if ((right && memcmp(name->text, text.text + begin, length) == 0) ||
            (left && memcmp(name->text + name->length - length, text.text + begin, length) == 0))
            wanted[i + 1] = true;
    }
}

static void want_words(const syc__built_ins *b, syc_slice text, bool *wanted)
{
    for (size_t i = 0; i < text.length;) {
        size_t begin = i;
        while (i < text.length && in_word(text.text[i]))
            i++;
        if (i == begin)
            i++;
        else
            want_pasted(b, text, begin, i, wanted);
        if (begins_word(text.text[begin]))
            want(b, (syc_token){.text = text.text + begin, .length = (uint32_t)(i - begin)}, wanted);
    }
}

syc_status syc__built_ins_add(const syc__built_ins *b, const syc_slice *texts, size_t count, syc_text *out)
{
    bool *wanted = NULL;
    syc_status status = SYC_OK;

    SYC_TRY(syc_alloc_array(b->functions + 1, sizeof *wanted, &wanted));
    wanted[0] = true;
    for (size_t i = 0; i < count; i++)
        want_words(b, texts[i], wanted);
    for (size_t i = 0; i < b->count; i++)
        if (wanted[b->pieces[i].id])
            syc_text_add_n(out, b->pieces[i].text, b->pieces[i].length);
    SYC_CHECK(!out->cut, SYC_E_MEMORY_ALLOCATION, "no memory for declarations of built-in functions");
done:
    syc_free(wanted);
    return status;
}

bool syc__built_ins_plain(syc_slice text)
{
    static const char include[] = "include";
    for (size_t i = 0; i + 1 < text.length; i++) {
        if (text.text[i] == '#' && text.text[i + 1] == '#')
            return false;
        if (text.length - i >= sizeof include - 1 && memcmp(text.text + i, include, sizeof include - 1) == 0)
            return false;
    }
    return true;
}
