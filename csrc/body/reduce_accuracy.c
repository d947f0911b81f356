/* Sums of floating-point numbers with another accuracy than fast: an accumulator is one of the device library's
 * (kernels/reduce_running.clh, reduce_exact.clh) for each component of the type, so all there is to do here is to name
 * them. */
#include "body/reduce.h"

#include <string.h>

/* Accumulators of which one sum costs a work-item more than it gains by several elements at a time. */
enum { EXACT_LANES = 4 };
/* Of syc_exact_float and syc_exact_double: their words, and the counter and flags. */
enum { EXACT_FLOAT_BYTES = 10 * 8 + 8, EXACT_DOUBLE_BYTES = 67 * 8 + 8 };

static const char *const words[] = {"fast", "pairwise", "compensated", "exact"};

unsigned syc__lanes_of(const syc_name *name)
{
    return name->reducer.accuracy == SYC_ACCURACY_EXACT ? EXACT_LANES : SYC__LANES;
}

size_t syc_partial_bytes(const syc_name *name)
{
    syc_dtype type;
    unsigned width;
    if (name->reducer.accuracy == SYC_ACCURACY_FAST || !syc__name_is_plain(name, &type, &width))
        return name->reducer.known ? name->size : 2 * name->size;
    if (name->reducer.accuracy != SYC_ACCURACY_EXACT)
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

    if (name->reducer.accuracy == SYC_ACCURACY_FAST)
        return SYC_OK;
    SYC_CHECK(syc__name_is_plain(name, &type, &width) && (type == SYC_FLOAT || type == SYC_DOUBLE) &&
                  name->reducer.known && strncmp(name->reducer.operation, "plus ", 5) == 0,
              SYC_E_INVALID_PARAMETER, "body: '%s' asks for accuracy '%s', which only sums of float and double have",
              name->name, words[name->reducer.accuracy]);
    for (size_t i = 0; takes[i] != NULL && source->options != NULL; i++)
        SYC_CHECK(strstr(source->options, takes[i]) == NULL, SYC_E_INVALID_PARAMETER,
                  "body: '%s' asks for accuracy '%s', which a compiler takes away that is given %s", name->name,
                  words[name->reducer.accuracy], takes[i]);
done:
    return status;
}

/* -- writing -- */

/* "syc_exact_float" and how many of them. */
static unsigned add_type(syc__writer *w, const syc_name *name)
{
    syc_dtype type = SYC_FLOAT;
    unsigned width = 1;
    (void)syc__name_is_plain(name, &type, &width); /* it was checked */
    syc_text_add(&w->text, "syc_%s_%s", words[name->reducer.accuracy], syc_dtype_vector_name(type, 1));
    return width;
}

/* Component k of the value `of`. */
static void add_component(syc__writer *w, const char *of, unsigned k, unsigned width)
{
    if (width == 1)
        syc_text_add(&w->text, "%s", of);
    else
        syc_text_add(&w->text, "%s.s%x", of, k);
}

static void add_numbers(syc__writer *w, const char *to, const char *of, unsigned width)
{
    for (unsigned k = 0; k < width; k++) {
        syc_text_add(&w->text, "syc_sum_add(&%spart[%u], ", to, k);
        add_component(w, of, k, width);
        syc_text_add(&w->text, "); ");
    }
}

static void add_give(syc__writer *w, const syc_name *name, unsigned width)
{
    syc__write_give_head(w, name);
    if (!name->reducer.fresh) {
        syc_text_add(&w->text, "const %s old = *to; ", name->type);
        add_numbers(w, "x.", "old", width);
    }
    syc_text_add(&w->text, "const %s r = (%s)(", name->type, name->type);
    for (unsigned k = 0; k < width; k++)
        syc_text_add(&w->text, "%ssyc_sum_result(x.part[%u])", k > 0 ? ", " : "", k);
    syc_text_add(&w->text, "); ");
    syc__write_give_end(w, name);
}

void syc__write_accurate_value(syc__writer *w, const syc_name *name)
{
    const char *n = name->name, *space = name->reducer.array ? "__global" : "__private";
    const char *element = !name->reducer.array ? ""
                          : w->form.checked    ? "if (k == ULONG_MAX) return; to += k; "
                                               : "to += k; ";
    unsigned width;

    syc_text_add(&w->text, "typedef struct { ");
    width = add_type(w, name);
    syc_text_add(&w->text, " part[%u]; } syc_acc_%s;\nstatic inline syc_acc_%s syc_none_%s(void) { ", width, n, n, n);
    syc_text_add(&w->text, "const syc_acc_%s none = {{{%s}}}; return none; }\n", n,
                 name->reducer.accuracy == SYC_ACCURACY_EXACT ? "{0}" : "0");
    syc_text_add(&w->text, "static inline void syc_combine_%s(%s syc_acc_%s *to, %sconst %s x) { %s", n, space, n,
                 name->reducer.array ? "const ulong k, " : "", name->type, element);
    add_numbers(w, "to->", "x", width);
    syc_text_add(&w->text, "}\nstatic inline syc_acc_%s syc_join_%s(syc_acc_%s a, const syc_acc_%s b) { ", n, n, n, n);
    for (unsigned k = 0; k < width; k++)
        syc_text_add(&w->text, "a.part[%u] = syc_sum_join(a.part[%u], b.part[%u]); ", k, k, k);
    syc_text_add(&w->text, "return a; }\n");
    add_give(w, name, width);
}
