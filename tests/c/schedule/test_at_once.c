/* Small launches that the calling thread does at once, under the order lock, and when it does not. Against the fake
 * driver, with code of the test's own in the place of a kernel's: meson.build wraps three functions. */
#include "program/group_code.h"
#include "scene.h"
#include "schedule/graph.h"
#include "schedule/profile.h"

#include <sched.h>

enum { N = 64, SMALL_NS = 1000, LARGER_NS = 3900, LARGE_NS = 20000 }; /* estimates: up to 3500 are small */

/* -- the code -- */

static void (*body)(cl_uint *x, cl_uint n);
static atomic_int calls;

const syc_group_code *__wrap_syc_build_group_code(syc_build *build, size_t kernel, const syc_group_grid *grid);
void __wrap_syc_group_space_fill(const syc_group_code *code, const syc_group_grid *grid, syc_group_space *out);
void __wrap_syc_group_code_run(const syc_group_code *code, const syc_group_grid *grid, const syc_group_space *space,
                               void *const *arguments, size_t first, size_t past);

const syc_group_code *__wrap_syc_build_group_code(syc_build *build, size_t kernel, const syc_group_grid *grid)
{
    (void)build;
    (void)kernel;
    (void)grid;
    return (const syc_group_code *)&calls;
}

void __wrap_syc_group_space_fill(const syc_group_code *code, const syc_group_grid *grid, syc_group_space *out)
{
    (void)code;
    (void)grid;
    (void)out;
}

void __wrap_syc_group_code_run(const syc_group_code *code, const syc_group_grid *grid, const syc_group_space *space,
                               void *const *arguments, size_t first, size_t past)
{
    (void)code;
    (void)grid;
    (void)space;
    (void)first;
    (void)past;
    atomic_fetch_add(&calls, 1);
    body(*(cl_uint **)arguments[0], *(const cl_uint *)arguments[1]);
}

/* As `bump` does, but that others have all the time to come in between. */
static void add_one(cl_uint *x, cl_uint n)
{
    cl_uint seen[N];
    memcpy(seen, x, n * sizeof *x);
    syc_sleep_ns(20000);
    for (cl_uint i = 0; i < n; i++)
        x[i] = seen[i] + 1;
}

/* -- launches -- */

static syc_queue *queue;
static cl_uint x[N], y[N];

static void open_queue(syc_queue_options options)
{
    open_scene();
    body = add_one;
    atomic_store(&calls, 0);
    memset(x, 0, sizeof x);
    memset(y, 0, sizeof y);
    CHECK_OK(syc_queue_create(context, device, options, &queue));
}

static void close_all(void)
{
    close_queue(queue);
    close_scene();
}

static syc_status try_launch(cl_uint *data, uint64_t near_ns, syc_verdict verdict, syc_ending ending,
                             syc_command *const *after, size_t after_count, syc_command **out)
{
    const syc_signatures *all = syc_program_signatures(program);
    const cl_uint n = N;
    const syc_argument arguments[] = {array(data, N * sizeof *data, true), value(&n)};
    const syc_task task = {.ops = &syc_launch_ops,
                           .verdict = verdict,
                           .ending = ending,
                           .launch = {.program = program,
                                      .kernel = (size_t)(syc_signatures_find(all, "bump") - all->items),
                                      .geometry = {.dims = 1,
                                                   .global = {N, 1, 1},
                                                   .local = {1, 1, 1},
                                                   .cost_ns = near_ns != 0 ? near_ns : UINT64_MAX,
                                                   .near_ns = near_ns,
                                                   .apart = true},
                                      .arguments = arguments,
                                      .argument_count = 2}};
    atomic_fetch_add(&kept, 1);
    return syc_queue_submit(queue, &task, after, after_count, (syc_keep){let_go_of, NULL},
                            (syc_site){"scene.py", 400, NULL}, out);
}

static syc_command *launch_after(cl_uint *data, syc_command *on)
{
    syc_command *command = NULL;
    return must(try_launch(data, SMALL_NS, (syc_verdict){0}, (syc_ending){0}, &on, on != NULL, &command), &command);
}

static syc_command *launch(cl_uint *data, uint64_t near_ns)
{
    syc_command *command = NULL;
    return must(try_launch(data, near_ns, (syc_verdict){0}, (syc_ending){0}, NULL, 0, &command), &command);
}

/* -- what others see of it -- */

static void ended_when_submitted(void)
{
    syc_graph_record *records = NULL;
    size_t count = 0;
    unsigned long long number = 0;
    syc_command *first, *second;

    open_queue((syc_queue_options){0});
    first = launch(x, SMALL_NS);
    second = launch_after(x, first);
    CHECK(syc_command_ended(first) && syc_command_ended(second));
    CHECK_EQUAL(calls, 2);
    CHECK_EQUAL(x[N - 1], 2);
    CHECK_EQUAL(let_go, kept);
    CHECK_EQUAL(syc_queue_pending(queue), 0);
    CHECK_OK(syc_graph_records(queue, &records, &count, &number));
    CHECK_EQUAL(count, 2);
    CHECK_STRING(records[1].name, "bump");
    CHECK_EQUAL(records[1].queue, number);
    CHECK_EQUAL(records[1].line, 400);
    CHECK_EQUAL(records[1].use_count, 1);
    CHECK_EQUAL(records[1].uses[0].low, (uintptr_t)x);
    CHECK(records[1].uses[0].write);
    CHECK_EQUAL(records[1].edge_count, 1);
    CHECK_EQUAL(records[1].edges[0].serial, records[0].serial);
    CHECK(!records[1].edges[0].waited);
    syc_free(records);
    syc_command_release(first);
    syc_command_release(second);
    close_all();
}

