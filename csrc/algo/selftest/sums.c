/* Trials of reductions of floating-point numbers: in vectors, and of other accuracies than fast. */
#include "algo/selftest/reductions.h"
#include "cl/device.h"

#include <string.h>

/* -- names, of all trials of reductions -- */

syc_name syc__reduced_input(const char *name, const char *type)
{
    return (syc_name){.name = name,
                      .kind = SYC_NAME_GLOBAL,
                      .type = type,
                      .size = strcmp(type, "double") == 0 ? 8 : 4,
                      .readable = true,
                      .rank = 1};
}

syc_name syc__reduced_output(const char *name, const char *type, const syc__reduced *row, bool known)
{
    const bool sum = known && strcmp(name, "most") != 0;
    return (syc_name){
        .name = name,
        .kind = SYC_NAME_REDUCER,
        .type = type,
        .size = strcmp(type, "double") == 0 ? 8 : 4,
        .rank = row->kind == SYC__REDUCED_BINS,
        .op = {.operation = sum ? "plus a + b" : "maximum b > a ? b : a", .known = known},
        .reducer = {.fresh = row->reduced != 0, .array = row->kind == SYC__REDUCED_BINS, .reduced = row->reduced}};
}

/* -- vectors: a sum of logarithms, and where they are meant the largest of their products -- */

static const char real_text[] = "float a = log(w[i]);\n"
                                "sum += a;\n"
                                "if (x[i] < z[i])\n"
                                "    most.combine(a * z[i]);";

static bool is_near(const char *what, double got, double expected, double most, syc_text *words)
{
    const double apart = got > expected ? got - expected : expected - got;
    if (apart <= most) /* no NaN is */
        return true;
    syc_text_add(words, "a %s is %.17g, not %.17g", what, got, expected);
    return false;
}

static double size_of(double a)
{
    return a < 0 ? -a : a;
}

/* Within what the logarithm may be off, and the additions at worst. */
static bool check_reals(const syc__trial *trial, syc_text *words)
{
    double sum = SYC__REDUCED_FIRST, size = SYC__REDUCED_FIRST, most = SYC__REDUCED_FIRST_MOST;
    const float *got[2] = {trial->buffers[3].bytes, trial->buffers[4].bytes};

    for (size_t i = 0; i < SYC__REDUCED_LINE; i++) {
        const double *row = syc__selftest_reals[i % SYC__REAL_ROWS];
        const double product = row[SYC__REAL_LOG] * row[SYC__REAL_Z];
        sum += row[SYC__REAL_LOG];
        size += size_of(row[SYC__REAL_LOG]);
        if (row[SYC__REAL_X] < row[SYC__REAL_Z] && product > most)
            most = product;
    }
    return is_near("sum of logarithms", (double)*got[0], sum, 256 * 0x1p-23 * size, words) &&
           is_near("maximum of products", (double)*got[1], most, 17 * 0x1p-23 * size_of(most), words);
}

static syc_status fill_reals(syc__trial *trial)
{
    float *one = NULL;
    syc_status status = SYC_OK;

    for (size_t column = SYC__REAL_X; column <= SYC__REAL_W; column++) {
        SYC_TRY(syc__trial_buffer(trial, SYC__REDUCED_LINE * sizeof *one, &one));
        for (size_t i = 0; i < SYC__REDUCED_LINE; i++)
            one[i] = (float)syc__selftest_reals[i % SYC__REAL_ROWS][column];
    }
    trial->written = trial->buffer_count;
    SYC_TRY(syc__trial_buffer(trial, sizeof *one, &one));
    *one = SYC__REDUCED_FIRST;
    SYC_TRY(syc__trial_buffer(trial, sizeof *one, &one));
    *one = SYC__REDUCED_FIRST_MOST;
done:
    return status;
}

/* -- other accuracies: numbers that are lost beside large ones -- */

/* `near` is a sum of floats, in which the large ones stay; `same` one of doubles where there are any, from which they
 * go again. Compilers take long for these, so there is one of either kind and not all of both. */
static const char sums_text[] = "near += x[i];\nsame += z[i];";
enum { SUMS = 2 };

static bool is_double(const syc__trial *trial, size_t sum)
{
    return sum == 1 && trial->device->fp64;
}

/* More than any of its neighbours can be added to. */
static double large_of(const syc__trial *trial, size_t sum)
{
    return is_double(trial, sum) ? 0x1p53 : 0x1p24;
}

