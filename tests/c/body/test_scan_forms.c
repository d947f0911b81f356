/* The two texts of a scan: what they become in each form, and what is said of wrong ones. */
#include "body/body.h"

#include "base/alloc.h"
#include "base/refcount.h"
#include "body/name.h"
#include "body/shape.h"
#include "check.h"
#include "program/program.h"

enum { COUNT = 3 };
static const syc_name names[COUNT] = {
    {.name = "x", .kind = SYC_NAME_GLOBAL, .type = "uint", .size = 4, .readable = true, .rank = 1},
    {.name = "y", .kind = SYC_NAME_GLOBAL, .type = "uint", .size = 4, .readable = true, .writable = true, .rank = 1},
    {.name = "t",
     .kind = SYC_NAME_REDUCER,
     .type = "uint",
     .size = 4,
     .op = {.operation = "plus a + b", .known = true},
     .reducer = {.fresh = true, .scanner = true}}};

static syc_status make(const char *text, size_t seam, syc_body **out)
{
    const syc_body_source source = {.text = text, .names = names, .count = COUNT, .seam = seam, .along = SYC_ALONG_ALL};
    return syc_body_create(&source, out);
}

/* Of texts whose first has one line. */
static syc_body *body_of(const char *text)
{
    syc_body *body = NULL;
    CHECK_OK(make(text, 2, &body));
    return body;
}

static const char *text_of(syc_body *body, syc_shape shape)
{
    const syc_form form = {.shape = shape, .dims = 1, .elements = 4, .items = 32, .packs = shape == SYC_SHAPE_TILES};
    const syc_lowered *lowered = NULL;
    CHECK_OK(syc_body_lower(body, &form, &lowered));
    return lowered != NULL ? syc_program_source(lowered->program, NULL) : "";
}

#define CHECK_HAS(text, words)   CHECK(strstr(text, words) != NULL)
#define CHECK_LACKS(text, words) CHECK(strstr(text, words) == NULL)

/* -- both texts in a kernel -- */

static const char all_elements[] = "t += x[i];\n}{\ny[i] = t + t.before;";

static void each_text_is_a_function(void)
{
    static const syc_shape shapes[] = {SYC_SHAPE_TILES, SYC_SHAPE_ROUNDS};
    syc_body *body = body_of(all_elements);
    for (size_t k = 0; k < sizeof shapes / sizeof *shapes; k++) {
        const char *text = text_of(body, shapes[k]);
        CHECK_HAS(text, "#line 1 \"body\"\nsyc_combine_t(syc_r_t, x[i]);\n");
        CHECK_HAS(text, "#line 3 \"body\"\ny[i] = syc_now_t+ syc_before_t;\n");
        CHECK_HAS(text, "__global const uint *y, __private syc_"); /* the first writes nothing */
        CHECK_HAS(text, "__global uint *y, const uint syc_now_t, const uint syc_before_t");
        CHECK_LACKS(text, "syc_when");
    }
    CHECK_HAS(text_of(body, SYC_SHAPE_TILES), "syc_vop_t");
    CHECK_LACKS(text_of(body, SYC_SHAPE_ROUNDS), "syc_vop_t");
    syc_body_release(body);
}

static void without_a_second_text(void)
{
    syc_body *body = NULL;
    const syc_body_source source = {
        .text = "t += x[i];\n}{\n \n", .names = &names[0], .count = COUNT, .seam = 2, .along = SYC_ALONG_ALL};
    CHECK_EQUAL(syc_body_create(&source, &body), SYC_E_KERNEL_ARGUMENT); /* y is not used */
    CHECK_OK(make("t += x[i] + y[i];\n}{\n \n", 2, &body));
    CHECK_LACKS(text_of(body, SYC_SHAPE_TILES), "syc_then");
    syc_body_release(body);
}

