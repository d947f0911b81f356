/* Memory that only a kernel's outermost level may declare: __local and __constant variables, but not pointers to such
 * memory. A text that has some is no block of its own. */
#include "body/parts.h"
#include "body/reading.h"
#include "source/declarations/parser.h"

static bool names_space(const syc_token_stream *s, size_t at)
{
    syc_keyword keyword = syc__stream_keyword(s, at);
    return keyword == SYC_KEYWORD_LOCAL || keyword == SYC_KEYWORD_CONSTANT;
}

/* Is one of the declarators from `at` to the ';' no pointer? */
static bool declares_memory(const syc_token_stream *s, size_t at, size_t end)
{
    bool pointer = false;
    for (; at < end && !syc__stream_is(s, at, ";"); at = syc__stream_next(s, at, end)) {
        if (!pointer && (syc__stream_is(s, at, "=") || syc__stream_is(s, at, ",") || syc__stream_is(s, at, "[")))
            return true;
        pointer = (pointer || syc__stream_is(s, at, "*")) && !syc__stream_is(s, at, ",");
    }
    return !pointer;
}

void syc__body_find_outermost(const syc__scan *scan)
{
    const syc_token_stream *s = &scan->unit->stream;
    for (size_t at = scan->first; at < scan->last; at = syc__stream_next(s, at, scan->last))
        if (names_space(s, at) && declares_memory(s, at, scan->last)) {
            scan->reading->outermost = true;
            return;
        }
}
