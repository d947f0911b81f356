/* Build logs in the layouts of the drivers that pysycl knows, and the message that is made of them. */
#include "program/log/build_log.h"

#include "base/alloc.h"
#include "base/text.h"
#include "check.h"

static void check_error(int where, const char *log, size_t line, size_t column, const char *message)
{
    syc_log_error error = {0};
    CHECK_OK(syc_log_first_error(log, strlen(log), &error));
    if (error.line != line || error.column != column || strcmp(error.message, message) != 0) {
        fprintf(stderr, "%s:%d: got %zu:%zu '%s'\n", __FILE__, where, error.line, error.column, error.message);
        check__failures++;
    }
    syc_log_error_clear(&error);
    CHECK(error.message == NULL);
}
#define CHECK_ERROR(log, line, column, message) check_error(__LINE__, log, line, column, message)

static void test_pocl(void)
{
    CHECK_ERROR("error: /home/u/.cache/pocl/uncached/tempfile_wyFIRC.cl:3:9: use of undeclared identifier 'foo'\n"
                "error: /home/u/.cache/pocl/uncached/tempfile_wyFIRC.cl:4:10: expected expression\n"
                "Device pthread-CPU failed to build the program\n",
                3, 9, "use of undeclared identifier 'foo'");
    CHECK_ERROR("warning: kernel.cl:1:1: odd\nerror: kernel.cl:2:27: expected ';' at end of declaration\n", 2, 27,
                "expected ';' at end of declaration");
    CHECK_ERROR("error: t.cl:3:22 <Spelling=t.cl:1:19>: use of undeclared identifier 'x'\n", 3, 22,
                "use of undeclared identifier 'x'");
    CHECK_ERROR("error: t.cl:1:2: this is \"it\": no\n", 1, 2, "this is \"it\": no");
    CHECK_ERROR("Error(s) while linking: \nCannot find symbol g in kernel library\nDevice x failed\n", 0, 0,
                "Cannot find symbol g in kernel library");
    CHECK_ERROR("error: unknown target CPU 'generic'\n", 0, 0, "unknown target CPU 'generic'");
}

static void test_clang_layouts(void)
{
    CHECK_ERROR("input.cl:3:9: error: use of undeclared identifier 'foo'; did you mean 'for'?\n  foo\n  ^~~\n", 3, 9,
                "use of undeclared identifier 'foo'; did you mean 'for'?");
    CHECK_ERROR("input.cl:1:10: fatal error: 'nope.h' file not found\n", 1, 10, "'nope.h' file not found");
    CHECK_ERROR("Compilation started\n1:3:9: error: use of x\n    3 | y\n      | ^\nCompilation failed\n", 3, 9,
                "use of x");
    CHECK_ERROR("3:5: error: x\n", 3, 5, "x");
    CHECK_ERROR("<kernel>:12:34: error: x\r\n", 12, 34, "x");
    CHECK_ERROR("<kernel>:2:3: warning: unused\n<kernel>:7:1: error: y", 7, 1, "y");
    CHECK_ERROR("C:\\dir with space\\a.cl:3:5: error: x", 3, 5, "x");
    CHECK_ERROR("a:b:3: error: x", 3, 0, "x");
    CHECK_ERROR("kernel.cl(14): error : x", 14, 0, "x");
    CHECK_ERROR("\"/tmp/OCL1.cl\", line 3: error: x", 3, 0, "x");
    CHECK_ERROR("ptxas fatal   : Unresolved extern function 'g'", 0, 0, "Unresolved extern function 'g'");
    CHECK_ERROR(
        "<kernel>:3:12: warning: implicit declaration of function 'f'\n<kernel>:4:9: warning: implicit declaration "
        "of function 'g'\n    x = g(1);\n        ^\nptxas fatal   : Unresolved extern function 'g'",
        4, 9, "implicit declaration of function 'g'");
    CHECK_ERROR("<kernel>:3:12: warning: 'h' is unused\nptxas fatal   : Unresolved extern function 'g'", 0, 0,
                "Unresolved extern function 'g'");
    CHECK_ERROR("warning: 'g' without a place\nptxas fatal   : Unresolved 'g", 0, 0, "Unresolved 'g");
    CHECK_ERROR("link error: no place\nkernel.cl:2:1: error: a place", 2, 1, "a place");
}

static void test_no_error(void)
{
    CHECK_ERROR("", 0, 0, "");
    CHECK_ERROR("kernel.cl:3:4: warning: unused variable\n  int x;\n      ^\n1 warning generated.\n", 0, 0, "");
    CHECK_ERROR("1 error generated.\nCompilation failed\n", 0, 0, "");
}

