/* The output of kernels on its way to Python's sys.stdout.
 *
 * The thread that completes a command makes text of its streams' records, on any thread, before anybody can see that it
 * has ended; a thread with the GIL writes it. Everything that waits for commands or asks whether they have ended writes
 * what there is before it answers, so that text is out by then. */
#ifndef SYC_PYTHON_LAUNCH_OUTPUT_H
#define SYC_PYTHON_LAUNCH_OUTPUT_H

#include "base/text.h"

/* Takes the text, which is empty afterwards. No GIL needed. */
void syc_py_output_push(syc_text *text);
/* Writes what has been pushed, and waits for a thread that writes just now. GIL held; cheap when there is nothing. An
 * error that is set stays set. May run arbitrary Python code. */
void syc_py_output_write(void);

#endif
