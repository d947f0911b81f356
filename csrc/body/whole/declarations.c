/* Where kernels of a program declare reducers, and what they say of them. */
#define _GNU_SOURCE /* memrchr */
#include "body/whole/declarations.h"

#include "body/parts.h"
#include "source/tokens.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static bool is_word(const syc__edit *edit, size_t at)
{
    return at < edit->tokens.count && edit->tokens.items[at].kind == SYC_TOKEN_WORD;
}

static size_t last_of(const syc__edit *edit)
{
    return edit->tokens.count - 1;
}

/* Behind "__attribute__((...))", as often as it stands there. */
static size_t behind_attributes(const syc__edit *edit, size_t at)
{
    while (syc__edit_is(edit, at, "__attribute__") && syc__edit_is(edit, at + 1, "("))
        at = syc__edit_match(edit, at + 1) + 1;
    return at;
}

/* The first token of the declaration that `at` is in. */
static size_t beginning(const syc__edit *edit, size_t at)
{
    while (at > 0 && !syc__edit_is(edit, at - 1, ";") && !syc__edit_is(edit, at - 1, "}") &&
           !syc__edit_in_directive(edit, at - 1))
        at--;
    return at;
}

bool syc__kernel_head_read(const syc__edit *edit, size_t at, syc__kernel_head *out)
{
    static const char *const ends[] = {";", "{", "}", ")", NULL};
    size_t open = at + 1, behind;

    if ((!syc__edit_is(edit, at, "kernel") && !syc__edit_is(edit, at, "__kernel")) || syc__edit_in_directive(edit, at))
        return false;
    for (; open < last_of(edit) && !syc__edit_is(edit, open, "("); open++) {
        open = behind_attributes(edit, open);
        if (syc__edit_is(edit, open, "("))
            break;
        if (syc__token_in(&edit->tokens.items[open], ends))
            return false;
    }
    *out = (syc__kernel_head){.begin = beginning(edit, at), .name = open - 1, .open = open};
    out->close = syc__edit_match(edit, open);
    behind = behind_attributes(edit, out->close + 1);
    if (out->close >= last_of(edit) || !is_word(edit, out->name))
        return false;
    if (!syc__edit_is(edit, behind, "{"))
        return syc__edit_is(edit, behind, ";");
    out->brace = behind;
    out->end = syc__edit_match(edit, behind);
    return true;
}

bool syc__kernel_head_next(const syc__edit *edit, const syc__kernel_head *head, size_t *from, size_t *to)
{
    size_t at = *from == 0 ? head->open + 1 : *to + 1;
    if (at >= head->close)
        return false;
    *from = at;
    while (at < head->close && !syc__edit_is(edit, at, ",")) {
        bool opens = syc__edit_is(edit, at, "(") || syc__edit_is(edit, at, "[") || syc__edit_is(edit, at, "{");
        at = opens ? syc__edit_match(edit, at) + 1 : at + 1;
    }
    *to = at < head->close ? at : head->close;
    return true;
}

bool syc__is_reducer_declared(const syc__edit *edit, size_t at)
{
    return syc__edit_is(edit, at, "reducer") && syc__edit_is(edit, at + 1, "(") &&
           is_word(edit, syc__edit_match(edit, at + 1) + 1);
}

/* -- one of them -- */

/* The tokens with a blank between words. */
static syc_status fold(syc_arena *arena, const syc__edit *edit, size_t from, size_t to, const char **out)
{
    syc_status status = SYC_OK;
    syc_text text = {0};
    char *copy = NULL;

    for (size_t at = from; at < to; at++) {
        const syc_token *t = &edit->tokens.items[at];
        syc_text_add(&text, "%s", at > from && t->space ? " " : "");
        syc_text_add_n(&text, t->text, t->length);
    }
    SYC_CHECK(!text.cut, SYC_E_MEMORY_ALLOCATION, "no memory for a parameter's text");
    SYC_TRY(syc__arena_alloc(arena, text.length + 1, &copy));
    memcpy(copy, syc_text_get(&text), text.length + 1);
    *out = copy;
done:
    syc_text_clear(&text);
    return status;
}

