/* Sums of floating-point numbers with another accuracy than fast: an accumulator is one of the device library's
 * (kernels/device/reduce_running.clh, reduce_exact.clh) for each component of the type, so all there is to do here is
 * to name them. */
#include "base/dtype.h"
#include "body/operator/operator.h"

#include <string.h>

/* Of syc_exact_float and syc_exact_double: their words, and the counter and flags. */
enum { EXACT_FLOAT_BYTES = 10 * 8 + 8, EXACT_DOUBLE_BYTES = 67 * 8 + 8 };

static const char *const words[] = {"fast", "pairwise", "compensated", "exact"};

/* The numbers that each have an accumulator: components, or the parts of a complex number. */
static bool read_parts(const syc_name *name, syc_dtype *type, unsigned *width)
{
    if (!syc__name_is_complex(name))
        return syc__name_is_plain(name, type, width);
    *type = strcmp(name->type, "cdouble") == 0 ? SYC_DOUBLE : SYC_FLOAT;
    *width = 2;
    return true;
}

size_t syc_partial_bytes(const syc_name *name)
{
    syc_dtype type;
    unsigned width;
    if (name->op.accuracy == SYC_ACCURACY_FAST || !read_parts(name, &type, &width))
        return name->op.known ? name->size : 2 * name->size;
    if (name->op.accuracy != SYC_ACCURACY_EXACT)
        return 2 * syc_dtype_size(type) * width;
    return (size_t)(type == SYC_DOUBLE ? EXACT_DOUBLE_BYTES : EXACT_FLOAT_BYTES) * width;
}

/* -- what can be asked for -- */

syc_status syc__check_accuracy(const syc_body_source *source, const syc_name *name)
{
    static const char *const takes[] = {"-cl-fast-relaxed-math", "-cl-unsafe-math-optimizations",
                                        "-cl-finite-math-only", "-cl-denorms-are-zero", NULL};
    syc_status status = SYC_OK;
    syc_dtype type;
    unsigned width;

    if (name->op.accuracy == SYC_ACCURACY_FAST)
        return SYC_OK;
    SYC_CHECK(read_parts(name, &type, &width) && (type == SYC_FLOAT || type == SYC_DOUBLE) && name->op.known &&
                  strncmp(name->op.operation, "plus ", 5) == 0,
              SYC_E_INVALID_PARAMETER, "body: '%s' asks for accuracy '%s', which only sums of float and double have",
              name->name, words[name->op.accuracy]);
    for (size_t i = 0; takes[i] != NULL && source->options != NULL; i++)
        SYC_CHECK(strstr(source->options, takes[i]) == NULL, SYC_E_INVALID_PARAMETER,
                  "body: '%s' asks for accuracy '%s', which a compiler takes away that is given %s", name->name,
                  words[name->op.accuracy], takes[i]);
done:
    return status;
}

/* -- writing -- */

static unsigned width_of(const syc_name *name)
{
    syc_dtype type;
    unsigned width = 1;
    (void)read_parts(name, &type, &width); /* it was checked */
    return width;
}

/* "syc_exact_float" */
static void add_type(syc__writer *w, const syc_name *name)
{
    syc_dtype type = SYC_FLOAT;
    unsigned width;
    (void)read_parts(name, &type, &width);
    syc_text_add(&w->text, "syc_%s_%s", words[name->op.accuracy], syc_dtype_vector_name(type, 1));
}

/* Component k of the value `of`. */
static void add_component(syc__writer *w, const syc_name *name, const char *of, unsigned k, unsigned width)
{
    if (width == 1)
        syc_text_add(&w->text, "%s", of);
    else if (syc__name_is_complex(name))
        syc_text_add(&w->text, "%s.%s", of, k == 0 ? "re" : "im");
    else
        syc_text_add(&w->text, "%s.s%x", of, k);
}

static void add_numbers(syc__writer *w, const syc_name *name, const char *to, const char *of, unsigned width)
{
    for (unsigned k = 0; k < width; k++) {
        syc_text_add(&w->text, "syc_sum_add(&%spart[%u], ", to, k);
        add_component(w, name, of, k, width);
        syc_text_add(&w->text, "); ");
    }
}

void syc__write_accurate_value(syc__writer *w, const syc_name *name)
{
    const char *n = name->name, *space = name->reducer.array ? "__global" : "__private";
    const char *element = !name->reducer.array ? ""
                          : w->form.checked    ? "if (k == ULONG_MAX) return; to += k; "
                                               : "to += k; ";
    const unsigned width = width_of(name);

    syc_text_add(&w->text, "typedef struct { ");
    add_type(w, name);
    syc_text_add(&w->text, " part[%u]; } syc_acc_%s;\nstatic inline syc_acc_%s syc_none_%s(void) { ", width, n, n, n);
    syc_text_add(&w->text, "const syc_acc_%s none = {{{%s}}}; return none; }\n", n,
                 name->op.accuracy == SYC_ACCURACY_EXACT ? "{0}" : "0");
    syc_text_add(&w->text, "static inline void syc_combine_%s(%s syc_acc_%s *to, ", n, space, n);
    syc_text_add(&w->text, "%sconst %s x) { %s", name->reducer.array ? "const ulong k, " : "", name->type, element);
    add_numbers(w, name, "to->", "x", width);
    syc_text_add(&w->text, "}\nstatic inline syc_acc_%s syc_join_%s(syc_acc_%s a, const syc_acc_%s b) { ", n, n, n, n);
    for (unsigned k = 0; k < width; k++)
        syc_text_add(&w->text, "a.part[%u] = syc_sum_join(a.part[%u], b.part[%u]); ", k, k, k);
    syc_text_add(&w->text, "return a; }\n");
}

void syc__write_accurate_sum(syc__writer *w, const syc_name *name, const char *acc, const char *value)
{
    add_numbers(w, name, acc, value, width_of(name));
}

void syc__write_accurate_end(syc__writer *w, const syc_name *name, const char *acc)
{
    const unsigned width = width_of(name);
    for (unsigned k = 0; k < width && name->op.accuracy == SYC_ACCURACY_EXACT; k++)
        syc_text_add(&w->text, "syc_sum_settle(&%spart[%u]); ", acc, k);
}

void syc__write_accurate_result(syc__writer *w, const syc_name *name, const char *acc)
{
    const unsigned width = width_of(name);
    const bool parts = syc__name_is_complex(name);
    syc_text_add(&w->text, parts ? "%s(" : "(%s)(", name->type);
    for (unsigned k = 0; k < width; k++)
        syc_text_add(&w->text, "%ssyc_sum_result(%spart[%u])", k > 0 ? ", " : "", acc, k);
    syc_text_add(&w->text, ")");
}
