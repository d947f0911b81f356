/* SYC_SHAPE_STRIDE: groups whose work-items take neighbours, one at a time or as many as 16 bytes hold. */
#include "base/dtype.h"
#include "body/parts.h"
#include "body/reduce/reduce.h"
#include "body/write/elements.h"

#include <stdio.h>
#include <string.h>

/* How many accesses are under way before the first is used: one element each; 16 bytes each, of all names together. */
enum { AT_A_TIME = 4, TAKEN_AT_A_TIME = 8 };
/* Of an access that needs memory which begins at a multiple of that. */
enum { WHOLE_BYTES = 16 };

/* -- one element at a time -- */

static void add_singles(syc__writer *w)
{
    syc_text_add(&w->text, "        for (; syc_end - syc_from >= %d * syc_items; syc_from += %d * syc_items) {\n",
                 AT_A_TIME, AT_A_TIME);
    for (int k = 0; k < AT_A_TIME; k++) {
        syc_text_add(&w->text, "            { const ulong syc_at = syc_from + %d * syc_items + syc_own; ", k);
        syc__write_reducing_call(w, NULL);
        syc_text_add(&w->text, "            }\n");
    }
    syc_text_add(&w->text, "        }\n");
}

static void add_rest(syc__writer *w, bool taken)
{
    syc_text_add(&w->text,
                 "        for (ulong syc_at = syc_from + syc_own; syc_at < syc_end; syc_at += syc_items) {\n");
    for (size_t i = 0; taken && i < w->body->source.count; i++) {
        const syc_name *name = &w->body->source.names[i];
        if (w->taken[i] != NULL)
            syc_text_add(&w->text, "            const %s syc_own_%s[1] = {%s[syc_at%s]};\n", name->type, name->name,
                         name->name, w->form.offset ? " + syc_offset0" : "");
    }
    syc_text_add(&w->text, "            ");
    w->taken_at = "0";
    syc__write_reducing_call(w, NULL);
    syc_text_add(&w->text, "        }\n");
}

/* -- several neighbours -- */

/* The same load as one access, where the memory lies for it. */
static void add_whole_load(syc__writer *w, const syc_name *name, const char *from, unsigned to)
{
    const unsigned lanes = syc__move_lanes(w, name);
    syc_text_add(&w->text, "            if (syc_whole_%s)\n                vstore%u(", name->name, lanes);
    syc_text_add(&w->text, "*(__global const %s%u *)(%s + %s)", name->type, lanes, name->name, from);
    syc_text_add(&w->text, ", 0, syc_own_%s + %u);\n            else\n", name->name, to);
}

static void add_loads(syc__writer *w, const syc_name *name, int several)
{
    unsigned lanes = syc__move_lanes(w, name), n = w->form.elements;
    syc_text_add(&w->text, "            %s syc_own_%s[%u];\n", name->type, name->name, n * (unsigned)several);
    for (int block = 0; block < several; block++)
        for (unsigned k = 0; k < n; k += lanes) {
            unsigned to = (unsigned)block * n + k;
            char from[96];
            (void)snprintf(from, sizeof from, "syc_first + %d * syc_chunk + %u", block, k);
            if (w->form.whole && lanes * name->size == WHOLE_BYTES)
                add_whole_load(w, name, from, to);
            syc__write_move(w, &(syc__move){name->name, from, to, lanes, true});
        }
}

/* Loads first, then the text for each of them. */
static void add_neighbours(syc__writer *w, int several)
{
    unsigned n = w->form.elements;
    syc_text_add(&w->text,
                 "        for (; syc_end - syc_from >= %d * syc_chunk; syc_from += %d * syc_chunk) {\n"
                 "            const ulong syc_begin = syc_from + syc_own * %u, syc_first = syc_begin%s;\n",
                 several, several, n, w->form.offset ? " + syc_offset0" : "");
    for (size_t i = 0; i < w->body->source.count; i++)
        if (w->taken[i] != NULL)
            add_loads(w, &w->body->source.names[i], several);
    syc_text_add(&w->text,
                 "#pragma unroll\n"
                 "            for (uint syc_k = 0; syc_k < %u; syc_k++) {\n"
                 "                const ulong syc_at = syc_begin + syc_k / %u * syc_chunk + syc_k %% %u;\n"
                 "                ",
                 n * (unsigned)several, n, n);
    w->taken_at = "syc_k";
    syc__write_reducing_call(w, NULL);
    syc_text_add(&w->text, "            }\n        }\n");
}

