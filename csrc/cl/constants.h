/* OpenCL's constants by their official names, as tables so that one test can hold every row against the official
 * headers. Declared here because building pysycl needs no OpenCL headers. */
#ifndef SYC_CL_CONSTANTS_H
#define SYC_CL_CONSTANTS_H

#include "cl/memory_constants.h"

/* Error codes, also the execution status of a command that failed. */
#define SYC_CL_ERRORS(X)                                 \
    X(CL_SUCCESS, 0)                                     \
    X(CL_DEVICE_NOT_FOUND, -1)                           \
    X(CL_DEVICE_NOT_AVAILABLE, -2)                       \
    X(CL_COMPILER_NOT_AVAILABLE, -3)                     \
    X(CL_MEM_OBJECT_ALLOCATION_FAILURE, -4)              \
    X(CL_OUT_OF_RESOURCES, -5)                           \
    X(CL_OUT_OF_HOST_MEMORY, -6)                         \
    X(CL_PROFILING_INFO_NOT_AVAILABLE, -7)               \
    X(CL_MEM_COPY_OVERLAP, -8)                           \
    X(CL_IMAGE_FORMAT_MISMATCH, -9)                      \
    X(CL_IMAGE_FORMAT_NOT_SUPPORTED, -10)                \
    X(CL_BUILD_PROGRAM_FAILURE, -11)                     \
    X(CL_MAP_FAILURE, -12)                               \
    X(CL_MISALIGNED_SUB_BUFFER_OFFSET, -13)              \
    X(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST, -14) \
    X(CL_COMPILE_PROGRAM_FAILURE, -15)                   \
    X(CL_LINKER_NOT_AVAILABLE, -16)                      \
    X(CL_LINK_PROGRAM_FAILURE, -17)                      \
    X(CL_DEVICE_PARTITION_FAILED, -18)                   \
    X(CL_KERNEL_ARG_INFO_NOT_AVAILABLE, -19)             \
    X(CL_INVALID_VALUE, -30)                             \
    X(CL_INVALID_DEVICE_TYPE, -31)                       \
    X(CL_INVALID_PLATFORM, -32)                          \
    X(CL_INVALID_DEVICE, -33)                            \
    X(CL_INVALID_CONTEXT, -34)                           \
    X(CL_INVALID_QUEUE_PROPERTIES, -35)                  \
    X(CL_INVALID_COMMAND_QUEUE, -36)                     \
    X(CL_INVALID_HOST_PTR, -37)                          \
    X(CL_INVALID_MEM_OBJECT, -38)                        \
    X(CL_INVALID_IMAGE_FORMAT_DESCRIPTOR, -39)           \
    X(CL_INVALID_IMAGE_SIZE, -40)                        \
    X(CL_INVALID_SAMPLER, -41)                           \
    X(CL_INVALID_BINARY, -42)                            \
    X(CL_INVALID_BUILD_OPTIONS, -43)                     \
    X(CL_INVALID_PROGRAM, -44)                           \
    X(CL_INVALID_PROGRAM_EXECUTABLE, -45)                \
    X(CL_INVALID_KERNEL_NAME, -46)                       \
    X(CL_INVALID_KERNEL_DEFINITION, -47)                 \
    X(CL_INVALID_KERNEL, -48)                            \
    X(CL_INVALID_ARG_INDEX, -49)                         \
    X(CL_INVALID_ARG_VALUE, -50)                         \
    X(CL_INVALID_ARG_SIZE, -51)                          \
    X(CL_INVALID_KERNEL_ARGS, -52)                       \
    X(CL_INVALID_WORK_DIMENSION, -53)                    \
    X(CL_INVALID_WORK_GROUP_SIZE, -54)                   \
    X(CL_INVALID_WORK_ITEM_SIZE, -55)                    \
    X(CL_INVALID_GLOBAL_OFFSET, -56)                     \
    X(CL_INVALID_EVENT_WAIT_LIST, -57)                   \
    X(CL_INVALID_EVENT, -58)                             \
    X(CL_INVALID_OPERATION, -59)                         \
    X(CL_INVALID_GL_OBJECT, -60)                         \
    X(CL_INVALID_BUFFER_SIZE, -61)                       \
    X(CL_INVALID_MIP_LEVEL, -62)                         \
    X(CL_INVALID_GLOBAL_WORK_SIZE, -63)                  \
    X(CL_INVALID_PROPERTY, -64)                          \
    X(CL_INVALID_IMAGE_DESCRIPTOR, -65)                  \
    X(CL_INVALID_COMPILER_OPTIONS, -66)                  \
    X(CL_INVALID_LINKER_OPTIONS, -67)                    \
    X(CL_INVALID_DEVICE_PARTITION_COUNT, -68)            \
    X(CL_INVALID_PIPE_SIZE, -69)                         \
    X(CL_INVALID_DEVICE_QUEUE, -70)                      \
    X(CL_INVALID_SPEC_ID, -71)                           \
    X(CL_MAX_SIZE_RESTRICTION_EXCEEDED, -72)             \
    X(CL_PLATFORM_NOT_FOUND_KHR, -1001)

