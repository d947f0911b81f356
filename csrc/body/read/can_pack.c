/* Can a body be done with vectors in place of scalars, and mean the same? Only a text of the simplest kind: variables
 * and assignments of one floating type, with + - * /, choices by comparisons, and built-ins that take vectors;
 * reducers, also behind an `if`. Whatever is not known here means no. What passes has no errors, so that none is told
 * in words that the user has not written. */
#include "base/dtype.h"
#include "body/parts.h"
#include "body/write/pack.h"
#include "source/tokens.h"

#include <string.h>

enum { MAX_LOCALS = 32, MAX_DEPTH = 64 };

typedef struct reader {
    const syc_body_source *source;
    const char *type;
    const syc_token *at;
    const syc_token *locals[MAX_LOCALS];
    bool fixed[MAX_LOCALS]; /* const */
    size_t local_count;
    size_t block; /* locals from here on are of the innermost block */
    unsigned depth;
    bool masked; /* in a branch of an `if` */
} reader;

static bool take(reader *r, const char *text)
{
    bool is = syc__token_is(r->at, text);
    r->at += is;
    return is;
}

/* -- words -- */

static const syc_name *name_of(const reader *r)
{
    for (size_t i = 0; i < r->source->count; i++)
        if (syc__token_is(r->at, r->source->names[i].name))
            return &r->source->names[i];
    return NULL;
}

/* Its index, or MAX_LOCALS. */
static size_t find_local(const reader *r)
{
    for (size_t i = 0; i < r->local_count; i++)
        if (syc__token_same(r->at, r->locals[i]))
            return i;
    return MAX_LOCALS;
}

/* -- expressions -- */

static syc__pack_kind read_choice(reader *r);

/* An integer takes the type of another argument, but not where the built-in is of integers, too. */
static syc__pack_kind read_call(reader *r)
{
    static const char *const of_integers[] = {"max", "min", "clamp", NULL};
    unsigned arity = syc__pack_arity(r->at);
    bool mixes = !syc__token_in(r->at, of_integers), real = false;
    r->at++;
    if (!take(r, "("))
        return SYC__NEITHER;
    for (unsigned i = 0; i < arity; i++) {
        syc__pack_kind k = i == 0 || take(r, ",") ? read_choice(r) : SYC__NEITHER;
        if (k != SYC__REAL && (k != SYC__INTEGER || !mixes))
            return SYC__NEITHER;
        real = real || k == SYC__REAL;
    }
    return real && take(r, ")") ? SYC__REAL : SYC__NEITHER;
}

static syc__pack_kind read_word(reader *r)
{
    const syc_name *name = name_of(r);

    if (name == NULL && find_local(r) == MAX_LOCALS && syc__pack_arity(r->at) > 0)
        return read_call(r);
    if (name == NULL && find_local(r) == MAX_LOCALS && !syc__pack_constant(r->at, r->type))
        return SYC__NEITHER;
    r->at += name != NULL && name->kind == SYC_NAME_GLOBAL ? 4 : 1; /* name [ i ]: it is elementwise */
    return name != NULL && strcmp(name->type, r->type) != 0 ? SYC__INTEGER : SYC__REAL;
}

static syc__pack_kind read_unary(reader *r);

/* Behind "(float)". */
static syc__pack_kind read_cast(reader *r)
{
    syc__pack_kind k = SYC__NEITHER;
    r->at += 2;
    if (++r->depth <= MAX_DEPTH)
        k = read_unary(r);
    r->depth--;
    return k == SYC__INTEGER || k == SYC__REAL ? SYC__REAL : SYC__NEITHER;
}

static syc__pack_kind read_primary(reader *r)
{
    syc__pack_kind k;
    if (r->at->kind == SYC_TOKEN_NUMBER) {
        k = syc__pack_number(r->at, r->type);
        r->at++;
        return k;
    }
    if (r->at->kind == SYC_TOKEN_WORD)
        return read_word(r);
    if (!take(r, "("))
        return SYC__NEITHER;
    if (syc__token_is(r->at, r->type) && syc__token_is(r->at + 1, ")"))
        return read_cast(r);
    k = read_choice(r);
    return take(r, ")") ? k : SYC__NEITHER;
}

/* -0 is 0, but -0.0f is not 0.0f. */
static bool is_zero(const syc_token *t)
{
    return t->length == 1 && t->text[0] == '0';
}

static syc__pack_kind read_unary(reader *r)
{
    syc__pack_kind k = SYC__NEITHER;
    bool inverts = syc__token_is(r->at, "!"), plain;

    if (!inverts && !syc__token_is(r->at, "+") && !syc__token_is(r->at, "-"))
        return read_primary(r);
    r->at++;
    plain = r->at->kind == SYC_TOKEN_NUMBER && !is_zero(r->at);
    if (++r->depth <= MAX_DEPTH)
        k = read_unary(r);
    r->depth--;
    if (inverts)
        return k == SYC__TRUTH ? SYC__TRUTH : SYC__NEITHER;
    return k == SYC__REAL || (k == SYC__INTEGER && plain) ? k : SYC__NEITHER;
}

