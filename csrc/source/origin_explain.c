/* Origins: what they say about a compiler's error. */
#include "source/origin.h"

#include <string.h>

const syc_origin *syc__origin_find(const syc_origins *origins, syc_slice file)
{
    for (size_t i = 0; origins != NULL && i < origins->count; i++) {
        const syc_origin *o = &origins->items[i];
        if (strlen(o->name) == file.length && memcmp(o->name, file.text, file.length) == 0)
            return o;
    }
    return NULL;
}

static bool is_of(const syc_part *part, syc_slice file)
{
    return strlen(part->file) == file.length && memcmp(part->file, file.text, file.length) == 0;
}

const syc_part *syc__part_find(const syc_origins *origins, syc_slice file, size_t line)
{
    const syc_part *found = NULL;
    for (size_t i = 0; origins != NULL && i < origins->part_count; i++) {
        const syc_part *p = &origins->parts[i];
        if (is_of(p, file) && (found == NULL || (p->line <= line && p->line > found->line) ||
                               (found->line > line && p->line < found->line)))
            found = p;
    }
    return found;
}

const char *syc__text_name(const syc_part *parts, size_t count)
{
    static const char body[] = "body";
    const char *name = NULL;
    for (size_t i = 0; i < count; i++)
        if (strcmp(parts[i].file, body) == 0)
            name = name == NULL ? parts[i].name : body;
    return name != NULL ? name : body;
}

size_t syc__part_lines(const syc_part *part)
{
    size_t count = 1, length = strlen(part->text);
    for (size_t i = 0; i + 1 < length; i++)
        count += part->text[i] == '\n';
    return count;
}

/* The word in quotes behind `words`; empty if the message is not about that. */
static syc_slice quoted_behind(syc_slice message, const char *words)
{
    const char *at = syc__slice_find(message, words);
    syc_slice word = {"", 0};
    if (at == NULL)
        return word;
    word = syc__slice_from(message, (size_t)(at - message.text) + strlen(words));
    for (size_t i = 0; i < word.length; i++)
        if (word.text[i] == '\'')
            return (syc_slice){word.text, i};
    return (syc_slice){"", 0};
}

static char lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

size_t syc__word_distance(syc_slice word, const char *name)
{
    enum { LONG = 64 };
    size_t row[LONG + 1], length = strlen(name);
    if (word.length > LONG || length > LONG)
        return LONG;
    for (size_t k = 0; k <= length; k++)
        row[k] = k;
    for (size_t i = 1; i <= word.length; i++) {
        size_t diagonal = row[0];
        row[0] = i;
        for (size_t k = 1; k <= length; k++) {
            size_t change = diagonal + (lower(word.text[i - 1]) != lower(name[k - 1]));
            diagonal = row[k];
            row[k] = row[k] < row[k - 1] ? row[k] + 1 : row[k - 1] + 1;
            row[k] = row[k] < change ? row[k] : change;
        }
    }
    return row[length];
}

/* The name that was probably meant, or NULL. */
static const char *closest(const syc_origins *origins, syc_slice word)
{
    const char *best = NULL;
    size_t least = (word.length + 1) / 3 + 1;
    for (size_t i = 0; i < origins->given_count; i++) {
        size_t d = syc__word_distance(word, origins->given[i]);
        if (d < least) {
            least = d;
            best = origins->given[i];
        }
    }
    return best;
}

/* One of pysycl's, in what it made of the text. */
static bool is_own_word(syc_slice word)
{
    return word.length > 4 && lower(word.text[0]) == 's' && lower(word.text[1]) == 'y' && lower(word.text[2]) == 'c' &&
           word.text[3] == '_';
}

static bool is_id(syc_slice word)
{
    return (word.length == 1 && word.text[0] == 'i') ||
           (word.length == 2 && (word.text[0] == 'i' || word.text[0] == 'n') && word.text[1] >= '0' &&
            word.text[1] <= '2');
}

/* What other languages call the second index and the third. */
static bool is_further_index(syc_slice word)
{
    return word.length == 1 && (word.text[0] == 'j' || word.text[0] == 'k');
}

static void explain_id(const syc_origins *origins, syc_slice word, syc_text *out)
{
    static const char *const words[] = {"", "i, i0 and n0", "i, i0, i1, n0 and n1", "i, i0, i1, i2, n0, n1 and n2"};
    syc_text_add(out, "There is no '%.*s' here: ", (int)word.length, word.text);
    if (origins->dims == 0)
        syc_text_add(out, "a single task has no ids.\n");
    else
        syc_text_add(out, "a range of %u dimension%s has %s.\n", origins->dims, origins->dims > 1 ? "s" : "",
                     words[origins->dims]);
}

static void add_given(const syc_origins *origins, syc_text *out)
{
    size_t count = origins->given_count;
    syc_text_add(out, count == 0 ? ", nor is any other." : ": ");
    for (size_t i = 0; i < count; i++)
        syc_text_add(out, "%s'%s'", i == 0 ? "" : i + 1 == count ? " and " : ", ", origins->given[i]);
    if (count > 0)
        syc_text_add(out, count == 1 ? " is." : " are.");
}

/* The name that a declaration gives by the line's last word: "} x_t;" and "typedef x_t y_t;". */
static syc_slice declared_type(syc_slice line)
{
    static const char alias[] = "typedef ";
    size_t end = line.length, begin;
    bool is = line.length > 2 && line.text[0] == '}';
    is = is || (line.length > sizeof alias && memcmp(line.text, alias, sizeof alias - 1) == 0);
    if (!is || line.text[--end] != ';')
        return (syc_slice){"", 0};
    for (begin = end; line.text[begin - 1] != ' ';)
        begin--;
    return (syc_slice){line.text + begin, end - begin};
}

