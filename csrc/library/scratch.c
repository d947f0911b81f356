/* The edits that give kernels scratch and helpers its address. */
#include "library/scratch.h"

#include "base/alloc.h"
#include "library/checks/converge.h"
#include "library/cures/pocl_per_item.h"
#include "library/embedded.h"
#include "library/library.h"

#include <stdio.h>
#include <string.h>

typedef struct editor {
    syc__scratch_reading r;
    syc__scratch *out;
} editor;

static const char memory[] =
    " __local ulong syc_scratch[SYC_SCRATCH_SIZE(SYC_SCRATCH_WORDS)] __attribute__((aligned(128))); SYC_TURNS ";

/* The parameter of a function, or the argument of a call, beside the user's own. */
static const char *const parameter[] = {"__local ulong *syc_scratch",
                                        "__local ulong *syc_scratch, volatile __global uint *syc_apart"},
                         *const more_parameters[] = {"__local ulong *syc_scratch, ",
                                                     "__local ulong *syc_scratch, volatile __global uint *syc_apart, "},
                         *const handed[] = {"syc_scratch", "syc_scratch, syc_apart"};

static syc_status add_edit(editor *e, size_t at, size_t removed, const char *text)
{
    return syc__scratch_put(&e->r, SYC__PUT_HEADS, at, removed, text);
}

/* -- kernels -- */

static const syc_signature *find_kernel(const syc_signatures *kernels, const syc_token *name)
{
    for (size_t i = 0; i < kernels->count; i++)
        if (strlen(kernels->items[i].name) == name->length && syc__token_is(name, kernels->items[i].name))
            return &kernels->items[i];
    return NULL;
}

/* The items of its groups when the kernel says, else 0. */
static size_t required_items(const syc__scratch_source *source, const syc__piece *piece)
{
    size_t items = 0;
    for (const struct syc__link *link = piece->words; link != NULL; link = link->next_word) {
        const syc_signature *kernel = find_kernel(source->kernels, link->word->token);
        size_t required = 0;
        if (kernel == NULL || __builtin_mul_overflow(kernel->required_group[0], kernel->required_group[1], &required) ||
            __builtin_mul_overflow(required, kernel->required_group[2], &required))
            return 0;
        if (link != piece->words && required != items)
            return 0; /* a macro makes several */
        items = required;
    }
    return items;
}

/* "()" or "(void)". */
static bool is_bare(const editor *e, const syc__piece *piece)
{
    size_t at = piece->params + 1;
    return syc__scratch_is(&e->r, at + syc__scratch_is(&e->r, at, "void"), ")");
}

/* Where the check tells what it has found: behind the user's parameters, so that theirs keep their numbers. */
static syc_status edit_kernel_parameters(editor *e, const syc__piece *piece)
{
    static const char faults[] = "volatile __global uint *syc_apart", more[] = ", volatile __global uint *syc_apart";
    size_t at = piece->params + 1, depth = 1;

    if (is_bare(e, piece) && syc__scratch_is(&e->r, at, "void"))
        return add_edit(e, syc__scratch_offset(&e->r, at), sizeof "void" - 1, faults);
    while (at < e->r.tokens.count && depth > 0) {
        depth += syc__scratch_is(&e->r, at, "(");
        depth -= syc__scratch_is(&e->r, at++, ")");
    }
    return add_edit(e, syc__scratch_offset(&e->r, at - 1), 0, is_bare(e, piece) ? faults : more);
}

static syc_status edit_kernel(editor *e, const syc__scratch_source *source, const syc__piece *piece)
{
    enum { ROOM = sizeof memory + 140 };
    size_t items = required_items(source, piece);
    syc_status status = SYC_OK;
    char *text = NULL;

    for (const struct syc__link *link = piece->words; link != NULL; link = link->next_word)
        syc_text_add(&e->out->kernels, " %.*s ", (int)link->word->token->length, link->word->token->text);
    if (e->out->checked)
        SYC_TRY(edit_kernel_parameters(e, piece));
    if (!piece->function)
        goto done;
    SYC_TRY(syc__arena_alloc(&e->r.arena, ROOM, &text));
    if (items > 0)
        (void)snprintf(text, ROOM,
                       " __local ulong syc_scratch[SYC_SCRATCH_SIZE(SYC_SCRATCH_HEAD + SYC_SCRATCH_ITEM * %zu)] "
                       "__attribute__((aligned(128)));"
                       " enum { syc_items = %zu }; SYC_TURNS ",
                       items, items);
    else
        memcpy(text, memory, sizeof memory);
    SYC_TRY(syc__scratch_put(&e->r, SYC__PUT_MEMORY, syc__scratch_end(&e->r, piece->from - 1), 0, text));
done:
    return status;
}

