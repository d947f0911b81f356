/* Launches of bodies held against the sizes of their arguments, before anything is submitted (body/reach/reach.h). */
#ifndef SYC_PYTHON_BODY_REACH_H
#define SYC_PYTHON_BODY_REACH_H

#include "python/body/body.h"

/* A launch's check, kept for later ones that only change some of its arguments. */
typedef struct syc_py_reach {
    syc_body *body; /* retained */
    syc_reach_launch launch;
} syc_py_reach;

/* The arguments are converted, the range is known. -1 with BoundsError set. Where the queue is recorded, the launch
 * keeps what replays need. */
int syc_py_reach_check(const syc_py_scope *scope, SYC_KEEP const syc_py_body_use *use, syc_py_launch *launch);
/* The same of a launch that has passed: *out is NULL where the text claims nothing. -1 with MemoryError set. */
int syc_py_reach_keep(SYC_KEEP const syc_py_body_use *use, SYC_KEEP const syc_py_launch *launch,
                      SYC_GIVE syc_py_reach **out);
void syc_py_reach_free(SYC_TAKE syc_py_reach *reach); /* NULL is fine */

/* Sets the body's argument number `index` to the value or the size of another. */
void syc_py_reach_set(SYC_KEEP const syc_py_reach *reach, size_t index, SYC_KEEP const syc_argument *argument,
                      syc_reach_launch *launch);
/* The same for memory of which the launch has a part, or all, by an accessor. -1 with an error set: the body was made
 * for another kind of accessor. */
int syc_py_reach_set_part(syc_state *state, SYC_KEEP const syc_py_reach *reach, size_t index,
                          SYC_KEEP const syc_py_given *part, syc_reach_launch *launch);
/* Holds it against the sizes. -1 with BoundsError set. */
int syc_py_reach_check_launch(syc_state *state, SYC_KEEP const syc_py_reach *reach,
                              SYC_KEEP const syc_reach_launch *launch);
/* The same for a task that launches it with `count` other numbers, the body's arguments `at`. Where the queue is
 * recorded, the task keeps what replays need. */
int syc_py_reach_check_numbers(QueueObject *queue, SYC_KEEP const syc_py_reach *reach, const Py_ssize_t *at,
                               const char (*bytes)[8], Py_ssize_t count, syc_py_task *task);
/* Lets the task keep a copy for the replays of its queue's recording: NULL with an error set. */
const syc_py_reach *syc_py_reach_record(syc_py_task *task, SYC_KEEP const syc_body *body,
                                        SYC_KEEP const syc_reach_launch *launch);

#endif
