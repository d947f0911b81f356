/* The form and the launch of a scan: what the row of the table says, fitted to the range. */
#include "algo/counts.h"
#include "algo/lower/scan_rows.h"
#include "algo/table.h"
#include "body/name.h"
#include "body/traits.h"
#include "cl/device.h"
#include "cl/sub_group.h"

struct row {
    syc_row base;
    syc_shape shape;
    uint32_t groups; /* for each compute unit, at most; 0: one in all */
    uint32_t local_size;
    uint32_t tile_bytes; /* TILES: read and written by a tile; ROUNDS: of the sums that a work-item has of a tile */
    uint32_t elements;   /* SIDE_BY_SIDE: lines that a work-item takes together; ROUNDS: its elements, at most */
    uint64_t beside;     /* the same: by itself only where so many lines lie side by side */
    uint64_t most;       /* by itself only for at most so many bytes; 0: any */
    uint32_t few;        /* of one line for any number, where prefixes are in vectors and there are no more units */
    uint64_t past;       /* TILES: results go past the caches where there are more bytes; 0: never */
};

static const struct row rows[] = {
    {.base.items = SYC_ON_CPUS,
     .base.name = "lines side by side",
     .base.why = "each work-item goes along neighbouring lines together, with an accumulator for each: their elements "
                 "lie side by side, so the loop over them becomes vectors",
     .base.measured =
         "PoCL 3.0 and Intel 2026.2, 2 cores, sums of 2^20 floats, against NumPy: 1024 columns 22 and 16 times as "
         "fast, 16 columns 10 and 9, 8 columns 2.6 and 3.1; as tiles all of them 0.8 to 1.9",
     .shape = SYC_SHAPE_SIDE_BY_SIDE,
     .groups = 4,
     .local_size = 1,
     .elements = 256,
     .beside = 16},
    {.base.items = SYC_ON_CPUS,
     .base.name = "one work-item",
     .base.why = "one work-item scans a line in one pass, with prefixes within vectors: that is little, or it keeps up "
                 "with the memory, so what others could help with costs more than it gains",
     .base.measured =
         "PoCL 3.0 and Intel 2026.2, 2 cores, against NumPy: sums of 2^16 floats 5.0 and 6.2 times as fast, of 2^18 "
         "5.6 and 6.2, of 2^16 longs 3.2 and 4.0; chained tiles 0.8 to 1.0 of that. PoCL 3.0, 2 cores, 2^24, ms of "
         "processor time, and by chained tiles: floats 3.1 and 4.4, int32 2.4 and 4.0, segments of 10 6.6 and 9.7",
     .shape = SYC_SHAPE_TILES,
     .local_size = 1,
     .tile_bytes = 256 << 10,
     .most = 1 << 18,
     .few = 2,
     .past = 32 << 20},
    {.base.items = SYC_ON_CPUS,
     .base.name = "chained tiles",
     .base.why = "a work-item for each compute unit takes tiles in their order, sums each in the cache, and scans it "
                 "with the sums of those before; waits are bounded, since what is missing is summed again",
     .base.measured = "PoCL 3.0 and Intel 2026.2, 2 cores that others used too, against NumPy: sums of 2^20 floats 4.4 "
                      "and 4.7 times "
                      "as fast, of 2^24 2.3 and 2.6, of 2^24 longs 1.4 and 1.5",
     .shape = SYC_SHAPE_TILES,
     .groups = 1,
     .local_size = 1,
     .tile_bytes = 256 << 10,
     .past = 32 << 20},
    {.base.items = SYC_ON_THREADED,
     .base.name = "NVIDIA, a column for each work-item",
     .base.why = "each work-item goes along a line of its own, beside its neighbours'",
     .base.measured = "not measured yet",
     .shape = SYC_SHAPE_SIDE_BY_SIDE,
     .groups = 64,
     .local_size = 128,
     .elements = 1,
     .beside = 1 << 12},
    {.base.items = SYC_ON_THREADED,
     .base.name = "NVIDIA, rounds",
     .base.why =
         "groups that are all under way together take tiles in turns: elements go from registers to local memory, "
         "where each work-item combines neighbours; each tile's sum is left a round before it is needed",
     .base.measured =
         "H200, in device memory, us in a row: sums of 2^27 int32 318 to 330 (CUB 345 to 352), of 2^24 47 "
         "(51), of 2^26 float64 329 to 334 (331), maxima of 2^27 float32 333 (346 of int32), affine maps "
         "426 to 443 (780), segments of 10 485 (by key 535), select 1/2 333 to 343 (308). With 15 elements "
         "segments 588, select 381",
     .shape = SYC_SHAPE_ROUNDS,
     .groups = 3,
     .local_size = 256,
     .tile_bytes = 88,
     .elements = 21},
    {.base.name = "any device, chained tiles",
     .base.why = "work-items take tiles in their order, sum each, and scan it with the sums of those before; nobody "
                 "depends on another's progress",
     .base.measured = "not measured",
     .shape = SYC_SHAPE_TILES,
     .groups = 1,
     .local_size = 1,
     .tile_bytes = 64 << 10},
    {.base.flags = SYC_ROW_SPARE,
     .base.name = "small rounds",
     .base.why = "tests want groups everywhere",
     .base.measured = "for tests",
     .shape = SYC_SHAPE_ROUNDS,
     .groups = 2,
     .local_size = 32,
     .tile_bytes = 16,
     .elements = 3},
    {.base.flags = SYC_ROW_SPARE,
     .base.name = "few lines side by side",
     .base.why = "tests want blocks of few lines everywhere",
     .base.measured = "for tests",
     .shape = SYC_SHAPE_SIDE_BY_SIDE,
     .groups = 2,
     .local_size = 1,
     .elements = 3},
    {.base.flags = SYC_ROW_SPARE,
     .base.name = "small tiles",
     .base.why = "tests want many tiles of few elements",
     .base.measured = "for tests",
     .shape = SYC_SHAPE_TILES,
     .groups = 4,
     .local_size = 1,
     .tile_bytes = 1,
     .past = 1},
};

