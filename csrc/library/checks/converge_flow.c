/* Statements: which of them decide whether a group function is reached, and what is put around them. */
#include "base/alloc.h"
#include "library/checks/converge_parts.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* -- places -- */

const syc_token *syc__flow_at(const syc__flow *f, size_t at)
{
    return &f->s.tokens[at < f->s.count ? at : f->s.count];
}

bool syc__flow_is(const syc__flow *f, size_t at, const char *text)
{
    return syc__stream_is(&f->s, at, text);
}

enum syc__reach syc__flow_reach(const syc__flow *f, size_t from, size_t to)
{
    enum syc__reach reach = SYC__REACH_NONE;
    for (size_t at = from; at < to; at++)
        if (f->items[at].reach > reach)
            reach = f->items[at].reach;
    return reach;
}

size_t syc__flow_find(const syc__flow *f, size_t from, size_t to)
{
    while (from < to && f->items[from].reach == SYC__REACH_NONE)
        from++;
    return from;
}

/* -- what is put in -- */

static syc_status insert(syc__flow *f, size_t at, size_t removed, const char *format, va_list args)
{
    enum { ROOM = 240 };
    syc_status status = SYC_OK;
    char *text = NULL;

    SYC_TRY(syc__arena_alloc(&f->r->arena, ROOM, &text));
    (void)vsnprintf(text, ROOM, format, args);
    status = syc__scratch_put(f->r, SYC__PUT_FLOW, at, removed, text);
done:
    return status;
}

syc_status syc__flow_before(syc__flow *f, size_t at, size_t removed, const char *format, ...)
{
    va_list args;
    syc_status status;
    va_start(args, format);
    status = insert(f, syc__scratch_offset(f->r, f->items[at].token), removed, format, args);
    va_end(args);
    return status;
}

syc_status syc__flow_behind(syc__flow *f, size_t at, const char *format, ...)
{
    va_list args;
    syc_status status;
    va_start(args, format);
    status = insert(f, syc__scratch_end(f->r, f->items[at].token), 0, format, args);
    va_end(args);
    return status;
}

/* The line that #line gives it, and the column: bodies stand in texts of ours. `file` is the name in quotes. */
static uint32_t told_line(const syc__flow *f, size_t at, uint32_t *column, const syc_token **file)
{
    const syc_token *tokens = f->r->tokens.items;
    size_t token = at < f->s.count ? f->items[at].token : f->r->tokens.count - 1;
    *column = tokens[token].column;
    *file = NULL;
    for (size_t i = token + 1; i-- > 0;) {
        if (!tokens[i].first || !syc__token_is(&tokens[i], "#") || !syc__token_is(&tokens[i + 1], "line"))
            continue;
        *file = tokens[i + 3].kind == SYC_TOKEN_STRING ? &tokens[i + 3] : NULL;
        return (uint32_t)strtoul(tokens[i + 2].text, NULL, 10) + tokens[token].line - tokens[i].line - 1;
    }
    return tokens[token].line;
}

syc_status syc__flow_site(syc__flow *f, enum syc__site_kind kind, size_t decides, size_t call, unsigned argument,
                          size_t *index)
{
    const syc_token *word = syc__flow_at(f, decides), *name = syc__flow_at(f, call);
    syc__sites *sites = f->sites;
    syc__site site = {.kind = kind, .argument = argument};
    syc_status status = SYC_OK;
    const syc_token *file;
    uint32_t column;

    site.line = told_line(f, decides, &column, &file);
    site.call_line = told_line(f, call, &site.call_column, &file);
    if (file != NULL && file->length > 2)
        (void)snprintf(site.call_file, sizeof site.call_file, "%.*s", (int)file->length - 2, file->text + 1);
    (void)snprintf(site.word, sizeof site.word, "%.*s", (int)word->length, word->text);
    (void)snprintf(site.call, sizeof site.call, "%.*s", (int)name->length, name->text);
    SYC_TRY(syc_grow(&sites->items, &sites->capacity, sites->count + 1, sizeof *sites->items));
    *index = sites->count;
    sites->items[sites->count++] = site;
done:
    return status;
}

static const char *group_of(enum syc__reach reach)
{
    return reach == SYC__REACH_SUB_GROUP ? "sub_group" : "work_group";
}

syc_status syc__flow_agree(syc__flow *f, enum syc__site_kind kind, size_t decides, size_t call, size_t from, size_t to,
                           enum syc__reach reach)
{
    syc_status status = SYC_OK;
    size_t site;

