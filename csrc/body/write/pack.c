/* SYC_SHAPE_PACK: a work-item for a run of elements, 16 at a time as vectors. The text's type becomes the vector, its
 * elements are loaded and stored whole, its values are the same in every lane. What is left at the end goes through the
 * same vectors, so that an element's result does not depend on where it stands. */
#include "body/write/pack.h"

#include "body/reduce/reduce.h"
#include "source/tokens.h"

#include <string.h>

static const char *type_of(const syc__writer *w)
{
    return syc__pack_type(&w->body->source);
}

const char syc__pack_all[] = "(syc_mask)(-1)";
const char syc__pack_few[] = "(syc_mask)(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15) < (syc_mask)(syc_left)";

/* Tests have the driver's own functions, without the stand-ins of kernels/math_lanes.clh, which has names for them. */
static void add_uncured(syc__writer *w, const syc__elements *e, bool begin)
{
    const char *name;
    for (size_t i = 0; w->uncured && (name = syc__pack_stand_in(type_of(w), i)) != NULL; i++) {
        const syc_token *t = e->tokens.items;
        while (t->kind != SYC_TOKEN_END && !syc__token_is(t, name))
            t++;
        if (t->kind != SYC_TOKEN_END)
            syc_text_add(&w->text, begin ? "#undef %s\n#define %s(x) syc_driver_%s(x)\n" : "#undef %s\n", name, name,
                         name);
    }
}

static void add_accumulators(syc__writer *w, const syc_name *name)
{
    char room[SYC__VALUE_WORD];
    for (unsigned k = 0; k < syc__values_of(name); k++) {
        syc__write_comma(w);
        syc_text_add(&w->text, "__private syc_pack_%s *syc_r_%s", name->name, syc__value_word(name, k, room));
    }
}

static void add_parameter(syc__writer *w, const syc__elements *e, size_t index)
{
    const syc_name *name = &w->body->source.names[index];
    const char *type = type_of(w);

    if (syc__is_reducer(name)) {
        add_accumulators(w, name);
        return;
    }
    syc__write_comma(w);
    if (syc__is_stored(w, index))
        syc_text_add(&w->text, "%s16 *syc_own_%s", type, name->name);
    else
        syc_text_add(&w->text, "const %s16 %s", type, syc__is_element(w, index) ? e->words[index] : name->name);
}

void syc__pack_write_function(syc__writer *w, const syc__elements *e)
{
    const syc_body_source *source = &w->body->source;

    for (size_t i = 0; i < source->count; i++)
        if (syc__is_stored(w, i))
            syc_text_add(&w->text, "#define %s (*syc_own_%s)\n", e->words[i], source->names[i].name);
    add_uncured(w, e, true);
    syc__write_function_begin(w);
    for (size_t i = 0; i < source->count; i++)
        add_parameter(w, e, i);
    if (w->body->reading.traits.reduces)
        syc_text_add(&w->text, ", const syc_mask syc_on0");
    syc__write_function_rest(w);
    add_uncured(w, e, false);
}

void syc__pack_write_accumulators(syc__writer *w, const char *n)
{
    syc__add_for(w, n, "    SYC_REDUCTION_VECTORS($)\n");
}

static void add_vectors(syc__writer *w, const syc_name *name, const char *slot)
{
    char room[SYC__VALUE_WORD];
    for (unsigned k = 0; k < syc__values_of(name); k++) {
        syc__write_comma(w);
        syc_text_add(&w->text, "syc_vectors_%s + %s", syc__value_word(name, k, room), slot);
    }
}

