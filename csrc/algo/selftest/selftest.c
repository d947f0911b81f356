/* The findings of the self-test: when they are made, by which thread, and where they are kept. */
#include "algo/selftest/parts.h"

#include "base/alloc.h"
#include "base/clock.h"
#include "base/deep.h"
#include "base/digest.h"
#include "base/interrupt.h"
#include "base/process.h"
#include "library/checks/sites.h"
#include "library/embedded.h"
#include "program/cache/mark.h"
#include "program/cache/use.h"
#include "program/recipe.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

struct record {
    struct record *next;
    const syc_device *root; /* root devices live for ever */
    syc_family family;
    syc_selftest_verdict verdict;
    uint64_t again_ns; /* what could not be tested is tried again from then on */
};
enum { AGAIN = 20 }; /* so much longer than a test took */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t found;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static bool busy;              /* a thread finds something out; under the lock, as is what follows */
static uint64_t begun;         /* how often one began to */
static struct record *records; /* one for each family of a device that was asked for */
static atomic_bool enabled;
static atomic_uchar faults[SYC_FAMILY_COUNT][SYC__KNOWN_WAYS];
static atomic_ullong limit_ns, trials;

/* -- what is tried -- */

static bool is_of_library(syc_family family)
{
    return family >= SYC_FAMILY_ATOMICS && family <= SYC_FAMILY_JOINT;
}

static bool is_of_scans(syc_family family)
{
    return (family >= SYC_FAMILY_SCAN_VECTORS && family <= SYC_FAMILY_SCAN_BESIDE) || family == SYC_FAMILY_SCAN_ROUNDS;
}

static syc_status make_trial(syc_context *context, syc_device *device, syc_family family, unsigned way,
                             syc__trial **out)
{
    syc__trial *trial = NULL;
    syc_status status = SYC_OK;

    SYC_TRY(syc__trial_create(context, device, &trial));
    if (is_of_library(family))
        SYC_TRY(syc__selftest_library_trial(trial, family));
    else if (is_of_scans(family))
        SYC_TRY(syc__selftest_scan_trial(trial, family));
    else if (family > SYC_FAMILY_HIERARCHICAL)
        SYC_TRY(syc__selftest_reduce_trial(trial, family));
    else
        SYC_TRY(syc__selftest_body_trial(trial, family, way));
    SYC_TRY(syc__trial_options(trial, family, way));
    *out = trial;
    trial = NULL;
done:
    syc__trial_release(trial);
    return status;
}

/* -- what is kept: an answer of the cache, under the texts that could have changed it -- */

/* The findings of an earlier process. */
struct answer {
    unsigned char way, state;
    char words[sizeof((syc_selftest_verdict *)0)->words];
};

/* The text of a trial, up to the last character of the kernel in the way that comes first. */
static syc_status digest_trial(syc_context *context, syc_device *device, syc_family family, unsigned way,
                               unsigned char out[SYC_DIGEST_SIZE])
{
    syc_status status = SYC_OK;
    struct syc__program_texts texts;
    syc__trial *trial = NULL;
    syc_digest digest;

    syc_digest_begin(&digest);
    SYC_TRY(make_trial(context, device, family, way, &trial));
    syc__program_texts(trial->program, 0, &texts);
    for (cl_uint i = 0; i < texts.count; i++)
        syc_digest_add(&digest, texts.texts[i], texts.lengths[i]);
    syc_digest_end(&digest, out);
done:
    syc__trial_release(trial);
    return status;
}

/* Under the texts of kernels/, whatever the family is made of, and for bodies what is made of the test's. */
static void ask_cache(syc_context *context, syc_device *device, syc_family family, unsigned way, syc_text *question)
{
    unsigned char digest[SYC_DIGEST_SIZE] = {0};

    syc_text_add(question, "self-test of %s, texts %s", syc__selftest_family_name(family), syc__kernel_texts_digest);
    if (is_of_library(family) ||
        digest_trial(context, device, family, way, digest) != SYC_OK) /* then the trial says why */
        return;
    syc_text_add(question, ", body ");
    for (size_t i = 0; i < sizeof digest; i++)
        syc_text_add(question, "%02x", digest[i]);
}

static bool is_possible(const struct answer *answer, const unsigned char *ways, size_t count)
{
    bool possible = answer->state == SYC_SELFTEST_REFUSED && answer->way == SYC_WAY_NONE;
    for (size_t i = 0; i < count; i++)
        possible |= answer->way == ways[i] && answer->state == (i == 0 ? SYC_SELFTEST_RIGHT : SYC_SELFTEST_REPLACED);
    return possible && memchr(answer->words, '\0', sizeof answer->words) != NULL;
}

