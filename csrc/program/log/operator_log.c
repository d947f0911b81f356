/* Which operator an error is in, and how it is told. */
#include "program/log/operator_log.h"

#include "program/log/library_log.h"
#include "source/origin.h"

#include <string.h>

/* -- finding -- */

static bool word_behind(syc_slice line, const char *mark, syc_slice *word)
{
    const char *at = syc__slice_find(line, mark);
    if (at != NULL)
        *word = syc__slice_word(syc__slice_from(line, (size_t)(at - line.text) + strlen(mark)));
    return at != NULL && word->length > 0;
}

/* The line of the log that the message stands in. */
static syc_slice line_of(syc_slice log, const char *message)
{
    size_t at = (size_t)(message - log.text);
    while (at > 0 && log.text[at - 1] != '\n')
        at--;
    return syc__slice_line(syc__slice_from(log, at));
}

bool syc__operator_log_find(syc_slice log, const syc__log_place *place, syc__operator_error *out)
{
    static const char ours[] = "pysycl: "; /* an assertion says all there is to say */

    if (place->message.length == 0 || syc__slice_find(place->message, ours) != NULL)
        return false;
    for (int identity = 0; identity < 2; identity++) {
        const char *spelling = identity ? "<Spelling=identity of " : "<Spelling=operator ";
        out->identity = identity;
        if (word_behind(line_of(log, place->message.text), spelling, &out->word))
            return true;
    }
    for (syc_slice rest = place->behind; rest.length > 0;) {
        syc_slice line = syc__slice_line(rest);
        rest = syc__slice_from(rest, line.length + 1);
        if (syc__slice_find(line, "error:") != NULL)
            return false;
        out->identity = word_behind(line, "expanded from macro 'SYC_IDENTITY_", &out->word);
        if (out->identity || word_behind(line, "expanded from macro 'SYC_OP_", &out->word))
            return true;
    }
    return false;
}

/* -- saying -- */

/* The text between the quotes of "#define SYC_SAYS_<word> ~, "..."": its word and expression; empty if no text
 * has it. */
static syc_slice find_words(syc_slice word, const char *const *texts)
{
    static const char before[] = "#define SYC_SAYS_", behind[] = " ~, \"";
    for (; *texts != NULL; texts++) {
        for (syc_slice rest = {*texts, strlen(*texts)}; rest.length > 0;) {
            const char *found = syc__slice_find(rest, before);
            syc_slice name, words;
            if (found == NULL)
                break;
            rest = syc__slice_from(rest, (size_t)(found - rest.text) + sizeof before - 1);
            name = syc__slice_word(rest);
            words = syc__slice_line(syc__slice_from(rest, name.length));
            if (name.length != word.length || memcmp(name.text, word.text, word.length) != 0 ||
                words.length < sizeof behind + 1 || memcmp(words.text, behind, sizeof behind - 1) != 0)
                continue;
            words = syc__slice_from(words, sizeof behind - 1);
            words.length -= 2; /* ,\" */
            return words;
        }
    }
    return (syc_slice){"", 0};
}

/* The call itself, from its name to its last bracket; empty if none begins there. */
static syc_slice call_of(syc_slice at)
{
    size_t depth = 0;
    for (size_t i = syc__slice_word(at).length; i < at.length; i++) {
        depth += at.text[i] == '(';
        if (at.text[i] == ')' && depth > 0 && --depth == 0)
            return (syc_slice){at.text, i};
        if (depth == 0 && !(at.text[i] == ' ' || at.text[i] == '\t'))
            break;
    }
    return (syc_slice){"", 0};
}

/* Takes the next word of C off the text; empty at its end. */
static syc_slice take_word(syc_slice *text)
{
    syc_slice word = syc__slice_word(*text);
    while (word.length == 0 && text->length > 0) {
        *text = syc__slice_from(*text, 1);
        word = syc__slice_word(*text);
    }
    *text = syc__slice_from(*text, word.length);
    return word;
}

static bool has_word(syc_slice text, syc_slice name)
{
    for (syc_slice word; (word = take_word(&text)).length > 0;)
        if (word.length == name.length && memcmp(word.text, name.text, name.length) == 0)
            return true;
    return false;
}

bool syc__operator_log_guess(const syc__log_place *place, syc_slice at, const char *const *texts,
                             syc__operator_error *out)
{
    bool function;
    const syc_slice unknown = syc__unknown_word(place->message, &function), call = call_of(at);

    if (unknown.length == 0 || call.length == 0 || has_word(call, unknown))
        return false;
    *out = (syc__operator_error){0};
    for (syc_slice rest = call, word; (word = take_word(&rest)).length > 0;) {
        const syc_slice words = find_words(word, texts);
        const char *expression = syc__slice_find(words, "'");
        if (expression == NULL || !has_word(syc__slice_from(words, (size_t)(expression - words.text)), unknown))
            continue;
        out->word = word;
        return true;
    }
    return false;
}

void syc__operator_log_say(const syc__log_place *place, const syc__operator_error *error, syc_slice at,
                           const char *const *texts, syc_text *out)
{
    syc_slice call = syc__slice_word(at), words = find_words(error->word, texts);

    if (call.length > 0)
        syc_text_add(out, "%.*s: ", (int)call.length, call.text);
    syc_text_add(out, error->identity ? "the identity of the operator " : "the operator ");
    syc__text_add_clean(out, words.length > 0 ? words : error->word);
    syc_text_add(out, ": ");
    syc__library_log_clean(place->message, out);
}
