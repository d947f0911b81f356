/* Shared by the files of a body: the reading of its text, and the pieces that its forms are written with. Inside
 * the core only; the public words are in traits.h and body.h. */
#ifndef SYC_BODY_PARTS_H
#define SYC_BODY_PARTS_H

#include "base/dtype.h"
#include "base/refcount.h"
#include "base/text.h"
#include "body/name.h"
#include "body/shape.h"
#include "body/traits.h"
#include "source/position.h"

#include <pthread.h>

typedef struct syc_function syc_function; /* source/declarations/parser.h */
typedef struct syc_unit syc_unit;
typedef struct syc_origins syc_origins; /* source/origin.h */
typedef struct syc_tokens syc_tokens;   /* source/tokens.h */
typedef struct syc_token syc_token;     /* the same */

/* -- what the text says -- */

/* The text's uses of one name. */
typedef struct syc__use {
    bool used;
    bool writes;   /* it may write through the name */
    bool assigns;  /* it surely does, first at `assigned` */
    bool reads;    /* some use is more than an assignment */
    bool declared; /* some block has something else by that name: no use of this one */
    bool called;   /* name(...) */
    bool indexed;  /* name[...] */
    bool apart;    /* nothing but name[i] */
    bool taken;    /* the same as the text is written, of plain numbers, where the text writes nothing (traits.h) */
    bool own;      /* name[i], among others perhaps */
    bool changed;  /* the name itself is, and not what it leads to */
    bool loaded; /* the old value of name[i] may be needed: the first use is no plain assignment that always happens */
    syc__position assigned, otherwise; /* the latter: first as something else than name[i] */
} syc__use;

/* The words that a body has for the index space, as bits. */
typedef enum syc__word {
    SYC__WORD_I = 1,
    SYC__WORD_ID = 2,       /* i0; i1 and i2 are the next bits */
    SYC__WORD_N = 16,       /* n0, n1, n2 */
    SYC__WORD_GET_ID = 128, /* OpenCL's own, in its order of dimensions */
    SYC__WORD_GET_SIZE = 256,
    SYC__WORD_GET_OFFSET = 512,
    SYC__WORD_GET_LINEAR = 1024,
    SYC__WORD_GLOBAL_ID = 2048, /* those of kernels/items.clh that a range without groups has, too */
    SYC__WORD_GLOBAL_RANGE = 4096,
    SYC__WORD_GLOBAL_OFFSET = 8192,
    SYC__WORD_GLOBAL_LINEAR_ID = 16384,
    SYC__WORD_GLOBAL_LINEAR_RANGE = 32768
} syc__word;

enum { SYC__ALL_IDS = 127, SYC__ALL_RAW = 511 * 128, SYC__MAX_WORD = 63 };
/* The word's bit, or 0. */
unsigned syc__body_word(SYC_KEEP const syc_token *token);

/* The reading of a text, with the first word that asks for work-groups. */
typedef struct syc__reading {
    syc_body_traits traits;
    syc__use *uses;
    unsigned words;
    bool outermost; /* it declares local or constant memory, which has to be at the kernel's outermost level */
    char group_word[SYC__MAX_WORD + 1]; /* "" if there is none */
    syc__position group_at;
    char placed_word[SYC__MAX_WORD + 1]; /* the first that says where a work-item is, but for name[i]; and where */
    syc__position placed_at;             /* line 0: there is none */
    bool guessed; /* parts may be the compiler's to choose, first at `choice`: the worst is assumed */
    syc__position choice;
    struct syc__reach *reach; /* reach/claims.h; NULL: no claims */
} syc__reading;

/* -- the body -- */

struct syc__made {
    struct syc__made *next;
    syc_lowered lowered;
    syc_hidden *hidden;
};

struct syc_body {
    syc_refcount refs;
    syc_body_source source; /* copies of all of it */
    syc_name *names;        /* = source.names */
    syc_origins *parts;     /* source.parts, copied */
    const char *text;       /* as the user wrote it; source.text is what it was rewritten to */
    unsigned item_sizes;    /* hierarchical: of parallel_for_work_item, 0 where none has any; and where */
    syc__position item_sizes_at;
    syc__reading reading;
    syc_variables *variables;          /* of each name: those that it names, if all by constants; NULL: no arrays */
    syc_body *sibling;                 /* syc_body_private; NULL: there is none */
    pthread_mutex_t lock;              /* of making forms */
    _Atomic(struct syc__made *) forms; /* grows at its head, under the lock; read without it */
};

void syc__made_free(SYC_TAKE struct syc__made *made); /* NULL is fine */

/* body.c: a body that nobody has read yet: no name is used. */
syc_status syc__body_new(SYC_KEEP const syc_body_source *source, SYC_GIVE syc_body **out);
/* names.c: can every name be an argument's? SYC_E_KERNEL_ARGUMENT. */
syc_status syc__body_check_names(SYC_KEEP const syc_body_source *source);
/* read.c: reads the text. `out->uses` has room for source->count. SYC_E_BUILD: brackets that the text leaves open
 * or closes too often, so that it would reach beyond its kernel. */
syc_status syc__body_read(SYC_KEEP const syc_body_source *source, SYC_KEEP const char *user, syc__reading *out);
/* Is a name's type a scalar or a vector? */
bool syc__name_is_complex(SYC_KEEP const syc_name *name); /* of kernels/complex.clh */
bool syc__name_is_plain(SYC_KEEP const syc_name *name, syc_dtype *type, unsigned *width);

