/* What the tests of unified shared memory share: a context on the fake driver, by each provider. */
#ifndef SYC_TESTS_USM_SCENE_H
#define SYC_TESTS_USM_SCENE_H

#include "child.h"
#include "memory/usm/usm.h"

#include <string.h>

#define FINE   "FAKE_SVM=fine;"
#define COARSE "FAKE_SVM=coarse;"
#define INTEL  "FAKE_INTEL_USM=1;"

#define ON_EVERY_PROVIDER(test)                                                      \
    do {                                                                             \
        CHILD(FINE, test);                                                           \
        CHILD(COARSE, test);                                                         \
        CHILD(INTEL, test);                                                          \
        CHILD(FINE INTEL, test);                                                     \
        CHILD(POCL FINE "FAKE_DEVICES=2;FAKE_DEVICE_NAMES=pthread-X:basic-X", test); \
    } while (0)

static syc_device *device;
static syc_context *context;

static inline void open_scene(void)
{
    alarm(60);
    device = first_platform()->devices[0];
    CHECK_OK(syc_context_create(&device, 1, &context));
}

/* Nothing is left: the cached slabs go with their context. */
static inline void close_scene(void)
{
    syc_context_release(context);
    context = NULL;
    CHECK_EQUAL(fake_live("svm"), 0);
    CHECK_EQUAL(fake_live("context"), 0);
    CHECK_EQUAL(fake_live("queue"), 0);
    CHECK_EQUAL(fake_errors(), 0);
    CHECK_EQUAL(syc_live_count(SYC_LIVE_SVM), 0);
    CHECK_EQUAL(syc_live_count(SYC_LIVE_USM), 0);
    CHECK_EQUAL(syc_live_count(SYC_LIVE_CL_QUEUE), 0);
    CHECK_EQUAL(syc_live_count(SYC_LIVE_CL_CONTEXT), 0);
}

static inline syc_usm *make(syc_usm_kind kind, size_t bytes, size_t alignment)
{
    syc_usm *usm = NULL;
    syc_status status = syc_usm_create(context, device, kind, bytes, alignment, &usm);
    CHECK_OK(status);
    if (status != SYC_OK)
        exit(1);
    return usm;
}

static inline bool finds(const void *address, const syc_usm *expected)
{
    syc_usm *found = syc_usm_find(context, address), *anywhere = syc_usm_find_any(address);
    bool right = found == expected && anywhere == expected;
    syc_usm_release(found);
    syc_usm_release(anywhere);
    return right;
}

#endif
