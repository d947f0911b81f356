/* The linker that PoCL 3.0-rc2 starts for each kernel: is there one? Whether it links is asked later (cl/room.h). */
#ifndef SYC_CL_CURES_POCL_LINKER_H
#define SYC_CL_CURES_POCL_LINKER_H

#include "cl/driver.h"

/* Marks a driver that links (driver->links), and refuses it where no `ld` is on the PATH. */
syc_status syc__linker_find(syc_driver *driver);

/* True if `path`, a list of folders with ':' between them or NULL, has an executable file of that name. */
bool syc__linker_on_path(const char *program, const char *path);

#endif
