/* The saver: a thread that lives while there is something to write, so that no build waits for a disk.
 *
 * Most drivers hand out a binary at once. One kind compiles when it is asked for it, says always what it said the first
 * time, and holds up launches meanwhile: it is asked late, when no kernel has been launched for a while or the process
 * ends, so that the binary has what the launches needed. */
#include "program/cache/saver.h"

#include "base/alloc.h"
#include "base/clock.h"
#include "base/deep.h"
#include "base/process.h"
#include "base/thread.h"
#include "cl/entries.h"
#include "cl/room.h"
#include "program/cache/cache.h"
#include "program/cache/file.h"
#include "program/cache/use.h"

#include <pthread.h>

static const uint64_t quiet_ns = 2000000000u;   /* without launches, before a late one is asked for */
static const uint64_t look_ns = 250000000u;     /* between looks */
static const uint64_t longest_ns = 5000000000u; /* a late one that takes longer is not worth it */
static const uint64_t close_ns = 2000000000u;   /* for late ones, at the end of the process */
enum { MOST_WAITING = 1024 };

atomic_size_t syc__cache_late;
atomic_ulong syc__cache_launches;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* a leaf; not held while anything is written */
static pthread_cond_t changed;                           /* the line, or `busy` */
static syc__saving *first, **last = &first;
static size_t waiting;
static bool running; /* there is a thread */
static bool busy;    /* it, or a caller, has one in hand */
static bool closed;
static atomic_ullong stored, unsaved, unmeasured; /* the last: bytes written since the folder was looked through */

static void set_up(void)
{
    syc_cond_init(&changed);
    atomic_store(&unmeasured, UINT64_MAX); /* the first entry of a process looks the folder through */
}

static void prepare(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, set_up);
}

void syc__saving_free(syc__saving *saving)
{
    if (saving == NULL)
        return;
    if (saving->program != NULL && syc_process_alive())
        (void)saving->driver->cl.ReleaseProgram(saving->program); /* nobody knows of this reference */
    syc__launch_clash_release(saving->flights);
    for (size_t i = 0; i < saving->entry.count; i++)
        syc_free(saving->entry.parts[i].bytes);
    syc__cache_key_clear(&saving->key);
    syc_free(saving);
}

/* -- one entry -- */

static void trim(const syc__cache_settings *settings, uint64_t size)
{
    uint64_t since = atomic_load(&unmeasured);
    since = since > UINT64_MAX - size ? UINT64_MAX : since + size;
    if (since > settings->limit / 16) {
        syc__folder_trim(settings->folder, settings->limit);
        since = 0;
    }
    atomic_store(&unmeasured, since);
}

static bool write_entry(syc__saving *saving)
{
    const syc__cache_settings *settings = syc__cache_settings_get();
    unsigned char *bytes = NULL;
    size_t size = 0;
    bool written = false;

    saving->entry.key = saving->key.bytes;
    saving->entry.key_length = saving->key.length;
    if (syc__entry_encode(&saving->entry, &bytes, &size) == SYC_OK && size <= settings->limit)
        written = syc__file_write(settings->folder, saving->key.name, bytes, size);
    syc_free(bytes);
    if (written)
        trim(settings, size);
    return written;
}

struct question {
    syc__saving *saving;
    bool answered;
};

static void ask(void *payload)
{
    struct question *q = payload;
    syc__saving *saving = q->saving;
    q->answered = syc__binaries_take(&saving->driver->cl, saving->program, &saving->natives, saving->entry.parts);
}

/* The driver's compiler works at this, so it gets as much stack as for a build, and is not asked where it would end the
 * process. */
static bool ask_driver(syc__saving *saving)
{
    struct question question = {saving, false};
    if (syc_process_alive() && syc_driver_check_room(saving->driver) == SYC_OK)
        syc_call_deep(ask, &question);
    return question.answered &&
           (saving->folder == NULL || syc__binaries_rename(saving->entry.parts, saving->natives.count, saving->folder));
}

static void finish(syc__saving *saving)
{
    bool got = saving->program == NULL || ask_driver(saving), written;

    syc__launch_clash_resume(saving->flights);
    written = got && write_entry(saving);
    atomic_fetch_add(written ? &stored : &unsaved, 1);
    syc__saving_free(saving);
}

/* -- the line -- */

