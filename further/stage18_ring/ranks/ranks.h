#ifndef RING_RANKS_H
#define RING_RANKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/harness/program/reason.h"

/* All that the program asks of MPI, but for the CPU's exchange. Every function
 * is called by all ranks together. */

typedef struct {
  int rank, ranks;
  char host[64];
  int on_host;  /* how many ranks of this machine come before this one */
  int of_host;  /* how many there are */
} rank_place;

/* MPI's beginning, and the watch's. Ends the program where it cannot. */
rank_place ranks_begin(const char *program, int *argc, char ***argv);

/* The end: waits for all. */
void ranks_end(void);

/* True where all ranks have the same text. If not, the sentence names a rank
 * that differs from rank 0: "rank 2 has WHAT 'b', rank 0 'a': ADVICE". */
bool ranks_agree(const char *what, const char *text, const char *advice,
                 reason *why);

/* Each rank's sentence, or NULL: false with the first one, and whose it is. */
bool ranks_can(const char *sentence, reason *why);

/* How many ranks have the same text, 255 bytes of it; `before`, if not NULL:
 * how many of these come before this one. */
int ranks_like(const char *text, int *before);

void ranks_meet(void);
int ranks_share(int of_rank_0);
double ranks_largest(double own);
double ranks_sum(double own);

/* Rank 0 gets the bytes of all, below 2 GiB each: rank i's lie in `all` from
 * offsets[i] to offsets[i + 1]. */
void ranks_collect(const void *own, size_t bytes, void *all,
                   const size_t *offsets);

#endif
