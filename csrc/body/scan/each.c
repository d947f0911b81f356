/* Text for each scanner of a body. */
#include "body/scan/scan.h"

#include <string.h>

unsigned syc__scan_lanes(const syc_name *name)
{
    enum { VECTOR_BYTES = 64 };
    return VECTOR_BYTES / (unsigned)name->size;
}

void syc__add_scanner(syc__writer *w, const syc_name *name, const char *text)
{
    syc_text line = {0};
    for (size_t length = 0; *text != '\0'; text += length) {
        length = strcspn(text, "$@~");
        syc_text_add_n(&line, text, length);
        if (text[length] == '~')
            syc_text_add(&line, "%u", syc__scan_lanes(name));
        else if (text[length] != '\0')
            syc_text_add(&line, "%s", text[length] == '$' ? name->name : name->type);
        length += text[length] != '\0';
    }
    syc__add_step(w, "%s", syc_text_get(&line));
    w->text.cut = w->text.cut || line.cut;
    syc_text_clear(&line);
}

void syc__add_scanners(syc__writer *w, const char *text)
{
    for (size_t i = 0; i < w->body->source.count; i++)
        if (syc__is_reducer(&w->body->source.names[i]))
            syc__add_scanner(w, &w->body->source.names[i], text);
}

void syc__add_restarts(syc__writer *w, const char *text)
{
    for (size_t i = 0; i < w->body->source.count; i++)
        if (syc__is_reducer(&w->body->source.names[i]) && w->body->source.names[i].reducer.restarts)
            syc__add_scanner(w, &w->body->source.names[i], text);
}

bool syc__any_restarts(const syc_body *body)
{
    for (size_t i = 0; i < body->source.count; i++)
        if (syc__is_reducer(&body->source.names[i]) && body->source.names[i].reducer.restarts)
            return true;
    return false;
}
