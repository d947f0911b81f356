/* One interposer per row of entries.h and extensions.h: it counts, fails when it is that call's turn, and else calls
 * the driver. */
#include "cl/fault.h"

#include <stdatomic.h>
#include <string.h>

enum {
#define X(name, slot, since, result, fails, params, args) ENTRY_##name,
    SYC_CL_ALL(X)
#undef X
        ENTRY_COUNT
};

static const char *const names[ENTRY_COUNT] = {
#define X(name, slot, since, result, fails, params, args) #name,
    SYC_CL_ALL(X)
#undef X
};

/* Which rows can fail at all. */
enum { CAN_CODE = 1, CAN_OBJECT = 1, CAN_POINTER = 1, CAN_NOTHING = 0 };
static const bool can_fail[ENTRY_COUNT] = {
#define X(name, slot, since, result, fails, params, args) CAN_##fails,
    SYC_CL_ALL(X)
#undef X
};

static syc_driver *target; /* whose table holds the interposers */
static syc_cl_table real;  /* what it held before */
static atomic_long calls[ENTRY_COUNT];
static atomic_long fatal_call[ENTRY_COUNT]; /* which call fails; 0: none */
static atomic_int fatal_code[ENTRY_COUNT];

/* Counts a call; the code that it must fail with, or 0. */
static int count_call(size_t entry)
{
    long call = atomic_fetch_add(&calls[entry], 1) + 1;
    return call == atomic_load(&fatal_call[entry]) ? atomic_load(&fatal_code[entry]) : 0;
}

#define CODE(name, args)                  \
    int fault = count_call(ENTRY_##name); \
    return fault != 0 ? fault : real.name args

#define OBJECT(name, args)                \
    int fault = count_call(ENTRY_##name); \
    if (fault == 0)                       \
        return real.name args;            \
    if (code != NULL)                     \
        *code = fault;                    \
    return NULL

#define POINTER(name, args) return count_call(ENTRY_##name) != 0 ? NULL : real.name args

#define NOTHING(name, args)         \
    (void)count_call(ENTRY_##name); \
    real.name args

#define X(name, slot, since, result, fails, params, args) \
    static result fault_##name params                     \
    {                                                     \
        fails(name, args);                                \
    }
SYC_CL_ALL(X)
#undef X

static void reset(void)
{
    for (size_t i = 0; i < ENTRY_COUNT; i++) {
        atomic_store(&calls[i], 0);
        atomic_store(&fatal_call[i], 0);
    }
}

syc_status syc_fault_install(syc_driver *driver)
{
    if (target != NULL)
        target->cl = real;
    target = driver;
    reset();
    if (driver == NULL)
        return SYC_OK;
    real = driver->cl;
    /* A row that the driver does not have stays empty: nobody may call it. */
#define X(name, slot, since, result, fails, params, args) \
    if (real.name != NULL)                                \
        driver->cl.name = fault_##name;
    SYC_CL_ALL(X)
#undef X
    return SYC_OK;
}

static size_t find(const char *entry)
{
    size_t i = 0;
    while (i < ENTRY_COUNT && strcmp(names[i], entry) != 0)
        i++;
    return i;
}

syc_status syc_fault_arm(const char *entry, long nth, int code)
{
    syc_status status = SYC_OK;
    size_t i = find(entry);

    SYC_CHECK(i < ENTRY_COUNT, SYC_E_INVALID_PARAMETER, "\"%s\" is no entry of the OpenCL table", entry);
    SYC_CHECK(can_fail[i], SYC_E_INVALID_PARAMETER, "cl%s has no way to fail", entry);
    SYC_CHECK(nth >= 1, SYC_E_INVALID_PARAMETER, "the failing call is number %ld, but calls are counted from 1", nth);
    SYC_CHECK(code != 0, SYC_E_INVALID_PARAMETER, "the code 0 is success, not a failure");
    atomic_store(&fatal_code[i], code);
    atomic_store(&fatal_call[i], atomic_load(&calls[i]) + nth);
done:
    return status;
}

long syc_fault_calls(const char *entry)
{
    size_t i = find(entry);
    return i < ENTRY_COUNT ? atomic_load(&calls[i]) : -1;
}

size_t syc_fault_entry_count(void)
{
    return ENTRY_COUNT;
}

const char *syc_fault_entry_name(size_t index)
{
    return index < ENTRY_COUNT ? names[index] : NULL;
}