static bool recall(const syc_context *context, const char *question, const unsigned char *ways, size_t count,
                   struct answer *out)
{
    return syc__cache_recall(context, question, "", out, sizeof *out) && is_possible(out, ways, count);
}

/* -- finding out -- */

static syc__outcome try_way(syc_context *context, syc_device *device, syc_family family, unsigned way,
                            syc_selftest_fault fault, syc_text *words)
{
    uint64_t limit = atomic_load(&limit_ns);
    syc__trial *trial = NULL;
    syc_status status = make_trial(context, device, family, way, &trial);

    if (fault == SYC_SELFTEST_DIES)
        _exit(SYC_SELFTEST_DIES);
    if (status == SYC_OK && fault == SYC_SELFTEST_NO_MEMORY)
        status = syc_fail(SYC_E_MEMORY_ALLOCATION, SYC_HERE, "no memory, as a test has asked for");
    if (status != SYC_OK) {
        syc_text_add(words, "%s", syc_detail_of(status).message);
        syc__trial_release(trial);
        return SYC__UNTESTED;
    }
    trial->fault = fault;
    trial->kernel_ns = limit > 0 && fault == SYC_SELFTEST_HANGS ? limit : trial->kernel_ns;
    trial->all_ns = limit > 0 && fault == SYC_SELFTEST_STUCK ? limit : trial->all_ns;
    return syc__trial_run(trial, words);
}

/* Is it the way that fails, or the machine? A full disk, no descriptors, no memory: whatever it lacks, another kernel
 * lacks it too. Then the way is tried once more, since the lack may have passed in between. */
static syc__outcome try_in_doubt(syc_context *context, syc_device *device, syc_family family, unsigned way,
                                 syc_selftest_fault fault, syc_text *words)
{
    syc__outcome outcome = try_way(context, device, family, way, fault, words);

    atomic_fetch_add(&trials, 1);
    if (outcome != SYC__FAILED)
        return outcome;
    syc_text_clear(words);
    if (!syc__selftest_control(context, device, words))
        return SYC__UNTESTED;
    outcome = try_way(context, device, family, way, fault, words);
    return outcome == SYC__FAILED ? SYC__WRONG : outcome;
}

/* A process that dies in the self-test dies once for each way, and once more, since somebody may have killed it. Where
 * one has died a trivial kernel comes first: compilers end the process for want of a disk, too. */
static syc__outcome try_marked(syc_context *context, syc_device *device, syc_family family, unsigned way,
                               const char *question, syc_selftest_fault fault, syc_text *words)
{
    enum { MOST_DEATHS = 2 };
    syc__outcome outcome = SYC__WRONG;
    syc_text what = {0};
    syc__mark mark;

    syc_text_add(&what, "%s, way %u", question, way);
    if (what.cut ||
        (syc__mark_is_there(context, syc_text_get(&what)) && !syc__selftest_control(context, device, words))) {
        syc_text_clear(&what);
        return SYC__UNTESTED;
    }
    syc__mark_make(context, syc_text_get(&what), &mark);
    if (mark.deaths < MOST_DEATHS)
        outcome = try_in_doubt(context, device, family, way, fault, words);
    else
        syc_text_add(words, "%u processes ended in it", mark.deaths);
    syc__mark_remove(&mark);
    syc_text_clear(&what);
    return outcome;
}

/* The first way that gives the right answers; without one SYC_WAY_NONE. */
static void try_ways(syc_context *context, syc_device *device, syc_family family, const unsigned char *ways,
                     size_t count, const char *question, struct answer *out)
{
    syc_text words = {0}; /* of the first that is wrong: the others are there to take its place */

    *out = (struct answer){.way = SYC_WAY_NONE, .state = SYC_SELFTEST_REFUSED};
    for (size_t i = 0; i < count && out->way == SYC_WAY_NONE; i++) {
        syc_text own = {0};
        syc__outcome outcome = try_marked(context, device, family, ways[i], question,
                                          (syc_selftest_fault)atomic_load(&faults[family][i]), &own);
        if (outcome == SYC__UNTESTED) {
            out->state = SYC_SELFTEST_UNTESTED;
            out->way = ways[0];
        } else if (outcome == SYC__RIGHT) {
            out->state = i == 0 ? SYC_SELFTEST_RIGHT : SYC_SELFTEST_REPLACED;
            out->way = ways[i];
        }
        if (words.length == 0 || outcome == SYC__UNTESTED) {
            syc_text_clear(&words);
            words = own;
        } else {
            syc_text_clear(&own);
        }
    }
    (void)snprintf(out->words, sizeof out->words, "%s", syc_text_get(&words));
    syc_text_clear(&words);
}

