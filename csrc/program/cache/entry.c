/* Entries as bytes. The layout is the machine's own: another byte order or word size is another key and another magic.
 */
#include "program/cache/entry.h"

#include "base/alloc.h"
#include "base/digest.h"

#include <stddef.h>
#include <string.h>

typedef struct header {
    char magic[8];
    uint32_t format, order; /* `order` reads otherwise on a machine of another byte order */
    uint64_t total;         /* bytes of the file */
    uint64_t key_length, cost_ns, count;
    unsigned char digest[SYC_DIGEST_SIZE]; /* of all bytes of the file but these */
} header;

enum { FORMAT = 1, ORDER = 0x01020304 };
static const char magic[8] = {'p', 'y', 's', 'y', 'c', 'l', 'C', '\n'};

static void digest_of(const unsigned char *bytes, size_t size, unsigned char out[SYC_DIGEST_SIZE])
{
    size_t at = offsetof(header, digest), behind = at + SYC_DIGEST_SIZE;
    syc_digest digest;

    syc_digest_begin(&digest);
    syc_digest_add(&digest, bytes, at);
    syc_digest_add(&digest, bytes + behind, size - behind);
    syc_digest_end(&digest, out);
}

syc_status syc__entry_encode(const syc__entry *entry, unsigned char **out, size_t *size)
{
    syc_status status = SYC_OK;
    header head = {.format = FORMAT, .order = ORDER, .cost_ns = entry->cost_ns};
    size_t total = sizeof head + entry->count * sizeof(uint64_t) + entry->key_length;
    unsigned char *bytes = NULL, *at;

    for (size_t i = 0; i < entry->count; i++)
        total += entry->parts[i].size;
    SYC_TRY(syc_alloc(total, &bytes));
    memcpy(head.magic, magic, sizeof magic);
    head.total = total;
    head.key_length = entry->key_length;
    head.count = entry->count;
    memcpy(bytes, &head, sizeof head);
    at = bytes + sizeof head;
    for (size_t i = 0; i < entry->count; i++, at += sizeof(uint64_t))
        memcpy(at, &(uint64_t){entry->parts[i].size}, sizeof(uint64_t));
    memcpy(at, entry->key, entry->key_length);
    at += entry->key_length;
    for (size_t i = 0; i < entry->count; at += entry->parts[i++].size)
        if (entry->parts[i].size > 0)
            memcpy(at, entry->parts[i].bytes, entry->parts[i].size);
    digest_of(bytes, total, bytes + offsetof(header, digest));
    *out = bytes;
    *size = total;
done:
    return status;
}

/* Lengths first, so that nothing behind reads past the end; then the digest. */
static bool is_whole(const unsigned char *bytes, size_t size, header *head)
{
    unsigned char digest[SYC_DIGEST_SIZE];

    if (size < sizeof *head)
        return false;
    memcpy(head, bytes, sizeof *head);
    if (memcmp(head->magic, magic, sizeof magic) != 0 || head->format != FORMAT || head->order != ORDER ||
        head->total != size || head->count > SYC__PARTS)
        return false;
    digest_of(bytes, size, digest);
    return memcmp(digest, head->digest, sizeof digest) == 0;
}

bool syc__entry_decode(unsigned char *bytes, size_t size, const char *key, size_t key_length, syc__entry *out)
{
    header head;
    uint64_t length;
    size_t at, left;

    if (!is_whole(bytes, size, &head) || head.key_length != key_length)
        return false;
    at = sizeof head + head.count * sizeof length;
    if (size < at || size - at < key_length || memcmp(bytes + at, key, key_length) != 0)
        return false;
    *out = (syc__entry){.key = (const char *)bytes + at, .key_length = key_length, .cost_ns = head.cost_ns};
    left = size - at - key_length;
    at += key_length;
    for (size_t i = 0; i < head.count; i++) {
        memcpy(&length, bytes + sizeof head + i * sizeof length, sizeof length);
        if (length > left)
            return false;
        out->parts[i] = (syc__part){bytes + at, (size_t)length};
        at += (size_t)length;
        left -= (size_t)length;
    }
    out->count = (size_t)head.count;
    return left == 0;
}
