/* What an element takes on one core, for texts that are near enough to what was measured. The careful estimate may be
 * ten times as high; a launch that it sends to the driver's threads loses what these need to begin. */
#include "algo/counts.h"
#include "algo/lower/lower.h"
#include "body/name.h"
#include "body/traits.h"

#include <string.h>

/* In picoseconds: to read or write a byte, a token of arithmetic on words of four bytes, and what built-ins cost beyond
 * theirs in vectors of 16. Measured on the calling thread, 2^16 elements from L2 less 2^13, two cores under a load of
 * 14, the estimate and what it took on PoCL 3.0 and Intel 2026.2:
 *   float   sum 66, 58, 91      x * y 124, 97, 110      (x - y)^2 138, 107, 118   x > 0.5 90, 258, 183
 *           max 66, 159, 184    min and max 86, 73, 183    four reducers 136, 100, 327
 *           exp 568, 425, 408   log 568, 719, 540   sqrt 270, 316, 374   sin 1070, 5400, 503
 *   double  sum 132, 75, -      x * y 250, 217, -   four reducers 272, 277, -   exp 1640, 1190, -   sin 3140, 4740, -
 *   long    sum 132, -, 154     x * y 250, -, 399   four reducers 272, -, 532
 * and bodies of 2^16 floats on PoCL 3.0, us: copy 9, 9   axpy 12, 8   polynomial 14, 12   conditional 10, 10   exp 42,
 * 34. Where all numbers are denormal, products take 17 times as long. */
enum { BYTE_PS = 12, TOKEN_PS = 2, PACKED_FLOAT_PS = 20, PACKED_DOUBLE_PS = 60, WORD = 4 };

static bool has_division(const char *text)
{
    return text != NULL && strpbrk(text, "/%") != NULL;
}

/* Of numbers, and nothing in it but arithmetic that vectors are as quick at as at sums: no integer is divided. */
static bool is_plain(const syc_body *body, const syc_body_traits *traits)
{
    const syc_body_source *source = syc_body_source_of(body);
    bool plain = traits->elementwise && !traits->keeps && !traits->scatters && !has_division(source->preamble);

    for (size_t i = 0; i < source->count; i++)
        if (source->names[i].kind == SYC_NAME_REDUCER)
            plain = plain && source->names[i].size <= sizeof(double) && !has_division(source->names[i].op.operation);
    return plain && (traits->packs || !(has_division(source->text) || has_division(source->options)));
}

/* Words of four bytes in the widest of the numbers that are read, written or combined: vectors hold as many fewer. */
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
