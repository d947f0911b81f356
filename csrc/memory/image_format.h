/* Image formats and shapes: the part of an image that its memory needs to know. */
#ifndef SYC_MEMORY_IMAGE_FORMAT_H
#define SYC_MEMORY_IMAGE_FORMAT_H

#include "base/status.h"

#include <stdbool.h>
#include <stdint.h>

/* Extents count pixels, dimension 0 first (the fastest, as SYCL's image ranges and OpenCL's images have it). */
typedef struct syc_image_shape {
    unsigned rank; /* 1..3; 0: no image */
    size_t extent[3];
    size_t row_pitch, slice_pitch; /* bytes, in host memory */
    size_t pixel;                  /* bytes */
    uint32_t order, type;          /* cl_channel_order, cl_channel_type */
} syc_image_shape;

/* Sets order, type and pixel by SYCL's name of the format, "r8g8b8a8_unorm"; false if it is none. */
bool syc_image_format_find(SYC_KEEP const char *name, syc_image_shape *shape);
/* SYCL's name; NULL for a format that SYCL does not have. Immortal. */
const char *syc_image_format_name(uint32_t order, uint32_t type);

#endif
