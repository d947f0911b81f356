/* Claims against a launch: intervals of sums over the box that ids and loop variables lie in. Sums that no int64_t
 * holds are told nothing of. */
#include "body/reach/claims.h"

/* The means to look at one claim. `kind`: by which variables work-items are told from each other; all others are
 * sums of these. */
struct work {
    const struct syc__reach *reach;
    const syc_reach_launch *launch;
    unsigned kind;
    bool told; /* the interval of the last claim's sum, and which sum that was */
    syc__reach_part sum;
    int64_t least, most;
    int64_t low[SYC__REACH_VARIABLES], high[SYC__REACH_VARIABLES];
};

/* A sum with all that the launch knows put in. */
struct form {
    int64_t constant;
    uint32_t variables; /* bits */
    int64_t factors[SYC__REACH_VARIABLES];
};

/* How it stands with a place or a claim. */
enum verdict { REACHED, NOT_REACHED, UNTOLD };

static int64_t size_of(const size_t *sizes, unsigned dims, unsigned d)
{
    return d < dims ? (int64_t)sizes[dims - 1 - d] : 1;
}

static int64_t raw_size_of(const size_t *sizes, unsigned dims, unsigned d)
{
    return d < dims ? (int64_t)sizes[d] : 1;
}

/* -- what is known -- */

static bool value_of(const syc_reach_launch *l, unsigned known, int64_t *out)
{
    unsigned d = (known - SYC__REACH_RANGE) % 3;
    if (known < SYC__REACH_RANGE) {
        *out = l->numbers[known];
        return !(l->unknown >> known & 1);
    }
    if (known >= SYC__REACH_LOCAL_RANGE &&
        (!l->grouped || (d < l->dims && (l->local[d] == 0 || l->local[l->dims - 1 - d] == 0))))
        return false;
    if (known < SYC__REACH_RAW_RANGE)
        *out = size_of(l->global, l->dims, d);
    else if (known < SYC__REACH_LOCAL_RANGE)
        *out = raw_size_of(l->global, l->dims, d);
    else if (known < SYC__REACH_RAW_LOCAL_RANGE)
        *out = size_of(l->local, l->dims, d);
    else if (known < SYC__REACH_GROUP_RANGE)
        *out = raw_size_of(l->local, l->dims, d);
    else if (known < SYC__REACH_RAW_GROUP_RANGE)
        *out = size_of(l->global, l->dims, d) / size_of(l->local, l->dims, d);
    else
        *out = raw_size_of(l->global, l->dims, d) / raw_size_of(l->local, l->dims, d);
    return true;
}

/* -- forms -- */

static inline bool add_product(int64_t *sum, int64_t a, int64_t b)
{
    int64_t product;
    return !__builtin_mul_overflow(a, b, &product) && !__builtin_add_overflow(*sum, product, sum);
}

static inline bool add_to(struct form *f, unsigned variable, int64_t factor)
{
    if (!(f->variables >> variable & 1)) {
        f->variables |= 1u << variable;
        f->factors[variable] = 0;
    }
    return !__builtin_add_overflow(f->factors[variable], factor, &f->factors[variable]);
}

static bool add_id(const struct work *w, struct form *f, unsigned d, int64_t factor)
{
    const syc_reach_launch *l = w->launch;
    int64_t of_group;
    if (w->kind != SYC__REACH_BY_GROUP)
        return add_to(f, SYC__REACH_ID + d, factor);
    return !__builtin_mul_overflow(factor, size_of(l->local, l->dims, d), &of_group) &&
           add_product(&f->constant, factor, (int64_t)l->offset[l->dims - 1 - d]) &&
           add_to(f, SYC__REACH_GROUP + d, of_group) && add_to(f, SYC__REACH_LOCAL + d, factor);
}