static void test_strange_logs(void)
{
    syc_log_error error = {0};
    const char nul[] = "a.cl:1:2: error: x\0y\n\n";
    syc_text text = {0};

    CHECK_ERROR("error:", 0, 0, "");
    CHECK_ERROR("::: error: x", 0, 0, "x");
    CHECK_ERROR(":: error::::", 0, 0, "");
    CHECK_ERROR("a.cl:99999999999999999999:1: error: x", 999999999, 1, "x");
    CHECK_ERROR("a.cl:0:0: error: x", 0, 0, "x");
    CHECK_ERROR("a.cl:2:1: error: \xff\x1b[0m \xc3\xa9 \xed\xa0\x80 \xc3", 2, 1, "??[0m \xc3\xa9 ??? ?");
    CHECK_OK(syc_log_first_error(nul, sizeof nul - 1, &error));
    CHECK_STRING(error.message, "x?y");
    syc_log_error_clear(&error);
    CHECK_OK(syc_log_first_error(NULL, 0, &error));
    CHECK_STRING(error.message, "");
    syc_log_error_clear(&error);

    /* One line of many blanks and words: no square of its length. */
    syc_text_add(&text, "error: ");
    for (int i = 0; i < 300000; i++)
        syc_text_add(&text, "  <Spe fatal ");
    CHECK_OK(syc_log_first_error(text.data, text.length, &error));
    CHECK_EQUAL(strlen(error.message), 2000);
    syc_log_error_clear(&error);
    syc_text_clear(&text);
}

static void check_format(int where, const char *source, const char *log, const char *expected)
{
    char *text = syc_log_format(source, strlen(source), log, strlen(log), "kernel.cl", "Box");
    if (text == NULL || strcmp(text, expected) != 0) {
        fprintf(stderr, "%s:%d: got\n%s\nnot\n%s\n", __FILE__, where, text ? text : "nothing", expected);
        check__failures++;
    }
    syc_free(text);
}
#define CHECK_FORMAT(source, log, expected) check_format(__LINE__, source, log, expected)

static void test_format(void)
{
    CHECK_FORMAT("kernel void k() {\n\tx = foo;\n}\n", "error: kernel.cl:2:6: no foo\n",
                 "kernel.cl:2:6: no foo (built for Box)\n"
                 "    2 | \tx = foo;\n"
                 "      | \t    ^");
    CHECK_FORMAT("a\nb", "kernel.cl:2: error: no column\n",
                 "kernel.cl:2: no column (built for Box)\n"
                 "    2 | b");
    CHECK_FORMAT("\xc3\xa9\xc3\xa9 b\r\n", "a:1:6: error: b",
                 "kernel.cl:1:6: b (built for Box)\n"
                 "    1 | \xc3\xa9\xc3\xa9 b\n"
                 "      |    ^");
    CHECK_FORMAT("ab\n", "a:1:99: error: far right",
                 "kernel.cl:1:99: far right (built for Box)\n"
                 "    1 | ab\n"
                 "      |   ^");
    CHECK_FORMAT("ab\n", "a:7:1: error: no such line",
                 "kernel.cl: no such line (built for Box)\n"
                 "The compiler's log:\na:7:1: error: no such line");
    CHECK_FORMAT("ab\n", "error: items.clh:1:1: not yours\n",
                 "kernel.cl: not yours (built for Box)\nThe compiler's log:\nerror: items.clh:1:1: not yours");
    CHECK_FORMAT("ab\n", "error: k.cl:1:2 <Spelling=items.clh:9:9>: yours\n",
                 "kernel.cl:1:2: yours (built for Box)\n"
                 "    1 | ab\n"
                 "      |  ^");
    CHECK_FORMAT("ab\n", "", "kernel.cl: the program does not build (built for Box)\nThe compiler left no log.");
    CHECK_FORMAT("ab\n", "crashed\n\n\n",
                 "kernel.cl: the program does not build (built for Box)\nThe compiler's log:\ncrashed");
    CHECK_FORMAT("", "a:1:1: error: x\r\n\x01\xfe ok",
                 "kernel.cl: x (built for Box)\nThe compiler's log:\na:1:1: error: x\n?? ok");
}