/* -- helpers -- */

static syc_status edit_parameters(editor *e, const syc__piece *piece)
{
    syc_status status = SYC_OK;
    size_t at = piece->params + 1;
    size_t from = syc__scratch_end(&e->r, piece->params);

    if (!is_bare(e, piece))
        SYC_TRY(add_edit(e, from, 0, more_parameters[e->out->checked]));
    else if (syc__scratch_is(&e->r, at, "void"))
        SYC_TRY(add_edit(e, syc__scratch_offset(&e->r, at), sizeof "void" - 1, parameter[e->out->checked]));
    else
        SYC_TRY(add_edit(e, from, 0, parameter[e->out->checked]));
done:
    return status;
}

/* "f(int a)" becomes "(f)(__local ulong *syc_scratch, int a)": in parentheses it is no call of the macro. */
static syc_status edit_helper(editor *e, const syc__piece *piece)
{
    syc_status status = SYC_OK;
    if (!piece->wrapped) {
        SYC_TRY(add_edit(e, syc__scratch_offset(&e->r, piece->first_name), 0, "("));
        SYC_TRY(add_edit(e, syc__scratch_end(&e->r, piece->name), 0, ")"));
    }
    SYC_TRY(edit_parameters(e, piece));
    for (const struct syc__link *link = piece->words; link != NULL; link = link->next_word) {
        link->word->bare = link->word->bare || is_bare(e, piece);
        link->word->filled = link->word->filled || !is_bare(e, piece);
    }
done:
    return status;
}

static syc_status refuse(const editor *e, const syc__piece *piece)
{
    const syc_token *name = piece->spelled != NULL ? piece->spelled : &e->r.tokens.items[piece->name];
    return syc_fail(SYC_E_BUILD, SYC_HERE,
                    "line %u: '%.*s' uses group functions, whose local memory its kernel hands down; so its head must "
                    "be written out, and not be put together by a macro",
                    name->line, (int)name->length, name->text);
}

static syc_status edit_pieces(editor *e, const syc__scratch_source *source)
{
    syc_status status = SYC_OK;
    for (size_t i = 0; i < e->r.count; i++) {
        const syc__piece *piece = e->r.pieces[i];
        bool head = piece->spelled != NULL || piece->params != 0;
        if (!piece->marked || !head)
            continue;
        if (piece->spelled != NULL || (piece->strange && !piece->kernel))
            return refuse(e, piece);
        SYC_TRY(piece->kernel ? edit_kernel(e, source, piece) : edit_helper(e, piece));
    }
done:
    return status;
}

/* -- calls -- */

/* A function that is there with and without parameters: its macro is for calls with arguments, so those without are
 * edited. */
static syc_status edit_bare_calls(editor *e)
{
    const syc_tokens *tokens = &e->r.tokens;
    syc_status status = SYC_OK;

    for (size_t at = 0; at + 2 < tokens->count; at++) {
        const syc__word *word =
            tokens->items[at].kind == SYC_TOKEN_WORD ? syc__word_map_get(&e->r.names, &tokens->items[at]) : NULL;
        bool head = false;
        if (word == NULL || !word->marked || word->macro || !word->bare || !word->filled ||
            !syc__scratch_is(&e->r, at + 1, "(") || !syc__scratch_is(&e->r, at + 2, ")"))
            continue;
        for (const struct syc__link *link = word->pieces; link != NULL; link = link->next_piece)
            head = head || link->piece->name == at;
        if (head)
            continue;
        SYC_TRY(add_edit(e, syc__scratch_offset(&e->r, at), 0, "("));
        SYC_TRY(add_edit(e, syc__scratch_end(&e->r, at), 0, ")"));
        SYC_TRY(add_edit(e, syc__scratch_end(&e->r, at + 1), 0, handed[e->out->checked]));
    }
done:
    return status;
}

static void add_macros(const editor *e, syc_text *out)
{
    for (const syc__word *word = e->r.words; word != NULL; word = word->older) {
        int length = (int)word->token->length;
        const char *name = word->token->text;
        if (!word->marked || word->macro || (!word->bare && !word->filled))
            continue;
        if (word->filled)
            syc_text_add(out, "#define %.*s(...) %.*s(%s, __VA_ARGS__)\n", length, name, length, name,
                         handed[e->out->checked]);
        else
            syc_text_add(out, "#define %.*s() %.*s(%s)\n", length, name, length, name, handed[e->out->checked]);
    }
    syc_text_add(out, "#line 1 \"kernel.cl\"\n");
}