typedef struct infix {
    const char *text;
    unsigned rank;
    syc__pack_kind of, makes;
} infix;

static const infix infixes[] = {
    {"||", 1, SYC__TRUTH, SYC__TRUTH}, {"&&", 2, SYC__TRUTH, SYC__TRUTH}, {"==", 3, SYC__REAL, SYC__TRUTH},
    {"!=", 3, SYC__REAL, SYC__TRUTH},  {"<", 4, SYC__REAL, SYC__TRUTH},   {">", 4, SYC__REAL, SYC__TRUTH},
    {"<=", 4, SYC__REAL, SYC__TRUTH},  {">=", 4, SYC__REAL, SYC__TRUTH},  {"+", 5, SYC__REAL, SYC__REAL},
    {"-", 5, SYC__REAL, SYC__REAL},    {"*", 6, SYC__REAL, SYC__REAL},    {"/", 6, SYC__REAL, SYC__REAL},
};
enum { TIGHTEST = 6 };

static const infix *infix_at(const reader *r, unsigned rank)
{
    for (size_t i = 0; i < sizeof infixes / sizeof *infixes; i++)
        if (infixes[i].rank == rank && syc__token_is(r->at, infixes[i].text))
            return &infixes[i];
    return NULL;
}

/* Can both be operands, or branches, that are of the type together? Two integers cannot: 1 / 2 is 0. */
static bool are_real(syc__pack_kind a, syc__pack_kind b)
{
    return (a == SYC__REAL && (b == SYC__REAL || b == SYC__INTEGER)) || (a == SYC__INTEGER && b == SYC__REAL);
}

static syc__pack_kind read_binary(reader *r, unsigned rank)
{
    syc__pack_kind left = rank > TIGHTEST ? read_unary(r) : read_binary(r, rank + 1);
    const infix *o;

    while (rank <= TIGHTEST && left != SYC__NEITHER && (o = infix_at(r, rank)) != NULL) {
        syc__pack_kind right;
        r->at++;
        right = read_binary(r, rank + 1);
        left = (o->of == SYC__TRUTH ? left == SYC__TRUTH && right == SYC__TRUTH : are_real(left, right)) ? o->makes
                                                                                                         : SYC__NEITHER;
    }
    return left;
}

/* Any expression. Vectors take both branches, which have no effects. */
static syc__pack_kind read_choice(reader *r)
{
    syc__pack_kind k = SYC__NEITHER, yes, no;
    if (++r->depth > MAX_DEPTH)
        goto done;
    k = read_binary(r, 1);
    if (!take(r, "?"))
        goto done;
    yes = k == SYC__TRUTH ? read_choice(r) : SYC__NEITHER;
    no = yes != SYC__NEITHER && take(r, ":") ? read_choice(r) : SYC__NEITHER;
    k = are_real(yes, no) ? SYC__REAL : SYC__NEITHER;
done:
    r->depth--;
    return k;
}

/* An assigned value. */
static bool read_value(reader *r)
{
    syc__pack_kind k = read_choice(r);
    return k == SYC__REAL || k == SYC__INTEGER;
}

/* -- statements -- */

static bool read_declaration(reader *r)
{
    bool fixed = take(r, "const");
    if (!take(r, r->type))
        return false;
    do {
        const syc_token *word = r->at;
        if (word->kind != SYC_TOKEN_WORD || name_of(r) != NULL || find_local(r) != MAX_LOCALS ||
            syc__pack_arity(word) > 0 || syc__pack_constant(word, r->type) || r->local_count == MAX_LOCALS)
            return false;
        r->at++;
        if (take(r, "=") ? !read_value(r) : fixed)
            return false;
        r->fixed[r->local_count] = fixed;
        r->locals[r->local_count++] = word;
    } while (take(r, ","));
    return take(r, ";");
}

static bool read_assignment(reader *r)
{
    const syc_name *name = name_of(r);
    size_t local = find_local(r);

    if (name != NULL ? name->kind != SYC_NAME_GLOBAL || r->masked
                     : local == MAX_LOCALS || r->fixed[local] || local < r->block)
        return false;
    r->at += name != NULL ? 4 : 1;
    return (take(r, "=") || take(r, "+=") || take(r, "-=") || take(r, "*=") || take(r, "/=")) && read_value(r) &&
           take(r, ";");
}

/* -- reducers -- */

static const char combine[] = "syc_combine_";

