/* Loops over reducers, and steps of device code for each: its macros stand in kernels/forms/. */
#include "body/reduce/reduce.h"
#include "library/template.h"

#include <stdarg.h>
#include <string.h>

void syc__for_each_reducer(syc__writer *w, void (*write)(syc__writer *w, const syc_name *name))
{
    for (size_t i = 0; i < w->body->source.count; i++)
        if (syc__is_reducer(&w->body->source.names[i]))
            write(w, &w->body->source.names[i]);
}

void syc__for_each_sum(syc__writer *w, void (*write)(syc__writer *w, const char *name))
{
    char room[SYC__VALUE_WORD];
    for (size_t i = 0; i < w->body->source.count; i++) {
        const syc_name *name = &w->body->source.names[i];
        for (unsigned k = 0; syc__is_reducer(name) && k < syc__values_of(name); k++)
            write(w, syc__value_word(name, k, room));
    }
}

void syc__add_step(syc__writer *w, const char *format, ...)
{
    syc_text line = {0};
    va_list args;
    va_start(args, format);
    syc_text_add_list(&line, format, args);
    va_end(args);
    syc_template_add(&w->text, syc_text_get(&line));
    w->text.cut = w->text.cut || line.cut;
    syc_text_clear(&line);
}

void syc__add_for(syc__writer *w, const char *name, const char *text)
{
    syc_text line = {0};
    for (size_t length = 0; *text != '\0'; text += length) {
        length = strcspn(text, "$");
        syc_text_add_n(&line, text, length);
        if (text[length] == '$')
            syc_text_add(&line, "%s", name);
        length += text[length] == '$';
    }
    syc__add_step(w, "%s", syc_text_get(&line));
    w->text.cut = w->text.cut || line.cut;
    syc_text_clear(&line);
}

void syc__add_sums(syc__writer *w, const char *text)
{
    char room[SYC__VALUE_WORD];
    for (size_t i = 0; i < w->body->source.count; i++) {
        const syc_name *name = &w->body->source.names[i];
        for (unsigned k = 0; syc__is_reducer(name) && k < syc__values_of(name); k++)
            syc__add_for(w, syc__value_word(name, k, room), text);
    }
}