/* -- the text -- */

static syc_status edit_flow(editor *e)
{
    bool apart = false;
    syc_status status = SYC_OK;

    SYC_TRY(syc__converge_edit(&e->r, &e->out->sites, &apart, &e->out->why));
    syc_text_add(&e->out->front, "#define SYC_LEAVE_sub_group %d\n", apart);
done:
    return status;
}

static syc_status edit_structs(editor *e)
{
    const size_t before = e->r.edits.count;
    syc_status status = SYC_OK;

    SYC_TRY(syc__per_item_edit(&e->r));
    e->out->structs = e->r.edits.count > before;
    if (e->out->structs)
        syc_text_add(&e->out->front, "%s", syc_kernel_source(SYC__PER_ITEM));
done:
    return status;
}

static syc_status arrange(const syc__scratch_source *source, syc__scratch *out)
{
    editor e = {.out = out};
    syc_status status = SYC_OK;

    out->checked = source->use->checked;
    SYC_TRY(syc__scratch_read(&e.r, source->source, source->length));
    SYC_TRY(syc__scratch_spread(&e.r, source));
    syc__converge_reach(&e.r);
    if (out->checked)
        SYC_TRY(edit_flow(&e));
    if (out->why != NULL)
        goto done;
    if (source->structs)
        SYC_TRY(edit_structs(&e));
    SYC_TRY(edit_pieces(&e, source));
    SYC_TRY(edit_bare_calls(&e));
    if (e.r.edits.count == 0 && !out->checked && source->use->scratch_count == 0)
        goto done; /* most programs reach the compiler as they are */
    SYC_TRY(syc__edits_apply(&e.r.edits, (syc_slice){"kernel.cl", sizeof "kernel.cl" - 1},
                             (syc_slice){source->source, source->length}, &out->text, &out->shifts));
    add_macros(&e, &out->front);
    SYC_CHECK(!out->text.cut && !out->front.cut && !out->kernels.cut, SYC_E_MEMORY_ALLOCATION,
              "no memory for a program of %zu bytes", source->length);
done:
    syc__arena_clear(&e.r.arena);
    return status;
}

syc_status syc__scratch_arrange(const syc__scratch_source *source, syc__scratch *out)
{
    syc__library_use use = *source->use;
    syc__scratch_source plain = *source;
    const char *why = NULL;
    syc_status status = SYC_OK;

    if (use.checked)
        SYC_TRY(arrange(source, out));
    why = out->why;
    if (why != NULL) {
        use.checked = false;
        plain.use = &use;
        syc__scratch_clear(out);
    }
    if (!use.checked && (use.scratch_count > 0 || plain.structs))
        SYC_TRY(arrange(&plain, out));
    out->why = why;
done:
    return status;
}

bool syc__scratch_has(const syc__scratch *scratch, const char *kernel)
{
    const syc_slice kernels = {syc_text_get(&scratch->kernels), scratch->kernels.length};
    size_t length = strlen(kernel);
    for (syc_slice rest = kernels; rest.length > length + 1;) {
        const char *found = syc__slice_find(rest, kernel);
        if (found == NULL)
            return false;
        if (found > kernels.text && found[-1] == ' ' && found[length] == ' ')
            return true;
        rest = syc__slice_from(rest, (size_t)(found - rest.text) + 1);
    }
    return false;
}

bool syc__scratch_is_handed(const syc__scratch *scratch, const char *function)
{
    static const char define[] = "#define ";
    size_t length = strlen(function);
    syc_slice rest = {syc_text_get(&scratch->front), scratch->front.length};
    while (rest.length > 0) {
        syc_slice line = syc__slice_line(rest), name = syc__slice_from(line, sizeof define - 1);
        if (name.length > length && memcmp(name.text, function, length) == 0 && name.text[length] == '(')
            return true;
        rest = syc__slice_from(rest, line.length + 1);
    }
    return false;
}

void syc__scratch_clear(syc__scratch *scratch)
{
    syc_text_clear(&scratch->text);
    syc_text_clear(&scratch->front);
    syc_text_clear(&scratch->kernels);
    syc__shifts_clear(&scratch->shifts);
    syc__sites_clear(&scratch->sites);
    scratch->why = NULL;
    scratch->checked = scratch->structs = false;
}