/* The compiler's own quote decides: it may count lines that stand before the user's, or speak of another file. */
static void test_format_believes_quotes(void)
{
    CHECK_FORMAT("one\n  two = foo;\n", "input.cl:4:9: error: foo\n          two = foo;\n                ^\n",
                 "kernel.cl:2:9: foo (built for Box)\n"
                 "    2 |   two = foo;\n"
                 "      |         ^");
    CHECK_FORMAT("one\n\ttwo = foo;\n", "1:2:8: error: foo\n    2 |         two = foo;\n      |               ^~~\n",
                 "kernel.cl:2:8: foo (built for Box)\n"
                 "    2 | \ttwo = foo;\n"
                 "      | \t      ^");
    CHECK_FORMAT("two\none\ntwo\ntwo\n", "input.cl:3:1: error: foo\ntwo\n^\n",
                 "kernel.cl:3:1: foo (built for Box)\n"
                 "    3 | two\n"
                 "      | ^");
    CHECK_FORMAT("one\ntwo\n", "other.h:2:1: error: foo\nthree\n^\n",
                 "kernel.cl: foo (built for Box)\nThe compiler's log:\nother.h:2:1: error: foo\nthree\n^");
}

static void test_format_long(void)
{
    syc_text source = {0}, log = {0};
    char *text;

    for (int i = 0; i < 1000; i++)
        syc_text_add(&source, "x%03d ", i);
    text = syc_log_format(source.data, source.length, "a:1:2501: error: x", 18, "kernel.cl", "Box");
    CHECK(strstr(text, "    1 | ...x") != NULL || strstr(text, "    1 | ...") != NULL);
    CHECK(strstr(text, "x500") != NULL && strstr(text, "x000") == NULL && strstr(text, "x999") == NULL);
    { /* the caret is below the place that it means */
        const char *quote = strstr(text, "    1 | "), *caret = strchr(strchr(quote, '\n') + 1, '^');
        size_t column = (size_t)(caret - (strchr(quote, '\n') + 1));
        CHECK(strncmp(quote + column, "x500", 4) == 0);
    }
    syc_free(text);

    syc_text_add(&log, "a:7:1: error: first\n");
    for (int i = 0; i < 20000; i++)
        syc_text_add(&log, "line %d\n", i);
    text = syc_log_format("x", 1, log.data, log.length, "kernel.cl", "Box");
    CHECK(strlen(text) > 63 * 1024 && strlen(text) < 66 * 1024);
    CHECK(strstr(text, "error: first") != NULL && strstr(text, "line 19999") != NULL &&
          strstr(text, "line 9000\n") == NULL);
    {
        const char *note = strstr(text, "\n[... ");
        size_t left_out = note != NULL ? strtoul(note + 6, NULL, 10) : 0;
        size_t kept = strlen(strstr(text, "a:7:1: error")) - strlen("[...  bytes of the log left out ...]\n") - 6;
        CHECK(note != NULL && strstr(note, " bytes of the log left out ...]\nline ") != NULL);
        CHECK_EQUAL(left_out + kept, log.length - 1); /* the last newline goes */
    }
    syc_free(text);
    syc_text_clear(&log);

    for (int i = 0; i < 100 * 1024; i++)
        syc_text_add_n(&log, "\xff", 1);
    text = syc_log_format("x", 1, log.data, log.length, "kernel.cl", "Box");
    CHECK(text != NULL && strchr(text, '\xff') == NULL);
    syc_free(text);
    syc_text_clear(&log);
    syc_text_clear(&source);
}

/* NVIDIA's compiler counts the lines of the whole text, whatever #line says. */
static void test_format_by_directives(void)
{
    static const syc_origin items[] = {{"body", "int c = 1;\ny[i] = w;", NULL}, {"preamble", "", NULL}};
    static const syc_origins origins = {.items = items, .count = 2};
    static const char *const source =
        "/* made */\n{\n#line 1 \"body\"\nint c = 1;\ny[i] = w;\n#line 7 \"kernel.cl\"\n}\n";
    static const char *const theirs = "<kernel>:5:8: error: no w\ny[i] = w;\n       ^\n";
    static const char *const ours = "<kernel>:7:1: error: brace\n}\n^\n";
    const syc_log_texts texts = {.source = source, .length = strlen(source), .origins = &origins};
    char *text = syc_log_format_from(&texts, theirs, strlen(theirs), "kernel.cl", "Box");
    CHECK(text != NULL && strstr(text, "body:2:8: no w (built for Box)\n    2 | y[i] = w;\n      |        ^") == text);
    syc_free(text);
    text = syc_log_format_from(&texts, ours, strlen(ours), "kernel.cl", "Box");
    CHECK(text != NULL && strstr(text, "kernel.cl:7:1: brace (built for Box)\n") == text);
    syc_free(text);
}