/* One body, lowered for devices of both kinds. */
static void past_the_caches(void)
{
    syc_form form = {.shape = SYC_SHAPE_TILES, .dims = 1, .packs = true, .streams = true};
    syc_body *body = body_of("t += x[i];\n}{\ny[i] = t;");
    for (int k = 0; k < 2; k++) {
        const syc_lowered *lowered = NULL;
        form.through = k == 1;
        CHECK_OK(syc_body_lower(body, &form, &lowered));
        CHECK_HAS(syc_program_source(lowered->program, NULL), "nontemporal");
        CHECK_EQUAL(strstr(syc_program_source(lowered->program, NULL), "syc_apart") != NULL, form.through);
    }
    syc_body_release(body);
}

/* -- a condition and a statement -- */

static void elements_are_chosen(void)
{
    syc_body *body = body_of("t += x[i] > 3;\n}{\nif (x[i] > 3)\n  y[t.before] = x[i];");
    const char *text = text_of(body, SYC_SHAPE_TILES);
    CHECK_HAS(text, "#line 3 \"body\"\nif (x[i] > 3) *syc_is = 1;\n");
    CHECK_HAS(text, "\n  y[syc_before_t] = x[i];\n");
    CHECK_HAS(text, "__private uchar *syc_is");
    CHECK_HAS(text, "syc_chosen[syc_j] = syc_is;");
    CHECK_HAS(text, "const uint syc_j = syc_list[syc_k];");
    CHECK_LACKS(text_of(body, SYC_SHAPE_ROUNDS), "syc_when");
    syc_body_release(body);
}

/* Those that change a sum of integers contribute to it: nothing is asked. */
static void elements_that_count_are_chosen(void)
{
    static const char *const some[] = {"if (t == t.before) y[t.before] = x[i];", "if (t != 3) y[t.before] = x[i];",
                                       "if (t != t.before && x[i] > 3) y[t.before] = x[i];"};
    syc_body *body = body_of("t += x[i] > 3;\n}{\nif (t.before != t) y[t.before] = x[i];");
    const char *text = text_of(body, SYC_SHAPE_TILES);
    CHECK_HAS(text, "syc_chosen[syc_j] = syc_sum_t[syc_j] != 0;");
    CHECK_HAS(text, "const uint syc_j = syc_list[syc_k];");
    CHECK_LACKS(text, "syc_when");
    CHECK_LACKS(text, "syc_chosen[syc_j] = syc_is;");
    syc_body_release(body);
    for (size_t i = 0; i < sizeof some / sizeof *some; i++) {
        char one[200];
        (void)snprintf(one, sizeof one, "t += x[i] > 3;\n}{\n%s", some[i]);
        body = body_of(one);
        CHECK_LACKS(text_of(body, SYC_SHAPE_TILES), "syc_sum_t[syc_j] != 0");
        syc_body_release(body);
    }
}

static void check_whole(int line, const char *second, bool chosen)
{
    char text[300];
    syc_body *body;
    (void)snprintf(text, sizeof text, "t += x[i] > 3;\n}{\n%s", second);
    body = body_of(text);
    if ((strstr(text_of(body, SYC_SHAPE_TILES), "syc_list[syc_k]") != NULL) != chosen) {
        fprintf(stderr, "%s:%d: %s\n", __FILE__, line, second);
        check__failures++;
    }
    syc_body_release(body);
}
#define CHECK_CHOSEN(second) check_whole(__LINE__, second, true)
#define CHECK_WHOLE(second)  check_whole(__LINE__, second, false)

