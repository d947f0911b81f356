/* The cache as builds use it, and its figures. */
#include "program/cache/cache.h"

#include "base/alloc.h"
#include "base/clock.h"
#include "base/process.h"
#include "cl/constants.h"
#include "cl/entries.h"
#include "program/cache/file.h"
#include "program/cache/saver.h"
#include "program/cache/use.h"
#include "program/native_text.h"
#include "program/recipe.h"

#include <string.h>
#include <unistd.h>

static atomic_ullong hits, misses, rejected, saved_ns;

void syc_cache_prepare(void)
{
    (void)syc__cache_settings_get();
}

const char *syc_cache_folder(void)
{
    return syc__cache_settings_get()->folder;
}

void syc_cache_figures_get(syc_cache_figures *out)
{
    *out = (syc_cache_figures){
        .hits = atomic_load(&hits),
        .misses = atomic_load(&misses),
        .rejected = atomic_load(&rejected),
        .saved_ns = atomic_load(&saved_ns),
        .stored = syc__saver_stored(),
        .unsaved = syc__saver_unsaved(),
        .waiting = syc__saver_waiting(),
    };
    if (syc_cache_folder() != NULL)
        syc__folder_measure(syc_cache_folder(), &out->bytes, &out->entries);
}

uint64_t syc_cache_clear(void)
{
    return syc_cache_folder() != NULL ? syc__folder_clear(syc_cache_folder()) : 0;
}

uint64_t syc__cache_rejected(void)
{
    return atomic_load(&rejected);
}

/* -- reading -- */

/* NULL without memory. */
static char *path_of(const syc__cache_key *key)
{
    syc_text path = {0};
    syc_text_add(&path, "%s/%s", syc_cache_folder(), key->name);
    if (path.cut)
        syc_text_clear(&path);
    return syc_text_take(&path);
}

/* Other processes that have the file open read on; one that cannot remove it rejects it again. */
static void reject(const syc__cache_key *key)
{
    char *path = path_of(key);
    atomic_fetch_add(&rejected, 1);
    if (path != NULL)
        (void)unlink(path);
    syc_free(path);
}

bool syc__cache_find(const syc__cache_key *key, unsigned char **bytes, syc__entry *out)
{
    char *path = path_of(key);
    size_t size = 0;
    bool there = path != NULL && syc__file_read(path, bytes, &size), good;

    good = there && syc__entry_decode(*bytes, size, key->bytes, key->length, out);
    if (good)
        syc__file_touch(path);
    else if (there)
        reject(key);
    syc_free(path);
    return good;
}

/* The compiler's words, one text per device of the context. */
static bool copy_logs(syc_build *build, const syc__part *parts)
{
    size_t count = build->context->device_count;
    char **logs = NULL;
    bool good = syc_alloc_array(count, sizeof *logs, &logs) == SYC_OK;

    for (size_t i = 0; i < count && good; i++) {
        good = syc_alloc(parts[i].size + 1, &logs[i]) == SYC_OK;
        if (good)
            memcpy(logs[i], parts[i].bytes, parts[i].size);
    }
    build->logs = logs;
    return good;
}

/* False: the driver does not want the binaries, or they are for another set of devices. */
static bool make(syc_build *build, syc__entry *entry)
{
    const syc_facts *facts = build->context->devices[0]->facts;
    syc__natives natives = syc__natives_of(build->context);
    size_t length;

    if (natives.count == 0 || entry->count != natives.count + build->context->device_count)
        return false;
    if (facts->binary_folder != NULL && !syc__binaries_rename(entry->parts, natives.count, facts->binary_folder))
        return false;
    if (!copy_logs(build, entry->parts + natives.count))
        return false;
    build->native = syc__binaries_build(build->context, &natives, entry->parts, syc__build_options(build));
    if (build->native == NULL)
        return false;
    syc_live_add(SYC_LIVE_CL_PROGRAM, 1);
    syc__native_text_add(build->native, syc_program_source(build->program, &length));
    return true;
}

