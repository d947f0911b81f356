/* Finds what in a body needs work-groups: words of the text itself, and calls of functions that come to such words. */
#include "body/parts.h"
#include "body/reading.h"
#include "source/declarations/parser.h"
#include "source/tokens.h"

#include <string.h>

/* By the form itself. */
static bool is_answered(const syc_token *token)
{
    return syc__body_word(token) >= SYC__WORD_GET_ID;
}

static bool sees_groups(const syc_token_stream *s, size_t at, bool in_body)
{
    if (in_body && is_answered(&s->tokens[at]))
        return false;
    return syc__sees_shape(s, at) || syc__stream_is(s, at, "get_global_id");
}

/* A stream tells work-items by where they really are, whatever the form makes of their ids. */
static bool belongs_to_streams(const syc_function *f)
{
    static const char prefix[] = "syc_stream_";
    return f->name->library && f->name->length > sizeof prefix && memcmp(f->name->text, prefix, sizeof prefix - 1) == 0;
}

/* Does a call reach a function that needs work-groups? Functions that were passed before do not. */
static bool reaches_groups(const syc_unit *unit, const syc_callee *callee, unsigned depth)
{
    enum { DEEP = 64 }; /* a chain of calls this long is not followed: the safe answer */
    if (depth > DEEP)
        return true;
    for (syc_function *f = callee->last; f != NULL; f = f->overload) {
        if (f->passed || belongs_to_streams(f))
            continue;
        f->passed = true;
        for (size_t at = f->head; at < f->close; at++)
            if (sees_groups(&unit->stream, at, false))
                return true;
        for (size_t i = 0; i < f->call_count; i++)
            if (reaches_groups(unit, f->calls[i], depth + 1))
                return true;
    }
    return false;
}

static void note_group_word(const syc__scan *scan, const syc_token *word, syc__position at)
{
    syc__reading *reading = scan->reading;
    size_t length = word->length < SYC__MAX_WORD ? word->length : SYC__MAX_WORD;
    memcpy(reading->group_word, word->text, length);
    reading->group_word[length] = '\0';
    reading->group_at = at;
    reading->traits.grouped = true;
}

void syc__body_find_groups(const syc__scan *scan)
{
    const syc_token_stream *s = &scan->unit->stream;

    for (size_t at = scan->first; at < scan->last; at++) {
        const syc_callee *callee;
        if (!syc__is_free_word(s, at) || is_answered(&s->tokens[at]))
            continue;
        callee = syc__is_call(s, at) ? syc__word_map_get(&scan->unit->callees, &s->tokens[at]) : NULL;
        if (sees_groups(s, at, true) || (callee != NULL && reaches_groups(scan->unit, callee, 0))) {
            note_group_word(scan, &s->tokens[at], syc__scan_position(scan, at));
            return;
        }
    }
    for (size_t i = 0; i < scan->source->count; i++) {
        const char *name = scan->source->names[i].name;
        const syc_token word = {.text = name, .length = (uint32_t)strlen(name)};
        if (scan->source->names[i].kind == SYC_NAME_LOCAL) {
            note_group_word(scan, &word, (syc__position){0});
            return;
        }
    }
}
