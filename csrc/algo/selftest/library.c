/* Trials of the device library: the kernels known_*.cl of kernels/, and the answers that the host has for them. */
#include "algo/selftest/parts.h"

#include "base/alloc.h"
#include "cl/device.h"
#include "library/embedded.h"

#include <string.h>

enum { GROUPS = 2, WIDTH = 100, ROOM = 320, RANGES = 3, CELLS = 8 };

/* False, with words, where the device did not give what it should. */
static bool expect(const char *what, size_t item, uint64_t got, uint64_t expected, syc_text *words)
{
    if (got == expected)
        return true;
    syc_text_add(words, "%s of item %zu is 0x%llx, not 0x%llx", what, item, (unsigned long long)got,
                 (unsigned long long)expected);
    return false;
}

/* The functions x -> a x + b, one after the other: associative, and their order matters. */
struct chain {
    uint64_t a, b;
};
static struct chain link_of(uint32_t x)
{
    return (struct chain){x | 1, x};
}
static struct chain after(struct chain p, struct chain q)
{
    return (struct chain){p.a * q.a, p.a * q.b + p.b};
}

/* The results of a group's functions for each of its items, as the group's `count` numbers say. */
struct group {
    const uint32_t *x;
    size_t count;
    uint32_t first; /* of all items */
};

static uint32_t sum_of(const struct group *g)
{
    uint32_t sum = 0;
    for (size_t k = 0; k < g->count; k++)
        sum += g->x[k];
    return sum;
}

static uint32_t chain_before(const struct group *g, size_t item)
{
    struct chain all = {1, 0};
    for (size_t k = 0; k < item; k++)
        all = after(all, link_of(g->x[k]));
    return (uint32_t)all.b;
}

static uint64_t wide_chain(const struct group *g)
{
    struct chain all = link_of(g->x[0]);
    for (size_t k = 1; k < g->count; k++)
        all = after(all, link_of(g->x[k]));
    return all.b;
}

static unsigned votes(const struct group *g)
{
    unsigned equal = 0;
    for (size_t k = 0; k < g->count; k++)
        equal += g->x[k] == g->first;
    return (equal > 0 ? 1u : 0u) + (equal == 0 ? 2u : 0u);
}

/* -- work-groups -- */

enum { WORK_GROUP_CASES = 6, SUB_GROUP_CASES = 8 };

static bool check_work_group(const struct group *g, const uint64_t *out, size_t base, syc_text *words)
{
    uint32_t low = 0;
    for (size_t k = 0; k < g->count; k++, out += WORK_GROUP_CASES) {
        low += g->x[k] & 255;
        if (!expect("group_reduce(work_group, uint)", base + k, out[0], sum_of(g), words) ||
            !expect("group_inclusive_scan(work_group, float)", base + k, out[1], low, words) ||
            !expect("group_exclusive_scan(work_group, uint2)", base + k, out[2], chain_before(g, k), words) ||
            !expect("group_reduce(work_group, ulong4)", base + k, out[3], wide_chain(g), words) ||
            !expect("group_broadcast(work_group, uchar)", base + k, out[4], g->x[g->count / 2] & 255, words) ||
            !expect("group_any_of and group_all_of(work_group)", base + k, out[5], votes(g), words))
            return false;
    }
    return true;
}

static bool check_work_groups(const syc__trial *trial, syc_text *words)
{
    const uint32_t *in = trial->buffers[0].bytes;
    const uint64_t *out = trial->buffers[1].bytes;
    for (size_t at = 0; at < trial->items; at += trial->launch.local[0]) {
        struct group g = {in + at, trial->launch.local[0], in[0]};
        if (!check_work_group(&g, out + at * WORK_GROUP_CASES, at, words))
            return false;
    }
    return true;
}

/* -- sub-groups: of the size that the device says -- */

