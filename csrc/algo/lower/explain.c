/* What was chosen for a launch, and why, in a person's words. Figures of ranges are in SYCL's order, as the user wrote
 * them. */
#include "algo/lower/lower.h"
#include "algo/lower/tuned.h"
#include "algo/table.h"

#include <string.h>

enum { LABEL = 10, COLUMNS = 100 };
/* Of a launch, beside what its kernel takes. */
enum { LAUNCH_NS = 4000 };

static void label(syc_text *out, const char *what)
{
    syc_text_add(out, "%-*s", LABEL, what);
}

/* A labelled sentence, in lines of at most COLUMNS unless a word is longer. */
static void add_sentence(syc_text *out, const char *what, const char *sentence)
{
    size_t column = LABEL;
    label(out, what);
    while (*sentence != '\0') {
        size_t word = strcspn(sentence, " ");
        if (column > LABEL && column + word >= COLUMNS) {
            syc_text_add(out, "\n%*s", LABEL, "");
            column = LABEL;
        } else if (column > LABEL) {
            syc_text_add(out, " ");
        }
        syc_text_add_n(out, sentence, word);
        column += word + 1;
        sentence += word + strspn(sentence + word, " ");
    }
    syc_text_add(out, "\n");
}

/* "(4096,)", "(100, 64)" */
static void add_sizes(syc_text *out, const size_t *sizes, unsigned dims)
{
    syc_text_add(out, "(");
    for (unsigned d = dims; d-- > 0;)
        syc_text_add(out, "%zu%s", sizes[d], d > 0 ? ", " : dims == 1 ? ",)" : ")");
}

/* Of a reduction along some dimensions. */
static void add_axes(syc_text *out, const syc_lowering *lowering)
{
    unsigned long long run = lowering->run, results = lowering->results, pieces = lowering->pieces;
    if (lowering->form.shape == SYC_SHAPE_ALONG)
        syc_text_add(out, "along: %u work-items for rows, in runs of %llu elements, 64 at a time", lowering->groups,
                     run);
    else if (lowering->form.shape == SYC_SHAPE_ACROSS)
        syc_text_add(out, "across: %u work-items for rows, 64 rows at a time", lowering->groups);
    else if (lowering->form.shape == SYC_SHAPE_SHORT)
        syc_text_add(out, "short: %u work-items for %llu rows each", lowering->groups, run);
    else if (lowering->form.shape == SYC_SHAPE_PADDED)
        syc_text_add(out, "padded: %u work-items for %llu rows each, %u accumulators a row", lowering->groups, run,
                     lowering->team);
    else if (lowering->form.shape == SYC_SHAPE_COLUMNS)
        syc_text_add(out, "columns: %u work-items for %llu columns each, %u row%s at a time", lowering->groups, run,
                     lowering->team, lowering->team == 1 ? "" : "s");
    else
        syc_text_add(out, "teams: %u groups of %u work-items, %u of them for each result", lowering->groups,
                     lowering->local_size, lowering->team);
    syc_text_add(out, "%s; %llu result%s", lowering->form.packs ? ", 16 elements at a time as vectors" : "", results,
                 results == 1 ? "" : "s");
    if (pieces > 1)
        syc_text_add(out, " of %llu pieces each", pieces);
    syc_text_add(out, "\n");
}

static void add_scan(syc_text *out, const syc_lowering *lowering)
{
    const unsigned long long run = lowering->run, lines = lowering->results, pieces = lowering->pieces;
    if (lowering->form.shape == SYC_SHAPE_SIDE_BY_SIDE)
        syc_text_add(out, "side by side: %u groups of %u work-items, which take up to %u of %llu lines together\n",
                     lowering->groups, lowering->local_size, lowering->form.elements, lines);
    else if (lowering->form.shape == SYC_SHAPE_ROUNDS)
        syc_text_add(out,
                     "rounds: %u groups of %u work-items for tiles of %llu elements, %llu in each of %llu line%s\n",
                     lowering->groups, lowering->local_size, run, pieces, lines, lines == 1 ? "" : "s");
    else
        syc_text_add(out, "tiles: %u work-item%s for tiles of %llu elements, %llu in each of %llu line%s\n",
                     lowering->groups, lowering->groups == 1 ? "" : "s", run, pieces, lines, lines == 1 ? "" : "s");
}

