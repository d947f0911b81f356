/* A list of programs and texts. */
#include "program/native_text.h"

#include "base/alloc.h"

#include <pthread.h>
#include <stdbool.h>

typedef struct known {
    struct known *next;
    cl_program program;
    char *text;
    size_t count;
} known;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* a leaf */
static known *first;

static known **find_locked(cl_program program)
{
    known **at = &first;
    while (*at != NULL && (*at)->program != program)
        at = &(*at)->next;
    return at;
}

void syc__native_text_add(cl_program program, const char *text)
{
    known *fresh = NULL;
    char *copy = NULL;
    bool made = syc_alloc(sizeof *fresh, &fresh) == SYC_OK && syc_copy_string(text, &copy) == SYC_OK;
    known *found;

    pthread_mutex_lock(&lock);
    found = *find_locked(program);
    if (found != NULL) {
        found->count++;
    } else if (made) {
        *fresh = (known){first, program, copy, 1};
        first = fresh;
        fresh = NULL;
        copy = NULL;
    }
    pthread_mutex_unlock(&lock);
    syc_free(fresh);
    syc_free(copy);
}

void syc__native_text_remove(cl_program program)
{
    known *gone = NULL, **at;

    pthread_mutex_lock(&lock);
    at = find_locked(program);
    if (*at != NULL && --(*at)->count == 0) {
        gone = *at;
        *at = gone->next;
    }
    pthread_mutex_unlock(&lock);
    if (gone != NULL)
        syc_free(gone->text);
    syc_free(gone);
}

syc_status syc__native_text_find(cl_program program, char **out)
{
    syc_status status = SYC_OK;
    const known *found;

    pthread_mutex_lock(&lock);
    found = *find_locked(program);
    if (found != NULL)
        status = syc_copy_string(found->text, out);
    else
        *out = NULL;
    pthread_mutex_unlock(&lock);
    return status;
}
