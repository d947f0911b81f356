/* Samplers: modes, one native object per context, native samplers in and out. */
#include "memory/sampler.h"

#include "cl/constants.h"
#include "cl/fault.h"
#include "scene.h"

static const syc_sampler_modes plain = {true, CL_ADDRESS_REPEAT, CL_FILTER_LINEAR};

static syc_sampler *sampler_of(syc_sampler_modes modes)
{
    syc_sampler *sampler = NULL;
    CHECK_OK(syc_sampler_create(modes, &sampler));
    return sampler;
}

static void refuses(syc_sampler_modes modes, const char *words)
{
    syc_sampler *sampler = NULL;
    CHECK_STATUS(syc_sampler_create(modes, &sampler), SYC_E_INVALID_PARAMETER);
    CHECK(text_has(syc_detail_of(SYC_E_INVALID_PARAMETER).message, words));
    CHECK(sampler == NULL);
}

static void test_modes(void)
{
    syc_sampler *sampler = sampler_of((syc_sampler_modes){false, CL_ADDRESS_CLAMP, CL_FILTER_NEAREST});
    syc_sampler_modes modes = syc_sampler_modes_of(sampler);
    CHECK(!modes.normalized && modes.addressing == CL_ADDRESS_CLAMP && modes.filtering == CL_FILTER_NEAREST);
    CHECK_EQUAL(syc_live_count(SYC_LIVE_SAMPLER), 1);
    syc_sampler_release(sampler);
    syc_sampler_release(NULL);
    refuses((syc_sampler_modes){false, CL_ADDRESS_REPEAT, CL_FILTER_NEAREST}, "mode repeat needs normalized");
    refuses((syc_sampler_modes){false, CL_ADDRESS_MIRRORED_REPEAT, CL_FILTER_NEAREST}, "mode mirrored_repeat needs");
    refuses((syc_sampler_modes){true, 0, CL_FILTER_NEAREST}, "no addressing mode");
    refuses((syc_sampler_modes){true, CL_ADDRESS_CLAMP, 0}, "no filtering mode");
    CHECK_EQUAL(syc_live_count(SYC_LIVE_SAMPLER), 0);
}

static void one_for_each_context(void)
{
    syc_context *other = NULL;
    syc_sampler *sampler = sampler_of(plain);
    cl_sampler first = NULL, again = NULL, elsewhere = NULL;

    open_scene();
    CHECK_OK(syc_context_create(&device, 1, &other));
    CHECK_OK(syc_sampler_native(sampler, context, &first));
    CHECK_OK(syc_sampler_native(sampler, context, &again));
    CHECK_OK(syc_sampler_native(sampler, other, &elsewhere));
    CHECK(first == again && first != elsewhere);
    CHECK_EQUAL(fake_live("sampler"), 2);
    CHECK_EQUAL(syc_live_count(SYC_LIVE_CL_SAMPLER), 2);
    syc_context_release(other);
    syc_sampler_retain(sampler);
    syc_sampler_release(sampler);
    CHECK_EQUAL(fake_live("sampler"), 2);
    syc_sampler_release(sampler);
    CHECK_EQUAL(fake_live("sampler"), 0);
    CHECK_EQUAL(syc_live_count(SYC_LIVE_CL_SAMPLER), 0);
    close_scene();
}

static cl_uint native_addressing(cl_sampler native)
{
    cl_uint mode = 0;
    CHECK_EQUAL(syc_context_cl(context)->GetSamplerInfo(native, CL_SAMPLER_ADDRESSING_MODE, sizeof mode, &mode, NULL),
                0);
    return mode;
}

/* `expected` is the native mode of a sampler that does not clamp. */
static void unclamped(cl_uint expected)
{
    syc_sampler *sampler = sampler_of((syc_sampler_modes){true, CL_ADDRESS_NONE, CL_FILTER_LINEAR});
    cl_sampler native = NULL;
    open_scene();
    CHECK_OK(syc_sampler_native(sampler, context, &native));
    CHECK_EQUAL(native_addressing(native), expected);
    CHECK_EQUAL(syc_sampler_modes_of(sampler).addressing, CL_ADDRESS_NONE);
    syc_sampler_release(sampler);
    close_scene();
}

