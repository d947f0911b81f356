/* Which texts of the device library a program needs. */
#include "library/prelude.h"
#include "source/tokens.h"

#include "library/checks/converge.h"
#include "library/embedded.h"
#include "library/mentions.h"

#include <string.h>

struct reading {
    syc_arena arena;
    syc__mention *first; /* of all names */
    bool *wanted;        /* of each library */
};

/* -- which -- */

/* A program with OpenCL's own types for something has its functions for them, which differ from ours in their defaults.
 */
static void give_way(struct reading *r)
{
    for (const syc__mention *rival = r->first; rival != NULL; rival = rival->next)
        for (syc__mention *m = r->first; rival->sort == SYC__LIBRARY_RIVAL && rival->used && m != NULL; m = m->next)
            m->declared |= m->library == rival->library;
}

/* Is it only there to be seen in the program? */
static bool is_sign(const syc__mention *m)
{
    return m->sort == SYC__LIBRARY_RIVAL || m->sort == SYC__LIBRARY_BESIDE;
}

/* Has the program one of the words that the text wants beside its names? */
static bool has_beside(const struct reading *r, size_t library)
{
    bool found = syc__libraries[library].names[SYC__LIBRARY_BESIDE] == NULL;
    for (const syc__mention *m = r->first; !found && m != NULL; m = m->next)
        found = m->library == library && m->sort == SYC__LIBRARY_BESIDE && m->used;
    return found;
}

/* Is a text with group functions, or OpenCL's own, to be checked? */
static bool is_checked(const struct reading *r, const syc_tokens *tokens)
{
    if (!syc_collectives_checked() || r->wanted[syc__library_number(SYC__HIERARCHICAL)])
        return false;
    for (size_t at = 0; at < tokens->count; at++)
        if (tokens->items[at].kind == SYC_TOKEN_WORD && syc__collective(&tokens->items[at]) != SYC__REACH_NONE)
            return true;
    return false;
}

/* Of those that are used, and of what they need in their turn: that stands before them in the table. */
static void choose(struct reading *r, const syc_tokens *tokens)
{
    for (const syc__mention *m = r->first; m != NULL; m = m->next)
        if (m->used && !m->declared && !is_sign(m) && has_beside(r, m->library))
            r->wanted[m->library] = true;
    r->wanted[syc__library_number(SYC__CONVERGE)] = is_checked(r, tokens);
    for (size_t i = syc__library_number(NULL); i-- > 0;) {
        const char *const *file = syc__libraries[i].needs;
        for (; r->wanted[i] && file != NULL && *file != NULL; file++)
            r->wanted[syc__library_number(*file)] = true;
    }
}

/* -- the texts -- */

/* The names of a text that the user has something else by go under another name while the text is read. */
static void hide(const syc__mention *m, bool begin, syc_text *out)
{
    if (is_sign(m))
        return;
    if (m->declared && begin)
        syc_text_add(out, "#define %s syc_hidden_%s\n", m->name, m->name);
    else if (m->declared || (begin && m->sort == SYC__LIBRARY_OVERRIDE))
        syc_text_add(out, "#undef %s\n", m->name);
}

static void hide_all(const struct reading *r, size_t library, bool begin, syc_text *out)
{
    for (const syc__mention *m = r->first; m != NULL; m = m->next)
        if (m->library == library)
            hide(m, begin, out);
}

static void add_texts(const struct reading *r, syc_text *out)
{
    for (size_t i = 0; syc__libraries[i].file != NULL; i++) {
        const char *text = r->wanted[i] ? syc_kernel_source(syc__libraries[i].file) : NULL;
        if (text == NULL)
            continue;
        hide_all(r, i, true, out);
        syc_text_add(out, "#line 1 \"%s\"\n", syc__libraries[i].file);
        syc_text_add_n(out, text, strlen(text));
        hide_all(r, i, false, out);
    }
}

/* -- what the program uses -- */

static bool is_function(const syc__mention *m)
{
    return m->used && !m->declared && m->sort == SYC__LIBRARY_FUNCTION;
}

static bool is_override(const struct reading *r, const syc__mention *m)
{
    return m->used && !m->declared && m->sort == SYC__LIBRARY_OVERRIDE && has_beside(r, m->library);
}

