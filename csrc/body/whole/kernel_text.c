/* The parts of a program's text that make a kernel's body. */
#include "body/whole/kernel.h"
#include "source/tokens.h"

#include <string.h>

static bool begins_directive(const syc__edit *edit, size_t at)
{
    return edit->tokens.items[at].first && syc__edit_is(edit, at, "#");
}

/* +1: a group of lines that are chosen begins; -1: it ends. */
static int nesting(const syc__edit *edit, size_t at)
{
    if (!begins_directive(edit, at))
        return 0;
    if (syc__edit_is(edit, at + 1, "if") || syc__edit_is(edit, at + 1, "ifdef") || syc__edit_is(edit, at + 1, "ifndef"))
        return 1;
    return syc__edit_is(edit, at + 1, "endif") ? -1 : 0;
}

/* The last token of the kernel, be it declared or defined. */
static size_t last_of(const syc__edit *edit, const syc__kernel_head *head)
{
    size_t at = head->close;
    if (head->brace != 0)
        return head->end;
    while (edit->tokens.items[at].kind != SYC_TOKEN_END && !syc__edit_is(edit, at, ";"))
        at++;
    return at;
}

static bool has_directive(const syc__edit *edit, size_t from, size_t to)
{
    for (size_t at = from; at < to; at++)
        if (begins_directive(edit, at))
            return true;
    return false;
}

/* Takes what stands there away, but for the lines. */
static void blank(char *text, size_t from, size_t to)
{
    for (size_t at = from; at < to; at++)
        if (text[at] != '\n')
            text[at] = ' ';
}

/* The text in front of the kernel: without kernels, which are nothing to a body, and which have reducers perhaps.
 * False: directives reach into what is left out, or around the kernel. */
static bool take_front(const syc__edit *edit, const syc__kernel_head *own, char *text)
{
    int open = 0;
    for (size_t at = 0; at < own->begin; at++) {
        syc__kernel_head head;
        open += nesting(edit, at);
        if (!syc__kernel_head_read(edit, at, &head))
            continue;
        at = last_of(edit, &head);
        if (at >= own->begin || has_directive(edit, head.begin, at))
            return false;
        blank(text, syc__edit_offset(edit, head.begin), syc__edit_offset(edit, at) + 1);
    }
    return open == 0;
}

static syc_status copy(syc_arena *arena, const syc__edit *edit, size_t from, size_t to, char **out)
{
    syc_status status = SYC_OK;
    SYC_TRY(syc__arena_alloc(arena, to - from + 1, out));
    memcpy(*out, edit->text + from, to - from);
done:
    return status;
}

syc_status syc__kernel_bodies_read(syc_arena *arena, const syc__edit *edit, const syc__kernel_head *head,
                                   const char *front, syc__kernel_bodies **out)
{
    syc_status status = SYC_OK;
    char *preamble = NULL, *text = NULL;

    if (head->brace == 0 || edit->tokens.items[head->end].kind == SYC_TOKEN_END)
        goto done;
    SYC_TRY(copy(arena, edit, 0, syc__edit_offset(edit, head->begin), &preamble));
    if (!take_front(edit, head, preamble))
        goto done;
    SYC_TRY(copy(arena, edit, syc__edit_offset(edit, head->brace) + 1, syc__edit_offset(edit, head->end), &text));
    SYC_TRY(syc__kernel_bodies_create(text, preamble, front, out));
done:
    return status;
}
