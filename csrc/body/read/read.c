/* Reads a body: its text is put into a function behind its preamble, and that is read as any program is. */
#include "body/reach/claims.h"
#include "body/reading.h"
#include "body/reduce/reduce.h"
#include "body/write/pack.h"
#include "library/prelude.h"
#include "source/declarations/parser.h"
#include "source/lexer.h"
#include "source/log_text.h"
#include "source/origin.h"
#include "source/preprocessor/preprocess.h"

#include <stdio.h>
#include <string.h>

static void add(syc_text *text, const char *part)
{
    if (part != NULL)
        syc_text_add_n(text, part, strlen(part));
}

static syc_status compose(const syc_body_source *source, syc_text *out)
{
    syc_status status = SYC_OK;

    add(out, source->declarations);
    add(out, "\nvoid syc_preamble(void) {}\n");
    add(out, source->preamble);
    add(out, source->seam > 0 ? "\nvoid syc_body(void) {{\n" : "\nvoid syc_body(void) {\n");
    add(out, source->text);
    add(out, source->seam > 0 ? "\n}}\n" : "\n}\n");
    SYC_CHECK(!out->cut, SYC_E_MEMORY_ALLOCATION, "no memory for a body of %zu bytes", strlen(source->text));
done:
    return status;
}

static syc_status lex(syc_arena *arena, const char *text, syc_tokens *out)
{
    return syc__lex(arena, text != NULL ? text : "", text != NULL ? strlen(text) : 0, out);
}

/* Brackets nested too deep are told of by the line of the user's own text. */
static syc_status pair_brackets(syc_arena *arena, const syc_body_source *source, const syc_tokens *tokens,
                                syc_token_stream *out)
{
    const char *texts[] = {source->text, source->preamble};
    syc_status status = syc__stream_init(out, arena, tokens);

    for (size_t i = 0; status == SYC_E_INVALID_PARAMETER && i < 2; i++) {
        syc_tokens own = {0};
        syc_token_stream ignored;
        SYC_TRY(lex(arena, texts[i], &own));
        SYC_TRY(syc__stream_init(&ignored, arena, &own));
        status = SYC_E_INVALID_PARAMETER;
    }
done:
    return status;
}

static const syc_function *last_function(const syc_unit *unit, const char *name)
{
    for (size_t i = unit->count; i-- > 0;)
        if (syc__token_is(unit->functions[i]->name, name))
            return unit->functions[i];
    return NULL;
}

static syc_status find_body(const syc_body_source *source, const syc_unit *unit, const syc_function **preamble,
                            const syc_function **body)
{
    syc_status status = SYC_OK;

    *preamble = last_function(unit, "syc_preamble");
    *body = last_function(unit, "syc_body");
    SYC_CHECK(*preamble != NULL, SYC_E_BUILD, "declarations: a comment, an #if or a bracket is left open");
    SYC_CHECK(*body != NULL && *body != *preamble, SYC_E_BUILD,
              "preamble: a comment, an #if or a bracket is left open");
    if ((*body)->close + 1 != unit->stream.count || !syc__stream_is(&unit->stream, (*body)->close, "}"))
        status = syc__body_refuse_brackets(unit->stream.arena, source->text);
done:
    return status;
}

static syc_status refuse_kernels(const syc_unit *unit)
{
    syc_status status = SYC_OK;
    for (size_t i = 0; i < unit->count; i++)
        SYC_CHECK(
            !unit->functions[i]->kernel, SYC_E_INVALID_PARAMETER,
            "preamble: it defines the kernel '%.*s', but helper functions are meant: a text with kernels of its own "
            "is a Program",
            (int)unit->functions[i]->name->length, unit->functions[i]->name->text);
done:
    return status;
}

/* -- names -- */

/* Parts that the compiler may see and this reader did not: any name may be used, for anything. */
static void assume_worst(syc__scan *scan)
{
    syc__reading *reading = scan->reading;
    for (size_t i = 0; i < scan->source->count; i++) {
        syc__use *use = &reading->uses[i];
        *use = (syc__use){.used = use->used,
                          .writes = true,
                          .declared = use->declared,
                          .assigns = use->assigns,
                          .reads = true,
                          .called = true,
                          .indexed = true,
                          .loaded = true,
                          .assigned = use->assigned,
                          .otherwise = use->otherwise};
    }
    reading->words |= scan->source->whole ? SYC__ALL_RAW : SYC__ALL_RAW | SYC__ALL_IDS;
    reading->traits.loops = reading->traits.keeps = reading->outermost = reading->guessed = true;
}