    if (from >= to) /* for (;;) */
        return SYC_OK;
    SYC_TRY(syc__flow_site(f, kind, decides, call, 0, &site));
    SYC_TRY(syc__flow_before(f, from, 0, "SYC_AGREE%s(%s, %zu, %s, ", kind == SYC__SITE_VALUE ? "_VALUE" : "",
                             group_of(reach), site, f->leave));
    SYC_TRY(syc__flow_behind(f, to - 1, ")/*%zu*/", site));
done:
    return status;
}

/* -- statements -- */

static syc__statement read(syc__flow *f, size_t at)
{
    const syc__statement one = syc__statement_read(&f->s, at, f->s.count);
    f->bad = f->bad || one.end == 0;
    return one;
}

static bool loops(const syc__statement *one)
{
    return one->kind == SYC__STATEMENT_LOOP || one->kind == SYC__STATEMENT_DO;
}

/* -- jumps -- */

/* A loop or switch, and what is around it. */
struct around {
    const struct around *outer;
    size_t from, to;
    bool loop;
};

static bool passes(const syc__flow *f, size_t at, const struct around *around)
{
    if (f->items[at].jump == SYC__JUMP_RETURN) {
        bool again = false;
        for (; around != NULL; around = around->outer)
            again = again || (around->loop && syc__flow_reach(f, around->from, around->to) != SYC__REACH_NONE);
        return again || syc__flow_reach(f, at, f->s.count) != SYC__REACH_NONE;
    }
    while (around != NULL && f->items[at].jump == SYC__JUMP_CONTINUE && !around->loop)
        around = around->outer;
    return around != NULL && syc__flow_reach(f, around->from, around->to) != SYC__REACH_NONE;
}

/* Finds which jumps leave group functions out. */
static void find_jumps(syc__flow *f, size_t from, size_t to, const struct around *outer)
{
    for (size_t at = from; at < to && !f->bad;) {
        const syc__statement one = read(f, at);
        const struct around own = {outer, at, one.end, loops(&one)};
        f->items[at].passes = f->items[at].jump != SYC__JUMP_NONE && passes(f, at, outer);
        find_jumps(f, one.body, one.body_end, loops(&one) || one.kind == SYC__STATEMENT_SWITCH ? &own : outer);
        if (one.other > 0)
            find_jumps(f, one.other, one.end, outer);
        at = one.end;
    }
}

static bool jumps_out(const syc__flow *f, size_t from, size_t to, bool values)
{
    for (size_t at = from; at < to; at++)
        if (f->items[at].passes && (!values || (f->gives && f->items[at].jump == SYC__JUMP_RETURN)))
            return true;
    return false;
}

/* -- edits -- */

static syc_status edit_all(syc__flow *f, size_t from, size_t to);

/* The group function that a jump in the statement leaves out. */
static size_t passed_by(const syc__flow *f, size_t end)
{
    size_t call = syc__flow_find(f, end, f->s.count);
    return call < f->s.count ? call : syc__flow_find(f, 0, f->s.count);
}

/* A statement without group functions, but with jumps past some: each goes to its end instead, with the way it would
 * have taken, and there all items are. */
static syc_status fence(syc__flow *f, size_t from, size_t to)
{
    static const char *const ways[] = {"", "return", "break", "continue"};
    enum syc__reach reach = syc__flow_reach(f, 0, f->s.count);
    bool taken[4] = {false};
    char out[120] = "";
    size_t site, length = 0;
    syc_status status = SYC_OK;

    SYC_TRY(syc__flow_site(f, SYC__SITE_WAY, from, passed_by(f, to), 0, &site));
    SYC_TRY(syc__flow_before(f, from, 0, "{ uint syc_way = 0; "));
    for (size_t at = from; at < to; at++) {
        size_t end = at + 1;
        if (!f->items[at].passes)
            continue;
        taken[f->items[at].jump] = true;
        if (!syc__flow_is(f, end, ";")) {
            f->bad = true;
            goto done;
        }
        SYC_TRY(syc__flow_before(
            f, at, syc__scratch_end(f->r, f->items[end].token) - syc__scratch_offset(f->r, f->items[at].token),
            "{ syc_way = %d; goto syc_end_%zu; }", f->items[at].jump, site));
    }
    for (int way = 1; way <= 3; way++)
        if (taken[way])
            length += (size_t)snprintf(out + length, sizeof out - length, " if (syc_way == %d) %s;", way, ways[way]);
    SYC_TRY(syc__flow_behind(f, to - 1, " syc_end_%zu:; SYC_AGREE_WAY(%s, %zu, %s, syc_way)%s }", site, group_of(reach),
                             site, f->leave, out));
done:
    return status;
}