/* Every accumulator begins with a large number, whatever the shape. What is left of `same` are ones. */
static double number_at(const syc__trial *trial, size_t sum, size_t i)
{
    const size_t at = i % SYC__REDUCED_RUN, all = SYC__REDUCED_LINE / SYC__REDUCED_RUN * SYC__REDUCED_RUN;
    if (i >= all)
        return 1;
    if (at < SYC__REDUCED_WIDTH)
        return large_of(trial, sum);
    return sum == 1 && at >= SYC__REDUCED_RUN - SYC__REDUCED_WIDTH ? -large_of(trial, sum) : 1;
}

static double sum_of(const syc__trial *trial, size_t sum)
{
    double larges = 0, ones = 0;
    for (size_t i = 0; i < SYC__REDUCED_LINE; i++) {
        const double x = number_at(trial, sum, i);
        larges += size_of(x) > 1 ? x : 0;
        ones += size_of(x) > 1 ? 0 : 1;
    }
    return larges + ones;
}

/* kernels/device/reduce_running.clh says how far off they may be; exact ones are rounded once. */
static bool check_sums(const syc__trial *trial, syc_text *words)
{
    static const char *const names[] = {"sum in pairs", "compensated sum"};
    const syc__reduced *row = trial->what;

    for (size_t k = 0; k < SUMS; k++) {
        const void *bytes = trial->buffers[SUMS + k].bytes;
        const double got = is_double(trial, k) ? *(const double *)bytes : (double)*(const float *)bytes;
        const double right = sum_of(trial, k), exact = k == 0 ? 0x1p-24 * right : 0,
                     running = 4 * exact + 4 * (double)k;
        const bool is_exact = row->kind == SYC__REDUCED_EXACT;
        if (!is_near(is_exact ? "exact sum" : names[k], got, right, is_exact ? exact : running, words))
            return false;
    }
    return true;
}

static syc_status fill_sums(syc__trial *trial)
{
    void *bytes = NULL;
    syc_status status = SYC_OK;

    for (size_t k = 0; k < SUMS; k++) {
        const bool wide = is_double(trial, k);
        SYC_TRY(syc__trial_buffer(trial, SYC__REDUCED_LINE * (wide ? sizeof(double) : sizeof(float)), &bytes));
        for (size_t i = 0; i < SYC__REDUCED_LINE; i++)
            if (wide)
                ((double *)bytes)[i] = number_at(trial, k, i);
            else
                ((float *)bytes)[i] = (float)number_at(trial, k, i);
    }
    trial->written = trial->buffer_count;
    for (size_t k = 0; k < SUMS; k++)
        SYC_TRY(syc__trial_buffer(trial, is_double(trial, k) ? sizeof(double) : sizeof(float), &bytes));
done:
    return status;
}

static size_t name_sums(const syc__trial *trial, syc_name *out)
{
    static const char *const inputs[] = {"x", "z"}, *const outputs[] = {"near", "same"};
    const syc__reduced *row = trial->what;
    for (size_t k = 0; k < SUMS; k++) {
        const char *type = is_double(trial, k) ? "double" : "float";
        out[k] = syc__reduced_input(inputs[k], type);
        out[SUMS + k] = syc__reduced_output(outputs[k], type, row, true);
        out[SUMS + k].reducer.fresh = true;
        out[SUMS + k].op.accuracy = row->kind == SYC__REDUCED_EXACT ? SYC_ACCURACY_EXACT
                                    : k == 0                        ? SYC_ACCURACY_PAIRWISE
                                                                    : SYC_ACCURACY_COMPENSATED;
    }
    return 2 * SUMS;
}

/* Of built-ins. */
static size_t name_reals(const syc__reduced *row, syc_name *out)
{
    static const char *const inputs[] = {"x", "z", "w"};
    for (size_t k = 0; k < 3; k++)
        out[k] = syc__reduced_input(inputs[k], "float");
    out[3] = syc__reduced_output("sum", "float", row, true);
    out[4] = syc__reduced_output("most", "float", row, true);
    return 5;
}

syc_status syc__reduced_sums(syc__trial *trial, syc_body_source *source, syc_name names[SYC__REDUCED_NAMES])
{
    const syc__reduced *row = trial->what;

    if (row->kind == SYC__REDUCED_REALS) {
        source->text = real_text;
        source->count = name_reals(row, names);
        trial->check = check_reals;
        return fill_reals(trial);
    }
    source->text = sums_text;
    source->count = name_sums(trial, names);
    trial->check = check_sums;
    return fill_sums(trial);
}
