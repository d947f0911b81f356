/* Drivers that come as Python wheels: files that pip has put below site-packages, or below the installation's prefix.
 */
#include "base/alloc.h"
#include "cl/search.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* The wheel of PoCL and that of Oclgrind put their libraries into the folder of PyOpenCL's own. Intel's goes below the
 * prefix, which is three folders above site-packages; a root may also be a prefix. */
static const struct {
    const char *driver, *folder, *pattern;
} wheels[] = {
    {"PoCL", "pyopencl/.libs", "libpocl-*.so*"},
    {"Intel", "../../../lib", "libintelocl.so"},
    {"Intel", "lib", "libintelocl.so"},
    {"Oclgrind", "pyopencl/.libs", "liboclgrind-rt-icd-*.so*"},
};
enum { WHEELS = sizeof wheels / sizeof wheels[0] };

/* Adds what one row finds under one root. The folder is resolved so that no `..` shows in a path. */
static syc_status add_row(syc_search *search, size_t row, const char *root, size_t *found)
{
    syc_status status = SYC_OK;
    char folder[PATH_MAX];
    char **names = NULL;
    size_t count = 0;
    syc_text path = {0}, origin = {0};

    syc_text_add(&path, "%s/%s", root, wheels[row].folder);
    SYC_CHECK(!path.cut, SYC_E_MEMORY_ALLOCATION, "no memory for the path of %s", wheels[row].folder);
    if (realpath(path.data, folder) == NULL)
        goto done;
    SYC_TRY(syc__search_list(folder, wheels[row].pattern, &names, &count));
    syc_text_add(&origin, "%s wheel in %s", wheels[row].driver, root);
    for (size_t i = 0; i < count; i++) {
        syc_text_clear(&path);
        syc_text_add(&path, "%s/%s", folder, names[i]);
        SYC_CHECK(!path.cut, SYC_E_MEMORY_ALLOCATION, "no memory for the path of %s", names[i]);
        SYC_TRY(syc__search_add(search, path.data, syc_text_get(&origin)));
        *found += 1;
    }
done:
    syc_text_clear(&path);
    syc_text_clear(&origin);
    syc__search_list_free(names, count);
    return status;
}

syc_status syc__search_wheels(syc_search *search, const char *const *roots, size_t count)
{
    syc_status status = SYC_OK;

    for (size_t row = 0, found = 0; row < WHEELS; row++) {
        for (size_t i = 0; i < count; i++)
            SYC_TRY(add_row(search, row, roots[i], &found));
        if (row + 1 < WHEELS && strcmp(wheels[row].driver, wheels[row + 1].driver) == 0)
            continue;
        if (found == 0)
            syc_text_add(&search->notes, "%s wheel: not installed in the %zu folders searched\n", wheels[row].driver,
                         count);
        found = 0;
    }
done:
    return status;
}
