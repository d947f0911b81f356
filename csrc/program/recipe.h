/* The source of a program, and the way from there to a native program. Inside the core only; the public words are in
 * program.h, link.h, binary.h and specialise.h. */
#ifndef SYC_PROGRAM_RECIPE_H
#define SYC_PROGRAM_RECIPE_H

#include "base/text.h"
#include "library/scratch.h"
#include "program/build.h"
#include "program/specialise.h"

enum syc__recipe_kind {
    SYC__FROM_TEXT,
    SYC__FROM_BINARY,
    SYC__FROM_IL,       /* SPIR-V */
    SYC__FROM_BUILT_IN, /* kernels that the device itself has, by name */
    SYC__FROM_OBJECTS,  /* linked of others */
    SYC__FROM_NATIVE    /* wrapped: its one build is there from the start */
};

struct syc__recipe {
    enum syc__recipe_kind kind;
    bool object;       /* compiled only: a part for syc_program_link */
    char *data;        /* binary, SPIR-V, or the names of the built-in kernels with ';' between */
    size_t size;       /* its bytes */
    syc_context *home; /* the only context where it can be; NULL: any */
    syc_program **parts;
    size_t part_count;
};

/* The constants of a text and their values, and programs made of the same text with others: latest first. */
struct syc__variants {
    syc_constant *constants;
    size_t constant_count;
    syc_program **items;
    size_t count;
};

struct syc_program {
    syc_refcount refs;
    char *source, *options;
    size_t length;
    struct syc_origins *origins; /* of a text that was made from others, else NULL */
    syc_text prelude;            /* constants and what is used of the device library; empty for most programs */
    syc_rewritten rewritten;     /* the text, where it is not OpenCL C throughout */
    syc__scratch scratch;        /* the text as it is compiled, where it needs scratch */
    syc_families families;       /* that it belongs to: their functions are used, or it was given them */
    bool asks_device;            /* it uses texts that read device_options.h */
    struct syc__recipe recipe;
    struct syc__variants variants; /* under the lock */
    syc_keep attached;             /* syc_program_attached; under the lock */
    syc_signatures signatures;
    char title[SYC_PROGRAM_TITLE]; /* syc_program_title */
    pthread_mutex_t lock;          /* the list of builds and their states */
    pthread_cond_t built;          /* a build left SYC__BUILDING */
    _Atomic(syc_build *) builds;   /* grows at its head, under the lock; read without it */
};

/* The arguments of program_new: copies are made of all but the recipe, which is taken over, also on failure. */
struct syc__program_parts {
    const char *constants; /* definitions to stand before the text, "" for none */
    const char *source;
    size_t length;
    const char *options; /* or NULL */
    struct syc__recipe recipe;
};
syc_status syc__program_new(SYC_KEEP const struct syc__program_parts *parts, SYC_GIVE syc_program **out);
/* A program whose build for `context` is `native` (taken, also on failure). */
syc_status syc__program_adopt(SYC_KEEP const struct syc__program_parts *parts, syc_context *context,
                              SYC_TAKE cl_program native, SYC_GIVE syc_program **out);

/* All that the compiler is given, in its order; `turn` as in build.h. */
struct syc__program_texts {
    const char *texts[4];
    size_t lengths[4];
    cl_uint count;
};
void syc__program_texts(SYC_KEEP const syc_program *program, unsigned turn, struct syc__program_texts *out);

/* Is the native program compiled only? */
syc_status syc__native_is_object(SYC_KEEP const syc_context *context, cl_program native, bool *out);

/* A native program of what is not text, not built yet. */
syc_status syc__recipe_native(SYC_KEEP const struct syc__recipe *recipe, syc_context *context,
                              SYC_GIVE cl_program *out);
/* Builds, compiles or links for the build's context: build->native is there afterwards, on most failures too. */
syc_status syc__recipe_make(syc_build *build);
void syc__recipe_clear(struct syc__recipe *recipe); /* program.c */
/* The driver's log for one device; "" when it has none. */
syc_status syc__read_log(SYC_KEEP const syc_context *context, cl_program native, SYC_KEEP const syc_device *device,
                         SYC_GIVE char **out, size_t *length);

#endif
