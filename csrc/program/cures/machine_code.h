/* A compiler's error that no text avoids is mended in the code that it has made: the driver hands out a built program's
 * machine code and takes it back. So drivers' defects that are seen there (intel_ones.h, nvidia_minus.h) cost right
 * programs a look at their bytes, 0.1 ms a build, and nothing when they run. */
#ifndef SYC_PROGRAM_CURES_MACHINE_CODE_H
#define SYC_PROGRAM_CURES_MACHINE_CODE_H

#include "cl/context.h"

/* A built program in the place of `native`, with the same kernels and the machine code mended; NULL: there is nothing
 * to mend, as on devices without such facts. Holds no lock. */
syc_status syc__machine_code_cure(SYC_KEEP const syc_context *context, cl_program native, const char *options,
                                  SYC_GIVE cl_program *out);

#endif
