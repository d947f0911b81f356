/* A reference to a cl_kernel of the user's. */
#include "program/native_kernel.h"

#include "base/process.h"
#include "cl/constants.h"
#include "cl/driver.h"
#include "cl/entries.h"

syc_status syc_native_kernel_retain(cl_kernel native, syc_context **context)
{
    const syc_driver *driver = syc_driver_of_handle(native);
    cl_context of_kernel = NULL;
    syc_context *made = NULL;
    syc_status status = SYC_OK;

    SYC_TRY(syc_process_check());
    SYC_CHECK(driver != NULL, SYC_E_INVALID_OBJECT, "%p is not a cl_kernel of a loaded driver", (void *)native);
    SYC_CL(&driver->cl, GetKernelInfo, (native, CL_KERNEL_CONTEXT, sizeof of_kernel, &of_kernel, NULL));
    SYC_TRY(syc_context_from_native(of_kernel, &made));
    SYC_CL(&driver->cl, RetainKernel, (native));
    syc_live_add(SYC_LIVE_CL_KERNEL, 1);
    *context = made;
    made = NULL;
done:
    syc_context_release(made);
    return status;
}

void syc_native_kernel_release(const syc_context *context, cl_kernel native)
{
    int code = syc_process_alive() ? syc_context_cl(context)->ReleaseKernel(native) : 0;
    if (code != 0)
        syc_report(syc_fail_cl(SYC_HERE, "clReleaseKernel", code));
    syc_live_add(SYC_LIVE_CL_KERNEL, -1);
}
