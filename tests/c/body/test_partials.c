/* Memory for partial results: pieces that go round, are shared where many are in use, and are zeros when they are new.
 */
#include "body/partials.h"
#include "body/shape.h"

#include "buffers.h"

enum { PIECES = 8, LARGE = (4 << 20) + 1, LARGE_PIECES = 2 };

static const syc_context elsewhere = {.lasts = true}, passing = {.lasts = false};

static syc_buffer *take(syc_partials *partials, const syc_context *in, size_t bytes)
{
    syc_buffer *piece = NULL;
    CHECK_OK(syc_partials_take(partials, in, bytes, &piece));
    CHECK(piece != NULL && piece->bytes >= bytes);
    return piece;
}

static syc_partials *open_pieces(void)
{
    syc_partials *partials = NULL;
    open_scene();
    context->lasts = true;
    CHECK_OK(syc_partials_create(&partials));
    return partials;
}

static void put_away(syc_partials *partials)
{
    syc_partials_free(partials);
    close_scene();
}

static void pieces_go_round(void)
{
    syc_partials *partials = open_pieces();
    syc_buffer *first = take(partials, context, 300), *second = take(partials, context, 300);

    CHECK(first != second);
    syc_buffer_release(first);
    CHECK(take(partials, context, 200) == first); /* it is large enough */
    syc_buffer_release(first);
    syc_buffer_release(second);
    second = take(partials, context, 5000); /* no idle one is */
    CHECK(second->bytes == 5000);
    syc_buffer_release(second);
    put_away(partials);
}

/* Where all are in use, launches take turns with one that is large enough; with none, a launch gets its own. */
static void pieces_are_shared(void)
{
    syc_partials *partials = open_pieces();
    syc_buffer *pieces[PIECES], *more, *own, *other;
    bool is_one = false;

    for (int i = 0; i < PIECES; i++)
        pieces[i] = take(partials, context, 300);
    more = take(partials, context, 300);
    for (int i = 0; i < PIECES; i++)
        is_one = is_one || pieces[i] == more;
    CHECK(is_one);
    own = take(partials, context, 301);
    other = take(partials, &elsewhere, 300); /* another context's */
    for (int i = 0; i < PIECES; i++) {
        CHECK(pieces[i] != own && pieces[i] != other);
        syc_buffer_release(pieces[i]);
    }
    CHECK(own != other);
    syc_buffer_release(more);
    syc_buffer_release(own);
    syc_buffer_release(other);
    put_away(partials);
}

/* What copies of arrays take is not kept eight times. */
static void large_pieces_are_few(void)
{
    syc_partials *partials = open_pieces();
    syc_buffer *pieces[LARGE_PIECES], *more, *small;
    const char *bytes;

    for (int i = 0; i < LARGE_PIECES; i++)
        pieces[i] = take(partials, context, LARGE);
    CHECK(pieces[0] != pieces[1]);
    more = take(partials, context, LARGE);
    CHECK(more == pieces[0] || more == pieces[1]);
    syc_buffer_release(more);
    more = take(partials, context, LARGE + 1);
    CHECK(more != pieces[0] && more != pieces[1]);
    small = take(partials, context, 300);
    CHECK(small->bytes == 300);
    bytes = more->host;
    for (size_t i = 0; i < LARGE; i++)
        if (bytes[i] != 0 && i / sizeof(uint32_t) != SYC_PARTIALS_SIZE) /* the one word that says how much there is */
            check__failures++;
    syc_buffer_release(small);
    syc_buffer_release(more);
    for (int i = 0; i < LARGE_PIECES; i++)
        syc_buffer_release(pieces[i]);
    put_away(partials);
}

/* The pool is as it was, and not locked. */
static void memory_ends(void)
{
    syc_partials *partials = open_pieces();
    syc_buffer *piece = NULL;

    for (long n = 1; n <= 3; n++) {
        syc_alloc_fail_at(n);
        CHECK(syc_partials_take(partials, context, 300, &piece) == SYC_E_MEMORY_ALLOCATION || piece != NULL);
        syc_alloc_fail_at(0);
        if (piece != NULL)
            break;
    }
    syc_buffer_release(piece);
    syc_buffer_release(take(partials, context, 300));
    put_away(partials);
}

static void pieces_of_a_context_that_may_end_are_not_kept(void)
{
    syc_partials *partials = open_pieces();
    syc_buffer *piece = take(partials, &passing, 300);
    long before = atomic_load(&piece->refs.count);

    CHECK_EQUAL(before, 1); /* its user's */
    syc_buffer_release(piece);
    put_away(partials);
}

int main(void)
{
    FIND_FAKE_DRIVER;
    ON_EVERY_DEVICE(pieces_go_round);
    ON_EVERY_DEVICE(pieces_are_shared);
    ON_EVERY_DEVICE(large_pieces_are_few);
    ON_EVERY_DEVICE(memory_ends);
    ON_EVERY_DEVICE(pieces_of_a_context_that_may_end_are_not_kept);
    return CHECK_EXIT_CODE;
}
