/* A treap: a search tree by address that random priorities keep balanced, and that needs no more than they. */
#include "memory/usm/slab.h"

/* Splits a tree into what lies below `address` and the rest. */
static void split(struct syc__slab *tree, uintptr_t address, struct syc__slab **below, struct syc__slab **rest)
{
    while (tree != NULL) {
        if (tree->low < address) {
            *below = tree;
            below = &tree->right;
            tree = tree->right;
        } else {
            *rest = tree;
            rest = &tree->left;
            tree = tree->left;
        }
    }
    *below = *rest = NULL;
}

void syc__slab_insert(struct syc__slab **root, struct syc__slab *slab)
{
    static uint32_t random = 0x9E3779B9u;
    random ^= random << 13; /* xorshift: any sequence without a pattern will do */
    random ^= random >> 17;
    random ^= random << 5;
    slab->priority = random;
    while (*root != NULL && (*root)->priority >= slab->priority)
        root = slab->low < (*root)->low ? &(*root)->left : &(*root)->right;
    split(*root, slab->low, &slab->left, &slab->right);
    *root = slab;
}

void syc__slab_remove(struct syc__slab **root, struct syc__slab *slab)
{
    struct syc__slab *left = slab->left, *right = slab->right;
    while (*root != slab)
        root = slab->low < (*root)->low ? &(*root)->left : &(*root)->right;
    while (left != NULL && right != NULL) {
        if (left->priority >= right->priority) {
            *root = left;
            root = &left->right;
            left = left->right;
        } else {
            *root = right;
            root = &right->left;
            right = right->left;
        }
    }
    *root = left != NULL ? left : right;
    slab->left = slab->right = NULL;
}

struct syc__slab *syc__slab_at(struct syc__slab *root, uintptr_t address)
{
    while (root != NULL && (address < root->low || address >= root->high))
        root = address < root->low ? root->left : root->right;
    return root;
}
