/* The table of facts. A row names its drivers by a part of the platform's name and, where builds differ, a part of its
 * version; the first row that fits is taken. */
#include "cl/facts.h"

#include "cl/constants.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

struct row {
    const char *platform, *version; /* parts of the texts; "" fits all */
    uint64_t type;                  /* any of these bits */
    syc_facts facts;
};

/* Loads of scalars, and those of vectors that compilers make of loops over them, take any address here: only of vector
 * types they are told to count on more. */
#if defined(__x86_64__) || defined(__aarch64__)
#define LOADS_ANYWHERE true
#else
#define LOADS_ANYWHERE false
#endif

/* Of Oclgrind, whatever it looks for. */
/* clang-format off */
#define OCLGRIND_FACTS \
    .thread_safe = false, \
    .out_of_order = false, \
    .reads_at_enqueue = false, \
    .flush_each = true, \
    .offset_bits = 64, \
    .local_size = 64, \
    .items = SYC_ITEMS_SINGLY, \
    .groups = SYC_GROUP_LEADER, \
    .sub_groups = SYC_SUB_GROUP_EMULATED, \
    .svm = false, \
    .svm_migrates = false, \
    .understates_groups = false, \
    .usm_argument_sticks = false, \
    .staged_transfers = false, \
    .fill_limit = UINT64_MAX, \
    .fill_reach = UINT64_MAX, \
    .every_order = false, \
    .system_scope = true, \
    .filters_unclamped = false, \
    .binaries = false, \
    .binary_folder = NULL, \
    .binary_ns = 0, \
    .quiet = "-fno-caret-diagnostics", \
    .plain = "-O0 -disable-llvm-passes", \
    .caller_budget_ns = 0, \
    .awaited_budget_ns = 0, \
    .inexact = "cospi sinpi tanpi cbrt fract ldexp remquo min max clamp sign isnormal bitselect add_sat sub_sat mad_sat"
/* Of a device that no row knows. */
#define UNKNOWN_FACTS \
    .shares_host_memory = false, \
    .thread_safe = true, \
    .out_of_order = false, \
    .reads_at_enqueue = true, \
    .flush_each = true, \
    .offset_bits = 64, \
    .items = SYC_ITEMS_SINGLY, \
    .groups = SYC_GROUP_LEADER, \
    .sub_groups = SYC_SUB_GROUP_EMULATED, \
    .svm = true, \
    .svm_migrates = false, \
    .understates_groups = false, \
    .usm_argument_sticks = true, \
    .staged_transfers = false, \
    .fill_limit = 1u << 30, \
    .fill_reach = UINT64_MAX, \
    .every_order = false, \
    .system_scope = true, \
    .filters_unclamped = true, \
    .binaries = true, \
    .binary_folder = NULL, \
    .binary_ns = 0, \
    .caller_budget_ns = 0, \
    .awaited_budget_ns = 0, \
    .measured = "not measured: only what the standard promises"
/* clang-format on */

static const syc_code_facts pocl_code = {.symbol = "_pocl_kernel_%s_workgroup",
                                         .folder = "_UNCACHED_",
                                         .variables = "pocl.gvar.init",
                                         .plain = {" PoCL 3.0", " PoCL 3.1"},
                                         .with_variables = {" PoCL 5.0"}};

