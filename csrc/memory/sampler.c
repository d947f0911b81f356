/* Samplers: three modes, and the native objects that stand for them where they were used. */
#include "memory/sampler.h"

#include "base/alloc.h"
#include "base/process.h"
#include "base/refcount.h"
#include "cl/constants.h"
#include "cl/context.h"
#include "cl/driver.h"
#include "cl/entries.h"

#include <pthread.h>

struct native {
    syc_context *context; /* retained */
    cl_sampler sampler;   /* one reference */
};

struct syc_sampler {
    syc_refcount refs;
    syc_sampler_modes modes;
    pthread_mutex_t lock; /* of the natives; a leaf */
    struct native *natives;
    size_t count, room;
};

static syc_status check_modes(syc_sampler_modes modes)
{
    bool repeats = modes.addressing == CL_ADDRESS_REPEAT || modes.addressing == CL_ADDRESS_MIRRORED_REPEAT;
    syc_status status = SYC_OK;

    SYC_CHECK(modes.addressing >= CL_ADDRESS_NONE && modes.addressing <= CL_ADDRESS_MIRRORED_REPEAT,
              SYC_E_INVALID_PARAMETER, "0x%x is no addressing mode", modes.addressing);
    SYC_CHECK(modes.filtering == CL_FILTER_NEAREST || modes.filtering == CL_FILTER_LINEAR, SYC_E_INVALID_PARAMETER,
              "0x%x is no filtering mode", modes.filtering);
    SYC_CHECK(modes.normalized || !repeats, SYC_E_INVALID_PARAMETER,
              "the addressing mode %s needs normalized coordinates; without them its image coordinates are undefined",
              modes.addressing == CL_ADDRESS_REPEAT ? "repeat" : "mirrored_repeat");
done:
    return status;
}

syc_status syc_sampler_create(syc_sampler_modes modes, syc_sampler **out)
{
    syc_status status = SYC_OK;
    syc_sampler *sampler = NULL;

    SYC_TRY(syc_process_check());
    SYC_TRY(check_modes(modes));
    SYC_TRY(syc_alloc(sizeof *sampler, &sampler));
    syc_refcount_init(&sampler->refs);
    sampler->modes = modes;
    pthread_mutex_init(&sampler->lock, NULL);
    syc_live_add(SYC_LIVE_SAMPLER, 1);
    *out = sampler;
done:
    return status;
}

static void release_native(const syc_context *context, cl_sampler native)
{
    int code = syc_process_alive() ? syc_context_cl(context)->ReleaseSampler(native) : 0;
    if (code != 0)
        syc_report(syc_fail_cl(SYC_HERE, "clReleaseSampler", code));
    syc_live_add(SYC_LIVE_CL_SAMPLER, -1);
}

void syc_sampler_retain(syc_sampler *sampler)
{
    syc_refcount_retain(&sampler->refs);
}

void syc_sampler_release(syc_sampler *sampler)
{
    if (sampler == NULL || !syc_refcount_release(&sampler->refs))
        return;
    for (size_t i = 0; i < sampler->count; i++) {
        release_native(sampler->natives[i].context, sampler->natives[i].sampler);
        syc_context_release(sampler->natives[i].context);
    }
    syc_free(sampler->natives);
    pthread_mutex_destroy(&sampler->lock);
    syc_free(sampler);
    syc_live_add(SYC_LIVE_SAMPLER, -1);
}

syc_sampler_modes syc_sampler_modes_of(const syc_sampler *sampler)
{
    return sampler->modes;
}

static syc_status has_images(const syc_context *context, bool *out)
{
    syc_status status = SYC_OK;
    *out = false;
    for (size_t i = 0; i < context->device_count && !*out; i++) {
        syc_info info = {0};
        SYC_TRY(syc_device_info(context->devices[i], CL_DEVICE_IMAGE_SUPPORT, SYC_INFO_BOOL, &info));
        *out = info.number != 0;
    }
done:
    return status;
}

/* Where a driver gets unclamped coordinates wrong, those of the edge do: `none` promises that they never differ. */
static cl_uint native_addressing(const syc_context *context, syc_sampler_modes modes)
{
    bool wrong = modes.addressing == CL_ADDRESS_NONE && !context->devices[0]->facts->filters_unclamped;
    return wrong ? CL_ADDRESS_CLAMP_TO_EDGE : modes.addressing;
}

