/* The C tests' few words. Each test file is one program: functions named test_*, listed in main by RUN. */
#ifndef SYC_TESTS_CHECK_H
#define SYC_TESTS_CHECK_H

#include "base/status.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int check__failures;

#define CHECK(cond)                                                                          \
    do {                                                                                     \
        if (!(cond)) {                                                                       \
            fprintf(stderr, "%s:%d: %s: failed: %s\n", __FILE__, __LINE__, __func__, #cond); \
            check__failures++;                                                               \
        }                                                                                    \
    } while (0)

#define CHECK_EQUAL(a, b)                                                                                             \
    do {                                                                                                              \
        long long check__a = (long long)(a), check__b = (long long)(b);                                               \
        if (check__a != check__b) {                                                                                   \
            fprintf(stderr, "%s:%d: %s: %s is %lld, not %s = %lld\n", __FILE__, __LINE__, __func__, #a, check__a, #b, \
                    check__b);                                                                                        \
            check__failures++;                                                                                        \
        }                                                                                                             \
    } while (0)

#define CHECK_STRING(a, b)                                                                             \
    do {                                                                                               \
        const char *check__a = (a), *check__b = (b);                                                   \
        if (check__a == NULL || check__b == NULL || strcmp(check__a, check__b) != 0) {                 \
            fprintf(stderr, "%s:%d: %s: %s is \"%s\", not \"%s\"\n", __FILE__, __LINE__, __func__, #a, \
                    check__a ? check__a : "(null)", check__b ? check__b : "(null)");                   \
            check__failures++;                                                                         \
        }                                                                                              \
    } while (0)

/* The status is as expected; says the recorded message when it is not. */
#define CHECK_STATUS(expr, expected)                                                                        \
    do {                                                                                                    \
        syc_status check__s = (expr);                                                                       \
        if (check__s != (expected)) {                                                                       \
            fprintf(stderr, "%s:%d: %s: %s gave %s (%s), not %s\n", __FILE__, __LINE__, __func__, #expr,    \
                    syc_status_errc(check__s), check__s ? syc_detail_of(check__s).message : "", #expected); \
            check__failures++;                                                                              \
        }                                                                                                   \
    } while (0)
#define CHECK_OK(expr) CHECK_STATUS(expr, SYC_OK)

#define RUN(test)                                                                     \
    do {                                                                              \
        int check__before = check__failures;                                          \
        test();                                                                       \
        printf("%s %s\n", check__failures == check__before ? "ok  " : "FAIL", #test); \
        fflush(stdout);                                                               \
    } while (0)

#define CHECK_EXIT_CODE (check__failures != 0)
#define CHECK_SKIP      77 /* what meson takes for "skipped" */

#endif
