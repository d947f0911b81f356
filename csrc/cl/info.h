/* Two-step queries, for the files of cl/: the size first, then the value. A size beyond reason, and a second answer
 * that differs from the first, are failures of the driver (SYC_E_PLATFORM), never reads past the end. */
#ifndef SYC_CL_INFO_H
#define SYC_CL_INFO_H

#include "cl/driver.h"

/* One of the driver's query entries, with the object's type erased. */
typedef cl_int (*syc__asker)(SYC_KEEP const syc_driver *driver, const void *object, cl_uint what, size_t size,
                             void *value, size_t *got);

typedef struct syc__question {
    const syc_driver *driver;
    const void *object;
    syc__asker ask;
    const char *entry; /* "clGetDeviceInfo", for messages */
    cl_uint what;
} syc__question;

syc__question syc__device_question(SYC_KEEP const syc_driver *driver, cl_device_id device, cl_uint what);
syc__question syc__platform_question(SYC_KEEP const syc_driver *driver, cl_platform_id platform, cl_uint what);
syc__question syc__context_question(SYC_KEEP const syc_driver *driver, cl_context context, cl_uint what);

/* A value of exactly `size` bytes. */
syc_status syc__ask_value(syc__question question, size_t size, void *out);
/* As many bytes as the driver says, a multiple of `unit`; one zero byte follows them. Free with syc_free. */
syc_status syc__ask_array(syc__question question, size_t unit, SYC_GIVE void *out_pointer, size_t *out_count);
/* A string, cut at its first zero byte. Free with syc_free. */
syc_status syc__ask_string(syc__question question, SYC_GIVE char **out);
/* True if `words`, separated by spaces, has the word `name`. */
bool syc__has_word(const char *words, const char *name);

#endif
