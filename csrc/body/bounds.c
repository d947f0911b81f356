/* The macros and functions of a checked form: each leads to an element, or, where there is none, says so in the faults
 * and leads to where no harm is done. */
#include "body/parts.h"

#include <string.h>

static const char record[] = "static ulong syc_steps(ulong all, ulong one)\n"
                             "{\n"
                             "    return one == 0 ? 0 : (all + one - 1) / one;\n"
                             "}\n"
                             "static void syc_fault(__global uint *faults, uint name, uint part, uint parts, ulong "
                             "index, ulong limit, uint line)\n"
                             "{\n"
                             "    if (atomic_cmpxchg((volatile __global uint *)faults, 0u, 1u) != 0u)\n"
                             "        return;\n"
                             "    faults[1] = name;\n"
                             "    faults[2] = (uint)index;\n"
                             "    faults[3] = (uint)(index >> 32);\n"
                             "    faults[4] = line;\n"
                             "    faults[5] = part;\n"
                             "    faults[6] = parts;\n"
                             "    faults[7] = (uint)limit;\n"
                             "    faults[8] = (uint)(limit >> 32);\n"
                             "}\n";

/* -- functions -- */

/* "syc_at2_m(m, length, pitch0, i0, i1, faults, line)" gives a pointer to m(i0, i1). */
static void add_head(syc__writer *w, size_t index, unsigned parts)
{
    const syc_name *name = &w->body->source.names[index];
    const char *constant = syc_body_writes(w->body, index) ? "" : "const ";

    syc_text_add(&w->text, "static inline __global %s%s *syc_at%u_%s(__global %s%s *x, ulong length, ", constant,
                 name->type, parts, name->name, constant, name->type);
    for (unsigned k = 0; k + 1 < parts; k++)
        syc_text_add(&w->text, "ulong pitch%u, ", k);
    for (unsigned k = 0; k < parts; k++)
        syc_text_add(&w->text, "ulong i%u, ", k);
    syc_text_add(&w->text, "__global uint *faults, uint line)\n{\n");
}

static void add_row(syc__writer *w, unsigned parts)
{
    for (unsigned k = 0; k + 1 < parts; k++)
        syc_text_add(&w->text, "%si%u * pitch%u", k > 0 ? " + " : "", k, k);
}

/* How many steps of subscript k there are within one of the subscript before it. */
static void add_limit(syc__writer *w, unsigned k, unsigned parts)
{
    bool last = k + 1 == parts;
    syc_text_add(&w->text, last ? "" : "syc_steps(");
    if (k == 0)
        syc_text_add(&w->text, "length");
    else
        syc_text_add(&w->text, "pitch%u", k - 1);
    if (!last)
        syc_text_add(&w->text, ", pitch%u)", k);
}

static void add_test(syc__writer *w, size_t index, unsigned k, unsigned parts)
{
    syc_text_add(&w->text, "%s if (i%u >= ", k == 0 ? "   " : "", k);
    add_limit(w, k, parts);
    syc_text_add(&w->text, ")\n        syc_fault(faults, %zu, %u, %u, i%u, ", index, k, parts, k);
    add_limit(w, k, parts);
    syc_text_add(&w->text, ", line);\n    else");
}

/* The last row may be cut short. */
static void add_last_test(syc__writer *w, size_t index, unsigned parts)
{
    syc_text_add(&w->text, " if (i%u >= length - (", parts - 1);
    add_row(w, parts);
    syc_text_add(&w->text, "))\n        syc_fault(faults, %zu, %u, %u, i%u, length - (", index, parts - 1, parts,
                 parts - 1);
    add_row(w, parts);
    syc_text_add(&w->text, "), line);\n    else");
}

static void add_function(syc__writer *w, size_t index, unsigned parts)
{
    const syc_name *name = &w->body->source.names[index];
    const char *constant = syc_body_writes(w->body, index) ? "" : "const ";
    size_t room = SYC_FAULTS_BYTES - SYC_FAULT_WORDS * sizeof(uint32_t);

    add_head(w, index, parts);
    for (unsigned k = 0; k < parts; k++)
        add_test(w, index, k, parts);
    if (parts > 1)
        add_last_test(w, index, parts);
    syc_text_add(&w->text, "\n        return x + (");
    add_row(w, parts);
    syc_text_add(&w->text, "%si%u);\n", parts > 1 ? " + " : "", parts - 1);
    syc_text_add(&w->text, "    return sizeof(%s) > %zu ? x : (__global %s%s *)(faults + %u);\n}\n", name->type, room,
                 constant, name->type, SYC_FAULT_WORDS);
}

