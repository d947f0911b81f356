/* SYCL's image formats, as OpenCL's channel orders and types. */
#include "memory/image_format.h"

#include "cl/constants.h"

#include <string.h>

static const struct {
    const char *name;
    uint32_t order, type;
    size_t pixel;
} formats[] = {
    {"r8g8b8a8_unorm", CL_RGBA, CL_UNORM_INT8, 4},        {"r16g16b16a16_unorm", CL_RGBA, CL_UNORM_INT16, 8},
    {"r8g8b8a8_sint", CL_RGBA, CL_SIGNED_INT8, 4},        {"r16g16b16a16_sint", CL_RGBA, CL_SIGNED_INT16, 8},
    {"r32g32b32a32_sint", CL_RGBA, CL_SIGNED_INT32, 16},  {"r8g8b8a8_uint", CL_RGBA, CL_UNSIGNED_INT8, 4},
    {"r16g16b16a16_uint", CL_RGBA, CL_UNSIGNED_INT16, 8}, {"r32g32b32a32_uint", CL_RGBA, CL_UNSIGNED_INT32, 16},
    {"r16g16b16a16_sfloat", CL_RGBA, CL_HALF_FLOAT, 8},   {"r32g32b32a32_sfloat", CL_RGBA, CL_FLOAT, 16},
    {"b8g8r8a8_unorm", CL_BGRA, CL_UNORM_INT8, 4},
};

enum { FORMATS = sizeof formats / sizeof formats[0] };

bool syc_image_format_find(const char *name, syc_image_shape *shape)
{
    for (size_t i = 0; i < FORMATS; i++) {
        if (strcmp(formats[i].name, name) != 0)
            continue;
        shape->order = formats[i].order;
        shape->type = formats[i].type;
        shape->pixel = formats[i].pixel;
        return true;
    }
    return false;
}

const char *syc_image_format_name(uint32_t order, uint32_t type)
{
    for (size_t i = 0; i < FORMATS; i++) {
        if (formats[i].order == order && formats[i].type == type)
            return formats[i].name;
    }
    return NULL;
}
