/* The words of scanners in the two texts of a scan. Those of the first are a reducer's (body/reduce/words.c). */
#include "base/dtype.h"
#include "body/parts.h"
#include "body/reading.h"
#include "body/scan/scan.h"
#include "source/edit.h"
#include "source/lexer.h"
#include "source/origin.h"
#include "source/position.h"

#include <stdio.h>
#include <string.h>

static bool is_word(const syc__edit *edit, size_t at, const char *word)
{
    return syc__edit_is(edit, at, word);
}

/* The token "}" of the line between the texts: none where a comment or a line's continuation has swallowed it. */
static size_t find_seam(const syc__edit *edit, size_t line)
{
    for (size_t at = 0; at + 1 < edit->tokens.count; at++)
        if (edit->tokens.items[at].line == line && edit->tokens.items[at].first && is_word(edit, at, "}"))
            return at;
    return SIZE_MAX;
}

/* Each text's braces pair by themselves. */
static syc_status check_braces(const syc__edit *edit, size_t from, size_t to)
{
    size_t depth = 0, open = from;
    for (size_t at = from; at < to; at++) {
        if (is_word(edit, at, "{")) {
            open = at;
            depth++;
        } else if (is_word(edit, at, "}") && depth-- == 0) {
            return syc__edit_refuse(edit, at, "this '}' closes nothing");
        }
    }
    return depth > 0 ? syc__edit_refuse(edit, open, "this '{' is not closed") : SYC_OK;
}

static syc_name *find_name(syc_name *names, const syc_body_source *source, const syc_name *found)
{
    return &names[found - source->names];
}

/* "t", "t.before", "t.value_type", "t.identity()" of the second text. */
static void write_value(syc__edit *edit, const syc_name *name, syc_name *own, size_t at, size_t *next)
{
    const char *word = "syc_now_";
    size_t past = at + 1;

    syc__edit_copy(edit, at);
    if (is_word(edit, at + 1, ".") && is_word(edit, at + 2, "value_type")) {
        syc__edit_add(edit, "%s ", name->op.boolean ? "bool" : name->type);
        past = at + 3;
    } else {
        if (is_word(edit, at + 1, ".") && is_word(edit, at + 2, "before")) {
            word = "syc_before_";
            own->reducer.befores = true;
            past = at + 3;
        } else if (is_word(edit, at + 1, ".") && is_word(edit, at + 2, "identity") && is_word(edit, at + 3, "(") &&
                   is_word(edit, at + 4, ")") && name->op.known) {
            word = "syc_identity_";
            past = at + 5;
        }
        syc__edit_add(edit, "%s%s", word, name->name);
    }
    syc__edit_skip(edit, past);
    *next = past;
}

/* Is the word, or a member of it, set? */
static bool is_set(const syc__edit *edit, size_t at)
{
    static const char *const steps[] = {"++", "--", NULL}, *const sets[] = {"=",  "+=", "-=",  "*=",  "/=", "%=", "&=",
                                                                            "|=", "^=", "<<=", ">>=", "++", "--", NULL};
    if (at > 0 && syc__token_in(&edit->tokens.items[at - 1], steps))
        return true;
    for (at++; is_word(edit, at, "."); at += 2)
        if (is_word(edit, at + 1, "combine") || is_word(edit, at + 1, "restart"))
            return true;
    return syc__token_in(&edit->tokens.items[at], sets);
}

static syc_status write_second(syc_arena *arena, const syc_body_source *source, syc_name *names, syc__edit *edit,
                               size_t from, size_t to)
{
    syc_status status = SYC_OK;
    const syc_name **found;
    char words[300];

    SYC_TRY(syc__reduce_find_names(arena, edit, from, to, source->names, source->count, &found));
    for (size_t at = from; at < to;) {
        const syc_name *name = found[at - from];
        if (name == NULL || syc__reduce_is_alias(edit, at)) {
            at++;
            continue;
        }
        if (is_set(edit, at)) {
            (void)snprintf(words, sizeof words,
                           "the scanner '%.60s' has its value here: what an element contributes, and where segments "
                           "begin, is for the first text to say",
                           name->name);
            status = syc__edit_refuse(edit, at, words);
            goto done;
        }
        write_value(edit, name, find_name(names, source, name), at, &at);
    }
done:
    return status;
}

