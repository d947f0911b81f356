/* Each member's pieces are one word, of which owner and thieves take by compare-and-swap: the owner from its front, so
 * that it comes to the same memory in each job of a row, thieves from its back. The job is written before the words
 * are, and not again before all pieces have ended; it is read only by a thread that has a piece.
 *
 * Each member has a bell of its own. With one for all, a thread that was not asked took the wake-up of another, and
 * whoever watched the bell took its cache line from all others. */
#define _GNU_SOURCE
#include "base/team.h"

#include "base/clock.h"
#include "base/team_processors.h"
#include "base/thread.h"

#include <errno.h>
#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <unistd.h>

enum {
    SPIN_NS = 50000,        /* a thread without work watches its bell so long: 200 us cost neighbours a fifth */
    IDLE_S = 1,             /* and sleeps so long before it ends */
    JOIN_SPIN_NS = 20000,   /* the calling thread's wait for pieces that others have begun, before it */
    JOIN_YIELD_NS = 200000, /* lets others run, and before it sleeps */
    SHARE_NS = 3000,        /* work that is worth a further thread */
    WAKE_NS = 40000,        /* work for which sleeping threads are woken, */
    ROW_NS = 100000,        /* or a job that comes so soon after the one before, besides */
    ROW_WORK = 4,           /* so many times its own work */
    PATIENCE_NS = 500000,   /* a longer wait, besides the work: one of them was not let run in the middle of a piece */
    MISSES = 4,             /* more jobs in a row without help, */
    MISSED_NS = 200000,     /* for so long, close the team */
    MISSED_CLOSED_NS = 1000000, /* for a short time: they cost little */
    CLOSED_NS = 10000000,       /* such a wait costs much: it closes the team for so long, */
    CLOSED_AGAIN = 4,           /* and for twice as long where it comes within so many times the last closing */
    CLOSED_MOST_NS = 160000000, /* behind it, up to this */
    START_NS = 100000000,       /* where no thread can be started, none is tried for so long */
    LINE = 128                  /* bytes that no two members share: processors fetch lines by pairs */
};

enum state { GONE, AWAKE, ASLEEP };

struct member {
    _Alignas(LINE) atomic_uint_fast64_t pieces; /* number of the job, first piece, past the last one */
    _Alignas(LINE) atomic_uint bell;
    atomic_int state; /* the calling thread makes those AWAKE that are not */
    syc_team_place place;
};

static struct {
    struct member members[SYC_TEAM_MOST]; /* of [0] only the pieces: it is the calling thread */
    _Alignas(LINE) atomic_size_t left;    /* pieces that have not ended */
    _Alignas(LINE) syc_team_job job;
    atomic_size_t members_asked;
    /* -- of whoever has taken the team -- */
    _Alignas(LINE) atomic_bool taken;
    uint64_t number, asked_ns, missed_ns, closed_until_ns, closed_ns, start_ns;
    size_t few; /* members, as long as no further thread is to be started: until start_ns */
    unsigned misses;
    atomic_uint_fast64_t jobs, helped, closings; /* others read them */
} team;

static atomic_size_t limit = SYC_TEAM_MOST;
static atomic_bool insists;

void syc_team_limit(size_t most)
{
    atomic_store(&limit, most);
}

bool syc_team_is_off(void)
{
    return atomic_load_explicit(&limit, memory_order_relaxed) == 0;
}

void syc_team_insist(bool insist)
{
    atomic_store(&insists, insist);
}

void syc_team_count(syc_team_counts *out)
{
    *out = (syc_team_counts){
        .jobs = atomic_load(&team.jobs), .helped = atomic_load(&team.helped), .closings = atomic_load(&team.closings)};
}

static inline void relax(void)
{
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ __volatile__("yield");
#endif
}

/* -- pieces -- */

static uint64_t pack(uint64_t number, size_t first, size_t past)
{
    return number << 32 | (uint64_t)first << 16 | past;
}

