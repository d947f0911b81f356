/* Scratch folders and child processes for the C tests. */
#ifndef SYC_TESTS_PLACE_H
#define SYC_TESTS_PLACE_H

#include "check.h"

#include <limits.h>
#include <stdarg.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static char place[PATH_MAX]; /* this test program's own folder */

__attribute__((unused)) static void place_make(void)
{
    snprintf(place, sizeof place, "%s/syc-test-XXXXXX", getenv("TMPDIR") ? getenv("TMPDIR") : "/tmp");
    if (mkdtemp(place) == NULL)
        exit(2);
}

__attribute__((unused)) static void place_remove(void)
{
    char command[PATH_MAX + 16];
    snprintf(command, sizeof command, "rm -rf '%s'", place);
    if (system(command) != 0)
        fprintf(stderr, "%s stays\n", place);
}

/* A path in the folder; the caller frees it. */
__attribute__((unused, format(printf, 1, 2))) static char *place_path(const char *format, ...)
{
    char tail[PATH_MAX], *path = malloc(2 * PATH_MAX);
    va_list args;
    va_start(args, format);
    vsnprintf(tail, sizeof tail, format, args);
    va_end(args);
    if (path == NULL)
        exit(2);
    snprintf(path, 2 * PATH_MAX, "%s/%s", place, tail);
    return path;
}

/* Makes the folders that lead to a path in the folder, then the file. */
__attribute__((unused)) static void place_write(const char *name, const char *text)
{
    char *path = place_path("%s", name);
    FILE *file;
    for (char *slash = strchr(path + strlen(place) + 1, '/'); slash != NULL; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        (void)mkdir(path, 0700);
        *slash = '/';
    }
    file = fopen(path, "w");
    if (file == NULL || fputs(text, file) < 0 || fclose(file) != 0)
        exit(2);
    free(path);
}

/* Runs `body` in a forked child, adds its failed checks to ours, and reports a crash as one. */
__attribute__((unused)) static void in_child(void (*body)(void))
{
    int status = 0;
    pid_t child;
    fflush(stdout);
    child = fork();
    if (child == 0) {
        check__failures = 0;
        body();
        exit(check__failures != 0);
    }
    if (child < 0 || waitpid(child, &status, 0) != child || !WIFEXITED(status) || WEXITSTATUS(status) != 0) {
        fprintf(stderr, "the child ended with status %#x\n", (unsigned)status);
        check__failures++;
    }
}

/* True if `text` has `part` in it; shows both when not. */
__attribute__((unused)) static int has(const char *text, const char *part)
{
    int found = text != NULL && strstr(text, part) != NULL;
    if (!found)
        fprintf(stderr, "\"%s\" is not in \"%s\"\n", part, text ? text : "(null)");
    return found;
}

#endif