/* An operator's expression is told by its words, at the call that used it, and no macro is shown. */
static void test_operators(void)
{
    static const char *const source = "int n = 1;\nx = sum(g, x, least);";
    static const char *const prelude =
        "#define SYC_SAYS_lea ~, \"lea, 'b',\"\n#define SYC_SAYS_least ~, \"least, 'a.k + b',\"\n";
#define SAID(what)                                                                                                 \
    "kernel.cl:2:5: sum: the " what "operator least, 'a.k + b': base 'float' is no struct (built for Box)\n    2 " \
    "| x = sum(g, x, least);\n      |     ^"
    static const char said[] = SAID(""), of_identity[] = SAID("identity of the ");
    static const char *const logs[] = {
        /* PoCL */
        "error: kernel.cl:2:5 <Spelling=operator least:1:38>: base 'typeof (((void)0 , (syc_x)))' (aka '__private "
        "float') is no struct\nerror: kernel.cl:2:5: pysycl: not this\n",
        /* Intel */
        "kernel.cl:2:5: error: base 'T' (aka 'float') is no struct\n    2 | x = sum(g, x, least);\n      |     ^\n"
        "group.clh:1:2: note: expanded from macro 'sum'\n<scratch space>:87:1: note: expanded from here\noperator "
        "least:1:46: note: expanded from macro 'SYC_OP_least'\n    1 | #define SYC_OP_least ...\n",
        /* Oclgrind, NVIDIA: the identity */
        "input.cl:902:5: error: base 'float' is no struct\nx = sum(g, x, least);\n    ^\ninput.cl:80:37: note: "
        "expanded "
        "from macro 'sum'\ninput.cl:895:46: note: expanded from macro 'SYC_IDENTITY_least'\n",
    };
    static const char *const others[] = {
        "kernel.cl:2:5: error: base 'float' is no struct\nkernel.cl:2:5: error: more\nnote: expanded from macro "
        "'SYC_OP_least'",
        "kernel.cl:2:5: error: base 'float' is no struct\nnote: expanded from macro 'OP_least'",
    };
    const syc_log_texts texts = {.source = source, .length = strlen(source), .prelude = prelude};
    for (size_t i = 0; i < sizeof logs / sizeof *logs; i++) {
        char *text = syc_log_format_from(&texts, logs[i], strlen(logs[i]), "kernel.cl", "Box");
        CHECK_STRING(text != NULL ? text : "", i < 2 ? said : of_identity);
        syc_free(text);
    }
#undef SAID
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        char *text = syc_log_format_from(&texts, others[i], strlen(others[i]), "kernel.cl", "Box");
        CHECK(text != NULL && strstr(text, "kernel.cl:2:5: base 'float' is no struct (built for Box)\n") == text);
        syc_free(text);
    }
}

/* NVIDIA's compiler and Oclgrind's tell no macro of what is pasted: the unknown name says which operator has it. */
static void operators_are_known_by_a_name_that_they_alone_have(void)
{
    static const char *const source =
        "float c2 = 1;\nx = sum(g, (x), most,\n  least);\ny = sum(g, c, least) + sum(g, d, bad);";
    static const char *const prelude = "#define SYC_SAYS_most ~, \"most, 'a < c2 ? a : b',\"\n"
                                       "#define SYC_SAYS_least ~, \"least, 'a < c ? a : b + least_of',\"\n"
                                       "#define SYC_SAYS_bad ~, \"bad, 'a * q',\"\n";
    static const struct {
        const char *place, *said;
    } cases[] = {
        {"2:5: error: use of undeclared identifier 'c'\n", "2:5: sum: the operator least, 'a < c ? a : b + least_of': "
                                                           "use of undeclared identifier 'c' (built for Box)\n"},
        {"4:5: error: use of undeclared identifier 'least_of'\n",
         "4:5: sum: the operator least, 'a < c ? a : b + least_of': use of undeclared identifier 'least_of' (built "},
        /* an argument's, another call's, the operator's word itself, no name */
        {"4:5: error: use of undeclared identifier 'c'\n", "4:5: use of undeclared identifier 'c' (built for Box)\n"},
        {"4:5: error: use of undeclared identifier 'q'\n", "4:5: use of undeclared identifier 'q' (built for Box)\n"},
        {"2:5: error: use of undeclared identifier 'least'\n", "2:5: use of undeclared identifier 'least' (built "},
        {"2:5: error: incompatible operands 'c'\n", "2:5: incompatible operands 'c' (built for Box)\n"},
        {"2:1: error: use of undeclared identifier 'c'\n", "2:1: use of undeclared identifier 'c' (built for Box)\n"},
    };
    const syc_log_texts texts = {.source = source, .length = strlen(source), .prelude = prelude};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char log[120], *text;
        (void)snprintf(log, sizeof log, "kernel.cl:%s", cases[i].place);
        text = syc_log_format_from(&texts, log, strlen(log), "kernel.cl", "Box");
        if (text == NULL || strstr(text, cases[i].said) != text + strlen("kernel.cl:")) {
            fprintf(stderr, "%zu: got\n%s\n", i, text != NULL ? text : "nothing");
            check__failures++;
        }
        syc_free(text);
    }
}