static const struct row rows[] = {
    /* Before the CPU rows: its one device claims to be of every type. */
    {"Oclgrind",
     "",
     CL_DEVICE_TYPE_ALL,
     {.row = "Oclgrind",
      .shares_host_memory = true,
      OCLGRIND_FACTS,
      .measured =
          "21.10: kernels read and write CL_MEM_USE_HOST_PTR arrays in place, at any alignment; a kernel enqueued "
          "without clFlush had not started after 0.4 s; its host API is not thread-safe (Oclgrind issues 28, 202); a "
          "sampler of CL_ADDRESS_NONE and CL_FILTER_LINEAR gave wrong colours within the image; OpenCL 1.2, so no SVM; "
          "a fill of 2.25 GiB was right; a text is built in 8 ms, so that binaries gain nothing; "
          "cospi, sinpi and tanpi are as for a rounded multiple of pi, cbrt of double 2.6 ulp off, fract(inf) almost "
          "1; "
          "to standard error it wrote '1 error generated.' unless told to show no carets, of which its log has them "
          "all "
          "the same; "
          "min, max and clamp of a vector and one number take what lies behind the number; sign(0.0) is -0.0, isnormal "
          "of denormals true; bitselect of float takes values for bits; add_sat, sub_sat and mad_sat of long saturate "
          "where nothing is lost; ldexp of a vector by one number takes what lies behind the number, and remquo gives "
          "3 bits of the quotient"}},
    {"Portable Computing Language",
     "",
     CL_DEVICE_TYPE_CPU,
     {.row = "PoCL on the CPU",
      .shares_host_memory = true,
      .reads_anywhere = LOADS_ANYWHERE,
      .thread_safe = true,
      .out_of_order = true,
      .reads_at_enqueue = false,
      .flush_each = false,
      .offset_bits = 64,
      .local_size = 256,
      .items = SYC_ITEMS_LOOPED,
      .groups = SYC_GROUP_LEADER,
      .sub_groups = SYC_SUB_GROUP_EMULATED,
      .svm = true,
      .svm_migrates = true,
      .companion = true,
      .understates_groups = false,
      .usm_argument_sticks = false,
      .staged_transfers = false,
      .fill_limit = UINT64_MAX,
      .fill_reach = UINT64_MAX,
      .every_order = true,
      .system_scope = true,
      .shared_structs = true,
      .items_on_stack = true,
      .mistakes_launches = true,
      .repeats_first = true,
      .filters_unclamped = true,
      .binaries = true,
      .binary_folder = "_UNCACHED_",
      .binary_ns = 100000000,
      .quiet = "-DSYC_QUIET\t-fno-caret-diagnostics",
      .caller_budget_ns = 20000,
      .awaited_budget_ns = 170000,
      .code = &pocl_code,
      .team_least_ns = 4000,
      .team_most_ns = 4000000,
      .measured =
          "2 cores under a load of 13, in turns with the other lanes: triads of 2^15 to 2^20 floats by the team took "
          "1, "
          "1, 1, .2 and .8 of their time at the median, and .77, .73, .42, .21 and .49 in the quickest tenth; "
          "3.0-rc2, 2 cores: sums of 2^20, 2^22 and 2^24 floats 16, 16 and 15 GB/s where the program spun and slept "
          "alone, and 34, 34 and 18 where a companion waited in the driver after 50 us; "
          "kernels see the very addresses of CL_MEM_USE_HOST_PTR arrays, at any alignment; an "
          "out-of-order chain of 2000 launches came out right; unflushed commands start; y += a*x on 2^24 floats: 45 "
          "GB/s with groups of 64, 48 with 256, 51 with 4096; a launch costs 1.4 us on the calling thread and 34 us on "
          "the pool, so that some 20 us of work are done sooner without the pool; fine-grain SVM came out right in "
          "kernels, copies and fills, and an argument that had held an SVM pointer took a cl_mem afterwards; a fill of "
          "2 GiB, its largest buffer, was right; the compiler's __atomic "
          "functions and fences came out right in OpenCL C 1.2, 2.0 and 3.0, in every order; 3.0 and 3.1: asking for "
          "binaries took 60 "
          "to 180 ms per kernel and device, they had the machine code of the launches before, and never anything "
          "newer; "
          "programs made from them took 5 ms of work where the text took 900, and their first launches 0.3 ms instead "
          "of "
          "50; 3.0: structs that were only copied whole came out as one item's behind a barrier, 3.1: those that "
          "were parameters of kernels; corrupt ones end the process; two that name one folder share it, and it goes "
          "with the first; 3.1: a launch that ran while a wider one of its kernel began, or one with another offset, "
          "or "
          "while the driver was asked for binaries, ended the process (pocl_release_dlhandle_cache: ref_count > 0; "
          "3.0 is built without that check); 3.0: of a group of 1 x 3 items the first added twice what stood before a "
          "condition with a barrier in it, and counted loops twice, so that they did not end; the texts of 3.1 to 7.1 "
          "have the same: what a region of several ways does first for one item its loop leaves out in dimension 0 "
          "only; "
          "3.0: with stacks of 8 MiB, groups whose items had arrays of 7.7 MB "
          "together "
          "ran, and with 8.9 MB the process ended, with barriers or without; calls of a function had its arrays once "
          "each, and 1024 bytes is what it says of all; and, as the texts of 3.1 to 7.1 have it: clang writes '1 error "
          "generated.' to "
          "standard error unless told to show no carets, of which the log has none; the option is refused as none of "
          "OpenCL's, but options are checked between blanks, and given to clang between tabs too"}},
    {"Intel",
     "",
     CL_DEVICE_TYPE_CPU,
     {.row = "Intel on the CPU",
      .shares_host_memory = true,
      .reads_anywhere = LOADS_ANYWHERE,
      .thread_safe = true,
      .out_of_order = true,
      .reads_at_enqueue = false,
      .flush_each = false,
      .offset_bits = 64,
      .local_size = 256,
      .items = SYC_ITEMS_PACKED,
      .groups = SYC_GROUP_NATIVE,
      .sub_groups = SYC_SUB_GROUP_NATIVE,
      .svm = true,
      .svm_migrates = true,
      .release_pause_ns = 10000000,
      .waiter_works = true,
      .waits_at_exit = true,
      .loses_ones = true,
      .companion = true,
      .understates_groups = false,
      .usm_argument_sticks = false,
      .staged_transfers = false,
      .fill_limit = UINT64_MAX,
      .fill_reach = UINT64_MAX,
      .every_order = true,
      .system_scope = true,
      .filters_unclamped = true,
      .binaries = true,
      .binary_folder = NULL,
      .binary_ns = 0,
      .caller_budget_ns = 10000,
      .awaited_budget_ns = 12000,
      .measured =
          "dot, length, distance and normalize of vectors of half build, and then lack a symbol; "
          "of max(~x[i], x[i]) over 99 numbers of 4 or 8 bytes those behind the last 16 were wrong "
          "(program/cures/intel_ones.h); "
          "OpenCL 1.2's atomic functions came out right in every version of OpenCL C, as did 2.0's where they are, and "
          "the compiler's fences; __atomic_fetch_add on one address was done once for a work-group; "
          "a queue whose last reference the driver's own thread lets go of, just after it has told the end of a "
          "command, waits "
          "for itself for ever (seen once, in ~OutOfOrderCommandQueue below ReadImageCommand); "
          "2026.2: a child forked while a kernel ran hung in exit(), or aborted, where the driver's handler finishes "
          "its queues; "
          "2 cores: a thread that waits in the driver is one of those that work, and while the program only "
          "asked, one core did everything: sums of 2^20, 2^22 and 2^24 floats 14.6, 16 and 9.1 GB/s, and 26, 27 and "
          "18 with a companion that waits; 2^10 and 2^18 took 20 and 56 us where the program asked, and 13 and 39 "
          "where it waited in the driver itself; sent after 5 or 20 us it cost 2^18 a fifth, after 100 us 2^20 a "
          "third; a queue of cl_intel_exec_by_local_thread does its commands on the thread that enqueues them: launch "
          "and wait of one work-item 2.6 us where the driver's threads took 7.5, of one that adds 2^16 floats 9 and "
          "13; "
          "kernels see the very addresses of CL_MEM_USE_HOST_PTR arrays, at any alignment, but of "
          "those "
          "for reading only that begin within a page: these are copied when the buffer is made, 64 MiB in 60 ms; an "
          "out-of-order chain of 2000 launches came out right; unflushed commands start; y += a*x on 2^24 floats: 40 "
          "GB/s with groups of 64, 47 with 256, 45 with 4096; fine-grain SVM and all kinds of its USM came out right, "
          "and an argument that had held their pointers took a cl_mem afterwards; a fill of 2.25 GiB was right; "
          "of its work-group functions reductions, votes and broadcasts took a tenth to a half of what any other way "
          "took, "
          "at all sizes and in every version of OpenCL C, whether that declares them or not, and scans 1.2 to 1.7 "
          "times as "
          "long as one work-item with vectors, groups of 64 to 1024 (tests/bench/group_functions.py); "
          "binaries "
          "are machine code, there at once, and took 2 ms where the text took 137"}},
    {"NVIDIA",
     "",
     CL_DEVICE_TYPE_GPU,
     {.row = "NVIDIA GPU",
      .shares_host_memory = false,
      .thread_safe = true,
      .out_of_order = true,
      .reads_at_enqueue = true,
      .flush_each = true,
      .silent_launches = true,
      .offset_bits = 32,
      .local_size = 256,
      .items = SYC_ITEMS_THREADED,
      .groups = SYC_GROUP_PARTIALS,
      .sub_groups = SYC_SUB_GROUP_PTX,
      .svm = true,
      .svm_migrates = false,
      .drops_minus = true,
      .wait_spin_ns = 5000000,
      .understates_groups = true,
      .usm_argument_sticks = true,
      .staged_transfers = true,
      .fill_limit = 1u << 30,
      .fill_reach = 1u << 31,
      .every_order = true,
      .system_scope = false,
      .strict_cl12 = true,
      .filters_unclamped = true,
      .binaries = true,
      .binary_folder = NULL,
      .binary_ns = 0,
      .caller_budget_ns = 0,
      .awaited_budget_ns = 0,
      .measured =
          "580.159 on an H200: min(min(a, -b), c) of int and short was min(min(a, b), c) in 2373 of 4099 elements "
          "(program/cures/nvidia_minus.h); sign and tanpi of -0.0 were 0.0, smoothstep of double came out as of float, "
          "lgamma_r "
          "gave the sign 1 where gamma is negative; atomics as PTX has them, to which no scope is given: that of the "
          "device; a non-blocking "
          "write that waited for a read into the same pageable array sent "
          "the array's contents from before that read; get_global_id gave the offset 2^40 as 0; out-of-order "
          "chains of kernels came out right; the standard promises a start only after clFlush; a kernel "
          "argument that once held an SVM pointer made the enqueue fail with a cl_mem in it afterwards; fills "
          "went wrong from 2 GiB on, and those of single bytes across offset 2^31 ended with code -9999; "
          "clEnqueueSVMMigrateMem after an unmap left zeros; pageable memory moved at 9 to 17 GB/s, pinned at 55; "
          "CL_KERNEL_WORK_GROUP_SIZE was 256 for every kernel, those that require 1024 too, and groups of 1024 ran; "
          "whoever slept in waits of 0.3 to 1 ms came 30 to 60 us late; launches in a row, each flushed, "
          "took 1.6 us less without an event"}},
    {"", "", CL_DEVICE_TYPE_GPU, {.row = "unknown GPU", .local_size = 256, UNKNOWN_FACTS}},
    {"", "", CL_DEVICE_TYPE_CPU, {.row = "unknown CPU", .local_size = 64, UNKNOWN_FACTS}},
};

