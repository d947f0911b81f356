/* What stands before a scan's kernel: the types and functions of scanners, and the two texts as functions. */
#include "body/scan/scan.h"

#include "base/alloc.h"

#include <stdio.h>
#include <string.h>

/* -- their functions -- */

/* syc_part_<name>, and how two meet: where segments may begin the later one has nothing of the other if one begins in
 * it.
 */
static void add_part(syc__writer *w, const syc_name *name)
{
    if (!name->reducer.restarts) {
        syc__add_scanner(
            w, name,
            "typedef syc_acc_$ syc_part_$;\n#define syc_meet_$ syc_join_$\n#define syc_nothing_$ syc_none_$\n"
            "#define syc_worth_$ syc_value_$\n#define syc_part_of_$(x) (x)\n"
            "typedef syc_part_$ syc_cell_$;\n#define syc_cell_of_$(x) (x)\n"
            "#define syc_further_$(run, x, head, start) syc_join_$(run, x)\n");
        return;
    }
    syc_text_add(&w->text, "typedef struct { syc_acc_%s value; %s seen; } syc_part_%s;\n", name->name,
                 syc__flag_for(syc_partial_bytes(name)), name->name);
    syc__add_scanner(
        w, name,
        "static inline syc_part_$ syc_meet_$(const syc_part_$ a, syc_part_$ b) { "
        "if (!b.seen) b.value = syc_join_$(a.value, b.value); b.seen |= a.seen; return b; }\n"
        "static inline syc_part_$ syc_part_of_$(const syc_acc_$ x) { const syc_part_$ part = {x, 0}; return "
        "part; }\n"
        "#define syc_nothing_$() syc_part_of_$(syc_none_$())\n"
        "#define syc_worth_$(x) syc_value_$((x).value)\n"
        "typedef syc_acc_$ syc_cell_$;\n#define syc_cell_of_$(x) ((x).value)\n"
        "static inline syc_part_$ syc_further_$(syc_part_$ run, const syc_cell_$ x, const uint head, const syc_acc_$ "
        "start) { "
        "run.value = syc_join_$(head ? start : run.value, x); run.seen |= head; return run; }\n");
}

/* syc_value_<name>: what an accumulator is worth. */
static void add_value(syc__writer *w, const syc_name *name)
{
    const char *n = name->name;
    syc_text_add(&w->text, "static inline %s syc_value_%s(syc_acc_%s x) { return ", name->type, n, n);
    if (name->op.accuracy != SYC_ACCURACY_FAST)
        syc__write_accurate_result(w, name, "x.");
    else
        syc__add(w, name->op.known ? "x" : "x.value");
    syc__add(w, "; }\n");
}

/* In ROUNDS the first value of an element is not combined with the identity where it is read, since that would wait for
 * it; it is when its run is summed. */
static bool offers(const syc__writer *w, const syc_name *name)
{
    return w->form.shape == SYC_SHAPE_ROUNDS && name->op.accuracy == SYC_ACCURACY_FAST && name->op.known &&
           !name->op.boolean;
}

/* syc_offer_<name>: the first of the values that the first text's calls give, and what they come to where there are
 * more: then the first one has met the identity, too, behind which an operator may make something else of it, as
 * maximum does of NaN. */
static void add_offer(syc__writer *w, const syc_name *name)
{
    if (offers(w, name))
        syc__add_scanner(w, name,
                         "typedef struct { syc_acc_$ first, all; uint count; } syc_offer_$;\n"
                         "static inline void syc_offer_to_$(__private syc_offer_$ *to, const @ x) { "
                         "if (to->count == 0) to->first = x; "
                         "if (to->count == 1) syc_combine_$(&to->all, to->first); "
                         "if (to->count > 0) syc_combine_$(&to->all, x); "
                         "to->count = to->count == 0 ? 1 : 2; }\n");
}

static void add_functions(syc__writer *w, const syc_name *name)
{
    if (name->op.accuracy != SYC_ACCURACY_FAST) {
        syc__write_accurate_value(w, name);
    } else {
        syc__write_accumulator(w, name);
        syc__write_combine(w, name);
        syc__write_join(w, name);
    }
    syc__write_give(w, name);
    add_value(w, name);
    add_part(w, name);
    add_offer(w, name);
    syc__add_scanner(w, name, "SYC_SCAN_PUT_FUNCTION($)\nSYC_SCAN_GET_FUNCTION($)\n");
    if (syc__scan_has_vectors(w, name))
        syc__write_vector_functions(w, name);
}

/* -- the texts -- */

static void add_contribution(syc__writer *w, const syc_name *name)
{
    syc_text_add(&w->text, "__private syc_%s_%s *syc_r_%s", offers(w, name) ? "offer" : "acc", name->name, name->name);
    if (name->reducer.restarts)
        syc_text_add(&w->text, ", __private %s *syc_h_%s", syc__flag_for(syc_partial_bytes(name)), name->name);
}

/* The texts' word for a call, while the first one is written. */
static void add_offering(syc__writer *w, bool on)
{
    for (size_t i = 0; i < w->body->source.count; i++) {
        const syc_name *name = &w->body->source.names[i];
        if (syc__is_reducer(name) && offers(w, name))
            syc__add_scanner(w, name, on ? "#define syc_combine_$ syc_offer_to_$\n" : "#undef syc_combine_$\n");
    }
}

static syc_status add_first(syc__writer *w)
{
    syc_status status = SYC_OK;
    const char *text = w->body_text;
    char *first = NULL;

    SYC_TRY(syc_copy_string(text, &first));
    first[syc__scan_line(text, w->body->source.seam) - text] = '\0';
    w->body_text = first;
    w->pure = true;
    syc__write_function_begin(w);
    if (syc__any_restarts(w->body)) {
        syc__write_comma(w);
        syc__add(w, "const bool syc_first");
    }
    syc__write_scan_parameters(w, add_contribution);
    syc__write_function_rest(w);
    w->pure = false;
done:
    w->body_text = text;
    syc_free(first);
    return status;
}

