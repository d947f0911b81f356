/* PoCL's code of work-groups. It compiles a kernel to a shared object, for each size of group anew, and loads that into
 * the process. The object has a function that does one work-group:
 *
 *     _pocl_kernel_NAME_workgroup(addresses of the arguments, pocl_context, number of the group in each dimension)
 *
 * Its file's name says what it was made for, as in "_UNCACHED_XXXXXX/NAME/64-1-1-goffs0-smallgrid/NAME.so": groups of
 * 64, no offset, fewer than 65535 work-items in any dimension. The folder is one build's alone
 * (cl/cures/pocl_environment.c). Layouts were read in PoCL's sources: its context, and its device for the calling
 * thread. */
#define _GNU_SOURCE
#include "program/group_code.h"

#include "base/alloc.h"
#include "base/process.h"
#include "cl/device.h"
#include "cl/driver.h"
#include "program/recipe.h"
#include "source/declarations/signature.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

enum { NARROW_GRID = 65535, LONGEST_NAME = 100 }; /* the driver shortens longer names */

typedef void work_group(void *const *arguments, void *space, uint64_t x, uint64_t y, uint64_t z);

enum layout { UNKNOWN, PLAIN, WITH_VARIABLES };

/* What is known of the code for one size of group. */
struct syc_group_code {
    syc_group_code *next;
    size_t local[3];
    bool narrow;
    enum layout layout;
    atomic_uint asked;           /* how often it was asked for before it was found */
    void *object;                /* a reference to what the driver has loaded */
    _Atomic(work_group *) group; /* NULL: not found yet */
};

/* struct pocl_context of PoCL 3.0 and 3.1. */
struct space {
    uint64_t groups[3], offset[3], local[3];
    unsigned char *printed; /* of printf, which such kernels do not have */
    uint32_t *printed_at;
    uint32_t print_room;
    uint32_t dims;
};

/* Of PoCL 5.0. */
struct space_with_variables {
    uint64_t groups[3], offset[3], local[3];
    unsigned char *printed;
    uint32_t *printed_at;
    uint32_t print_room;
    unsigned char *variables; /* the program's own in global memory, which such kernels do not have either */
    uint32_t dims;
};

_Static_assert(sizeof(struct space_with_variables) <= SYC_GROUP_SPACE_BYTES, "the driver's context has room");

/* "OpenCL 3.0 PoCL 3.0-rc2  Linux, ..." has " PoCL 3.0", and "PoCL 3.01" has not. */
static bool has_version(const char *text, const char *const *versions, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const char *at = versions[i] != NULL ? strstr(text, versions[i]) : NULL;
        const char *behind = at != NULL ? at + strlen(versions[i]) : NULL;
        if (behind != NULL && (*behind < '0' || *behind > '9'))
            return true;
    }
    return false;
}

/* The layout is relied on in the versions that were tried. */
static enum layout layout_of(const syc_context *context)
{
#if defined(__x86_64__)
    const syc_code_facts *facts = context->devices[0]->facts->code;
    const char *version = context->platform->version;
    if (facts == NULL || context->device_count != 1)
        return UNKNOWN;
    if (has_version(version, facts->plain, sizeof facts->plain / sizeof *facts->plain))
        return PLAIN;
    if (has_version(version, facts->with_variables, sizeof facts->with_variables / sizeof *facts->with_variables))
        return WITH_VARIABLES;
#else
    (void)context;
#endif
    return UNKNOWN;
}

/* Not of text that may print, or has parts that are not here, or whose numbers are to be rounded in other ways. */
static bool is_plain(const syc_build *build)
{
    static const char *const words[] = {"printf", "include"};
    static const char *const options[] = {"printf", "include", "denorms", "-cl-fast", "-cl-unsafe"};
    size_t length;
    const char *text = syc_program_text(build->program, &length);
    const char *given = syc__build_options(build);
    bool plain = text != NULL && build->program->recipe.kind == SYC__FROM_TEXT;

    for (size_t i = 0; plain && i < sizeof words / sizeof *words; i++)
        plain = memmem(text, length, words[i], strlen(words[i])) == NULL;
    for (size_t i = 0; plain && i < sizeof options / sizeof *options; i++)
        plain = strstr(given, options[i]) == NULL;
    return plain;
}

