/* How many runs begin in parts, for the instructions ISA. */
TARGET static void FN(count)(const void *payload, size_t first, size_t past)
{
    /* each part has a number of its own there, behind that of the part before it */
    syc_host_runs *of = (syc_host_runs *)(uintptr_t)payload;
    const bool as_one = of->as_one;
    const T *x = of->keys;
    (void)as_one;
    for (; first < past; first++) {
        const size_t begin = first_of(of, first), end = first_of(of, first + 1);
        size_t found = begin == 0 && end > 0;
        for (size_t k = begin > 0 ? begin : 1; k < end; k++)
            found += OTHER(x[k], x[k - 1]);
        of->before[first + 1] = found;
    }
}
