/* What several forms are written with: a text for each reducer, and the steps from many accumulators to one that are
 * the same in all of them. */
#include "body/reduce.h"

void syc__for_each_reducer(syc__writer *w, void (*write)(syc__writer *w, const syc_name *name))
{
    for (size_t i = 0; i < w->body->source.count; i++)
        if (syc__is_reducer(&w->body->source.names[i]))
            write(w, &w->body->source.names[i]);
}

void syc__for_each_sum(syc__writer *w, void (*write)(syc__writer *w, const char *name))
{
    char room[SYC__VALUE_WORD];
    for (size_t i = 0; i < w->body->source.count; i++) {
        const syc_name *name = &w->body->source.names[i];
        for (unsigned k = 0; syc__is_reducer(name) && k < syc__values_of(name); k++)
            write(w, syc__value_word(name, k, room));
    }
}

/* Lengths that are known: loops of numbers become vectors. Of structs Intel's compiler took minutes for all of them. */
static void fold_known(syc__writer *w, const char *n, const char *in)
{
    for (unsigned half = SYC__LANES / 2; half > 0; half /= 2)
        syc_text_add(&w->text,
                     "%sfor (uint syc_lane = 0; syc_lane < %u; syc_lane++)\n"
                     "%s    syc_sum_%s[syc_lane] = syc_join_%s(syc_sum_%s[syc_lane], syc_sum_%s[syc_lane + %u]);\n",
                     in, half, in, n, n, n, n, half);
}

/* Halves in pairs: the error of a sum grows with the logarithm of the lanes. */
void syc__fold_lanes(syc__writer *w, const char *n)
{
    const char *in = w->form.shape == SYC_SHAPE_LANES ? "    " : "        ";
    if (w->form.shape == SYC_SHAPE_ALONG && syc__has_registers(w->body)) {
        fold_known(w, n, in);
        return;
    }
    syc_text_add(&w->text,
                 "%sfor (uint syc_half = sizeof syc_sum_%s / sizeof *syc_sum_%s / 2; syc_half > 0; syc_half /= 2)\n"
                 "%s    for (uint syc_lane = 0; syc_lane < syc_half; syc_lane++)\n"
                 "%s        syc_sum_%s[syc_lane] = syc_join_%s(syc_sum_%s[syc_lane], syc_sum_%s[syc_lane + "
                 "syc_half]);\n",
                 in, n, n, in, in, n, n, n, n);
}

void syc__name_shared(syc__writer *w, const char *n)
{
    syc_text_add(&w->text,
                 "    __local syc_acc_%s *const syc_all_%s = (__local syc_acc_%s *)syc_room;\n"
                 "    syc_room += (syc_items * sizeof(syc_acc_%s) + 127) / 128 * 128;\n",
                 n, n, n, n);
}

void syc__put_own(syc__writer *w, const char *n)
{
    syc_text_add(&w->text, "    syc_all_%s[syc_own] = syc_sum_%s;\n", n, n);
}

void syc__add_barrier(syc__writer *w)
{
    syc__add(w, "    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);\n");
}
