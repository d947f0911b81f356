/* Kernels declared: by their signatures, or by what a driver answers. */
#include "program/declare.h"

#include "base/alloc.h"
#include "base/refcount.h"
#include "cl/constants.h"
#include "cl/entries.h"

#include <string.h>

static const char *const spaces[] = {[SYC_SPACE_PRIVATE] = "",
                                     [SYC_SPACE_GLOBAL] = "__global ",
                                     [SYC_SPACE_CONSTANT] = "__constant ",
                                     [SYC_SPACE_LOCAL] = "__local "};
static const char *const accesses[] = {[SYC_IMAGE_NO_ACCESS] = "",
                                       [SYC_IMAGE_READ] = "read_only ",
                                       [SYC_IMAGE_WRITE] = "write_only ",
                                       [SYC_IMAGE_READ_WRITE] = "read_write "};

static void add_param(const syc_param *p, syc_text *out)
{
    if (p->reducer) {
        syc_text_add(out, "%s", p->text);
        return;
    }
    syc_text_add(out, "%s%s%s%s", spaces[p->space], accesses[p->access],
                 p->is_const && p->space != SYC_SPACE_CONSTANT ? "const " : "", p->is_volatile ? "volatile " : "");
    syc_text_add(out, "%s", p->struct_name != NULL ? p->struct_name : syc_dtype_name(p->type));
    if (p->width > 1)
        syc_text_add(out, "%u", p->width);
    syc_text_add(out, " %s%s%s", p->pointer ? "*" : "", p->is_restrict ? "restrict " : "", p->name);
}

/* "a(1) b" becomes __attribute__((a(1))) __attribute__((b)). */
static void add_attributes(const char *attributes, syc_text *out)
{
    while (*attributes != '\0') {
        size_t length = strcspn(attributes, " ");
        syc_text_add(out, "__attribute__((%.*s)) ", (int)length, attributes);
        attributes += length + (attributes[length] == ' ');
    }
}

void syc__declare(const syc_signature *kernel, syc_text *out)
{
    syc_text_add(out, "__kernel ");
    add_attributes(kernel->attributes, out);
    syc_text_add(out, "void %s(", kernel->name);
    for (size_t i = 0; i < kernel->count; i++) {
        syc_text_add(out, "%s", i > 0 ? ", " : "");
        add_param(&kernel->params[i], out);
    }
    syc_text_add(out, ") { %s%s}\n", kernel->needs_fp64 ? "double d; " : "", kernel->needs_fp16 ? "half h; " : "");
}

/* -- what drivers tell -- */

static syc_status ask_text(const syc_cl_table *cl, cl_kernel kernel, cl_uint index, cl_uint what, char **out)
{
    syc_status status = SYC_OK;
    char *text = NULL;
    size_t size = 0;

    SYC_CL(cl, GetKernelArgInfo, (kernel, index, what, 0, NULL, &size));
    SYC_TRY(syc_alloc(size + 1, &text));
    if (size > 0)
        SYC_CL(cl, GetKernelArgInfo, (kernel, index, what, size, text, NULL));
    *out = text;
    text = NULL;
done:
    syc_free(text);
    return status;
}

static const char *space_word(cl_uint address)
{
    return address == CL_KERNEL_ARG_ADDRESS_GLOBAL     ? spaces[SYC_SPACE_GLOBAL]
           : address == CL_KERNEL_ARG_ADDRESS_CONSTANT ? spaces[SYC_SPACE_CONSTANT]
           : address == CL_KERNEL_ARG_ADDRESS_LOCAL    ? spaces[SYC_SPACE_LOCAL]
                                                       : "";
}

static const char *access_word(cl_uint access)
{
    return access == CL_KERNEL_ARG_ACCESS_READ_ONLY    ? accesses[SYC_IMAGE_READ]
           : access == CL_KERNEL_ARG_ACCESS_WRITE_ONLY ? accesses[SYC_IMAGE_WRITE]
           : access == CL_KERNEL_ARG_ACCESS_READ_WRITE ? accesses[SYC_IMAGE_READ_WRITE]
                                                       : "";
}

