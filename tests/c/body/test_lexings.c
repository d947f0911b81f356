/* How often the text of a body is read: the linker has the core call the lexer by way of this file. */
#include "body/body.h"
#include "body/name.h"
#include "body/shape.h"
#include "check.h"
#include "source/lexer.h"

syc_status __real_syc__lex(syc_arena *arena, const char *text, size_t length, syc_tokens *out);
syc_status __wrap_syc__lex(syc_arena *arena, const char *text, size_t length, syc_tokens *out);

static size_t lexings; /* of texts that say something */

syc_status __wrap_syc__lex(syc_arena *arena, const char *text, size_t length, syc_tokens *out)
{
    lexings += length > 0;
    return __real_syc__lex(arena, text, length, out);
}

static const syc_name names[] = {
    {.name = "x", .kind = SYC_NAME_GLOBAL, .type = "float", .size = 4, .readable = true, .rank = 1},
    {.name = "y", .kind = SYC_NAME_GLOBAL, .type = "float", .size = 4, .readable = true, .writable = true, .rank = 1},
    {.name = "a", .kind = SYC_NAME_VALUE, .type = "float", .size = 4},
};

static void check_lexings(int line, const char *preamble, const syc_form *form, size_t most)
{
    const syc_body_source source = {.text = "y[i] += a * x[i];", .preamble = preamble, .names = names, .count = 3};
    const syc_lowered *lowered;
    syc_body *body = NULL;

    lexings = 0;
    CHECK_OK(syc_body_create(&source, &body));
    CHECK_OK(syc_body_lower(body, form, &lowered));
    if (lexings == 0 || lexings > most) {
        fprintf(stderr, "%s:%d: %zu lexings, not 1 to %zu\n", __FILE__, line, lexings, most);
        check__failures++;
    }
    lexings = 0;
    CHECK_OK(syc_body_lower(body, form, &lowered)); /* it is kept */
    CHECK_EQUAL(lexings, 0);
    syc_body_release(body);
}

/* The text behind its preamble, the text as it is written, and the kernel that is made of it. */
static void a_plain_body_is_read_three_times(void)
{
    check_lexings(__LINE__, NULL, &(syc_form){.shape = SYC_SHAPE_ITEM, .dims = 1}, 3);
    check_lexings(__LINE__, NULL, &(syc_form){.shape = SYC_SHAPE_LOOP, .dims = 1}, 3);
}

static void preambles_and_forms_that_take_elements_are_read_once_more(void)
{
    check_lexings(__LINE__, "#define TWO 2\n", &(syc_form){.shape = SYC_SHAPE_ITEM, .dims = 1}, 4);
    check_lexings(__LINE__, NULL, &(syc_form){.shape = SYC_SHAPE_WIDE, .dims = 1, .elements = 4}, 4);
}

int main(void)
{
    RUN(a_plain_body_is_read_three_times);
    RUN(preambles_and_forms_that_take_elements_are_read_once_more);
    return CHECK_EXIT_CODE;
}
