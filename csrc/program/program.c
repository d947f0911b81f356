/* Programs: the text, its signatures, and the list of builds, one per context. */
#include "program/program.h"

#include "base/alloc.h"
#include "base/clock.h"
#include "base/deep.h"
#include "base/interrupt.h"
#include "base/process.h"
#include "library/checks/group_calls.h"
#include "library/cures/pocl_per_item.h"
#include "library/prelude.h"
#include "program/cache/cache.h"
#include "program/log/spot.h"
#include "program/recipe.h"
#include "source/lexer.h"
#include "source/origin.h"
#include "source/position.h"

#include <string.h>

static _Atomic(const syc_rewriter *) rewriter;

void syc_program_set_rewriter(const syc_rewriter *given)
{
    atomic_store(&rewriter, given);
}

void *syc_program_rewritten(const syc_program *program)
{
    return program->rewritten.what.payload;
}

syc_status syc_program_attached(syc_program *program, syc_status (*make)(syc_keep *out), void **out)
{
    syc_status status = SYC_OK;
    pthread_mutex_lock(&program->lock);
    if (program->attached.payload == NULL)
        status = make(&program->attached);
    *out = program->attached.payload;
    pthread_mutex_unlock(&program->lock);
    return status;
}

/* The text as it is compiled, and as its signatures are read. */
static syc_slice text_of(const syc_program *program)
{
    syc_slice text = {0};
    text.text = syc_program_text(program, &text.length);
    return text;
}

static syc_slice view_of(const syc_program *program)
{
    const syc_text *view = &program->rewritten.view;
    return view->length > 0 ? (syc_slice){view->data, view->length} : (syc_slice){program->source, program->length};
}

/* Messages quote the text as it was given. */
static syc_status rewrite(syc_program *program, const char *constants)
{
    syc_status status = SYC_OK;
    const syc_rewriter *by = atomic_load(&rewriter);
    syc_rewritten *written = &program->rewritten;

    if (by == NULL)
        goto done;
    SYC_TRY(by->write(program->source, program->length, constants, program->recipe.kind != SYC__FROM_TEXT, written));
    if (written->text.length > 0) {
        const syc_origin own = {"kernel.cl", program->source, syc_text_get(&written->view)};
        const syc_origins all = {.items = &own, .count = 1, .whole = true};
        SYC_TRY(syc__origins_copy(&all, &program->origins));
    }
done:
    return status;
}

/* The text in front of the source: its constants, and its part of the device library. */
static syc_status find_prelude(syc_program *program, const char *constants, syc_arena *arena, syc_tokens *tokens,
                               syc__library_use *use)
{
    syc_status status = SYC_OK;

    SYC_TRY(syc__lex(arena, text_of(program).text, text_of(program).length, tokens));
    syc_text_add_n(&program->prelude, constants, strlen(constants));
    SYC_TRY(syc__prelude_add(arena, tokens, &program->prelude, use));
    if (program->prelude.length > 0)
        syc_text_add(&program->prelude, "#line 1 \"kernel.cl\"\n");
    SYC_CHECK(!program->prelude.cut, SYC_E_MEMORY_ALLOCATION, "no memory for the device library");
done:
    return status;
}

/* `tokens` are those of the text that is compiled, which the user's is not if it was rewritten. */
static syc_status read_signatures(syc_program *program, const syc_tokens *tokens)
{
    syc_status status = SYC_OK;
    const syc_slice view = view_of(program);
    bool rewritten = program->rewritten.text.length > 0;

    SYC_TRY(syc__signatures_parse_behind(&(syc__signed_text){.front = syc_text_get(&program->prelude),
                                                             .front_length = program->prelude.length,
                                                             .source = view.text,
                                                             .length = view.length,
                                                             .tokens = rewritten ? NULL : tokens,
                                                             .options = program->options},
                                         &program->signatures));
    if (rewritten)
        SYC_TRY(atomic_load(&rewriter)->sign(&program->rewritten, &program->signatures));
done:
    return status;
}

