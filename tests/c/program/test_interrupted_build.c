/* Builds whose caller is called away by a signal's handler: they go on by themselves, and leave nothing behind. */
#include "base/interrupt.h"
#include "base/process.h"
#include "scene.h"

#define HELD "kernel void fail(global uint *out) { }\n#held\n"

static atomic_int asked;
static atomic_bool called_away;

static syc_status ask(void)
{
    atomic_fetch_add(&asked, 1);
    return atomic_load(&called_away) ? syc_fail(SYC_INTERRUPTED, SYC_HERE, "a test's handler") : SYC_OK;
}

static void hold_builds(int hold)
{
    void (*function)(int);
    *(void **)&function = fake_function("fake_hold_builds");
    function(hold);
}

static long builds_held(void)
{
    int (*function)(void);
    *(void **)&function = fake_function("fake_builds_held");
    return function();
}

static long builds(void)
{
    return syc_fault_calls("BuildProgram");
}

static void open_held(const char *text)
{
    open_scene();
    CHECK_OK(syc_fault_install(device->platform->driver));
    syc_program_release(program);
    CHECK_OK(syc_program_create(text, strlen(text), NULL, &program));
    syc_interrupt_set_hook(ask);
    atomic_store(&called_away, true);
    hold_builds(1);
}

/* Nobody looks for signals any more, and builds end. */
static void let(void)
{
    atomic_store(&called_away, false);
    hold_builds(0);
}

/* A build that nobody waits for lets go of its context, through the table that is put back here, after its end. */
static void close_held(void)
{
    CHECK(settles(builds_held));
    close_scene();
    CHECK_OK(syc_fault_install(NULL));
}

static void it_goes_on(void)
{
    syc_build *build = NULL;
    open_held(HELD);
    for (int i = 0; i < 5; i++)
        CHECK_STATUS(syc_program_build(program, context, &build), SYC_INTERRUPTED);
    CHECK(!syc_program_is_built(program, context));
    CHECK_EQUAL(builds(), 1);
    let();
    CHECK_OK(syc_program_build(program, context, &build));
    CHECK(syc_program_is_built(program, context));
    CHECK_EQUAL(builds(), 1);
    close_held();
}

static void its_failure_is_kept(void)
{
    syc_build *build = NULL;
    open_held(HELD "#error broken\n");
    CHECK_STATUS(syc_program_build(program, context, &build), SYC_INTERRUPTED);
    let();
    for (int i = 0; i < 2; i++)
        CHECK_STATUS(syc_program_build(program, context, &build), SYC_E_BUILD);
    CHECK_EQUAL(builds(), 1);
    close_held();
}

/* All that it uses is its own then. */
static void whoever_asked_may_be_gone(void)
{
    enum { MANY = 4 };
    syc_build *build = NULL;
    open_held(HELD);
    for (int i = 0; i < MANY; i++) {
        CHECK_STATUS(syc_program_build(program, context, &build), SYC_INTERRUPTED);
        syc_program_release(program);
        CHECK_OK(syc_program_create(HELD, strlen(HELD), NULL, &program));
    }
    syc_context_release(context);
    context = NULL;
    let();
    close_held();
}

/* -- other threads -- */

static void *build_elsewhere(void *out)
{
    syc_build *build = NULL;
    *(syc_status *)out = syc_program_build(program, context, &build);
    return NULL;
}

static void *let_later(void *unused)
{
    syc_sleep_ns((uint64_t)200 * MS);
    let();
    return unused;
}

static void a_handler_that_returns_ends_nothing(void)
{
    syc_build *build = NULL;
    pthread_t later;
    open_held(HELD);
    atomic_store(&called_away, false);
    CHECK_EQUAL(pthread_create(&later, NULL, let_later, NULL), 0);
    CHECK_OK(syc_program_build(program, context, &build));
    pthread_join(later, NULL);
    CHECK(atomic_load(&asked) > 0);
    close_held();
}

static void other_threads_are_not_asked(void)
{
    syc_status status = SYC_E_RUNTIME;
    pthread_t thread, later;
    open_held(HELD);
    CHECK_EQUAL(pthread_create(&thread, NULL, build_elsewhere, &status), 0);
    CHECK_EQUAL(pthread_create(&later, NULL, let_later, NULL), 0);
    pthread_join(thread, NULL);
    pthread_join(later, NULL);
    CHECK_OK(status);
    CHECK_EQUAL(atomic_load(&asked), 0);
    close_held();
}

/* One thread began, the other one leaves. */
static void another_thread_still_waits(void)
{
    syc_status status = SYC_E_RUNTIME;
    syc_build *build = NULL;
    pthread_t thread;
    open_held(HELD);
    CHECK_EQUAL(pthread_create(&thread, NULL, build_elsewhere, &status), 0);
    while (builds_held() == 0)
        syc_sleep_ns(MS);
    CHECK_STATUS(syc_program_build(program, context, &build), SYC_INTERRUPTED);
    let();
    pthread_join(thread, NULL);
    CHECK_OK(status);
    CHECK_EQUAL(builds(), 1);
    close_held();
}

static void the_end_does_not_wait_for_it(void)
{
    syc_build *build = NULL;
    uint64_t began;
    open_held(HELD);
    CHECK_STATUS(syc_program_build(program, context, &build), SYC_INTERRUPTED);
    began = syc_now_ns();
    CHECK(!syc_process_await_work((uint64_t)20 * SECOND));
    CHECK(syc_now_ns() - began < 10 * SECOND);
    _exit(check__failures != 0);
}

int main(void)
{
    FIND_FAKE_DRIVER;
    CHILD(SHARING, it_goes_on);
    CHILD(SHARING, its_failure_is_kept);
    CHILD(SHARING, whoever_asked_may_be_gone);
    CHILD(SHARING, a_handler_that_returns_ends_nothing);
    CHILD(SHARING, other_threads_are_not_asked);
    CHILD(SHARING, another_thread_still_waits);
    CHILD(SHARING, the_end_does_not_wait_for_it);
    return CHECK_EXIT_CODE;
}
