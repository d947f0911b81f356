/* Trials of scans: one pair of texts in each shape, and the answers that the host has for it. */
#include "algo/lower/lower.h"
#include "algo/selftest/parts.h"
#include "cl/sub_group.h"

/* Numbers of elements that no block, tile, vector or stream divides; where there are lines, the middle dimension is
 * theirs. */
enum {
    LINE = 3001,
    RUN = 1100,
    GROUPS = 3,
    ROWS = 4,
    WARPS = 2,
    REGISTERS = 80,
    OUTER = 3,
    LENGTH = 23,
    INNER = 101,
    BESIDE = 32,
    SCANNERS = 6
};

/* Texts of the scanners from `first` to before `past`: each has an output, or there is one for all. */
struct texts {
    const char *text;
    size_t seam, first, past;
    bool mixed;
};

/* A segment's first number, by an operator without identity that keeps the order; sums of two sizes and of floats; a
 * maximum of narrow numbers; and a segment's sum. */
#define CONTRIBUTIONS                           \
    "head.restart(x[i] % 11u == 0u);\n"         \
    "head.combine(x[i]);\n"                     \
    "sum += x[i] * 3u;\n"                       \
    "wide += (ulong)x[i] << 7;\n"               \
    "if (x[i] % 7u < 3u)\n"                     \
    "    most.combine((ushort)(x[i] >> 16));\n" \
    "real += (float)(x[i] & 15u);\n"            \
    "part.restart(x[i] % 11u == 0u);\n"         \
    "part += x[i];\n"                           \
    "}{\n"
static const struct texts all = {.text = CONTRIBUTIONS "heads[i] = head;\n"
                                                       "sums[i] = sum.before;\n"
                                                       "wides[i] = wide;\n"
                                                       "mosts[i] = most;\n"
                                                       "reals[i] = real;\n"
                                                       "parts[i] = part;",
                                 .seam = 10,
                                 .past = SCANNERS};
/* All that it reads is read by the time that it writes: then rounds read around what they write. */
static const struct texts mixed = {.text =
                                       CONTRIBUTIONS "ulong all = ((head * 31ul + sum.before) * 31ul + wide) * 31ul;\n"
                                                     "all = ((all + most) * 31ul + as_uint(real)) * 31ul + part;\n"
                                                     "mixed[i] = all * 31ul + x[i];",
                                   .seam = 10,
                                   .past = SCANNERS,
                                   .mixed = true};
/* Nothing but a copy, as results have to be that go past the caches. */
static const struct texts copy = {
    .text = "wide += (ulong)x[i] << 7;\n}{\nwides[i] = wide;", .seam = 2, .first = 2, .past = 3};

struct row {
    const struct texts *texts;
    syc_shape shape;
    bool packs, streams, lines;
};
static const struct row rows[] = {
    [SYC_FAMILY_SCAN_VECTORS] = {.texts = &all, .shape = SYC_SHAPE_TILES, .packs = true},
    [SYC_FAMILY_SCAN_PAST] = {.texts = &copy, .shape = SYC_SHAPE_TILES, .packs = true, .streams = true},
    [SYC_FAMILY_SCAN_TILES] = {.texts = &all, .shape = SYC_SHAPE_TILES},
    [SYC_FAMILY_SCAN_ROUNDS] = {.texts = &mixed, .shape = SYC_SHAPE_ROUNDS},
    [SYC_FAMILY_SCAN_BESIDE] = {.texts = &all, .shape = SYC_SHAPE_SIDE_BY_SIDE, .lines = true},
};

static const struct {
    const char *scanner, *output, *type, *operation;
    size_t size;
    bool known;
} scanners[SCANNERS] = {
    {"head", "heads", "uint", "first a", 4, false},    {"sum", "sums", "uint", "plus a + b", 4, true},
    {"wide", "wides", "ulong", "plus a + b", 8, true}, {"most", "mosts", "ushort", "maximum b > a ? b : a", 2, true},
    {"real", "reals", "float", "plus a + b", 4, true}, {"part", "parts", "uint", "plus a + b", 4, true},
};

