/* Measurements of this machine: of this process, and those in the cache. */
#include "algo/lower/tuned.h"

#include "algo/lower/reduce_rows.h"
#include "algo/lower/scan_rows.h"
#include "base/alloc.h"
#include "cl/device.h"
#include "program/cache/use.h"

#include <pthread.h>
#include <string.h>

struct record {
    struct record *next;
    const syc_device *root; /* root devices live for ever */
    syc_tuned_kind kind;
    syc_tuned tuned;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct record *records; /* under the lock; the last one of a device counts: grows at its head */

static const char *question_of(syc_tuned_kind kind)
{
    static const char *const questions[SYC_TUNED_KINDS] = {
        [SYC_TUNED_SUMS] = "row for reducers",
        [SYC_TUNED_BUILT_INS] = "row for reducers, with built-ins",
        [SYC_TUNED_SCANS] = "row for scans",
    };
    return questions[kind];
}

/* What syc_device_tuned() says of the row with that name; SYC_TUNED_NOTHING: the device has none. */
static unsigned number_of(const syc_device *device, syc_tuned_kind kind, const char *row)
{
    return (kind == SYC_TUNED_SCANS ? syc__scan_row_number : syc__reduce_row_number)(device, row);
}

/* The words are what is kept: without any, nothing was measured. */
static syc_status remember(syc_device *root, syc_tuned_kind kind, const syc_tuned *tuned)
{
    syc_status status = SYC_OK;
    struct record *record = NULL;

    SYC_TRY(syc_alloc(sizeof *record, &record));
    *record = (struct record){.root = root, .kind = kind, .tuned = *tuned};
    pthread_mutex_lock(&lock);
    record->next = records;
    records = record;
    atomic_store(&root->tuned[kind], (unsigned char)number_of(root, kind, tuned->row));
    pthread_mutex_unlock(&lock);
done:
    return status;
}

static bool is_whole(const syc_device *root, syc_tuned_kind kind, const syc_tuned *tuned)
{
    return memchr(tuned->row, '\0', sizeof tuned->row) != NULL &&
           memchr(tuned->words, '\0', sizeof tuned->words) != NULL &&
           (tuned->row[0] == '\0' || number_of(root, kind, tuned->row) != SYC_TUNED_NOTHING);
}

static void load_one(const syc_context *context, syc_device *root, syc_tuned_kind kind)
{
    syc_tuned tuned = {.row = ""};
    uint64_t before = syc__cache_rejected();
    bool found = syc__cache_recall(context, question_of(kind), "", &tuned, sizeof tuned);

    if (syc__cache_rejected() != before || (found && !is_whole(root, kind, &tuned))) {
        syc_report(syc_fail(SYC_E_RUNTIME, SYC_HERE,
                            "what sycl.tune() found out of device '%s' is damaged, and ignored: the table of pysycl "
                            "decides again",
                            syc_device_name(root)));
        found = false;
    }
    if (!found || tuned.words[0] == '\0' || remember(root, kind, &tuned) != SYC_OK)
        atomic_store(&root->tuned[kind], SYC_TUNED_NOTHING);
}

void syc_tuned_load(const syc_context *context)
{
    for (size_t i = 0; i < context->device_count; i++) {
        syc_device *device = context->devices[i];
        for (int kind = SYC_TUNED_KINDS - 1; device->parent == NULL && kind >= 0;
             kind--) /* syc_tuned_is_loaded looks at the last */
            if (syc_device_tuned(device, (syc_tuned_kind)kind) == SYC_TUNED_UNKNOWN)
                load_one(context, device, (syc_tuned_kind)kind);
    }
}

syc_status syc_tuned_set(const syc_context *context, syc_tuned_kind kind, const char *row, const char *words)
{
    syc_status status = SYC_OK;
    syc_tuned tuned = {.row = ""};
    syc_device *root = syc_device_root(context->devices[0]);

    SYC_CHECK(row[0] == '\0' || number_of(root, kind, row) != SYC_TUNED_NOTHING, SYC_E_INVALID_PARAMETER,
              "row: device '%s' has no row for %s that is called '%s'", syc_device_name(root),
              kind == SYC_TUNED_SCANS ? "scans" : "reducers", row);
    SYC_CHECK(strlen(row) < sizeof tuned.row && strlen(words) < sizeof tuned.words, SYC_E_INVALID_PARAMETER,
              "words: %zu bytes are too many, at most %zu are kept", strlen(words), sizeof tuned.words - 1);
    memcpy(tuned.row, row, strlen(row));
    memcpy(tuned.words, words, strlen(words));
    SYC_TRY(remember(root, kind, &tuned));
    syc__cache_note(context, question_of(kind), "", &tuned, sizeof tuned);
done:
    return status;
}

bool syc_tuned_get(const syc_device *device, syc_tuned_kind kind, syc_tuned *out)
{
    const syc_device *root = syc_device_root((syc_device *)device);
    bool found = false;

    pthread_mutex_lock(&lock);
    for (const struct record *record = records; record != NULL && !found; record = record->next)
        if (record->root == root && record->kind == kind) {
            found = record->tuned.words[0] != '\0';
            *out = record->tuned;
            break;
        }
    pthread_mutex_unlock(&lock);
    return found;
}