static void texts_that_look_alike(void)
{
    CHECK_CHOSEN("if (t != t.before) { const uint at = t.before; y[t - 1] = x[at]; }");
    CHECK_CHOSEN("if (x[i] > 3) for (uint k = t.before; k < t; k++) y[t.before] = x[k];");
    CHECK_CHOSEN("/* kept */ if (t != t.before) y[t.before] = x[i]; // and no more");
    CHECK_WHOLE("if (t != t.before) y[i] = x[i];"); /* a vector's mask can do that */
    CHECK_WHOLE("if (t != t.before) y[t.before] = x[i]; else y[i] = 0;");
    CHECK_WHOLE("if (t != t.before) { y[t.before] = x[i]; } else y[i] = 0;");
    CHECK_WHOLE("if (t != t.before) { y[t.before] = x[i]; } y[0] = 0;");
    CHECK_WHOLE("if (t != t.before) y[t.before] = x[i]; y[0] = 0;");
    CHECK_WHOLE("if (t > 1) if (x[i]) { y[t] = 0; } else y[t] = 1;");
    CHECK_WHOLE("if (t > 1) for (;;) { y[t] = 0; break; } y[0] = 1;");
    CHECK_WHOLE("if (t == 0) return; y[t - 1] = x[i];");
    CHECK_WHOLE("y[i] = 0; if (t != t.before) y[t.before] = x[i];");
    CHECK_WHOLE("#define N 3\nif (t != N) y[t.before] = x[i];");
    CHECK_WHOLE("if (t != t.before)\n#if 1\ny[t.before] = x[i];\n#endif\n");
}

/* -- what is refused -- */

static void check_refused(int line, const char *text, size_t seam, syc_status expected, const char *words)
{
    syc_body *body = NULL;
    const syc_status status = make(text, seam, &body);
    const char *message = status != SYC_OK ? syc_detail_of(status).message : "it was taken";
    if (status != expected || strstr(message, words) == NULL) {
        fprintf(stderr, "%s:%d: got %d\n%s\nnot\n%s\n", __FILE__, line, (int)status, message, words);
        check__failures++;
    }
    syc_body_release(body);
}
#define CHECK_REFUSED(text, seam, status, words) check_refused(__LINE__, text, seam, status, words)

static void mistakes(void)
{
    CHECK_REFUSED("t += x[i];\n}{\ny[i] = t;\n t = 3;", 2, SYC_E_BUILD, "body:4:2: the scanner 't' has its value here");
    CHECK_REFUSED("t += x[i];\n}{\nif (t++ > 1) y[t] = 0;", 2, SYC_E_BUILD,
                  "body:3:5: the scanner 't' has its value here");
    CHECK_REFUSED("t += x[i];\n}{\nif (t > 1) y[t.combine(2)] = 0;", 2, SYC_E_BUILD, "body:3:14: the scanner 't'");
    CHECK_REFUSED("t += x[i];\n}{\ny[i] = t; }", 2, SYC_E_BUILD, "body:3:11: this '}' closes nothing");
    CHECK_REFUSED("{ t += x[i];\n}{\ny[i] = t; }", 2, SYC_E_BUILD, "body:1:1: this '{' is not closed");
    CHECK_REFUSED("t += x[i]; /*\n}{\ny[i] = t; */", 2, SYC_E_BUILD, "first text: it ends within a comment");
    CHECK_REFUSED("y[i] = 1; t += x[i];\n}{\ny[i] = t;", 2, SYC_E_BUILD, "write to 'y' in the second");
    CHECK_REFUSED("x[i];\n}{\ny[i] = t;", 2, SYC_E_KERNEL_ARGUMENT, "the text combines nothing with it");
}

/* -- rounds -- */

/* An element's first value is not combined with the identity where it is read. */
static void first_values_are_not_waited_for(void)
{
    syc_body *body = body_of(all_elements);
    CHECK_HAS(text_of(body, SYC_SHAPE_ROUNDS), "__private syc_offer_t *syc_r_t");
    CHECK_HAS(text_of(body, SYC_SHAPE_TILES), "__private syc_acc_t *syc_r_t");
    syc_body_release(body);
}

