/* The private memory that a text surely asks for: what counts, what does not, and where the largest of it stands. */
#include "source/declarations/signature.h"

#include "check.h"

/* What the last kernel's items surely have of their own, and where the largest of it is. */
static void check_private(int line, const char *source, const char *options, size_t bytes, size_t column)
{
    syc_signatures s = {0};
    const syc_signature *k = NULL;
    CHECK_OK(syc_signatures_parse(source, strlen(source), options, &s));
    k = s.count > 0 ? &s.items[s.count - 1] : NULL;
    if (k == NULL || k->private_bytes != bytes || k->private_column != column) {
        fprintf(stderr, "%s:%d: '%s': %zu bytes, at column %zu\n", __FILE__, line, source, k ? k->private_bytes : 0,
                k ? k->private_column : 0);
        check__failures++;
    }
    syc_signatures_clear(&s);
}

#define CHECK_PRIVATE(source, bytes, column) check_private(__LINE__, source, NULL, bytes, column)
#define CHECK_OWN(body, bytes, column) \
    CHECK_PRIVATE("kernel void k(int n) {" body "}", bytes, (column) == 0 ? 0 : 22 + (column))

static void test_private_memory(void)
{
    CHECK_OWN("int t[1000];", 4000, 5);
    CHECK_OWN("int t[10][10], u[200] = {1, 2}, v, w[300];", 400 + 800 + 1200, 36);
    CHECK_OWN("{ private float3 t[100]; } volatile unsigned long u[64];", 1600 + 512, 18);
    CHECK_OWN("for (;;) { char c[1 << 10]; } case 1: double d[4 * (3 + 7)];", 1024 + 320, 17);
    CHECK_OWN("int t[10]; struct unknown u[9]; int v[n], w[sizeof(int)], x[0x];", 0, 0); /* small, or not known */
    CHECK_OWN("local int t[1000]; constant int u[1000]; const int v[1000] = {0}; global int *w[1000];", 0, 0);
    CHECK_OWN("static constant int u[1000]; typedef int t[1000]; int *v[1000], (*w)[1000]; int f(int x[1000]);", 0, 0);
    CHECK_OWN("struct s { int t[1000]; }; n = t[1000]; return u[1000];", 0, 0);
    CHECK_PRIVATE("#define N 1024\n#define T float4\nkernel void k() { T t[N]; }", 16384, 21);
    CHECK_PRIVATE("struct s { int t[999]; char c; };\nkernel void k() { struct s a, *b; union u c; }", 4000, 28);
    CHECK_PRIVATE("typedef struct { int t[100]; } s; kernel void k() { s a[2]; }", 800, 55);
    CHECK_PRIVATE("#ifdef cl_khr_fp64\nkernel void k() { int t[1000]; }\n#endif", 0, 0);
    check_private(__LINE__, "kernel void k() { T t[N]; }", "-DN=100 -DT=int", 400, 21);

    /* Each call has its callee's. */
    CHECK_PRIVATE("void g() { int t[100]; }\nvoid f() { g(); g(); }\nkernel void k() { int u[99]; f(); g(); }",
                  396 + 1200, 16);
    CHECK_PRIVATE("void g(int x) { int t[100]; } void g(float x) { } kernel void k() { g(1.0f); }", 0, 0);
    CHECK_PRIVATE("void g() { int t[100]; } kernel void k() { }", 0, 0);
}

int main(void)
{
    RUN(test_private_memory);
    return CHECK_EXIT_CODE;
}