/* clGetPlatformInfo. */
#define SYC_CL_PLATFORM_QUERIES(X)                 \
    X(CL_PLATFORM_PROFILE, 0x0900)                 \
    X(CL_PLATFORM_VERSION, 0x0901)                 \
    X(CL_PLATFORM_NAME, 0x0902)                    \
    X(CL_PLATFORM_VENDOR, 0x0903)                  \
    X(CL_PLATFORM_EXTENSIONS, 0x0904)              \
    X(CL_PLATFORM_HOST_TIMER_RESOLUTION, 0x0905)   \
    X(CL_PLATFORM_NUMERIC_VERSION, 0x0906)         \
    X(CL_PLATFORM_EXTENSIONS_WITH_VERSION, 0x0907) \
    X(CL_PLATFORM_ICD_SUFFIX_KHR, 0x0920)

/* clGetDeviceInfo, with the vendor queries that the core reads. */
#define SYC_CL_DEVICE_QUERIES(X)                                     \
    X(CL_DEVICE_TYPE, 0x1000)                                        \
    X(CL_DEVICE_VENDOR_ID, 0x1001)                                   \
    X(CL_DEVICE_MAX_COMPUTE_UNITS, 0x1002)                           \
    X(CL_DEVICE_MAX_WORK_ITEM_DIMENSIONS, 0x1003)                    \
    X(CL_DEVICE_MAX_WORK_GROUP_SIZE, 0x1004)                         \
    X(CL_DEVICE_MAX_WORK_ITEM_SIZES, 0x1005)                         \
    X(CL_DEVICE_PREFERRED_VECTOR_WIDTH_CHAR, 0x1006)                 \
    X(CL_DEVICE_PREFERRED_VECTOR_WIDTH_SHORT, 0x1007)                \
    X(CL_DEVICE_PREFERRED_VECTOR_WIDTH_INT, 0x1008)                  \
    X(CL_DEVICE_PREFERRED_VECTOR_WIDTH_LONG, 0x1009)                 \
    X(CL_DEVICE_PREFERRED_VECTOR_WIDTH_FLOAT, 0x100A)                \
    X(CL_DEVICE_PREFERRED_VECTOR_WIDTH_DOUBLE, 0x100B)               \
    X(CL_DEVICE_MAX_CLOCK_FREQUENCY, 0x100C)                         \
    X(CL_DEVICE_ADDRESS_BITS, 0x100D)                                \
    X(CL_DEVICE_MAX_READ_IMAGE_ARGS, 0x100E)                         \
    X(CL_DEVICE_MAX_WRITE_IMAGE_ARGS, 0x100F)                        \
    X(CL_DEVICE_MAX_MEM_ALLOC_SIZE, 0x1010)                          \
    X(CL_DEVICE_IMAGE2D_MAX_WIDTH, 0x1011)                           \
    X(CL_DEVICE_IMAGE2D_MAX_HEIGHT, 0x1012)                          \
    X(CL_DEVICE_IMAGE3D_MAX_WIDTH, 0x1013)                           \
    X(CL_DEVICE_IMAGE3D_MAX_HEIGHT, 0x1014)                          \
    X(CL_DEVICE_IMAGE3D_MAX_DEPTH, 0x1015)                           \
    X(CL_DEVICE_IMAGE_SUPPORT, 0x1016)                               \
    X(CL_DEVICE_MAX_PARAMETER_SIZE, 0x1017)                          \
    X(CL_DEVICE_MAX_SAMPLERS, 0x1018)                                \
    X(CL_DEVICE_MEM_BASE_ADDR_ALIGN, 0x1019)                         \
    X(CL_DEVICE_MIN_DATA_TYPE_ALIGN_SIZE, 0x101A)                    \
    X(CL_DEVICE_SINGLE_FP_CONFIG, 0x101B)                            \
    X(CL_DEVICE_GLOBAL_MEM_CACHE_TYPE, 0x101C)                       \
    X(CL_DEVICE_GLOBAL_MEM_CACHELINE_SIZE, 0x101D)                   \
    X(CL_DEVICE_GLOBAL_MEM_CACHE_SIZE, 0x101E)                       \
    X(CL_DEVICE_GLOBAL_MEM_SIZE, 0x101F)                             \
    X(CL_DEVICE_MAX_CONSTANT_BUFFER_SIZE, 0x1020)                    \
    X(CL_DEVICE_MAX_CONSTANT_ARGS, 0x1021)                           \
    X(CL_DEVICE_LOCAL_MEM_TYPE, 0x1022)                              \
    X(CL_DEVICE_LOCAL_MEM_SIZE, 0x1023)                              \
    X(CL_DEVICE_ERROR_CORRECTION_SUPPORT, 0x1024)                    \
    X(CL_DEVICE_PROFILING_TIMER_RESOLUTION, 0x1025)                  \
    X(CL_DEVICE_ENDIAN_LITTLE, 0x1026)                               \
    X(CL_DEVICE_AVAILABLE, 0x1027)                                   \
    X(CL_DEVICE_COMPILER_AVAILABLE, 0x1028)                          \
    X(CL_DEVICE_EXECUTION_CAPABILITIES, 0x1029)                      \
    X(CL_DEVICE_QUEUE_PROPERTIES, 0x102A)                            \
    X(CL_DEVICE_QUEUE_ON_HOST_PROPERTIES, 0x102A)                    \
    X(CL_DEVICE_NAME, 0x102B)                                        \
    X(CL_DEVICE_VENDOR, 0x102C)                                      \
    X(CL_DRIVER_VERSION, 0x102D)                                     \
    X(CL_DEVICE_PROFILE, 0x102E)                                     \
    X(CL_DEVICE_VERSION, 0x102F)                                     \
    X(CL_DEVICE_EXTENSIONS, 0x1030)                                  \
    X(CL_DEVICE_PLATFORM, 0x1031)                                    \
    X(CL_DEVICE_DOUBLE_FP_CONFIG, 0x1032)                            \
    X(CL_DEVICE_HALF_FP_CONFIG, 0x1033)                              \
    X(CL_DEVICE_PREFERRED_VECTOR_WIDTH_HALF, 0x1034)                 \
    X(CL_DEVICE_HOST_UNIFIED_MEMORY, 0x1035)                         \
    X(CL_DEVICE_NATIVE_VECTOR_WIDTH_CHAR, 0x1036)                    \
    X(CL_DEVICE_NATIVE_VECTOR_WIDTH_SHORT, 0x1037)                   \
    X(CL_DEVICE_NATIVE_VECTOR_WIDTH_INT, 0x1038)                     \
    X(CL_DEVICE_NATIVE_VECTOR_WIDTH_LONG, 0x1039)                    \
    X(CL_DEVICE_NATIVE_VECTOR_WIDTH_FLOAT, 0x103A)                   \
    X(CL_DEVICE_NATIVE_VECTOR_WIDTH_DOUBLE, 0x103B)                  \
    X(CL_DEVICE_NATIVE_VECTOR_WIDTH_HALF, 0x103C)                    \
    X(CL_DEVICE_OPENCL_C_VERSION, 0x103D)                            \
    X(CL_DEVICE_LINKER_AVAILABLE, 0x103E)                            \
    X(CL_DEVICE_BUILT_IN_KERNELS, 0x103F)                            \
    X(CL_DEVICE_IMAGE_MAX_BUFFER_SIZE, 0x1040)                       \
    X(CL_DEVICE_IMAGE_MAX_ARRAY_SIZE, 0x1041)                        \
    X(CL_DEVICE_PARENT_DEVICE, 0x1042)                               \
    X(CL_DEVICE_PARTITION_MAX_SUB_DEVICES, 0x1043)                   \
    X(CL_DEVICE_PARTITION_PROPERTIES, 0x1044)                        \
    X(CL_DEVICE_PARTITION_AFFINITY_DOMAIN, 0x1045)                   \
    X(CL_DEVICE_PARTITION_TYPE, 0x1046)                              \
    X(CL_DEVICE_REFERENCE_COUNT, 0x1047)                             \
    X(CL_DEVICE_PREFERRED_INTEROP_USER_SYNC, 0x1048)                 \
    X(CL_DEVICE_PRINTF_BUFFER_SIZE, 0x1049)                          \
    X(CL_DEVICE_IMAGE_PITCH_ALIGNMENT, 0x104A)                       \
    X(CL_DEVICE_IMAGE_BASE_ADDRESS_ALIGNMENT, 0x104B)                \
    X(CL_DEVICE_MAX_READ_WRITE_IMAGE_ARGS, 0x104C)                   \
    X(CL_DEVICE_MAX_GLOBAL_VARIABLE_SIZE, 0x104D)                    \
    X(CL_DEVICE_QUEUE_ON_DEVICE_PROPERTIES, 0x104E)                  \
    X(CL_DEVICE_QUEUE_ON_DEVICE_PREFERRED_SIZE, 0x104F)              \
    X(CL_DEVICE_QUEUE_ON_DEVICE_MAX_SIZE, 0x1050)                    \
    X(CL_DEVICE_MAX_ON_DEVICE_QUEUES, 0x1051)                        \
    X(CL_DEVICE_MAX_ON_DEVICE_EVENTS, 0x1052)                        \
    X(CL_DEVICE_SVM_CAPABILITIES, 0x1053)                            \
    X(CL_DEVICE_GLOBAL_VARIABLE_PREFERRED_TOTAL_SIZE, 0x1054)        \
    X(CL_DEVICE_MAX_PIPE_ARGS, 0x1055)                               \
    X(CL_DEVICE_PIPE_MAX_ACTIVE_RESERVATIONS, 0x1056)                \
    X(CL_DEVICE_PIPE_MAX_PACKET_SIZE, 0x1057)                        \
    X(CL_DEVICE_PREFERRED_PLATFORM_ATOMIC_ALIGNMENT, 0x1058)         \
    X(CL_DEVICE_PREFERRED_GLOBAL_ATOMIC_ALIGNMENT, 0x1059)           \
    X(CL_DEVICE_PREFERRED_LOCAL_ATOMIC_ALIGNMENT, 0x105A)            \
    X(CL_DEVICE_IL_VERSION, 0x105B)                                  \
    X(CL_DEVICE_MAX_NUM_SUB_GROUPS, 0x105C)                          \
    X(CL_DEVICE_SUB_GROUP_INDEPENDENT_FORWARD_PROGRESS, 0x105D)      \
    X(CL_DEVICE_NUMERIC_VERSION, 0x105E)                             \
    X(CL_DEVICE_EXTENSIONS_WITH_VERSION, 0x1060)                     \
    X(CL_DEVICE_ILS_WITH_VERSION, 0x1061)                            \
    X(CL_DEVICE_BUILT_IN_KERNELS_WITH_VERSION, 0x1062)               \
    X(CL_DEVICE_ATOMIC_MEMORY_CAPABILITIES, 0x1063)                  \
    X(CL_DEVICE_ATOMIC_FENCE_CAPABILITIES, 0x1064)                   \
    X(CL_DEVICE_NON_UNIFORM_WORK_GROUP_SUPPORT, 0x1065)              \
    X(CL_DEVICE_OPENCL_C_ALL_VERSIONS, 0x1066)                       \
    X(CL_DEVICE_PREFERRED_WORK_GROUP_SIZE_MULTIPLE, 0x1067)          \
    X(CL_DEVICE_WORK_GROUP_COLLECTIVE_FUNCTIONS_SUPPORT, 0x1068)     \
    X(CL_DEVICE_GENERIC_ADDRESS_SPACE_SUPPORT, 0x1069)               \
    X(CL_DEVICE_UUID_KHR, 0x106A)                                    \
    X(CL_DRIVER_UUID_KHR, 0x106B)                                    \
    X(CL_DEVICE_LUID_VALID_KHR, 0x106C)                              \
    X(CL_DEVICE_LUID_KHR, 0x106D)                                    \
    X(CL_DEVICE_NODE_MASK_KHR, 0x106E)                               \
    X(CL_DEVICE_OPENCL_C_FEATURES, 0x106F)                           \
    X(CL_DEVICE_DEVICE_ENQUEUE_CAPABILITIES, 0x1070)                 \
    X(CL_DEVICE_PIPE_SUPPORT, 0x1071)                                \
    X(CL_DEVICE_LATEST_CONFORMANCE_VERSION_PASSED, 0x1072)           \
    X(CL_DEVICE_COMPUTE_CAPABILITY_MAJOR_NV, 0x4000)                 \
    X(CL_DEVICE_COMPUTE_CAPABILITY_MINOR_NV, 0x4001)                 \
    X(CL_DEVICE_REGISTERS_PER_BLOCK_NV, 0x4002)                      \
    X(CL_DEVICE_WARP_SIZE_NV, 0x4003)                                \
    X(CL_DEVICE_INTEGRATED_MEMORY_NV, 0x4006)                        \
    X(CL_DEVICE_SPIR_VERSIONS, 0x40E0)                               \
    X(CL_DEVICE_SUB_GROUP_SIZES_INTEL, 0x4108)                       \
    X(CL_DEVICE_PCI_BUS_INFO_KHR, 0x410F)                            \
    X(CL_DEVICE_HOST_MEM_CAPABILITIES_INTEL, 0x4190)                 \
    X(CL_DEVICE_DEVICE_MEM_CAPABILITIES_INTEL, 0x4191)               \
    X(CL_DEVICE_SINGLE_DEVICE_SHARED_MEM_CAPABILITIES_INTEL, 0x4192) \
    X(CL_DEVICE_CROSS_DEVICE_SHARED_MEM_CAPABILITIES_INTEL, 0x4193)  \
    X(CL_DEVICE_SHARED_SYSTEM_MEM_CAPABILITIES_INTEL, 0x4194)