/* Nobody's command comes in between: all are small, or some are others, which keep small ones from being done at once.
 */
enum { THREADS = 4, ROUNDS = 300 };
static unsigned others_in_eight;

static void *add_in_a_thread(void *number)
{
    uint64_t random = (uint64_t)(uintptr_t)number + 1;
    for (int i = 0; i < ROUNDS; i++) {
        syc_command *command = launch(x, next_random(&random) % 8 < others_in_eight ? 0 : SMALL_NS);
        if (next_random(&random) % 4 == 0)
            CHECK_OK(syc_command_wait(command, 30 * SECOND));
        syc_command_release(command);
    }
    return NULL;
}

static void add_in_threads(unsigned others)
{
    pthread_t threads[THREADS];
    open_queue((syc_queue_options){0});
    others_in_eight = others;
    for (uintptr_t t = 0; t < THREADS; t++)
        CHECK_EQUAL(pthread_create(&threads[t], NULL, add_in_a_thread, (void *)t), 0);
    for (int t = 0; t < THREADS; t++)
        pthread_join(threads[t], NULL);
    close_queue(queue);
    for (int i = 0; i < N; i++)
        CHECK_EQUAL(x[i], THREADS * ROUNDS);
    close_scene();
}

static void threads_on_one_array(void)
{
    add_in_threads(0);
}

static void threads_on_one_array_with_others(void)
{
    add_in_threads(1);
}

/* Another thread that asks for the order lock in the midst of a launch. */
static atomic_bool wanted, had;

static void *ask_for_the_lock(void *unused)
{
    (void)unused;
    while (!atomic_load(&wanted))
        sched_yield();
    (void)syc_queue_pending(queue);
    atomic_store(&had, true);
    return NULL;
}

/* Until the other has had the lock, or long enough for it. */
static bool seen_by_other;
static void wait_for_other(cl_uint *data, cl_uint n)
{
    (void)n;
    data[0]++;
    atomic_store(&wanted, true);
    for (int patience = 0; patience < 300 && !atomic_load(&had); patience++)
        syc_sleep_ns(MS);
    seen_by_other = atomic_load(&had);
}

static bool lets_others_in(uint64_t near_ns)
{
    pthread_t other;
    open_queue((syc_queue_options){0});
    body = wait_for_other;
    CHECK_EQUAL(pthread_create(&other, NULL, ask_for_the_lock, NULL), 0);
    finish(launch(x, near_ns));
    pthread_join(other, NULL);
    CHECK_EQUAL(x[0], 1);
    CHECK_EQUAL(calls, 1);
    close_all();
    return seen_by_other;
}

static void small_ones_hold_the_lock(void)
{
    CHECK(!lets_others_in(SMALL_NS));
}

static void longer_ones_do_not(void)
{
    CHECK(lets_others_in(LARGER_NS));
}

static void shared_ones_do_not(void)
{
    CHECK(lets_others_in(LARGE_NS));
}

/* -- what it waits for -- */

/* `first` is in flight: the launch is not done before it has ended. */
static void expect_behind(syc_command *first, syc_command *second, const cl_uint *data)
{
    CHECK(!syc_command_ended(second));
    CHECK_EQUAL(calls, 0);
    fake_hold(0);
    finish(second);
    CHECK(syc_command_ended(first));
    CHECK_EQUAL(data[N - 1], 1);
    finish(first);
    close_all();
}

static void waits_for_memory(void)
{
    syc_command *first;
    open_queue((syc_queue_options){0});
    fake_hold(1);
    first = slow(queue, x, 5);
    finish(launch(y, SMALL_NS)); /* of other memory */
    CHECK_EQUAL(calls, 1);
    atomic_store(&calls, 0);
    expect_behind(first, launch(x, SMALL_NS), x);
}

static void waits_for_events(void)
{
    syc_command *first;
    open_queue((syc_queue_options){0});
    fake_hold(1);
    first = slow(queue, x, 5);
    expect_behind(first, launch_after(y, first), y);
}

static void waits_in_order(void)
{
    syc_command *first;
    open_queue((syc_queue_options){.in_order = true});
    fake_hold(1);
    first = slow(queue, x, 5);
    expect_behind(first, launch(y, SMALL_NS), y);
}

/* -- how it ends -- */