/* Blocks of neighbours that are loaded before the first is used: registers have room for so much. */
static int several_of(const syc__writer *w)
{
    int names = 0, several = w->form.ahead > 0 ? (int)w->form.ahead : TAKEN_AT_A_TIME;
    for (size_t i = 0; i < w->body->source.count; i++)
        names += w->taken[i] != NULL;
    while (several > 1 && several * names > TAKEN_AT_A_TIME)
        several /= 2;
    return several;
}

/* -- all of it -- */

/* Blocks are multiples of what is taken together, so it is the first element that tells. */
static void add_whole(syc__writer *w, const syc_name *name)
{
    if (syc__move_lanes(w, name) * name->size == WHOLE_BYTES)
        syc_text_add(&w->text, "    const bool syc_whole_%s = (size_t)(%s%s) %% %d == 0;\n", name->name, name->name,
                     w->form.offset ? " + syc_offset0" : "", WHOLE_BYTES);
}

static void add_blocks(syc__writer *w, bool taken)
{
    for (size_t i = 0; w->form.whole && taken && i < w->body->source.count; i++)
        if (w->taken[i] != NULL)
            add_whole(w, &w->body->source.names[i]);
    syc_text_add(&w->text,
                 "    const ulong syc_chunk = (ulong)syc_items * %u;\n"
                 "    for (ulong syc_block = syc_group * syc_run; syc_block < syc_range0; syc_block += syc_groups * "
                 "syc_run) {\n"
                 "        const ulong syc_end = syc_range0 - syc_block < syc_run ? syc_range0 : syc_block + syc_run;\n"
                 "        ulong syc_from = syc_block;\n",
                 w->form.elements);
    if (taken) {
        for (int several = several_of(w); several > 1; several /= 4) /* what is left has company, too */
            add_neighbours(w, several);
        add_neighbours(w, 1);
    } else {
        add_singles(w);
    }
    add_rest(w, taken);
    syc_text_add(&w->text, "    }\n");
}

/* Ranges of several dimensions, gone over as a line; and one for arrays, whose copies cost more than the accesses. */
static void add_line(syc__writer *w)
{
    static const char *const sizes[] = {"", "syc_range0", "syc_range0 * syc_range1",
                                        "syc_range0 * syc_range1 * syc_range2"};
    syc_text_add(&w->text,
                 "    for (ulong syc_flat = get_global_id(0); syc_flat < %s; syc_flat += get_global_size(0)) {\n"
                 "        const ulong syc_at = syc_flat%s;\n",
                 sizes[w->form.dims], w->form.dims > 1 ? " % syc_range0" : "");
    syc__write_rows(w, "(syc_flat / syc_range0)");
    syc_text_add(&w->text, "        ");
    syc__write_reducing_call(w, NULL);
    syc_text_add(&w->text, "    }\n");
}

syc_status syc__write_stride(syc__writer *w)
{
    syc_status status = SYC_OK;
    bool taken = w->form.elements > 1;
    syc__elements e = {.body = w->body};
    syc_text text = {0};

    if (taken) {
        SYC_TRY(syc__elements_name_taken(&e));
        syc__elements_replace(&e, NULL, &text);
        SYC_CHECK(!text.cut, SYC_E_MEMORY_ALLOCATION, "no memory for the text of kernel '%s'",
                  syc__body_kernel_name(w->body));
        w->body_text = syc_text_get(&text);
    }
    w->taken = taken ? e.words : NULL;
    SYC_TRY(syc__write_reducing_head(w, "groups of work-items that take neighbours, and then others further on"));
    syc__write_accumulators(w);
    if (w->form.dims == 1 && (taken || !w->body->reading.traits.scatters))
        add_blocks(w, taken);
    else
        add_line(w);
    syc__write_reducer_ending(w);
    syc_text_add(&w->text, "}\n");
done:
    w->taken = NULL;
    syc_text_clear(&text);
    syc__elements_clear(&e);
    return status;
}