/* A text: with what it needs of the device library, and edited for it. */
static syc_status read_text(syc_program *program, const char *constants)
{
    syc_status status = SYC_OK;
    syc_arena arena = {0};
    syc_tokens tokens = {0};
    syc__library_use use;

    SYC_TRY(find_prelude(program, constants, &arena, &tokens, &use));
    SYC_TRY(read_signatures(program, &tokens));
    if (program->rewritten.text.length > 0) /* refusals are of the user's own lines */
        SYC_TRY(syc__lex(&arena, view_of(program).text, view_of(program).length, &tokens));
    SYC_TRY(syc__group_calls_check(
        &arena,
        &(syc__calls_source){
            .tokens = &tokens, .use = &use, .options = program->options, .prelude = syc_text_get(&program->prelude)},
        &program->signatures.refusal));
    program->asks_device = use.device;
    program->families = use.families;
    use.checked = use.checked && !program->recipe.object; /* parts of a link call each other's functions */
    SYC_TRY(syc__scratch_arrange(&(syc__scratch_source){.source = text_of(program).text,
                                                        .length = text_of(program).length,
                                                        .options = program->options,
                                                        .prelude = syc_text_get(&program->prelude),
                                                        .prelude_length = program->prelude.length,
                                                        .use = &use,
                                                        .kernels = &program->signatures,
                                                        .structs = syc__per_item_concerns(&tokens)},
                                 &program->scratch));
    if (program->scratch.why != NULL)
        syc_report(syc_fail(SYC_E_KERNEL, SYC_HERE, "PYSYCL_DEBUG=collectives: a program is not checked: %s",
                            program->scratch.why));
done:
    syc__arena_clear(&arena);
    return status;
}

/* A kernel whose text says nothing, or whose native program may be built for anything: it runs where kernels of any
 * cost can run, in one piece. */
static void take_nothing_for_granted(syc_signatures *signatures)
{
    for (size_t i = 0; i < signatures->count; i++) {
        signatures->items[i].bounded = false;
        signatures->items[i].shaped = signatures->items[i].waits = true;
    }
}

void syc__recipe_clear(struct syc__recipe *recipe)
{
    for (size_t i = 0; i < recipe->part_count; i++)
        syc_program_release(recipe->parts[i]);
    syc_free(recipe->parts);
    syc_free(recipe->data);
    syc_context_release(recipe->home);
    *recipe = (struct syc__recipe){0};
}

static void clear_variants(struct syc__variants *variants)
{
    for (size_t i = 0; i < variants->constant_count; i++) {
        syc_free((char *)variants->constants[i].name);
        syc_free((char *)variants->constants[i].text);
    }
    syc_free(variants->constants);
    for (size_t i = 0; i < variants->count; i++)
        syc_program_release(variants->items[i]);
    syc_free(variants->items);
    *variants = (struct syc__variants){0};
}

syc_status syc__program_new(const struct syc__program_parts *parts, syc_program **out)
{
    syc_status status = SYC_OK;
    struct syc__recipe recipe = parts->recipe;
    syc_program *program = NULL;

    syc_cache_prepare(); /* here, because a build does not hold the GIL */
    SYC_TRY(syc_alloc(sizeof *program, &program));
    program->recipe = recipe;
    recipe = (struct syc__recipe){0};
    syc_refcount_init(&program->refs);
    pthread_mutex_init(&program->lock, NULL);
    syc_cond_init(&program->built);
    syc_live_add(SYC_LIVE_PROGRAM, 1);
    SYC_TRY(syc_alloc(parts->length + 1, &program->source));
    memcpy(program->source, parts->source, parts->length);
    program->length = parts->length;
    SYC_TRY(syc_copy_string(parts->options != NULL ? parts->options : "", &program->options));
    SYC_TRY(rewrite(program, parts->constants != NULL ? parts->constants : ""));
    if (program->recipe.kind == SYC__FROM_TEXT) {
        SYC_TRY(read_text(program, parts->constants));
    } else { /* the compiler has seen all that there is */
        SYC_TRY(read_signatures(program, NULL));
        take_nothing_for_granted(&program->signatures);
    }
    *out = program;
    program = NULL;
done:
    syc__recipe_clear(&recipe);
    syc_program_release(program);
    return status;
}

syc_status syc_program_create(const char *source, size_t length, const char *options, syc_program **out)
{
    return syc__program_new(
        &(struct syc__program_parts){.constants = "", .source = source, .length = length, .options = options}, out);
}

/* The device library's questions to the launch are known here. */
static syc_status fix_dims(syc_program *program, unsigned dims)
{
    syc_status status = SYC_OK;
    syc_text fixed = {0};

    if (program->prelude.length == 0)
        goto done;
    syc_text_add(&fixed, "#define SYC_DIMS %u\n", dims);
    syc_text_add_n(&fixed, program->prelude.data, program->prelude.length);
    SYC_CHECK(!fixed.cut, SYC_E_MEMORY_ALLOCATION, "no memory for the device library");
    syc_text_clear(&program->prelude);
    program->prelude = fixed;
    fixed = (syc_text){0};
done:
    syc_text_clear(&fixed);
    return status;
}

