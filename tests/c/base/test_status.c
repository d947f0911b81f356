/* The status table, the threads' records of their last failure, captured failures, and the report hook. */
#include "base/refcount.h"
#include "check.h"
#include "cl/constants.h"
#include "cl/error.h"

#include <pthread.h>

static void test_every_row_is_whole(void)
{
    static const struct {
        syc_status status;
        const char *errc, *cls, *base, *text;
    } rows[] = {
#define X(status, errc, cls, base, builtin, text) {status, errc, cls, base, text},
        SYC_STATUS_MAP(X)
#undef X
    };
    size_t count = sizeof rows / sizeof *rows;

    CHECK_EQUAL(count, SYC_STATUS_COUNT - 3); /* SYC_OK, SYC_INTERRUPTED and SYC_TIMEOUT are no failures of ours */
    for (size_t i = 0; i < count; i++) {
        bool base_is_known = strcmp(rows[i].base, "SyclError") == 0;
        CHECK_EQUAL(rows[i].status, i + 3);
        CHECK_STRING(syc_status_errc(rows[i].status), rows[i].errc);
        CHECK_STRING(syc_status_text(rows[i].status), rows[i].text);
        for (size_t k = 0; k < count; k++) {
            CHECK(k == i || strcmp(rows[k].cls, rows[i].cls) != 0);
            base_is_known |= k < i && strcmp(rows[k].cls, rows[i].base) == 0;
        }
        CHECK(base_is_known); /* a base stands above the classes made from it */
    }
    CHECK_STRING(syc_status_errc(SYC_OK), "success");
    CHECK_STRING(syc_status_errc((syc_status)4711), "runtime");
    CHECK_STRING(syc_status_text((syc_status)-1), "unknown status");
}

static void test_the_record(void)
{
    syc_detail detail;
    CHECK_EQUAL(syc_fail(SYC_E_INVALID, "here:1", "the %s is %d", "answer", 42), SYC_E_INVALID);
    detail = syc_detail_of(SYC_E_INVALID);
    CHECK_EQUAL(detail.status, SYC_E_INVALID);
    CHECK_STRING(detail.message, "the answer is 42");
    CHECK_STRING(detail.where, "here:1");
    CHECK(detail.api == NULL && detail.cl_code == 0 && detail.build_log == NULL);

    CHECK_EQUAL(syc_fail_cl_as(SYC_E_BUILD, "here:2", "clBuildProgram", -11, "no"), SYC_E_BUILD);
    syc_detail_set_build_log("line 1");
    syc_detail_set_build_log("line 2");
    detail = syc_detail_of(SYC_E_BUILD);
    CHECK_STRING(detail.build_log, "line 2");
    CHECK_STRING(detail.api, "clBuildProgram");
    CHECK_EQUAL(detail.cl_code, -11);
    syc_detail_set_build_log(NULL);
    CHECK(syc_detail_of(SYC_E_BUILD).build_log == NULL);
}

/* A reader that shows another status gets that status's own words, never somebody else's. */
static void test_only_the_same_status_gets_the_detail(void)
{
    syc_detail detail;
    (void)syc_fail_cl_as(SYC_E_KERNEL, "here", "clFinish", -5, "secret");
    detail = syc_detail_of(SYC_E_PLATFORM);
    CHECK_STRING(detail.message, syc_status_text(SYC_E_PLATFORM));
    CHECK(detail.api == NULL && detail.cl_code == 0);
    CHECK_STRING(syc_detail_of(SYC_E_KERNEL).message, "secret");
    (void)syc_fail(SYC_E_KERNEL, "here", "%s", "");
    CHECK_STRING(syc_detail_of(SYC_E_KERNEL).message, syc_status_text(SYC_E_KERNEL)); /* never empty */
}

static void test_long_messages_are_cut(void)
{
    static char text[20000];
    memset(text, 'x', sizeof text - 1);
    (void)syc_fail(SYC_E_RUNTIME, "here", "%s", text);
    CHECK_EQUAL(strlen(syc_detail_of(SYC_E_RUNTIME).message), 4095);
}

static void *other_thread(void *unused)
{
    (void)unused;
    CHECK_STRING(syc_detail_of(SYC_E_EVENT).message, syc_status_text(SYC_E_EVENT));
    (void)syc_fail(SYC_E_EVENT, "there", "theirs");
    return NULL;
}