static bool check_sub_group(const struct group *g, const uint64_t *out, size_t base, uint64_t id, syc_text *words)
{
    int32_t least = INT32_MAX;
    for (size_t k = 0; k < g->count; k++, out += SUB_GROUP_CASES) {
        least = (int32_t)g->x[k] < least ? (int32_t)g->x[k] : least;
        if (!expect("the place in its sub-group", base + k, out[0], k | (uint64_t)g->count << 16 | id << 32, words) ||
            !expect("group_reduce(sub_group, uint)", base + k, out[1], sum_of(g), words) ||
            !expect("group_inclusive_scan(sub_group, int)", base + k, out[2], (uint32_t)least, words) ||
            !expect("group_exclusive_scan(sub_group, uint2)", base + k, out[3], chain_before(g, k), words) ||
            !expect("group_broadcast(sub_group, ulong)", base + k, out[4], (uint64_t)g->x[0] << 20, words) ||
            ((k ^ 1) < g->count && !expect("permute_group_by_xor", base + k, out[5], g->x[k ^ 1], words)) ||
            (k + 1 < g->count && !expect("shift_group_left", base + k, out[6], g->x[k + 1], words)) ||
            !expect("group_any_of and group_all_of(sub_group)", base + k, out[7], votes(g), words))
            return false;
    }
    return true;
}

static bool check_sub_groups(const syc__trial *trial, syc_text *words)
{
    const uint32_t *in = trial->buffers[0].bytes;
    const uint64_t *out = trial->buffers[1].bytes;
    for (size_t group = 0; group < trial->items; group += trial->launch.local[0]) {
        uint64_t id = 0;
        for (size_t at = group, size; at < group + trial->launch.local[0]; at += size, id++) {
            struct group g = {in + at, 0, in[0]};
            g.count = size = out[at * SUB_GROUP_CASES] >> 16 & 0xffff;
            if (size == 0 || size > group + trial->launch.local[0] - at)
                return expect("sub_group_local_range()", at, size, trial->launch.local[0], words);
            if (!check_sub_group(&g, out + at * SUB_GROUP_CASES, at, id, words))
                return false;
        }
    }
    return true;
}

/* -- joint algorithms: ranges that are longer than the group, shorter, and empty -- */

static const uint32_t lengths[RANGES] = {ROOM - 3, 7, 0};

static bool check_joint(const syc__trial *trial, syc_text *words)
{
    const uint32_t *in = trial->buffers[0].bytes;
    const uint64_t *out = trial->buffers[1].bytes;
    for (size_t r = 0; r < RANGES; r++) {
        const uint32_t *x = in + r * ROOM + 1;
        uint64_t sum = 5, running = 3, most = 0;
        for (size_t k = 0; k < lengths[r]; k++) {
            if (!expect("joint_exclusive_scan(work_group, ulong)", k, out[r * ROOM + 1 + k], most, words))
                return false;
            running ^= x[k];
            most = running > most ? running : most;
            sum += x[k];
        }
        if (!expect("joint_reduce(work_group, ulong)", r, out[r * ROOM], sum, words))
            return false;
    }
    return true;
}

/* -- atomics -- */

static bool check_atomics(const syc__trial *trial, syc_text *words)
{
    const uint32_t *in = trial->buffers[0].bytes;
    const uint64_t *found = trial->buffers[1].bytes;
    const uint32_t *cells = trial->buffers[2].bytes;
    uint32_t most = 0, mixed = 0, sum = 0, found_sum = 0, n = (uint32_t)trial->items;
    int32_t least = 0;
    float added;

    for (size_t i = 0; i < trial->items; i++) {
        int32_t low = -(int32_t)(in[i] & 1023);
        least = low < least ? low : least;
        most = in[i] >> 1 > most ? in[i] >> 1 : most;
        mixed ^= in[i];
        sum += in[i] & 15;
        found_sum += (uint32_t)found[i];
    }
    memcpy(&added, &cells[3], sizeof added);
    return expect("atomic_fetch_add", n, cells[0], 3 * n, words) &&
           expect("what atomic_fetch_add found, over all", n, found_sum, 3 * (n * (n - 1) / 2), words) &&
           expect("atomic_fetch_max", n, cells[1], most, words) &&
           expect("atomic_fetch_xor", n, cells[2], mixed, words) &&
           expect("atomic_fetch_add of float, doubled", n, (uint64_t)(2 * added), 3 * n, words) &&
           expect("atomic_compare_exchange_weak", n, cells[4], 2 * n, words) &&
           expect("atomic_fetch_add in local memory", n, cells[5], sum, words) &&
           expect("atomic_fetch_min in local memory", n, cells[6], (uint32_t)least, words);
}

