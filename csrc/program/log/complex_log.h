/* Errors that come of complex numbers being structs (kernels/complex.clh): what was meant has a name. Inside the core
 * only. */
#ifndef SYC_PROGRAM_LOG_COMPLEX_LOG_H
#define SYC_PROGRAM_LOG_COMPLEX_LOG_H

#include "base/text.h"
#include "source/log_text.h"

/* A line that says what to write instead; none where the message is about something else. */
void syc__complex_log_explain(syc_slice message, syc_text *out);

#endif
