/* A body's uses of its names: read token by token after macros were expanded. The safe answer wherever tokens do
 * not tell: a name that goes anywhere but behind brackets may be written through. */
#include "base/dtype.h"
#include "body/parts.h"
#include "body/reading.h"
#include "source/declarations/parser.h"
#include "source/declarations/types.h"
#include "source/scope.h"
#include "source/tokens.h"

#include <string.h>

static const char *const assigning[] = {
    "=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>=", "++", "--", NULL};
/* Words that an expression may follow; any other word before a name is a type, so the name is declared there. */
static const char *const before_expression[] = {"return", "case", "else", "do", "goto", "sizeof", NULL};

static const char *const jumps[] = {"return", "goto", "break", "continue", NULL};

static const struct {
    const char *word;
    unsigned bit;
} words[] = {
    {"i", SYC__WORD_I},
    {"i0", SYC__WORD_ID},
    {"i1", SYC__WORD_ID << 1},
    {"i2", SYC__WORD_ID << 2},
    {"n0", SYC__WORD_N},
    {"n1", SYC__WORD_N << 1},
    {"n2", SYC__WORD_N << 2},
    {"get_global_id", SYC__WORD_GET_ID},
    {"get_global_size", SYC__WORD_GET_SIZE},
    {"get_global_offset", SYC__WORD_GET_OFFSET},
    {"get_global_linear_id", SYC__WORD_GET_LINEAR},
    {"global_id", SYC__WORD_GLOBAL_ID},
    {"global_range", SYC__WORD_GLOBAL_RANGE},
    {"global_offset", SYC__WORD_GLOBAL_OFFSET},
    {"syc_global_linear_id", SYC__WORD_GLOBAL_LINEAR_ID}, /* the names in the words' macros */
    {"syc_global_linear_range", SYC__WORD_GLOBAL_LINEAR_RANGE},
};

unsigned syc__body_word(const syc_token *token)
{
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (syc__token_is(token, words[i].word))
            return words[i].bit;
    return 0;
}

bool syc__is_free_word(const syc_token_stream *s, size_t at)
{
    return s->tokens[at].kind == SYC_TOKEN_WORD &&
           !(at > 0 && (syc__stream_is(s, at - 1, ".") || syc__stream_is(s, at - 1, "->")));
}

/* Is the line, behind a line break that `open` is before, one of a directive? */
static bool is_directive(const char *line, const char *open)
{
    while ((uintptr_t)line > (uintptr_t)open + 1 && line[-2] == '\\')
        for (line--; line[-1] != '\n';)
            line--;
    return line[strspn(line, " \t")] == '#';
}

/* The column is known where the token stands in the text itself, not in a macro's definition. */
syc__position syc__scan_position(const syc__scan *scan, size_t at)
{
    const syc_token *open = &scan->unit->stream.tokens[scan->first - 1], *token = &scan->unit->stream.tokens[at];
    const syc_token *end = &scan->unit->stream.tokens[scan->unit->stream.count];
    syc__position position = {.line = token->line - open->line};
    const char *p = token->text;

    if ((uintptr_t)p <= (uintptr_t)open->text || (uintptr_t)p >= (uintptr_t)end->text)
        return position;
    for (position.column = 1; *--p != '\n';)
        position.column++;
    if (is_directive(p + 1, open->text))
        position.column = 0;
    return position;
}

syc__place syc__body_place(const syc_body_source *source, const char *user, syc__position at)
{
    return syc__place_in_parts(source->parts, source->part_count, "body", user,
                               syc__position_in_user(user, source->text, at));
}

static bool is_word_before_expression(const syc_token *token)
{
    return syc__token_in(token, before_expression);
}

bool syc__declares(const syc_token *before)
{
    return before->kind == SYC_TOKEN_WORD && !is_word_before_expression(before);
}

/* The index behind "[...]", "(...)" and what selects a part of that: ".field", "[...]". *part is true if there is any
 * such. */
