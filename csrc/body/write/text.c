/* The text of a form, piece by piece. */
#include "body/reduce/reduce.h"

#include <stdio.h>
#include <string.h>

static size_t line_count(const syc_text *text)
{
    size_t count = 0;
    for (size_t i = 0; i < text->length; i++)
        count += text->data[i] == '\n';
    return count;
}

static void add_place(syc__writer *w)
{
    syc_text_add(&w->text, "#line %zu \"kernel.cl\"\n", line_count(&w->text) + 2);
}

static void write_quoted_from(syc__writer *w, const char *name, size_t line, const char *text, const char *end)
{
    size_t length = strlen(text);
    syc_text_add(&w->text, "#line %zu \"%s\"\n", line, name);
    syc_text_add_n(&w->text, text, length);
    syc_text_add(&w->text, "%s%s", end, *end != '\0' || (length > 0 && text[length - 1] != '\n') ? "\n" : "");
    add_place(w);
}

void syc__write_quoted(syc__writer *w, const char *name, const char *text)
{
    write_quoted_from(w, name, 1, text, "");
}

void syc__write_quoted_expression(syc__writer *w, const char *name, const char *text)
{
    write_quoted_from(w, name, 1, text, ";");
}

void syc__write_text(syc__writer *w, bool outermost)
{
    const bool block = !outermost || !w->body->reading.outermost;
    syc_text_add(&w->text, block ? "    {\n" : "");
    write_quoted_from(w, "body", w->body_line + 1, w->body_text, "");
    syc_text_add(&w->text, block ? "    }\n" : "");
}

/* A pointer that may be handed on and is not to be written through: handing it to something that would write is an
 * error, not the warning that C makes of it. */
static bool guards_const(const syc_body *body)
{
    for (size_t i = 0; i < body->source.count; i++) {
        const syc_name *name = &body->source.names[i];
        if (name->kind == SYC_NAME_GLOBAL && (!name->writable || body->source.seam > 0) && body->reading.uses[i].writes)
            return true;
    }
    return false;
}

syc_status syc__write_head(syc__writer *w, const char *what)
{
    const syc_body_source *source = &w->body->source;

    syc_text_add(&w->text, "/* A body made into a kernel: %s. */\n", what);
    if (source->declarations != NULL) {
        syc_text_add(&w->text, "%s\n", source->declarations);
        if (strstr(source->declarations, "#line") != NULL) /* of an operator */
            add_place(w);
    }
    if (source->preamble != NULL)
        syc__write_quoted(w, "preamble", source->preamble);
    if (guards_const(w->body))
        syc_text_add(&w->text, "#pragma clang diagnostic error \"-Wincompatible-pointer-types-discards-qualifiers\"\n");
    return SYC_OK;
}

/* -- parameters -- */

static const char *image_access(const syc_body *body, size_t index)
{
    bool reads = body->source.names[index].readable && body->reading.uses[index].reads;
    return !syc_body_writes(body, index) ? "read_only " : reads ? "read_write " : "write_only ";
}

/* A name that means nothing but the text's own variable is left to that. */
static syc_name parameter_of(const syc__writer *w, size_t index, char *room, size_t size)
{
    syc_name name = w->body->source.names[index];
    const syc__use *use = &w->body->reading.uses[index];
    if (w->form.shape == SYC_SHAPE_ITEM && use->declared && !use->used && w->body->reading.outermost) {
        (void)snprintf(room, size, "syc_unused_%s", name.name);
        name.name = room;
    }
    return name;
}

/* A work-item of ROUNDS has several elements: what it reads of one need not wait for what it has written of another.
 * The arrays may be the same one: then what is written is not read again. */
static bool reads_around_writes(const syc__writer *w)
{
    return w->form.shape == SYC_SHAPE_ROUNDS && syc_body_traits_of(w->body)->stores_last;
}

void syc__write_parameter(syc__writer *w, size_t index)
{
    char room[280];
    const syc_name given = parameter_of(w, index, room, sizeof room), *name = &given;
    bool written;
    syc__write_comma(w);
    switch (name->kind) {
    case SYC_NAME_VALUE:
        syc_text_add(&w->text, "const %s %s", name->type, name->name);
        break;
    case SYC_NAME_GLOBAL:
        written = syc_body_writes(w->body, index);
        syc_text_add(&w->text, "__global %s%s *%s%s", written && !w->pure ? "" : "const ", name->type,
                     reads_around_writes(w) && !written ? "restrict " : "", name->name);
        break;
    case SYC_NAME_LOCAL:
        syc_text_add(&w->text, "__local %s *%s", name->type, name->name);
        break;
    case SYC_NAME_IMAGE:
        syc_text_add(&w->text, "%s%s %s", image_access(w->body, index), name->type, name->name);
        break;
    case SYC_NAME_SAMPLER:
        syc_text_add(&w->text, "%s %s", name->type, name->name);
        break;
    case SYC_NAME_STREAM:
        syc_text_add(&w->text, "__global %s *%s", name->type, name->name);
        break;
    case SYC_NAME_REDUCER: /* the text's own words for it became others */
        syc_text_add(&w->text, "__global ");
        syc__add_result_type(w, name);
        syc_text_add(&w->text, " *syc_out_%s", name->name);
        break;
    }
}

/* NVIDIA's compiler keeps to no number of registers for a kernel that requires its size. */
void syc__write_kernel_head(syc__writer *w)
{
    const uint32_t items = syc_shape_is_alone(w->form.shape) ? 1 : w->form.items;
    syc__add(w, "__kernel ");
    if (items > 0 && w->form.registers == 0)
        syc_text_add(&w->text, "__attribute__((reqd_work_group_size(%u, 1, 1))) ", items);
    syc_text_add(&w->text, "void %s(", syc__body_kernel_name(w->body));
    for (size_t i = 0; i < w->body->source.count; i++)
        syc__write_parameter(w, i);
    for (size_t i = 0; i < w->hidden_count; i++)
        syc__write_hidden(w, &w->hidden[i], true);
    syc_text_add(&w->text, ")\n{\n");
    for (size_t i = 0; i < w->body->source.count; i++)
        if (syc__name_is_shifted(w->body, i))
            syc_text_add(&w->text, "    %s += syc_first_%s;\n", w->body->source.names[i].name,
                         w->body->source.names[i].name);
}

/* -- macros -- */

/* "#define a(i0_, i1_) a[(ulong)(i0_) * syc_pitch0_a + (ulong)(i1_)]": a macro's own name is not expanded again. */
static void add_macro(syc__writer *w, const syc_name *name)
{
    syc_text_add(&w->text, "#define %s(", name->name);
    for (unsigned k = 0; k < name->rank; k++)
        syc_text_add(&w->text, "%si%u_", k > 0 ? ", " : "", k);
    syc_text_add(&w->text, ") %s[", name->name);
    for (unsigned k = 0; k + 1 < name->rank; k++)
        syc_text_add(&w->text, "(ulong)(i%u_) * syc_pitch%u_%s + ", k, k, name->name);
    syc_text_add(&w->text, "(ulong)(i%u_)]\n", name->rank - 1);
}

void syc__write_macros(syc__writer *w)
{
    if (w->form.checked)
        syc__write_bounds(w);
    for (size_t i = 0; i < w->body->source.count; i++)
        if (w->body->reading.uses[i].called && !(w->form.checked && syc__name_is_checked(w->body, i)))
            add_macro(w, &w->body->source.names[i]);
    syc__write_array_indices(w);
}
