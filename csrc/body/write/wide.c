/* SYC_SHAPE_WIDE: several neighbours for each work-item. Their elements are loaded 16 bytes at a time into private
 * ones, the text runs once for each with these in place of name[i], and what it writes is stored 16 bytes at a time. */
#include "base/dtype.h"
#include "body/parts.h"
#include "body/write/elements.h"

#include <stdio.h>

/* -- the function -- */

static void add_function(syc__writer *w, const syc__elements *e)
{
    const syc_body_source *source = &w->body->source;

    for (size_t i = 0; i < source->count; i++)
        if (syc__is_stored(w, i))
            syc_text_add(&w->text, "#define %s (*syc_own_%s)\n", e->words[i], source->names[i].name);
    syc__write_function_begin(w);
    for (size_t i = 0; i < source->count; i++) {
        if (!syc__is_element(w, i)) {
            syc__write_parameter(w, i);
            continue;
        }
        syc__write_comma(w);
        if (syc__is_stored(w, i))
            syc_text_add(&w->text, "%s *syc_own_%s", source->names[i].type, source->names[i].name);
        else
            syc_text_add(&w->text, "const %s %s", source->names[i].type, e->words[i]);
    }
    syc__write_function_rest(w);
}

/* -- the kernel -- */

static void add_call(syc__writer *w, const char *index)
{
    syc__write_call_begin(w);
    for (size_t i = 0; i < w->body->source.count; i++) {
        const char *name = w->body->source.names[i].name;
        syc__write_comma(w);
        if (syc__is_element(w, i))
            syc_text_add(&w->text, "%ssyc_own_%s%s", syc__is_stored(w, i) ? "&" : "", name, index);
        else
            syc_text_add(&w->text, "%s", name);
    }
    syc__write_call_rest(w);
}

/* All elements of one name between memory and `syc_own_name`, in one direction. */
static void add_transfer(syc__writer *w, const syc_name *name, bool load)
{
    unsigned lanes = syc__move_lanes(w, name);
    for (unsigned k = 0; k < w->form.elements; k += lanes) {
        char at[48];
        (void)snprintf(at, sizeof at, "syc_first + %u", k);
        syc__write_move(w, &(syc__move){name->name, at, k, lanes, load});
    }
}

static void add_whole(syc__writer *w)
{
    const syc_body_source *source = &w->body->source;

    for (size_t i = 0; i < source->count; i++)
        if (syc__is_element(w, i))
            syc_text_add(&w->text, "        %s syc_own_%s[%u];\n", source->names[i].type, source->names[i].name,
                         w->form.elements);
    for (size_t i = 0; i < source->count; i++)
        if (syc__is_loaded(w, i))
            add_transfer(w, &source->names[i], true);
    syc_text_add(&w->text,
                 "#pragma unroll\n"
                 "        for (uint syc_k = 0; syc_k < %u; syc_k++) {\n"
                 "            const ulong syc_at = syc_begin + syc_k;\n"
                 "            ",
                 w->form.elements);
    add_call(w, "[syc_k]");
    syc_text_add(&w->text, "        }\n");
    for (size_t i = 0; i < source->count; i++)
        if (syc__is_stored(w, i))
            add_transfer(w, &source->names[i], false);
}

/* The rest at the end of the range. */
static void add_rest(syc__writer *w)
{
    const syc_body_source *source = &w->body->source;
    const char *offset = w->form.offset ? " + syc_offset0" : "";

    syc_text_add(&w->text, "        for (ulong syc_at = syc_begin; syc_at < syc_range0; syc_at++) {\n");
    for (size_t i = 0; i < source->count; i++) {
        const syc_name *name = &source->names[i];
        if (!syc__is_element(w, i))
            continue;
        syc_text_add(&w->text, "            %s syc_own_%s", name->type, name->name);
        if (syc__is_loaded(w, i))
            syc_text_add(&w->text, " = %s[syc_at%s]", name->name, offset);
        syc_text_add(&w->text, ";\n");
    }
    syc_text_add(&w->text, "            ");
    add_call(w, "");
    for (size_t i = 0; i < source->count; i++)
        if (syc__is_stored(w, i))
            syc_text_add(&w->text, "            %s[syc_at%s] = syc_own_%s;\n", source->names[i].name, offset,
                         source->names[i].name);
    syc_text_add(&w->text, "        }\n");
}

syc_status syc__write_wide(syc__writer *w)
{
    syc_status status = SYC_OK;
    syc__elements e = {.body = w->body};
    syc_text text = {0};

    SYC_TRY(syc__elements_name(&e));
    syc__elements_replace(&e, NULL, &text);
    SYC_CHECK(!text.cut, SYC_E_MEMORY_ALLOCATION, "no memory for the text of kernel '%s'",
              syc__body_kernel_name(w->body));
    SYC_TRY(syc__write_head(w, "a work-item for several neighbours, whose memory is accessed together"));
    w->body_text = syc_text_get(&text);
    add_function(w, &e);
    syc__write_kernel_head(w);
    syc_text_add(&w->text, "    const ulong syc_begin = get_global_id(0) * %u, syc_first = syc_begin%s;\n",
                 w->form.elements, w->form.offset ? " + syc_offset0" : "");
    syc_text_add(&w->text, "    if (syc_begin + %u <= syc_range0) {\n", w->form.elements);
    add_whole(w);
    syc_text_add(&w->text, "    } else {\n");
    add_rest(w);
    syc_text_add(&w->text, "    }\n}\n");
done:
    syc_text_clear(&text);
    syc__elements_clear(&e);
    return status;
}