/* SYCL's formula; an nd-range's linear id does not count its offset. */
static bool add_linear(const struct work *w, struct form *f, int64_t factor)
{
    const syc_reach_launch *l = w->launch;
    if (w->kind == SYC__REACH_BY_LINEAR)
        return add_to(f, SYC__REACH_LINEAR, factor);
    for (unsigned d = l->dims; d-- > 0;) {
        if (!add_id(w, f, d, factor) ||
            (l->grouped && !add_product(&f->constant, -factor, (int64_t)l->offset[l->dims - 1 - d])) ||
            __builtin_mul_overflow(factor, size_of(l->global, l->dims, d), &factor))
            return false;
    }
    return true;
}

/* A dimension that the range lacks has one id, 0. */
static bool add_variable(const struct work *w, struct form *f, unsigned variable, int64_t factor)
{
    unsigned dims, d;
    bool raw;

    if (variable == SYC__REACH_NOTHING)
        return !__builtin_add_overflow(f->constant, factor, &f->constant);
    if (variable >= SYC__REACH_LOOP)
        return add_to(f, variable, factor);
    if (variable == SYC__REACH_LINEAR)
        return add_linear(w, f, factor);
    dims = w->launch->dims;
    d = (variable - SYC__REACH_ID) % 3;
    if (d >= dims)
        return true;
    raw = (variable - SYC__REACH_ID) / 3 % 2 == 1;
    if (variable < SYC__REACH_LOCAL)
        return add_id(w, f, raw ? dims - 1 - d : d, factor);
    return add_to(f, (variable < SYC__REACH_GROUP ? SYC__REACH_LOCAL : SYC__REACH_GROUP) + (raw ? dims - 1 - d : d),
                  factor);
}

static bool make_form(const struct work *w, syc__reach_part sum, struct form *out)
{
    const syc__reach_term *term = w->reach->terms + sum.first;
    out->constant = 0;
    out->variables = 0;
    for (const syc__reach_term *end = term + sum.count; term < end; term++) {
        int64_t factor = term->factor, known;
        for (unsigned k = 0; k < term->count; k++)
            if (!value_of(w->launch, term->known[k], &known) || __builtin_mul_overflow(factor, known, &factor))
                return false;
        if (!add_variable(w, out, term->variable, factor))
            return false;
    }
    return true;
}

static bool find_interval(const struct work *w, const struct form *f, int64_t *low, int64_t *high)
{
    *low = *high = f->constant;
    for (uint32_t left = f->variables; left != 0; left &= left - 1) {
        unsigned v = (unsigned)__builtin_ctz(left);
        int64_t factor = f->factors[v];
        if (!add_product(low, factor, factor < 0 ? w->high[v] : w->low[v]) ||
            !add_product(high, factor, factor < 0 ? w->low[v] : w->high[v]))
            return false;
    }
    return true;
}

/* -- what C's types hold -- */

static bool fits(const struct work *w, syc__reach_part part)
{
    struct form form;
    int64_t low, high;
    if (part.count == 0)
        return true;
    for (uint32_t i = part.first; i < part.first + part.count; i++) {
        const syc__reach_fit *fit = &w->reach->fits[i];
        const unsigned bits = 8 * (unsigned)syc_dtype_size(fit->type);
        const bool has_sign = syc_dtype_kind(fit->type) == 'i';
        if (!make_form(w, fit->sum, &form) || !find_interval(w, &form, &low, &high) || (!has_sign && low < 0))
            return false;
        if (bits < 64 && (high >> (bits - has_sign) > 0 || low < -(INT64_C(1) << (bits - 1))))
            return false;
    }
    return true;
}

/* -- conditions -- */

static int64_t floor_of(int64_t a, int64_t b)
{
    if (b == 1) /* what it mostly is; a division of 64 bits takes as long as all else */
        return a;
    return a / b - (a % b != 0 && (a < 0) != (b < 0));
}

