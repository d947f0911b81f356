/* Binaries and the driver. */
#define _GNU_SOURCE
#include "program/cache/binaries.h"

#include "base/alloc.h"
#include "cl/constants.h"
#include "cl/entries.h"
#include "program/compiler.h"

#include <string.h>
#include <sys/random.h>

enum { HEADER = 128, NAME = 6 }; /* bytes among which a folder's name begins; letters that mkdtemp chooses */

syc__natives syc__natives_of(const syc_context *context)
{
    syc__natives natives = {.count = 0};
    for (size_t i = 0; i < context->device_count; i++) {
        for (int lane = 0; lane < SYC_LANE_COUNT; lane++) {
            cl_device_id id = context->devices[i]->lanes[lane];
            if (id == NULL)
                continue;
            if (natives.count == SYC__PARTS / 2)
                return (syc__natives){.count = 0};
            natives.ids[natives.count++] = id;
        }
    }
    return natives;
}

/* Which of the driver's answers belongs to which of our devices. */
static bool order_of(const syc_cl_table *cl, cl_program program, const syc__natives *natives, size_t *place)
{
    cl_device_id ids[SYC__PARTS / 2];
    size_t got = 0;

    if (cl->GetProgramInfo(program, CL_PROGRAM_DEVICES, sizeof ids, ids, &got) != 0 ||
        got != natives->count * sizeof *ids)
        return false;
    for (size_t i = 0; i < natives->count; i++) {
        place[i] = 0;
        while (place[i] < natives->count && ids[place[i]] != natives->ids[i])
            place[i]++;
        if (place[i] == natives->count)
            return false;
    }
    return true;
}

bool syc__binaries_take(const syc_cl_table *cl, cl_program program, const syc__natives *natives, syc__part *out)
{
    size_t place[SYC__PARTS / 2], sizes[SYC__PARTS / 2] = {0}, got = 0, count = natives->count;
    unsigned char *bytes[SYC__PARTS / 2] = {NULL};
    bool good = count > 0 && order_of(cl, program, natives, place) &&
                cl->GetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof sizes, sizes, &got) == 0 &&
                got == count * sizeof *sizes;

    for (size_t i = 0; i < count && good; i++)
        good = sizes[i] > 0 && syc_alloc(sizes[i], &bytes[i]) == SYC_OK;
    good = good && cl->GetProgramInfo(program, CL_PROGRAM_BINARIES, count * sizeof *bytes, bytes, NULL) == 0;
    for (size_t i = 0; i < count; i++) {
        if (good)
            out[i] = (syc__part){bytes[place[i]], sizes[place[i]]};
        else
            syc_free(bytes[i]);
    }
    return good;
}

/* Null pointers among `bytes` would tell the driver to leave that binary out: there are none. */
static cl_program create(const syc_cl_table *cl, cl_context context, const syc__natives *natives,
                         const syc__part *binaries)
{
    const unsigned char *bytes[SYC__PARTS / 2];
    size_t sizes[SYC__PARTS / 2];
    cl_int statuses[SYC__PARTS / 2] = {0}, code = 0;
    cl_program program;
    bool good;

    for (size_t i = 0; i < natives->count; i++) {
        bytes[i] = binaries[i].bytes;
        sizes[i] = binaries[i].size;
    }
    program =
        cl->CreateProgramWithBinary(context, (cl_uint)natives->count, natives->ids, sizes, bytes, statuses, &code);
    good = program != NULL && code == 0;
    for (size_t i = 0; i < natives->count; i++)
        good = good && statuses[i] == 0;
    if (good || program == NULL || code != 0)
        return good ? program : NULL;
    (void)cl->ReleaseProgram(program); /* nothing was made of it that could be missed */
    return NULL;
}

cl_program syc__binaries_build(const syc_context *context, const syc__natives *natives, const syc__part *binaries,
                               const char *options)
{
    const syc_cl_table *cl = syc_context_cl(context);
    cl_program program = create(cl, context->native, natives, binaries);

    if (program == NULL || syc__native_assemble(cl, program, options) == 0)
        return program;
    (void)cl->ReleaseProgram(program); /* the text is built instead, and tells what is wrong */
    return NULL;
}

static bool rename_one(syc__part *binary, const char *first)
{
    static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
    size_t length = strlen(first), head = binary->size < HEADER ? binary->size : HEADER;
    char *name = memmem(binary->bytes, head, first, length);
    unsigned char random[NAME];

    if (name == NULL || (size_t)(name - (char *)binary->bytes) + length + NAME > binary->size ||
        getrandom(random, sizeof random, 0) != (ssize_t)sizeof random)
        return false;
    for (size_t i = 0; i < NAME; i++)
        name[length + i] = letters[random[i] % (sizeof letters - 1)];
    return true;
}

bool syc__binaries_rename(syc__part *binaries, size_t count, const char *first)
{
    bool named = true;
    for (size_t i = 0; i < count && named; i++)
        named = rename_one(&binaries[i], first);
    return named;
}
