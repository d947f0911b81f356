/* The fake driver's binaries of executable programs: a name, a number that only these bytes have, the device, and the
 * program's text. As with some real drivers, bytes that are not what they were end the process. */
#include "fake_driver.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NAME = 24 }; /* "FAKEEXE _UNCACHED_xxxxxx", which may be changed in its last letters */
static const char name[NAME + 1] = "FAKEEXE _UNCACHED_aaaaaa", same[] = "FAKEEXE _UNCACHED_";

typedef struct head {
    char name[NAME];
    uint32_t check, device;
} head;

static uint32_t check_of(const char *text, size_t length, uint32_t device)
{
    uint32_t check = 2166136261u ^ device;
    for (size_t i = 0; i < length; i++)
        check = (check ^ (unsigned char)text[i]) * 16777619u;
    return check;
}

size_t fake_executable_size(const fake_program *p)
{
    return strcmp(fake_settings.binary, "none") == 0 ? 0 : sizeof(head) + strlen(p->source);
}

void fake_pack_executable(const fake_program *p, cl_uint device, unsigned char *out)
{
    head h = {.device = device, .check = check_of(p->source, strlen(p->source), device)};
    memcpy(h.name, name, NAME);
    memcpy(out, &h, sizeof h);
    memcpy(out + sizeof h, p->source, strlen(p->source));
}

static uint32_t place_of(const fake_context *context, cl_device_id device)
{
    uint32_t place = 0;
    while (place < context->device_count && (void *)context->devices[place] != (void *)device)
        place++;
    return place;
}

char *fake_unpack_executable(const fake_context *context, cl_device_id device, const unsigned char *bytes, size_t size)
{
    size_t length = size - sizeof(head);
    char *text;
    head h;

    if (size < sizeof h || memcmp(bytes, same, 7) != 0)
        return NULL; /* no executable at all */
    memcpy(&h, bytes, sizeof h);
    text = malloc(length + 1);
    if (text == NULL || memcmp(h.name, same, sizeof same - 1) != 0 || h.device != place_of(context, device) ||
        h.check != check_of((const char *)bytes + sizeof h, length, h.device))
        abort();
    memcpy(text, bytes + sizeof h, length);
    text[length] = '\0';
    return text;
}
