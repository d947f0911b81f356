/* Boxes are seen as dimensions of a size and a stride, the first of single bytes. Two boxes are cut into common
 * dimensions, from the fastest on, as long as the smaller extent divides the larger. */
#include "memory/box.h"

enum { BOX_DIMS = 3, COMMON_DIMS = 5 };

/* -- one box -- */

syc_box syc_box_tidy(const syc_box *box)
{
    syc_box tidy = syc_box_run(box->origin, box->extent[0]);
    unsigned last = 0;
    for (unsigned d = 1; d < BOX_DIMS; d++) {
        size_t stride = box->pitch[d - 1], reach = last > 0 ? tidy.pitch[last - 1] : 1;
        if (box->extent[d] == 1)
            continue;
        if (stride == reach * tidy.extent[last]) {
            tidy.extent[last] *= box->extent[d];
            continue;
        }
        tidy.extent[++last] = box->extent[d];
        tidy.pitch[last - 1] = stride;
    }
    if (last == 0)
        tidy.pitch[0] = tidy.extent[0];
    if (last < 2)
        tidy.pitch[1] = tidy.pitch[0] * tidy.extent[1];
    return tidy;
}

size_t syc_box_end(const syc_box *box)
{
    return box->origin + (box->extent[2] - 1) * box->pitch[1] + (box->extent[1] - 1) * box->pitch[0] + box->extent[0];
}

/* Columns [low, high) of rows `pitch` apart. False if the box goes beyond the end of such a row. */
static bool columns(const syc_box *box, size_t pitch, size_t *low, size_t *high)
{
    *low = box->origin % pitch;
    *high = *low + box->extent[0];
    return *high <= pitch && (box->extent[1] == 1 || box->pitch[0] % pitch == 0) &&
           (box->extent[2] == 1 || box->pitch[1] % pitch == 0);
}

bool syc_boxes_overlap(const syc_box *a, const syc_box *b)
{
    size_t pitch = a->extent[1] > 1 ? a->pitch[0] : b->pitch[0];
    size_t a_low, a_high, b_low, b_high;
    if (syc_box_bytes(a) == 0 || syc_box_bytes(b) == 0 || syc_box_end(a) <= b->origin || syc_box_end(b) <= a->origin)
        return false;
    if (pitch == 0 || !columns(a, pitch, &a_low, &a_high) || !columns(b, pitch, &b_low, &b_high))
        return true;
    return a_low < b_high && b_low < a_high;
}

bool syc_box_cut(const syc_box *box, size_t bytes, syc_box *out)
{
    size_t row = box->extent[0], plane = row * box->extent[1];
    syc_box cut = *box;
    bool exact = true;

    if (bytes > plane) {
        cut.extent[2] = (bytes + plane - 1) / plane;
        exact = bytes % plane == 0;
    } else if (bytes > row) {
        cut.extent[2] = 1;
        cut.extent[1] = (bytes + row - 1) / row;
        exact = bytes % row == 0;
    } else {
        cut.extent[2] = cut.extent[1] = 1;
        cut.extent[0] = bytes;
    }
    *out = syc_box_tidy(&cut);
    return exact;
}

bool syc_host_array_box(const syc_host_array *span, syc_box *out)
{
    syc_box box = syc_box_run(0, span->packed ? span->bytes : span->item_size);
    unsigned last = 0;
    for (int d = span->rank - 1; d >= 0 && !span->packed; d--) {
        size_t count = (size_t)span->shape[d], reach = last > 0 ? box.pitch[last - 1] : 1;
        if (count == 1)
            continue;
        if (span->strides[d] < 0)
            return false;
        if ((size_t)span->strides[d] == reach * box.extent[last]) {
            box.extent[last] *= count;
            continue;
        }
        if (last == BOX_DIMS - 1 || (size_t)span->strides[d] < box.extent[0])
            return false;
        box.extent[++last] = count;
        box.pitch[last - 1] = (size_t)span->strides[d];
    }
    *out = syc_box_tidy(&box);
    return true;
}