static void find_out(syc_context *context, syc_device *device, syc_family family, struct answer *out,
                     syc_selftest_verdict *verdict)
{
    unsigned char ways[SYC__KNOWN_WAYS];
    size_t count = syc__selftest_ways(device, family, ways);
    uint64_t began = syc_now_ns();
    syc_text question = {0};

    *out = (struct answer){.way = SYC_WAY_UNKNOWN};
    ask_cache(context, device, family, ways[0], &question);
    verdict->kept = !question.cut && recall(context, syc_text_get(&question), ways, count, out);
    if (!verdict->kept) {
        try_ways(context, device, family, ways, count, syc_text_get(&question), out);
        if (out->state != SYC_SELFTEST_UNTESTED && !question.cut) /* a later process may be luckier */
            syc__cache_note(context, syc_text_get(&question), "", out, sizeof *out);
    }
    syc_text_clear(&question);
    verdict->state = (syc_selftest_state)out->state;
    verdict->family = syc__selftest_family_name(family);
    verdict->way = syc__selftest_way_name(family, out->way);
    if (out->way == SYC_WAY_NONE && syc__selftest_stand_in(family) != SYC_FAMILY_COUNT) {
        verdict->state = SYC_SELFTEST_REPLACED;
        verdict->way = syc__selftest_family_name(syc__selftest_stand_in(family));
    }
    memcpy(verdict->words, out->words, sizeof verdict->words);
    verdict->ns = syc_now_ns() - began;
}

/* -- settling -- */

static bool is_known(const syc_device *device, syc_family family)
{
    return syc_device_way(device, family) != SYC_WAY_UNKNOWN;
}

static struct record *find_record_locked(const syc_device *root, syc_family family)
{
    struct record *record = records;
    while (record != NULL && (record->root != root || record->family != family))
        record = record->next;
    return record;
}

/* Known, or found untestable a moment ago. */
static bool is_settled_locked(const syc_device *root, syc_family family)
{
    const struct record *record = find_record_locked(root, family);
    return is_known(root, family) || (record != NULL && syc_now_ns() < record->again_ns);
}

/* A family that could not be tested stays unknown: the facts are believed meanwhile. Takes the record, or what it says.
 */
static void put_locked(struct record *record, unsigned char way)
{
    const bool untested = record->verdict.state == SYC_SELFTEST_UNTESTED;
    struct record *before = find_record_locked(record->root, record->family);

    record->again_ns = untested ? syc_now_ns() + AGAIN * record->verdict.ns : 0;
    if (!untested)
        atomic_store(&((syc_device *)record->root)->ways[record->family], way);
    if (before != NULL) {
        record->next = before->next;
        *before = *record;
        syc_free(record);
    } else {
        record->next = records;
        records = record;
    }
}

static void initialise(void)
{
    syc_cond_init(&found);
}

/* The question of one run. */
struct question {
    syc_context *context; /* retained, as the device is */
    syc_device *device;
    struct record *record;
};

static void clear_question(struct question *q)
{
    syc_device_release(q->device);
    syc_context_release(q->context);
    syc_free(q->record);
    syc_free(q);
}

static syc_status make_question(syc_context *context, syc_device *device, syc_family family, struct question **out)
{
    struct question *q = NULL;
    syc_status status = SYC_OK;

    SYC_TRY(syc_alloc(sizeof *q, &q));
    syc_context_retain(q->context = context);
    syc_device_retain(q->device = device);
    *out = q;
    SYC_TRY(syc_alloc(sizeof *q->record, &q->record));
    q->record->root = syc_device_root(device);
    q->record->family = family;
done:
    return status;
}

/* On a thread of its own, which goes on when those who wait for it are called away. */
static void answer_question(void *payload)
{
    struct question *q = payload;
    struct record *record = q->record;
    struct answer answer;

    find_out(q->context, q->device, record->family, &answer, &record->verdict);
    q->record = NULL;
    clear_question(q); /* first, since contexts that are still in use show */
    pthread_mutex_lock(&lock);
    put_locked(record, answer.way);
    busy = false;
    pthread_cond_broadcast(&found);
    pthread_mutex_unlock(&lock);
}

