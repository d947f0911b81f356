/* x(i0, i1): as many indices as x has dimensions. Found here, it needs no compiler, and is told in the user's words. */
#include "body/parts.h"
#include "body/reading.h"
#include "source/declarations/parser.h"

/* The expressions between a bracket and its partner. */
static unsigned count_indices(const syc_token_stream *s, size_t open, size_t end)
{
    size_t close = s->match[open] < end ? s->match[open] : end;
    unsigned count = close > open + 1;
    for (size_t at = open + 1; at < close; at = syc__stream_next(s, at, close))
        count += syc__stream_is(s, at, ",");
    return count;
}

static syc_status refuse(const syc__scan *scan, const syc_name *name, unsigned given, size_t token)
{
    const syc__place place = syc__body_place(scan->source, scan->user, syc__scan_position(scan, token));
    syc_text text = {0};

    syc_text_add(&text, "%s: '%s' has %u dimension%s, and ", place.name, name->name, name->rank,
                 name->rank == 1 ? "" : "s");
    syc__position_say(&text, place.at);
    syc_text_add(&text, " has %s(...) with %u ind%s: ", name->name, given, given == 1 ? "ex" : "ices");
    if (name->rank == 1)
        syc_text_add(&text, "%s[...] takes its index", name->name);
    else
        syc_text_add(&text, "it takes %u, and %s[...] the linear one", name->rank, name->name);
    return syc__fail_at(SYC_E_KERNEL_ARGUMENT, SYC_HERE, place.text, place.at, &text);
}

syc_status syc__body_check_ranks(const syc__scan *scan)
{
    const syc_token_stream *s = &scan->unit->stream;
    for (size_t at = scan->first; at < scan->last; at++) {
        const syc__use *use = syc__scan_use(scan, at);
        const syc_name *name = use != NULL ? &scan->source->names[use - scan->reading->uses] : NULL;
        unsigned given;
        if (name == NULL || (name->kind != SYC_NAME_GLOBAL && name->kind != SYC_NAME_LOCAL) ||
            !syc__stream_is(s, at + 1, "("))
            continue;
        given = count_indices(s, at + 1, scan->last);
        if (name->rank == 1 || given != name->rank)
            return refuse(scan, name, given, at);
    }
    return SYC_OK;
}