/* Values of device queries and partition schemes. */
#define SYC_CL_DEVICE_VALUES(X)                                        \
    X(CL_DEVICE_TYPE_DEFAULT, 1 << 0)                                  \
    X(CL_DEVICE_TYPE_CPU, 1 << 1)                                      \
    X(CL_DEVICE_TYPE_GPU, 1 << 2)                                      \
    X(CL_DEVICE_TYPE_ACCELERATOR, 1 << 3)                              \
    X(CL_DEVICE_TYPE_CUSTOM, 1 << 4)                                   \
    X(CL_DEVICE_PARTITION_EQUALLY, 0x1086)                             \
    X(CL_DEVICE_PARTITION_BY_COUNTS, 0x1087)                           \
    X(CL_DEVICE_PARTITION_BY_COUNTS_LIST_END, 0x0)                     \
    X(CL_DEVICE_PARTITION_BY_AFFINITY_DOMAIN, 0x1088)                  \
    X(CL_DEVICE_AFFINITY_DOMAIN_NUMA, 1 << 0)                          \
    X(CL_DEVICE_AFFINITY_DOMAIN_L4_CACHE, 1 << 1)                      \
    X(CL_DEVICE_AFFINITY_DOMAIN_L3_CACHE, 1 << 2)                      \
    X(CL_DEVICE_AFFINITY_DOMAIN_L2_CACHE, 1 << 3)                      \
    X(CL_DEVICE_AFFINITY_DOMAIN_L1_CACHE, 1 << 4)                      \
    X(CL_DEVICE_AFFINITY_DOMAIN_NEXT_PARTITIONABLE, 1 << 5)            \
    X(CL_DEVICE_SVM_COARSE_GRAIN_BUFFER, 1 << 0)                       \
    X(CL_DEVICE_SVM_FINE_GRAIN_BUFFER, 1 << 1)                         \
    X(CL_DEVICE_SVM_FINE_GRAIN_SYSTEM, 1 << 2)                         \
    X(CL_DEVICE_SVM_ATOMICS, 1 << 3)                                   \
    X(CL_DEVICE_ATOMIC_ORDER_RELAXED, 1 << 0)                          \
    X(CL_DEVICE_ATOMIC_ORDER_ACQ_REL, 1 << 1)                          \
    X(CL_DEVICE_ATOMIC_ORDER_SEQ_CST, 1 << 2)                          \
    X(CL_DEVICE_ATOMIC_SCOPE_WORK_ITEM, 1 << 3)                        \
    X(CL_DEVICE_ATOMIC_SCOPE_WORK_GROUP, 1 << 4)                       \
    X(CL_DEVICE_ATOMIC_SCOPE_DEVICE, 1 << 5)                           \
    X(CL_DEVICE_ATOMIC_SCOPE_ALL_DEVICES, 1 << 6)                      \
    X(CL_DEVICE_QUEUE_SUPPORTED, 1 << 0)                               \
    X(CL_DEVICE_QUEUE_REPLACEABLE_DEFAULT, 1 << 1)                     \
    X(CL_UNIFIED_SHARED_MEMORY_ACCESS_INTEL, 1 << 0)                   \
    X(CL_UNIFIED_SHARED_MEMORY_ATOMIC_ACCESS_INTEL, 1 << 1)            \
    X(CL_UNIFIED_SHARED_MEMORY_CONCURRENT_ACCESS_INTEL, 1 << 2)        \
    X(CL_UNIFIED_SHARED_MEMORY_CONCURRENT_ATOMIC_ACCESS_INTEL, 1 << 3) \
    X(CL_FP_DENORM, 1 << 0)                                            \
    X(CL_FP_INF_NAN, 1 << 1)                                           \
    X(CL_FP_ROUND_TO_NEAREST, 1 << 2)                                  \
    X(CL_FP_ROUND_TO_ZERO, 1 << 3)                                     \
    X(CL_FP_ROUND_TO_INF, 1 << 4)                                      \
    X(CL_FP_FMA, 1 << 5)                                               \
    X(CL_FP_SOFT_FLOAT, 1 << 6)                                        \
    X(CL_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT, 1 << 7)                     \
    X(CL_EXEC_KERNEL, 1 << 0)                                          \
    X(CL_EXEC_NATIVE_KERNEL, 1 << 1)                                   \
    X(CL_NONE, 0x0)                                                    \
    X(CL_READ_ONLY_CACHE, 0x1)                                         \
    X(CL_READ_WRITE_CACHE, 0x2)                                        \
    X(CL_LOCAL, 0x1)                                                   \
    X(CL_GLOBAL, 0x2)

