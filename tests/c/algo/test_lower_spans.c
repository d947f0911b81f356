/* Where bodies combine arrays of variables: the table's rows, what bounds the copies, and what explain() says. */
#include "algo/lower/lower.h"
#include "body/body.h"
#include "body/name.h"

#include "child.h"

static syc_device *device;

static void be(syc_items items, size_t units)
{
    static syc_facts facts;
    facts = (syc_facts){.row = "test", .local_size = 64, .offset_bits = 64, .items = items, .measured = "by nobody"};
    device->facts = &facts;
    device->compute_units = units;
}

static void make_device(void)
{
    setenv("PYSYCL_DRIVERS", fake, 1);
    device = first_platform()->devices[0];
    device->max_group = 1024;
    device->max_items[0] = device->max_items[1] = device->max_items[2] = 1024;
    device->local_bytes = 49152;
    device->atomic64 = false;
}

enum { MANY = 1 << 24 };

struct asked {
    const char *type, *operation;
    size_t size;
    bool unknown, ordered, grouped; /* it has no identity */
    bool fresh;
    const char *result;                     /* NULL: the type */
    uint64_t length, elements, local_bytes; /* elements of the range; 0: MANY */
    const char *text;                       /* NULL: its subscripts are no constants */
};

static syc_lowering lower(struct asked a)
{
    const syc_name name = {.name = "r",
                           .kind = SYC_NAME_REDUCER,
                           .type = a.type,
                           .size = a.size,
                           .rank = 1,
                           .op = {.operation = a.operation, .known = !a.unknown},
                           .reducer = {.array = true, .ordered = a.ordered, .fresh = a.fresh, .result = a.result}};
    const syc_body_source source = {.text = a.text != NULL ? a.text : "r[i].combine(1);", .names = &name, .count = 1};
    const syc_span_sizes sizes = {.lengths = {a.length}, .ranges = {{a.length, 1, 1}}, .local_bytes = a.local_bytes};
    const syc_geometry range = {.dims = 1, .global = {a.elements > 0 ? a.elements : MANY, 1, 1}, .local = {64, 1, 1}};
    syc_lowering l;
    syc_body *body = NULL;
    CHECK_OK(syc_body_create(&source, &body));
    syc_lower_choose(device, body, &range, &sizes, a.grouped, false, &l);
    syc_body_release(body);
    return l;
}

static syc_span_way way(struct asked a)
{
    syc_lowering l = lower(a);
    return syc_form_span(&l.form, 0);
}

#define SUM(n)   .type = "uint", .operation = "plus a + b", .size = 4, .length = (n)
#define FRESH(n) SUM(n), .fresh = true
#define MEAN(n)  .type = "float", .operation = "plus a + b", .size = 4, .length = (n)
#define PAIR(n)  .type = "struct pair", .operation = "BinaryOp a", .size = 12, .length = (n)

static void cpus(void)
{
    be(SYC_ITEMS_LOOPED, 2);
    CHECK(way((struct asked){SUM(16)}) == SYC_SPAN_FOURFOLD);
    CHECK(way((struct asked){SUM(2048)}) == SYC_SPAN_FOURFOLD);
    CHECK(way((struct asked){SUM(2049)}) == SYC_SPAN_COPIES);
    CHECK(way((struct asked){SUM(1 << 23)}) == SYC_SPAN_COPIES);
    CHECK(way((struct asked){SUM((1 << 23) + 1)}) == SYC_SPAN_ALONE);
    CHECK(way((struct asked){SUM(1 << 20), .elements = 1000}) == SYC_SPAN_ALONE);
    CHECK(way((struct asked){PAIR(1 << 23)}) == SYC_SPAN_ALONE);
    be(SYC_ITEMS_PACKED, 32);
    CHECK(way((struct asked){SUM(MANY)}) == SYC_SPAN_SHARED);
    CHECK(way((struct asked){MEAN(MANY)}) == SYC_SPAN_SHARED);
    CHECK(way((struct asked){MEAN(MANY), .ordered = true}) == SYC_SPAN_ALONE);
    CHECK(way((struct asked){SUM(MANY), .ordered = true}) == SYC_SPAN_SHARED); /* whole numbers: any order will do */
    CHECK(way((struct asked){PAIR(1 << 20)}) == SYC_SPAN_COPIES);              /* fewer work-items */
}