/* -- the answers -- */

struct state {
    uint32_t head, sum, part;
    uint64_t wide;
    uint16_t most;
    float real;
};

static uint32_t given(size_t i)
{
    return syc__selftest_number((uint32_t)i + 3 * LINE);
}

static void step(struct state *state, uint32_t x, bool first)
{
    const uint16_t high = (uint16_t)(x >> 16);
    if (first || x % 11 == 0)
        state->head = x;
    state->part = (first || x % 11 == 0 ? 0 : state->part) + x;
    state->sum += x * 3;
    state->wide += (uint64_t)x << 7;
    if (x % 7 < 3 && high > state->most)
        state->most = high;
    state->real += (float)(x & 15);
}

/* What the scanner's total, or its output, has at a place. */
static bool holds(const syc__trial *trial, size_t buffer, size_t at, size_t scanner, uint64_t expected, syc_text *words)
{
    const unsigned char *bytes = trial->buffers[buffer].bytes;
    uint64_t got = 0;
    for (size_t k = scanners[scanner].size; k-- > 0;)
        got = got << 8 | bytes[at * scanners[scanner].size + k];
    if (got != expected)
        syc_text_add(words, "a scan of %s has 0x%llx, not 0x%llx (number %zu)", scanners[scanner].type,
                     (unsigned long long)got, (unsigned long long)expected, at);
    return got == expected;
}

static uint64_t bits_of(float value)
{
    union {
        float value;
        uint32_t bits;
    } both = {value};
    return both.bits;
}

static bool check_totals(const syc__trial *trial, size_t buffer, size_t at, const struct state *state, uint32_t sum,
                         syc_text *words)
{
    const uint64_t expected[SCANNERS] = {state->head, sum, state->wide, state->most, bits_of(state->real), state->part};
    const struct texts *texts = ((const struct row *)trial->what)->texts;
    for (size_t k = texts->first; k < texts->past; k++)
        if (!holds(trial, buffer + k - texts->first, at, k, expected[k], words))
            return false;
    return true;
}

/* Element number `at`; `before` is what its sum was before it. */
static bool check_element(const syc__trial *trial, size_t at, const struct state *state, uint32_t before,
                          syc_text *words)
{
    enum { WIDE = 2 };
    const struct texts *texts = ((const struct row *)trial->what)->texts;
    const size_t buffer = 1 + texts->past - texts->first;
    const uint64_t parts[] = {before, state->wide, state->most, bits_of(state->real), state->part, given(at)};
    uint64_t expected = state->head;
    if (!texts->mixed)
        return check_totals(trial, buffer, at, state, before, words);
    for (size_t k = 0; k < sizeof parts / sizeof *parts; k++)
        expected = expected * 31 + parts[k];
    return holds(trial, buffer, at, WIDE, expected, words);
}

static bool check(const syc__trial *trial, syc_text *words)
{
    const struct row *row = trial->what;
    const size_t lines = row->lines ? (size_t)OUTER * INNER : 1, length = row->lines ? LENGTH : LINE,
                 inner = row->lines ? INNER : 1;

    for (size_t line = 0; line < lines; line++) {
        struct state state = {0};
        for (size_t q = 0; q < length; q++) {
            const size_t i = (line / inner * length + q) * inner + line % inner;
            const uint32_t before = state.sum;
            step(&state, given(i), q == 0);
            if (!check_element(trial, i, &state, before, words))
                return false;
        }
        if (!check_totals(trial, 1, line, &state, state.sum, words))
            return false;
    }
    return true;
}

/* -- making them -- */