/* The first that may be written now; of a late one the launches rest until it has been asked for. */
static syc__saving *take_locked(bool late, uint64_t longest)
{
    for (syc__saving **at = &first; *at != NULL; at = &(*at)->next) {
        syc__saving *saving = *at;
        if (saving->program != NULL &&
            (!late || saving->estimate_ns > longest || !syc__launch_clash_try_rest(saving->flights)))
            continue;
        *at = saving->next;
        if (saving->next == NULL)
            last = at;
        saving->next = NULL;
        waiting--;
        if (saving->program != NULL)
            atomic_fetch_sub(&syc__cache_late, 1);
        return saving;
    }
    return NULL;
}

/* Writes the next one, with the lock dropped; one at a time. False: there is none. */
static bool serve_locked(bool late, uint64_t longest)
{
    syc__saving *saving;
    while (busy)
        pthread_cond_wait(&changed, &lock);
    saving = take_locked(late, longest);
    if (saving == NULL)
        return false;
    busy = true;
    pthread_mutex_unlock(&lock);
    finish(saving);
    pthread_mutex_lock(&lock);
    busy = false;
    pthread_cond_broadcast(&changed);
    return true;
}

/* Something that the thread may do, now or in a quiet moment. */
static bool is_wanted_locked(void)
{
    for (const syc__saving *saving = first; saving != NULL; saving = saving->next)
        if (saving->program == NULL || saving->estimate_ns <= longest_ns)
            return !closed;
    return false;
}

static void *serve(void *unused)
{
    unsigned long seen = atomic_load(&syc__cache_launches);
    uint64_t since = syc_now_ns();
    (void)unused;

    pthread_mutex_lock(&lock);
    while (is_wanted_locked()) {
        unsigned long launches = atomic_load(&syc__cache_launches);
        struct timespec until = syc_deadline(look_ns);
        if (launches != seen)
            since = syc_now_ns();
        seen = launches;
        if (!serve_locked(syc_now_ns() - since >= quiet_ns, longest_ns))
            pthread_cond_timedwait(&changed, &lock, &until);
    }
    running = false;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&lock);
    return NULL;
}

void syc__save(syc__saving *saving)
{
    prepare();
    pthread_mutex_lock(&lock);
    if (!closed && waiting < MOST_WAITING) {
        *last = saving;
        last = &saving->next;
        waiting++;
        if (saving->program != NULL)
            atomic_fetch_add(&syc__cache_late, 1);
        if (!running) /* no thread to be had: what waits is written at the end, or with the next try */
            running = syc_thread_start(serve, NULL) == 0;
        pthread_cond_broadcast(&changed);
        saving = NULL;
    }
    pthread_mutex_unlock(&lock);
    if (saving != NULL)
        atomic_fetch_add(&unsaved, 1);
    syc__saving_free(saving);
}

void syc_cache_save(void)
{
    prepare();
    if (!syc_process_alive()) /* a forked child has the line, but not the thread that held the lock */
        return;
    pthread_mutex_lock(&lock);
    while (serve_locked(true, UINT64_MAX))
        ;
    pthread_mutex_unlock(&lock);
}

static void wait_for_thread_locked(void)
{
    closed = true;
    pthread_cond_broadcast(&changed);
    while (running || busy)
        pthread_cond_wait(&changed, &lock);
}

void syc_cache_close(void)
{
    syc__saving *rest;
    uint64_t end;

    prepare();
    if (!syc_process_alive())
        return;
    end = syc_now_ns() + close_ns;
    pthread_mutex_lock(&lock);
    wait_for_thread_locked();
    while (serve_locked(false, 0))
        ;
    for (uint64_t now = syc_now_ns(); now < end && serve_locked(true, end - now); now = syc_now_ns())
        ;
    rest = first;
    first = NULL;
    last = &first;
    waiting = 0;
    atomic_store(&syc__cache_late, 0);
    pthread_mutex_unlock(&lock);
    for (syc__saving *next; rest != NULL; rest = next) {
        next = rest->next;
        syc__saving_free(rest);
        atomic_fetch_add(&unsaved, 1);
    }
}

uint64_t syc__saver_stored(void)
{
    return atomic_load(&stored);
}

uint64_t syc__saver_unsaved(void)
{
    return atomic_load(&unsaved);
}

uint64_t syc__saver_waiting(void)
{
    return atomic_load(&syc__cache_late);
}
