/* What was measured on this machine: in this process, and in the cache. */
#include "algo/lower/tuned.h"

#include "algo/lower/reduce_rows.h"
#include "base/alloc.h"
#include "program/cache/use.h"

#include <pthread.h>
#include <string.h>

struct record {
    struct record *next;
    const syc_device *root; /* root devices live for ever */
    bool costly;
    syc_tuned tuned;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct record *records; /* under the lock; the last one of a device counts: grows at its head */

static const char *question_of(bool costly)
{
    return costly ? "row for reducers, with built-ins" : "row for reducers";
}

/* The words are what is kept: without any, nothing was measured. */
static syc_status remember(syc_device *root, bool costly, const syc_tuned *tuned)
{
    syc_status status = SYC_OK;
    struct record *record = NULL;

    SYC_TRY(syc_alloc(sizeof *record, &record));
    *record = (struct record){.root = root, .costly = costly, .tuned = *tuned};
    pthread_mutex_lock(&lock);
    record->next = records;
    records = record;
    atomic_store(&root->tuned[costly], (unsigned char)syc__reduce_row_number(root, tuned->row));
    pthread_mutex_unlock(&lock);
done:
    return status;
}

static bool is_whole(const syc_device *root, const syc_tuned *tuned)
{
    return memchr(tuned->row, '\0', sizeof tuned->row) != NULL &&
           memchr(tuned->words, '\0', sizeof tuned->words) != NULL &&
           (tuned->row[0] == '\0' || syc__reduce_row_number(root, tuned->row) != SYC_TUNED_NOTHING);
}

static void load_one(const syc_context *context, syc_device *root, bool costly)
{
    syc_tuned tuned = {.row = ""};
    uint64_t before = syc__cache_rejected();
    bool found = syc__cache_recall(context, question_of(costly), "", &tuned, sizeof tuned);

    if (syc__cache_rejected() != before || (found && !is_whole(root, &tuned))) {
        syc_report(syc_fail(SYC_E_RUNTIME, SYC_HERE,
                            "what sycl.tune() found out of device '%s' is damaged, and ignored: the table of pysycl "
                            "decides again",
                            syc_device_name(root)));
        found = false;
    }
    if (!found || tuned.words[0] == '\0' || remember(root, costly, &tuned) != SYC_OK)
        atomic_store(&root->tuned[costly], SYC_TUNED_NOTHING);
}

void syc_tuned_load(const syc_context *context)
{
    for (size_t i = 0; i < context->device_count; i++) {
        syc_device *device = context->devices[i];
        for (int costly = 1; device->parent == NULL && costly >= 0;
             costly--) /* syc_tuned_is_loaded looks at the last */
            if (syc_device_tuned(device, costly) == SYC_TUNED_UNKNOWN)
                load_one(context, device, costly);
    }
}

syc_status syc_tuned_set(const syc_context *context, bool costly, const char *row, const char *words)
{
    syc_status status = SYC_OK;
    syc_tuned tuned = {.row = ""};
    syc_device *root = syc_device_root(context->devices[0]);

    SYC_CHECK(row[0] == '\0' || syc__reduce_row_number(root, row) != SYC_TUNED_NOTHING, SYC_E_INVALID_PARAMETER,
              "row: device '%s' has no row for reducers that is called '%s'", syc_device_name(root), row);
    SYC_CHECK(strlen(row) < sizeof tuned.row && strlen(words) < sizeof tuned.words, SYC_E_INVALID_PARAMETER,
              "words: %zu bytes are too many, at most %zu are kept", strlen(words), sizeof tuned.words - 1);
    memcpy(tuned.row, row, strlen(row));
    memcpy(tuned.words, words, strlen(words));
    SYC_TRY(remember(root, costly, &tuned));
    syc__cache_note(context, question_of(costly), "", &tuned, sizeof tuned);
done:
    return status;
}

bool syc_tuned_get(const syc_device *device, bool costly, syc_tuned *out)
{
    const syc_device *root = syc_device_root((syc_device *)device);
    bool found = false;

    pthread_mutex_lock(&lock);
    for (const struct record *record = records; record != NULL && !found; record = record->next)
        if (record->root == root && record->costly == costly) {
            found = record->tuned.words[0] != '\0';
            *out = record->tuned;
            break;
        }
    pthread_mutex_unlock(&lock);
    return found;
}