/* What is read may be read before what stands before it has been written, where nobody could tell. */
static void reads_go_around_writes(void)
{
    static const struct {
        const char *text;
        bool may;
        const char *preamble;
    } cases[] = {{"t += x[i];\n}{\ny[i] = t;", true, NULL},
                 {"t += x[i];\n}{\nif (t != t.before) y[t.before] = x[i];", true, NULL},
                 {"t += x[i];\n}{\nuint v = x[i]; y[i] = t; if (v > 2) y[i] = v;", false, NULL},
                 {"t += x[i];\n}{\ny[i] = (y[i] = t, x[i] * 2);", false, NULL},
                 {"t += x[i];\n}{\ny[i] = t; y[i] += x[i];", false, NULL},
                 {"t += x[i];\n}{\nfor (int k = 0; k < 2; k++) y[i + k] = x[i + k];", false, NULL},
                 {"t += x[i];\n}{\nif (t > 3) { y[i] = t; y[i] = x[i]; }", false, NULL},
                 {"t += x[i];\n}{\nvstore4((uint4)(t), 0, y + i); y[i] = x[i];", false, NULL},
                 {"t += x[i];\n}{\ny[i] = twice(x[i]) * t;", true, "uint twice(uint v) { return (v * 2); }"},
                 /* what is written through other pointers may be what is read */
                 {"t += x[i];\n}{\nstruct p s = at(t); s.to[i] = t; y[i] = x[i];", false,
                  "struct p { ulong n; __global uint *to; }; struct p at(ulong n);"},
                 {"t += x[i];\n}{\nunion p s; s.n = t; *s.to = 2; y[i] = x[i];", false,
                  "union p { ulong n; __global uint *to; };"},
                 {"t += x[i];\n}{\n((__global uint *)(ulong)t)[i] = 2; y[i] = x[i];", false, NULL},
                 {"t += x[i];\n}{\nput(t); y[i] = x[i];", false, "void put(ulong n) { *(__global uint *const)n = 2; }"},
                 {"t += x[i];\n}{\nulong n = t; *(to)n = 2; y[i] = x[i];", false, "typedef __global uint *to;"}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        const syc_body_source source = {.text = cases[k].text,
                                        .preamble = cases[k].preamble,
                                        .names = names,
                                        .count = COUNT,
                                        .seam = 2,
                                        .along = SYC_ALONG_ALL};
        syc_body *body = NULL;
        CHECK_OK(syc_body_create(&source, &body));
        if ((strstr(text_of(body, SYC_SHAPE_ROUNDS), "__global const uint *restrict x") != NULL) != cases[k].may) {
            fprintf(stderr, "%s: restrict\n", cases[k].text);
            check__failures++;
        }
        CHECK_LACKS(text_of(body, SYC_SHAPE_ROUNDS), "restrict y");
        CHECK_LACKS(text_of(body, SYC_SHAPE_TILES), "restrict");
        syc_body_release(body);
    }
}

/* NVIDIA's compiler keeps to a number of registers where a kernel does not require its size. */
static void registers(void)
{
    syc_body *body = body_of(all_elements);
    syc_form form = {.shape = SYC_SHAPE_ROUNDS, .dims = 1, .elements = 3, .items = 64};
    const syc_lowered *any = NULL, *few = NULL;
    CHECK_OK(syc_body_lower(body, &form, &any));
    form.registers = 80;
    CHECK_OK(syc_body_lower(body, &form, &few));
    if (any != NULL && few != NULL) {
        CHECK_HAS(syc_program_source(any->program, NULL), "reqd_work_group_size(64, 1, 1)");
        CHECK_LACKS(syc_program_options(any->program), "maxrregcount");
        CHECK_LACKS(syc_program_source(few->program, NULL), "reqd_work_group_size");
        CHECK_HAS(syc_program_options(few->program), "-cl-nv-maxrregcount=80");
    }
    syc_body_release(body);
}

int main(void)
{
    RUN(first_values_are_not_waited_for);
    RUN(reads_go_around_writes);
    RUN(registers);
    RUN(each_text_is_a_function);
    RUN(without_a_second_text);
    RUN(past_the_caches);
    RUN(elements_are_chosen);
    RUN(elements_that_count_are_chosen);
    RUN(texts_that_look_alike);
    RUN(mistakes);
    return CHECK_EXIT_CODE;
}
