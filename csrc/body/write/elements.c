/* The elements of a body as variables: words for them, and the text in which they stand for name[i]. */
#include "body/write/elements.h"

#include "body/write/pack.h"
#include "source/lexer.h"
#include "source/tokens.h"

#include <string.h>

bool syc__is_element(const syc__writer *w, size_t index)
{
    return w->body->source.names[index].kind == SYC_NAME_GLOBAL;
}

bool syc__is_stored(const syc__writer *w, size_t index)
{
    return syc__is_element(w, index) && w->body->reading.uses[index].assigns;
}

bool syc__is_loaded(const syc__writer *w, size_t index)
{
    return syc__is_element(w, index) && w->body->reading.uses[index].loaded;
}

/* -- the words for elements -- */

static bool is_free(const syc__elements *e, const char *word)
{
    const char *preamble = e->body->source.preamble;
    for (const syc_token *t = e->tokens.items; t->kind != SYC_TOKEN_END; t++)
        if (syc__token_is(t, word))
            return false;
    return preamble == NULL || strstr(preamble, word) == NULL;
}

/* "x_i_" for x[i]; another letter where the text has that word already. */
static syc_status name_element(syc__elements *e, size_t index)
{
    syc_status status = SYC_OK;
    const char *name = e->body->source.names[index].name;
    size_t length = strlen(name);
    char *word = NULL;

    SYC_TRY(syc__arena_alloc(&e->arena, length + 4, &word));
    memcpy(word, name, length);
    memcpy(word + length, "_i_", 4);
    for (char letter = 'a'; !is_free(e, word); letter++) {
        SYC_CHECK(letter <= 'z', SYC_E_KERNEL_NOT_SUPPORTED, "body: no word is left to stand for %s[i]", name);
        word[length + 1] = letter;
    }
    e->words[index] = word;
done:
    return status;
}

unsigned syc__move_lanes(const syc__writer *w, const syc_name *name)
{
    unsigned width = 1, lanes = 1;
    syc_dtype type;
    if (!syc__name_is_plain(name, &type, &width) || width > 1)
        return 1;
    while (lanes < w->form.elements && 2 * lanes * syc_dtype_size(type) <= 16)
        lanes *= 2;
    return lanes;
}

void syc__write_move(syc__writer *w, const syc__move *m)
{
    syc__add(w, "        ");
    if (m->lanes > 1)
        syc_text_add(&w->text, "vstore%u(vload%u(0, ", m->lanes, m->lanes);
    if (m->load && m->lanes > 1)
        syc_text_add(&w->text, "%s + %s), 0, syc_own_%s + %u);\n", m->name, m->at, m->name, m->slot);
    else if (m->load)
        syc_text_add(&w->text, "syc_own_%s[%u] = %s[%s];\n", m->name, m->slot, m->name, m->at);
    else if (m->lanes > 1)
        syc_text_add(&w->text, "syc_own_%s + %u), 0, %s + %s);\n", m->name, m->slot, m->name, m->at);
    else
        syc_text_add(&w->text, "%s[%s] = syc_own_%s[%u];\n", m->name, m->at, m->name, m->slot);
}

static syc_status name_elements(syc__elements *e, bool taken)
{
    syc_status status = SYC_OK;
    const syc_body_source *source = &e->body->source;

    SYC_TRY(syc__lex(&e->arena, source->text, strlen(source->text), &e->tokens));
    SYC_TRY(syc__arena_alloc(&e->arena, (source->count + 1) * sizeof *e->words, &e->words));
    for (size_t i = 0; i < source->count; i++)
        if (taken ? syc_body_takes(e->body, i) : source->names[i].kind == SYC_NAME_GLOBAL)
            SYC_TRY(name_element(e, i));
done:
    return status;
}

syc_status syc__elements_name(syc__elements *e)
{
    return name_elements(e, false);
}

syc_status syc__elements_name_taken(syc__elements *e)
{
    return name_elements(e, true);
}

/* -- the text with these words -- */

/* The word that stands for what begins at the token, or NULL. */
static const char *element_at(const syc__elements *e, size_t at)
{
    const syc_token *t = &e->tokens.items[at];
    if (t->kind != SYC_TOKEN_WORD || (at > 0 && (syc__token_is(t - 1, ".") || syc__token_is(t - 1, "->"))))
        return NULL;
    for (size_t i = 0; i < e->body->source.count; i++)
        if (e->words[i] != NULL && syc__token_is(t, e->body->source.names[i].name))
            return e->words[i];
    return NULL;
}

/* The word in place of `length` bytes: lines and, but for a replaced text of several lines, columns stay. */
static void add_in_place(syc_text *out, const char *word, const char *replaced, size_t length)
{
    size_t taken = strlen(word);
    syc_text_add(out, "%s", word);
    for (size_t i = 0; i < length; i++) {
        if (replaced[i] == '\n')
            syc_text_add(out, "\n");
        else if (i >= taken)
            syc_text_add(out, " ");
    }
}

/* The replacement of the tokens from `at` on, and in *count their number; false: they stay. */
static bool substitute(const syc__elements *e, size_t at, const char *vector, syc_text *word, size_t *count)
{
    const syc_token *t = &e->tokens.items[at];
    const char *element = element_at(e, at);

    *count = 1;
    if (element != NULL) {
        syc_text_add(word, "%s", element);
        *count = 4; /* name [ i ] */
    } else if (vector != NULL &&
               (t->kind == SYC_TOKEN_NUMBER || syc__pack_constant(t, syc__pack_type(&e->body->source)))) {
        syc_text_add(word, "((%s)(%.*s))", vector, (int)t->length, t->text);
    } else if (vector != NULL && t->kind == SYC_TOKEN_WORD && syc__token_is(t, syc__pack_type(&e->body->source))) {
        syc_text_add(word, "%s", vector);
    } else {
        return false;
    }
    return true;
}

/* The lexer's copy of the text is as long as the text, since a continued line is not elementwise. */
void syc__elements_replace(const syc__elements *e, const char *vector, syc_text *out)
{
    const char *from = e->tokens.items[e->tokens.count - 1].text - strlen(e->body->source.text);
    syc_text word = {0};
    size_t count;

    for (size_t at = 0; e->tokens.items[at].kind != SYC_TOKEN_END; at++) {
        const syc_token *first = &e->tokens.items[at], *last;
        syc_text_clear(&word);
        if (!substitute(e, at, vector, &word, &count))
            continue;
        last = first + count - 1;
        syc_text_add_n(out, from, (size_t)(first->text - from));
        from = last->text + last->length;
        add_in_place(out, syc_text_get(&word), first->text, (size_t)(from - first->text));
        out->cut = out->cut || word.cut;
        at += count - 1;
    }
    syc_text_add(out, "%s", from);
    syc_text_clear(&word);
}

void syc__elements_clear(syc__elements *e)
{
    syc__arena_clear(&e->arena);
}
