/* Host arrays: packing of every layout against index arithmetic, extents, and bindings on devices that share the host's
 * memory and on those that do not. */
#include "memory/strided_copy.h"
#include "scene.h"

enum { ROOM = 4096, MOST = 8 };

/* An array inside `memory`: element (i, j, ...) begins at origin + sum(index * stride). */
struct layout {
    int rank;
    ptrdiff_t shape[MOST], strides[MOST];
    size_t item, count;
    ptrdiff_t origin;
};

static syc_host_array span_of(const struct layout *l, char *memory)
{
    return (syc_host_array){.data = memory + l->origin,
                            .bytes = l->count * l->item,
                            .writable = true,
                            .alignment = 1,
                            .packed = l->rank == 0,
                            .rank = l->rank,
                            .item_size = l->item,
                            .shape = l->shape,
                            .strides = l->strides};
}

/* Where element `n`, counted in index order, begins. */
static ptrdiff_t place(const struct layout *l, size_t n)
{
    ptrdiff_t at = l->origin;
    for (int d = l->rank - 1; d >= 0; d--) {
        at += (ptrdiff_t)(n % (size_t)l->shape[d]) * l->strides[d];
        n /= (size_t)l->shape[d];
    }
    return at;
}

static void check_extent(const struct layout *l, char *memory)
{
    syc_host_array span = span_of(l, memory);
    uintptr_t low, high, least = UINTPTR_MAX, most = 0;
    syc_host_array_extent(&span, &low, &high);
    for (size_t n = 0; n < l->count; n++) {
        uintptr_t at = (uintptr_t)(memory + place(l, n));
        least = at < least ? at : least;
        most = at + l->item > most ? at + l->item : most;
    }
    if (l->count == 0)
        CHECK(low == high);
    else
        CHECK(low == least && high == most);
}

static void check_pack(const struct layout *l, char *memory)
{
    static char packed[ROOM];
    syc_host_array span = span_of(l, memory);
    memset(packed, 0x55, sizeof packed);
    syc_host_array_pack(&span, packed);
    for (size_t n = 0; n < l->count; n++)
        CHECK(memcmp(packed + n * l->item, memory + place(l, n), l->item) == 0);
    CHECK_EQUAL(packed[l->count * l->item], 0x55); /* not one byte beyond */
}

/* Unpacking writes the elements and nothing between them. Where elements share memory the last one in index order
 * stays. */
static void check_unpack(const struct layout *l, char *memory)
{
    static char packed[ROOM], expected[ROOM];
    syc_host_array span = span_of(l, memory);
    for (size_t i = 0; i < l->count * l->item; i++)
        packed[i] = (char)(i * 7 + 3);
    memcpy(expected, memory, ROOM);
    for (size_t n = 0; n < l->count; n++)
        memcpy(expected + place(l, n), packed + n * l->item, l->item);
    syc_host_array_unpack(&span, packed);
    CHECK(memcmp(expected, memory, ROOM) == 0);
}

static void check_layout(struct layout l)
{
    static char memory[ROOM];
    l.count = 1;
    for (int d = 0; d < l.rank; d++)
        l.count *= (size_t)l.shape[d];
    for (size_t i = 0; i < ROOM; i++)
        memory[i] = (char)(i * 31 + i / 256);
    check_extent(&l, memory);
    check_pack(&l, memory);
    check_unpack(&l, memory);
}

static void test_named_layouts(void)
{
    check_layout((struct layout){.rank = 0, .item = 4, .origin = 8});
    check_layout((struct layout){.rank = 1, .shape = {5}, .strides = {8}, .item = 4});                /* [::2] */
    check_layout((struct layout){.rank = 1, .shape = {5}, .strides = {-4}, .item = 4, .origin = 16}); /* [::-1] */
    check_layout((struct layout){.rank = 1, .shape = {5}, .strides = {0}, .item = 4});                /* broadcast */
    check_layout((struct layout){.rank = 1, .shape = {0}, .strides = {4}, .item = 4});                /* empty */
    check_layout((struct layout){.rank = 2, .shape = {3, 4}, .strides = {4, 12}, .item = 4});         /* .T */
    check_layout((struct layout){.rank = 2, .shape = {3, 0}, .strides = {0, 4}, .item = 4});          /* empty rows */
    check_layout((struct layout){.rank = 2, .shape = {0, 3}, .strides = {12, 4}, .item = 4});         /* no rows */
    check_layout((struct layout){.rank = 2, .shape = {3, 4}, .strides = {0, 4}, .item = 4});          /* one row */
    check_layout((struct layout){.rank = 2, .shape = {3, 4}, .strides = {-32, 8}, .item = 8, .origin = 64});
    check_layout((struct layout){.rank = 2, .shape = {4, 3}, .strides = {3, 1}, .item = 3}); /* overlapping rows */
    check_layout((struct layout){.rank = 3, .shape = {2, 1, 3}, .strides = {100, 7777, -16}, .item = 12, .origin = 40});
    check_layout(
        (struct layout){.rank = 4, .shape = {2, 3, 2, 3}, .strides = {-300, 90, -40, 13}, .item = 2, .origin = 1000});
}