/* The rest of the line behind `words` in `front`; NULL where there are none. */
static const char *line_behind(const char *front, const char *words, size_t *length)
{
    const char *at = strstr(front, words);
    if (at == NULL)
        return NULL;
    at += strlen(words);
    *length = strcspn(at, "\n");
    return at;
}

/* An operator that the program was given: the macros that pysycl/_kernels/kernel_operators.py makes say which. */
static syc_status find_operator(syc_arena *arena, const char *front, const char *op, const syc__native **native,
                                const char **expression, bool *known)
{
    syc_status status = SYC_OK;
    static const char alias[] = "SYC_OP_";
    char words[200];
    size_t length = 0;
    const char *line, *quote, *end;
    char *copy = NULL;

    snprintf(words, sizeof words, "#define SYC_OP_%.100s(syc_a, syc_b) ", op);
    line = line_behind(front, words, &length);
    if (line == NULL)
        goto done;
    if (length > sizeof alias && memcmp(line, alias, sizeof alias - 1) == 0) { /* another word for one of SYCL's own */
        line += sizeof alias - 1;
        *native = syc__native_of(line, strcspn(line, "("));
        goto done;
    }
    snprintf(words, sizeof words, "#define SYC_HAS_IDENTITY_%.100s ", op);
    *known = strstr(front, words) != NULL;
    snprintf(words, sizeof words, "#define SYC_SAYS_%.100s ~, ", op);
    line = line_behind(front, words, &length);
    quote = line != NULL ? memchr(line, '\'', length) : NULL;
    end = quote != NULL ? memrchr(line, '\'', length) : NULL;
    SYC_CHECK(end != NULL && end > quote, SYC_E_INVALID_PARAMETER, "operator '%s' has no expression", op);
    SYC_TRY(syc__arena_alloc(arena, (size_t)(end - quote), &copy));
    memcpy(copy, quote + 1, (size_t)(end - quote - 1));
    *expression = copy;
done:
    return status;
}

static syc_status refuse(const syc__edit *edit, size_t at, const char *format, ...)
    __attribute__((format(printf, 3, 4), cold));

static syc_status refuse(const syc__edit *edit, size_t at, const char *format, ...)
{
    char words[400];
    va_list args;
    va_start(args, format);
    vsnprintf(words, sizeof words, format, args);
    va_end(args);
    return syc__edit_refuse(edit, at, words);
}

/* Is the operator defined for the type, as far as its words tell? */
static syc_status check_type(const syc__edit *edit, size_t at, const syc_name *name, const syc__native *native,
                             const char *type)
{
    syc_dtype element;
    unsigned width;
    bool plain = syc__name_is_plain(name, &element, &width);
    bool other = strncmp(type, "struct ", 7) == 0 || strncmp(type, "union ", 6) == 0;

    if (native == NULL)
        return SYC_OK;
    if (syc__name_is_complex(name) && native->complex == NULL)
        return refuse(edit, at, "the reducer '%.60s' is of complex numbers, which have no %s", name->reducer.word,
                      native->name);
    if (other)
        return refuse(edit, at,
                      "the reducer '%.60s' is of %.60s, and %s takes numbers: for structs there is "
                      "sycl.BinaryOp, given as Program(source, operators={'name': op})",
                      name->reducer.word, type, native->name);
    if (plain && native->integers && syc_dtype_kind(element) == 'f')
        return refuse(edit, at, "the reducer '%.60s' is of %.60s, and %s is for integers", name->reducer.word, type,
                      native->name);
    if (plain && native->logical && width > 1)
        return refuse(edit, at, "the reducer '%.60s' is of %.60s, and %s takes no vectors", name->reducer.word, type,
                      native->name);
    return SYC_OK;
}

