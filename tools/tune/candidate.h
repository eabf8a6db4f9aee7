#ifndef TUNE_CANDIDATE_H
#define TUNE_CANDIDATE_H

#include "tools/tune/trial.h"

/* What is done with one arm: it is built, measured against its budget, sent
 * through the gates, and timed. */

typedef struct {
  const char *target, *stage, *shape, *arch;
  bool nvcc;          /* is there one here? */
  char folder[512];   /* for logs and the results of timed runs */
  char log[600];      /* what the last command said */
  const char **options; /* of the gates on the executor */
  int option_count;
} workbench;

/* Builds program, library and machine code. False where that fails. */
bool candidate_build(const workbench *w, const char *arm);

/* Fills in registers, shared memory and the hash of the machine code: the
 * device's and the host's that launches it, without the toggles' names. `over`
 * (REPORT_TEXT bytes) is what exceeds the budget, or "". False with one
 * sentence in `over` where there is nothing to read. */
bool candidate_weigh(const workbench *w, trial *t, char *over);

/* The gates' exit code. */
int candidate_check(const workbench *w, const char *arm);

/* Times all arms in turn in one run of the first one's program; its exit
 * code. */
int candidate_bench(const workbench *w, const char *const *arms, int count);

/* An arm's median and noise in that run, by graphs where there are any. */
bool candidate_times(const workbench *w, const char *arm, double *p50,
                     double *noise);

#endif
