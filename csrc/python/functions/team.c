/* The team's size as the environment says it, and what tests ask of it. */
#include "base/team.h"
#include "python/pins.h"

#include <stdlib.h>

void syc_py_team_init(void)
{
    const char *text = getenv("PYSYCL_TEAM");
    unsigned long most;
    char *end;

    if (text == NULL || text[0] == '\0')
        return;
    most = strtoul(text, &end, 10);
    if (text[0] < '0' || text[0] > '9' || *end != '\0')
        syc_report(syc_fail(SYC_E_INVALID_PARAMETER, SYC_HERE,
                            "PYSYCL_TEAM is \"%s\", not a number of threads, or 0 for none: it is ignored", text));
    else
        syc_team_limit(most);
}

static PyObject *team_insist(PyObject *module, PyObject *args)
{
    unsigned long most;
    int insist;
    (void)module;
    if (!PyArg_ParseTuple(args, "kp:team_insist", &most, &insist))
        return NULL;
    syc_team_limit(most);
    syc_team_insist(insist != 0);
    Py_RETURN_NONE;
}

static PyObject *team_counts(PyObject *module, PyObject *unused)
{
    syc_team_counts counts;
    (void)module, (void)unused;
    syc_team_count(&counts);
    return Py_BuildValue("(KKK)", (unsigned long long)counts.jobs, (unsigned long long)counts.helped,
                         (unsigned long long)counts.closings);
}

PyMethodDef syc_team_methods[] = {
    {"team_insist", team_insist, METH_VARARGS,
     PyDoc_STR("team_insist($module, most, insist, /)\n--\n\nFor tests: threads at most, and whether they are as many "
               "whatever the machine does.")},
    {"team_counts", team_counts, METH_NOARGS,
     PyDoc_STR("team_counts($module, /)\n--\n\nJobs that the team has done, those of them that others than the calling "
               "thread helped with, and how often it was closed.")},
    {NULL, NULL, 0, NULL},
};