static void add_shape(syc_text *out, const syc_lowering *lowering)
{
    label(out, "shape");
    if (lowering == NULL)
        syc_text_add(out, "the kernel as it is written\n");
    else if (lowering->form.shape == SYC_SHAPE_LOOP)
        syc_text_add(out, "loop: a work-item for a run of %llu elements\n", (unsigned long long)lowering->run);
    else if (lowering->form.shape == SYC_SHAPE_PACK)
        syc_text_add(out, "pack: a work-item for a run of %llu elements, 16 at a time as vectors%s\n",
                     (unsigned long long)lowering->run, lowering->form.streams ? ", stored past the caches" : "");
    else if (lowering->form.shape == SYC_SHAPE_LANES)
        syc_text_add(out, "lanes: %u work-items for runs of %llu elements, %s\n", lowering->groups,
                     (unsigned long long)lowering->run,
                     lowering->form.packs ? "16 at a time as vectors, combined in four vectors"
                                          : "16 or 64 at a time, each with an accumulator");
    else if (lowering->form.shape == SYC_SHAPE_STRIDE)
        syc_text_add(out, "stride: %u groups of %u work-items, which take neighbours\n", lowering->groups,
                     lowering->local_size);
    else if (syc_shape_has_axes(lowering->form.shape))
        add_axes(out, lowering);
    else if (syc_shape_scans(lowering->form.shape))
        add_scan(out, lowering);
    else if (lowering->form.shape == SYC_SHAPE_WIDE)
        syc_text_add(out, "wide: a work-item for %u neighbours\n", lowering->form.elements);
    else
        syc_text_add(out, "item: %s\n",
                     lowering->form.dims == 0 ? "one work-item"
                     : lowering->form.grouped ? "the work-items of the nd-range"
                                              : "a work-item for each element");
}

static void add_arrays(syc_text *out, const syc_lowering *lowering)
{
    static const char *const words[SYC_SPAN_COUNT] = {
        [SYC_SPAN_COPIES] = "in a copy for each work-item",
        [SYC_SPAN_FOURFOLD] = "in four copies for each work-item",
        [SYC_SPAN_ALONE] = "in the variables themselves, by one work-item",
        [SYC_SPAN_SHARED] = "in the variables themselves, by atomic operations",
        [SYC_SPAN_LOCAL] = "in copies in each group's local memory, by atomic operations",
        [SYC_SPAN_TABLE] = "in a table, by atomic operations, of which the last group makes the variables",
        [SYC_SPAN_LOCAL_TABLE] = "in copies in each group's local memory, by atomic operations, and those in a table, "
                                 "of which the last group makes the variables",
        [SYC_SPAN_PRIVATE] = ("in accumulators as reducers of one variable have, since the text names few and all by "
                              "constants")};
    for (unsigned i = 0; i < lowering->span_count; i++) {
        label(out, i == 0 ? "arrays" : "");
        syc_text_add(out, "%llu variable%s, %s\n", (unsigned long long)lowering->span_lengths[i],
                     lowering->span_lengths[i] == 1 ? "" : "s", words[syc_form_span(&lowering->form, i)]);
    }
    if (lowering->copy_bytes == 0)
        return;
    label(out, "");
    syc_text_add(out, "copies of %llu bytes for each work-item", (unsigned long long)lowering->copy_bytes);
    syc_text_add(out, lowering->form.folds ? ", combined by as many work-items again\n" : "\n");
}

static bool is_empty(const syc_geometry *g)
{
    return g->global[0] == 0 || (g->dims > 1 && g->global[1] == 0) || (g->dims > 2 && g->global[2] == 0);
}

