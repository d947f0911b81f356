/* The fake driver's kernel objects: their arguments and what they answer. */
#include "fake_driver.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ANSWER(object)    return fake_answer(&(object), sizeof(object), size, value, got)
#define ANSWER_TEXT(text) return fake_answer((text), strlen(text) + 1, size, value, got)

cl_kernel fake_CreateKernel(cl_program p, const char *name, cl_int *code)
{
    fake_program *program;
    fake_kernel *kernel = NULL;
    const fake_kernel_type *type = NULL;
    cl_int result = CL_SUCCESS;
    fake_lock();
    program = fake_get(p, FAKE_PROGRAM);
    for (size_t i = 0; program != NULL && name != NULL && i < fake_kernel_count; i++)
        if (strcmp(fake_kernels[i].name, name) == 0 && fake_has_function(program->source, name))
            type = &fake_kernels[i];
    if (program == NULL)
        result = CL_INVALID_PROGRAM;
    else if (program->type != CL_PROGRAM_BINARY_TYPE_EXECUTABLE)
        result = CL_INVALID_PROGRAM_EXECUTABLE;
    else if (type == NULL)
        result = name == NULL ? CL_INVALID_VALUE : CL_INVALID_KERNEL_NAME;
    if (result == CL_SUCCESS) {
        kernel = fake_new(FAKE_KERNEL, sizeof *kernel);
        fake_use(kernel->program = program);
        kernel->type = type;
    }
    fake_unlock();
    return fake_give(code, result, kernel);
}

cl_int fake_RetainKernel(cl_kernel k)
{
    return fake_retain(k, FAKE_KERNEL, CL_INVALID_KERNEL);
}

cl_int fake_ReleaseKernel(cl_kernel k)
{
    return fake_release(k, FAKE_KERNEL, CL_INVALID_KERNEL);
}

/* [locked] Objects are looked up now, to find a stale handle where it is passed, but not kept: that begins at the
 * enqueue. */
static cl_int point_to(fake_argument *argument, void *handle, fake_kind kind, cl_int invalid)
{
    if (handle == NULL)
        return CL_SUCCESS;
    argument->object = fake_get(handle, kind);
    argument->kind = kind;
    if (argument->object == NULL)
        return invalid;
    if (kind == FAKE_MEM) {
        argument->data = ((fake_mem *)argument->object)->data;
        argument->room = ((fake_mem *)argument->object)->size;
    }
    return CL_SUCCESS;
}

static cl_int set_argument(fake_kernel *kernel, cl_uint index, size_t size, const void *value)
{
    fake_argument argument = {.set = true};
    void *handle = NULL;
    cl_int result = CL_SUCCESS;
    char letter;
    if (index >= strlen(kernel->type->signature))
        return CL_INVALID_ARG_INDEX;
    letter = kernel->type->signature[index];
    if (size != (letter == 'p' || letter == 's' ? sizeof handle : 4))
        return CL_INVALID_ARG_SIZE;
    if (value == NULL && letter != 'p')
        return CL_INVALID_ARG_VALUE;
    if (letter == 'p' || letter == 's') {
        if (value != NULL)
            memcpy(&handle, value, sizeof handle);
        result = letter == 'p' ? point_to(&argument, handle, FAKE_MEM, CL_INVALID_MEM_OBJECT)
                               : point_to(&argument, handle, FAKE_SAMPLER, CL_INVALID_SAMPLER);
    } else {
        memcpy(argument.value, value, size);
    }
    if (result != CL_SUCCESS)
        return result;
    kernel->refused[index] = letter == 'p' && kernel->sticky[index];
    kernel->arguments[index] = argument;
    return CL_SUCCESS;
}

cl_int fake_SetKernelArg(cl_kernel k, cl_uint index, size_t size, const void *value)
{
    fake_kernel *kernel;
    cl_int result = CL_INVALID_KERNEL;
    fake_lock();
    kernel = fake_get(k, FAKE_KERNEL);
    if (kernel != NULL)
        result = set_argument(kernel, index, size, value);
    fake_unlock();
    return result;
}

