/* Which functions come to group functions, and their tokens for the files that look at statements. */
#include "library/checks/converge.h"

#include "library/checks/converge_parts.h"

#include <stdatomic.h>
#include <string.h>

static atomic_bool checks;

void syc_collectives_check(bool on)
{
    atomic_store(&checks, on);
}

bool syc_collectives_checked(void)
{
    return atomic_load(&checks);
}

/* -- who comes to what -- */

static bool is(const syc__scratch_reading *r, size_t token, const char *text)
{
    return syc__scratch_is(r, token, text);
}

/* Of a token: a call of a group function, or a mention of something of the text's own that makes one. */
static enum syc__reach reach_of(const syc__scratch_reading *r, size_t token)
{
    const syc_token *t = &r->tokens.items[token];
    const syc__word *word = t->kind == SYC_TOKEN_WORD ? syc__word_map_get(&r->names, t) : NULL;
    enum syc__reach reach = SYC__REACH_NONE;

    if (t->kind != SYC_TOKEN_WORD || (token > 0 && (is(r, token - 1, ".") || is(r, token - 1, "->"))))
        return SYC__REACH_NONE;
    if (word != NULL && word->pieces != NULL) {
        for (const struct syc__link *link = word->pieces; link != NULL; link = link->next_piece)
            if (link->piece->reach > reach)
                reach = link->piece->reach;
        return reach;
    }
    reach = is(r, token + 1, "(") ? syc__collective(t) : SYC__REACH_NONE;
    if (reach == SYC__REACH_ANY_GROUP)
        reach = is(r, token + (is(r, token + 2, "execution_group") ? 4 : 2), "sub_group") ? SYC__REACH_SUB_GROUP
                                                                                          : SYC__REACH_WORK_GROUP;
    return reach;
}

void syc__converge_reach(syc__scratch_reading *r)
{
    for (bool more = true; more;) {
        more = false;
        for (size_t i = 0; i < r->count; i++) {
            syc__piece *piece = r->pieces[i];
            for (size_t at = piece->from; at < piece->to; at++) {
                enum syc__reach reach = reach_of(r, at);
                more = more || reach > piece->reach;
                piece->reach = reach > piece->reach ? (unsigned char)reach : piece->reach;
            }
        }
    }
}

/* -- what cannot be checked -- */

static const char *const flow_words[] = {"if",       "for",  "while", "do", "switch", "return", "break",
                                         "continue", "goto", "&&",    "||", "?",      NULL},
                         *const jump_words[] = {"return", "break", "continue", "goto", NULL};

static bool has_any(const syc__scratch_reading *r, const syc__piece *piece, const char *const *words)
{
    for (size_t at = piece->from; at < piece->to; at++)
        if (r->tokens.items[at].kind != SYC_TOKEN_STRING && syc__token_in(&r->tokens.items[at], words))
            return true;
    return false;
}

static bool is_macro_text(const syc__scratch_reading *r, const syc__piece *piece)
{
    const syc__word *word = syc__word_map_get(&r->names, &r->tokens.items[piece->name]);
    return !piece->function && piece->to > piece->from && word != NULL && word->macro;
}

/* Does the text define functions in a macro? Then those are pieces of their own. */
static bool holds_function(const syc__scratch_reading *r, const syc__piece *macro)
{
    for (size_t i = 0; i < r->count; i++)
        if (r->pieces[i]->function && r->pieces[i]->from > macro->from && r->pieces[i]->to <= macro->to)
            return true;
    return false;
}

static const char *why_not(const syc__scratch_reading *r)
{
    static const char *const jumps[] = {"goto", NULL};
    for (size_t i = 0; i < r->count; i++) {
        const syc__piece *piece = r->pieces[i];
        bool macro = is_macro_text(r, piece);
        if (macro && piece->reach != SYC__REACH_NONE && has_any(r, piece, flow_words) && !holds_function(r, piece))
            return "a macro of it has both group functions and control flow";
        if (macro && has_any(r, piece, jump_words) && !holds_function(r, piece))
            return "a macro of it jumps";
        if (piece->marked && (piece->spelled != NULL || piece->strange))
            return "the head of a function with group functions is put together by a macro";
        if (piece->marked && piece->function && has_any(r, piece, jumps))
            return "it has goto beside group functions";
        if (!piece->kernel || !piece->marked)
            continue;
        for (const struct syc__link *link = piece->words; link != NULL; link = link->next_word)
            for (size_t at = 0; at + 1 < r->tokens.count; at++)
                if (at != piece->name && syc__token_same(&r->tokens.items[at], link->word->token) &&
                    is(r, at + 1, "(") && piece->function)
                    for (size_t k = 0; k < r->count; k++)
                        if (at >= r->pieces[k]->from && at < r->pieces[k]->to && r->pieces[k]->function)
                            return "a kernel of it calls a kernel";
    }
    return NULL;
}

