/* The forms of a work-group's text: an item for each of its items, with barriers, or one for the group, with loops. */
#include "algo/lower/lower.h"
#include "algo/table.h"
#include "cl/device.h"

struct row {
    syc_row base;
    bool loops;
    uint32_t size; /* of a group that nobody gave a size */
};

static const struct row rows[] = {
    {.base.items = SYC_ON_LOOPED,
     .base.name = "PoCL, a loop for each parallel_for_work_item",
     .base.why = "one work-item does the work of a group, and loops over its items: no barriers, and the group's own "
                 "code is run once",
     .base.measured =
         "PoCL 3.0, 2 cores shared with other work, times as fast as with barriers: product of matrices of 512, tiles "
         "of 16 by 16, 1.9 to 2.5; sums of 1024 groups of 4096 floats, 64 items each, 0.6 to 0.8",
     .loops = true,
     .size = 16},
    {.base.items = SYC_ON_PACKED,
     .base.name = "Intel's compiler, a loop for each parallel_for_work_item",
     .base.why = "one work-item does the work of a group, and loops over its items: no barriers, and the group's own "
                 "code is run once",
     .base.measured =
         "Intel 2026.2, 2 cores shared with other work, times as fast as with barriers: product of matrices of 512, "
         "tiles of 16 by 16, 3.4 to 4.2; sums of 1024 groups of 4096 floats, 64 items each, 0.8 to 1.2",
     .loops = true,
     .size = 16},
    {.base.items = SYC_ON_THREADED,
     .base.name = "NVIDIA, a work-item for each item of a group",
     .base.why =
         "the leader of a group runs the group's own code, and barriers stand around each parallel_for_work_item",
     .base.measured = "not measured",
     .size = 64},
    {.base.items = SYC_ON_SINGLY,
     .base.name = "any device, a work-item for each item of a group",
     .base.why =
         "the leader of a group runs the group's own code, and barriers stand around each parallel_for_work_item",
     .base.measured = "not measured",
     .size = 16},
    {.base.flags = SYC_ROW_STAND_IN,
     .base.name = "the form that gives right answers",
     .base.why = "a work-item for each item of a group, with barriers, because the loops that would be faster here "
                 "gave wrong answers in the self-test",
     .base.measured = "by the self-test, on this device",
     .size = 16},
    {.base.flags = SYC_ROW_STAND_IN,
     .base.name = "the form that gives right answers",
     .base.why = "one work-item for the work of a group, because the form with barriers did not stand the self-test",
     .base.measured = "by the self-test, on this device",
     .loops = true,
     .size = 16},
    {.base = SYC_TEST_ROW("barriers"), .size = 4},
    {.base = SYC_TEST_ROW("loops"), .size = 4, .loops = true},
};

/* The ways of this family are its rows. */
static bool prefers(const void *row, const void *device)
{
    unsigned way = syc_device_way(device, SYC_FAMILY_HIERARCHICAL);
    return way == SYC_WAY_UNKNOWN || way == SYC_WAY_NONE ||
           ((const struct row *)row)->loops == (way == SYC_HIERARCHICAL_LOOPS);
}

static bool asked(const void *row, const void *device)
{
    const syc_shape forced = syc__lower_forced();
    (void)device;
    return forced != SYC_SHAPE_COUNT && ((const struct row *)row)->loops == (forced == SYC_SHAPE_LOOP);
}

static const syc_table table = {SYC_TABLE_OF(rows), .prefers = prefers, .asked = asked};

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
    const struct row *row = syc_table_find(&table, device, device);

    if (!sized)
        choose_size(device, row, range->local);
    SYC_TRY(check_size(device, range));
    *out = (syc_lowering){
        .form = {.shape = SYC_SHAPE_ITEM, .dims = range->dims, .grouped = true, .elements = 1, .checked = checked},
        .run = 1,
        .families = syc__lower_forced() == SYC_SHAPE_COUNT ? syc_family_bit(SYC_FAMILY_HIERARCHICAL) : 0,
        .item_ps = UINT64_MAX,
        .row = &row->base};
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
