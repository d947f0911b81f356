/* The self-test's control: a kernel that any driver gets right. Where it fails, the machine lacks something at the
 * moment, and what else fails is no verdict. */
#include "algo/selftest/parts.h"

#include "base/alloc.h"

#include <string.h>

enum { COUNT = 64 };
static const char text[] =
    "__kernel void fill_ids(__global uint *out) { out[get_global_id(0)] = (uint)get_global_id(0); }";

/* The question is whether it comes to an end, not what it computes. */
static bool check(const syc__trial *trial, syc_text *words)
{
    (void)trial;
    (void)words;
    return true;
}

static syc_status make(syc_context *context, syc_device *device, syc__trial **out)
{
    syc__trial *trial = NULL;
    uint32_t *bytes = NULL;
    syc_status status = SYC_OK;

    SYC_TRY(syc__trial_create(context, device, &trial));
    SYC_TRY(syc_program_create(text, strlen(text), NULL, &trial->program));
    SYC_TRY(syc_copy_string("", &trial->options));
    SYC_TRY(syc__trial_buffer(trial, COUNT * sizeof *bytes, &bytes));
    trial->named = trial->buffer_count;
    trial->launch = (syc_geometry){.dims = 1, .global = {COUNT, 1, 1}, .local = {1, 1, 1}};
    trial->check = check;
    *out = trial;
    trial = NULL;
done:
    syc__trial_release(trial);
    return status;
}

bool syc__selftest_control(syc_context *context, syc_device *device, syc_text *words)
{
    syc__trial *trial = NULL;
    syc_status status = make(context, device, &trial);
    syc_text why = {0};
    bool works;

    if (status != SYC_OK) {
        syc_text_add(words, "%s", syc_detail_of(status).message);
        return false;
    }
    works = syc__trial_run(trial, &why) == SYC__RIGHT;
    if (!works)
        syc_text_add(words, "no kernel runs at the moment, not the simplest: %s", syc_text_get(&why));
    syc_text_clear(&why);
    return works;
}
