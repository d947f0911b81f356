/* Which launches of a kernel wait for which (program/cures/pocl_launch_clash.h), with a driver of five functions. */
#include "program/cures/pocl_launch_clash.h"

#include "check.h"
#include "cl/constants.h"
#include "cl/driver.h"

enum { MOST = 32, TWICE = 2 };

/* The driver: events are numbers of launches; which have ended, references, what each waited for. */
static struct {
    bool ended[MOST];
    int references[MOST];
    unsigned waits[MOST]; /* bits */
    int count;
} driver;

static int index_of(cl_event event)
{
    return (int)(intptr_t)event - 1;
}

static cl_event event_of(int index)
{
    return (cl_event)(intptr_t)(index + 1);
}

static cl_int enqueue_now(cl_command_queue q, cl_kernel k, cl_uint dims, const size_t *offset, const size_t *global,
                          const size_t *local, cl_uint n, const cl_event *e, cl_event *out)
{
    (void)q, (void)k, (void)dims, (void)offset, (void)global, (void)local;
    driver.waits[driver.count] = 0;
    for (cl_uint i = 0; i < n; i++)
        driver.waits[driver.count] |= 1u << index_of(e[i]);
    driver.references[driver.count] = 1;
    *out = event_of(driver.count++);
    return 0;
}

static cl_int retain_now(cl_event e)
{
    driver.references[index_of(e)]++;
    return 0;
}

static cl_int release_now(cl_event e)
{
    driver.references[index_of(e)]--;
    return 0;
}

static cl_int info_now(cl_event e, cl_uint what, size_t size, void *value, size_t *got)
{
    (void)what, (void)size, (void)got;
    *(cl_int *)value = driver.ended[index_of(e)] ? CL_COMPLETE : CL_QUEUED;
    return 0;
}

static cl_int wait_now(cl_uint n, const cl_event *e)
{
    for (cl_uint i = 0; i < n; i++)
        driver.ended[index_of(e[i])] = true;
    return 0;
}

static syc_driver native;
static syc_platform platform = {.driver = &native};
static const syc_facts facts = {.mistakes_launches = true}, others = {.mistakes_launches = false};
static syc_device device = {.facts = &facts};

static syc__launch_clash *begin(void)
{
    static syc_device *devices[] = {&device};
    syc_context context = {.platform = &platform, .cl = &native.cl, .devices = devices, .device_count = 1};
    syc__launch_clash *flights = NULL;

    memset(&driver, 0, sizeof driver);
    native.cl.EnqueueNDRangeKernel = enqueue_now;
    native.cl.RetainEvent = retain_now;
    native.cl.ReleaseEvent = release_now;
    native.cl.GetEventInfo = info_now;
    native.cl.WaitForEvents = wait_now;
    CHECK_EQUAL(syc__launch_clash_create(&context, &flights), SYC_OK);
    return flights;
}

static void end(syc__launch_clash *flights)
{
    syc__launch_clash_release(flights);
    for (int i = 0; i < driver.count; i++)
        CHECK_EQUAL(driver.references[i], 1); /* the caller's */
}

/* What the launch waited for, as bits. */
static unsigned launch(syc__launch_clash *flights, size_t kernel, size_t width, size_t local, size_t offset)
{
    syc__nd_launch call = {.dims = 1, .offset = &offset, .global = &width, .local = &local};
    cl_event out = NULL;
    cl_int code = 1;
    CHECK_OK(syc__launch_clash_launch(flights, &native.cl, kernel, false, &call, &out, &code));
    CHECK_EQUAL(code, 0);
    return driver.waits[index_of(out)];
}

static void test_alike_wait_for_the_first_only(void)
{
    syc__launch_clash *f = begin();
    CHECK_EQUAL(launch(f, 0, 100, 1, 0), 0);
    CHECK_EQUAL(launch(f, 0, 100, 1, 0), 1);
    CHECK_EQUAL(launch(f, 0, 50, 1, 0), 1);
    driver.ended[0] = true;
    CHECK_EQUAL(launch(f, 0, 70, 1, 0), 0);
    end(f);
}

