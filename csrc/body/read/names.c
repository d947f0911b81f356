/* Which names an argument of a body may have. */
#include "body/parts.h"
#include "source/declarations/keywords.h"
#include "source/declarations/types.h"
#include "source/lexer.h"
#include "source/origin.h"
#include "source/standard_macros.h"

#include <string.h>

/* Words of C and of OpenCL C's headers that are neither in the table of keywords nor types. */
static const char *const taken[] = {"if",       "else",      "switch",        "case",     "default",
                                    "break",    "continue",  "return",        "sizeof",   "void",
                                    "true",     "false",     "NULL",          "INFINITY", "NAN",
                                    "MAXFLOAT", "HUGE_VALF", "_Bool",         "_Complex", "_Static_assert",
                                    "_Alignof", "_Generic",  "_Thread_local", "__func__", NULL};

/* The words of a body, and of kernels/items.clh. */
static const struct {
    const char *word, *meaning;
} ours[] = {
    {"i", "the linear id"},
    {"i0", "the id in dimension 0"},
    {"i1", "the id in dimension 1"},
    {"i2", "the id in dimension 2"},
    {"n0", "the range in dimension 0"},
    {"n1", "the range in dimension 1"},
    {"n2", "the range in dimension 2"},
    {"global_id", "the id within the nd-range"},
    {"global_range", "the size of the nd-range"},
    {"global_linear_id", "the linear id within the nd-range"},
    {"local_id", "the id within the work-group"},
    {"local_range", "the size of the work-group"},
    {"local_linear_id", "the linear id within the work-group"},
    {"group_id", "the id of the work-group"},
    {"group_range", "the number of work-groups"},
    {"group_linear_id", "the linear id of the work-group"},
    {"work_group", "the work-group"},
    {"sub_group", "the sub-group"},
};

static syc_token word_of(const char *name)
{
    return (syc_token){.text = name, .length = (uint32_t)strlen(name), .kind = SYC_TOKEN_WORD};
}

static bool is_identifier(const char *name)
{
    if (name[0] >= '0' && name[0] <= '9')
        return false;
    for (const char *p = name; *p != '\0'; p++) {
        bool letter = (*p >= 'a' && *p <= 'z') || (*p >= 'A' && *p <= 'Z') || *p == '_';
        if (!letter && !(*p >= '0' && *p <= '9'))
            return false;
    }
    return name[0] != '\0' && strlen(name) < 256;
}

static bool is_word_of_language(const char *name)
{
    const syc_types none = {0};
    syc_token word = word_of(name);
    syc_type type;
    return syc__keyword_of(&word) != SYC_KEYWORD_NONE || syc__token_in(&word, taken) ||
           syc__type_of_word(&none, &word, &type) || syc__is_standard_macro(name);
}

static const char *meaning_of(const char *name)
{
    for (size_t i = 0; i < sizeof ours / sizeof *ours; i++)
        if (strcmp(ours[i].word, name) == 0)
            return ours[i].meaning;
    return NULL;
}

/* The functions that generated kernels call. */
static bool is_called(const char *name)
{
    static const char *const beginnings[] = {"get_global_",       "get_local_",  "get_group_", "get_num_",
                                             "get_sub_group_",    "work_group_", "sub_group_", "barrier",
                                             "async_work_group_", "vload",       "vstore"};
    for (size_t i = 0; i < sizeof beginnings / sizeof *beginnings; i++)
        if (strncmp(name, beginnings[i], strlen(beginnings[i])) == 0)
            return true;
    return false;
}

static syc_status check_name(const char *text, const char *name, bool whole)
{
    syc_status status = SYC_OK;
    const char *meaning = whole ? NULL : meaning_of(name);

    SYC_CHECK(is_identifier(name), SYC_E_KERNEL_ARGUMENT,
              "%s: an argument cannot be named '%.300s': it is no C identifier", text, name);
    SYC_CHECK(meaning == NULL, SYC_E_KERNEL_ARGUMENT,
              "%s: an argument cannot be named '%s': in a body that is %s; choose another name", text, name, meaning);
    SYC_CHECK(!is_word_of_language(name), SYC_E_KERNEL_ARGUMENT,
              "%s: an argument cannot be named '%s': that is a word of OpenCL C; choose another name", text, name);
    SYC_CHECK(!is_called(name), SYC_E_KERNEL_ARGUMENT,
              "%s: an argument cannot be named '%s': names that begin so are functions of OpenCL C that the kernel "
              "calls; choose another name",
              text, name);
    SYC_CHECK(strncmp(name, "syc_", 4) != 0, SYC_E_KERNEL_ARGUMENT,
              "%s: an argument cannot be named '%s': names that begin with 'syc_' belong to pysycl", text, name);
done:
    return status;
}

syc_status syc__body_check_names(const syc_body_source *source)
{
    const char *text = syc__text_name(source->parts, source->part_count);
    syc_status status = SYC_OK;
    for (size_t i = 0; i < source->count; i++) {
        SYC_TRY(check_name(text, source->names[i].name, source->whole));
        for (size_t k = 0; k < i; k++)
            SYC_CHECK(strcmp(source->names[i].name, source->names[k].name) != 0, SYC_E_KERNEL_ARGUMENT,
                      "%s: argument '%s' is given twice", text, source->names[i].name);
    }
    SYC_CHECK(source->name == NULL || (is_identifier(source->name) && !is_word_of_language(source->name)),
              SYC_E_INVALID_PARAMETER, "body: a kernel cannot be named '%.300s': it is no free C identifier",
              source->name);
done:
    return status;
}

bool syc__name_is_complex(const syc_name *name)
{
    return strcmp(name->type, "cfloat") == 0 || strcmp(name->type, "cdouble") == 0;
}

bool syc__name_is_plain(const syc_name *name, syc_dtype *type, unsigned *width)
{
    const syc_types none = {0};
    syc_token word = word_of(name->type);
    syc_type read;
    if (!syc__type_of_word(&none, &word, &read) || read.type >= SYC_STRUCT || read.type == SYC_BOOL)
        return false;
    *type = read.type;
    *width = read.width;
    return true;
}