/* -- functions -- */

static enum syc__jump jump_of(const syc_token *t)
{
    if (t->kind != SYC_TOKEN_WORD)
        return SYC__JUMP_NONE;
    if (syc__token_is(t, "return"))
        return SYC__JUMP_RETURN;
    if (syc__token_is(t, "break"))
        return SYC__JUMP_BREAK;
    return syc__token_is(t, "continue") ? SYC__JUMP_CONTINUE : SYC__JUMP_NONE;
}

/* Does each bracket have a partner? */
static bool pairs(const syc_token_stream *s)
{
    size_t open = 0, closed = 0;
    for (size_t at = 0; at < s->count; at++) {
        open += s->match[at] > at;
        closed += syc__stream_is(s, at, ")") || syc__stream_is(s, at, "]") || syc__stream_is(s, at, "}");
        if (s->match[at] == s->count)
            return false;
    }
    return open == closed;
}

/* The tokens of the body, with its brackets paired. */
static syc_status read_tokens(syc__flow *f, const syc__piece *piece)
{
    const syc__scratch_reading *r = f->r;
    syc_status status = SYC_OK;
    syc_tokens tokens = {0};

    SYC_TRY(syc__arena_alloc(&f->r->arena, (piece->to - piece->from + 1) * sizeof *f->items, &f->items));
    for (size_t token = piece->from; token < piece->to; token++) {
        const syc_token *t = &r->tokens.items[token];
        if (t->first && syc__token_is(t, "#")) {
            while (token + 1 < piece->to && !r->tokens.items[token + 1].first)
                token++;
            continue;
        }
        f->items[tokens.count] =
            (syc__flow_token){.token = token, .reach = (unsigned char)reach_of(r, token), .jump = jump_of(t)};
        SYC_TRY(syc__tokens_push(&f->r->arena, &tokens, t));
    }
    SYC_TRY(syc__tokens_push(&f->r->arena, &tokens, &(syc_token){.text = "", .kind = SYC_TOKEN_END}));
    SYC_TRY(syc__stream_init(&f->s, &f->r->arena, &tokens));
    f->bad = !pairs(&f->s);
done:
    return status;
}

static bool gives_value(const syc__scratch_reading *r, const syc__piece *piece)
{
    size_t before = piece->first_name - piece->wrapped;
    return !piece->kernel && !(before > 0 && is(r, before - 1, "void"));
}

static syc_status edit_function(const syc__piece *piece, syc__scratch_reading *r, syc__sites *sites, const char **why)
{
    syc__flow f = {.r = r, .sites = sites, .gives = gives_value(r, piece)};
    syc_status status = SYC_OK;

    f.leave = f.gives ? "(void)0" : "return";
    SYC_TRY(read_tokens(&f, piece));
    if (!f.bad)
        SYC_TRY(syc__flow_edit(&f));
    if (f.bad)
        *why = "the braces or statements of a function of it cannot be told apart without its preprocessor";
done:
    return status;
}

syc_status syc__converge_edit(syc__scratch_reading *r, syc__sites *sites, bool *apart, const char **why)
{
    syc_status status = SYC_OK;

    *why = why_not(r);
    *apart = true;
    for (size_t i = 0; i < r->count && *why == NULL; i++) {
        const syc__piece *piece = r->pieces[i];
        *apart = *apart && piece->reach <= SYC__REACH_SUB_GROUP;
        if (piece->marked && piece->function && piece->reach != SYC__REACH_NONE)
            SYC_TRY(edit_function(piece, r, sites, why));
    }
done:
    return status;
}