bool syc__group_code_fits(const syc_build *build)
{
    return build->turn == 0 && layout_of(build->context) != UNKNOWN && is_plain(build);
}

static bool is_narrow(const syc_group_grid *grid)
{
    for (int d = 0; d < 3; d++)
        if (grid->groups[d] > (NARROW_GRID - 1) / grid->local[d])
            return false;
    return true;
}

static const char *name_of(const syc_build *build, size_t kernel)
{
    return syc_program_signatures(build->program)->items[kernel].name;
}

/* -- the list -- */

/* Code of wide grids is right for narrow ones too, and by PoCL's sources it may load no other where it has that. */
static bool is_for(const syc_group_code *code, const size_t *local, bool narrow)
{
    bool found = atomic_load_explicit(&code->group, memory_order_acquire) != NULL;
    return memcmp(code->local, local, sizeof code->local) == 0 && (code->narrow == narrow || (found && !code->narrow));
}

static syc_group_code *find(const syc_build *build, size_t kernel, const syc_group_grid *grid, bool narrow)
{
    syc_group_code *code = atomic_load_explicit(&build->pools[kernel].codes, memory_order_acquire);
    while (code != NULL && !is_for(code, grid->local, narrow))
        code = code->next;
    return code;
}

/* NULL without memory. */
static syc_group_code *find_or_add(syc_build *build, size_t kernel, const syc_group_grid *grid, bool narrow)
{
    syc_group_code *code, *added = NULL;
    pthread_mutex_lock(&build->lock);
    code = find(build, kernel, grid, narrow);
    if (code == NULL)
        (void)syc_alloc(sizeof *added, &added);
    if (added != NULL) {
        memcpy(added->local, grid->local, sizeof added->local);
        added->narrow = narrow;
        added->layout = layout_of(build->context);
        added->next = build->pools[kernel].codes;
        atomic_store_explicit(&build->pools[kernel].codes, added, memory_order_release);
        code = added;
    }
    pthread_mutex_unlock(&build->lock);
    return code;
}

/* -- the search -- */

/* The driver has made a kernel that sets variables of the program's own before the first launch. */
static bool has_variables(const char *folder, const char *variables)
{
    char path[PATH_MAX];
    int length = snprintf(path, sizeof path, "%s/%s", folder, variables);
    return length < 0 || length >= (int)sizeof path || access(path, F_OK) == 0;
}

/* What the driver has loaded: nothing is loaded here. */
static void *open_loaded(const char *folder, const char *name, const size_t *local, bool narrow)
{
    char path[PATH_MAX];
    int length = snprintf(path, sizeof path, "%s/%s/%zu-%zu-%zu-goffs0%s/%s.so", folder, name, local[0], local[1],
                          local[2], narrow ? "-smallgrid" : "", name);
    return length > 0 && length < (int)sizeof path ? dlopen(path, RTLD_NOW | RTLD_NOLOAD) : NULL;
}

static void search_locked(const syc_build *build, const char *name, syc_group_code *code)
{
    const syc_code_facts *facts = build->context->devices[0]->facts->code;
    char folder[PATH_MAX], symbol[LONGEST_NAME + 64];
    work_group *group = NULL;

    for (size_t i = 0; i < build->code_folders.count && code->object == NULL; i++) {
        int length = snprintf(folder, sizeof folder, "%s/%s", build->context->platform->driver->folder,
                              build->code_folders.names[i]);
        if (length < 0 || length >= (int)sizeof folder || has_variables(folder, facts->variables))
            continue;
        code->object = code->narrow ? open_loaded(folder, name, code->local, true) : NULL;
        if (code->object == NULL)
            code->object = open_loaded(folder, name, code->local, false);
    }
    if (code->object == NULL)
        return;
    snprintf(symbol, sizeof symbol, facts->symbol, name);
    *(void **)&group = dlsym(code->object, symbol);
    atomic_store_explicit(&code->group, group, memory_order_release);
}