static syc_status add_native_param(const syc_cl_table *cl, cl_kernel kernel, cl_uint index, syc_text *out)
{
    syc_status status = SYC_OK;
    char *type = NULL, *name = NULL;
    cl_uint address = 0, access = 0;
    cl_bitfield qualifiers = 0;

#define ASK(what, answer) SYC_CL(cl, GetKernelArgInfo, (kernel, index, (what), sizeof(answer), &(answer), NULL))
    ASK(CL_KERNEL_ARG_ADDRESS_QUALIFIER, address);
    ASK(CL_KERNEL_ARG_ACCESS_QUALIFIER, access);
    ASK(CL_KERNEL_ARG_TYPE_QUALIFIER, qualifiers);
#undef ASK
    SYC_TRY(ask_text(cl, kernel, index, CL_KERNEL_ARG_TYPE_NAME, &type));
    SYC_TRY(ask_text(cl, kernel, index, CL_KERNEL_ARG_NAME, &name));
    syc_text_add(out, "%s%s%s%s%s%s %s", index > 0 ? ", " : "", space_word(address), access_word(access),
                 (qualifiers & CL_KERNEL_ARG_TYPE_CONST) != 0 ? "const " : "",
                 (qualifiers & CL_KERNEL_ARG_TYPE_VOLATILE) != 0 ? "volatile " : "", type, name);
done:
    syc_free(type);
    syc_free(name);
    return status;
}

static syc_status declare_native(const syc_cl_table *cl, cl_kernel kernel, const char *name, syc_text *out)
{
    syc_status status = SYC_OK;
    cl_uint count = 0;

    SYC_CL(cl, GetKernelInfo, (kernel, CL_KERNEL_NUM_ARGS, sizeof count, &count, NULL));
    syc_text_add(out, "__kernel void %s(", name);
    for (cl_uint i = 0; i < count; i++) {
        status = add_native_param(cl, kernel, i, out);
        if (status != SYC_OK && syc_detail_of(status).cl_code == CL_KERNEL_ARG_INFO_NOT_AVAILABLE)
            status =
                syc_fail_cl_as(SYC_E_INVALID_OBJECT, SYC_HERE, "clGetKernelArgInfo", CL_KERNEL_ARG_INFO_NOT_AVAILABLE,
                               "the driver does not tell which arguments kernel '%s' takes: give declarations of "
                               "the kernels as well",
                               name);
        SYC_TRY(status);
    }
    syc_text_add(out, ") { }\n");
done:
    return status;
}

static syc_status declare_named(const syc_cl_table *cl, cl_program native, const char *name, syc_text *out)
{
    syc_status status = SYC_OK;
    cl_kernel kernel = NULL;
    cl_int code = 0;

    SYC_CL_OBJECT(cl, kernel, CreateKernel, (native, name, &code));
    syc_live_add(SYC_LIVE_CL_KERNEL, 1);
    SYC_TRY(declare_native(cl, kernel, name, out));
done:
    if (kernel != NULL) {
        cl_int released = cl->ReleaseKernel(kernel);
        if (released != 0)
            syc_report(syc_fail_cl(SYC_HERE, "clReleaseKernel", released));
        syc_live_add(SYC_LIVE_CL_KERNEL, -1);
    }
    return status;
}

static syc_status ask_names(const syc_cl_table *cl, cl_program native, char **out)
{
    syc_status status = SYC_OK;
    char *names = NULL;
    size_t size = 0;

    SYC_CL(cl, GetProgramInfo, (native, CL_PROGRAM_KERNEL_NAMES, 0, NULL, &size));
    SYC_TRY(syc_alloc(size + 1, &names));
    if (size > 0)
        SYC_CL(cl, GetProgramInfo, (native, CL_PROGRAM_KERNEL_NAMES, size, names, NULL));
    *out = names;
    names = NULL;
done:
    syc_free(names);
    return status;
}

syc_status syc__declare_natives(const syc_context *context, cl_program native, const char *names, syc_text *out)
{
    const syc_cl_table *cl = syc_context_cl(context);
    syc_status status = SYC_OK;
    char *list = NULL, *name, *rest = NULL;

    if (names != NULL)
        SYC_TRY(syc_copy_string(names, &list));
    else
        SYC_TRY(ask_names(cl, native, &list));
    for (name = strtok_r(list, ";", &rest); name != NULL; name = strtok_r(NULL, ";", &rest))
        SYC_TRY(declare_named(cl, native, name, out));
    SYC_CHECK(!out->cut, SYC_E_MEMORY_ALLOCATION, "no memory for the declarations of the kernels");
done:
    syc_free(list);
    return status;
}