static void failed_before_it(void)
{
    syc_command *first, *second;
    syc_async_error error;
    cl_uint z = 0;

    open_queue((syc_queue_options){0});
    first = failing(queue, &z, 1);
    CHECK_OK(syc_command_wait(first, 30 * SECOND));
    second = launch_after(x, first);
    CHECK_OK(syc_command_wait(second, 30 * SECOND));
    CHECK(syc_command_failure(second) != NULL);
    CHECK_EQUAL(calls, 0);
    for (int i = 0; i < 2; i++) {
        drop_error(queue, &error);
        free_error(&error);
    }
    syc_command_release(first);
    syc_command_release(second);
    close_all();
}

static syc_status find_fault(void *payload)
{
    CHECK_EQUAL(((cl_uint *)payload)[0], 1); /* the kernel has run */
    return syc_fail(SYC_E_KERNEL, SYC_HERE, "index 5 is outside of x");
}

static void note_end(void *payload, bool succeeded)
{
    *(int *)payload += succeeded ? 10 : 1;
}

static void faults_that_it_found(void)
{
    syc_command *command = NULL;
    syc_async_error error;

    open_queue((syc_queue_options){0});
    CHECK_OK(try_launch(x, SMALL_NS, (syc_verdict){find_fault, x}, (syc_ending){0}, NULL, 0, &command));
    CHECK(syc_command_failure(command) != NULL);
    drop_error(queue, &error);
    CHECK(text_has(syc_failure_detail(error.failure).message, "index 5"));
    free_error(&error);
    syc_command_release(command);
    close_all();
}

static void somebody_is_told_of_its_end(void)
{
    syc_command *command = NULL;
    int ended = 0;
    open_queue((syc_queue_options){0});
    CHECK_OK(try_launch(x, SMALL_NS, (syc_verdict){0}, (syc_ending){note_end, &ended}, NULL, 0, &command));
    finish(command);
    CHECK_EQUAL(ended, 10);
    close_all();
}

static void keeps_its_times(void)
{
    syc_command *command;
    syc_times times = {0};
    open_queue((syc_queue_options){.profiling = true});
    command = launch(x, SMALL_NS);
    CHECK_OK(syc_command_wait(command, 30 * SECOND));
    CHECK_OK(syc_command_times(command, &times));
    CHECK(times.start != 0 && times.start <= times.end);
    syc_command_release(command);
    close_all();
}

static void profiles_know_it(void)
{
    syc_profile_mark mark;
    syc_profile_record *records = NULL;
    size_t count = 0;

    open_queue((syc_queue_options){0});
    syc_profile_open(queue, &mark);
    CHECK_OK(syc_profile_settle(queue));
    finish(launch(x, SMALL_NS));
    CHECK_OK(syc_profile_close(queue, &mark, &records, &count));
    CHECK(count > 0 && strcmp(records[count - 1].kind, "kernel") == 0 && records[count - 1].timed); /* after builds */
    syc_profile_free(records, count);
    close_all();
}

static void refused_in_a_forked_child(void)
{
    syc_command *command = NULL;
    int result = 0;
    pid_t child;

    open_queue((syc_queue_options){0});
    syc_command_release(launch(x, SMALL_NS));
    child = fork();
    if (child == 0) {
        const syc_status status = try_launch(x, SMALL_NS, (syc_verdict){0}, (syc_ending){0}, NULL, 0, &command);
        _exit(status != SYC_E_FORKED || calls != 1 || x[0] != 1 || let_go != kept);
    }
    CHECK(child > 0 && waitpid(child, &result, 0) == child);
    CHECK_EQUAL(result, 0);
    close_all();
}

static void refused_at_the_end(void)
{
    syc_command *command = NULL;
    open_queue((syc_queue_options){0});
    syc_schedule_refuse();
    CHECK_STATUS(try_launch(x, SMALL_NS, (syc_verdict){0}, (syc_ending){0}, NULL, 0, &command), SYC_E_CLOSED);
    CHECK_EQUAL(calls, 0);
    CHECK_EQUAL(let_go, kept);
    close_all();
}

int main(void)
{
    FIND_FAKE_DRIVER;
    CHILD(SHARING, ended_when_submitted);
    CHILD(LANES, ended_when_submitted);
    CHILD(SHARING, threads_on_one_array);
    CHILD(LANES, threads_on_one_array);
    CHILD(SHARING, threads_on_one_array_with_others);
    CHILD(LANES, threads_on_one_array_with_others);
    CHILD(LANES, small_ones_hold_the_lock);
    CHILD(LANES, longer_ones_do_not);
    CHILD(LANES, shared_ones_do_not);
    CHILD(SHARING, waits_for_memory);
    CHILD(SHARING, waits_for_events);
    CHILD(SHARING, waits_in_order);
    CHILD(SHARING, failed_before_it);
    CHILD(SHARING, faults_that_it_found);
    CHILD(SHARING, somebody_is_told_of_its_end);
    CHILD(SHARING, keeps_its_times);
    CHILD(SHARING, profiles_know_it);
    CHILD(SHARING, refused_in_a_forked_child);
    CHILD(SHARING, refused_at_the_end);
    return CHECK_EXIT_CODE;
}
