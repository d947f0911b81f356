/* Where drivers may be, in the documented order:
 * PYSYCL_DRIVERS, which excludes all else; OCL_ICD_FILENAMES; OCL_ICD_VENDORS, or else /etc/OpenCL/vendors; libraries
 * known by name; wheels. */
#define _GNU_SOURCE
#include "cl/search.h"

#include "base/alloc.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char vendors[] = "/etc/OpenCL/vendors";
static const char nvidia[] = "libnvidia-opencl.so.1";

/* The first line of an .icd file, without white space around it. */
static bool read_icd(const char *icd, char *line, int size)
{
    FILE *file = fopen(icd, "re");
    bool got = file != NULL && fgets(line, size, file) != NULL;
    size_t start, end;
    if (file != NULL)
        fclose(file);
    if (!got)
        return false;
    start = strspn(line, " \t\r\n");
    end = strlen(line);
    while (end > start && strchr(" \t\r\n", line[end - 1]) != NULL)
        end--;
    line[end] = '\0';
    memmove(line, line + start, end - start + 1);
    return line[0] != '\0';
}

/* A bare name whose library lies beside the .icd file means that library: so do the wheels of PoCL and Oclgrind. */
static syc_status add_icd(syc_search *search, const char *icd)
{
    syc_status status = SYC_OK;
    char line[4096];
    const char *slash = strrchr(icd, '/');
    syc_text beside = {0};
    struct stat info;

    if (!read_icd(icd, line, sizeof line)) {
        syc_text_add(&search->notes, "%s: names no library\n", icd);
        return SYC_OK;
    }
    if (slash != NULL && strchr(line, '/') == NULL)
        syc_text_add(&beside, "%.*s/%s", (int)(slash - icd), icd, line);
    SYC_CHECK(!beside.cut, SYC_E_MEMORY_ALLOCATION, "no memory for the path of %s", line);
    SYC_TRY(syc__search_add(search, stat(syc_text_get(&beside), &info) == 0 ? beside.data : line, icd));
done:
    syc_text_clear(&beside);
    return status;
}

static bool ends_with(const char *text, const char *end)
{
    size_t length = strlen(text), tail = strlen(end);
    return length >= tail && strcmp(text + length - tail, end) == 0;
}

static syc_status add_library_or_icd(syc_search *search, const char *path, const char *origin)
{
    return ends_with(path, ".icd") ? add_icd(search, path) : syc__search_add(search, path, origin);
}

static syc_status add_list(syc_search *search, const char *variable, const char *list)
{
    syc_status status = SYC_OK;
    char *copy = NULL, *rest = NULL;

    SYC_TRY(syc_copy_string(list, &copy));
    for (char *path = strtok_r(copy, ":", &rest); path != NULL; path = strtok_r(NULL, ":", &rest))
        SYC_TRY(add_library_or_icd(search, path, variable));
done:
    syc_free(copy);
    return status;
}

static syc_status add_vendors(syc_search *search, const char *folder)
{
    syc_status status = SYC_OK;
    char **names = NULL;
    size_t count = 0;
    syc_text path = {0};

    SYC_TRY(syc__search_list(folder, "*.icd", &names, &count));
    if (count == 0)
        syc_text_add(&search->notes, "%s: no .icd file\n", folder);
    for (size_t i = 0; i < count; i++) {
        syc_text_clear(&path);
        syc_text_add(&path, "%s/%s", folder, names[i]);
        SYC_CHECK(!path.cut, SYC_E_MEMORY_ALLOCATION, "no memory for the path of %s", names[i]);
        SYC_TRY(add_icd(search, path.data));
    }
done:
    syc_text_clear(&path);
    syc__search_list_free(names, count);
    return status;
}

static const char *variable(const char *name)
{
    const char *value = getenv(name);
    return value != NULL && value[0] != '\0' ? value : NULL;
}