/* -- writing -- */

typedef struct syc__writer {
    const syc_body *body;
    const char *body_text;   /* the user's, or as the form has changed it */
    size_t body_line;        /* where that begins in the body, less one */
    const char *function;    /* what the text is called as a function; NULL: syc_item */
    bool pure;               /* it may not write through its names */
    bool chooses;            /* of a scan: which elements the second text is for is found first (body/scan/second.c) */
    const syc_name *counter; /* and they are those that contribute to this scanner; or NULL */
    const syc_name *copied;  /* of TILES: all that the second text does is to store this scanner's values, in order, */
    const char *copied_to;   /* in this array, from here on; or NULL */
    const char *copied_from;
    syc_form form;
    const syc_hidden *hidden;
    size_t hidden_count;
    char *const *taken; /* where elements come by value: for each name, the word for its element, or NULL; else NULL */
    const char *taken_at; /* and which of those that a work-item has */
    bool uncured;         /* for tests: syc_body_undo_cures */
    syc_text text;
} syc__writer;

/* OpenCL C: the type of a reducer's variables (reduce/give.c). */
void syc__add_result_type(syc__writer *w, SYC_KEEP const syc_name *name);

/* Between the parts of a list, which begins behind a '('. */
static inline void syc__write_comma(syc__writer *w)
{
    if (w->text.length > 0 && w->text.data[w->text.length - 1] != '(')
        syc_text_add(&w->text, ", ");
}

/* Text as it is. */
static inline void syc__add(syc__writer *w, const char *text)
{
    syc_text_add(&w->text, "%s", text);
}

const char *syc__body_kernel_name(SYC_KEEP const syc_body *body); /* traits.c */
/* hidden_parameters.c: the parameters behind the names, in their order. */
syc_status syc__body_hidden(SYC_KEEP const syc_body *body, SYC_KEEP const syc_form *form, SYC_GIVE syc_hidden **out,
                            size_t *count);
/* Does its pointer begin behind the memory's first element? */
bool syc__name_is_shifted(SYC_KEEP const syc_body *body, size_t index);
/* Is every subscript of this name held against its length in a checked form? */
bool syc__name_is_checked(SYC_KEEP const syc_body *body, size_t index);
/* Is x(e) with one subscript there in a checked form? Not for a name that the text only has as x(i0, i1). */
bool syc__name_has_one_subscript(SYC_KEEP const syc_body *body, size_t index);
/* As a parameter, or as an argument. */
void syc__write_hidden(syc__writer *w, SYC_KEEP const syc_hidden *hidden, bool parameter);

/* text.c: the pieces in the order in which they stand. A list of parameters or arguments begins behind a '('. */
syc_status syc__write_head(syc__writer *w, const char *what); /* comment, declarations, preamble */
void syc__write_parameter(syc__writer *w, size_t index);      /* one of the names */
void syc__write_kernel_head(syc__writer *w); /* up to the '{', and pointers moved to their first element */
void syc__write_macros(syc__writer *w);      /* name(i0, i1) */
void syc__write_quoted(syc__writer *w, SYC_KEEP const char *name, SYC_KEEP const char *text); /* behind a #line */
/* The same, and a semicolon, at which the compiler sees that an expression has no end. */
void syc__write_quoted_expression(syc__writer *w, SYC_KEEP const char *name, SYC_KEEP const char *text);
/* The user's text, introduced by #line: a block of its own, but where `outermost` memory needs the kernel's. */
void syc__write_text(syc__writer *w, bool outermost);

/* check.c: the text with x(e) for each x[e] that is checked. bounds.c: what x(e) is then. */
syc_status syc__body_check_text(SYC_KEEP const syc_body *body, syc_text *out);
void syc__write_bounds(syc__writer *w);

/* call.c: the text as a function, for LOOP and WIDE, and the call of it. What stands for the names is the form's;
 * the rest is here: ids before them, hidden parameters behind. */
void syc__write_function_begin(syc__writer *w);
void syc__write_function_rest(syc__writer *w);
void syc__write_call_begin(syc__writer *w);
void syc__write_call_rest(syc__writer *w);

/* ids.c: the index space. */
void syc__write_guard(syc__writer *w, unsigned from); /* return when beyond the range in an OpenCL dimension >= from */
void syc__write_ids(syc__writer *w);                  /* declares i, i0.. where the text names them */
void syc__write_linear_id(syc__writer *w);            /* as an expression */
void syc__write_id_parameters(syc__writer *w);
void syc__write_id_arguments(syc__writer *w);
bool syc__form_wants(SYC_KEEP const syc__writer *w, syc_hidden_kind kind); /* does the text ask for it? */
void syc__write_ranges(syc__writer *w);                                    /* declares n0.. where the text names them */
void syc__write_answers(syc__writer *w);    /* defines OpenCL's own words where the text calls them */
void syc__write_no_answers(syc__writer *w); /* and takes them back */

/* One file a shape. */
syc_status syc__write_item(syc__writer *w);
syc_status syc__write_loop(syc__writer *w);
syc_status syc__write_wide(syc__writer *w);
syc_status syc__write_pack(syc__writer *w);

#endif
