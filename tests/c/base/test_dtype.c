/* Element types: the formats that stand for vectors, and the words for them. */
#include "base/dtype.h"
#include "check.h"

#include <string.h>

typedef struct row {
    const char *format;
    size_t size;
    const char *word; /* NULL: it is no vector */
} row;

static const row rows[] = {
    {"T{f:s0:f:s1:}", 8, "float2"},
    {"T{f:s0:f:s1:f:s2:}", 16, "float3"},
    {"T{b:s0:b:s1:b:s2:}", 4, "char3"},
    {"T{e:s0:e:s1:e:s2:e:s3:}", 8, "half4"},
    {"T{l:s0:l:s1:}", 16, "long2"},
    {"T{l:s0:l:s1:}", 8, "int2"},
    {"T{Q:s0:Q:s1:Q:s2:Q:s3:Q:s4:Q:s5:Q:s6:Q:s7:}", 64, "ulong8"},
    {"T{H:s0:H:s1:H:s2:H:s3:H:s4:H:s5:H:s6:H:s7:H:s8:H:s9:H:sA:H:sB:H:sC:H:sD:H:sE:H:sF:}", 32, "ushort16"},
    {"T{=f:s0:f:s1:}", 8, "float2"},
    {"T{=f:s0:=f:s1:}", 8, NULL},
    {NULL, 8, NULL},
    {"", 8, NULL},
    {"f", 4, NULL},
    {"T{", 8, NULL},
    {"T{}", 8, NULL},
    {"T{f:s0:}", 4, NULL},
    {"T{f:s0:f:s1:f:s2:}", 12, NULL},
    {"T{f:s0:f:s1:}", 16, NULL},
    {"T{f:s0:f:s1:", 8, NULL},
    {"T{f:s0:f:s1:}f", 8, NULL},
    {"T{f:s0:i:s1:}", 8, NULL},
    {"T{f:s1:f:s0:}", 8, NULL},
    {"T{f:x:f:y:}", 8, NULL},
    {"T{f:s0:f:s1:f:s2:f:s3:f:s4:}", 20, NULL},
    {"T{>f:s0:>f:s1:}", 8, NULL},
    {"T{?:s0:?:s1:}", 2, NULL},
    {"T{Zf:s0:Zf:s1:}", 16, NULL},
    {"T{f:s0:(2)f:s1:}", 12, NULL},
    {"T{B:s0:B:s1:B:s2:B:s3:B:s4:B:s5:B:s6:B:s7:B:s8:B:s9:B:sA:B:sB:B:sC:B:sD:B:sE:B:sF:B:s0:}", 17, NULL},
};

int main(void)
{
    syc_dtype type;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        type = SYC_VOID;
        unsigned width = 0;
        bool found = syc_dtype_from_vector_format(rows[i].format, rows[i].size, &type, &width);
        if (found != (rows[i].word != NULL) ||
            (found && strcmp(syc_dtype_vector_name(type, width), rows[i].word) != 0)) {
            fprintf(stderr, "'%s', %zu: %s\n", rows[i].format ? rows[i].format : "(none)", rows[i].size,
                    found ? syc_dtype_vector_name(type, width) : "no vector");
            check__failures++;
        }
    }
    CHECK(syc_dtype_from_complex_format("Zf", &type) && type == SYC_FLOAT);
    CHECK(syc_dtype_from_complex_format("=Zd", &type) && type == SYC_DOUBLE);
    CHECK(!syc_dtype_from_complex_format(">Zd", &type) && !syc_dtype_from_complex_format("Zdf", &type));
    CHECK(!syc_dtype_from_complex_format("d", &type) && !syc_dtype_from_complex_format(NULL, &type));
    CHECK(strcmp(syc_dtype_vector_name(SYC_DOUBLE, 1), "double") == 0);
    CHECK(strcmp(syc_dtype_vector_name(SYC_UCHAR, 16), "uchar16") == 0);
    CHECK(strcmp(syc_dtype_vector_name(SYC_STRUCT, 1), "struct") == 0);
    return CHECK_EXIT_CODE;
}