static void test_random_layouts(void)
{
    static const size_t items[] = {1, 2, 3, 4, 8, 16, 24};
    uint64_t random = 7;
    for (int round = 0; round < 3000; round++) {
        struct layout l = {.rank = 1 + (int)(next_random(&random) % 4), .origin = ROOM / 2};
        ptrdiff_t reach = 0;
        l.item = items[next_random(&random) % (sizeof items / sizeof *items)];
        for (int d = 0; d < l.rank; d++) {
            l.shape[d] = next_random(&random) % 20 ? 1 + next_random(&random) % 3 : 0;
            l.strides[d] = (ptrdiff_t)(next_random(&random) % 401) - 200;
            reach += 2 * 200;
        }
        CHECK(reach + 24 <= ROOM / 2);
        check_layout(l);
    }
}

/* Addresses near the ends of the address space do not wrap. */
static void test_extents_of_packed_arrays(void)
{
    syc_host_array span = {.data = (char *)4096, .bytes = 100, .packed = true};
    uintptr_t low, high;
    syc_host_array_extent(&span, &low, &high);
    CHECK(low == 4096 && high == 4196);
    span.bytes = 0;
    syc_host_array_extent(&span, &low, &high);
    CHECK(low == 4096 && high == 4096);
}

static void test_what_is_staged(void)
{
    static const syc_facts shares = {.shares_host_memory = true}, copies = {.shares_host_memory = false};
    static const ptrdiff_t shape[] = {4}, strides[] = {8};
    _Alignas(64) static char memory[128];
    syc_host_array span = {.data = memory, .bytes = 64, .alignment = 16, .packed = true};

    CHECK(!syc_host_array_is_staged(&shares, &span));
    CHECK(!syc_host_array_is_staged(&copies, &span));
    span.data = memory + 4; /* a float4 kernel would fault on it, a copy to the device would not */
    CHECK(syc_host_array_is_staged(&shares, &span));
    CHECK(!syc_host_array_is_staged(&copies, &span));
    span = (syc_host_array){
        .data = memory, .bytes = 16, .alignment = 4, .rank = 1, .item_size = 4, .shape = shape, .strides = strides};
    CHECK(syc_host_array_is_staged(&shares, &span));
    CHECK(syc_host_array_is_staged(&copies, &span));
    span.bytes = 0;
    CHECK(!syc_host_array_is_staged(&shares, &span));
}

/* -- bindings, in children with a driver -- */

static const syc_facts *facts(void)
{
    return device->facts;
}

static void bound_in_place(void)
{
    _Alignas(64) uint32_t data[16] = {0};
    syc_host_array span = {
        .data = (char *)data, .bytes = sizeof data, .writable = true, .alignment = 4, .packed = true};
    syc_traffic before = syc_traffic_total(), after;
    syc_binding binding;

    open_scene();
    CHECK_OK(syc_binding_create(context, facts(), &span, &binding));
    CHECK(binding.staging == NULL && !binding.transfer && binding.memory != NULL);
    CHECK_EQUAL(fake_live("mem"), 1);
    syc_binding_finish(&binding);
    syc_binding_clear(context, &binding);
    CHECK(binding.memory == NULL);
    after = syc_traffic_total();
    CHECK_EQUAL(after.staged_arrays, before.staged_arrays);
    CHECK_EQUAL(after.staged_bytes, before.staged_bytes);
    close_scene();
}

