/* The time of an element on one core, for texts much like the measured ones. The careful estimate (lower.c) is far
 * higher for these: it would send launches to the driver's threads that are done before the threads have begun. */
#include "algo/counts.h"
#include "algo/lower/lower.h"
#include "body/name.h"
#include "body/traits.h"

#include <string.h>

/* In picoseconds: to read or write a byte; a token of arithmetic on words of four bytes; a built-in function in vectors
 * of 16, beyond its token. Products of denormal numbers take far longer. */
enum { BYTE_PS = 12, TOKEN_PS = 2, PACKED_FLOAT_PS = 20, PACKED_DOUBLE_PS = 60, WORD = 4 };

static bool has_division(const char *text)
{
    return text != NULL && strpbrk(text, "/%") != NULL;
}

/* The text is of numbers, and of arithmetic that vectors do as quickly as sums: it divides no integers. */
static bool is_plain(const syc_body *body, const syc_body_traits *traits)
{
    const syc_body_source *source = syc_body_source_of(body);
    bool plain = traits->elementwise && !traits->keeps && !traits->scatters && !has_division(source->preamble);

    for (size_t i = 0; i < source->count; i++)
        if (source->names[i].kind == SYC_NAME_REDUCER)
            plain = plain && source->names[i].size <= sizeof(double) && !has_division(source->names[i].op.operation);
    return plain && (traits->packs || !(has_division(source->text) || has_division(source->options)));
}

/* Words of four bytes in the widest number that is read, written or combined: of wide numbers a vector holds fewer. */
static uint64_t words_of(const syc_body *body)
{
    const syc_body_source *source = syc_body_source_of(body);
    uint64_t widest = WORD;
    for (size_t i = 0; i < source->count; i++)
        if (source->names[i].size > widest &&
            (source->names[i].kind == SYC_NAME_REDUCER || source->names[i].kind == SYC_NAME_GLOBAL))
            widest = source->names[i].size;
    return widest / WORD;
}

uint64_t syc__lower_near(const syc_body *body, const syc_lowering *lowering, bool packs)
{
    const syc_body_traits *traits = syc_body_traits_of(body);
    if (lowering->item_ps == UINT64_MAX || lowering->form.checked || !(packs || traits->built_ins == 0) ||
        !is_plain(body, traits))
        return 0;
    return (traits->read_bytes + traits->written_bytes) * BYTE_PS +
           (traits->weight - traits->built_ins) * words_of(body) * TOKEN_PS +
           traits->built_ins * (traits->doubles ? PACKED_DOUBLE_PS : PACKED_FLOAT_PS);
}

uint64_t syc__lower_near_alone(const syc_body *body, const syc_lowering *lowering)
{
    enum { LANES_PS = 60, STREAMS_PS = 900, PLACED_PS = 3, BUILT_IN_PS = 1000 };
    const syc_body_traits *traits = syc_body_traits_of(body);
    const syc_body_source *source = syc_body_source_of(body);
    uint64_t ps = 0;
    if (lowering->item_ps == UINT64_MAX || lowering->form.checked)
        return 0;
    for (size_t i = 0; i < source->count; i++) {
        if (source->names[i].kind == SYC_NAME_GLOBAL)
            ps += source->names[i].size * BYTE_PS;
        if (source->names[i].kind == SYC_NAME_REDUCER)
            ps += lowering->form.packs ? LANES_PS : STREAMS_PS;
    }
    ps += (traits->weight - traits->built_ins) * PLACED_PS + traits->built_ins * BUILT_IN_PS;
    return ps < lowering->item_ps ? ps : lowering->item_ps;
}
