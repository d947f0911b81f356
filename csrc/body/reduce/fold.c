/* Steps from many accumulators to one that all shapes share. */
#include "body/reduce/reduce.h"

/* Lengths that are known: loops of numbers become vectors. Of structs Intel's compiler took minutes for all of them. */
void syc__fold_lanes(syc__writer *w, const char *n)
{
    if (w->form.shape != SYC_SHAPE_ALONG || !syc__has_registers(w->body)) {
        syc__add_for(w, n, "    SYC_REDUCTION_FOLD_LANES($)\n");
        return;
    }
    for (unsigned half = SYC__LANES / 2; half > 0; half /= 2)
        syc__add_step(w, "    SYC_REDUCTION_FOLD_HALF(%s, %u)\n", n, half);
}

void syc__name_shared(syc__writer *w)
{
    syc__add_sums(w, "    __local syc_acc_$ *const syc_all_$ = (__local syc_acc_$ *)syc_room;\n"
                     "    syc_room += (syc_items * sizeof(syc_acc_$) + 127) / 128 * 128;\n");
}

void syc__put_own(syc__writer *w)
{
    syc__add_sums(w, "    syc_all_$[syc_own] = syc_sum_$;\n");
}

void syc__add_barrier(syc__writer *w)
{
    syc__add(w, "    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);\n");
}
