/* The forms of a work-group's text: an item for each of its items, with barriers, or one for the group, with loops. */
#include "algo/lower.h"

#include <string.h>

struct row {
    syc_items items;
    bool loops;
    uint32_t size; /* of a group that nobody gave a size */
    const char *row, *why, *measured;
};

static const struct row rows[] = {
    {.items = SYC_ITEMS_LOOPED,
     .loops = true,
     .size = 16,
     .row = "PoCL, a loop for each parallel_for_work_item",
     .why =
         "one work-item does the work of a group, and loops over its items: no barriers, and the group's own code is "
         "run once",
     .measured = "PoCL 3.0, 2 cores shared with other work, times as fast as with barriers: product of matrices of "
                 "512, tiles of "
                 "16 by 16, 1.9 to 2.5; sums of 1024 groups of 4096 floats, 64 items each, 0.6 to 0.8"},
    {.items = SYC_ITEMS_PACKED,
     .loops = true,
     .size = 16,
     .row = "Intel's compiler, a loop for each parallel_for_work_item",
     .why =
         "one work-item does the work of a group, and loops over its items: no barriers, and the group's own code is "
         "run once",
     .measured = "Intel 2026.2, 2 cores shared with other work, times as fast as with barriers: product of matrices of "
                 "512, tiles "
                 "of 16 by 16, 3.4 to 4.2; sums of 1024 groups of 4096 floats, 64 items each, 0.8 to 1.2"},
    {.items = SYC_ITEMS_THREADED,
     .size = 64,
     .row = "NVIDIA, a work-item for each item of a group",
     .why = "the leader of a group runs the group's own code, and barriers stand around each parallel_for_work_item",
     .measured = "not measured"},
    {.items = SYC_ITEMS_SINGLY,
     .size = 16,
     .row = "any device, a work-item for each item of a group",
     .why = "the leader of a group runs the group's own code, and barriers stand around each parallel_for_work_item",
     .measured = "not measured"},
};

static const struct row forced_rows[] = {
    {.size = 4, .row = "forced", .why = "a test asked for barriers", .measured = "no"},
    {.size = 4, .loops = true, .row = "forced", .why = "a test asked for loops", .measured = "no"},
};

/* What takes the place of a form that the self-test has found wrong. */
static const struct row other_rows[] = {
    {.size = 16,
     .row = "the form that gives right answers",
     .why = "a work-item for each item of a group, with barriers, because the loops that would be faster here gave "
            "wrong answers in the self-test",
     .measured = "by the self-test, on this device"},
    {.loops = true,
     .size = 16,
     .row = "the form that gives right answers",
     .why = "one work-item for the work of a group, because the form with barriers did not stand the self-test",
     .measured = "by the self-test, on this device"},
};

static const struct row *find(const syc_device *device, syc_shape forced)
{
    const struct row *row = rows;
    unsigned way = syc_device_way(device, SYC_FAMILY_HIERARCHICAL);
    if (forced != SYC_SHAPE_COUNT)
        return &forced_rows[forced == SYC_SHAPE_LOOP];
    while (row->items != device->facts->items)
        row++;
    if (way == SYC_WAY_UNKNOWN || way == SYC_WAY_NONE || row->loops == (way == SYC_HIERARCHICAL_LOOPS))
        return row;
    return &other_rows[way == SYC_HIERARCHICAL_LOOPS];
}

/* A size for the group: all of it in dimension 0. */
static void choose_size(const syc_device *device, const struct row *row, size_t size[3])
{
    size_t most = device->max_group < device->max_items[0] ? device->max_group : device->max_items[0];
    size[0] = row->size < most ? row->size : most;
    size[1] = size[2] = 1;
}

static syc_status check_size(const syc_device *device, const syc_geometry *range)
{
    syc_status status = SYC_OK;
    size_t items = 1;
    for (unsigned d = 0; d < range->dims; d++) {
        SYC_CHECK(range->local[d] > 0, SYC_E_ND_RANGE, "group_size: a work-group has at least one item");
        SYC_CHECK(range->local[d] <= device->max_items[d] && !__builtin_mul_overflow(items, range->local[d], &items) &&
                      items <= device->max_group,
                  SYC_E_ND_RANGE, "group_size: more items than a work-group can have on device '%s', which is %zu",
                  syc_device_name(device), device->max_group);
    }
done:
    return status;
}

syc_status syc_lower_choose_groups(const syc_device *device, bool sized, bool checked, syc_geometry *range,
                                   syc_lowering *out)
{
    syc_status status = SYC_OK;
    const struct row *row = find(device, syc__lower_forced());

    if (!sized)
        choose_size(device, row, range->local);
    SYC_TRY(check_size(device, range));
    *out = (syc_lowering){
        .form = {.shape = SYC_SHAPE_ITEM, .dims = range->dims, .grouped = true, .elements = 1, .checked = checked},
        .run = 1,
        .families = syc__lower_forced() == SYC_SHAPE_COUNT ? syc_family_bit(SYC_FAMILY_HIERARCHICAL) : 0,
        .item_ps = UINT64_MAX,
        .row = row->row,
        .why = row->why,
        .measured = row->measured};
    for (unsigned d = 0; d < 3 && row->loops; d++)
        out->form.group[d] = d < range->dims ? (uint32_t)range->local[range->dims - 1 - d] : 1;
    for (unsigned d = 0; d < 3; d++) {
        if (row->loops)
            range->local[d] = 1;
        SYC_CHECK(!__builtin_mul_overflow(range->global[d], range->local[d], &range->global[d]), SYC_E_ND_RANGE,
                  "groups: with the items of each there are more than 64 bits can count");
    }
done:
    return status;
}