static void test_records_are_threads_own(void)
{
    pthread_t thread;
    (void)syc_fail(SYC_E_EVENT, "here", "mine");
    CHECK_EQUAL(pthread_create(&thread, NULL, other_thread, NULL), 0);
    pthread_join(thread, NULL);
    CHECK_STRING(syc_detail_of(SYC_E_EVENT).message, "mine");
}

static void test_capture_and_restore(void)
{
    syc_failure *failure = NULL, *copy;
    syc_detail detail;

    (void)syc_fail_cl_as(SYC_E_BUILD, "here:3", "clBuildProgram", -11, "line 3 is wrong");
    syc_detail_set_build_log("the log");
    CHECK_OK(syc_failure_capture(SYC_E_BUILD, &failure));
    CHECK_EQUAL(syc_live_count(SYC_LIVE_FAILURE), 1);
    (void)syc_fail(SYC_E_INVALID, "there", "something else");
    copy = syc_failure_copy(failure);
    CHECK_EQUAL(syc_live_count(SYC_LIVE_FAILURE), 2);
    syc_failure_free(failure);
    (void)syc_fail(SYC_E_INVALID, "there", "something else");
    detail = syc_failure_detail(copy);
    CHECK_STRING(detail.message, "line 3 is wrong");
    CHECK_STRING(detail.build_log, "the log");
    CHECK_EQUAL(syc_failure_restore(copy), SYC_E_BUILD);
    syc_failure_free(copy);
    detail = syc_detail_of(SYC_E_BUILD); /* the thread's own record, which the copy's end does not touch */
    CHECK_STRING(detail.message, "line 3 is wrong");
    CHECK_STRING(detail.build_log, "the log");
    CHECK_STRING(detail.api, "clBuildProgram");
    CHECK_STRING(detail.where, "here:3");
    CHECK_EQUAL(detail.cl_code, -11);
    CHECK_EQUAL(syc_live_count(SYC_LIVE_FAILURE), 0);
}

static int causes_gone;

static void cause_goes(void *payload)
{
    causes_gone += *(int *)payload;
}

/* A cause belongs to the failure that was recorded just before, is shared by its copies, and goes with the last. */
static void test_causes(void)
{
    syc_failure *failure = NULL, *copy, *other = NULL;
    int one = 1;

    (void)syc_fail(SYC_E_RUNTIME, SYC_HERE, "with a cause");
    syc_detail_set_cause((syc_keep){cause_goes, &one});
    CHECK_OK(syc_failure_capture(SYC_E_RUNTIME, &failure));
    CHECK(syc_failure_detail(failure).cause == &one);
    CHECK_OK(syc_failure_capture(SYC_E_RUNTIME, &other)); /* the same words, but the cause has been taken */
    CHECK(syc_failure_detail(other).cause == NULL);
    copy = syc_failure_copy(failure);
    CHECK(syc_failure_detail(copy).cause == &one);
    CHECK_STRING(syc_failure_detail(copy).message, "with a cause");
    syc_failure_free(failure);
    CHECK_EQUAL(causes_gone, 0);
    CHECK_EQUAL(syc_failure_restore(copy), SYC_E_RUNTIME);
    syc_failure_free(copy);
    CHECK_EQUAL(causes_gone, 1);
    syc_failure_free(other);

    (void)syc_fail(SYC_E_RUNTIME, SYC_HERE, "one");
    syc_detail_set_cause((syc_keep){cause_goes, &one});
    (void)syc_fail(SYC_E_RUNTIME, SYC_HERE, "another");
    CHECK_EQUAL(causes_gone, 2);
    CHECK_OK(syc_failure_capture(SYC_E_RUNTIME, &failure));
    CHECK(syc_failure_detail(failure).cause == NULL);
    syc_failure_free(failure);
}

/* What nobody recorded has the default words; a failure that could not be kept is still one. */
static void test_failures_of_nothing(void)
{
    syc_failure *failure = NULL;
    (void)syc_fail(SYC_E_INVALID, "here", "another one");
    CHECK_OK(syc_failure_capture(SYC_E_CLOSED, &failure));
    CHECK_STRING(syc_failure_detail(failure).message, syc_status_text(SYC_E_CLOSED));
    syc_failure_free(failure);
    syc_failure_free(NULL);
    CHECK(syc_failure_copy(NULL) == NULL);
    CHECK_EQUAL(syc_failure_detail(NULL).status, SYC_E_RUNTIME);
    CHECK_EQUAL(syc_failure_restore(NULL), SYC_E_RUNTIME);
}

