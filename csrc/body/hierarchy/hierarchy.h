/* The text of a work-group, with parallel_for_work_item in it, made into the text of a work-item. Inside the core only.
 */
#ifndef SYC_BODY_HIERARCHY_HIERARCHY_H
#define SYC_BODY_HIERARCHY_HIERARCHY_H

#include "body/traits.h"
#include "source/edit.h"
#include "source/statements.h"

/* How many sizes the text's parallel_for_work_item have, and where one with sizes stands. */
typedef struct syc__item_sizes {
    unsigned count; /* 0: none has any */
    syc__position at;
} syc__item_sizes;

/* `user`: the text as the user wrote it, for messages. Rewrites `text`, whose every line stays where it is; `out` is
 * set. SYC_E_BUILD: what has no place in such a text, with its position. */
syc_status syc__hierarchy_write(SYC_KEEP const char *user, SYC_KEEP const char *text,
                                SYC_KEEP const syc_body_source *source, syc__item_sizes *sizes, syc_text *out);
/* An ordinary body has no parallel_for_work_item: SYC_E_BUILD. */
syc_status syc__hierarchy_refuse(SYC_KEEP const syc_body_source *source);

/* -- shared by hierarchy.c and the files beside it -- */

typedef enum syc__scope { SYC__SCOPE_GROUP, SYC__SCOPE_ITEM } syc__scope;

/* A variable that was declared at group scope. */
typedef struct syc__shared {
    const syc_token *name;
    const char *declaration; /* how it stands at the kernel's outermost level */
    unsigned depth;          /* of the block that it belongs to; 0: that block has ended */
    bool is_private;         /* private_memory: one for each item */
} syc__shared;

typedef struct syc__hierarchy {
    syc__edit edit;
    syc_arena *arena;
    const syc_body_source *source;
    syc_text hoisted;
    syc__shared *shared;
    size_t shared_count, shared_room;
    unsigned depth;  /* of blocks at group scope, from 1 */
    unsigned loops;  /* over items, so far */
    unsigned rounds; /* loops at group scope, so far */
    unsigned round;  /* the innermost of them that is being written */
    bool continued;  /* it has a `continue` */
    bool leads;      /* what is written now stands in a block of the leader's */
    syc__item_sizes *sizes;
} syc__hierarchy;

/* extent.c */
/* The statement at `at` ends before *end. SYC_E_BUILD: it is none. */
syc_status syc__extent_end(syc__hierarchy *h, size_t at, size_t *end);
bool syc__extent_contains(SYC_KEEP const syc__hierarchy *h, size_t from, size_t to, SYC_KEEP const char *const *words);
/* Is there a call that all items of the group make together? */
bool syc__extent_calls_jointly(SYC_KEEP const syc__hierarchy *h, size_t from, size_t to);
/* Can the leader not run the statement alone? */
bool syc__extent_is_joint(syc__hierarchy *h, size_t at, size_t end);
/* The text of an item: control leaves it by `return` and at its end only. */
syc_status syc__extent_check_item(syc__hierarchy *h, size_t from, size_t to);

/* scope.c, scope_declare.c */
/* SYC_E_BUILD, in words around the token's. */
syc_status syc__scope_refuse(SYC_KEEP const syc__hierarchy *h, size_t at, const char *before, const char *behind);
/* Tokens as they mean themselves in the scope, copied in place; or on one line, appended. */
syc_status syc__scope_copy(syc__hierarchy *h, size_t from, size_t to, syc__scope scope);
syc_status syc__scope_flatten(syc__hierarchy *h, size_t from, size_t to, syc__scope scope, syc_text *out);
/* Does a declaration begin at the token? */
bool syc__scope_declares(SYC_KEEP const syc__hierarchy *h, size_t at, size_t end);
/* The declaration of the tokens, without its ';': what it declares is hoisted, and what it assigns is added to `edit`.
 */
syc_status syc__scope_declare(syc__hierarchy *h, size_t from, size_t to);
/* SYC_E_BUILD: a helper asks where an item stands. NULL is no preamble. */
syc_status syc__scope_check_preamble(SYC_KEEP const char *preamble);
/* "private_memory(T, name)", the tokens between the parentheses. */
syc_status syc__scope_declare_private(syc__hierarchy *h, size_t from, size_t to);
/* The block has ended, and with it its variables. */
void syc__scope_end(syc__hierarchy *h);

#endif