static syc_status fill(syc__trial *trial, const struct row *row)
{
    const size_t count = row->lines ? (size_t)OUTER * LENGTH * INNER : LINE, lines = row->lines ? OUTER * INNER : 1;
    uint32_t *x = NULL;
    void *out = NULL;
    syc_status status = SYC_OK;

    SYC_TRY(syc__trial_buffer(trial, count * sizeof *x, &x));
    for (size_t i = 0; i < count; i++)
        x[i] = given(i);
    for (size_t k = row->texts->first; k < row->texts->past; k++)
        SYC_TRY(syc__trial_buffer(trial, lines * scanners[k].size, &out));
    for (size_t k = row->texts->first; k < row->texts->past && !row->texts->mixed; k++)
        SYC_TRY(syc__trial_buffer(trial, count * scanners[k].size, &out));
    if (row->texts->mixed)
        SYC_TRY(syc__trial_buffer(trial, count * sizeof(uint64_t), &out));
    trial->written = 1;
done:
    return status;
}

static syc_name array(const char *name, const char *type, size_t size, bool writable)
{
    return (syc_name){.name = name,
                      .kind = SYC_NAME_GLOBAL,
                      .type = type,
                      .size = size,
                      .readable = true,
                      .writable = writable,
                      .rank = 1};
}

static size_t name_all(const struct texts *texts, syc_name *names)
{
    size_t count = 0;
    names[count++] = array("x", "uint", sizeof(uint32_t), false);
    for (size_t k = texts->first; k < texts->past; k++)
        names[count++] = (syc_name){.name = scanners[k].scanner,
                                    .kind = SYC_NAME_REDUCER,
                                    .type = scanners[k].type,
                                    .size = scanners[k].size,
                                    .op = {.operation = scanners[k].operation, .known = scanners[k].known},
                                    .reducer = {.fresh = true, .scanner = true}};
    for (size_t k = texts->first; k < texts->past && !texts->mixed; k++)
        names[count++] = array(scanners[k].output, scanners[k].type, scanners[k].size, true);
    if (texts->mixed)
        names[count++] = array("mixed", "ulong", sizeof(uint64_t), true);
    return count;
}

/* As choose_rounds() of algo/lower/scan.c has it: warps, of as few registers as most get, or one work-item. */
static void choose_rounds(const syc_device *device, syc_lowering *out)
{
    out->form.warps = syc_sub_group_kind_of(device) == SYC_SUB_GROUP_PTX;
    out->form.elements = ROWS;
    out->form.registers = out->form.warps ? REGISTERS : 0;
    out->form.items = out->local_size = out->form.warps ? WARPS * SYC_WARP : 1;
    out->run = ROWS * out->local_size;
    out->pieces = (LINE + out->run - 1) / out->run;
}

syc_status syc__selftest_scan_trial(syc__trial *trial, syc_family family)
{
    const struct row *row = &rows[family];
    const syc_geometry range = {.dims = row->lines ? 3 : 1,
                                .global = {row->lines ? INNER : LINE, row->lines ? LENGTH : 1, row->lines ? OUTER : 1}};
    syc_lowering lowering = {.form = {.shape = row->shape,
                                      .dims = range.dims,
                                      .elements = row->lines ? BESIDE : 1,
                                      .packs = row->packs,
                                      .streams = row->streams,
                                      .through = row->streams && trial->device->facts->items == SYC_ITEMS_LOOPED},
                             .run = row->lines ? LENGTH : RUN,
                             .pieces = row->lines ? 1 : (LINE + RUN - 1) / RUN,
                             .results = row->lines ? OUTER * INNER : 1,
                             .groups = GROUPS,
                             .local_size = 1};
    syc_name names[1 + 2 * SCANNERS];
    const syc_body_source source = {.text = row->texts->text,
                                    .names = names,
                                    .count = name_all(row->texts, names),
                                    .seam = row->texts->seam,
                                    .along = row->lines ? 1 : SYC_ALONG_ALL};
    syc_status status = SYC_OK;

    if (row->shape == SYC_SHAPE_ROUNDS)
        choose_rounds(trial->device, &lowering);
    trial->what = row;
    trial->check = check;
    SYC_TRY(fill(trial, row));
    SYC_TRY(syc__trial_form(trial, &source, &lowering, &range));
done:
    return status;
}
