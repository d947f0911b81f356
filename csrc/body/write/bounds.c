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

/* One subscript of a part goes by its rows, too. */
static unsigned row_parts(const syc_name *name, unsigned parts)
{
    return name->ranged ? name->rank : parts;
}

/* A program's pointer to a part is not moved to its first element, as a body's is. */
static bool is_placed(const syc__writer *w, const syc_name *name)
{
    return name->ranged && w->body->source.whole;
}

static void add_pointer(syc__writer *w, size_t index)
{
    const char *constant = syc_body_writes(w->body, index) ? "" : "const ";
    syc_text_add(&w->text, "__global %s%s *", constant, w->body->source.names[index].type);
}

/* Parameters of "x" between the pointer and the subscripts. */
static void add_sizes(syc__writer *w, size_t index, unsigned parts)
{
    const syc_name *name = &w->body->source.names[index];
    add_pointer(w, index);
    syc_text_add(&w->text, "x, ulong length, ");
    for (unsigned k = 0; k + 1 < row_parts(name, parts); k++)
        syc_text_add(&w->text, "ulong pitch%u, ", k);
    for (unsigned k = 1; name->ranged && k < name->rank; k++)
        syc_text_add(&w->text, "ulong limit%u, ", k);
    syc_text_add(&w->text, is_placed(w, name) ? "ulong first, " : "");
}

/* "syc_at2_m(m, length, pitch0, i0, i1, faults, line)" gives a pointer to m(i0, i1). */
static void add_head(syc__writer *w, size_t index, unsigned parts)
{
    const syc_name *name = &w->body->source.names[index];

    syc_text_add(&w->text, "static inline ");
    add_pointer(w, index);
    syc_text_add(&w->text, "syc_at%u_%s(", parts, name->name);
    add_sizes(w, index, parts);
    for (unsigned k = 0; k < parts; k++)
        syc_text_add(&w->text, "ulong %s%u, ", is_placed(w, name) ? "at" : "i", k);
    syc_text_add(&w->text, "__global uint *faults, uint line)\n{\n");
    if (is_placed(w, name))
        syc_text_add(&w->text, "    const ulong i0 = at0 - first;\n    x += first;\n");
}

static void add_row(syc__writer *w, unsigned parts)
{
    for (unsigned k = 0; k + 1 < parts; k++)
        syc_text_add(&w->text, "%si%u * pitch%u", k > 0 ? " + " : "", k, k);
}

/* How many steps of subscript k there are within one of the subscript before it. */
static void add_limit(syc__writer *w, const syc_name *name, unsigned k, unsigned parts)
{
    bool last = k + 1 == parts;
    if (k > 0 && name->ranged) {
        syc_text_add(&w->text, "limit%u", k);
        return;
    }
    syc_text_add(&w->text, last ? "" : "syc_steps(");
    if (k == 0)
        syc_text_add(&w->text, "length");
    else
        syc_text_add(&w->text, "pitch%u", k - 1);
    if (!last)
        syc_text_add(&w->text, ", pitch%u)", k);
}

/* Subscript k of so many is not below what follows. */
static void add_fault(syc__writer *w, size_t index, unsigned k, unsigned parts)
{
    syc_text_add(&w->text, ")\n        syc_fault(faults, %zu, %u, %u, i%u, ", index, k, parts, k);
}

static void add_placed_fault(syc__writer *w, size_t index)
{
    syc_text_add(&w->text, ")\n        syc_fault(faults, %zu, 0, 0, at0, first, line);\n    else", index);
}

static void add_test(syc__writer *w, size_t index, unsigned k, unsigned parts)
{
    const syc_name *name = &w->body->source.names[index];
    syc_text_add(&w->text, "%s if (i%u >= ", k == 0 ? "   " : "", k);
    add_limit(w, name, k, parts);
    if (is_placed(w, name)) {
        add_placed_fault(w, index);
        return;
    }
    add_fault(w, index, k, parts);
    add_limit(w, name, k, parts);
    syc_text_add(&w->text, ", line);\n    else");
}

/* The last row may be cut short. */
static void add_last_test(syc__writer *w, size_t index, unsigned parts)
{
    syc_text_add(&w->text, " if (i%u >= length - (", parts - 1);
    add_row(w, parts);
    syc_text_add(&w->text, ")");
    add_fault(w, index, parts - 1, parts);
    syc_text_add(&w->text, "length - (");
    add_row(w, parts);
    syc_text_add(&w->text, "), line);\n    else");
}

/* One subscript of a part may lead to what lies between its rows. */
static void add_gap_test(syc__writer *w, size_t index, const syc_name *name)
{
    for (unsigned k = 1; k < name->rank; k++) {
        syc_text_add(&w->text, " if (i0 %% pitch%u", k - 1);
        if (k + 1 < name->rank)
            syc_text_add(&w->text, " / pitch%u", k);
        syc_text_add(&w->text, " >= limit%u", k);
        if (is_placed(w, name)) {
            add_placed_fault(w, index);
            continue;
        }
        add_fault(w, index, 0, 1);
        syc_text_add(&w->text, "(ulong)-1, line);\n    else");
    }
}

