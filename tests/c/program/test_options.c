/* The options that a driver is given to build a program with. */
#include "scene.h"

#include "cl/constants.h"

/* What the driver is told to build a program with. */
static void is_built_with(const char *source, const char *options, const char *end)
{
    syc_program *made = NULL;
    syc_build *build = NULL;
    char told[1024] = "";
    CHECK_OK(syc_program_create(source, strlen(source), options, &made));
    CHECK_OK(syc_program_build(made, context, &build));
    CHECK_EQUAL(syc_context_cl(context)->GetProgramBuildInfo(syc_build_native(build),
                                                             context->devices[0]->lanes[SYC_LANE_POOL],
                                                             CL_PROGRAM_BUILD_OPTIONS, sizeof told, told, NULL),
                0);
    CHECK(strlen(told) >= strlen(end));
    CHECK_STRING(told + strlen(told) - strlen(end), end);
    syc_program_release(made);
}

static const char plain[] = "kernel void bump(global uint *y, uint n) { }",
                  with_library[] = "kernel void bump(global uint *y, uint n) { y[global_id(0)] = 1; }",
                  with_groups[] =
                      "kernel void bump(global uint *y, uint n) { y[0] = group_reduce(work_group, n, plus); }";

/* NVIDIA's compiler takes the library's macros only where the language is its own default. */
static void strict_compilers_are_not_told_the_default_language(void)
{
    open_scene();
    is_built_with(plain, "-DX=1 -cl-std=CL1.2", "-DX=1 -cl-std=CL1.2");
    is_built_with(with_library, "-DX=1 -cl-std=CL1.2", "-DX=1");
    is_built_with(with_library, "-cl-std=CL1.2\t-cl-mad-enable", "\t-cl-mad-enable");
    is_built_with(with_library, "-cl-std=CL1.20 -cl-std=CL3.0", "-cl-std=CL1.20 -cl-std=CL3.0");
    is_built_with(with_groups, "-cl-std=CL1.2 -DSYC_GROUP_SHAPE=3", "SYC_SCRATCH_WORDS=1280  -DSYC_GROUP_SHAPE=3");
    close_scene();
}

static void others_are(void)
{
    open_scene();
    is_built_with(with_library, "-DX=1 -cl-std=CL1.2", "-DX=1 -cl-std=CL1.2");
    close_scene();
}

int main(void)
{
    FIND_FAKE_DRIVER;
    CHILD("FAKE_PLATFORM_NAME=NVIDIA CUDA;FAKE_TYPE=gpu", strict_compilers_are_not_told_the_default_language);
    CHILD(SHARING, others_are);
    return CHECK_EXIT_CODE;
}
