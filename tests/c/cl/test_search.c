/* Where drivers are looked for: the order of the sources, what excludes what, and that one library stands once. */
#include "base/alloc.h"
#include "cl/driver.h"

#include "place.h"

static syc_candidates found;

static void forget_variables(void)
{
    unsetenv("PYSYCL_DRIVERS");
    unsetenv("OCL_ICD_FILENAMES");
    unsetenv("OCL_ICD_VENDORS");
}

static void set_to(const char *variable, const char *format, const char *one, const char *two)
{
    char text[4 * PATH_MAX];
    snprintf(text, sizeof text, format, one, two);
    setenv(variable, text, 1);
}

static void search(const char *root, const char *other_root)
{
    const char *roots[2] = {root, other_root};
    syc__candidates_clear(&found);
    CHECK_OK(syc__search(roots, (root != NULL) + (other_root != NULL), &found));
}

/* Candidate `index` is this file of the folder, named by a source whose text has `origin` in it. */
static void check_candidate(size_t index, const char *name, const char *origin)
{
    char *path = place_path("%s", name);
    CHECK(index < found.count);
    if (index < found.count) {
        CHECK_STRING(found.items[index].path, path);
        CHECK(has(found.items[index].origin, origin));
    }
    free(path);
}

static void test_own_variable_excludes_all_else(void)
{
    char *a = place_path("one/a.so"), *b = place_path("one/b.so");
    forget_variables();
    set_to("PYSYCL_DRIVERS", "%s:%s", b, a);
    setenv("OCL_ICD_FILENAMES", a, 1);
    search(place, NULL);
    CHECK_EQUAL(found.count, 2);
    check_candidate(0, "one/b.so", "PYSYCL_DRIVERS");
    check_candidate(1, "one/a.so", "PYSYCL_DRIVERS");
    CHECK(has(found.notes, "not searched, because PYSYCL_DRIVERS is set"));
    free(a);
    free(b);
}

static void test_same_library_stands_once(void)
{
    char *a = place_path("one/a.so"), *link = place_path("one/link.so");
    forget_variables();
    CHECK(symlink(a, link) == 0);
    set_to("PYSYCL_DRIVERS", "%s:%s:bare.so:bare.so", a, link);
    search(NULL, NULL);
    CHECK_EQUAL(found.count, 2);
    check_candidate(0, "one/a.so", "PYSYCL_DRIVERS");
    CHECK_STRING(found.items[1].path, "bare.so");
    CHECK(has(found.notes, "one/link.so is "));
    free(a);
    free(link);
}

static void test_missing_file_is_a_candidate(void)
{
    forget_variables();
    setenv("PYSYCL_DRIVERS", "/nowhere/libnone.so", 1);
    search(NULL, NULL);
    CHECK_EQUAL(found.count, 1);
    CHECK_STRING(found.items[0].path, "/nowhere/libnone.so");
}

static void test_icd_variables(void)
{
    char *vendors = place_path("vendors"), *a = place_path("one/a.so");
    forget_variables();
    setenv("OCL_ICD_FILENAMES", a, 1);
    setenv("OCL_ICD_VENDORS", vendors, 1);
    search(NULL, NULL);
    CHECK(found.count >= 4);
    check_candidate(0, "one/a.so", "OCL_ICD_FILENAMES");
    check_candidate(1, "one/b.so", "vendors/10-spaces.icd");
    check_candidate(2, "vendors/beside.so", "vendors/20-beside.icd"); /* a bare name, and the library lies there */
    if (found.count >= 4)
        CHECK_STRING(found.items[3].path, "libelsewhere.so.1");
    CHECK(has(found.notes, "40-empty.icd: names no library"));
    CHECK(has(found.notes, "/etc/OpenCL/vendors: not searched, because OCL_ICD_VENDORS is set"));
    free(vendors);
    free(a);
}

static void test_icd_variable_names_a_file(void)
{
    char *icd = place_path("vendors/10-spaces.icd");
    forget_variables();
    setenv("OCL_ICD_VENDORS", icd, 1);
    search(NULL, NULL);
    CHECK(found.count >= 1);
    check_candidate(0, "one/b.so", "10-spaces.icd");
    free(icd);
}

static void test_notes_name_the_empty_sources(void)
{
    char *empty = place_path("one");
    forget_variables();
    setenv("OCL_ICD_VENDORS", empty, 1);
    search(empty, NULL);
    CHECK(has(found.notes, "one: no .icd file"));
    CHECK(has(found.notes, "PoCL wheel: not installed in the 1 folders searched"));
    CHECK(has(found.notes, "Intel wheel: not installed"));
    CHECK(has(found.notes, "Oclgrind wheel: not installed"));
    free(empty);
}