static void bound_staged(void)
{
    static const ptrdiff_t shape[] = {4}, strides[] = {-8};
    uint32_t data[8] = {0, 1, 2, 3, 4, 5, 6, 7};
    syc_host_array span = {.data = (char *)&data[7],
                           .bytes = 16,
                           .writable = true,
                           .alignment = 128,
                           .rank = 1,
                           .item_size = 4,
                           .shape = shape,
                           .strides = strides};
    syc_traffic before, after;
    syc_binding binding;

    open_scene();
    for (int writable = 1; writable >= 0; writable--) {
        span.writable = writable;
        before = syc_traffic_total();
        CHECK_OK(syc_binding_create(context, facts(), &span, &binding));
        CHECK(binding.staging != NULL && (uintptr_t)binding.staging % 128 == 0);
        CHECK_EQUAL(binding.transfer, !facts()->shares_host_memory);
        CHECK_EQUAL(((uint32_t *)binding.staging)[0], 7);
        CHECK_EQUAL(((uint32_t *)binding.staging)[3], 1);
        ((uint32_t *)binding.staging)[3] = 100;
        syc_binding_finish(&binding);
        CHECK_EQUAL(data[1], writable ? 100 : 1); /* what is only read is not written back */
        data[1] = 1;
        syc_binding_clear(context, &binding);
        after = syc_traffic_total();
        CHECK_EQUAL(after.staged_arrays, before.staged_arrays + 1);
        CHECK_EQUAL(after.staged_bytes, before.staged_bytes + (writable ? 32 : 16));
    }
    CHECK_EQUAL(data[7], 7);
    close_scene();
}

static void bound_for_transfer(void)
{
    uint32_t data[4] = {0};
    syc_host_array span = {
        .data = (char *)data, .bytes = sizeof data, .writable = true, .alignment = 16, .packed = true};
    syc_binding binding;

    open_scene();
    CHECK_OK(syc_binding_create(context, facts(), &span, &binding));
    CHECK(binding.staging == NULL && binding.transfer);
    syc_binding_finish(&binding);
    syc_binding_clear(context, &binding);
    close_scene();
}

/* OpenCL has no empty buffer, but a kernel may have an empty array. */
static void bound_empty(void)
{
    syc_host_array span = {.data = NULL, .bytes = 0, .writable = true, .alignment = 4, .packed = true};
    syc_binding binding;

    open_scene();
    CHECK_OK(syc_binding_create(context, facts(), &span, &binding));
    CHECK(binding.memory != NULL && binding.staging == NULL && !binding.transfer);
    syc_binding_finish(&binding);
    syc_binding_clear(context, &binding);
    close_scene();
}

static void bound_without_memory(void)
{
    static const ptrdiff_t shape[] = {2}, strides[] = {8};
    uint32_t data[4] = {0};
    syc_host_array span = {.data = (char *)data,
                           .bytes = 8,
                           .alignment = 4,
                           .rank = 1,
                           .item_size = 4,
                           .shape = shape,
                           .strides = strides};
    syc_binding binding = {.memory = (cl_mem)data};

    open_scene();
    syc_alloc_fail_at(1);
    CHECK_STATUS(syc_binding_create(context, facts(), &span, &binding), SYC_E_MEMORY_ALLOCATION);
    CHECK_OK(syc_fault_install(device->platform->driver));
    CHECK_OK(syc_fault_arm("CreateBuffer", 1, CL_MEM_OBJECT_ALLOCATION_FAILURE));
    CHECK_STATUS(syc_binding_create(context, facts(), &span, &binding), SYC_E_MEMORY_ALLOCATION);
    CHECK_STRING(syc_detail_of(SYC_E_MEMORY_ALLOCATION).api, "clCreateBuffer");
    CHECK(binding.memory == (cl_mem)data); /* untouched on failure */
    CHECK_OK(syc_fault_install(NULL));
    close_scene();
}

static int reports;

static void count_report(const syc_detail *detail)
{
    reports += detail->cl_code == CL_INVALID_MEM_OBJECT;
}

static void failing_release_is_reported(void)
{
    uint32_t data[4] = {0};
    syc_host_array span = {.data = (char *)data, .bytes = sizeof data, .alignment = 4, .packed = true};
    syc_binding binding;

    open_scene();
    syc_set_report_hook(count_report);
    CHECK_OK(syc_binding_create(context, facts(), &span, &binding));
    CHECK_OK(syc_fault_install(device->platform->driver));
    CHECK_OK(syc_fault_arm("ReleaseMemObject", 1, CL_INVALID_MEM_OBJECT));
    syc_binding_clear(context, &binding);
    CHECK_EQUAL(reports, 1);
    CHECK_EQUAL(syc_live_count(SYC_LIVE_CL_MEM), 0);
    CHECK_OK(syc_fault_install(NULL));
}

