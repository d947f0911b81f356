/* Where the elements of a scan stand in its range. A line is told by syc_line, an element by syc_q, its number in the
 * order of the scan. OpenCL's dimension d is SYCL's dimension dims - 1 - d. */
#include "body/scan/scan.h"

static bool is_all(const syc__writer *w)
{
    return w->form.dims == 1 || w->body->source.along == SYC_ALONG_ALL;
}

unsigned syc__scan_dimension(const syc__writer *w)
{
    return is_all(w) ? 0 : w->form.dims - 1 - w->body->source.along;
}

bool syc__scan_goes_along(const syc__writer *w)
{
    return !w->body->source.reverse && syc__scan_dimension(w) == 0;
}

/* The product of the range in the dimensions from `first` to before `past`. */
static void add_product(syc__writer *w, const char *name, unsigned first, unsigned past)
{
    syc_text_add(&w->text, "    const ulong %s = 1", name);
    for (unsigned d = first; d < past; d++)
        syc_text_add(&w->text, " * syc_range%u", d);
    syc__add(w, ";\n");
}

void syc__write_scan_sizes(syc__writer *w)
{
    const unsigned along = syc__scan_dimension(w);
    add_product(w, "syc_length", along, is_all(w) ? w->form.dims : along + 1);
    add_product(w, "syc_inner", 0, is_all(w) ? 0 : along);
    add_product(w, "syc_outer", is_all(w) ? w->form.dims : along + 1, w->form.dims);
}

/* "const ulong syc_x1 = ...;" from the number `of` of an index in the dimensions from `first` to before `past`. */
static void add_ids(syc__writer *w, const char *of, unsigned first, unsigned past)
{
    for (unsigned d = first; d < past; d++) {
        syc_text_add(&w->text, "const ulong syc_x%u = %s", d, of);
        for (unsigned e = first; e < d; e++)
            syc_text_add(&w->text, " / syc_range%u", e);
        syc_text_add(&w->text, d + 1 < past ? " %% syc_range%u; " : "; ", d);
    }
}

void syc__write_scan_line(syc__writer *w)
{
    syc__add(w, "        const ulong syc_out = syc_line / syc_inner, syc_in = syc_line - syc_out * syc_inner;\n");
}

void syc__write_scan_element(syc__writer *w)
{
    const unsigned along = syc__scan_dimension(w);
    syc_text_add(&w->text, "const ulong syc_p = %ssyc_q; ", w->body->source.reverse ? "syc_length - 1 - " : "");
    syc__add(w, along == 0 ? "const ulong syc_flat = syc_out * syc_length + syc_p; "
                           : "const ulong syc_flat = (syc_out * syc_length + syc_p) * syc_inner + syc_in; ");
    if (is_all(w)) {
        add_ids(w, "syc_p", 0, w->form.dims);
        return;
    }
    add_ids(w, "syc_in", 0, along);
    add_ids(w, "syc_p", along, along + 1);
    add_ids(w, "syc_out", along + 1, w->form.dims);
}

/* -- where groups meet -- */

void syc__write_scan_words(syc__writer *w)
{
    syc__add(w, "    const uint syc_groups = get_num_groups(0);\n"
                "    volatile __global uint *const syc_head = (volatile __global uint *)syc_partials;\n");
}

void syc__write_scan_empty(syc__writer *w)
{
    syc__add(w, "    for (ulong syc_line = get_global_id(0); syc_length == 0 && syc_line < syc_outer * syc_inner; "
                "syc_line += get_global_size(0)) {\n");
    syc__add_scanners(w, "        if (syc_out_$ != 0) syc_out_$[syc_line] = syc_worth_$(syc_start_$);\n");
    syc__add(w, "    }\n");
}

void syc__write_scan_ending(syc__writer *w)
{
    syc_text_add(&w->text,
                 "    if (syc_reduction_is_last(syc_head + %d, syc_groups)) {\n"
                 "        SYC_REDUCTION_CLEAR(syc_head + %d);\n"
                 "        syc_scan_end(syc_head, (volatile __global ulong *)(syc_partials + %d));\n"
                 "    }\n",
                 SYC_PARTIALS_GROUPS, SYC_PARTIALS_TICKETS, SYC_PARTIALS_HEAD);
}