/* Some of the member's pieces: the fewer, the fewer there are left. */
static bool take(struct member *of, bool own, size_t *first, size_t *past)
{
    uint64_t word = atomic_load_explicit(&of->pieces, memory_order_acquire);
    for (;;) {
        size_t from = word >> 16 & 0xffff, to = word & 0xffff, some = (to - from) / 4;
        if (from >= to)
            return false;
        some = some > 0 ? some : 1;
        *first = own ? from : to - some;
        *past = own ? from + some : to;
        if (atomic_compare_exchange_weak_explicit(&of->pieces, &word,
                                                  pack(word >> 32, own ? from + some : from, own ? to : to - some),
                                                  memory_order_acq_rel, memory_order_acquire))
            return true;
    }
}

/* Does its own pieces, then others'. Gives how many. */
static size_t help(size_t me)
{
    size_t members = atomic_load_explicit(&team.members_asked, memory_order_relaxed), done = 0, first, past;
    for (size_t i = 0; i < members; i++) {
        size_t of = (me + i) % members;
        while (take(&team.members[of], i == 0, &first, &past)) {
            team.job.work(team.job.payload, first, past);
            done += past - first;
        }
    }
    return done;
}

/* -- threads -- */

static long futex(atomic_uint *word, int operation, unsigned value, const struct timespec *timeout)
{
    return syscall(SYS_futex, word, operation | FUTEX_PRIVATE_FLAG, value, timeout, NULL, 0);
}

/* Waits for another value than `seen`. False: nobody has rung for long. */
static bool await_bell(struct member *me, unsigned seen)
{
    const struct timespec idle = {.tv_sec = IDLE_S};
    uint64_t until = syc_now_ns() + SPIN_NS;
    int state = ASLEEP;
    bool idled;

    do {
        for (int turn = 0; turn < 32; turn++) {
            if (atomic_load_explicit(&me->bell, memory_order_acquire) != seen)
                return true;
            relax();
        }
    } while (!syc__team_is_in_the_way() && syc_now_ns() < until);
    atomic_store(&me->state, ASLEEP);
    idled = futex(&me->bell, FUTEX_WAIT, seen, &idle) != 0 && errno == ETIMEDOUT;
    if (idled && atomic_compare_exchange_strong(&me->state, &state, GONE)) /* it may be another thread's at once */
        return false;
    atomic_store(&me->state, AWAKE);
    return true;
}

static void *serve(void *argument)
{
    struct member *me = argument;
    size_t number = (size_t)(me - team.members), done;
    unsigned seen;

    syc__team_enter(&me->place);
    do { /* what is not done by this thread others do, so a bell that is heard twice or late does no harm */
        seen = atomic_load_explicit(&me->bell, memory_order_acquire);
        done = syc__team_sits_well(&me->place) ? help(number) : 0;
        if (done > 0)
            atomic_fetch_sub_explicit(&team.left, done, memory_order_acq_rel);
    } while (await_bell(me, seen));
    return NULL;
}

/* A forked child has none of these threads; the thread that forked was at no job. */
static void forget_threads(void)
{
    for (size_t i = 1; i < SYC_TEAM_MOST; i++)
        atomic_store(&team.members[i].state, GONE);
    atomic_store(&team.taken, false);
    syc__team_unseat();
}

static void watch_forks(void)
{
    (void)pthread_atfork(NULL, NULL, forget_threads); /* without memory for it a child is as slow as one thread */
}

/* False: there is no such thread, and none can be started. */
static bool ring(struct member *member)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    int state = ASLEEP;
    atomic_fetch_add(&member->bell, 1);
    if (atomic_compare_exchange_strong(&member->state, &state, AWAKE)) { /* it is woken once, however late it comes */
        syc__team_put_sleeper(&member->place);
        (void)futex(&member->bell, FUTEX_WAKE, 1, NULL);
    } else if (state == GONE) {
        atomic_store(&member->state, AWAKE);
        pthread_once(&once, watch_forks);
        if (syc_thread_start(serve, member) == 0)
            return true;
        atomic_store(&member->state, GONE);
        return false;
    }
    return true;
}

/* The pieces of one that does not come others do. */
static void ring_all(size_t members)
{
    for (size_t i = 1; i < members; i++)
        if (!ring(&team.members[i])) {
            team.few = i;
            team.start_ns = syc_now_ns() + START_NS;
            return;
        }
}

/* -- jobs -- */

static size_t smaller(size_t a, size_t b)
{
    return a < b ? a : b;
}

