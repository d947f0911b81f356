/* The fake driver's builds that take as long as a test likes. */
#include "fake_driver.h"

#include <string.h>

static bool held;
static int holding;

void fake_hold_builds(int hold)
{
    fake_lock();
    held = hold != 0;
    fake_changed();
    fake_unlock();
}

int fake_builds_held(void)
{
    int count;
    fake_lock();
    count = holding;
    fake_unlock();
    return count;
}

void fake_be_held(const char *source)
{
    if (strstr(source, "#held") == NULL)
        return;
    holding++;
    while (held)
        fake_wait();
    holding--;
}
