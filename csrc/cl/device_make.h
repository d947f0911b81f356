/* How devices come to be, for the files of cl/. */
#ifndef SYC_CL_DEVICE_MAKE_H
#define SYC_CL_DEVICE_MAKE_H

#include "cl/device.h"

/* A root device of `platform` over one or two OpenCL devices (`caller` may be NULL). Takes `name` over on success. */
syc_status syc__device_create_root(syc_platform *platform, cl_device_id pool, cl_device_id caller, SYC_TAKE char *name,
                                   SYC_GIVE syc_device **out);
/* The sub-device `native` of `parent`. Takes over the caller's native reference, also on failure. */
syc_status syc__device_adopt(syc_device *parent, SYC_TAKE cl_device_id native, SYC_GIVE syc_device **out);
/* The half of a paired root device that is `lane` alone: for contexts made elsewhere that hold only one of the two. The
 * same half is the same object as long as one reference to it lives. */
syc_status syc__device_half(syc_device *root, syc_lane lane, SYC_GIVE syc_device **out);
/* Frees a root device of a platform that turned out to be unusable; nobody else may have seen it. */
void syc__device_discard_root(SYC_TAKE syc_device *device);

#endif