static bool is_mentioned(const syc_tokens *tokens, const char *name)
{
    for (const syc_token *t = tokens->items; t->kind != SYC_TOKEN_END; t++)
        if (syc__token_is(t, name))
            return true;
    return false;
}

/* Directives that choose between texts: only the compiler knows which one it is. */
static const syc_token *choice_in(const syc_tokens *tokens)
{
    for (const syc_token *t = tokens->items; t->kind != SYC_TOKEN_END; t++)
        if (t->first && syc__token_is(t, "#") &&
            (syc__token_is(t + 1, "if") || syc__token_is(t + 1, "ifdef") || syc__token_is(t + 1, "ifndef")))
            return t;
    return NULL;
}

static bool is_name(const syc_body_source *source, const syc_token *token)
{
    for (size_t i = 0; i < source->count; i++)
        if (syc__token_is(token, source->names[i].name))
            return true;
    return false;
}

/* A word of the text that was probably meant for the name: in other letter case, or a letter beside. NULL: none. */
static const syc_token *meant_by(const syc_body_source *source, const syc_tokens *text, const char *name)
{
    const syc_token *best = NULL;
    size_t least = strlen(name) > 3 ? 2 : 1;
    for (const syc_token *t = text->items; t->kind != SYC_TOKEN_END; t++) {
        size_t d = t->kind == SYC_TOKEN_WORD && !is_name(source, t)
                       ? syc__word_distance((syc_slice){t->text, t->length}, name)
                       : least;
        if (d < least) {
            best = t;
            least = d;
        }
    }
    return best;
}

static syc_status refuse_unused(const syc__scan *scan, const syc_tokens *text, const char *name)
{
    const syc_token *meant = meant_by(scan->source, text, name);
    syc__place place;
    syc_text words = {0};
    if (meant == NULL)
        return syc_fail(SYC_E_KERNEL_ARGUMENT, SYC_HERE,
                        "%s: unknown name '%s': an argument of that name is given, and the text does not use it",
                        syc__text_name(scan->source->parts, scan->source->part_count), name);
    place = syc__body_place(scan->source, scan->user, (syc__position){.line = meant->line, .column = meant->column});
    syc_text_add(&words, "%s: unknown name '%s': ", place.name, name);
    syc_text_add(&words, "the text has '%.*s' in line %u, and an argument is called '%s'", (int)meant->length,
                 meant->text, place.at.line, name);
    return syc__fail_at(SYC_E_KERNEL_ARGUMENT, SYC_HERE, place.text, place.at, &words);
}

/* The same in what stands before the text. */
static bool chooses_before(const syc_body_source *source)
{
    const char *const texts[] = {source->declarations, source->preamble};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        for (const char *at = texts[i]; at != NULL && (at = strchr(at, '#')) != NULL;) {
            at += 1 + strspn(at + 1, " \t");
            if (strncmp(at, "if", 2) == 0)
                return true;
        }
    return false;
}

/* Every name must be wanted: in the text, or in its helpers' macros. */
static syc_status check_used(syc__scan *scan, const syc_tokens *text, const syc_tokens *preamble)
{
    syc_status status = SYC_OK;

    for (size_t i = 0; i < scan->source->count; i++) {
        const char *name = scan->source->names[i].name;
        if (scan->source->names[i].kind != SYC_NAME_REDUCER && !scan->reading->uses[i].used &&
            !is_mentioned(text, name) && !is_mentioned(preamble, name) && !syc__finish_mentions(scan->source, name))
            SYC_TRY(refuse_unused(scan, text, name));
    }
done:
    return status;
}

static syc_status check_writes(const syc__scan *scan)
{
    syc_text text = {0};

    for (size_t i = 0; i < scan->source->count; i++) {
        const syc_name *name = &scan->source->names[i];
        const syc__use *use = &scan->reading->uses[i];
        syc__place place;
        if ((name->kind != SYC_NAME_GLOBAL && name->kind != SYC_NAME_IMAGE) || name->writable || !use->assigns)
            continue;
        place = syc__body_place(scan->source, scan->user, use->assigned);
        syc_text_add(&text, "%s: '%s' is read-only, and the body writes to it at ", place.name, name->name);
        syc__position_say(&text, place.at);
        return syc__fail_at(SYC_E_KERNEL_ARGUMENT, SYC_HERE, place.text, place.at, &text);
    }
    return SYC_OK;
}

