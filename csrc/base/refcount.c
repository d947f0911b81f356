/* The live counts. */
#include "base/refcount.h"

static atomic_long counts[SYC_LIVE_COUNT];

void syc_live_add(syc_live kind, long change)
{
    atomic_fetch_add_explicit(&counts[kind], change, memory_order_relaxed);
}

void syc_live_set(syc_live kind, long count)
{
    atomic_store_explicit(&counts[kind], count, memory_order_relaxed);
}

long syc_live_count(syc_live kind)
{
    return atomic_load_explicit(&counts[kind], memory_order_relaxed);
}

const char *syc_live_name(syc_live kind)
{
    static const char *const names[] = {
#define X(kind, name) name,
        SYC_LIVE_MAP(X)
#undef X
    };
    return names[kind];
}
