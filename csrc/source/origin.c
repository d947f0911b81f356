/* Origins: copies of them. */
#include "source/origin.h"

#include "base/alloc.h"

#include <string.h>

/* -- copies -- */

struct copy {
    syc_origins public;
    syc_origin *items;
    syc_part *parts;
    char **given, *front;
};

void syc__origins_free(syc_origins *origins)
{
    struct copy *copy = (struct copy *)origins; /* its first member */
    if (copy == NULL)
        return;
    for (size_t i = 0; i < copy->public.count; i++) {
        syc_free((char *)copy->items[i].name);
        syc_free((char *)copy->items[i].text);
        syc_free((char *)copy->items[i].compiled);
    }
    for (size_t i = 0; i < copy->public.part_count; i++) {
        syc_free((char *)copy->parts[i].file);
        syc_free((char *)copy->parts[i].name);
        syc_free((char *)copy->parts[i].text);
        syc_free((char *)copy->parts[i].knows);
        syc_free((char *)copy->parts[i].types);
    }
    for (size_t i = 0; i < copy->public.given_count; i++)
        syc_free(copy->given[i]);
    syc_free(copy->parts);
    syc_free(copy->front);
    syc_free(copy->items);
    syc_free(copy->given);
    syc_free(copy);
}

static syc_status copy_text(const char *text, const char **out)
{
    char *copied = NULL;
    syc_status status = syc_copy_string(text, &copied);
    *out = copied;
    return status;
}

static syc_status copy_parts(const syc_origins *origins, struct copy *copy)
{
    syc_status status = SYC_OK;
    SYC_TRY(syc_alloc_array(origins->part_count, sizeof *copy->parts, &copy->parts));
    copy->public.parts = copy->parts;
    for (size_t i = 0; i < origins->part_count; i++) {
        copy->public.part_count = i + 1;
        copy->parts[i].line = origins->parts[i].line;
        SYC_TRY(copy_text(origins->parts[i].file, &copy->parts[i].file));
        SYC_TRY(copy_text(origins->parts[i].name, &copy->parts[i].name));
        SYC_TRY(copy_text(origins->parts[i].text, &copy->parts[i].text));
        SYC_TRY(copy_text(origins->parts[i].knows, &copy->parts[i].knows));
        SYC_TRY(copy_text(origins->parts[i].types, &copy->parts[i].types));
    }
done:
    return status;
}

syc_status syc__origins_copy(const syc_origins *origins, syc_origins **out)
{
    syc_status status = SYC_OK;
    struct copy *copy = NULL;

    SYC_TRY(syc_alloc(sizeof *copy, &copy));
    copy->public.dims = origins->dims;
    copy->public.whole = origins->whole;
    SYC_TRY(syc_alloc_array(origins->count, sizeof *copy->items, &copy->items));
    copy->public.items = copy->items;
    for (size_t i = 0; i < origins->count; i++) {
        copy->public.count = i + 1;
        SYC_TRY(copy_text(origins->items[i].name, &copy->items[i].name));
        SYC_TRY(copy_text(origins->items[i].text, &copy->items[i].text));
        if (origins->items[i].compiled != NULL)
            SYC_TRY(copy_text(origins->items[i].compiled, &copy->items[i].compiled));
    }
    if (origins->front != NULL)
        SYC_TRY(syc_copy_string(origins->front, &copy->front));
    copy->public.front = copy->front;
    SYC_TRY(copy_parts(origins, copy));
    SYC_TRY(syc_alloc_array(origins->given_count, sizeof *copy->given, &copy->given));
    copy->public.given = (const char *const *)copy->given;
    for (size_t i = 0; i < origins->given_count; i++) {
        copy->public.given_count = i + 1;
        SYC_TRY(syc_copy_string(origins->given[i], &copy->given[i]));
    }
    *out = &copy->public;
    copy = NULL;
done:
    syc__origins_free(copy != NULL ? &copy->public : NULL);
    return status;
}
