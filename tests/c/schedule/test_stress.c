/* Threads that submit to shared queues over shared arrays, from a seed (SYC_TEST_SEED): whatever the interleaving, the
 * arrays end as the serial order makes them. */
#include "scene.h"

enum { THREADS = 4, QUEUES = 5, ARRAYS = 8, ITEMS = 16 };
#ifdef __SANITIZE_THREAD__
enum { ROUNDS = 60 };
#else
enum { ROUNDS = 250 };
#endif

static uint64_t seed;
static syc_queue *queues[QUEUES];
static syc_context *second_context;
static cl_uint arrays[ARRAYS][ITEMS], expected[ARRAYS][ITEMS];

/* Queues in and out of order, of two contexts. */
static void open_queues(void)
{
    CHECK_OK(syc_context_create(&device, 1, &second_context));
    for (int i = 0; i < QUEUES; i++)
        CHECK_OK(syc_queue_create(i % 2 ? second_context : context, device,
                                  (syc_queue_options){.in_order = i == 2 || i == 3}, &queues[i]));
    for (int a = 0; a < ARRAYS; a++)
        for (int i = 0; i < ITEMS; i++)
            arrays[a][i] = expected[a][i] = (cl_uint)(a * 100 + i);
}

static void close_queues(void)
{
    for (int i = 0; i < QUEUES; i++)
        close_queue(queues[i]);
    syc_context_release(second_context);
}

static void in_threads(void *(*body)(void *))
{
    pthread_t threads[THREADS];
    for (intptr_t t = 0; t < THREADS; t++)
        CHECK_EQUAL(pthread_create(&threads[t], NULL, body, (void *)t), 0);
    for (int t = 0; t < THREADS; t++)
        pthread_join(threads[t], NULL);
}

/* What churn does, as the serial order has it. */
static void churn_here(cl_uint *y, const cl_uint *x, size_t n, cl_uint a)
{
    for (size_t i = 0; i < n; i++)
        y[i] = 31 * y[i] + x[i] + a;
}

/* The test's own lock makes the order of submission known; running, waiting and polling happen outside of it. */
static pthread_mutex_t order = PTHREAD_MUTEX_INITIALIZER;

static syc_command *random_command(uint64_t *random)
{
    static const ptrdiff_t shape[] = {ITEMS / 2}, strides[] = {8};
    unsigned to = next_random(random) % ARRAYS, from = (to + 1 + next_random(random) % (ARRAYS - 1)) % ARRAYS;
    cl_uint n = ITEMS / 2, a = next_random(random);
    size_t y = next_random(random) % (ITEMS / 2), x = next_random(random) % (ITEMS / 2);
    bool strided = next_random(random) % 4 == 0;
    syc_argument arguments[] = {array(&arrays[to][y], n * 4, true), array(&arrays[from][x], n * 4, false), value(&a),
                                value(&n)};
    syc_command *command = NULL;

    if (strided) {
        arguments[1].span = (syc_host_array){.data = (char *)arrays[from],
                                             .bytes = n * 4,
                                             .alignment = 4,
                                             .rank = 1,
                                             .item_size = 4,
                                             .shape = shape,
                                             .strides = strides};
    }
    pthread_mutex_lock(&order);
    CHECK_OK(submit(queues[next_random(random) % QUEUES], "churn", arguments, 4, n, 1, NULL, 0, &command));
    for (size_t i = 0; i < n; i++)
        expected[to][y + i] = 31 * expected[to][y + i] + expected[from][strided ? 2 * i : x + i] + a;
    pthread_mutex_unlock(&order);
    return command;
}

/* A thread keeps some commands, and waits for, polls or forgets them as the numbers fall. */
static void *known_order(void *argument)
{
    enum { KEPT = 8 };
    uint64_t random = seed + (uint64_t)(intptr_t)argument * 7919;
    syc_command *some[KEPT] = {NULL};
    syc_command_status seen;

    for (int round = 0; round < ROUNDS; round++) {
        unsigned slot = next_random(&random) % KEPT, what = next_random(&random) % 8;
        if (some[slot] != NULL && what == 0)
            CHECK_OK(syc_command_wait(some[slot], 50 * SECOND));
        else if (some[slot] != NULL && what < 4)
            CHECK_OK(syc_command_poll(some[slot], &seen));
        syc_command_release(some[slot]);
        some[slot] = random_command(&random);
    }
    for (int i = 0; i < KEPT; i++)
        syc_command_release(some[i]);
    return NULL;
}