static void test_wider_waits_for_all_and_leads(void)
{
    syc__launch_clash *f = begin();
    for (int i = 0; i < 3; i++)
        (void)launch(f, 0, 100, 1, 0);
    CHECK_EQUAL(launch(f, 0, 101, 1, 0), 7);
    CHECK_EQUAL(launch(f, 0, 100, 1, 0) & 8, 8);
    driver.ended[0] = driver.ended[1] = driver.ended[2] = driver.ended[3] = true;
    CHECK_EQUAL(launch(f, 0, 101, 1, 0), 0);
    end(f);
}

static void test_offsets_take_turns(void)
{
    syc__launch_clash *f = begin();
    (void)launch(f, 0, 100, 1, 0);
    CHECK_EQUAL(launch(f, 0, 10, 1, 5), 1);
    CHECK_EQUAL(launch(f, 0, 10, 1, 7), 2);
    CHECK_EQUAL(launch(f, 0, 10, 1, 0) & 6, 6);
    end(f);
}

static void test_others_do_not_wait(void)
{
    syc__launch_clash *f = begin();
    (void)launch(f, 0, 100, 1, 0);
    CHECK_EQUAL(launch(f, 1, 200, 1, 0), 0);
    CHECK_EQUAL(launch(f, 0, 200, 2, 0), 0);
    end(f);
}

static void test_after_a_rest_the_widest_is_forgotten(void)
{
    syc__launch_clash *f = begin();
    (void)launch(f, 0, 100, 1, 0);
    driver.ended[0] = true;
    CHECK_EQUAL(launch(f, 0, 50, 1, 0), 0);
    CHECK_EQUAL(launch(f, 0, 60, 1, 0), 2); /* its entry may be gone, so that the second made its own */
    end(f);
}

static void test_many_are_looked_through(void)
{
    syc__launch_clash *f = begin();
    for (int i = 0; i < 24; i++) {
        (void)launch(f, 0, 10, 1, 0);
        if (i > 1)
            driver.ended[i - 1] = true;
    }
    CHECK(driver.references[1] == 1 && driver.references[23] == TWICE);
    end(f);
}

static void test_rest_only_when_nothing_is_under_way(void)
{
    syc__launch_clash *f = begin();
    (void)launch(f, 0, 100, 1, 0);
    CHECK(!syc__launch_clash_try_rest(f));
    driver.ended[0] = true;
    CHECK(syc__launch_clash_try_rest(f));
    CHECK(!syc__launch_clash_try_rest(f)); /* it rests */
    syc__launch_clash_resume(f);
    (void)launch(f, 0, 100, 1, 0);
    syc__launch_clash_rest(f);
    CHECK(driver.ended[1]);
    syc__launch_clash_resume(f);
    end(f);
}

static void test_a_lane_of_one_launch_at_a_time(void)
{
    syc__launch_clash *f = begin();
    syc__nd_launch call = {.dims = 1, .global = &(size_t){5}, .local = &(size_t){1}};
    cl_event out = NULL;
    cl_int code = 1;
    CHECK_OK(syc__launch_clash_launch(f, &native.cl, 0, true, &call, &out, &code));
    CHECK_EQUAL(code, 0);
    CHECK(syc__launch_clash_try_rest(f));
    syc__launch_clash_resume(f);
    end(f);
}

static void test_none_where_no_device_needs_them(void)
{
    syc_device sound = {.facts = &others}, *devices[] = {&sound};
    syc_context context = {.platform = &platform, .cl = &native.cl, .devices = devices, .device_count = 1};
    syc__launch_clash *f = begin(), *none = f;
    CHECK_EQUAL(syc__launch_clash_create(&context, &none), SYC_OK);
    CHECK(none == NULL);
    CHECK_EQUAL(launch(NULL, 0, 5, 1, 0), 0);
    CHECK(syc__launch_clash_try_rest(NULL));
    syc__launch_clash_rest(NULL);
    syc__launch_clash_resume(NULL);
    syc__launch_clash_retain(NULL);
    syc__launch_clash_release(NULL);
    end(f);
}

int main(void)
{
    RUN(test_alike_wait_for_the_first_only);
    RUN(test_wider_waits_for_all_and_leads);
    RUN(test_offsets_take_turns);
    RUN(test_others_do_not_wait);
    RUN(test_after_a_rest_the_widest_is_forgotten);
    RUN(test_many_are_looked_through);
    RUN(test_rest_only_when_nothing_is_under_way);
    RUN(test_a_lane_of_one_launch_at_a_time);
    RUN(test_none_where_no_device_needs_them);
    return CHECK_EXIT_CODE;
}
