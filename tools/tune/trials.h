#ifndef TUNE_TRIALS_H
#define TUNE_TRIALS_H

#include "common/harness/program/reason.h"
#include "tools/tune/trial.h"

/* All trials of one search, in order, kept in a file after each: an interrupted
 * search goes on where it was. */
typedef struct {
  char folder[512]; /* of that file */
  const char *about;
  trial *list;
  int count, room;
} trials;

/* Takes up the search that was left in the folder, if it was about the same:
 * stage, kernel, shape, options and toolchain. Else there are no trials, and
 * what lay there is gone. False with one sentence if nothing can be written. */
bool trials_open(trials *all, const char *folder, const char *about,
                 reason *why);

/* Adds one and writes all. False with one sentence. */
bool trials_add(trials *all, const trial *t, reason *why);

/* The trial of an arm, and the first with that machine code that was within
 * its budget; NULL if there is none. */
const trial *trials_of_arm(const trials *all, const char *arm);
const trial *trials_of_code(const trials *all, const char *code);

/* The best `count` at most, best first: by score; on the executor, where
 * nothing is timed, in order. Returns how many. */
int trials_best(const trials *all, const trial **best, int count);

/* How many kernels differ, by machine code. */
int trials_kernels(const trials *all);

json_t *trials_json(const trials *all);

/* Frees the list, and forgets the search: the next is a new one. */
void trials_close(trials *all);

#endif
