/* Reducers in vectors of 16: what all such shapes begin with, and how those along some dimensions of the range take
 * elements. Their accumulators stay numbers in memory, of which 16 are a vector while they are combined with, so that
 * all else is as in a text of scalars. */
#include "body/reduce/reduce.h"
#include "body/write/pack.h"

#include <stdio.h>
#include <string.h>

static const char *type_of(const syc__writer *w)
{
    return syc__pack_type(&w->body->source);
}

/* syc_pack_<name>, and syc_combines_<name> of values and of truths, which are 1. */
static void add_type(syc__writer *w, const syc_name *name)
{
    const char *n = name->name, *given = type_of(w), *own = name->type, *mask = syc__pack_mask(own);
    bool converts = strcmp(given, own) != 0, reforms = strcmp(syc__pack_mask(given), mask) != 0;

    syc_text_add(&w->text, "typedef %s16 syc_pack_%s;\n", own, n);
    syc__add_for(w, n, "static inline syc_pack_$ syc_ops_$(const syc_pack_$ a, const syc_pack_$ b) { ");
    syc_text_add(&w->text, "return %s; }\n", strchr(name->op.operation, ' ') + 1);
    syc__add_for(w, n,
                 "static inline __attribute__((overloadable)) void syc_combines_$(const syc_mask on, __private "
                 "syc_pack_$ *to, ");
    syc_text_add(&w->text, "const %s16 x) { const syc_pack_%s all = syc_ops_%s(*to, ", given, n, n);
    syc_text_add(&w->text, converts ? "convert_%s16(x)" : "x", own);
    syc_text_add(&w->text, "); *to = ");
    syc_text_add(&w->text, reforms ? "convert_%s16(on)" : "on", mask);
    syc_text_add(&w->text, " ? all : *to; }\n");
    syc_text_add(&w->text,
                 "static inline __attribute__((overloadable)) void syc_combines_%s(const syc_mask on, __private "
                 "syc_pack_%s *to, const syc_mask x) { syc_combines_%s(on, to, convert_%s16(-x)); }\n",
                 n, n, n, given);
}

syc_status syc__pack_write_head(syc__writer *w, const char *what)
{
    syc_status status = SYC_OK;
    syc__elements e = {.body = w->body};
    syc_text text = {0};
    char said[160];

    (void)snprintf(said, sizeof said, "%s, 16 at a time as vectors", what);
    SYC_TRY(syc__elements_name(&e));
    SYC_TRY(syc__pack_make_text(&e, &text));
    SYC_TRY(syc__write_head(w, said));
    syc_text_add(&w->text, "#pragma clang diagnostic ignored \"-Wpass-failed\"\n");
    syc__write_reducers(w);
    syc_text_add(&w->text, "typedef %s16 syc_mask;\n", syc__pack_mask(type_of(w)));
    syc__for_each_reducer(w, add_type);
    w->body_text = syc_text_get(&text);
    syc__pack_write_function(w, &e);
    w->body_text = w->body->source.text;
    syc__write_kernel_head(w);
done:
    syc_text_clear(&text);
    syc__elements_clear(&e);
    return status;
}

/* -- along some dimensions -- */

static void take_slots(syc__writer *w, const syc_name *name)
{
    syc_text_add(
        &w->text,
        "        syc_pack_%s syc_vectors_%s[1];\n        syc_vectors_%s[0] = vload16(0, syc_sum_%s + syc_slots);\n",
        name->name, name->name, name->name, name->name);
}

static void put_slots(syc__writer *w, const syc_name *name)
{
    syc_text_add(&w->text, "        vstore16(syc_vectors_%s[0], 0, syc_sum_%s + syc_slots);\n", name->name, name->name);
}

static bool stores_any(const syc__writer *w)
{
    for (size_t i = 0; i < w->body->source.count; i++)
        if (syc__is_stored(w, i))
            return true;
    return false;
}

/* What lies behind the elements that are meant belongs to other results, and may be read as long as it is there. */
void syc__pack_write_slots(syc__writer *w, const char *slot)
{
    static const char *const all[] = {"", "syc_range0", "syc_range0 * syc_range1",
                                      "syc_range0 * syc_range1 * syc_range2"};
    bool stores = stores_any(w);

    syc_text_add(&w->text, "        const uint syc_slots = %s;\n", slot);
    syc__for_each_reducer(w, take_slots);
    if (stores)
        syc_text_add(&w->text, "        if (syc_left == 16) {\n");
    else
        syc_text_add(&w->text, "        if (syc_flat + 16 <= %s) {\n", all[w->form.dims]);
    syc__pack_write_turn(w, "0", stores ? syc__pack_all : syc__pack_few);
    syc_text_add(&w->text, "        } else {\n");
    syc__pack_write_few(w);
    syc_text_add(&w->text, "        }\n");
    syc__for_each_reducer(w, put_slots);
}
