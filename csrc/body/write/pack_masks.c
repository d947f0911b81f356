/* An `if` of vectors: its branches are done where there is a lane for which they are meant, and combine with the others
 * masked. "if (c) syc_combine_r(syc_r_r, v);" becomes
 *     { const syc_mask syc_if1 = (c); syc_mask syc_on1 = syc_on0 & syc_if1; if (any(syc_on1))
 *       syc_combines_r(syc_on1, syc_r_r, v); }
 * `else` changes syc_on1. The text has passed the grammar of read/can_pack.c. */
#include "body/write/pack.h"
#include "source/edit.h"
#include "source/tokens.h"

#include <string.h>

enum { MAX_IFS = 64 }; /* within each other, as the grammar has it */

typedef struct masks {
    syc__edit *edit;
    size_t braces;           /* that are open */
    size_t ifs[MAX_IFS + 1]; /* for each `if` around, how many were open before it */
    unsigned depth;          /* of those */
} masks;

static bool is(const masks *m, size_t at, const char *text)
{
    return syc__edit_is(m->edit, at, text);
}

/* "if (c)": gives the token behind it. */
static size_t begin_if(masks *m, size_t at)
{
    size_t close = syc__edit_match(m->edit, at + 1);

    m->ifs[++m->depth] = m->braces;
    syc__edit_copy(m->edit, at);
    syc__edit_add(m->edit, "{ const syc_mask syc_if%u = ", m->depth);
    syc__edit_skip(m->edit, at + 1);
    syc__edit_copy(m->edit, close + 1);
    syc__edit_add(m->edit, "; syc_mask syc_on%u = syc_on%u & syc_if%u; if (any(syc_on%u)) ", m->depth, m->depth - 1,
                  m->depth, m->depth);
    return close + 1;
}

/* A statement has ended before `at`: so have those `if` that it was all of. Gives the token that is next. */
static size_t end_statement(masks *m, size_t at)
{
    while (m->depth > 0 && m->ifs[m->depth] == m->braces) {
        syc__edit_copy(m->edit, at);
        if (is(m, at, "else")) {
            syc__edit_add(m->edit, " syc_on%u = syc_on%u & ~syc_if%u; if (any(syc_on%u)) ", m->depth, m->depth - 1,
                          m->depth, m->depth);
            syc__edit_skip(m->edit, at + 1);
            return at + 1;
        }
        syc__edit_add(m->edit, " }");
        m->depth--;
    }
    return at;
}

/* "syc_combine_r(": gives the token behind it. */
static size_t begin_combination(masks *m, size_t at)
{
    const syc_token *word = &m->edit->tokens.items[at];
    size_t length = sizeof "syc_combine_" - 1;

    syc__edit_copy(m->edit, at);
    syc__edit_add(m->edit, "syc_combines_%.*s(syc_on%u, ", (int)(word->length - length), word->text + length, m->depth);
    syc__edit_skip(m->edit, at + 2);
    return at + 2;
}

static bool is_combination(const masks *m, size_t at)
{
    const syc_token *word = &m->edit->tokens.items[at];
    return word->kind == SYC_TOKEN_WORD && word->length > sizeof "syc_combine_" - 1 &&
           strncmp(word->text, "syc_combine_", sizeof "syc_combine_" - 1) == 0 && is(m, at + 1, "(");
}

static void write_all(masks *m)
{
    size_t end = m->edit->tokens.count - 1;
    for (size_t at = 0; at < end;) {
        if (is(m, at, "if")) {
            at = begin_if(m, at);
        } else if (is_combination(m, at)) {
            at = begin_combination(m, at);
        } else {
            m->braces += is(m, at, "{");
            m->braces -= is(m, at, "}");
            at++;
            if (is(m, at - 1, ";") || is(m, at - 1, "}"))
                at = end_statement(m, at);
        }
    }
    syc__edit_end(m->edit);
}

syc_status syc__pack_write_masks(const char *text, syc_text *out)
{
    syc_status status = SYC_OK;
    syc_arena arena = {0};
    syc__edit edit = {0};
    masks m = {.edit = &edit};

    SYC_TRY(syc__edit_begin(&arena, text, &edit));
    write_all(&m);
    syc_text_add(out, "%s", syc_text_get(&edit.out));
    out->cut = out->cut || edit.out.cut;
done:
    syc_text_clear(&edit.out);
    syc__arena_clear(&arena);
    return status;
}
