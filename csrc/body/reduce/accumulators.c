/* The functions and accumulators of each reducer in a kernel's text. */
#include "base/dtype.h"
#include "body/parts.h"
#include "body/reduce/reduce.h"
#include "body/write/pack.h"

#include <string.h>

/* -- how many -- */

/* Accumulators of which one sum costs a work-item more than it gains by several elements at a time. */
enum { EXACT_LANES = 4 };

unsigned syc__lanes_of(const syc_name *name)
{
    return name->op.accuracy == SYC_ACCURACY_EXACT ? EXACT_LANES : SYC__LANES;
}

bool syc__has_registers(const syc_body *body)
{
    syc_dtype type;
    unsigned width;
    for (size_t i = 0; i < body->source.count; i++) {
        const syc_name *name = &body->source.names[i];
        if (syc__is_reducer(name) &&
            (!name->op.known || !syc__name_is_plain(name, &type, &width) || syc__lanes_of(name) < SYC__LANES))
            return false;
    }
    return !body->reading.traits.keeps;
}

/* Registers do not hold the accumulators of many reducers. Of four bytes fewer of each are quicker then, of eight they
 * are slower (tests/bench/README.md). */
unsigned syc__lanes_at_a_time(const syc_body *body)
{
    enum { MANY = 4, BYTES = 4, FEW_LANES = 16 };
    unsigned values = 0;
    for (size_t i = 0; i < body->source.count; i++) {
        const syc_name *name = &body->source.names[i];
        if (!syc__is_reducer(name))
            continue;
        if (name->size != BYTES)
            return SYC__LANES;
        values += syc__values_of(name);
    }
    return values >= MANY && syc__has_registers(body) ? FEW_LANES : SYC__LANES;
}

/* -- types and functions -- */

syc_status syc__check_reducers(const syc_body_source *source)
{
    syc_status status = SYC_OK;
    const syc_name *first = NULL;
    unsigned arrays = 0;
    for (size_t i = 0; i < source->count; i++) {
        const syc_reducer *reducer = &source->names[i].reducer;
        const char *n = source->names[i].name;
        bool apart = reducer->reduced != 0 || reducer->finish != NULL;
        if (!syc__is_reducer(&source->names[i]))
            continue;
        arrays += reducer->array;
        SYC_CHECK(arrays <= SYC_SPANS_MOST, SYC_E_INVALID_PARAMETER,
                  "body: '%s' is one array of variables more than the %d that a kernel can have", n, SYC_SPANS_MOST);
        SYC_CHECK(!reducer->kept || (reducer->fresh && source->names[i].op.accuracy != SYC_ACCURACY_FAST),
                  SYC_E_INVALID_PARAMETER, "body: '%s' has no accumulators that could be kept", n);
        SYC_CHECK((!apart || !reducer->array) && ((!apart && reducer->result == NULL) || reducer->fresh),
                  SYC_E_INVALID_PARAMETER,
                  "body: '%s' is finished, or of some dimensions, so it can have no old values and no array", n);
        SYC_CHECK(first == NULL || first->reducer.reduced == reducer->reduced, SYC_E_INVALID_PARAMETER,
                  "body: the reductions '%s' and '%s' are of other dimensions", first->name, n);
        first = &source->names[i];
        SYC_TRY(syc__check_accuracy(source, &source->names[i]));
    }
done:
    return status;
}

static void add_functions(syc__writer *w, const syc_name *name)
{
    if (name->op.accuracy != SYC_ACCURACY_FAST) {
        syc__write_accurate_value(w, name);
    } else {
        syc__write_accumulator(w, name);
        (name->reducer.array ? syc__write_array_combine : syc__write_combine)(w, name);
        syc__write_join(w, name);
    }
    syc__write_give(w, name);
    if (name->reducer.array)
        syc__write_array_fold(w, name);
    syc__write_variables(w, name);
}

void syc__write_reducers(syc__writer *w)
{
    syc__for_each_reducer(w, add_functions);
}

/* -- accumulators -- */

static void add_accumulator(syc__writer *w, const char *n, unsigned lanes)
{
    if (w->form.packs)
        syc__pack_write_accumulators(w, n);
    else if (w->form.shape == SYC_SHAPE_LANES)
        syc__add_step(w, "    SYC_REDUCTION_LANES(%s, %u)\n", n, lanes);
    else
        syc__add_for(w, n, "    syc_acc_$ syc_sum_$ = syc_none_$();\n");
}

static void add_accumulators(syc__writer *w, const syc_name *name)
{
    char room[SYC__VALUE_WORD];
    unsigned most = syc__lanes_at_a_time(w->body), lanes = syc__lanes_of(name);
    for (unsigned k = 0; k < syc__values_of(name); k++)
        add_accumulator(w, syc__value_word(name, k, room), lanes < most ? lanes : most);
}

/* Where a work-item and its group stand. Launches of our own have one dimension, and compilers that make vectors of
 * work-items want to see it; for the others OpenCL C 1.2 has no words for linear ids. */
static void add_places(syc__writer *w)
{
    bool line = !w->form.grouped;
    syc_text_add(&w->text,
                 line ? "    const uint syc_items = get_local_size(0), syc_own = get_local_id(0);\n"
                      : "    const uint syc_items = get_local_size(0) * get_local_size(1) * get_local_size(2);\n"
                        "    const uint syc_own = (get_local_id(2) * get_local_size(1) + get_local_id(1)) * "
                        "get_local_size(0) + get_local_id(0);\n");
    if (!w->form.folds)
        syc_text_add(&w->text,
                     line ? "    const uint syc_groups = get_num_groups(0);\n"
                            "    const ulong syc_group = get_group_id(0);\n"
                          : "    const uint syc_groups = get_num_groups(0) * get_num_groups(1) * get_num_groups(2);\n"
                            "    const ulong syc_group = (get_group_id(2) * get_num_groups(1) + get_group_id(1)) * "
                            "get_num_groups(0) + get_group_id(0);\n");
}

void syc__write_accumulators(syc__writer *w)
{
    add_places(w);
    syc__write_array_folders(w);
    syc__for_each_reducer(w, add_accumulators);
    syc__write_array_beginnings(w);
}

/* -- in the text of an nd-range -- */

static void add_macro(syc__writer *w, const char *word)
{
    syc_text_add(&w->text, "#define syc_r_%s (&syc_sum_%s)\n", word, word);
}

static void add_array_macro(syc__writer *w, const syc_name *name)
{
    if (!name->reducer.array)
        return;
    syc_text_add(&w->text, "#define syc_r_%s (", name->name);
    syc__write_array_place(w, name);
    syc_text_add(&w->text, ")\n");
}

/* A `return` ends the work-item's part, but not that of the reducers. */
void syc__write_reducer_macros(syc__writer *w)
{
    syc__for_each_sum(w, add_macro);
    syc__for_each_reducer(w, add_array_macro);
    if (w->body->reading.traits.reduces && w->body->reading.traits.returns)
        syc_text_add(&w->text, "#define return goto syc_returned\n");
}

void syc__write_no_reducer_macros(syc__writer *w)
{
    if (w->body->reading.traits.reduces && w->body->reading.traits.returns)
        syc_text_add(&w->text, "#undef return\n    syc_returned:;\n");
}
