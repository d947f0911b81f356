/* The machine code of a kernel's work-groups, as its driver has loaded it into this process: so that threads of ours
 * can run the groups of a launch without a launch of the driver's. Only where the layout is known of what such code is
 * given (group_code.c), and only for kernels that need nothing else. */
#ifndef SYC_PROGRAM_GROUP_CODE_H
#define SYC_PROGRAM_GROUP_CODE_H

#include "program/program.h"

/* Which code a launch without offsets needs. */
typedef struct syc_group_grid {
    unsigned dims;
    size_t groups[3], local[3]; /* 1 in further dimensions */
} syc_group_grid;

typedef struct syc_group_code syc_group_code; /* as long as its build */

/* NULL: it is not known, since the driver has loaded none so far, or for good. Any thread. */
const syc_group_code *syc_build_group_code(SYC_KEEP syc_build *build, size_t kernel,
                                           SYC_KEEP const syc_group_grid *grid);
/* The same without a lock: only what has been found before. */
const syc_group_code *syc_build_known_code(SYC_KEEP syc_build *build, size_t kernel,
                                           SYC_KEEP const syc_group_grid *grid);

/* What a run of it is told, filled once for all groups. */
enum { SYC_GROUP_SPACE_BYTES = 128 };
typedef struct syc_group_space {
    _Alignas(16) unsigned char bytes[SYC_GROUP_SPACE_BYTES];
} syc_group_space;
void syc_group_space_fill(SYC_KEEP const syc_group_code *code, SYC_KEEP const syc_group_grid *grid,
                          syc_group_space *out);
/* Runs groups number `first` to before `past` of the grid on the calling thread. `arguments` are addresses: of values,
 * and of pointers. */
void syc_group_code_run(SYC_KEEP const syc_group_code *code, SYC_KEEP const syc_group_grid *grid,
                        SYC_KEEP const syc_group_space *space, void *const *arguments, size_t first, size_t past);

/* build.c: may there be any, so that its folders are to be watched? And lets go of a kernel's. */
bool syc__group_code_fits(SYC_KEEP const syc_build *build);
void syc__group_codes_free(SYC_TAKE syc_group_code *codes);

#endif
