/* The form and the launch of a body whose reducers are of some dimensions of a plain range. As lower.c: a table, the
 * first row that fits. */
#include "algo/lower/lower.h"

#include "algo/counts.h"
#include "algo/table.h"
#include "body/traits.h"
#include "cl/device.h"

struct row {
    syc_row base;
    bool along;    /* the innermost axis is reduced */
    uint64_t upto; /* it has at most so many elements, and there are results for all lanes; 0: any */
    syc_shape shape;
    uint32_t groups; /* for each compute unit, where there are as many units of work */
    uint32_t local_size;
};

/* What holds of PoCL and Intel's compiler alike was measured on PoCL; of Intel's, 2026.2, only the ratio to its own
 * plain sum was looked at, beside other work: 0.7 to 1.0. */
static const struct row rows[] = {
    {.base.items = SYC_ON_CPUS,
     .base.name = "PoCL and Intel, rows of one element",
     .base.why =
         "each work-item takes 64 rows at a time, an accumulator each: the rows are too short for vectors along them",
     .base.measured = "PoCL 3.0, floats, processor time beside other work, of a plain sum's rate: 2^24 rows of 1: 0.9, "
                      "as they lie 0.6; NumPy takes 1.4 times as long",
     .along = true,
     .upto = 1,
     .shape = SYC_SHAPE_ACROSS,
     .groups = 16,
     .local_size = 1},
    {.base.items = SYC_ON_CPUS,
     .base.name = "PoCL and Intel, short rows as they lie",
     .base.why = "each work-item reads several rows as one, with an accumulator for each element, and makes one of "
                 "those of each row",
     .base.measured =
         "PoCL 3.0, 2^22 floats in the cache, processor time beside other work, of a plain sum's rate as they lie, "
         "across and padded: rows of 2: 0.55 0.34 0.13, 3: 0.66 0.39 0.21, 5: 0.35 0.27 0.24, 8: 0.88 0.37 0.45",
     .along = true,
     .upto = 15,
     .shape = SYC_SHAPE_SHORT,
     .groups = 16,
     .local_size = 1},
    {.base.items = SYC_ON_CPUS,
     .base.name = "PoCL and Intel, rows of few elements",
     .base.why =
         "each work-item takes 64 rows at a time, an accumulator each: the rows are too short for vectors along them",
     .base.measured = "PoCL 3.0, 2^22 floats in the cache, processor time beside other work, of a plain sum's rate "
                      "across and padded: rows of 2: 0.34 0.13, 5: 0.27 0.24, 7: 0.27 0.35",
     .along = true,
     .upto = 5,
     .shape = SYC_SHAPE_ACROSS,
     .groups = 16,
     .local_size = 1},
    {.base.items = SYC_ON_CPUS,
     .base.name = "PoCL and Intel, short rows",
     .base.why = "each work-item takes several rows, with accumulators for the vectors of each, and makes one of those "
                 "of each row by passes over all of them",
     .base.measured = "PoCL 3.0, 2^22 floats in the cache, processor time beside other work, of a plain sum's rate "
                      "padded and along: rows of 16: 0.52 0.07, 31: 0.39 0.14, 64: 0.34 0.29, 100: 0.38 0.37, 120: "
                      "0.32 0.42, 128: 0.49 0.55; of 2^24: rows of 16 0.63, of 64 0.65",
     .along = true,
     .upto = 95,
     .shape = SYC_SHAPE_PADDED,
     .groups = 16,
     .local_size = 1},
    {.base.items = SYC_ON_CPUS,
     .base.name = "PoCL and Intel, long rows",
     .base.why = "each work-item takes whole rows, or runs of a long one, with 64 accumulators along the row",
     .base.measured = "PoCL 3.0, 2^24 floats, processor time beside other work, of a plain sum's rate: rows of 256 "
                      "0.7, of 1024 and more 0.94 to 1.0; NumPy takes 1.2 to 1.6 times as long",
     .along = true,
     .shape = SYC_SHAPE_ALONG,
     .groups = 16,
     .local_size = 1},
    {.base.items = SYC_ON_CPUS,
     .base.name = "PoCL and Intel, columns",
     .base.why = "each work-item goes down some neighbouring columns with an accumulator each, which stay in the cache",
     .base.measured = "PoCL 3.0, 2^24 floats, processor time beside other work, of a plain sum's rate: one row 0.72, 4 "
                      "rows 0.9, 16 and more 0.95 to 1.0, down to columns of 1; NumPy takes 1.0 to 10 times as long",
     .shape = SYC_SHAPE_COLUMNS,
     .groups = 16,
     .local_size = 1},
    {.base.items = SYC_ON_THREADED,
     .base.name = "NVIDIA, teams along rows",
     .base.why = "groups of 256 take one long row or several short ones, neighbouring work-items neighbouring "
                 "elements, and combine within warps by shuffles",
     .base.measured = "H200, driver 580.159, 2^24 floats, launched and waited for, of a plain sum's rate: rows of 2^24 "
                      "to 2^14 0.71 to 0.63, 4096 0.82, 256 0.68, 64 0.76, 16 0.67, 4 0.95, 1 0.74; CuPy takes 1.5 to "
                      "34 times as long; with teams in local memory and a division of 64 bits for each item 0.2 to 0.5",
     .along = true,
     .shape = SYC_SHAPE_TEAMS,
     .groups = 8,
     .local_size = 256},
    {.base.items = SYC_ON_THREADED,
     .base.name = "NVIDIA, teams down columns",
     .base.why = "groups of 256 take neighbouring columns, neighbouring work-items neighbouring columns",
     .base.measured = "the same: 4 rows 0.91, 16 0.77, 256 0.79, 1024 0.62, 4096 0.54, 65536 0.70, and with few "
                      "columns, down to one, 0.58 to 0.72; CuPy takes 2.5 to 190 times as long",
     .shape = SYC_SHAPE_TEAMS,
     .groups = 8,
     .local_size = 256},
    {.base.items = SYC_ON_SINGLY,
     .base.name = "any device, teams along rows",
     .base.why = "groups of 64 take one long row or several short ones, the form that asks little of the device",
     .base.measured = "not measured",
     .along = true,
     .shape = SYC_SHAPE_TEAMS,
     .groups = 8,
     .local_size = 64},
    {.base.items = SYC_ON_SINGLY,
     .base.name = "any device, teams down columns",
     .base.why = "groups of 64 take neighbouring columns, the form that asks little of the device",
     .base.measured = "not measured",
     .shape = SYC_SHAPE_TEAMS,
     .groups = 8,
     .local_size = 64},
    {.base.items = SYC_ON_CPUS,
     .base.name = "teams in place of rows",
     .base.why = "groups of 64 take one long row or several short ones: lanes along rows did not stand the self-test",
     .base.measured = "not measured",
     .along = true,
     .shape = SYC_SHAPE_TEAMS,
     .groups = 8,
     .local_size = 64},
    {.base.items = SYC_ON_CPUS,
     .base.name = "teams in place of columns",
     .base.why =
         "groups of 64 take neighbouring columns: work-items with columns of their own did not stand the self-test",
     .base.measured = "not measured",
     .shape = SYC_SHAPE_TEAMS,
     .groups = 8,
     .local_size = 64},
    {.base.items = SYC_ON_THREADED | SYC_ON_SINGLY,
     .base.name = "rows in place of teams",
     .base.why = "each work-item takes whole rows, or runs of a long one: teams along rows did not stand the self-test",
     .base.measured = "not measured",
     .along = true,
     .shape = SYC_SHAPE_ALONG,
     .groups = 16,
     .local_size = 1},
    {.base.items = SYC_ON_THREADED | SYC_ON_SINGLY,
     .base.name = "columns in place of teams",
     .base.why = "each work-item goes down some neighbouring columns: teams down columns did not stand the self-test",
     .base.measured = "not measured",
     .shape = SYC_SHAPE_COLUMNS,
     .groups = 16,
     .local_size = 1},
    {.base = SYC_TEST_ROW("this shape"), .shape = SYC_SHAPE_TEAMS, .groups = 4, .local_size = 16},
    {.base = SYC_TEST_ROW("this shape"), .shape = SYC_SHAPE_COLUMNS, .groups = 4, .local_size = 1},
    {.base = SYC_TEST_ROW("this shape"), .shape = SYC_SHAPE_SHORT, .groups = 4, .local_size = 1},
    {.base = SYC_TEST_ROW("this shape"), .shape = SYC_SHAPE_PADDED, .groups = 4, .local_size = 1},
    {.base = SYC_TEST_ROW("this shape"), .shape = SYC_SHAPE_ACROSS, .groups = 4, .local_size = 1},
    {.base = SYC_TEST_ROW("this shape"), .shape = SYC_SHAPE_ALONG, .groups = 4, .local_size = 1},
};

