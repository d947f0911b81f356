/* Text that kernels write to streams: the memory that they write records to (kernels/stream.clh), and the records made
 * into text. */
#ifndef SYC_PROGRAM_STREAM_TEXT_H
#define SYC_PROGRAM_STREAM_TEXT_H

#include "base/status.h"
#include "base/text.h"

#include <stdbool.h>
#include <stdint.h>

/* The memory that a kernel's `stream` points to. */
typedef struct syc_stream_memory {
    uint32_t used, end, room; /* words taken; where the first record without room would begin; words there are */
    uint32_t words[];
} syc_stream_memory;

/* The most characters that a stream may be made for. */
#define SYC_STREAM_MOST ((size_t)1 << 28)

/* The bytes of a stream's memory that has room for `characters`, whatever they come from: the shortest text for its
 * record is a 64-bit number of one digit behind which a flush follows. */
size_t syc_stream_bytes(size_t characters);
/* Makes memory of that size an empty stream. */
void syc_stream_clear(syc_stream_memory *memory, size_t characters);
/* Appends the text of all records, work-item by work-item: what one wrote between two flushes stays together, and
 * pieces come in the order of their flushes; what was not flushed comes last. Uses the records up. Any bytes are taken:
 * what is no record ends the text. True if there was more than the room. Without memory `out` is cut. */
bool syc_stream_read(syc_stream_memory *memory, syc_text *out);

#endif