/* [locked] The address of memory that the driver gave, or NULL. */
static cl_int set_pointer(fake_kernel *kernel, cl_uint index, const void *pointer)
{
    fake_argument argument = {.set = true, .kind = FAKE_SVM};
    fake_svm *svm = NULL;
    if (index >= strlen(kernel->type->signature))
        return CL_INVALID_ARG_INDEX;
    if (kernel->type->signature[index] != 'p')
        return CL_INVALID_ARG_VALUE;
    if (pointer != NULL) {
        argument.data = fake_resolve(pointer, &svm);
        if (svm == NULL)
            return CL_INVALID_ARG_VALUE;
        argument.object = svm;
        argument.room = svm->size - (size_t)((const char *)pointer - svm->pointer);
    }
    kernel->sticky[index] = fake_settings.sticky;
    kernel->refused[index] = false;
    kernel->arguments[index] = argument;
    return CL_SUCCESS;
}

static cl_int set_pointer_of(cl_kernel k, cl_uint index, const void *pointer)
{
    fake_kernel *kernel;
    cl_int result = CL_INVALID_KERNEL;
    fake_lock();
    kernel = fake_get(k, FAKE_KERNEL);
    if (kernel != NULL)
        result = set_pointer(kernel, index, pointer);
    fake_unlock();
    return result;
}

cl_int fake_SetKernelArgSVMPointer(cl_kernel k, cl_uint index, const void *pointer)
{
    return fake_settings.svm != 0 ? set_pointer_of(k, index, pointer) : CL_INVALID_OPERATION;
}

cl_int fake_SetKernelArgMemPointerINTEL(cl_kernel k, cl_uint index, const void *pointer)
{
    return set_pointer_of(k, index, pointer);
}

static cl_int kernel_answer(const fake_kernel *k, cl_uint what, size_t size, void *value, size_t *got)
{
    switch (what) {
    case CL_KERNEL_FUNCTION_NAME:
        ANSWER_TEXT(k->type->name);
    case CL_KERNEL_NUM_ARGS:
        ANSWER((cl_uint){(cl_uint)strlen(k->type->signature)});
    case CL_KERNEL_REFERENCE_COUNT:
        ANSWER((cl_uint){(cl_uint)k->object.handles});
    case CL_KERNEL_CONTEXT:
        ANSWER(k->program->context);
    case CL_KERNEL_PROGRAM:
        ANSWER(k->program);
    case CL_KERNEL_ATTRIBUTES:
        ANSWER_TEXT("");
    default:
        return CL_INVALID_VALUE;
    }
}

cl_int fake_GetKernelInfo(cl_kernel handle, cl_uint what, size_t size, void *value, size_t *got)
{
    const fake_kernel *kernel;
    cl_int result = CL_INVALID_KERNEL;
    fake_lock();
    kernel = fake_get(handle, FAKE_KERNEL);
    if (kernel != NULL)
        result = kernel_answer(kernel, what, size, value, got);
    fake_unlock();
    return result;
}

static cl_int group_answer(cl_uint what, size_t size, void *value, size_t *got)
{
    const size_t limit = FAKE_KERNEL_LIMIT, multiple = 8, compiled[3] = {0, 0, 0}, global[3] = {3, 2, 1};
    const cl_ulong none = 0;
    switch (what) {
    case CL_KERNEL_WORK_GROUP_SIZE:
        ANSWER(limit);
    case CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE:
        ANSWER(multiple);
    case CL_KERNEL_COMPILE_WORK_GROUP_SIZE:
        ANSWER(compiled);
    case CL_KERNEL_GLOBAL_WORK_SIZE: /* of any kernel: what a built-in one would answer */
        ANSWER(global);
    case CL_KERNEL_LOCAL_MEM_SIZE:
    case CL_KERNEL_PRIVATE_MEM_SIZE:
        ANSWER(none);
    default:
        return CL_INVALID_VALUE;
    }
}

