/* How a row is found. */
#include "algo/table.h"

#include "cl/device.h"

#include <stdatomic.h>
#include <string.h>

static const syc_row *row_at(const syc_table *table, size_t index)
{
    return (const syc_row *)((const char *)table->rows + index * table->size);
}

static bool is_for(const syc_row *row, const syc_device *device)
{
    return row->items == SYC_ON_ANY || row->items >> device->facts->items & 1;
}

static bool is_right(const syc_table *table, const syc_device *device, const syc_row *row, const void *question)
{
    return !syc_device_is_wrong(device, syc_table_families(table, row, question));
}

/* By a test, by name, or by what was measured here. */
static const syc_row *asked_for(const syc_table *table, const syc_device *device, const void *question)
{
    const syc_row *forced = atomic_load_explicit(&table->forced, memory_order_relaxed);
    const syc_row *test = NULL;
    for (size_t i = table->count; i-- > 0 && row_at(table, i)->flags & SYC_ROW_TEST;)
        if (table->asked(row_at(table, i), question))
            test = row_at(table, i);
    if (test != NULL)
        return test;
    return forced == NULL && table->tuned != NULL ? table->tuned(device, question) : forced;
}

const void *syc_table_find(const syc_table *table, const syc_device *device, const void *question)
{
    const syc_row *row = asked_for(table, device, question), *first = NULL;
    if (row != NULL && (table->can == NULL || table->can(row, question)) && is_right(table, device, row, question))
        return row;
    for (size_t i = 0; i < table->count; i++) {
        row = row_at(table, i);
        if (row->flags & (SYC_ROW_SPARE | SYC_ROW_TEST) || !is_for(row, device) ||
            (table->can != NULL && !table->can(row, question)) ||
            (table->prefers != NULL && !table->prefers(row, question)))
            continue;
        if (row->flags & SYC_ROW_STAND_IN || is_right(table, device, row, question))
            return row;
        first = first == NULL ? row : first;
    }
    return first;
}

syc_families syc_table_families(const syc_table *table, const void *row, const void *question)
{
    bool known = table->families != NULL && !(((const syc_row *)row)->flags & SYC_ROW_TEST);
    return known ? table->families(row, question) : 0;
}

/* -- by name -- */

static bool is_choice(const syc_row *row, const syc_device *device)
{
    return !(row->flags & (SYC_ROW_STAND_IN | SYC_ROW_TEST)) && (device == NULL || is_for(row, device));
}

const char *syc_table_name(const syc_table *table, const syc_device *device, size_t index)
{
    for (size_t i = 0; i < table->count; i++)
        if (is_choice(row_at(table, i), device) && index-- == 0)
            return row_at(table, i)->name;
    return NULL;
}

const void *syc_table_named(const syc_table *table, const syc_device *device, const char *name)
{
    for (size_t i = 0; name != NULL && i < table->count; i++)
        if (is_choice(row_at(table, i), device) && strcmp(row_at(table, i)->name, name) == 0)
            return row_at(table, i);
    return NULL;
}

void syc_table_force(syc_table *table, const char *name)
{
    atomic_store(&table->forced, (const syc_row *)syc_table_named(table, NULL, name));
}