static void add_function(syc__writer *w, size_t index, unsigned parts)
{
    const syc_name *name = &w->body->source.names[index];
    size_t room = SYC_FAULTS_BYTES - SYC_FAULT_WORDS * sizeof(uint32_t);

    add_head(w, index, parts);
    for (unsigned k = 0; k < parts; k++)
        add_test(w, index, k, parts);
    if (parts > 1)
        add_last_test(w, index, parts);
    else if (name->ranged)
        add_gap_test(w, index, name);
    syc_text_add(&w->text, "\n        return x + (");
    add_row(w, parts);
    syc_text_add(&w->text, "%si%u);\n", parts > 1 ? " + " : "", parts - 1);
    syc_text_add(&w->text, "    return sizeof(%s) > %zu ? x : (", name->type, room);
    add_pointer(w, index);
    syc_text_add(&w->text, ")(faults + %u);\n}\n", SYC_FAULT_WORDS);
}

/* -- macros -- */

/* The arguments for add_sizes: those of the kernel, or inside of such a function its own. */
static void add_given_sizes(syc__writer *w, const syc_name *of, unsigned parts, bool inside)
{
    const char *syc = inside ? "" : "syc_", *between = inside ? "" : "_", *name = inside ? "" : of->name;
    syc_text_add(&w->text, "%s, %slength%s%s, ", inside ? "x" : name, syc, between, name);
    for (unsigned k = 0; k + 1 < row_parts(of, parts); k++)
        syc_text_add(&w->text, "%spitch%u%s%s, ", syc, k, between, name);
    for (unsigned k = 1; of->ranged && k < of->rank; k++)
        syc_text_add(&w->text, "%slimit%u%s%s, ", syc, k, between, name);
    if (is_placed(w, of))
        syc_text_add(&w->text, "%sfirst%s%s, ", syc, between, name);
}

/* "syc_span_x(4, e)" gives the pointer for vload4(e, ...): x, or what leads to the room behind the faults. */
static void add_span(syc__writer *w, size_t index)
{
    const syc_name *name = &w->body->source.names[index];

    syc_text_add(&w->text, "static inline ");
    add_pointer(w, index);
    syc_text_add(&w->text, "syc_from_%s(", name->name);
    add_sizes(w, index, 1);
    syc_text_add(&w->text, "ulong n, ulong at, __global uint *faults, uint line)\n{\n    ");
    add_pointer(w, index);
    syc_text_add(&w->text, "room = (");
    add_pointer(w, index);
    syc_text_add(&w->text, ")(faults + %u);\n    for (ulong k = n; k-- > 0;)\n        if (syc_at1_%s(", SYC_FAULT_WORDS,
                 name->name);
    add_given_sizes(w, name, 1, true);
    syc_text_add(&w->text, "at * n + k, faults, line) == room)\n            return room - at * n;\n    return x;\n}\n");
    syc_text_add(&w->text, "#define syc_span_%s(n_, ...) syc_from_%s(", name->name, name->name);
    add_given_sizes(w, name, 1, false);
    syc_text_add(&w->text, "n_, (ulong)(__VA_ARGS__), syc_faults, __LINE__)\n");
}

bool syc__name_has_one_subscript(const syc_body *body, size_t index)
{
    const syc__use *use = &body->reading.uses[index];
    return use->indexed || !use->called;
}

/* The line, and in its upper bits how long the subscripts are as they are written: of several accesses in a line that
 * tells which it is (checked.c). */
static void add_macro_rest(syc__writer *w, const syc_name *of, unsigned parts)
{
    static const char *const written[] = {"", "#__VA_ARGS__", "#i0_ #i1_", "#i0_ #i1_ #i2_"};
    syc_text_add(&w->text, " (*syc_at%u_%s(", parts, of->name);
    add_given_sizes(w, of, parts, false);
    for (unsigned k = 0; parts > 1 && k < parts; k++)
        syc_text_add(&w->text, "(ulong)(i%u_), ", k);
    syc_text_add(&w->text, parts == 1 ? "(ulong)(__VA_ARGS__), " : "");
    syc_text_add(&w->text, "syc_faults, __LINE__ | (uint)sizeof(%s) << %d))\n", written[parts], SYC_FAULT_LINE_BITS);
}

/* "#define <prefix>name(i0_, i1_) ..." */
static void add_macro(syc__writer *w, const char *prefix, const syc_name *name, unsigned parts)
{
    static const char *const parameters[] = {"", "...", "i0_, i1_", "i0_, i1_, i2_"};
    syc_text_add(&w->text, "#define %s%s(%s)", prefix, name->name, parameters[parts]);
    add_macro_rest(w, name, parts);
}

/* One subscript or as many as there are dimensions: the number of arguments decides. */
static void add_choice(syc__writer *w, const syc_name *of)
{
    const char *name = of->name;
    const unsigned rank = of->rank;
    add_macro(w, "syc_one_", of, 1);
    add_macro(w, "syc_all_", of, rank);
    syc_text_add(&w->text, "#define syc_pick_%s(a_, b_, %spick_, ...) pick_\n", name, rank == 3 ? "c_, " : "");
    syc_text_add(&w->text, "#define %s(...) syc_pick_%s(__VA_ARGS__, syc_all_%s, ", name, name, name);
    if (rank == 3)
        syc_text_add(&w->text, "syc_all_%s, ", name);
    syc_text_add(&w->text, "syc_one_%s, 0)(__VA_ARGS__)\n", name);
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
            add_choice(w, name);
        else
            add_macro(w, "", name, use->called ? name->rank : 1);
    }
}
