/* Operands of one copy or fill: bytes of them, and whether two go together. */
#include "python/memory/operand.h"

#include "python/memory/describe.h"
#include "python/memory/region.h"

int syc_py_operand_cut(syc_state *state, const syc_py_role *role, syc_py_operand *operand, size_t bytes)
{
    if (operand->side.bytes < bytes) {
        syc_py_invalid(state, "%s: %s is %s of %zu bytes, and %zu are to be %s", role->call, role->name, operand->noun,
                       operand->side.bytes, bytes, role->done);
        return -1;
    }
    if (operand->side.bytes == bytes)
        return 0;
    if (operand->side.kind == SYC_SIDE_ARRAY && !operand->side.array.packed) {
        syc_py_invalid(state,
                       "%s: %s is an array of %zu bytes that does not lie in one piece, so that its first %zu cannot "
                       "stand for it: pass an array of the right size",
                       role->call, role->name, operand->side.bytes, bytes);
        return -1;
    }
    operand->side.array.bytes = bytes;
    operand->side.bytes = bytes;
    return 0;
}

bool syc_py_operand_is_raw(const syc_py_operand *operand)
{
    const char *format = operand->format;
    if (*format == '@' || *format == '=' || *format == '<' || *format == '>' || *format == '!')
        format++;
    return operand->item == 1 && strchr("Bbcs", *format) != NULL;
}

/* Formats of the same elements. How an exporter says "as on this machine" depends on the array: NumPy begins the format
 * of a misaligned one with '='. */
static bool same_format(const char *a, const char *b)
{
    static const char *const native = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? "@=^<" : "@=^>!";
    for (;; a++, b++) {
        a += strspn(a, native);
        b += strspn(b, native);
        if (*a != *b || *a == '\0')
            return *a == *b;
    }
}

static bool same_type(const syc_py_operand *a, const syc_py_operand *b)
{
    syc_dtype x, y;
    if (syc_dtype_from_format(a->format, a->item, &x) && syc_dtype_from_format(b->format, b->item, &y))
        return x == y;
    return a->item == b->item && same_format(a->format, b->format);
}

int syc_py_operands_match(syc_state *state, const char *call, const syc_py_operand *to, const syc_py_operand *from)
{
    const char *a = syc_py_dtype_word(from->format, (Py_ssize_t)from->item);
    const char *b = syc_py_dtype_word(to->format, (Py_ssize_t)to->item);

    if (same_type(to, from) || syc_py_operand_is_raw(to) || syc_py_operand_is_raw(from))
        return 0;
    if (strcmp(a, b) == 0) { /* two structs, say */
        a = from->format;
        b = to->format;
    }
    syc_py_invalid(state,
                   "%s: src is %s of %s, dest is %s of %s: nothing is converted; one of the two may be raw bytes%s",
                   call, from->noun, a, to->noun, b, to->ranged && from->ranged ? ": buffer.reinterpret(\"u1\")" : "");
    return -1;
}

/* -- two accessors or buffers -- */

/* Bytes that nobody has given a shape. */
static bool is_bytes(const syc_py_operand *operand)
{
    return operand->image == NULL && operand->rank == 1 && syc_py_operand_is_raw(operand);
}

static bool same_shape(const syc_py_operand *a, const syc_py_operand *b)
{
    unsigned i = 0, j = 0;
    for (;; i++, j++) {
        while (i < a->rank && a->shape[i] == 1)
            i++;
        while (j < b->rank && b->shape[j] == 1)
            j++;
        if (i == a->rank || j == b->rank || a->shape[i] != b->shape[j])
            return i == a->rank && j == b->rank;
    }
}

static bool same_image(const syc_image_shape *a, const syc_image_shape *b)
{
    return a->rank == b->rank && memcmp(a->extent, b->extent, sizeof a->extent) == 0 && a->order == b->order &&
           a->type == b->type;
}

static int refuse_shapes(syc_state *state, const char *call, const syc_py_operand *to, const syc_py_operand *from)
{
    PyObject *there = syc_py_sizes_tuple(to->shape, to->rank), *here = syc_py_sizes_tuple(from->shape, from->rank);
    if (there != NULL && here != NULL)
        syc_py_invalid(state,
                       "%s: src is %s of the shape %R, dest is %s of the shape %R: nothing is broadcast or cut; say "
                       "which part with range= and offset=, or copy raw bytes: buffer.reinterpret(\"u1\")",
                       call, from->noun, here, to->noun, there);
    Py_XDECREF(there);
    Py_XDECREF(here);
    return -1;
}

int syc_py_operands_agree(syc_state *state, const char *call, const syc_py_operand *to, const syc_py_operand *from)
{
    bool raw = is_bytes(to) || is_bytes(from), image = to->image != NULL || from->image != NULL;

    if (to->image != NULL && from->image != NULL && !same_image(to->image, from->image)) {
        syc_py_invalid(state, "%s: src and dest are images of different ranges or formats", call);
        return -1;
    }
    if (from->side.bytes < to->side.bytes && (raw || image)) {
        syc_py_invalid(state, "%s: src has %zu bytes, fewer than the %zu of dest", call, from->side.bytes,
                       to->side.bytes);
        return -1;
    }
    if (from->side.bytes > to->side.bytes && image && (from->image != NULL || !raw)) {
        syc_py_invalid(state, "%s: src has %zu bytes, more than the %zu of dest: an image is copied whole", call,
                       from->side.bytes, to->side.bytes);
        return -1;
    }
    if (raw || image)
        return 0;
    if (syc_py_operands_match(state, call, to, from) < 0)
        return -1;
    return same_shape(to, from) ? 0 : refuse_shapes(state, call, to, from);
}