static syc_status enter_names(syc__scan *scan)
{
    syc_status status = SYC_OK;
    for (size_t i = 0; i < scan->source->count; i++) {
        const char *name = scan->source->names[i].name;
        const syc_token word = {.text = name, .length = (uint32_t)strlen(name), .kind = SYC_TOKEN_WORD};
        scan->reading->uses[i].apart = true;
        SYC_TRY(syc__word_map_put(scan->unit->stream.arena, &scan->names, &word, &scan->reading->uses[i]));
    }
done:
    return status;
}

/* -- traits -- */

/* A text of no more than name[i]: its work-items share nothing. */
/* They ask for no place but `i`. */
enum { LINEAR_WORDS = SYC__WORD_I | SYC__WORD_N * 7 | SYC__WORD_GET_SIZE | SYC__WORD_GLOBAL_RANGE };

/* The names whose elements come before the text, where that reads more of others. */
static syc_status find_taken(syc__scan *scan, const syc_tokens *text, const syc_tokens *preamble)
{
    syc_status status = SYC_OK;
    syc_body_traits *traits = &scan->reading->traits;
    bool reads = !traits->grouped && !scan->shadowed && !scan->source->whole;
    syc_dtype type;
    unsigned width;

    for (size_t i = 0; i < scan->source->count; i++) {
        const syc_name *name = &scan->source->names[i];
        reads =
            reads && name->kind != SYC_NAME_STREAM && (name->kind != SYC_NAME_GLOBAL || !scan->reading->uses[i].writes);
    }
    for (size_t i = 0; reads && i < scan->source->count; i++) {
        const syc_name *name = &scan->source->names[i];
        syc__use *use = &scan->reading->uses[i];
        syc_body_source alone = *scan->source;
        alone.names = name;
        alone.count = 1;
        use->taken = name->kind == SYC_NAME_GLOBAL && use->used && use->apart && !use->declared &&
                     syc__name_is_plain(name, &type, &width);
        if (use->taken)
            SYC_TRY(syc__body_is_apart(scan->unit->stream.arena, &alone, text, preamble, &use->taken));
        traits->takes = traits->takes || use->taken;
    }
done:
    return status;
}

static syc_status find_elementwise(syc__scan *scan, const syc_tokens *text, const syc_tokens *preamble)
{
    syc_status status = SYC_OK;
    syc_body_traits *traits = &scan->reading->traits;
    size_t pointers = 0;
    bool apart = !traits->grouped && !scan->shadowed && !scan->source->whole, plain = true, overwrites = false,
         others = false;
    syc_dtype type;
    unsigned width;

    for (size_t i = 0; i < scan->source->count; i++) {
        const syc_name *name = &scan->source->names[i];
        const syc__use *use = &scan->reading->uses[i];
        if (name->kind == SYC_NAME_STREAM)
            apart = false;
        if (name->kind == SYC_NAME_REDUCER) {
            traits->reduces = true;
            traits->scans = scan->source->seam > 0;
            traits->scatters = traits->scatters || name->reducer.array;
            traits->reduced = name->reducer.reduced;
            traits->halves = traits->halves || strncmp(name->type, "half", 4) == 0;
        }
        if (name->kind != SYC_NAME_GLOBAL)
            continue;
        pointers++;
        traits->halves = traits->halves || (strncmp(name->type, "half", 4) == 0 && (use->indexed || use->called));
        apart = apart && use->apart && !use->declared;
        plain = plain && syc__name_is_plain(name, &type, &width);
        traits->read_bytes += use->reads ? name->size : 0;
        traits->written_bytes += use->writes ? name->size : 0;
        overwrites = overwrites || (use->assigns && !use->loaded);
        others = others || (use->writes && use != scan->stored);
    }
    traits->stores_last = scan->stored != NULL && !scan->stored->reads && !scan->stores_mixed && !scan->stores_again &&
                          !others && !traits->loops && !syc__points_elsewhere(&scan->unit->stream);
    traits->linear = (scan->reading->words & ~LINEAR_WORDS) == 0;
    apart = apart && pointers > 0;
    if (apart)
        SYC_TRY(syc__body_is_apart(scan->unit->stream.arena, scan->source, text, preamble, &apart));
    traits->elementwise = apart;
    traits->widens = apart && plain && scan->stores_always && !scan->stores_mixed;
    traits->packs = (traits->widens || (apart && plain && traits->reduces && scan->stored == NULL)) &&
                    syc__body_packs(scan->source, text);
    traits->overwrites = traits->packs && overwrites;
    traits->doubles = traits->packs && strcmp(syc__pack_type(scan->source), "double") == 0;
    if (!apart)
        traits->read_bytes = traits->written_bytes = 0;
done:
    return status;
}