static size_t behind_access(const syc_token_stream *s, size_t at, size_t end, bool *part)
{
    at = syc__stream_next(s, at, end);
    for (;;) {
        if (at < end && syc__stream_is(s, at, "["))
            at = syc__stream_next(s, at, end);
        else if (at + 1 < end && syc__stream_is(s, at, "."))
            at += 2;
        else
            return at;
        *part = true;
    }
}

/* Is the ')' at `at` the end of a cast? */
static bool ends_cast(const syc__scan *scan, size_t at)
{
    enum { LONG = 32 }; /* no cast has more tokens */
    const syc_token_stream *s = &scan->unit->stream;
    size_t open = at - 1; /* no token but an opening bracket has a partner behind it */
    syc_type type;

    while (open > scan->first && at - open < LONG && s->match[open] != at)
        open--;
    if (s->match[open] != at || open + 1 >= at || s->tokens[open + 1].kind != SYC_TOKEN_WORD)
        return false;
    return syc__stream_is(s, at - 1, "*") || syc__stream_keyword(s, open + 1) != SYC_KEYWORD_NONE ||
           syc__type_of_word(&scan->unit->types, &s->tokens[open + 1], &type);
}

bool syc__takes_address(const syc__scan *scan, size_t at)
{
    const syc_token_stream *s = &scan->unit->stream;
    const syc_token *before = &s->tokens[at - 1];

    if (!syc__stream_is(s, at, "&"))
        return false;
    if (before->kind == SYC_TOKEN_WORD)
        return is_word_before_expression(before);
    if (before->kind != SYC_TOKEN_PUNCTUATOR || syc__token_is(before, "]"))
        return false;
    return !syc__token_is(before, ")") || ends_cast(scan, at - 1);
}

/* An expression and the tokens around it. */
typedef struct access {
    size_t from, to; /* its tokens; `to` is behind it */
    bool part;       /* a field or an element of the element */
} access;

/* Takes in the parentheses around it, but not those of a call, an `if` or the like. */
static void widen(const syc_token_stream *s, access *a, size_t end)
{
    while (syc__stream_is(s, a->from - 1, "(") && syc__stream_is(s, a->to, ")")) {
        const syc_token *before = &s->tokens[a->from - 2];
        if (syc__declares(before))
            return;
        a->from--;
        a->to = behind_access(s, a->from, end, &a->part);
    }
}

static bool is_part_of_loop_or_condition(const syc_token *before)
{
    return !syc__token_is(before, ";") && !syc__token_is(before, "{") && !syc__token_is(before, "}");
}

/* Does the assignment at a.to always happen, before anything else sees the element? */
static bool is_first_store(const syc__scan *scan, const access *a, size_t name, unsigned depth)
{
    const syc_token_stream *s = &scan->unit->stream;
    if (depth > 0 || a->part || a->from != name || !syc__stream_is(s, a->to, "=") || scan->jumped ||
        is_part_of_loop_or_condition(&s->tokens[name - 1]))
        return false;
    for (size_t at = a->to; at < scan->last && !syc__stream_is(s, at, ";"); at++)
        if (syc__is_free_word(s, at) && syc__token_same(&s->tokens[at], &s->tokens[name]))
            return false;
    return true;
}

bool syc__is_own_element(const syc_token_stream *s, size_t name)
{
    return syc__stream_is(s, name + 1, "[") && syc__stream_is(s, name + 2, "i") && syc__stream_is(s, name + 3, "]");
}

/* The end of the expression that a store is part of. */
static size_t end_of_expression(const syc__scan *scan, size_t at)
{
    const syc_token_stream *s = &scan->unit->stream;
    while (at < scan->last && !syc__stream_is(s, at, ";") && !syc__stream_is(s, at, ","))
        at = syc__stream_next(s, at, scan->last);
    return at;
}