/* A piece is worth a work-item of its own from about this much estimated work on, or where nobody knows what an element
 * costs, from this many elements on. */
enum { PIECE_NS = 20000, PIECE_STEP = 64, PIECE_UNBOUNDED = 256 };
/* Lanes of ALONG and ACROSS; rows that columns are worth a piece for; elements that an item of TEAMS takes before there
 * are more of them, and groups for each that a compute unit has at a time before one has several blocks of results;
 * neighbouring columns that fill what a GPU reads at a time. */
enum { LANES = 64, PIECE_ROWS = 64, TEAM_ELEMENTS = 8, TURNS = 4, WARP = 32, VECTOR = 16, MOST_PADDED = 256 };

/* The range as the body's reducers see it. */
struct extent {
    syc_axes axes;
    uint64_t sizes[3], results, outer; /* outer: of the reduced axes but the innermost axis */
    uint64_t elements;
    bool linear, packs; /* packs: as vectors of 16 */
};

static uint64_t smaller(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static uint64_t power_above(uint64_t n)
{
    uint64_t power = 1;
    while (power < n)
        power *= 2;
    return power;
}

static void measure(const syc_body *body, const syc_geometry *range, bool offset, struct extent *out)
{
    syc_body_axes(body, range->dims, offset, &out->axes);
    out->results = out->outer = out->elements = 1;
    out->linear = syc_body_traits_of(body)->linear && !offset;
    for (unsigned a = 0; a < out->axes.count; a++) {
        uint64_t *into = out->axes.items[a].reduced ? &out->outer : &out->results;
        out->sizes[a] = 1;
        for (unsigned d = out->axes.items[a].first; d < out->axes.items[a].past; d++)
            out->sizes[a] = syc__multiply(out->sizes[a], range->global[d]);
        out->elements = syc__multiply(out->elements, out->sizes[a]);
        if (a > 0 || !out->axes.items[a].reduced)
            *into = syc__multiply(*into, out->sizes[a]);
    }
}

static unsigned kept_axis(const struct extent *e)
{
    unsigned a = 0;
    while (a < e->axes.count && e->axes.items[a].reduced)
        a++;
    return a;
}

/* -- the row -- */

/* SHORT makes one of these many accumulators by passes over 2, 3, 5 or 7 neighbours. */
static bool is_short(const struct extent *e)
{
    uint64_t n = e->sizes[0];
    for (unsigned factor = 2; factor <= 7; factor++)
        while (n > 1 && n % factor == 0)
            n /= factor;
    return n <= 1 && e->linear && e->axes.count > 1 && e->axes.items[0].reduced && e->sizes[0] <= MOST_PADDED;
}

static bool prefers(const void *given, const void *question)
{
    const struct row *row = given;
    const struct extent *e = question;
    unsigned kept = kept_axis(e);
    if (row->along != e->axes.items[0].reduced || (row->shape == SYC_SHAPE_SHORT && !is_short(e)) ||
        (e->packs && !syc_shape_packs(row->shape)))
        return false;
    return row->upto == 0 || (e->sizes[0] <= row->upto && kept < e->axes.count && e->sizes[kept] >= LANES);
}

/* Where the shape that a test asks for cannot be, what is nearest to it. */
static bool asked(const void *row, const void *question)
{
    const struct extent *e = question;
    const syc_shape wanted = syc__lower_forced();
    const bool across = kept_axis(e) < e->axes.count;

    if (wanted < SYC_SHAPE_LANES || wanted >= SYC_SHAPE_COUNT)
        return false;
    switch (((const struct row *)row)->shape) {
    case SYC_SHAPE_TEAMS:
        return wanted == SYC_SHAPE_TEAMS || wanted == SYC_SHAPE_STRIDE;
    case SYC_SHAPE_COLUMNS:
        return !e->axes.items[0].reduced;
    case SYC_SHAPE_SHORT:
        return wanted == SYC_SHAPE_SHORT && is_short(e);
    case SYC_SHAPE_PADDED:
        return (wanted == SYC_SHAPE_SHORT || wanted == SYC_SHAPE_PADDED) && across && e->sizes[0] <= MOST_PADDED;
    case SYC_SHAPE_ACROSS:
        return wanted == SYC_SHAPE_ACROSS && across;
    default:
        return true;
    }
}

/* What the self-test knows its shape by. */
static syc_families families_of(const void *given, const void *question)
{
    static const syc_family families[SYC_SHAPE_COUNT] = {
        [SYC_SHAPE_ALONG] = SYC_FAMILY_ALONG,     [SYC_SHAPE_ACROSS] = SYC_FAMILY_ACROSS,
        [SYC_SHAPE_SHORT] = SYC_FAMILY_SHORT,     [SYC_SHAPE_PADDED] = SYC_FAMILY_PADDED,
        [SYC_SHAPE_COLUMNS] = SYC_FAMILY_COLUMNS, [SYC_SHAPE_TEAMS] = SYC_FAMILY_TEAMS};
    const struct row *row = given;
    bool down = row->shape == SYC_SHAPE_TEAMS && !row->along;
    (void)question;
    return syc_family_bit(down ? SYC_FAMILY_TEAMS_DOWN : families[row->shape]);
}

static const syc_table table = {SYC_TABLE_OF(rows), .prefers = prefers, .asked = asked, .families = families_of};

/* Vectors of 16 for texts that call built-ins, which drivers for CPUs have fast ones of; tests ask for others, too. */
static bool packs_on(const syc_device *device, const syc_body *body, const struct extent *e, bool checked)
{
    const syc_body_traits *traits = syc_body_traits_of(body);
    return traits->packs && e->linear && !checked && device->fp64 && /* double stands in for some of float */
           SYC_ON_CPUS >> device->facts->items & 1 &&
           (traits->built_ins > 0 || syc__lower_forced() == SYC_SHAPE_PACK) &&
           !syc_device_is_wrong(device, syc__lower_pack_families(traits));
}

/* -- the launch -- */

/* Work-items that are worth it. */
static uint64_t worth(const struct extent *e, uint64_t groups, const syc_lowering *lowering)
{
    uint64_t least =
        lowering->item_ps == UINT64_MAX ? PIECE_UNBOUNDED : (uint64_t)PIECE_NS * 1000 / (lowering->item_ps + 1) + 1;
    uint64_t most = syc__divide_up(e->elements, least);
    most = smaller(groups, most);
    return most > 0 ? most : 1;
}

/* Pieces of what has `steps` parts, so that there is work for all groups; 1 where there is enough without. */
static uint64_t cut(uint64_t held, uint64_t steps, uint64_t groups)
{
    uint64_t pieces = held == 0 || held >= groups ? 1 : syc__divide_up(groups, held);
    pieces = smaller(pieces, steps);
    return pieces > 0 ? pieces : 1;
}

static void shape_along(const struct extent *e, uint64_t groups, uint64_t step, syc_lowering *out)
{
    uint64_t pieces = cut(e->results, UINT64_MAX, groups), n = e->sizes[0];
    out->run = n;
    if (e->outer > 0 && e->outer < pieces) { /* rows are cut only where there are too few of them */
        uint64_t run = syc__divide_up(n, syc__divide_up(pieces, e->outer));
        if (run < n && run <= UINT64_MAX - step)
            out->run = smaller(n, syc__divide_up(run, step) * step);
    }
    out->run = out->run > 0 ? out->run : 1;
    out->pieces = cut(e->results, syc__multiply(e->outer, syc__divide_up(n, out->run)), groups);
    out->team = 1;
}

static uint64_t shape_across(const struct extent *e, uint64_t groups, syc_lowering *out)
{
    uint64_t lanes = e->sizes[kept_axis(e)];
    uint64_t held = lanes > 0 ? syc__divide_up(lanes, LANES) * (e->results / lanes) : 0;
    out->pieces = cut(held, e->outer, groups);
    out->team = 1;
    return held;
}

/* Rows that have whole vectors together, if there is room for as many. */
static uint64_t shape_short(const struct extent *e, uint64_t slots, uint64_t groups, syc_lowering *out)
{
    uint64_t n = e->sizes[0], step = LANES, held;
    for (uint64_t twos = n; step > 1 && twos % 2 == 0; twos /= 2)
        step /= 2;
    out->run = n > 0 ? slots / n : slots;
    out->run = out->run > step ? out->run / step * step : out->run;
    held = syc__divide_up(e->sizes[1], out->run);
    out->pieces = cut(held, e->outer, groups);
    out->team = 1;
    return held;
}

/* Vectors for a row, as many as passes over 2 and 3 neighbours make one of. */
static uint64_t shape_padded(const struct extent *e, uint64_t slots, uint64_t groups, syc_lowering *out)
{
    uint64_t vectors = syc__divide_up(e->sizes[0], VECTOR), lanes = e->sizes[kept_axis(e)], held;
    for (bool found = false; !found; vectors += !found) {
        uint64_t rest = vectors;
        while (rest > 1 && rest % 2 == 0)
            rest /= 2;
        while (rest > 1 && rest % 3 == 0)
            rest /= 3;
        found = rest <= 1;
    }
    out->team = (uint32_t)(VECTOR * (vectors > 0 ? vectors : 1));
    out->run = slots > out->team ? slots / out->team : 1;
    held = lanes > 0 ? syc__multiply(syc__divide_up(lanes, out->run), e->results / lanes) : 0;
    out->pieces = cut(held, e->outer, groups);
    return held;
}

/* Short rows are taken several at a time; long ones cut into as many columns as there are accumulators for. */
static uint64_t shape_columns(const struct extent *e, uint64_t slots, uint64_t groups, syc_lowering *out)
{
    uint64_t n = e->sizes[0], others = n > 0 ? e->results / n : 0, held;

    out->run = smaller(n, slots);
    out->run = out->run > 0 ? out->run : 1;
    out->team = (uint32_t)(e->linear && n > 0 && n < slots ? slots / n : 1);
    if (out->team > e->outer) /* more of them would be accumulators of nothing */
        out->team = (uint32_t)(e->outer > 0 ? e->outer : 1);
    held = syc__multiply(syc__divide_up(n, out->run), others);
    while (out->team == 1 && out->run > LANES && held < groups &&
           e->outer < PIECE_ROWS * syc__divide_up(groups, held + 1)) {
        out->run = syc__divide_up(out->run, 2); /* more columns at a time than there are rows for */
        held = syc__multiply(syc__divide_up(n, out->run), others);
    }
    out->pieces = cut(held, syc__divide_up(e->outer, (uint64_t)out->team * 4), groups);
    return held;
}

/* Along rows: an item takes SHORT_ELEMENTS of a short row, and of others TEAM_ELEMENTS twice over, but neighbours are
 * read together; and in no more than a warp, whose items need no barrier, if there are rows enough for `items`. */
static uint64_t team_along(const struct extent *e, uint64_t size, uint64_t items)
{
    enum { NEIGHBOURS = 8, SHORT_ELEMENTS = 4 };
    uint64_t n = e->sizes[0], team = power_above(syc__divide_up(n, 2 * TEAM_ELEMENTS));
    team =
        team < NEIGHBOURS ? smaller(NEIGHBOURS, power_above(syc__divide_up(n, SHORT_ELEMENTS))) : smaller(team, WARP);
    team = smaller(team, size);
    while (team < size && 4 * team < n && syc__multiply(e->results, team) < items)
        team *= 2;
    return team;
}

/* Down columns: no more items than leave neighbours to read together, and than there are rows for. */
static uint64_t team_down(const struct extent *e, uint64_t size, uint64_t items)
{
    uint64_t team = size / smaller(size, power_above(smaller(e->sizes[0], WARP)));
    while (team > 1 &&
           (team > e->outer || (team * TEAM_ELEMENTS > e->outer && syc__multiply(e->results, team / 2) >= items)))
        team /= 2;
    return team;
}

static void shape_teams(const struct extent *e, uint64_t groups, syc_lowering *out)
{
    bool along = e->axes.items[0].reduced;
    uint64_t size = out->local_size, items = groups * size;
    uint64_t team = along ? team_along(e, size, items) : team_down(e, size, items);
    uint64_t blocks = syc__divide_up(e->results, size / team);

    groups = smaller(groups, SYC_PARTIALS_BLOCKS); /* there are pieces only of fewer blocks than groups */
    if (along)
        shape_along(&(struct extent){.sizes = {e->sizes[0]}, .results = blocks, .outer = e->outer}, groups,
                    team * TEAM_ELEMENTS, out);
    else
        out->pieces = cut(blocks, syc__divide_up(e->outer, team * TEAM_ELEMENTS), groups);
    out->team = (uint32_t)team;
    blocks = out->pieces == 1 && out->form.warps ? smaller(blocks, TURNS * groups) : blocks;
    out->groups = (uint32_t)syc__multiply(blocks, out->pieces); /* no memory has room for more results */
}

void syc__lower_axes(const syc_device *device, const syc_body *body, const syc_geometry *range, syc_lowering *out)
{
    struct extent e;
    const struct row *row;
    uint64_t groups, held;

    measure(body, range, out->form.offset, &e);
    e.packs = packs_on(device, body, &e, out->form.checked);
    row = syc_table_find(&table, device, &e);
    out->form.packs = e.packs && syc_shape_packs(row->shape);
    if (syc__lower_forced() == SYC_SHAPE_COUNT)
        out->families = out->form.packs ? syc__lower_pack_families(syc_body_traits_of(body)) : families_of(row, &e);
    else
        out->families = 0;
    out->row = &row->base;
    out->form.shape = row->shape;
    out->results = e.results;
    out->local_size = row->local_size;
    groups = (uint64_t)row->groups * device->compute_units;
    if (row->shape == SYC_SHAPE_TEAMS) {
        out->local_size = syc__lower_limit_group(device, body, row->local_size);
        syc__lower_warps(device, body, out->local_size, row->along ? SYC_FAMILY_TEAMS : SYC_FAMILY_TEAMS_DOWN,
                         row->along ? SYC_FAMILY_TEAMS_WARPS : SYC_FAMILY_TEAMS_DOWN_WARPS, out);
        shape_teams(&e, groups, out);
    } else {
        if (!(row->base.flags & SYC_ROW_TEST)) /* tests want pieces of little work, too */
            groups = worth(&e, groups, out);
        held = e.results;
        if (row->shape == SYC_SHAPE_ALONG)
            shape_along(&e, groups, PIECE_STEP, out);
        else if (row->shape == SYC_SHAPE_ACROSS)
            held = shape_across(&e, groups, out);
        else if (row->shape == SYC_SHAPE_SHORT)
            held = shape_short(&e, syc_body_slots(body), groups, out);
        else if (row->shape == SYC_SHAPE_PADDED)
            held = shape_padded(&e, syc_body_slots(body), groups, out);
        else
            held = shape_columns(&e, syc_body_slots(body), groups, out);
        out->groups = (uint32_t)smaller(groups, syc__multiply(held, out->pieces));
    }
    if (out->groups == 0) /* nothing is kept, or nothing is there: a group that finds nothing to do */
        out->groups = 1;
}
