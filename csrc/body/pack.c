/* SYC_SHAPE_PACK: a work-item for a run of elements, 16 at a time as vectors. The text's type becomes the vector, its
 * elements are loaded and stored whole, its values are the same in every lane. What is left at the end goes through the
 * same vectors, so that an element's result does not depend on where it stands. */
#include "body/pack.h"

#include "body/elements.h"

static const char *type_of(const syc__writer *w)
{
    return w->body->source.names[0].type;
}

/* Tests have the driver's own functions, without the stand-ins of kernels/math_lanes.clh: a name that a program defines
 * is not the library's. */
static void add_uncured(syc__writer *w, const syc__elements *e, bool begin)
{
    const char *name;
    for (size_t i = 0; syc__body_is_uncured() && (name = syc__pack_stand_in(type_of(w), i)) != NULL; i++) {
        const syc_token *t = e->tokens.items;
        while (t->kind != SYC_TOKEN_END && !syc__token_is(t, name))
            t++;
        if (t->kind != SYC_TOKEN_END)
            syc_text_add(&w->text, begin ? "#define %s _cl_%s\n" : "#undef %s\n", name, name);
    }
}

static void add_function(syc__writer *w, const syc__elements *e)
{
    const syc_body_source *source = &w->body->source;
    const char *type = type_of(w);

    for (size_t i = 0; i < source->count; i++)
        if (syc__is_stored(w, i))
            syc_text_add(&w->text, "#define %s (*syc_own_%s)\n", e->words[i], source->names[i].name);
    add_uncured(w, e, true);
    syc__write_function_begin(w);
    for (size_t i = 0; i < source->count; i++) {
        syc__write_comma(w);
        if (syc__is_stored(w, i))
            syc_text_add(&w->text, "%s16 *syc_own_%s", type, source->names[i].name);
        else
            syc_text_add(&w->text, "const %s16 %s", type, syc__is_element(w, i) ? e->words[i] : source->names[i].name);
    }
    syc__write_function_rest(w);
    add_uncured(w, e, false);
}

/* The call for the elements in `syc_own_`. */
static void add_call(syc__writer *w)
{
    syc_text_add(&w->text, "        ");
    syc__write_call_begin(w);
    for (size_t i = 0; i < w->body->source.count; i++) {
        const char *name = w->body->source.names[i].name;
        syc__write_comma(w);
        if (syc__is_element(w, i))
            syc_text_add(&w->text, "%ssyc_own_%s", syc__is_stored(w, i) ? "&" : "", name);
        else
            syc_text_add(&w->text, "(%s16)(%s)", type_of(w), name);
    }
    syc__write_call_rest(w);
}

/* "float16 syc_own_x = vload16(0, x + syc_first)" */
static void add_loads(syc__writer *w, const char *before, const char *behind)
{
    for (size_t i = 0; i < w->body->source.count; i++) {
        const char *name = w->body->source.names[i].name;
        if (!syc__is_element(w, i))
            continue;
        syc_text_add(&w->text, "        %s16 syc_own_%s", type_of(w), name);
        if (syc__is_loaded(w, i))
            syc_text_add(&w->text, " = vload16(0, %s%s%s)", before, name, behind);
        syc_text_add(&w->text, ";\n");
    }
}

static void add_whole(syc__writer *w)
{
    const char *offset = w->form.offset ? " + syc_offset0" : "";

    syc_text_add(&w->text,
                 "    ulong syc_at = syc_begin;\n"
                 "    for (; syc_end - syc_at >= 16; syc_at += 16) {\n"
                 "        const ulong syc_first = syc_at%s;\n",
                 offset);
    add_loads(w, "", " + syc_first");
    add_call(w);
    for (size_t i = 0; i < w->body->source.count; i++)
        if (syc__is_stored(w, i))
            syc_text_add(&w->text, "        vstore16(syc_own_%s, 0, %s + syc_first);\n", w->body->source.names[i].name,
                         w->body->source.names[i].name);
    syc_text_add(&w->text, "    }\n");
}

/* Lanes beyond the end repeat the last element. */
static void add_rest(syc__writer *w)
{
    const syc_body_source *source = &w->body->source;

    syc_text_add(&w->text,
                 "    if (syc_at < syc_end) {\n"
                 "        const ulong syc_first = syc_at%s;\n"
                 "        const uint syc_left = (uint)(syc_end - syc_at);\n",
                 w->form.offset ? " + syc_offset0" : "");
    for (size_t i = 0; i < source->count; i++) {
        const char *name = source->names[i].name;
        if (!syc__is_element(w, i))
            continue;
        syc_text_add(&w->text, "        %s syc_few_%s[16];\n", type_of(w), name);
        if (syc__is_loaded(w, i))
            syc_text_add(&w->text,
                         "        for (uint syc_k = 0; syc_k < 16; syc_k++)\n"
                         "            syc_few_%s[syc_k] = %s[syc_first + (syc_k < syc_left ? syc_k : syc_left - 1)];\n",
                         name, name);
    }
    add_loads(w, "syc_few_", "");
    add_call(w);
    for (size_t i = 0; i < source->count; i++) {
        const char *name = source->names[i].name;
        if (syc__is_stored(w, i))
            syc_text_add(&w->text,
                         "        vstore16(syc_own_%s, 0, syc_few_%s);\n"
                         "        for (uint syc_k = 0; syc_k < syc_left; syc_k++)\n"
                         "            %s[syc_first + syc_k] = syc_few_%s[syc_k];\n",
                         name, name, name, name);
    }
    syc_text_add(&w->text, "    }\n");
}

syc_status syc__write_pack(syc__writer *w)
{
    syc_status status = SYC_OK;
    syc__elements e = {.body = w->body};
    syc_text text = {0};
    const char *vector = type_of(w)[0] == 'f' ? "float16" : "double16";

    SYC_TRY(syc__elements_name(&e));
    syc__elements_replace(&e, vector, &text);
    SYC_CHECK(!text.cut, SYC_E_MEMORY_ALLOCATION, "no memory for the text of kernel '%s'",
              syc__body_kernel_name(w->body));
    SYC_TRY(syc__write_head(w, "a work-item for a run of elements, 16 at a time as vectors"));
    w->body_text = syc_text_get(&text);
    add_function(w, &e);
    syc__write_kernel_head(w);
    syc_text_add(&w->text,
                 "    const ulong syc_begin = get_global_id(0) * syc_run;\n"
                 "    const ulong syc_end = syc_begin + syc_run < syc_range0 ? syc_begin + syc_run : syc_range0;\n");
    add_whole(w);
    add_rest(w);
    syc_text_add(&w->text, "}\n");
done:
    syc_text_clear(&text);
    syc__elements_clear(&e);
    return status;
}
