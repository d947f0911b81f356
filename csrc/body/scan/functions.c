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
            "#define syc_worth_$ syc_value_$\n#define syc_part_of_$(x) (x)\n");
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
        "#define syc_worth_$(x) syc_value_$((x).value)\n");
}

/* The identity of an operator of numbers as a constant that is nothing to the bit; NULL: there is none. */
static const char *constant_of(const syc_name *name)
{
    const bool real = strcmp(name->type, "float") == 0 || strcmp(name->type, "double") == 0,
               unsigned_ = *name->type == 'u';
    if (!syc__scan_has_numbers(name))
        return NULL;
    if (strncmp(name->op.operation, "plus ", 5) == 0)
        return "(@)-0.0f";
    if (!real && strncmp(name->op.operation, "maximum ", 8) == 0)
        return unsigned_ ? "(@)0" : "(@)((@)1 << (8 * sizeof(@) - 1))";
    if (!real && strncmp(name->op.operation, "minimum ", 8) == 0)
        return unsigned_ ? "(@)-1" : "(@)(-1 - ((@)1 << (8 * sizeof(@) - 1)))";
    return NULL;
}

/* syc_fresh_<name>: nothing, before an element's contribution. By a constant the compiler leaves the operation out, and
 * what is read for it is not waited for. */
static void add_fresh(syc__writer *w, const syc_name *name)
{
    const char *constant = constant_of(name);
    syc__add_scanner(w, name, "#define syc_fresh_$() ");
    if (constant == NULL)
        syc__add_scanner(w, name, "syc_nothing_$()\n");
    else {
        syc__add_scanner(w, name, "syc_part_of_$(");
        syc__add_scanner(w, name, constant);
        syc__add_scanner(w, name, ")\n");
    }
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
    add_fresh(w, name);
    syc__add_scanner(w, name, "SYC_SCAN_PUT_FUNCTION($)\nSYC_SCAN_GET_FUNCTION($)\n");
    if (syc__scan_has_vectors(w, name))
        syc__write_vector_functions(w, name);
}

/* -- the texts -- */

static void add_contribution(syc__writer *w, const syc_name *name)
{
    syc_text_add(&w->text, "__private syc_acc_%s *syc_r_%s", name->name, name->name);
    if (name->reducer.restarts)
        syc_text_add(&w->text, ", __private %s *syc_h_%s", syc__flag_for(syc_partial_bytes(name)), name->name);
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
    SYC_TRY(add_first(w));
    if (syc__scan_has_second(w->body))
        SYC_TRY(syc__write_second(w));
    syc__write_kernel_head(w);
done:
    return status;
}

/* -- the calls -- */

void syc__write_first_call(syc__writer *w, const char *at, const char *first)
{
    char text[120], nothing[120];
    (void)snprintf(nothing, sizeof nothing, "%s = syc_fresh_$(); ", at);
    for (size_t i = 0; i < w->body->source.count; i++)
        if (syc__is_reducer(&w->body->source.names[i]))
            syc__add_scanner(w, &w->body->source.names[i],
                             syc__scan_has_heads(w, &w->body->source.names[i])
                                 ? "syc_sum_$[syc_j] = syc_none_$(); syc_head_$[syc_j] = 0; "
                                 : nothing);
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
                       : name->reducer.restarts     ? "&%s.value, &%s.seen"
                                                    : "&%s",
                       at, at);
        syc__add_scanner(w, name, text);
    }
    syc__write_call_rest(w);
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
    add_second_call(w, SYC__SECOND, "syc_worth_$(syc_at_$)", "syc_worth_$(syc_was_$)",
                    "syc_worth_$(syc_this_mark_$ >> syc_k & 1 ? syc_start_$ : syc_was_$)", NULL);
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