/* "syc_span_x(4, e)" gives the pointer for vload4(e, ...): x, or what leads to the room behind the faults. */
static void add_span(syc__writer *w, size_t index)
{
    const syc_name *name = &w->body->source.names[index];
    const char *constant = syc_body_writes(w->body, index) ? "" : "const ";

    syc_text_add(&w->text,
                 "static inline __global %s%s *syc_from_%s(__global %s%s *x, ulong length, ulong n, ulong at, __global "
                 "uint *faults, uint line)\n{\n",
                 constant, name->type, name->name, constant, name->type);
    syc_text_add(
        &w->text,
        "    if (at < length / n)\n        return x;\n    syc_fault(faults, %zu, 0, 1, at * n + n - 1, length, "
        "line);\n    return (__global %s%s *)(faults + %u) - at * n;\n}\n",
        index, constant, name->type, SYC_FAULT_WORDS);
    syc_text_add(&w->text,
                 "#define syc_span_%s(n_, ...) syc_from_%s(%s, syc_length_%s, n_, (ulong)(__VA_ARGS__), syc_faults, "
                 "__LINE__)\n",
                 name->name, name->name, name->name, name->name);
}

bool syc__name_has_one_subscript(const syc_body *body, size_t index)
{
    const syc__use *use = &body->reading.uses[index];
    return use->indexed || !use->called;
}

/* -- macros -- */

static void add_macro_rest(syc__writer *w, const char *name, unsigned parts)
{
    syc_text_add(&w->text, " (*syc_at%u_%s(%s, syc_length_%s, ", parts, name, name, name);
    for (unsigned k = 0; k + 1 < parts; k++)
        syc_text_add(&w->text, "syc_pitch%u_%s, ", k, name);
    for (unsigned k = 0; parts > 1 && k < parts; k++)
        syc_text_add(&w->text, "(ulong)(i%u_), ", k);
    syc_text_add(&w->text, parts == 1 ? "(ulong)(__VA_ARGS__), " : "");
    syc_text_add(&w->text, "syc_faults, __LINE__))\n");
}

/* "#define <prefix>name(i0_, i1_) ..." */
static void add_macro(syc__writer *w, const char *prefix, const char *name, unsigned parts)
{
    static const char *const parameters[] = {"", "...", "i0_, i1_", "i0_, i1_, i2_"};
    syc_text_add(&w->text, "#define %s%s(%s)", prefix, name, parameters[parts]);
    add_macro_rest(w, name, parts);
}

/* One subscript or as many as there are dimensions: the number of arguments decides. */
static void add_choice(syc__writer *w, const char *name, unsigned rank)
{
    add_macro(w, "syc_one_", name, 1);
    add_macro(w, "syc_all_", name, rank);
    syc_text_add(&w->text, "#define syc_pick_%s(a_, b_, %spick_, ...) pick_\n", name, rank == 3 ? "c_, " : "");
    syc_text_add(&w->text, "#define %s(...) syc_pick_%s(__VA_ARGS__, syc_all_%s, %s%s%ssyc_one_%s, 0)(__VA_ARGS__)\n",
                 name, name, name, rank == 3 ? "syc_all_" : "", rank == 3 ? name : "", rank == 3 ? ", " : "", name);
}

void syc__write_bounds(syc__writer *w)
{
    const char *body = w->body->source.text;
    bool spans = strstr(body, "vload") != NULL || strstr(body, "vstore") != NULL;
    syc_text_add(&w->text, "%s", record);
    for (size_t i = 0; i < w->body->source.count; i++) {
        const syc_name *name = &w->body->source.names[i];
        const syc__use *use = &w->body->reading.uses[i];
        bool one = syc__name_has_one_subscript(w->body, i);
        if (!syc__name_is_checked(w->body, i))
            continue;
        if (one)
            add_function(w, i, 1);
        if (one && spans)
            add_span(w, i);
        if (use->called)
            add_function(w, i, name->rank);
        if (one && use->called)
            add_choice(w, name->name, name->rank);
        else
            add_macro(w, "", name->name, use->called ? name->rank : 1);
    }
}
