/* Functions and macros that need scratch: they mention a name of the library that does, or a name that needs it for
 * such a mention. The text as it was written tells of all branches; the text as the preprocessor leaves it tells what
 * macros really make: functions with pasted names, calls that are a macro's argument. What either says counts. */
#include "library/checks/converge.h"
#include "library/scratch_parts.h"
#include "source/preprocessor/preprocess.h"

#include <string.h>

struct syc__user {
    struct syc__user *next;
    syc__piece *piece;
};

typedef struct spread {
    syc__scratch_reading *r;
    syc__word *marked; /* not followed yet */
} spread;

/* -- who mentions whom -- */

static syc_status add_user(syc__scratch_reading *r, syc__word *word, syc__piece *piece)
{
    syc_status status = SYC_OK;
    struct syc__user *user = NULL;

    if (word->users != NULL && word->users->piece == piece)
        goto done;
    SYC_TRY(syc__arena_alloc(&r->arena, sizeof *user, &user));
    *user = (struct syc__user){word->users, piece};
    word->users = user;
done:
    return status;
}

static bool is_member(const syc_token *tokens, size_t at)
{
    return at > 0 && (syc__token_is(&tokens[at - 1], ".") || syc__token_is(&tokens[at - 1], "->"));
}

static syc_status read_mentions(syc__scratch_reading *r, const syc_token *tokens, size_t from, size_t to,
                                syc__piece *piece)
{
    syc_status status = SYC_OK;
    for (size_t at = from; at < to; at++) {
        syc__word *word = tokens[at].kind == SYC_TOKEN_WORD ? syc__word_map_get(&r->names, &tokens[at]) : NULL;
        if (word != NULL && !is_member(tokens, at))
            SYC_TRY(add_user(r, word, piece));
    }
done:
    return status;
}

/* -- what the preprocessor makes of the text -- */

static syc_status preprocess(spread *s, const syc__scratch_source *source)
{
    syc_status status = SYC_OK;
    syc_preprocessed text = {0};

    SYC_TRY(syc__preprocess_behind(&s->r->arena, source->prelude, source->prelude_length, &s->r->tokens,
                                   source->options, &text));
    SYC_TRY(syc__stream_init(&s->r->unit.stream, &s->r->arena, &text.tokens));
    SYC_TRY(syc__unit_read(&s->r->unit));
    s->r->unit_copy = s->r->unit.stream.tokens[s->r->unit.stream.count].text - s->r->copied;
done:
    return status;
}

/* Pieces by where their '{' is in the lexer's copy. */
static syc_status index_pieces(const syc__scratch_reading *r, syc_arena *arena, syc__piece ***out)
{
    syc_status status = SYC_OK;
    SYC_TRY(syc__arena_alloc(arena, (r->copied + 1) * sizeof **out, out));
    for (size_t i = 0; i < r->count; i++)
        if (r->pieces[i]->function)
            (*out)[r->tokens.items[r->pieces[i]->from - 1].text - r->copy] = r->pieces[i];
done:
    return status;
}

/* The piece that the function was made by; a new one, which cannot be edited, where a macro has made its '{'. */
static syc_status find_piece(spread *s, syc__piece *const *pieces, const syc_function *function, syc__piece **out)
{
    syc__scratch_reading *r = s->r;
    const char *brace = s->r->unit.stream.tokens[function->body].text;
    syc_status status = SYC_OK;

    *out = brace >= s->r->unit_copy && brace < s->r->unit_copy + r->copied ? pieces[brace - s->r->unit_copy] : NULL;
    if (*out == NULL) {
        SYC_TRY(syc__arena_alloc(&r->arena, sizeof **out, out));
        **out = (syc__piece){.strange = true, .made = true, .spelled = function->name};
        SYC_TRY(syc__scratch_keep(r, *out));
    }
    (*out)->kernel = (*out)->kernel || function->kernel;
    if ((*out)->made || !syc__token_same(&r->tokens.items[(*out)->name], function->name))
        SYC_TRY(syc__scratch_name(r, *out, function->name));
done:
    return status;
}