/* Never false of arrays that share a byte; false of the regular views that people take of one array. */
static void check_overlap(const struct layout *a, const struct layout *b, char *memory)
{
    static bool used[ROOM];
    syc_host_array x = span_of(a, memory), y = span_of(b, memory);
    bool shared = false;
    memset(used, 0, sizeof used);
    for (size_t n = 0; n < a->count; n++)
        memset(used + place(a, n), 1, a->item);
    for (size_t n = 0; n < b->count; n++)
        for (size_t i = 0; i < b->item; i++)
            shared |= used[place(b, n) + (ptrdiff_t)i];
    if (shared)
        CHECK(syc_host_arrays_overlap(&x, &y) && syc_host_arrays_overlap(&y, &x));
}

static void test_overlap_of_random_layouts(void)
{
    static char memory[ROOM];
    for (unsigned seed = 1; seed <= 20000; seed++) {
        unsigned r = seed * 2654435761u;
        struct layout a = {
            2, {1 + r % 4, 1 + r / 4 % 4}, {8 * (ptrdiff_t)(1 + r / 16 % 6), 4 * (ptrdiff_t)(1 + r / 96 % 4)}, 4, 0, 0};
        struct layout b = {2,
                           {1 + r / 7 % 4, 1 + r / 28 % 4},
                           {8 * (ptrdiff_t)(1 + r / 112 % 6), -4 * (ptrdiff_t)(1 + r / 672 % 4)},
                           4,
                           0,
                           0};
        a.count = (size_t)(a.shape[0] * a.shape[1]);
        b.count = (size_t)(b.shape[0] * b.shape[1]);
        a.origin = r / 3000 % 32;
        b.origin = 64 + r / 5000 % 64;
        check_overlap(&a, &b, memory);
    }
}

static void test_views_that_interleave_are_apart(void)
{
    char memory[256];
    /* real and imaginary parts; two columns; left and right half of a matrix of 4 x 8 floats; reversed rows */
    struct layout real = {1, {8}, {8}, 4, 8, 0}, imaginary = {1, {8}, {8}, 4, 8, 4};
    struct layout left = {2, {4, 4}, {32, 4}, 4, 16, 0}, right = {2, {4, 4}, {32, 4}, 4, 16, 16};
    struct layout middle = {2, {4, 4}, {32, 4}, 4, 16, 12}, back = {2, {4, 4}, {-32, 4}, 4, 16, 112};
    syc_host_array a = span_of(&real, memory), b = span_of(&imaginary, memory), l = span_of(&left, memory),
                   r = span_of(&right, memory), m = span_of(&middle, memory), k = span_of(&back, memory);
    CHECK(!syc_host_arrays_overlap(&a, &b) && !syc_host_arrays_overlap(&b, &a));
    CHECK(!syc_host_arrays_overlap(&l, &r) && !syc_host_arrays_overlap(&r, &l));
    CHECK(!syc_host_arrays_overlap(&l, &k) && !syc_host_arrays_overlap(&k, &l));
    CHECK(syc_host_arrays_overlap(&l, &m) && syc_host_arrays_overlap(&m, &r) && syc_host_arrays_overlap(&r, &k));
}

int main(void)
{
    RUN(test_named_layouts);
    RUN(test_random_layouts);
    RUN(test_extents_of_packed_arrays);
    RUN(test_what_is_staged);
    RUN(test_overlap_of_random_layouts);
    RUN(test_views_that_interleave_are_apart);
    if (check__failures != 0)
        return CHECK_EXIT_CODE;
    FIND_FAKE_DRIVER;
    CHILD(SHARING, bound_in_place);
    CHILD(SHARING, bound_staged);
    CHILD(COPYING, bound_staged);
    CHILD(COPYING, bound_for_transfer);
    CHILD(SHARING, bound_empty);
    CHILD(COPYING, bound_empty);
    CHILD(SHARING, bound_without_memory);
    CHILD(COPYING, bound_without_memory);
    CHILD(SHARING, failing_release_is_reported);
    return CHECK_EXIT_CODE;
}