/* A need for groups inside a macro of the library's is told by the user's own word. */
static void name_groups(const syc_tokens *text, const syc__library_use *use, syc__reading *out)
{
    for (size_t at = 0; out->group_at.column == 0 && at < text->count; at++) {
        const syc_token *t = &text->items[at];
        for (size_t i = 0; i < use->function_count && t->line == out->group_at.line; i++) {
            if (!syc__token_is(t, use->functions[i]))
                continue;
            (void)snprintf(out->group_word, sizeof out->group_word, "%s", use->functions[i]);
            out->group_at.column = t->column;
        }
    }
}

static syc_status scan_body(const syc_body_source *source, const char *user, const syc_unit *unit,
                            const syc_function *body, const syc__library_use *use, bool complete, syc__reading *out)
{
    syc_status status = SYC_OK;
    syc__scan scan = {
        .source = source, .user = user, .unit = unit, .first = body->body + 1, .last = body->close, .reading = out};
    syc_tokens text = {0}, preamble = {0}; /* as they are written */
    const syc_token *choice;

    scan.arrays = source->declarations != NULL && strchr(source->declarations, '[') != NULL;
    out->traits.loops = !body->bounded;
    out->traits.weight = body->weight;
    out->traits.built_ins = body->built_ins;
    SYC_TRY(enter_names(&scan));
    SYC_TRY(syc__body_read_scopes(&scan));
    syc__body_read_uses(&scan);
    syc__body_find_outermost(&scan);
    syc__body_find_groups(&scan);
    syc__body_find_placed(&scan);
    syc__body_find_own_memory(&scan, body);
    SYC_TRY(lex(unit->stream.arena, source->text, &text));
    SYC_TRY(lex(unit->stream.arena, source->preamble, &preamble));
    name_groups(&text, use, out);
    choice = choice_in(&text);
    if (choice != NULL)
        out->choice = (syc__position){choice->line, choice->column};
    if (!complete || choice != NULL)
        assume_worst(&scan);
    SYC_TRY(check_used(&scan, &text, &preamble));
    SYC_TRY(check_writes(&scan));
    SYC_TRY(syc__body_check_ranks(&scan));
    SYC_TRY(find_elementwise(&scan, &text, &preamble));
    SYC_TRY(find_taken(&scan, &text, &preamble));
    if (complete && choice == NULL && !chooses_before(source))
        SYC_TRY(syc__reach_read(&scan, &out->reach));
done:
    return status;
}

syc_status syc__body_read(const syc_body_source *source, const char *user, syc__reading *out)
{
    syc_status status = SYC_OK;
    syc_arena arena = {0};
    syc_tokens composed = {0};
    syc_preprocessed tokens = {0};
    syc_unit unit = {0};
    syc_text text = {0}, library = {0};
    const syc_function *preamble, *body;
    syc__library_use use;

    SYC_TRY(compose(source, &text));
    SYC_TRY(syc__lex(&arena, syc_text_get(&text), text.length, &composed));
    SYC_TRY(syc__prelude_add(&arena, &composed, &library, &use));
    SYC_TRY(
        syc__preprocess_behind(&arena, syc_text_get(&library), library.length, &composed, source->options, &tokens));
    SYC_TRY(pair_brackets(&arena, source, &tokens.tokens, &unit.stream));
    SYC_TRY(syc__unit_read(&unit));
    SYC_TRY(find_body(source, &unit, &preamble, &body));
    SYC_TRY(refuse_kernels(&unit));
    SYC_TRY(syc__functions_measure(&unit));
    SYC_TRY(scan_body(source, user, &unit, body, &use, tokens.complete, out));
done:
    syc__arena_clear(&arena);
    syc_text_clear(&text);
    syc_text_clear(&library);
    return status;
}
