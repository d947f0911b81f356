/* A folder in the system's temporary folder that belongs to this process alone and goes when the process ends. */
#ifndef SYC_CL_CURES_POCL_PRIVATE_DIR_H
#define SYC_CL_CURES_POCL_PRIVATE_DIR_H

#include "base/status.h"

/* Makes a new sub-folder of the process's own folder, which the first call makes: `pysycl-<pid>-XXXXXX`, mode 700,
 * under TMPDIR or /tmp, removed at exit with all that is in it. The first call also removes what dead processes of the
 * same user left behind. SYC_E_RUNTIME says why no folder could be made. The caller serialises; free the path with
 * syc_free. */
syc_status syc__private_dir(SYC_GIVE char **out);

#endif