/* The same of 64 bits. */
static bool check_wide(const syc__trial *trial, syc_text *words)
{
    const uint32_t *in = trial->buffers[0].bytes;
    const uint64_t *found = trial->buffers[1].bytes, *cells = trial->buffers[2].bytes;
    const uint64_t n = trial->items, step = 3ull << 33;
    uint64_t most = 0, mixed = 0, sum = 0, found_sum = 0;
    int64_t least = 0;
    double added;

    for (size_t i = 0; i < trial->items; i++) {
        const uint64_t wide = (uint64_t)in[i] << 24;
        least = -(int64_t)wide < least ? -(int64_t)wide : least;
        most = wide > most ? wide : most;
        mixed ^= wide;
        sum += wide;
        found_sum += found[i];
    }
    memcpy(&added, &cells[6], sizeof added);
    return expect("atomic_fetch_add of long", n, cells[0], step * n, words) &&
           expect("what atomic_fetch_add of long found, over all", n, found_sum, step * (n * (n - 1) / 2), words) &&
           expect("atomic_compare_exchange_weak of long", n, cells[3], n << 34, words) &&
           expect("atomic_fetch_add of long in local memory", n, cells[4], sum, words) &&
           (cells[7] == 0 ||
            (expect("atomic_fetch_max of long", n, cells[1], most, words) &&
             expect("atomic_fetch_xor of ulong", n, cells[2], mixed, words) &&
             expect("atomic_fetch_min of long in local memory", n, cells[5], (uint64_t)least, words))) &&
           (!trial->device->fp64 ||
            expect("atomic_fetch_add of double, doubled", n, (uint64_t)(2 * added), 3 * n, words));
}

/* -- making them -- */

struct row {
    const char *file;
    size_t groups, numbers, answers; /* of a group; 0 and n: one and n for each of its items */
    size_t cells;                    /* of 8 bytes */
    syc__selftest_check check;
};
static const struct row rows[] = {
    [SYC_FAMILY_ATOMICS - SYC_FAMILY_ATOMICS] = {"known_atomics.cl", GROUPS, 0, 1, CELLS, check_atomics},
    [SYC_FAMILY_ATOMICS_64 - SYC_FAMILY_ATOMICS] = {"known_atomics64.cl", GROUPS, 0, 1, CELLS, check_wide},
    [SYC_FAMILY_SUB_GROUPS -
        SYC_FAMILY_ATOMICS] = {"known_sub_groups.cl", GROUPS, 0, SUB_GROUP_CASES, 0, check_sub_groups},
    [SYC_FAMILY_WORK_GROUPS -
        SYC_FAMILY_ATOMICS] = {"known_work_groups.cl", GROUPS, 0, WORK_GROUP_CASES, 0, check_work_groups},
    [SYC_FAMILY_JOINT - SYC_FAMILY_ATOMICS] = {"known_joint.cl", RANGES, ROOM, 0, 0, check_joint},
};

static syc_status fill(syc__trial *trial, const struct row *row)
{
    size_t numbers = row->numbers > 0 ? row->groups * row->numbers : trial->items;
    size_t answers = row->numbers > 0 ? numbers : trial->items * row->answers;
    uint32_t *in = NULL;
    uint64_t *out = NULL, *cells = NULL;
    syc_status status = SYC_OK;

    SYC_TRY(syc__trial_buffer(trial, numbers * sizeof *in, &in));
    SYC_TRY(syc__trial_buffer(trial, answers * sizeof *out, &out));
    if (row->cells > 0)
        SYC_TRY(syc__trial_buffer(trial, row->cells * sizeof *cells, &cells));
    for (size_t i = 0; i < numbers; i++)
        in[i] = syc__selftest_number((uint32_t)i);
    for (size_t r = 0; row->numbers > 0 && r < row->groups; r++)
        in[r * row->numbers] = lengths[r];
    trial->named = trial->buffer_count;
    memset(out, 0xa5, answers * sizeof *out); /* no right answer */
    trial->written = 1;
done:
    return status;
}

syc_status syc__selftest_library_trial(syc__trial *trial, syc_family family)
{
    const struct row *row = &rows[family - SYC_FAMILY_ATOMICS];
    const char *source = syc_kernel_source(row->file);
    const syc_device *device = trial->device;
    size_t local = WIDTH < device->max_group ? WIDTH : device->max_group;
    syc_status status = SYC_OK;

    SYC_TRY(syc_program_create(source, strlen(source), NULL, &trial->program));
    local = local < device->max_items[0] ? local : device->max_items[0];
    trial->items = row->groups * local;
    trial->launch = (syc_geometry){.dims = 1, .global = {trial->items, 1, 1}, .local = {local, 1, 1}};
    trial->check = row->check;
    SYC_TRY(fill(trial, row));
done:
    return status;
}
