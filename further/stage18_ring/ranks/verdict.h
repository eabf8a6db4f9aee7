#ifndef RING_VERDICT_H
#define RING_VERDICT_H

#include <stdbool.h>
#include <stdint.h>

#include "common/harness/program/reason.h"

/* What rank 0 makes of what it hears of all ranks. No clock, no sockets: time
 * comes in seconds from the caller. */

typedef enum {
  RANK_WORKS, /* on the host: its processor time is progress */
  RANK_WAITS, /* for other ranks */
  RANK_DEVICE /* for its GPU, which may wait for other ranks in NCCL */
} rank_kind;

typedef struct {
  rank_kind kind;
  int64_t progress, processor_seconds;
  char what[96];
  double heard, moved; /* when last heard of, and when progress last changed */
  bool gone;           /* has said goodbye */
} rank_report;

/* Seconds without a word, and without progress of any rank. */
enum { SILENCE = 8, PATIENCE = 15 };

void verdict_begins(rank_report *known, double now);

/* A new report of the rank that `known` is about. */
void verdict_heard(rank_report *known, const rank_report *heard, double now);

/* False with one sentence that names the rank. */
bool verdict_hears(const rank_report *reports, int rank, double now,
                   reason *why);
bool verdict_all_well(const rank_report *reports, int ranks, double now,
                      reason *why);

/* The sentence on a rank whose socket has closed. */
void verdict_died(const rank_report *reports, int rank, reason *why);

#endif