static void gpus(void)
{
    be(SYC_ITEMS_THREADED, 132);
    CHECK(way((struct asked){SUM(256)}) == SYC_SPAN_LOCAL);
    CHECK(lower((struct asked){SUM(16)}).span_copies[0] == 32);
    CHECK(lower((struct asked){SUM(4096)}).span_copies[0] == 1);
    CHECK(way((struct asked){SUM(6143)}) == SYC_SPAN_LOCAL); /* half of what there is */
    CHECK(way((struct asked){SUM(6144)}) == SYC_SPAN_SHARED);
    CHECK(way((struct asked){SUM(256), .local_bytes = 49000}) == SYC_SPAN_SHARED);
    CHECK(way((struct asked){SUM(256), .unknown = true}) == SYC_SPAN_SHARED);
    CHECK(way((struct asked){MEAN(256), .ordered = true}) == SYC_SPAN_COPIES);
    CHECK(way((struct asked){PAIR(256)}) == SYC_SPAN_COPIES);
    CHECK(way((struct asked){PAIR(1 << 23)}) == SYC_SPAN_ALONE);
    CHECK(lower((struct asked){PAIR(1 << 23)}).local_size == 1);
    CHECK(way((struct asked){.type = "ulong", .operation = "plus a + b", .size = 8, .length = 256}) == SYC_SPAN_COPIES);
    device->atomic64 = true;
    CHECK(way((struct asked){.type = "ulong", .operation = "plus a + b", .size = 8, .length = 256}) == SYC_SPAN_LOCAL);
    device->atomic64 = false;
}

/* Whose old values do not count: tables, where the operator begins with zeros and nothing else is combined. */
static void tables(void)
{
    be(SYC_ITEMS_THREADED, 132);
    CHECK(way((struct asked){FRESH(256)}) == SYC_SPAN_LOCAL_TABLE);
    CHECK(lower((struct asked){FRESH(256)}).span_copies[0] == 8);
    CHECK(lower((struct asked){FRESH(16)}).span_copies[0] == 32);
    CHECK(lower((struct asked){FRESH(256)}).local_size == 512);
    CHECK(lower((struct asked){FRESH(256)}).form.ahead > 0);
    CHECK(lower((struct asked){FRESH(256)}).groups <= 2 * 132);
    CHECK(way((struct asked){FRESH(12031)}) == SYC_SPAN_LOCAL_TABLE); /* all of the local memory but a little */
    CHECK(way((struct asked){FRESH(12033)}) == SYC_SPAN_TABLE);
    CHECK(way((struct asked){FRESH(1 << 17)}) == SYC_SPAN_TABLE);
    CHECK(way((struct asked){FRESH((1 << 17) + 1)}) == SYC_SPAN_SHARED);
    CHECK(way((struct asked){FRESH(256), .grouped = true}) == SYC_SPAN_LOCAL);
    CHECK(way((struct asked){.type = "uint", .operation = "maximum a", .size = 4, .length = 256, .fresh = true}) ==
          SYC_SPAN_LOCAL);
    CHECK(way((struct asked){.type = "uint", .operation = "bit_or a | b", .size = 4, .length = 256, .fresh = true}) ==
          SYC_SPAN_LOCAL_TABLE);
    CHECK(way((struct asked){MEAN(256), .fresh = true}) == SYC_SPAN_LOCAL_TABLE);
    CHECK(way((struct asked){MEAN(256), .fresh = true, .ordered = true}) == SYC_SPAN_COPIES);
    /* Variables of another type than what is combined are made by whoever has all of it. */
    CHECK(way((struct asked){FRESH(256), .result = "long"}) == SYC_SPAN_LOCAL_TABLE);
    CHECK(way((struct asked){FRESH(12033), .result = "long"}) == SYC_SPAN_TABLE);
    CHECK(way((struct asked){FRESH(1 << 18), .result = "long", .elements = 1 << 20}) == SYC_SPAN_COPIES);
    be(SYC_ITEMS_LOOPED, 2);
    CHECK(way((struct asked){FRESH(256)}) == SYC_SPAN_FOURFOLD);
    CHECK(way((struct asked){FRESH(1 << 20), .result = "long", .elements = 1000}) == SYC_SPAN_COPIES);
}

static void nd_ranges(void)
{
    be(SYC_ITEMS_LOOPED, 2);
    CHECK(way((struct asked){SUM(256), .grouped = true}) == SYC_SPAN_LOCAL);
    CHECK(lower((struct asked){SUM(16), .grouped = true}).span_copies[0] == 1); /* its items come one after another */
    CHECK(way((struct asked){SUM(MANY), .grouped = true}) == SYC_SPAN_SHARED);
    CHECK(way((struct asked){PAIR(MANY), .grouped = true}) == SYC_SPAN_COPIES); /* python/ says whether it can be had */
}

