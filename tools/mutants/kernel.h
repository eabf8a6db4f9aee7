#ifndef MUTANTS_KERNEL_H
#define MUTANTS_KERNEL_H

#include "tools/source/source.h"

/* What of a source runs on the GPU, and how its tokens lie. */

/* Says of each statement whether it is in the body of a __device__ or
 * __global__ function and no directive. */
void mark_kernel(const source *s, bool *inside);

/* Whether a token's text fits one of these patterns of fnmatch. */
bool token_fits(const source *s, int i, const char *const patterns[]);

/* Whether token i is a sign that assigns. */
bool token_assigns(const source *s, int i);

/* The next token of the statement that is no comment; past its last where there
 * is none. And the one before; below its first. */
int token_after(const source *s, const statement *st, int i);
int token_before(const source *s, const statement *st, int i);

/* Whether token i of a statement is this sign or word. */
bool token_at(const source *s, const statement *st, int i, const char *what);

/* The bracket that closes the one at token i, or the statement's last. */
int bracket_end(const source *s, const statement *st, int i);

/* How deep in brackets each step goes: +1 for one that opens, -1, 0. */
int bracket_depth(const source *s, int i);

#endif
