/* Boxes of bytes, and how two of them with as many bytes are copied by few rectangles. Bytes count in row-major order:
 * the first row's, the second row's, ..., then the next plane's. */
#ifndef SYC_MEMORY_BOX_H
#define SYC_MEMORY_BOX_H

#include "memory/host_array.h"

/* Within memory: rows of extent[0] bytes, extent[1] of them pitch[0] apart, extent[2] planes pitch[1] apart. The pitch
 * of an extent of 1 says nothing. */
typedef struct syc_box {
    size_t origin; /* of its first byte */
    size_t extent[3], pitch[2];
} syc_box;

static inline syc_box syc_box_run(size_t origin, size_t bytes)
{
    return (syc_box){.origin = origin, .extent = {bytes, 1, 1}, .pitch = {bytes, bytes}};
}

static inline size_t syc_box_bytes(const syc_box *box)
{
    return box->extent[0] * box->extent[1] * box->extent[2];
}

/* The same bytes with rows and planes that continue each other joined, pitches filled in. */
syc_box syc_box_tidy(SYC_KEEP const syc_box *box);
/* True of a tidy box whose bytes lie side by side. */
static inline bool syc_box_is_run(const syc_box *box)
{
    return box->extent[1] == 1 && box->extent[2] == 1;
}

/* Where the byte behind the last one lies. The box is not empty. */
size_t syc_box_end(SYC_KEEP const syc_box *box);
/* False if no byte of one is a byte of the other. May be true of boxes that only come close to each other. */
bool syc_boxes_overlap(SYC_KEEP const syc_box *a, SYC_KEEP const syc_box *b);
/* The first `bytes` bytes of a tidy box. False where these are no box: then the smallest one that begins with them. */
bool syc_box_cut(SYC_KEEP const syc_box *box, size_t bytes, syc_box *out);
/* A host array as a box, counted from its first element; false for what is none: negative strides, too many dimensions.
 */
bool syc_host_array_box(SYC_KEEP const syc_host_array *span, syc_box *out);

/* Rectangles of equal extents at both ends, as OpenCL's copies take them: `count` of them, so far apart. */
typedef struct syc_rects {
    size_t extent[3];
    size_t to_origin, to_pitch[2], from_origin, from_pitch[2];
    size_t count, to_step, from_step;
} syc_rects;

/* Rectangles that copy `from` to `to`, both of as many bytes. With `same`, both are in one memory object, where OpenCL
 * wants equal pitches. False if it takes more than `most`, or cannot be done: then each end goes through a run, which
 * always can. */
bool syc_boxes_match(SYC_KEEP const syc_box *to, SYC_KEEP const syc_box *from, bool same, size_t most, syc_rects *out);

static inline bool syc_rects_are_runs(const syc_rects *rects)
{
    return rects->extent[1] == 1 && rects->extent[2] == 1;
}

#endif