static const syc_facts unknown = {.row = "unknown device", .local_size = 64, UNKNOWN_FACTS};

/* Where it looks for reads of what nothing has written, all arrays in place are unwritten to it. */
static const char looks_for_unwritten[] = "OCLGRIND_UNINITIALIZED";
static const syc_facts oclgrind_copying = {
    .row = "Oclgrind, looking for uninitialised memory",
    .shares_host_memory = false,
    .forgets_writes = true,
    OCLGRIND_FACTS,
    .measured =
        "21.10: with OCLGRIND_UNINITIALIZED a kernel that read a CL_MEM_USE_HOST_PTR array was told to use "
        "uninitialised memory, and one that read an array written to the device was not; fills, writes of parts, "
        "and writes to a buffer in place of a larger one left memory unwritten to it, and a kernel that another "
        "thread than the context's ran ended the process; all else as without",
};

const syc_facts *syc_facts_find(const char *platform_name, const char *platform_version, uint64_t device_type)
{
    if (strstr(platform_name, "Oclgrind") != NULL && getenv(looks_for_unwritten) != NULL)
        return &oclgrind_copying;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if ((rows[i].type & device_type) != 0 && strstr(platform_name, rows[i].platform) != NULL &&
            strstr(platform_version, rows[i].version) != NULL)
            return &rows[i].facts;
    return &unknown;
}
