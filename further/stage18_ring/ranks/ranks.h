#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/harness/program.h"

/* All that the program asks of MPI, but for the CPU's exchange. What waits for
 * others is called by all ranks together. */

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

/* Of a rank's text so many bytes are compared, with the zero behind it. */
enum { RANKS_TEXT = 4096 };

/* Where not all ranks have the same text, all end with a sentence that names
 * one that differs: "Rank 2 has the WHAT 'b', rank 0 'a': ADVICE." */
void ranks_agree(const char *what, const char *text, const char *advice);

/* Where this rank was refused, all end with its sentence. */
void ranks_can(bool good, const reason *why);

/* Zeroed memory, or the end of all. */
void *ranks_memory(size_t count, size_t size);

/* How many ranks have the same text; `before`, if not NULL:
 * how many of these come before this one. */
int ranks_like(const char *text, int *before);

void ranks_meet(void);
double ranks_largest(double own);
double ranks_sum(double own);

/* Rank 0 gets in `all` the numbers of all, one rank's behind the other's,
 * counts[i] of rank i, below 2^31 together. */
void ranks_collect(const uint16_t *own, uint16_t *all, const int *counts);

typedef enum {
  RANK_WORKS, /* on the host: its processor time is progress */
  RANK_WAITS, /* for other ranks */
  RANK_DEVICE /* for its GPU, which may wait for other ranks in NCCL */
} rank_kind;

/* So that no rank waits for one that will not come. Each rank says four times
 * a second over a socket to rank 0 what it does; where one has died, is silent,
 * does not get on or gives up, rank 0 tells all, and each ends with that
 * sentence; exit code 3, unless the one that gives up says another. The socket
 * is our own because MPI and NCCL are what a rank may hang in. */

/* From here on, before MPI has begun: a rank that does not get to
 * watchdog_connect in time ends. */
void watchdog_begin(const char *program);

/* Of rank 0: the port at which it waits for all others. */
int watchdog_listen(int ranks);
void watchdog_connect(int rank, int ranks, const char *host, int port);

/* What this rank does now, as printf has it: work of the host, whose processor
 * time shows that it gets on; waiting for other ranks; waiting for its GPU. */
__attribute__((format(printf, 2, 3))) void watchdog_at(rank_kind kind,
                                                       const char *what, ...);
#define watchdog_works(...) watchdog_at(RANK_WORKS, __VA_ARGS__)
#define watchdog_waits(...) watchdog_at(RANK_WAITS, __VA_ARGS__)
#define watchdog_device(...) watchdog_at(RANK_DEVICE, __VA_ARGS__)

/* Asked four times a second, until another is given: NULL, or in a sentence why
 * this rank cannot go on. */
void watchdog_asks(const char *(*failure)(void));

/* This rank cannot go on. All ranks end with this exit code and the sentence,
 * as printf has it; does not return. */
__attribute__((format(printf, 2, 3))) _Noreturn void watchdog_give_up(
    int code, const char *format, ...);
#define watchdog_fails(...) watchdog_give_up(EXIT_FAILED, __VA_ARGS__)

/* All ranks are through: what ends from here on is meant to. */
void watchdog_end(void);