static bool is_step(const syc_token_stream *s, size_t at)
{
    return syc__stream_is(s, at, "++") || syc__stream_is(s, at, "--");
}

static void assign(const syc__scan *scan, syc__use *use, size_t name)
{
    if (!use->assigns)
        use->assigned = syc__scan_position(scan, name);
    use->assigns = use->writes = true;
}

static void store(syc__scan *scan, syc__use *use, const access *a, size_t name, unsigned depth)
{
    const syc_token_stream *s = &scan->unit->stream;
    size_t before = a->from - 1 - is_step(s, a->from - 1);

    assign(scan, use, name);
    scan->stores_always =
        scan->stores_always || (depth == 0 && !scan->jumped && !is_part_of_loop_or_condition(&s->tokens[before]));
    scan->stores_again = scan->stored != NULL;
    if (scan->stored == NULL) {
        scan->stored = use;
        scan->store_end = end_of_expression(scan, a->to);
        /* A loop may come back to what stands before it. The second text of a scan stands in brackets. */
        scan->stores_mixed = depth > (scan->source->seam > 0 ? 1u : 0u);
    }
    scan->stores_mixed = scan->stores_mixed || scan->stored != use;
}

/* name[...] or name(...) */
static void read_access(syc__scan *scan, const syc_name *named, syc__use *use, size_t name, unsigned depth)
{
    const syc_token_stream *s = &scan->unit->stream;
    bool first = !use->used, stored, plain;
    access a = {.from = name};
    syc_dtype type;
    unsigned width;

    a.to = behind_access(s, name + 1, scan->last, &a.part);
    widen(s, &a, scan->last);
    plain = syc__stream_is(s, a.to, "=");
    stored = syc__token_in(&s->tokens[a.to], assigning) || is_step(s, a.from - 1);
    if (stored)
        store(scan, use, &a, name, depth);
    else if (scan->stored != NULL && scan->stored != use && name > scan->store_end)
        scan->stores_mixed = true;
    if (syc__takes_address(scan, a.from - 1)) {
        use->writes = true;
        use->apart = false;
    }
    if (scan->arrays && a.part && !syc__name_is_plain(named, &type, &width))
        use->writes = true; /* an array inside a struct becomes a pointer when it is named */
    use->apart = use->apart && syc__is_own_element(s, name);
    use->own = use->own || syc__is_own_element(s, name);
    use->reads = use->reads || !plain || a.part;
    use->loaded = use->loaded || (first && !is_first_store(scan, &a, name, depth));
}

/* An image is what a built-in function is given first; what a function of the user's does with it is unknown. */
static void read_image(const syc__scan *scan, syc__use *use, size_t at)
{
    const syc_token *function = &scan->unit->stream.tokens[at - 2];
    bool first = syc__stream_is(&scan->unit->stream, at - 1, "(") && function->kind == SYC_TOKEN_WORD;

    if (first && strncmp(function->text, "write_image", strlen("write_image")) == 0) {
        assign(scan, use, at);
        return;
    }
    use->reads = true;
    if (!first || (strncmp(function->text, "read_image", strlen("read_image")) != 0 &&
                   strncmp(function->text, "get_image_", strlen("get_image_")) != 0))
        use->writes = true;
}

/* A name with nothing behind it that leads to an element. */
static void read_itself(const syc__scan *scan, syc__use *use, size_t at)
{
    const syc_token_stream *s = &scan->unit->stream;
    use->changed = use->changed || syc__token_in(&s->tokens[at + 1], assigning) || is_step(s, at - 1);
    use->writes = use->reads = use->loaded = true;
    use->apart = false;
}

