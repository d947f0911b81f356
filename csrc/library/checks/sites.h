/* Places of a program where the items of a group have to agree, and what is said where they do not. */
#ifndef SYC_LIBRARY_CHECKS_SITES_H
#define SYC_LIBRARY_CHECKS_SITES_H

#include "base/status.h"
#include "base/text.h"

#include <stdbool.h>
#include <stdint.h>

/* Programs made of text from now on are checked, or not. */
void syc_collectives_check(bool on);
bool syc_collectives_checked(void);

enum syc__site_kind {
    SYC__SITE_CONDITION, /* true or false */
    SYC__SITE_VALUE,     /* of a switch */
    SYC__SITE_WAY,       /* 0, or 1 return, 2 break, 3 continue */
    SYC__SITE_NUMBER,    /* an argument that is an id or a distance */
    SYC__SITE_ARGUMENT   /* another argument */
};

typedef struct syc__site {
    enum syc__site_kind kind;
    unsigned argument; /* its number, from 1 */
    uint32_t line;     /* of what decides, as the text's #line directives count; from 1 */
    uint32_t call_line, call_column;
    char call_file[24]; /* as #line names it; "": the text has no such line */
    char word[12];      /* "if" */
    char call[48];      /* the group function that some do not come to */
} syc__site;

typedef struct syc__sites {
    syc__site *items;
    size_t count, capacity;
} syc__sites;

enum { SYC_DIVERGENCE_WORDS = 16 };
/* A kernel's report (kernels/group/converge.clh), and its place; NULL where there is none, or no sound one:
 * then there are words. */
const syc__site *syc__sites_say(SYC_KEEP const syc__sites *sites, SYC_KEEP const char *kernel, unsigned dims,
                                SYC_KEEP const uint32_t *words, syc_text *out);
void syc__sites_clear(syc__sites *sites);

#endif
