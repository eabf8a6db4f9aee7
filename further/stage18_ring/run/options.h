#ifndef RING_OPTIONS_H
#define RING_OPTIONS_H

#include "common/harness/program/arguments.h"
#include "further/stage18_ring/ring/attend.h"

typedef enum { RING_CHECK, RING_RACE, RING_BENCH, RING_INFO } ring_verb;

typedef struct {
  ring_verb verb;
  text_list shapes, distributions, arms;
  uint64_t seeds[ARGUMENTS_MAX];
  int seed_count;
  int64_t sample;      /* rows of each rank; 0: all, by the harness's gates */
  int multiprocessors; /* that messages take on a GPU */
  int iters;           /* timed runs; 0: as many as fit into a second or so */
  const char *json, *commit;
  bool folder;
} ring_options;

/* A wrong command line ends the program. */
void ring_options_parse(ring_options *o, int argc, char **argv);

/* The exchanges that were asked for, or all; `arms` has room for EXCHANGES. */
int ring_options_arms(const ring_options *o, exchange_arm *arms);

#endif