/* The facts of a scan that a row is chosen by. */
struct asked {
    uint64_t length, lines, inner; /* elements of a line; lines; those that lie side by side */
    uint64_t bytes;                /* of all elements */
    uint64_t cell;                 /* bytes of what an element contributes */
    uint32_t units;                /* compute units */
    bool warps, packs;             /* that the device has; prefixes can be in vectors */
};

/* Local memory that a group of ROUNDS may have: others want some, too. */
enum { ROOM_BYTES = 45 << 10 };

/* ROUNDS without warps are groups of one work-item: right, and for tests. */
static bool can(const void *given, const void *question)
{
    const struct row *row = given;
    const struct asked *a = question;
    if (row->shape == SYC_SHAPE_ROUNDS)
        return syc_scan_warp_bytes(a->cell, 1, SYC_WARP) <= ROOM_BYTES &&
               (a->warps || (row->base.flags & SYC_ROW_SPARE) != 0);
    return row->shape != SYC_SHAPE_SIDE_BY_SIDE || a->inner > 1;
}

static bool prefers(const void *given, const void *question)
{
    const struct row *row = given;
    const struct asked *a = question;
    if (row->shape == SYC_SHAPE_SIDE_BY_SIDE)
        return a->inner >= row->beside;
    return row->most == 0 || a->bytes <= row->most || (a->packs && a->lines == 1 && a->units <= row->few);
}

static syc_families families_of(const void *given, const void *question)
{
    const syc_shape shape = ((const struct row *)given)->shape;
    (void)question;
    return syc_family_bit(shape == SYC_SHAPE_SIDE_BY_SIDE ? SYC_FAMILY_SCAN_BESIDE
                          : shape == SYC_SHAPE_ROUNDS     ? SYC_FAMILY_SCAN_ROUNDS
                                                          : SYC_FAMILY_SCAN_TILES);
}

/* It was measured of single lines. */
static const void *tuned(const syc_device *device, const void *question)
{
    const unsigned number = syc_device_tuned(device, SYC_TUNED_SCANS);
    return ((const struct asked *)question)->inner > 1 || number < SYC_TUNED_FIRST ? NULL
                                                                                   : &rows[number - SYC_TUNED_FIRST];
}

static syc_table table = {SYC_TABLE_OF(rows), .can = can, .prefers = prefers, .families = families_of, .tuned = tuned};

const char *syc_scan_row_name(const syc_device *device, size_t index)
{
    return syc_table_name(&table, device, index);
}

