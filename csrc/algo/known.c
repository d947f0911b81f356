/* What is found out, when, by whom, and where it is kept. */
#include "algo/known_parts.h"

#include "base/alloc.h"
#include "base/clock.h"
#include "base/digest.h"
#include "base/process.h"
#include "library/converge.h"
#include "library/embedded.h"
#include "program/cache_mark.h"
#include "program/cache_use.h"
#include "program/recipe.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* The slowest driver takes 10 s for the slowest family where eight others use the machine. */
static const uint64_t kernel_limit_ns = 30000000000u, limit_of_all_ns = 90000000000u;

struct record {
    struct record *next;
    const syc_device *root; /* root devices live for ever */
    syc_family family;
    syc_known_verdict verdict;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t found = PTHREAD_COND_INITIALIZER;
static bool busy;              /* a thread finds something out; under the lock, as is what follows */
static struct record *records; /* one for each family of a device that was asked for */
static atomic_bool enabled;
static atomic_uchar faults[SYC_FAMILY_COUNT][SYC__KNOWN_WAYS];
static atomic_ullong limit_ns, trials;

/* -- what is tried -- */

static bool is_of_library(syc_family family)
{
    return family >= SYC_FAMILY_ATOMICS && family <= SYC_FAMILY_JOINT;
}

static syc_status make_trial(syc_context *context, syc_device *device, syc_family family, unsigned way,
                             syc__trial **out)
{
    syc__trial *trial = NULL;
    syc_status status = SYC_OK;

    SYC_TRY(syc__trial_create(context, device, &trial));
    if (is_of_library(family))
        SYC_TRY(syc__known_library_trial(trial, family));
    else if (family > SYC_FAMILY_HIERARCHICAL)
        SYC_TRY(syc__known_reduce_trial(trial, family));
    else
        SYC_TRY(syc__known_body_trial(trial, family, way));
    SYC_TRY(syc__trial_options(trial, family, way));
    *out = trial;
    trial = NULL;
done:
    syc__trial_release(trial);
    return status;
}

/* -- what is kept: an answer of the cache, under the texts that could have changed it -- */

/* What an earlier process found out. */
struct answer {
    unsigned char way, state;
    char words[sizeof((syc_known_verdict *)0)->words];
};

/* What is tried, up to the last character of the kernel in the way that comes first. */
static syc_status digest_trial(syc_context *context, syc_device *device, syc_family family, unsigned way,
                               unsigned char out[SYC_DIGEST_SIZE])
{
    syc_status status = SYC_OK;
    struct syc__program_texts texts;
    syc__trial *trial = NULL;
    syc_digest digest;

    syc_digest_begin(&digest);
    SYC_TRY(make_trial(context, device, family, way, &trial));
    syc__program_texts(trial->program, &texts);
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

    syc_text_add(question, "self-test of %s, texts %s", syc__known_family_name(family), syc__kernel_texts_digest);
    if (is_of_library(family) ||
        digest_trial(context, device, family, way, digest) != SYC_OK) /* then the trial says why */
        return;
    syc_text_add(question, ", body ");
    for (size_t i = 0; i < sizeof digest; i++)
        syc_text_add(question, "%02x", digest[i]);
}

static bool is_possible(const struct answer *answer, const unsigned char *ways, size_t count)
{
    bool possible = answer->state == SYC_KNOWN_REFUSED && answer->way == SYC_WAY_NONE;
    for (size_t i = 0; i < count; i++)
        possible |= answer->way == ways[i] && answer->state == (i == 0 ? SYC_KNOWN_RIGHT : SYC_KNOWN_REPLACED);
    return possible && memchr(answer->words, '\0', sizeof answer->words) != NULL;
}

static bool recall(const syc_context *context, const char *question, const unsigned char *ways, size_t count,
                   struct answer *out)
{
    return syc__cache_recall(context, question, "", out, sizeof *out) && is_possible(out, ways, count);
}

/* -- finding out -- */

static syc__outcome try_way(syc_context *context, syc_device *device, syc_family family, unsigned way,
                            syc_known_fault fault, syc_text *words)
{
    uint64_t limit = atomic_load(&limit_ns);
    syc__trial *trial = NULL;
    syc_status status = make_trial(context, device, family, way, &trial);

    atomic_fetch_add(&trials, 1);
    if (fault == SYC_KNOWN_DIES)
        _exit(SYC_KNOWN_DIES);
    if (status == SYC_OK && fault == SYC_KNOWN_NO_MEMORY)
        status = syc_fail(SYC_E_MEMORY_ALLOCATION, SYC_HERE, "no memory, as a test has asked for");
    if (status != SYC_OK) {
        syc_text_add(words, "%s", syc_detail_of(status).message);
        syc__trial_release(trial);
        return SYC__UNTESTED;
    }
    trial->fault = fault;
    trial->kernel_ns = limit > 0 && fault == SYC_KNOWN_HANGS ? limit : kernel_limit_ns;
    trial->all_ns = limit > 0 && fault == SYC_KNOWN_STUCK ? limit : limit_of_all_ns;
    return syc__trial_run(trial, words);
}

/* A process that dies in the self-test dies once for each way, and once more, since somebody may have killed it. */
static syc__outcome try_marked(syc_context *context, syc_device *device, syc_family family, unsigned way,
                               const char *question, syc_known_fault fault, syc_text *words)
{
    enum { MOST_DEATHS = 2 };
    syc__outcome outcome = SYC__WRONG;
    syc_text what = {0};
    syc__mark mark;

    syc_text_add(&what, "%s, way %u", question, way);
    syc__mark_make(context, syc_text_get(&what), &mark);
    if (mark.deaths < MOST_DEATHS)
        outcome = try_way(context, device, family, way, fault, words);
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

    *out = (struct answer){.way = SYC_WAY_NONE, .state = SYC_KNOWN_REFUSED};
    for (size_t i = 0; i < count && out->way == SYC_WAY_NONE; i++) {
        syc_text own = {0};
        syc__outcome outcome = try_marked(context, device, family, ways[i], question,
                                          (syc_known_fault)atomic_load(&faults[family][i]), &own);
        if (outcome == SYC__UNTESTED) {
            out->state = SYC_KNOWN_UNTESTED;
            out->way = ways[0];
        } else if (outcome == SYC__RIGHT) {
            out->state = i == 0 ? SYC_KNOWN_RIGHT : SYC_KNOWN_REPLACED;
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
                     syc_known_verdict *verdict)
{
    unsigned char ways[SYC__KNOWN_WAYS];
    size_t count = syc__known_ways(device, family, ways);
    uint64_t began = syc_now_ns();
    syc_text question = {0};

    *out = (struct answer){.way = SYC_WAY_UNKNOWN};
    ask_cache(context, device, family, ways[0], &question);
    verdict->kept = !question.cut && recall(context, syc_text_get(&question), ways, count, out);
    if (!verdict->kept) {
        try_ways(context, device, family, ways, count, syc_text_get(&question), out);
        if (out->state != SYC_KNOWN_UNTESTED && !question.cut) /* a later process may be luckier */
            syc__cache_note(context, syc_text_get(&question), "", out, sizeof *out);
    }
    syc_text_clear(&question);
    verdict->state = (syc_known_state)out->state;
    verdict->family = syc__known_family_name(family);
    verdict->way = syc__known_way_name(family, out->way);
    if (out->way == SYC_WAY_NONE && syc__known_stand_in(family) != SYC_FAMILY_COUNT) {
        verdict->state = SYC_KNOWN_REPLACED;
        verdict->way = syc__known_family_name(syc__known_stand_in(family));
    }
    memcpy(verdict->words, out->words, sizeof verdict->words);
    verdict->ns = syc_now_ns() - began;
}

/* -- settling -- */

static bool is_known(const syc_device *device, syc_family family)
{
    return syc_device_way(device, family) != SYC_WAY_UNKNOWN;
}

static void put_record_locked(struct record *record)
{
    record->next = records;
    records = record;
}

/* One thread finds out, one thing at a time; the others wait for it, which is bounded as its trials are. */
static syc_status settle_one(syc_context *context, syc_device *device, syc_family family)
{
    syc_device *root = syc_device_root(device);
    struct record *record = NULL;
    struct answer answer;
    syc_status status = SYC_OK;

    SYC_TRY(syc_alloc(sizeof *record, &record));
    pthread_mutex_lock(&lock);
    while (busy && !is_known(root, family))
        pthread_cond_wait(&found, &lock);
    if (is_known(root, family)) {
        pthread_mutex_unlock(&lock);
        goto done;
    }
    busy = true;
    pthread_mutex_unlock(&lock);
    find_out(context, device, family, &answer, &record->verdict);
    record->root = root;
    record->family = family;
    pthread_mutex_lock(&lock);
    atomic_store(&root->ways[family], answer.way);
    put_record_locked(record);
    record = NULL;
    busy = false;
    pthread_cond_broadcast(&found);
    pthread_mutex_unlock(&lock);
done:
    syc_free(record);
    return status;
}

static syc_status refuse(const syc_device *device, syc_family family)
{
    syc_known_verdict verdict;
    syc_known_verdict_of(syc_device_root((syc_device *)device), family, &verdict);
    return syc_fail(
        SYC_E_KERNEL_NOT_SUPPORTED, SYC_HERE,
        "device '%s' gets %s right in no way that pysycl has for it (%s); PYSYCL_SELF_TEST=0 lets them run all "
        "the same",
        syc_device_name(device), verdict.family, verdict.words);
}

syc_status syc_known_find_out(syc_context *context, syc_families families)
{
    syc_status status = SYC_OK;

    if (!syc_known_enabled())
        return SYC_OK;
    SYC_TRY(syc_process_check());
    for (size_t i = 0; i < context->device_count; i++) {
        syc_device *device = context->devices[i];
        syc_families wanted = 0;
        for (unsigned f = 0; f < SYC_FAMILY_COUNT; f++)
            wanted |= families >> f & 1 ? syc__known_needs(device, (syc_family)f) : 0;
        for (unsigned f = 0; f < SYC_FAMILY_COUNT; f++)
            if (wanted >> f & 1 && !is_known(device, (syc_family)f))
                SYC_TRY(settle_one(context, device, (syc_family)f));
    }
done:
    return status;
}

syc_status syc_known_settle(syc_context *context, syc_families families)
{
    syc_status status = SYC_OK;

    SYC_TRY(syc_known_find_out(context, families));
    for (size_t i = 0; i < context->device_count && syc_known_enabled(); i++)
        for (unsigned f = 0; f < SYC_FAMILY_COUNT; f++)
            if (families >> f & 1 && syc_device_way(context->devices[i], (syc_family)f) == SYC_WAY_NONE)
                SYC_TRY(refuse(context->devices[i], (syc_family)f));
done:
    return status;
}

void syc_known_enable(bool on)
{
    atomic_store(&enabled, on);
    syc_program_set_settler(on ? syc_known_settle : NULL);
}

/* Kernels whose collectives are checked have a parameter more, and are not what the verdicts are about. */
bool syc_known_enabled(void)
{
    return atomic_load_explicit(&enabled, memory_order_relaxed) && !syc_collectives_checked();
}

/* -- for the doctor and for tests -- */

void syc_known_verdict_of(syc_device *device, syc_family family, syc_known_verdict *out)
{
    const syc_device *root = syc_device_root(device);

    *out = (syc_known_verdict){.state = SYC_KNOWN_NOT_YET, .family = syc__known_family_name(family)};
    pthread_mutex_lock(&lock);
    for (const struct record *record = records; record != NULL; record = record->next)
        if (record->root == root && record->family == family)
            *out = record->verdict;
    pthread_mutex_unlock(&lock);
}

void syc_known_set_fault(syc_family family, unsigned at, syc_known_fault fault)
{
    if (family < SYC_FAMILY_COUNT && at < SYC__KNOWN_WAYS)
        atomic_store(&faults[family][at], (unsigned char)fault);
}

void syc_known_set_limit(uint64_t ns)
{
    atomic_store(&limit_ns, ns);
}

void syc_known_forget(void)
{
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

uint64_t syc_known_trials(void)
{
    return atomic_load(&trials);
}
