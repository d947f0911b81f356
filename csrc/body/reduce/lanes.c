/* SYC_SHAPE_LANES: loops over the range around the text, which is a function; and what other shapes have of that. */
#include "body/reduce/reduce.h"
#include "body/write/pack.h"

static void add_sum(syc__writer *w, const syc_name *name, const char *word, const char *slot)
{
    bool shares = w->form.shape == SYC_SHAPE_LANES || w->form.shape == SYC_SHAPE_ALONG;
    syc__write_comma(w);
    if (slot != NULL && shares && syc__lanes_of(name) < SYC__LANES)
        syc_text_add(&w->text, "syc_sum_%s + %s %% %u", word, slot, syc__lanes_of(name));
    else if (slot != NULL)
        syc_text_add(&w->text, "syc_sum_%s + %s", word, slot);
    else
        syc_text_add(&w->text, "&syc_sum_%s", word);
}

static void add_sums(syc__writer *w, const syc_name *name, const char *slot)
{
    char room[SYC__VALUE_WORD];
    if (name->reducer.array) {
        syc__write_comma(w);
        syc__write_array_place(w, name);
    }
    for (unsigned k = 0; k < syc__values_of(name); k++)
        add_sum(w, name, syc__value_word(name, k, room), slot);
}

void syc__write_reducing_call(syc__writer *w, const char *slot)
{
    syc__write_call_begin(w);
    for (size_t i = 0; i < w->body->source.count; i++) {
        const syc_name *name = &w->body->source.names[i];
        if (syc__is_reducer(name)) {
            add_sums(w, name, slot);
            continue;
        }
        syc__write_comma(w);
        if (w->taken != NULL && w->taken[i] != NULL)
            syc_text_add(&w->text, "syc_own_%s[%s]", name->name, w->taken_at);
        else
            syc_text_add(&w->text, "%s", name->name);
    }
    syc__write_call_rest(w);
}

static void add_accumulators(syc__writer *w, const syc_name *name)
{
    char room[SYC__VALUE_WORD];
    if (name->reducer.array) {
        syc__write_comma(w);
        syc__write_array_target(w, name);
        syc_text_add(&w->text, "syc_r_%s", name->name);
    }
    for (unsigned k = 0; k < syc__values_of(name); k++) {
        syc__write_comma(w);
        syc_text_add(&w->text, "__private syc_acc_%s *syc_r_%s", name->name, syc__value_word(name, k, room));
    }
}

static void add_parameters(syc__writer *w)
{
    for (size_t i = 0; i < w->body->source.count; i++) {
        const syc_name *name = &w->body->source.names[i];
        bool taken = w->taken != NULL && w->taken[i] != NULL;
        if (syc__is_reducer(name)) {
            add_accumulators(w, name);
            continue;
        }
        if (!taken) {
            syc__write_parameter(w, i);
            continue;
        }
        syc__write_comma(w);
        syc_text_add(&w->text, "const %s %s", name->type, w->taken[i]);
    }
}

syc_status syc__write_reducing_head(syc__writer *w, const char *what)
{
    syc_status status = SYC_OK;

    SYC_TRY(syc__write_head(w, what));
    syc_text_add(&w->text, "#pragma clang diagnostic ignored \"-Wpass-failed\"\n");
    syc__write_reducers(w);
    syc__write_macros(w);
    syc__write_function_begin(w);
    add_parameters(w);
    syc__write_function_rest(w);
    syc__write_kernel_head(w);
done:
    return status;
}

void syc__write_rows(syc__writer *w, const char *row)
{
    if (w->form.dims == 2)
        syc_text_add(&w->text, "        const ulong syc_row1 = %s;\n", row);
    if (w->form.dims == 3)
        syc_text_add(&w->text, "        const ulong syc_row1 = %s %% syc_range1, syc_row2 = %s / syc_range1;\n", row,
                     row);
}

void syc__write_runs_begin(syc__writer *w)
{
    static const char *const rows[] = {"", "", " * syc_range1", " * syc_range1 * syc_range2"};
    syc_text_add(&w->text,
                 "    const ulong syc_runs = (syc_range0 + syc_run - 1) / syc_run;\n"
                 "    for (ulong syc_at_run = syc_group; syc_at_run < syc_runs%s; syc_at_run += syc_groups) {\n"
                 "        const ulong syc_begin = syc_at_run %% syc_runs * syc_run;\n"
                 "        const ulong syc_end = syc_range0 - syc_begin < syc_run ? syc_range0 : syc_begin + syc_run;\n"
                 "        ulong syc_from = syc_begin;\n",
                 rows[w->form.dims]);
    syc__write_rows(w, "(syc_at_run / syc_runs)");
}

syc_status syc__write_lanes(syc__writer *w)
{
    const syc_body_traits *traits = &w->body->reading.traits;
    const unsigned lanes = syc__lanes_at_a_time(w->body);
    syc_status status = SYC_OK;

    SYC_TRY(syc__write_reducing_head(
        w, "a work-item for runs of elements, with an accumulator for each of several elements at a time"));
    syc__write_accumulators(w);
    syc__write_runs_begin(w);
    if (!traits->scatters) {
        syc_text_add(&w->text, "        for (; syc_end - syc_from >= %u; syc_from += %u) {\n", lanes, lanes);
        if (syc__has_registers(w->body))
            syc_text_add(&w->text,
                         "#pragma clang loop vectorize(assume_safety) vectorize_width(16) interleave_count(%u) "
                         "unroll(disable)\n",
                         lanes / 16);
        syc_text_add(&w->text,
                     "            for (uint syc_lane = 0; syc_lane < %u; syc_lane++) {\n"
                     "                const ulong syc_at = syc_from + syc_lane;\n"
                     "                ",
                     lanes);
        syc__write_reducing_call(w, "syc_lane");
        syc_text_add(&w->text, "            }\n        }\n");
    }
    if (syc__has_fourfold(w)) { /* so that each turn has a copy that the compiler knows */
        syc_text_add(&w->text, "        for (; syc_end - syc_from >= 4; syc_from += 4) {\n"
                               "            __attribute__((opencl_unroll_hint(4)))\n"
                               "            for (uint syc_lane = 0; syc_lane < 4; syc_lane++) {\n"
                               "                const ulong syc_at = syc_from + syc_lane;\n"
                               "                ");
        syc__write_reducing_call(w, "syc_lane");
        syc_text_add(&w->text, "            }\n        }\n");
    }
    syc_text_add(&w->text,
                 "        for (uint syc_lane = 0; syc_from < syc_end; syc_lane++, syc_from++) {\n"
                 "            const ulong syc_at = syc_from;\n%s            ",
                 traits->scatters ? "            syc_lane %= 8;\n" : "");
    syc__write_reducing_call(w, "syc_lane");
    syc_text_add(&w->text, "        }\n    }\n");
    syc__write_reducer_ending(w);
    syc_text_add(&w->text, "}\n");
done:
    return status;
}