syc_status syc_program_create_from(const syc_origins *origins, const char *source, size_t length, const char *options,
                                   syc_program **out)
{
    syc_status status = SYC_OK;
    syc_program *program = NULL;

    SYC_TRY(syc_program_create(source, length, options, &program));
    syc__origins_free(program->origins);
    program->origins = NULL;
    SYC_TRY(syc__origins_copy(origins, &program->origins));
    SYC_TRY(fix_dims(program, origins->dims > 0 ? origins->dims : 1));
    *out = program;
    program = NULL;
done:
    syc_program_release(program);
    return status;
}

void syc_program_add_families(syc_program *program, syc_families families)
{
    program->families |= families;
}

void syc_program_retain(syc_program *program)
{
    syc_refcount_retain(&program->refs);
}

void syc_program_release(syc_program *program)
{
    if (program == NULL || !syc_refcount_release(&program->refs))
        return;
    for (syc_build *build = program->builds, *next; build != NULL; build = next) {
        next = build->next;
        syc__build_free(build);
    }
    clear_variants(&program->variants);
    syc__recipe_clear(&program->recipe);
    syc_signatures_clear(&program->signatures);
    pthread_cond_destroy(&program->built);
    pthread_mutex_destroy(&program->lock);
    syc_text_clear(&program->prelude);
    syc_text_clear(&program->rewritten.text);
    syc_text_clear(&program->rewritten.view);
    syc_keep_let_go(program->rewritten.what);
    syc_keep_let_go(program->attached);
    syc__scratch_clear(&program->scratch);
    syc__origins_free(program->origins);
    syc_free(program->source);
    syc_free(program->options);
    syc_free(program);
    syc_live_add(SYC_LIVE_PROGRAM, -1);
}

bool syc_program_checks(const syc_program *program, size_t kernel)
{
    return program->scratch.checked && syc__scratch_has(&program->scratch, program->signatures.items[kernel].name);
}

syc_status syc_program_divergence(const syc_program *program, size_t kernel, unsigned dims, const uint32_t *words)
{
    syc_text text = {0};
    const syc__site *site =
        syc__sites_say(&program->scratch.sites, program->signatures.items[kernel].name, dims, words, &text);
    const syc__spot_texts in = {program->origins, NULL, text_of(program), "kernel.cl"};
    syc__spot at = {0};

    if (words[0] == 0)
        return SYC_OK;
    if (site != NULL)
        at = syc__spot_find(&in, &(syc__log_place){.file = {site->call_file, strlen(site->call_file)},
                                                   .line = site->call_line,
                                                   .column = site->call_column});
    return syc__fail_at(SYC_E_KERNEL, SYC_HERE, at.source.text != NULL ? at.source.text : "",
                        (syc__position){(uint32_t)at.number, (uint32_t)at.column}, &text);
}

const char *syc_program_options(const syc_program *program)
{
    return program->options;
}

/* NULL for the context: an empty one. Builds leave the list with the program only, so it is read without the lock. */
static syc_build *find(const syc_program *program, const syc_context *context, unsigned turn)
{
    syc_build *build = atomic_load_explicit(&program->builds, memory_order_acquire);
    while (build != NULL && !(syc_tenant_is_in(&build->tenant, context) && (context == NULL || build->turn == turn)))
        build = build->next;
    return build;
}

/* One for the context, with nothing compiled. */
static syc_status add_locked(syc_program *program, syc_context *context, unsigned turn, syc_build **out)
{
    syc_build *build = find(program, NULL, 0);
    syc_status status = SYC_OK;

    if (build == NULL) {
        SYC_TRY(syc__build_create(program, &build));
        build->next = program->builds;
        program->builds = build;
    }
    build->turn = turn;
    SYC_TRY(syc__build_enter(build, context));
    *out = build;
done:
    return status;
}

static bool is_built(const syc_build *build)
{
    return build != NULL && atomic_load_explicit(&build->state, memory_order_acquire) == SYC__BUILT;
}

/* Out of memory may pass, a compiler's verdict on the text does not. */
static bool may_pass(const syc_failure *failure)
{
    return strcmp(syc_status_errc(syc_failure_detail(failure).status), "build") != 0;
}