/* `restarts`: the call for it was written. */
static void find_restarts(const syc__edit *edit, size_t to, const syc_name **found, const syc_body_source *source,
                          syc_name *names)
{
    for (size_t at = 0; at + 2 < to; at++)
        if (found[at] != NULL && is_word(edit, at + 1, ".") && is_word(edit, at + 2, "restart"))
            find_name(names, source, found[at])->reducer.restarts = true;
}

static syc_status check_used(const syc_body_source *source, const bool *used)
{
    syc_status status = SYC_OK;
    for (size_t i = 0; i < source->count; i++)
        SYC_CHECK(!syc__is_reducer(&source->names[i]) || used[i], SYC_E_KERNEL_ARGUMENT,
                  "first text: the scanner '%s' is given, and the text combines nothing with it",
                  source->names[i].name);
done:
    return status;
}

syc_status syc__scan_write_words(const syc_body_source *source, syc_name *names, syc_text *out)
{
    syc_status status = SYC_OK;
    syc_arena arena = {0};
    syc__edit edit = {0}, front = {0};
    const syc_name **found;
    bool *used = NULL;
    size_t seam, end;

    SYC_TRY(syc__arena_alloc(&arena, (source->count + 1) * sizeof *used, &used));
    SYC_TRY(syc__edit_begin(&arena, source->text, &edit));
    SYC_TRY(syc__edit_begin(&arena, source->preamble != NULL ? source->preamble : "", &front));
    front.name = "preamble";
    edit.parts = source->parts;
    edit.part_count = source->part_count;
    end = edit.tokens.count - 1;
    seam = find_seam(&edit, source->seam);
    SYC_CHECK(seam != SIZE_MAX, SYC_E_BUILD,
              "first text: it ends within a comment, or its last line is continued: nothing is left of the second");
    SYC_TRY(check_braces(&edit, 0, seam));
    SYC_TRY(check_braces(&edit, seam + 2, end));
    SYC_TRY(
        syc__reduce_refuse_macros(&arena, &front, front.tokens.count - 1, &edit, 0, end, source->names, source->count));
    SYC_TRY(syc__reduce_find_names(&arena, &edit, 0, seam, source->names, source->count, &found));
    find_restarts(&edit, seam, found, source, names);
    SYC_TRY(syc__reduce_write_words_in(&arena, &edit, 0, seam, source->names, source->count, used));
    SYC_TRY(check_used(source, used));
    SYC_TRY(write_second(&arena, source, names, &edit, seam + 2, end));
    syc__edit_copy(&edit, end);
    SYC_CHECK(!edit.out.cut, SYC_E_MEMORY_ALLOCATION, "no memory for a body of %zu bytes", strlen(source->text));
    *out = edit.out;
    edit.out = (syc_text){0};
done:
    syc_text_clear(&edit.out);
    syc__arena_clear(&arena);
    return status;
}

/* -- what was read -- */

