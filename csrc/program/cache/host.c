/* The processor, as far as it decides which machine code runs on it. Two machines that share a disk may differ in it
 * and in nothing else. */
#include "program/cache/key.h"

#if defined(__x86_64__) || defined(__i386__)

#include <cpuid.h>

static void add_leaf(syc_text *out, unsigned leaf, unsigned part)
{
    unsigned a = 0, b = 0, c = 0, d = 0;
    if (!__get_cpuid_count(leaf, part, &a, &b, &c, &d))
        return;
    b = leaf == 1 ? 0 : b; /* it tells on which core this thread runs */
    syc_text_add(out, " %x %x %x %x", a, b, c, d);
}

void syc__host_describe(syc_text *out)
{
    static const unsigned leaves[][2] = {{0, 0},          {1, 0},          {7, 0},          {7, 1},         {0xd, 0},
                                         {0x80000001, 0}, {0x80000002, 0}, {0x80000003, 0}, {0x80000004, 0}};
    syc_text_add(out, "processor");
    for (size_t i = 0; i < sizeof leaves / sizeof *leaves; i++)
        add_leaf(out, leaves[i][0], leaves[i][1]);
    syc_text_add(out, "\n");
}

#else

#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/auxv.h>

/* The first processor's part of the kernel's list: implementer, part and revision, or what the architecture has. */
static void add_model(syc_text *out)
{
    FILE *list = fopen("/proc/cpuinfo", "re");
    char line[512];

    if (list == NULL)
        return;
    while (fgets(line, sizeof line, list) != NULL && line[0] != '\n')
        if (strncmp(line, "processor", 9) != 0 && strncasecmp(line, "bogomips", 8) != 0 && strstr(line, "MHz") == NULL)
            syc_text_add(out, "%s", line);
    fclose(list);
}

void syc__host_describe(syc_text *out)
{
    syc_text_add(out, "processor %lx %lx\n", getauxval(AT_HWCAP), getauxval(AT_HWCAP2));
    add_model(out);
}

#endif
