/* Own elements, held against what was read of a text. */
#include "body/own.h"

#include "body/parts.h"
#include "body/reading.h"
#include "source/lexer.h"

#include <string.h>

bool syc_body_is_own(const syc_body *body, size_t index)
{
    const syc__use *use = &body->reading.uses[index];
    return body->source.names[index].kind == SYC_NAME_GLOBAL && use->used && use->apart && !use->declared;
}

static syc_status refuse(const syc__place place, const char *word, const char *why)
{
    syc_text text = {0};

    syc_text_add(&text, "%s: ", place.name);
    if (word != NULL)
        syc_text_add(&text, "'%s' ", word);
    syc_text_add(&text, "%s", why);
    if (place.at.line > 0) {
        syc_text_add(&text, " (");
        syc__position_say(&text, place.at);
        syc_text_add(&text, ")");
    }
    syc_text_add(&text, "; over several devices each work-item touches its own elements alone, as x[i]");
    return syc__fail_at(SYC_E_INVALID_PARAMETER, SYC_HERE, place.text, place.at, &text);
}

static syc__place place_of(const syc_body *body, syc__position at)
{
    return syc__body_place(&body->source, body->text, at);
}

/* A name for which each device would have an answer of its own. */
static const char *why_not(const syc_body *body, size_t index, bool parted)
{
    const syc__use *use = &body->reading.uses[index];
    switch (body->source.names[index].kind) {
    case SYC_NAME_STREAM:
        return "is written to by all work-items";
    case SYC_NAME_GLOBAL:
        break;
    default:
        return NULL;
    }
    if (syc_body_is_own(body, index))
        return NULL;
    return parted         ? "is in the memories of several devices, and stands here in another form"
           : use->own     ? "stands here in another form than elsewhere in the text"
           : use->assigns ? "stands here in another form, and the text writes to it"
                          : NULL; /* it is given to be read, so that whatever else would write does not compile */
}

/* Where the text as the user wrote it says the name first: a reducer is no name any more in what was made of it. */
static syc_status find_word(const syc_body *body, const char *name, syc__place *out)
{
    syc_status status = SYC_OK;
    syc_arena arena = {0};
    syc_tokens tokens = {0};

    *out = (syc__place){.name = "body", .text = body->text};
    SYC_TRY(syc__lex(&arena, body->text, strlen(body->text), &tokens));
    for (size_t at = 0; at < tokens.count && out->at.line == 0; at++)
        if (syc__token_is(&tokens.items[at], name))
            out->at = (syc__position){tokens.items[at].line, tokens.items[at].column};
done:
    syc__arena_clear(&arena);
    return status;
}

static syc_status refuse_name(const syc_body *body, size_t index, const char *why)
{
    syc_status status = SYC_OK;
    const syc_name *name = &body->source.names[index];
    syc__place place = place_of(body, body->reading.uses[index].otherwise);

    if (name->kind == SYC_NAME_REDUCER)
        SYC_TRY(find_word(body, name->name, &place));
    status = refuse(place, name->name, why);
done:
    return status;
}

syc_status syc_body_check_own(const syc_body *body, const bool *parted)
{
    const syc__reading *reading = &body->reading;
    if (reading->guessed)
        return refuse(place_of(body, reading->choice), NULL, "only the compiler knows which part of the text counts");
    for (size_t i = 0; i < body->source.count; i++)
        if (body->source.names[i].kind == SYC_NAME_REDUCER)
            return refuse_name(body, i, "combines all work-items");
    if (reading->placed_at.line > 0)
        return refuse(place_of(body, reading->placed_at), reading->placed_word,
                      "says here where in the range the work-item is");
    for (size_t i = 0; i < body->source.count; i++) {
        const char *why = why_not(body, i, parted[i]);
        if (why != NULL)
            return refuse_name(body, i, why);
    }
    return SYC_OK;
}