/* Where pip puts things: below site-packages, or below the prefix that is three folders above. */
static void test_wheels(void)
{
    char *site = place_path("prefix/lib/python3.12/site-packages"), *prefix = place_path("prefix");
    char *empty = place_path("one");
    size_t first;
    forget_variables();
    setenv("OCL_ICD_VENDORS", empty, 1);
    search(site, prefix);
    for (first = 0; first < found.count && strchr(found.items[first].path, '/') == NULL; first++)
        ; /* NVIDIA's library, on a machine that has it */
    CHECK_EQUAL(found.count, first + 3);
    check_candidate(first, "prefix/lib/python3.12/site-packages/pyopencl/.libs/libpocl-123.so", "PoCL wheel in ");
    check_candidate(first + 1, "prefix/lib/libintelocl.so", "Intel wheel in ");
    check_candidate(first + 2, "prefix/lib/python3.12/site-packages/pyopencl/.libs/liboclgrind-rt-icd-9.so",
                    "Oclgrind wheel in ");
    search(site, NULL);
    CHECK_EQUAL(found.count, first + 3);
    check_candidate(first + 1, "prefix/lib/libintelocl.so", "Intel wheel in ");
    search(prefix, NULL);
    CHECK_EQUAL(found.count, first + 1);
    check_candidate(first, "prefix/lib/libintelocl.so", "Intel wheel in ");
    free(site);
    free(prefix);
    free(empty);
}

/* A folder's name is no pattern. */
static void test_odd_folder_names(void)
{
    char *site = place_path("[x]*/site-packages"), *empty = place_path("one");
    forget_variables();
    setenv("OCL_ICD_VENDORS", empty, 1);
    search(site, NULL);
    CHECK(found.count >= 1);
    check_candidate(found.count - 1, "[x]*/site-packages/pyopencl/.libs/libpocl-9.so", "PoCL wheel");
    free(site);
    free(empty);
}

static void test_no_memory(void)
{
    char *vendors = place_path("vendors"), *prefix = place_path("prefix");
    const char *roots[1] = {prefix};
    syc_status status = SYC_E_MEMORY_ALLOCATION;
    long n = 1;
    forget_variables();
    setenv("OCL_ICD_FILENAMES", "/x/a.so:/x/b.so", 1);
    setenv("OCL_ICD_VENDORS", vendors, 1);
    for (; n < 200 && status != SYC_OK; n++) {
        syc__candidates_clear(&found);
        syc_alloc_fail_at(n);
        status = syc__search(roots, 1, &found);
        syc_alloc_fail_at(0);
        CHECK(status == SYC_OK || (status == SYC_E_MEMORY_ALLOCATION && found.count == 0 && found.items == NULL));
    }
    CHECK(n > 10 && n < 200);
    free(vendors);
    free(prefix);
}

int main(void)
{
    char b[PATH_MAX];
    place_make();
    place_write("one/a.so", "a");
    place_write("one/b.so", "b");
    place_write("vendors/beside.so", "c");
    snprintf(b, sizeof b, "  %.*s/one/b.so \t\nand more\n", PATH_MAX - 64, place);
    place_write("vendors/10-spaces.icd", b);
    place_write("vendors/20-beside.icd", "beside.so");
    place_write("vendors/30-elsewhere.icd", "libelsewhere.so.1\n");
    place_write("vendors/40-empty.icd", "\n");
    place_write("vendors/readme", "ignored");
    place_write("prefix/lib/libintelocl.so", "d");
    place_write("prefix/lib/libintelocl_emu.so", "e");
    place_write("prefix/lib/python3.12/site-packages/pyopencl/.libs/libpocl-123.so", "f");
    place_write("prefix/lib/python3.12/site-packages/pyopencl/.libs/liboclgrind-rt-icd-9.so", "g");
    place_write("prefix/lib/python3.12/site-packages/pyopencl/.libs/libOpenCL-5519dec5.so.1.0.0", "h");
    place_write("[x]*/site-packages/pyopencl/.libs/libpocl-9.so", "i");

    RUN(test_own_variable_excludes_all_else);
    RUN(test_same_library_stands_once);
    RUN(test_missing_file_is_a_candidate);
    RUN(test_icd_variables);
    RUN(test_icd_variable_names_a_file);
    RUN(test_notes_name_the_empty_sources);
    RUN(test_wheels);
    RUN(test_odd_folder_names);
    RUN(test_no_memory);
    syc__candidates_clear(&found);
    place_remove();
    return CHECK_EXIT_CODE;
}
