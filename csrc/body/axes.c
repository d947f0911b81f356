/* A range as an algorithm along some of its dimensions sees it: axes, each reduced or kept. A text that names no id but
 * `i` does not know which dimensions there are, so neighbours of one kind become one axis, and rows of few elements
 * long ones. */
#include "body/axes.h"

void syc_body_axes(const syc_body *body, unsigned dims, bool offset, syc_axes *out)
{
    const syc_body_traits *traits = &body->reading.traits;
    *out = (syc_axes){0};
    for (unsigned d = 0; d < dims; d++) {
        bool reduced = (traits->reduced >> (dims - 1 - d) & 1) != 0;
        if (traits->linear && !offset && out->count > 0 && out->items[out->count - 1].reduced == reduced) {
            out->items[out->count - 1].past = d + 1;
            continue;
        }
        out->items[out->count].reduced = reduced;
        out->items[out->count].first = d;
        out->items[out->count++].past = d + 1;
    }
}

void syc__axes_of(const syc__writer *w, syc_axes *out)
{
    syc_body_axes(w->body, w->form.dims, w->form.offset, out);
}

bool syc__axes_are_linear(const syc__writer *w)
{
    return w->body->reading.traits.linear && !w->form.offset;
}

unsigned syc__axes_lanes(const syc_axes *axes)
{
    for (unsigned a = 0; a < axes->count; a++)
        if (!axes->items[a].reduced)
            return a;
    return axes->count;
}

/* "syc_size1 * syc_size2" of the axes from `from` on that are of this kind, "1" without any. */
static void add_product(syc__writer *w, const syc_axes *axes, bool reduced, unsigned from)
{
    bool any = false;
    for (unsigned a = from; a < axes->count; a++) {
        if (axes->items[a].reduced != reduced)
            continue;
        syc_text_add(&w->text, "%ssyc_size%u", any ? " * " : "", a);
        any = true;
    }
    syc_text_add(&w->text, any ? "" : "1");
}

void syc__write_axes(syc__writer *w)
{
    syc_axes axes;
    syc__axes_of(w, &axes);
    for (unsigned a = 0; a < axes.count; a++) {
        syc_text_add(&w->text, "    const ulong syc_size%u = ", a);
        for (unsigned d = axes.items[a].first; d < axes.items[a].past; d++)
            syc_text_add(&w->text, "%ssyc_range%u", d > axes.items[a].first ? " * " : "", d);
        syc_text_add(&w->text, ";\n");
    }
    syc_text_add(&w->text, "    const ulong syc_results = ");
    add_product(w, &axes, false, 0);
    syc_text_add(&w->text, ", syc_outer = ");
    add_product(w, &axes, true, 1);
    syc_text_add(&w->text, ";\n");
}

void syc__write_places(syc__writer *w, bool reduced, unsigned lanes, const char *index, const char *indent)
{
    syc_axes axes;
    unsigned found[3], count = 0;
    syc__axes_of(w, &axes);
    for (unsigned a = 1; a < axes.count; a++)
        if (axes.items[a].reduced == reduced && (reduced || a != lanes))
            found[count++] = a;
    if (count == 1)
        syc_text_add(&w->text, "%sconst ulong syc_x%u = %s;\n", indent, found[0], index);
    if (count == 2) {
        syc_text_add(&w->text, "%sconst ulong syc_x%u = %s %% syc_size%u", indent, found[0], index, found[0]);
        syc_text_add(&w->text, ", syc_x%u = %s / syc_size%u;\n", found[1], index, found[0]);
    }
}

void syc__write_flat(syc__writer *w)
{
    syc_axes axes;
    if (!syc__axes_are_linear(w))
        return;
    syc__axes_of(w, &axes);
    syc_text_add(&w->text, "                    const ulong syc_flat = ");
    syc_text_add(&w->text, axes.count == 3   ? "(syc_x2 * syc_size1 + syc_x1) * syc_size0 + syc_x0"
                           : axes.count == 2 ? "syc_x1 * syc_size0 + syc_x0"
                                             : "syc_x0");
    syc_text_add(&w->text, ";\n");
}