/* Contexts and queues. */
#define SYC_CL_CONTEXT_AND_QUEUE(X)                   \
    X(CL_CONTEXT_REFERENCE_COUNT, 0x1080)             \
    X(CL_CONTEXT_DEVICES, 0x1081)                     \
    X(CL_CONTEXT_PROPERTIES, 0x1082)                  \
    X(CL_CONTEXT_NUM_DEVICES, 0x1083)                 \
    X(CL_CONTEXT_PLATFORM, 0x1084)                    \
    X(CL_CONTEXT_INTEROP_USER_SYNC, 0x1085)           \
    X(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, 1 << 0) \
    X(CL_QUEUE_PROFILING_ENABLE, 1 << 1)              \
    X(CL_QUEUE_ON_DEVICE, 1 << 2)                     \
    X(CL_QUEUE_ON_DEVICE_DEFAULT, 1 << 3)             \
    X(CL_QUEUE_CONTEXT, 0x1090)                       \
    X(CL_QUEUE_DEVICE, 0x1091)                        \
    X(CL_QUEUE_REFERENCE_COUNT, 0x1092)               \
    X(CL_QUEUE_PROPERTIES, 0x1093)                    \
    X(CL_QUEUE_SIZE, 0x1094)                          \
    X(CL_QUEUE_DEVICE_DEFAULT, 0x1095)                \
    X(CL_QUEUE_PROPERTIES_ARRAY, 0x1098)

