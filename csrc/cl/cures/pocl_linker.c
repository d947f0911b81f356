/* PoCL 3.0-rc2: it links each kernel with `ld`, as its clang calls it, and ends the process where that fails.
 * Gone when: tests/regression/test_missing_linker.py::test_a_linker_that_fails_is_told.
 *
 * So the driver is refused where there is no `ld`, and linking is tried before the first kernel: an object with a few
 * bytes becomes a shared library that needs what a kernel's needs. */
#define _GNU_SOURCE
#include "cl/cures/pocl_linker.h"

#include "base/alloc.h"
#include "base/text.h"
#include "cl/cures/pocl_cpu_name.h"
#include "cl/room.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <spawn.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#if defined(__aarch64__)
enum { MACHINE = EM_AARCH64 };
#else
enum { MACHINE = EM_X86_64 };
#endif

/* The smallest object that is one. */
struct object {
    Elf64_Ehdr head;
    Elf64_Shdr none, text, names;
    char code[8], strings[24];
};

static void make_object(struct object *o)
{
    static const char strings[] = "\0.text\0.shstrtab";
    *o = (struct object){
        .head = {.e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB, EV_CURRENT},
                 .e_type = ET_REL,
                 .e_machine = MACHINE,
                 .e_version = EV_CURRENT,
                 .e_shoff = offsetof(struct object, none),
                 .e_ehsize = sizeof(Elf64_Ehdr),
                 .e_shentsize = sizeof(Elf64_Shdr),
                 .e_shnum = 3,
                 .e_shstrndx = 2},
        .text = {.sh_name = 1,
                 .sh_type = SHT_PROGBITS,
                 .sh_flags = SHF_ALLOC | SHF_EXECINSTR,
                 .sh_offset = offsetof(struct object, code),
                 .sh_size = sizeof o->code,
                 .sh_addralign = 8},
        .names = {.sh_name = 7,
                  .sh_type = SHT_STRTAB,
                  .sh_offset = offsetof(struct object, strings),
                  .sh_size = sizeof strings,
                  .sh_addralign = 1},
    };
    memcpy(o->strings, strings, sizeof strings);
}

/* The files of a trial, in the folder of the driver's own. */
struct files {
    syc_text object, library, words;
};

static void clear(struct files *files)
{
    syc_text *const all[] = {&files->object, &files->library, &files->words};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        if (all[i]->length > 0)
            (void)unlink(syc_text_get(all[i]));
        syc_text_clear(all[i]);
    }
}

/* False: there is no room for them, of which nothing follows. */
static bool write_files(const char *folder, struct files *files)
{
    static atomic_uint trials;
    const unsigned trial = atomic_fetch_add(&trials, 1);
    struct object object;
    FILE *file;
    bool written;

    syc_text_add(&files->object, "%s/trial%u.o", folder, trial);
    syc_text_add(&files->library, "%s/trial%u.so", folder, trial);
    syc_text_add(&files->words, "%s/trial%u.txt", folder, trial);
    if (files->object.cut || files->library.cut || files->words.cut)
        return false;
    make_object(&object);
    file = fopen(syc_text_get(&files->object), "wbe");
    if (file == NULL)
        return false;
    written = fwrite(&object, sizeof object, 1, file) == 1;
    return fclose(file) == 0 && written;
}

/* -- where libraries may be: everywhere that clang looks, and more. What is missing there, clang does not find -- */

struct arguments {
    char **items;
    size_t count, room;
    bool cut;
};

static void add(struct arguments *a, const char *prefix, const char *text, size_t length)
{
    syc_text argument = {0};
    char *taken = NULL;
    syc_text_add(&argument, "%s%.*s", prefix, (int)length, text);
    taken = syc_text_take(&argument);
    if (taken == NULL || syc_grow(&a->items, &a->room, a->count + 2, sizeof *a->items) != SYC_OK) {
        syc_free(taken);
        a->cut = true;
        return;
    }
    a->items[a->count++] = taken;
    a->items[a->count] = NULL;
}

static void add_all(struct arguments *a, const char *const *texts)
{
    for (; *texts != NULL; texts++)
        add(a, "", *texts, strlen(*texts));
}

static void add_folders(struct arguments *a)
{
    static const char *const patterns[] = {"/usr/lib*/gcc*/*/*",
                                           "/usr/local/lib*/gcc*/*/*",
                                           "/opt/rh/*/*/usr/lib*/gcc*/*/*",
                                           "/usr/lib/*-linux-gnu*",
                                           "/lib/*-linux-gnu*",
                                           "/usr/lib*",
                                           "/lib*",
                                           "/usr/local/lib*"};
    const char *path = getenv("LIBRARY_PATH"); /* clang's own */
    for (size_t i = 0; i < sizeof patterns / sizeof *patterns; i++) {
        glob_t found = {0};
        if (glob(patterns[i], GLOB_NOSORT | GLOB_ONLYDIR, NULL, &found) == 0)
            for (size_t k = 0; k < found.gl_pathc; k++)
                add(a, "-L", found.gl_pathv[k], strlen(found.gl_pathv[k]));
        globfree(&found);
    }
    for (size_t length; path != NULL && *path != '\0'; path += length + (path[length] == ':')) {
        length = strcspn(path, ":");
        if (length > 0)
            add(a, "-L", path, length);
    }
}