static syc_status read_unit(spread *s, const syc__scratch_source *source)
{
    syc__scratch_reading *r = s->r;
    syc_unit *unit = &s->r->unit;
    syc__piece **pieces = NULL, **made = NULL;
    syc_status status = SYC_OK;

    SYC_TRY(preprocess(s, source));
    SYC_TRY(index_pieces(r, &r->arena, &pieces));
    SYC_TRY(syc__arena_alloc(&r->arena, (unit->count + 1) * sizeof *made, &made));
    for (size_t i = 0; i < unit->count; i++)
        if (!unit->functions[i]->name->library)
            SYC_TRY(find_piece(s, pieces, unit->functions[i], &made[i]));
    for (size_t i = 0; i < unit->count; i++)
        if (made[i] != NULL)
            SYC_TRY(read_mentions(r, unit->stream.tokens, unit->functions[i]->body + 1, unit->functions[i]->close,
                                  made[i]));
done:
    return status;
}

/* -- marks -- */

static void mark_word(spread *s, syc__word *word)
{
    if (word->marked)
        return;
    word->marked = true;
    word->next = s->marked;
    s->marked = word;
}

/* A kernel has its own scratch, so whoever calls it needs none for that. */
static void mark_piece(spread *s, syc__piece *piece)
{
    if (piece->marked)
        return;
    piece->marked = true;
    for (const struct syc__link *link = piece->words; link != NULL && !piece->kernel; link = link->next_word)
        mark_word(s, link->word);
}

/* Overloads of one name are not told apart: all of them get what one of them needs. */
static void follow(spread *s)
{
    while (s->marked != NULL) {
        syc__word *word = s->marked;
        s->marked = word->next;
        for (const struct syc__user *user = word->users; user != NULL; user = user->next)
            mark_piece(s, user->piece);
        for (const struct syc__link *link = word->pieces; link != NULL; link = link->next_piece)
            mark_piece(s, link->piece);
    }
}

static syc_status mark_name(spread *s, const char *name)
{
    const syc_token token = {.text = name, .length = (uint32_t)strlen(name), .kind = SYC_TOKEN_WORD};
    syc_status status = SYC_OK;
    syc_token *kept = NULL;
    syc__word *word;

    SYC_TRY(syc__arena_alloc(&s->r->arena, sizeof *kept, &kept));
    *kept = token;
    SYC_TRY(syc__scratch_word(s->r, kept, &word));
    mark_word(s, word);
done:
    return status;
}

static syc_status mark_token(spread *s, const syc_token *token)
{
    syc_status status = SYC_OK;
    syc__word *word;

    SYC_TRY(syc__scratch_word(s->r, token, &word));
    mark_word(s, word);
done:
    return status;
}

syc_status syc__scratch_spread(syc__scratch_reading *r, const syc__scratch_source *source)
{
    spread s = {.r = r};
    syc_status status = SYC_OK;

    r->unit.stream.arena = &r->arena;
    SYC_TRY(mark_name(&s, "syc_scratch"));
    for (size_t i = 0; i < source->use->scratch_count; i++)
        SYC_TRY(mark_name(&s, source->use->scratch[i]));
    for (size_t at = 0; source->use->checked && at < r->tokens.count; at++)
        if (r->tokens.items[at].kind == SYC_TOKEN_WORD && syc__collective(&r->tokens.items[at]) != SYC__REACH_NONE)
            SYC_TRY(mark_token(&s, &r->tokens.items[at]));
    SYC_TRY(read_unit(&s, source));
    for (size_t i = 0; i < r->count; i++)
        SYC_TRY(read_mentions(r, r->tokens.items, r->pieces[i]->from, r->pieces[i]->to, r->pieces[i]));
    follow(&s);
done:
    return status;
}