/* What the device library asserts is all that is said, wherever in the log it stands. */
static void an_assertion_of_the_library_stands_alone(void)
{
    static const char source[] = "kernel void k() {\n  int x = group_reduce(work_grop, 1, plus);\n}\n";
    static const char *const logs[] = {
        /* PoCL, Oclgrind, Intel, and compilers of later years */
        "error: kernel.cl:2:11 <Spelling=groups.clh:13:5>: static_assert failed \"pysycl: group_reduce: no "
        "group\"\nDevice "
        "x failed to build the program",
        "input.cl:2:11: error: static_assert failed \"pysycl: group_reduce: no group\"\n"
        "  int x = group_reduce(work_grop, 1, plus);\n          ^~~~~~~~~~~~\n"
        "input.cl:126:5: note: expanded from macro 'SYC_CHECK_GROUP'\n    _Static_assert(0, \\\n    ^",
        "Compilation started\nkernel.cl:2:2: error: indirection requires pointer operand\nkernel.cl:2:11: error: "
        "static assertion failed due to requirement '0': pysycl: group_reduce: no group\n",
    };
    for (size_t i = 0; i < sizeof logs / sizeof *logs; i++) {
        char *text = syc_log_format(source, sizeof source - 1, logs[i], strlen(logs[i]), "kernel.cl", "Box");
        CHECK_STRING(text, "kernel.cl:2:11: group_reduce: no group (built for Box)\n"
                           "    2 |   int x = group_reduce(work_grop, 1, plus);\n"
                           "      |           ^");
        syc_free(text);
    }
}

