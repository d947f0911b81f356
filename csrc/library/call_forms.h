/* How the library's functions may be called, as far as words go. */
#ifndef SYC_LIBRARY_CALL_FORMS_H
#define SYC_LIBRARY_CALL_FORMS_H

enum { SYC__MOST_ARGUMENTS = 6, SYC__TELLS_ORDER = 0x80 };
/* Behind the numbers of arguments: where an atomic operation has its first order, how many it has, where its scope is.
 */
enum { SYC__ORDER = SYC__MOST_ARGUMENTS + 1, SYC__ORDERS, SYC__SCOPE, SYC__PLACES };

enum syc__call_group { SYC__ANY_GROUP, SYC__SUB_GROUPS, SYC__NO_GROUP /* named */ };

/* `at`: which argument is the operator by the number of arguments, from 0; 0: none is. SYC__TELLS_ORDER: it is not one
 * that combines, but one that tells what comes first. Orders and scopes count from 1. */
struct syc__call_form {
    const char *name, *words;
    unsigned least, most;
    enum syc__call_group groups;
    unsigned char at[SYC__PLACES];
};

/* Ends with one without a name. */
extern const struct syc__call_form syc__call_forms[];

#endif
