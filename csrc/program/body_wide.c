/* SYC_SHAPE_WIDE: several neighbours for each work-item. Their elements are loaded 16 bytes at a time into private
 * ones, the text runs once for each with these in place of name[i], and what it writes is stored 16 bytes at a time. */
#include "program/body_parts.h"
#include "program/lexer.h"

#include <string.h>

typedef struct wide {
    syc__writer *w;
    syc_arena arena;
    syc_tokens tokens;
    char **elements; /* for each name, the word that stands for name[i]: as long as that, so that columns stay */
} wide;

static bool is_element(const syc__writer *w, size_t index)
{
    return w->body->source.names[index].kind == SYC_NAME_GLOBAL;
}

static bool is_stored(const syc__writer *w, size_t index)
{
    return is_element(w, index) && w->body->reading.uses[index].assigns;
}

static bool is_loaded(const syc__writer *w, size_t index)
{
    return is_element(w, index) && w->body->reading.uses[index].loaded;
}

/* -- the words for elements -- */

static bool is_free(const wide *v, const char *word)
{
    const char *preamble = v->w->body->source.preamble;
    for (const syc_token *t = v->tokens.items; t->kind != SYC_TOKEN_END; t++)
        if (syc__token_is(t, word))
            return false;
    return preamble == NULL || strstr(preamble, word) == NULL;
}

/* "x_i_" for x[i]; another letter where the text has that word already. */
static syc_status name_element(wide *v, size_t index)
{
    syc_status status = SYC_OK;
    const char *name = v->w->body->source.names[index].name;
    size_t length = strlen(name);
    char *word = NULL;

    SYC_TRY(syc__arena_alloc(&v->arena, length + 4, &word));
    memcpy(word, name, length);
    memcpy(word + length, "_i_", 4);
    for (char letter = 'a'; !is_free(v, word); letter++) {
        SYC_CHECK(letter <= 'z', SYC_E_KERNEL_NOT_SUPPORTED, "body: no word is left to stand for %s[i]", name);
        word[length + 1] = letter;
    }
    v->elements[index] = word;
done:
    return status;
}

static syc_status name_elements(wide *v)
{
    syc_status status = SYC_OK;
    const syc_body_source *source = &v->w->body->source;

    SYC_TRY(syc__lex(&v->arena, source->text, strlen(source->text), &v->tokens));
    SYC_TRY(syc__arena_alloc(&v->arena, (source->count + 1) * sizeof *v->elements, &v->elements));
    for (size_t i = 0; i < source->count; i++)
        if (is_element(v->w, i))
            SYC_TRY(name_element(v, i));
done:
    return status;
}

/* -- the text with these words -- */