static void clear_arguments(struct arguments *a)
{
    for (size_t i = 0; i < a->count; i++)
        syc_free(a->items[i]);
    syc_free(a->items);
}

/* -- the trial -- */

/* The exit status of the program; -1: it could not be started for now, or nobody knows; 127: there is none. This thread
 * holds signals (base/deep.h): a Ctrl-C that ends the program would be taken for a linker that fails. */
static int run(char *const *arguments, const char *words)
{
    posix_spawn_file_actions_t files;
    pid_t child = -1;
    int result = 0;

    if (posix_spawn_file_actions_init(&files) != 0)
        return -1;
    if (posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, "/dev/null", O_WRONLY, 0) != 0 ||
        posix_spawn_file_actions_addopen(&files, STDERR_FILENO, words, O_WRONLY | O_CREAT | O_TRUNC, 0600) != 0) {
        posix_spawn_file_actions_destroy(&files);
        return -1;
    }
    result = posix_spawnp(&child, arguments[0], &files, NULL, arguments, environ);
    posix_spawn_file_actions_destroy(&files);
    if (result != 0)
        return result == ENOENT || result == EACCES || result == ENOEXEC ? 127 : -1;
    while (waitpid(child, &result, 0) < 0)
        if (errno != EINTR)
            return -1; /* somebody else waits for all children */
    return WIFEXITED(result) ? WEXITSTATUS(result) : 126;
}

/* The last line that the linker wrote, behind warnings, or what is known without. */
static void read_words(const char *path, int result, char *out, int room)
{
    FILE *file = fopen(path, "re");
    snprintf(out, (size_t)room, result == 127 ? "it does not start" : "it says nothing, and its status is %d", result);
    while (file != NULL && fgets(out, room, file) != NULL)
        out[strcspn(out, "\n")] = '\0';
    if (file != NULL)
        (void)fclose(file);
}

static syc_status try_linker(const char *folder)
{
    static const char *const first[] = {"ld", "--hash-style=both", "--eh-frame-hdr", "-shared", "-o", NULL};
    static const char *const last[] = {"-lgcc", "--as-needed", "-lgcc_s", "--no-as-needed", "-lc", NULL};
    struct files files = {0};
    struct arguments arguments = {0};
    syc_status status = SYC_OK;
    char words[300];
    int result = -1;

    if (!write_files(folder, &files))
        goto done;
    add_all(&arguments, first);
    add(&arguments, "", syc_text_get(&files.library), files.library.length);
    add_folders(&arguments);
    add(&arguments, "", syc_text_get(&files.object), files.object.length);
    add_all(&arguments, last);
    if (!arguments.cut)
        result = run(arguments.items, syc_text_get(&files.words));
    if (result <= 0)
        goto done;
    read_words(syc_text_get(&files.words), result, words, (int)sizeof words);
    status =
        syc_fail(SYC_E_RUNTIME, SYC_HERE,
                 "nothing can be compiled: the driver links kernels with `ld`, as C compilers do, and would end the "
                 "process, because that fails: %s (mend PATH, or install what a C compiler needs)",
                 words);
done:
    clear_arguments(&arguments);
    clear(&files);
    return status;
}

syc_status syc_driver_check_linker(const syc_driver *driver)
{
    static atomic_bool links;
    syc_status status = SYC_OK;

    if (!driver->links || driver->folder == NULL || atomic_load(&links))
        return SYC_OK;
    SYC_TRY(try_linker(driver->folder));
    atomic_store(&links, true);
done:
    return status;
}

bool syc__linker_on_path(const char *program, const char *path)
{
    while (path != NULL && *path != '\0') {
        size_t length = strcspn(path, ":");
        char file[4096];
        int written = snprintf(file, sizeof file, "%.*s/%s", (int)length, path, program);
        if (written > 0 && (size_t)written < sizeof file && access(file, X_OK) == 0)
            return true;
        path += length + (path[length] == ':');
    }
    return false;
}

syc_status syc__linker_find(syc_driver *driver)
{
    for (size_t i = 0; i < driver->platform_count; i++) {
        if (!syc__is_pocl_3_0(driver, driver->platforms[i]))
            continue;
        driver->links = true;
        if (syc__linker_on_path("ld", getenv("PATH")))
            continue;
        return syc_copy_string(
            "it links kernels with `ld`, which is not on the PATH, and would end the process at the first "
            "launch: install binutils or mend PATH",
            &driver->refusal);
    }
    return SYC_OK;
}
