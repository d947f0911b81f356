/* OpenCL error codes: their names, and the status that each one is. */
#ifndef SYC_CL_ERROR_H
#define SYC_CL_ERROR_H

#include "base/status.h"

/* "CL_OUT_OF_RESOURCES"; "an unknown error code" for one that no table of ours has. Never NULL. */
const char *syc_cl_error_name(int code);
/* Lends names and statuses to base/, whose failure messages name the code. Harmless when repeated. */
void syc_cl_errors_install(void);

#endif