static void serial_order(void)
{
    open_scene();
    open_queues();
    in_threads(known_order);
    close_queues();
    CHECK(memcmp(arrays, expected, sizeof arrays) == 0);
    close_scene();
}

/* Nobody knows the order here: each thread's own array shows its own order, and a shared one, to which all add, that
 * none got lost. */
static cl_uint own[THREADS][ITEMS], constant[ITEMS], own_expected[THREADS][ITEMS];
static float sums[ITEMS], ones[ITEMS];
static atomic_long added;

static void *unknown_order(void *argument)
{
    size_t t = (size_t)(intptr_t)argument;
    uint64_t random = seed ^ (t * 104729);
    for (int round = 0; round < ROUNDS; round++) {
        syc_queue *queue = queues[next_random(&random) % QUEUES];
        cl_uint a = next_random(&random), n = ITEMS;
        const float one = 1;
        syc_argument adding[] = {array(sums, sizeof sums, true), array(ones, sizeof ones, false), value(&one),
                                 value(&n)};
        syc_command *command = NULL;
        if (next_random(&random) % 2) {
            CHECK_OK(submit(queue, "add", adding, 4, ITEMS, 1, NULL, 0, &command));
            atomic_fetch_add(&added, 1);
        } else {
            command = churn(queue, own[t], constant, ITEMS, a);
            churn_here(own_expected[t], constant, ITEMS, a);
        }
        if (next_random(&random) % 16 == 0)
            CHECK_OK(syc_command_wait(command, 50 * SECOND));
        syc_command_release(command);
    }
    return NULL;
}

static void unordered_threads(void)
{
    open_scene();
    open_queues();
    for (int i = 0; i < ITEMS; i++) {
        ones[i] = 1;
        constant[i] = (cl_uint)i;
    }
    in_threads(unknown_order);
    close_queues();
    CHECK(memcmp(own, own_expected, sizeof own) == 0);
    for (int i = 0; i < ITEMS; i++)
        CHECK_EQUAL(sums[i], added);
    close_scene();
}

/* The same with failures in between: every one is handed out once, and what is not poisoned still runs. */
static atomic_long failed;

static void *with_failures(void *argument)
{
    uint64_t random = seed + (uint64_t)(intptr_t)argument * 31;
    for (int round = 0; round < ROUNDS / 2; round++) {
        syc_queue *queue = queues[next_random(&random) % QUEUES];
        syc_command *command = next_random(&random) % 4
                                   ? churn(queue, arrays[next_random(&random) % ARRAYS], constant, ITEMS, 1)
                                   : failing(queue, arrays[next_random(&random) % ARRAYS], 1);
        CHECK_OK(syc_command_wait(command, 50 * SECOND));
        if (syc_command_failure(command) != NULL)
            atomic_fetch_add(&failed, 1);
        syc_command_release(command);
    }
    return NULL;
}

static void failures_in_threads(void)
{
    long fetched = 0;
    syc_async_error error;

    open_scene();
    open_queues();
    in_threads(with_failures);
    for (int i = 0; i < QUEUES; i++) {
        while (syc_queue_take_error(queues[i], &error)) {
            syc_failure_free(error.failure);
            syc_free(error.site);
            fetched++;
        }
    }
    CHECK(failed > 0);
    CHECK_EQUAL(fetched, failed);
    close_queues();
    close_scene();
}

int main(void)
{
    const char *chosen = getenv("SYC_TEST_SEED");
    int before;
    FIND_FAKE_DRIVER;
    seed = chosen != NULL ? strtoull(chosen, NULL, 10) : (uint64_t)syc_now_ns();
    scene_cost = 1000; /* with lanes, the calling thread's */
    before = check__failures;
    ON_EVERY_DEVICE(serial_order);
    ON_EVERY_DEVICE(unordered_threads);
    ON_EVERY_DEVICE(failures_in_threads);
    if (check__failures != before)
        fprintf(stderr, "again with SYC_TEST_SEED=%llu\n", (unsigned long long)seed);
    return CHECK_EXIT_CODE;
}