/* -- two boxes -- */

struct dims {
    size_t size[COMMON_DIMS], to[COMMON_DIMS], from[COMMON_DIMS]; /* strides */
    unsigned count;
};

/* The rest of one box while dimensions are taken off it. */
struct rest {
    const syc_box *box;
    unsigned at;
    size_t size, stride;
};

static struct rest begin(const syc_box *box)
{
    return (struct rest){box, 0, box->extent[0], 1};
}

static void take(struct rest *rest, size_t size)
{
    if (rest->size > size) {
        rest->size /= size;
        rest->stride *= size;
        return;
    }
    rest->at++;
    rest->size = rest->at < BOX_DIMS ? rest->box->extent[rest->at] : 1;
    rest->stride = rest->at < BOX_DIMS ? rest->box->pitch[rest->at - 1] : 0;
}

static bool find_common(const syc_box *to, const syc_box *from, struct dims *out)
{
    struct rest a = begin(to), b = begin(from);
    out->count = 0;
    while (a.at < BOX_DIMS && b.at < BOX_DIMS) {
        size_t small = a.size < b.size ? a.size : b.size, large = a.size < b.size ? b.size : a.size;
        if (a.size == 1 && a.at > 0) { /* dimensions that are not there */
            take(&a, 1);
            continue;
        }
        if (b.size == 1 && b.at > 0) {
            take(&b, 1);
            continue;
        }
        if (large % small != 0 || out->count == COMMON_DIMS)
            return false;
        out->size[out->count] = small;
        out->to[out->count] = a.stride;
        out->from[out->count++] = b.stride;
        take(&a, small);
        take(&b, small);
    }
    return true;
}

/* OpenCL: rows lie apart, and planes are a whole number of rows apart. */
static bool rows_fit(const size_t *size, const size_t *stride)
{
    return stride[1] >= size[0];
}

static bool planes_fit(const size_t *size, const size_t *stride)
{
    return stride[2] >= size[1] * stride[1] && stride[2] % stride[1] == 0;
}

/* The pitches of one end; those of dimensions that are not there are as small as they may be. */
static void set_pitches(const size_t *size, const size_t *stride, unsigned rank, size_t pitch[2])
{
    pitch[0] = rank > 1 ? stride[1] : size[0];
    pitch[1] = rank > 2 ? stride[2] : pitch[0] * (rank > 1 ? size[1] : 1);
}

bool syc_boxes_match(const syc_box *to, const syc_box *from, bool same, size_t most, syc_rects *out)
{
    syc_box a = syc_box_tidy(to), b = syc_box_tidy(from);
    struct dims dims;
    unsigned rank;

    if (!find_common(&a, &b, &dims))
        return false;
    if (dims.count > 1 && (!rows_fit(dims.size, dims.to) || !rows_fit(dims.size, dims.from)))
        return false;
    rank = dims.count < BOX_DIMS ? dims.count : BOX_DIMS;
    if (rank == BOX_DIMS && (!planes_fit(dims.size, dims.to) || !planes_fit(dims.size, dims.from)))
        rank = 2;
    if (dims.count > rank + 1) /* only one dimension can be many calls */
        return false;
    *out = (syc_rects){.extent = {1, 1, 1}, .to_origin = a.origin, .from_origin = b.origin, .count = 1};
    for (unsigned d = 0; d < rank; d++)
        out->extent[d] = dims.size[d];
    set_pitches(dims.size, dims.to, rank, out->to_pitch);
    set_pitches(dims.size, dims.from, rank, out->from_pitch);
    if (dims.count > rank) {
        out->count = dims.size[rank];
        out->to_step = dims.to[rank];
        out->from_step = dims.from[rank];
    }
    if (same && rank > 1 && (out->to_pitch[0] != out->from_pitch[0] || out->to_pitch[1] != out->from_pitch[1]))
        return false;
    return out->count <= most;
}
