/* Statements of a body that write to streams, in SYCL's own syntax. */
#ifndef SYC_BODY_STREAM_STATEMENTS_H
#define SYC_BODY_STREAM_STATEMENTS_H

#include "base/text.h"
#include "body/traits.h"

/* "out << a << hex << setw(8) << b << endl;", where `out` is a name of kind SYC_NAME_STREAM, as calls of
 * kernels/stream.clh; all else as it is, every line where it was. Of the names, name and kind are read; `out` is set
 * only when there is a stream. SYC_E_BUILD: a statement that is none, with its place. */
syc_status syc_body_write_streams(SYC_KEEP const char *text, SYC_KEEP const syc_name *names, size_t count,
                                  syc_text *out);

#endif