unsigned syc__scan_row_number(const syc_device *device, const char *name)
{
    const struct row *row = syc_table_named(&table, device, name);
    return row != NULL ? SYC_TUNED_FIRST + (unsigned)(row - rows) : SYC_TUNED_NOTHING;
}

syc_status syc_scan_row_force(const char *name)
{
    syc_status status = SYC_OK;
    SYC_CHECK(name == NULL || syc_table_named(&table, NULL, name) != NULL, SYC_E_INVALID_PARAMETER,
              "scans: no row of the table has the name '%s'", name);
    syc_table_force(&table, name);
done:
    return status;
}

/* Bytes of an element's arrays, both ways. */
static uint64_t bytes_of(const syc_body *body)
{
    const syc_body_source *source = syc_body_source_of(body);
    uint64_t bytes = 0;
    for (size_t i = 0; i < source->count; i++)
        if (source->names[i].kind == SYC_NAME_GLOBAL)
            bytes += source->names[i].size;
    return bytes > 0 ? bytes : 1;
}

static void measure(const syc_device *device, const syc_body *body, const syc_geometry *range, struct asked *out)
{
    const syc_body_source *source = syc_body_source_of(body);
    const bool all = range->dims == 1 || source->along == SYC_ALONG_ALL;
    const unsigned along = all ? 0 : range->dims - 1 - source->along;
    const uint64_t elements = syc__lower_elements(range, 0);

    *out = (struct asked){.length = 1, .lines = 1, .inner = 1};
    out->units = device->compute_units;
    out->packs = syc_body_scans_vectors(body) && device->facts->items != SYC_ITEMS_THREADED &&
                 !syc_device_is_wrong(device, syc_family_bit(SYC_FAMILY_SCAN_VECTORS));
    out->warps = syc_sub_group_kind_of(device) == SYC_SUB_GROUP_PTX;
    for (size_t i = 0; i < source->count; i++)
        if (source->names[i].kind == SYC_NAME_REDUCER)
            out->cell += syc_partial_bytes(&source->names[i]);
    for (unsigned d = 0; d < range->dims; d++) {
        uint64_t *product = all || d == along ? &out->length : &out->lines;
        *product = syc__multiply(*product, range->global[d]);
        if (!all && d < along)
            out->inner = syc__multiply(out->inner, range->global[d]);
    }
    out->bytes = syc__multiply(elements, bytes_of(body));
}

/* Elements of a tile of TILES: lines are cut only where there are too few of them. */
static uint64_t tile_of(const struct row *row, const struct asked *a, uint64_t groups, uint64_t element)
{
    enum { STEP = 1024, LINES = 8, TESTS = 37 };
    uint64_t run = row->tile_bytes / element / STEP * STEP;
    if (row->tile_bytes == 1)
        return TESTS;
    if (groups > 1 && a->lines >= groups * LINES)
        return a->length;
    return run == 0 ? STEP : run;
}

/* ROUNDS: elements of a work-item, as many as local memory holds two tiles of, but no more than give each group a tile.
 * Odd numbers: lanes that are so far from each other in local memory do not wait for each other. */
static uint32_t run_of(const struct row *row, const struct asked *a, uint64_t turn)
{
    uint32_t elements = row->elements;
    while (elements > 1 && elements * (a->cell < 4 ? 4 : a->cell) > row->tile_bytes)
        elements -= 2;
    for (uint32_t fewer = 3; fewer < elements; fewer = 2 * fewer + 1)
        if (turn * fewer >= a->length)
            return fewer;
    return elements;
}

static uint64_t room_of(const struct asked *a, const syc_lowering *lowering)
{
    const unsigned lanes = lowering->form.warps ? SYC_WARP : 1;
    return lowering->local_size / lanes * syc_scan_warp_bytes(a->cell, lowering->form.elements, lanes);
}

/* Groups no larger than short lines have use for: those wait for nobody, so there may be more than are under way. Of
 * the others a unit's registers must hold all; an operator that wants more than that is slower, and would else be
 * waited for. */