/* Programs and kernels. */
#define SYC_CL_PROGRAM_AND_KERNEL(X)                        \
    X(CL_PROGRAM_REFERENCE_COUNT, 0x1160)                   \
    X(CL_PROGRAM_CONTEXT, 0x1161)                           \
    X(CL_PROGRAM_NUM_DEVICES, 0x1162)                       \
    X(CL_PROGRAM_DEVICES, 0x1163)                           \
    X(CL_PROGRAM_SOURCE, 0x1164)                            \
    X(CL_PROGRAM_BINARY_SIZES, 0x1165)                      \
    X(CL_PROGRAM_BINARIES, 0x1166)                          \
    X(CL_PROGRAM_NUM_KERNELS, 0x1167)                       \
    X(CL_PROGRAM_KERNEL_NAMES, 0x1168)                      \
    X(CL_PROGRAM_IL, 0x1169)                                \
    X(CL_PROGRAM_SCOPE_GLOBAL_CTORS_PRESENT, 0x116A)        \
    X(CL_PROGRAM_SCOPE_GLOBAL_DTORS_PRESENT, 0x116B)        \
    X(CL_PROGRAM_BUILD_STATUS, 0x1181)                      \
    X(CL_PROGRAM_BUILD_OPTIONS, 0x1182)                     \
    X(CL_PROGRAM_BUILD_LOG, 0x1183)                         \
    X(CL_PROGRAM_BINARY_TYPE, 0x1184)                       \
    X(CL_PROGRAM_BUILD_GLOBAL_VARIABLE_TOTAL_SIZE, 0x1185)  \
    X(CL_PROGRAM_BINARY_TYPE_NONE, 0x0)                     \
    X(CL_PROGRAM_BINARY_TYPE_COMPILED_OBJECT, 0x1)          \
    X(CL_PROGRAM_BINARY_TYPE_LIBRARY, 0x2)                  \
    X(CL_PROGRAM_BINARY_TYPE_EXECUTABLE, 0x4)               \
    X(CL_BUILD_SUCCESS, 0)                                  \
    X(CL_BUILD_NONE, -1)                                    \
    X(CL_BUILD_ERROR, -2)                                   \
    X(CL_BUILD_IN_PROGRESS, -3)                             \
    X(CL_PROGRAM_BINARY_TYPE_INTERMEDIATE, 0x40E1)          \
    X(CL_KERNEL_FUNCTION_NAME, 0x1190)                      \
    X(CL_KERNEL_NUM_ARGS, 0x1191)                           \
    X(CL_KERNEL_REFERENCE_COUNT, 0x1192)                    \
    X(CL_KERNEL_CONTEXT, 0x1193)                            \
    X(CL_KERNEL_PROGRAM, 0x1194)                            \
    X(CL_KERNEL_ATTRIBUTES, 0x1195)                         \
    X(CL_KERNEL_ARG_ADDRESS_QUALIFIER, 0x1196)              \
    X(CL_KERNEL_ARG_ACCESS_QUALIFIER, 0x1197)               \
    X(CL_KERNEL_ARG_TYPE_NAME, 0x1198)                      \
    X(CL_KERNEL_ARG_TYPE_QUALIFIER, 0x1199)                 \
    X(CL_KERNEL_ARG_NAME, 0x119A)                           \
    X(CL_KERNEL_ARG_ADDRESS_GLOBAL, 0x119B)                 \
    X(CL_KERNEL_ARG_ADDRESS_LOCAL, 0x119C)                  \
    X(CL_KERNEL_ARG_ADDRESS_CONSTANT, 0x119D)               \
    X(CL_KERNEL_ARG_ADDRESS_PRIVATE, 0x119E)                \
    X(CL_KERNEL_ARG_ACCESS_READ_ONLY, 0x11A0)               \
    X(CL_KERNEL_ARG_ACCESS_WRITE_ONLY, 0x11A1)              \
    X(CL_KERNEL_ARG_ACCESS_READ_WRITE, 0x11A2)              \
    X(CL_KERNEL_ARG_ACCESS_NONE, 0x11A3)                    \
    X(CL_KERNEL_ARG_TYPE_NONE, 0)                           \
    X(CL_KERNEL_ARG_TYPE_CONST, 1 << 0)                     \
    X(CL_KERNEL_ARG_TYPE_RESTRICT, 1 << 1)                  \
    X(CL_KERNEL_ARG_TYPE_VOLATILE, 1 << 2)                  \
    X(CL_KERNEL_ARG_TYPE_PIPE, 1 << 3)                      \
    X(CL_KERNEL_WORK_GROUP_SIZE, 0x11B0)                    \
    X(CL_KERNEL_COMPILE_WORK_GROUP_SIZE, 0x11B1)            \
    X(CL_KERNEL_LOCAL_MEM_SIZE, 0x11B2)                     \
    X(CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE, 0x11B3) \
    X(CL_KERNEL_PRIVATE_MEM_SIZE, 0x11B4)                   \
    X(CL_KERNEL_GLOBAL_WORK_SIZE, 0x11B5)                   \
    X(CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE, 0x2033)     \
    X(CL_KERNEL_SUB_GROUP_COUNT_FOR_NDRANGE, 0x2034)        \
    X(CL_KERNEL_LOCAL_SIZE_FOR_SUB_GROUP_COUNT, 0x11B8)     \
    X(CL_KERNEL_MAX_NUM_SUB_GROUPS, 0x11B9)                 \
    X(CL_KERNEL_COMPILE_NUM_SUB_GROUPS, 0x11BA)             \
    X(CL_KERNEL_EXEC_INFO_SVM_PTRS, 0x11B6)                 \
    X(CL_KERNEL_EXEC_INFO_SVM_FINE_GRAIN_SYSTEM, 0x11B7)