/* The driver loads code when a launch first needs it. So it is looked for at the first launches, and then ever more
 * seldom: a search takes some microseconds. */
static bool is_worth_a_search(syc_group_code *code)
{
    unsigned asked = atomic_fetch_add_explicit(&code->asked, 1, memory_order_relaxed);
    return (asked & (asked - 1)) == 0;
}

const syc_group_code *syc_build_known_code(syc_build *build, size_t kernel, const syc_group_grid *grid)
{
    const syc_group_code *code = find(build, kernel, grid, is_narrow(grid));
    return code != NULL && atomic_load_explicit(&code->group, memory_order_acquire) != NULL ? code : NULL;
}

const syc_group_code *syc_build_group_code(syc_build *build, size_t kernel, const syc_group_grid *grid)
{
    const bool narrow = is_narrow(grid);
    const char *name = name_of(build, kernel);
    syc_group_code *code = find(build, kernel, grid, narrow);

    if (code != NULL && atomic_load_explicit(&code->group, memory_order_acquire) != NULL)
        return code;
    if (build->code_folders.count == 0 || strlen(name) > LONGEST_NAME)
        return NULL;
    code = code != NULL ? code : find_or_add(build, kernel, grid, narrow);
    if (code == NULL || !is_worth_a_search(code))
        return NULL;
    pthread_mutex_lock(&build->lock);
    if (code->object == NULL)
        search_locked(build, name, code);
    pthread_mutex_unlock(&build->lock);
    return atomic_load_explicit(&code->group, memory_order_acquire) != NULL ? code : NULL;
}

void syc__group_codes_free(syc_group_code *codes)
{
    while (codes != NULL) {
        syc_group_code *next = codes->next;
        if (codes->object != NULL && syc_process_alive())
            (void)dlclose(codes->object); /* the driver has a reference of its own */
        syc_free(codes);
        codes = next;
    }
}

/* -- runs -- */

void syc_group_space_fill(const syc_group_code *code, const syc_group_grid *grid, syc_group_space *out)
{
    struct space plain = {.dims = grid->dims};
    struct space_with_variables other = {.dims = grid->dims};
    for (int d = 0; d < 3; d++) {
        plain.groups[d] = other.groups[d] = grid->groups[d];
        plain.local[d] = other.local[d] = grid->local[d];
    }
    if (code->layout == PLAIN)
        memcpy(out->bytes, &plain, sizeof plain);
    else
        memcpy(out->bytes, &other, sizeof other);
}

/* The driver's threads round to nearest, keep denormal numbers and trap nothing, whatever the calling thread does. */
static unsigned enter_numbers(void)
{
#if defined(__x86_64__)
    enum { DENORMALS_ARE_ZERO = 0x0040 };
    unsigned before = _mm_getcsr();
    _mm_setcsr((before & ~(unsigned)(_MM_ROUND_MASK | _MM_FLUSH_ZERO_MASK | DENORMALS_ARE_ZERO)) | _MM_MASK_MASK);
    return before;
#else
    return 0;
#endif
}

static void leave_numbers(unsigned before)
{
#if defined(__x86_64__)
    _mm_setcsr(before);
#else
    (void)before;
#endif
}

void syc_group_code_run(const syc_group_code *code, const syc_group_grid *grid, const syc_group_space *space,
                        void *const *arguments, size_t first, size_t past)
{
    syc_group_space own = *space; /* nobody else's cache line */
    size_t x = first % grid->groups[0], y = first / grid->groups[0] % grid->groups[1];
    size_t z = first / grid->groups[0] / grid->groups[1];
    unsigned numbers = enter_numbers();
    work_group *run = code->group;

    for (size_t group = first; group < past; group++) {
        run(arguments, own.bytes, x, y, z);
        if (++x < grid->groups[0])
            continue;
        x = 0;
        if (++y == grid->groups[1]) {
            y = 0;
            z++;
        }
    }
    leave_numbers(numbers);
}
