/* What a subscript of an array's reducer leads to, and how values are combined with it. */
#include "base/dtype.h"
#include "body/parts.h"
#include "body/reduce/reduce.h"

#include <string.h>

/* Operators for which devices have atomic operations of their own. */
static const struct {
    const char *operator_name, *operation;
} natives[] = {
    {"plus", "add"}, {"bit_and", "and"}, {"bit_or", "or"}, {"bit_xor", "xor"}, {"minimum", "min"}, {"maximum", "max"},
};

/* The atomic operation that does all of the operator, or NULL. Those of numbers with a fraction are for sums only: of
 * what is neither below nor above another they say more than the operators do. */
static const char *native_of(const syc_name *name)
{
    size_t length = strcspn(name->op.operation, " ");
    bool fraction = strcmp(name->type, "float") == 0 || strcmp(name->type, "double") == 0;
    bool wide = strcmp(name->type, "long") == 0 || strcmp(name->type, "ulong") == 0;
    bool integer = strcmp(name->type, "int") == 0 || strcmp(name->type, "uint") == 0;
    for (size_t i = 0; (fraction || wide || integer) && i < sizeof natives / sizeof *natives; i++)
        if (strlen(natives[i].operator_name) == length &&
            strncmp(name->op.operation, natives[i].operator_name, length) == 0)
            return integer || i == 0 ? natives[i].operation : NULL;
    return NULL;
}

bool syc_span_is_atomic(const syc_name *name, bool wide)
{
    syc_dtype type;
    unsigned width;
    return (name->size == 4 || (wide && name->size == 8)) && syc__name_is_plain(name, &type, &width);
}

bool syc_span_begins_with_zeros(const syc_name *name)
{
    const char *native = native_of(name);
    return name->op.known && name->op.accuracy == SYC_ACCURACY_FAST && native != NULL &&
           (strcmp(native, "add") == 0 || strcmp(native, "or") == 0 || strcmp(native, "xor") == 0);
}

bool syc_span_is_exact(const syc_name *name)
{
    static const char *const words[] = {"char", "short", "int", "long", "uchar", "ushort", "uint", "ulong", NULL};
    size_t length = strcspn(name->type, "1248");
    bool native = strncmp(name->op.operation, "BinaryOp ", strlen("BinaryOp ")) != 0;
    for (size_t i = 0; native && words[i] != NULL; i++)
        if (strlen(words[i]) == length && strncmp(name->type, words[i], length) == 0)
            return true;
    return false;
}

/* -- atomic -- */

/* "syc_push_bins(to, x)": combines with what is there, whoever else does. */
static void add_push(syc__writer *w, const syc_name *name, const char *space, int scope, const char *function)
{
    const char *n = name->name, *word = name->size == 8 ? "ulong" : "uint", *native = native_of(name);

    syc_text_add(&w->text, "static inline void %s_%s(%s ", function, n, space);
    syc_text_add(&w->text, "%s *to, const %s x) { ", name->type, name->type);
    if (native != NULL)
        syc_text_add(&w->text, "syc_span_fetch(%s, ", native);
    else
        syc_text_add(&w->text, "syc_span_swap(");
    syc_text_add(&w->text, "%s, %s, ", space, name->type);
    if (native == NULL)
        syc_text_add(&w->text, "%s, ", word);
    syc_text_add(&w->text, "to, x, ");
    if (native == NULL)
        syc_text_add(&w->text, "syc_op_%s, as_%s, as_%s, ", n, name->type, word);
    syc_text_add(&w->text, "%d); }\n", scope);
}

static void add_same(syc__writer *w, const syc_name *name)
{
    const char *word = name->size == 8 ? "ulong" : "uint";
    syc_text_add(&w->text, "static inline bool syc_same_%s(const %s a, const %s b) ", name->name, name->type,
                 name->type);
    syc_text_add(&w->text, "{ return as_%s(a) == as_%s(b); }\n", word, word);
}

/* -- the text's subscripts -- */

static const char *space_of(syc_span_way way)
{
    return syc_span_is_local(way) ? "__local" : "__global";
}

static bool is_atomic(syc_span_way way)
{
    return way == SYC_SPAN_SHARED || way == SYC_SPAN_LOCAL || syc_span_has_table(way);
}

static bool is_of_values(syc_span_way way)
{
    return way == SYC_SPAN_ALONE || is_atomic(way);
}

void syc__write_array_target(syc__writer *w, const syc_name *name)
{
    syc_span_way way = syc__span_way(w, name);
    if (is_of_values(way))
        syc_text_add(&w->text, "%s %s *", space_of(way), name->type);
    else
        syc_text_add(&w->text, "%s syc_acc_%s *", space_of(way), name->name);
}