/* "syc_combine_total" stands for the reducer `total` (reduce/words.c). */
static const syc_name *reducer_at(const reader *r)
{
    size_t length = sizeof combine - 1;
    if (r->at->kind != SYC_TOKEN_WORD || r->at->length <= length || memcmp(r->at->text, combine, length) != 0)
        return NULL;
    for (size_t i = 0; i < r->source->count; i++) {
        const syc_name *name = &r->source->names[i];
        if (name->kind == SYC_NAME_REDUCER && strlen(name->name) == r->at->length - length &&
            memcmp(name->name, r->at->text + length, r->at->length - length) == 0)
            return name;
    }
    return NULL;
}

/* A number is made a vector of the text's type first, and must pass through that unharmed. */
static bool is_small(const syc_token *from, const syc_token *to)
{
    while (from < to && from->length <= 7 && from->kind != SYC_TOKEN_WORD)
        from++;
    return from == to;
}

/* "syc_combine_total(syc_r_total, value), ...;" */
static bool read_combinations(reader *r)
{
    do {
        const syc_name *name = reducer_at(r);
        const syc_token *value = r->at + 4;
        syc__pack_kind kind;
        if (name == NULL)
            return false;
        r->at = value; /* word ( syc_r_total , */
        kind = read_choice(r);
        if (kind == SYC__NEITHER || !take(r, ")"))
            return false;
        if (kind == SYC__INTEGER && strcmp(name->type, r->type) != 0 && !is_small(value, r->at))
            return false;
    } while (take(r, ","));
    return take(r, ";");
}

/* -- branches: masks say for which lanes they are, so that only reducers and variables of their own may change -- */

static bool read_statement(reader *r);

static bool read_block(reader *r)
{
    size_t count = r->local_count, block = r->block;
    r->block = count;
    while (!syc__token_is(r->at, "}"))
        if (r->at->kind == SYC_TOKEN_END || !read_statement(r))
            return false;
    r->at++;
    r->local_count = count;
    r->block = block;
    return true;
}

static bool read_branch(reader *r)
{
    if (take(r, "{"))
        return read_block(r);
    return (syc__token_is(r->at, "if") || reducer_at(r) != NULL) && read_statement(r);
}

static bool read_if(reader *r)
{
    bool masked = r->masked, fine = false;
    r->at++;
    r->masked = true;
    if (++r->depth <= MAX_DEPTH && take(r, "(") && read_choice(r) == SYC__TRUTH && take(r, ")"))
        fine = read_branch(r) && (!take(r, "else") || read_branch(r));
    r->depth--;
    r->masked = masked;
    return fine;
}

static bool read_statement(reader *r)
{
    if (syc__token_is(r->at, "const") || syc__token_is(r->at, r->type))
        return read_declaration(r);
    if (syc__token_is(r->at, "if"))
        return read_if(r);
    if (reducer_at(r) != NULL)
        return read_combinations(r);
    return read_assignment(r);
}

/* -- the whole -- */

/* Of the one type, or an integer, which takes the type of what it meets. */
static bool fits(const syc_name *name, const char *type)
{
    syc_dtype own;
    unsigned width;
    if (strcmp(name->type, type) == 0)
        return true;
    return name->kind == SYC_NAME_VALUE && syc__name_is_plain(name, &own, &width) && width == 1 &&
           syc_dtype_kind(own) != 'f';
}

/* All elements and values are of the one type, and reducers can take vectors. */
static bool has_one_type(const syc_body_source *source)
{
    const char *type = syc__pack_type(source);
    if (strcmp(type, "float") != 0 && strcmp(type, "double") != 0)
        return false;
    for (size_t i = 0; i < source->count; i++) {
        const syc_name *name = &source->names[i];
        const syc_token word = {.text = name->name, .length = (uint32_t)strlen(name->name), .kind = SYC_TOKEN_WORD};
        bool fine = name->kind == SYC_NAME_REDUCER
                        ? syc__pack_combines(name)
                        : (name->kind == SYC_NAME_GLOBAL || name->kind == SYC_NAME_VALUE) && fits(name, type);
        if (!fine || syc__pack_arity(&word) > 0)
            return false;
    }
    return true;
}

/* Words may mean something else where the user has texts or definitions of his own. */
static bool has_own_words(const syc_body_source *source)
{
    return source->preamble != NULL || source->declarations != NULL ||
           (source->options != NULL && (strstr(source->options, "-D") != NULL || strchr(source->options, '@') != NULL ||
                                        strstr(source->options, "-include") != NULL));
}

bool syc__body_packs(const syc_body_source *source, const syc_tokens *text)
{
    reader r = {.source = source, .at = text->items};

    if (has_own_words(source) || !has_one_type(source))
        return false;
    r.type = syc__pack_type(source);
    while (r.at->kind != SYC_TOKEN_END)
        if (!read_statement(&r))
            return false;
    return true;
}