/* The group functions that the statement from..end decides on: its own, or those that its jumps pass by. */
static enum syc__reach decided(const syc__flow *f, size_t from, size_t end, size_t *call)
{
    enum syc__reach reach = syc__flow_reach(f, from, end);
    *call = syc__flow_find(f, from, end);
    if (reach != SYC__REACH_NONE || !jumps_out(f, from, end, false))
        return reach;
    *call = passed_by(f, end);
    return syc__flow_reach(f, 0, f->s.count);
}

/* The parts of "for (a; b; c)". */
static syc_status edit_for(syc__flow *f, size_t at, const syc__statement *one)
{
    size_t from = one->open + 1, parts[2] = {0}, found = 0, call;
    enum syc__reach reach = decided(f, at, one->end, &call);
    syc_status status = SYC_OK;

    for (size_t k = from; k < one->close && found < 2; k++) {
        if (syc__flow_is(f, k, ";"))
            parts[found++] = k;
        k = f->s.match[k];
    }
    if (found < 2) {
        f->bad = true;
        return SYC_OK;
    }
    SYC_TRY(syc__flow_agree(f, SYC__SITE_CONDITION, at, call, parts[0] + 1, parts[1], reach));
    SYC_TRY(syc__flow_expression(f, from, one->close));
done:
    return status;
}

/* "if", "while", "switch": what decides, where that matters. */
static syc_status edit_head(syc__flow *f, size_t at, const syc__statement *one)
{
    size_t call;
    enum syc__reach reach = decided(f, syc__flow_is(f, at, "while") ? at : one->body, one->end, &call);
    syc_status status = SYC_OK;

    if (reach != SYC__REACH_NONE)
        SYC_TRY(syc__flow_agree(f, one->kind == SYC__STATEMENT_SWITCH ? SYC__SITE_VALUE : SYC__SITE_CONDITION, at, call,
                                one->open + 1, one->close, reach));
    SYC_TRY(syc__flow_expression(f, one->open + 1, one->close));
done:
    return status;
}

static syc_status edit_do(syc__flow *f, size_t at, const syc__statement *one)
{
    size_t call;
    enum syc__reach reach = decided(f, at, one->end, &call);
    syc_status status = SYC_OK;

    SYC_TRY(edit_all(f, one->body, one->body_end));
    SYC_TRY(syc__flow_agree(f, SYC__SITE_CONDITION, one->body_end, call, one->open + 1, one->close, reach));
    SYC_TRY(syc__flow_expression(f, one->open + 1, one->close));
done:
    return status;
}

static syc_status edit(syc__flow *f, size_t at, const syc__statement *one)
{
    const bool reaches = syc__flow_reach(f, at, one->end) != SYC__REACH_NONE;
    syc_status status = SYC_OK;

    if (!reaches && (!jumps_out(f, at, one->end, false) || f->items[at].jump != SYC__JUMP_NONE))
        return SYC_OK;
    if (one->kind == SYC__STATEMENT_BLOCK)
        return edit_all(f, one->body, one->body_end);
    if (!reaches && !jumps_out(f, at, one->end, true))
        return fence(f, at, one->end);
    if (one->kind == SYC__STATEMENT_DO)
        return edit_do(f, at, one);
    if (one->body == 0)
        return syc__flow_expression(f, at, one->end);
    SYC_TRY(syc__flow_is(f, at, "for") ? edit_for(f, at, one) : edit_head(f, at, one));
    SYC_TRY(edit_all(f, one->body, one->body_end));
    SYC_TRY(edit_all(f, one->other, one->other > 0 ? one->end : 0));
done:
    return status;
}

static syc_status edit_all(syc__flow *f, size_t from, size_t to)
{
    syc_status status = SYC_OK;
    while (from < to && !f->bad) {
        const syc__statement one = read(f, from);
        if (!f->bad)
            SYC_TRY(edit(f, from, &one));
        from = one.end;
    }
done:
    return status;
}

syc_status syc__flow_edit(syc__flow *f)
{
    find_jumps(f, 0, f->s.count, NULL);
    return f->bad ? SYC_OK : edit_all(f, 0, f->s.count);
}
