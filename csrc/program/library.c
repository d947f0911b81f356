/* The table of the device library. */
#include "program/library.h"

/* clang-format off */
#define NAMES(...) (const char *const[]){__VA_ARGS__, NULL}
#define FUNCTIONS names[SYC__LIBRARY_FUNCTION]
#define WORDS names[SYC__LIBRARY_WORD]
#define TYPES names[SYC__LIBRARY_TYPE]
#define MACROS names[SYC__LIBRARY_MACRO]
/* clang-format on */

const struct syc__library syc__libraries[] = {
    {.file = "language.clh", .WORDS = NAMES("SYCL_LANGUAGE_VERSION")},
    {.file = "library.clh"},
    {.file = "constants.clh", .MACROS = NAMES("SPEC", "SPEC_HAS", "SPEC_TYPE")},
    {.file = "attributes.clh",
     .MACROS = NAMES("sycl_reqd_work_group_size", "sycl_work_group_size_hint", "sycl_vec_type_hint",
                     "sycl_reqd_sub_group_size")},
    {.file = "items.clh",
     .needs = NAMES("library.clh"),
     .FUNCTIONS = NAMES("global_id", "local_id", "group_id", "global_range", "local_range", "group_range",
                        "global_offset", "max_local_range", "uniform_group_range"),
     .WORDS = NAMES("global_linear_id", "local_linear_id", "group_linear_id", "global_linear_range",
                    "local_linear_range", "group_linear_range")},
    {.file = "hierarchical.clh", .needs = NAMES("items.clh"), .WORDS = NAMES("syc_work_group_begin")},
    {.file = "choose.clh"},
    {.file = "types.clh"},
    {.file = "groups.clh", .needs = NAMES("choose.clh", "items.clh"), .WORDS = NAMES("work_group", "sub_group")},
    {.file = "barrier.clh", .needs = NAMES("groups.clh"), .FUNCTIONS = NAMES("group_barrier")},
    {.file = "group_leader.clh", .needs = NAMES("groups.clh"), .FUNCTIONS = NAMES("group_leader")},
    {.file = "operators.clh", .needs = NAMES("choose.clh", "types.clh")},
    {.file = "group_memory.clh", .needs = NAMES("groups.clh"), .device = true},
    {.file = "group_broadcast.clh",
     .needs = NAMES("group_memory.clh"),
     .scratch = true,
     .FUNCTIONS = NAMES("group_broadcast")},
    {.file = "group_reduce.clh",
     .needs = NAMES("group_memory.clh", "operators.clh"),
     .scratch = true,
     .FUNCTIONS = NAMES("group_reduce")},
    {.file = "group_scan.clh",
     .needs = NAMES("group_memory.clh", "operators.clh"),
     .scratch = true,
     .FUNCTIONS = NAMES("group_inclusive_scan", "group_exclusive_scan")},
    {.file = "group_vote.clh",
     .needs = NAMES("group_reduce.clh"),
     .scratch = true,
     .FUNCTIONS = NAMES("group_any_of", "group_all_of", "group_none_of")},
    {.file = "async_copy.clh",
     .needs = NAMES("library.clh"),
     .FUNCTIONS = NAMES("async_copy_global_to_local", "async_copy_local_to_global", "wait_for"),
     .TYPES = NAMES("device_event")},
    {.file = "stream.clh",
     .needs = NAMES("items.clh"),
     .FUNCTIONS = NAMES("stream_put", "stream_endl", "stream_flush", "stream_setw", "stream_setprecision"),
     .WORDS = NAMES("stream_hex", "stream_oct", "stream_showbase", "stream_showpos", "stream_fixed",
                    "stream_scientific", "stream_hexfloat"),
     .TYPES = NAMES("stream")},
    {.file = "stream_places.clh",
     .needs = NAMES("stream.clh"),
     .WORDS = NAMES("stream_global_id", "stream_local_id", "stream_group_id", "stream_global_range",
                    "stream_local_range", "stream_group_range", "stream_global_offset", "stream_item", "stream_nd_item",
                    "stream_group", "stream_nd_range")},
    {.file = NULL},
};