/* On a thread of its own. Lets those who wait go on. */
static void compile(void *payload)
{
    syc_build *build = payload;
    syc_program *program = build->program;
    syc_context *context = build->context;
    syc_failure *failure = NULL;
    syc_status status = syc__build_compile(build);
    bool left;

    if (status != SYC_OK)
        (void)syc_failure_capture(status, &failure);
    pthread_mutex_lock(&program->lock);
    build->failure = failure;
    build->state = status == SYC_OK ? SYC__BUILT : SYC__BUILD_FAILED;
    left = build->left;
    build->left = false;
    pthread_cond_broadcast(&program->built);
    pthread_mutex_unlock(&program->lock);
    if (!left)
        return;
    syc_process_resume_work();
    syc_context_release(context);
    syc_program_release(program);
}

static void begin_locked(syc_program *program, syc_build *build)
{
    syc_failure_free(build->failure);
    build->failure = NULL;
    build->state = SYC__BUILDING;
    pthread_mutex_unlock(&program->lock);
    syc_start_deep(compile, build);
    pthread_mutex_lock(&program->lock);
}

/* In the words of whoever wrote it. */
static const char *name_of(const syc_program *program)
{
    const char *body = syc_program_body(program);
    if (body != NULL)
        return body;
    return program->signatures.count > 0 ? program->signatures.items[0].name : "a program";
}

/* The build in its final state. A thread that waited for another's attempt takes its outcome and does not try again. A
 * thread that is called away leaves the compile to itself: it ends as if somebody waited for it. */
static syc_status settle_locked(syc_program *program, syc_build *build)
{
    const bool began =
        build->state == SYC__BUILD_NEEDED || (build->state == SYC__BUILD_FAILED && may_pass(build->failure));
    const syc_awaited awaited = {"building", name_of(program), syc_device_name(build->context->devices[0]),
                                 syc_now_ns(), syc_program_body(program) != NULL};
    const syc_awaited *before = syc_interrupt_awaits(&awaited);
    syc_status status = SYC_OK;

    if (began)
        begin_locked(program, build);
    while (build->state == SYC__BUILDING)
        SYC_TRY(syc_interrupt_wait(&program->built, &program->lock));
done:
    (void)syc_interrupt_awaits(before);
    if (status == SYC_OK)
        return build->state == SYC__BUILT ? SYC_OK : syc_failure_restore(build->failure);
    if (began && build->state == SYC__BUILDING && !build->left) {
        syc_program_retain(program);
        syc_context_retain(build->context);
        build->left = true;
        syc_process_abandon_work();
    }
    return status;
}

static _Atomic(syc_family_settler) settler;

void syc_program_set_settler(syc_family_settler function)
{
    atomic_store(&settler, function);
}

/* How the device library is compiled depends on what its devices get right. No lock is held: that may take a build. */
static syc_status settle_families(const syc_program *program, syc_context *context)
{
    syc_family_settler function = atomic_load(&settler);
    return program->families != 0 && function != NULL ? function(context, program->families) : SYC_OK;
}

syc_status syc_program_build(syc_program *program, syc_context *context, syc_build **out)
{
    return syc_program_build_turned(program, context, 0, out);
}

syc_status syc_program_build_turned(syc_program *program, syc_context *context, unsigned turn, syc_build **out)
{
    syc_build *build = find(program, context, turn);
    syc_status status = syc_process_check();

    if (status == SYC_OK && is_built(build)) { /* every launch but the first */
        *out = build;
        return SYC_OK;
    }
    if (status == SYC_OK)
        status = settle_families(program, context);
    pthread_mutex_lock(&program->lock);
    SYC_TRY(status);
    build = find(program, context, turn);
    if (build == NULL) {
        SYC_CHECK(program->recipe.home == NULL || program->recipe.home->native == context->native, SYC_E_INVALID_OBJECT,
                  "the program was made from a native object, a binary or SPIR-V in another context, and cannot be "
                  "built for this one");
        SYC_TRY(add_locked(program, context, turn, &build));
    }
    SYC_TRY(settle_locked(program, build));
    *out = build;
done:
    pthread_mutex_unlock(&program->lock);
    return status;
}

syc_build *syc_program_known_build(syc_program *program, const syc_context *context, unsigned turn)
{
    syc_build *build = find(program, context, turn);
    return is_built(build) ? build : NULL;
}

bool syc_program_is_built(syc_program *program, const syc_context *context)
{
    return syc_program_known_build(program, context, 0) != NULL;
}