/* One variable alone: factor * v + constant. */
static enum verdict narrow(struct work *w, syc__reach_relation relation, const struct form *f, unsigned v)
{
    const int64_t factor = f->factors[v], rest = f->constant;
    if (rest <= INT64_MIN / 2 || rest >= INT64_MAX / 2 || factor <= INT64_MIN / 2)
        return UNTOLD;
    if (relation == SYC__REACH_NEGATIVE && factor > 0) {
        int64_t most = floor_of(-rest - 1, factor);
        w->high[v] = most < w->high[v] ? most : w->high[v];
    } else if (relation == SYC__REACH_NEGATIVE) {
        int64_t least = floor_of(rest, -factor) + 1;
        w->low[v] = least > w->low[v] ? least : w->low[v];
    } else if (relation == SYC__REACH_ZERO) {
        int64_t only = -rest / factor;
        if (-rest % factor != 0 || only < w->low[v] || only > w->high[v])
            return NOT_REACHED;
        w->low[v] = w->high[v] = only;
    } else if (factor == 1 || factor == -1 || -rest % factor == 0) {
        w->low[v] += w->low[v] == -rest / factor;
        w->high[v] -= w->high[v] == -rest / factor;
    }
    return w->low[v] <= w->high[v] ? REACHED : NOT_REACHED;
}

/* Several variables, or none: all of the box, or nothing of it. */
static enum verdict decide(const struct work *w, syc__reach_relation relation, const struct form *f)
{
    int64_t low, high;
    bool always, never;
    if (!find_interval(w, f, &low, &high))
        return UNTOLD;
    always = relation == SYC__REACH_NEGATIVE ? high < 0 : low == 0 && high == 0;
    never = relation == SYC__REACH_NEGATIVE ? low >= 0 : low > 0 || high < 0;
    if (relation == SYC__REACH_OTHER)
        return never ? REACHED : always ? NOT_REACHED : UNTOLD;
    return always ? REACHED : never ? NOT_REACHED : UNTOLD;
}

static enum verdict apply(struct work *w, const syc__reach_guard *guard)
{
    struct form form;
    unsigned variable = 0, count = 0;

    if (!make_form(w, guard->sum, &form))
        return UNTOLD;
    for (uint32_t left = form.variables; left != 0; left &= left - 1) {
        const unsigned v = (unsigned)__builtin_ctz(left);
        variable = form.factors[v] != 0 ? v : variable;
        count += form.factors[v] != 0;
    }
    return count == 1 ? narrow(w, guard->relation, &form, variable) : decide(w, guard->relation, &form);
}

/* A condition that cuts an end off an interval may let another condition cut more. */
static enum verdict apply_all(struct work *w, const syc__reach_place *place)
{
    bool again = false;
    for (uint32_t round = 0; round == 0 || (again && round <= place->guards.count); round++) {
        for (uint32_t i = 0; i < place->guards.count; i++) {
            const syc__reach_guard *guard = &w->reach->guards[w->reach->order[place->guards.first + i]];
            enum verdict verdict = round > 0 || fits(w, guard->fits) ? apply(w, guard) : UNTOLD;
            if (verdict != REACHED)
                return verdict;
            again = again || guard->relation == SYC__REACH_OTHER;
        }
    }
    return REACHED;
}

/* -- where work-items are -- */

static void bound(struct work *w, unsigned variable, int64_t low, int64_t count)
{
    w->low[variable] = low;
    w->high[variable] = low + count - 1;
}

/* i takes all values between its least and its largest, whatever the dimensions. */
static bool bound_linear(struct work *w)
{
    const syc_reach_launch *l = w->launch;
    int64_t first = 0, count = 1;
    for (unsigned d = l->dims; d-- > 0;) {
        const int64_t size = (int64_t)l->global[d], offset = l->grouped ? 0 : (int64_t)l->offset[d];
        if (__builtin_mul_overflow(count, size, &count) || __builtin_mul_overflow(first, size, &first) ||
            __builtin_add_overflow(first, offset, &first))
            return false;
    }
    bound(w, SYC__REACH_LINEAR, first, count);
    return first <= INT64_MAX / 4 && count <= INT64_MAX / 4;
}