static size_t members_for(uint64_t ns, size_t most)
{
    most = smaller(smaller(most, atomic_load_explicit(&limit, memory_order_relaxed)), SYC_TEAM_MOST);
    return most < 2 ? 1 : smaller(most, 1 + (size_t)(ns / SHARE_NS));
}

size_t syc_team_size(uint64_t ns)
{
    return members_for(ns, syc__team_cpus(syc_now_ns()));
}

/* Is somebody awake, or the work worth a wake-up? */
static bool is_worth(uint64_t ns, size_t members, uint64_t now)
{
    bool in_a_row = now - team.asked_ns < ROW_NS + ROW_WORK * ns;
    team.asked_ns = now;
    for (size_t i = 1; i < members; i++)
        if (atomic_load_explicit(&team.members[i].state, memory_order_relaxed) == AWAKE)
            return true;
    return in_a_row || ns >= WAKE_NS;
}

static void close_for_a_while(uint64_t now)
{
    const bool again = now - team.closed_until_ns < CLOSED_AGAIN * team.closed_ns;
    team.closed_ns = !again ? CLOSED_NS : team.closed_ns < CLOSED_MOST_NS / 2 ? 2 * team.closed_ns : CLOSED_MOST_NS;
    team.closed_until_ns = now + team.closed_ns;
    team.misses = 0;
    atomic_fetch_add_explicit(&team.closings, 1, memory_order_relaxed);
}

/* Pieces that others have begun. */
static void join(uint64_t patience_ns)
{
    uint64_t began, waited = 0;
    if (atomic_load_explicit(&team.left, memory_order_acquire) == 0)
        return;
    began = syc_now_ns();
    while (atomic_load_explicit(&team.left, memory_order_acquire) != 0) {
        if (waited < JOIN_SPIN_NS)
            relax();
        else if (waited < JOIN_YIELD_NS)
            sched_yield();
        else
            syc_sleep_ns(JOIN_SPIN_NS);
        waited = syc_now_ns() - began;
    }
    if (waited > patience_ns)
        close_for_a_while(began + waited);
}

/* A thread that has to be woken comes to the jobs after the first. */
static void note_miss(uint64_t now)
{
    if (team.misses++ == 0 || now - team.missed_ns > MISSED_CLOSED_NS)
        team.missed_ns = now;
    else if (team.misses > MISSES && now - team.missed_ns > MISSED_NS)
        team.closed_until_ns = now + MISSED_CLOSED_NS;
}

static void hand_out(const syc_team_job *job, size_t members)
{
    team.job = *job;
    team.number++;
    atomic_store_explicit(&team.members_asked, members, memory_order_relaxed);
    syc__team_sit();
    atomic_store_explicit(&team.left, job->pieces, memory_order_relaxed);
    for (size_t i = 0; i < members; i++)
        atomic_store_explicit(&team.members[i].pieces,
                              pack(team.number, job->pieces * i / members, job->pieces * (i + 1) / members),
                              memory_order_release);
}

static void run_taken(const syc_team_job *job, size_t members)
{
    size_t own;

    hand_out(job, members);
    ring_all(members);
    own = help(0);
    atomic_fetch_sub_explicit(&team.left, own, memory_order_acq_rel);
    join(PATIENCE_NS + job->ns);
    atomic_fetch_add_explicit(&team.jobs, 1, memory_order_relaxed);
    atomic_fetch_add_explicit(&team.helped, own < job->pieces, memory_order_relaxed);
    if (own < job->pieces)
        team.misses = 0;
    else
        note_miss(syc_now_ns());
}

bool syc_team_run(const syc_team_job *job)
{
    bool insist = atomic_load_explicit(&insists, memory_order_relaxed), does;
    uint64_t now;
    size_t members;

    if (job->pieces < 2 || job->pieces > SYC_TEAM_PIECES ||
        atomic_exchange_explicit(&team.taken, true, memory_order_acquire))
        return false;
    now = syc_now_ns();
    members = syc__team_cpus(now);
    members = smaller(members_for(job->ns, insist ? SYC_TEAM_MOST : members), job->pieces);
    if (now < team.start_ns)
        members = smaller(members, team.few);
    does = members > 1 && (insist || now >= team.closed_until_ns) && (is_worth(job->ns, members, now) || insist);
    if (does)
        run_taken(job, members);
    atomic_store_explicit(&team.taken, false, memory_order_release);
    return does;
}
