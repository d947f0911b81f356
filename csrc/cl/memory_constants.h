/* OpenCL's constants about memory, images and samplers: a part of constants.h, which is what others include. */
#ifndef SYC_CL_MEMORY_CONSTANTS_H
#define SYC_CL_MEMORY_CONSTANTS_H

/* Memory objects. */
#define SYC_CL_MEMORY(X)                               \
    X(CL_MEM_READ_WRITE, 1 << 0)                       \
    X(CL_MEM_WRITE_ONLY, 1 << 1)                       \
    X(CL_MEM_READ_ONLY, 1 << 2)                        \
    X(CL_MEM_USE_HOST_PTR, 1 << 3)                     \
    X(CL_MEM_ALLOC_HOST_PTR, 1 << 4)                   \
    X(CL_MEM_COPY_HOST_PTR, 1 << 5)                    \
    X(CL_MEM_HOST_WRITE_ONLY, 1 << 7)                  \
    X(CL_MEM_HOST_READ_ONLY, 1 << 8)                   \
    X(CL_MEM_HOST_NO_ACCESS, 1 << 9)                   \
    X(CL_MEM_SVM_FINE_GRAIN_BUFFER, 1 << 10)           \
    X(CL_MEM_SVM_ATOMICS, 1 << 11)                     \
    X(CL_MEM_KERNEL_READ_AND_WRITE, 1 << 12)           \
    X(CL_MEM_OBJECT_BUFFER, 0x10F0)                    \
    X(CL_MEM_OBJECT_IMAGE2D, 0x10F1)                   \
    X(CL_MEM_OBJECT_IMAGE3D, 0x10F2)                   \
    X(CL_MEM_OBJECT_IMAGE2D_ARRAY, 0x10F3)             \
    X(CL_MEM_OBJECT_IMAGE1D, 0x10F4)                   \
    X(CL_MEM_OBJECT_IMAGE1D_ARRAY, 0x10F5)             \
    X(CL_MEM_OBJECT_IMAGE1D_BUFFER, 0x10F6)            \
    X(CL_MEM_OBJECT_PIPE, 0x10F7)                      \
    X(CL_MEM_TYPE, 0x1100)                             \
    X(CL_MEM_FLAGS, 0x1101)                            \
    X(CL_MEM_SIZE, 0x1102)                             \
    X(CL_MEM_HOST_PTR, 0x1103)                         \
    X(CL_MEM_MAP_COUNT, 0x1104)                        \
    X(CL_MEM_REFERENCE_COUNT, 0x1105)                  \
    X(CL_MEM_CONTEXT, 0x1106)                          \
    X(CL_MEM_ASSOCIATED_MEMOBJECT, 0x1107)             \
    X(CL_MEM_OFFSET, 0x1108)                           \
    X(CL_MEM_USES_SVM_POINTER, 0x1109)                 \
    X(CL_MEM_PROPERTIES, 0x110A)                       \
    X(CL_MAP_READ, 1 << 0)                             \
    X(CL_MAP_WRITE, 1 << 1)                            \
    X(CL_MAP_WRITE_INVALIDATE_REGION, 1 << 2)          \
    X(CL_MIGRATE_MEM_OBJECT_HOST, 1 << 0)              \
    X(CL_MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED, 1 << 1) \
    X(CL_BUFFER_CREATE_TYPE_REGION, 0x1220)

/* Images: channel orders, channel types, queries. */
#define SYC_CL_IMAGES(X)               \
    X(CL_R, 0x10B0)                    \
    X(CL_A, 0x10B1)                    \
    X(CL_RG, 0x10B2)                   \
    X(CL_RA, 0x10B3)                   \
    X(CL_RGB, 0x10B4)                  \
    X(CL_RGBA, 0x10B5)                 \
    X(CL_BGRA, 0x10B6)                 \
    X(CL_ARGB, 0x10B7)                 \
    X(CL_INTENSITY, 0x10B8)            \
    X(CL_LUMINANCE, 0x10B9)            \
    X(CL_Rx, 0x10BA)                   \
    X(CL_RGx, 0x10BB)                  \
    X(CL_RGBx, 0x10BC)                 \
    X(CL_DEPTH, 0x10BD)                \
    X(CL_DEPTH_STENCIL, 0x10BE)        \
    X(CL_sRGB, 0x10BF)                 \
    X(CL_sRGBx, 0x10C0)                \
    X(CL_sRGBA, 0x10C1)                \
    X(CL_sBGRA, 0x10C2)                \
    X(CL_ABGR, 0x10C3)                 \
    X(CL_SNORM_INT8, 0x10D0)           \
    X(CL_SNORM_INT16, 0x10D1)          \
    X(CL_UNORM_INT8, 0x10D2)           \
    X(CL_UNORM_INT16, 0x10D3)          \
    X(CL_UNORM_SHORT_565, 0x10D4)      \
    X(CL_UNORM_SHORT_555, 0x10D5)      \
    X(CL_UNORM_INT_101010, 0x10D6)     \
    X(CL_SIGNED_INT8, 0x10D7)          \
    X(CL_SIGNED_INT16, 0x10D8)         \
    X(CL_SIGNED_INT32, 0x10D9)         \
    X(CL_UNSIGNED_INT8, 0x10DA)        \
    X(CL_UNSIGNED_INT16, 0x10DB)       \
    X(CL_UNSIGNED_INT32, 0x10DC)       \
    X(CL_HALF_FLOAT, 0x10DD)           \
    X(CL_FLOAT, 0x10DE)                \
    X(CL_UNORM_INT24, 0x10DF)          \
    X(CL_UNORM_INT_101010_2, 0x10E0)   \
    X(CL_IMAGE_FORMAT, 0x1110)         \
    X(CL_IMAGE_ELEMENT_SIZE, 0x1111)   \
    X(CL_IMAGE_ROW_PITCH, 0x1112)      \
    X(CL_IMAGE_SLICE_PITCH, 0x1113)    \
    X(CL_IMAGE_WIDTH, 0x1114)          \
    X(CL_IMAGE_HEIGHT, 0x1115)         \
    X(CL_IMAGE_DEPTH, 0x1116)          \
    X(CL_IMAGE_ARRAY_SIZE, 0x1117)     \
    X(CL_IMAGE_BUFFER, 0x1118)         \
    X(CL_IMAGE_NUM_MIP_LEVELS, 0x1119) \
    X(CL_IMAGE_NUM_SAMPLES, 0x111A)