static bool bound_items(struct work *w)
{
    const syc_reach_launch *l = w->launch;

    if (w->kind == SYC__REACH_BY_LINEAR)
        return bound_linear(w);
    for (unsigned d = 0; d < l->dims; d++) {
        const int64_t size = size_of(l->global, l->dims, d), offset = size_of(l->offset, l->dims, d);
        const int64_t local = w->kind == SYC__REACH_BY_GROUP ? size_of(l->local, l->dims, d) : 1;
        if (size > INT64_MAX / 4 || offset > INT64_MAX / 4 || local < 1)
            return false;
        if (w->kind == SYC__REACH_BY_ID) {
            bound(w, SYC__REACH_ID + d, offset, size);
            continue;
        }
        if (size % local != 0)
            return false;
        bound(w, SYC__REACH_LOCAL + d, 0, local);
        bound(w, SYC__REACH_GROUP + d, 0, size / local);
    }
    return true;
}

static enum verdict bound_loops(struct work *w, int loop)
{
    struct form form;
    enum verdict verdict;
    if (loop < 0)
        return REACHED;
    verdict = bound_loops(w, w->reach->loops[loop].outer);
    if (verdict != REACHED)
        return verdict;
    if (!make_form(w, w->reach->loops[loop].span, &form) || form.variables != 0)
        return UNTOLD;
    if (form.constant < 0)
        return NOT_REACHED;
    if (form.constant > INT64_MAX / 4)
        return UNTOLD;
    bound(w, SYC__REACH_LOOP + (unsigned)loop, 0, floor_of(form.constant, w->reach->loops[loop].step) + 1);
    return fits(w, w->reach->loops[loop].fits) ? REACHED : UNTOLD;
}

static enum verdict enter(struct work *w, const syc__reach_place *place)
{
    enum verdict verdict = bound_items(w) ? bound_loops(w, place->loop) : UNTOLD;
    return verdict == REACHED ? apply_all(w, place) : verdict;
}

/* -- claims -- */

static uint64_t limit_of(const struct work *w, const syc__reach_claim *claim)
{
    return claim->parts > 1 ? w->launch->shapes[claim->array][claim->part] : w->launch->lengths[claim->array];
}

/* Claims beside each other mostly have one sum. */
static bool find_sum(struct work *w, syc__reach_part sum)
{
    struct form form;
    if (sum.first != w->sum.first || sum.count != w->sum.count) {
        w->sum = sum;
        w->told = make_form(w, sum, &form) && find_interval(w, &form, &w->least, &w->most);
    }
    return w->told;
}

static bool is_outside(struct work *w, const syc__reach_claim *claim, syc__reach_fault *out)
{
    const uint64_t limit = limit_of(w, claim);
    int64_t low, high;

    if (!fits(w, claim->fits) || !find_sum(w, claim->sum) || __builtin_add_overflow(w->least, claim->number, &low) ||
        __builtin_add_overflow(w->most, claim->number, &high) || high > INT64_MAX - claim->width)
        return false;
    high += claim->width - 1;
    if (low >= 0 && (uint64_t)high < limit)
        return false;
    *out = (syc__reach_fault){claim, high >= 0 && (uint64_t)high >= limit ? high : low, limit};
    return true;
}

static bool is_empty(const syc_reach_launch *launch)
{
    for (unsigned d = 0; d < launch->dims; d++)
        if (launch->global[d] == 0)
            return true;
    return false;
}

bool syc__reach_find(const struct syc__reach *reach, const syc_reach_launch *launch, syc__reach_fault *out)
{
    struct work w;
    uint32_t place = UINT32_MAX;
    enum verdict verdict = UNTOLD;

    if (is_empty(launch))
        return false;
    w.reach = reach;
    w.launch = launch;
    w.kind = 0;
    for (size_t i = 0; i < reach->claim_count; i++) {
        const syc__reach_claim *claim = &reach->claims[i];
        if (claim->kind == SYC__REACH_BY_GROUP && !launch->grouped)
            continue;
        if (claim->place != place || claim->kind != w.kind) {
            w.kind = claim->kind;
            w.sum = (syc__reach_part){0, UINT32_MAX}; /* another box */
            place = claim->place;
            verdict = enter(&w, &reach->places[place]);
        }
        if (verdict == REACHED && is_outside(&w, claim, out))
            return true;
    }
    return false;
}
