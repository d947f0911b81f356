/* The machine's means without which a driver's compiler would end the process: space for its files, file
 * descriptors for itself and its linker, and addresses. */
#ifndef SYC_CL_ROOM_H
#define SYC_CL_ROOM_H

#include "cl/driver.h"

/* Is all of it there at the moment? Asked before anything is compiled; cheap. Any thread. SYC_E_RUNTIME and
 * SYC_E_MEMORY_ALLOCATION say what is missing, which speaks against no text and no device. */
syc_status syc_driver_check_room(SYC_KEEP const syc_driver *driver);
/* Has the process addresses left for the driver to make a text of? PoCL allocates and does not look whether it got
 * anything. SYC_E_MEMORY_ALLOCATION. Any thread. */
syc_status syc__driver_check_answer(SYC_KEEP const syc_driver *driver);
/* cures/pocl_linker.c: does the driver's linker link, if it has one? Asked before the first text of the process is
 * compiled; once it has linked it is not tried again, since it takes its time. SYC_E_RUNTIME has the linker's own
 * words; it is tried again next time, since whatever was missing may be back. Any thread. */
syc_status syc_driver_check_linker(SYC_KEEP const syc_driver *driver);

#endif