static void add_launch(syc_text *out, const syc_geometry *range, const syc_geometry *launch)
{
    size_t whole[3] = {launch->global[0] - launch->rest, launch->global[1], launch->global[2]};
    unsigned long long groups = 1;

    label(out, "launch");
    if (is_empty(launch)) {
        syc_text_add(out, "none: the range is empty\n");
        return;
    }
    for (unsigned d = 0; d < launch->dims; d++)
        groups *= whole[d] / launch->local[d];
    if (range->dims > 0) {
        add_sizes(out, range->global, range->dims);
        syc_text_add(out, " as ");
    }
    syc_text_add(out, "%llu group%s: global ", groups, groups == 1 ? "" : "s");
    add_sizes(out, whole, launch->dims);
    syc_text_add(out, ", local ");
    add_sizes(out, launch->local, launch->dims);
    if (launch->rest != 0)
        syc_text_add(out, "; then a second launch of the last %zu in groups of one", launch->rest);
    syc_text_add(out, "\n");
}

/* "12.3 us", of any size. */
static void add_time(syc_text *out, uint64_t ns)
{
    if (ns < 1000000)
        syc_text_add(out, "%.1f us", (double)ns / 1e3);
    else if (ns < 1000000000)
        syc_text_add(out, "%.1f ms", (double)ns / 1e6);
    else
        syc_text_add(out, "%.1f s", (double)ns / 1e9);
}

static void add_lane(syc_text *out, const syc_device *device, const syc_geometry *launch)
{
    uint64_t budget = device->facts->caller_budget_ns;

    label(out, "lane");
    if (!syc_device_has_caller(device)) {
        syc_text_add(out, "the driver's queue\n");
        return;
    }
    if (launch->cost_ns == UINT64_MAX) {
        syc_text_add(
            out, "the driver's threads: nothing bounds what an element costs, or its arrays are large for a stack\n");
        return;
    }
    if (launch->cost_ns <= budget) {
        syc_text_add(out, "the calling thread, once all that it waits for has ended: estimated ");
        add_time(out, launch->cost_ns);
        syc_text_add(out, " of at most ");
    } else if (launch->near_ns != 0 && launch->near_ns <= device->facts->awaited_budget_ns) {
        budget = device->facts->awaited_budget_ns;
        syc_text_add(out, "the driver's threads, and the calling thread where the call waits and all before it has "
                          "ended: estimated ");
        add_time(out, launch->near_ns);
        syc_text_add(out, " of at most ");
    } else {
        syc_text_add(out, "the driver's threads: estimated ");
        add_time(out, launch->cost_ns);
        syc_text_add(out, "; the calling thread does up to ");
    }
    add_time(out, budget);
    syc_text_add(out, "\n");
}

/* What is expected, and what sycl.tune() has measured here. */
static void add_rates(syc_text *out, const syc_device *device, const syc_lowering *lowering, const syc_geometry *range)
{
    double rate = lowering->rate * (double)device->compute_units, bytes = (double)lowering->read_bytes;
    syc_tuned tuned;

    for (unsigned d = 0; d < range->dims; d++)
        bytes *= (double)range->global[d];
    if (rate > 0 && bytes > 0) {
        label(out, "predicted");
        syc_text_add(out, "%.1f GB/s from memory, as each compute unit had where that was measured: ", rate);
        add_time(out, LAUNCH_NS + (uint64_t)(bytes / rate));
        syc_text_add(out, "\n");
    }
    if (syc_tuned_get(device, lowering->tuned, &tuned))
        add_sentence(out, "here", tuned.words);
}

void syc_lower_explain(const syc_device *device, const syc_lowering *lowering, const syc_geometry *range,
                       const syc_geometry *launch, syc_text *out)
{
    static const syc_row written = {
        .name = "kernels as written",
        .why = "a large local size that divides the range, or a power of two and a second launch for the rest, because "
               "drivers compile a kernel anew for each local size that they meet",
    };
    const syc_row *row = lowering != NULL ? lowering->row : &written;

    label(out, "device");
    syc_text_add(out, "%s, known as: %s\n", syc_device_name(device), device->facts->row);
    add_shape(out, lowering);
    if (lowering != NULL)
        add_arrays(out, lowering);
    add_sentence(out, "why", row->why);
    add_launch(out, range, launch);
    add_lane(out, device, launch);
    label(out, "row");
    syc_text_add(out, "%s\n", row->name);
    add_sentence(out, "measured", row->measured != NULL ? row->measured : device->facts->measured);
    if (lowering != NULL && lowering->groups > 0)
        add_rates(out, device, lowering, range);
}
