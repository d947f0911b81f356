/* The status table, the thread's record of its last failure, and failures kept beyond their thread. */
#include "base/status.h"

#include "base/alloc.h"
#include "base/refcount.h"
#include "base/text.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    const char *errc, *text;
} rows[SYC_STATUS_COUNT] = {[SYC_OK] = {"success", "success"},
                            [SYC_INTERRUPTED] = {"runtime", "the wait was interrupted"},
                            [SYC_TIMEOUT] = {"success", "the wait ran out"},
#define X(status, errc, cls, base, builtin, text) [status] = {errc, text},
                            SYC_STATUS_MAP(X)
#undef X
};

/* One per thread, in storage of fixed size so that recording a failure needs no memory. Messages beyond it are cut. */
struct record {
    syc_status status;
    int cl_code;
    const char *api, *where;
    char message[4096];
    char *build_log; /* the only part on the heap */
};

static _Thread_local struct record last;

/* A thread that ends with a failure as its last word leaves no log behind. */
static pthread_key_t log_key;
static pthread_once_t log_once = PTHREAD_ONCE_INIT;
static bool log_key_made;

static void drop_log(void *record)
{
    struct record *r = record;
    free(r->build_log);
    r->build_log = NULL;
}

static void make_log_key(void)
{
    log_key_made = pthread_key_create(&log_key, drop_log) == 0;
}

/* Takes a copy. */
static void set_log(const char *log)
{
    free(last.build_log);
    last.build_log = log != NULL ? strdup(log) : NULL;
    if (last.build_log == NULL)
        return;
    pthread_once(&log_once, make_log_key);
    if (log_key_made)
        (void)pthread_setspecific(log_key, &last);
}

/* Shared by a failure and its copies. */
struct cause {
    syc_refcount refs;
    syc_keep keep;
};

static _Thread_local struct cause *next_cause; /* for the next capture */

static void release_cause(struct cause *cause)
{
    if (cause == NULL || !syc_refcount_release(&cause->refs))
        return;
    syc_keep_let_go(cause->keep);
    free(cause);
}

static struct cause *take_cause(void)
{
    struct cause *cause = next_cause;
    next_cause = NULL;
    return cause;
}

static const char *(*cl_name)(int);
static syc_status (*cl_status)(const char *api, int code);
static _Atomic(syc_report_hook) report_hook;

const char *syc_status_errc(syc_status status)
{
    return (unsigned)status < SYC_STATUS_COUNT ? rows[status].errc : "runtime";
}

const char *syc_status_text(syc_status status)
{
    return (unsigned)status < SYC_STATUS_COUNT ? rows[status].text : "unknown status";
}

void syc_status_set_cl_words(const char *(*name)(int), syc_status (*map)(const char *api, int code))
{
    cl_name = name;
    cl_status = map;
}

static void begin(syc_status status, const char *where, const char *api, int cl_code)
{
    free(last.build_log);
    release_cause(take_cause());
    last = (struct record){.status = status, .where = where, .api = api, .cl_code = cl_code};
}

syc_status syc_fail(syc_status status, const char *where, const char *format, ...)
{
    va_list args;
    begin(status, where, NULL, 0);
    va_start(args, format);
    vsnprintf(last.message, sizeof last.message, format, args);
    va_end(args);
    return status;
}

syc_status syc_fail_cl(const char *where, const char *api, int cl_code)
{
    syc_status status = cl_status != NULL ? cl_status(api, cl_code) : SYC_E_RUNTIME;
    begin(status, where, api, cl_code);
    snprintf(last.message, sizeof last.message, "%s failed with %s (%d): %s", api,
             cl_name != NULL ? cl_name(cl_code) : "code", cl_code, syc_status_text(status));
    return status;
}

syc_status syc_fail_cl_as(syc_status status, const char *where, const char *api, int cl_code, const char *format, ...)
{
    va_list args;
    begin(status, where, api, cl_code);
    va_start(args, format);
    vsnprintf(last.message, sizeof last.message, format, args);
    va_end(args);
    return status;
}

void syc_detail_set_build_log(const char *log)
{
    set_log(log);
}

