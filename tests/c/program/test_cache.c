/* Builds and the cache, against the fake driver, which ends the process when it is given bytes that are not exactly
 * what it gave out: what is found, what is kept, what the driver refuses, and caches that are none. */
#define _GNU_SOURCE
#include "cache_scene.h"

#include "program/cache/use.h"

static void the_second_build_compiles_nothing(void)
{
    open_cache();
    CHECK_OK(build_one(scene_source, ""));
    CHECK_EQUAL(figures().stored, 1);
    for (int i = 0; i < 3; i++)
        CHECK_OK(build_one(scene_source, ""));
    CHECK_EQUAL(from_text(), 1);
    CHECK_EQUAL(from_binaries(), 3);
    CHECK_EQUAL(figures().hits, 3);
    CHECK_EQUAL(figures().misses, 1);
    CHECK_EQUAL(figures().entries, 1);
    CHECK(figures().bytes > strlen(scene_source));
    CHECK_EQUAL(figures().rejected + figures().unsaved + figures().waiting, 0);
    CHECK_EQUAL(fake_live("program"), 0);
    close_cache();
}

/* Results and all: the kernels of a program from the cache run. */
static void kernels_from_the_cache_run(void)
{
    syc_queue *queue = NULL;
    cl_uint log[4] = {0};

    open_cache();
    CHECK_OK(build_one(scene_source, ""));
    (void)figures();
    CHECK_OK(syc_queue_create(context, device, (syc_queue_options){0}, &queue));
    finish(note(queue, log, 4, 42));
    CHECK_EQUAL(log[log[0] > 0 ? 1 : 0], 42);
    CHECK_EQUAL(from_text(), 1);
    CHECK_EQUAL(from_binaries(), 1);
    close_queue(queue);
    close_cache();
}

static void every_byte_makes_another_key(void)
{
    static const char text[] = "kernel void fail(global uint *out) { }\n";
    syc_context *other = NULL;

    open_cache();
    CHECK_OK(build_one(text, ""));
    CHECK_OK(build_one("kernel void fail(global uint *out) { } \n", ""));
    CHECK_OK(build_one(text, "-DX"));
    CHECK_OK(build_one(text, "-DY"));
    CHECK_OK(build_one("-DX kernel void fail(global uint *out) { }\n", ""));
    CHECK_EQUAL(figures().stored, 5);
    CHECK_EQUAL(figures().hits, 0);
    CHECK_OK(build_one(text, "-DX"));
    CHECK_EQUAL(figures().hits, 1);
    CHECK_OK(syc_context_create(&device, 1, &other)); /* the same device: the same code */
    syc_context_release(context);
    context = other;
    CHECK_OK(build_one(text, "-DY"));
    CHECK_EQUAL(figures().hits, 2);
    close_cache();
}

static void what_reads_files_is_not_kept(void)
{
    open_cache();
    CHECK_OK(build_one("#include <a.h>\nkernel void fail(global uint *out) { }\n", ""));
    CHECK_EQUAL(figures().stored + figures().misses + figures().entries, 0);
    CHECK_EQUAL(from_text(), 1);
    close_cache();
}

static void failed_builds_are_not_kept(void)
{
    open_cache();
    CHECK_STATUS(build_one("kernel void fail(global uint *out) { }\n#error no\n", ""), SYC_E_BUILD);
    CHECK_EQUAL(figures().misses, 1);
    CHECK_EQUAL(figures().stored + figures().waiting + figures().entries, 0);
    close_cache();
}

static void warnings_survive(void)
{
    static const char text[] = "kernel void fail(global uint *out) { }\n#warning odd\n";
    syc_program *made = NULL;
    syc_build *build = NULL;
    char *log = NULL;

    open_cache();
    CHECK_OK(build_one(text, ""));
    (void)figures();
    CHECK_OK(syc_program_create(text, strlen(text), "", &made));
    CHECK_OK(syc_program_build(made, context, &build));
    CHECK_EQUAL(figures().hits, 1);
    CHECK_OK(syc_build_log(build, device, &log));
    CHECK(text_has(log, "warning: odd"));
    syc_free(log);
    syc_program_release(made);
    close_cache();
}

/* The driver knows no text of it any more; whoever is handed the native program still finds its kernels. */
static void native_programs_keep_their_text(void)
{
    syc_program *made = NULL, *wrapped = NULL, *again = NULL;
    syc_build *build = NULL;
    cl_program native;

    open_cache();
    CHECK_OK(build_one(scene_source, ""));
    (void)figures();
    CHECK_OK(syc_program_create(scene_source, strlen(scene_source), "", &made));
    CHECK_OK(syc_program_build(made, context, &build));
    CHECK_EQUAL(from_binaries(), 1);
    native = syc_build_native(build);
    CHECK_OK(syc_program_from_native(native, &wrapped));
    CHECK_EQUAL(syc_program_signatures(wrapped)->count, 8);
    syc_program_release(made);
    CHECK_OK(syc_program_from_native(native, &again));
    syc_program_release(wrapped);
    CHECK_EQUAL(syc_program_signatures(again)->count, 8);
    CHECK_OK(syc_program_build(again, context, &build));
    CHECK_EQUAL(from_text(), 1);
    syc_program_release(again);
    CHECK_EQUAL(figures().stored, 1); /* programs made elsewhere are nobody's to keep */
    close_cache();
}

/* -- the driver does not want it -- */

