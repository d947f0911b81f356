/* One wrapper per row of entries.h and extensions.h, around the table of the one driver that needs it. */
#include "cl/serial.h"

#include "base/alloc.h"
#include "base/text.h"
#include "cl/constants.h"
#include "cl/cures/oclgrind_unwritten.h"
#include "cl/facts.h"

#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static const syc_driver *holder; /* loading is serialised, and so are changes of this */
static syc_cl_table real;

#define ANSWER(result, name, args) \
    result answer;                 \
    pthread_mutex_lock(&lock);     \
    syc__unwritten_enter();        \
    answer = real.name args;       \
    pthread_mutex_unlock(&lock);   \
    return answer
#define CODE    ANSWER
#define OBJECT  ANSWER
#define POINTER ANSWER
#define NOTHING(result, name, args) \
    pthread_mutex_lock(&lock);      \
    syc__unwritten_enter();         \
    real.name args;                 \
    pthread_mutex_unlock(&lock)

#define X(name, slot, since, result, fails, params, args) \
    static result serial_##name params                    \
    {                                                     \
        fails(result, name, args);                        \
    }
SYC_CL_ALL(X)
#undef X

/* Only what is known to be looking for unwritten memory needs it. */
static void install_unwritten(const syc_driver *driver)
{
    cl_device_id device = NULL;
    cl_uint count = 0;
    if (driver->platform_count > 0 &&
        real.GetDeviceIDs(driver->platforms[0], CL_DEVICE_TYPE_ALL, 1, &device, &count) == 0 && count > 0)
        syc__unwritten_install(&real, device);
}

static void install(syc_driver *driver, bool looks)
{
    holder = driver;
    real = driver->cl;
    if (looks)
        install_unwritten(driver);
        /* A row that the driver does not have stays empty. */
#define X(name, slot, since, result, fails, params, args) \
    if (real.name != NULL)                                \
        driver->cl.name = serial_##name;
    SYC_CL_ALL(X)
#undef X
}

static void note(syc_driver *driver)
{
    syc_text text = {0};
    if (driver->quirks != NULL)
        syc_text_add(&text, "%s; ", driver->quirks);
    syc_text_add(&text, "its API is not thread-safe: calls are made one at a time");
    syc_free(driver->quirks);
    driver->quirks = syc_text_take(&text);
}

/* True if any platform's facts deny that several threads may call it. */
static syc_status is_unsafe(const syc_driver *driver, bool *unsafe, bool *looks)
{
    syc_status status = SYC_OK;
    char name[256] = "", version[256] = "";

    *unsafe = *looks = false;
    for (size_t i = 0; i < driver->platform_count; i++) {
        SYC_CL(&driver->cl, GetPlatformInfo, (driver->platforms[i], CL_PLATFORM_NAME, sizeof name - 1, name, NULL));
        SYC_CL(&driver->cl, GetPlatformInfo,
               (driver->platforms[i], CL_PLATFORM_VERSION, sizeof version - 1, version, NULL));
        *unsafe = *unsafe || !syc_facts_find(name, version, CL_DEVICE_TYPE_ALL)->thread_safe;
        *looks = *looks || syc_facts_find(name, version, CL_DEVICE_TYPE_ALL)->forgets_writes;
    }
done:
    return status;
}

syc_status syc__driver_serialise(syc_driver *driver)
{
    bool unsafe, looks;
    /* A name too long for the rows of facts, or a driver that does not give it, has no row that says anything. */
    if (is_unsafe(driver, &unsafe, &looks) != SYC_OK || !unsafe)
        return SYC_OK;
    if (holder != NULL)
        return syc_copy_string("its API is not thread-safe, and another such driver is in use already",
                               &driver->refusal);
    install(driver, looks);
    note(driver);
    return SYC_OK;
}