static void unclamped_works(void)
{
    unclamped(CL_ADDRESS_NONE);
}

static void unclamped_is_wrong(void)
{
    unclamped(CL_ADDRESS_CLAMP_TO_EDGE);
}

static void no_images(void)
{
    syc_sampler *sampler = sampler_of(plain);
    cl_sampler native = NULL;
    open_scene();
    CHECK_STATUS(syc_sampler_native(sampler, context, &native), SYC_E_FEATURE_NOT_SUPPORTED);
    CHECK(text_has(syc_detail_of(SYC_E_FEATURE_NOT_SUPPORTED).message, syc_device_name(device)));
    CHECK(native == NULL);
    syc_sampler_release(sampler);
    close_scene();
}

static void failures(void)
{
    syc_sampler *sampler = sampler_of(plain);
    cl_sampler native = NULL;
    open_scene();
    CHECK_OK(syc_fault_install(context->platform->driver));
    CHECK_OK(syc_fault_arm("CreateSampler", 1, CL_OUT_OF_HOST_MEMORY));
    CHECK_STATUS(syc_sampler_native(sampler, context, &native), SYC_E_MEMORY_ALLOCATION);
    syc_alloc_fail_at(1);
    CHECK_STATUS(syc_sampler_native(sampler, context, &native), SYC_E_MEMORY_ALLOCATION);
    syc_alloc_fail_at(0);
    CHECK(native == NULL);
    CHECK_EQUAL(fake_live("sampler"), 0);
    CHECK_OK(syc_sampler_native(sampler, context, &native));
    expected_report = "clReleaseSampler";
    syc_set_report_hook(hear_expected);
    CHECK_OK(syc_fault_arm("ReleaseSampler", 1, CL_INVALID_SAMPLER));
    syc_sampler_release(sampler);
    CHECK_EQUAL(missing_reports(), 0);
    CHECK_OK(syc_fault_install(NULL));
    CHECK_EQUAL(syc_context_cl(context)->ReleaseSampler(native), 0);
    close_scene();
}

static void wrapped(void)
{
    syc_sampler *sampler = NULL;
    syc_context *other = NULL;
    cl_int code = 0;
    cl_sampler native, same = NULL;
    syc_sampler_modes modes;

    open_scene();
    native = syc_context_cl(context)->CreateSampler(context->native, 1, CL_ADDRESS_MIRRORED_REPEAT, CL_FILTER_NEAREST,
                                                    &code);
    CHECK_OK(syc_sampler_from_native(native, context, &sampler));
    modes = syc_sampler_modes_of(sampler);
    CHECK(modes.normalized && modes.addressing == CL_ADDRESS_MIRRORED_REPEAT && modes.filtering == CL_FILTER_NEAREST);
    CHECK_OK(syc_sampler_native(sampler, context, &same));
    CHECK(same == native);
    CHECK_EQUAL(syc_context_cl(context)->ReleaseSampler(native), 0);
    CHECK_EQUAL(fake_live("sampler"), 1);
    CHECK_OK(syc_context_create(&device, 1, &other));
    syc_sampler *never = NULL;
    CHECK_STATUS(syc_sampler_from_native(native, other, &never), SYC_E_INVALID_OBJECT);
    CHECK_STATUS(syc_sampler_from_native((cl_sampler)&code, context, &never), SYC_E_INVALID_OBJECT);
    CHECK(never == NULL);
    syc_context_release(other);
    syc_sampler_release(sampler);
    CHECK_EQUAL(fake_live("sampler"), 0);
    close_scene();
}

static void test_on_drivers(void)
{
    CHILD(COPYING, one_for_each_context);
    CHILD(SHARING, unclamped_works);
    CHILD("FAKE_PLATFORM_NAME=Oclgrind;", unclamped_is_wrong);
    CHILD(COPYING "FAKE_IMAGES=0", no_images);
    CHILD(COPYING, failures);
    CHILD(COPYING, wrapped);
}

int main(void)
{
    FIND_FAKE_DRIVER;
    RUN(test_modes);
    RUN(test_on_drivers);
    return CHECK_EXIT_CODE;
}