static void test_opencl_words(void)
{
    CHECK_EQUAL(syc_fail_cl("here", "clFinish", -36), SYC_E_RUNTIME); /* before cl/ has lent its words */
    CHECK_STRING(syc_detail_of(SYC_E_RUNTIME).message, "clFinish failed with code (-36): the runtime failed");
    syc_cl_errors_install();
    CHECK_EQUAL(syc_fail_cl("here", "clFinish", CL_INVALID_COMMAND_QUEUE), SYC_E_INVALID_OBJECT);
    CHECK_STRING(syc_detail_of(SYC_E_INVALID_OBJECT).message,
                 "clFinish failed with CL_INVALID_COMMAND_QUEUE (-36): the object is not valid here");
    CHECK_EQUAL(syc_fail_cl("here", "clFinish", -4711), SYC_E_RUNTIME);
    CHECK_STRING(syc_detail_of(SYC_E_RUNTIME).message,
                 "clFinish failed with an unknown error code (-4711): the runtime failed");
}

static syc_detail heard;
static char heard_message[100];

static void hear(const syc_detail *detail)
{
    heard = *detail;
    snprintf(heard_message, sizeof heard_message, "%s", detail->message);
}

static void test_the_report_hook(void)
{
    syc_set_report_hook(hear);
    syc_report(syc_fail_cl("here", "clReleaseEvent", CL_INVALID_EVENT));
    CHECK_EQUAL(heard.status, SYC_E_EVENT);
    CHECK_EQUAL(heard.cl_code, CL_INVALID_EVENT);
    CHECK(strstr(heard_message, "clReleaseEvent failed with CL_INVALID_EVENT") != NULL);
    syc_set_report_hook(NULL);
}

/* The macros leave by `done:` with the status of the step that failed, and do nothing after it. */
struct table {
    int (*Fine)(int *), (*Bad)(int *);
    void *(*Make)(void *made, int code_to_give, int *code);
};

static int fine(int *calls)
{
    ++*calls;
    return 0;
}

static int bad(int *calls)
{
    ++*calls;
    return CL_OUT_OF_HOST_MEMORY;
}

static void *make(void *made, int code_to_give, int *code)
{
    *code = code_to_give;
    return made;
}

static const struct table table = {fine, bad, make};

static syc_status steps(int which, int *calls, void **out)
{
    syc_status status = SYC_OK;
    void *made = &made;
    int code = 0;
    SYC_CL(&table, Fine, (calls));
    SYC_CHECK(which != 1, SYC_E_INVALID_PARAMETER, "which is %d", which);
    if (which == 2)
        SYC_CL(&table, Bad, (calls));
    SYC_TRY(which == 3 ? syc_fail(SYC_E_KERNEL, SYC_HERE, "third") : SYC_OK);
    if (which == 4)
        SYC_CL_OBJECT(&table, made, Make, (&made, CL_INVALID_VALUE, &code));
    if (which == 5) /* an object of no kind, and success: drivers do that */
        SYC_CL_OBJECT(&table, made, Make, (NULL, 0, &code));
    if (which == 6)
        SYC_CL_OBJECT(&table, made, Make, (out, 0, &code));
    ++*calls;
done:
    *out = made;
    return status;
}

static void test_the_macros(void)
{
    static const struct {
        syc_status status;
        int calls;
    } expected[] = {{SYC_OK, 2},       {SYC_E_INVALID_PARAMETER, 1}, {SYC_E_MEMORY_ALLOCATION, 2},
                    {SYC_E_KERNEL, 1}, {SYC_E_INVALID_PARAMETER, 1}, {SYC_E_RUNTIME, 1},
                    {SYC_OK, 2}};
    syc_cl_errors_install();
    for (int which = 0; which < 7; which++) {
        int calls = 0;
        void *made = NULL;
        syc_status status = steps(which, &calls, &made);
        CHECK_EQUAL(status, expected[which].status);
        CHECK_EQUAL(calls, expected[which].calls);
        CHECK((which == 4 || which == 5) == (made == NULL));
        if (status != SYC_OK)
            CHECK(strstr(syc_detail_of(status).where, "test_status.c:") != NULL);
    }
}

int main(void)
{
    RUN(test_every_row_is_whole);
    RUN(test_the_record);
    RUN(test_only_the_same_status_gets_the_detail);
    RUN(test_long_messages_are_cut);
    RUN(test_records_are_threads_own);
    RUN(test_capture_and_restore);
    RUN(test_causes);
    RUN(test_failures_of_nothing);
    RUN(test_opencl_words);
    RUN(test_the_report_hook);
    RUN(test_the_macros);
    return CHECK_EXIT_CODE;
}