static void read_name(syc__scan *scan, syc__use *use, size_t at, unsigned depth)
{
    const syc_token_stream *s = &scan->unit->stream;
    const syc_name *name = &scan->source->names[use - scan->reading->uses];
    bool brackets = syc__stream_is(s, at + 1, "["), call = syc__stream_is(s, at + 1, "(") && name->rank > 1;

    if (name->kind == SYC_NAME_GLOBAL && (brackets || call))
        read_access(scan, name, use, at, depth);
    else if (name->kind == SYC_NAME_IMAGE)
        read_image(scan, use, at);
    else
        read_itself(scan, use, at);
    if (use->otherwise.line == 0 && !(use->apart && brackets))
        use->otherwise = syc__scan_position(scan, at);
    use->declared = use->declared || syc__declares(&s->tokens[at - 1]);
    use->called = use->called || call;
    use->indexed = use->indexed || brackets;
    use->used = true;
}

/* Is the `i` at `at` declared, changed or given away? Then it may not be ours, or not the id any more. */
static bool is_not_the_id(const syc__scan *scan, size_t at)
{
    const syc_token_stream *s = &scan->unit->stream;
    const syc_token *before = &s->tokens[at - 1];
    return syc__token_in(&s->tokens[at + 1], assigning) || syc__token_is(before, "++") || syc__token_is(before, "--") ||
           syc__takes_address(scan, at - 1) || syc__declares(before);
}

syc__use *syc__scan_use(const syc__scan *scan, size_t at)
{
    return syc__is_free_word(&scan->unit->stream, at) && !scan->own[at - scan->first]
               ? syc__word_map_get(&scan->names, &scan->unit->stream.tokens[at])
               : NULL;
}

/* The names of arguments, and the words of the index space that are variables. */
syc_status syc__body_read_scopes(syc__scan *scan)
{
    syc_status status = SYC_OK;
    syc_arena *arena = scan->unit->stream.arena;
    syc_word_map all = {0};

    for (size_t i = 0; i < scan->source->count; i++) {
        const char *name = scan->source->names[i].name;
        const syc_token word = {.text = name, .length = (uint32_t)strlen(name), .kind = SYC_TOKEN_WORD};
        SYC_TRY(syc__word_map_put(arena, &all, &word, scan));
    }
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        const syc_token word = {
            .text = words[i].word, .length = (uint32_t)strlen(words[i].word), .kind = SYC_TOKEN_WORD};
        if (words[i].bit < SYC__WORD_GET_ID)
            SYC_TRY(syc__word_map_put(arena, &all, &word, scan));
    }
    SYC_TRY(syc__arena_alloc(arena, (scan->last - scan->first + 1) * sizeof *scan->own, &scan->own));
    status = syc__scope_read(&scan->unit->stream, scan->first, scan->last, &all, scan->own);
done:
    return status;
}

void syc__body_read_uses(syc__scan *scan)
{
    const syc_token_stream *s = &scan->unit->stream;
    syc__reading *reading = scan->reading;
    unsigned depth = 0;

    for (size_t at = scan->first; at < scan->last; at++) {
        const syc_token *token = &s->tokens[at];
        syc__use *use;
        if (token->kind == SYC_TOKEN_PUNCTUATOR && token->length == 1) {
            depth += strchr("([{", token->text[0]) != NULL;
            depth -= depth > 0 && strchr(")]}", token->text[0]) != NULL;
        }
        if (!syc__is_free_word(s, at))
            continue;
        use = syc__word_map_get(&scan->names, token);
        if (scan->own[at - scan->first]) {
            scan->shadowed = scan->shadowed || syc__token_is(token, "i");
            if (use != NULL)
                use->declared = true;
            continue;
        }
        if (use != NULL)
            read_name(scan, use, at, depth);
        reading->words |= syc__body_word(token) & (scan->source->whole ? SYC__ALL_RAW : ~0u);
        reading->traits.returns = reading->traits.returns || syc__token_is(token, "return");
        scan->jumped = scan->jumped || syc__token_in(token, jumps);
        scan->shadowed = scan->shadowed || (syc__token_is(token, "i") && is_not_the_id(scan, at));
    }
}