/* Of an error in a call of the library's the compiler's words are left, and none of its macros. */
static void errors_in_calls_are_told_without_macros(void)
{
    static const char source[] = "#define MINE(x) group_reduce(work_group, x, plus)\n"
                                 "  y = group_any_of(work_group, s + group_broadcast(sub_group, z, w));\n"
                                 "  MINE(s);\n  shift_group_left(sub_group, odd)[nope];\n";
    static const struct {
        const char *log, *said;
    } cases[] = {
        {"error: kernel.cl:2:7 <Spelling=group_vote.clh:17:45>: operand of type 'pair' where arithmetic or pointer "
         "type "
         "is required\n",
         "2:7: group_any_of: a number belongs where a value of type 'pair' stands"},
        /* PoCL tells where the argument is by its spelling, others at once */
        {"error: kernel.cl:2:7 <Spelling=kernel.cl:2:32>: use of undeclared identifier 's'\n",
         "2:32: group_any_of: 's' is not declared"},
        {"kernel.cl:2:63: error: use of undeclared identifier 'plus'; did you mean 'w'?\n",
         "2:63: group_broadcast: 'plus' is an operator, which is no value and no function"},
        {"kernel.cl:2:7: error: initializing 'const __private uint' (aka 'const __private unsigned int') with an "
         "expression of incompatible type '__private pair'\na.clh:1:2: note: expanded from macro 'syc_x'\n",
         "2:7: group_any_of: a value of type 'pair' does not convert to 'uint'"},
        {"kernel.cl:2:7: error: initializing 'typeof (*syc_ref + 0)' (aka '__private int') with an expression of "
         "incompatible type '__global int *'\n",
         "2:7: group_any_of: a value of type '__global int *' does not convert to 'int'"},
        /* what the library asserts of a function that another is made of is that one's */
        {"kernel.cl:2:7: error: static assertion failed: pysycl: group_broadcast: no\n", "2:36: group_broadcast: no"},
        {"kernel.cl:2:7: error: static assertion failed: pysycl: group_reduce: no\n", "2:7: group_any_of: no"},
        /* in a macro of the user's */
        {"error: kernel.cl:3:3 <Spelling=operators.clh:60:1>: implicit declaration of function 'SYC_OP_add' is "
         "invalid\n",
         "3:3: group_reduce: 'add' is no operator"},
        {"kernel.cl:3:3: error: static_assert failed \"pysycl: group_reduce: no\"\n", "3:3: group_reduce: no"},
        /* a word that is not known comes before what follows from it */
        {"kernel.cl:4:31: error: call to undeclared function 'nope'; ISO C99 and later\nkernel.cl:4:3: error: static "
         "assertion failed: pysycl: shift_group_left: no\n",
         "4:31: shift_group_left: 'nope' is not declared"},
        {"kernel.cl:4:31: error: taking address of function is not allowed\n",
         "4:31: shift_group_left: a function stands where a value belongs"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char *text = syc_log_format(source, sizeof source - 1, cases[i].log, strlen(cases[i].log), "kernel.cl", "Box");
        char *end = text != NULL ? strstr(text, " (built for Box)\n") : NULL;
        CHECK(end != NULL && strstr(text, "log") == NULL);
        if (end != NULL)
            *end = '\0';
        CHECK_STRING(end != NULL ? text + strlen("kernel.cl:") : "", cases[i].said);
        syc_free(text);
    }
}

/* Names that the library does not have: which were meant? */
static void near_names_are_told(void)
{
    static const struct {
        const char *call, *said;
    } cases[] = {
        {"reduce(work_group, x, plus)", "did you mean group_reduce, joint_reduce or sub_group_reduce?"},
        {"any_of_group( sub_group, x)", "did you mean group_any_of, joint_any_of, work_group_any or sub_group_any?"},
        {"group_redcue(g, x)", "did you mean group_reduce?"},
        {"permute_group_xor(sub_group, x, 1)", "did you mean permute_group_by_xor?"},
        {"group_scan(work_group, x)", "did you mean group_inclusive_scan"},
        {"vote(work_group, x)", "no group function of pysycl has a name near it"},
        {"atomic_fetch_mul(p, 2)", "there are atomic_load, "},
        {"atomic_fecth_add(p, 2)", "did you mean atomic_fetch_add?"},
        /* and those of others stay as they are */
        {"other(x, work_group)", ":1:1: implicit declaration of function 'other' is invalid"},
        {"my_groups(x)", ":1:1: implicit declaration of function 'my_groups' is invalid"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char log[200], name[40] = "", *text;
        memcpy(name, cases[i].call, strcspn(cases[i].call, "("));
        (void)snprintf(log, sizeof log, "kernel.cl:1:1: error: implicit declaration of function '%s' is invalid\n",
                       name);
        text = syc_log_format(cases[i].call, strlen(cases[i].call), log, strlen(log), "kernel.cl", "Box");
        CHECK(text != NULL && strstr(text, cases[i].said) != NULL);
        syc_free(text);
    }
}

/* NVIDIA's compiler does not mind functions that it does not know, but what they are given. */
static void near_names_are_told_by_what_they_are_given(void)
{
    static const char *const sources[] = {"int f(int k) {\n    return 1 + reduce(work_group, (k), plus);\n}\n",
                                          "int f(int k) {\n    return 1 + mine(work_group, (k), plus);\n}\n"};
    static const char *const said[] = {
        "kernel.cl:2:16: no function or macro 'reduce' is known: did you mean group_reduce, ",
        "kernel.cl:2:40: use of undeclared identifier 'plus'"};
    static const char log[] = "kernel.cl:2:40: error: use of undeclared identifier 'plus'\n";
    for (int i = 0; i < 2; i++) {
        char *text = syc_log_format(sources[i], strlen(sources[i]), log, strlen(log), "kernel.cl", "Box");
        CHECK(text != NULL && strncmp(text, said[i], strlen(said[i])) == 0);
        syc_free(text);
    }
}

int main(void)
{
    RUN(test_pocl);
    RUN(test_clang_layouts);
    RUN(test_no_error);
    RUN(test_strange_logs);
    RUN(test_format);
    RUN(test_format_believes_quotes);
    RUN(test_format_by_directives);
    RUN(test_operators);
    RUN(operators_are_known_by_a_name_that_they_alone_have);
    RUN(test_format_long);
    RUN(an_assertion_of_the_library_stands_alone);
    RUN(errors_in_calls_are_told_without_macros);
    RUN(near_names_are_told);
    RUN(near_names_are_told_by_what_they_are_given);
    return CHECK_EXIT_CODE;
}