static void refused_binaries(void)
{
    open_cache();
    CHECK_OK(build_one(scene_source, ""));
    CHECK_EQUAL(figures().entries, strcmp(getenv("FAKE_BINARY"), "none") == 0 ? 0 : 1);
    for (int i = 1; i <= 2; i++) { /* made from the text, kept again, and refused again */
        CHECK_OK(build_one(scene_source, ""));
        CHECK_EQUAL(from_text(), 1 + i);
        CHECK_EQUAL(figures().hits, 0);
    }
    if (strcmp(getenv("FAKE_BINARY"), "none") == 0) {
        CHECK_EQUAL(figures().entries + figures().rejected + (uint64_t)from_binaries(), 0);
    } else {
        CHECK_EQUAL(figures().rejected, 2);
        CHECK_EQUAL(from_binaries(), 2);
    }
    CHECK_EQUAL(fake_live("program"), 0);
    close_cache();
}

/* -- folders that are none -- */

static void without_a_folder(void)
{
    syc_cache_figures f;
    char path[80];

    snprintf(folder, sizeof folder, "/tmp/pysycl-test-XXXXXX");
    CHECK(mkdtemp(folder) != NULL);
    snprintf(path, sizeof path, "%s/file", folder);
    close(open(path, O_CREAT | O_WRONLY, 0600));
    unsetenv("PYSYCL_CACHE");
    setenv("PYSYCL_CACHE_DIR", path, 1);
    open_scene();
    CHECK_OK(syc_fault_install(device->platform->driver));
    CHECK_OK(build_one(scene_source, ""));
    CHECK_OK(build_one(scene_source, ""));
    f = figures();
    CHECK_EQUAL(f.misses, 2);
    CHECK_EQUAL(f.unsaved, 2);
    CHECK_EQUAL(f.stored + f.entries, 0);
    CHECK_EQUAL(from_text(), 2);
    CHECK_OK(syc_fault_install(NULL));
    close_scene();
    CHECK_EQUAL(unlink(path), 0);
    CHECK_EQUAL(rmdir(folder), 0);
}

static void switched_off(void)
{
    DIR *listing;
    int files = 0;

    snprintf(folder, sizeof folder, "/tmp/pysycl-test-XXXXXX");
    CHECK(mkdtemp(folder) != NULL);
    setenv("PYSYCL_CACHE", "0", 1);
    setenv("PYSYCL_CACHE_DIR", folder, 1);
    open_scene();
    CHECK_OK(build_one(scene_source, ""));
    CHECK_EQUAL(figures().misses, 0);
    CHECK(syc_cache_folder() == NULL);
    CHECK_EQUAL(syc_cache_clear(), 0);
    listing = opendir(folder);
    while (readdir(listing) != NULL)
        files++;
    closedir(listing);
    CHECK_EQUAL(files, 2); /* . and .. */
    close_scene();
    CHECK_EQUAL(rmdir(folder), 0);
}

static void the_limit_holds(void)
{
    syc_cache_figures f;
    char text[2100];

    setenv("PYSYCL_CACHE_SIZE", "16K", 1);
    open_cache();
    for (int i = 0; i < 40; i++) {
        snprintf(text, sizeof text, "kernel void fail(global uint *out) { }\n/* %d %01999d */\n", i, 0);
        CHECK_OK(build_one(text, ""));
        f = figures();
        CHECK(f.bytes <= 16384 + 1024); /* it is looked through after each sixteenth */
    }
    CHECK(f.entries >= 2);
    CHECK_EQUAL(f.stored, 40);
    close_cache();
}

/* -- answers -- */

static void answers_are_kept(void)
{
    size_t answer = 24, got = 0;
    cl_uint narrow;

    open_cache();
    CHECK(!syc__cache_recall(context, "how large?", "", &got, sizeof got));
    syc__cache_note(context, "how large?", "", &answer, sizeof answer);
    CHECK_EQUAL(figures().stored, 1);
    CHECK(syc__cache_recall(context, "how large?", "", &got, sizeof got));
    CHECK_EQUAL(got, 24);
    CHECK(!syc__cache_recall(context, "how large?", "-DX", &got, sizeof got));
    CHECK(!syc__cache_recall(context, "how long?", "", &got, sizeof got));
    CHECK(!syc__cache_recall(context, "how large?", "", &narrow, sizeof narrow));
    CHECK_OK(build_one("how large?", "")); /* a program of that text is another thing */
    CHECK_EQUAL(figures().hits, 0);
    close_cache();
}

int main(void)
{
    FIND_FAKE_DRIVER;
    ON_EVERY_DEVICE(the_second_build_compiles_nothing);
    CHILD(SHARING, kernels_from_the_cache_run);
    CHILD(LANES, kernels_from_the_cache_run);
    ON_EVERY_DEVICE(every_byte_makes_another_key);
    CHILD(SHARING, what_reads_files_is_not_kept);
    CHILD(SHARING, failed_builds_are_not_kept);
    ON_EVERY_DEVICE(warnings_survive);
    CHILD(SHARING, native_programs_keep_their_text);
    CHILD(SHARING "FAKE_BINARY=none", refused_binaries);
    CHILD(SHARING "FAKE_BINARY=refused", refused_binaries);
    CHILD(LANES "FAKE_BINARY=unwanted", refused_binaries);
    CHILD(COPYING "FAKE_BINARY=unbuildable", refused_binaries);
    CHILD(SHARING, without_a_folder);
    CHILD(SHARING, switched_off);
    CHILD(COPYING, the_limit_holds);
    ON_EVERY_DEVICE(answers_are_kept);
    return CHECK_EXIT_CODE;
}