static syc_status add_icd_sources(syc_search *search)
{
    const char *files = variable("OCL_ICD_FILENAMES"), *place = variable("OCL_ICD_VENDORS");
    syc_status status = SYC_OK;
    struct stat info;

    if (files != NULL)
        SYC_TRY(add_list(search, "OCL_ICD_FILENAMES", files));
    if (place == NULL) {
        SYC_TRY(add_vendors(search, vendors));
        goto done;
    }
    syc_text_add(&search->notes, "%s: not searched, because OCL_ICD_VENDORS is set\n", vendors);
    if (stat(place, &info) == 0 && !S_ISDIR(info.st_mode))
        SYC_TRY(add_library_or_icd(search, place, "OCL_ICD_VENDORS"));
    else
        SYC_TRY(add_vendors(search, place));
done:
    return status;
}

/* Whether the file is in one of the folders that the dynamic loader searches for this program. */
static bool in_loader_folders(const char *name)
{
    bool found = false;
    void *program = dlopen(NULL, RTLD_LAZY);
    Dl_serinfo size, *folders = NULL;
    if (program != NULL && dlinfo(program, RTLD_DI_SERINFOSIZE, &size) == 0 &&
        syc_alloc(size.dls_size, &folders) == SYC_OK) {
        *folders = size;
        if (dlinfo(program, RTLD_DI_SERINFO, folders) != 0)
            folders->dls_cnt = 0;
        for (unsigned i = 0; i < folders->dls_cnt && !found; i++) {
            syc_text path = {0};
            syc_text_add(&path, "%s/%s", folders->dls_serpath[i].dls_name, name);
            found = access(syc_text_get(&path), F_OK) == 0;
            syc_text_clear(&path);
        }
    }
    syc_free(folders);
    if (program != NULL)
        dlclose(program);
    return found;
}

/* Whether the dynamic loader's cache has the name: its strings stand in the file as they are. */
static bool in_loader_cache(const char *name)
{
    bool found = false;
    char *bytes = NULL;
    struct stat info;
    FILE *file = fopen("/etc/ld.so.cache", "re");
    if (file == NULL)
        return false;
    if (fstat(fileno(file), &info) == 0 && info.st_size > 0 && syc_alloc((size_t)info.st_size, &bytes) == SYC_OK)
        found = memmem(bytes, fread(bytes, 1, (size_t)info.st_size, file), name, strlen(name) + 1) != NULL;
    syc_free(bytes);
    fclose(file);
    return found;
}

/* NVIDIA's driver is often there without an ICD file. Nothing is opened to find out: the search must not start a
 * driver. */
static syc_status add_nvidia(syc_search *search)
{
    if (in_loader_folders(nvidia) || in_loader_cache(nvidia))
        return syc__search_add(search, nvidia, "its well-known name");
    syc_text_add(&search->notes, "%s: the dynamic loader does not find it\n", nvidia);
    return SYC_OK;
}

syc_status syc__search(const char *const *roots, size_t count, syc_candidates *out)
{
    syc_status status = SYC_OK;
    const char *only = variable("PYSYCL_DRIVERS");
    syc_search search = {.out = out};

    *out = (syc_candidates){0};
    if (only != NULL) {
        SYC_TRY(add_list(&search, "PYSYCL_DRIVERS", only));
        syc_text_add(&search.notes, "all other places: not searched, because PYSYCL_DRIVERS is set\n");
    } else {
        SYC_TRY(add_icd_sources(&search));
        SYC_TRY(add_nvidia(&search));
        SYC_TRY(syc__search_wheels(&search, roots, count));
    }
    SYC_CHECK(!search.notes.cut, SYC_E_MEMORY_ALLOCATION, "no memory for where drivers were searched");
    out->notes = syc_text_take(&search.notes);
done:
    syc_text_clear(&search.notes);
    if (status != SYC_OK)
        syc__candidates_clear(out);
    return status;
}
