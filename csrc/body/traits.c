/* The traits of a body's text. */
#include "body/parts.h"

const syc_body_traits *syc_body_traits_of(const syc_body *body)
{
    return &body->reading.traits;
}

bool syc_body_takes(const syc_body *body, size_t index)
{
    return body->reading.uses[index].taken;
}

bool syc_body_writes(const syc_body *body, size_t index)
{
    const syc_name *name = &body->source.names[index];
    bool limited = name->kind == SYC_NAME_GLOBAL || name->kind == SYC_NAME_IMAGE;
    if (name->kind == SYC_NAME_VALUE || name->kind == SYC_NAME_SAMPLER)
        return false;
    return body->reading.uses[index].writes && (name->writable || !limited);
}

const syc_body_source *syc_body_source_of(const syc_body *body)
{
    return &body->source;
}

const syc_body *syc_body_private(const syc_body *body)
{
    return body->sibling;
}

const char *syc__body_kernel_name(const syc_body *body)
{
    return body->source.name != NULL ? body->source.name : "body";
}
