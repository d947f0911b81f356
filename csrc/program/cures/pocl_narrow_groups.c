/* PoCL 3.0 to 7.1: the first item of groups that are one item wide in dimension 0 does parts between barriers twice.
 * Gone when: tests/regression/test_narrow_groups.py::test_every_item_does_everything_once.
 *
 * Builds for such groups. */
#include "program/cures/pocl_narrow_groups.h"

#include "cl/device.h"
#include "library/embedded.h"
#include "program/recipe.h"

unsigned syc_program_turn(const syc_program *program, size_t kernel, const syc_device *device, const size_t local[3])
{
    if (!device->facts->repeats_first || local[0] != 1 || !program->signatures.items[kernel].waits)
        return 0;
    return local[1] > 1 ? 1 : local[2] > 1 ? 2 : 0;
}

static bool has_text(const syc_program *program)
{
    return program->recipe.kind == SYC__FROM_TEXT || program->recipe.kind == SYC__FROM_OBJECTS;
}

void syc_program_part_groups(const syc_program *program, size_t kernel, const syc_device *device, size_t local[3])
{
    if (syc_program_turn(program, kernel, device, local) > 0 && !has_text(program))
        local[1] = local[2] = 1;
}

void syc_program_turn_sizes(unsigned turn, size_t sizes[3])
{
    size_t first = sizes[0];
    sizes[0] = sizes[turn];
    sizes[turn] = first;
}

/* A linker takes no definitions; the parts of the link have them. */
void syc__turn_options(const syc_build *build, syc_text *options)
{
    if (build->turn > 0 && build->program->recipe.kind == SYC__FROM_TEXT)
        syc_text_add(options, " -D SYC_TURN=%u", build->turn);
}

const char *syc__turn_text(unsigned turn)
{
    return turn > 0 ? syc_kernel_source("turned.clh") : "";
}

syc_status syc__turn_check(const syc_build *build)
{
    if (build->turn == 0 || has_text(build->program))
        return SYC_OK;
    return syc_fail(SYC_E_KERNEL_NOT_SUPPORTED, SYC_HERE,
                    "device '%s' runs work-groups that are one item wide in the last dimension wrongly where a kernel "
                    "waits at barriers, and this kernel was not made from its text, so that it cannot be compiled in "
                    "another way: make the groups wider there, or as long in the last dimension as in another",
                    syc_device_name(build->context->devices[0]));
}
