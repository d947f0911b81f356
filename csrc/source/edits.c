/* Replacements in a text, made at once. */
#include "source/edits.h"

#include <stdlib.h>
#include <string.h>

syc_status syc__edits_put(syc_arena *arena, syc__edits *edits, const syc__replacement *edit)
{
    syc_status status = SYC_OK;
    SYC_TRY(syc__arena_grow(arena, &edits->items, &edits->capacity, edits->count + 1, sizeof *edits->items));
    edits->items[edits->count] = *edit;
    edits->items[edits->count].number = edits->count;
    edits->count++;
done:
    return status;
}

static int compare(const void *a, const void *b)
{
    const syc__replacement *x = a, *y = b;
    if (x->at != y->at)
        return x->at < y->at ? -1 : 1;
    if (x->rank != y->rank)
        return x->rank < y->rank ? -1 : 1;
    return x->number < y->number ? -1 : 1;
}

static bool was_put(const syc__edits *edits, size_t index)
{
    const syc__replacement *edit = &edits->items[index], *other = edit;
    while (other-- != edits->items && other->at == edit->at && other->rank == edit->rank)
        if (strcmp(other->text, edit->text) == 0)
            return true;
    return false;
}

/* A line of the source: what #line says of it, and where it begins in the edited text. */
struct line {
    syc_slice file;
    size_t number, begin;
};

/* The line at the beginning of `rest`. */
static void begin_line(syc_slice rest, size_t written, struct line *line)
{
    size_t number;
    line->begin = written;
    line->number = syc__line_directive(syc__slice_line(rest), &number, &line->file) ? number - 1 : line->number + 1;
}

static syc_status note_shift(const struct line *line, const syc__replacement *edit, const syc_text *out,
                             syc__shifts *shifts)
{
    return syc__shifts_push(shifts, line->file,
                            &(syc__shift){.line = (uint32_t)line->number,
                                          .column = (uint32_t)(out->length - line->begin + 1),
                                          .added = (uint32_t)strlen(edit->text),
                                          .removed = (uint32_t)edit->removed});
}

syc_status syc__edits_apply(syc__edits *edits, syc_slice file, syc_slice source, syc_text *out, syc__shifts *shifts)
{
    struct line line = {.file = file};
    size_t at = 0;
    syc_status status = SYC_OK;

    if (edits->count > 1)
        qsort(edits->items, edits->count, sizeof *edits->items, compare);
    begin_line(source, 0, &line);
    for (size_t i = 0; i <= edits->count; i++) {
        const syc__replacement *edit = i < edits->count ? &edits->items[i] : NULL;
        size_t to = edit != NULL ? edit->at : source.length, begin = out->length;
        if (edit != NULL && edit->once && was_put(edits, i))
            continue;
        syc_text_add_n(out, source.text + at, to - at);
        for (size_t k = at; k < to; k++)
            if (source.text[k] == '\n')
                begin_line(syc__slice_from(source, k + 1), begin + (k + 1 - at), &line);
        if (edit == NULL)
            break;
        SYC_TRY(note_shift(&line, edit, out, shifts));
        syc_text_add(out, "%s", edit->text);
        at = to + edit->removed;
    }
done:
    return status;
}