void syc_detail_set_cause(syc_keep keep)
{
    struct cause *cause = malloc(sizeof *cause);
    release_cause(take_cause());
    if (cause == NULL) {
        syc_keep_let_go(keep);
        return;
    }
    syc_refcount_init(&cause->refs);
    cause->keep = keep;
    next_cause = cause;
}

void syc_detail_drop_cause(void)
{
    release_cause(take_cause());
}

static syc_detail detail_of_record(const struct record *r)
{
    return (syc_detail){.status = r->status,
                        .message = r->message[0] ? r->message : syc_status_text(r->status),
                        .api = r->api,
                        .cl_code = r->cl_code,
                        .build_log = r->build_log,
                        .where = r->where};
}

syc_detail syc_detail_of(syc_status status)
{
    if (last.status == status) {
        syc_detail detail = detail_of_record(&last);
        detail.cause = next_cause != NULL ? next_cause->keep.payload : NULL;
        return detail;
    }
    return (syc_detail){.status = status, .message = syc_status_text(status), .where = ""};
}

struct syc_failure {
    struct record record;
    struct cause *cause;
};

/* Stands for a failure when there is no memory for the true one: a command that failed must never look as if it had
 * not. */
static syc_failure last_resort = {
    .record = {.status = SYC_E_MEMORY_ALLOCATION, .message = "failed, with no memory left to keep what was wrong"}};

/* A failure with the record's contents, its log copied; takes the cause. NULL without memory. */
static syc_failure *new_failure(const struct record *record, struct cause *cause)
{
    syc_failure *failure = calloc(1, sizeof *failure);
    if (failure == NULL) {
        release_cause(cause);
        return NULL;
    }
    failure->record = *record;
    failure->record.build_log = record->build_log != NULL ? strdup(record->build_log) : NULL;
    failure->cause = cause;
    syc_live_add(SYC_LIVE_FAILURE, 1);
    return failure;
}

syc_status syc_failure_capture(syc_status status, syc_failure **out)
{
    struct record other = {.status = status, .where = ""};
    bool known = last.status == status;

    if (!known)
        snprintf(other.message, sizeof other.message, "%s", syc_status_text(status));
    *out = new_failure(known ? &last : &other, take_cause());
    if (*out == NULL)
        *out = &last_resort;
    return SYC_OK;
}

void syc_failure_free(syc_failure *failure)
{
    if (failure == NULL || failure == &last_resort)
        return;
    free(failure->record.build_log);
    release_cause(failure->cause);
    free(failure);
    syc_live_add(SYC_LIVE_FAILURE, -1);
}

syc_failure *syc_failure_copy(const syc_failure *failure)
{
    if (failure == NULL)
        return NULL;
    if (failure == &last_resort)
        return &last_resort;
    if (failure->cause != NULL)
        syc_refcount_retain(&failure->cause->refs);
    return new_failure(&failure->record, failure->cause);
}

syc_detail syc_failure_detail(const syc_failure *failure)
{
    if (failure == NULL)
        return (syc_detail){.status = SYC_E_RUNTIME, .message = syc_status_text(SYC_E_RUNTIME), .where = ""};
    syc_detail detail = detail_of_record(&failure->record);
    detail.cause = failure->cause != NULL ? failure->cause->keep.payload : NULL;
    return detail;
}

syc_status syc_failure_restore(const syc_failure *failure)
{
    if (failure == NULL)
        return syc_fail(SYC_E_RUNTIME, SYC_HERE, "%s", syc_status_text(SYC_E_RUNTIME));
    begin(failure->record.status, failure->record.where, failure->record.api, failure->record.cl_code);
    memcpy(last.message, failure->record.message, sizeof last.message);
    set_log(failure->record.build_log);
    return last.status;
}

void syc_set_report_hook(syc_report_hook hook)
{
    atomic_store(&report_hook, hook);
}

void syc_report(syc_status status)
{
    syc_detail detail = syc_detail_of(status);
    syc_report_hook hook = atomic_load(&report_hook);
    if (hook != NULL)
        hook(&detail);
    else
        fprintf(stderr, "pysycl: %s\n", detail.message);
}