/* Few variables that the text names by constants: as reducers of one variable, of which a work-item has what fits. */
static void named(void)
{
    static const char text[] = "r[0].combine(1); r[3].combine(2); r[0].combine(3);";
    for (int items = SYC_ITEMS_SINGLY; items <= SYC_ITEMS_THREADED; items++) {
        be((syc_items)items, 4);
        CHECK(way((struct asked){SUM(4), .text = text}) == SYC_SPAN_PRIVATE);
        CHECK(lower((struct asked){SUM(4), .text = text}).span_copies[0] == 2);
        CHECK(lower((struct asked){SUM(4), .text = text}).copy_bytes == 0);
        CHECK(way((struct asked){SUM(3), .text = text}) != SYC_SPAN_PRIVATE); /* r[3] is not there */
        CHECK(way((struct asked){PAIR(MANY), .text = text}) == SYC_SPAN_PRIVATE);
        CHECK(way((struct asked){SUM(4096), .fresh = true, .text = text}) == SYC_SPAN_PRIVATE);
        CHECK(way((struct asked){SUM(4097), .fresh = true, .text = text}) != SYC_SPAN_PRIVATE); /* many to fill */
        CHECK(way((struct asked){SUM(4), .grouped = true, .text = text}) == SYC_SPAN_PRIVATE);
        CHECK(way((struct asked){SUM(4), .grouped = true, .local_bytes = 48900, .text = text}) != SYC_SPAN_PRIVATE);
    }
    syc_lower_force_span(SYC_SPAN_COPIES, false);
    CHECK(way((struct asked){SUM(4), .text = text}) == SYC_SPAN_COPIES);
    syc_lower_force_span(SYC_SPAN_PRIVATE, false);
    CHECK(way((struct asked){SUM(4), .text = text}) == SYC_SPAN_PRIVATE);
    CHECK(way((struct asked){SUM(4)}) != SYC_SPAN_PRIVATE);
    syc_lower_force_span(SYC_SPAN_COUNT, false);
}

/* All copies together stay within 64 MiB, and half of the work-items fold where there is much to fold. */
static void copies_are_bounded(void)
{
    static const uint64_t lengths[] = {1, 4096, 1 << 16, 1 << 20, 1 << 22};
    for (size_t units = 1; units <= 256; units *= 4) {
        for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
            syc_lowering l;
            be(SYC_ITEMS_LOOPED, units);
            l = lower((struct asked){PAIR(lengths[i])});
            CHECK(l.groups > 0 && l.copy_bytes * l.groups / (1 + l.form.folds) * l.local_size <= 64 << 20);
            CHECK(!l.form.folds || l.groups % 2 == 0);
            CHECK(l.form.folds == (units > 1 && l.groups > 2 && lengths[i] >= 1 << 16 && l.copy_bytes > 0) ||
                  lengths[i] == 4096);
            be(SYC_ITEMS_THREADED, units);
            l = lower((struct asked){PAIR(lengths[i])});
            CHECK(l.groups > 0 && l.copy_bytes * l.groups * l.local_size <= 64 << 20 && !l.form.folds);
        }
    }
}

static void explained(void)
{
    const syc_geometry range = {.dims = 1, .global = {MANY, 1, 1}},
                       g = {.dims = 1, .global = {4, 1, 1}, .local = {1, 1, 1}};
    syc_text text = {0};
    syc_lowering l;
    be(SYC_ITEMS_LOOPED, 2);
    l = lower((struct asked){SUM(1 << 20)});
    syc_lower_explain(device, &l, &range, &g, &text);
    CHECK(strstr(syc_text_get(&text), "arrays    1048576 variables, in a copy for each work-item\n") != NULL);
    CHECK(strstr(syc_text_get(&text),
                 "copies of 4194304 bytes for each work-item, combined by as many work-items again\n"));
    CHECK(strstr(syc_text_get(&text), "row       CPUs, a copy for each of few work-items\n") != NULL);
    syc_text_clear(&text);
}

int main(void)
{
    FIND_FAKE_DRIVER;
    make_device();
    RUN(cpus);
    RUN(gpus);
    RUN(tables);
    RUN(nd_ranges);
    RUN(named);
    RUN(copies_are_bounded);
    RUN(explained);
    return CHECK_EXIT_CODE;
}