void syc__write_array_place(syc__writer *w, const syc_name *name)
{
    syc_span_way way = syc__span_way(w, name);
    const char *n = name->name;
    if (way == SYC_SPAN_FOURFOLD)
        syc_text_add(&w->text, "syc_copy_%s + syc_lane %% 4 * syc_length_%s", n, n);
    else
        syc_text_add(&w->text, "%s_%s",
                     way == SYC_SPAN_ALONE || way == SYC_SPAN_SHARED ? "syc_out"
                     : way == SYC_SPAN_TABLE                         ? "syc_table"
                                                                     : "syc_copy",
                     n);
}

void syc__write_array_combine(syc__writer *w, const syc_name *name)
{
    syc_span_way way = syc__span_way(w, name);
    const char *n = name->name;
    bool atomic = is_atomic(way);

    if (atomic)
        add_push(w, name, "__global", 2, "syc_push");
    if (syc_span_is_local(way)) {
        add_push(w, name, "__local", 1, "syc_place");
        add_same(w, name);
    }
    syc_text_add(&w->text, "static inline void syc_combine_%s(", n);
    syc__write_array_target(w, name);
    syc_text_add(&w->text, "to, const ulong k, const %s x) { ", name->op.boolean ? "bool" : name->type);
    if (w->form.checked)
        syc_text_add(&w->text, "if (k == ULONG_MAX) return; ");
    if (atomic)
        syc_text_add(&w->text, "%s_%s(to + k, x); }\n", syc_span_is_local(way) ? "syc_place" : "syc_push", n);
    else if (way == SYC_SPAN_ALONE || name->op.known)
        syc_text_add(&w->text, "to[k] = syc_op_%s(to[k], x); }\n", n);
    else
        syc_text_add(&w->text,
                     "to += k; if (to->some) to->value = syc_op_%s(to->value, x); else to->value = x; to->some = 1; "
                     "}\n",
                     n);
}

/* "syc_index_bins((k))": where the element stands; in a checked form ULONG_MAX where there is none. `0 |` is for
 * compilers to refuse what is no integer, as they do in a subscript. */
static void add_parameters(syc__writer *w, const syc_name *name, const char *before, const char *behind)
{
    for (unsigned k = 0; k < name->rank; k++)
        syc_text_add(&w->text, "%s%si%u_%s", k > 0 ? ", " : "", before, k, behind);
}

static void add_plain_index(syc__writer *w, const syc_name *name)
{
    syc_text_add(&w->text, "#define syc_index_%s(", name->name);
    add_parameters(w, name, "", "");
    syc_text_add(&w->text, ") (");
    for (unsigned k = 0; k + 1 < name->rank; k++)
        syc_text_add(&w->text, "(ulong)(0 | i%u_) * syc_pitch%u_%s + ", k, k, name->name);
    syc_text_add(&w->text, "(ulong)(0 | i%u_))\n", name->rank - 1);
}

/* The extent of dimension k. */
static void add_extent(syc__writer *w, const syc_name *name, unsigned k)
{
    if (k == 0)
        syc_text_add(&w->text, "length");
    else
        syc_text_add(&w->text, "pitch%u", k - 1);
    if (k + 1 < name->rank)
        syc_text_add(&w->text, " / pitch%u", k);
}

static void add_checked_index(syc__writer *w, const syc_name *name, size_t index)
{
    const char *n = name->name;
    syc_text_add(&w->text, "static ulong syc_find_%s(", n);
    add_parameters(w, name, "const ulong ", "");
    for (unsigned k = 0; k + 1 < name->rank; k++)
        syc_text_add(&w->text, ", const ulong pitch%u", k);
    syc_text_add(&w->text, ", const ulong length, __global uint *faults, uint line)\n{\n");
    for (unsigned k = 0; k < name->rank; k++) {
        syc_text_add(&w->text, "    if (i%u_ >= ", k);
        add_extent(w, name, k);
        syc_text_add(&w->text, ") {\n        syc_fault(faults, %zu, %u, %u, i%u_, ", index, k, name->rank, k);
        add_extent(w, name, k);
        syc_text_add(&w->text, ", line);\n        return ULONG_MAX;\n    }\n");
    }
    syc_text_add(&w->text, "    return ");
    for (unsigned k = 0; k + 1 < name->rank; k++)
        syc_text_add(&w->text, "i%u_ * pitch%u + ", k, k);
    syc_text_add(&w->text, "i%u_;\n}\n#define syc_index_%s(", name->rank - 1, n);
    add_parameters(w, name, "", "");
    syc_text_add(&w->text, ") syc_find_%s(", n);
    add_parameters(w, name, "(ulong)(0 | ", ")");
    for (unsigned k = 0; k + 1 < name->rank; k++)
        syc_text_add(&w->text, ", syc_pitch%u_%s", k, n);
    syc_text_add(&w->text, ", syc_length_%s, syc_faults, __LINE__)\n", n);
}

void syc__write_array_indices(syc__writer *w)
{
    for (size_t i = 0; i < w->body->source.count; i++) {
        const syc_name *name = &w->body->source.names[i];
        if (!syc__is_reducer(name) || !name->reducer.array)
            continue;
        if (w->form.checked)
            add_checked_index(w, name, i);
        else
            add_plain_index(w, name);
    }
}