static void add_types(const syc_origins *origins, syc_text *out)
{
    syc_slice rest = {origins->front != NULL ? origins->front : "", 0};
    bool any = false;
    for (rest.length = strlen(rest.text); rest.length > 0;) {
        const syc_slice line = syc__slice_line(rest), type = declared_type(line);
        rest = syc__slice_from(rest, line.length + 1);
        if (type.length > 0)
            syc_text_add(out, "%s'%.*s'", any ? ", " : " Types of structs: ", (int)type.length, type.text);
        any = any || type.length > 0;
    }
    if (any)
        syc_text_add(out, ".");
}

/* Newer compilers tell functions and other names apart by words only. */
syc_slice syc__unknown_word(syc_slice message, bool *function)
{
    static const char *const functions[] = {"implicit declaration of function '", "call to undeclared function '",
                                            "call to undefined function '"};
    syc_slice word = quoted_behind(message, "undeclared identifier '");
    *function = false;
    if (word.length == 0)
        word = quoted_behind(message, "unknown type name '");
    for (size_t i = 0; word.length == 0 && i < sizeof functions / sizeof *functions; i++) {
        word = quoted_behind(message, functions[i]);
        *function = word.length > 0;
    }
    return word;
}

static void explain_part(const syc_part *part, syc_slice word, syc_text *out)
{
    syc_text_add(out, "In %s there is no '%.*s', but %s, and what OpenCL C has.\n", part->name, (int)word.length,
                 word.text, part->knows);
}

/* Does a definition of the word with this beginning stand before the text? */
static bool is_defined(const syc_origins *origins, const char *mark, syc_slice word)
{
    for (const char *at = origins->front; at != NULL && (at = strstr(at, mark)) != NULL;) {
        at += strlen(mark);
        if (strncmp(at, word.text, word.length) == 0 && at[word.length] == ' ')
            return true;
    }
    return false;
}

static bool is_given(const syc_origins *origins, syc_slice word)
{
    for (size_t i = 0; i < origins->given_count; i++)
        if (strlen(origins->given[i]) == word.length && memcmp(origins->given[i], word.text, word.length) == 0)
            return true;
    return false;
}

/* A word that has a meaning, and another than the text takes it for. */
static bool explain_known(const syc_origins *origins, syc_slice word, syc_text *out)
{
    const int n = (int)word.length;
    if (is_id(word) || (origins->dims > 1 && is_further_index(word)))
        explain_id(origins, word, out);
    else if (is_defined(origins, "#define syc_has_", word))
        syc_text_add(out, "'%.*s' is a specialization constant: its value is SPEC(%.*s).\n", n, word.text, n,
                     word.text);
    else if (is_defined(origins, "#define SYC_SAYS_", word))
        syc_text_add(out, "'%.*s' is an operator: group functions take it, as group_reduce(work_group, x, %.*s).\n", n,
                     word.text, n, word.text);
    else if (is_given(origins, word))
        syc_text_add(out, "'%.*s' is known in the body only: a function takes what it needs of it as a parameter.\n", n,
                     word.text);
    else
        return false;
    return true;
}

/* An argument's name alone, where the text means its elements, or a value that all items make together. */
static bool explain_whole(const syc_origins *origins, syc_slice message, syc_text *out)
{
    const syc_slice number = quoted_behind(message, "cannot assign to variable '");
    const syc_slice array = quoted_behind(message, "invalid operands to binary expression ('");
    const int n = (int)number.length;

    if (number.length > 0 && is_given(origins, number))
        syc_text_add(out,
                     "'%.*s' is a number, which a body does not change: declare a variable for it. What all work-items "
                     "add to is a reduction, %.*s=sycl.reduction(array, sycl.plus).\n",
                     n, number.text, n, number.text);
    else if (array.length > 9 && memcmp(array.text, "__global ", 9) == 0)
        syc_text_add(out, "An array's name alone is a pointer: an element is name[i]. What all work-items add to is a "
                          "reduction, name=sycl.reduction(array, sycl.plus).\n");
    else
        return false;
    return true;
}

void syc__origins_explain(const syc_origins *origins, const syc_part *part, syc_slice message, syc_text *out)
{
    const bool is_expression = part != NULL && part->knows[0] != '\0';
    bool function;
    syc_slice word = syc__unknown_word(message, &function);
    const char *meant;

    if (word.length == 0 && origins != NULL && !origins->whole && !is_expression &&
        explain_whole(origins, message, out))
        return;
    if (word.length == 0 || is_own_word(word))
        return;
    if (is_expression) {
        explain_part(part, word, out);
        return;
    }
    if (origins == NULL || origins->whole || explain_known(origins, word, out))
        return;
    meant = closest(origins, word);
    if (function && meant == NULL)
        syc_text_add(out, "No function '%.*s' is in OpenCL C, nor in the preamble.\n", (int)word.length, word.text);
    if (function && meant == NULL)
        return;
    syc_text_add(out, "No argument '%.*s' is given", (int)word.length, word.text);
    add_given(origins, out);
    if (meant != NULL)
        syc_text_add(out, " Did you mean '%s'?", meant);
    if (!function)
        add_types(origins, out);
    syc_text_add(out, "\n");
}
