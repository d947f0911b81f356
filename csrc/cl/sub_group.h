/* The sub-groups of a device's kernels: its own, an NVIDIA device's warps, or emulated ones. */
#ifndef SYC_CL_SUB_GROUP_H
#define SYC_CL_SUB_GROUP_H

#include "base/status.h"
#include "cl/device.h"

enum { SYC_WARP = 32 };

/* The sizes that a kernel may require, rising: what the driver lists, a warp's, or powers of two up to 64 as far as the
 * device's work-groups reach. The caller frees them with syc_info_clear. No sizes: none can be required. Other than
 * SYC_E_MEMORY_ALLOCATION nothing fails. */
syc_status syc_sub_group_sizes(SYC_KEEP const syc_device *device, SYC_GIVE syc_info *out);
/* Their kind: as the facts say, unless the self-test has found that wrong. */
syc_sub_group_kind syc_sub_group_kind_of(SYC_KEEP const syc_device *device);
/* The size where no kernel requires one; 0: the driver chooses for each kernel. */
size_t syc_sub_group_default(SYC_KEEP const syc_device *device);

#endif
