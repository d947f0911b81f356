/* Images: the memory objects that hold a buffer's pixels where kernels can work on them. An image is a buffer whose
 * `image` has a rank: its bytes in host memory are rows of pixels with pitches, and every OpenCL context gets a place
 * of its own, an OpenCL image, also on devices that share the host's memory: kernels cannot work on host memory as an
 * image. */
#ifndef SYC_MEMORY_IMAGE_H
#define SYC_MEMORY_IMAGE_H

#include "cl/types.h"
#include "memory/image_format.h"

typedef struct syc_context syc_context; /* cl/context.h */
typedef struct syc_device syc_device;   /* cl/device.h */

struct syc_buffer;

/* SYC_E_FEATURE_NOT_SUPPORTED names the device of the context and what it lacks: images at all, so large an extent, or
 * the format for reading and writing. */
syc_status syc_image_check(SYC_KEEP const syc_context *context, SYC_KEEP const syc_device *device,
                           SYC_KEEP const syc_image_shape *shape);
/* An OpenCL image without contents. At least one device of the context must pass syc_image_check.
 * SYC_E_MEMORY_ALLOCATION names size and device. */
syc_status syc_image_create(SYC_KEEP syc_context *context, SYC_KEEP const syc_image_shape *shape, SYC_GIVE cl_mem *out);

/* Bytes of the image in host memory, from its first pixel to its last; fills pitches that are 0 with those of packed
 * rows, and unused extents with 1. SYC_E_INVALID_PARAMETER: a pitch too small or no multiple of a pixel, an extent of
 * 0, or a size that overflows. */
syc_status syc_image_layout(syc_image_shape *shape, size_t *bytes);

/* Wraps an OpenCL image made elsewhere (interop), of that context: retained. Its contents are current there.
 * SYC_E_INVALID_OBJECT: not an image, of another context, or of a kind or format that SYCL does not have. */
syc_status syc_image_from_native(cl_mem memory, SYC_KEEP syc_context *context, SYC_GIVE struct syc_buffer **out);

#endif
