/* Keys of one width as signed words in their order, W, for the instructions ISA: U is the unsigned word, MOST the
 * greatest W. Of floating-point numbers, INFINITE are the bits of infinity: -0.0 is 0.0, and each NaN is MOST. */
#define PASTE_AGAIN(a, b, c) a##_##b##c
#define PASTE(a, b, c)       PASTE_AGAIN(a, b, c)
#define FN(name)             PASTE(name, NAME, ISA)
#define PLAIN(bits)          ((U)((bits) & (U)MOST))
#define SIGNED_WORD(bits)    ((W)(bits))
#define UNSIGNED_WORD(bits)  ((W)((bits) ^ (U) ~(U)MOST))
#define BOOL_WORD(bits)      ((W)((bits) != 0))
#define FLOAT_WORD(bits)     (PLAIN(bits) > INFINITE ? MOST : (bits) > (U)MOST ? (W) - (W)PLAIN(bits) : (W)(bits))

/* With `turn` 0 as they are, with -1 in the other order, NaN still last. */
TARGET static void FN(words)(syc_host_order order, W turn, const U *keys, size_t count, W *words)
{
    switch (order) {
#ifdef INFINITE
    case SYC_HOST_ORDER_FLOAT:
        for (size_t k = 0; k < count; k++)
            words[k] = PLAIN(keys[k]) > INFINITE ? MOST : (W)(FLOAT_WORD(keys[k]) ^ turn);
        break;
#endif
    case SYC_HOST_ORDER_UNSIGNED:
        for (size_t k = 0; k < count; k++)
            words[k] = (W)(UNSIGNED_WORD(keys[k]) ^ turn);
        break;
    case SYC_HOST_ORDER_BOOL:
        for (size_t k = 0; k < count; k++)
            words[k] = (W)(BOOL_WORD(keys[k]) ^ turn);
        break;
    default:
        for (size_t k = 0; k < count; k++)
            words[k] = (W)(SIGNED_WORD(keys[k]) ^ turn);
    }
}
