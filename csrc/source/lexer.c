/* The lexer. A first pass copies the text without its line continuations and remembers where they were, a second one
 * cuts the copy into tokens; so no other code has to know of continuations, and line numbers still are those of the
 * original. */
#include "source/lexer.h"

#include <string.h>

typedef struct lexer {
    const char *text;
    size_t length, at;
    const size_t *splices; /* places in `text` where a continuation was taken out, ascending */
    size_t splice_count, splices_passed;
    uint32_t line;
    size_t line_at; /* where it begins */
    bool first, space;
} lexer;

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f';
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* Bytes above ASCII count as letters: compilers take UTF-8 names. */
static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$' || (unsigned char)c >= 0x80;
}

static char peek(const lexer *lex, size_t ahead)
{
    return lex->length - lex->at > ahead ? lex->text[lex->at + ahead] : '\0';
}

/* How many bytes the continuation at `at` has, 0 if there is none. Blanks between backslash and newline are let pass,
 * as clang does. */
static size_t splice_length(const char *text, size_t length, size_t at)
{
    size_t i = at + 1;
    if (text[at] != '\\')
        return 0;
    while (i < length && is_blank(text[i]))
        i++;
    return i < length && text[i] == '\n' ? i + 1 - at : 0;
}

static syc_status join_lines(syc_arena *arena, const char *text, size_t length, lexer *out)
{
    syc_status status = SYC_OK;
    size_t used = 0, start = 0, capacity = 0, skip, *splices = NULL;
    char *joined = NULL;

    SYC_TRY(syc__arena_alloc(arena, length + 1, &joined));
    for (size_t i = 0; i < length; i += skip ? skip : 1) {
        skip = splice_length(text, length, i);
        if (skip == 0)
            continue;
        memcpy(joined + used, text + start, i - start);
        used += i - start;
        start = i + skip;
        SYC_TRY(syc__arena_grow(arena, &splices, &capacity, out->splice_count + 1, sizeof *splices));
        splices[out->splice_count++] = used;
    }
    if (length > start)
        memcpy(joined + used, text + start, length - start);
    out->text = joined;
    out->length = used + (length - start);
    out->splices = splices;
done:
    return status;
}

static void pass_splices(lexer *lex)
{
    while (lex->splices_passed < lex->splice_count && lex->splices[lex->splices_passed] <= lex->at) {
        lex->line_at = lex->splices[lex->splices_passed++];
        lex->line++;
    }
}

/* Steps over one byte of white space or of a comment. */
static void step(lexer *lex)
{
    if (lex->text[lex->at++] == '\n') {
        lex->line++;
        lex->line_at = lex->at;
        lex->first = true;
    }
    lex->space = true;
}

static void skip_comment(lexer *lex)
{
    bool block = peek(lex, 1) == '*', first = lex->first;
    lex->at += 2;
    lex->space = true;
    while (lex->at < lex->length) {
        if (block && peek(lex, 0) == '*' && peek(lex, 1) == '/') {
            lex->at += 2;
            break;
        }
        if (!block && peek(lex, 0) == '\n')
            return;
        step(lex);
    }
    lex->first = first; /* a comment is one blank, whatever lines it spans */
}

static void skip_space(lexer *lex)
{
    for (;;) {
        char c = peek(lex, 0);
        if (lex->at < lex->length && (is_blank(c) || c == '\n'))
            step(lex);
        else if (c == '/' && (peek(lex, 1) == '*' || peek(lex, 1) == '/'))
            skip_comment(lex);
        else
            return;
    }
}

static void take_string(lexer *lex)
{
    char quote = lex->text[lex->at++];
    while (lex->at < lex->length && lex->text[lex->at] != '\n') {
        char c = lex->text[lex->at++];
        if (c == quote)
            return;
        if (c == '\\' && lex->at < lex->length && lex->text[lex->at] != '\n')
            lex->at++;
    }
}

/* A preprocessing number: digits, letters, points, and signs after an exponent's letter. */
static void take_number(lexer *lex)
{
    while (lex->at < lex->length) {
        char c = peek(lex, 0), next = peek(lex, 1);
        if (strchr("eEpP", c) != NULL && c != '\0' && (next == '+' || next == '-'))
            lex->at += 2;
        else if (is_letter(c) || is_digit(c) || c == '.')
            lex->at++;
        else
            return;
    }
}

static void take_punctuator(lexer *lex)
{
    static const char *const known[] = {"...", "<<=", ">>=", "##", "&&", "||", "==", "!=", "<=", ">=", "<<", ">>",
                                        "->",  "++",  "--",  "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", NULL};
    for (const char *const *p = known; *p != NULL; p++) {
        size_t n = strlen(*p);
        if (lex->length - lex->at >= n && memcmp(lex->text + lex->at, *p, n) == 0) {
            lex->at += n;
            return;
        }
    }
    lex->at++;
}

static uint8_t take_token(lexer *lex)
{
    char c = peek(lex, 0);
    if (is_digit(c) || (c == '.' && is_digit(peek(lex, 1)))) {
        take_number(lex);
        return SYC_TOKEN_NUMBER;
    }
    if (is_letter(c)) {
        while (lex->at < lex->length && (is_letter(peek(lex, 0)) || is_digit(peek(lex, 0))))
            lex->at++;
        return SYC_TOKEN_WORD;
    }
    if (c == '"' || c == '\'') {
        take_string(lex);
        return SYC_TOKEN_STRING;
    }
    take_punctuator(lex);
    return SYC_TOKEN_PUNCTUATOR;
}

static syc_token next_token(lexer *lex)
{
    syc_token token = {0};
    size_t start;
    skip_space(lex);
    pass_splices(lex);
    start = lex->at;
    token.text = lex->text + start;
    token.line = lex->line;
    token.column = (uint32_t)(start - lex->line_at) + 1;
    token.first = lex->first;
    token.space = lex->space;
    if (lex->at < lex->length) {
        token.kind = take_token(lex);
        token.length = (uint32_t)(lex->at - start);
        lex->first = lex->space = false;
    }
    return token;
}

syc_status syc__lex(syc_arena *arena, const char *text, size_t length, syc_tokens *out)
{
    syc_status status = SYC_OK;
    lexer lex = {.line = 1, .first = true};
    syc_token token;

    SYC_TRY(join_lines(arena, text, length, &lex));
    do {
        token = next_token(&lex);
        if (token.kind == SYC_TOKEN_END)
            token.first = true; /* so that it also ends a directive on the last line */
        SYC_TRY(syc__tokens_push(arena, out, &token));
    } while (token.kind != SYC_TOKEN_END);
done:
    return status;
}

bool syc__lex_piece(const char *text, size_t length, uint32_t line, syc_token *out)
{
    lexer lex = {.text = text, .length = length, .line = line};
    syc_token token = next_token(&lex);
    if (token.kind == SYC_TOKEN_END || token.length != length)
        return false;
    *out = token;
    return true;
}
