"""What goes beyond SYCL 2020, a feature constant for each: SYCL_EXT_PYSYCL_ and a name, whose value is the year and month of
its latest change. `hasattr(sycl, "SYCL_EXT_PYSYCL_SORTS")` asks for one, as `#ifdef` does in C++."""

from __future__ import annotations

from typing import Final, NamedTuple


class Extension(NamedTuple):
    """A feature that SYCL has not."""

    changed: int
    """Year and month: the constant's value."""
    text: str
    names: str
    """The public names that belong to it: of the package, or `Class.method`."""


EXTENSIONS: Final = {
    "SYCL_EXT_PYSYCL_BODIES": Extension(
        202611, "Kernels as the text of their body, with arguments by name", "kernel_source"
    ),
    "SYCL_EXT_PYSYCL_ARRAYS": Extension(
        202611, "Commands on NumPy arrays without buffers, and on arrays of vectors", "marray_dtype vec_dtype"
    ),
    "SYCL_EXT_PYSYCL_PREPARED_KERNELS": Extension(
        202611, "Launches whose arguments are looked at once", "PreparedKernel Queue.kernel"
    ),
    "SYCL_EXT_PYSYCL_RECORDINGS": Extension(
        202611, "Commands that are recorded once and replayed", "Recording RecordedCommand Parameter Queue.record"
    ),
    "SYCL_EXT_PYSYCL_REDUCTIONS": Extension(
        202611,
        "Reductions of arrays, along axes, with accuracy and determinism as asked for",
        "all any argmax argmin average corrcoef count_nonzero cov dot make_reduce max mean min minmax nanargmax nanargmin "
        "nanmax nanmean nanmin nanprod nanstd nansum nanvar norm prod reduce reduce_by_key segmented_reduce std sum var",
    ),
    "SYCL_EXT_PYSYCL_SCANS": Extension(
        202611,
        "Scans of ranges by texts, and of arrays; what they select, repeat and generate",
        "Scanner Queue.parallel_scan scanner cummax cummin cumprod cumsum cumulative_prod cumulative_sum exclusive_scan "
        "flatnonzero generate inclusive_scan make_scan nancumprod nancumsum repeat run_length scan_by_key select split_by "
        "unique_consecutive",
    ),
    "SYCL_EXT_PYSYCL_SORTS": Extension(
        202611,
        "Sorts of arrays, and what is found in sorted ones",
        "argpartition argsort digitize intersect1d isin lexsort make_sort median merge nanmedian "
        "nanpercentile nanquantile partition percentile quantile searchsorted setdiff1d setxor1d sort "
        "sort_by_key top_k union1d unique",
    ),
    "SYCL_EXT_PYSYCL_GROUPS_OF_ELEMENTS": Extension(
        202611,
        "Elements counted or combined by bins and keys",
        "GroupBy bincount group_by histogram histogram2d histogram_bin_edges",
    ),
    "SYCL_EXT_PYSYCL_STREAMS": Extension(
        202611,
        "Arrays that come in chunks, larger than memory, and several devices in the place of one",
        "Split split stream_histogram stream_reduce stream_scan stream_sort",
    ),
    "SYCL_EXT_PYSYCL_EXPRESSIONS": Extension(202611, "Expressions of elements, broadcast", "diff transform"),
    "SYCL_EXT_PYSYCL_RANDOM": Extension(202611, "Random numbers by counters, the same on every device", "random"),
    "SYCL_EXT_PYSYCL_GRAPHS": Extension(202611, "Which command waited for which, and why", "Graph Queue.graph"),
    "SYCL_EXT_PYSYCL_PROFILES": Extension(
        202611, "What the commands of a block took", "Profile ProfileRow ProfiledCommand Queue.profile profile"
    ),
    "SYCL_EXT_PYSYCL_SHAPES": Extension(
        202611, "How a kernel would be launched, and which shape is best on this machine", "explain tune"
    ),
    "SYCL_EXT_PYSYCL_CHECKS": Extension(
        202611, "Checks of subscripts and of group functions, figures of what is alive", "debug show_config statistics"
    ),
    "SYCL_EXT_PYSYCL_CACHE": Extension(202611, "Built kernels that are kept on disk", "cache"),
    "SYCL_EXT_PYSYCL_BUILDS": Extension(
        202611, "Builds on other threads, awaited or waited for", "Build Program.build_async build_async"
    ),
    "SYCL_EXT_PYSYCL_POOLS": Extension(
        202611,
        "Memory that is kept for the next allocation, with limits and figures",
        "UsmAllocator.trim memory_statistics trim_memory",
    ),
}

globals().update({name: extension.changed for name, extension in EXTENSIONS.items()})