static void choose_rounds(const syc_device *device, const struct row *row, const struct asked *a, uint64_t *groups,
                          syc_lowering *out)
{
    enum { FULL = 2048, REGISTERS = 1 << 16, STEP = 8, MOST = 255 }; /* of a compute unit; as a work-item gets them */
    uint32_t registers;
    out->form.warps = a->warps;
    if (!out->form.warps)
        out->local_size = 1;
    out->form.elements = run_of(row, a, *groups * out->local_size);
    while (out->local_size > SYC_WARP && room_of(a, out) > ROOM_BYTES)
        out->local_size /= 2;
    while (out->local_size > SYC_WARP && (uint64_t)out->form.elements * out->local_size / 2 >= a->length)
        out->local_size /= 2;
    out->form.items = out->local_size;
    out->run = (uint64_t)out->form.elements * out->local_size;
    if (out->form.warps && out->run >= a->length) {
        *groups = FULL / out->local_size * (uint64_t)device->compute_units;
    } else if (out->form.warps) {
        registers = (uint32_t)(REGISTERS / (*groups / device->compute_units * out->local_size)) / STEP * STEP;
        out->form.registers = registers < MOST ? registers : 0;
    }
}

/* Groups that a unit has the local memory for, by NVIDIA's tables: 164 KiB and more, 100, or 64 to 96. */
static uint32_t together_on(unsigned arch)
{
    enum { TURING = 75, AMPERE_SMALL = 86, ADA = 89, BLACKWELL_SMALL = 120, MANY = 3, TWO = 2 };
    return arch <= TURING ? 1 : arch == AMPERE_SMALL || arch == ADA || arch >= BLACKWELL_SMALL ? TWO : MANY;
}

/* Groups of ROUNDS wait for each other, so there are no more than are under way together. */
static uint64_t groups_of(const syc_device *device, const struct row *row, const struct asked *a)
{
    uint32_t groups = row->groups;
    if (row->shape == SYC_SHAPE_ROUNDS && a->warps && groups > together_on(device->ptx_arch))
        groups = together_on(device->ptx_arch);
    return groups == 0 ? 1 : (uint64_t)groups * device->compute_units;
}

void syc__lower_scan(const syc_device *device, const syc_body *body, const syc_geometry *range, syc_lowering *out)
{
    struct asked a;
    const struct row *row;
    uint64_t groups, tiles;

    measure(device, body, range, &a);
    row = syc_table_find(&table, device, &a);
    groups = groups_of(device, row, &a);
    out->row = &row->base;
    out->tuned = SYC_TUNED_SCANS;
    out->families = syc_table_families(&table, row, &a);
    out->form.packs = row->shape == SYC_SHAPE_TILES && a.packs;
    if (out->form.packs)
        out->families = syc_family_bit(SYC_FAMILY_SCAN_VECTORS); /* a trial of tiles, too */
    out->form.streams = out->form.packs && row->past != 0 && a.bytes > row->past &&
                        (1u << device->facts->items & SYC_ON_CPUS) != 0 &&
                        !syc_device_is_wrong(device, syc_family_bit(SYC_FAMILY_SCAN_PAST));
    if (out->form.streams)
        out->families |= syc_family_bit(SYC_FAMILY_SCAN_PAST);
    out->form.through = out->form.streams && device->facts->items == SYC_ITEMS_LOOPED;
    out->form.shape = row->shape;
    out->form.elements = row->elements > 0 ? row->elements : 1;
    out->local_size = row->local_size;
    out->results = a.lines;
    out->read_bytes = bytes_of(body);
    out->run = tile_of(row, &a, groups, bytes_of(body));
    if (row->shape == SYC_SHAPE_ROUNDS)
        choose_rounds(device, row, &a, &groups, out);
    else if (out->run > a.length)
        out->run = a.length > 0 ? a.length : 1;
    out->pieces = row->shape == SYC_SHAPE_SIDE_BY_SIDE || a.length == 0 ? 1 : syc__divide_up(a.length, out->run);
    tiles = syc__multiply(out->pieces, a.lines);
    if (row->shape == SYC_SHAPE_SIDE_BY_SIDE)
        tiles = syc__divide_up(a.lines, row->elements * out->local_size);
    if (groups > tiles)
        groups = tiles;
    if (tiles > UINT32_MAX - groups) /* more than there are tickets: one work-item counts by itself */
        groups = row->shape == SYC_SHAPE_TILES ? 1 : groups;
    out->groups = groups == 0 ? 1 : groups > UINT32_MAX ? UINT32_MAX : (uint32_t)groups;
    if (out->groups == 1)
        out->near_ps = syc__lower_near_alone(body, out);
}
