"""A sort by buckets, which stay in a thread's cache once they are parted (kernels/device/sort_buckets.clh)."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from pysycl._sorts.sort_keys import unsigned
from pysycl._sorts.sort_passes import (  # fmt: skip
    Lines,
    Sink,
    Sorter,
    Source,
    launch,
    one_pass,
    pieces_of,
    place_of,
    position_of,
)  # fmt: skip
from pysycl.buffer import Buffer

# Bits of the digit that parts words into buckets: as many of these as threads have caches for, of a line's elements.
_BITS: Final = 11
# Words of a bucket that a thread has room for (SYC_BUCKET_ROOM).
_ROOM: Final = 16384


def by_buckets(
    call: Sorter, line: Lines, word: np.dtype[Any], source: Source, index: Any, sink: Sink
) -> None:  # fmt: skip
    """Sorts words; for `index` see by_digits. Memory that the sink writes may be what the source reads."""
    position, pieces, bins = position_of(line, index), pieces_of(call, line), 1 << _BITS
    own, at = unsigned(word.itemsize), unsigned(position.itemsize)
    count = line.many * pieces
    ranges, scale, bucket = call.memory(2 * count, word), call.memory(2, word), call.memory(1, np.dtype(np.uint32))
    numbers = {"sort_size": np.int64(line.size), "sort_pieces": np.int64(pieces)}
    launch(
        call, count, f"syc_bucket_range({own}, {source.text}, i, sort_size, sort_pieces, ranges)",
        {**source.arguments, **numbers, "ranges": ranges},
    )  # fmt: skip
    launch(
        call, 1, f"syc_bucket_scale({own}, range_count, {_BITS}, ranges, scale, bucket)",
        {"ranges": ranges, "scale": scale, "bucket": bucket, "range_count": np.int64(count)},
    )  # fmt: skip
    words = [call.memory(line.total, word) for _ in range(2)]
    places = words if index is None else [call.memory(line.total, position) for _ in range(2)]
    put, into = "words[syc_to] = syc_word;", {"words": words[0], "scale": scale}
    if index is not None:
        taken = f"({at})({place_of(line)})" if not isinstance(index, Buffer) else "carried[syc_e]"
        put += f" places[syc_to] = {taken};"
        into |= {"places": places[0], **({"carried": index} if isinstance(index, Buffer) else {})}
    counts = one_pass(call, line, word, bins, source, f"(uint)(({own})(syc_word - scale[0]) >> scale[1])", put, into)
    items = int(call._found_queue().device.max_compute_units)
    memory = {"words": words[0], "words2": words[1], "room": call.memory(items * _ROOM, word), "bucket": bucket}
    names = "words, words, words2, words2, room, room"
    if index is not None:
        memory |= {"places": places[0], "places2": places[1], "room_at": call.memory(items * _ROOM, position)}
        names = "words, places, words2, places2, room, room_at"
    launch(
        call, items,
        f"syc_bucket_sorts({own}, {unsigned(line.position.itemsize)}, {own if index is None else at}, "
        f"{int(index is not None)}, i, buckets, bucket, sort_size, {bins}u, sort_pieces, counts, {names}, "
        f"{sink.text.replace('{index}', 'syc_place')})",
        {**numbers, **memory, **sink.arguments, "counts": counts, "buckets": np.int64(line.many * bins)},
    )  # fmt: skip
