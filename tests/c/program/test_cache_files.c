/* Files of the cache and their folder: whole or not at all, whoever writes, removes or is killed meanwhile. */
#define _GNU_SOURCE
#include "base/alloc.h"
#include "base/clock.h"
#include "check.h"
#include "program/cache/entry.h"
#include "program/cache/file.h"
#include "program/cache/folder.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static char folder[64];

static void make_folder(void)
{
    snprintf(folder, sizeof folder, "/tmp/pysycl-test-XXXXXX");
    CHECK(mkdtemp(folder) != NULL);
}

/* Nothing but entries may be in it. */
static void remove_folder(void)
{
    (void)syc__folder_clear(folder);
    CHECK_EQUAL(rmdir(folder), 0);
}

static const char *path_in(const char *name)
{
    static char path[400];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

static const char *entry_name(unsigned number)
{
    static char name[SYC__ENTRY_NAME + sizeof SYC__ENTRY_SUFFIX];
    snprintf(name, sizeof name, "%040x" SYC__ENTRY_SUFFIX, number);
    return name;
}

static bool write_entry(unsigned number, size_t size)
{
    unsigned char *bytes = malloc(size);
    bool written;
    memset(bytes, (int)number, size);
    written = syc__file_write(folder, entry_name(number), bytes, size);
    free(bytes);
    return written;
}

static uint64_t entries(void)
{
    uint64_t bytes, count;
    syc__folder_measure(folder, &bytes, &count);
    return count;
}

static bool is_there(unsigned number)
{
    return access(path_in(entry_name(number)), F_OK) == 0;
}

static bool reads(const char *name)
{
    unsigned char *bytes = NULL;
    size_t size = 0;
    bool good = syc__file_read(path_in(name), &bytes, &size);
    syc_free(bytes);
    return good;
}

static void test_written_and_read(void)
{
    unsigned char *bytes = NULL;
    struct stat info;
    size_t size = 0;

    make_folder();
    CHECK(write_entry(7, 1000));
    CHECK(syc__file_read(path_in(entry_name(7)), &bytes, &size));
    CHECK_EQUAL(size, 1000);
    CHECK(bytes != NULL && bytes[0] == 7 && bytes[999] == 7);
    syc_free(bytes);
    CHECK_EQUAL(stat(path_in(entry_name(7)), &info), 0);
    CHECK_EQUAL(info.st_mode & 0777, 0600);
    CHECK(write_entry(7, 10)); /* the last one wins */
    CHECK_EQUAL(entries(), 1);
    remove_folder();
}

static void test_folders_are_made(void)
{
    char above[64];
    struct stat info;
    make_folder();
    snprintf(above, sizeof above, "%.40s", folder);
    snprintf(folder, sizeof folder, "%.40s/a/b", above);
    CHECK(write_entry(1, 10));
    CHECK_EQUAL(stat(folder, &info), 0);
    CHECK_EQUAL(info.st_mode & 0777, 0700);
    remove_folder();
    snprintf(folder, sizeof folder, "%.40s/a", above);
    remove_folder();
    snprintf(folder, sizeof folder, "%.40s", above);
    remove_folder();
}

/* What is no plain file of ours is no file. */
static void test_strange_files(void)
{
    make_folder();
    CHECK(!reads("missing"));
    CHECK_EQUAL(mkfifo(path_in("fifo"), 0600), 0);
    CHECK(!reads("fifo")); /* and is not waited for */
    CHECK_EQUAL(mkdir(path_in("folder"), 0700), 0);
    CHECK(!reads("folder"));
    CHECK(write_entry(1, 10));
    CHECK_EQUAL(symlink(entry_name(1), path_in("link")), 0);
    CHECK(!reads("link"));
    CHECK(reads(entry_name(1)));
    CHECK_EQUAL(chmod(path_in(entry_name(1)), 0666), 0);
    CHECK(!reads(entry_name(1))); /* anybody could have written it */
    CHECK_EQUAL(chmod(path_in(entry_name(1)), 0644), 0);
    CHECK(reads(entry_name(1)));
    CHECK_EQUAL(truncate(path_in(entry_name(1)), 0), 0);
    CHECK(!reads(entry_name(1)));
    CHECK_EQUAL(truncate(path_in(entry_name(1)), (off_t)1 << 40), 0); /* a hole */
    CHECK(!reads(entry_name(1)));
    syc_alloc_fail_at(1);
    CHECK(!reads(entry_name(1)));
    syc_alloc_fail_at(0);
    CHECK_EQUAL(rmdir(path_in("folder")), 0);
    CHECK_EQUAL(unlink(path_in("fifo")), 0);
    CHECK_EQUAL(unlink(path_in("link")), 0);
    remove_folder();
}

static void test_folders_that_are_none(void)
{
    char above[64];
    make_folder();
    snprintf(above, sizeof above, "%.40s", folder);
    snprintf(folder, sizeof folder, "%.40s/file", above);
    close(open(folder, O_CREAT | O_WRONLY, 0600));
    CHECK(!write_entry(1, 10));
    CHECK_EQUAL(entries(), 0);
    CHECK_EQUAL(syc__folder_clear(folder), 0);
    syc__folder_trim(folder, 1);
    CHECK_EQUAL(unlink(folder), 0);
    snprintf(folder, sizeof folder, "/proc/nowhere"); /* nobody can make it */
    CHECK(!write_entry(1, 10));
    snprintf(folder, sizeof folder, "%.40s", above);
    remove_folder();
    snprintf(folder, sizeof folder, "/dev/full"); /* a file that is always full */
    CHECK(!write_entry(1, 10));
}

/* -- no room -- */

static void test_no_room(void)
{
    pid_t child;
    int result = 0;

    make_folder();
    fflush(stdout);
    child = fork();
    if (child == 0) { /* every file may have 4096 bytes */
        check__failures = 0;
        signal(SIGXFSZ, SIG_IGN);
        CHECK_EQUAL(setrlimit(RLIMIT_FSIZE, &(struct rlimit){4096, 4096}), 0);
        CHECK(!write_entry(1, 100000));
        CHECK(write_entry(2, 1000));
        _exit(CHECK_EXIT_CODE);
    }
    waitpid(child, &result, 0);
    CHECK_EQUAL(result, 0);
    CHECK_EQUAL(entries(), 1);
    remove_folder(); /* also of what could not be finished */
}

/* -- room is made -- */

static void use(unsigned number, time_t when)
{
    struct timespec times[2] = {{.tv_sec = when}, {.tv_sec = when}};
    CHECK_EQUAL(utimensat(AT_FDCWD, path_in(entry_name(number)), times, 0), 0);
}

static void test_what_was_used_longest_ago_goes(void)
{
    time_t now = time(NULL);
    make_folder();
    for (unsigned i = 0; i < 10; i++) {
        CHECK(write_entry(i, 1000));
        use(i, now - 1000 + (time_t)(i * 7 % 10)); /* 0 3 6 9 2 5 8 1 4 7 from old to new */
    }
    syc__folder_trim(folder, 10000);
    CHECK_EQUAL(entries(), 10);
    syc__folder_trim(folder, 8000); /* seven eighths are left, so that it is not needed each time */
    CHECK_EQUAL(entries(), 7);
    CHECK(!is_there(0) && !is_there(3) && !is_there(6));
    syc__file_touch(path_in(entry_name(9)));
    syc__folder_trim(folder, 1200);
    CHECK_EQUAL(entries(), 1);
    CHECK(is_there(9)); /* it had been the oldest one */
    syc__folder_trim(folder, 0);
    CHECK_EQUAL(entries(), 0);
    remove_folder();
}

static void test_only_what_is_its_own(void)
{
    make_folder();
    close(open(path_in("notes.txt"), O_CREAT | O_WRONLY, 0600));
    close(open(path_in("0123.syc"), O_CREAT | O_WRONLY, 0600));
    close(open(path_in(SYC__UNFINISHED "abcdef"), O_CREAT | O_WRONLY, 0600));
    close(open(path_in(SYC__UNFINISHED "oldold"), O_CREAT | O_WRONLY, 0600));
    utimensat(AT_FDCWD, path_in(SYC__UNFINISHED "oldold"), (struct timespec[2]){{.tv_sec = 1}, {.tv_sec = 1}}, 0);
    CHECK(write_entry(1, 10));
    syc__folder_trim(folder, 100);
    CHECK(access(path_in(SYC__UNFINISHED "abcdef"), F_OK) == 0); /* somebody may be writing it */
    CHECK(access(path_in(SYC__UNFINISHED "oldold"), F_OK) != 0);
    CHECK_EQUAL(syc__folder_clear(folder), 1);
    CHECK_EQUAL(unlink(path_in(SYC__UNFINISHED "abcdef")), 0); /* nor does clearing take it away */
    CHECK_EQUAL(unlink(path_in("notes.txt")), 0);
    CHECK_EQUAL(unlink(path_in("0123.syc")), 0);
    remove_folder();
}

/* -- writers that are killed, and others that clear -- */

enum { WRITERS = 3, ENTRIES = 8, KILLS = 60 };

static void write_for_ever(void)
{
    static char key[] = "key";
    for (unsigned n = 0;; n++) {
        unsigned char *bytes = NULL;
        size_t size = 0;
        syc__entry entry = {.key = key, .key_length = sizeof key, .count = 1};
        entry.parts[0] = (syc__part){calloc(1, 40000), 40000};
        memset(entry.parts[0].bytes, (int)n, 40000);
        if (syc__entry_encode(&entry, &bytes, &size) == SYC_OK)
            (void)syc__file_write(folder, entry_name(n % ENTRIES), bytes, size);
        free(entry.parts[0].bytes);
        syc_free(bytes);
    }
}

/* All that is there is whole, at any moment. */
static unsigned check_all(void)
{
    unsigned found = 0;
    for (unsigned i = 0; i < ENTRIES; i++) {
        unsigned char *bytes = NULL;
        size_t size = 0;
        syc__entry entry;
        if (!syc__file_read(path_in(entry_name(i)), &bytes, &size))
            continue;
        CHECK(syc__entry_decode(bytes, size, "key", 4, &entry));
        found++;
        syc_free(bytes);
    }
    return found;
}

static void remove_unfinished(void)
{
    DIR *listing = opendir(folder);
    const struct dirent *entry;
    while (listing != NULL && (entry = readdir(listing)) != NULL)
        if (strncmp(entry->d_name, SYC__UNFINISHED, strlen(SYC__UNFINISHED)) == 0)
            CHECK_EQUAL(unlink(path_in(entry->d_name)), 0);
    closedir(listing);
}

static void test_killed_writers(void)
{
    pid_t writers[WRITERS];
    unsigned found = 0, state = 1;

    make_folder();
    fflush(stdout);
    for (int i = 0; i < WRITERS; i++)
        if ((writers[i] = fork()) == 0)
            write_for_ever();
    for (int kill_number = 0; kill_number < KILLS; kill_number++) {
        int victim = kill_number % WRITERS;
        state = state * 1103515245u + 12345u;
        syc_sleep_ns(1000000 + (state >> 8) % 10000000);
        found += check_all();
        if (kill_number % 10 == 0)
            (void)syc__folder_clear(folder);
        kill(writers[victim], SIGKILL);
        waitpid(writers[victim], NULL, 0);
        if ((writers[victim] = fork()) == 0)
            write_for_ever();
    }
    for (int i = 0; i < WRITERS; i++) {
        kill(writers[i], SIGKILL);
        waitpid(writers[i], NULL, 0);
    }
    found += check_all();
    CHECK(found > 0);
    remove_unfinished();
    remove_folder();
}

int main(void)
{
    RUN(test_written_and_read);
    RUN(test_folders_are_made);
    RUN(test_strange_files);
    RUN(test_folders_that_are_none);
    RUN(test_no_room);
    RUN(test_what_was_used_longest_ago_goes);
    RUN(test_only_what_is_its_own);
    RUN(test_killed_writers);
    return CHECK_EXIT_CODE;
}
