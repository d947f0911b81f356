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
#include "program/recipe.h"
#include "source/declarations/signature.h"

#include <dlfcn.h>
#include <link.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

enum { NARROW_GRID = 65535, LONGEST_NAME = 100, END_BYTES = 2 * LONGEST_NAME + 128 };

typedef void work_group(void *const *arguments, void *space, uint64_t x, uint64_t y, uint64_t z);

enum layout { UNKNOWN, PLAIN, WITH_VARIABLES };

struct syc_group_code {
    syc_group_code *next;
    size_t local[3];
    bool narrow;
    enum layout layout;
    void *object;      /* a reference to what the driver has loaded; NULL: it was not found */
    work_group *group; /* NULL with it */
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

/* Text that may print, or has parts that are not here, and numbers that are to be rounded in other ways. */
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

static bool is_narrow(const syc_group_grid *grid)
{
    for (int d = 0; d < 3; d++)
        if (grid->groups[d] > (NARROW_GRID - 1) / grid->local[d])
            return false;
    return true;
}

/* Code of wide grids is right for narrow ones too, and by PoCL's sources it may load no other where it has that. */
static const syc_group_code *find(const syc_build *build, size_t kernel, const syc_group_grid *grid)
{
    const syc_group_code *code = atomic_load_explicit(&build->pools[kernel].codes, memory_order_acquire);
    const bool narrow = is_narrow(grid);
    while (code != NULL && ((code->narrow && !narrow) || memcmp(code->local, grid->local, sizeof code->local) != 0))
        code = code->next;
    return code;
}

const syc_group_code *syc_build_group_code(syc_build *build, size_t kernel, const syc_group_grid *grid)
{
    const syc_group_code *code = find(build, kernel, grid);
    return code != NULL && code->group != NULL ? code : NULL;
}

/* -- the search -- */

/* Names of loaded objects that end as that which is looked for, before the launch: the driver lets go of some while it
 * loads others, so their number says nothing. Searches of a thread do not overlap. */
enum { MOST_ALIKE = 512 };
static _Thread_local struct {
    size_t count;
    uint64_t names[MOST_ALIKE];
} before;

struct looking {
    const char *end;
    size_t fresh;    /* objects that were not there before */
    char path[4096]; /* the last one's name */
};

static bool is_alike(const char *name, const char *end)
{
    size_t length = strlen(name), rest = strlen(end);
    return length >= rest && strcmp(name + length - rest, end) == 0;
}

static uint64_t hash_of(const char *name)
{
    uint64_t hash = 14695981039346656037u;
    for (; *name != '\0'; name++)
        hash = (hash ^ (unsigned char)*name) * 1099511628211u;
    return hash;
}

static int note_name(struct dl_phdr_info *info, size_t size, void *end)
{
    (void)size;
    if (!is_alike(info->dlpi_name, end))
        return 0;
    if (before.count == MOST_ALIKE)
        return 1;
    before.names[before.count++] = hash_of(info->dlpi_name);
    return 0;
}

static int look_at(struct dl_phdr_info *info, size_t size, void *payload)
{
    struct looking *l = payload;
    uint64_t hash;
    (void)size;
    if (!is_alike(info->dlpi_name, l->end) || strlen(info->dlpi_name) >= sizeof l->path)
        return 0;
    hash = hash_of(info->dlpi_name);
    for (size_t i = 0; i < before.count; i++)
        if (before.names[i] == hash)
            return 0;
    l->fresh++;
    strcpy(l->path, info->dlpi_name);
    return 0;
}

/* What the name of a new object must end with. False: the driver would shorten it. */
static bool write_end(const char *name, const size_t *local, bool narrow, char *out)
{
    int length = snprintf(out, END_BYTES, "/%s/%zu-%zu-%zu-goffs0%s/%s.so", name, local[0], local[1], local[2],
                          narrow ? "-smallgrid" : "", name);
    return strlen(name) <= LONGEST_NAME && length > 0 && length < END_BYTES;
}

static const char *name_of(const syc_build *build, size_t kernel)
{
    return syc_program_signatures(build->program)->items[kernel].name;
}

void syc_build_search_begin(syc_build *build, size_t kernel, const syc_group_grid *grid, syc_group_search *search)
{
    char end[END_BYTES];
    search->needed = find(build, kernel, grid) == NULL && build->turn == 0 && layout_of(build->context) != UNKNOWN &&
                     is_plain(build);
    before.count = 0;
    if (search->needed && write_end(name_of(build, kernel), grid->local, is_narrow(grid), end))
        dl_iterate_phdr(note_name, end);
}

/* The one object of that name that was loaded since, in a folder of a build's own. */
static bool find_object(const char *folder, struct looking *l)
{
    dl_iterate_phdr(look_at, l);
    return l->fresh == 1 && before.count < MOST_ALIKE && strstr(l->path, folder) != NULL;
}

/* The driver has made a kernel that sets variables of the program's own before the first launch. */
static bool has_variables(const char *path, const char *end, const char *name)
{
    char folder[4096];
    snprintf(folder, sizeof folder, "%.*s/%s", (int)(strlen(path) - strlen(end)), path, name);
    return access(folder, F_OK) == 0;
}

static void load(syc_group_code *code, const char *name, const syc_code_facts *facts)
{
    char end[END_BYTES], symbol[LONGEST_NAME + 64];
    struct looking looking = {.end = end};

    if (!write_end(name, code->local, code->narrow, end) || !find_object(facts->folder, &looking) ||
        has_variables(looking.path, end, facts->variables))
        return;
    snprintf(symbol, sizeof symbol, facts->symbol, name);
    code->object = dlopen(looking.path, RTLD_NOW | RTLD_NOLOAD);
    if (code->object != NULL)
        *(void **)&code->group = dlsym(code->object, symbol);
}

void syc_build_search_end(syc_build *build, size_t kernel, const syc_group_grid *grid, const syc_group_search *search)
{
    syc_group_code *code = NULL;

    if (!search->needed || syc_alloc(sizeof *code, &code) != SYC_OK)
        return;
    memcpy(code->local, grid->local, sizeof code->local);
    code->narrow = is_narrow(grid);
    code->layout = layout_of(build->context);
    load(code, name_of(build, kernel), build->context->devices[0]->facts->code);
    pthread_mutex_lock(&build->lock);
    code->next = build->pools[kernel].codes;
    atomic_store_explicit(&build->pools[kernel].codes, code, memory_order_release);
    pthread_mutex_unlock(&build->lock);
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

    for (size_t group = first; group < past; group++) {
        code->group(arguments, own.bytes, x, y, z);
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