syc_status syc__write_scan_head(syc__writer *w, const char *what)
{
    syc_status status = SYC_OK;

    SYC_TRY(syc__write_head(w, what));
    syc__add(w, "#pragma clang diagnostic ignored \"-Wpass-failed\"\n");
    syc__for_each_reducer(w, add_functions);
    syc__write_macros(w);
    add_offering(w, true);
    SYC_TRY(add_first(w));
    add_offering(w, false);
    if (syc__scan_has_second(w->body))
        SYC_TRY(syc__write_second(w));
    syc__write_kernel_head(w);
done:
    return status;
}

/* -- the calls -- */

void syc__write_first_call(syc__writer *w, const char *at, const char *first)
{
    char text[160], nothing[120];
    (void)snprintf(nothing, sizeof nothing, "%s = syc_nothing_$(); ", at);
    for (size_t i = 0; i < w->body->source.count; i++)
        if (syc__is_reducer(&w->body->source.names[i]))
            syc__add_scanner(w, &w->body->source.names[i],
                             syc__scan_has_heads(w, &w->body->source.names[i])
                                 ? "syc_sum_$[syc_j] = syc_none_$(); syc_head_$[syc_j] = 0; "
                                 : nothing);
    for (size_t i = 0; i < w->body->source.count; i++)
        if (syc__is_reducer(&w->body->source.names[i]) && offers(w, &w->body->source.names[i]))
            syc__add_scanner(w, &w->body->source.names[i],
                             "syc_offer_$ syc_given_$; syc_given_$.all = syc_none_$(); syc_given_$.count = 0; ");
    syc__write_call_begin(w);
    if (syc__any_restarts(w->body)) {
        syc__write_comma(w);
        syc__add(w, first);
    }
    for (size_t i = 0; i < w->body->source.count; i++) {
        const syc_name *name = &w->body->source.names[i];
        syc__write_comma(w);
        if (!syc__is_reducer(name)) {
            syc__add(w, name->name);
            continue;
        }
        (void)snprintf(text, sizeof text,
                       syc__scan_has_heads(w, name) ? "&syc_sum_$[syc_j], &syc_head_$[syc_j]"
                       : offers(w, name)        ? (name->reducer.restarts ? "&syc_given_$, &%s.seen" : "&syc_given_$")
                       : name->reducer.restarts ? "&%s.value, &%s.seen"
                                                : "&%s",
                       at, at);
        syc__add_scanner(w, name, text);
    }
    syc__write_call_rest(w);
    for (size_t i = 0; i < w->body->source.count; i++) {
        const syc_name *name = &w->body->source.names[i];
        (void)snprintf(text, sizeof text,
                       "            if (syc_given_$.count > 0) %s%s = syc_given_$.count == 1 ? syc_given_$.first : "
                       "syc_given_$.all;\n",
                       at, name->reducer.restarts ? ".value" : "");
        if (syc__is_reducer(name) && offers(w, name))
            syc__add_scanner(w, name, text);
    }
}

/* '$' is a scanner's name: its value with the element, that before it, and that where segments may begin. */
static void add_second_call(syc__writer *w, const char *function, const char *now, const char *before,
                            const char *segment, const char *more)
{
    w->function = function;
    syc__write_call_begin(w);
    for (size_t i = 0; i < w->body->source.count; i++) {
        const syc_name *name = &w->body->source.names[i];
        syc__write_comma(w);
        if (!syc__is_reducer(name)) {
            syc__add(w, name->name);
            continue;
        }
        syc__add_scanner(w, name, name == w->counter ? "syc_at_$" : now);
        if (!name->reducer.befores)
            continue;
        syc__write_comma(w);
        syc__add_scanner(w, name, name == w->counter ? "syc_was_$" : name->reducer.restarts ? segment : before);
    }
    if (more != NULL) {
        syc__write_comma(w);
        syc__add(w, more);
    }
    syc__write_call_rest(w);
    w->function = NULL;
}

void syc__write_second_call(syc__writer *w, const char *function, const char *more)
{
    add_second_call(w, function, "syc_now_$[syc_j + 1]", "syc_now_$[syc_j]",
                    "syc_mark_$[syc_j] ? syc_worth_$(syc_start_$) : syc_now_$[syc_j]", more);
}

void syc__write_beside_call(syc__writer *w)
{
    add_second_call(w, SYC__SECOND, "syc_worth_$(syc_run_$[syc_j])", "syc_worth_$(syc_was_$)", "syc_worth_$(syc_was_$)",
                    NULL);
}

void syc__write_round_call(syc__writer *w)
{
    add_second_call(w, SYC__SECOND, "syc_value_$(syc_at_$)", "syc_value_$(syc_was_$)",
                    "syc_value_$(syc_this_mark_$ >> syc_k & 1 ? syc_start_$.value : syc_was_$)", NULL);
}

/* -- what segments begin with -- */

void syc__write_starts(syc__writer *w)
{
    for (size_t i = 0; i < w->body->source.count; i++) {
        const syc_name *name = &w->body->source.names[i];
        if (!syc__is_reducer(name))
            continue;
        syc__add_scanner(w, name, "    syc_part_$ syc_start_$ = syc_nothing_$();\n");
        if (name->reducer.initial)
            syc__add_scanner(w, name,
                             name->reducer.restarts ? "    syc_combine_$(&syc_start_$.value, syc_initial_$);\n"
                                                    : "    syc_combine_$(&syc_start_$, syc_initial_$);\n");
    }
}