/* The call for the elements in `syc_own_`, where `mask` says. */
static void add_call(syc__writer *w, const char *slot, const char *mask)
{
    syc_text_add(&w->text, "        ");
    syc__write_call_begin(w);
    for (size_t i = 0; i < w->body->source.count; i++) {
        const char *name = w->body->source.names[i].name;
        if (syc__is_reducer(&w->body->source.names[i])) {
            add_vectors(w, &w->body->source.names[i], slot);
            continue;
        }
        syc__write_comma(w);
        if (syc__is_element(w, i))
            syc_text_add(&w->text, "%ssyc_own_%s", syc__is_stored(w, i) ? "&" : "", name);
        else
            syc_text_add(&w->text, "(%s16)(%s)", type_of(w), name);
    }
    if (w->body->reading.traits.reduces)
        syc_text_add(&w->text, ", %s", mask);
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

static void add_first(syc__writer *w)
{
    syc_text_add(&w->text, "        const ulong syc_first = ");
    syc__write_linear_id(w);
    syc_text_add(&w->text, ";\n");
}

/* 16 bytes at a time, for which elements need not begin at a line of the cache. */
static void add_streamed(syc__writer *w, const char *name)
{
    const char *type = type_of(w);
    const unsigned lanes = type[0] == 'f' ? 4 : 2;

    syc_text_add(&w->text, "        if ((ulong)(%s + syc_first) %% 16 == 0) {\n", name);
    for (unsigned k = 0; k < 16; k += lanes) {
        syc_text_add(&w->text, "            __builtin_nontemporal_store(syc_own_%s.s", name);
        for (unsigned lane = k; lane < k + lanes; lane++)
            syc_text_add(&w->text, "%x", lane);
        syc_text_add(&w->text, ", (__global %s%u *)(%s + syc_first + %u));\n", type, lanes, name, k);
    }
    syc_text_add(&w->text, "        } else\n    ");
}

void syc__pack_write_turn(syc__writer *w, const char *slot, const char *mask)
{
    add_first(w);
    add_loads(w, "", " + syc_first");
    add_call(w, slot, mask);
    for (size_t i = 0; i < w->body->source.count; i++) {
        const char *name = w->body->source.names[i].name;
        if (!syc__is_stored(w, i))
            continue;
        if (w->form.streams && !syc__is_loaded(w, i))
            add_streamed(w, name);
        syc_text_add(&w->text, "        vstore16(syc_own_%s, 0, %s + syc_first);\n", name, name);
    }
}

/* Lanes beyond the end repeat the last element, and are not combined. */
void syc__pack_write_few(syc__writer *w)
{
    const syc_body_source *source = &w->body->source;

    add_first(w);
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
    add_call(w, "0", syc__pack_few);
    for (size_t i = 0; i < source->count; i++) {
        const char *name = source->names[i].name;
        if (syc__is_stored(w, i))
            syc_text_add(&w->text,
                         "        vstore16(syc_own_%s, 0, syc_few_%s);\n"
                         "        for (uint syc_k = 0; syc_k < syc_left; syc_k++)\n"
                         "            %s[syc_first + syc_k] = syc_few_%s[syc_k];\n",
                         name, name, name, name);
    }
}

void syc__pack_write_rest(syc__writer *w)
{
    syc_text_add(&w->text, "    if (syc_at < syc_end) {\n"
                           "        const uint syc_left = (uint)(syc_end - syc_at);\n");
    syc__pack_write_few(w);
    syc_text_add(&w->text, "    }\n");
}

syc_status syc__pack_make_text(const syc__elements *e, syc_text *out)
{
    syc_status status = SYC_OK;
    const char *vector = syc__pack_type(&e->body->source)[0] == 'f' ? "float16" : "double16";
    syc_text plain = {0};

    syc__elements_replace(e, vector, e->body->reading.traits.reduces ? &plain : out);
    if (e->body->reading.traits.reduces)
        SYC_TRY(syc__pack_write_masks(syc_text_get(&plain), out));
    SYC_CHECK(!out->cut && !plain.cut, SYC_E_MEMORY_ALLOCATION, "no memory for the text of kernel '%s'",
              syc__body_kernel_name(e->body));
done:
    syc_text_clear(&plain);
    return status;
}

syc_status syc__write_pack(syc__writer *w)
{
    syc_status status = SYC_OK;
    syc__elements e = {.body = w->body};
    syc_text text = {0};

    SYC_TRY(syc__elements_name(&e));
    SYC_TRY(syc__pack_make_text(&e, &text));
    SYC_TRY(syc__write_head(w, "a work-item for a run of elements, 16 at a time as vectors"));
    w->body_text = syc_text_get(&text);
    syc__pack_write_function(w, &e);
    syc__write_kernel_head(w);
    syc_text_add(&w->text,
                 "    const ulong syc_begin = get_global_id(0) * syc_run;\n"
                 "    const ulong syc_end = syc_begin + syc_run < syc_range0 ? syc_begin + syc_run : syc_range0;\n"
                 "    ulong syc_at = syc_begin;\n"
                 "    for (; syc_end - syc_at >= 16; syc_at += 16) {\n");
    syc__pack_write_turn(w, "", syc__pack_all);
    syc_text_add(&w->text, "    }\n");
    syc__pack_write_rest(w);
    if (w->form.streams) /* such stores are not in order with others */
        syc_text_add(&w->text, "    __atomic_thread_fence(__ATOMIC_SEQ_CST);\n");
    syc_text_add(&w->text, "}\n");
done:
    syc_text_clear(&text);
    syc__elements_clear(&e);
    return status;
}