static bool needs_scratch(const syc__mention *m)
{
    return is_function(m) && syc__libraries[m->library].scratch;
}

/* The groups that the program names, or has a macro for. */
static syc_families families_of_groups(const struct reading *r)
{
    syc_families families = 0;
    for (const syc__mention *m = r->first; m != NULL; m = m->next) {
        if (!m->used || m->declared)
            continue;
        if (strcmp(m->name, "work_group") == 0)
            families |= syc_family_bit(SYC_FAMILY_WORK_GROUPS);
        else if (strcmp(m->name, "sub_group") == 0)
            families |= syc_family_bit(SYC_FAMILY_SUB_GROUPS);
    }
    return families;
}

/* Is a type of 64 bits named anywhere? Atomic operations of that size are overloads of the others. */
static bool names_wide(const syc_tokens *tokens)
{
    static const char *const types[] = {"long",      "ulong",     "double",   "size_t",
                                        "ptrdiff_t", "uintptr_t", "intptr_t", NULL};
    for (size_t i = 0; i < tokens->count; i++)
        if (tokens->items[i].kind == SYC_TOKEN_WORD && syc__token_in(&tokens->items[i], types))
            return true;
    return false;
}

/* Of the names that are used, not of the texts that they need: those are tested with them. */
static syc_families families_of(const struct reading *r, const syc_tokens *tokens)
{
    syc_families families = 0;
    for (const syc__mention *m = r->first; m != NULL; m = m->next) {
        const struct syc__library *library = &syc__libraries[m->library];
        if (!m->used || m->declared || m->sort == SYC__LIBRARY_RIVAL || m->sort == SYC__LIBRARY_BESIDE)
            continue;
        if (library->family > 0)
            families |= syc_family_bit((syc_family)(library->family - 1));
        if (library->groups)
            families |= families_of_groups(r);
    }
    if (families & syc_family_bit(SYC_FAMILY_ATOMICS) && names_wide(tokens))
        families |= syc_family_bit(SYC_FAMILY_ATOMICS_64);
    return families;
}

static syc_status tell_use(const struct reading *r, const syc_tokens *tokens, syc_arena *arena, syc__library_use *use)
{
    syc_status status = SYC_OK;
    const char **names = NULL, **overrides = NULL, **scratch = NULL;
    size_t count = 1;

    *use = (syc__library_use){.checked = r->wanted[syc__library_number(SYC__CONVERGE)]};
    for (size_t i = 0; syc__libraries[i].file != NULL; i++)
        use->device = use->device || (r->wanted[i] && syc__libraries[i].device);
    for (const syc__mention *m = r->first; m != NULL; m = m->next)
        count += is_function(m) || is_override(r, m);
    SYC_TRY(syc__arena_alloc(arena, count * sizeof *names, &names));
    SYC_TRY(syc__arena_alloc(arena, count * sizeof *overrides, &overrides));
    SYC_TRY(syc__arena_alloc(arena, count * sizeof *scratch, &scratch));
    use->families = families_of(r, tokens);
    use->functions = names;
    use->overrides = overrides;
    use->scratch = scratch;
    for (const syc__mention *m = r->first; m != NULL; m = m->next) {
        if (is_function(m))
            names[use->function_count++] = m->name;
        if (is_override(r, m))
            overrides[use->override_count++] = m->name;
        if (needs_scratch(m))
            scratch[use->scratch_count++] = m->name;
    }
done:
    return status;
}

syc_status syc__prelude_add(syc_arena *arena, const syc_tokens *tokens, syc_text *out, syc__library_use *use)
{
    syc_status status = SYC_OK;
    struct reading reading = {0};

    SYC_TRY(syc__mentions_read(&reading.arena, tokens, &reading.first));
    SYC_TRY(syc__arena_alloc(&reading.arena, syc__library_number(NULL) + 1, &reading.wanted));
    give_way(&reading);
    choose(&reading, tokens);
    add_texts(&reading, out);
    SYC_CHECK(!out->cut, SYC_E_MEMORY_ALLOCATION, "no memory for the device library");
    if (use != NULL)
        SYC_TRY(tell_use(&reading, tokens, arena, use));
done:
    syc__arena_clear(&reading.arena);
    return status;
}