/* Events, command types, execution statuses, and the two booleans. */
#define SYC_CL_EVENTS(X)                         \
    X(CL_EVENT_COMMAND_QUEUE, 0x11D0)            \
    X(CL_EVENT_COMMAND_TYPE, 0x11D1)             \
    X(CL_EVENT_REFERENCE_COUNT, 0x11D2)          \
    X(CL_EVENT_COMMAND_EXECUTION_STATUS, 0x11D3) \
    X(CL_EVENT_CONTEXT, 0x11D4)                  \
    X(CL_COMMAND_NDRANGE_KERNEL, 0x11F0)         \
    X(CL_COMMAND_TASK, 0x11F1)                   \
    X(CL_COMMAND_NATIVE_KERNEL, 0x11F2)          \
    X(CL_COMMAND_READ_BUFFER, 0x11F3)            \
    X(CL_COMMAND_WRITE_BUFFER, 0x11F4)           \
    X(CL_COMMAND_COPY_BUFFER, 0x11F5)            \
    X(CL_COMMAND_READ_IMAGE, 0x11F6)             \
    X(CL_COMMAND_WRITE_IMAGE, 0x11F7)            \
    X(CL_COMMAND_COPY_IMAGE, 0x11F8)             \
    X(CL_COMMAND_COPY_IMAGE_TO_BUFFER, 0x11F9)   \
    X(CL_COMMAND_COPY_BUFFER_TO_IMAGE, 0x11FA)   \
    X(CL_COMMAND_MAP_BUFFER, 0x11FB)             \
    X(CL_COMMAND_MAP_IMAGE, 0x11FC)              \
    X(CL_COMMAND_UNMAP_MEM_OBJECT, 0x11FD)       \
    X(CL_COMMAND_MARKER, 0x11FE)                 \
    X(CL_COMMAND_ACQUIRE_GL_OBJECTS, 0x11FF)     \
    X(CL_COMMAND_RELEASE_GL_OBJECTS, 0x1200)     \
    X(CL_COMMAND_READ_BUFFER_RECT, 0x1201)       \
    X(CL_COMMAND_WRITE_BUFFER_RECT, 0x1202)      \
    X(CL_COMMAND_COPY_BUFFER_RECT, 0x1203)       \
    X(CL_COMMAND_USER, 0x1204)                   \
    X(CL_COMMAND_BARRIER, 0x1205)                \
    X(CL_COMMAND_MIGRATE_MEM_OBJECTS, 0x1206)    \
    X(CL_COMMAND_FILL_BUFFER, 0x1207)            \
    X(CL_COMMAND_FILL_IMAGE, 0x1208)             \
    X(CL_COMMAND_SVM_FREE, 0x1209)               \
    X(CL_COMMAND_SVM_MEMCPY, 0x120A)             \
    X(CL_COMMAND_SVM_MEMFILL, 0x120B)            \
    X(CL_COMMAND_SVM_MAP, 0x120C)                \
    X(CL_COMMAND_SVM_UNMAP, 0x120D)              \
    X(CL_COMMAND_SVM_MIGRATE_MEM, 0x120E)        \
    X(CL_PROFILING_COMMAND_QUEUED, 0x1280)       \
    X(CL_PROFILING_COMMAND_SUBMIT, 0x1281)       \
    X(CL_PROFILING_COMMAND_START, 0x1282)        \
    X(CL_PROFILING_COMMAND_END, 0x1283)          \
    X(CL_PROFILING_COMMAND_COMPLETE, 0x1284)     \
    X(CL_FALSE, 0)                               \
    X(CL_TRUE, 1)                                \
    X(CL_COMPLETE, 0x0)                          \
    X(CL_RUNNING, 0x1)                           \
    X(CL_SUBMITTED, 0x2)                         \
    X(CL_QUEUED, 0x3)

#define SYC_CL_CONSTANTS(X)      \
    SYC_CL_ERRORS(X)             \
    SYC_CL_PLATFORM_QUERIES(X)   \
    SYC_CL_DEVICE_QUERIES(X)     \
    SYC_CL_DEVICE_VALUES(X)      \
    SYC_CL_CONTEXT_AND_QUEUE(X)  \
    SYC_CL_MEMORY_ALL(X)         \
    SYC_CL_PROGRAM_AND_KERNEL(X) \
    SYC_CL_EVENTS(X)

enum {
#define X(name, value) name = value,
    SYC_CL_CONSTANTS(X)
#undef X
};

/* These do not fit an int, which is what an enumerator is. */
#define CL_DEVICE_TYPE_ALL                      0xFFFFFFFF
#define CL_QUEUE_THREAD_LOCAL_EXEC_ENABLE_INTEL ((cl_bitfield)1 << 31)

#endif