static size_t size_of(const syc_name *name)
{
    syc_dtype element;
    unsigned width;
    if (syc__name_is_complex(name))
        return strcmp(name->type, "cdouble") == 0 ? 16 : 8;
    return syc__name_is_plain(name, &element, &width) ? syc_dtype_size(element) * (width == 3 ? 4 : width) : 0;
}

static const char usage[] = "a reducer is declared as reducer(T, op) name, or reducer(T, op) name[] for an array";

/* The places of its parts: `comma` stands before the operator's word. */
static syc_status read_places(const syc__edit *edit, size_t from, size_t to, size_t *comma, size_t *word, bool *array)
{
    size_t close = syc__edit_match(edit, from + 1);
    *comma = close - 2;
    *word = close + 1;
    *array = *word + 3 == to && syc__edit_is(edit, *word + 1, "[") && syc__edit_is(edit, *word + 2, "]");
    if (close < from + 5 || !syc__edit_is(edit, *comma, ",") || !is_word(edit, close - 1) || !is_word(edit, *word) ||
        (*word + 1 != to && !*array))
        return syc__edit_refuse(edit, from, usage);
    return SYC_OK;
}

syc_status syc__reducer_declared(syc_arena *arena, const syc__edit *edit, size_t from, size_t to,
                                 const syc__declaring *in, syc_name *name, syc_reducer_parameter *parameter)
{
    syc_status status = SYC_OK;
    const syc__native *native;
    const char *type = NULL;
    char *id = NULL, *operation = NULL;
    size_t comma, word, room;
    bool known = false;

    *name = (syc_name){.kind = SYC_NAME_REDUCER, .readable = true, .writable = true, .rank = 1};
    SYC_TRY(read_places(edit, from, to, &comma, &word, &name->reducer.array));
    SYC_TRY(fold(arena, edit, from, to, &parameter->text));
    SYC_TRY(fold(arena, edit, from + 2, comma, &type));
    SYC_TRY(fold(arena, edit, comma + 1, comma + 2, &parameter->op));
    SYC_TRY(fold(arena, edit, word, word + 1, &name->reducer.word));
    native = syc__native_of(parameter->op, strlen(parameter->op));
    if (native == NULL)
        SYC_TRY(find_operator(arena, in->front, parameter->op, &native, &parameter->expression, &known));
    if (native == NULL && parameter->expression == NULL && !in->declared) {
        status = refuse(edit, comma + 1,
                        "the reducer '%.60s' combines by '%.60s', which is none of SYCL's operators and none that the "
                        "program is given: Program(source, operators={'%.60s': sycl.BinaryOp(...)})",
                        name->reducer.word, parameter->op, parameter->op);
        goto done;
    }
    if (native == NULL && parameter->expression == NULL)
        parameter->expression = "";
    name->op.boolean = strcmp(type, "bool") == 0;
    name->type = name->op.boolean ? "uchar" : type;
    name->size = size_of(name);
    name->reducer.late = true;
    name->op.known = native != NULL ? !native->logical || name->op.boolean : known;
    SYC_TRY(check_type(edit, from, name, native, type));
    room = strlen(name->reducer.word) + 24;
    SYC_TRY(syc__arena_alloc(arena, room, &id));
    snprintf(id, room, "k%zu_%s", in->kernel, name->reducer.word);
    name->name = id;
    room = 2 * strlen(parameter->op) + 64;
    SYC_TRY(syc__arena_alloc(arena, room, &operation));
    snprintf(operation, room, "%s %sSYC_COMBINE(%s, a, b)%s", native != NULL ? native->name : parameter->op,
             name->op.boolean ? "(" : "",
             native != NULL && syc__name_is_complex(name) ? native->complex : parameter->op,
             name->op.boolean ? ") != 0" : "");
    name->op.operation = operation;
done:
    return status;
}
