/* Trials of scans: each tries the kernel of its own family, with all that the family's kernels have. */
#include "algo/selftest/parts.h"

#include "scene.h"

static const struct {
    syc_family family;
    const char *has, *lacks;
} trials[] = {
    {SYC_FAMILY_SCAN_VECTORS, "syc_prefix_", "nontemporal"}, {SYC_FAMILY_SCAN_PAST, "nontemporal", "syc_head_"},
    {SYC_FAMILY_SCAN_PAST, "syc_prefix_", "syc_head_"},      {SYC_FAMILY_SCAN_TILES, "syc_scan_ticket", "syc_prefix_"},
    {SYC_FAMILY_SCAN_ROUNDS, "syc_scan_up", "nontemporal"},  {SYC_FAMILY_SCAN_BESIDE, "syc_was_", "syc_scan_ticket"},
};

static const char *text_of(syc__trial *trial, syc_family family)
{
    CHECK_OK(syc__selftest_scan_trial(trial, family));
    return syc_program_source(trial->program, NULL);
}

static void each_tries_its_own_kernel(void)
{
    for (size_t i = 0; i < sizeof trials / sizeof *trials; i++) {
        syc__trial *trial = NULL;
        const char *text;
        CHECK_OK(syc__trial_create(context, device, &trial));
        text = text_of(trial, trials[i].family);
        CHECK(strstr(text, trials[i].has) != NULL);
        CHECK(strstr(text, trials[i].lacks) == NULL);
        syc__trial_release(trial);
    }
}

/* From registers where compilers make vectors of such loops. */
static void past_the_caches_as_the_device_does(void)
{
    static const struct {
        syc_items items;
        bool through;
    } kinds[] = {{SYC_ITEMS_LOOPED, true}, {SYC_ITEMS_PACKED, false}};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        syc_facts facts = *device->facts;
        const syc_facts *found = device->facts;
        syc__trial *trial = NULL;
        facts.items = kinds[i].items;
        device->facts = &facts;
        CHECK_OK(syc__trial_create(context, device, &trial));
        CHECK_EQUAL(strstr(text_of(trial, SYC_FAMILY_SCAN_PAST), "syc_apart") != NULL, kinds[i].through);
        syc__trial_release(trial);
        device->facts = found;
    }
}

/* Rounds of warps have few registers, and read around what they write: so does the trial. */
static void rounds_are_built_as_real_ones(void)
{
    static const struct {
        syc_sub_group_kind kind;
        bool few;
    } kinds[] = {{SYC_SUB_GROUP_PTX, true}, {SYC_SUB_GROUP_EMULATED, false}};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        syc_facts facts = *device->facts;
        const syc_facts *found = device->facts;
        syc__trial *trial = NULL;
        facts.sub_groups = kinds[i].kind;
        device->facts = &facts;
        CHECK_OK(syc__trial_create(context, device, &trial));
        CHECK(strstr(text_of(trial, SYC_FAMILY_SCAN_ROUNDS), "__global const uint *restrict x") != NULL);
        CHECK_EQUAL(strstr(syc_program_options(trial->program), "-cl-nv-maxrregcount=80") != NULL, kinds[i].few);
        syc__trial_release(trial);
        device->facts = found;
    }
}

static void trials_of_scans(void)
{
    open_scene();
    rounds_are_built_as_real_ones();
    each_tries_its_own_kernel();
    past_the_caches_as_the_device_does();
    close_scene();
}

int main(void)
{
    FIND_FAKE_DRIVER;
    CHILD(SHARING, trials_of_scans);
    return CHECK_EXIT_CODE;
}