/* One thing is found out at a time; all wait for it, which is bounded as its trials are. */
static syc_status settle_one(syc_context *context, syc_device *device, syc_family family)
{
    const syc_device *root = syc_device_root(device);
    struct question *question = NULL;
    const syc_awaited awaited = {"trying out", syc__selftest_family_name(family), syc_device_name(device), syc_now_ns(),
                                 false};
    const syc_awaited *before = syc_interrupt_awaits(&awaited);
    uint64_t mine = 0;
    syc_status status = SYC_OK;

    pthread_once(&once, initialise);
    SYC_TRY(make_question(context, device, family, &question));
    pthread_mutex_lock(&lock);
    while (status == SYC_OK && busy && !is_settled_locked(root, family))
        status = syc_interrupt_wait(&found, &lock);
    if (status == SYC_OK && !is_settled_locked(root, family)) {
        busy = true;
        mine = ++begun;
        pthread_mutex_unlock(&lock);
        syc_start_deep(answer_question, question);
        question = NULL;
        pthread_mutex_lock(&lock);
        while (status == SYC_OK && busy && begun == mine)
            status = syc_interrupt_wait(&found, &lock);
    }
    pthread_mutex_unlock(&lock);
done:
    (void)syc_interrupt_awaits(before);
    if (question != NULL)
        clear_question(question);
    return status;
}

static syc_status refuse(const syc_device *device, syc_family family)
{
    syc_selftest_verdict verdict;
    syc_selftest_verdict_of(syc_device_root((syc_device *)device), family, &verdict);
    return syc_fail(
        SYC_E_KERNEL_NOT_SUPPORTED, SYC_HERE,
        "device '%s' gets %s right in no way that pysycl has for it (%s); PYSYCL_SELF_TEST=0 lets them run all "
        "the same",
        syc_device_name(device), verdict.family, verdict.words);
}

syc_status syc_selftest_find_out(syc_context *context, syc_families families)
{
    syc_status status = SYC_OK;

    if (!syc_selftest_enabled())
        return SYC_OK;
    SYC_TRY(syc_process_check());
    for (size_t i = 0; i < context->device_count; i++) {
        syc_device *device = context->devices[i];
        syc_families wanted = 0;
        for (unsigned f = 0; f < SYC_FAMILY_COUNT; f++)
            wanted |= families >> f & 1 ? syc__selftest_needs(device, (syc_family)f) : 0;
        for (unsigned f = 0; f < SYC_FAMILY_COUNT; f++)
            if (wanted >> f & 1 && !is_known(device, (syc_family)f))
                SYC_TRY(settle_one(context, device, (syc_family)f));
    }
done:
    return status;
}

syc_status syc_selftest_settle(syc_context *context, syc_families families)
{
    syc_status status = SYC_OK;

    SYC_TRY(syc_selftest_find_out(context, families));
    for (size_t i = 0; i < context->device_count && syc_selftest_enabled(); i++)
        for (unsigned f = 0; f < SYC_FAMILY_COUNT; f++)
            if (families >> f & 1 && syc_device_way(context->devices[i], (syc_family)f) == SYC_WAY_NONE)
                SYC_TRY(refuse(context->devices[i], (syc_family)f));
done:
    return status;
}

void syc_selftest_enable(bool on)
{
    atomic_store(&enabled, on);
    syc_program_set_settler(on ? syc_selftest_settle : NULL);
}

/* Kernels whose collectives are checked have a parameter more, and are not what the verdicts are about. */
bool syc_selftest_enabled(void)
{
    return atomic_load_explicit(&enabled, memory_order_relaxed) && !syc_collectives_checked();
}

/* -- for the doctor and for tests -- */

void syc_selftest_verdict_of(syc_device *device, syc_family family, syc_selftest_verdict *out)
{
    const syc_device *root = syc_device_root(device);
    const struct record *record;

    *out = (syc_selftest_verdict){.state = SYC_SELFTEST_NOT_YET, .family = syc__selftest_family_name(family)};
    pthread_mutex_lock(&lock);
    record = find_record_locked(root, family);
    if (record != NULL)
        *out = record->verdict;
    pthread_mutex_unlock(&lock);
}

void syc_selftest_set_fault(syc_family family, unsigned at, syc_selftest_fault fault)
{
    if (family < SYC_FAMILY_COUNT && at < SYC__KNOWN_WAYS)
        atomic_store(&faults[family][at], (unsigned char)fault);
}

void syc_selftest_set_limit(uint64_t ns)
{
    atomic_store(&limit_ns, ns);
}

void syc_selftest_forget(void)
{
    pthread_once(&once, initialise);
    pthread_mutex_lock(&lock);
    while (busy)
        pthread_cond_wait(&found, &lock);
    while (records != NULL) {
        struct record *gone = records;
        records = gone->next;
        atomic_store(&((syc_device *)gone->root)->ways[gone->family], SYC_WAY_UNKNOWN);
        syc_free(gone);
    }
    pthread_mutex_unlock(&lock);
}

uint64_t syc_selftest_trials(void)
{
    return atomic_load(&trials);
}