/* Samplers. */
#define SYC_CL_SAMPLERS(X)                  \
    X(CL_ADDRESS_NONE, 0x1130)              \
    X(CL_ADDRESS_CLAMP_TO_EDGE, 0x1131)     \
    X(CL_ADDRESS_CLAMP, 0x1132)             \
    X(CL_ADDRESS_REPEAT, 0x1133)            \
    X(CL_ADDRESS_MIRRORED_REPEAT, 0x1134)   \
    X(CL_FILTER_NEAREST, 0x1140)            \
    X(CL_FILTER_LINEAR, 0x1141)             \
    X(CL_SAMPLER_REFERENCE_COUNT, 0x1150)   \
    X(CL_SAMPLER_CONTEXT, 0x1151)           \
    X(CL_SAMPLER_NORMALIZED_COORDS, 0x1152) \
    X(CL_SAMPLER_ADDRESSING_MODE, 0x1153)   \
    X(CL_SAMPLER_FILTER_MODE, 0x1154)

/* cl_intel_unified_shared_memory, but for the device queries. */
#define SYC_CL_INTEL_USM(X)                                     \
    X(CL_MEM_ALLOC_FLAGS_INTEL, 0x4195)                         \
    X(CL_MEM_ALLOC_WRITE_COMBINED_INTEL, 1 << 0)                \
    X(CL_MEM_ALLOC_INITIAL_PLACEMENT_DEVICE_INTEL, 1 << 1)      \
    X(CL_MEM_ALLOC_INITIAL_PLACEMENT_HOST_INTEL, 1 << 2)        \
    X(CL_MEM_ALLOC_TYPE_INTEL, 0x419A)                          \
    X(CL_MEM_ALLOC_BASE_PTR_INTEL, 0x419B)                      \
    X(CL_MEM_ALLOC_SIZE_INTEL, 0x419C)                          \
    X(CL_MEM_ALLOC_DEVICE_INTEL, 0x419D)                        \
    X(CL_MEM_TYPE_UNKNOWN_INTEL, 0x4196)                        \
    X(CL_MEM_TYPE_HOST_INTEL, 0x4197)                           \
    X(CL_MEM_TYPE_DEVICE_INTEL, 0x4198)                         \
    X(CL_MEM_TYPE_SHARED_INTEL, 0x4199)                         \
    X(CL_KERNEL_EXEC_INFO_INDIRECT_HOST_ACCESS_INTEL, 0x4200)   \
    X(CL_KERNEL_EXEC_INFO_INDIRECT_DEVICE_ACCESS_INTEL, 0x4201) \
    X(CL_KERNEL_EXEC_INFO_INDIRECT_SHARED_ACCESS_INTEL, 0x4202) \
    X(CL_KERNEL_EXEC_INFO_USM_PTRS_INTEL, 0x4203)               \
    X(CL_COMMAND_MEMFILL_INTEL, 0x4204)                         \
    X(CL_COMMAND_MEMCPY_INTEL, 0x4205)                          \
    X(CL_COMMAND_MIGRATEMEM_INTEL, 0x4206)                      \
    X(CL_COMMAND_MEMADVISE_INTEL, 0x4207)

#define SYC_CL_MEMORY_ALL(X) \
    SYC_CL_MEMORY(X)         \
    SYC_CL_IMAGES(X)         \
    SYC_CL_SAMPLERS(X)       \
    SYC_CL_INTEL_USM(X)

#endif