/* The word that stands for what begins at the token, or NULL. */
static const char *element_at(const wide *v, size_t at)
{
    const syc_token *t = &v->tokens.items[at];
    if (t->kind != SYC_TOKEN_WORD || (at > 0 && (syc__token_is(t - 1, ".") || syc__token_is(t - 1, "->"))))
        return NULL;
    for (size_t i = 0; i < v->w->body->source.count; i++)
        if (v->elements[i] != NULL && syc__token_is(t, v->w->body->source.names[i].name))
            return v->elements[i];
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

/* The lexer's copy of the text is as long as the text, since a continued line is not elementwise. */
static void replace_elements(const wide *v, syc_text *out)
{
    const char *from = v->tokens.items[v->tokens.count - 1].text - strlen(v->w->body->source.text);

    for (size_t at = 0; v->tokens.items[at].kind != SYC_TOKEN_END; at++) {
        const char *word = element_at(v, at);
        const syc_token *first = &v->tokens.items[at], *last = first + 3; /* name [ i ] */
        if (word == NULL)
            continue;
        syc_text_add_n(out, from, (size_t)(first->text - from));
        from = last->text + 1;
        add_in_place(out, word, first->text, (size_t)(from - first->text));
        at += 3;
    }
    syc_text_add(out, "%s", from);
}

/* -- the function -- */

static void add_function(wide *v)
{
    syc__writer *w = v->w;
    const syc_body_source *source = &w->body->source;

    for (size_t i = 0; i < source->count; i++)
        if (is_stored(w, i))
            syc_text_add(&w->text, "#define %s (*syc_own_%s)\n", v->elements[i], source->names[i].name);
    syc__write_function_begin(w);
    for (size_t i = 0; i < source->count; i++) {
        if (!is_element(w, i)) {
            syc__write_parameter(w, i);
            continue;
        }
        syc__write_comma(w);
        if (is_stored(w, i))
            syc_text_add(&w->text, "%s *syc_own_%s", source->names[i].type, source->names[i].name);
        else
            syc_text_add(&w->text, "const %s %s", source->names[i].type, v->elements[i]);
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
        if (is_element(w, i))
            syc_text_add(&w->text, "%ssyc_own_%s%s", is_stored(w, i) ? "&" : "", name, index);
        else
            syc_text_add(&w->text, "%s", name);
    }
    syc__write_call_rest(w);
}

/* How many elements of the name one access takes: 16 bytes, or all there are. 1: by themselves. */
static unsigned lanes_of(const syc__writer *w, const syc_name *name)
{
    unsigned width = 1, lanes = 1;
    syc_dtype type;
    if (!syc__name_is_plain(name, &type, &width) || width > 1)
        return 1;
    while (lanes < w->form.elements && 2 * lanes * syc_dtype_size(type) <= 16)
        lanes *= 2;
    return lanes;
}

/* All elements of one name between memory and `syc_own_name`, in one direction. */
static void add_transfer(syc__writer *w, const syc_name *name, bool load)
{
    unsigned lanes = lanes_of(w, name);
    for (unsigned k = 0; k < w->form.elements; k += lanes) {
        if (lanes == 1 && load)
            syc_text_add(&w->text, "        syc_own_%s[%u] = %s[syc_first + %u];\n", name->name, k, name->name, k);
        else if (lanes == 1)
            syc_text_add(&w->text, "        %s[syc_first + %u] = syc_own_%s[%u];\n", name->name, k, name->name, k);
        else if (load)
            syc_text_add(&w->text, "        vstore%u(vload%u(0, %s + syc_first + %u), 0, syc_own_%s + %u);\n", lanes,
                         lanes, name->name, k, name->name, k);
        else
            syc_text_add(&w->text, "        vstore%u(vload%u(0, syc_own_%s + %u), 0, %s + syc_first + %u);\n", lanes,
                         lanes, name->name, k, name->name, k);
    }
}

static void add_whole(syc__writer *w)
{
    const syc_body_source *source = &w->body->source;

    for (size_t i = 0; i < source->count; i++)
        if (is_element(w, i))
            syc_text_add(&w->text, "        %s syc_own_%s[%u];\n", source->names[i].type, source->names[i].name,
                         w->form.elements);
    for (size_t i = 0; i < source->count; i++)
        if (is_loaded(w, i))
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
        if (is_stored(w, i))
            add_transfer(w, &source->names[i], false);
}

/* What is left at the end of the range. */
static void add_rest(syc__writer *w)
{
    const syc_body_source *source = &w->body->source;
    const char *offset = w->form.offset ? " + syc_offset0" : "";

    syc_text_add(&w->text, "        for (ulong syc_at = syc_begin; syc_at < syc_range0; syc_at++) {\n");
    for (size_t i = 0; i < source->count; i++) {
        const syc_name *name = &source->names[i];
        if (!is_element(w, i))
            continue;
        syc_text_add(&w->text, "            %s syc_own_%s", name->type, name->name);
        if (is_loaded(w, i))
            syc_text_add(&w->text, " = %s[syc_at%s]", name->name, offset);
        syc_text_add(&w->text, ";\n");
    }
    syc_text_add(&w->text, "            ");
    add_call(w, "");
    for (size_t i = 0; i < source->count; i++)
        if (is_stored(w, i))
            syc_text_add(&w->text, "            %s[syc_at%s] = syc_own_%s;\n", source->names[i].name, offset,
                         source->names[i].name);
    syc_text_add(&w->text, "        }\n");
}

syc_status syc__write_wide(syc__writer *w)
{
    syc_status status = SYC_OK;
    wide v = {.w = w};
    syc_text text = {0};

    SYC_TRY(name_elements(&v));
    replace_elements(&v, &text);
    SYC_CHECK(!text.cut, SYC_E_MEMORY_ALLOCATION, "no memory for the text of kernel '%s'",
              syc__body_kernel_name(w->body));
    SYC_TRY(syc__write_head(w, "a work-item for several neighbours, whose memory is accessed together"));
    w->body_text = syc_text_get(&text);
    add_function(&v);
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
    syc__arena_clear(&v.arena);
    return status;
}