static syc_status make_native(syc_context *context, syc_sampler_modes modes, cl_sampler *out)
{
    const syc_cl_table *cl = syc_context_cl(context);
    cl_uint addressing = native_addressing(context, modes);
    syc_status status = SYC_OK;
    cl_int code = 0;
    bool images = false;

    SYC_TRY(has_images(context, &images));
    SYC_CHECK(images, SYC_E_FEATURE_NOT_SUPPORTED,
              "device '%s' has no images (CL_DEVICE_IMAGE_SUPPORT is false; aspect image), so it has no samplers",
              syc_device_name(context->devices[0]));
    SYC_CL_OBJECT(cl, *out, CreateSampler, (context->native, modes.normalized, addressing, modes.filtering, &code));
    syc_live_add(SYC_LIVE_CL_SAMPLER, 1);
done:
    return status;
}

/* Takes the reference to `native` on success. */
static syc_status add_locked(syc_sampler *sampler, syc_context *context, cl_sampler native)
{
    syc_status status = SYC_OK;
    SYC_TRY(syc_grow(&sampler->natives, &sampler->room, sampler->count + 1, sizeof *sampler->natives));
    syc_context_retain(context);
    sampler->natives[sampler->count++] = (struct native){context, native};
done:
    return status;
}

static syc_status native_locked(syc_sampler *sampler, syc_context *context, cl_sampler *out)
{
    syc_status status = SYC_OK;
    cl_sampler made = NULL;

    for (size_t i = 0; i < sampler->count; i++) {
        if (sampler->natives[i].context->native == context->native) {
            *out = sampler->natives[i].sampler;
            return SYC_OK;
        }
    }
    SYC_TRY(make_native(context, sampler->modes, &made));
    SYC_TRY(add_locked(sampler, context, made));
    *out = made;
    made = NULL;
done:
    if (made != NULL)
        release_native(context, made);
    return status;
}

syc_status syc_sampler_native(syc_sampler *sampler, syc_context *context, cl_sampler *out)
{
    syc_status status;
    pthread_mutex_lock(&sampler->lock);
    status = native_locked(sampler, context, out);
    pthread_mutex_unlock(&sampler->lock);
    return status;
}

static syc_status read_modes(const syc_cl_table *cl, cl_sampler native, cl_context context, syc_sampler_modes *out)
{
    cl_context of_sampler = NULL;
    cl_bool normalized = 0;
    syc_status status = SYC_OK;

    SYC_CL(cl, GetSamplerInfo, (native, CL_SAMPLER_CONTEXT, sizeof of_sampler, &of_sampler, NULL));
    SYC_CHECK(of_sampler == context, SYC_E_INVALID_OBJECT, "the cl_sampler belongs to another context");
    SYC_CL(cl, GetSamplerInfo, (native, CL_SAMPLER_NORMALIZED_COORDS, sizeof normalized, &normalized, NULL));
    SYC_CL(cl, GetSamplerInfo, (native, CL_SAMPLER_ADDRESSING_MODE, sizeof out->addressing, &out->addressing, NULL));
    SYC_CL(cl, GetSamplerInfo, (native, CL_SAMPLER_FILTER_MODE, sizeof out->filtering, &out->filtering, NULL));
    out->normalized = normalized != 0;
done:
    return status;
}

syc_status syc_sampler_from_native(cl_sampler native, syc_context *context, syc_sampler **out)
{
    syc_driver *driver = syc_driver_of_handle(native);
    syc_sampler_modes modes = {0};
    syc_sampler *sampler = NULL;
    syc_status status = SYC_OK;

    SYC_TRY(syc_process_check());
    SYC_CHECK(driver != NULL, SYC_E_INVALID_OBJECT, "%p is not a cl_sampler of a loaded driver", (void *)native);
    SYC_TRY(read_modes(&driver->cl, native, context->native, &modes));
    SYC_TRY(syc_sampler_create(modes, &sampler));
    SYC_CL(&driver->cl, RetainSampler, (native));
    syc_live_add(SYC_LIVE_CL_SAMPLER, 1);
    status = add_locked(sampler, context, native);
    if (status != SYC_OK)
        release_native(context, native);
    SYC_TRY(status);
    *out = sampler;
    sampler = NULL;
done:
    syc_sampler_release(sampler);
    return status;
}
