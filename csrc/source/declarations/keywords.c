/* The table of keywords. */
#include "source/declarations/keywords.h"

#include "source/tokens.h"

static const struct {
    const char *word;
    syc_keyword keyword;
} table[] = {
    {"const", SYC_KEYWORD_CONST},
    {"volatile", SYC_KEYWORD_VOLATILE},
    {"restrict", SYC_KEYWORD_RESTRICT},
    {"global", SYC_KEYWORD_GLOBAL},
    {"constant", SYC_KEYWORD_CONSTANT},
    {"local", SYC_KEYWORD_LOCAL},
    {"private", SYC_KEYWORD_IDLE},
    {"generic", SYC_KEYWORD_IDLE},
    {"read_only", SYC_KEYWORD_READ_ONLY},
    {"write_only", SYC_KEYWORD_WRITE_ONLY},
    {"read_write", SYC_KEYWORD_READ_WRITE},
    {"static", SYC_KEYWORD_IDLE},
    {"extern", SYC_KEYWORD_IDLE},
    {"inline", SYC_KEYWORD_IDLE},
    {"register", SYC_KEYWORD_IDLE},
    {"auto", SYC_KEYWORD_IDLE},
    {"_Atomic", SYC_KEYWORD_IDLE},
    {"_Noreturn", SYC_KEYWORD_IDLE},
    {"extension", SYC_KEYWORD_IDLE},
    {"kernel", SYC_KEYWORD_KERNEL},
    {"typedef", SYC_KEYWORD_TYPEDEF},
    {"attribute", SYC_KEYWORD_ATTRIBUTE},
    {"_Alignas", SYC_KEYWORD_ATTRIBUTE},
    {"declspec", SYC_KEYWORD_ATTRIBUTE},
    {"typeof", SYC_KEYWORD_TYPEOF},
    {"pipe", SYC_KEYWORD_PIPE},
    {"struct", SYC_KEYWORD_STRUCT},
    {"union", SYC_KEYWORD_UNION},
    {"enum", SYC_KEYWORD_ENUM},
    {"signed", SYC_KEYWORD_SIGNED},
    {"unsigned", SYC_KEYWORD_UNSIGNED},
    {"long", SYC_KEYWORD_LONG},
    {"short", SYC_KEYWORD_SHORT},
    {"char", SYC_KEYWORD_CHAR},
    {"int", SYC_KEYWORD_INT},
    {"for", SYC_KEYWORD_LOOP},
    {"while", SYC_KEYWORD_LOOP},
    {"do", SYC_KEYWORD_LOOP},
    {"goto", SYC_KEYWORD_LOOP},
    {"asm", SYC_KEYWORD_LOOP},
    {"enqueue_kernel", SYC_KEYWORD_LOOP},
};

/* Words that are keywords only between underscores, as "__attribute__". */
static bool needs_underscores(syc_keyword keyword, const syc_token *bare)
{
    return keyword == SYC_KEYWORD_ATTRIBUTE || syc__token_is(bare, "extension");
}

/* Takes "__" in front and behind off: compilers know most keywords in all three forms. */
static syc_token without_underscores(const syc_token *token)
{
    syc_token bare = *token;
    if (bare.length > 2 && bare.text[0] == '_' && bare.text[1] == '_') {
        bare.text += 2;
        bare.length -= 2;
        if (bare.length > 2 && bare.text[bare.length - 1] == '_' && bare.text[bare.length - 2] == '_')
            bare.length -= 2;
    }
    return bare;
}

syc_keyword syc__keyword_of(const syc_token *token)
{
    syc_token bare;
    if (token->kind != SYC_TOKEN_WORD)
        return SYC_KEYWORD_NONE;
    bare = without_underscores(token);
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        if (!syc__token_is(&bare, table[i].word))
            continue;
        if (needs_underscores(table[i].keyword, &bare) && bare.length == token->length && bare.text[0] != '_')
            break;
        return table[i].keyword;
    }
    return SYC_KEYWORD_NONE;
}

bool syc__keyword_qualifies(syc_keyword keyword)
{
    return keyword >= SYC_KEYWORD_CONST && keyword <= SYC_KEYWORD_IDLE;
}