/* Is there a cache, and can the context's driver make use of it? */
static bool is_cached(const syc_context *context)
{
    return syc_cache_folder() != NULL && context->devices[0]->facts->binaries;
}

/* How the text is edited follows from it and from the library's. */
static syc__cache_text text_of(const syc_build *build)
{
    const syc_program *program = build->program;
    syc__cache_text text = {.options = syc__build_options(build)};
    text.prelude = syc_program_prelude(program, &text.prelude_length);
    text.source = syc_program_text(program, &text.source_length);
    return text;
}

bool syc__cache_load(syc_build *build, syc__cache_key *key)
{
    uint64_t began = syc_now_ns(), took;
    unsigned char *bytes = NULL;
    syc__cache_text text;
    syc__entry entry;
    bool found = false;

    *key = (syc__cache_key){.bytes = NULL};
    if (build->program->recipe.kind != SYC__FROM_TEXT || build->program->recipe.object)
        return false;
    text = text_of(build);
    if (!is_cached(build->context) || !syc__cache_key_make("program", build->context, &text, key))
        return false;
    if (syc__cache_find(key, &bytes, &entry)) {
        found = make(build, &entry);
        if (!found) {
            syc__build_drop_logs(build);
            reject(key);
        }
    }
    atomic_fetch_add(found ? &hits : &misses, 1);
    took = syc_now_ns() - began;
    if (found && entry.cost_ns > took)
        atomic_fetch_add(&saved_ns, entry.cost_ns - took);
    syc_free(bytes);
    return found;
}

/* -- writing -- */

/* True if `out` has the compiler's words for each device of the build's context. */
static bool take_logs(const syc_build *build, syc__part *out)
{
    bool good = true;
    for (size_t i = 0; i < build->context->device_count && good; i++) {
        char *log = NULL;
        good = syc_build_log((syc_build *)build, build->context->devices[i], &log) == SYC_OK;
        out[i] = (syc__part){log, good ? strlen(log) : 0};
    }
    return good;
}

/* A binary that takes time is asked for later: until then the native program is held. */
static bool take_binaries(const syc_build *build, const syc_facts *facts, syc__saving *saving)
{
    const syc_cl_table *cl = syc_context_cl(build->context);
    uint64_t kernels = syc_program_signatures(build->program)->count;

    saving->driver = build->context->platform->driver;
    if (facts->binary_ns == 0)
        return syc__binaries_take(cl, build->native, &saving->natives, saving->entry.parts) &&
               (facts->binary_folder == NULL ||
                syc__binaries_rename(saving->entry.parts, saving->natives.count, facts->binary_folder));
    saving->folder = facts->binary_folder;
    saving->estimate_ns = facts->binary_ns * kernels * saving->natives.count;
    if (cl->RetainProgram(build->native) != 0)
        return false;
    saving->program = build->native;
    syc__launch_clash_retain(build->flights);
    saving->flights = build->flights;
    return true;
}

void syc__cache_keep(const syc_build *build, syc__cache_key *key, uint64_t cost_ns)
{
    const syc_facts *facts = build->context->devices[0]->facts;
    syc__natives natives = syc__natives_of(build->context);
    syc__saving *saving = NULL;
    size_t count = natives.count + build->context->device_count;

    if (key->bytes == NULL || natives.count == 0 || count > SYC__PARTS || syc_alloc(sizeof *saving, &saving) != SYC_OK)
        return;
    saving->natives = natives;
    saving->entry.cost_ns = cost_ns;
    saving->entry.count = count;
    if (!take_logs(build, saving->entry.parts + natives.count) || !take_binaries(build, facts, saving)) {
        syc__saving_free(saving);
        return;
    }
    saving->key = *key;
    *key = (syc__cache_key){.bytes = NULL};
    syc__save(saving);
}