cl_int fake_GetKernelWorkGroupInfo(cl_kernel k, cl_device_id d, cl_uint what, size_t size, void *value, size_t *got)
{
    cl_int result = CL_SUCCESS;
    fake_lock();
    if (fake_get(k, FAKE_KERNEL) == NULL)
        result = CL_INVALID_KERNEL;
    else if (d != NULL && fake_get(d, FAKE_DEVICE) == NULL)
        result = CL_INVALID_DEVICE;
    fake_unlock();
    return result == CL_SUCCESS ? group_answer(what, size, value, got) : result;
}

/* Pointers lead to float where the kernel computes with them, to uint elsewhere. A program that says no_arg_info( keeps
 * none of this. */
static cl_int argument_answer(const fake_kernel *k, cl_uint index, cl_uint what, size_t size, void *value, size_t *got)
{
    char letter, name[16];
    if (index >= strlen(k->type->signature))
        return CL_INVALID_ARG_INDEX;
    if (fake_has_function(k->program->source, "no_arg_info"))
        return CL_KERNEL_ARG_INFO_NOT_AVAILABLE;
    letter = k->type->signature[index];
    switch (what) {
    case CL_KERNEL_ARG_ADDRESS_QUALIFIER:
        ANSWER((cl_uint){letter == 'p' ? CL_KERNEL_ARG_ADDRESS_GLOBAL : CL_KERNEL_ARG_ADDRESS_PRIVATE});
    case CL_KERNEL_ARG_ACCESS_QUALIFIER:
        ANSWER((cl_uint){CL_KERNEL_ARG_ACCESS_NONE});
    case CL_KERNEL_ARG_TYPE_QUALIFIER:
        ANSWER((cl_bitfield){CL_KERNEL_ARG_TYPE_NONE});
    case CL_KERNEL_ARG_TYPE_NAME:
        ANSWER_TEXT(letter == 'u'                             ? "uint"
                    : letter == 'f'                           ? "float"
                    : letter == 's'                           ? "sampler_t"
                    : strchr(k->type->signature, 'f') != NULL ? "float*"
                                                              : "uint*");
    case CL_KERNEL_ARG_NAME:
        snprintf(name, sizeof name, "a%u", index);
        ANSWER_TEXT(name);
    default:
        return CL_INVALID_VALUE;
    }
}

cl_int fake_GetKernelArgInfo(cl_kernel handle, cl_uint index, cl_uint what, size_t size, void *value, size_t *got)
{
    const fake_kernel *kernel;
    cl_int result = CL_INVALID_KERNEL;
    fake_lock();
    kernel = fake_get(handle, FAKE_KERNEL);
    if (kernel != NULL)
        result = argument_answer(kernel, index, what, size, value, got);
    fake_unlock();
    return result;
}

cl_int fake_GetKernelSubGroupInfo(cl_kernel k, cl_device_id d, cl_uint what, size_t input_size, const void *input,
                                  size_t size, void *value, size_t *got)
{
    const size_t largest = 8, most = 32, none = 0;
    cl_int result = fake_settings.sub_groups ? CL_SUCCESS : CL_INVALID_OPERATION;
    fake_lock();
    if (fake_get(k, FAKE_KERNEL) == NULL)
        result = CL_INVALID_KERNEL;
    else if (d != NULL && fake_get(d, FAKE_DEVICE) == NULL)
        result = CL_INVALID_DEVICE;
    fake_unlock();
    if (result != CL_SUCCESS)
        return result;
    switch (what) {
    case CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE:
        if (input == NULL || input_size == 0)
            return CL_INVALID_VALUE;
        ANSWER(largest);
    case CL_KERNEL_MAX_NUM_SUB_GROUPS:
        ANSWER(most);
    case CL_KERNEL_COMPILE_NUM_SUB_GROUPS:
        ANSWER(none);
    default:
        return CL_INVALID_VALUE;
    }
}