syc_status syc__scan_check_names(const syc_body_source *source)
{
    enum { MOST = 16 }; /* bits of kernels/device/scan_slots.clh */
    syc_status status = SYC_OK;
    unsigned scanners = 0;
    for (size_t i = 0; i < source->count; i++) {
        const syc_name *name = &source->names[i];
        SYC_CHECK(source->seam == 0 || (name->kind != SYC_NAME_LOCAL && name->kind != SYC_NAME_STREAM),
                  SYC_E_KERNEL_ARGUMENT, "%s: '%s' is %s, which the texts of a scan cannot have",
                  syc__text_name(source->parts, source->part_count), name->name,
                  name->kind == SYC_NAME_LOCAL ? "local memory" : "a stream");
        if (!syc__is_reducer(name))
            continue;
        scanners += name->reducer.scanner;
        SYC_CHECK(name->reducer.scanner || source->seam == 0, SYC_E_INVALID_PARAMETER,
                  "%s: '%s' is a reduction, and a scan has scanners: pass pysycl.scanner(op, dtype)",
                  syc__text_name(source->parts, source->part_count), name->name);
        SYC_CHECK(!name->reducer.scanner || source->seam > 0, SYC_E_INVALID_PARAMETER,
                  "body: '%s' is a scanner, which is for parallel_scan", name->name);
    }
    SYC_CHECK(source->seam == 0 || scanners > 0, SYC_E_INVALID_PARAMETER,
              "body: a scan without a scanner: pass t=pysycl.scanner(op, dtype), and in the first text t += value");
    SYC_CHECK(scanners <= MOST, SYC_E_INVALID_PARAMETER, "body: %u scanners, and a scan can have %d", scanners, MOST);
done:
    return status;
}

syc_status syc__scan_check(const syc_body *body)
{
    for (size_t i = 0; i < body->source.count && body->source.seam > 0; i++) {
        const syc_name *name = &body->source.names[i];
        const syc__use *use = &body->reading.uses[i];
        syc__place place;
        char words[300];
        if (!use->assigns || use->assigned.line >= body->source.seam)
            continue;
        place = syc__body_place(&body->source, body->text, use->assigned);
        (void)snprintf(words, sizeof words,
                       strcmp(place.name, "text") == 0 /* of generate(), which has no second */
                           ? "this text may run several times for an element, so it writes to no array, as to '%.60s'"
                           : "the first text of a scan may run several times for an element, so it writes nothing: "
                             "write to '%.60s' in the second",
                       name->name);
        return syc__refuse_at(place.name, place.text, place.at, words);
    }
    return SYC_OK;
}

size_t syc_scan_bytes(const syc_name *name)
{
    return name->reducer.restarts ? 2 * syc_partial_bytes(name) : syc_partial_bytes(name);
}

size_t syc_scan_warp_bytes(size_t cell, unsigned elements, unsigned lanes)
{
    return 2 * ((size_t)elements * lanes + 5) * cell;
}

const char *syc__scan_line(const char *text, size_t line)
{
    for (size_t at = 1; at < line && text != NULL; at++)
        text = (text = strchr(text, '\n')) != NULL ? text + 1 : NULL;
    return text != NULL ? text : "";
}

bool syc__scan_has_second(const syc_body *body)
{
    const char *at = syc__scan_line(body->text, body->source.seam + 1);
    return at[strspn(at, " \t\r\n\v\f")] != '\0';
}

bool syc__scan_has_marks(const syc_name *name)
{
    return syc__is_reducer(name) && name->reducer.restarts && name->reducer.befores;
}

bool syc__scan_has_numbers(const syc_name *name)
{
    syc_dtype type;
    unsigned width;
    return syc__accumulates_values(name) && !name->op.boolean && syc__name_is_plain(name, &type, &width) &&
           width == 1 && type != SYC_HALF &&
           syc__native_of(name->op.operation, strcspn(name->op.operation, " ")) != NULL &&
           strncmp(name->op.operation, "logical", 7) != 0;
}

bool syc__scan_is_native(const syc_name *name)
{
    return syc__scan_has_numbers(name) && !name->reducer.restarts;
}

bool syc__scan_has_vectors(const syc__writer *w, const syc_name *name)
{
    return w->form.packs && syc__scan_has_numbers(name);
}

bool syc_body_scans_vectors(const syc_body *body)
{
    for (size_t i = 0; i < body->source.count; i++)
        if (syc__is_reducer(&body->source.names[i]) && syc__scan_has_numbers(&body->source.names[i]))
            return true;
    return false;
}
