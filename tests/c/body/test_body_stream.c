/* Statements of bodies that write to streams, as they are rewritten. */
#include "body/name.h"
#include "body/stream_statements.h"

#include "check.h"

static const syc_name names[] = {{.name = "out", .kind = SYC_NAME_STREAM},
                                 {.name = "err", .kind = SYC_NAME_STREAM},
                                 {.name = "hex", .kind = SYC_NAME_VALUE},
                                 {.name = "x", .kind = SYC_NAME_GLOBAL}};

static void check_text(int where, const char *text, const char *expected)
{
    syc_text out = {0};
    CHECK_OK(syc_body_write_streams(text, names, 4, &out));
    if (strcmp(syc_text_get(&out), expected) != 0) {
        fprintf(stderr, "%s:%d: got\n%s\nnot\n%s\n", __FILE__, where, syc_text_get(&out), expected);
        check__failures++;
    }
    syc_text_clear(&out);
}
#define CHECK_TEXT(text, expected) check_text(__LINE__, text, expected)

static void check_refused(int where, const char *text, const char *expected)
{
    syc_text out = {0};
    syc_status status = syc_body_write_streams(text, names, 4, &out);
    const char *message = syc_detail_of(status).message;
    if (status != SYC_E_BUILD || strcmp(message, expected) != 0 || out.data != NULL) {
        fprintf(stderr, "%s:%d: got %d\n%s\nnot\n%s\n", __FILE__, where, (int)status, message, expected);
        check__failures++;
    }
    syc_text_clear(&out);
}
#define CHECK_REFUSED(text, expected) check_refused(__LINE__, text, expected)

static void values(void)
{
    CHECK_TEXT("out << 1;", "{ stream_put(out, 1); }");
    CHECK_TEXT("x[i] = 2; err << \"a << b;\" << x[i << 1] + 1 << endl; x[i]++;",
               "x[i] = 2; { stream_put(err, \"a << b;\"); stream_put(err, x[i << 1] + 1); stream_endl(err); } x[i]++;");
    CHECK_TEXT("out << 'c' << (a, b) << f(1, 2) << (int2)(1, 2) << (struct p){1, 2};",
               "{ stream_put(out, (char)'c'); stream_put(out, ((a, b))); stream_put(out, (f(1, 2))); "
               "stream_put(out, ((int2)(1, 2))); stream_put(out, ((struct p){1, 2})); }");
    CHECK_TEXT("out << flush;", "{ stream_flush(out); }");
    CHECK_TEXT("out << item << nd_item << global_id << global_id(0);",
               "{ stream_put(out, stream_item); stream_put(out, stream_nd_item); stream_put(out, stream_global_id); "
               "stream_put(out, global_id(0)); }");
}

static void formats(void)
{
    CHECK_TEXT("out << oct << showbase << 8 << dec << noshowbase << 8;",
               "{ stream_put(out, 8, stream_oct | stream_showbase); stream_put(out, 8); }");
    CHECK_TEXT("out << fixed << 1.0f << scientific << showpos << a << defaultfloat << noshowpos << a << hexfloat << a;",
               "{ stream_put(out, 1.0f, stream_fixed); stream_put(out, a, stream_showpos | stream_scientific); "
               "stream_put(out, a); stream_put(out, a, stream_hexfloat); }");
    CHECK_TEXT("out << setw(i + 1) << 1 << setprecision(2) << sycl::oct << b;",
               "{ uint syc_width; uint syc_digits; syc_width = stream_setw(i + 1); stream_put(out, 1, syc_width); "
               "syc_digits = stream_setprecision(2); stream_put(out, b, stream_oct | syc_width | syc_digits); }");
    /* an argument's name is the argument */
    CHECK_TEXT("out << hex << 1;", "{ stream_put(out, hex); stream_put(out, 1); }");
    CHECK_TEXT("out << setw * 2 << setw;", "{ stream_put(out, setw * 2); stream_put(out, setw); }");
}

static void statements_stand_where_they_may(void)
{
    CHECK_TEXT("if (a) out << 1; else out << 2;", "if (a) { stream_put(out, 1); } else { stream_put(out, 2); }");
    CHECK_TEXT("for (int k = (0); k < f(3); k++) out << k;",
               "for (int k = (0); k < f(3); k++) { stream_put(out, k); }");
    CHECK_TEXT("{ out << 1; } do out << 2; while (0); a: out << 3;",
               "{ { stream_put(out, 1); } } do { stream_put(out, 2); } while (0); a: { stream_put(out, 3); }");
    CHECK_TEXT("#define SHOW out << 1\nout << 2;", "#define SHOW out << 1\n{ stream_put(out, 2); }");
    CHECK_TEXT("f(out); x[0] = 1 << 2; /* out << 1; */ \"out << 1;\"; // out << 3;",
               "f(out); x[0] = 1 << 2; /* out << 1; */ \"out << 1;\"; // out << 3;");
}

static void lines_stay_where_they_are(void)
{
    CHECK_TEXT("a;\nout\n  << 1\n\n << 2 // two\n ;\nb;",
               "a;\n{ \nstream_put(out, 1); \n\nstream_put(out, 2); \n}\nb;");
    CHECK_TEXT("out << a +\n  b;\nc;", "{ stream_put(out, a +\n  b); }\nc;");
    CHECK_TEXT("x = a \\\n + b; out << \\\n c;\nd;", "x = a  + b; { stream_put(out, c); }\n\n\nd;");
}

static void other_texts_are_left_alone(void)
{
    syc_text out = {0};
    CHECK_OK(syc_body_write_streams("out << ;", names + 2, 2, &out));
    CHECK(out.data == NULL);
    CHECK_TEXT("x[i] = 1;", "x[i] = 1;");
    CHECK_TEXT("", "");
}

static void what_is_no_statement_is_refused(void)
{
    CHECK_REFUSED("out << ;", "body:1:5: there is nothing to write behind this '<<'\n    1 | out << ;\n      |     ^");
    CHECK_REFUSED("a;\n  out << 1 << << 2;", "body:2:12: there is nothing to write behind this '<<'\n"
                                             "    2 |   out << 1 << << 2;\n      |            ^");
    CHECK_REFUSED("out << 1", "body:1:1: this statement has no ';' at its end\n    1 | out << 1\n      | ^");
    CHECK_REFUSED("{ out << 1 }", "body:1:3: this statement has no ';' at its end\n    1 | { out << 1 }\n      |   ^");
    CHECK_REFUSED("out << (1;", "body:1:1: this statement has no ';' at its end\n    1 | out << (1;\n      | ^");
    CHECK_REFUSED("y = out << 1;",
                  "body:1:5: a stream is written to in a statement of its own\n    1 | y = out << 1;\n      |     ^");
    CHECK_REFUSED("f(out << 1);",
                  "body:1:3: a stream is written to in a statement of its own\n    1 | f(out << 1);\n      |   ^");
}

int main(void)
{
    RUN(values);
    RUN(formats);
    RUN(statements_stand_where_they_may);
    RUN(lines_stay_where_they_are);
    RUN(other_texts_are_left_alone);
    RUN(what_is_no_statement_is_refused);
    return CHECK_EXIT_CODE;
}
